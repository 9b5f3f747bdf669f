"""Members of software arrays and the drives below them."""

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


def output_of(drive: Drive) -> Output:
    """An output with the rpm and the model of a drive."""
    output = Output.of_text("smartctl -x", "Rotation Rate: 7200 rpm\nDevice Model: HARBOR")
    output.lines[0].fact(drive.id, "rpm", 7200)
    output.lines[1].fact(drive.id, "model", "HARBOR")
    return output


def member(device: str, *drives: Drive, **own: object) -> tuple[Drive, Output]:
    """The member with its drive's values added, and an output. The output is that of the first drive."""
    one = Drive(id="md:md0/x", device=device, **own)  # type: ignore[arg-type] # the tests vary fields by name
    array = Controller(id="md", mode="software", drives=(one,))
    output = output_of(drives[0])
    (found, _) = add_backing([array, Controller(id="drives:0", mode="none", drives=drives)], VIEW, [output])
    return found.drives[0], output


def test_a_partition_has_the_rpm_of_its_drive_and_the_evidence() -> None:
    """The line that reports the drive's rpm is the member's evidence. The member's other values are kept."""
    found, output = member("/dev/sda1", Drive(id="drives:A", device="/dev/sda", rpm=7200, model="HARBOR"), model="OWN")
    assert (found.rpm, found.model) == (7200, "OWN")
    assert [(fact.field, fact.value, fact.line.number) for fact in output.facts if fact.object_id == found.id] == [
        ("rpm", "7200", 1)
    ]


def test_a_member_that_is_a_whole_drive_has_its_rpm() -> None:
    """Also where the drive is shown by its multipath device."""
    assert member("/dev/sda", Drive(id="drives:A", device="/dev/sda", rpm=7200))[0].rpm == 7200
    assert member("/dev/mapper/mpatha", Drive(id="drives:B", device="/dev/mapper/mpatha", rpm=7200))[0].rpm == 7200


def test_a_member_on_several_drives_has_no_rpm() -> None:
    """The drives of a striped mapping may have different speeds."""
    drives = (Drive(id="drives:A", device="/dev/sda", rpm=7200), Drive(id="drives:B", device="/dev/sdb", rpm=7200))
    assert member("/dev/dm-1", *drives)[0].rpm is None


def test_a_state_of_the_drive_is_not_that_of_its_member() -> None:
    """Write cache and health are reported only by the drive itself."""
    drive = Drive(id="drives:A", device="/dev/sda", rpm=7200, write_cache="enabled", status="warning")
    found, _ = member("/dev/sda1", drive)
    assert (found.write_cache, found.status) == (None, "unknown")


def test_a_value_without_evidence_is_not_copied() -> None:
    """The firmware has no line, so only the rpm is copied."""
    found, _ = member("/dev/sda", Drive(id="drives:A", device="/dev/sda", rpm=7200, firmware="F1"))
    assert (found.rpm, found.firmware) == (7200, None)
