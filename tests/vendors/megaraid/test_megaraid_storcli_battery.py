"""Batteries and CacheVaults in storcli's outputs."""

from __future__ import annotations

import re

import pytest

from raidctl.model import BatteryKind, BatteryStatus
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.storcli.battery import merge_batteries
from tests.vendors.megaraid.storcli_controller_outputs import properties, read, section, table


def test_a_battery_row_of_show_all_is_read() -> None:
    """The row contains type, state, temperature and next learn cycle."""
    text = table(
        "BBU_Info",
        ("Model", "State", "RetentionTime", "Temp", "Mode", "MfgDate", "Next Learn"),
        ("iBBU-99", "Optimal", "48 hours +", "37C", "5", "2030/12/20", "2031/06/10  21:01:26"),
    )
    found = read(text)
    battery = found.battery
    assert (battery.name, battery.get("kind"), battery.get("status")) == ("bbu", "battery", "ok")
    assert battery.get("temperature_celsius") == 37
    assert battery.get("next_learn_at") == "2031-06-10T21:01:26"
    assert battery.details["RetentionTime"] == "48 hours +"
    assert found.unparsed == []


def test_battery_properties_are_read() -> None:
    """The rows of the battery's own command are read; millivolts become volts."""
    rows = (("Type", "BBU"), ("Voltage", "4024 mV"), ("Current", "0 mA"), ("Temperature", "25 C"))
    found = read(properties("BBU_Info", *rows, ("Battery State", "Optimal")))
    battery = found.battery
    assert (battery.get("voltage_volts"), battery.get("temperature_celsius")) == (4.024, 25)
    assert (battery.get("status"), battery.get("kind")) == ("ok", "battery")
    assert battery.details["Current"] == "0 mA"
    assert found.unparsed == []


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("Optimal", "ok"),
        ("Charging", "charging"),
        ("Learning", "learning"),
        ("Degraded (need attention)", "degraded"),
        ("Degraded(Needs Attention)", "degraded"),
        ("Needs Attention", "degraded"),
        ("Failed", "failed"),
        ("Non Operational", "failed"),
        ("Missing", "missing"),
        ("Degraded (Charging)", "degraded"),
    ],
)
def test_battery_states(word: str, status: BatteryStatus) -> None:
    """The states of batteries and capacitors are known."""
    battery = read(properties("Cachevault_Info", ("Type", "CVPM99"), ("State", word))).battery
    assert (battery.get("status"), battery.get("status_text"), battery.complaints) == (status, word, [])


def test_an_unknown_battery_state_is_unread() -> None:
    """An unknown word is unknown, and a problem. So are the state ``Unknown`` and a good word with a remark."""
    battery = read(properties("BBU_Info", ("Battery State", "Tired"))).battery
    assert (battery.get("status"), battery.get("status_text")) == ("unknown", "Tired")
    assert [complaint.kind for complaint in battery.complaints] == ["unread"]
    for word in ("Unknown", "Optimal (1 cell failed)"):
        strange = read(properties("BBU_Info", ("Battery State", word))).battery
        assert (strange.get("status"), [one.kind for one in strange.complaints]) == ("unknown", ["unread"])


@pytest.mark.parametrize(
    ("kind", "neutral"),
    [
        ("CVPM02", "capacitor"),
        ("CVFM04", "capacitor"),
        ("TMM-C SuperCaP", "capacitor"),
        ("Supercap", "capacitor"),
        ("FBU345", "capacitor"),
        ("iBBU08", "battery"),
        ("BBU", "battery"),
        ("Battery", "battery"),
        ("XYZ1", None),
    ],
)
def test_battery_kinds(kind: str, neutral: BatteryKind | None) -> None:
    """The type gives the kind; an unknown type has none."""
    assert read(properties("BBU_Info", ("Type", kind))).battery.get("kind") == neutral


def test_a_cachevault_is_a_capacitor_of_any_type() -> None:
    """A CacheVault of an unknown type is a capacitor."""
    assert read(properties("Cachevault_Info", ("Type", "QQ1"), ("State", "Optimal"))).battery.get("kind") == "capacitor"


def test_an_active_learn_cycle_counts_more_than_the_state() -> None:
    """The flag of a learn cycle gives the status. The state is ``Optimal`` meanwhile."""
    found = read(
        properties("BBU_Info", ("Type", "BBU"), ("Battery State", "Optimal")),
        properties("BBU_Firmware_Status", ("Learn Cycle Active", "Yes"), ("Temperature", "OK")),
    )
    assert found.battery.get("status") == "learning"
    assert found.battery.get("temperature_celsius") is None
    assert found.battery.details["BBU_Firmware_Status: Temperature"] == "OK"


