"""Scripts for a shell on another machine. The module also parses its replies. Pure.

The scripts are for any POSIX ``/bin/sh`` (dash, bash, busybox) and are sent to its standard input, so that neither
the login shell nor a limit on arguments matters. After the script the input stays open: its end makes the remote
side end the program, as nothing waits for it any longer.

Answers are framed by an unpredictable mark: ``mark!`` when the shell begins, ``mark<`` data ``mark>`` status, and
``mark.`` at the end. Text before the first mark is the login shell's greeting.
"""

from __future__ import annotations

import fnmatch
import math
import os
import re
import shlex
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from raidctl.request import (
    DEFAULT_LIMIT,
    Answer,
    Failure,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    Which,
    WhichAnswer,
    decode,
)
from raidctl.runners.answers import NO_VALUE, answer_of
from raidctl.runners.locks import busy_text, file_name
from raidctl.runners.process import GRACE, LINGER
from raidctl.runners.shell import FILES, PROGRAM

SLACK = 8192
"""Bytes allowed for greetings and marks in addition to the answer."""


def files_script(requests: Sequence[Request[Any]], mark: str) -> bytes:
    """Return the script for any number of Read, Glob and Which requests."""
    return script(FILES, mark, file_lines(requests))


def program_script(request: Run, mark: str) -> bytes:
    """Return the script that runs one program."""
    return script(PROGRAM, mark, program_lines(request, mark))


def program_lines(request: Run, mark: str) -> list[str]:
    """Return the lines that define one program: its limits, and its start."""
    words = [f"{name}={shlex.quote(value)}" for name, value in request.environment]
    words += [shlex.quote(word) for word in request.argv]
    settings = {
        "seconds": f"{request.timeout:.3f}",
        "whole_seconds": str(max(1, math.ceil(request.timeout))),
        "changes": "yes" if request.changes else "",
        "lock": shlex.quote(file_name(request.lock)) if request.lock is not None else "",
        "linger": str(math.ceil(LINGER)),
        "grace": str(math.ceil(GRACE)),
        "program": shlex.quote(request.argv[0]),
    }
    lines = [f"{name}={value}" for name, value in settings.items()]
    # a here-document: what a program reads is in no command line, where other users could see it
    end = f"{mark}-feed"
    source = f"<<'{end}'" if request.feed else "</dev/null"
    lines.append(f"start() {{ $group env -i {BASE} {' '.join(words)} {source} 2>&5 3<&- 5>&- 9>&- &")
    lines += [f"{os.fsdecode(request.feed)}{end}"] if request.feed else []
    return [*lines, "}"]


def unfit_feed(feed: bytes) -> str:
    """Return why a program's input cannot be sent through a shell. Empty if it can, or if there is none."""
    if b"\0" in feed:
        return "its input contains a NUL, which no shell can send"
    return "its input does not end with a line feed" if feed and not feed.endswith(b"\n") else ""


BASE = 'PATH="$PATH" LC_ALL=C LANG=C HOME="$box/work" TMPDIR="$box/work"'


def script(body: str, mark: str, lines: Sequence[str]) -> bytes:
    """Return a script with its lines filled in, for a shell's input."""
    # as a function: the shell has read all of it before the first command runs, so none of it is taken as input
    text = "\n".join(
        (
            "main() {",
            f"mark={mark}",
            "printf '%s!' \"$mark\"",
            body.replace("@LINES@", "\n".join(lines)),
            "}",
            "main",
            "exit",
            "",
        )
    )
    return os.fsencode(text)


_KERNEL = ("/proc/", "/sys/")
"""Directories of small files. A process for each file would cost more than everything else."""


def file_lines(requests: Sequence[Request[Any]]) -> list[str]:
    """Return the shell's lines for Read, Glob and Which requests.

    Files of the kernel come first, together, then the rest.
    """
    few = 2
    kernel = {
        number: shlex.quote(request.path)
        for number, request in enumerate(requests)
        if isinstance(request, Read) and request.path.startswith(_KERNEL)
    }
    lines = []
    if len(kernel) > few:
        lines = ["divide /dev/shm /run /tmp /var/tmp", "set --"]
        lines += [f'sure {number} {path} && set -- "$@" {path} "$sep"' for number, path in kernel.items()]
        lines.append('together "$@"')
    return [*lines, *(f"single {number} {_file_line(request)}" for number, request in enumerate(requests))]


