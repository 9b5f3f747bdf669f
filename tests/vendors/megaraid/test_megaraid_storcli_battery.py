from __future__ import annotations

import pytest

from raidctl.model import BatteryKind, BatteryStatus
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.storcli.battery import settle_batteries
from tests.vendors.megaraid.megaraid_card_texts import properties, read, section, table


def test_megaraid_battery_row_of_show_all_is_read() -> None:
    """The wide row holds type, state, temperature and next learn cycle."""
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


def test_megaraid_battery_properties_are_read() -> None:
    """The rows of the battery's own command fill its fields; millivolts become volts."""
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
    ],
)
def test_megaraid_battery_state_is_neutral_with_the_tools_word(word: str, status: BatteryStatus) -> None:
    """The words of both kinds of packs are known."""
    battery = read(properties("Cachevault_Info", ("Type", "CVPM99"), ("State", word))).battery
    assert (battery.get("status"), battery.get("status_text"), battery.complaints) == (status, word, [])


def test_megaraid_battery_state_that_is_not_known_is_a_problem() -> None:
    """A new word is unknown, kept and reported; a state that is not told is none."""
    battery = read(properties("BBU_Info", ("Battery State", "Tired"))).battery
    assert (battery.get("status"), battery.get("status_text")) == ("unknown", "Tired")
    assert [complaint.kind for complaint in battery.complaints] == ["unread"]
    assert read(properties("BBU_Info", ("Battery State", "Unknown"))).battery.get("status") is None


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
def test_megaraid_battery_kind_follows_from_its_type(kind: str, neutral: BatteryKind | None) -> None:
    """Types of capacitors and of batteries are told apart; an unknown type is neither."""
    assert read(properties("BBU_Info", ("Type", kind))).battery.get("kind") == neutral


def test_megaraid_battery_cachevault_is_a_capacitor_whatever_its_type() -> None:
    """A CacheVault of a type to come is still one."""
    assert read(properties("Cachevault_Info", ("Type", "QQ1"), ("State", "Optimal"))).battery.get("kind") == "capacitor"


def test_megaraid_battery_learn_cycle_under_way_counts_more_than_the_state_word() -> None:
    """The state word says Optimal all through a learn cycle."""
    found = read(
        properties("BBU_Info", ("Type", "BBU"), ("Battery State", "Optimal")),
        properties("BBU_Firmware_Status", ("Learn Cycle Active", "Yes"), ("Temperature", "OK")),
    )
    assert found.battery.get("status") == "learning"
    assert found.battery.get("temperature_celsius") is None
    assert found.battery.details["BBU_Firmware_Status: Temperature"] == "OK"


def test_megaraid_battery_pack_that_is_missing_counts_more_than_anything() -> None:
    """The firmware's flag of a missing pack is believed."""
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
def test_megaraid_battery_asks_for_replacement_when_one_flag_does(
    rows: tuple[tuple[str, str], ...], replace: bool | None
) -> None:
    """Any flag that asks for a new pack is enough."""
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
def test_megaraid_battery_flags_that_mean_trouble_are_problems(label: str, value: str) -> None:
    """Each flag is told, and stays a detail."""
    battery = read(properties("Firmware_Status", (label, value))).battery
    assert [complaint.kind for complaint in battery.complaints] == ["state"]
    assert battery.details == {f"Firmware_Status: {label}": value}


def test_megaraid_battery_flags_that_are_well_are_no_problems() -> None:
    """OK and No are no trouble."""
    rows = (("Voltage", "OK"), ("Learn Cycle Status", "OK"), ("I2C Errors Detected", "No"))
    assert read(properties("BBU_Firmware_Status", *rows)).battery.complaints == []


def test_megaraid_battery_charge_is_the_relative_one() -> None:
    """The relative state of charge is the charge; the absolute one is a detail."""
    battery = read(
        properties("BBU_Capacity_Info", ("Relative State of Charge", "93%"), ("Absolute State of charge", "83%"))
    ).battery
    assert battery.get("charge_percent") == 93
    assert battery.details == {"Absolute State of charge": "83%"}


def test_megaraid_battery_health_of_a_capacitor_is_no_charge() -> None:
    """The capacitance in percent and the energy stay details."""
    battery = read(properties("GasGaugeStatus", ("Pack Energy", "294 J"), ("Capacitance", "89 %"))).battery
    assert battery.get("charge_percent") is None
    assert battery.details["GasGaugeStatus: Capacitance"] == "89 %"


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("2031/09/03  17:48:10 (999999999 seconds)", "2031-09-03T17:48:10"),
        ("2000/01/01  00:00:00 (0 seconds)", None),
        ("None", None),
        ("in 3 days", "in 3 days"),
    ],
)
def test_megaraid_battery_next_learn_cycle_is_a_time_without_a_zone(printed: str, told: str | None) -> None:
    """The card's clock has no zone; a date that was never set is none; another form is kept."""
    assert read(properties("BBU_Properties", ("Next Learn time", printed))).battery.get("next_learn_at") == told


