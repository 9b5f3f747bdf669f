"""Battery, ZMM, cache backup unit, Green Backup."""

from __future__ import annotations

import pytest

from raidctl.model import BatteryStatus
from tests.support.judged import wrong
from tests.vendors.adaptec.adaptec_outputs import (
    battery_of,
    controller_of,
    drive_of,
    drive_text,
    found,
    left,
    machine,
    part,
    pqi,
)


def battery(status: str, **more: str) -> str:
    """A controller with a battery."""
    values = {"Status": status, "Over temperature": more.get("hot", "No"), "Capacity remaining": "98 percent"}
    values["Time remaining (at current draw)"] = "3 days, 1 hours, 11 minutes"
    return machine(backup=part("Controller Battery Information", values))


def unit(overall: str, supercap: str, learn: str = "Idle") -> str:
    """A controller with a cache backup unit."""
    inner = (
        "         -----------------------------------\n         Supercap Information\n"
        "         -----------------------------------\n"
        "         Current Temperature                : 33 deg C\n"
        "         Threshold Temperature              : 55 deg C\n"
        "         Life-time Temperature Recorded\n"
        "         (Min/Max)                          : 20 deg C/ 47 deg C\n\n"
        "         Voltage(Present/Max)               : 4951 mV/ 5302 mV\n"
        "         Health                             : 97 percent\n"
        "         Charge Level                       : 99 percent\n"
        f"         Learn Status                       : {learn}\n"
        "         Next Scheduled Learn Cycle         : 253 hours\n"
    )
    head = part(
        "Controller Cache Backup Unit Information",
        {"Overall Backup Unit Status": overall, "Non-Volatile Storage Status": "Ready", "Supercap Status": supercap},
    )
    return machine(backup=f"{head}\n{inner}")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Optimal", "ok"), ("Okay", "ok"), ("Failed", "failed"), ("Charging", "charging"), ("Learning", "learning"),
        ("Depleted", "degraded"), ("Not Installed", "missing"),
        ("Discharging", "degraded"), ("Charging 55%", "charging"), ("Charge in Progress", "charging"),
        ("Reconditioning in progress", "learning"), ("Replace battery", "failed"),
        ("Capacitor/Battery Not Attached", "missing"), ("ZMM Optimal (Over temperature)", "degraded"),
        ("Ok (98 %)", "ok"), ("Ok (Levitating)", "unknown"), ("Failed (Levitating)", "failed"),
    ],
)  # fmt: skip
def test_a_battery_is_read(text: str, status: BatteryStatus) -> None:
    """Status, charge and the tool's own word are read."""
    reported = battery_of(battery(text))
    assert (reported.id, reported.kind, reported.status, reported.status_text) == (
        "adaptec:1/battery0",
        "battery",
        status,
        text,
    )
    assert reported.charge_percent == 98
    assert reported.details["Time remaining (at current draw)"] == "3 days, 1 hours, 11 minutes"


def test_a_hot_battery_is_degraded() -> None:
    """``Over temperature : Yes`` degrades a battery whose status is optimal."""
    assert battery_of(battery("Optimal", hot="Yes")).status == "degraded"


def test_an_unknown_battery_word_is_reported() -> None:
    """An unknown status word is a problem. The battery's status is then unknown."""
    observation = found(battery("Humming"))
    assert observation.controllers[0].batteries[0].status == "unknown"
    assert [p.where for p in observation.problems if p.kind == "unread"] == ["adaptec:1/battery0"]


@pytest.mark.parametrize(
    ("text", "status"), [("ZMM Optimal", "ok"), ("ZMM not installed", "missing"), ("ZMM Charging", "charging")]
)
def test_a_zmm_is_a_capacitor(text: str, status: BatteryStatus) -> None:
    """A ZMM is a capacitor; its status words begin with "ZMM"."""
    reported = battery_of(machine(backup=part("Controller ZMM Information", {"Status": text})))
    assert (reported.kind, reported.status, reported.status_text) == ("capacitor", status, text)


def test_a_backup_unit_is_read() -> None:
    """The capacitor's temperature, voltage, charge and next learn cycle are read."""
    text = unit("Ready", "Ready")
    reported = battery_of(text)
    assert (reported.kind, reported.status, reported.charge_percent, reported.temperature_celsius) == (
        "capacitor",
        "ok",
        99,
        33,
    )
    assert (reported.voltage_volts, reported.next_learn_at) == (4.951, "253 hours")
    assert reported.details["Life-time Temperature Recorded (Min/Max)"] == "20 deg C/ 47 deg C"
    assert left(text) == []


@pytest.mark.parametrize(
    ("overall", "supercap", "learn", "status"),
    [
        ("Not Ready", "Fatal", "Idle", "failed"), ("Not Ready", "Charging", "Idle", "charging"),
        ("Not Ready", "Ready", "Idle", "degraded"), ("Ready", "Ready", "In Progress", "learning"),
        ("Not Present", "Ready", "Idle", "missing"), ("Ready", "Ready", "Failed", "failed"),
        ("Ready", "Ready", "Inactive", "ok"),
    ],
)  # fmt: skip
def test_the_parts_of_a_backup_unit_count(overall: str, supercap: str, learn: str, status: BatteryStatus) -> None:
    """The status combines the overall, capacitor and learn-cycle words."""
    assert battery_of(unit(overall, supercap, learn)).status == status


