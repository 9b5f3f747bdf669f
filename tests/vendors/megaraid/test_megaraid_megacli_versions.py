"""Words and formats that only some versions of MegaCli print."""

from __future__ import annotations

import pytest

from raidctl.vendor.protocol import Document
from raidctl_megaraid.megacli import sniff, tool_version
from raidctl_megaraid.reader import read
from tests.vendors.megaraid.megacli_outputs import (
    battery,
    complaints,
    controller_of,
    drive,
    fields,
    left,
    read_outputs,
    volume,
)

_OLD_BATTERY = """BBU status for Adapter: 0

Voltage: 3911 mV
Current: 0 mA
Temperature: 31 C
Firmware Status: {figure}

Battery state: 

GasGuageStatus:
  Fully Discharged        : No
  Fully Charged           : Yes

Relative State of Charge: 97 %
Charger Status: Complete
isSOHGood: Yes
"""  # noqa: W291 - as the tool prints it
_VOLUME = "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\n"
_DRIVE = "Enclosure Device ID: 9\nSlot Number: 4\n"


@pytest.mark.parametrize(
    ("figure", "status", "replace"),
    [
        ("00000000", "ok", False),
        ("00000008", "charging", False),
        ("00000440", "failed", True),
        ("00000001", "missing", False),
    ],
)
def test_the_status_number_of_an_old_battery(figure: str, status: str, *, replace: bool) -> None:
    """The firmware's bits, printed as a number, give the status. They also give whether to replace the battery."""
    assert fields(battery(_OLD_BATTERY.format(figure=figure)), "status", "replace") == (status, replace)


def test_the_status_number_in_words() -> None:
    """The bits of the number are reported in words."""
    assert "replacement required" in battery(_OLD_BATTERY.format(figure="00000400")).get("status_text")


def test_no_learn_cycle_with_its_delay_behind_it() -> None:
    """``None`` with a second pair on its line is not a learn cycle."""
    found = battery("BBU Properties for Adapter: 0\n\n  Next Learn time: None  Learn Delay Interval:0 Hours\n")
    assert found.get("next_learn_at") is None
    assert not complaints(found, "unread")


def test_a_learn_cycle_with_its_delay_behind_it() -> None:
    """A time with a second pair on its line is read."""
    text = (
        "BBU Properties for Adapter: 0\n\n  Next Learn time: Sun Oct 12 12:20:37 2014  Learn Delay Interval:0 Hours\n"
    )
    assert battery(text).get("next_learn_at") == "2014-10-12T12:20:37"


def test_the_type_no_battery_is_no_battery() -> None:
    """``No Battery`` is not a kind of battery."""
    text = "BBU status for Adapter: 0\n\nBatteryType: No Battery\nBattery State: Missing\n"
    assert fields(battery(text), "kind", "status") == (None, "missing")


def test_a_state_that_the_tool_does_not_know() -> None:
    """Good flags do not make the state ``Unknown`` ok."""
    text = "BBU status for Adapter: 0\n\nBattery State: Unknown\nBBU Firmware Status:\n  Charging Status : None\n"
    assert battery(text).get("status") == "unknown"


@pytest.mark.parametrize(
    ("state", "status", "role"),
    [
        ("Hotspare(Shielded)", "warning", "spare"),
        ("Online(Shielded)", "warning", "member"),
        ("Unconfigured(Shielded), Spun Up", "warning", "unassigned"),
        ("Unconfigured(foreign)", "warning", "unassigned"),
        ("Online (Spun Up)", "ok", "member"),
    ],
)
def test_words_in_brackets(state: str, status: str, role: str) -> None:
    """Brackets after the state contain part of it or the power state."""
    found = drive(f"{_DRIVE}Firmware state: {state}\n")
    assert fields(found, "status", "role") == (status, role)
    assert not complaints(found, "unread")


def test_an_unknown_word_in_brackets_is_unread() -> None:
    """A drive with an unknown word in brackets has an unknown status. There is also a problem."""
    found = drive(f"{_DRIVE}Firmware state: Online(zorbled)\n")
    assert found.get("status") == "unknown"
    assert complaints(found, "unread")


