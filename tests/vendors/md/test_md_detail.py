"""``mdadm --detail``."""

from __future__ import annotations

import re

import pytest

from raidctl.model import Progress
from raidctl_md.label_lines import role_and_status
from tests.support.scripted_tools import unparsed
from tests.vendors.md.md_outputs import DETAIL, array, controller, drives, lines_of, read, volume


def test_md_detail_every_field_of_an_array() -> None:
    """Each label of a healthy array fills its field. The line is its evidence."""
    found = volume(DETAIL)
    assert (found.id, found.device, found.name) == ("md:md7", "/dev/md7", "plum:seven")
    assert (found.raid_level, found.size_bytes, found.strip_bytes) == ("raid6", 20953088 * 1024, 256 * 1024)
    assert (found.status, found.status_text, found.metadata) == ("ok", "clean", "1.2")
    assert (found.layout, found.bitmap, found.consistency_policy) == ("left-symmetric", "internal", "bitmap")
    assert (found.drives_expected, found.drives_active) == (4, 4)
    assert found.unique_id == "0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9"
    assert found.details["Events"] == "77"
    assert unparsed(read(DETAIL)) == []
    assert lines_of(read(DETAIL), "md:md7", "strip_bytes") == ["        Chunk Size : 256K"]


def test_md_detail_members_spares_and_flags() -> None:
    """Members and spares are separate, and their flags are neutral words."""
    found = drives(DETAIL)
    assert array(DETAIL).drives == ("md:md7/sda1", "md:md7/sdb1", "md:md7/sdc1", "md:md7/sdd1")
    assert array(DETAIL).spares == ("md:md7/sde1",)
    assert (found["sdb1"].flags, found["sdd1"].flags) == (("write_mostly",), ("failfast",))
    assert (found["sde1"].role, found["sde1"].spare_for) == ("spare", ("md:md7/array",))
    assert found["sda1"].details["RaidDevice"] == "0"


@pytest.mark.parametrize(
    ("words", "status", "operation"),
    [
        ("clean", "ok", None),
        ("active", "ok", None),
        ("active-idle", "ok", None),
        ("write-pending", "ok", None),
        ("clean, degraded", "degraded", None),
        ("clean, degraded, recovering", "rebuilding", "recovery"),
        ("clean, recovering", "rebuilding", "recovery"),
        ("active, degraded, recovering (DELAYED)", "degraded", "recovery"),
        ("active, resyncing", "checking", "resync"),
        ("clean, resyncing (PENDING)", "checking", "resync"),
        ("clean, degraded, resyncing (DELAYED)", "degraded", "resync"),
        ("clean, checking", "checking", "check"),
        ("clean, reshaping", "migrating", "reshape"),
        ("clean, degraded, reshaping", "degraded", "reshape"),
        ("active, FAILED", "failed", None),
        ("active, FAILED, Not Started", "failed", None),
        ("active, degraded, Not Started", "inactive", None),
        ("broken", "failed", None),
        ("inactive", "inactive", None),
        ("dirty, no-errors", "ok", None),
    ],
)
def test_md_detail_words_of_the_state(words: str, status: str, operation: str | None) -> None:
    """Every word that the tool can print has its neutral state."""
    found = volume(DETAIL.replace("State : clean\n", f"State : {words} \n"))
    assert (found.status, found.status_text) == (status, words)
    assert (found.progress.operation if found.progress else None) == operation


def test_md_detail_without_its_state_is_not_whole() -> None:
    """Of a running array, mdadm prints the state. Without that line, the output is incomplete."""
    [line] = [line for line in DETAIL.splitlines(keepends=True) if " State : " in line]
    assert read(DETAIL).outputs[0].cut_off is None
    assert "its state is missing" in (read(DETAIL.replace(line, "")).outputs[0].cut_off or "")


def test_md_detail_an_unknown_word_is_reported() -> None:
    """An unknown state word is kept, and a problem names the array."""
    found = read(DETAIL.replace("State : clean\n", "State : clean, dreaming\n"))
    volume_ = found.controllers[0].volumes[0]
    assert (volume_.status, volume_.status_text) == ("unknown", "clean, dreaming")
    assert [(p.where, p.kind) for p in found.problems] == [("md:md7", "unread")]


