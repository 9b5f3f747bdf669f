"""The screen of ``raidctl rate``."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from raidctl.model import Inventory
from raidctl.output.console import PLAIN, STRONG, Display, drawn, line
from raidctl.output.head import head
from raidctl.output.problems import problem_sections
from raidctl.output.table import Column, table
from raidctl.output.trouble import notes, troubles
from raidctl.tasks.rates import RateReport
from raidctl.units import format_binary

_FIELDS = (("rebuild", "rebuild"), ("check", "check"), ("patrol read", "patrol_read"), ("initialise", "initialize"),
           ("expand", "expand"))  # fmt: skip


@drawn
def rates_screen(found: RateReport, display: Display, *, more: bool = False) -> Iterator[RenderableType]:
    """The whole screen as text; ``?`` is what is not reported."""
    del more
    bare = Inventory(host=found.host, problems=found.problems)
    yield head(bare, display)
    if not found.controllers and not found.arrays:
        yield line("No controller or array reports a rate.")
    if found.controllers:
        yield Text("")
        ids = Column("controller", [(display.clean(one.object_id), STRONG) for one in found.controllers])
        yield table([ids, *(_column(title, field, found, display) for title, field in _FIELDS)], display)
    if found.arrays:
        yield Text("")
        columns = [
            Column("array", [(display.clean(one.object_id), STRONG) for one in found.arrays]),
            Column("device", [(display.clean(one.device or "?"), PLAIN) for one in found.arrays]),
            Column("minimum", [(_limit(one.minimum_bytes, one.minimum_own), PLAIN) for one in found.arrays]),
            Column("maximum", [(_limit(one.maximum_bytes, one.maximum_own), PLAIN) for one in found.arrays]),
        ]
        yield table(columns, display)
        yield line("  Speeds are per drive; (system): the limit of the whole machine.")
    yield from problem_sections(troubles(bare), notes(bare), display)


def _column(title: str, field: str, found: RateReport, display: Display) -> Column:
    return Column(title, [(display.clean(getattr(one.rates, field) or "?"), PLAIN) for one in found.controllers])


def _limit(size: int | None, own: bool | None) -> str:
    if size is None:
        return "?"
    return f"{format_binary(size)}/s{' (system)' if own is False else ''}"
