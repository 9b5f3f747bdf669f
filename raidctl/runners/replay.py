"""A runner that answers from a recording and never accesses a machine."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import cached_property, lru_cache
from typing import Any, cast

from msgspec.structs import replace

from raidctl.recording.recording import Recording
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
    Which,
    WhichAnswer,
    Write,
    describe,
    key,
)
from raidctl.runners.answers import answer_of


class ReplayRunner:
    """Answers as the recorded machine did; program calls are matched by argv.

    Requests that were not recorded are answered with ``Failure.UNRECORDED``; in a recording with
    ``"unrecorded": "missing"``, as missing on the machine.
    """

    AT_ONCE = True

    def __init__(self, recording: Recording, answers: Mapping[tuple[str, ...], Answer] | None = None) -> None:
        """Use ``answers`` by request key, or else those of the recording."""
        if answers is None:
            answers = {key(request): answer for request, answer in recording.answers()}
        self._recording, self._answers = recording, dict(answers)
        self._complete = recording.manifest.unrecorded == "missing"

    def with_answers(self, more: Mapping[Request[Any], Answer]) -> ReplayRunner:
        """Return a runner that has these answers as well. They take the place of the recorded ones."""
        answers = self._answers | {key(request): answer for request, answer in more.items()}
        return ReplayRunner(self._recording, answers)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order."""
        return tuple(self._answer(request) for request in requests)

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, Run) and request.changes:
            return RunAnswer(
                trouble=Failure.UNRECORDED,
                detail=f"a recorded machine cannot be changed, asked to {describe(request)}",
            )
        if isinstance(request, Write):
            detail = f"a recorded machine cannot be changed, asked to {describe(request)}"
            return answer_of(request, Failure.UNRECORDED, detail)
        kept = self._answers.get(key(request))
        if kept is not None:
            return _limited(request, kept)
        if not self._complete:
            return answer_of(request, Failure.UNRECORDED, f"not in the recording: {describe(request)}")
        if isinstance(request, Glob):
            return GlobAnswer(tuple(sorted(_matching(request.pattern, self._paths))))
        if isinstance(request, Run) and request.argv[0] in self._programs:
            # the program is installed, but this call was not recorded
            return answer_of(request, Failure.UNRECORDED, f"not in the recording: {describe(request)}")
        return answer_of(request, Failure.MISSING, _missing(request))

    @cached_property
    def _programs(self) -> Collection[str]:
        """Names and paths of the programs that are installed on the recorded machine."""
        return {
            name
            for (kind, *words), answer in self._answers.items()
            if kind == "which" and isinstance(answer, WhichAnswer) and answer.path
            for name in (words[0], answer.path)
        }

    @cached_property
    def _paths(self) -> Mapping[int, Collection[tuple[str, ...]]]:
        """Every file in the recording, and the directories above.

        Paths are split into their parts, and keyed by the number of parts.
        """
        there: set[str] = set()
        for (kind, *words), answer in self._answers.items():
            if kind == "read" and answer.trouble is not Failure.MISSING:
                there.update(_with_parents(words[0]))
            elif isinstance(answer, GlobAnswer):
                there.update(path for found in answer.paths for path in _with_parents(found))
        found: dict[int, list[tuple[str, ...]]] = {}
        for path in there:
            parts = tuple(path.split("/"))
            found.setdefault(len(parts), []).append(parts)
        return found


def _with_parents(path: str) -> Iterator[str]:
    """Yield a path and the directories above it, without the root."""
    while path.strip("/"):
        yield path
        path = path.rpartition("/")[0]


def _matching(pattern: str, paths: Mapping[int, Collection[tuple[str, ...]]]) -> Iterator[str]:
    """Yield the paths that match a shell pattern, part by part. A leading dot must be in the pattern."""
    parts = _parts(pattern)
    for names in paths.get(len(parts), ()):
        if all(
            part.match(name) and (dotted or not name.startswith("."))
            for (dotted, part), name in zip(parts, names, strict=True)
        ):
            yield "/".join(names)


@lru_cache(maxsize=256)
def _parts(pattern: str) -> tuple[tuple[bool, re.Pattern[str]], ...]:
    """The parts of a pattern, and whether each begins with a dot."""
    return tuple((part.startswith("."), re.compile(translate(part))) for part in pattern.split("/"))


def _missing(request: Request[Any]) -> str:
    if isinstance(request, Run):
        return f"{request.argv[0] if request.argv else 'it'} is not installed on the recorded machine"
    if isinstance(request, Which):
        return f"{request.name} is not installed"
    if isinstance(request, Get):
        return "not in the recording"
    return f"missing on the recorded machine: {describe(request)}"


def _limited(request: Request[Any], answer: Answer) -> Answer:
    """Cut an answer to the request's limit, as the local runner would."""
    if isinstance(request, Run):
        ran = cast("RunAnswer", answer)
        if len(ran.out) > request.limit or len(ran.err) > request.limit:
            out, err = ran.out[: request.limit], ran.err[: request.limit]
            detail = f"more than {request.limit} bytes"
            return replace(ran, code=None, out=out, err=err, trouble=Failure.FLOOD, detail=detail)
    elif isinstance(request, Get):
        got = cast("GetAnswer", answer)
        if len(got.data) > request.limit:
            detail = f"more than {request.limit} bytes"
            return replace(got, data=got.data[: request.limit], trouble=Failure.FLOOD, detail=detail)
    elif isinstance(request, Read):
        read = cast("ReadAnswer", answer)
        if read.data is not None and len(read.data) > request.limit:
            detail = f"{request.path}: more than {request.limit} bytes"
            return replace(read, data=read.data[: request.limit], trouble=Failure.FLOOD, detail=detail)
    return answer
