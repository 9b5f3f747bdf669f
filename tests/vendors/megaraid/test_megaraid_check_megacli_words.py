"""Words and forms that some versions of MegaCli print and others do not."""

from __future__ import annotations

import pytest

from raidctl.vendor.protocol import Document
from raidctl_megaraid.megacli import sniff, tool_version
from raidctl_megaraid.reader import read
from tests.vendors.megaraid.megacli_texts import battery, card, complaints, drive, fields, left, told, volume

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
def test_the_figure_of_an_old_battery(figure: str, status: str, *, replace: bool) -> None:
    """Old versions print the firmware's bits as a number: it tells the pack's state and whether to replace it."""
    assert fields(battery(_OLD_BATTERY.format(figure=figure)), "status", "replace") == (status, replace)


def test_the_words_of_the_figure() -> None:
    """A number says nothing to a person: its bits are told in words."""
    assert "replacement required" in battery(_OLD_BATTERY.format(figure="00000400")).get("status_text")


def test_no_learn_cycle_with_its_delay_behind_it() -> None:
    """Some versions print two facts on one line; ``None`` stays none."""
    found = battery("BBU Properties for Adapter: 0\n\n  Next Learn time: None  Learn Delay Interval:0 Hours\n")
    assert found.get("next_learn_at") is None
    assert not complaints(found, "unread")


def test_a_learn_cycle_with_its_delay_behind_it() -> None:
    """The time is the first of the two facts."""
    text = (
        "BBU Properties for Adapter: 0\n\n  Next Learn time: Sun Oct 12 12:20:37 2014  Learn Delay Interval:0 Hours\n"
    )
    assert battery(text).get("next_learn_at") == "2014-10-12T12:20:37"


def test_the_type_no_battery_is_no_battery() -> None:
    """What is not there is of no kind."""
    text = "BBU status for Adapter: 0\n\nBatteryType: No Battery\nBattery State: Missing\n"
    assert fields(battery(text), "kind", "status") == (None, "missing")


def test_a_state_that_the_tool_does_not_know() -> None:
    """Good flags beside the state ``Unknown`` do not make the pack good."""
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
    """A word in brackets behind a drive's state is part of it, or its power state."""
    found = drive(f"{_DRIVE}Firmware state: {state}\n")
    assert fields(found, "status", "role") == (status, role)
    assert not complaints(found, "unread")


def test_an_unknown_word_in_brackets_is_told() -> None:
    """Nothing is made of it."""
    found = drive(f"{_DRIVE}Firmware state: Online(zorbled)\n")
    assert found.get("status") == "unknown"
    assert complaints(found, "unread")


@pytest.mark.parametrize("operation", ["Rebuild", "Copyback"])
def test_the_progress_of_a_drive_tells_its_state(operation: str) -> None:
    """A drive that is filled is a member that needs a look, though nothing else is told of it."""
    found = drive(f"{operation} Progress on Device at Enclosure 9, Slot 4 Completed 8% in 39 Minutes.\n")
    assert fields(found, "status", "status_text", "role") == ("warning", operation, "member")


def test_the_drives_own_state_counts_more_than_its_progress() -> None:
    """The state word is the tool's; the progress is what was seen a moment before."""
    found = drive(f"{_DRIVE}Firmware state: Failed\nOngoing Progresses:\n  Rebuild : Completed 8%, Taken 9 min.\n")
    assert fields(found, "status", "role") == ("critical", "failed")


def test_a_locked_drive_is_not_well() -> None:
    """Nobody can read it."""
    assert drive(f"{_DRIVE}Firmware state: Unconfigured(good), Spun Up\nLocked: Locked\n").get("status") == "warning"


@pytest.mark.parametrize("label", ["Drive has flagged a S.M.A.R.T alert", "Locked", "Needs EKM Attention"])
def test_an_alert_of_an_unknown_word_is_told(label: str) -> None:
    """Whether the drive is well is not known then."""
    assert complaints(drive(f"{_DRIVE}{label} : Zorbled\n"), "unread")


@pytest.mark.parametrize("cut", ["No Write Cache if Bad", "No Write Cache if", "No Write Cache", "No"])
def test_a_cache_policy_that_a_mail_wrapped(cut: str) -> None:
    """Its end stands in the next line, and is part of it."""
    policy = "WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU"
    text = f"{_VOLUME}Default Cache Policy: {policy.replace(cut, cut + chr(10), 1).replace(chr(10) + ' ', chr(10))}\n"
    found = volume(text)
    assert found.get("write_configured") == "protected_write_back"
    assert not complaints(found, "unread")
    assert left(text) == []


def test_a_raid_level_that_a_mail_wrapped() -> None:
    """So does the end of a level."""
    text = f"{_VOLUME}RAID Level          : Primary-5, Secondary-0, RAID Level\nQualifier-3\nSpan Depth : 2\n"
    assert volume(text).get("raid_level") == "raid50"
    assert left(text) == []


