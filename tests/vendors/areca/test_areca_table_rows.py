"""Odd rows in cli64's tables are read, or reported as unread."""

from __future__ import annotations

import pytest

from tests.support.scripted_tools import unparsed
from tests.vendors.areca.areca_outputs import DISKS, DRIVE, END, RULE, SETS, SLOTS, VOLUMES, controller, observed

SLOT_HEAD = f"  # Enc# Slot#   ModelName                        Capacity  Usage\n{RULE}"
OLD_DISKS = f""" Ch   ModelName        Serial#          FirmRev     Capacity  State
{RULE}  1   ST3320620AS      5QF0ZK1C         3.AAK        320.1GB  RaidSet Member(1)
  2   WDC WD3200YS-01PGB0  WD-WCAPD5110388  21.00M21   320.1GB  RaidSet Member(1)
  3   ST3320620AS      5QF0ZKXX         3.AAK        320.1GB  HotSpare
  4   N.A.             N.A.             N.A.           0.0GB  N.A.
{RULE}{END}"""
OLD_VOLUMES = f"""  # Name             Raid# Level   Capacity Ch/Id/Lun  State
{RULE}  1 ARC-1120-VOL#00    1   Raid5    640.0GB 00/00/00   Normal
{RULE}{END}"""
SMART = f"""S.M.A.R.T Information For Drive[#02]
  # Attribute Items                           Flag   Value  Thres  State
{RULE}  1 Raw Read Error Rate                       0x0f    117     51   OK
 10 Spin Up Retry Count                       0x13    100     97   Failed
{RULE}{END}"""


def test_a_row_that_cannot_be_read_is_reported() -> None:
    """A problem quotes the unreadable line of a drive."""
    found = observed(DISKS.replace(" 10 10  ST3750330NS", " 10 1O  ST3750330NS"))
    (problem,) = [problem for problem in found.problems if problem.kind == "unread"]
    assert "10 1O ST3750330NS" in problem.message


@pytest.mark.parametrize("text", [SETS.replace("3 2250.0GB", "3 lots"), VOLUMES.replace("00/00/01", "0-0-1")])
def test_unreadable_rows_of_the_other_lists_are_reported(text: str) -> None:
    """An unreadable row of arrays or volumes is a problem too."""
    assert [problem.kind for problem in observed(text).problems] == ["unread"]


@pytest.mark.parametrize(
    ("slot", "place", "bay"),
    [
        ("SLOT 07", "E3:S7", "07"), ("Slot#7 ", "E3:S7", "7"), ("Bay07  ", "E3:S7", "07"), ("07     ", "E3:S7", "07"),
        ("Disk 07", "E3:S7", "07"), ("EXT#007", "E3:S7", "007"),
    ],
)  # fmt: skip
def test_every_word_for_a_slot_is_read(slot: str, place: str, bay: str) -> None:
    """Backplanes choose the names of their slots; the heading gives the column."""
    (drive,) = controller(
        f"{SLOT_HEAD} 24  03  {slot} ST4000VX000-1F4168               4000.8GB  tank\n{RULE}{END}"
    ).drives
    assert (drive.id, drive.enclosure, drive.bay) == (f"areca:1/{place}", "03", bay)


@pytest.mark.parametrize(
    ("row", "model", "size", "usage"),
    [
        ("Samsung SSD 850 PRO 256GB         256.1GB  Fast Set      ", "Samsung SSD 850 PRO 256GB", 256.1, "Fast Set"),
        (
            "Samsung SSD 860 EVO 1TB          1000.2GB  Raid Set # 00",
            "Samsung SSD 860 EVO 1TB",
            1000.2,
            "Raid Set # 00",
        ),
        ("EXAMPLE 60GB SSD                   60.0GB  Raid Set # 00", "EXAMPLE 60GB SSD", 60.0, "Raid Set # 00"),
        ("EXAMPLE 1.92TB                   1920.4GB  2TB of 3      ", "EXAMPLE 1.92TB", 1920.4, "2TB of 3"),
        ("EXAMPLE                           500.1GB  500GB        ", "EXAMPLE", 500.1, "500GB"),
    ],
)
def test_a_model_with_a_capacity_is_whole(row: str, model: str, size: float, usage: str) -> None:
    """The column behind the model is the drive's capacity, what follows is the name of its array."""
    for text in (
        f"{SLOT_HEAD}  1  01  Slot#1  {row}\n{RULE}{END}",
        f"{DISKS.split(RULE)[0]}{RULE}  1  1  {row}\n{RULE}{END}",
    ):
        found = controller(text)
        (drive,) = found.drives
        assert (drive.model, drive.size_bytes) == (model, round(size * 1e9))
        assert [array.id for array in found.arrays] == [f"areca:1/r={usage}"]


