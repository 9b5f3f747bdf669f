"""Every changing command that the tests run, and what no such command may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from posixpath import basename
from typing import Any

import pytest

from raidctl.change.engine import Change
from raidctl.change.permitted_commands import tables
from raidctl.vendor.plan import Action, Step
from raidctl.vendor.registry import vendors
from raidctl.vendor.shapes import FORCING, Shape

Log = list[tuple[str, tuple[str, ...]]]
"""The kind of the step, and the command line."""
_NAMED = frozenset({"forced"})
"""Words that a setting of a family needs. They are in shapes that name them: `modify … forced` of ssacli."""
_ANSWERS = frozenset({"quiet"})
"""Words that answer the question of a tool. They are in shapes of deeds that name them and one object: `/c6/p3 remove
quiet`."""


@contextmanager
def logged() -> Iterator[Log]:
    """Note command and kind of each step that a change carries out."""
    log: Log = []
    issue: Callable[..., str | None] = Change.issue

    @wraps(issue)
    def noted(change: Change, action: Action, step: Step, **how: Any) -> str | None:
        log.append((step.kind, action.argv or (">", action.path or "", action.data or "")))
        return issue(change, action, step, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Change, "issue", noted)
        yield log


def forbidden(log: Log) -> list[str]:
    """Forced commands, and deeds outside the tables, which no test may run."""
    found = []
    for kind, argv in log:
        shapes = _fitting(argv) if kind == "deed" else []
        # a shape that names such a word has other guards before it
        named = {word for shape in shapes for word in shape} if kind == "deed" else _NAMED
        forced = [word for word in argv[1:] if FORCING.fullmatch(word) and word not in named]
        if forced:
            found.append(f"{' '.join(argv)}: {forced[0]}")
        if kind == "deed" and not shapes:
            found.append(f"{' '.join(argv)}: in no table of shapes")
    return found


@cache
def _fitting(argv: tuple[str, ...]) -> list[Shape]:
    """The shapes that a command fits."""
    return [shape for shape in _shapes() if _fits(argv, shape)]


@cache
def _shapes() -> tuple[Shape, ...]:
    return tuple(tables(vendors()[0]))


_PLACE = re.compile(r"/dev/[\w./:-]+|[\w.:-]+", re.ASCII)
"""What fills a place: a device node or a kernel's name."""


def _fits(argv: tuple[str, ...], shape: Shape) -> bool:
    """Compare a command with a shape word by word. This uses other means than the program does."""
    while argv[:1] == ("flock",):  # flock --close --timeout 60 /dev/sda
        argv = argv[5:]
    words = (basename(argv[0]), *argv[1:]) if argv else ()
    return _form(shape).fullmatch("".join(f"{word}\0" for word in words)) is not None


@cache
def _form(shape: Shape) -> re.Pattern[str]:
    return re.compile("".join(_pattern(word) for word in shape), re.ASCII)


def _pattern(word: str) -> str:
    if word == "{}+":
        return f"(?:(?:{_PLACE.pattern})\0)+"
    head, form, tail = word.partition("~")
    if form and head in ("", "?"):
        return f"(?:(?:{tail})\0){head}"
    return re.escape(word).replace(r"\{\}", f"(?:{_PLACE.pattern})") + "\0"
