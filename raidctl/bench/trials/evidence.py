"""Convert the results of a session to evidence for `raidctl.bench.verdict.early_acknowledgement`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raidctl.bench.estimators.rotation import NOMINAL
from raidctl.bench.result import Confounder, Spread, TrialResult
from raidctl.bench.verdict.evidence import EARLY, Evidence, Interval, Medium


def evidence(results: Mapping[str, TrialResult], facts: Evidence | None = None) -> Evidence:
    """Add measured figures to what the inventory reports (``facts``)."""
    known = facts or Evidence()
    medium, commits = results.get("medium"), results.get("commits")
    measured = None if commits is None else _interval(commits.figures.get("commits"))
    kind = None if medium is None else medium.series.get("medium")
    word: Medium | None = kind if kind in ("rotating", "solid_state") else known.medium
    knee, slope = results.get("knee"), results.get("flush_slope")
    switched = results.get("policy_switch")
    steady = switched if switched is not None and not switched.series.get("unstable") else None
    return replace(
        known,
        medium=word,
        rpm=_rpm(medium, known.rpm, measured or _of(steady, "commits_before")),
        commits=measured or _of(steady, "commits_before") or known.commits,
        commits_raw=_of(commits, "commits_raw") or (measured if _bare(commits) else None) or known.commits_raw,
        commits_unflushed=_of(commits, "unflushed") or known.commits_unflushed,
        slope=_of(slope, "flush_slope") or known.slope,
        explained=known.explained if slope is None else slope.series.get("explained"),
        destage=_destage(knee) or _risen(slope) or known.destage,
        commits_write_through=_of(steady, "commits_write_through") or known.commits_write_through,
        commits_drive_off=_of(steady, "commits_drive_off") or known.commits_drive_off,
        knee=_of(knee, "write_cache") or known.knee,
        confounders=_merged(known, results),
    )


def _bare(commits: TrialResult | None) -> bool:
    """Whether commits were measured on the drive itself. No layer can drop a flush there."""
    return commits is not None and commits.series.get("raw") is True


def _rpm(medium: TrialResult | None, reported: float | None, rate: Interval | None) -> float | None:
    """Measured or reported. The fastest on the market, if the rate is too high even for that."""
    found = None if medium is None else medium.figures.get("rpm")
    if found is not None and found.measured is not None:
        return found.measured
    fastest = float(NOMINAL[-1])
    return reported or (fastest if rate is not None and rate.low >= EARLY * fastest / 60 else None)


def _destage(knee: TrialResult | None) -> float | None:
    """ms/MiB."""
    found = None if knee is None else knee.figures.get("destage")
    return 1000 / found.measured if found is not None and found.measured else None


def _risen(slope: TrialResult | None) -> float | None:
    """Time in ms/MiB from the cache to the medium. A rising slope itself shows it."""
    if slope is None or slope.series.get("reading") != "flushed":
        return None
    return slope.figures["flush_slope"].measured


def _of(result: TrialResult | None, name: str) -> Interval | None:
    return None if result is None else _interval(result.figures.get(name))


def _interval(one: Spread | None) -> Interval | None:
    return None if one is None or one.low is None or one.high is None else Interval(one.low, one.high)


def _merged(known: Evidence, results: Mapping[str, TrialResult]) -> tuple[Confounder, ...]:
    every = [*known.confounders, *(one for result in results.values() for one in result.confounders)]
    return tuple({(one.name, one.text): one for one in every}.values())