def test_a_missing_pack_counts_most() -> None:
    """The flag of a missing pack overrides state and learn cycle."""
    found = read(
        properties("BBU_Firmware_Status", ("Battery Pack Missing", "Yes"), ("Learn Cycle Active", "Yes")),
        properties("BBU_Info", ("Battery State", "Optimal")),
    )
    assert found.battery.get("status") == "missing"


@pytest.mark.parametrize(
    ("rows", "replace"),
    [
        ((("Battery Replacement required", "No"),), False),
        ((("Replacement required", "Yes"),), True),
        ((("Replacement required", "No"), ("Pack is about to fail & should be replaced", "Yes")), True),
        ((("Replacement required", "N/A"),), None),
    ],
)
def test_one_flag_requests_a_replacement(rows: tuple[tuple[str, str], ...], replace: bool | None) -> None:
    """One flag for a replacement is enough."""
    assert read(properties("BBU_Firmware_Status", *rows)).battery.get("replace") is replace


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("Learn Cycle Status", "Failed"),
        ("Learn Cycle Timeout", "Yes"),
        ("I2C Errors Detected", "Yes"),
        ("Remaining Capacity Low", "Yes"),
        ("Voltage", "Low"),
        ("Temperature", "High"),
        ("No space to cache offload", "Yes"),
        ("Module microcode update required", "Yes"),
    ],
)
def test_bad_battery_flags_are_problems(label: str, value: str) -> None:
    """Each bad flag is a problem and a detail."""
    battery = read(properties("Firmware_Status", (label, value))).battery
    assert [complaint.kind for complaint in battery.complaints] == ["state"]
    assert battery.details == {f"Firmware_Status: {label}": value}


def test_good_battery_flags_are_no_problems() -> None:
    """``OK`` and ``No`` are not a problems."""
    rows = (("Voltage", "OK"), ("Learn Cycle Status", "OK"), ("I2C Errors Detected", "No"))
    assert read(properties("BBU_Firmware_Status", *rows)).battery.complaints == []


def test_the_charge_is_the_relative_one() -> None:
    """The relative state of charge is the charge. The absolute one is a detail."""
    battery = read(
        properties("BBU_Capacity_Info", ("Relative State of Charge", "93%"), ("Absolute State of charge", "83%"))
    ).battery
    assert battery.get("charge_percent") == 93
    assert battery.details == {"Absolute State of charge": "83%"}


def test_the_capacitance_is_no_charge() -> None:
    """Capacitance in percent and energy of a capacitor are details."""
    battery = read(properties("GasGaugeStatus", ("Pack Energy", "294 J"), ("Capacitance", "89 %"))).battery
    assert battery.get("charge_percent") is None
    assert battery.details["GasGaugeStatus: Capacitance"] == "89 %"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("2031/09/03  17:48:10 (999999999 seconds)", "2031-09-03T17:48:10"),
        ("2000/01/01  00:00:00 (0 seconds)", None),
        ("None", None),
        ("in 3 days", "in 3 days"),
    ],
)
def test_the_next_learn_cycle(printed: str, expected: str | None) -> None:
    """The time has no zone. An unset date is None; another format stays as printed."""
    assert read(properties("BBU_Properties", ("Next Learn time", printed))).battery.get("next_learn_at") == expected


def test_properties_below_the_cachevault_belong_to_it() -> None:
    """The section ``Properties`` of a pack's output belongs to the pack."""
    one = properties("Cachevault_Info", ("Type", "CVPM99"))
    two = properties("Properties", ("Auto Learn Period", "27d (2412000 seconds)"))
    found = read(one + two[two.index("\nProperties") :])
    assert found.battery.details["Auto Learn Period"] == "27d (2412000 seconds)"
    assert found.controller.details == {}


@pytest.mark.parametrize("lost", [False, True], ids=["aligned", "single blanks"])
@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("Optimal", "ok"),
        ("Non Operational", "failed"),
        ("Not Operational", "failed"),
        ("Degraded Needs Attention", "degraded"),
    ],
)
def test_a_state_of_several_words_is_read_from_the_row_of_a_cachevault(
    word: str, status: BatteryStatus, lost: bool
) -> None:
    """The words after the model belong to the state, also in a row whose blanks are lost."""
    text = table("Cachevault_Info", ("Model", "State", "Temp", "Mode"), ("CVPM99", word, "35C", "-"))
    battery = read(re.sub(" +", " ", text) if lost else text).battery
    assert (battery.get("status"), battery.get("status_text")) == (status, word)


@pytest.mark.parametrize(("word", "status"), [("Optimal", "ok"), ("Degraded Needs Attention", "degraded")])
def test_an_energy_pack_of_v8_is_read(word: str, status: BatteryStatus) -> None:
    """The labels of version 8 contain the units. The status in the last column can have several words."""
    text = table(
        "Energy Pack Info",
        ("Type", "SubType", "Voltage(mV)", "Temperature(C)", "Status"),
        ("Supercap", "FBU399", "9184", "38", word),
    )
    battery = read(text).battery
    assert (battery.name, battery.get("kind"), battery.get("status")) == ("energypack", "capacitor", status)
    assert (battery.get("voltage_volts"), battery.get("temperature_celsius")) == (9.184, 38)


