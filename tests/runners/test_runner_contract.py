"""What every runner that reaches a real machine must do. Each test runs on this machine and over ssh."""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from raidctl.request import (
    Failure,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    Runner,
    Which,
    WhichAnswer,
)
from raidctl.runners import process, remote
from tests.support.processes import alive
from tests.support.waiting import until

PATIENCE = 120.0
"""Seconds after which something hangs, on the slowest machine. What would hang does so for longer."""


def run(runner: Runner, *argv: str, **more: object) -> RunAnswer:
    """One program's answer."""
    answer = runner.carry_out([Run(argv, **more)])[0]  # type: ignore[arg-type] # fields of Run, by name
    assert isinstance(answer, RunAnswer)
    return answer


def shell(runner: Runner, script: str, **more: object) -> RunAnswer:
    """The answer of a small shell script."""
    return run(runner, "sh", "-c", script, **more)


def read(runner: Runner, path: Path | str, **more: int) -> ReadAnswer:
    """One file's answer."""
    answer = runner.carry_out([Read(str(path), **more)])[0]
    assert isinstance(answer, ReadAnswer)
    return answer


def listed(runner: Runner, pattern: Path | str) -> tuple[str, ...]:
    """The paths that match."""
    answer = runner.carry_out([Glob(str(pattern))])[0]
    assert isinstance(answer, GlobAnswer)
    assert answer.fine
    return answer.paths


def which(runner: Runner, name: str, *places: str) -> WhichAnswer:
    """Where a program is."""
    answer = runner.carry_out([Which(name, places)])[0]
    assert isinstance(answer, WhichAnswer)
    return answer


def script(path: Path, text: str, mode: int = 0o755) -> str:
    """An executable file with a text; its path."""
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def numbers(path: Path) -> list[int]:
    """The process numbers that a script has written down."""
    return [int(word) for word in path.read_text().split()]


def ended(path: Path, count: int) -> None:
    """Wait until the processes that a script has written down have ended."""
    found = numbers(path)
    assert len(found) == count
    until(lambda: not any(map(alive, found)))


# Programs


def test_outputs_and_exit_code_come_apart(runner: Runner) -> None:
    """A program's standard output, standard error and exit code arrive unchanged."""
    answer = shell(runner, "printf out; printf err >&2; exit 3")
    assert (answer.trouble, answer.code, answer.out, answer.err) == (None, 3, b"out", b"err")


def test_every_exit_code_is_an_answer(runner: Runner) -> None:
    """Exit codes that others use, too, are not confused with theirs. The others are a shell, ssh or a time limit."""
    codes = [0, 1, 2, 124, 125, 126, 127, 137, 143, 255]
    answers = runner.carry_out([Run(("sh", "-c", f"exit {code}")) for code in codes])
    assert list(answers) == [RunAnswer(code=code) for code in codes]


def test_a_program_that_crashes_has_the_code_of_its_signal(runner: Runner) -> None:
    """A signal's end is 128 and its number. No shell adds a message to the error output."""
    answer = shell(runner, "kill -s SEGV $$")
    assert (answer.trouble, answer.code, answer.err) == (None, 128 + 11, b"")


def test_bytes_arrive_unchanged(runner: Runner, tmp_path: Path) -> None:
    """All 256 byte values survive, on both outputs. So do NULs and a missing last line break."""
    data = bytes(range(256)) * 400
    (tmp_path / "data").write_bytes(data)
    answer = shell(runner, f"cat '{tmp_path}/data'; cat '{tmp_path}/data' >&2")
    assert answer.out == data
    assert answer.err == data


def test_large_outputs_do_not_block_each_other(runner: Runner) -> None:
    """A program that fills one output first does not block. It writes the other one afterwards."""
    code = "import sys; sys.stderr.write('e' * 3000000); sys.stdout.write('o' * 3000000)"
    answer = run(runner, sys.executable, "-c", code, timeout=PATIENCE)
    assert (answer.trouble, len(answer.out), len(answer.err)) == (None, 3_000_000, 3_000_000)


