"""JSON as the tools print it: broken off, several documents in one output, warnings and prompts in between.

Whole documents are read by the standard library. One that is not whole is read token by token, and what is wrong
with it is kept as :class:`Fault`: no value that was printed in full is lost, and none that was not is taken.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from raidctl.json_decode import decode_text

FaultKind = Literal["cut", "junk", "half", "comma", "mend"]


class Number(str):
    """A number as printed: ``007`` and four hundred digits stay what they are."""

    __slots__ = ()


@dataclass
class Fields:
    """An object. Names may repeat: some versions print two values under one name."""

    items: list[tuple[str, Value]] = field(default_factory=list)


Value: TypeAlias = "str | bool | Fields | list[Value] | None"


@dataclass(frozen=True)
class Fault:
    """Something in a document that is no JSON."""

    kind: FaultKind
    """``cut``: the document breaks off; ``half``: a value without an end; ``junk``: words that are not the document's;
    ``comma``: one too many or too few; ``mend``: quotation marks, backslashes or brackets that do not match."""
    start: int
    """Offset in the output."""
    end: int
    inside: tuple[str, ...] = ()
    """Names of the objects around it, the outermost first."""


@dataclass
class Document:
    """One JSON document of an output."""

    start: int
    end: int
    value: Value
    faults: list[Fault] = field(default_factory=list)


# {"Controllers":[{"Command Status" : {    and what is left of it when somebody took a part out
_START = re.compile(r'(?:\[\s*)?\{\s*"(?P<name>Controllers|Command Status|Response Data)"\s*:')
# An answer in text form: it ends JSON that breaks off before it
_TEXT = re.compile(r"^(?:CLI Version|Controller) +=", re.MULTILINE)
# "Drive /c0/e8/s3" : [    of a document whose beginning is missing
_PART = re.compile(r'"(?P<name>[^"\n]{1,120})"\s*:\s*(?=[\[{])')
_OWN = re.compile(
    r'"(?:EID:Slt|DG/VD|EID:Slot|Command Status|Response Data|Ctrl_Prop|Cachevault_Info|BBU_Info|'
    r'(?:Drive )?/c\d+/[evs]\w[^"\n]{0,80}|VD\d+ Properties|VD Properties|VD LIST|PD LIST)"\s*:'
)
# "Name" : "\ud800": half of a character, which no terminal and no file takes
_HALF_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_DECODER = json.JSONDecoder(
    strict=False, object_pairs_hook=Fields,
    parse_int=Number, parse_float=Number, parse_constant=Number,
)  # fmt: skip


def begins(text: str) -> bool:
    """Whether a document of the tools begins somewhere in a text."""
    return _START.search(text) is not None


def documents(text: str) -> list[Document]:
    """The tools' documents in an output, in order; empty when it holds none."""
    found: list[Document] = []
    starts = list(_START.finditer(text))
    limits = _limits(starts, len(text))
    end = broken = 0
    for match, limit in zip(starts, limits, strict=True):
        if match.start() < end:
            continue
        document = _whole(text, match.start()) if broken < _TRIES else None
        if document is None:
            broken += 1
            answer = _TEXT.search(text, match.end(), limit)
            start = text.index("{", match.start())  # a list that breaks off is read item by item
            document = _Mender(text, start, answer.start() if answer else limit).document()
        found.append(document)
        end = document.end
    return found


def whole_characters(text: str) -> str:
    """JSON with U+FFFD in place of escapes that are half a character."""
    return _HALF_CHARACTER.sub(r"\\ufffd", text) if "\\u" in text else text


def torn(text: str) -> bool:
    """Whether a text is a piece out of a document: names that only these tools print, and no beginning."""
    return _OWN.search(text) is not None and not begins(text)


