"""JSON texts as trees, parsed as far as they go. Each path has its line of the output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from raidctl.evidence import Line
from raidctl.json_decode import decode_at, decode_text
from raidctl.text import attempt, printable, regex

Tree = Mapping[str, Any]

_DEEPEST = 40
"""A nesting depth many times that of smartctl's output. Deeper trees do not come from it."""
_TOKEN = regex(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
BEGINNING = "\N{ZERO WIDTH NO-BREAK SPACE} \t\r\n"
"""What may precede the first character."""


def parse(text: str) -> list[Any]:
    """The JSON values in a text, in order. ValueError if one is damaged or cut off."""
    values: list[Any] = []
    rest = text.lstrip(BEGINNING)
    place = 0
    while place < len(rest):
        value, place = decode_at(rest, place)
        values.append(value)
        while place < len(rest) and rest[place] in " \t\r\n,":
            place += 1
    if any(_depth(value) > _DEEPEST for value in values):
        raise ValueError("nested too deeply")
    return values


def closed_json(text: str) -> str | None:
    """Close a JSON text after its last complete member. None if it cannot be recovered."""
    closers: list[str] = []
    good: tuple[int, str] | None = None
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "{[":
            closers.append("}" if mark == "{" else "]")
            if len(closers) > _DEEPEST:
                return None
        elif mark in "}]":
            if not closers or closers.pop() != mark:
                return None
        elif mark == "," and closers:
            good = token.start(), "".join(reversed(closers))
    return text[: good[0]] + good[1] if good else None


def _depth(value: object) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        inner, level = waiting.pop()
        deepest = max(deepest, level)
        if level <= _DEEPEST and isinstance(inner, (dict, list)):
            waiting += [(item, level + 1) for item in (inner.values() if isinstance(inner, dict) else inner)]
    return deepest


class Leaves:
    """One drive's tree, and the output lines that are its leaves.

    The lines are found by the path from the tree's root.
    """

    def __init__(self, tree: Tree, lines: Mapping[str, Line]) -> None:
        self.tree = tree
        self.lines = lines

    def line(self, path: str) -> Line | None:
        """The leaf's line, None if there is no such leaf."""
        return self.lines.get(path)

    def items(self) -> Iterator[tuple[str, Line]]:
        """Path and line of each leaf, in order."""
        return iter(self.lines.items())

    def value(self, *path: str) -> Any:
        """The value at a path of names, None if there is none."""
        return branch(self.tree, *path)


def branch(tree: Any, *path: str) -> Any:
    """The value in a tree at a path of names. None if there is none."""
    node = tree
    for name in path:
        node = node.get(name) if isinstance(node, dict) else None
    return node


def number(value: object) -> int | None:
    """A whole number; figures of more than 53 bits may be text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return attempt(int, value) if len(value) < 50 else None
    return value if isinstance(value, int) else None


def words(value: object) -> str | None:
    """A text that is not empty, without blanks around it."""
    return printable(value.strip()) if isinstance(value, str) and value.strip() else None


def leaf_value(line: Line) -> Any:
    """The value of a leaf of the output (``path: value``). None if the path contains ``: ``."""
    return attempt(decode_text, line.text.partition(": ")[2])
