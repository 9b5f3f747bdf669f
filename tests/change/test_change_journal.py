"""The journal: written before each step, readable after any failure."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidctl.change.journal import Begin, End, Journal, JournalFull, StepEvent
from raidctl.errors import CannotTell
from tests.support.waiting import PATIENCE


def begun(name: str = "c1") -> Begin:
    """The beginning of a change."""
    return Begin(
        change=name, at="2026-03-04T05:06:07Z", kind="set", about="raidctl cache set", user="ann", pid=7, boot="b",
        source="local",
    )  # fmt: skip


def test_a_change_without_an_end_is_pending(tmp_path: Path) -> None:
    """Changes without an end are pending, the newest first."""
    journal = Journal(tmp_path)
    for name in ("c1", "c2", "c3"):
        journal.append(begun(name))
    journal.append(End(change="c2", at="2026-03-04T05:06:08Z", result="done"))
    assert [journaled.begin.change for journaled in journal.pending()] == ["c3", "c1"]


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    """A missing journal is an empty one."""
    assert Journal(tmp_path).changes() == []


def test_a_line_that_a_power_failure_cut_off_counts_as_not_written(tmp_path: Path) -> None:
    """A torn last line is ignored, and later lines are readable."""
    journal = Journal(tmp_path)
    journal.append(begun())
    whole = journal.path.read_bytes()
    journal.append(StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start"))
    journal.path.write_bytes(journal.path.read_bytes()[:-9])
    assert journal.changes()[0].started() == []
    journal.append(End(change="c1", at="2026-03-04T05:06:09Z", result="restored"))
    assert journal.path.read_bytes().startswith(whole)
    assert not journal.changes()[0].pending


def test_every_cut_of_a_journal_can_be_read(tmp_path: Path) -> None:
    """A journal cut at any byte has all complete lines. This also holds if only the last line feed is lost."""
    journal = Journal(tmp_path)
    journal.append(begun())
    journal.append(StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start"))
    data = journal.path.read_bytes()
    for size in range(len(data) + 1):
        journal.path.write_bytes(data[:size])
        whole = data[: size + 1].count(b"\n")
        assert [1 + len(journaled.events) for journaled in journal.changes()] == ([whole] if whole else [])
        journal.append(begun("c2"))
        assert [journaled.begin.change for journaled in journal.changes()] == ["c1", "c2"][not whole :]


def test_damage_to_a_journal_is_an_error(tmp_path: Path) -> None:
    """Damage other than a cut at the end is an error. The error has the line's number."""
    journal = Journal(tmp_path)
    journal.append(begun())
    journal.append(StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start"))
    journal.append(End(change="c1", at="2026-03-04T05:06:09Z", result="done"))
    data = journal.path.read_bytes()
    lines = data.splitlines(keepends=True)
    damaged = [data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :] for at in range(len(data)) for bit in (1, 8, 0x80)]
    damaged += [b"".join(lines[:at] + lines[at + 1 :]) for at in range(2)]
    damaged += [lines[0] + lines[2] + lines[1], data + lines[2], data + b"\n" + lines[0], data + b"\xff\n"]
    damaged += [lines[0] + lines[1] + b"\0" * len(lines[2]) + lines[2], lines[0] + b'{"event":"step"\n' + lines[2]]
    for content in damaged:
        journal.path.write_bytes(content)
        with pytest.raises(CannotTell, match=r"Line \d"):
            journal.changes()


def test_an_old_journal_without_checksums_is_read_and_continued(tmp_path: Path) -> None:
    """Lines without a checksum are accepted before the first line with one."""
    journal = Journal(tmp_path)
    old = [begun("c1"), End(change="c1", at="", result="done"), begun("c2")]
    journal.path.write_bytes(b"".join(msgspec.json.encode(entry) + b"\n" for entry in old))
    journal.append(End(change="c2", at="", result="done"))
    assert [journaled.pending for journaled in journal.changes()] == [False, False]
    with journal.path.open("ab") as file:
        file.write(msgspec.json.encode(begun("c3")) + b"\n")
    with pytest.raises(CannotTell, match=r"Line 5 .* no checksum"):
        journal.changes()


@pytest.mark.parametrize("line", [b'{"event":"\xff"}', b"[" * 100_000, b'{"event":"end","change":"c\xff"}'])
def test_invalid_utf8_and_deep_nesting_are_damage(tmp_path: Path, line: bytes) -> None:
    """The line's number is reported, also in a journal without checksums."""
    journal = Journal(tmp_path)
    journal.path.write_bytes(msgspec.json.encode(begun()) + b"\n" + line + b"\n")
    with pytest.raises(CannotTell, match=r"Line 2"):
        journal.changes()


def test_a_journal_that_is_no_regular_file_is_an_error(tmp_path: Path) -> None:
    """A pipe or directory in place of the journal does not block."""
    for make in (os.mkfifo, os.mkdir):
        journal = Journal(tmp_path)
        make(journal.path)
        with pytest.raises(CannotTell, match=r"cannot be read"):
            journal.changes()
        with pytest.raises(JournalFull, match=r"cannot be written"):
            journal.append(begun())
        journal.path.rmdir() if journal.path.is_dir() else journal.path.unlink()


def test_a_line_of_another_version_is_an_error(tmp_path: Path) -> None:
    """An unknown line is an error. A pending change may be in it."""
    journal = Journal(tmp_path)
    journal.path.write_bytes(b'{"event":"begin","change":"c9"}\n')
    with pytest.raises(CannotTell, match="Line 1"):
        journal.changes()


