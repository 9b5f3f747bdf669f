"""Members of software arrays and the drives that they lie on."""

from __future__ import annotations

from raidctl.evidence import Output
from raidctl.host import BlockDevice, HostView
from raidctl.model import Controller, Drive
from raidctl.survey.md_members import add_backing

VIEW = HostView(
    blocks=(
        BlockDevice("sda", "/dev/sda", "disk"),
        BlockDevice("sda1", "/dev/sda1", "partition", parent="sda"),
        BlockDevice("sdb", "/dev/sdb", "disk"),
        BlockDevice("sdc", "/dev/sdc", "disk"),
        BlockDevice("dm-0", "/dev/dm-0", "dm", slaves=("sdb", "sdc"), dm_name="mpatha", links=("/dev/mapper/mpatha",)),
        BlockDevice("dm-1", "/dev/dm-1", "dm", slaves=("sda", "sdb")),
    )
)


def sheet(drive: Drive) -> Output:
    """An output whose lines told the turns and the model of a drive."""
    told = Output.of_text("smartctl -x", "Rotation Rate: 7200 rpm\nDevice Model: HARBOR")
    told.fact(told.lines[0], drive.id, "rpm", 7200)
    told.fact(told.lines[1], drive.id, "model", "HARBOR")
    return told


def member(device: str, *drives: Drive, **own: object) -> tuple[Drive, Output]:
    """What becomes of a member on these drives, and the sheet of the first of them."""
    one = Drive(id="md:md0/x", device=device, **own)  # type: ignore[arg-type] # the tests vary fields by name
    array = Controller(id="md", mode="software", drives=(one,))
    told = sheet(drives[0])
    (found, _) = add_backing([array, Controller(id="drives:0", mode="none", drives=drives)], VIEW, [told])
    return found.drives[0], told


def test_a_partition_has_the_turns_of_its_disk_and_their_evidence() -> None:
    """The line that told it of the disk is the line that tells it of the member; what it has is left alone."""
    found, told = member("/dev/sda1", Drive(id="drives:A", device="/dev/sda", rpm=7200, model="HARBOR"), model="OWN")
    assert (found.rpm, found.model) == (7200, "OWN")
    assert [(fact.field, fact.value, fact.line.number) for fact in told.facts if fact.object_id == found.id] == [
        ("rpm", "7200", 1)
    ]


def test_a_member_that_is_the_whole_disk_has_its_turns() -> None:
    """Also where the drive is shown by its multipath device."""
    assert member("/dev/sda", Drive(id="drives:A", device="/dev/sda", rpm=7200))[0].rpm == 7200
    assert member("/dev/mapper/mpatha", Drive(id="drives:B", device="/dev/mapper/mpatha", rpm=7200))[0].rpm == 7200


def test_a_member_on_several_drives_has_the_turns_of_none() -> None:
    """A striped mapping turns with no one speed."""
    drives = (Drive(id="drives:A", device="/dev/sda", rpm=7200), Drive(id="drives:B", device="/dev/sdb", rpm=7200))
    assert member("/dev/dm-1", *drives)[0].rpm is None


def test_a_state_of_the_drive_is_not_that_of_its_member() -> None:
    """The write cache and the health are the drive's, and are told once."""
    drive = Drive(id="drives:A", device="/dev/sda", rpm=7200, write_cache="enabled", status="warning")
    found, _ = member("/dev/sda1", drive)
    assert (found.write_cache, found.status) == (None, "unknown")


def test_nothing_is_taken_over_that_no_line_tells() -> None:
    """A value without evidence stays where it is."""
    found, _ = member("/dev/sda", Drive(id="drives:A", device="/dev/sda", rpm=7200, firmware="F1"))
    assert (found.rpm, found.firmware) == (7200, None)