@pytest.mark.parametrize(
    ("label", "state", "progress"),
    [
        ("Rebuild", "clean, degraded, recovering", Progress(operation="recovery", percent=12, state="running")),
        ("Rebuild", "active, resyncing", Progress(operation="resync", percent=12, state="running")),
        ("Resync", "active, resyncing", Progress(operation="resync", percent=12, state="running")),
        ("Check", "active, checking", Progress(operation="check", percent=12, state="running")),
        ("Reshape", "active, reshaping", Progress(operation="reshape", percent=12, state="running")),
    ],
)
def test_md_detail_progress(label: str, state: str, progress: Progress) -> None:
    """The percentage belongs to the operation in the state. mdadm 2 calls a resync a rebuild."""
    text = DETAIL.replace("State : clean\n", f"State : {state}\n")
    text = text.replace("              Name :", f"    {label} Status : 12% complete\n\n              Name :")
    assert volume(text).progress == progress
    assert unparsed(read(text)) == []


def test_md_detail_a_reshape_that_adds_members_expands() -> None:
    """A positive delta is an expansion. The other new figures are kept as details."""
    more = "     Delta Devices : 1, (3->4)\n     New Chunksize : 512K\n        New Layout : left-symmetric\n\n"
    text = DETAIL.replace("State : clean\n", "State : clean, reshaping\n").replace(
        "              Name", f"{more}              Name"
    )
    assert volume(text).status == "expanding"
    assert volume(text).details["Delta Devices"] == "1, (3->4)"


@pytest.mark.parametrize(
    ("row", "key", "role", "status"),
    [
        ("5       8       81        -      faulty   /dev/sdf1", "sdf1", "failed", "critical"),
        ("5       8       81        -      faulty writemostly   /dev/sdf1", "sdf1", "failed", "critical"),
        ("5       8       81        3      spare rebuilding   /dev/sdf1", "sdf1", "member", "warning"),
        ("5       8       81        3      writemostly spare rebuilding   /dev/sdf1", "sdf1", "member", "warning"),
        ("5       8       81        -      journal   /dev/sdf1", "sdf1", "journal", "ok"),
        ("5       8       81        3      active sync set-B   /dev/sdf1", "sdf1", "member", "ok"),
        ("5       8       81        3      active sync   missing", "8:81", "member", "critical"),
        ("5       8       81        3      active   /dev/sdf1", "sdf1", "member", "warning"),
        ("5       8       81        -      spare   /dev/cciss/c0d1p1", "c0d1p1", "spare", "ok"),
    ],
)
def test_md_detail_rows_of_members(row: str, key: str, role: str, status: str) -> None:
    """The words of a row give the member's role and health."""
    text = f"{DETAIL}       {row}\n"
    found = drives(text)[key]
    assert (found.role, found.status) == (role, status)
    assert unparsed(read(text)) == []


def test_md_detail_a_removed_slot_is_no_drive() -> None:
    """An empty slot makes no drive; the array's details keep it."""
    text = DETAIL.replace(
        "       3       8       49        3      active sync failfast   /dev/sdd1",
        "       -       0        0        3      removed",
    )
    assert "sdd1" not in drives(text)
    assert volume(text).details["RaidDevice 3"] == "removed"
    assert unparsed(read(text)) == []


def test_md_detail_an_unknown_word_of_a_member_is_reported() -> None:
    """A member's unknown word is kept, and a problem names the drive."""
    found = read(f"{DETAIL}       5       8       81        3      active dozing   /dev/sdf1\n")
    assert [(p.where, p.kind) for p in found.problems] == [("md:md7/sdf1", "unread")]


def test_md_detail_container_and_member_array() -> None:
    """A container is an array without a volume. Its drives are listed once."""
    container = (
        "/dev/md127:\n           Version : imsm\n        Raid Level : container\n     Total Devices : 2\n\n"
        "   Working Devices : 2\n\n\n              UUID : aa11aa11:bb22bb22:cc33cc33:dd44dd44\n"
        "     Member Arrays : /dev/md/data\n\n    Number   Major   Minor   RaidDevice\n\n"
        "       -       8        0        -        /dev/sda\n       -       8       16        -        /dev/sdb\n"
    )
    member = (
        "/dev/md126:\n         Container : /dev/md/imsm0, member 0\n        Raid Level : raid1\n"
        "        Array Size : 9216000 (8.79 GiB 9.44 GB)\n      Raid Devices : 2\n     Total Devices : 2\n\n"
        "             State : clean \n    Active Devices : 2\n   Working Devices : 2\n\n\n"
        "              UUID : aa11aa11:bb22bb22:cc33cc33:dd44dd45\n"
        "    Number   Major   Minor   RaidDevice State\n"
        "       1       8        0        0      active sync   /dev/sda\n"
        "       0       8       16        1      active sync   /dev/sdb\n"
    )
    found = controller(container, member)
    assert [a.id for a in found.arrays] == ["md:md127/array"]
    assert [(v.id, v.array, v.metadata) for v in found.volumes] == [("md:md126", "md:md127/array", "imsm")]
    assert [(d.id, d.status) for d in found.drives] == [("md:md127/sda", "ok"), ("md:md127/sdb", "ok")]
    assert unparsed(read(container, member)) == []
    assert controller(container).volumes == ()
    assert [a.id for a in controller(member).arrays] == ["md:imsm0/array"]


