"""Infer RAID level and layout from small writes, capacity and slow strides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raidctl.bench.estimators.figures import HUGE
from raidctl.bench.result import Spread
from raidctl.model.raid_levels import MIN_DRIVES

PENALTY = {"raid0": 1, "raid1": 2, "raid10": 2, "raid5": 4, "raid6": 6}
"""Drive operations for one small write."""
_PARITY = ("raid5", "raid6")
GROUPS: tuple[tuple[str, ...], ...] = (("raid0",), ("raid1", "raid10"), ("raid5",), ("raid6",))
"""Levels with the same cost of a small write."""
SIGMA = 0.25
"""Standard deviation of the logarithm of the read/write cost: sorting, queues, caches."""
ACCEPT = 0.9
CAPACITY_WITHIN = 0.02
"""Tolerance for metadata and rounding to a common drive size."""
STANDS_OUT = 1.25
"""Factor by which a stride or write size must exceed its neighbours on both sides."""
SLOWEST_SHARE = 0.7
"""Share of the slowest stride's time that means one drive. Strides with this share or more address one drive. Half the
drives give 0.5."""
MIN_PEAKS = 2
"""Minimum number of peaks of a period. A single peak may be a disturbance."""


@dataclass(frozen=True, kw_only=True)
class Levels:
    """Levels that explain the measurements."""

    levels: tuple[str, ...]
    """One if its probability exceeds 0.9. Otherwise the fewest that together reach it; empty: unknown."""
    posterior: Mapping[str, float]
    """Probability of each penalty group, by its first level. All are equally likely before."""
    ratio: float | None = None
    """Reads per second divided by writes per second."""


def penalties(level: str, drives: int | None = None) -> tuple[int, int]:
    """Drive operations for one small write: minimum and maximum.

    With few drives it is cheaper to read the others' data than the old data and the old parity: one operation per
    drive. Linux does so, controllers may. If ``drives`` is None, there are enough of them.
    """
    most = PENALTY[level]
    return (min(most, max(drives, MIN_DRIVES[level])) if drives and level in _PARITY else most), most


def levels(reads: Spread, writes: Spread, drives: int | None = None) -> Levels:
    """Levels from sustained random reads and writes per second. Both have the same depth, span and alignment.

    ``drives``: their number; None: unknown.
    """
    read, write = reads.measured, writes.measured
    if read is None or write is None or not (0 < read < HUGE and 0 < write < HUGE):
        return Levels(levels=(), posterior={})
    sigma = math.sqrt(SIGMA**2 + _log_error(reads) ** 2 + _log_error(writes) ** 2)
    ratio = math.log(read) - math.log(write)
    groups = [group for group in GROUPS if not drives or group[0] not in _PARITY or drives >= MIN_DRIVES[group[0]]]
    logs = {group: -0.5 * (_log_distance(ratio, penalties(group[0], drives)) / sigma) ** 2 for group in groups}
    most = max(logs.values())
    weights = {group: math.exp(value - most) for group, value in logs.items()}
    total = sum(weights.values())
    posterior = {group: weights.get(group, 0.0) / total for group in GROUPS}
    chosen: list[str] = []
    held = 0.0
    for group in sorted(GROUPS, key=lambda each: -posterior[each]):
        chosen += group
        held += posterior[group]
        if held > ACCEPT:
            break
    named = tuple(level for level in PENALTY if level in chosen)
    return Levels(
        levels=named, posterior={group[0]: posterior[group] for group in GROUPS}, ratio=math.exp(min(ratio, 200.0))
    )


def _log_distance(ratio: float, within: tuple[int, int]) -> float:
    """Distance of a ratio's logarithm from a range of ratios. Inside the range it is 0."""
    least, most = map(math.log, within)
    return max(least - ratio, ratio - most, 0.0)


def _log_error(spread: Spread) -> float:
    """Standard deviation of the logarithm, from the 95% interval; 0 without one."""
    if spread.low is None or spread.high is None or spread.low <= 0:
        return 0.0
    return (math.log(spread.high) - math.log(spread.low)) / 3.92


def by_capacity(usable: float, drive: float, drives: int) -> tuple[str, ...]:
    """Levels with which ``drives`` of ``drive`` bytes give ``usable`` bytes within 2%.

    There are several if they coincide.
    """
    if not (0 < usable < HUGE and 0 < drive < HUGE) or drives < 1:
        return ()
    return tuple(
        level
        for level in PENALTY
        if (count := holding(level, drives)) is not None and abs(usable / drive / count - 1) <= CAPACITY_WITHIN
    )


