"""Drives and bays with their locate LEDs, for people. Pure."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator

from raidctl.change.lamp import TITLES, Passed
from raidctl.locate.report import Located, LocateReport
from raidctl.text import printable

_WIDTH = 79


def listed(report: LocateReport, *, verbose: bool = False) -> str:
    """Each drive with its place, how its LED is switched, and why not in another way."""
    lines = [line for one in report.targets for line in _target(one, verbose=verbose, planned=bool(report.commands))]
    lines += [f"{number}. {command}" for number, command in enumerate(report.commands, 1)]
    return "".join(f"{printable(line)}\n" for line in lines)


def _target(one: Located, *, verbose: bool, planned: bool) -> Iterator[str]:
    device = f" · {one.device}" if one.device else ""
    serial = f" · serial {one.serial}" if one.serial else ""
    yield f"{one.object_id}{device}{serial}"
    place = ", ".join(
        f"{label} {text}" for label, text in (("enclosure", one.enclosure), ("bay", one.bay)) if text is not None
    )
    yield from _wrapped(f"{place or 'bay unknown'}: {_state(one, planned=planned)}")
    if one.why_not is not None or verbose or one.way in ("ledctl", "sg_ses"):
        for passed in one.passed:
            yield from _passed(passed)
    if one.way is None and one.device is not None and all(passed.way != "activity" for passed in one.passed):
        yield f"     try: raidctl locate {shlex.quote(one.object_id)} --by activity"


def _state(one: Located, *, planned: bool) -> str:
    if one.way is None:
        return "CANNOT BE LOCATED"
    by = f"by {TITLES[one.way]}"
    back = "" if one.readable else "; the LED cannot be read back"
    if planned:
        return f"would blink {by}{back}"
    if one.on is None:
        return f"LED state unknown ({TITLES[one.way]})"
    if not one.on:
        return f"off ({TITLES[one.way]}{back})"
    until = f" until {one.until}" if one.until else ""
    left = {True: "", False: "; its raidctl has ended: `raidctl restore` switches it off", None: ""}[one.running]
    return f"BLINKS {by}{until}{back}{left}"


def _passed(passed: Passed) -> list[str]:
    return _wrapped(f"not by {TITLES[passed.way]}: {passed.why}")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        printable(text), _WIDTH, initial_indent="     ", subsequent_indent="       ", break_on_hyphens=False
    )