@pytest.mark.parametrize("operation", ["Rebuild", "Copyback"])
def test_a_rebuild_without_a_state_is_a_warning(operation: str) -> None:
    """A drive known only by a rebuild or copyback is a member. Its status is a warning."""
    found = drive(f"{operation} Progress on Device at Enclosure 9, Slot 4 Completed 8% in 39 Minutes.\n")
    assert fields(found, "status", "status_text", "role") == ("warning", operation, "member")


def test_the_drives_own_state_counts_more_than_its_progress() -> None:
    """The drive's state word overrides the status from its progress."""
    found = drive(f"{_DRIVE}Firmware state: Failed\nOngoing Progresses:\n  Rebuild : Completed 8%, Taken 9 min.\n")
    assert fields(found, "status", "role") == ("critical", "failed")


def test_a_locked_drive_is_a_warning() -> None:
    """A locked drive cannot be read: its status is a warning."""
    assert drive(f"{_DRIVE}Firmware state: Unconfigured(good), Spun Up\nLocked: Locked\n").get("status") == "warning"


@pytest.mark.parametrize("label", ["Drive has flagged a S.M.A.R.T alert", "Locked", "Needs EKM Attention"])
def test_an_alert_with_an_unknown_value_is_unread(label: str) -> None:
    """An alert with neither yes nor no is a problem."""
    assert complaints(drive(f"{_DRIVE}{label} : Zorbled\n"), "unread")


@pytest.mark.parametrize("cut", ["No Write Cache if Bad", "No Write Cache if", "No Write Cache", "No"])
def test_a_cache_policy_that_a_mail_wrapped(cut: str) -> None:
    """A cache policy continues on the next line."""
    policy = "WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU"
    text = f"{_VOLUME}Default Cache Policy: {policy.replace(cut, cut + chr(10), 1).replace(chr(10) + ' ', chr(10))}\n"
    found = volume(text)
    assert found.get("write_configured") == "protected_write_back"
    assert not complaints(found, "unread")
    assert left(text) == []


def test_a_raid_level_that_a_mail_wrapped() -> None:
    """A RAID level continues on the next line."""
    text = f"{_VOLUME}RAID Level          : Primary-5, Secondary-0, RAID Level\nQualifier-3\nSpan Depth : 2\n"
    assert volume(text).get("raid_level") == "raid50"
    assert left(text) == []


def test_a_cache_policy_that_is_not_reported() -> None:
    """The policy ``N/A`` is unknown, without a problem."""
    found = volume(f"{_VOLUME}Default Cache Policy: N/A\nCurrent Cache Policy: N/A\n")
    assert fields(found, "write_configured", "write_current") == (None, None)
    assert not complaints(found, "unread")


def test_a_number_of_drives_that_is_no_number_is_unread() -> None:
    """A word in place of the number of drives is a problem."""
    assert complaints(volume(f"{_VOLUME}Number Of Drives    : several\nSpan Depth : 1\n"), "unread")


def test_states_kept_with_grep_are_of_several_drives() -> None:
    """With only one label per drive, each line is another drive."""
    found = controller_of("Firmware state: Online, Spun Up\nFirmware state: Online, Spun Up\nFirmware state: Failed\n")
    assert [item.get("status") for item in found.drives.values()] == ["ok", "ok", "critical"]


def test_policies_kept_with_grep_are_of_several_volumes() -> None:
    """With only one label per volume, each line is another volume."""
    policy = "ReadAheadNone, Direct, No Write Cache if Bad BBU"
    found = controller_of(f"Current Cache Policy: WriteThrough, {policy}\nCurrent Cache Policy: WriteBack, {policy}\n")
    assert [item.get("write_current") for item in found.volumes.values()] == ["write_through", "protected_write_back"]


def test_a_warning_belongs_to_the_controller_of_the_next_sentence() -> None:
    """A warning without a number belongs to the next sentence's controller."""
    text = (
        "Battery capacity is too low. So policy Change to WB will not come into effect immediately\n"
        "Set Write Policy to WriteBack on Adapter 0, VD 0 (target id: 0) success\n"
    )
    controllers, _, _ = read_outputs(text)
    assert list(controllers.by_number) == ["0"]


