"""The tables of cli64 about controllers, arrays, volumes and drives."""

from __future__ import annotations

import pytest

from raidctl.model import Health, RaidLevel, Role, VolumeStatus
from tests.support.judged import wrong
from tests.support.scripted_tools import unparsed
from tests.vendors.areca.areca_outputs import DISKS, END, RULE, SETS, SLOTS, SYS, VOLUMES, controller, observed

GIGABYTE = 1000**3


def test_the_controller_is_read() -> None:
    """A controller's model, firmware, serial number and memory are read.

    The firmware has its date, and the memory is in binary units.
    """
    found = controller(SYS)
    assert (found.id, found.vendor, found.model) == ("areca:1", "Areca", "ARC-1680")
    assert (found.firmware, found.serial) == ("V1.51 2012-07-04", "Y244CABZAR700911")
    assert found.cache is not None
    assert found.cache.size_bytes == 512 * 1024**2
    assert found.details["Main Processor"] == "800MHz"


def test_raid_sets_are_arrays() -> None:
    """Raw and free space are decimal. Labels without a field are details."""
    first, second = controller(SETS).arrays
    assert (first.id, first.status, first.status_text) == ("areca:1/r1", "ok", "Normal")
    assert (first.size_bytes, second.free_bytes) == (2250 * GIGABYTE, 250 * GIGABYTE)
    assert second.details == {"Name": "scratch", "Disks": "1", "DiskChannels": "B"}


@pytest.mark.parametrize(
    ("word", "health"),
    [
        ("Normal", "ok"), ("Initializing", "ok"), ("Checking", "ok"), ("Migrating", "ok"), ("Rebuilding", "warning"),
        ("Degraded", "warning"), ("Incomplete", "critical"), ("Failed", "critical"), ("Offlined", "critical"),
        ("Need Init", "critical"),
    ],
)  # fmt: skip
def test_the_state_of_a_raid_set_gives_its_health(word: str, health: Health) -> None:
    """An operation without loss of redundancy is ok. Every other state is a problem."""
    found = observed(SETS.replace("12A                Normal", f"12A                {word}"))
    array = found.controllers[0].arrays[0]
    assert (array.status, array.status_text) == (health, word)
    assert wrong(found) == ({"areca:1/r1"} if health != "ok" else set())


def test_volume_sets_are_volumes_of_their_raid_set() -> None:
    """Names with and without blanks, level, SCSI address and progress are read."""
    first, second = controller(SETS, VOLUMES).volumes
    assert (first.id, first.name, first.array, first.raid_level) == ("areca:1/v1", "home", "areca:1/r1", "raid5")
    assert (first.size_bytes, first.details["SCSI target"]) == (1500 * GIGABYTE, "0:0:0")
    assert (second.name, second.array) == ("ARC-1680-VOL#001", "areca:1/r2")
    assert (second.status, second.details["SCSI target"]) == ("initializing", "0:0:1")
    assert second.progress is not None
    assert (second.progress.operation, second.progress.percent) == ("initialize", 7.5)


def test_two_names_of_full_width_are_separated() -> None:
    """Two names are separated by the heading's columns or the array table."""
    row = "  1 sixteen chars 01 sixteen chars 02 Raid6   1500.0GB 00/00/00   Normal\n"
    heading = "  # Name             Raid Name        Level   Capacity Ch/Id/Lun  State\n"
    (volume,) = controller(heading + RULE + row + END).volumes
    assert (volume.name, volume.array) == ("sixteen chars 01", "areca:1/r=sixteen chars 02")
    squeezed = heading.replace("             ", " ") + RULE + row + END
    (volume,) = controller(SETS.replace("Raid Set # 00   ", "sixteen chars 02"), squeezed).volumes
    assert (volume.name, volume.array) == ("sixteen chars 01", "areca:1/r1")


@pytest.mark.parametrize(
    ("word", "status", "percent"),
    [
        ("Normal", "ok", None),
        ("Rebuilding(23.4%)", "rebuilding", 23.4),
        ("Checking(99%)", "checking", 99.0),
        ("Migrating(1.5%)", "migrating", 1.5),
        ("Expanding(50.0%)", "expanding", 50.0),
        ("Fore. Initializing(4.0%)", "initializing", 4.0),
        ("Back. Initializing(4.0%)", "initializing", 4.0),
        ("Degraded", "degraded", None),
        ("Migrating+Degraded", "degraded", None),
        ("Need Rebuild", "degraded", None),
        ("Failed", "failed", None),
        ("Offlined", "offline", None),
        ("Normal(Degraded)", "degraded", None),
        ("Normal(Need Init)", "unknown", None),
        ("Failed(Levitating)", "failed", None),
    ],
)
def test_the_state_of_a_volume(word: str, status: VolumeStatus, percent: float | None) -> None:
    """Every state has a status; a percentage is the progress. Words in brackets make a good state worse."""
    found = controller(VOLUMES.replace("Initializing(7.5%)", word)).volumes[1]
    assert (found.status, found.status_text) == (status, word)
    assert (found.progress.percent if found.progress else None) == percent


