"""Evidence on a device: measured intervals (E1 to E5), inventory (C1, C2).

Every figure is a 95% interval, judged as a whole: an interval on both sides of a limit decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidctl.bench.result import Confounder

Medium = Literal["rotating", "solid_state"]
Promise = Literal["durable", "protected_write_back"]
Policy = Literal["write_back", "write_through"]

AT_MOST = 1.05
"""Multiple of revolutions per second up to which commits are not early."""
EARLY = 1.5
"""Multiple of revolutions per second from which commits are early."""
CACHED = 1000.0
"""Commits per second expected of a controller's cache."""
FLUSHED = 0.2
"""Flush time per dirty MiB above which the cache is emptied. It is a share of the destage time of a MiB."""
KEPT = 0.05
"""Flush time per dirty MiB below which the cache is not emptied. It is a share of the destage time of a MiB."""
EXPLAINED = 0.8
"""Share of the flush times' variance that a slope must explain. A slope that explains less is chance, however steep."""


@dataclass(frozen=True)
class Interval:
    """A measured figure: the 95% interval of its median."""

    low: float
    high: float

    def __post_init__(self) -> None:
        """Raise ValueError if the ends are reversed or not numbers."""
        if not self.low <= self.high:
            raise ValueError(f"not an interval: {self.low} to {self.high}")


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All known evidence; None: not measured, or unknown."""

    promise: Promise = "durable"
    """The claim: acknowledged data survive, or a battery protects a write-back cache."""
    medium: Medium | None = None
    """E1, measured; the kernel's `rotational` is unreliable."""
    rpm: float | None = None
    """E1: revolutions per minute, measured or reported by the drives."""
    commits: Interval | None = None
    """E2: commits per second of one stream, through the named target. The stream rewrites one block."""
    commits_raw: Interval | None = None
    """The same on the raw device, bypassing file system and layers."""
    commits_unflushed: Interval | None = None
    """The same writes without a flush."""
    slope: Interval | None = None
    """E3: flush time per dirty data, ms/MiB."""
    explained: float | None = None
    """E3: share of flush time variance explained by the slope. Its range is 0 to 1."""
    destage: float | None = None
    """s*: time in ms/MiB from the cache to the medium. It comes from the second slope of the knee."""
    commits_write_through: Interval | None = None
    """E4: commits per second with the controller in write-through instead of write-back."""
    commits_drive_off: Interval | None = None
    """E4': commits per second with the drives' caches off. A controller above them is in write-through: in write-back
    its cache would hide them."""
    knee: Interval | None = None
    """E5: size of the write-back cache, MiB."""
    controller: bool | None = None
    """C1: whether there is a RAID controller above the drives."""
    policy: Policy | None = None
    """C1: its active write policy."""
    battery: bool | None = None
    """C1: whether its battery or capacitor is healthy. False: missing, failed or not charged."""
    cache_mib: float | None = None
    """C1: size of the controller's write cache, MiB."""
    drive_cache: Literal["enabled", "disabled"] | None = None
    """C2: the drives' write caches."""
    flush_sent: bool | None = None
    """C2: whether file system and kernel send flushes (mount options, `queue/write_cache`)."""
    confounders: tuple[Confounder, ...] = ()

    @property
    def limit(self) -> float | None:
        """Commits per second of an uncached drive: one per revolution."""
        return self.rpm / 60 if self.medium == "rotating" and self.rpm else None


def pace(rate: Interval | None, limit: float | None) -> Literal["slow", "fast", "between"] | None:
    """Whether commits wait for the medium (slow) or are early (fast). None: unknown."""
    if rate is None or limit is None:
        return None
    if rate.high <= AT_MOST * limit:
        return "slow"
    return "fast" if rate.low >= EARLY * limit else "between"


def emptied(evidence: Evidence) -> bool | None:
    """Whether a flush empties the cache; None: not measured, or ambiguous."""
    slope, destage = evidence.slope, evidence.destage
    if slope is None or not destage or destage <= 0:
        return None
    if slope.low > FLUSHED * destage:
        return True if (evidence.explained or 0.0) > EXPLAINED else None
    # a flush cannot take less time with more dirty data: an interval that goes far below 0 is only noise
    return False if slope.high < KEPT * destage and slope.low > -FLUSHED * destage else None
