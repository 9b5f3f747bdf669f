from __future__ import annotations

from tests.vendors.megaraid.megaraid_storage_answers import drive_row, read, topology_row, volume_row

FOREIGN = {"DG": 0, "EID:Slot": "-", "Type": "RAID6", "State": "Frgn", "Size": "2.181 TB", "NoVDs": 2}


def test_a_foreign_configuration_is_no_group() -> None:
    """It marks the card; its words are details."""
    card = read({"FOREIGN CONFIGURATION": [FOREIGN], "Total foreign Drive Groups": 1})
    assert (card.get("foreign"), card.arrays, card.volumes) == (True, {}, {})
    assert (card.details["Foreign 0 Type"], card.details["Total foreign Drive Groups"]) == ("RAID6", "1")


def test_no_foreign_configuration() -> None:
    """A count of zero is none."""
    assert read({"Total foreign Drive Groups": 0}).get("foreign") is None


def test_foreign_drives_alone_tell_of_one() -> None:
    """An incomplete configuration lists only counts."""
    card = read({"Total Foreign PDs": 15, "Total Locked Foreign PDs": 2}, "Incomplete foreign configuration")
    assert card.get("foreign") is True
    assert [item.message for item in card.complaints] == ["2 foreign drives locked."]


def test_the_preview_of_an_import_is_not_configured() -> None:
    """Groups and volumes that are only offered are not shown as if they were there."""
    card = read(
        {"TOPOLOGY": [topology_row()], "VD LIST": [volume_row()], "PD LIST": [drive_row()]},
        "Operation on foreign configuration Succeeded",
    )
    assert (card.arrays, card.volumes, card.drives) == ({}, {}, {})
    assert card.details["Foreign VD LIST 0 Name"] == "payroll"


def test_words_without_a_table() -> None:
    """What is said in place of a table is kept."""
    card = read({"Foreign VDs": ["none at all"]})
    assert card.details["Foreign VDs"] == "none at all"
