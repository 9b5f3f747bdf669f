"""Refuse results with failed, incomplete or missing operations. Pure."""

from __future__ import annotations

import os
from collections.abc import Sequence

from raidctl.bench.work import Op, Samples, Stream, Work
from raidctl.errors import BenchError


class Faulty(BenchError):
    """Operations failed during the measurement."""


def refuse_faulty(name: str, work: Work, samples: Sequence[Samples]) -> None:
    """Raise Faulty if part of the work was not done. Its message has how much, and the target ``name``."""
    for stream, one in zip(work.streams, samples, strict=True):
        _refuse_failed(name, one)
        if work.seconds is None and not stream.cycle:
            _refuse_missing(name, stream, one, work.keep)


def _refuse_failed(name: str, one: Samples) -> None:
    total = len(one.results)
    failed = min(one.results, default=0)
    if failed < 0:
        count = sum(1 for result in one.results if result < 0)
        raise Faulty(f"{count} of {total} operations on {name} failed: {os.strerror(-failed)}.")
    short = sum(1 for op, done in zip(one.ops, one.results, strict=True) if op != Op.FLUSH and done < one.size)
    if short:
        raise Faulty(f"{short} of {total} operations on {name} transferred less than requested.")


def _refuse_missing(name: str, stream: Stream, one: Samples, keep: int) -> None:
    """Refuse results that lack counted operations. A verdict may depend on each of them."""
    missing = min(len(stream.ops), keep) - len(one.ops)
    if missing > 0:
        raise Faulty(f"{missing} of {len(stream.ops)} operations on {name} are missing in the engine's results.")
