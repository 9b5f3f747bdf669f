"""Facts of storcli's answers that were once told wrongly, not at all, or without saying so."""

from __future__ import annotations

import pytest

from raidctl.model import Battery
from raidctl.vendor.protocol import Observation
from tests.support.judged import conditions
from tests.vendors.megaraid.megaraid_one_machine import (
    Answer,
    answer,
    as_json,
    as_text,
    observed,
    pd_row,
    text_of,
    vd_row,
)


def unread(found: Observation) -> list[str]:
    """What was not understood."""
    return [item.message for item in found.problems if item.kind == "unread"]


def battery(state: str, **flags: str) -> Battery:
    """What is made of the answer to ``/c0/bbu show all``."""
    told = {"Voltage": "OK", "Temperature": "OK", **{name.replace("_", " "): value for name, value in flags.items()}}
    data: Answer = {
        "BBU_Info": [{"Property": "Type", "Value": "iBBU-11"}, {"Property": "Battery State", "Value": state}],
        "BBU_Firmware_Status": [{"Property": label, "Value": value} for label, value in told.items()],
    }
    (found,) = as_json([answer("None", data)]).controllers[0].batteries
    return found


@pytest.mark.parametrize(
    "flags",
    [
        {"Remaining_Capacity_Low": "Yes"},
        {"Replacement_required": "Yes"},
        {"Learn_Cycle_Status": "Failed"},
        {"I2C_Errors_Detected": "Yes"},
        {"No_space_to_cache_offload": "Yes"},
        {"Voltage": "Low"},
        {"Temperature": "High"},
    ],
)
def test_an_optimal_battery_with_a_bad_flag_is_degraded(flags: dict[str, str]) -> None:
    """The firmware's flags count beside the state word, as they do with MegaCli."""
    found = battery("Optimal", **flags)
    assert found.status == "degraded"
    assert found.status_text is not None
    assert found.status_text.startswith("Optimal; ")


@pytest.mark.parametrize("flags", [{}, {"Learn_Cycle_Requested": "Yes"}, {"Module_microcode_update_required": "Yes"}])
def test_a_flag_that_says_nothing_of_the_pack_leaves_it_ok(flags: dict[str, str]) -> None:
    """A learn cycle that is due and an update that is due are no faults of the battery."""
    assert battery("Optimal", **flags).status == "ok"


def test_a_failed_battery_stays_failed() -> None:
    """A flag makes no battery better."""
    found = battery("Failed", Remaining_Capacity_Low="Yes", Replacement_required="Yes")
    assert (found.status, found.replace) == ("failed", True)


def test_a_capacitor_without_a_gauge_tells_no_charge() -> None:
    """``Relative State of Charge  0%`` of a CacheVault that is optimal; the figure stays among the details."""
    info = {"Type": "CVPM02", "State": "Optimal", "Relative State of Charge": "0%"}
    rows = [{"Property": label, "Value": value} for label, value in info.items()]
    (found,) = as_text([answer("None", {"Cachevault_Info": rows})]).controllers[0].batteries
    assert (found.kind, found.status, found.charge_percent) == ("capacitor", "ok", None)
    assert found.details["Relative State of Charge"] == "0%"


@pytest.mark.parametrize(
    ("name", "oem", "vendor"),
    [
        ("AVAGO MegaRAID SAS 9999-8i", "LSI", "Avago"),
        ("MegaRAID 9999-8i", "LSI", "LSI"),
        ("ServeRAID M9999", "IBM", "IBM"),
    ],
)
def test_the_name_on_the_card_counts_more_than_its_own_makers_code(name: str, oem: str, vendor: str) -> None:
    """``OEMID = LSI`` says that nobody else sells it; the name says which of the maker's names it bears."""
    data: Answer = {
        "Basics": {"Controller": 0, "Model": name},
        "Bus": {"SubVendor Id": "0x1000"},
        "Scheduled Tasks": {"OEMID": oem},
    }
    assert as_text([answer("None", data)]).controllers[0].vendor == vendor


