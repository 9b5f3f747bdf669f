"""Controllers in MegaCli's outputs, and what belongs to no volume or drive."""

from __future__ import annotations

from pathlib import Path

import pytest

import raidctl_megaraid
from raidctl.vendor.protocol import Confidence, Document
from raidctl.vendor.shapes import MISSING_PLACES
from raidctl_megaraid.megacli import sniff, tool_version
from tests.vendors.megaraid import megacli_outputs as outputs
from tests.vendors.megaraid.megacli_outputs import (
    ALL_INFO,
    CONFIGURATION,
    DRIVE,
    SUMMARY,
    VOLUME,
    complaints,
    controller_of,
    fields,
    left,
    read_outputs,
)

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


def test_all_fields_of_a_controller_are_read() -> None:
    """Model, serial number, firmware and cache are fields. The firmware package is a detail."""
    found = controller_of(ALL_INFO)
    assert fields(found, "model", "serial", "firmware") == ("PERC H810 Adapter", "41K00PB", "3.131.05-8148")
    assert fields(found, "cache.size_bytes", "cache.available_bytes") == (1024**3, 883 * 1024**2)
    assert fields(found, "cache.flush_interval_seconds", "cache.preserved_data") == (4, False)
    assert found.get("bbu_present") is True
    assert found.details["FW Package Build"] == "21.3.2-0005"


def test_no_line_of_a_controller_is_left() -> None:
    """Lists and continued lines belong to the label above them."""
    assert left(ALL_INFO) == []
    found = controller_of(ALL_INFO)
    assert found.details["Allowed Mixing"] == "Mix in Enclosure Allowed; Mix of SAS/SATA of HDD type in VD Allowed"
    assert found.details["Default Settings: Power Saving option"].count(";") == 2
    assert found.details["Port 0"] == "500056b3aabbcc00"


def test_supported_hardware_is_not_present_hardware() -> None:
    """``BBU`` below the supported operations does not mean that there is one."""
    found = controller_of(ALL_INFO.replace("BBU              : Present", "BBU              : Absent"))
    assert found.get("bbu_present") is False
    assert found.details["Supported Adapter Operations: BBU"] == "Yes"


def test_the_firmware_package_replaces_a_missing_version() -> None:
    """Without the firmware version, the package is used."""
    found = controller_of("Adapter #0\nProduct Name    : PERC H310 Adapter\nFW Package Build: 20.13.3-0001\n")
    assert found.get("firmware") == "20.13.3-0001"


@pytest.mark.parametrize(("label", "count"), [("Failed Disks    ", 1), ("  Degraded        ", 2)])
def test_counts_of_failures_are_read(label: str, count: int) -> None:
    """The numbers of failed drives and degraded volumes are read."""
    name = f"count.{label.strip().lower()}"
    assert controller_of(ALL_INFO).get(name) == 0
    assert controller_of(ALL_INFO.replace(f"{label}: 0", f"{label}: {count}")).get(name) == count


def test_a_preserved_cache() -> None:
    """Preserved cache of a missing volume is read; it makes no volume."""
    found = controller_of("Adapter #0\n\nVirtual Drive(Target ID 06): Missing.\n\nExit Code: 0x00\n")
    assert found.get("cache.preserved_data") is True
    assert found.volumes == {}
    none = controller_of("Adapter #0\n\nNo Virtual Drive has Preserved Cache Data.\n\nExit Code: 0x00\n")
    assert none.get("cache.preserved_data") is False


def test_the_pci_address_is_hexadecimal() -> None:
    """The tool prints the bus as a hexadecimal number, and no domain."""
    found = controller_of(
        "PCI information for Controller 0\n--------------------------------\nBus Number      : 5e\n"
        "Device Number   : 0\n"
        "Function Number : 0\n\n\nExit Code: 0x00\n"
    )
    assert found.get("bus") == "0000:5e:00.0"


def test_the_property_command() -> None:
    """Each property belongs to the controller that its line names. Known ones are fields, others details."""
    controllers, _, problems = read_outputs(
        "Adapter 0: Cache Flush Interval = 4s\nAdapter 0: NCQ is Enabled.\nAdapter 1: BIOS will Stop On Error.\n\n"
        "Exit Code: 0x00\n"
    )
    assert controllers.by_number["0"].get("cache.flush_interval_seconds") == 4
    assert controllers.by_number["0"].details["NCQ"] == "Enabled"
    assert controllers.by_number["1"].details["BIOS"] == "Stop On Error"
    assert problems == []


