"""Choose the engine for a target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from raidctl.bench.engines.fio import Fio
from raidctl.bench.engines.native import Native
from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.work import Engine, Target
from raidctl.errors import BenchError, UsageError
from raidctl.text import printable

ENGINES: Mapping[str, Callable[[], Engine]] = {
    "native": Native,
    "uring": lambda: Native("uring"),
    "threads": lambda: Native("threads"),
    "portable": PortableEngine,
    "fio": Fio,
}
"""Engines that can be chosen by name. ``native`` is ``uring`` or ``threads``, depending on the work."""
BEST_FIRST = ("native", "portable")


@dataclass(frozen=True)
class Choice:
    """An engine, and why it is not a faster one."""

    engine: Engine
    reason: str | None = None
    """A note for the results, one sentence. None: the engine is the best one, or the requested one."""


def choose(target: Target, desired: str | None = None) -> Choice:
    """Return the best engine for a target, or the requested one.

    Raises:
        UsageError: There is no engine of that name.
        BenchError: The requested engine, or every engine, cannot be used here.
    """
    if desired is not None and desired not in ENGINES:
        raise UsageError(f'There is no engine "{printable(desired)}": name one of {", ".join(ENGINES)}.')
    reasons: list[str] = []
    for name in BEST_FIRST if desired is None else (desired,):
        engine = ENGINES[name]()
        reason = engine.usable(target)
        if reason is None:
            return Choice(engine, " ".join(reasons) or None)
        reasons.append(reason)
    raise BenchError(" ".join(reasons))