def test_a_failed_drive_whose_model_ends_in_a_capacity_is_failed() -> None:
    """The word behind the capacity is its state, not the name of an array."""
    row = "  1  01  Slot#1  Samsung SSD 850 PRO 256GB         256.1GB  Failed"
    found = controller(f"{SLOT_HEAD}{row}\n{RULE}{END}")
    assert [(drive.status, drive.role) for drive in found.drives] == [("critical", "failed")]
    assert found.arrays == ()


@pytest.mark.parametrize(
    ("printed", "model"),
    [
        ("HGST    HUS726040ALS210         ", "HUS726040ALS210"),
        ("HITACHI HUS724030ALS640         ", "HUS724030ALS640"),
        ("SEAGATE ST4000NM0034            ", "ST4000NM0034"),
        ("HGST HUS726040ALA610            ", "HGST HUS726040ALA610"),
        ("Hitachi HUA723030ALA640         ", "Hitachi HUA723030ALA640"),
        ("WDC WD4000FYYZ-01UL1B0          ", "WDC WD4000FYYZ-01UL1B0"),
        ("INTEL SSDSC2BA400G3             ", "INTEL SSDSC2BA400G3"),
    ],
)
def test_the_vendors_column_of_sas_drives_is_no_part_of_the_model(printed: str, model: str) -> None:
    """The vendor's column is eight characters wide. A SATA drive's model may begin there."""
    row = f"  9  02  SLOT 01 {printed} 4000.7GB  tank\n"
    assert controller(SLOT_HEAD + row + RULE + END).drives[0].model == model


def test_a_drive_without_a_usage_is_listed() -> None:
    """A cut line gives a drive whose role is unknown."""
    drive = controller(DISKS.replace("750.2GB  Free", "750.2GB")).drives[-3]
    assert (drive.id, drive.role, drive.status) == ("areca:1/13", None, "unknown")


@pytest.mark.parametrize("word", ["Failed", "Removed", "Not Installed", "Fail[Global]", "Offlined"])
def test_a_state_in_the_column_of_the_array_is_no_array(word: str) -> None:
    """The column Usage has an array's name, or the state of a drive that is in none."""
    found = controller(DISKS.replace("HotSpare[Global]", word))
    [drive] = [one for one in found.drives if one.id == "areca:1/12"]
    assert (drive.status, drive.role) == ("critical", "failed")


def test_a_drive_that_lost_its_name_is_not_an_empty_slot() -> None:
    """A failed drive without a model is listed as failed."""
    found = controller(
        SLOTS.replace("HGST HUS724020ALA640             2000.4GB  tank", "N.A.                    0.0GB  Failed")
    )
    assert [(drive.id, drive.role, drive.size_bytes) for drive in found.drives][1:] == [
        ("areca:1/E2:S2", "failed", None)
    ]


def test_the_oldest_volumes_name_their_set_by_its_number() -> None:
    """Old volume tables give the array's number. A name of full width may directly precede it."""
    for name in ("ARC-1120-VOL#00   ", "sixteen chars 01 "):
        (volume,) = controller(SETS, OLD_VOLUMES.replace("ARC-1120-VOL#00    ", name)).volumes
        assert (volume.name, volume.array) == (name.strip(), "areca:1/r1")
        assert (volume.raid_level, volume.size_bytes) == ("raid5", 640 * 1000**3)


def test_two_outputs_that_contradict_each_other_are_reported() -> None:
    """A problem names the object on which two outputs disagree."""
    other = observed(DISKS, DISKS.replace("  1  1  ST3750330NS ", "  1  1  ST9999999XX "))
    assert [(p.kind, p.where) for p in other.problems if "disagree" in p.message] == [("unread", "areca:1/1")]
    sets = observed(SETS, SETS.replace("scratch ", "sketches"))
    assert [p.where for p in sets.problems if "disagree" in p.message] == ["areca:1/r2"]
    assert not [p for p in observed(DISKS, DISKS, SETS, SETS, VOLUMES, VOLUMES).problems if "disagree" in p.message]


