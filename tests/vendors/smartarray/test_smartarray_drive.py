"""Drives, their addresses and their states in the outputs of HP's tools."""

from __future__ import annotations

import pytest

from raidctl.health.redundancy import with_redundancy
from raidctl.model import Health, Interface, Media, Role
from raidctl_smartarray.drive import drive_model
from tests.support.conclusions import read_text
from tests.support.judged import conditions
from tests.vendors.smartarray.smartarray_outputs import CONTROLLER, controller, drive, observed


def test_the_drives_fields_are_read() -> None:
    """Sizes of drives are decimal. The vendor's column is not part of the model."""
    found = controller(CONTROLLER).drives[0]
    assert (found.id, found.enclosure, found.bay) == ("smartarray:0/1I:1:1", "1", "1")
    assert (found.array, found.role, found.model) == ("smartarray:0/A", "member", "EG0300FBVFL")
    assert (found.serial, found.firmware, found.size_bytes) == ("6XN0AAAA", "HPD7", 300 * 10**9)
    assert (found.media, found.interface, found.rpm) == ("hdd", "sas", 10000)
    assert (found.temperature_celsius, found.link_gbps, found.status) == (31, 6.0, "ok")
    assert found.details["Port"] == "1I"


@pytest.mark.parametrize(("days", "soon"), [("57 days", False), ("56 days", True), ("0 days", True), ("N/A", False)])
def test_an_ssd_that_is_worn_out_soon_is_a_problem(days: str, *, soon: bool) -> None:
    """The tool prints the estimate beside a status of OK."""
    estimate = f"Estimated Life Remaining based on workload to date: {days}"
    text = CONTROLLER.replace("PHY Transfer Rate:", f"{estimate}\n         PHY Transfer Rate:", 1)
    assert any("worn out" in problem.message for problem in observed(text).problems) is soon


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("HP      EG0300FBDBR     ", "EG0300FBDBR"),
        ("ATA     WDC WD740ADFD-00", "WDC WD740ADFD-00"),
        ("SEAGATE ST3146807LC", "ST3146807LC"),
        ("HPE MO000800JXBEV", "MO000800JXBEV"),
        ("EG0300FBDBR", "EG0300FBDBR"),
        ("Unknown", None),
    ],
)
def test_the_vendor_column_is_cut_off_the_model(text: str, model: str | None) -> None:
    """The vendor column is cut off the model.

    The column is eight characters wide, or is a known vendor's name if blanks were lost.
    """
    assert drive_model(text) == model


@pytest.mark.parametrize(
    ("words", "interface", "media"),
    [
        ("SAS", "sas", None),
        ("SAS HDD", "sas", "hdd"),
        ("Solid State SAS", "sas", "ssd"),
        ("SATA SSD", "sata", "ssd"),
        ("Parallel SCSI", "scsi", None),
    ],
)
def test_the_words_of_an_interface(words: str, interface: Interface, media: Media | None) -> None:
    """A word without the media leaves the media unknown."""
    found = drive(f"Smart Array P410 in Slot 1\n   physicaldrive 1I:1:1 (port 1I:box 1:bay 1, {words}, 1 TB, OK)\n")
    assert (found.interface, found.media) == (interface, media)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("OK", "ok"),
        ("Predictive Failure", "warning"),
        ("Rebuilding", "warning"),
        ("Erase In Progress", "warning"),
        ("Erase Suspended", "warning"),
        ("Failed", "critical"),
        ("Failed Due To Read Errors", "critical"),
        ("Dancing", "unknown"),
    ],
)
def test_the_words_of_a_drive(words: str, status: Health) -> None:
    """Each status word has a health; an unknown one is reported."""
    found = observed(f"   physicaldrive 1I:1:1 (port 1I:box 1:bay 1, 1 TB): {words}\n")
    (item,) = found.controllers[0].drives
    assert (item.status, item.status_text) == (status, words)
    assert any(problem.kind == "unread" and problem.where == item.id for problem in found.problems) == (
        status == "unknown"
    )


