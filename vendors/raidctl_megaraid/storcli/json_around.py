"""What stands around and inside the JSON and is none: warnings, prompts, a tool that died, answers in text."""

from __future__ import annotations

import re

from raidctl.evidence import Line
from raidctl.text import collapse, counted, printable
from raidctl_megaraid.storcli.from_text import AGAIN, is_answer, is_prompt, read_lines
from raidctl_megaraid.storcli.json_tolerant import Document, Fault
from raidctl_megaraid.storcli.outline import Outline, plain
from raidctl_megaraid.storcli.text_blocks import CRASH

_BRACKETS = re.compile(r"[\s\[\]{},]*")
_ITEM = re.compile(r"\[\d+\]")
_SHOWN = 3
"""Words around the JSON that are quoted."""


def between(outline: Outline, lines: list[Line], text: str) -> None:
    """Read what stands before, between or after the documents; its lines are added to ``lines``."""
    if _BRACKETS.fullmatch(plain(text)):
        return  # the brackets of a list of documents
    own = [Line(number, part.rstrip("\r")) for number, part in enumerate(text.split("\n"), len(lines) + 1)]
    lines.extend(own)
    if is_answer(text):
        read_lines(outline, own)
        return
    _stray(outline, [line for line in own if plain(line.text).strip()])


def loose(lines: list[Line], text: str) -> None:
    """Loose ends of a document whose beginning is missing: they stay unparsed."""
    parts = [part.rstrip("\r") for part in text.split("\n")]
    lines.extend(
        Line(number, part)
        for number, part in enumerate((part for part in parts if not _BRACKETS.fullmatch(part)), len(lines) + 1)
    )


def _stray(outline: Outline, lines: list[Line]) -> None:
    """Lines that are no answer: quoted in a problem, prompts left alone."""
    said = []
    for line in lines:
        text = plain(line.text)
        if CRASH.search(text):
            _died(outline, text)
            outline.sheet.note(line)
        elif not is_prompt(text) and not _BRACKETS.fullmatch(text):
            said.append(printable(collapse(text))[:160])
            outline.sheet.note(line)
    if said:
        shown = "; ".join(said[:_SHOWN]) + (f" … ({len(said)} lines)" if len(said) > _SHOWN else "")
        outline.complain("info", "note", f"Beside the JSON the output says: “{shown}”. The JSON was read.")


def report(outline: Outline, lines: list[Line], document: Document, text: str) -> None:
    """Report what is wrong with a document; the words in it that are no JSON are added to ``lines``."""
    junk: list[Line] = []
    halves: list[Line] = []
    for fault in document.faults:
        if fault.kind in ("junk", "half") and fault.end > fault.start + 1:
            line = Line(len(lines) + 1, text[fault.start : fault.end].rstrip("\r"))
            lines.append(line)
            (junk if fault.kind == "junk" else halves).append(line)
    cut = next((fault for fault in document.faults if fault.kind == "cut"), None)
    dead = next((line for line in [*junk, *halves] if CRASH.search(line.text)), None)
    if cut:
        _cut(outline, text, cut, plain(dead.text) if dead else None)
    elif dead:
        _died(outline, plain(dead.text))
    outline.sheet.note(*[line for line in junk if line is dead])
    _halves(outline, text, document)
    rest = [line for line in junk if line is not dead]
    if rest and not cut:
        shown = printable(collapse(rest[0].text))[:120]
        outline.complain(
            "warning", "unread", f"Inside the JSON stand words that are none and were not read: “{shown}”.", AGAIN
        )
    if any(fault.kind in ("comma", "mend") for fault in document.faults) and not cut:
        place = _line(text, next(fault.start for fault in document.faults if fault.kind in ("comma", "mend")))
        outline.complain(
            "info",
            "note",
            f"The JSON is not well formed (line {place}); it was read all the same, nothing was left out.",
        )


def _halves(outline: Outline, text: str, document: Document) -> None:
    halves = [fault for fault in document.faults if fault.kind == "half"]
    if not halves or any(fault.kind == "cut" for fault in document.faults):
        return
    outline.complain(
        "warning", "unread",
        f"{counted(len(halves), 'value')} of the JSON could not be read, the first one in "
        f"{_place(halves[0])} (line {_line(text, halves[0].start)}).", AGAIN,
    )  # fmt: skip


def _cut(outline: Outline, text: str, cut: Fault, dead: str | None) -> None:
    end = len(text[: cut.end].rstrip())
    why = f" because the tool died ({printable(collapse(dead))[:120]})" if dead else ""
    outline.complain(
        "error", "unread",
        f"The JSON breaks off{why} in {_place(cut)} (line {_line(text, end)}): what was complete before that was read, "
        "what came after is unknown.", AGAIN,
    )  # fmt: skip


def _died(outline: Outline, said: str) -> None:
    outline.complain(
        "error", "unread",
        f"The tool died ({printable(collapse(said))[:160]}): what it had printed until then was read.", AGAIN,
    )  # fmt: skip


def _place(fault: Fault) -> str:
    names: list[str] = []
    for name in fault.inside:
        if not _ITEM.fullmatch(name):
            names.append(printable(collapse(name))[:80])
        elif names and names[-1] != "Controllers":
            names[-1] += name
    names = [name for name in names if name not in ("Controllers", "Response Data")]
    return f"“{' / '.join(names[:6])}”" if names else "its outermost part"


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
