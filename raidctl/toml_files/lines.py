"""Line numbers of the keys in a TOML file. The standard library does not provide them.

Only for text that its parser has accepted.
"""

from __future__ import annotations

import re

from raidctl.text import regex

Path = tuple[str | int, ...]

_BLANK = regex(r"[ \t]*")
_SPACE = regex(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = regex(r"[A-Za-z0-9_-]+")
_STRING = regex(
    r'"""(?:\\.|[^\\])*?"""{1,3}(?!")|'
    r"'''.*?'''{1,3}(?!')|"
    r'"(?:\\.|[^"\\\n])*"|'
    r"'[^'\n]*'",
    re.DOTALL,
)
_ATOM = regex(r"[^,\]}\n#]+")
_ESCAPE = regex(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_LETTERS = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}


def locate(text: str) -> dict[Path, int]:
    """The line, from 1, of every key and list element: ``{("rule", 0, "where", "id"): 7}``."""
    return _Reader(text).read()


class _Reader:
    """Reader that walks over the text once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Path, int] = {}
        self.counts: dict[Path, int] = {}
        self._counted = (0, 1)

    def read(self) -> dict[Path, int]:
        table: Path = ()
        while self._skip() < len(self.text):
            if self.text.startswith("[[", self.at):
                table = self._header(2)
            elif self.text[self.at] == "[":
                table = self._header(1)
            else:
                self._pair(table)
        return self.lines

    def _header(self, brackets: int) -> Path:
        line = self._line()
        self.at += brackets
        keys = self._keys()
        self.at += brackets
        path = (*self._resolved(keys[:-1]), keys[-1])
        if brackets == 2:
            number = self.counts.get(path, -1) + 1
            self.counts[path] = number
            self.lines.setdefault(path, line)
            path += (number,)
        else:
            path = self._resolved(keys)
        self._note(path, line)
        return path

    def _resolved(self, path: Path) -> Path:
        """The path of a header. In a list of tables, it is that of the last table."""
        found: Path = ()
        for step in path:
            found += (step,)
            if found in self.counts:
                found += (self.counts[found],)
        return found

    def _pair(self, table: Path) -> None:
        line = self._line()
        path = (*table, *self._keys())
        self._note(path, line)
        self.at += 1  # the =
        self._value(path)

    def _note(self, path: Path, line: int) -> None:
        for length in range(1, len(path) + 1):
            self.lines.setdefault(path[:length], line)

    def _keys(self) -> Path:
        keys: list[str] = []
        while True:
            self._blank()
            quoted = _STRING.match(self.text, self.at)
            found = quoted or _BARE.match(self.text, self.at)
            if found is None:  # impossible in valid TOML
                raise ValueError(f"no key at {self.at}")
            keys.append(_unquoted(found[0]) if quoted else found[0])
            self.at = found.end()
            self._blank()
            if self.text[self.at] != ".":
                return tuple(keys)
            self.at += 1

    def _value(self, path: Path) -> None:
        self._blank()
        char = self.text[self.at]
        if char == "[":
            self._list(path)
        elif char == "{":
            self._table(path)
        else:
            found = _STRING.match(self.text, self.at) or _ATOM.match(self.text, self.at)
            self.at = found.end() if found else self.at + 1

    def _list(self, path: Path) -> None:
        self.at += 1
        number = 0
        while self._skip() < len(self.text) and self.text[self.at] != "]":
            self._note((*path, number), self._line())
            self._value((*path, number))
            number += 1
            if self._skip() < len(self.text) and self.text[self.at] == ",":
                self.at += 1
        self.at += 1

    def _table(self, path: Path) -> None:
        self.at += 1
        while self._skip() < len(self.text) and self.text[self.at] != "}":
            self._pair(path)
            if self._skip() < len(self.text) and self.text[self.at] == ",":
                self.at += 1
        self.at += 1

    def _blank(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _skip(self) -> int:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def _line(self) -> int:
        start, line = self._counted
        line += self.text.count("\n", start, self.at)
        self._counted = (self.at, line)
        return line


def _unquoted(text: str) -> str:
    if text[0] == "'":
        return text[1:-1]
    return _ESCAPE.sub(lambda one: chr(int(one[1] or one[2], 16)) if one[1] or one[2] else _letter(one[3]), text[1:-1])


def _letter(char: str) -> str:
    return _LETTERS.get(char, char)
