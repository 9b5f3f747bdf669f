"""The runner that records and the runner that replays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from raidctl.recording.manifest import FORMAT, Entry, Manifest
from raidctl.recording.recording import Recording
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
)
from raidctl.runners.record import RecordRunner
from raidctl.runners.replay import ReplayRunner


class Scripted:
    """A machine that gives its answers one after the other."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Take the next answers."""
        return [self.answers.pop(0) for _ in requests]


def machine(*entries: Entry, complete: bool = False, **files: bytes) -> ReplayRunner:
    """A replayed machine with these answers."""
    manifest = Manifest(format=FORMAT, unrecorded="missing" if complete else None, answers=entries)
    return ReplayRunner(Recording(manifest, files))


def one(runner: ReplayRunner, request: Request[Any]) -> Any:
    """The answer to one request."""
    return runner.carry_out((request,))[0]


def test_the_recorder_keeps_the_first_order_and_the_last_answer() -> None:
    """A file that is read twice keeps its place and latest content."""
    recorder = RecordRunner(Scripted(ReadAnswer(b"1"), WhichAnswer("/bin/x"), ReadAnswer(b"2")))
    recorder.carry_out([Read("/a"), Which("x")])
    recorder.carry_out([Read("/a")])
    kept = recorder.recording(about="twice", source="ssh:db7", collected_at="2026-01-02T03:04:05Z")
    assert list(kept.answers()) == [(Read("/a"), ReadAnswer(b"2")), (Which("x"), WhichAnswer("/bin/x"))]
    assert (kept.manifest.about, kept.manifest.source) == ("twice", "ssh:db7")
    assert kept.manifest.collected_at == "2026-01-02T03:04:05Z"
    assert all(entry.seconds is not None for entry in kept.manifest.answers)


@pytest.mark.parametrize(
    ("program", "trouble"),
    [
        ("smartctl", Failure.UNRECORDED), ("/usr/sbin/smartctl", Failure.UNRECORDED), ("hdparm", Failure.MISSING),
        ("nvme", Failure.MISSING), ("/sbin/smartctl", Failure.MISSING),
    ],
)  # fmt: skip
def test_an_installed_program_is_not_missing_in_a_recording(program: str, trouble: Failure) -> None:
    """A call that was not recorded does not mean that the program is not installed, by whatever name it is called."""
    runner = machine(Entry(which="smartctl", path="/usr/sbin/smartctl"), Entry(which="hdparm"), complete=True)
    assert one(runner, Run((program, "-x"))).trouble is trouble


def test_files_are_named_after_what_was_asked() -> None:
    """An output's file is named after its command. A stranger finds it by this name, and no two files share a name."""
    long = b"x" * 500
    recorder = RecordRunner(
        Scripted(RunAnswer(0, b"out", b"err"), RunAnswer(0, b"2"), ReadAnswer(long), ReadAnswer(long))
    )
    recorder.carry_out([Run(("tool", "a b")), Run(("tool", "a", "b")), Read("/proc/mdstat"), UdevDatabase()])
    names = set(recorder.recording().files)
    assert names == {"tool-a-b.out", "tool-a-b.err", "tool-a-b-2.out", "proc-mdstat", "udev-db"}


def test_short_plain_content_stands_in_the_manifest() -> None:
    """A number from sysfs needs no separate file. Bytes that JSON cannot hold get one."""
    recorder = RecordRunner(Scripted(ReadAnswer(b"42\n"), ReadAnswer(b"\xff\r\n")))
    recorder.carry_out([Read("/sys/a"), Read("/sys/b")])
    kept = recorder.recording()
    assert [entry.text for entry in kept.manifest.answers] == ["42\n", None]
    assert kept.files == {"sys-b": b"\xff\r\n"}


def test_a_program_is_found_by_its_argv() -> None:
    """Time limit, lock and variables make no difference to what was answered."""
    runner = machine(Entry(run=("tool", "show"), code=1, out="o"), o=b"text")
    asked = Run(("tool", "show"), timeout=1, lock="family", environment=(("A", "b"),))
    assert one(runner, asked) == RunAnswer(1, b"text")


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        (Run(("tool", "list")), "run tool list"),
        (Read("/proc/x"), "read /proc/x"),
        (Glob("/sys/*"), "glob /sys/*"),
        (Which("tool"), "which tool"),
        (UdevDatabase(), "the udev database"),
    ],
)
def test_what_was_not_recorded_is_named(request_: Request[Any], named: str) -> None:
    """An unknown request is answered with UNRECORDED, and names the request."""
    answer = one(machine(), request_)
    assert answer.trouble is Failure.UNRECORDED
    assert named in answer.detail


@pytest.mark.parametrize("request_", [Run(("tool", "list")), Read("/proc/x"), Which("tool"), UdevDatabase()])
def test_in_a_complete_recording_what_is_not_listed_was_not_there(request_: Request[Any]) -> None:
    """``"unrecorded": "missing"`` makes it a whole machine: the rest is missing."""
    assert one(machine(complete=True), request_).trouble is Failure.MISSING


def test_in_a_complete_recording_patterns_match_what_was_read() -> None:
    """Files that were read are there for a pattern.

    So are the directories above them. Hidden ones are there only when asked.
    """
    runner = machine(
        Entry(read="/sys/block/sda/size", text="1"),
        Entry(read="/sys/block/sdb/size", text="1"),
        Entry(read="/sys/block/.hidden/size", text="1"),
        Entry(read="/sys/block/sdc/size", trouble=Failure.MISSING),
        Entry(glob="/dev/disk/*", paths=("/dev/disk/by-id",)),
        complete=True,
    )
    assert one(runner, Glob("/sys/block/*")) == GlobAnswer(("/sys/block/sda", "/sys/block/sdb"))
    assert one(runner, Glob("/sys/block/sd[b-z]/size")) == GlobAnswer(("/sys/block/sdb/size",))
    assert one(runner, Glob("/dev/disk/*")) == GlobAnswer(("/dev/disk/by-id",))
    assert one(runner, Glob("/nothing/*")) == GlobAnswer()


def test_a_recording_is_never_changed() -> None:
    """A changing request is refused, even if the same command was recorded."""
    runner = machine(Entry(run=("tool", "set"), code=0), complete=True)
    answer = one(runner, Run(("tool", "set"), changes=True))
    assert (answer.trouble, answer.code) == (Failure.UNRECORDED, None)
    assert "cannot be changed" in answer.detail


def test_the_limit_of_a_request_holds_in_a_replay() -> None:
    """Output longer than the limit is cut and reported. The local runner does the same."""
    runner = machine(Entry(run=("t",), code=0, out="o"), Entry(read="/f", data="o"), o=b"x" * 50)
    ran, read = runner.carry_out((Run(("t",), limit=10), Read("/f", limit=10)))
    assert (ran.trouble, read.trouble) == (Failure.FLOOD, Failure.FLOOD)
    assert isinstance(ran, RunAnswer)
    assert isinstance(read, ReadAnswer)
    assert (ran.out, ran.code, read.data) == (b"x" * 10, None, b"x" * 10)
