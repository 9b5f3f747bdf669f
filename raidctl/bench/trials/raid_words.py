"""Combine the evidence on a RAID level, and explain it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidctl.bench.estimators import geometry
from raidctl.bench.estimators.geometry import PENALTY
from raidctl.bench.result import Spread, Verdict
from raidctl.bench.trials.trial import Below
from raidctl.text import listing


@dataclass(frozen=True, kw_only=True)
class Layers:
    """Results of each method; None or empty: nothing."""

    capacity: tuple[str, ...]
    """Levels that give the volume's size from the drives' size and number."""
    cost: geometry.Levels | None
    """Levels by the cost of a small write."""
    cached: bool
    """Whether a write cache was seen. It reorders writes, so that small ones seem cheaper."""
    pattern: int | None
    """Bytes after which the layout repeats, from strides."""
    stripe: int | None
    """Bytes of data in a stripe, from full-stripe writes."""
    chunk: int
    drives: int | None
    """Number of drives in the inventory."""
    spindles: Spread
    """Number of drives that answer reads independently."""

    @property
    def data_drives(self) -> int | None:
        """Drives that hold data of a stripe; None if unknown.

        A pattern alone does not show it: RAID-5 may repeat after as many chunks as it has drives.
        """
        if self.whole is not None:
            return self.whole
        return self._repeats if self.named == ("raid0",) else None

    @property
    def whole(self) -> int | None:
        """Data chunks per stripe.

        None if it was not seen, or is impossible for an array with parity of that many drives.
        """
        found = geometry.data_drives(self.stripe, self.chunk) if self.stripe else None
        return found if found is None or self.drives is None or found < self.drives else None

    @property
    def _repeats(self) -> int | None:
        """Chunks after which the layout repeats."""
        return geometry.data_drives(self.pattern, self.chunk) if self.pattern else None

    @property
    def by_cost(self) -> tuple[str, ...]:
        """Levels by cost. Behind a write cache, these are all levels with at least that cost."""
        found = self.cost.levels if self.cost is not None else ()
        if not self.cached or not found:
            return found
        least = min(PENALTY[level] for level in found)
        return tuple(level for level, penalty in PENALTY.items() if penalty >= least)

    @property
    def by_layout(self) -> tuple[str, ...]:
        """Levels that stripes and pattern permit; empty: no result, or a contradiction."""
        return geometry.agree([self.by_stripe, self.by_pattern])

    @property
    def by_stripe(self) -> tuple[str, ...]:
        """Levels by the number of drives that hold data of a stripe."""
        if self.whole is None or self.drives is None:
            return ()
        return geometry.by_stripe(self.whole, self.drives)

    @property
    def by_pattern(self) -> tuple[str, ...]:
        """Levels whose layout on the given number of drives repeats as measured."""
        if self._repeats is None or self.drives is None:
            return ()
        return geometry.by_pattern(self._repeats, self.drives)

    @property
    def named(self) -> tuple[str, ...]:
        """Levels that every method with a result permits. Empty: no result, or a contradiction."""
        return geometry.agree([self.capacity, self.by_cost, self.by_layout])

    @property
    def posterior(self) -> Mapping[str, float]:
        """Probability of each level by cost, all equal before. Levels excluded by other methods have 0."""
        permitted = [set(one) for one in (self.capacity, self.by_layout) if one]
        weights = {}
        for level in PENALTY:
            weight = 1.0
            if self.cost is not None and self.cost.posterior:
                group = next(each for each in geometry.GROUPS if level in each)
                weight = self.cost.posterior[group[0]] if not self.cached else float(level in self.by_cost)
            weights[level] = weight if all(level in one for one in permitted) else 0.0
        total = sum(weights.values())
        return {level: weight / total for level, weight in weights.items()} if total > 0 else {}


def facts(below: Below) -> tuple[str, ...]:
    """Levels that the sizes permit. Empty: a size is unknown, or none fits."""
    if below.volume_bytes is None or below.drive_bytes is None or below.drives is None:
        return ()
    return geometry.by_capacity(below.volume_bytes, below.drive_bytes, below.drives)


def evidence(layers: Layers) -> dict[str, object]:
    """Return the evidence of each layer, for the results."""
    return {
        "capacity": list(layers.capacity),
        "cost": list(layers.by_cost),
        "layout": list(layers.by_layout),
        "pattern_bytes": layers.pattern,
        "stripe_bytes": layers.stripe,
        "chunk_bytes": layers.chunk,
    }


def judged(layers: Layers, expected: str | None, *, promised: bool) -> tuple[Verdict, list[str]]:
    """The verdict on the expected level. A contradiction to hard facts fails, one to the cost is a hint."""
    reasons = list(_by_layer(layers))
    named = layers.named
    if not named:
        several = [one for one in (layers.capacity, layers.by_cost, layers.by_layout) if one]
        why = "The measurements contradict each other" if len(several) > 1 else "No measurement here shows it"
        return "inconclusive", [*reasons, f"{why}: the level is unknown."]
    text = f"It is {named[0]}" if len(named) == 1 else f"It is one of {listing(named)}: these look the same here"
    reasons.append(f"{text}.")
    if expected is None:
        return "info" if len(named) == 1 else "inconclusive", reasons
    whose = "was promised" if promised else "is what the controller reports"
    if expected in named:
        return ("pass" if len(named) == 1 else "inconclusive"), [*reasons, f"{expected} {whose}."]
    if expected not in PENALTY:
        return "inconclusive", [*reasons, f"{expected} {whose}, which these figures do not distinguish."]
    hard = [one for one in (layers.capacity, layers.by_layout) if one and expected not in one]
    return ("fail" if hard else "suspect"), [*reasons, f"{expected} {whose}."]


def _by_layer(layers: Layers) -> Sequence[str]:
    reasons = []
    if layers.capacity:
        reasons.append(f"By the size of the volume and of its drives it is {_or(layers.capacity)}.")
    if layers.cost is not None and layers.cost.ratio is not None and layers.by_cost:
        more = ", at least, since a write cache sorts" if layers.cached else ""
        reasons.append(
            f"A small write costs {layers.cost.ratio:.1f} times what a read costs{more}: {_or(layers.by_cost)}."
        )
    reasons += _layout_reasons(layers)
    if layers.spindles.measured is not None:
        reasons.append(f"Reads are as fast as from {layers.spindles.measured:.1f} independent drives.")
    return reasons


def _layout_reasons(layers: Layers) -> Iterator[str]:
    """What stripes and strides have shown."""
    total = f" of {layers.drives}" if layers.drives else ""
    if layers.whole is not None:
        levels = f": {_or(layers.by_stripe)}" if layers.by_stripe else ""
        yield f"{layers.whole}{total} drives have data of a stripe (full stripes are written faster){levels}."
    if layers.pattern and layers.pattern % layers.chunk == 0:
        levels = f": {_or(layers.by_pattern)}" if layers.by_pattern else ""
        yield (
            f"The layout repeats after {layers.pattern // layers.chunk} chunks (reads at multiples of that meet one "
            f"drive){levels}."
        )


def _or(levels: Sequence[str]) -> str:
    return " or ".join(levels)