def holding(level: str, drives: int) -> int | None:
    """Return the number of data drives, without copies and parity. None if there is no such array."""
    if level not in PENALTY or drives < MIN_DRIVES[level] or (level == "raid10" and drives % 2):
        return None
    return {"raid0": drives, "raid1": 1, "raid10": drives // 2, "raid5": drives - 1, "raid6": drives - 2}[level]


def pattern_size(times: Mapping[int, float]) -> int | None:
    """Bytes after which the layout repeats. The shortest slow stride whose multiples are slow too has this size.

    ``times``: for each stride (bytes), time for the same number of random operations at its multiples, at depth 16. At
    that stride all operations address one drive; at a divisor of it some of the drives, which is less slow. Strides are
    multiples of a chunk, up to twice the pattern at least. None: no stride stands out, or the pattern is not seen
    twice.
    """
    good = {key: value for key, value in times.items() if key > 0 and 0 < value < HUGE}
    if not good:
        return None
    slowest = [key for key, value in sorted(good.items()) if value >= SLOWEST_SHARE * max(good.values())]
    first, rest = slowest[0], [value for key, value in good.items() if key % slowest[0]]
    if len(slowest) < MIN_PEAKS or slowest != [key for key in sorted(good) if key % first == 0] or not rest:
        return None
    return first if good[first] >= STANDS_OUT * max(rest) else None


def full_stripe(speeds: Mapping[int, float]) -> int | None:
    """Bytes of data in a stripe. The smallest fast aligned sequential write whose multiples are fast too has this size.

    ``speeds``: bytes per second by size of the write, in steps of a chunk, up to two stripes at least. The result
    divided by the chunk is the number of data drives. None: no size stands out, as without parity.
    """
    return _first_peak(speeds)


def _first_peak(points: Mapping[int, float]) -> int | None:
    """The key whose multiples alone exceed their neighbours on both sides."""
    good = {key: value for key, value in sorted(points.items()) if key > 0 and 0 < value < HUGE}
    keys = list(good)
    peaks = []
    for place, key in enumerate(keys):
        beside = [good[near] for near in keys[max(0, place - 1) : place] + keys[place + 1 : place + 2]]
        if beside and good[key] >= STANDS_OUT * max(beside):
            peaks.append(key)
    if len(peaks) < MIN_PEAKS or peaks != [key for key in keys if key % peaks[0] == 0]:
        return None
    return peaks[0]


def data_drives(stripe: int, chunk: int) -> int | None:
    """Drives that hold data of a stripe. None if the chunk does not divide it."""
    return stripe // chunk if chunk > 0 and stripe > 0 and stripe % chunk == 0 else None


def by_stripe(chunks: int, drives: int) -> tuple[str, ...]:
    """Levels of ``drives`` drives, of which ``chunks`` hold a stripe's data.

    The stripe is written faster than its parts.

    This includes mirrored pairs: a row that addresses each pair once is faster as well, with one operation at a time.
    """
    found = {"raid10": 2 * chunks == drives, "raid5": chunks == drives - 1, "raid6": chunks == drives - 2}
    return tuple(level for level, fits in found.items() if fits)


def by_pattern(chunks: int, drives: int) -> tuple[str, ...]:
    """Levels of ``drives`` drives with a layout that repeats after ``chunks``. Empty: none can be inferred.

    If data continues after the parity of each row ("left symmetric", the default of Linux), RAID-5 addresses its drives
    in turn as RAID-0 does, and so does RAID-10 with far copies. In layouts in which data only skips the parity, nearly
    every row begins on the first drive.
    """
    if chunks == drives:
        return ("raid0", "raid10", "raid5", "raid6")
    if 2 * chunks == drives:
        # pairs; or parity that moves on from the first drive with the data behind it
        return ("raid10", "raid5", "raid6")
    return by_stripe(chunks, drives)


def agree(answers: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Levels that all answers permit; an empty answer permits all. Empty: a contradiction, or only empty answers."""
    informative = [set(answer) for answer in answers if answer]
    common = set.intersection(*informative) if informative else set()
    return tuple(level for level in PENALTY if level in common)