@pytest.mark.parametrize(
    ("words", "severity"),
    [("Erase In Progress", "info"), ("Erase Complete. Reenable Before Using.", "info"), ("Erase Failed", "warning")],
)
def test_a_requested_erasure_is_for_information(words: str, severity: str) -> None:
    """A running or complete erasure is for information. A failed one is a warning."""
    found = observed(f"   physicaldrive 1I:1:1 (port 1I:box 1:bay 1, 1 TB): {words}\n")
    assert [one.severity for one in conditions(found)] == [severity]


@pytest.mark.parametrize(
    ("row", "identity", "enclosure", "bay"),
    [
        ("1I:1:4 (port 1I:box 1:bay 4, SAS, 146 GB, OK)", "1I:1:4", "1", "4"),
        ("0:6 (box 0:bay 6, SATA, 1 TB, Failed)", "0:6", "0", "6"),
        ("1:0   (port 1:id 0 , Parallel SCSI, 36.4 GB, OK)", "1:0", "1", "0"),
        ("1:1 (port 1:id 1 , Parallel SCSI, --- GB, Failed)", "1:1", "1", "1"),
    ],
)
def test_addresses_have_two_or_three_parts(row: str, identity: str, enclosure: str, bay: str) -> None:
    """A pulled drive has no port in its address. One on a parallel bus has no box; ``---`` is not a size."""
    found = drive(f"Smart Array 6i in Slot 0 (Embedded)\n   array A\n      physicaldrive {row}\n")
    assert (found.id, found.enclosure, found.bay) == (f"smartarray:0/{identity}", enclosure, bay)
    assert (found.size_bytes is None) == ("---" in row)


def test_the_last_word_of_a_row_without_a_size_is_the_state() -> None:
    """A failed drive may have no size in its row."""
    row = "physicaldrive 1I:1:4 (port 1I:box 1:bay 4, SAS, Failed)"
    found = drive(f"Smart Array 6i in Slot 0 (Embedded)\n   array A\n      {row}\n")
    assert (found.interface, found.status, found.status_text) == ("sas", "critical", "Failed")


def test_both_addresses_of_a_drive_are_one_drive() -> None:
    """Both addresses of a drive are one drive.

    Old tools give port, box and bay in the list, box and bay in the section.
    """
    found = controller(
        """
        Smart Array E200 in Slot 2
           array A
              physicaldrive 2I:1:1 (port 2I:box 1:bay 1, SATA, 80 GB, OK)
        """,
        """
        Smart Array E200 in Slot 2
           array A
              physicaldrive 1:1
                 Port: 2I
                 Box: 1
                 Bay: 1
                 Serial Number: WD-AAA
        """,
    )
    (item,) = found.drives
    assert (item.id, item.serial, item.size_bytes) == ("smartarray:2/2I:1:1", "WD-AAA", 80 * 10**9)
    assert found.arrays[0].drives == ("smartarray:2/2I:1:1",)


def test_a_spare_of_two_arrays_is_one_drive() -> None:
    """A spare of two arrays is listed once."""
    found = controller(
        """
        Smart Array P410 in Slot 1
           array A (SAS, Unused Space: 0  MB)
              physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS, 300 GB, OK)
              physicaldrive 1I:1:9 (port 1I:box 1:bay 9, SAS, 300 GB, OK, spare)
           array B (SAS, Unused Space: 0  MB)
              physicaldrive 1I:1:2 (port 1I:box 1:bay 2, SAS, 300 GB, OK)
              physicaldrive 1I:1:9 (port 1I:box 1:bay 9, SAS, 300 GB, OK, spare)
        """
    )
    spare = next(item for item in found.drives if item.bay == "9")
    assert (spare.role, spare.status, spare.spare_for) == ("spare", "ok", ("smartarray:1/A", "smartarray:1/B"))
    assert [array.spares for array in found.arrays] == [(spare.id,), (spare.id,)]
    assert len(found.drives) == 3


