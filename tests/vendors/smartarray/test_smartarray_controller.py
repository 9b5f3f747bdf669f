"""Controllers, caches and batteries in the outputs of HP's tools."""

from __future__ import annotations

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.model import BatteryStatus, Mode
from tests.support.conclusions import read_text
from tests.support.machines import altered, replayed
from tests.support.scripted_tools import unparsed
from tests.vendors.smartarray.smartarray_outputs import CONTROLLER, controller, observed

MIB = 1024**2


def test_the_controllers_fields_are_read() -> None:
    """The controller's fields are read.

    Among them are name, slot, serial number, firmware and driver. The PCI address is in lower case.
    """
    found = controller(CONTROLLER)
    assert (found.id, found.slot, found.model, found.vendor) == ("smartarray:0", "0", "Smart Array P420i", "HP")
    assert (found.serial, found.firmware, found.driver) == ("5001438022AB4C10", "8.32", "hpsa")
    assert found.pci_address == "0000:0b:00.0"
    assert (found.status, found.status_text) == ("ok", "OK")


def test_a_recommended_update_is_no_part_of_the_firmware() -> None:
    """The remark behind the version is a note on the controller."""
    remark = "Firmware Version: 8.32 (FW update is recommended to minimum version: 8.40)"
    found = observed(CONTROLLER.replace("Firmware Version: 8.32", remark))
    assert found.controllers[0].firmware == "8.32"
    assert [one.severity for one in found.problems if "minimum version: 8.40" in one.message] == ["info"]


def test_the_vendor_is_no_part_of_the_model() -> None:
    """The word "HPE" before the name is the vendor."""
    found = controller("HPE Smart Array P408i-a SR Gen10 in Slot 0 (Embedded)  (sn: PEYHX0)\n")
    assert (found.vendor, found.model, found.serial) == ("HPE", "Smart Array P408i-a SR Gen10", "PEYHX0")


@pytest.mark.parametrize(
    ("heading", "slot"),
    [
        ("Smart Array P410 in Slot 12", "12"),
        ("Dynamic Smart Array B140i in Slot 0b (RAID Mode)", "0b"),
        ("Smart Array 5i in Slot 0     ()", "0"),
        ("HPE Smart Array E208i-a SR Gen10 in Slot 0 (Embedded)  (sn: XYZ)", "0"),
        ("Smart Array P400 in Slot ATTR_VALUE_SLOT_UNKNOWN", None),
    ],
)
def test_the_slot_follows_the_words_in_slot(heading: str, slot: str | None) -> None:
    """The slot is a string. The tool's word for an unknown slot is not a slot."""
    found = controller(f"{heading}\n   Controller Status: OK\n")
    assert found.slot == slot
    assert found.id == f"smartarray:{slot or 'unknown'}"


@pytest.mark.parametrize(
    ("heading", "line", "mode"),
    [
        ("", "Controller Mode: RAID", "raid"),
        ("", "Controller Mode: RAID Mode", "raid"),
        ("", "Controller Mode: Mixed", "mixed"),
        (" (HBA Mode)", "Controller Status: OK", "hba"),
        (" (RAID Mode)", "Controller Status: OK", "raid"),
        ("", "HBA Mode Enabled: True", "hba"),
        ("", "Controller Status: OK", None),
    ],
)
def test_the_mode_comes_from_the_heading_or_a_line(heading: str, line: str, mode: Mode | None) -> None:
    """Every wording of the mode is read. Without one the mode is unknown."""
    assert controller(f"Smart Array P440 in Slot 1{heading}\n   {line}\n").mode == mode


@pytest.mark.parametrize(("remark", "severity"), [("Embedded", None), ("Needs Attention", "warning")])
def test_a_remark_on_the_controller_is_a_problem(remark: str, severity: str | None) -> None:
    """What the heading remarks is a problem, unless it is known to be none."""
    found = observed(f"Smart Array P410 in Slot 2 ({remark})\n   Controller Status: OK\n")
    assert [one.severity for one in found.problems if remark in one.message] == ([severity] if severity else [])


def test_complete_settings_without_a_mode_are_raid() -> None:
    """Only controllers with several modes print one. An output that may be cut off proves nothing."""
    settings = "   Rebuild Priority: Medium\n   Primary Boot Volume: None\n"
    assert controller(f"Smart Array P440 in Slot 1\n{settings}").mode == "raid"
    assert controller("Smart Array P440 in Slot 1\n   Rebuild Priority: Medium\n").mode is None
    several = "".join(f"Smart Array P440 in Slot {slot}\n   Rebuild Priority: Medium\n\n" for slot in (1, 2))
    assert [one.mode for one in observed(several).controllers] == ["raid", None]