def test_two_energy_packs_are_two() -> None:
    """Each row with a state is a pack."""
    head = ("Type", "SubType", "Voltage(mV)", "Temperature(C)", "Status")
    rows = (("Supercap", "FBU399", "9184", "38", "Optimal"), ("Supercap", "FBU399", "9100", "39", "Failed"))
    batteries = read(table("Energy Pack Info", head, *rows)).controller.batteries
    assert [draft.get("status") for draft in batteries.values()] == ["ok", "failed"]


def test_the_scheduled_learn_cycle_belongs_to_the_pack() -> None:
    """Scheduled tasks give the next learn cycle. The pack's own line counts more."""
    tasks = section("Scheduled Tasks", "Next Battery Learn = 06/18/2031, 20:00:00")
    info = properties("Cachevault_Info", ("State", "Optimal"))
    for texts in ((tasks, info), (info, tasks)):
        assert read(*texts).battery.get("next_learn_at") == "2031-06-18T20:00:00"
    own = properties("BBU_Properties", ("Next Learn time", "2031/07/01  01:02:03 (1 seconds)"))
    assert read(tasks, own).battery.get("next_learn_at") == "2031-07-01T01:02:03"


@pytest.mark.parametrize(("mask", "status"), [(0, "ok"), (64, "learning"), (1, "missing")])
def test_a_battery_without_a_state_gets_that_of_the_bit_mask(mask: int, status: BatteryStatus) -> None:
    """The controller's bit mask gives a status that the pack's output lacks."""
    controller = ControllerDraft("0")
    controller.battery("bbu")
    controller.values["bbu_status"] = (2, mask)
    merge_batteries(controller)
    assert controller.battery("bbu").get("status") == status


def test_the_packs_own_state_counts_more_than_the_bit_mask() -> None:
    """The pack's own state overrides the bit mask."""
    controller = read(
        properties("BBU_Info", ("Battery State", "Failed")), section("Status", "BBU Status = 0")
    ).controller
    merge_batteries(controller)
    assert controller.battery("bbu").get("status") == "failed"


def test_the_bit_mask_requests_a_replacement_beside_a_no() -> None:
    """One request for a new pack is enough: the firmware's bit counts beside ``Replacement required  No``."""
    controller = read(
        properties("BBU_Firmware_Status", ("Replacement required", "No")), section("Status", "BBU Status = 1024")
    ).controller
    merge_batteries(controller)
    assert controller.battery("bbu").get("replace") is True


def test_a_battery_in_several_outputs_is_one() -> None:
    """The overview's unnamed pack belongs to the pack that has a state. So do values without a state."""
    controller = ControllerDraft("0")
    for name, field, value in (
        ("unnamed", "status", "ok"),
        ("cachevault", "status", "degraded"),
        ("bbu", "charge_percent", 93),
    ):
        controller.battery(name).values[field] = (1 if name == "unnamed" else 2, value)
    merge_batteries(controller)
    (battery,) = controller.batteries.values()
    assert (battery.name, battery.get("status"), battery.get("charge_percent")) == ("cachevault", "degraded", 93)


def test_values_alone_belong_to_the_requested_pack() -> None:
    """Sections that all packs share belong to the one in the command."""
    text = properties("GasGaugeStatus", ("Pack Energy", "294 J"))
    assert read(text, command="storcli64 /c0/cv show all").battery.name == "cachevault"
    assert read(text, command="storcli64 /c0/bbu show all").battery.name == "bbu"


@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("Remaining Capacity Low", "Critical"),
        ("Battery Pack Missing", "Removed"),
        ("Voltage", "Failed"),
        ("Temperature", "Critical"),
        ("Learn Cycle Status", "Aborted"),
    ],
)
def test_a_flag_with_an_unknown_word_is_reported(label: str, word: str) -> None:
    """A flag of the pack with an unknown word is a problem."""
    battery = read(properties("BBU_Firmware_Status", (label, word))).battery
    assert [complaint.kind for complaint in battery.complaints] == ["unread"]


@pytest.mark.parametrize(("title", "status"), [("Cachevault_Info", "degraded"), ("BBU_Info", "ok")])
def test_a_cachevault_without_the_licence_to_save_the_cache_is_degraded(title: str, status: BatteryStatus) -> None:
    """A CacheVault that needs a licence to save the cache to flash protects nothing; a battery does without."""
    state = properties(title, ("State", "Optimal"), ("Cache Offload premium feature required", "Yes"))
    controller = read(state).controller
    merge_batteries(controller)
    (battery,) = controller.batteries.values()
    assert (battery.get("status"), len(battery.complaints)) == (status, 1)
