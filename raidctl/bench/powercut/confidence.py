"""What a number of power cuts without a loss proves. Pure."""

from __future__ import annotations

import math

CONFIDENCE = 0.95
"""Confidence of every bound that is printed."""


def bound(clean: int, confidence: float = CONFIDENCE) -> float:
    """Upper bound of the probability that a cut loses data.

    The bound is 0 to 1, after ``clean`` cuts without a loss. A drive that loses data in a share p of the cuts passes k
    of them with probability (1 - p) ** k.
    """
    return 1.0 - (1.0 - confidence) ** (1.0 / clean) if clean > 0 else 1.0


def needed(share: float, confidence: float = CONFIDENCE) -> int:
    """Cuts without a loss needed to limit its probability to ``share``. ``share`` is above 0 and below 1."""
    cuts = max(math.ceil(math.log(1.0 - confidence) / math.log(1.0 - share)), 1)
    # the logarithms are rounded
    while cuts > 1 and bound(cuts - 1, confidence) <= share:
        cuts -= 1
    while bound(cuts, confidence) > share:
        cuts += 1
    return cuts


LISTED = (0.5, 0.25, 0.1, 0.05)
"""Probabilities for which the number of cuts is listed."""