_DEGRADED = """
Smart Array P420i in Slot 0 (Embedded)

   array A

      logicaldrive 1 (1.1 TB, RAID 5, Interim Recovery Mode)

      physicaldrive 2I:1:5 (port 2I:box 1:bay 5, SAS, 600 GB, OK)
      physicaldrive 2I:1:6 (port 2I:box 1:bay 6, SAS, 600 GB, Failed)
      physicaldrive 2I:1:8 (port 2I:box 1:bay 8, SAS, 600 GB, OK)
      physicaldrive 2I:1:7 (port 2I:box 1:bay 7, SAS, 600 GB, OK, active spare for 2I:1:6)

"""


_ACTIVE = """
Smart Array P420i in Slot 0 (Embedded)

   Array: A

      physicaldrive 2I:1:7
         Drive Type: Active Spare Drive

"""
_LISTED = _DEGRADED.replace("active spare for 2I:1:6", "spare")


@pytest.mark.parametrize("texts", [(_DEGRADED,), (_DEGRADED, _ACTIVE), (_ACTIVE, _LISTED), (_LISTED, _ACTIVE)])
def test_a_spare_that_has_taken_the_place_of_a_member_is_one(texts: tuple[str, ...]) -> None:
    """An active spare holds data: it is a member of the array, and none of its spares."""
    (found,) = with_redundancy(observed(*texts).controllers)
    (array,), (volume,) = found.arrays, found.volumes
    active = next(item for item in found.drives if item.bay == "7")
    assert (active.role, active.array, active.spare_for) == ("member", array.id, ())
    assert (active.id in array.drives, array.spares, volume.failures_tolerated) == (True, (), 0)
    assert "active spare" in " ".join(active.details.values()).lower()


@pytest.mark.parametrize(
    ("group", "role"),
    [
        ("unassigned", "unassigned"),
        ("Unassigned", "unassigned"),
        ("HBA Drives", "passthrough"),
        ("Exposed Drives", "passthrough"),
        ("Foreign Drives", None),
    ],
)
@pytest.mark.parametrize("above", ["", "   array A (SAS, Unused Space: 0  MB)\n\n"])
def test_the_group_gives_the_role_of_a_drive(above: str, group: str, role: Role | None) -> None:
    """Drives outside of arrays are unassigned or passed through. Another heading gives no role, and ends the array."""
    found = drive(
        f"Smart Array P840 in Slot 1\n\n{above}   {group}\n\n"
        "      physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS, 6 TB, OK)\n"
    )
    assert (found.role, found.array) == (role, None)


def test_an_hba_mode_drive_has_a_device() -> None:
    """The type of a drive overrides its group's title. HBA mode has a device."""
    found = drive(
        """
        Smart Array P822 in Slot 3
           unassigned
              physicaldrive 5I:1:1
                 Drive Type: HBA Mode Drive
                 Disk Name: /dev/sdq
                 Write Cache Status: Enabled
                 Power On Hours: 4711
                 WWID: 5000C50012345678
        """
    )
    assert (found.role, found.device, found.write_cache) == ("passthrough", "/dev/sdq", "enabled")
    assert (found.power_on_hours, found.wwn) == (4711, "5000C50012345678")


def test_the_drives_section_outweighs_the_row_of_a_list() -> None:
    """The section takes precedence in either order, except for a bad state."""
    row = "      physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS, 299 GB, Failed)\n"
    found = controller(CONTROLLER + "\n   Physical Drives\n" + row)
    assert (found.drives[0].status, found.drives[0].status_text) == ("critical", "Failed")
    assert found.drives[0].size_bytes == 300 * 10**9
    assert len(found.drives) == 2


