"""Batteries and capacitors in MegaCli's outputs."""

from __future__ import annotations

import pytest

from raidctl.model import BatteryKind, BatteryStatus
from tests.vendors.megaraid.megacli_outputs import (
    BATTERY,
    battery,
    complaints,
    controller_of,
    fields,
    left,
    read_outputs,
)


def _flagged(label: str, value: str, state: str | None = "Optimal") -> str:
    """The battery's output with another value of one flag."""
    lines = []
    for line in BATTERY.splitlines():
        if line.strip().startswith(label):
            lines.append(f"  {label} : {value}")
        elif line.startswith("Battery State"):
            lines += [] if state is None else [f"Battery State: {state}"]
        else:
            lines.append(line)
    return "\n".join(lines)


def test_all_parts_of_a_battery_are_read() -> None:
    """Status, capacity, design and properties belong to one battery."""
    found = battery(BATTERY)
    assert fields(found, "kind", "status", "status_text") == ("battery", "ok", "Optimal")
    assert fields(found, "charge_percent", "temperature_celsius", "voltage_volts") == (96, 31, 3.985)
    assert fields(found, "replace", "next_learn_at") == (False, "2031-10-12T12:20:37")
    assert found.details["Design Capacity"] == "500 mAh"
    assert found.details["BBU Mode"] == "5"
    assert found.details["BBU Firmware Status Voltage"] == "OK"


def test_no_line_of_a_battery_is_left() -> None:
    """All lines are read, including those with an equals sign."""
    assert left(BATTERY) == []


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("iBBU", "battery"), ("BBU", "battery"), ("iBBU08", "battery"), ("CVPM02", "capacitor"), ("TMMC", "capacitor"),
        ("SuperCaP", "capacitor"), ("Unknown", None),
    ],
)  # fmt: skip
def test_the_kinds_of_packs(words: str, kind: BatteryKind | None) -> None:
    """An unknown type has no kind."""
    assert battery(f"BBU status for Adapter: 0\nBatteryType: {words}\nVoltage: 1 mV\n").get("kind") == kind


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("Optimal", "ok"), ("Operational", "ok"), ("Non Operational", "failed"), ("Failed", "failed"),
        ("Degraded(Need Attention)", "degraded"), ("Learning", "learning"), ("Charging", "charging"),
        ("Missing", "missing"), ("Dancing", "unknown"),
    ],
)  # fmt: skip
def test_the_states_of_a_battery(words: str, status: BatteryStatus) -> None:
    """Each state is known; any other is unknown, and a problem."""
    found = battery(BATTERY.replace("Battery State: Optimal", f"Battery State     : {words}"))
    assert fields(found, "status", "status_text") == (status, words)
    assert bool(complaints(found, "unread")) == (status == "unknown")


@pytest.mark.parametrize(
    ("label", "value", "status"),
    [
        ("Learn Cycle Active", "Yes", "learning"),
        ("Battery Replacement required", "Yes", "degraded"),
        ("Remaining Capacity Low", "Yes", "degraded"),
        ("Battery Pack Missing", "Yes", "missing"),
        ("I2c Errors Detected", "Yes", "degraded"),
        ("No space to cache offload", "Yes", "degraded"),
        ("Pack is about to fail & should be replaced", "Yes", "degraded"),
        ("Charging Status", "Charging", "ok"),
        ("Learn Cycle Requested", "Yes", "ok"),
    ],
)
def test_flags_beside_a_good_state_word(label: str, value: str, status: BatteryStatus) -> None:
    """A bad flag counts more than ``Optimal``; charging does not."""
    assert battery(_flagged(label, value)).get("status") == status


@pytest.mark.parametrize(
    "label", ["No space to cache offload", "Battery Pack Missing", "Voltage", "I2c Errors Detected"]
)
def test_a_flag_with_an_unknown_word_is_reported(label: str) -> None:
    """An unknown word of a flag is a problem."""
    assert complaints(battery(_flagged(label, "Perhaps")), "unread")


@pytest.mark.parametrize(
    ("label", "value", "status"),
    [
        ("Battery Replacement required", "Yes", "failed"),
        ("Charging Status", "Charging", "charging"),
        ("Learn Cycle Active", "Yes", "learning"),
        ("Remaining Capacity Low", "Yes", "degraded"),
        ("Transparent Learn", "No", "ok"),
    ],
)
def test_flags_without_a_state_word(label: str, value: str, status: BatteryStatus) -> None:
    """Older versions print flags and no state: the flags give the status."""
    assert battery(_flagged(label, value, None)).get("status") == status


def test_a_battery_in_a_learn_cycle_has_not_failed() -> None:
    """``Non Operational`` during a learn cycle is ``learning``."""
    assert battery(_flagged("Learn Cycle Active", "Yes", "Non Operational")).get("status") == "learning"