def test_an_unknown_state_is_reported() -> None:
    """An unknown state is kept as printed. A problem names the volume."""
    found = observed(VOLUMES.replace("Initializing(7.5%)", "Levitating"))
    volume = found.controllers[0].volumes[1]
    assert (volume.status, volume.status_text) == ("unknown", "Levitating")
    assert [(p.kind, p.where) for p in found.problems] == [("unread", "areca:1/v2")]


@pytest.mark.parametrize(
    ("drives", "word", "level"),
    [
        (4, "Raid0", "raid0"), (2, "Raid1", "raid1"), (4, "Raid0+1", "raid10"), (2, "Raid0+1", "raid1"),
        (3, "Raid0+1", "raid1e"), (4, "Raid1+0", "raid10"), (4, "Raid6", "raid6"), (6, "Raid50", "raid50"),
        (8, "Raid60", "raid60"), (1, "PassThr", "jbod"), (4, "Raid3", None),
    ],
)  # fmt: skip
def test_raid_levels(drives: int, word: str, level: RaidLevel | None) -> None:
    """`Raid0+1` of two drives is a mirror. An odd number makes it RAID 1E. RAID 3 keeps the tool's word."""
    sets = SETS.replace("Raid Set # 00        3", f"Raid Set # 00        {drives}")
    volume = controller(sets, VOLUMES.replace("Raid5  ", word.ljust(7))).volumes[0]
    assert volume.raid_level == level
    assert volume.details.get("Raid Level") == (word if level is None else None)


@pytest.mark.parametrize(
    ("number", "role", "status", "array"),
    [
        ("1", "member", "ok", "areca:1/r1"), ("10", "member", "ok", "areca:1/r1"), ("11", "member", "ok", "areca:1/r2"),
        ("12", "spare", "ok", None), ("13", "unassigned", "ok", None), ("14", "passthrough", "ok", None),
        ("15", "failed", "critical", None),
    ],
)  # fmt: skip
def test_the_usage_of_a_drive(number: str, role: Role, status: Health, array: str | None) -> None:
    """A drive whose usage names an array is a member. An empty channel is not a drive."""
    found = controller(SYS, SETS, DISKS)
    (drive,) = [drive for drive in found.drives if drive.id == f"areca:1/{number}"]
    assert (drive.role, drive.status, drive.array, drive.bay) == (role, status, array, number)
    assert len(found.drives) == 8
    assert found.arrays[0].drives == ("areca:1/1", "areca:1/2", "areca:1/10")


@pytest.mark.parametrize("name", ["scratch", "data (1)"])
def test_a_dedicated_spare_belongs_to_its_set(name: str) -> None:
    """A dedicated spare names its array."""
    disks = DISKS.replace("HotSpare[Global]", f"HotSpare[Dedicated To {name}]")
    found = controller(SETS.replace("scratch ", f"{name:8}"), disks)
    assert found.arrays[1].spares == ("areca:1/12",)
    assert next(drive for drive in found.drives if drive.role == "spare").spare_for == ("areca:1/r2",)


def test_a_spare_of_a_set_is_none_of_the_set_whose_name_is_a_part_of_that_name() -> None:
    """A spare of "my scratch" or "scratch 2" is not a spare of "scratch"."""
    for name in ("my scratch", "scratch 2"):
        found = controller(SETS, DISKS.replace("HotSpare[Global]", f"HotSpare[Dedicated To {name}]"))
        spare = next(drive for drive in found.drives if drive.role == "spare")
        assert (found.arrays[1].spares, spare.spare_for) == ((), ())


def test_drives_in_enclosures_go_by_enclosure_and_slot() -> None:
    """Ids come from enclosure and slot; sizes are decimal."""
    first, second = controller(SLOTS).drives
    assert (first.id, first.enclosure, first.bay) == ("areca:1/E2:S1", "02", "01")
    assert (first.model, second.model) == ("ST2000NM0023", "HGST HUS724020ALA640")
    assert first.size_bytes == 2000400 * 1000**2


def test_raid_sets_known_only_from_drives_are_arrays() -> None:
    """An array known only from its drives has an unknown status. No problem is reported."""
    found = observed(SLOTS)
    (array,) = found.controllers[0].arrays
    assert (array.id, array.status, array.drives) == ("areca:1/r=tank", "unknown", ("areca:1/E2:S1", "areca:1/E2:S2"))
    assert found.problems == ()


