"""Where arrays that there are lay their chunks, and what the strides of reads say of them: never another level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

from raidctl.bench.estimators import geometry
from raidctl.bench.result import Spread
from raidctl.bench.trials.raid_level import MOST_DRIVES
from raidctl.bench.trials.raid_words import Layers, judged
from tests.support.over import over

CHUNK = 64 << 10
UNKNOWN = Spread(measured=None, unit="ratio", n=0)
Layout = Callable[[int, int], Sequence[int]]
"""The drives that hold the chunk of a number, by that number and how many drives there are."""


def rotated(parity: int, *, left: bool, symmetric: bool) -> Layout:
    """Parity moves on by one drive each row: from the last (left) or from the first drive on.

    Data begins behind it (symmetric), or always at the first drive that holds none.
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
    """How long the busiest drive is at work for reads at the multiples of a stride; a copy that is free answers."""
    load: Counter[int] = Counter()
    rounds = 2 * drives * drives * (drives - 1)  # of which each layout repeats a part
    for number in range(rounds):
        holders = layout(number * stride, drives)
        load[min(holders, key=lambda one: load[one])] += 1
    return float(Fraction(max(load.values()), rounds))


def pattern(layout: Layout, drives: int, most: int) -> int | None:
    """What the strides tell, without any scatter."""
    return geometry.pattern_size({CHUNK * stride: busiest(layout, drives, stride) for stride in range(1, most + 1)})


def layers(found: int | None, drives: int | None, stripe: int | None = None) -> Layers:
    """Nothing else is known."""
    return Layers(
        capacity=(), cost=None, cached=False, pattern=found, stripe=stripe, chunk=CHUNK, drives=drives,
        spindles=UNKNOWN,
    )  # fmt: skip


@over("name, drives", CASES)
def test_strides_never_rule_out_the_true_level(name: str, drives: int) -> None:
    """Whatever the layout: the level is among those that its strides permit, or they say nothing."""
    level, layout = LAYOUTS[name]
    found = layers(pattern(layout, drives, 2 * drives + 1), drives).by_layout
    assert not found or level in found


@over("name, drives", [case for case in CASES if case[1] <= MOST_DRIVES])
def test_where_the_number_of_drives_is_not_known_strides_alone_name_no_level(name: str, drives: int) -> None:
    """A pattern of four chunks is RAID-0 of four drives, or RAID-5 of four, or RAID-10 of eight; so is a whole row."""
    _, layout = LAYOUTS[name]
    assert layers(pattern(layout, drives, 2 * MOST_DRIVES + 1), None, stripe=drives * CHUNK).named == ()


def test_the_kernels_raid5_repeats_as_raid0_does_and_only_its_stripes_tell_them_apart() -> None:
    """Its default layout goes on behind the parity: four drives repeat after four chunks, and three hold data."""
    found = pattern(LAYOUTS["raid5-left-symmetric"][1], 4, 9)
    assert found == pattern(LAYOUTS["raid0"][1], 4, 9) == 4 * CHUNK
    assert layers(found, 4).by_layout == ("raid0", "raid10", "raid5", "raid6")
    whole = layers(found, 4, stripe=3 * CHUNK)
    assert (whole.named, whole.data_drives) == (("raid5",), 3)
    assert judged(whole, "raid5", promised=True)[0] == "pass"


def test_strides_and_stripes_that_contradict_each_other_say_nothing() -> None:
    """Stripes of four data chunks on six drives are RAID-6, a pattern of five chunks RAID-5."""
    assert layers(5 * CHUNK, 6, stripe=4 * CHUNK).named == ()


@pytest.mark.parametrize(("level", "drives", "ratio"), [("raid5", 3, 2.8), ("raid6", 4, 3.3), ("raid6", 5, 4.5)])
def test_small_arrays_that_read_the_other_drives_instead_are_still_among_those_named(
    level: str, drives: int, ratio: float
) -> None:
    """Three drives of RAID-5 cost three operations, four of RAID-6 four: what Linux measured on throttled drives."""
    found = geometry.levels(rate(ratio * 1000), rate(1000), drives)
    assert level in found.levels
    assert "raid0" not in found.levels


def rate(value: float) -> Spread:
    """A rate known within 2 %."""
    return Spread(measured=value, unit="ops/s", n=1000, low=value * 0.98, high=value * 1.02)


def test_a_row_of_raid10_is_no_stripe_of_raid6() -> None:
    """Four drives in pairs: two chunks are written faster where each meets a pair, as two of RAID-6 are."""
    assert layers(None, 4, stripe=2 * CHUNK).by_layout == ("raid10", "raid6")


def test_parity_over_all_drives_is_no_stripe() -> None:
    """A row of RAID-0 that is written faster than a part of it says nothing of parity."""
    row = layers(None, 4, stripe=4 * CHUNK)
    assert (row.by_layout, row.data_drives) == ((), None)


def test_two_drives_have_no_parity() -> None:
    """Twice the cost of a read on two drives is a mirror."""
    assert geometry.levels(rate(1900), rate(1000), 2).levels == ("raid1", "raid10")