def test_md_detail_level_of_an_inactive_array_is_doubted() -> None:
    """Mdadm prints raid0 for any inactive array, which is reported as doubtful."""
    text = (
        "/dev/md4:\n           Version : 1.2\n        Raid Level : raid0\n     Total Devices : 1\n"
        "       Persistence : Superblock is persistent\n\n             State : inactive\n   Working Devices : 1\n\n"
        "    Number   Major   Minor   RaidDevice\n\n       -       8       17        -        /dev/sdb1\n"
    )
    assert volume(text).status == "inactive"
    assert "raid0" in " ".join(problem.message for problem in read(text).problems)


def test_md_detail_of_old_releases() -> None:
    """Old versions, sizes without brackets and narrow labels are read."""
    text = (
        "/dev/md2:\n        Version : 00.90.03\n     Raid Level : raid10\n     Array Size : 4096\n"
        "  Used Dev Size : 2048\n   Raid Devices : 4\n  Total Devices : 4\nPreferred Minor : 2\n"
        "    Persistence : Superblock is persistent\n\n          State : clean\n Active Devices : 4\n"
        "Working Devices : 4\n Failed Devices : 0\n  Spare Devices : 0\n\n         Layout : near=2, far=1\n"
        "     Chunk Size : 64K\n\n           UUID : 12ab12ab:34cd34cd:56ef56ef:78907890\n         Events : 0.12\n\n"
        "    Number   Major   Minor   RaidDevice State\n"
        "       0       3        1        0      active sync   /dev/hda1\n"
        "       1       0        0        1      removed\n"
    )
    found = volume(text)
    assert (found.metadata, found.size_bytes, found.layout) == ("0.90", 4096 * 1024, "near=2, far=1")
    assert unparsed(read(text)) == []


def test_md_detail_several_arrays_and_errors_in_one_text() -> None:
    """Arrays that follow each other stay apart. An error line between them is a problem."""
    text = DETAIL + "mdadm: cannot open /dev/md8: No such file or directory\n" + DETAIL.replace("md7", "md9")
    found = read(text)
    assert [v.id for v in found.controllers[0].volumes] == ["md:md7", "md:md9"]
    assert [(p.kind, "md8" in p.message) for p in found.problems] == [("unread", True)]
    assert unparsed(found) == []


def test_md_detail_a_failed_device_without_its_row_is_reported() -> None:
    """The count of failed devices is compared with the rows. A removed device is not good."""
    assert read(DETAIL).problems == ()
    [found] = read(re.sub(r"Failed Devices : 0", "Failed Devices : 1", DETAIL)).problems
    assert (found.kind, found.where, "1 failed device" in found.message) == ("state", "md:md7", True)
    assert role_and_status(["removed"], "1") == (None, "critical")


@pytest.mark.parametrize("head", ["/dev/md9:", "/dev/md/lake:"])
def test_md_detail_a_heading_alone_is_an_array_that_is_cut_off(head: str) -> None:
    """An array of which only the heading is there is not lost without a problem."""
    assert [output.gap for output in read(f"{DETAIL}{head}\n").outputs] != [""]
    assert [output.gap for output in read(DETAIL).outputs] == [""]


def test_md_detail_of_a_named_array() -> None:
    """A name is the device. A number behind /dev/md/ is the kernel's name."""
    assert volume(DETAIL.replace("/dev/md7", "/dev/md/seven")).id == "md:seven"
    assert volume(DETAIL.replace("/dev/md7", "/dev/md/seven")).device == "/dev/md/seven"
    assert volume(DETAIL.replace("/dev/md7", "/dev/md/7")).device == "/dev/md7"


def test_md_detail_without_its_first_line() -> None:
    """An output without its first line, or with a wrapped name, is read."""
    assert volume(DETAIL.partition("\n")[2]).raid_level == "raid6"
    assert volume(DETAIL.replace("(local to host plum)", "(local to host\nplum)")).name == "plum:seven"
