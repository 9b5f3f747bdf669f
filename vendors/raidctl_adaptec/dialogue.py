"""The dialogue with arcconf.

``getconfig 1`` tells in its first line how many controllers there are: no list is asked for. Then each controller's
configuration, and the tasks of each that has logical devices: one or two calls for each card. The tool cannot run
twice at once; all calls share one lock. It drops a log into the working directory, which is a private one; ``nologs``
is not used, because old versions do not know the word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import Dialogue, Failure, Run, RunAnswer, ask, ask_all
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.tools import Installed, printed, without_root
from raidctl_adaptec.collect import collect
from raidctl_adaptec.grammar import FOUND
from raidctl_adaptec.reader import built, unreadable
from raidctl_adaptec.recognise import TEXT

LOCK = "adaptec"
TIMEOUT = 60.0
"""Seconds for one call."""
MOST_CARDS = 16
_VOLUMES = (b"logical device number", b"logical drive number")


@dataclass
class _Session:
    """What came of the calls."""

    documents: list[Document] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    stopped: bool = False
    """The tool does not answer: the next call would not either."""


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Read every card that arcconf sees."""
    tool, asked = found[0], _Session()
    first = _config(tool, 1)
    answer = yield from ask(first)
    _keep(asked, first, answer)
    configs: list[tuple[int, RunAnswer]] = [(1, answer)]
    count = _count(answer)
    if not asked.stopped and count > 1:
        requests = [_config(tool, number) for number in range(2, min(count, MOST_CARDS) + 1)]
        answers = yield from ask_all(requests)
        for number, (request, told) in enumerate(zip(requests, answers, strict=True), 2):
            _keep(asked, request, told)
            configs.append((number, told))
    busy = [number for number, told in configs if any(word in told.out.lower() for word in _VOLUMES)]
    requests = [_run(tool, "getstatus", str(number)) for number in busy]
    answers = yield from ask_all(requests)
    for request, told in zip(requests, answers, strict=True):
        _keep(asked, request, told)
    return _assemble(tool, asked, count, host)


def _config(tool: Installed, number: int) -> Run:
    return _run(tool, "getconfig", str(number), "AL")


def _run(tool: Installed, *words: str) -> Run:
    return Run((tool.command, *words), timeout=TIMEOUT, lock=LOCK)


def _count(answer: RunAnswer) -> int:
    """``Controllers found: 2``; none where the line is not there."""
    for line in answer.text[:4096].splitlines():
        match = FOUND.match(line.strip())
        if match is not None:
            return int(match[1])
    return 0


def _keep(asked: _Session, request: Run, answer: RunAnswer) -> None:
    """Keep what a call printed, and say what was wrong with it."""
    asked.stopped = asked.stopped or answer.trouble not in (None, Failure.TIMEOUT)
    if text := printed(request, answer, asked.problems):
        asked.documents.append(Document(" ".join(request.argv), TEXT, text))


def _assemble(tool: Installed, asked: _Session, count: int, host: HostView) -> Observation:
    collection = collect(asked.documents)
    controllers, problems = built(collection)
    problems = [*asked.problems, *problems, *unreadable(collection)]
    if count > MOST_CARDS:
        problems.append(
            Problem(
                severity="warning", kind="unread", where=tool.command,
                message=f"The tool counts {count} controllers; the first {MOST_CARDS} were asked.",
            )
        )  # fmt: skip
    return Observation(
        controllers=tuple(msgspec.structs.replace(controller, told_by=tool.spec.name) for controller in controllers),
        problems=tuple(dict.fromkeys(without_root(problems, host))),
        tools=(tool.tool(),),
        outputs=tuple(collection.outputs),
    )
