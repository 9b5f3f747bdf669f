"""The scripts for the far side on the shells that are there. How their answers are read is also tested."""

from __future__ import annotations

import os
import shutil
import time
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
    Which,
    WhichAnswer,
)
from raidctl.runners import process, remote
from raidctl.runners.process import Bounds
from tests.support.waiting import PATIENCE

MARK = "raidctl-0123456789abcdef"
SHELLS = [
    argv
    for argv in (["dash", "-s"], ["bash", "-s"], ["bash", "--posix", "-s"], ["busybox", "sh", "-s"])
    if shutil.which(argv[0])
]
FAR: list[Request[Any]] = [Read("/a"), Glob("/b*"), Which("c"), Read("/d", 3)]


@pytest.fixture(params=SHELLS, ids=" ".join)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    """A shell and its environment. Busybox uses its own small programs and none of the large ones."""
    argv: list[str] = request.param
    path = "/usr/bin:/bin"
    if argv[0] == "busybox":
        busybox = shutil.which("busybox") or ""
        names = process.run([busybox, "--list"], environment={}).text.split()
        (tmp_path / "bin").mkdir()
        for name in names:
            (tmp_path / "bin" / name).symlink_to(busybox)
        path = f"{tmp_path}/bin:{path}"
    return argv, {"PATH": path, "known": "polluted", "IFS": "x"}


def far(shell: tuple[list[str], dict[str, str]], request: Run) -> RunAnswer:
    """The answer of one program through a shell."""
    script = remote.program_script(request, MARK)
    bounds = Bounds(feed=script, until=f"{MARK}.".encode(), seconds=PATIENCE)
    answer = process.run(shell[0], environment=shell[1], bounds=bounds)
    found = remote.read_program(answer, MARK, request)
    assert found is not None, answer
    return found


def test_a_program_through_each_shell(shell: tuple[list[str], dict[str, str]]) -> None:
    """Outputs, exit code, signals, words: the same on every shell."""
    text = "printf out; printf err >&2; exit 3"
    assert far(shell, Run(("sh", "-c", text))) == RunAnswer(code=3, out=b"out", err=b"err")
    crash = far(shell, Run(("sh", "-c", "kill -s SEGV $$")))
    assert (crash.code, crash.err) == (139, b"")
    words = ("it's", "$HOME", "a\nb", "\\", "*", "")
    expected = b"".join(os.fsencode(word) + b"." for word in words)
    assert far(shell, Run(("printf", "%s.", *words))).out == expected
    assert far(shell, Run(("env",), environment=(("A", "it's"),))).text.count("\n") == 6
    assert far(shell, Run(("wc", "-c"))).text.strip() == "0"


def test_a_program_that_does_not_start_through_each_shell(
    shell: tuple[list[str], dict[str, str]], tmp_path: Path
) -> None:
    """Missing and not executable are reported, by name and by path."""
    plain = tmp_path / "plain file"
    plain.touch(mode=0o644)
    assert far(shell, Run(("raidctl-none",))).trouble is Failure.MISSING
    assert far(shell, Run(("/no/such/tool",))).trouble is Failure.MISSING
    assert far(shell, Run((str(plain),))).trouble is Failure.DENIED
    assert far(shell, Run(("a=b",))).trouble is Failure.MISSING
    assert far(shell, Run((f"{tmp_path}/a=b",))).trouble is Failure.FAILED
    assert far(shell, Run(("sh", "-c", "exit 127"))).code == 127


def test_an_input_through_each_shell(shell: tuple[list[str], dict[str, str]]) -> None:
    """The input of a program arrives unchanged. Input that no shell can send is refused beforehand."""
    text = b'label: gpt\n/dev/sdb1 : start=2048, name="it\'s $HOME"\n' + bytes(range(128, 256)) + b"\n" * 3
    assert far(shell, Run(("cat",), feed=text)).out == text
    assert far(shell, Run(("sha256sum",), feed=b"x\n" * 100_000)).code == 0
    assert (remote.unfit_feed(text), remote.unfit_feed(b"")) == ("", "")
    assert all(map(remote.unfit_feed, (b"a\0\n", b"no line feed")))


@pytest.mark.slow
def test_a_time_limit_through_each_shell(shell: tuple[list[str], dict[str, str]]) -> None:
    """The far side's own limit ends the program with its children. Its output is kept."""
    began = time.monotonic()
    late = far(shell, Run(("sh", "-c", "echo begun; sleep 60 & wait"), timeout=2.0))
    assert (late.trouble, late.out) == (Failure.TIMEOUT, b"begun\n")
    assert time.monotonic() - began < 50


