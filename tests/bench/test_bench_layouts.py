"""Strides of reads on real array layouts never name a wrong level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

from raidctl.bench.estimators import geometry
from raidctl.bench.result import Spread
from raidctl.bench.trials.raid_level import MAX_DRIVES
from raidctl.bench.trials.raid_words import Layers, judged
from tests.bench.bench_runs import rate
from tests.support.over import over

CHUNK = 64 << 10
UNKNOWN = Spread(measured=None, unit="ratio", n=0)
Layout = Callable[[int, int], Sequence[int]]
"""The drives that have a chunk. They depend on the number of the chunk and the number of drives."""


def rotated(parity: int, *, left: bool, symmetric: bool) -> Layout:
    """A layout whose parity moves by one drive per row. It begins at the last (left) or the first drive.

    Data begins after the parity (symmetric), or at the first drive without any.
    """

    def drives(number: int, count: int) -> Sequence[int]:
        row, column = divmod(number, count - parity)
        first = (count - 1 - row if left else row) % count
        held = [(first + further) % count for further in range(parity)]
        if symmetric:
            return ((first + parity + column) % count,)
        return ([one for one in range(count) if one not in held][column],)

    return drives


LAYOUTS: dict[str, tuple[str, Layout]] = {
    "raid0": ("raid0", lambda number, count: (number % count,)),
    "raid10-near": ("raid10", lambda number, count: (2 * number % count, (2 * number + 1) % count)),
    "raid10-far": ("raid10", lambda number, count: (number % count,)),
    "raid10-offset": ("raid10", lambda number, count: (number % count, (number + 1) % count)),
    "raid10-first-copy": ("raid10", lambda number, count: (2 * number % count,)),
    "raid4": ("raid5", lambda number, count: (number % (count - 1),)),
    **{
        f"{level}-{'left' if left else 'right'}-{'symmetric' if symmetric else 'asymmetric'}": (
            level,
            rotated(parity, left=left, symmetric=symmetric),
        )
        for level, parity in (("raid5", 1), ("raid6", 2))
        for left in (True, False)
        for symmetric in (True, False)
    },
}
CASES = [
    (name, count)
    for name in LAYOUTS
    for count in (4, 5, 6, 7, 9, 12)
    if not (count % 2 and name in ("raid10-near", "raid10-first-copy"))
]


def busiest(layout: Layout, drives: int, stride: int) -> float:
    """The time of the busiest drive for reads at a stride's multiples. Copies are balanced."""
    load: Counter[int] = Counter()
    rounds = 2 * drives * drives * (drives - 1)  # each layout repeats a part of them
    for number in range(rounds):
        holders = layout(number * stride, drives)
        load[min(holders, key=lambda one: load[one])] += 1
    return float(Fraction(max(load.values()), rounds))


def pattern(layout: Layout, drives: int, most: int) -> int | None:
    """The pattern that the strides show, without noise."""
    return geometry.pattern_size({CHUNK * stride: busiest(layout, drives, stride) for stride in range(1, most + 1)})


def layers(found: int | None, drives: int | None, stripe: int | None = None) -> Layers:
    """Layers without any other facts."""
    return Layers(
        capacity=(), cost=None, cached=False, pattern=found, stripe=stripe, chunk=CHUNK, drives=drives,
        spindles=UNKNOWN,
    )  # fmt: skip


@pytest.mark.slow
@over("name, drives", CASES)
def test_strides_never_rule_out_the_true_level(name: str, drives: int) -> None:
    """The true level is among those of its strides, if any."""
    level, layout = LAYOUTS[name]
    found = layers(pattern(layout, drives, 2 * drives + 1), drives).by_layout
    assert not found or level in found


@over("name, drives", [case for case in CASES if case[1] <= MAX_DRIVES])
def test_strides_without_the_number_of_drives_name_no_level(name: str, drives: int) -> None:
    """Without the number of drives, strides name no level.

    A pattern of four chunks may be RAID-0 or RAID-5 of four drives, or RAID-10 of eight.
    """
    _, layout = LAYOUTS[name]
    assert layers(pattern(layout, drives, 2 * MAX_DRIVES + 1), None, stripe=drives * CHUNK).named == ()


def test_only_stripes_distinguish_the_kernels_raid5_from_raid0() -> None:
    """The default layout of RAID-5 repeats after four chunks on four drives. RAID-0 does so, too."""
    found = pattern(LAYOUTS["raid5-left-symmetric"][1], 4, 9)
    assert found == pattern(LAYOUTS["raid0"][1], 4, 9) == 4 * CHUNK
    assert layers(found, 4).by_layout == ("raid0", "raid10", "raid5", "raid6")
    whole = layers(found, 4, stripe=3 * CHUNK)
    assert (whole.named, whole.data_drives) == (("raid5",), 3)
    assert judged(whole, "raid5", promised=True)[0] == "pass"


def test_contradictory_strides_and_stripes_name_no_level() -> None:
    """Contradictory strides and stripes name no level.

    Stripes of four data chunks on six drives are RAID-6, a pattern of five chunks RAID-5.
    """
    assert layers(5 * CHUNK, 6, stripe=4 * CHUNK).named == ()


@pytest.mark.parametrize(("level", "drives", "ratio"), [("raid5", 3, 2.8), ("raid6", 4, 3.3), ("raid6", 5, 4.5)])
def test_small_arrays_with_cheaper_writes_are_named(level: str, drives: int, ratio: float) -> None:
    """Ratios below the nominal cost name the true level. Linux had them on throttled drives."""
    found = geometry.levels(rate(ratio * 1000), rate(1000), drives)
    assert level in found.levels
    assert "raid0" not in found.levels


def test_a_row_of_raid10_may_be_raid10_or_raid6() -> None:
    """Four drives in pairs write two chunks faster. RAID-6 of four drives does so, too."""
    assert layers(None, 4, stripe=2 * CHUNK).by_layout == ("raid10", "raid6")


def test_a_stripe_over_all_drives_has_no_parity() -> None:
    """A stripe of as many chunks as drives names no level."""
    row = layers(None, 4, stripe=4 * CHUNK)
    assert (row.by_layout, row.data_drives) == ((), None)


def test_two_drives_have_no_parity() -> None:
    """Two drives whose writes cost twice a read are a mirror."""
    assert geometry.levels(rate(1900), rate(1000), 2).levels == ("raid1", "raid10")
