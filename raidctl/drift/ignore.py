"""Changes that the user ignores."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache

import msgspec
from msgspec import inspect

from raidctl.drift.report import Change, Unread
from raidctl.errors import UsageError
from raidctl.health.severity import WEIGHT, Severity
from raidctl.model import Array, Battery, Controller, Drive, Host, Inventory, Problem, Tool, Volume
from raidctl.select import items
from raidctl.text import printable, regex

_CLASSES: dict[str, type[msgspec.Struct]] = {
    "host": Host, "controller": Controller, "battery": Battery, "array": Array, "volume": Volume, "drive": Drive,
    "problem": Problem, "tool": Tool,
}  # fmt: skip
_GLOB = regex(r"[*?]")
BRACKETS = regex(r"\[[^\]]*\]")


class Ignored:
    """The words of ``--ignore``: fields, globs, ids; and the least severity."""

    def __init__(self, words: Sequence[str] = (), least: Severity = "info") -> None:
        self._words = tuple(words)
        self._milder = {severity for severity in WEIGHT if WEIGHT[severity] > WEIGHT[least]}

    def __call__(self, change: Change) -> bool:
        """Whether a change is left out."""
        names = list(_names(change))
        return change.severity in self._milder or any(_means(word, names) for word in self._words)

    def problem(self, unread: Unread) -> bool:
        """Whether a part that could not be read is left out, too."""
        return any(_means(word, [unread.where, "problem"]) for word in self._words)


nothing = Ignored()


def ignored(words: Sequence[str], *states: Inventory, least: Severity = "info") -> Ignored:
    """Check the words of ``--ignore``.

    Raises:
        UsageError: One is neither a glob, nor a field, nor an id in either snapshot.
    """
    ids = {item.id for state in states for controller in state.controllers for item in items(controller)}
    ids |= {problem.where for state in states for problem in state.problems}
    ids |= {tool.name for state in states for tool in state.tools}
    known = {*fields(), *_CLASSES, *ids}
    for word in words:
        bare = BRACKETS.sub("", word)
        if _GLOB.search(word) or bare in known or any(bare.startswith(f"{name}.") for name in ids):
            continue
        near = difflib.get_close_matches(word, sorted(known), 1, 0.6)
        hint = f'did you mean "{printable(near[0])}"?' if near else "globs such as details* are possible."
        raise UsageError(f'--ignore "{printable(word)}" is neither a field nor an id in the two states; {hint}')
    return Ignored(words, least)


@cache
def fields() -> frozenset[str]:
    """Every existing field: ``firmware`` and ``drive.firmware``, ``cache.write_active`` and so on."""
    found = set()
    for kind, cls in _CLASSES.items():
        for path in _paths(inspect.type_info(cls)):
            found |= {path, f"{kind}.{path}"}
    return frozenset(found)


def _paths(kind: inspect.Type) -> Iterator[str]:
    if isinstance(kind, inspect.Metadata):
        yield from _paths(kind.type)
    elif isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from _paths(one)
    elif isinstance(kind, inspect.VarTupleType):
        yield from _paths(kind.item_type)
    elif isinstance(kind, inspect.DictType):
        yield from _paths(kind.value_type)
    elif isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield field.encode_name
            yield from (f"{field.encode_name}.{rest}" for rest in _paths(field.type))


def _names(change: Change) -> Iterator[str]:
    """The words that match a change, with all prefixes of its field. One is ``cache`` for ``cache.write_active``."""
    parts = change.field or ""
    ways = [change.id, change.object, *_beginnings(change.id, "/")]
    ways += [change.controller] if change.controller else []
    yield from ways
    for path in (parts, BRACKETS.sub("", parts)):
        if not path:
            continue
        for field in (path, *_beginnings(path, "."), *_beginnings(path, "[")):
            yield from (field, f"{change.object}.{field}", f"{change.id}.{field}")


def _beginnings(text: str, mark: str) -> list[str]:
    parts = text.split(mark)
    return [mark.join(parts[:count]) for count in range(1, len(parts))]


def _means(word: str, names: Sequence[str]) -> bool:
    return any(word == name or fnmatchcase(name, word) for name in names)
