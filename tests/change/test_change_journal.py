"""The journal: on disk before it happens, readable after anything."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from raidctl.change.journal import Begin, End, Journal, JournalFull, StepEvent
from raidctl.errors import CannotTell


def begun(name: str = "c1") -> Begin:
    """The beginning of a change."""
    return Begin(
        change=name, at="2026-03-04T05:06:07Z", kind="set", about="raidctl cache set", user="ann", pid=7, boot="b",
        source="local",
    )  # fmt: skip


def test_a_change_without_an_end_is_pending(tmp_path: Path) -> None:
    """What was begun and not ended is what restore takes up, the newest first."""
    journal = Journal(tmp_path)
    for name in ("c1", "c2", "c3"):
        journal.append(begun(name))
    journal.append(End(change="c2", at="2026-03-04T05:06:08Z", result="done"))
    assert [story.begin.change for story in journal.pending()] == ["c3", "c1"]


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    """A machine on which nothing was ever changed has no file."""
    assert Journal(tmp_path).stories() == []


def test_a_line_that_a_power_failure_cut_off_counts_as_not_written(tmp_path: Path) -> None:
    """The rest of the journal stays readable, also when more is written after it."""
    journal = Journal(tmp_path)
    journal.append(begun())
    whole = journal.path.read_bytes()
    journal.append(StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start"))
    journal.path.write_bytes(journal.path.read_bytes()[:-9])
    assert journal.stories()[0].started() == []
    journal.append(End(change="c1", at="2026-03-04T05:06:09Z", result="restored"))
    assert journal.path.read_bytes().startswith(whole)
    assert not journal.stories()[0].pending


def test_every_cut_of_a_journal_can_be_read(tmp_path: Path) -> None:
    """Whatever byte a power failure stops at, the journal contains what was whole; a lost line feed loses no line."""
    journal = Journal(tmp_path)
    journal.append(begun())
    journal.append(StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start"))
    data = journal.path.read_bytes()
    for size in range(len(data) + 1):
        journal.path.write_bytes(data[:size])
        whole = data[: size + 1].count(b"\n")
        assert [1 + len(story.turns) for story in journal.stories()] == ([whole] if whole else [])
        journal.append(begun("c2"))
        assert [story.begin.change for story in journal.stories()] == ["c1", "c2"][not whole :]


def test_no_damage_undoes_a_finished_change(tmp_path: Path) -> None:
    """Any changed byte, lost, doubled or exchanged line, but for a cut at the end: cannot tell, with the line."""
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
            journal.stories()


def test_an_old_journal_without_checksums_is_read_and_continued(tmp_path: Path) -> None:
    """Its lines count; from the first line with a checksum on, each has to have one."""
    journal = Journal(tmp_path)
    old = [begun("c1"), End(change="c1", at="", result="done"), begun("c2")]
    journal.path.write_bytes(b"".join(msgspec.json.encode(entry) + b"\n" for entry in old))
    journal.append(End(change="c2", at="", result="done"))
    assert [story.pending for story in journal.stories()] == [False, False]
    with journal.path.open("ab") as file:
        file.write(msgspec.json.encode(begun("c3")) + b"\n")
    with pytest.raises(CannotTell, match=r"Line 5 .* no checksum"):
        journal.stories()


@pytest.mark.parametrize("line", [b'{"event":"\xff"}', b"[" * 100_000, b'{"event":"end","change":"c\xff"}'])
def test_text_that_is_not_utf8_or_too_deep_is_named_damage(tmp_path: Path, line: bytes) -> None:
    """In a journal without checksums, too, with the number of the line."""
    journal = Journal(tmp_path)
    journal.path.write_bytes(msgspec.json.encode(begun()) + b"\n" + line + b"\n")
    with pytest.raises(CannotTell, match=r"Line 2"):
        journal.stories()


def test_what_is_not_a_file_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe in place of the journal has no end, and a directory has no lines."""
    for make in (os.mkfifo, os.mkdir):
        journal = Journal(tmp_path)
        make(journal.path)
        with pytest.raises(CannotTell, match=r"cannot be read"):
            journal.stories()
        with pytest.raises(JournalFull, match=r"cannot be written"):
            journal.append(begun())
        journal.path.rmdir() if journal.path.is_dir() else journal.path.unlink()