WORDS = ("", " ", "a b", "$HOME", "`id`", "it's", '"', "\\", "*", "-n", "a\nb", "~", "ü", "\udcff", ";", "!x", "{a,b}")


def test_arguments_are_not_interpreted(runner: Runner) -> None:
    """No shell sees an argument. Quotes, variables, patterns and bytes of no encoding arrive as they are."""
    assert run(runner, "printf", "%s.", *WORDS).out == b"".join(os.fsencode(word) + b"." for word in WORDS)


def test_there_is_no_standard_input(runner: Runner) -> None:
    """A program that reads its input gets end of file at once."""
    answer = shell(runner, "read answer && echo got; wc -c", timeout=PATIENCE)
    assert (answer.trouble, answer.out.strip()) == (None, b"0")


def test_an_input_arrives_unchanged_and_ends(runner: Runner) -> None:
    """Nothing of it is interpreted, and it is in no command line. A program that reads to the end ends."""
    text = b"label: gpt\n$HOME `id` 'x' \\n\n  \xff\xfe\n" + b"line\n" * 20_000
    [answer] = runner.carry_out([Run(("cat",), feed=text)])
    assert isinstance(answer, RunAnswer)
    assert (answer.code, answer.out == text) == (0, True)
    [answer] = runner.carry_out([Run(("sh", "-c", "read line; echo $line"), feed=text)])
    assert isinstance(answer, RunAnswer)
    assert answer.out == b"label: gpt\n"