def test_a_figure_that_cannot_be_read_is_a_problem_and_no_figure() -> None:
    """An unreadable size is unknown and kept as printed."""
    found = observed(CONTROLLER.replace("Size: 300 GB\n         Rotational", "Size: 300foo\n         Rotational"))
    item = found.controllers[0].drives[0]
    assert item.size_bytes is None
    assert item.details["Size"] == "300foo"
    assert [(problem.kind, problem.where) for problem in found.problems] == [("unread", item.id)]


_PAGE = (
    "      physicaldrive 1I:1:{0}\n         Port: 1I\n         Box: 1\n         Bay: {0}\n         Status: OK\n"
    "         Interface Type: SAS\n         Size: 6 TB\n         Drive Authentication Status: OK\n\n"
)
_HEAD = "Smart Array P440 in Slot 3\n\n   array A\n\n"


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_drive_page_that_ends_too_early_is_cut_off(count: int) -> None:
    """A page without its status, or without the last line of the other pages, is cut off."""
    text = _HEAD + "".join(_PAGE.format(bay) for bay in range(1, count + 1))
    whole, lines = text.rstrip("\n"), text.rstrip().splitlines(keepends=True)
    assert not [one for one in read_text(text).inventory.problems if one.kind == "unread"]
    assert not [one for one in read_text(whole).inventory.problems if one.kind == "unread"]
    for missing in range(1, 8):
        cut = "".join(lines[:-missing])
        found = [one.message for one in read_text(cut).inventory.problems if one.kind == "unread"]
        assert bool(found) is (count > 1 or missing > 3), (missing, found)
        short = [one.message for one in read_text(f"{cut}\n\n").inventory.problems if one.kind == "unread"]
        assert bool(short) is (missing > 3), (missing, short)


def test_an_output_that_ends_after_a_whole_page_is_cut_off() -> None:
    """Each drive of an enclosure's list has a page in an output with pages."""
    listed = "   Internal Drive Cage at Port 1I, Box 1, OK\n\n   Physical Drives\n" + "".join(
        f"      physicaldrive 1I:1:{bay} (port 1I:box 1:bay {bay}, SAS, 6 TB, OK)\n" for bay in (1, 2, 3)
    )
    for pages in (1, 2, 3):
        drives = "".join(_PAGE.format(bay) for bay in range(1, pages + 1))
        problems = read_text(f"Smart Array P440 in Slot 3\n\n{listed}\n   array A\n\n{drives}\n").inventory.problems
        found = [one.message for one in problems if one.kind == "unread"]
        assert bool(found) is (pages < 3), found
        assert pages == 3 or f"drive 1I:1:{pages + 1} is listed without its details" in found[0]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("MultiDomain Status: OK", []),
        ("MultiDomain Status: Not Supported", []),
        ("MultiDomain Status: Single-domain", ["warning"]),
        ("MultiDomain Status: Bogus", ["warning"]),
    ],
)
def test_paths_that_do_not_all_work_are_a_problem(line: str, wanted: list[str]) -> None:
    """Any word but OK, or that the drive has no second path, is a problem of the drive."""
    text = CONTROLLER.replace(
        "         Drive Type: Data Drive\n", f"         Drive Type: Data Drive\n         {line}\n", 1
    )
    problems = observed(text).problems
    assert [one.severity for one in problems if (one.where, one.kind) == ("smartarray:0/1I:1:1", "state")] == wanted


@pytest.mark.parametrize(
    ("kind", "member"), [("Data Drive", True), ("Unassigned Drive", False), ("HBA Mode Drive", False)]
)
def test_a_page_below_an_array_without_the_heading_unassigned(kind: str, member: bool) -> None:
    """A drive whose page calls it unassigned is not a member, even if the heading above its page was lost."""
    found = controller(
        "Smart Array P420i in Slot 0\n   Array: A\n      Status: OK\n\n      physicaldrive 1I:1:1\n"
        f"         Status: OK\n         Drive Type: {kind}\n         Size: 300 GB\n\n"
    )
    assert found.drives[0].array == ("smartarray:0/A" if member else None)
    assert (found.drives[0].id in found.arrays[0].drives) == member
