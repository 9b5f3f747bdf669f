"""Refuse results of work in which no operation succeeded. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.bench.faulty import failed
from raidctl.bench.work import Samples, Target
from raidctl.errors import BenchError


def refuse_without_success(target: Target, samples: Sequence[Samples]) -> None:
    """Raise BenchError if no operation of any stream succeeded or began."""
    if not any(one.count for one in samples):
        raise BenchError(f"No operation on {target.name} started before the time was over: the machine is too busy.")
    first = next((one.results[0] for one in samples if one.results), 0)
    if first < 0 and all(max(one.results, default=-1) < 0 and not one.beyond for one in samples):
        raise failed(f"No operation on {target.name} succeeded", -first)