def test_the_cache_split_in_bytes_is_of_the_available_memory() -> None:
    """The shares of the split refer to the memory available for data."""
    cache = controller(CONTROLLER).cache
    assert cache is not None
    assert (cache.size_bytes, cache.available_bytes) == (1024 * MIB, 816 * MIB)
    assert (cache.read_percent, cache.write_percent) == (25, 75)
    assert (cache.read_bytes, cache.write_bytes) == (204 * MIB, 612 * MIB)
    assert cache.no_battery_write_cache is False
    assert (cache.present, cache.status, cache.status_text) == (True, "ok", "OK")


def test_without_available_memory_the_split_is_of_the_whole_cache() -> None:
    """Old tools print an accelerator ratio and no available memory."""
    cache = controller(
        """
        Smart Array P400 in Slot 1
           Accelerator Ratio: 25% Read / 75% Write
           Total Cache Size: 512 MB
        """
    ).cache
    assert cache is not None
    assert (cache.read_bytes, cache.write_bytes) == (128 * MIB, 384 * MIB)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512 MB", 512 * MIB),
        ("4.0 GB", 4096 * MIB),
        ("4.0", 4096 * MIB),
        ("0.2", round(0.2 * 1024**3)),
        ("256", 256 * MIB),
    ],
)
def test_a_cache_size_without_a_unit_is_in_gib(text: str, size: int) -> None:
    """Newer tools omit the unit. A number too large for GiB is in MiB."""
    cache = controller(f"Smart Array P420 in Slot 1\n   Total Cache Size: {text}\n").cache
    assert cache is not None
    assert cache.size_bytes == size


@pytest.mark.parametrize("text", ["9" * 400, "9" * 400 + ".0"])
def test_a_cache_size_of_hundreds_of_digits_is_unread(text: str) -> None:
    """The value is reported, and the rest of the output is read."""
    found = observed(f"Smart Array P420 in Slot 1\n   Total Cache Size: {text}\n   Firmware Version: 8.32\n")
    assert (found.controllers[0].cache, found.controllers[0].firmware) == (None, "8.32")
    assert [problem.kind for problem in found.problems] == ["unread"]


def test_why_a_cache_is_off_is_kept_over_several_lines() -> None:
    """Details and reason continue until the next label."""
    found = observed(
        """
        Smart Array P410 in Slot 1
           Cache Status: Temporarily Disabled
           Cache Status Details: Cache disabled; low batteries.
           Cache Disable Reason: The battery did not reach
        its charge: wait
        until it does.
           Total Cache Size: 512 MB
        """
    )
    cache = found.controllers[0].cache
    assert cache is not None
    assert cache.status == "warning"
    assert cache.status_text == (
        "Temporarily Disabled; Cache disabled; low batteries; The battery did not reach its charge: wait until it does"
    )
    assert cache.size_bytes == 512 * MIB
    assert unparsed(found) == []


def test_an_unconfigured_cache_is_ok() -> None:
    """A cache that is "Not Configured" is not a fault."""
    cache = controller("Smart Array P411 in Slot 3\n   Cache Status: Not Configured\n").cache
    assert cache is not None
    assert (cache.status, cache.status_text) == ("ok", "Not Configured")


@pytest.mark.parametrize(
    ("words", "status", "replace"),
    [
        ("OK", "ok", False),
        ("Recharging", "charging", None),
        ("Failed (Replace Batteries)", "failed", True),
        ("Failed (Replace Batteries/Capacitors)", "failed", True),
        ("OK (1 of 2 failed)", "unknown", None),
    ],
)
def test_the_words_of_a_battery(words: str, status: BatteryStatus, replace: bool | None) -> None:
    """Each wording has a neutral status, and a good word counts alone. A request to replace the battery is read."""
    (battery,) = controller(f"Smart Array P410 in Slot 1\n   Battery/Capacitor Status: {words}\n").batteries
    assert (battery.status, battery.status_text, battery.replace) == (status, words, replace)