def pieces(text: str) -> list[Document]:
    """What can be told of a document whose beginning is missing: each object and list that begins in the text.

    They come as the members of one object, whose place in the document is unknown; between them are its loose ends.
    """
    found: list[Document] = []
    end = 0
    for match in _PART.finditer(text):
        if match.start() < end:
            continue
        part = (_whole(text, match.end()) if len(found) < _TRIES else None) or _Mender(
            text, match.end(), len(text)
        ).document()
        found.append(Document(match.start(), part.end, Fields([(match["name"], part.value)]), part.faults))
        end = part.end
    return found


def _whole(text: str, start: int) -> Document | None:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return Document(start, end, value)


def _limits(starts: list[re.Match[str]], end: int) -> list[int]:
    """Where a document that begins there ends at the latest: at the next one that is not a part of it."""
    limits: list[int] = []
    any_next = whole_next = end
    for match in reversed(starts):
        limits.append(whole_next if match["name"] == "Controllers" else any_next)
        any_next = match.start()
        if match["name"] == "Controllers":
            whole_next = match.start()
    return limits[::-1]


_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}\[\],:]|-?[0-9][0-9.eE+-]*|true\b|false\b|null\b|-?Infinity\b|NaN\b')
_BLANK = re.compile(r"\s*")
_LINE = re.compile(r"[^\n]*")
_REST = re.compile(r"[^,}\]\n]*")
_DELIMITED = re.compile(r"[ \t\r]*(?:[,}\]\n]|\Z)")
# "Name" : "our "big" one",
_QUOTES = re.compile(r'"[^\n]*"(?=[ \t\r,}\]]*(?:\n|\Z))')
_NAME_AFTER = re.compile(r'"\s*:')
_ESCAPE = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_CONSTANTS: dict[str, Value] = {"true": True, "false": False, "null": None}
_DEEPEST = 100
"""Levels; the tools print at most ten."""
_INDENT = 200
"""Blanks at most before the words of a line."""
_TRIES = 50
"""Broken documents of one output that the standard library is tried on; it reads the same text again for each."""


@dataclass
class _Frame:
    value: Fields | list[Value]
    name: str
    """Under which it stands in the one around it."""
    key: str | None = None
    """In an object: a name that waits for its value."""
    ready: bool = True
    """Whether the next value or name may come without a comma."""


