"""Drives and bays with their locate LEDs, for people. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from raidctl.change.indicator import TITLES
from raidctl.locate.report import Located, LocateReport
from raidctl.output.sentences import Line, Sentence, Verbatim, fitted


def listed(report: LocateReport, columns: int, options: str, *, verbose: bool = False, nothing: str = "") -> str:
    """List each drive with its place and the method for its LED.

    Why others are not used is listed as well. ``options`` select the machine, for commands of raidctl. ``nothing`` is
    printed if there is no drive.
    """
    lines = [line for one in report.targets for line in _target(one, verbose=verbose, planned=bool(report.commands))]
    lines += [Verbatim(f"{number}. {command}") for number, command in enumerate(report.commands, 1)]
    return fitted(lines or [Sentence(nothing, hang=0)], columns, options)


def _target(one: Located, *, verbose: bool, planned: bool) -> Iterator[Line]:
    device = f" · {one.device}" if one.device else ""
    serial = f" · serial {one.serial}" if one.serial else ""
    yield Sentence(f"{one.object_id}{device}{serial}")
    place = ", ".join(
        f"{label} {text}" for label, text in (("enclosure", one.enclosure), ("bay", one.bay)) if text is not None
    )
    named = one.object_id == f"enclosure:{one.enclosure}/{one.bay}"  # the id has both already
    before = "" if named else f"{place or 'bay unknown'}: "
    yield Sentence(f"{before}{_state(one, planned=planned)}", indent=5, hang=7)
    if one.why_not is not None or verbose or one.way in ("ledctl", "sg_ses"):
        for passed in one.passed:
            yield Sentence(f"not via {TITLES[passed.way]}: {passed.why}", indent=5, hang=7)
    if one.way is None and one.device is not None and all(passed.way != "activity" for passed in one.passed):
        yield Verbatim(f"try: raidctl locate {shlex.quote(one.object_id)} --by activity", indent=5)


def _state(one: Located, *, planned: bool) -> str:
    if one.way is None:
        return "CANNOT BE LOCATED"
    via = f"via {TITLES[one.way]}"
    back = "" if one.readable else "; the LED cannot be read back"
    if planned:
        return f"would blink {via}{back}"
    if one.on is None:
        return f"LED state unknown ({TITLES[one.way]})"
    if not one.on:
        return f"off, {via}{back}"
    until = f" until {one.until}" if one.until else ""
    left = {True: "", False: "; its raidctl has ended: `raidctl restore` switches it off", None: ""}[one.running]
    return f"BLINKS {via}{until}{back}{left}"
