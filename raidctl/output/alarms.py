"""The screen of ``raidctl alarm show``."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from raidctl.model import Inventory
from raidctl.model.task import Alarm
from raidctl.operate.alarms import AlarmReport
from raidctl.output.console import PLAIN, STRONG, Display, drawn
from raidctl.output.head import head
from raidctl.output.problems import no_controller, problem_sections
from raidctl.output.table import Column, table
from raidctl.output.trouble import notes, troubles

_WORDS = {True: "yes", False: "no", None: "?"}
_SWITCHED = {True: "on", False: "off", None: "?"}


@drawn
def alarms_screen(found: AlarmReport, display: Display) -> Iterator[RenderableType]:
    """The whole screen as text; ``?`` is what is not reported."""
    bare = Inventory(host=found.host, problems=found.problems)
    yield head(bare, display)
    if not found.controllers:
        yield no_controller(found.problems, "alarm")
    else:
        alarms = [one.alarm for one in found.controllers]
        columns = [
            Column("controller", [(display.clean(one.object_id), STRONG) for one in found.controllers]),
            Column("model", [(display.clean(one.model or "?"), PLAIN) for one in found.controllers], 10),
            Column("alarm", [(_WORDS[one.present if one is not None else None], PLAIN) for one in alarms]),
            Column("state", [(_state(one), PLAIN) for one in alarms]),
        ]
        yield Text("")
        yield table(columns, display)
    yield from problem_sections(troubles(bare), notes(bare), display)


def _state(alarm: Alarm | None) -> str:
    if alarm is not None and alarm.present is False:
        return "-"
    return _SWITCHED[alarm.on if alarm is not None else None]
