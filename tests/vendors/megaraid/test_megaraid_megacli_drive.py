"""Drives in MegaCli's outputs, with their inquiry data."""

from __future__ import annotations

import re

import pytest

from raidctl.model import Health, Role
from raidctl_megaraid.infer import infer
from raidctl_megaraid.vocabulary import ALERTED
from tests.vendors.megaraid.megacli_outputs import (
    DRIVE,
    MEMBERS,
    complaints,
    controller_of,
    drive,
    fields,
    inquiry,
    left,
)

_SATA = "     WD-WMAY02123456WDC WD2003FYYS-02W0B1                   01.01D02"


def test_all_fields_of_a_drive_are_read() -> None:
    """The size is the coerced one, to the byte. The link speed is the negotiated one."""
    found = drive(DRIVE)
    assert found.name == "32:3"
    assert fields(found, "enclosure", "bay", "array") == ("32", "3", "0")
    assert fields(found, "model", "serial", "firmware") == ("ST9300653SS", "6SJ0AAAA", "ES0A")
    assert found.get("size_bytes") == 0x2FA00000 * 512
    assert fields(found, "media", "interface", "link_gbps") == ("hdd", "sas", 3.0)
    assert fields(found, "errors.media", "errors.other", "errors.predictive") == (7, 2, 0)
    assert fields(found, "temperature_celsius", "wwn", "write_cache") == (34, "5000C500AABBCC04", "disabled")
    assert fields(found, "status", "status_text", "role") == ("ok", "Online, Spun Up", "member")


def test_no_line_of_a_drive_list_is_left() -> None:
    """Each line is a field, a detail or a title."""
    assert left(DRIVE) == []


def test_what_has_no_field_stays_under_the_tools_labels() -> None:
    """Details keep the tool's labels, with the port's name if they repeat."""
    found = drive(DRIVE)
    assert found.details["Port-1 Port's Linkspeed"] == "Unknown"
    assert found.details["Device Speed"] == "6.0Gb/s"
    assert found.details["Raw Size"].startswith("381.812 GB")
    assert found.details["Vendor"] == "SEAGATE"


def test_a_port_without_its_number_counts() -> None:
    """``Port status: Failed`` without ``Port-0 :`` above it is the state of a port of the drive."""
    text = re.sub(r"Port-[01] :\n", "", DRIVE).replace("Port status: Active", "Port status: Failed")
    assert set((drive(text).get("ports") or {}).values()) == {"Failed"}


@pytest.mark.parametrize(
    ("words", "status", "role"),
    [
        ("Online, Spun Up", "ok", "member"),
        ("Online", "ok", "member"),
        ("Hotspare, Spun down", "ok", "spare"),
        ("Unconfigured(good), Spun down", "ok", "unassigned"),
        ("Unconfigured(bad)", "critical", "failed"),
        ("Failed", "critical", "failed"),
        ("Offline", "critical", "failed"),
        ("Missing", "critical", "failed"),
        ("Rebuild", "warning", "member"),
        ("Copyback", "warning", "member"),
        ("JBOD", "ok", "passthrough"),
    ],
)
def test_the_states_of_a_drive(words: str, status: Health, role: Role) -> None:
    """The power state after the comma does not count."""
    found = drive(f"Enclosure Device ID: 8\nSlot Number: 1\nFirmware state: {words}\n")
    assert fields(found, "status", "role", "status_text") == (status, role, words)


def test_an_unknown_state_is_unread() -> None:
    """An unknown state keeps its word, and is a problem."""
    found = drive("Enclosure Device ID: 8\nSlot Number: 1\nFirmware state: Dancing, Spun Up\n")
    assert fields(found, "status", "status_text") == ("unknown", "Dancing, Spun Up")
    assert complaints(found, "unread") == ["The drive's status word 'Dancing' is not recognised."]