def test_megaraid_battery_properties_below_the_cachevault_are_its_own() -> None:
    """The title Properties belongs to the pack where its answer is about one."""
    one = properties("Cachevault_Info", ("Type", "CVPM99"))
    two = properties("Properties", ("Auto Learn Period", "27d (2412000 seconds)"))
    found = read(one + two[two.index("\nProperties") :])
    assert found.battery.details["Auto Learn Period"] == "27d (2412000 seconds)"
    assert found.controller.details == {}


def test_megaraid_battery_energy_pack_of_v8_is_read() -> None:
    """Units stand in the labels of v8."""
    text = table(
        "Energy Pack Info",
        ("Type", "SubType", "Voltage(mV)", "Temperature(C)", "Status"),
        ("Supercap", "FBU399", "9184", "38", "Optimal"),
    )
    battery = read(text).battery
    assert (battery.name, battery.get("kind"), battery.get("status")) == ("energypack", "capacitor", "ok")
    assert (battery.get("voltage_volts"), battery.get("temperature_celsius")) == (9.184, 38)


def test_megaraid_battery_two_packs_are_two() -> None:
    """Each row with a state is a pack."""
    head = ("Type", "SubType", "Voltage(mV)", "Temperature(C)", "Status")
    rows = (("Supercap", "FBU399", "9184", "38", "Optimal"), ("Supercap", "FBU399", "9100", "39", "Failed"))
    batteries = read(table("Energy Pack Info", head, *rows)).controller.batteries
    assert [draft.get("status") for draft in batteries.values()] == ["ok", "failed"]


def test_megaraid_battery_next_learn_of_the_cards_tasks_is_the_packs() -> None:
    """The scheduled tasks print the month first; the pack's own line counts more."""
    tasks = section("Scheduled Tasks", "Next Battery Learn = 06/18/2031, 20:00:00")
    info = properties("Cachevault_Info", ("State", "Optimal"))
    for texts in ((tasks, info), (info, tasks)):
        assert read(*texts).battery.get("next_learn_at") == "2031-06-18T20:00:00"
    own = properties("BBU_Properties", ("Next Learn time", "2031/07/01  01:02:03 (1 seconds)"))
    assert read(tasks, own).battery.get("next_learn_at") == "2031-07-01T01:02:03"


@pytest.mark.parametrize(("mask", "status"), [(0, "ok"), (64, "learning"), (1, "missing")])
def test_megaraid_battery_without_a_state_gets_that_of_the_bit_mask(mask: int, status: BatteryStatus) -> None:
    """The card's bit mask tells where the pack's own output does not."""
    card = ControllerDraft("0")
    card.battery("bbu")
    card.values["bbu_status"] = (2, mask)
    settle_batteries(card)
    assert card.battery("bbu").get("status") == status


def test_megaraid_battery_state_of_its_own_counts_more_than_the_bit_mask() -> None:
    """What the pack's own output said stands."""
    card = read(properties("BBU_Info", ("Battery State", "Failed")), section("Status", "BBU Status = 0")).controller
    settle_batteries(card)
    assert card.battery("bbu").get("status") == "failed"


def test_megaraid_battery_told_of_by_several_outputs_is_one() -> None:
    """The overview's nameless pack and figures without a state belong to the pack that has one."""
    card = ControllerDraft("0")
    for name, field, value in (
        ("unnamed", "status", "ok"),
        ("cachevault", "status", "degraded"),
        ("bbu", "charge_percent", 93),
    ):
        card.battery(name).values[field] = (1 if name == "unnamed" else 2, value)
    settle_batteries(card)
    (battery,) = card.batteries.values()
    assert (battery.name, battery.get("status"), battery.get("charge_percent")) == ("cachevault", "degraded", 93)


def test_megaraid_battery_figures_alone_belong_to_the_pack_that_was_asked_for() -> None:
    """Sections with titles that all packs share are of the one that the command names."""
    text = properties("GasGaugeStatus", ("Pack Energy", "294 J"))
    assert read(text, command="storcli64 /c0/cv show all").battery.name == "cachevault"
    assert read(text, command="storcli64 /c0/bbu show all").battery.name == "bbu"