def test_a_line_of_another_version_is_an_error(tmp_path: Path) -> None:
    """A whole line that this version does not understand must not be passed over: it may be a pending change."""
    journal = Journal(tmp_path)
    journal.path.write_bytes(b'{"event":"begin","change":"c9"}\n')
    with pytest.raises(CannotTell, match="Line 1"):
        journal.stories()


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a line cannot be synced, the file is as it was, and the caller learns of it."""
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
    """Half a line, or the zeros that a power failure leaves: what is written after the reboot follows whole lines."""
    journal = Journal(tmp_path)
    journal.append(begun("c1"))
    for rest in (b'{"event":"begin","change":"c2","at', b"\0" * 300):
        with journal.path.open("ab") as file:
            file.write(rest)
        journal.append(StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start"))
    journal.append(begun("c3"))
    assert [(story.begin.change, len(story.turns)) for story in journal.stories()] == [("c1", 2), ("c3", 0)]


def test_steps_whose_beginning_is_lost_are_not_passed_over(tmp_path: Path) -> None:
    """A first line is on disk before any step: without it, the previous values are unknown, and that is an error."""
    journal = Journal(tmp_path)
    step = StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start")
    journal.path.write_bytes(msgspec.json.encode(step) + b"\n")
    with pytest.raises(CannotTell, match="change c1, whose first line is damaged"):
        journal.stories()
    journal.append(End(change="c1", at="2026-03-04T05:06:08Z", result="restored"))
    assert journal.stories() == []


def test_a_journal_that_is_a_link_is_neither_read_nor_written(tmp_path: Path) -> None:
    """What stands in it is carried out: it is this file, not one that somebody else points at."""
    journal = Journal(tmp_path)
    other = tmp_path / "other"
    other.write_bytes(b"")
    journal.path.symlink_to(other)
    with pytest.raises(CannotTell, match="cannot be read"):
        journal.stories()
    with pytest.raises(JournalFull, match="cannot be written"):
        journal.append(begun())
    assert other.read_bytes() == b""


def test_a_journal_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    """The same."""
    journal = Journal(tmp_path)
    journal.append(begun())
    journal.path.chmod(0o666)
    with pytest.raises(CannotTell, match="not trusted"):
        journal.stories()


def test_two_writers_leave_whole_lines(tmp_path: Path) -> None:
    """Several raidctl on different controllers write into one journal at once."""
    writing = (
        "import sys; from pathlib import Path; from raidctl.change.journal import Journal, End\n"
        "for n in range(100): Journal(Path(sys.argv[1])).append(End(change=sys.argv[2] * 50, at='', result='done'))"
    )
    writers = [subprocess.Popen([sys.executable, "-c", writing, str(tmp_path), name]) for name in "abc"]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    lines = Journal(tmp_path).path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 300
    assert all(line.startswith("{") and line.endswith("}") for line in lines)


def test_the_order_is_that_of_the_file_whatever_the_clock_says(tmp_path: Path) -> None:
    """A clock that jumps back puts no later change before an earlier one."""
    journal = Journal(tmp_path)
    for name, at in (("c1", "2026-03-04T05:06:07Z"), ("c2", "1970-01-01T00:00:01Z")):
        journal.append(replace(begun(name), at=at))
    assert [story.begin.change for story in journal.pending()] == ["c2", "c1"]


def test_nothing_is_open_before_a_step_was_begun(tmp_path: Path) -> None:
    """A change that was killed before its first step is pending, and has left nothing changed."""
    journal = Journal(tmp_path)
    journal.append(begun())
    assert [(story.pending, story.open) for story in journal.stories()] == [(True, False)]
    journal.append(StepEvent(change="c1", at="2026-03-04T05:06:08Z", step=0, mark="start"))
    assert [(story.pending, story.open) for story in journal.stories()] == [(True, True)]


def test_a_year_of_nightly_batches_is_read_as_one_evening(tmp_path: Path) -> None:
    """A thousand stories come back in order, each with its lines."""
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
    stories = journal.stories()
    assert [story.begin.change for story in stories] == [f"c{number}" for number in range(1000)]
    assert not journal.pending()