@pytest.mark.parametrize(
    "line",
    ["Predictive Failure Count: 3", "Drive has flagged a S.M.A.R.T alert : Yes", "Foreign State: Foreign"],
)
def test_an_online_drive_with_an_alarm_is_no_good_drive(line: str) -> None:
    """A drive that is online and has an alert is a warning."""
    found = drive(f"Enclosure Device ID: 8\nSlot Number: 1\n{line}\nFirmware state: Online, Spun Up\n")
    assert found.get("status") == "warning"


def test_an_unknown_foreign_state_is_unread() -> None:
    """``Foreign State`` is ``None`` or ``Foreign``; of another word, it is unknown."""
    for word, foreign, count in (("None", False, 0), ("Foreign", True, 0), ("Perhaps", None, 1)):
        found = drive(DRIVE.replace("Foreign State: None", f"Foreign State: {word}"))
        assert (found.get("foreign"), len(complaints(found, "unread"))) == (foreign, count)


def test_a_smart_alert_is_a_problem() -> None:
    """A S.M.A.R.T. alert is a problem."""
    found = drive(DRIVE.replace("S.M.A.R.T alert : No", "S.M.A.R.T alert : Yes"))
    assert complaints(found, "state") == [ALERTED[0]]


def test_a_locked_drive_is_a_problem() -> None:
    """A locked drive is a problem, an unlocked one is none."""
    assert complaints(drive(DRIVE), "state") == []
    assert len(complaints(drive(DRIVE.replace("Locked: Unlocked", "Locked: Locked")), "state")) == 1


def test_a_drive_without_an_enclosure() -> None:
    """The enclosure ``N/A`` is None."""
    found = drive("Enclosure Device ID: N/A\nSlot Number: 7\nFirmware state: Online\n")
    assert found.name == ":7"
    assert fields(found, "enclosure", "bay") == (None, "7")


def test_values_that_are_not_reported_are_none() -> None:
    """``N/A``, ``Unknown`` and empty values are None, without a problem."""
    text = (
        "Enclosure Device ID: 8\nSlot Number: 1\nDrive Temperature : N/A\nLink Speed: Unknown\nWWN:\nPD Type: Unknown\n"
    )
    found = drive(text)
    assert fields(found, "temperature_celsius", "link_gbps", "wwn", "interface") == (None, None, None, None)
    assert found.complaints == []


@pytest.mark.parametrize("line", ["Media Error Count: many", "Drive Temperature :9999C (1.00 F)", "Coerced Size: big"])
def test_an_unreadable_value_is_a_problem_and_a_detail(line: str) -> None:
    """An unreadable value is not a field, but a detail and a problem."""
    found = drive(f"Enclosure Device ID: 8\nSlot Number: 1\n{line}\n")
    label = line.partition(":")[0].strip()
    assert label in found.details
    assert len(complaints(found, "unread")) == 1


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("381.0 GB [0x2fa00000 Sectors]", 0x2FA00000 * 512),
        ("7.277 TB [0x747000000 Sectors]", round(7.277 * 1024**4)),
        ("7.277 TB [0x74700000 Sectors]", 0x74700000 * 4096),
        ("390144MB [0x2fa00000 Sectors]", 0x2FA00000 * 512),
        ("381.0 GB", round(381.0 * 1024**3)),
        ("0 KB [0x0 Sectors]", None),
    ],
)
def test_sizes_are_counted_in_sectors_that_fit(text: str, size: int | None) -> None:
    """A sector count that fits the printed size gives the size. Sectors of 512 and 4096 bytes are tried."""
    assert drive(f"Enclosure Device ID: 8\nSlot Number: 1\nCoerced Size: {text}\n").get("size_bytes") == size


def test_the_raw_size_replaces_a_missing_coerced_one() -> None:
    """Without the coerced size, the raw size is used."""
    found = drive("Enclosure Device ID: 8\nSlot Number: 1\nRaw Size: 381.812 GB [0x2fba0000 Sectors]\n")
    assert found.get("size_bytes") == 0x2FBA0000 * 512