def test_foreign_configurations_are_no_volumes() -> None:
    """Volumes and arrays of a foreign configuration are details only."""
    text = (
        "Adapter #0\n\nForeign configuration 0\nDISK GROUP: 0\nSPAN: 0\nVirtual Drive: 0 (Target Id: 0)\n"
        "Name                :old\nState               : Optimal\n"
        "Physical Disk: 0\nEnclosure Device ID: 32\nSlot Number: 4\n"
        "Drive's position: DiskGroup: 0, Span: 0, Arm: 0\nFirmware state: Unconfigured(good), Spun Up\n"
        "Foreign State: Foreign\n\nExit Code: 0x00\n"
    )
    found = controller_of(text)
    assert found.volumes == {}
    assert found.arrays == {}
    assert found.get("foreign") is True
    assert fields(found.drives["32:4"], "array", "foreign", "status") == (None, True, "warning")
    assert found.details["Foreign configuration 0 Virtual Drive 0 Name"] == "old"
    assert left(text) == []


@pytest.mark.parametrize(
    ("text", "count", "flag"),
    [
        ("There are 2 foreign configuration(s) on controller 0.", "2", True),
        ("There is no foreign configuration on controller 0.", "0", None),
    ],
)
def test_the_scan_for_foreign_configurations(text: str, count: str, flag: bool | None) -> None:
    """The number of foreign configurations is read, also if it is none."""
    found = controller_of(f"{text}\n\nExit Code: 0x00\n")
    assert found.details["Foreign configurations"] == count
    assert found.get("foreign") is flag


def test_missing_drives() -> None:
    """The table of missing drives makes no array. Its array numbers count spans."""
    text = (
        "    Adapter 0 - Missing Physical drives\n\n    No.   Array   Row   Size Expected\n"
        "    0     1       4     390144 MB\n\nExit Code: 0x00\n"
    )
    found = controller_of(text)
    assert found.details["Missing drive, array 1, row 4"] == "390144 MB"
    assert found.details[MISSING_PLACES] == "1:4"
    assert not found.arrays
    assert complaints(found, "state")
    assert left(text) == []


@pytest.mark.parametrize(
    "text",
    [
        ALL_INFO.replace("Failed Disks    : 0", "Failed Disks    : many"),
        ALL_INFO.replace("Any Offline VD Cache Preserved   : No", "Any Offline VD Cache Preserved   : Unknown"),
        "Adapter 0 - Missing Physical drives\n\nNo.   Array   Row   Size Expected\n?     1       4     390144 MB\n",
        "Adapter #0\n\nVirtual Drive(Target ID ?): Missing.\n\nExit Code: 0x00\n",
        "Adapter #0\n\nVirtual Drive(Target ID 06): Mising.\n\nExit Code: 0x00\n",
        "Rebuild Progress on Device at Enclosure 8, Slot ? Completed 27% in 64 Minutes.\n\nExit Code: 0x00\n",
    ],
)
def test_an_alarm_that_cannot_be_read_is_unread(text: str) -> None:
    """A count that is a word, an unknown flag, and lines about a missing drive or its data are not passed over."""
    assert complaints(controller_of(text), "unread")


@pytest.mark.parametrize(("state", "reported"), [("Degraded", False), ("Optimal", True)])
def test_a_missing_drive_of_an_optimal_volume_is_reported(state: str, reported: bool) -> None:
    """A missing drive is reported only beside an optimal volume. It contradicts that volume."""
    documents = []
    for path in sorted((FIXTURES / "megaraid-perc5i-failed-battery").glob("MegaCli-*.out")):
        text = path.read_text().replace("State               : Degraded", f"State               : {state}")
        found = raidctl_megaraid.sniff(path.name, text)
        assert found is not None
        documents.append(Document(path.name, found.kind, text))
    messages = [problem.message for problem in raidctl_megaraid.read(documents).problems]
    assert ("The drive in row 1 of array 0 is missing." in messages) is reported


