"""Problems that report failed requests. Each request has one, unless its dialogue has reported it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from raidctl.model import Problem
from raidctl.request import (
    MORE_TIME,
    Answer,
    Failure,
    Get,
    Glob,
    Read,
    Request,
    Run,
    RunAnswer,
    Runner,
    Which,
    answers_at_once,
    key,
    shares_rounds,
    started,
)
from raidctl.text import regex
from raidctl.vendor.tools import call_problem

_LOST = frozenset({Failure.TIMEOUT, Failure.FAILED, Failure.FLOOD})
"""Failures reported here. Missing files, missing rights and gaps in recordings are reported by the dialogues."""
# /sys/class/block/sda/queue/rotational: folder, device, file
_DEVICE = regex(r"(/sys/(?:class/\w+|block|bus/\w+/devices))/([^/]+)/(.+)")
_DMESG = "if it fails again, look in `dmesg` for a drive that does not respond."


class FailureWatch:
    """A runner that remembers requests that timed out, failed or broke off."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.AT_ONCE = answers_at_once(runner)
        self.IN_STEP = shares_rounds(runner)
        self._lost: dict[tuple[str, ...], tuple[Request[Any], Answer]] = {}

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order. A repeated request that succeeds is no longer a failure."""
        answers = [started(answer) for answer in self._runner.carry_out(requests)]
        for request, answer in zip(requests, answers, strict=True):
            if _is_lost(request, answer):
                self._lost[key(request)] = request, answer
            else:
                self._lost.pop(key(request), None)
        return answers

    @property
    def machine_failed(self) -> bool:
        """Whether a request to the machine itself failed. One to its service processor does not count."""
        return any(not isinstance(request, Get) for request, _ in self._lost.values())

    def problems(self, known: Iterable[Problem]) -> list[Problem]:
        """See :func:`problems_of`."""
        return problems_of(self._lost.values(), known)


def problems_of(answered: Iterable[tuple[Request[Any], Answer]], known: Iterable[Problem]) -> list[Problem]:
    """Return a problem for each tool call that failed. All files with the same failure have one problem.

    Args:
        answered: Requests with their answers.
        known: Problems that the dialogues have reported; requests that they name are left out.
    """
    unread = [problem for problem in known if problem.kind == "unread"]
    reported = "\n".join(f"{problem.where}\n{problem.message}" for problem in unread)
    found: list[Problem] = []
    files: dict[tuple[str, bool], list[str]] = {}
    for request, answer in answered:
        name = _name(request)
        if not _is_lost(request, answer) or re.search(rf"(?<![\w/]){re.escape(name)}(?![\w/-])", reported):
            continue
        if isinstance(request, Get) and any(_covers(problem, name, answer) for problem in unread):
            continue
        if isinstance(request, Run) and isinstance(answer, RunAnswer):
            found += [problem] if (problem := call_problem(request, answer)) else []
            continue
        slow = answer.trouble is Failure.TIMEOUT
        if isinstance(request, Which):
            message = f"Whether {name} is installed is unknown ({_why(answer, name)})."
            found.append(_problem(name, message, slow=slow))
        else:
            files.setdefault((_why(answer, name), slow), []).append(name)
    for (why, slow), names in files.items():
        where = names[0] if len(names) == 1 else names[0].rpartition("/")[0] or names[0]
        found.append(_problem(where, f"Not read ({why}): {', '.join(braced(names))}.", slow=slow))
    return found


def _covers(problem: Problem, name: str, answer: Answer) -> bool:
    """Whether a problem already covers a resource, by path, name and reason."""
    listed = name.startswith(f"{problem.where}/") and name.rpartition("/")[2] in problem.message
    return listed and _why(answer, name) in problem.message


def _problem(where: str, message: str, *, slow: bool) -> Problem:
    remedy = f"{MORE_TIME[:-1] if slow else 'Run it again'}; {_DMESG}"
    return Problem(severity="warning", where=where, message=message, remedy=remedy, kind="unread")


def _is_lost(request: Request[Any], answer: Answer) -> bool:
    """Whether an answer is missing or incomplete. A file read up to the requested limit is complete."""
    wanted = isinstance(request, Read) and len(getattr(answer, "data", None) or b"") == request.limit
    return answer.trouble in _LOST and not (wanted and answer.trouble is Failure.FLOOD)


def _name(request: Request[Any]) -> str:
    """Return the name of a request's subject, for a problem."""
    if isinstance(request, Run):
        return " ".join(request.argv)
    if isinstance(request, Which):
        return request.name
    return (
        request.path
        if isinstance(request, (Get, Read))
        else request.pattern
        if isinstance(request, Glob)
        else "udev database"
    )


def _why(answer: Answer, name: str) -> str:
    detail = answer.detail.removeprefix(f"{name}: ")
    return detail or (answer.trouble.value if answer.trouble else "")


def braced(paths: Iterable[str]) -> list[str]:
    """Paths as a shell would expand them. Devices with the same files are together.

    >>> braced(["/sys/block/sda/size", "/sys/block/sdb/size", "/proc/swaps"])
    ['/proc/swaps', '/sys/block/{sda,sdb}/size']
    """
    others: list[str] = []
    files: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        match = _DEVICE.fullmatch(path)
        if match and "*" not in path:
            files.setdefault((match[1], match[2]), []).append(match[3])
        else:
            others.append(path)
    devices: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (folder, device), names in files.items():
        devices.setdefault((folder, tuple(names)), []).append(device)
    return others + [f"{folder}/{_braces(names)}/{_braces(own)}" for (folder, own), names in devices.items()]


def _braces(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else "{" + ",".join(words) + "}"