def test_the_smart_table_is_kept_with_its_drive() -> None:
    """Value, threshold and state are details; a failed attribute is a problem."""
    found = observed(DISKS, SMART)
    drive = found.controllers[0].drives[1]
    assert drive.details["SMART Raw Read Error Rate"] == "117 (51) OK"
    assert [p.where for p in found.problems if "Spin Up Retry Count" in p.message] == [drive.id]
    assert unparsed(found) == []


@pytest.mark.parametrize("row", ["100     97   Failed", " 97     97   OK"])
def test_a_failed_smart_attribute_is_a_warning_of_the_drive(row: str) -> None:
    """A failed attribute makes the drive a warning, and leaves a failed drive critical."""
    smart = SMART.replace("100     97   Failed", row)
    assert controller(DISKS, smart).drives[1].status == "warning"
    assert controller(smart, DISKS, DRIVE.replace("NORMAL", "FAILED")).drives[1].status == "critical"


@pytest.mark.parametrize("word", ["BAD", "Failing", "Threshold exceeded"])
def test_an_unknown_state_of_a_smart_attribute_is_reported(word: str) -> None:
    """A state of an attribute that is not a known word is a problem."""
    found = observed(DISKS, SMART.replace("100     97   Failed", f"100     97   {word}"))
    assert [p.where for p in found.problems if p.kind == "unread" and word in p.message] == ["areca:1/2"]
    assert not [p for p in observed(DISKS, DRIVE).problems if p.kind == "unread"]


@pytest.mark.parametrize(
    ("line", "interface", "speed"),
    [
        ("Current SATA Mode                  : SATA600+NCQ(Depth32)", "sata", 6.0),
        ("Supported SATA Mode                : SATA300+NCQ(Depth32)", "sata", None),
        ("Device Type                        : SAS(5000CCA01A3B2C10)", "sas", None),
        ("Device Type                        : NVMe(0000000000000001)", "nvme", None),
    ],
)
def test_the_interface_is_read_from_the_mode_or_the_type(line: str, interface: str, speed: float | None) -> None:
    """A drive with a SATA mode is a SATA drive."""
    (drive,) = controller(DRIVE.replace("Device State  ", f"{line}\nDevice State  ")).drives
    assert (drive.interface, drive.link_gbps) == (interface, speed)


@pytest.mark.parametrize("heading", ["Ch", "# "])
def test_the_drives_of_old_releases_have_serial_and_firmware(heading: str) -> None:
    """The table of old releases has serial numbers, firmware, and the number of the array, but not its name."""
    found = controller(OLD_DISKS.replace("Ch", heading), SETS)
    rows = [(drive.bay, drive.model, drive.serial, drive.firmware, drive.role, drive.array) for drive in found.drives]
    assert rows == [
        ("1", "ST3320620AS", "5QF0ZK1C", "3.AAK", "member", "areca:1/r1"),
        ("2", "WDC WD3200YS-01PGB0", "WD-WCAPD5110388", "21.00M21", "member", "areca:1/r1"),
        ("3", "ST3320620AS", "5QF0ZKXX", "3.AAK", "spare", None),
    ]


@pytest.mark.parametrize("name", ["RaidSet", "RAIDSET"])
def test_an_array_may_be_called_raidset(name: str) -> None:
    """A word for an array is also the name of one. Its drives are its members."""
    before, after = controller(DISKS, SETS), controller(*(text.replace("scratch", name) for text in (DISKS, SETS)))
    assert [one.drives for one in after.arrays] == [one.drives for one in before.arrays]


def test_a_table_of_another_form_is_reported() -> None:
    """Drives of a table with unknown columns are not read. Each line is reported."""
    problems = observed(OLD_DISKS.replace("320.1GB", "320.1  ")).problems
    assert {problem.kind for problem in problems} == {"unread"}
    assert any("WD-WCAPD5110388" in problem.message for problem in problems)
