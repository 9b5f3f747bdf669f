"""A foreign configuration is reported, and is not an array of the controller."""

from __future__ import annotations

from tests.vendors.megaraid.storcli_storage_outputs import drive_row, read, topology_row, volume_row

FOREIGN = {"DG": 0, "EID:Slot": "-", "Type": "RAID6", "State": "Frgn", "Size": "2.181 TB", "NoVDs": 2}


def test_a_foreign_configuration_is_no_group() -> None:
    """A foreign configuration marks the controller and gives details, no array."""
    controller = read({"FOREIGN CONFIGURATION": [FOREIGN], "Total foreign Drive Groups": 1})
    assert (controller.get("foreign"), controller.arrays, controller.volumes) == (True, {}, {})
    assert (controller.details["Foreign 0 Type"], controller.details["Total foreign Drive Groups"]) == ("RAID6", "1")


def test_no_foreign_configuration() -> None:
    """A count of 0 is not a foreign configuration."""
    assert read({"Total foreign Drive Groups": 0}).get("foreign") is None


def test_foreign_drives_alone_are_a_foreign_configuration() -> None:
    """An incomplete configuration has only counts of drives."""
    controller = read({"Total Foreign PDs": 15, "Total Locked Foreign PDs": 2}, "Incomplete foreign configuration")
    assert controller.get("foreign") is True
    assert [item.message for item in controller.complaints] == ["2 foreign drives locked."]


def test_the_preview_of_an_import_is_not_configured() -> None:
    """Arrays, volumes and drives of a preview are details only."""
    controller = read(
        {"TOPOLOGY": [topology_row()], "VD LIST": [volume_row()], "PD LIST": [drive_row()]},
        "Operation on foreign configuration Succeeded",
    )
    assert (controller.arrays, controller.volumes, controller.drives) == ({}, {}, {})
    assert controller.details["Foreign VD LIST 0 Name"] == "payroll"


def test_words_without_a_table() -> None:
    """Text in place of a table is a detail."""
    controller = read({"Foreign VDs": ["none at all"]})
    assert controller.details["Foreign VDs"] == "none at all"