def test_there_are_as_many_batteries_as_are_counted() -> None:
    """All batteries have the one status that the tool prints. A capacitor has a temperature."""
    two = controller("Smart Array P800 in Slot 1\n   Battery Pack Count: 2\n   Battery Status: OK\n")
    assert [battery.id for battery in two.batteries] == ["smartarray:1/battery0", "smartarray:1/battery1"]
    (capacitor,) = controller(CONTROLLER + "\n   Capacitor Temperature  (C): 24\n").batteries
    assert (capacitor.kind, capacitor.temperature_celsius) == ("capacitor", 24)
    assert controller("Smart Array P410 in Slot 1\n   Battery/Capacitor Count: 0\n").batteries == ()


@pytest.mark.parametrize("kind", ["battery", "capacitor"])
def test_a_label_that_names_the_kind_is_enough(kind: str) -> None:
    """Old tools print ``Battery Status`` or ``Capacitor Status`` alone."""
    (found,) = controller(f"Smart Array P410 in Slot 1\n   {kind.title()} Status: OK\n").batteries
    assert found.kind == kind


def test_a_counted_battery_without_a_status_is_not_taken_for_good() -> None:
    """A battery without a status line is unknown and a problem. A cable fault is such a case."""
    found = observed("Smart Array P410 in Slot 1\n   Battery/Capacitor Count: 1\n   Cache Status: OK\n")
    assert found.controllers[0].batteries[0].status == "unknown"
    assert [problem.kind for problem in found.problems if problem.where == "smartarray:1/battery0"] == ["state"]


def test_an_unknown_status_word_is_reported() -> None:
    """An unknown status word is kept, and a problem reports it. The status is unknown."""
    found = observed("Smart Array P410 in Slot 1\n   Controller Status: Bewildered\n   Cache Status: Puzzled\n")
    assert (found.controllers[0].status, found.controllers[0].status_text) == ("unknown", "Bewildered")
    assert {problem.kind for problem in found.problems} == {"unread"}
    assert len(found.problems) == 2


@pytest.mark.parametrize(
    ("after", "line", "severity"),
    [
        (r"^   Controller Status: OK", "   NVRAM Status: Failed", "warning"),
        (r"^   Controller Status: OK", "   Hardware Status: Degraded", "warning"),  # a label that no version has
        (r"^   Controller Status: OK", "   Lockup Code: 0x13", "error"),
        (r"^   Controller Status: OK", "   Lockup Code: 0x0", None),
        (r"^   Controller Status: OK", "   Backup Module Status: Missing", "warning"),
        (r"^   Controller Status: OK", "   NVRAM Status: OK", None),
        (r"^   Controller Status: OK", "   NVRAM Status: Not Failed", None),
        (r"^         Firmware Revision: .*", "         PHY 1 Status: Failed", "warning"),
        (r"^         Firmware Revision: .*", "         Last Self-Test Status: Failed", None),
    ],
)
def test_a_bad_status_of_any_name_is_a_problem(after: str, line: str, severity: str | None) -> None:
    """A bad status under any label is a problem of the controller or drive, and so is a lockup code."""
    before = len(replayed("smartarray-two-tools").inventory.problems)
    problems = altered("smartarray-two-tools", rf"({after}$)", rf"\g<1>\n{line}").inventory.problems
    label = line.split(":", maxsplit=1)[0].strip()
    assert {one.severity for one in problems if label in one.message} == ({severity} if severity else set())
    assert (len(problems) > before) == (severity is not None)


def test_several_controllers_of_one_output_stay_apart() -> None:
    """Controllers with equally masked serial numbers are separated by slot."""
    found = observed(
        """
        Smart Array P410 in Slot 1   (sn: MASKED)
        Smart Array P410 in Slot 3   (sn: MASKED)
        """
    )
    assert [item.id for item in found.controllers] == ["smartarray:1", "smartarray:3"]


def test_two_machines_with_the_same_slot_stay_apart() -> None:
    """Controllers with one slot and different serial numbers are separate."""
    found = observed(CONTROLLER, CONTROLLER.replace("5001438022AB4C10", "5001438022FFFFFF"))
    assert [item.id for item in found.controllers] == ["smartarray:0", "smartarray:0-2"]


def test_an_external_enclosure_can_be_named_after_at() -> None:
    """``MSA1000 at NAME (sn: …, csn: …, wwn: …)`` is a controller, and its serial number is the first of the three."""
    found = observed(
        "Smart Array 642 in Slot 3      (sn: P57820A9SQ12AB)\n"
        "MSA1000 at archive    (sn: P56350XXIP000A, csn: 9J3CXX71XDCA, wwn: 500805F3000AAC11)\n"
    )
    assert [(one.model, one.serial) for one in found.controllers] == [
        ("Smart Array 642", "P57820A9SQ12AB"),
        ("MSA1000", "P56350XXIP000A"),
    ]