@pytest.mark.parametrize(
    ("health", "status"), [("97 percent", "ok"), ("12 percent", "degraded"), ("0 percent", "degraded")]
)
def test_the_health_of_a_supercap_counts(health: str, status: BatteryStatus) -> None:
    """Its label is shorter than that of a Green Backup."""
    assert battery_of(unit("Ready", "Ready").replace("97 percent", health)).status == status


@pytest.mark.parametrize(("supercap", "reported"), [("Ready", True), ("Fatal", False), ("Charging", False)])
def test_a_unit_that_is_not_ready_for_no_reason_is_reported(supercap: str, reported: bool) -> None:
    """The output may lack the line of the part that failed."""
    problems = found(unit("Not Ready", supercap)).problems
    assert any("no line gives the reason" in one.message for one in problems) is reported


@pytest.mark.parametrize(
    ("text", "status"),
    [("Ok", "ok"), ("Recharging", "charging"), ("Failed (Replace Batteries/Capacitors)", "failed")],
)
def test_a_green_backup_is_read(text: str, status: BatteryStatus) -> None:
    """A status that asks for a replacement sets ``replace``."""
    reported = battery_of(pqi(backup={"Backup Power Status": text, "Battery/Capacitor Pack Count": 1}))
    assert (reported.status, reported.replace) == (status, True if status == "failed" else None)


@pytest.mark.parametrize(("health", "status"), [("100 percent", "ok"), ("12 percent", "degraded")])
def test_a_green_backup_with_figures_is_understood(health: str, status: BatteryStatus) -> None:
    """A Green Backup with figures is understood.

    Versions 3 and 4 print the voltage in words and the health as a percentage.
    """
    output = pqi(backup={"Backup Power Status": "Ok", "Voltage": "5208 milliVolts", "Health Status": health})
    assert battery_of(output).status == status
    assert battery_of(output).voltage_volts == 5.208
    assert not [one for one in found(output).problems if one.kind == "unread"]


def test_a_hardware_error_counts() -> None:
    """A hardware error fails the battery, whatever its status word."""
    assert battery_of(pqi(backup={"Backup Power Status": "Ok", "Hardware Error": "Cable Error"})).status == "failed"


def test_the_reason_of_a_bad_status_is_shown_beside_a_good_word() -> None:
    """What makes a battery or drive with a good status word bad is in its words: it is not "failed (Ok)"."""
    bad = battery_of(pqi(backup={"Backup Power Status": "Ok", "Hardware Error": "Charge Timeout"}))
    assert bad.status_text == "Ok, but hardware error: Charge Timeout"
    assert battery_of(battery("Optimal", hot="Yes")).status_text == "Optimal, but over temperature: yes"
    drive = drive_of(machine(drives=[drive_text(0, {"S.M.A.R.T.": "Yes"}), drive_text(1)]))
    assert (drive.status, drive.status_text) == ("warning", "Online (S.M.A.R.T.: yes)")


def test_without_a_section_there_is_no_battery() -> None:
    """No section in the output, no battery."""
    assert controller_of(pqi(backup=None)).batteries == ()


def test_a_failed_battery_is_a_problem() -> None:
    """A failed battery is reported under its id."""
    assert "adaptec:1/battery0" in wrong(found(battery("Failed")))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (battery("Failed"), "Controller Battery Information"),
        (unit("Failed", "Fatal"), "Controller Cache Backup Unit Information"),
        (machine(backup=part("Controller ZMM Information", {"Status": "ZMM Failed"})), "Controller ZMM Information"),
    ],
    ids=["battery", "backup unit", "ZMM"],
)
@pytest.mark.parametrize("rules", [True, False])
def test_a_failed_battery_is_seen_below_a_missing_title(text: str, title: str, *, rules: bool) -> None:
    """Without the line of its title, or without the rules around it as well, the part is recognised by its state."""
    lines = text.splitlines()
    [at] = [number for number, line in enumerate(lines) if line.strip() == title]
    del lines[at - (not rules) : at + 1 + (not rules)]
    without = "\n".join(lines)
    [one, *more] = [battery for battery in controller_of(without).batteries if battery.status != "unknown"]
    assert (one.status, more) == ("failed", [])
    assert any("title above" in problem.message for problem in found(without).problems)


def test_a_title_without_a_state_is_no_machine_without_a_battery() -> None:
    """The tool prints a state below the title, ``Not Installed`` at least: a line is missing."""
    text = machine(backup=part("Controller ZMM Information", {"Status": "ZMM Failed"}))
    without = "".join(line for line in text.splitlines(keepends=True) if "ZMM Failed" not in line)
    assert controller_of(without).batteries == ()
    assert any("ZMM Information" in problem.message and problem.kind == "unread" for problem in found(without).problems)
