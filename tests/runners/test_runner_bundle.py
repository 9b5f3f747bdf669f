"""One script for a round, on the shells that are there. Also tested is how its answer is read, and how it is cut."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
)
from raidctl.runners import bundle, process, remote
from raidctl.runners.process import Bounds
from tests.runners.conftest import MakeServer, Server
from tests.support.waiting import PATIENCE

MARK = "raidctl-0123456789abcdef"
SHELLS = [
    argv for argv in (["dash", "-s"], ["bash", "-s"], ["bash", "--posix", "-s"], ["busybox", "sh", "-s"])
    if shutil.which(argv[0])
]  # fmt: skip


def reply(shell: list[str], files: list[Request[Any]], programs: dict[int, Run], chains: list[list[int]]) -> RunAnswer:
    """What a shell answers to a script."""
    script = bundle.script(files, programs, chains, MARK)
    bounds = Bounds(feed=script, until=f"{MARK}{bundle.END}".encode(), seconds=PATIENCE, size=1 << 26)
    return process.run(shell, environment={"PATH": "/usr/bin:/bin", "IFS": "x", "number": "9"}, bounds=bounds)


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_a_round_through_each_shell(shell: list[str], tmp_path: Path) -> None:
    """Every file and program outcome is the same on every shell. Nothing is left behind."""
    data = bytes(range(256)) * 50 + f"{MARK}#1 5 5\n".encode()
    (tmp_path / "data").write_bytes(data)
    files: list[Request[Any]] = [Read(f"{tmp_path}/data"), Read("/none"), Glob(f"{tmp_path}/d*")]
    written = f"until [ -s {tmp_path}/pid ]; do sleep 0.1; done"
    programs = {
        4: Run(("sh", "-c", "printf out; printf err >&2; exit 3")),
        5: Run(("raidctl-none",)),
        6: Run(("cat", f"{tmp_path}/data")),
        7: Run(("sh", "-c", "exec yes"), limit=100_000),
        8: Run(("sleep", "60"), timeout=1.0),
        9: Run(
            (
                "sh",
                "-c",
                f"setsid sh -c 'echo $$ >{tmp_path}/pid; exec sleep 60' & echo begun; {written}",
            )
        ),
        10: Run(
            ("sh", "-c", f"mkdir {tmp_path}/busy && sleep 0.2 && rmdir {tmp_path}/busy"), lock="raidctl-test-round"
        ),
        11: Run(("sh", "-c", f"mkdir {tmp_path}/busy && pwd && rmdir {tmp_path}/busy"), lock="raidctl-test-round"),
    }
    answer = reply(shell, files, programs, [[4], [5], [6], [7], [8], [9], [10, 11]])
    (pid,) = map(int, (tmp_path / "pid").read_text().split())
    os.kill(pid, 9)  # it had left its session and held an output
    frames = bundle.frames(answer.out, MARK)
    assert set(frames) == {bundle.FILES, *programs}
    read = remote.read_files(frames[bundle.FILES][0], MARK, files, Answer())
    assert read[0] == ReadAnswer(data=data)
    assert [one.trouble for one in read] == [None, Failure.MISSING, None]
    assert read[2] == GlobAnswer(paths=(f"{tmp_path}/data",))
    found = {number: bundle.program_answer(frames[number], MARK, one) for number, one in programs.items()}
    assert found[4] == RunAnswer(code=3, out=b"out", err=b"err")
    assert found[6] == RunAnswer(code=0, out=data)
    assert [getattr(found[number], "trouble", 0) for number in (5, 7, 8, 9)] == [
        Failure.MISSING, Failure.FLOOD, Failure.TIMEOUT, None,
    ]  # fmt: skip
    assert (found[7] or RunAnswer()).out == b"y\n" * 50_000
    assert (found[9] or RunAnswer()).out == b"begun\n"
    assert [getattr(found[number], "code", None) for number in (10, 11)] == [0, 0]
    assert not Path((found[11] or RunAnswer()).text.strip()).exists()


ROUND = {1: Run(("a",)), 2: Run(("b",))}
WHOLE = b"".join(
    f"{MARK}#{number} {len(out)} {len(err)}\n".encode() + out + err + f"{MARK};".encode()
    for number, out, err in (
        (0, f"{MARK}<text{MARK}>0 {MARK}<{MARK}>1 head: /d: Permission denied{MARK}.".encode(), b""),
        (2, f"{MARK}<out{MARK}.".encode(), f"{MARK}<err{MARK}>code 0{MARK}.".encode()),
        (1, f"{MARK}<{MARK}.".encode(), f"{MARK}<{MARK}>missing{MARK}.".encode()),
    )
)


def test_a_round_that_is_cut_loses_answers_and_invents_none() -> None:
    """Cut at any byte, a part is unchanged or not there. Nothing becomes missing or empty by the cut."""
    expected = {2: RunAnswer(code=0, out=b"out", err=b"err"), 1: RunAnswer(trouble=Failure.MISSING)}
    for end in range(len(WHOLE) + 1):
        frames = bundle.frames(b"hello" + WHOLE[:end], MARK)
        for number, one in frames.items():
            if number:
                got = bundle.program_answer(one, MARK, ROUND[number])
                assert got is not None
                assert (got.trouble, got.out) == (expected[number].trouble, expected[number].out)
        assert len(frames) == sum(WHOLE[:end].count(f"{MARK};".encode()) for _ in (0,))
    assert bundle.lost(ROUND[1], RunAnswer(code=255), 5.0).trouble is Failure.FAILED
    assert bundle.lost(ROUND[1], RunAnswer(trouble=Failure.TIMEOUT), 5.0).trouble is Failure.TIMEOUT


def test_outputs_that_could_not_be_kept_are_no_answer() -> None:
    """An output without its end is requested again.

    A full file system cut it. This holds however plausible its beginning is.
    """
    out, err = f"{MARK}<out{MARK}.".encode(), f"{MARK}<{MARK}>code 0{MARK}.".encode()
    assert bundle.program_answer((out, err), MARK, ROUND[1]) == RunAnswer(code=0, out=b"out")
    for end in range(len(out)):
        assert bundle.program_answer((out[:end], err), MARK, ROUND[1]) is None
    for end in range(len(err)):
        assert bundle.program_answer((out, err[:end]), MARK, ROUND[1]) is None


@given(
    st.lists(
        st.sampled_from([b"#", b";", b"<", b">", b".", b"~.", MARK.encode(), b"0 3 4\n", b"1", b"\0"]) | st.binary()
    )
)
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read_without_a_crash(parts: list[bytes]) -> None:
    """Whatever a remote machine sends, its parts have the announced lengths."""
    for out, err in bundle.frames(b"".join(parts), MARK).values():
        bundle.program_answer((out, err), MARK, ROUND[1])


@given(st.lists(st.integers(1, 4), max_size=30))
def test_chains_stay_in_order_in_at_most_eight_lanes(lengths: list[int]) -> None:
    """Each program is in one lane, and chains keep their order."""
    numbers = iter(range(1, 200))
    chains = [[next(numbers) for _ in range(length)] for length in lengths]
    lanes = bundle.lanes_of(chains)
    assert sorted(number for lane in lanes for number in lane) == [number for chain in chains for number in chain]
    assert len(lanes) <= 8
    for chain in chains:
        [lane] = [lane for lane in lanes if chain[0] in lane]
        assert [number for number in lane if number in chain] == chain


# Over ssh


@pytest.mark.slow
def test_a_round_is_one_session(make_server: MakeServer, tmp_path: Path) -> None:
    """One shell serves files, programs, locks and the udev database. It keeps the order of the requests."""
    server = make_server(f'ForceCommand echo . >>{tmp_path}/sessions; eval "$SSH_ORIGINAL_COMMAND"')
    requests: list[Request[Any]] = [
        *(Run(("echo", str(number)), lock=f"raidctl-test-{number % 3}") for number in range(20)),
        UdevDatabase(), Read("/proc/sys/kernel/ostype"), Which("sh"), Run(("sh", "-c", "kill -9 $$")),
    ]  # fmt: skip
    requests = requests[::2] + requests[1::2]
    with server.runner() as runner:
        assert runner.connect().fine
        answers = runner.carry_out(requests)
    assert (tmp_path / "sessions").read_text().count(".") == 2  # that of the connection, and one for all
    for request, answer in zip(requests, answers, strict=True):
        if isinstance(request, Run) and request.lock:
            assert answer == RunAnswer(code=0, out=request.argv[1].encode() + b"\n")
        elif isinstance(request, Run):
            assert isinstance(answer, RunAnswer)
            assert answer.code == 137
    assert ReadAnswer(data=b"Linux\n") in answers


@pytest.mark.slow
def test_without_a_place_for_outputs_each_program_has_a_session(make_server: MakeServer, tmp_path: Path) -> None:
    """Every file system is full or read-only: slower, and the same answers."""
    (tmp_path / "mkfifo").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "mkfifo").chmod(0o755)
    server = make_server(f'ForceCommand PATH={tmp_path}:$PATH; eval "$SSH_ORIGINAL_COMMAND"')
    with server.runner() as runner:
        answers = runner.carry_out([Run(("echo", "a")), Read("/proc/sys/kernel/ostype"), Run(("sh", "-c", "exit 3"))])
    assert answers == (RunAnswer(code=0, out=b"a\n"), ReadAnswer(data=b"Linux\n"), RunAnswer(code=3))


@pytest.mark.slow
def test_a_part_that_changes_is_never_in_a_round(server: Server, tmp_path: Path) -> None:
    """A change runs in a separate session. Requests with its lock follow it in order."""
    requests: list[Request[Any]] = [
        Run(("echo", "a")), Run(("touch", f"{tmp_path}/x"), changes=True, lock="raidctl-test-order"),
        Run(("cat",), feed=b"fed\n"), Read("/none"), Run(("ls", f"{tmp_path}"), lock="raidctl-test-order"),
    ]  # fmt: skip
    with server.runner() as runner:
        answers = runner.carry_out(requests)
    assert [getattr(one, "out", None) for one in answers] == [b"a\n", b"", b"fed\n", None, b"x\n"]
