"""The screen of ``raidctl layout check``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from rich.console import RenderableType
from rich.style import Style

from raidctl.layout.compare import Compared, Comparison, Difference, Verdict
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, STRONG, WARN, Display, Piece, drawn, hanging, line
from raidctl.output.table import facts
from raidctl.text import counted

_WORDS: dict[Verdict, tuple[str, Style]] = {
    "same": ("same", GOOD),
    "settings": ("settings differ", WARN),
    "different": ("DIFFERENT", BAD),
    "missing": ("MISSING", BAD),
    "unwanted": ("STILL THERE", BAD),
    "unlisted": ("not listed", DULL),
    "unknown": ("unknown", WARN),
}


@drawn
def layout_screen(found: Comparison, display: Display, *, more: bool = False) -> Iterator[RenderableType]:
    """Each object with its differences. ``more``: also equal objects, in one line each."""
    yield line((display.clean(f"{found.host or 'host unknown'} · {_summary(found)}"), STRONG))
    for one in found.compared:
        if one.verdict == "same" and not more:
            continue
        word, style = _word(one, found)
        about: list[Piece] = [display.clean(text) for text in _about(one)]
        yield hanging((display.words(f"{word:15}  "), style), about, display)
        if one.why:
            yield hanging("  ", [display.clean(one.why)], display)
        rows = [(display.clean(each.key), [_words(each, display)]) for each in one.differences]
        if rows:
            yield facts(rows, display)


def _word(one: Compared, found: Comparison) -> tuple[str, Style]:
    word, style = _WORDS[one.verdict]
    return (word.upper(), BAD) if one.verdict == "unlisted" and found.only_listed else (word, style)


def _about(one: Compared) -> list[str]:
    same = one.object_id is None or one.object_id == one.label
    where = [] if one.line is None else [f"line {one.line}"]
    return [one.label, *([] if same else [str(one.object_id)]), *where]


def _words(one: Difference, display: Display) -> Piece:
    found = "not reported" if one.found is None else one.found
    return display.piece((display.clean(f"{one.wanted} in the layout · now {found}"), PLAIN))


def _summary(found: Comparison) -> str:
    objects = [one for one in found.compared if one.label != "machine" or one.verdict != "same"]
    if not objects:
        return "nothing to compare"
    if found.verdict == "same" and all(one.verdict == "same" for one in objects):
        return f"as in the layout: {counted(len(objects), 'object')}"
    numbers = [(verdict, sum(one.verdict == verdict for one in objects)) for verdict in get_args(Verdict)]
    return " · ".join(f"{_WORDS[verdict][0].lower()}: {number}" for verdict, number in numbers if number)
