"""Text around the JSON, and where the JSON breaks off."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import collapse, printable, regex
from raidctl_megaraid.storcli.from_text import AGAIN, is_answer, is_prompt, read_lines
from raidctl_megaraid.storcli.json_recovery import Document
from raidctl_megaraid.storcli.outline import Outline, plain
from raidctl_megaraid.storcli.text_blocks import CRASH

_BRACKETS = regex(r"[\s\[\]{},]*")
_SHOWN = 3
"""Lines around the JSON that are quoted."""


def between(outline: Outline, text: str) -> None:
    """Read the text before, between and after the documents. Its lines are added to the output."""
    if _BRACKETS.fullmatch(plain(text)):
        return  # the brackets of a list of documents
    own = [outline.output.add(part.rstrip("\r")) for part in text.split("\n")]
    if is_answer(text):
        read_lines(outline, own)
        return
    _stray(outline, [line for line in own if plain(line.text).strip()])


def loose(output: Output, text: str) -> list[Line]:
    """Add what is left of a broken document; it stays unparsed."""
    return [output.add(part.rstrip("\r")) for part in text.split("\n") if not _BRACKETS.fullmatch(part)]


def _stray(outline: Outline, lines: list[Line]) -> None:
    """Lines that are not an answer: quoted in a problem, prompts left alone."""
    printed = []
    for line in lines:
        text = plain(line.text)
        if CRASH.search(text):
            _died(outline, text)
            mark_read(line)
        elif not is_prompt(text) and not _BRACKETS.fullmatch(text):
            printed.append(printable(collapse(text))[:160])
            mark_read(line)
    if printed:
        shown = "; ".join(printed[:_SHOWN]) + (f" … ({len(printed)} lines)" if len(printed) > _SHOWN else "")
        outline.complain("info", "note", f"Besides the JSON, the output contains: “{shown}”. The JSON was read.")


@lru_cache(maxsize=1)
def _line_ends(text: str) -> list[int]:
    """Return the offsets of all line ends of a text. An output may be thousands of broken documents."""
    return [match.start() for match in re.finditer("\n", text)]


def broken(outline: Outline, document: Document, text: str) -> None:
    """Report where a document breaks off. Its rest is added to the output."""
    if document.broken is None:
        return
    rest = loose(outline.output, text[document.broken : document.end])
    dead = next((line for line in rest if CRASH.search(line.text)), None)
    if dead:
        mark_read(dead)
    why = f" because the tool died ({printable(collapse(plain(dead.text)))[:120]})" if dead else ""
    names = [printable(collapse(name))[:80] for name in document.inside if name not in ("Controllers", "Response Data")]
    place = f"“{' / '.join(names[:6])}”" if names else "its outermost part"
    at = document.broken
    while at > 0 and (at >= len(text) or text[at].isspace()):
        at -= 1
    number = bisect_right(_line_ends(text), at) + 1
    outline.complain(
        "error", "unread",
        f"The JSON breaks off{why} in {place} (line {number}): what was complete before that was read, "
        "what came after is unknown.", AGAIN,
    )  # fmt: skip


def _died(outline: Outline, printed: str) -> None:
    outline.complain(
        "error", "unread",
        f"The tool died ({printable(collapse(printed))[:160]}): the output up to that point was read.", AGAIN,
    )  # fmt: skip
