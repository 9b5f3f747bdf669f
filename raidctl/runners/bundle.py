r"""One script for all reading requests of a round. The module also parses its reply. Pure.

Its parts run in parallel on the remote machine: all files in one, each program in one. The outputs of a part are
kept there until it has ended, and sent as one frame, so a part that hangs delays no other::

    mark#NUMBER LENGTH LENGTH\n  standard output  standard error  mark;

The lengths count, not what is in between. Within its outputs a part has the frames of :mod:`raidctl.runners.remote`,
which show whether they are complete.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from raidctl.request import Answer, Failure, Request, Run, RunAnswer
from raidctl.runners import remote
from raidctl.runners.answers import answer_of
from raidctl.runners.process import LINGER
from raidctl.runners.shell import BUNDLE

FILES = 0
"""Number of the part with all files. For a program, it is the index of its request plus one."""
END = "~."
"""After the mark: the end of the script, on both outputs."""
_BLOCK = 512
_LANES = 8
"""Programs at a time."""


def script(
    files: Sequence[Request[Any]], programs: Mapping[int, Run], chains: Sequence[Sequence[int]], mark: str
) -> bytes:
    """Return the script of a round.

    Args:
        files: Read, Glob and Which requests.
        programs: Programs without input that change nothing, by their numbers, from 1.
        chains: The numbers that run one after the other.
        mark: 128 unpredictable bits, as text.
    """
    lines = [f"linger={2 * LINGER:g}", f"left={len(programs) + bool(files)}"]
    blocks: dict[int, int] = {}
    if files:
        lines += ["requests() {", *remote.file_lines(files), "}", f"part_{FILES}() {{ files; }}"]
        blocks[FILES] = remote.answer_size(files)
    for number, request in programs.items():
        lines += [f"settings_{number}() {{", *remote.program_lines(request, mark), "}"]
        lines.append(f"part_{number}() {{ number={number}; program; }}")
        blocks[number] = request.limit + remote.SLACK
    begin = {number: f"begin {number} {size // _BLOCK + 1}" for number, size in blocks.items()}
    lanes = lanes_of(chains)
    lines += [
        "next() {",
        "case $1 in",
        *(f"{one}) {begin[two]} ;;" for lane in lanes for one, two in pairwise(lane)),
    ]
    lines += ["esac", "}", *([begin[FILES]] if files else []), *(begin[lane[0]] for lane in lanes)]
    return remote.script(BUNDLE, mark, lines)


def lanes_of(chains: Sequence[Sequence[int]]) -> list[list[int]]:
    """Distribute chains over at most `_LANES` sequences. The next one always goes to the shortest."""
    lanes: list[list[int]] = [[] for _ in range(min(_LANES, len(chains)))]
    for chain in chains:
        min(lanes, key=len).extend(chain)
    return lanes


def frames(out: bytes, mark: str) -> dict[int, tuple[bytes, bytes]]:
    """Return both outputs of each part that arrived completely."""
    found: dict[int, tuple[bytes, bytes]] = {}
    head = re.compile(re.escape(mark.encode()) + rb"#(\d{1,6}) (\d{1,12}) (\d{1,12})\n")
    place = 0
    while match := head.search(out, place):
        number, first, second = map(int, match.groups())
        middle = match.end() + first
        place = middle + second
        if out[place : place + len(mark) + 1] != f"{mark};".encode():
            break
        found[number] = out[match.end() : middle], out[middle:place]
    return found


def program_answer(outputs: tuple[bytes, bytes], mark: str, request: Run) -> RunAnswer | None:
    """Return a program's answer. None if its outputs could not be kept completely on the remote machine."""
    out, err = outputs
    end = f"{mark}.".encode()
    if end in out and end in err:
        return remote.read_program(RunAnswer(out=f"{mark}!".encode() + out, err=err), mark, request)
    start = f"{mark}<".encode()
    kept = [one.partition(start)[2].partition(end)[0] for one in outputs]
    if sum(map(len, kept)) <= request.limit:
        return None
    return remote.bounded(RunAnswer(out=kept[0], err=kept[1].partition(f"{mark}>".encode())[0]), request)


def lost(request: Request[Any], answer: RunAnswer, patience: float) -> Answer:
    """Return the failure of a request whose part did not arrive."""
    if answer.trouble is Failure.TIMEOUT:
        return answer_of(request, Failure.TIMEOUT, f"not done after {patience:g} s; its connection was ended")
    detail = answer.detail or "the connection broke before the answer"
    return answer_of(request, answer.trouble or Failure.FAILED, detail)