def test_a_cache_policy_that_is_not_told() -> None:
    """``N/A`` is no policy and no riddle."""
    found = volume(f"{_VOLUME}Default Cache Policy: N/A\nCurrent Cache Policy: N/A\n")
    assert fields(found, "write_configured", "write_current") == (None, None)
    assert not complaints(found, "unread")


def test_a_number_of_drives_that_is_none_is_told() -> None:
    """The number of drives that a volume should have is a fact."""
    assert complaints(volume(f"{_VOLUME}Number Of Drives    : several\nSpan Depth : 1\n"), "unread")


def test_states_kept_with_grep_are_of_several_drives() -> None:
    """A label that is told again is the next drive's, and no failed drive is lost."""
    found = card("Firmware state: Online, Spun Up\nFirmware state: Online, Spun Up\nFirmware state: Failed\n")
    assert [item.get("status") for item in found.drives.values()] == ["ok", "ok", "critical"]


def test_policies_kept_with_grep_are_of_several_volumes() -> None:
    """So is a policy that is told again."""
    policy = "ReadAheadNone, Direct, No Write Cache if Bad BBU"
    found = card(f"Current Cache Policy: WriteThrough, {policy}\nCurrent Cache Policy: WriteBack, {policy}\n")
    assert [item.get("write_current") for item in found.volumes.values()] == ["write_through", "protected_write_back"]


def test_a_warning_is_of_the_adapter_that_the_next_sentence_names() -> None:
    """A text that names one adapter speaks of no second one."""
    text = (
        "Battery capacity is too low. So policy Change to WB will not come into effect immediately\n"
        "Set Write Policy to WriteBack on Adapter 0, VD 0 (target id: 0) success\n"
    )
    cards, _, _ = told(text)
    assert list(cards.by_number) == ["0"]


@pytest.mark.parametrize(("value", "mode"), [("Yes", "mixed"), ("No", "raid"), ("N/A", None)])
def test_whether_drives_stand_beside_the_volumes(value: str, mode: str | None) -> None:
    """``Enable JBOD`` says what kind of card it is."""
    text = (
        "Adapter #0\n\nProduct Name    : Example\n\n                Supported PD Operations\n"
        f"                ================\nEnable JBOD   : {value}\n"
    )
    assert card(text).get("mode") == mode


def test_the_foreign_drives_of_the_overview_are_drives() -> None:
    """They are listed, and marked."""
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
    """People keep what matters to them with grep; one unmistakable label is enough."""
    assert sniff("notes.txt", text) is not None


def test_the_version_in_the_overview() -> None:
    """``-ShowSummary`` names the tool's version in the middle of its text."""
    assert tool_version("System\n\tDriver Version: 07.705\n\tCLI Version: 8.07.14\nHardware\n") == "8.07.14"


def test_the_version_is_told_of_the_tool() -> None:
    """It reaches the inventory."""
    banner = "      MegaCLI SAS RAID Management Tool  Ver 8.02.21 Oct 21, 2011\n\nExit Code: 0x00\n"
    assert [tool.version for tool in read([Document("MegaCli64 -v", "megacli", banner)]).tools] == ["8.02.21"]


def test_a_battery_of_which_only_its_presence_is_told() -> None:
    """It is there; how it is is not known."""
    text = "Adapter: 0\nProduct Name: Example\nMemory: 512MB\nBBU: Present\nSerial No: 1AA00AA\n"
    (controller,) = read([Document("MegaCli64 -CfgDsply -aALL", "megacli", text)]).controllers
    assert [item.status for item in controller.batteries] == ["unknown"]


def test_a_drive_without_a_slot_has_no_bay() -> None:
    """The mark of its key is no fact."""
    (controller,) = read(
        [Document("x.txt", "megacli", "Firmware state: Rebuild\nDevice Firmware Level: 0008\n")]
    ).controllers
    assert [item.bay for item in controller.drives] == [None]


@pytest.mark.parametrize("cut", ["  Pack is about to fail & should", "Predictive Failure Cou", "Security Key Failed"])
def test_a_label_that_was_cut_is_no_failure(cut: str) -> None:
    """A text that ends in the middle of a label with the word ``fail`` in it says of no failure."""
    _, _, problems = told(f"Adapter #0\n\n{_DRIVE}{cut}")
    assert problems == []


def test_two_drives_in_one_place_are_told() -> None:
    """A text that lost the headings of its adapters has two: the second is not hidden."""
    data = "Inquiry Data: SEAGATE ST9300653SS     ES0A6SJ0{}            \n"
    found = drive(f"{_DRIVE}{data.format('AAAA')}{_DRIVE}{data.format('BBBB')}")
    assert found.get("serial") == "6SJ0AAAA"
    assert any("6SJ0BBBB" in message for message in complaints(found, "unread"))
