from __future__ import annotations

import pytest

from raidctl.model import BatteryStatus
from raidctl_megaraid import bbu_mask


@pytest.mark.parametrize(
    ("mask", "status"),
    [
        (0, "ok"),
        (1 << 0, "missing"),
        (1 << 1, "degraded"),
        (1 << 3, "charging"),
        (1 << 4, "ok"),
        (1 << 5, "ok"),
        (1 << 6, "learning"),
        (1 << 6 | 1 << 4, "learning"),
        (1 << 7, "degraded"),
        (1 << 9, "degraded"),
        (1 << 10, "failed"),
        (1 << 12, "ok"),
        (1 << 12 | 1 << 3, "charging"),
        (1 << 20, "unknown"),
        (1 | 1 << 6, "missing"),
    ],
)
def test_megaraid_bbu_mask_tells_the_worst_that_it_holds(mask: int, status: BatteryStatus) -> None:
    """A missing pack counts most; waiting for a learn cycle is no trouble; bits without a name are unknown."""
    assert bbu_mask.status(mask) == status


def test_megaraid_bbu_mask_in_words() -> None:
    """Each bit has its words, one that no source names its number."""
    assert bbu_mask.words(1 << 5 | 1 << 12 | 1 << 14) == [
        "learn cycle requested",
        "periodic learn cycle required",
        "bit 14",
    ]
    assert bbu_mask.words(0) == []


def test_megaraid_bbu_mask_asks_for_a_new_pack() -> None:
    """Bit 10 alone is the request."""
    assert bbu_mask.replace(1 << 10)
    assert not bbu_mask.replace(~(1 << 10) & 0xFFFF)