def test_a_storage_system_outside_has_a_name_and_no_slot() -> None:
    """An external enclosure is named by its chassis. Its two controllers are separate."""
    one = "MSA1500 CS in ARCHIVE ROOM\n   Controller Status: OK\n   Cache Status: OK\n"
    found = observed(f"{one}\n{one}")
    assert [item.id for item in found.controllers] == ["smartarray:unknown", "smartarray:unknown-2"]
    assert found.controllers[0].details["Chassis Name"] == "ARCHIVE ROOM"


def test_cages_ports_and_expanders_are_details_of_the_controller() -> None:
    """Cages, ports and expanders are read. A failed part is a problem."""
    found = observed(
        """
        Smart Array P440 in Slot 2
           Controller Status: OK

           Port Name: 1I (Mixed)
                 Port ID: 0

           Internal Drive Cage at Port 1I, Box 1 (Index 0), OK
              Power Supply Status: Failed
              Drive Bays: 4

           Expander 380 (WWID: 50014380AAAA0000, Port: 1I, Box: 1)
           SEP (Vendor ID PMCSIERA, Model SRCv8x6G) 379
              Device Number: 379
        """
    )
    details = found.controllers[0].details
    assert details["Internal Drive Cage at Port 1I, Box 1 (Index 0): Drive Bays"] == "4"
    assert details["Expander 380"].startswith("WWID")
    assert [problem.kind for problem in found.problems] == ["state"]
    assert unparsed(found) == []


def test_a_banner_about_the_cache_is_one_finding_with_its_state() -> None:
    """A banner and a disabled cache have one cause and one finding."""
    banner = "CACHE STATUS PROBLEM DETECTED: The cache on this controller has a problem.\n\n"
    output = "Smart Array P400 in Slot 1\n   Slot: 1\n   Controller Status: OK\n   Cache Status: {}\n\n"
    for status, rule in (("Permanently Disabled", "cache_in_trouble"), ("OK", "reported_trouble")):
        found = diagnose(read_text("\n" + banner + output.format(status)).inventory, rules())
        assert [one.rule for one in found.findings if one.severity != "info" and one.because is None] == [rule]


def test_an_error_of_the_cache_is_seen_beside_a_status_that_is_ok() -> None:
    """A cache error counts beside ``Cache Status: OK``; a disabled cache is reported once."""
    once = CONTROLLER.replace(
        "Cache Status: OK", "Cache Status: OK\n   Cache Status Details: A cache error was detected."
    )
    (problem,) = observed(once).problems
    assert (problem.where, problem.kind, problem.severity) == ("smartarray:0", "state", "warning")
    why = "Cache disabled; backup power source failed to charge to an acceptable level."
    disabled = f"Cache Status: Permanently Disabled\n   Cache Status Details: {why}"
    assert observed(CONTROLLER.replace("Cache Status: OK", disabled)).problems == ()


@pytest.mark.parametrize(
    ("why", "kinds"),
    [
        ("The cache backup battery is not charged. Write cache disabled.", ["state"]),
        ("The cache is degraded. Data may be lost.", ["state"]),
        ("The current array controller had valid data stored in its battery backed write cache", []),
        ("None", []),
    ],
)
def test_a_reason_beside_a_good_status_of_the_cache_is_a_problem(why: str, kinds: list[str]) -> None:
    """A reason below ``Cache Status: OK`` counts, except that data was kept when the power failed."""
    found = observed(CONTROLLER.replace("Cache Status: OK", f"Cache Status: OK\n   Cache Status Details: {why}"))
    assert [problem.kind for problem in found.problems] == kinds


@pytest.mark.parametrize("word", ["Non-RAID", "RAID mode disabled", "not HBA"])
def test_a_mode_with_another_word_in_it_is_unread(word: str) -> None:
    """Only the tool's whole word is a mode."""
    found = observed(CONTROLLER.replace("Controller Status: OK", f"Controller Status: OK\n   Controller Mode: {word}"))
    assert [problem.kind for problem in found.problems] == ["unread"]


def test_a_battery_whose_charging_failed_is_failed() -> None:
    """A battery status with the word "failed" is failed."""
    (battery,) = controller(CONTROLLER.replace("Capacitor Status: OK", "Capacitor Status: Charging failed")).batteries
    assert battery.status == "failed"
