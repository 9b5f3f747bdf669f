"""The screen of ``raidctl check media``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.style import Style

from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, drawn, line
from raidctl.output.table import Column, nonempty, table
from raidctl.units import format_duration, format_percent
from raidctl.vendor.self_tests import SelfTest

_STYLES = {"running": PLAIN, "passed": GOOD, "failed": BAD, "aborted": WARN, "none": WARN}
_WORDS = {"none": "never tested", "not_supported": "not supported", "unknown": "?", "failed": "FAILED"}


@drawn
def self_tests_screen(found: Sequence[SelfTest], display: Display, *, unread: bool = False) -> Iterator[RenderableType]:
    """Each drive with its running or last self-test; ``unread``: not everything could be read."""
    if not found:
        yield line(f"No plain drives{' were found, but not everything could be read' if unread else ''}.")
        return
    yield table(
        [
            Column("drive", [(display.clean(one.drive), STRONG) for one in found]),
            *nonempty([Column("device", [(display.clean(one.device or ""), PLAIN) for one in found])]),
            Column("last self-test", [_state(one) for one in found], 10),
            *nonempty(
                [
                    Column("at", [(_hours(one), PLAIN) for one in found]),
                    Column("long test takes", [(_minutes(one), PLAIN) for one in found], optional=True),
                    Column("", [(display.clean(_more(one)), DULL) for one in found], 20, late=True),
                ]
            ),
        ],
        display,
        indent=0,
    )


def _state(one: SelfTest) -> tuple[str, Style]:
    word = _WORDS.get(one.state, one.state)
    kind = f" ({one.kind})" if one.kind in ("short", "long") else ""
    percent = f" {format_percent(one.percent)}" if one.percent is not None else ""
    return f"{word}{kind}{percent}", _STYLES.get(one.state, DULL)


def _hours(one: SelfTest) -> str:
    return "" if one.hours is None else f"{one.hours} power-on hours"


def _minutes(one: SelfTest) -> str:
    return "" if one.long_minutes is None else format_duration(one.long_minutes * 60)


def _more(one: SelfTest) -> str:
    """Why the result is unknown, or the tool's words for the failure."""
    return one.why or (one.text or "" if one.state in ("failed", "aborted") else "")