class _Mender:
    """Reads one document that is not whole. Every step moves on: linear in its length."""

    def __init__(self, text: str, start: int, limit: int) -> None:
        self.text = text
        self.start = self.at = start
        self.limit = limit
        self.faults: list[Fault] = []
        self.frames: list[_Frame] = []
        self.root: Value = None
        self.done = False

    def document(self) -> Document:
        while not self.done:
            blank = _BLANK.match(self.text, self.at, self.limit)
            self.at = blank.end() if blank else self.at
            if self.at >= self.limit:
                self._fault("cut", self.limit, self.limit)
                break
            self._step()
        return Document(self.start, self.at, self.root, self.faults)

    def _fault(self, kind: FaultKind, start: int, end: int) -> None:
        inside = [frame.name for frame in self.frames if frame.name]
        if self.frames and self.frames[-1].key:
            inside.append(self.frames[-1].key)
        self.faults.append(Fault(kind, start, end, tuple(inside)))

    def _step(self) -> None:
        token = _TOKEN.match(self.text, self.at, self.limit)
        if token is None and self.text[self.at] == '"' and self._waits() and self._quoted(self.at + 1):
            return
        if token is None:
            self._junk("half" if self.text[self.at] == '"' else "junk")
            return
        word, end = token[0], token.end()
        if word in "{[":
            self._open(word)
        elif word in "}]":
            self._close(word)
        elif word == ",":
            self._comma()
        elif word == ":":
            self._fault("mend", self.at, end)
            self.at = end
        elif word.startswith('"'):
            self._string(end)
        else:
            self._scalar(word, end)

    def _waits(self) -> bool:
        """Whether a value may stand here: in a list, or after a name."""
        frame = self.frames[-1] if self.frames else None
        return frame is None or isinstance(frame.value, list) or frame.key is not None

    def _junk(self, kind: FaultKind) -> None:
        """Words that are no JSON: the line where it begins with them, else up to the next comma or bracket."""
        line_start = self.text.rfind("\n", max(0, self.at - _INDENT), self.at) + 1
        whole = kind == "half" or (line_start > 0 and not self.text[line_start : self.at].strip())
        rest = (_LINE if whole else _REST).match(self.text, self.at, self.limit)
        end = max(rest.end() if rest else self.limit, self.at + 1)
        self._fault(kind, self.at, end)
        self.at = end
        if self.frames:
            self.frames[-1].key, self.frames[-1].ready = None, True

    def _open(self, word: str) -> None:
        if not self._waits() or len(self.frames) > _DEEPEST:
            self._junk("junk")
            return
        value: Fields | list[Value] = Fields() if word == "{" else []
        name = self._place(value)
        self.frames.append(_Frame(value, name))
        self.at += 1

    def _close(self, word: str) -> None:
        wanted = Fields if word == "}" else list
        if not any(isinstance(frame.value, wanted) for frame in self.frames[-3:]):
            self._fault("mend", self.at, self.at + 1)
            self.at += 1
            return
        while not isinstance(self.frames[-1].value, wanted):
            self._fault("mend", self.at, self.at + 1)
            self.frames.pop()
        frame = self.frames[-1]
        if frame.ready and (frame.value.items if isinstance(frame.value, Fields) else frame.value):
            self._fault("comma", self.at, self.at + 1)
        self.frames.pop()
        self.done = not self.frames
        self.at += 1

    def _comma(self) -> None:
        frame = self.frames[-1]
        if frame.ready:
            self._fault("comma" if frame.key is None else "half", self.at, self.at + 1)
        frame.key, frame.ready = None, True
        self.at += 1

    def _string(self, end: int) -> None:
        frame = self.frames[-1]
        if isinstance(frame.value, Fields) and frame.key is None:
            blank = _BLANK.match(self.text, end, self.limit)
            colon = blank.end() if blank else end
            if colon >= self.limit or self.text[colon] != ":":
                self._junk("half")
                return
            if not frame.ready:
                self._fault("comma", self.at, self.at)
            frame.key, frame.ready = _decoded(self.text[self.at : end]), True
            self.at = colon + 1
            return
        if not _DELIMITED.match(self.text, end):
            if not self._quoted(end):
                self._junk("half")
            return
        self._place(_decoded(self.text[self.at : end]))
        self.at = end

    def _quoted(self, end: int) -> bool:
        """Take a value with quotation marks or a backslash in it that were not escaped, up to the end of the line."""
        quotes = _QUOTES.match(self.text, self.at, self.limit)
        if not quotes or quotes.end() <= end or _NAME_AFTER.search(quotes[0], end - self.at - 1):
            return False
        self._fault("mend", self.at, quotes.end())
        self._place(_decoded(quotes[0]))
        self.at = quotes.end()
        return True

    def _scalar(self, word: str, end: int) -> None:
        if not self._waits() or end >= self.limit or not _DELIMITED.match(self.text, end):
            self._junk("half")  # the 3 of 35, or 32 of 32C: not certain
            return
        self._place(_CONSTANTS.get(word, Number(word)))
        self.at = end

    def _place(self, value: Value) -> str:
        """Put a value where it belongs; the name under which it stands."""
        if not self.frames:
            self.root = value
            return ""
        frame = self.frames[-1]
        if isinstance(frame.value, Fields):
            name, frame.key = frame.key or "", None
            frame.value.items.append((name, value))
        else:
            name = f"[{len(frame.value)}]"
            if not frame.ready:
                self._fault("comma", self.at, self.at)
            frame.value.append(value)
        frame.ready = False
        return name


def _decoded(literal: str) -> str:
    """A string, also where backslashes and quotation marks stand in it without escapes."""
    try:
        return str(decode_text(literal, strict=False))
    except ValueError:
        inner = re.sub(r'(?<!\\)"', '\\"', _ESCAPE.sub(r"\\\\", literal[1:-1]))
        try:
            return str(decode_text(f'"{inner}"', strict=False))
        except ValueError:
            return literal[1:-1]