def test_a_full_file_system_leaves_no_partial_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a line cannot be synced, the file is unchanged. The caller gets an error."""
    journal = Journal(tmp_path)
    journal.append(begun())
    before = journal.path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(JournalFull, match="No space left"):
        journal.append(End(change="c1", at="2026-03-04T05:06:08Z", result="done"))
    assert journal.path.read_bytes() == before


def test_a_torn_last_line_is_removed_by_the_next_one(tmp_path: Path) -> None:
    """Lines written after a power failure follow the last complete line."""
    journal = Journal(tmp_path)
    journal.append(begun("c1"))
    for rest in (b'{"event":"begin","change":"c2","at', b"\0" * 300):
        with journal.path.open("ab") as file:
            file.write(rest)
        journal.append(StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start"))
    journal.append(begun("c3"))
    assert [(journaled.begin.change, len(journaled.events)) for journaled in journal.changes()] == [
        ("c1", 2),
        ("c3", 0),
    ]


def test_steps_without_a_beginning_are_an_error(tmp_path: Path) -> None:
    """Without the first line of a change, its previous values are unknown."""
    journal = Journal(tmp_path)
    step = StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start")
    journal.path.write_bytes(msgspec.json.encode(step) + b"\n")
    with pytest.raises(CannotTell, match="change c1, whose first line is damaged"):
        journal.changes()
    journal.append(End(change="c1", at="2026-03-04T05:06:08Z", result="restored"))
    assert journal.changes() == []


def test_a_symlink_in_place_of_the_journal_is_an_error(tmp_path: Path) -> None:
    """A symlink in place of the journal is neither read nor written. Restore runs commands of the journal."""
    journal = Journal(tmp_path)
    other = tmp_path / "other"
    other.write_bytes(b"")
    journal.path.symlink_to(other)
    with pytest.raises(CannotTell, match="cannot be read"):
        journal.changes()
    with pytest.raises(JournalFull, match="cannot be written"):
        journal.append(begun())
    assert other.read_bytes() == b""


def test_a_journal_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    """A journal that others can write is not read."""
    journal = Journal(tmp_path)
    journal.append(begun())
    journal.path.chmod(0o666)
    with pytest.raises(CannotTell, match="not trusted"):
        journal.changes()


@pytest.mark.parametrize("call", ["pread", "fsync"])
def test_the_journal_is_locked_while_a_line_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """The lock is held from the first to the last call."""
    journal = Journal(tmp_path)
    real, locked = getattr(os, call), []

    def tried(*about: int) -> Any:
        with journal.path.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        locked.append(call)
        return real(*about)

    monkeypatch.setattr(os, call, tried)
    journal.append(StepEvent(change="c1", at="", step=0, mark="start"))
    assert locked == [call]


def test_three_writers_lose_no_line(tmp_path: Path) -> None:
    """Several raidctl processes may write the same journal at once."""
    writing = (
        "import sys; from pathlib import Path; from raidctl.change.journal import Journal, StepEvent\n"
        "print(flush=True); sys.stdin.read()\n"
        "for n in range(100): Journal(Path(sys.argv[1])).append("
        "StepEvent(change=sys.argv[2], at='', step=n, mark='start'))"
    )
    journal = Journal(tmp_path)
    for name in "abc":
        journal.append(begun(name))
    with ExitStack() as stack:
        writers = [
            stack.enter_context(Popen([sys.executable, "-c", writing, str(tmp_path), name], stdin=PIPE, stdout=PIPE))
            for name in "abc"
        ]
        for writer in writers:
            assert writer.stdout
            assert writer.stdout.readline() == b"\n"
        for writer in writers:
            assert writer.stdin
            writer.stdin.close()
        assert [writer.wait(PATIENCE) for writer in writers] == [0, 0, 0]
    assert [journaled.started() for journaled in journal.changes()] == [list(range(100))] * 3


def test_changes_have_the_order_of_the_file(tmp_path: Path) -> None:
    """A clock that jumps back does not change the order."""
    journal = Journal(tmp_path)
    for name, at in (("c1", "2026-03-04T05:06:07Z"), ("c2", "1970-01-01T00:00:01Z")):
        journal.append(replace(begun(name), at=at))
    assert [journaled.begin.change for journaled in journal.pending()] == ["c2", "c1"]


def test_a_change_without_a_started_step_is_not_open(tmp_path: Path) -> None:
    """A change killed before its first step is pending, but changed nothing."""
    journal = Journal(tmp_path)
    journal.append(begun())
    assert [(journaled.pending, journaled.open) for journaled in journal.changes()] == [(True, False)]
    journal.append(StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start"))
    assert [(journaled.pending, journaled.open) for journaled in journal.changes()] == [(True, True)]


def test_a_long_journal_is_read_completely(tmp_path: Path) -> None:
    """A thousand changes are returned in order, each with its lines."""
    journal = Journal(tmp_path)
    lines = []
    for number in range(1000):
        name = f"c{number}"
        lines += [
            begun(name),
            StepEvent(change=name, at="", step=0, mark="start"),
            End(change=name, at="", result="done"),
        ]
    journal.path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    changes = journal.changes()
    assert [journaled.begin.change for journaled in changes] == [f"c{number}" for number in range(1000)]
    assert not journal.pending()
