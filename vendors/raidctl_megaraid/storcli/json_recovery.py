"""JSON as the tools print it: with repeated names, several documents, or broken off.

The standard library reads it. Of a document that is JSON only up to some place, everything that was complete
before that is read, and nothing after it.
"""

from __future__ import annotations

import json
import re
from typing import TypeAlias

from msgspec import Struct

from raidctl.text import regex


class Number(str):
    """A number as printed. ``007`` and four hundred digits stay unchanged."""

    __slots__ = ()


class Fields(Struct):
    """An object. Names may repeat: some versions print two values under one name."""

    items: list[tuple[str, Value]] = []


Value: TypeAlias = "str | bool | Fields | list[Value] | None"


class Document(Struct, frozen=True):
    """One JSON document of an output."""

    start: int
    end: int
    value: Value
    broken: int | None = None
    """Offset from which on it was not read. The output breaks off there, or what follows is not JSON."""
    inside: tuple[str, ...] = ()
    """Names of the open objects and lists there, the outermost first."""


# {"Controllers":[{"Command Status" : {    and what is left of it when somebody took a part out
_START = regex(r'(?:\[\s*)?\{\s*"(?P<name>Controllers|Command Status|Response Data)"\s*:')
# An answer in text form: it ends JSON that breaks off before it
_TEXT = regex(r"^(?:CLI Version|Controller) +=", re.MULTILINE)
_OWN = regex(
    r'"(?:EID:Slt|DG/VD|EID:Slot|Command Status|Response Data|Ctrl_Prop|Cachevault_Info|BBU_Info|'
    r'(?:Drive )?/c\d+/[evs]\w[^"\n]{0,80}|VD\d+ Properties|VD Properties|VD LIST|PD LIST)"\s*:'
)
# "Name" : "\ud800": half of a character, which no terminal and no file takes
_HALF_CHARACTER = regex(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
# "Name" : "DOM\user"
_NO_ESCAPE = regex(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})(?<!\\\\)')
_DECODER = json.JSONDecoder(
    strict=False, object_pairs_hook=Fields,
    parse_int=Number, parse_float=Number, parse_constant=Number,
)  # fmt: skip


def begins(text: str) -> bool:
    """Whether a document of the tools begins somewhere in a text."""
    return _START.search(text) is not None


def documents(text: str) -> list[Document]:
    """The tools' documents in an output, in order. Empty if it holds none."""
    found: list[Document] = []
    starts = list(_START.finditer(text))
    limits = _limits(starts, len(text))
    end = broken = 0
    for match, limit in zip(starts, limits, strict=True):
        if match.start() < end:
            continue
        start = match.start()
        document = _whole(text, start) if broken < _TRIES else start
        if isinstance(document, int) and text[start] == "[":
            start = text.index("{", start)  # a list that breaks off is read item by item
            document = _whole(text, start) if broken < _TRIES else start
        if isinstance(document, int):
            broken += 1
            answer = _TEXT.search(text, match.end(), limit)
            document = _begun(text, start, document, answer.start() if answer else limit)
        found.append(document)
        end = document.end
    return found


def whole_characters(text: str) -> str:
    """JSON with U+FFFD in place of escapes that are half a character. A backslash that escapes nothing is doubled."""
    return _HALF_CHARACTER.sub(r"\\ufffd", _NO_ESCAPE.sub(r"\\\\", text)) if "\\" in text else text


def torn(text: str) -> bool:
    """Whether a text is a piece out of a document. A piece has names that only these tools print, and no beginning."""
    return _OWN.search(text) is not None and not begins(text)


def _whole(text: str, start: int) -> Document | int:
    """Return the document there, or the offset at which it breaks off."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return error.pos
    except RecursionError:
        return start
    return Document(start, end, value)


def _begun(text: str, start: int, fault: int, limit: int) -> Document:
    """Return the complete part of a document.

    The document is JSON only up to ``fault``; it ends at ``limit`` at the latest.
    """
    fault = min(fault, limit)
    safe, closing, closers, name, before = start, "null", "", "", ""
    around: list[str] = []
    for token in _TOKEN.finditer(text, start, fault):
        word, complete = token[0], token.end()
        if word == '"':
            break
        if word in "{[":
            closers = ("}" if word == "{" else "]") + closers
            around.append(name if before == ":" else "")
        elif word in "}]":
            closers = closers[1:]
            around.pop()
        elif word == ",":
            complete = token.start()
        elif word == ":":
            complete = 0
        elif before != ":" and closers[:1] != "]":
            name, complete = word[1:-1], 0
        elif "\n" in word or not _DELIMITED.match(text, complete):
            complete = 0  # a quotation mark was lost, or is inside the value
        if complete:
            safe, closing = complete, closers
        before = word
    value = _DECODER.decode(text[start:safe] + closing)
    return Document(start, limit, value, fault, tuple(filter(None, around)))


def _limits(starts: list[re.Match[str]], end: int) -> list[int]:
    """Return the latest end of each document. The next document that is not a part of it begins there."""
    limits: list[int] = []
    any_next = whole_next = end
    for match in reversed(starts):
        limits.append(whole_next if match["name"] == "Controllers" else any_next)
        any_next = match.start()
        if match["name"] == "Controllers":
            whole_next = match.start()
    return limits[::-1]


_TOKEN = regex(r'"(?:[^"\\]|\\.)*"|["{}\[\],:]', re.DOTALL)
"""The tokens that show where a value is complete. A lone quotation mark begins a string without an end."""
_DELIMITED = regex(r"[ \t\r]*(?:[,}\]\n]|\Z)")
_TRIES = 50
"""The most broken documents of one output given to the standard library. It reads the same text again for each."""