@pytest.mark.parametrize(("value", "mode"), [("Yes", "mixed"), ("No", "raid"), ("N/A", None)])
def test_jbod_support_gives_the_mode(value: str, mode: str | None) -> None:
    """``Enable JBOD`` gives the controller's mode."""
    text = (
        "Adapter #0\n\nProduct Name    : Example\n\n                Supported PD Operations\n"
        f"                ================\nEnable JBOD   : {value}\n"
    )
    assert controller_of(text).get("mode") == mode


def test_the_foreign_drives_of_the_overview_are_drives() -> None:
    """Foreign drives of the summary are listed as foreign."""
    text = (
        "System\n\tCLI Version: 8.07.14\nHardware\n        Controller\n"
        "                 ProductName : Example(Bus 0, Dev 0)\n"
        "Storage\n       Foreign Drives\n                Connector          : 00<Internal>: Slot 7 \n"
        "                State              : Unconfigured Good\n"
    )
    assert fields(drive(text), "bay", "foreign") == ("7", True)


@pytest.mark.parametrize(
    "text",
    [
        "Firmware state: Online, Spun Up\n",
        "Adapter #0\n\nProduct Name    : Example\nFW Package Build: 24.7.0-0026\n",
        "Current Cache Policy: WriteThrough, ReadAheadNone, Direct, No Write Cache if Bad BBU\n",
        "Virtual Drive: 0 (Target Id: 0)\nState               : Degraded\n",
        "  Battery Replacement required            : Yes\n",
    ],
)
def test_a_few_lines_are_recognised(text: str) -> None:
    """One unmistakable label, as grep leaves it, identifies the tool."""
    assert sniff("notes.txt", text) is not None


def test_the_version_in_the_overview() -> None:
    """``-ShowSummary`` contains the tool's version."""
    assert tool_version("System\n\tDriver Version: 07.705\n\tCLI Version: 8.07.14\nHardware\n") == "8.07.14"


def test_the_version_is_in_the_inventory() -> None:
    """The tool's version is in the inventory."""
    banner = "      MegaCLI SAS RAID Management Tool  Ver 8.02.21 Oct 21, 2011\n\nExit Code: 0x00\n"
    assert [tool.version for tool in read([Document("MegaCli64 -v", "megacli", banner)]).tools] == ["8.02.21"]


def test_a_battery_with_only_its_presence_is_unknown() -> None:
    """A battery that is only reported as present has an unknown status."""
    text = "Adapter: 0\nProduct Name: Example\nMemory: 512MB\nBBU: Present\nSerial No: 1AA00AA\n"
    (controller,) = read([Document("MegaCli64 -CfgDsply -aALL", "megacli", text)]).controllers
    assert [item.status for item in controller.batteries] == ["unknown"]


def test_a_drive_without_a_slot_has_no_bay() -> None:
    """The placeholder in the drive's key is not its bay."""
    (controller,) = read(
        [Document("x.txt", "megacli", "Firmware state: Rebuild\nDevice Firmware Level: 0008\n")]
    ).controllers
    assert [item.bay for item in controller.drives] == [None]


@pytest.mark.parametrize("cut", ["  Pack is about to fail & should", "Predictive Failure Cou", "Security Key Failed"])
def test_a_label_that_was_cut_is_no_failure(cut: str) -> None:
    """A truncated label that contains ``fail`` is not a failure."""
    _, _, problems = read_outputs(f"Adapter #0\n\n{_DRIVE}{cut}")
    assert problems == []


def test_two_drives_in_one_bay_are_a_problem() -> None:
    """Of two drives in one bay, the second is reported. A text without its headings may have them."""
    data = "Inquiry Data: SEAGATE ST9300653SS     ES0A6SJ0{}            \n"
    found = drive(f"{_DRIVE}{data.format('AAAA')}{_DRIVE}{data.format('BBBB')}")
    assert found.get("serial") == "6SJ0AAAA"
    assert any("6SJ0BBBB" in message for message in complaints(found, "unread"))
