"""Clean pasted text: encodings, quoted mails, terminal sessions with several outputs.

Pure functions, text in, text out.
"""

from __future__ import annotations

import codecs
import json
import re
import textwrap
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, pairwise

import msgspec

from raidctl.recording.mail_formats import decoded, without_frames, without_prefixes, without_references
from raidctl.text import regex, without_escapes

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SPACES = regex("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_NOTHING = regex("[\u200b-\u200d\u2060\ufeff]")
_QUOTES = regex(r"(?m)(?:^>.*\n\s*){3}")
_ATTRIBUTED = regex(r"(?m)^[^>|\n][^|\n]*[^\s>|]:[ \t]*\n(?:[ \t]*\n)?(?:>.*\n){1,2}(?=[ \t]*(?:\n|\Z))")
"""``On Monday Jim wrote:`` above one or two quoted lines. The prompt ``> `` has its output in the next line."""
_ABOVE = regex(r"(?m)^([^>\n][^\n]*:)[ \t]*\n(?=>)")
"""A line like this right above a quote. The tool's first line does not continue it."""
_BARRED = r"[ \t]*\|(?: .*[^|\s])?[ \t]*\n"
_BARS = regex(
    rf"(?m)(?:^{_BARRED}){{3}}|\A(?:{_BARRED})+\s*\Z"
    rf"|^[^>|\n]*[^\s>|]:[ \t]*\n(?:[ \t]*\n)?(?:{_BARRED}){{1,2}}(?=[ \t]*(?:\n|\Z))"
)
"""Lines quoted with ``| ``. A row of a drawn table ends with a bar, too."""
_LAST_PROMPT = regex(r"(?m)^[\[(]?[\w.-]{1,64}@[\w.-]{1,64}[: ][^\n#$%>]{0,80}[#$%>](?: [^\n]{0,80})?\s*\Z")
_OPENS = regex(r"(?m)^([ \t]*)[{\[][ \t]*(?:$|[\"{\[])")
JSON_START = regex(r"(?m)^[{\[][ \t]*(?:$|[\"{\[])")
_STRING = regex(r'"(?:[^"\\]|\\.)*"')
_BREAK = regex(r"\n")
_BREAKS = regex(r"[ \t]*\n[ \t]*")
TERMINALS = range(79, 241)
"""Widths of terminals in columns; some programs leave one free."""
USUAL_TERMINALS = (80, 100, 120, 132, 160, 200)
"""Those that a single broken line is evidence of."""
_LONG = 40
"""Characters of a line that a mail program may have wrapped. Blanks of a column at its end do not count."""
_WRAPPED = regex(r"(?<=[^\n]{30})[ ]*\n(?=[^\n]*\S)")
_LEVELS = 9
"""Most levels of quotes that are removed."""
_CALLS = 5000
"""Most calls, and lines with a known prompt, in one session."""
_WHO = regex(r"[\w.-]{1,64}@[\w.-]{1,64}", re.ASCII)
_FILE = r"(?:cat|more|less|head|tail)[ \t]+(?:/proc|/sys)/\S{1,200}"


def is_binary(head: bytes) -> bool:
    """Whether the beginning of a file is binary. It then has NULs, and no UTF-16 mark."""
    return b"\0" in head and not any(head.startswith(mark) for mark, _ in _MARKS)


def is_garbled(head: bytes) -> bool:
    """Whether more than 2% are control characters. A tool may print some from a broken drive."""
    return len(_CONTROL.findall(head)) * 50 > len(head)


def text_of(data: bytes) -> str:
    """Decode bytes to text with LF line ends.

    A byte order mark selects UTF-8 or UTF-16; without one, UTF-8 is tried, then Latin-1. A few invalid bytes in UTF-8
    become U+FFFD; the rest is still UTF-8.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _lines(data[len(mark) :].decode(encoding, errors="replace"))
    text = data.decode("utf-8", errors="replace")
    bad = text.count("\N{REPLACEMENT CHARACTER}")
    good = sum(1 for _ in re.finditer(r"[^\x00-\x7f\ufffd]", text)) if bad else 0
    return _lines(data.decode("latin-1") if bad > good else text)


def _lines(text: str) -> str:
    """Convert line ends to LF. A CR counts as one if there is no LF."""
    return text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")


def normalised(text: str, prompts: Prompts | None = None) -> str:
    """Return a text as the tool printed it. Cleaning also removes sentences around a JSON document."""
    text = cleaned(text, prompts)
    return document_in(text) or text


def cleaned(text: str, prompts: Prompts | None = None) -> str:
    """Remove what mailers, editors and web pages added to a tool's output.

    No-break spaces and tabs become blanks, quotes (``> ``, ``| ``) and an indentation of all lines are removed, and
    encodings of mail programs and web pages are decoded; in a complete JSON document only blanks are changed. A last
    prompt is removed, unless one of the tools of ``prompts`` was called there: its output is missing.
    """
    text = _NOTHING.sub("", _SPACES.sub(" ", without_escapes(text))).replace("\r\n", "\n")
    if text.lstrip()[:1] in ("{", "[") and _is_json(text):
        return without_references(text) if "&nbsp;" in text else text
    text = _dedented(without_frames(unquoted(without_prefixes(decoded(text)))).expandtabs(8))
    last = _LAST_PROMPT.search(text)
    if last is not None and not (prompts and prompts.called(last[0])):
        text = f"{text[: last.start()]}\n\n"  # it shows that the output is complete
    return text


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def document_in(text: str) -> str:
    """Return the one JSON document that is most of a text. The sentences around it are left out. Empty: there is none.

    A line break inside a string comes from a mailer or a terminal: a JSON string has none.
    """
    if text.lstrip()[:1] in ("{", "[") and _is_json(text):
        return text
    begin, end = _OPENS.search(text), max(text.rfind("}"), text.rfind("]")) + 1
    if begin is None or (end - begin.start()) * 2 < len(text):
        return ""
    found = text[begin.start() : end].lstrip()
    if _is_json(found):
        return found
    breaks, blank = (_BREAK, "") if _is_folded(found) else (_BREAKS, " ")
    found = _STRING.sub(lambda match: breaks.sub(blank, match[0]), found)
    return found if _is_json(found) else ""


def _is_folded(text: str) -> bool:
    """Whether a terminal broke the strings of a JSON document. It breaks at its width, in the middle of a word, too."""
    breaks = [string.start() + at.start() for string in _STRING.finditer(text) for at in _BREAK.finditer(string[0])]
    widths = {at - text.rfind("\n", 0, at) - 1 for at in breaks}
    return len(widths) == 1 and widths.issubset(TERMINALS if len(breaks) > 1 else USUAL_TERMINALS)


def documents_in(text: str) -> list[tuple[int, int]]:
    """Return start and end of complete JSON documents that begin a line. That of lvs is indented."""
    found: list[tuple[int, int]] = []
    decode = json.JSONDecoder().raw_decode
    lines = (match for match in _OPENS.finditer(text) if not _is_inside(text, match.start()))
    for begin in (match.end(1) for match in islice(lines, _CALLS)):
        if begin >= (found[-1][1] if found else 0):
            with suppress(ValueError, RecursionError):
                found.append((begin, decode(text, begin)[1]))
    return found


def _is_inside(text: str, start: int) -> bool:
    """Whether an indented line is inside a JSON document: ``[``, ``,`` or ``:`` is what precedes it."""
    if text[start : start + 1] not in (" ", "\t"):
        return False
    while start and text[start - 1].isspace():
        start -= 1
    return text[start - 1 : start] in ("[", "{", ",", ":")


def unquoted(text: str) -> str:
    """Remove the ``> `` or ``| `` of a mail.

    At least three lines in a row, or most lines, have it, or the line above ends with a colon (``Jim wrote:``).
    """
    found = False
    if _BARS.search(f"{text}\n"):
        text = re.sub(r"(?m)^[ \t]*\|(?: (?=.*[^|\s][ \t]*$)|[ \t]*$)", "", text)
    for _ in range(_LEVELS):
        lines = [line for line in text.split("\n") if line.strip()]
        quoted = [line for line in lines if line.startswith(">")]
        few = len(quoted) * 2 <= len(lines) and not _QUOTES.search(text) and not _ATTRIBUTED.search(f"{text}\n")
        if not quoted or (few and not _is_rewrapped(lines)):
            break
        found = True
        text = _ABOVE.sub(r"\1\n\n", text)
        spaced = all(line[1:2] in ("", " ", ">") for line in quoted)
        text = re.sub(r"(?m)^> ?" if spaced else r"(?m)^>", "", text)
    return re.sub(r"(?m)^(?:> ?)+", "", text) if found else text


def _is_rewrapped(lines: Sequence[str]) -> bool:
    """Whether a quote was wrapped once more. Then a line without its mark is the rest of a long one, or long itself."""
    return lines[0].startswith(">") and all(
        line.startswith(">") or max(len(before), len(line)) >= _LONG for before, line in pairwise(lines)
    )


def _dedented(text: str) -> str:
    """Remove the common indentation of all lines."""
    return textwrap.dedent(text) if text[:1] in " \n" else text


def indented(text: str) -> str:
    """Return the longest indented part of a text, dedented; empty: none."""
    parts = re.findall(r"(?m)(?:^(?:[ ].*)?\n)+", f"{text}\n")
    return textwrap.dedent(max(parts, key=lambda part: part.count("\n "), default=""))


def rejoined(text: str) -> str:
    """Return a text with each long line joined to the next. Only both together may show the tool."""
    return _WRAPPED.sub(" ", text)


@dataclass(frozen=True)
class Section:
    """A part of a terminal session: a command and its output."""

    command: str | None
    """As typed, without prompt; None for text before the first prompt."""
    text: str


class Prompts:
    """Finds the lines with calls of certain programs."""

    def __init__(self, tools: Collection[str]) -> None:
        """``tools`` are names of programs, without path."""
        names = "|".join(sorted(map(re.escape, tools), key=len, reverse=True)) or r"(?!)"
        # [root@host ~]# LC_ALL=C sudo -n /usr/sbin/tool argument
        self._call = re.compile(
            rf"[#$%>][ \t]{{0,8}}(?P<command>(?:\w{{1,64}}=[^\s#$%>]{{0,200}}[ \t]+|sudo[ \t]+|-\w+[ \t]+|time[ \t]+)*"
            rf"(?:(?:/[\w./-]{{0,200}}/)?(?:{names})(?=[ \t\n]|\Z)|{_FILE})[^\n]*)",
        )

    def sections(self, text: str) -> list[Section]:
        """Return the parts of a session. If there is no call, there is one without a command. Only calls may be empty.

        A part ends at the next call, or where the same user typed something else on the same machine.
        """
        marks = [(start, end, command) for start, end, command in self._calls(text)]
        if not marks:
            return [Section(None, text)]
        marks = sorted({*marks, *_others(text, marks)})
        parts = [Section(None, text[: marks[0][0]])]
        for (_, end, command), following in zip(marks, [*(m[0] for m in marks[1:]), len(text)], strict=True):
            parts.append(Section(command, text[end:following]))
        return [part for part in parts if part.text.strip() or (part.command and self.called(f"$ {part.command}"))]

    def called(self, line: str) -> bool:
        """Whether a line calls one of the tools after its prompt."""
        return self._call.search(line) is not None

    def _calls(self, text: str) -> list[tuple[int, int, str]]:
        found = []
        for match in islice(self._call.finditer(text), _CALLS):
            start = text.rfind("\n", max(0, match.start() - 200), match.start()) + 1
            prompt = text[start : match.start()]
            if (start or match.start() < 200) and len(prompt) <= 80 and '"' not in prompt:
                found.append((start, min(match.end() + 1, len(text)), match["command"].strip()))
        return found


def _others(text: str, marks: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return lines whose prompt has a known call's user and machine."""
    taken = {start for start, _, _ in marks}
    people = {who[0] for start, end, command in marks if (who := _WHO.match(text[start:end].lstrip("[( ")))}
    if not people:
        return []
    names = "|".join(sorted(map(re.escape, people), key=len, reverse=True))
    prompt = re.compile(rf"^[\[( ]?(?:{names})[^\n#$%>]{{0,80}}[#$%>]([^\n]*)\n?", re.MULTILINE)
    return [
        (found.start(), found.end(), found[1].strip())
        for found in islice(prompt.finditer(text), _CALLS)
        if found.start() not in taken
    ]
