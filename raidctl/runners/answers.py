"""Helpers of all runners: failed answers, and which requests run in parallel."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from raidctl.request import (
    Answer,
    Failure,
    Get,
    GetAnswer,
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
from raidctl.text import regex

NO_VALUE = frozenset({errno.EINVAL, errno.ENODATA, errno.ENODEV, errno.ENXIO, errno.EOPNOTSUPP})
"""Errors of a sysfs file that has no value. Its device has no such value, or is gone."""
VARIABLE = regex(r"[A-Za-z_][A-Za-z0-9_]*\Z")

R = TypeVar("R", bound=Request[Any])

_CLASSES: dict[type[Request[Any]], type[Answer]] = {
    Run: RunAnswer,
    Read: ReadAnswer,
    Glob: GlobAnswer,
    Which: WhichAnswer,
    UdevDatabase: ReadAnswer,
    Write: WriteAnswer,
    Get: GetAnswer,
}


def answer_of(request: Request[Any], trouble: Failure, detail: str) -> Answer:
    """Return a failed answer of the class that belongs to the request."""
    return _CLASSES.get(type(request), Answer)(trouble=trouble, detail=detail)


def no_bmc(request: Get) -> Answer:
    """Return the answer of a runner that reaches no service processor."""
    return answer_of(request, Failure.MISSING, f"no service processor was named: get {request.path}")


def chains_of(requests: Sequence[Request[Any]]) -> list[list[int]]:
    """Return the requests' indices in chains. There is one chain per lock; other requests are alone.

    One worker runs a chain in order. So requests with the same lock do not block other workers, and waiting for each
    other does not count as waiting for the lock.
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


def limited(request: R, timeout: float | None) -> R:
    """Apply the user's time limit to a program. A change keeps the limit of its plan."""
    if timeout is None or not isinstance(request, Run) or request.changes:
        return request
    return replace(request, timeout=timeout)


def invalid(request: Request[Any]) -> str:
    """Explain why a request is invalid; empty if it is valid."""
    words: tuple[str, ...] = ()
    if isinstance(request, Run):
        if not request.argv or not request.argv[0]:
            return "no program given"
        for name, _ in request.environment:
            if not VARIABLE.match(name):
                return f"{name!r} is not the name of a variable"
        words = (*request.argv, *(value for _, value in request.environment))
    elif isinstance(request, (Get, Read)):
        words = (request.path,)
    elif isinstance(request, Write):
        words = (request.path, request.data)
    elif isinstance(request, Glob):
        words = (request.pattern,)
    elif isinstance(request, Which):
        words = (request.name, *request.places)
    return next((f"{word!r} cannot be encoded for the system" for word in words if not _encodable(word)), "")


def _encodable(word: str) -> bool:
    try:
        return b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False