def _file_line(request: Request[Any]) -> str:
    if isinstance(request, Read):
        return f"take {request.limit + 1} {shlex.quote(request.path)}"
    if isinstance(request, Glob):
        return f"list {pattern_words(request.pattern)}"
    if isinstance(request, Which):
        return "seek " + " ".join(shlex.quote(word) for word in (request.name, *request.places))
    return f"unknown {shlex.quote(type(request).__name__)}"


def pattern_words(pattern: str) -> str:
    """Quote a pattern for the shell, except ``*`` and ``?``. A class becomes ``?``, and :func:`matches` decides."""
    parts = re.split(r"([*?]|\[!?\]?[^\]/]*\])", pattern)
    return "".join(
        ("?" if part.startswith("[") else part) if index % 2 else shlex.quote(part) if part else ""
        for index, part in enumerate(parts)
    )


def matches(path: str, pattern: str) -> bool:
    """Whether a path matches a pattern, component by component."""
    names, patterns = path.split("/"), pattern.split("/")
    return len(names) == len(patterns) and all(map(fnmatch.fnmatchcase, names, patterns))


def read_files(out: bytes, mark: str, requests: Sequence[Request[Any]], otherwise: Answer) -> list[Answer]:
    """Parse the answers of a files script. Missing answers get the failure of ``otherwise``."""
    start = mark.encode() + b"<"
    together, rest = _together(out, mark)
    frames = iter(rest.partition(mark.encode() + b".")[0].split(start)[1:])
    answers: list[Answer] = []
    for index, request in enumerate(requests):
        if index in together and isinstance(request, Read):
            text = together[index]
            lost = answer_of(request, otherwise.trouble or Failure.FAILED, otherwise.detail)
            answers.append(lost if text is None else _read_answer(request, text, "0", ""))
            continue
        frame = next(frames, b"")
        data, middle, status = frame.partition(mark.encode() + b">")
        if middle:
            answers.append(_file_answer(request, data, decode(status).strip()))
        else:
            answers.append(answer_of(request, otherwise.trouble or Failure.FAILED, otherwise.detail))
    return answers


def _together(out: bytes, mark: str) -> tuple[dict[int, bytes | None], bytes]:
    """Return the files read together, by number, and the remaining output.

    None: the beginning of a file cannot be determined.
    """
    begin, end, part = (mark.encode() + sign for sign in (b"[", b"]", b"|"))
    _, begun, after = out.partition(begin)
    whole, ended, rest = after.partition(end)
    if not begun or not ended:
        return {}, b"" if begun else out
    numbers, _, text = whole.partition(b"\n")
    parts: list[bytes] = text.split(part)
    if not rest.startswith(b"0"):
        return {}, rest
    known = [int(number) for number in numbers.split()]
    if len(parts) != len(known) + 1 or parts[-1]:
        return dict.fromkeys(known), rest
    return dict(zip(known, parts, strict=False)), rest


def _file_answer(request: Request[Any], data: bytes, status: str) -> Answer:
    code, _, message = status.partition(" ")
    if isinstance(request, Read):
        return _read_answer(request, data, code, message)
    if isinstance(request, Glob):
        paths = (os.fsdecode(path) for path in data.split(b"\0") if path)
        return GlobAnswer(paths=tuple(sorted(path for path in paths if matches(path, request.pattern))))
    if isinstance(request, Which):
        path = os.fsdecode(data)
        if not path:
            return WhichAnswer(trouble=Failure.MISSING, detail=f"{request.name} is not installed")
        return WhichAnswer(path=path)
    return answer_of(request, Failure.FAILED, f"no runner supports a request like {type(request).__name__}")


def _read_answer(request: Read, data: bytes, code: str, message: str) -> ReadAnswer:
    if code == "0" and len(data) <= request.limit:
        return ReadAnswer(data=data)
    if code == "0":
        detail = f"{request.path}: more than {request.limit} bytes"
        return ReadAnswer(trouble=Failure.FLOOD, detail=detail, data=data[: request.limit])
    # head: cannot open '/sys/kernel/example' for reading: Permission denied
    reason = message.strip().rpartition(": ")[2]
    trouble = Failure.MISSING if reason in _NO_VALUE else _of_message(message)
    return ReadAnswer(trouble=trouble, detail=f"{request.path}: {reason}")