def test_a_lock_through_each_shell(shell: tuple[list[str], dict[str, str]]) -> None:
    """A program with a free lock runs at once."""
    assert far(shell, Run(("echo", "x"), lock="raidctl-test/shells")).out == b"x\n"


def test_files_through_each_shell(shell: tuple[list[str], dict[str, str]], tmp_path: Path) -> None:
    """Files, patterns and programs: the same on every shell."""
    data = bytes(range(256)) + b"\n\n"
    (tmp_path / "it's").write_bytes(data)
    (tmp_path / "x\ny").touch()
    kernel: list[Request[Any]] = [
        Read(f"/proc/sys/kernel/{name}") for name in ("ostype", "osrelease", "none", "pid_max")
    ]
    for more in ([], [Read("/sys/class/net/lo/speed")]):  # this one cannot be read: then each is read separately
        script = remote.files_script([*kernel, *more], MARK)
        answer = process.run(shell[0], environment=shell[1], bounds=Bounds(feed=script, seconds=PATIENCE))
        found = remote.read_files(answer.out, MARK, [*kernel, *more], Answer())
        assert found[0] == ReadAnswer(data=b"Linux\n")
        assert found[1] == ReadAnswer(data=Path("/proc/sys/kernel/osrelease").read_bytes())
        assert [one.trouble for one in found[2:4]] == [Failure.MISSING, None]
        assert all(one.trouble in {Failure.MISSING, Failure.FAILED} for one in found[4:])
        assert found[3] == ReadAnswer(data=Path("/proc/sys/kernel/pid_max").read_bytes())
    requests: list[Request[Any]] = [
        Read(f"{tmp_path}/it's"),
        Read(f"{tmp_path}/none"),
        Read(f"{tmp_path}"),
        Read(f"{tmp_path}/it's", 10),
        Glob(f"{tmp_path}/[ix]*[sy]"),
        Which("sh"),
        Which("raidctl-none", ("/none", "/bin/sh")),
        Which("raidctl-none"),
    ]
    bounds = Bounds(feed=remote.files_script(requests, MARK), until=None, seconds=PATIENCE)
    answer = process.run(shell[0], environment=shell[1], bounds=bounds)
    found = remote.read_files(answer.out, MARK, requests, Answer())
    assert found[0] == ReadAnswer(data=data)
    assert [one.trouble for one in found[1:4]] == [Failure.MISSING, Failure.FAILED, Failure.FLOOD]
    assert found[4] == GlobAnswer(paths=(f"{tmp_path}/it's", f"{tmp_path}/x\ny"))
    assert isinstance(found[5], WhichAnswer)
    assert (found[5].path or "").startswith("/")
    assert found[6] == WhichAnswer(path=os.path.realpath("/bin/sh"))
    assert found[7].trouble is Failure.MISSING


# Reading, on bytes alone

WHOLE = (
    f"hello{MARK}<text{MARK}>0 {MARK}</b1\0/c\0{MARK}>0{MARK}<{MARK}>0"
    f"{MARK}<{MARK}>1 head: /d: Permission denied{MARK}."
).encode()


def test_frames_are_read() -> None:
    """Each frame answers its request. A path that does not match is dropped."""
    found = remote.read_files(WHOLE, MARK, FAR, Answer())
    assert found[0] == ReadAnswer(data=b"text")
    assert found[1] == GlobAnswer(paths=("/b1",))
    assert [one.trouble for one in found] == [None, None, Failure.MISSING, Failure.DENIED]


TOGETHER: list[Request[Any]] = [Read("/proc/a"), Glob("/b*"), Read("/sys/empty"), Read("/etc/d"), Read("/proc/e", 3)]
AT_ONCE = f"{MARK}[ 0 2 4\naa{MARK}|{MARK}|eeeee{MARK}|{MARK}]0{MARK}</b1\0{MARK}>0{MARK}<dd{MARK}>0 {MARK}.".encode()
BY_THEMSELVES = (
    f"{MARK}[ 0 2 4\naa{MARK}|{MARK}]1{MARK}<aa{MARK}>0 {MARK}</b1\0{MARK}>0{MARK}<{MARK}>0 {MARK}<dd{MARK}>0 "
    f"{MARK}<eeee{MARK}>0 {MARK}."
).encode()


