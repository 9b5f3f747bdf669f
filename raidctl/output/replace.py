"""The screen of ``raidctl replace --check``: verdict, bay, reasons, and surroundings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from raidctl.health.redundancy import in_words
from raidctl.model import Inventory
from raidctl.operate.removal_report import Reason, Removal, VolumeLeft
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, drawn, hanging, indented, line
from raidctl.output.head import head
from raidctl.output.phrases import status
from raidctl.output.table import facts
from raidctl.text import listing
from raidctl.units import format_decimal, format_duration

_WORDS: dict[str, tuple[str, Style]] = {
    "yes": ("YES", GOOD), "no": ("NO", BAD), "unknown": ("UNKNOWN", WARN), "note": ("note", DULL),
}  # fmt: skip
_ANSWERS = {
    "yes": "The drive may be pulled now.",
    "no": "Do not pull the drive.",
    "unknown": "Do not pull the drive: facts needed to decide are not reported.",
}
_LABEL = 9
_NOW = 60
"""Seconds; a result this old or older is shown with its age."""


@drawn
def screen(found: Removal, display: Display, *, more: bool) -> Iterator[RenderableType]:
    """The whole screen as text. ``more``: also the guards that passed, and the facts."""
    yield head(Inventory(host=found.host), display)
    yield Text("")
    word, style = _WORDS[found.verdict]
    answer = _ANSWERS[found.verdict]
    if found.verdict == "yes" and found.recorded:
        answer = "At the time of this recording, the drive could be pulled."
    yield hanging((f"{word:{_LABEL}}", style), [(answer, STRONG)], display)
    yield Text("")
    box = f" (enclosure {found.enclosure})" if found.enclosure else ""
    yield from _label("BAY", f"{found.bay}{box}" if found.bay else None, display)
    yield from _label("SERIAL", found.serial or (f"WWN {found.wwn}" if found.wwn else None), display)
    yield Text("")
    shown = [one for one in found.reasons if more or one.verdict != "yes"]
    for one in shown or [one for one in found.reasons if one.guard == "R1"]:
        yield from _reason(one, display, more=more)
    yield Text("")
    yield facts(list(_rows(found, display)), display, indent=0)


def _label(name: str, value: str | None, display: Display) -> Iterator[RenderableType]:
    text = display.clean(value) if value else "not reported"
    yield hanging((f"{name:{_LABEL}}", STRONG), [(text, STRONG if value else WARN)], display)


def _reason(one: Reason, display: Display, *, more: bool) -> Iterator[RenderableType]:
    word, style = _WORDS[one.verdict]
    yield hanging((f"{word:{_LABEL}}", style), [(f"{display.clean(one.text)} [{one.guard}]", PLAIN)], display)
    lines = [(display.words("→ "), one.remedy, PLAIN)] if one.remedy else []
    lines += [("", fact, DULL) for fact in one.evidence if more]
    for mark, text, look in lines:
        yield indented(line((mark, DULL), (display.clean(text), look)), display, _LABEL)


def _rows(found: Removal, display: Display) -> Iterator[tuple[str, Sequence[Piece]]]:
    size = found.size_bytes and format_decimal(found.size_bytes)
    drive = (found.drive, found.model, size, found.device)
    words, style = status(found.status, found.status_text)
    yield "drive", [*(display.clean(text) for text in drive if text), (display.clean(words), style)]
    if found.leaves_with_it:
        yield "with it", [display.clean(name) for name in found.leaves_with_it]
    for volume in found.volumes:
        yield "volume", [display.clean(text) for text in _volume(volume)]
    yield "spares", [display.clean(name) for name in found.spares] or [("none for its arrays", DULL)]
    yield "activity", [display.clean(text) for text in found.activity] or [("none", DULL)]
    others = [(display.clean(text), WARN) for text in found.errors_elsewhere]
    yield "others", others or [("no errors reported on other members", DULL)]
    yield "caches", [display.clean(text) for text in found.unwritten] or [("no unwritten data reported", DULL)]
    yield "boot", [display.clean(text) for text in found.boot] or [("no boot partition seen on the drive", DULL)]
    for at in dict.fromkeys(volume.last_check_at for volume in found.volumes):
        yield "checked", [display.clean(f"last complete consistency check {at}")] if at else [("not reported", DULL)]
    yield "read", [_age(found.age_seconds)]


def _age(seconds: int | None) -> str:
    if seconds is None:
        return "age unknown"
    return "just now" if seconds < _NOW else f"{format_duration(seconds)} ago"


def _volume(volume: VolumeLeft) -> Iterator[str]:
    level = volume.raid_level if volume.raid_level not in (None, "unknown") else "level unknown"
    yield " ".join(text for text in (volume.id, level, volume.status) if text)
    if volume.mountpoints:
        yield f"on {listing(volume.mountpoints)}"
    elif volume.device:
        yield volume.device
    yield in_words(volume.failures_tolerated) or "redundancy unknown"
    if volume.gone_already:
        yield "the drive is missing from it already"
    elif volume.data_lost:
        yield "without the drive: data lost"
    else:
        yield f"without the drive: {in_words(volume.failures_tolerated_after) or 'unknown'}"