@pytest.mark.parametrize(
    ("heading", "kind", "spares"),
    [
        ("Physical Disk: 1", "Dedicated, is revertible", ["8:9"]),
        ("Physical Disk: 1", "Global, is revertible", []),
        ("Dedicated Hotspare: 0", "Dedicated, is revertible", ["8:9"]),
        ("Global Hotspare: 0", "", []),
    ],
)
def test_a_spare_below_a_disk_group_is_no_member(heading: str, kind: str, spares: list[str]) -> None:
    """A hot spare that ``-CfgDsply`` lists below a disk group is its spare, or that of all, but no member."""
    information = f"Hotspare Information:\nType: {kind}\n" if kind else ""
    found = controller_of(
        "Adapter: 0\nDISK GROUP: 3\nSPAN: 0\nPhysical Disk: 0\nEnclosure Device ID: 8\nSlot Number: 1\n"
        f"Firmware state: Online, Spun Up\n\n{heading}\nEnclosure Device ID: 8\nSlot Number: 9\n{information}"
        "Firmware state: Hotspare, Spun Up\n\nExit Code: 0x00\n"
    )
    infer(found, "megacli")
    assert (list(found.arrays["3"].members), list(found.arrays["3"].spares)) == (["8:1"], spares)
    assert found.drives["8:9"].get("array") == ("3" if spares else None)


def test_a_global_spare_is_in_no_group() -> None:
    """A global spare has its type as a detail, and no array."""
    text = "Enclosure Device ID: 8\nSlot Number: 1\nFirmware state: Hotspare, Spun Up\nHotspare Information:\n"
    found = controller_of(f"{text}Type: Global, is revertible\n")
    assert found.drives["8:1"].details["Hotspare Type"] == "Global, is revertible"
    assert found.arrays == {}


def test_a_dedicated_spare_belongs_to_its_group() -> None:
    """A dedicated spare is a spare of its array. The next drive is not."""
    found = controller_of(
        "Adapter #0\nEnclosure Device ID: 8\nSlot Number: 1\nFirmware state: Hotspare, Spun Up\n"
        "Hotspare Information:\nType: Dedicated, is revertible\nArray #: 2\n\n"
        "Enclosure Device ID: 8\nSlot Number: 2\nFirmware state: Online, Spun Up\n"
    )
    assert list(found.array("2").spares) == ["8:1"]
    assert found.drives["8:2"].get("role") == "member"


def test_the_members_of_a_virtual_drive() -> None:
    """A member without data is not a drive."""
    found = controller_of(MEMBERS)
    assert list(found.drives) == ["8:0", "8:2", "8:3"]
    assert list(found.volumes["2"].members) == ["8:0", "8:2", "8:3"]
    assert list(found.array("1").members) == ["8:0", "8:2", "8:3"]
    assert left(MEMBERS) == []


def test_drives_whose_slot_was_cut_off_are_not_mixed_up() -> None:
    """Two drives without slots stay two."""
    found = controller_of(
        "Enclosure Device ID: 8\nMedia Error Count: 1\nEnclosure Device ID: 8\nMedia Error Count: 2\n"
    )
    assert [item.get("errors.media") for item in found.drives.values()] == [1, 2]


def test_the_columns_of_a_sata_drive() -> None:
    """The serial number has 20 columns. The firmware is complete, not only its last 4 characters."""
    found = inquiry(_SATA, "SATA", "1D02")
    assert fields(found, "serial", "model", "firmware") == ("WD-WMAY02123456", "WDC WD2003FYYS-02W0B1", "01.01D02")


def test_a_serial_number_that_fills_its_column() -> None:
    """A serial number of 20 characters has no blank before the model."""
    found = inquiry("S1AXNSAF912345K1234ASAMSUNG MZ7WD240HCFV-00003              DXM9203Q", "SATA")
    assert fields(found, "serial", "model", "firmware") == (
        "S1AXNSAF912345K1234A",
        "SAMSUNG MZ7WD240HCFV-00003",
        "DXM9203Q",
    )


def test_a_sata_drive_behind_older_firmware() -> None:
    """After vendor ATA, the model has 16 and the firmware 4 columns."""
    found = inquiry("ATA     ST9250610NS     SN03            9XE1AAAA", "SATA")
    assert fields(found, "serial", "model", "firmware") == ("9XE1AAAA", "ST9250610NS", "SN03")


