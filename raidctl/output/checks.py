"""The screens of ``raidctl check``: checks of volumes and their schedules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.operate.checks import VolumeCheck
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, drawn, line, pack
from raidctl.output.phrases import short_moment
from raidctl.output.table import Column, facts, table
from raidctl.text import counted
from raidctl.units import format_duration, format_percent
from raidctl.vendor.checks import Schedule, Schedules

_STYLES = {
    "running": PLAIN, "waiting": PLAIN, "paused": WARN, "complete": GOOD, "interrupted": WARN, "ended": WARN,
    "none": WARN, "unknown": DULL, "not_reported": DULL, "not_redundant": DULL,
}  # fmt: skip
_WORDS = {"none": "none known", "unknown": "?", "not_reported": "not reported", "not_redundant": "not redundant"}


@drawn
def checks_screen(found: Sequence[VolumeCheck], display: Display, *, unread: bool = False) -> Iterator[RenderableType]:
    """The screen of ``check show``; ``unread``: not everything could be read."""
    if not found:
        yield line(f"No volumes{' were found, but not everything could be read' if unread else ''}.")
        return
    yield table(
        [
            Column("volume", [(display.clean(one.volume), STRONG) for one in found]),
            Column("level", [(one.raid_level or "?", PLAIN) for one in found]),
            Column("last check", [_state(one) for one in found], 10),
            Column(
                "result",
                [(display.clean(_result(one)), BAD if _faulty(one) else PLAIN) for one in found],
                20,
                late=True,
            ),
        ],
        display,
        indent=0,
    )
    reasons: dict[str, list[str]] = {}
    for one in found:
        if one.why:
            reasons.setdefault(one.why, []).append(one.volume)
    if reasons:
        yield Text("")
    for why, volumes in reasons.items():
        yield pack([(display.clean(", ".join(volumes)), STRONG), display.clean(why)], display.columns, ": ")


def _state(one: VolumeCheck) -> tuple[str, Style]:
    word = _WORDS.get(one.state, one.state)
    word = f"{word} (repair)" if one.kind == "repair" else word
    word = f"{word} {format_percent(one.percent)}" if one.percent is not None else word
    style = BAD if one.state == "complete" and _faulty(one) else _STYLES[one.state]
    return (word.upper() if one.state == "interrupted" else word), style


def _faulty(one: VolumeCheck) -> bool:
    return bool(one.faults or one.differ or one.errors)


def _result(one: VolumeCheck) -> str:
    """``2026-11-01 03:12 UTC, 0 sectors differ, by raidctl``."""
    so_far = (
        " so far"
        if one.state in ("running", "waiting", "paused")
        else " in the part that was checked"
        if one.complete is False
        else ""
    )
    when = one.ended or (f"since {one.began}" if one.began and so_far == " so far" else one.began)
    parts = (
        short_moment(when or ""),
        one.remaining_seconds is not None and f"{format_duration(one.remaining_seconds)} left",
        one.differ is not None
        and f"{counted(one.differ, 'sector')} {'differs' if one.differ == 1 else 'differ'}{so_far}",
        one.errors and counted(one.errors, "read error"),
        one.by and f"by {one.by}",
    )
    return ", ".join(text for text in parts if text)


@drawn
def schedules_screen(found: Schedules, display: Display, *, software: bool = True) -> Iterator[RenderableType]:
    """The screen of ``check schedule show``."""
    if not found.schedules:
        none = "No schedule of checks was found." if software else "No software RAID: there is nothing to schedule."
        yield line(("No schedule of checks could be read." if found.problems else none, WARN if software else PLAIN))
        return
    for schedule in found.schedules:
        yield line((display.clean(schedule.name), STRONG), "  ", _switch(schedule))
        rows: list[tuple[str, Sequence[Piece]]] = [
            (label, [display.clean(text)])
            for label, text in (
                ("why", schedule.why),
                ("times", schedule.calendar),
                ("next", schedule.next_at),
                ("files", ", ".join(schedule.files)),
            )
            if text
        ]
        if rows:
            yield facts(rows, display)
    starters = [one.name for one in found.schedules if one.enabled and "continue" not in one.name]
    if len(starters) > 1:
        yield Text("")
        yield line(
            (display.words(f"{len(starters)} schedules start checks: one is enough, switch the others off."), WARN)
        )


def _switch(schedule: Schedule) -> tuple[str, Style]:
    return {True: ("on", GOOD), False: ("OFF", WARN), None: ("on or off: unknown", DULL)}[schedule.enabled]