@pytest.mark.parametrize("whole", [AT_ONCE, BY_THEMSELVES], ids=["at once", "after an error"])
def test_files_of_the_kernel_that_come_together(whole: bytes) -> None:
    """A whole answer has each file. After a cut at any byte, each is intact or not read, never empty or another's."""
    found = remote.read_files(whole, MARK, TOGETHER, Answer())
    assert found[:4] == [
        ReadAnswer(data=b"aa"),
        GlobAnswer(paths=("/b1",)),
        ReadAnswer(data=b""),
        ReadAnswer(data=b"dd"),
    ]
    assert found[4].trouble is Failure.FLOOD
    for end in range(len(whole)):
        cut = remote.read_files(whole[:end], MARK, TOGETHER, Answer(trouble=Failure.FAILED, detail="broke"))
        for one, expected in zip(cut, found, strict=True):
            assert one == expected or one.trouble is Failure.FAILED, end


def test_a_division_that_does_not_fit_loses_only_its_files() -> None:
    """The answers behind it stay at the places of their requests."""
    found = remote.read_files(AT_ONCE.replace(b"aa", f"a{MARK}|a".encode(), 1), MARK, TOGETHER, Answer())
    assert [one.trouble for one in found] == [Failure.FAILED, None, Failure.FAILED, None, Failure.FAILED]
    assert found[3] == ReadAnswer(data=b"dd")


def test_a_broken_answer_is_never_taken_for_a_whole_one() -> None:
    """After a cut at any byte, each answer has its request's class.

    A missing part is a failure, never an empty file.
    """
    for end in range(len(WHOLE)):
        found = remote.read_files(WHOLE[:end], MARK, FAR, Answer(trouble=Failure.FAILED, detail="broke"))
        assert [type(one) for one in found] == [ReadAnswer, GlobAnswer, WhichAnswer, ReadAnswer], end
        assert isinstance(found[0], ReadAnswer)
        assert found[0].data in {None, b"text"}, end
        assert isinstance(found[1], GlobAnswer)
        assert found[1].paths == ("/b1",) or found[1].trouble is Failure.FAILED, end


@given(st.binary(max_size=300), st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read_without_a_crash(out: bytes, err: bytes) -> None:
    """Any output of a remote machine gives an answer."""
    parts = (b"<", b">", b".")
    for left, right in ((out, err), *((sign + out, sign + err) for sign in parts)):
        framed = RunAnswer(code=0, out=MARK.encode() + left, err=MARK.encode() + b"<" + MARK.encode() + right)
        remote.read_program(framed, MARK, Run(("tool",)))
        assert len(remote.read_files(framed.out, MARK, FAR, Answer())) == len(FAR)


def test_a_status_that_nobody_knows_is_a_failure() -> None:
    """A program without the far shell's account has not run well."""
    framed = RunAnswer(code=0, out=f"{MARK}!{MARK}<{MARK}.".encode(), err=f"{MARK}<{MARK}>strange{MARK}.".encode())
    found = remote.read_program(framed, MARK, Run(("tool",)))
    assert found is not None
    assert found.trouble is Failure.FAILED


def test_a_broken_connection_is_no_result() -> None:
    """Without the end, the answer is FAILED with the client's words. The received part is kept."""
    closed = f"{MARK}<Connection to host closed.\n".encode()
    framed = RunAnswer(code=255, out=f"{MARK}!{MARK}<half".encode(), err=closed)
    found = remote.read_program(framed, MARK, Run(("tool",)))
    assert found is not None
    assert (found.trouble, found.code, found.out) == (Failure.FAILED, None, b"half")
    assert "closed" in found.detail
    assert remote.read_program(RunAnswer(code=255, err=b"refused"), MARK, Run(("tool",))) is None


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("/sys/block/*", "/sys/block/*"),
        ("/sys/block/sd?/size", "/sys/block/sd?/size"),
        ("/a b/[x]*", "'/a b/'?*"),
        ("/$(id)/*", "'/$(id)/'*"),
        ("/[/]x", "'/[/]x'"),
        ("", ""),
    ],
)
def test_only_stars_and_question_marks_reach_the_shell(pattern: str, words: str) -> None:
    """Everything else of a pattern is quoted."""
    assert remote.pattern_words(pattern) == words
