"""Which engine carries out the work on a target."""

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
"""All that may be asked for by name; ``native`` is ``uring`` or ``threads``, as the work asks for."""
BEST_FIRST = ("native", "portable")


@dataclass(frozen=True)
class Choice:
    """An engine, and why it is not a better one."""

    engine: Engine
    reason: str | None = None
    """One sentence for the notes of the results; None: it is the best, or the one that was asked for."""


def choose(target: Target, wish: str | None = None) -> Choice:
    """The best engine that can be used on a target, or the one that is wished for.

    Raises:
        UsageError: There is no engine of that name.
        BenchError: The one that is wished for, or none at all, can be used here.
    """
    if wish is not None and wish not in ENGINES:
        raise UsageError(f'There is no engine "{printable(wish)}": name one of {", ".join(ENGINES)}.')
    reasons: list[str] = []
    for name in BEST_FIRST if wish is None else (wish,):
        engine = ENGINES[name]()
        reason = engine.usable(target)
        if reason is None:
            return Choice(engine, " ".join(reasons) or None)
        reasons.append(reason)
    raise BenchError(" ".join(reasons))