def test_enclosures_and_their_sensors() -> None:
    """Sensors are details of their enclosure; a critical one is a problem, and so is an enclosure of unknown state."""
    text = (
        "    Number of enclosures on adapter 0 -- 1\n\n    Enclosure 0:\n    Device ID                     : 32\n"
        "    Status                        : Normal\n    Inquiry data                  :\n"
        "        Vendor Identification     : DP\n\nFan                          : 0\n"
        "Fan Status                   : OK\n\n"
        "Fan                          : 1\nFan Status                   : Critical\n\nExit Code: 0x00\n"
    )
    found = controller_of(text)
    assert found.details["Enclosure 32 Fan 1 Fan Status"] == "Critical"
    assert found.details["Number of enclosures"] == "1"
    assert found.drives == {}
    assert len(complaints(found, "state")) == 1
    assert left(text) == []
    unknown = controller_of(text.replace(": Normal", ": Unknown"))
    assert complaints(unknown, "unread") == ["The state of enclosure 32 is unknown: 'Unknown'."]


def test_events_are_counted() -> None:
    """Events are counted, and the drives in them are not listed."""
    text = (
        "seqNum: 0x00002a10\nTime: Mon Mar  3 04:05:06 2031\n\nCode: 0x00000051\nClass: 0\nLocale: 0x01\n"
        "Event Description: State change on VD 00/0 from DEGRADED(2) to OPTIMAL(3)\nEvent Data:\n===========\n"
        "Slot Number: 1\nTarget Id: 0\nNone\n\n"
    ) * 3
    found = controller_of(text)
    assert found.details["Events"] == "3"
    assert found.details["Event 0x00002a10"].startswith("State change on VD 00/0")
    assert found.drives == {}
    assert left(text) == []


def test_schedules_are_details() -> None:
    """The same labels of patrol read and consistency check are kept apart."""
    patrol = (
        "Adapter 0: Patrol Read Information:\n\nPatrol Read Mode: Auto\nCurrent State: Stopped\n\nExit Code: 0x00\n"
    )
    check = "Adapter #0\n\nOperation Mode: Concurrent\nCurrent State: Active\n\nExit Code: 0x00\n"
    found = controller_of(patrol, check)
    assert found.details["Patrol Read: Current State"] == "Stopped"
    assert found.details["Consistency Check: Current State"] == "Active"
    assert found.details["Patrol Read Mode"] == "Auto"


def test_the_summary() -> None:
    """The summary has no enclosure numbers. The backplane that it lists is not a drive."""
    found = controller_of(SUMMARY)
    assert fields(found, "model", "firmware", "status") == ("PERC H710 Adapter", "21.3.4-0001", "ok")
    assert list(found.drives) == [":0"]
    assert fields(found.drives[":0"], "model", "interface", "media", "role") == ("ST600MM0006", "sas", "hdd", "member")
    assert fields(found.volumes["0"], "name", "raid_level", "status") == ("system", "raid10", "ok")
    assert fields(found.batteries["bbu"], "kind", "status", "status_text") == ("battery", "ok", "Healthy")
    assert left(SUMMARY) == []


def test_the_summary_and_a_list_are_merged_by_slot() -> None:
    """Whatever is read first, drives of equal slot and model are one."""
    listed = DRIVE.replace("Slot Number: 3", "Slot Number: 0")
    same = SUMMARY.replace("ST600MM0006", "ST9300653SS")
    for order in ((listed, same), (same, listed), (f"{same}\n{listed}",)):
        controllers, _, _ = read_outputs(*order)
        assert [key for found in controllers.by_number.values() for key in found.drives].count("32:0") == 1
    assert list(controller_of(f"{same}\n{listed}").drives) == ["32:0"]


def test_drives_of_one_slot_in_two_enclosures() -> None:
    """The connector distinguishes drives of the same slot in the summary."""
    second = SUMMARY.replace("00<Internal><Encl Pos 1 >: Slot 0", "01<External><Encl Pos 1 >: Slot 0")
    row = second[
        second.index("                Connector") : second.index("                Connector          : 00<Internal>:")
    ]
    found = controller_of(SUMMARY.replace("\nStorage", f"\n{row}\nStorage"))
    assert list(found.drives) == [":0", "01 External Encl Pos 1:0"]