@pytest.mark.parametrize(
    ("data", "model", "firmware", "serial"),
    [
        ("TOSHIBA AL14SEB030      DJ0AY7K0A0AAFJD5        ", "AL14SEB030", "DJ0A", "Y7K0A0AAFJD5"),
        ("HITACHI HUS156060VLS600 A5D0JWXAAAAA", "HUS156060VLS600", "A5D0", "JWXAAAAA"),
        ("MAXTOR  ATLAS15K2_147SASBL01J8EXAAAA    ", "ATLAS15K2_147SAS", "BL01", "J8EXAAAA"),
        ("IBM-ESXSST9146853SS     B62D6XM1AAAA0611B62D    ", "ST9146853SS", "B62D", "6XM1AAAA"),
        ("SEAGATE ST9300653SS     00076XN2AAAA", "ST9300653SS", "0007", "6XN2AAAA"),
    ],
)
def test_the_columns_of_a_sas_drive(data: str, model: str, firmware: str, serial: str) -> None:
    """Vendor, model, firmware and serial number are read. IBM's suffix is cut off."""
    assert fields(inquiry(data), "model", "firmware", "serial") == (model, firmware, serial)


@pytest.mark.parametrize(
    ("data", "attached", "level", "expected"),
    [
        ("SEAGATE ST9300653SS ES0A6SJ0AAAA", "SAS", "ES0A", ("ST9300653SS", "ES0A", "6SJ0AAAA")),
        ("SEAGATE ST9300653SS ES0A6SJ0AAAA", "SAS", None, ("ST9300653SS", "ES0A", "6SJ0AAAA")),
        ("MAXTOR ATLAS15K2_147SASBL01J8EXAAAA", "SAS", "BL01", ("ATLAS15K2_147SAS", "BL01", "J8EXAAAA")),
        ("IBM-ESXSST9146853SS B62D6XM1AAAA0611B62D", "SAS", "B62D", ("ST9146853SS", "B62D", "6XM1AAAA")),
        ("WD-WMAY02123456WDC WD2003FYYS-02W0B1 01.01D02", "SATA", "1D02",
         ("WDC WD2003FYYS-02W0B1", "01.01D02", "WD-WMAY02123456")),
        ("ATA ST9250610NS SN03 9XE1AAAA", "SATA", None, ("ST9250610NS", "SN03", "9XE1AAAA")),
    ],
)  # fmt: skip
def test_inquiry_data_whose_blanks_were_lost(
    data: str, attached: str, level: str | None, expected: tuple[str, str, str]
) -> None:
    """The firmware level or the vendor's name gives the columns."""
    assert fields(inquiry(data, attached, level), "model", "firmware", "serial") == expected


@pytest.mark.parametrize("data", ["ABCD1234EXAMPLE500 SN04", "IBM-ESXSM", "XYZ"])
def test_ambiguous_inquiry_data_is_not_split(data: str) -> None:
    """Model and serial number are unknown. The text stays a detail, and there is a note."""
    found = inquiry(data, "SATA")
    assert fields(found, "model", "serial") == (None, None)
    assert found.details["Inquiry Data"] == data
    assert complaints(found, "note")


def test_the_firmware_level_replaces_missing_inquiry_data() -> None:
    """Without a firmware in the inquiry data, the firmware level is used."""
    assert inquiry("IBM-ESXSM", "SAS", "SB1A").get("firmware") == "SB1A"


def test_a_rebuild_belongs_to_its_drive() -> None:
    """A progress sentence gives the drive's operation and percentage."""
    found = drive("Rebuild Progress on Device at Enclosure 8, Slot 3 Completed 27% in 64 Minutes.\n\nExit Code: 0x00\n")
    assert found.name == "8:3"
    assert fields(found, "progress.operation", "progress.percent") == ("rebuild", 27.0)
    assert found.details["Progress"] == "Rebuild 27%"
