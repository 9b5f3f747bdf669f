"""What was found out about a device: measured intervals (E1 to E5), and facts of the inventory (C1, C2). Data only.

Every figure is a 95 % interval, and is judged as a whole: what lies on both sides of a limit tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidctl.bench.result import Confounder

Medium = Literal["rotating", "solid_state"]
Promise = Literal["durable", "protected_write_back"]
Policy = Literal["write_back", "write_through"]

AT_MOST = 1.05
"""Of revolutions a second: commits up to here are not acknowledged early."""
EARLY = 1.5
"""Of revolutions a second: commits from here on are acknowledged early by something."""
CACHED = 1000.0
"""Commits a second that a controller's cache is expected to reach."""
FLUSHED = 0.2
"""Of the destage time of a MiB: a flush that takes longer for each dirty MiB than this empties the cache."""
KEPT = 0.05
"""Of the destage time of a MiB: a flush that takes less for each dirty MiB than this does not empty the cache."""
EXPLAINED = 0.8
"""Of the variance of the flushes' times: a slope that explains less is chance, however steep."""


@dataclass(frozen=True)
class Interval:
    """A measured figure: the 95 % interval of its median."""

    low: float
    high: float

    def __post_init__(self) -> None:
        """Raise ValueError where the ends are the wrong way round, or no numbers."""
        if not self.low <= self.high:
            raise ValueError(f"not an interval: {self.low} to {self.high}")


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Everything that is known; None: not measured, or not told."""

    promise: Promise = "durable"
    """What is claimed: acknowledged data survives; or a write-back cache that a battery keeps."""
    medium: Medium | None = None
    """E1, measured; the kernel's `rotational` is not to be trusted."""
    rpm: float | None = None
    """E1: revolutions a minute, measured, or told by the drives."""
    commits: Interval | None = None
    """E2: commits a second of one stream that rewrites one block, through the target that was named."""
    commits_raw: Interval | None = None
    """The same on the raw device, past file system and layers."""
    commits_unflushed: Interval | None = None
    """The same writes without a flush."""
    slope: Interval | None = None
    """E3: time of a flush by dirty data, ms/MiB."""
    explained: float | None = None
    """E3: share of the variance of the flushes' times that the slope explains, 0 to 1."""
    destage: float | None = None
    """s*: the time that a MiB needs from the cache to the medium, ms/MiB, as the knee's second slope tells."""
    commits_write_through: Interval | None = None
    """E4: commits a second with the controller switched from write-back to write-through."""
    commits_drive_off: Interval | None = None
    """E4': commits a second with the drives' own caches switched off, and a controller before them in write-through:
    in write-back its own cache would hide them."""
    knee: Interval | None = None
    """E5: size of the write-back cache, MiB."""
    controller: bool | None = None
    """C1: whether a RAID controller stands before the drives."""
    policy: Policy | None = None
    """C1: its write policy in force."""
    battery: bool | None = None
    """C1: whether its battery or capacitor is healthy; False: missing, failed or not charged."""
    cache_mib: float | None = None
    """C1: the size of the controller's cache for writes, MiB."""
    drive_cache: Literal["enabled", "disabled"] | None = None
    """C2: the drives' own write caches."""
    flush_sent: bool | None = None
    """C2: whether file system and kernel send flushes (mount options, `queue/write_cache`)."""
    confounders: tuple[Confounder, ...] = ()

    @property
    def limit(self) -> float | None:
        """Commits a second of an uncached disk: one a revolution."""
        return self.rpm / 60 if self.medium == "rotating" and self.rpm else None


def pace(rate: Interval | None, limit: float | None) -> Literal["slow", "fast", "between"] | None:
    """Whether commits wait for the medium (slow) or are acknowledged early (fast); None: not known."""
    if rate is None or limit is None:
        return None
    if rate.high <= AT_MOST * limit:
        return "slow"
    return "fast" if rate.low >= EARLY * limit else "between"


def emptied(evidence: Evidence) -> bool | None:
    """Whether a flush empties the cache; None: not measured, or on both sides."""
    slope, destage = evidence.slope, evidence.destage
    if slope is None or not destage or destage <= 0:
        return None
    if slope.low > FLUSHED * destage:
        return True if (evidence.explained or 0.0) > EXPLAINED else None
    return False if slope.high < KEPT * destage else None
