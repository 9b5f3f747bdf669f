"""Runs with known figures, for the tests of storage and output."""

from __future__ import annotations

import random

import msgspec

from raidctl.bench.estimators.histogram import Histogram
from raidctl.bench.record import Noise, Run
from raidctl.bench.result import Confounder, Drift, Latency, Session, Spread, TrialResult

CONFOUNDER = Confounder(name="page_cache", text="O_DIRECT is refused here.", forbids=True)


def spread(measured: float | None, low: float | None = None, high: float | None = None, unit: str = "ops/s") -> Spread:
    """A figure."""
    return Spread(measured=measured, unit=unit, n=1200, low=low, high=high)


def rate(value: float) -> Spread:
    """A rate known within 2%."""
    return spread(value, value * 0.98, value * 1.02)


def latency() -> Latency:
    """Latencies of 2000 operations around 0.1 ms, and one of 80 ms."""
    histogram, source = Histogram(), random.Random(7)  # noqa: S311 - latencies, not secrets
    histogram.add([*(int(source.lognormvariate(11.5, 0.5)) for _ in range(2000)), 80_000_000])
    found = histogram.latency()
    assert found is not None
    return found


def trials() -> tuple[TrialResult, ...]:
    """Results of commits, seeks and a curve.

    Commits have a verdict and a figure that was too short; the curve falls to a half.
    """
    return (
        TrialResult(
            trial="commits",
            figures={"commits": spread(119.5, 118.9, 120.2), "unflushed": spread(None)},
            latency={"commits": latency()},
            verdict="inconclusive",
            reasons=("It is unknown whether the medium rotates.",),
            next_test="Cut the power.",
        ),
        TrialResult(trial="seeks", figures={"read_qd16_all": spread(48211.0, 47000.0, 49000.0)}),
        TrialResult(
            trial="zcav",
            figures={"outer": spread(230.0, 228.0, 231.0, "MiB/s")},
            series={"gib_mib_s_deviation": [[place * 10.0, 230.0 - 115.0 * place / 63, 1.0] for place in range(64)]},
        ),
    )


def session(**given: object) -> Session:
    """A session on a file."""
    plain = Session(
        profile="quick",
        target="/srv/db/raidctl-bench-1-0a1b2c3d.tmp",
        kind="file",
        size=1 << 30,
        engine="uring",
        results=trials(),
        confounders=(CONFOUNDER,),
        drift=Drift(trial="medium", figure="reads", first=100.0, last=101.0, unstable=False),
        written=2 << 30,
        seconds=118.0,
    )
    return msgspec.structs.replace(plain, **given)


def run(**given: object) -> Run:
    """A run with this session."""
    plain = Run(
        at="2026-03-04T05:06:07Z",
        raidctl="0.1.0",
        host="db1",
        kernel="6.1.0",
        session=session(),
        prepared=1 << 30,
        noise=Noise(processors=4, load=0.1, io_waiting=0.0, stolen=0.0),
    )
    return msgspec.structs.replace(plain, **given)
