"""Detect other programs that are changing a controller (guard X4).

The list of processes is searched. Daemons that only watch, and commands that only read, do not count: the family's
``may_interfere`` decides. A short command is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raidctl.request import Failure, Glob, Read, ReadAnswer, Runner
from raidctl.text import printable
from raidctl.vendor.operations import operations_of
from raidctl.vendor.protocol import Vendor

PROCESSES = "/proc/[0-9]*/cmdline"
_PAUSES = (0.0, 1.0, 2.0, 4.0)
"""Seconds before each attempt: most of these commands end at once."""


def other_program(runner: Runner, vendors: Sequence[Vendor], sleep: Callable[[float], None]) -> str | None:
    """Explain which other program runs, or that this is unknown. None if there is none."""
    asked = [
        judge for vendor in vendors if (judge := getattr(operations_of(vendor), "may_interfere", None)) is not None
    ]
    why = None
    for pause in _PAUSES if asked else ():
        if pause:
            sleep(pause)
        why = _found(runner, asked)
        if why is None:
            return None
    return why


def _found(runner: Runner, asked: Sequence[Callable[[Sequence[str]], bool]]) -> str | None:
    [listed] = runner.carry_out([Glob(PROCESSES)])
    if listed.trouble not in (None, Failure.MISSING):
        return f"whether another program changes the controller is unknown: {listed.detail}"
    paths = getattr(listed, "paths", ())
    for answer in runner.carry_out([Read(path) for path in paths]) if paths else ():
        if answer.trouble not in (None, Failure.MISSING):  # the process has ended meanwhile
            return f"whether another program changes the controller is unknown: {answer.detail}"
        words = (answer.text or "").rstrip("\0").split("\0") if isinstance(answer, ReadAnswer) else []
        if any(words) and any(may_interfere(words) for may_interfere in asked):
            return f"another program is running that may change the controller: `{printable(' '.join(words))[:120]}`"
    return None