def test_two_raid_sets_of_one_name_leave_the_array_unknown() -> None:
    """Two arrays of one name are reported as a problem. Drives name their array only."""
    found = observed(SETS.replace("scratch      ", "Raid Set # 00"), DISKS.replace("scratch", "Raid Set # 00"))
    assert {problem.kind for problem in found.problems} == {"unread"}


def test_events_and_banners_are_understood() -> None:
    """Events and banners leave no line unread."""
    text = (
        "Copyright (c) 2004-2011 Areca, Inc. All Rights Reserved.\n"
        "Areca CLI, Version: 1.86, Arclib: 310, Date: Nov  1 2010( Linux )\n\n"
        " S  #   Name       Type             Interface\n======\n[*] 1   ARC-1680   Raid Controller  PCI\n======\n\n"
        "Date-Time            Device           Event Type            Elapsed Time Errors\n======\n"
        "2025-11-02 03:04:05  H/W MONITOR      Raid Powered On\n" + END
    )
    found = observed(text)
    assert unparsed(found) == []
    assert found.controllers[0].model == "ARC-1680"
    assert [tool.version for tool in found.tools] == ["1.86"]


def test_every_line_of_the_tables_is_used() -> None:
    """Empty slots, rules and trailers are read too."""
    assert unparsed(observed(SYS, SETS, VOLUMES, DISKS, SLOTS)) == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("GuiErrMsg<0x4d>: Password Required.", "no_right"),
        ("GuiErrMsg<0x46>: No Physical Drive.", "note"),
        ("GuiErrMsg<0x6f>: Invaild Data Returned.", "unread"),
        ("ErrMsg: Timeout.", "unread"),
    ],
)
def test_any_code_but_zero_is_a_failure(line: str, kind: str) -> None:
    """Missing rights, empty slots and unreadable outputs are different problems."""
    assert [problem.kind for problem in observed(line + "\n").problems] == [kind]


def test_outputs_of_a_second_controller_are_separate() -> None:
    """A second controller is recognised by `ctrl=2`, prompt or serial number."""
    other = SYS.replace("Y244CABZAR700911", "Y244CABZAR700912")
    for found in (
        observed(SYS, other, names=["cli64 sys info", "cli64 sys info ctrl=2"]),
        observed(SYS, f"CLI> set curctrl=2\n{END}CLI> sys info\n{other}"),
        observed(SYS, other),
    ):
        assert [item.id for item in found.controllers] == ["areca:1", "areca:2"]
        assert [item.serial for item in found.controllers] == ["Y244CABZAR700911", "Y244CABZAR700912"]


@pytest.mark.parametrize(
    "usage", ["Failed[Raid Set # 00]", "Dead", "Missing", "Offline", "Error", "Raid Set # 00[Failed]"]
)
def test_a_usage_that_means_failure_is_no_set_name(usage: str) -> None:
    """A word of failure in the usage is not an array's name."""
    found = controller(SYS, SETS, DISKS.replace("  Failed\n", f"  {usage}\n"))
    (drive,) = [drive for drive in found.drives if drive.id == "areca:1/15"]
    assert (drive.role, drive.status, drive.array) == ("failed", "critical", None)


@pytest.mark.parametrize("usage", ["Incompleted RaidSet", "Incomplete"])
def test_a_drive_of_an_incomplete_set_is_a_finding_and_not_to_be_replaced(usage: str) -> None:
    """A drive whose set lacks other drives is ok and a finding."""
    found = observed(SYS, SETS, DISKS.replace("  Failed\n", f"  {usage}\n"))
    assert [one.where for one in found.problems if "lacks drives" in one.message] == ["areca:1/15"]
    assert {drive.status for controller in found.controllers for drive in controller.drives} == {"ok"}


def test_a_foreign_drive_is_not_in_use() -> None:
    """``Foreign`` is a warning."""
    found = controller(SYS, SETS, DISKS.replace("  Failed\n", "  Foreign\n"))
    (drive,) = [drive for drive in found.drives if drive.id == "areca:1/15"]
    assert (drive.status, drive.status_text) == ("warning", "Foreign")


def test_a_drive_that_fails_between_two_lists_has_failed() -> None:
    """The worse state counts, in either order of the lists."""
    failed = DISKS.replace("  1  1  ST3750330NS                     750.2GB  Raid Set # 00",
                           "  1  1  ST3750330NS                     750.2GB  Failed")  # fmt: skip
    for texts in ((DISKS, failed), (failed, DISKS)):
        (drive,) = [drive for drive in controller(SYS, SETS, *texts).drives if drive.id == "areca:1/1"]
        assert (drive.role, drive.status) == ("failed", "critical")