_NO_VALUE = {os.strerror(number) for number in NO_VALUE}


def _of_message(message: str) -> Failure:
    """Return the failure of the system's message (C locale)."""
    reason = message.strip().rpartition(": ")[2]
    if reason in {"No such file or directory", "Not a directory"}:
        return Failure.MISSING
    if reason in {"Permission denied", "Operation not permitted"}:
        return Failure.DENIED
    return Failure.FAILED


def answer_size(requests: Sequence[Request[Any]]) -> int:
    """Return the size limit in bytes of a files script's answer."""
    return (
        sum(request.limit + 512 if isinstance(request, Read) else DEFAULT_LIMIT // 16 for request in requests) + SLACK
    )


def began(answer: RunAnswer, mark: str) -> bool:
    """Whether the remote shell has begun to read its script."""
    return f"{mark}!".encode() in answer.out


def read_program(answer: RunAnswer, mark: str, request: Run) -> RunAnswer | None:
    """Parse the remote program's answer; None if the remote shell never started.

    Args:
        answer: The ssh client's answer.
        mark: The mark of the script.
        request: The request.
    """
    start, middle, end = (mark.encode() + sign for sign in (b"<", b">", b"."))
    _, _, out = answer.out.partition(start)
    _, _, err = answer.err.partition(start)
    out = out.partition(end)[0]
    err, trailer, status = err.partition(middle)
    if not began(answer, mark):
        return None
    found = RunAnswer(out=out, err=err)
    if trailer:
        return bounded(_finished(found, decode(status.partition(end)[0]).strip(), request), request)
    if answer.trouble is None:
        lost = decode(err).strip()[-400:]
        return replace(found, trouble=Failure.FAILED, detail=f"the connection broke while it ran: {lost}".rstrip(": "))
    return bounded(replace(found, trouble=answer.trouble, detail=_detail(answer, request)), request)


def _detail(answer: RunAnswer, request: Run) -> str:
    if answer.trouble is Failure.TIMEOUT:
        return f"not done after {request.timeout:g} s; its connection was ended"
    return f"printed more than {request.limit} bytes; ended" if answer.trouble is Failure.FLOOD else answer.detail


def _never_started(found: RunAnswer, name: str) -> RunAnswer | None:
    """Return the failure of a program that ``env`` could not start. Its message distinguishes it from an exit code."""
    # env: 'example': No such file or directory
    failed = re.fullmatch(rb"env: [^\n]*" + re.escape(os.fsencode(name)) + rb"'?: ([A-Z][^:\n]+)\n?", found.err)
    if found.out or not failed:
        return None
    reason = decode(failed[1])
    return RunAnswer(trouble=_of_message(reason), detail=f"{name}: {reason}")


def _finished(found: RunAnswer, status: str, request: Run) -> RunAnswer:
    """Return the answer by the script's status: ``code 0``, ``missing``, ``denied``, ``late``, ``busy 123`` …."""
    word, _, rest = status.partition(" ")
    name = request.argv[0]
    if word == "code" and rest.isdecimal():
        if rest in {"126", "127"} and (never := _never_started(found, name)):
            return never
        return replace(found, code=int(rest))
    if word == "missing":
        return RunAnswer(trouble=Failure.MISSING, detail=f"{name}: No such file or directory")
    if word == "denied":
        return RunAnswer(trouble=Failure.DENIED, detail=f"{name}: Permission denied")
    if word == "late":
        return replace(found, trouble=Failure.TIMEOUT, detail=f"not done after {request.timeout:g} s; ended")
    if word == "busy":
        return RunAnswer(trouble=Failure.TIMEOUT, detail=busy_text(request.lock or "", request.timeout, rest))
    return replace(found, trouble=Failure.FAILED, detail=rest or "the remote shell reported no result")


def bounded(answer: RunAnswer, request: Run) -> RunAnswer:
    """Cut an answer to the limit; a longer one is FLOOD."""
    if len(answer.out) + len(answer.err) <= request.limit:
        return answer
    out = answer.out[: request.limit]
    err = answer.err[: request.limit - len(out)]
    if answer.trouble is not None:
        return replace(answer, out=out, err=err)
    detail = f"printed more than {request.limit} bytes; ended"
    return RunAnswer(trouble=Failure.FLOOD, detail=detail, out=out, err=err)