def test_a_required_replacement_is_reported() -> None:
    """The flag is part of the status text."""
    found = battery(_flagged("Battery Replacement required", "Yes", "Operational"))
    assert found.get("replace") is True
    assert found.get("status_text") == "Operational; Battery Replacement required: Yes"


def test_a_state_of_health_that_is_not_good() -> None:
    """``isSOHGood: No`` is degraded, and a problem."""
    found = battery(BATTERY.replace("isSOHGood: Yes", "isSOHGood: No"))
    assert found.get("status") == "degraded"
    assert any("health" in message for message in complaints(found, "state"))


def test_an_impossible_charge_is_unread() -> None:
    """A charge of 4711% is unknown, and a problem."""
    found = battery(BATTERY.replace("Relative State of Charge: 96 %", "Relative State of Charge: 4711 %"))
    assert found.get("charge_percent") is None
    assert complaints(found, "unread")


@pytest.mark.parametrize(
    ("printed", "read"),
    [
        ("Sun Oct 12 12:20:37 2031", "2031-10-12T12:20:37"),
        ("441826320 Sec", "2013-12-31T17:32:00"),
        ("2592000 Sec", "2592000 Sec"),
        ("Sun Okt 99 12:20:37 2031", "Sun Okt 99 12:20:37 2031"),
        ("None", None),
    ],
)
def test_the_next_learn_cycle(printed: str, read: str | None) -> None:
    """Large numbers are seconds since 2000; any other format stays as printed."""
    assert (
        battery(f"BBU Properties for Adapter: 0\nNext Learn time: {printed}\nBBU Mode = 4\n").get("next_learn_at")
        == read
    )


def test_a_capacitor_has_no_gauge() -> None:
    """The 0% that the firmware prints for a capacitor is not a charge."""
    found = battery("BBU status for Adapter: 0\nBatteryType: CVPM02\nRelative State of Charge: 0 %\n")
    assert found.get("charge_percent") is None
    assert found.details["Relative State of Charge"] == "0 %"


def test_a_controller_without_a_battery() -> None:
    """The firmware's error text, or its code alone, means no battery."""
    text = (
        "Adapter 0: Get BBU Status Failed.\n\nFW error description:\n The required hardware component is not present.\n"
    )
    for given in (f"{text}\nExit Code: 0x22\n", "Adapter 0: Get BBU Status Failed.\n\nExit Code: 0x22\n"):
        controllers, _, problems = read_outputs(given)
        assert controllers.by_number["0"].get("bbu_present") is False
        assert problems == []
        assert left(given) == []


def test_a_battery_that_could_not_be_read_is_not_absent() -> None:
    """A failure without a reason is a problem. Old versions print it so."""
    controllers, _, problems = read_outputs("Adapter 0: Get BBU Status Failed.\n\nExit Code: 0x01\n")
    assert controllers.by_number["0"].get("bbu_present") is None
    assert [problem.kind for problem in problems] == ["unread"]


def test_two_controllers_have_a_battery_each() -> None:
    """The heading of an output gives the controller of the battery."""
    controllers, _, _ = read_outputs(BATTERY, BATTERY.replace("Adapter: 0", "Adapter: 1").replace("31 C", "44 C"))
    found = [item.batteries["bbu"].get("temperature_celsius") for item in controllers.by_number.values()]
    assert found == [31, 44]


def test_the_parts_of_a_battery_come_in_any_order() -> None:
    """Properties printed before the type belong to the CacheVault too."""
    found = controller_of(
        "BBU Properties for Adapter: 0\nAuto Learn Period: 27 Days\n\nExit Code: 0x00\n",
        "BBU status for Adapter: 0\nBatteryType: CVPM02\nBattery State: Optimal\n\nExit Code: 0x00\n",
    )
    assert list(found.batteries) == ["cachevault"]


@pytest.mark.parametrize("label", ["Battery Replacement required", "Pack is about to fail & should be replaced"])
def test_an_unknown_word_for_a_replacement_is_unread(label: str) -> None:
    """A word other than yes or no leaves the battery's replacement unknown. There is also a problem."""
    found = battery(f"BBU status for Adapter: 0\n\nBattery State: Optimal\nBBU Firmware Status:\n  {label} : Perhaps\n")
    assert found.get("replace") is None
    assert any("Perhaps" in text for text in complaints(found, "unread"))


@pytest.mark.parametrize(("kind", "status"), [("CVPM02", "degraded"), ("iBBU", "ok")])
def test_a_cachevault_without_the_licence_to_save_the_cache_is_degraded(kind: str, status: BatteryStatus) -> None:
    """A CacheVault that needs a licence to save the cache to flash protects nothing; a battery does without."""
    text = _flagged("Cache Offload premium feature required", "Yes").replace("BatteryType: BBU", f"BatteryType: {kind}")
    assert f"BatteryType: {kind}" in text
    assert battery(text).get("status") == status