def test_the_environment_is_small_and_in_the_c_locale(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has only what a tool needs, in the C locale. None of the user's variables gets through."""
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LD_PRELOAD_EXAMPLE", "x")
    answer = run(runner, "env", environment=(("EXTRA", "it's $HOME"),))
    variables = dict(line.split("=", 1) for line in answer.text.splitlines())
    assert set(variables) == {"PATH", "LC_ALL", "LANG", "HOME", "TMPDIR", "EXTRA"}
    assert (variables["LC_ALL"], variables["LANG"], variables["EXTRA"]) == ("C", "C", "it's $HOME")
    assert {"/usr/sbin", "/sbin", "/usr/local/sbin"} <= set(variables["PATH"].split(":"))


def test_what_a_tool_drops_goes_with_its_directory(runner: Runner) -> None:
    """The working directory is the program's own, and gone afterwards. It is closed to others, and empty."""
    answer = shell(runner, "pwd; ls -A; stat -c %a . ..; echo log >tool.log; echo x >~/dot; mktemp")
    place, mode, above, temporary = answer.text.split()
    assert "700" in (mode, above)
    assert temporary.startswith(place)
    assert not Path(place).exists()
    assert not [path for path in Path(place).parent.glob("*") if path.name == "tool.log"]


def test_directories_are_not_shared(runner: Runner) -> None:
    """Programs side by side do not meet in their working directories."""
    answers = runner.carry_out([Run(("pwd",)) for _ in range(5)])
    assert len({answer.out for answer in answers if isinstance(answer, RunAnswer)}) == 5


def test_a_missing_program_is_reported(runner: Runner, tmp_path: Path) -> None:
    """A program that is not there is MISSING, by name or path."""
    for name in ("raidctl-no-such-tool", str(tmp_path / "none"), "./none", f"{tmp_path}/none/none"):
        answer = run(runner, name)
        assert (answer.trouble, answer.code) == (Failure.MISSING, None), name
        assert name in answer.detail


def test_a_file_that_is_no_program_is_denied(runner: Runner, tmp_path: Path) -> None:
    """A file without execute permission, or a directory, is DENIED."""
    assert run(runner, script(tmp_path / "tool", "#!/bin/sh\n", 0o644)).trouble is Failure.DENIED
    assert run(runner, str(tmp_path)).trouble is Failure.DENIED


def test_a_missing_interpreter_is_a_missing_program(runner: Runner, tmp_path: Path) -> None:
    """A script whose interpreter is not installed cannot run."""
    assert run(runner, script(tmp_path / "tool", "#!/no/such/interpreter\n")).trouble is Failure.MISSING


def test_a_tool_that_misses_something_itself_has_answered(runner: Runner, tmp_path: Path) -> None:
    """Exit code 127 from a tool's own script is the tool's result."""
    answer = run(runner, script(tmp_path / "tool", "#!/usr/bin/env raidctl-no-such-interpreter\n"))
    assert (answer.trouble, answer.code) == (None, 127)
    assert "raidctl-no-such-interpreter" in answer.error_text


def test_a_request_that_cannot_be_carried_out_fails(runner: Runner) -> None:
    """A request that cannot be carried out is FAILED, and nothing runs.

    The program is missing, a NUL is in it, or a variable is invalid.
    """
    requests: list[Request[Any]] = [
        Run(()),
        Run(("",)),
        Run(("printf", "a\0b")),
        Run(("printf", "\ud800")),
        Run(("env",), environment=(("A;B", "x"),)),
        Read("/etc/host\0name"),
        Glob("/etc/\0*"),
        Which("a\0b"),
    ]
    answers = runner.carry_out(requests)
    assert [answer.trouble for answer in answers] == [Failure.FAILED] * len(requests)
    assert all(answer.detail for answer in answers)


# Bounds


def test_a_hanging_program_ends_with_its_children(runner: Runner, tmp_path: Path) -> None:
    """At the time limit, the program and its grandchildren end. Those that hold the outputs open end, too."""
    pids = tmp_path / "pids"
    text = f"echo first; (sleep 300 & echo $! >>'{pids}'; echo $$ >>'{pids}'; wait) & wait"
    began = time.monotonic()
    answer = shell(runner, text, timeout=3.0)
    assert (answer.trouble, answer.code, answer.out) == (Failure.TIMEOUT, None, b"first\n")
    assert "3 s" in answer.detail
    assert time.monotonic() - began < PATIENCE
    ended(pids, 2)


def test_children_that_left_the_group_end_with_a_late_program(runner: Runner, tmp_path: Path) -> None:
    """At the time limit, a tool that became a daemon ends. Becoming one twice over does not save it."""
    pids = tmp_path / "pids"
    daemon = f'echo $$ >>"{pids}"; exec sleep 300'
    text = f"setsid sh -c '{daemon}' & (setsid setsid sh -c '{daemon}' &) ; sleep 300"
    assert shell(runner, text, timeout=3.0).trouble is Failure.TIMEOUT
    ended(pids, 2)


def test_a_program_that_ignores_the_polite_end_is_killed(runner: Runner, tmp_path: Path) -> None:
    """TERM is ignored by program and child: KILL reaches both."""
    pids = tmp_path / "pids"
    stubborn = f'echo $$ >>"{pids}"; while :; do sleep 0.2; done'
    text = f"trap '' TERM; sh -c '{stubborn}' & {stubborn}"
    began = time.monotonic()
    assert shell(runner, text, timeout=3.0).trouble is Failure.TIMEOUT
    assert time.monotonic() - began < PATIENCE
    ended(pids, 2)


def test_a_child_that_keeps_the_outputs_does_not_keep_the_answer(runner: Runner, tmp_path: Path) -> None:
    """The answer does not wait for a child that holds the outputs. The program has ended, and the child is ended."""
    pids = tmp_path / "pids"
    began = time.monotonic()
    answer = shell(runner, f"sleep 300 & echo $! >'{pids}'; echo done; exit 4", timeout=250.0)
    assert (answer.trouble, answer.code, answer.out) == (None, 4, b"done\n")
    assert time.monotonic() - began < PATIENCE
    ended(pids, 1)


def test_the_last_lines_of_a_child_arrive(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that a child prints shortly after the program's end belong to the answer."""
    for module in (process, remote):
        monkeypatch.setattr(module, "LINGER", PATIENCE)  # "shortly" is long on a busy machine
    assert shell(runner, "(sleep 0.1; echo late) & echo early").out == b"early\nlate\n"


def test_a_changing_command_may_leave_a_service_behind(runner: Runner, tmp_path: Path) -> None:
    """Ending the processes of a change could break it. The answer still comes at once."""
    pids = tmp_path / "pids"
    began = time.monotonic()
    answer = shell(runner, f"sleep 300 & echo $! >'{pids}'; echo done", timeout=250.0, changes=True)
    (pid,) = numbers(pids)
    try:
        assert (answer.trouble, answer.code, answer.out) == (None, 0, b"done\n")
        assert time.monotonic() - began < PATIENCE
        assert alive(pid)
    finally:
        os.kill(pid, 9)


def test_a_flood_is_stopped(runner: Runner, tmp_path: Path) -> None:
    """A program that outputs more than the limit is ended. Output up to the limit is kept."""
    pids = tmp_path / "pids"
    answer = shell(runner, f"echo $$ >'{pids}'; exec yes", limit=100_000, timeout=PATIENCE)
    assert (answer.trouble, answer.code, answer.out) == (Failure.FLOOD, None, b"y\n" * 50_000)
    assert "100000" in answer.detail
    ended(pids, 1)


def test_the_limit_counts_both_outputs(runner: Runner) -> None:
    """Exactly the limit is an answer. One byte more, on either output, is a flood."""
    text = "head -c {0} /dev/zero; head -c {1} /dev/zero >&2"
    fits = shell(runner, text.format(600, 400), limit=1000)
    assert (fits.trouble, len(fits.out), len(fits.err)) == (None, 600, 400)
    over = shell(runner, text.format(600, 401), limit=1000)
    assert (over.trouble, len(over.out) + len(over.err)) == (Failure.FLOOD, 1000)


# Order


def test_programs_run_side_by_side(runner: Runner, tmp_path: Path) -> None:
    """Programs that each wait for all others come to their end."""
    waits = f"until [ $(ls '{tmp_path}' | wc -l) -ge 5 ]; do sleep 0.05; done"
    programs = (f"touch '{tmp_path}/{number}'; {waits}; echo {number}" for number in range(5))
    answers = runner.carry_out([Run(("sh", "-c", program), timeout=PATIENCE) for program in programs])
    assert [answer.out for answer in answers if isinstance(answer, RunAnswer)] == [b"%d\n" % n for n in range(5)]


def test_a_lock_keeps_programs_apart(runner: Runner, tmp_path: Path) -> None:
    """Programs with the same lock never run together. Others do not wait for them."""
    busy = tmp_path / "busy"
    text = f"mkdir '{busy}' || exit 9; sleep 0.1; rmdir '{busy}'"
    requests = [Run(("sh", "-c", text), lock="raidctl-test/../contract") for _ in range(6)]
    answers = runner.carry_out([*requests, Run(("true",))])
    assert [answer.code for answer in answers if isinstance(answer, RunAnswer)] == [0] * 7


def test_a_mixed_batch_is_answered_in_order(runner: Runner, tmp_path: Path) -> None:
    """Replies are in the order of the requests. Each has its request's class."""
    (tmp_path / "file").write_text("text")
    first, second, third, fourth, fifth = runner.carry_out(
        [
            Run(("sh", "-c", "sleep 0.3; echo 1")),
            Read(f"{tmp_path}/file"),
            Run(("echo", "3")),
            Glob(f"{tmp_path}/f*"),
            Which("sh"),
        ]
    )
    assert isinstance(first, RunAnswer)
    assert isinstance(third, RunAnswer)
    assert (first.out, third.out) == (b"1\n", b"3\n")
    assert second == ReadAnswer(data=b"text")
    assert fourth == GlobAnswer(paths=(f"{tmp_path}/file",))
    assert isinstance(fifth, WhichAnswer)


def test_nothing_asked_is_nothing_answered(runner: Runner) -> None:
    """An empty batch has an empty answer."""
    assert list(runner.carry_out([])) == []


# Files


FILES = {
    "empty": b"",
    "a newline": b"\n",
    "no newline at its end": b"no end",
    "zeros": b"a\0b\0",
    "every byte": bytes(range(256)) * 300,
    "three newlines": b"\n\n\n",
    "large": b"x" * 200_000,
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_a_file_arrives_unchanged(runner: Runner, tmp_path: Path, data: bytes) -> None:
    """A file arrives unchanged.

    NULs, line breaks at the end, a missing one, and no bytes are tried.
    """
    (tmp_path / "it's a $file\n").write_bytes(data)
    assert read(runner, tmp_path / "it's a $file\n") == ReadAnswer(data=data)


def test_files_of_the_kernel_can_be_read(runner: Runner) -> None:
    """Files of /proc and /sys arrive whole. The system gives their size as nothing or as a page."""
    assert b"MemTotal" in (read(runner, "/proc/meminfo").data or b"")
    assert read(runner, "/proc/sys/kernel/ostype").data == b"Linux\n"
    assert read(runner, "/sys/kernel/uevent_seqnum").fine


def test_what_is_not_there_is_missing(runner: Runner, tmp_path: Path) -> None:
    """A missing file is MISSING. A file in place of a directory, or a dangling link, counts as missing."""
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("none", "file/none", "link"):
        answer = read(runner, tmp_path / name)
        assert (answer.trouble, answer.data) == (Failure.MISSING, None)
        assert name in answer.detail


def test_what_is_no_file_does_not_hang(runner: Runner, tmp_path: Path) -> None:
    """Anything but a file is FAILED at once, with the reason.

    Examples are a named pipe, a directory, a device, and a link to itself.
    """
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero"), tmp_path / "loop"):
        answer = read(runner, path)
        assert (answer.trouble, answer.data) == (Failure.FAILED, None), path
        assert answer.detail


def test_an_error_of_the_kernel_is_reported(runner: Runner) -> None:
    """An existing file unreadable for another reason is FAILED, not missing."""
    answer = read(runner, "/proc/self/mem")
    assert (answer.trouble, answer.data) == (Failure.FAILED, None)
    assert "Input/output error" in answer.detail


def test_a_value_that_a_device_does_not_have_is_missing(runner: Runner) -> None:
    """A value that a device does not have is missing.

    The kernel answers EINVAL for the speed of a loopback device, and nothing failed.
    """
    answer = read(runner, "/sys/class/net/lo/speed")
    assert (answer.trouble, answer.data) == (Failure.MISSING, None)
    assert "Invalid argument" in answer.detail


def test_a_file_has_a_limit(runner: Runner, tmp_path: Path) -> None:
    """A file of the limit's size is read. A longer one is a flood, with what came until then."""
    (tmp_path / "file").write_bytes(b"0123456789")
    assert read(runner, tmp_path / "file", limit=10) == ReadAnswer(data=b"0123456789")
    answer = read(runner, tmp_path / "file", limit=9)
    assert (answer.trouble, answer.data) == (Failure.FLOOD, b"012345678")


def test_patterns_match_as_documented(runner: Runner, tmp_path: Path) -> None:
    """``*``, ``?`` and classes match, in sorted order.

    Hidden files do not; no match gives nothing; links to nowhere count.
    """
    for name in ("sda", "sdb", "sdb1", "sd c", "sd*", ".sdh", "sd'q", "[x", "sd-"):
        (tmp_path / name).mkdir()
    (tmp_path / "sdz").symlink_to("nowhere")
    (tmp_path / "sda" / "size").touch()

    def names(pattern: str) -> list[str]:
        return [path.removeprefix(f"{tmp_path}/") for path in listed(runner, f"{tmp_path}/{pattern}")]

    assert names("sd?") == ["sd*", "sd-", "sda", "sdb", "sdz"]
    assert names("sd[ab]*") == ["sda", "sdb", "sdb1"]
    assert names("sd[!a-z]*") == ["sd c", "sd'q", "sd*", "sd-"]
    assert names("sd[-a]") == ["sd-", "sda"]
    assert names("sd[*]") == ["sd*"]
    assert names("sd'*") == ["sd'q"]
    assert names("sd c") == ["sd c"]
    assert names("[[]x") == ["[x"]
    assert names("[x") == ["[x"]
    assert names("*/size") == ["sda/size"]
    assert names("**/size") == ["sda/size"]
    assert names("none*") == []
    assert names("sda/size/*") == []
    assert names(".s*") == [".sdh"]
    assert names("$(id)*") == []


def test_a_program_is_found_where_an_administrator_has_it(runner: Runner, tmp_path: Path) -> None:
    """The PATH is searched, sbin first, then the given places. Links are resolved; only an executable file counts."""
    tool = script(tmp_path / "real-tool", "#!/bin/sh\n")
    (tmp_path / "link").symlink_to(tool)
    plain = script(tmp_path / "plain", "", 0o644)
    assert which(runner, "sh").path == os.path.realpath("/bin/sh")
    assert which(runner, "mkfs").path == os.path.realpath("/sbin/mkfs")
    assert which(runner, "raidctl-none", plain, str(tmp_path), "relative", str(tmp_path / "link")).path == tool
    assert which(runner, str(tmp_path / "link")).path == tool
    for name in ("raidctl-none", "", "./sh", plain):
        assert (which(runner, name).trouble, which(runner, name).path) == (Failure.MISSING, None), name
    assert which(runner, "sh", tool).path != tool


@pytest.mark.skipif(os.geteuid() == 0, reason="root may execute everything")
def test_a_program_of_others_is_found_and_not_run(runner: Runner, tmp_path: Path) -> None:
    """A tool that root alone may execute is installed; one that this user may execute precedes it."""
    mine = script(tmp_path / "mine", "#!/bin/sh\n")
    others = script(tmp_path / "others", "#!/bin/sh\n", 0o611)
    plain = script(tmp_path / "plain", "", 0o644)
    assert which(runner, "raidctl-none", plain, others).path == others
    assert which(runner, "raidctl-none", others, mine).path == mine
    assert run(runner, others).trouble is Failure.DENIED


def test_a_program_in_the_working_directory_is_not_found(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative entry of PATH is not searched. Another user may own the current directory."""
    script(tmp_path / "raidctl-trap", "#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".::{os.environ['PATH']}")
    assert which(runner, "raidctl-trap").trouble is Failure.MISSING
    assert run(runner, "raidctl-trap").trouble is Failure.MISSING


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_the_right_is_denied(runner: Runner, tmp_path: Path) -> None:
    """No right to read, or to enter the directory: DENIED."""
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "file").touch()
    (tmp_path / "file").touch(mode=0)
    (tmp_path / "closed").chmod(0)
    try:
        assert read(runner, tmp_path / "file").trouble is Failure.DENIED
        assert read(runner, tmp_path / "closed" / "file").trouble is Failure.DENIED
    finally:
        (tmp_path / "closed").chmod(stat.S_IRWXU)


def test_nothing_is_left_in_the_temporary_directory(runner: Runner) -> None:
    """No directory of an ended program remains. The program ended well, late or in a flood."""
    ends = [("true", PATIENCE), ("sleep 60", 3.0), ("yes", PATIENCE)]
    answers = runner.carry_out([Run(("sh", "-c", f"pwd; {end}"), timeout, limit=1000) for end, timeout in ends])
    assert [answer.trouble for answer in answers] == [None, Failure.TIMEOUT, Failure.FLOOD]
    places = [Path(answer.text.splitlines()[0].removesuffix("/work")) for answer in answers]  # type: ignore[attr-defined]
    assert all("raidctl-" in place.name for place in places)
    until(lambda: not any(place.exists() for place in places))
