"""What the runners have in common on requests: the answer without substance, and which may go side by side."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from raidctl.request import (
    Answer,
    Failure,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    UdevDatabase,
    Which,
    WhichAnswer,
    Write,
    WriteAnswer,
)

NO_VALUE = frozenset({errno.EINVAL, errno.ENODATA, errno.ENODEV, errno.ENXIO, errno.EOPNOTSUPP})
"""What a file of sysfs answers when its device has no such value, or is gone."""
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

_CLASSES: dict[type[Request[Any]], type[Answer]] = {
    Run: RunAnswer,
    Read: ReadAnswer,
    Glob: GlobAnswer,
    Which: WhichAnswer,
    UdevDatabase: ReadAnswer,
    Write: WriteAnswer,
}


def answer_of(request: Request[Any], trouble: Failure, detail: str) -> Answer:
    """An answer of the class that belongs to the request, with nothing but the trouble in it."""
    return _CLASSES.get(type(request), Answer)(trouble=trouble, detail=detail)


def chains_of(requests: Sequence[Request[Any]]) -> list[list[int]]:
    """The places of the requests in chains: one chain for each lock, each other request by itself.

    What waits for the same lock is done in turn by one worker: it neither keeps the others idle nor counts the
    waiting for its own neighbours as waiting for the lock.
    """
    chains: list[list[int]] = []
    locked: dict[str, list[int]] = {}
    for index, request in enumerate(requests):
        lock = request.lock if isinstance(request, Run) else None
        if lock is None:
            chains.append([index])
        elif lock in locked:
            locked[lock].append(index)
        else:
            chains.append(locked.setdefault(lock, [index]))
    return chains


def within(request: Run, timeout: float | None) -> Run:
    """The request with a time limit that was asked for; a change keeps its own, which belongs to its plan."""
    return request if timeout is None or request.changes else replace(request, timeout=timeout)


def unusable(request: Request[Any]) -> str:
    """Why nothing can be asked with these words, empty when it can."""
    words: tuple[str, ...] = ()
    if isinstance(request, Run):
        if not request.argv or not request.argv[0]:
            return "no program named"
        for name, _ in request.environment:
            if not VARIABLE.match(name):
                return f"{name!r} is not the name of a variable"
        words = (*request.argv, *(value for _, value in request.environment))
    elif isinstance(request, Read):
        words = (request.path,)
    elif isinstance(request, Write):
        words = (request.path, request.data)
    elif isinstance(request, Glob):
        words = (request.pattern,)
    elif isinstance(request, Which):
        words = (request.name, *request.places)
    return next((f"{word!r} cannot be said to a system" for word in words if not _sayable(word)), "")


def _sayable(word: str) -> bool:
    try:
        return b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False
