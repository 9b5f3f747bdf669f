"""Facts of storcli's outputs that an earlier version read wrongly or not."""

from __future__ import annotations

from typing import Any

import pytest

from raidctl.model import Battery
from tests.support.judged import conditions
from tests.vendors.megaraid.megaraid_one_machine import (
    Answer,
    answer,
    as_json,
    as_text,
    observed,
    pd_row,
    text_of,
    unread,
    vd_row,
)


def battery(state: str, **flags: str) -> Battery:
    """The battery of an output of ``/c0/bbu show all``."""
    values = {"Voltage": "OK", "Temperature": "OK", **{name.replace("_", " "): value for name, value in flags.items()}}
    data: Answer = {
        "BBU_Info": [{"Property": "Type", "Value": "iBBU-11"}, {"Property": "Battery State", "Value": state}],
        "BBU_Firmware_Status": [{"Property": label, "Value": value} for label, value in values.items()],
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
    """The firmware's flags count beside the state word, as with MegaCli."""
    found = battery("Optimal", **flags)
    assert found.status == "degraded"
    assert found.status_text is not None
    assert found.status_text.startswith("Optimal; ")


@pytest.mark.parametrize("flags", [{}, {"Learn_Cycle_Requested": "Yes"}, {"Module_microcode_update_required": "Yes"}])
def test_a_flag_without_a_fault_leaves_the_battery_ok(flags: dict[str, str]) -> None:
    """A requested learn cycle and a required update are not faults."""
    assert battery("Optimal", **flags).status == "ok"


def test_a_failed_battery_stays_failed() -> None:
    """A flag never improves the status of a battery."""
    found = battery("Failed", Remaining_Capacity_Low="Yes", Replacement_required="Yes")
    assert (found.status, found.replace) == ("failed", True)


def test_a_capacitor_without_a_gauge_has_no_charge() -> None:
    """``Relative State of Charge  0%`` of an optimal CacheVault is only a detail."""
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
def test_the_model_counts_more_than_the_chip_vendors_oem_code(name: str, oem: str, vendor: str) -> None:
    """Beside ``OEMID = LSI`` the model gives the vendor."""
    data: Answer = {
        "Basics": {"Controller": 0, "Model": name},
        "Bus": {"SubVendor Id": "0x1000"},
        "Scheduled Tasks": {"OEMID": oem},
    }
    assert as_text([answer("None", data)]).controllers[0].vendor == vendor


def test_a_volume_without_a_readable_number_is_unread() -> None:
    """Its properties are not assigned to the drive listed before."""
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
def test_a_drive_group_of_unknown_form_is_unread(group: str | int, known: bool) -> None:
    """``DG`` is a number, a dash or an F. Anything else is a problem."""
    rows = [pd_row("8:1", 3, "DHS", group, "ZT1200"), pd_row("8:2", 4, "Onln", 0, "ZT1200")]
    found = unread(as_text([answer("None", {"PD LIST": rows})]))
    reported = [text for text in found if "breaks off" not in text]  # without its legend the table may be cut off
    assert (not reported) is known


def test_the_vendor_column_of_an_ata_drive_is_no_part_of_its_model() -> None:
    """``ATA     ZT4000VN`` of a drive behind an HBA is the model ZT4000VN."""
    found = as_json([answer("None", {"PD LIST": [pd_row("8:1", 3, "JBOD", "-", "ATA     ZT4000VN")]})])
    assert found.controllers[0].drives[0].model == "ZT4000VN"


def test_a_rebuild_without_a_state_word_is_a_condition() -> None:
    """``/c0/eall/sall show rebuild`` alone reports the rebuild."""
    rows = [{"Drive-ID": "/c0/e8/s1", "Progress%": 12, "Status": "In progress", "Estimated Time Left": "3 Hours"}]
    found = as_text([answer("Show Drive Rebuild Status Succeeded.", {"": rows})])
    assert [one.rule for one in conditions(found)] == ["volume_rebuilding"]


def test_jbod_mode_is_read_from_its_own_command() -> None:
    """``/c0 show jbod`` gives the controller's mode."""
    found = as_text([answer("None", {"Controller Properties": [{"Ctrl_Prop": "JBOD", "Value": "ON"}]})])
    assert found.controllers[0].mode == "mixed"


@pytest.mark.parametrize("label", ["Drive Groups", "Virtual Drives", "Physical Drives"])
def test_a_count_without_its_list_is_an_answer_cut_off(label: str) -> None:
    """``Physical Drives = 8`` without a list is a problem."""
    found = as_text([answer("None", {"Product Name": "MegaRAID 9999-8i", label: 8})])
    assert unread(found) == [f"The output counts 8 {label.lower()} and does not list them."]


def test_a_count_of_none_needs_no_list() -> None:
    """A controller with 0 volumes needs no list of volumes."""
    assert not unread(as_text([answer("None", {"Product Name": "MegaRAID 9999-8i", "Virtual Drives": 0})]))


def test_a_fragment_is_not_assigned_to_the_next_controller() -> None:
    """A fragment before a controller's output belongs to an unknown controller. There is a problem."""
    whole = answer("None", {"Basics": {"Controller": 2, "Model": "MegaRAID 9999-8i", "Serial Number": "SV1"}})
    whole["Controllers"][0]["Command Status"]["Controller"] = 2
    rest = text_of(answer("None", {"PD LIST": [pd_row("8:1", 3, "Onln", 0, "ZT1200")]}))
    found = observed(rest[rest.index("PD LIST") :] + text_of(whole))
    assert {controller.id: len(controller.drives) for controller in found.controllers} == {
        "megaraid:unknown": 1,
        "megaraid:2": 0,
    }
    assert "does not name its controller" in " ".join(unread(found))


_TOPOLOGY = [
    {"DG": 0, "Arr": arr, "Row": row, "EID:Slot": place, "DID": did, "Type": kind, "State": state}
    for arr, row, place, did, kind, state in (
        ("-", "-", "-", "-", "RAID1", "Optl"), (0, "-", "-", "-", "RAID1", "Optl"),
        (0, 0, "8:1", 3, "DRIVE", "Onln"), (0, 1, "8:2", 4, "DRIVE", "Onln"),
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("title", "column"),
    [
        ("VD LIST", "DG/VD"), ("PD LIST", "EID:Slt"), ("Enclosure LIST", "EID"), ("TOPOLOGY", "DG"),
        ("BBU_Firmware_Status", "Property"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("only", [False, True])
def test_a_row_without_the_column_of_its_object_is_unread(title: str, column: str, *, only: bool) -> None:
    """Such a row may report a failed object: it is not passed over, be it one of several or the only one."""
    rows: dict[str, list[dict[str, Any]]] = {
        "VD LIST": [vd_row(name, "RAID1", "Optl", "RWBD", "1.090 TB", "") for name in ("0/0", "0/1")],
        "PD LIST": [pd_row(name, 3, "Onln", 0, "ZT1200") for name in ("8:1", "8:2")],
        "Enclosure LIST": [{"EID": name, "State": "OK", "Slots": 8, "PD": 2, "ProdID": "X"} for name in (8, 9)],
        "TOPOLOGY": _TOPOLOGY,
        "BBU_Firmware_Status": [{"Property": label, "Value": "OK"} for label in ("Voltage", "Temperature")],
    }
    state = "Value" if title == "BBU_Firmware_Status" else "State"
    damaged = [{**rows[title][0], state: "Failed"}, *([] if only else rows[title][1:])]
    del damaged[0][column]
    assert unread(as_json([answer("None", {title: damaged})]))


_ITEM: dict[str, Any] = {
    "Drive Information": {"EID:Slt": "8:1", "PID": 360, "State": "Conf", "Status": "Online", "DG": 0},
    "LU/NS Information": [{"PID": 360, "LUN/NSID": "1/1", "Status": "Online", "Size": "1.745 TiB"}],
}


@pytest.mark.parametrize(
    ("title", "columns"),
    [
        ("Drive Information", ["EID:Slt"]),
        ("Drive Information", ["EID:Slt", "PID"]),
        ("LU/NS Information", ["PID"]),
        ("LU/NS Information", ["LUN/NSID"]),
        ("LU/NS Information", ["PID", "LUN/NSID"]),
    ],
)
def test_a_page_of_version_8_without_its_address_is_not_assigned_to_the_page_before(
    title: str, columns: list[str]
) -> None:
    """A failed drive or unit whose address is missing is unread or, if it is below its drive's page, critical."""
    second: dict[str, Any] = {
        "Drive Information": {**_ITEM["Drive Information"], "EID:Slt": "8:2", "PID": 361},
        "LU/NS Information": [{**_ITEM["LU/NS Information"][0], "PID": 361}],
    }
    damaged = second[title] if isinstance(second[title], dict) else second[title][0]
    damaged["Status"] = "Failed"
    for column in columns:
        del damaged[column]
    found = as_json([answer("None", {"Drives List": [_ITEM, second]}, "008.0005.0000.0010 Apr 01, 2023")])
    drives = {drive.bay: drive.status for drive in found.controllers[0].drives}
    assert drives["1"] == "ok"
    assert unread(found) or drives["2"] == "critical"


@pytest.mark.parametrize("word", ["Failed", "Unknown", "Zqxwv"])
def test_the_second_word_of_an_array_counts(word: str) -> None:
    """Version 8 prints two words in the topology, and each of them may report the failure."""
    row = {**_TOPOLOGY[0], "State": "-", "Status": word}
    found = as_json([answer("None", {"TOPOLOGY": [row, *_TOPOLOGY[1:]]})])
    assert found.controllers[0].arrays[0].status == ("critical" if word == "Failed" else "unknown")


@pytest.mark.parametrize(
    "data",
    [
        {"Status": {"Any Offline VD Cache Preserved": "Unknown"}},
        {"Status": {"VD Degraded Count": "many"}},
        {
            "System Overview": [
                {"Ctl": 0, "Model": "9999-8i", "Ports": 8, "PDs": 2, "DGs": 1, "VNOpt": "?", "Hlth": "Opt"}
            ]
        },
        {"Drive /c0/e8/s1 State": {"S.M.A.R.T alert flagged by drive": "Unknown"}},
    ],
)
def test_an_alarm_that_the_firmware_cannot_tell_is_unread(data: Answer) -> None:
    """An alarm that is unknown, or a count that is a word, is not the same as none."""
    assert unread(as_json([answer("None", {"PD LIST": [pd_row("8:1", 3, "Onln", 0, "ZT1200")], **data})]))


@pytest.mark.parametrize(
    "data",
    [
        {"New title": {"Controller Status": "Failed"}},
        {"New title": {"NVRAM State": "Failed"}},
        {
            "Drive /c0/e8/s1 - Detailed Information": {
                "Port Information": [{"Status": "Failed", "Linkspeed": "12.0Gb/s"}]
            }
        },
    ],
)
def test_a_bad_state_in_an_unknown_place_is_a_problem(data: Answer) -> None:
    """A state that is failed counts below a title that no known version prints, and without the port's number."""
    rows = [pd_row("8:1", 3, "Onln", 0, "ZT1200")]
    assert as_json([answer("None", {"PD LIST": rows, "Drive /c0/e8/s1": rows, **data})]).problems