def test_several_outputs_in_one_text() -> None:
    """Each command's output ends with its exit code."""
    text = f"# MegaCli64 -AdpAllInfo -aALL\n{ALL_INFO}\n# MegaCli64 -LDInfo -Lall -aALL\n{VOLUME}\n{DRIVE}"
    found = controller_of(text)
    assert found.get("model") == "PERC H810 Adapter"
    assert (list(found.volumes), list(found.drives)) == (["0"], ["32:3"])
    assert left(text) == []


def test_controllers_are_kept_apart() -> None:
    """The same bay of two controllers has two drives."""
    controllers, _, _ = read_outputs(
        DRIVE.replace("Exit Code: 0x00", "") + DRIVE.replace("Adapter #0", "Adapter #1").replace("AAAA", "BBBB")
    )
    assert [item.drives["32:3"].get("serial") for item in controllers.by_number.values()] == ["6SJ0AAAA", "6SJ0BBBB"]
    assert list(read_outputs(CONFIGURATION)[0].by_number) == ["1"]


def test_the_command_line_names_the_controller() -> None:
    """Without a controller in the output, the command's ``-a2`` names it."""
    fragment = "Enclosure Device ID: 8\nSlot Number: 1\nFirmware state: Online\n\nExit Code: 0x00\n"
    assert list(read_outputs(fragment, name="MegaCli64 -pdInfo -PhysDrv[8:1] -a2 -NoLog")[0].by_number) == ["2"]
    assert list(read_outputs(fragment, name="MegaCli64 -pdInfo -PhysDrv[8:1] -aALL -NoLog")[0].by_number) == [""]


@pytest.mark.parametrize("name", ["ALL_INFO", "VOLUME", "DRIVE", "BATTERY", "CONFIGURATION", "MEMBERS", "SUMMARY"])
def test_the_tools_outputs_are_recognised(name: str) -> None:
    """Outputs are recognised by their content alone."""
    claim = sniff("loose.txt", getattr(outputs, name))
    assert claim is not None
    assert claim.confidence >= Confidence.LIKELY
    assert claim.command.startswith("MegaCli64 -")


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Controller Count: 1.\n\nExit Code: 0x01\n", "-AdpCount"),
        ("Adapter 0: Rebuild Rate = 30%\n\nExit Code: 0x00\n", "-AdpGetProp"),
        ("There is no foreign configuration on controller 0.\n\nExit Code: 0x00\n", "-CfgForeign"),
        ("\nExit Code: 0x00\n", "MegaCli64"),
    ],
)
def test_short_outputs_are_recognised(text: str, command: str) -> None:
    """One sentence, or an exit code alone, is recognised."""
    claim = sniff("loose.txt", text)
    assert claim is not None
    assert command in claim.command


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"Controllers": [{"Command Status": {"Controller": 0}}]}',
        "Controller = 0\nStatus = Success\nDescription = None\nFirmware state = x\nRaw size = 1 GB\n",
        "Controllers found: 1\nController Status : Optimal\nPower State : Full rpm\nConnector : 0\nVendor : X\n",
        "The adapter was replaced on Monday. Slot number: 3 was empty.",
    ],
)
def test_other_texts_are_not_claimed(text: str) -> None:
    """Texts that share some labels are not recognised."""
    assert sniff("loose.txt", text) is None


def test_the_version_of_the_tool() -> None:
    """The version is read from the banner."""
    banner = (
        "\n      MegaCLI SAS RAID Management Tool  Ver 8.07.14 Dec 16, 2013\n\n    (c)Copyright 2013, LSI\n\n"
        "Exit Code: 0x00\n"
    )
    assert tool_version(banner) == "8.07.14"
    assert read_outputs(banner)[2] == []
    assert left(banner) == []


def test_megacli_reports_a_chip_outside_its_limits() -> None:
    """MegaCli prints the temperature with its unit."""
    hot = ALL_INFO.replace("ROC temperature : 71  degree", "ROC temperature : 112  degree")
    assert [one.severity for one in controller_of(hot).complaints if "112 °C" in one.message] == ["error"]