def test_a_volume_without_a_readable_number_is_told_of() -> None:
    """Its properties are not given to the drive that was listed before."""
    data: Answer = {"Virtual Drives": [{
        "VD Info": vd_row("zero", "RAID1", "Optl", "RWBD", "1.090 TB", ""),
        "PDs": [pd_row("8:1", 3, "Onln", 0, "ZT1200")],
        "VD Properties": {"OS Drive Name": "/dev/sdq", "SCSI NAA Id": "600605b00000000000000000000000aa"},
    }]}  # fmt: skip
    found = as_json([answer("None", data)])
    assert "A volume is listed without its number" in " ".join(unread(found))
    (drive,) = found.controllers[0].drives
    assert (drive.device, drive.wwn) == (None, None)


@pytest.mark.parametrize(("group", "known"), [("-", True), ("F", True), (0, True), ("0,1", True), ("Q7", False)])
def test_a_drive_group_that_is_none_is_told_of(group: str | int, known: bool) -> None:
    """What stands in ``DG`` is a number, a dash or an F; anything else is not passed over."""
    rows = [pd_row("8:1", 3, "DHS", group, "ZT1200"), pd_row("8:2", 4, "Onln", 0, "ZT1200")]
    found = unread(as_text([answer("None", {"PD LIST": rows})]))
    told = [text for text in found if "breaks off" not in text]  # the table has no legend, so that it may be cut
    assert (not told) is known


def test_the_vendor_column_of_an_ata_drive_is_no_part_of_its_model() -> None:
    """``ATA     ZT4000VN`` of a drive behind an HBA."""
    found = as_json([answer("None", {"PD LIST": [pd_row("8:1", 3, "JBOD", "-", "ATA     ZT4000VN")]})])
    assert found.controllers[0].drives[0].model == "ZT4000VN"


def test_a_rebuild_without_a_state_word_has_words() -> None:
    """``/c0/eall/sall show rebuild`` alone: the problem says what goes on."""
    rows = [{"Drive-ID": "/c0/e8/s1", "Progress%": 12, "Status": "In progress", "Estimated Time Left": "3 Hours"}]
    found = as_text([answer("Show Drive Rebuild Status Succeeded.", {"": rows})])
    assert [one.rule for one in conditions(found)] == ["volume_rebuilding"]


def test_jbod_mode_is_told_by_its_own_command() -> None:
    """``/c0 show jbod``."""
    found = as_text([answer("None", {"Controller Properties": [{"Ctrl_Prop": "JBOD", "Value": "ON"}]})])
    assert found.controllers[0].mode == "mixed"


@pytest.mark.parametrize("label", ["Drive Groups", "Virtual Drives", "Physical Drives"])
def test_a_count_without_its_list_is_an_answer_cut_off(label: str) -> None:
    """``Physical Drives = 8`` and nothing after it."""
    found = as_text([answer("None", {"Product Name": "MegaRAID 9999-8i", label: 8})])
    assert unread(found) == [f"The output counts 8 {label.lower()} and does not list them."]


def test_a_count_of_none_needs_no_list() -> None:
    """A card without volumes is no answer cut off."""
    assert not unread(as_text([answer("None", {"Product Name": "MegaRAID 9999-8i", "Virtual Drives": 0})]))


def test_what_lost_its_controller_is_not_given_to_the_next_one() -> None:
    """The end of one card's answer before the whole answer of another: two cards, and the doubt is told."""
    whole = answer("None", {"Basics": {"Controller": 2, "Model": "MegaRAID 9999-8i", "Serial Number": "SV1"}})
    whole["Controllers"][0]["Command Status"]["Controller"] = 2
    rest = text_of(answer("None", {"PD LIST": [pd_row("8:1", 3, "Onln", 0, "ZT1200")]}))
    found = observed(rest[rest.index("PD LIST") :] + text_of(whole))
    assert {card.id: len(card.drives) for card in found.controllers} == {"megaraid:unknown": 1, "megaraid:2": 0}
    assert "does not name its controller" in " ".join(unread(found))
