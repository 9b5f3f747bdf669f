from __future__ import annotations

import pytest

from raidctl.model import Operation, VolumeStatus
from tests.vendors.megaraid.megaraid_storage_answers import Data, answer_text, drive_row, read, read_all, volume_row


def operation_row(name: str, percent: Data, status: str, left: str = "-") -> dict[str, Data]:
    """A row of ``VD Operation Status``."""
    return {"VD": 3, "Operation": name, "Progress%": percent, "Status": status, "Estimated Time Left": left}


@pytest.mark.parametrize(
    ("name", "operation", "status"),
    [
        ("CC", "check", "checking"), ("BGI", "parity", "initializing"), ("INIT", "initialize", "initializing"),
        ("Migrate", "migrate", "migrating"), ("ERASE", "erase", "ok"),
    ],
)  # fmt: skip
def test_an_operation_of_a_volume(name: str, operation: Operation, status: VolumeStatus) -> None:
    """Its share and the time left are told."""
    row = operation_row(name, 41, "In progress", "1 Hours 3 Minutes")
    volume = read({"VD LIST": [volume_row()], "VD Operation Status": [row]}).volumes["3"]
    assert (volume.get("progress.operation"), volume.get("progress.percent")) == (operation, 41.0)
    assert volume.get("status") == status
    assert volume.details[f"{name} Estimated Time Left"] == "1 Hours 3 Minutes"


@pytest.mark.parametrize("status", ["Not in progress", "Not in Progress", "-"])
def test_an_operation_that_does_not_go_on(status: str) -> None:
    """Nothing is under way."""
    volume = read({"VD LIST": [volume_row()], "VD Operation Status": [operation_row("CC", "-", status)]}).volumes["3"]
    assert (volume.get("progress.operation"), volume.get("status")) == (None, "ok")


@pytest.mark.parametrize(
    ("word", "state", "status"),
    [("Queued", "queued", "ok"), ("Paused", "paused", "checking"), ("In progress", "running", "checking")],
)
def test_an_operation_that_waits_or_is_paused(word: str, state: str, status: VolumeStatus) -> None:
    """Only what has begun changes the status of an optimal volume."""
    volume = read({"VD LIST": [volume_row()], "VD Operation Status": [operation_row("CC", "-", word)]}).volumes["3"]
    assert (volume.get("progress.operation"), volume.get("progress.state")) == ("check", state)
    assert volume.get("status") == status


def test_of_several_operations_the_one_under_way_is_told() -> None:
    """The others say that they are not in progress."""
    rows = [operation_row("CC", "-", "Not in progress"), operation_row("BGI", 5, "In progress")]
    volume = read({"VD Operation Status": rows}).volumes["3"]
    assert (volume.get("progress.operation"), volume.get("progress.percent")) == ("parity", 5.0)


@pytest.mark.parametrize(
    ("description", "label", "operation"),
    [
        ("Show Drive Rebuild Status Succeeded.", "rebuild", "rebuild"),
        ("Show PD Rebuild Status Succeeded.", "rebuild", "rebuild"),
        ("Show Drive Copyback Status Succeeded.", "copyback", "copyback"),
        ("Show Drive Sanitize Status Succeeded.", "sanitize", "erase"),
        ("Show Drive Initialization Status Succeeded.", "initialization", "initialize"),
        ("None", "operation", "unknown"),
    ],
)
def test_an_operation_of_a_drive(description: str, label: str, operation: Operation) -> None:
    """The table has no title; the answer's description names what it is about."""
    row = {"Drive-ID": "/c0/e64/s2", "Progress%": 57, "Status": "In progress", "Estimated Time Left": "9 Minutes"}
    drive = read([row], description).drives["64:2"]
    assert drive.details[label] == "57%, In progress, 9 Minutes left"
    assert (drive.get("progress.operation"), drive.get("progress.percent")) == (operation, 57.0)
    assert drive.get("status") == "warning"


def test_the_newer_tools_table() -> None:
    """Address and persistent id in place of the path; a dash is no share."""
    rows = [
        {"EID:Slt": "310:1", "PID": 9, "Progress%": "-", "Status": "Not in progress", "Estimated Time Left": "-"},
        {"EID:Slt": "310:2", "PID": 8, "Progress%": "12", "Status": "In progress", "Estimated Time Left": "-"},
    ]
    card = read(rows, "Show PD Rebuild Status Succeeded.")
    assert [drive.get("progress.percent") for drive in card.drives.values()] == [None, 12.0]
    assert card.drives["310:1"].details["PID"] == "9"
    assert card.drives["310:1"].get("status") is None


def test_a_rebuild_is_joined_with_the_drive() -> None:
    """The list and the progress come in outputs of their own."""
    row = {"Drive-ID": "/c0/e64/s2", "Progress%": 57, "Status": "In progress", "Estimated Time Left": "9 Minutes"}
    cards, _, _ = read_all(
        answer_text([row], "Show Drive Rebuild Status Succeeded."), answer_text({"PD LIST": [drive_row(State="Rbld")]})
    )
    drive = cards.by_number["0"].drives["64:2"]
    assert (drive.get("status"), drive.get("progress.percent"), drive.get("array")) == ("warning", 57.0, "0")


def test_a_share_that_cannot_be_read_is_said() -> None:
    """It is no share."""
    volume = read({"VD Operation Status": [operation_row("CC", "lots", "In progress")]}).volumes["3"]
    assert (volume.get("progress.operation"), volume.get("progress.percent")) == ("check", None)
    assert [item.kind for item in volume.complaints] == ["unread"]


def test_a_row_without_a_volume_is_kept() -> None:
    """Its words are details of the card."""
    row = operation_row("CC", 5, "In progress") | {"VD": "all"}
    card = read({"VD Operation Status": [row]})
    assert card.volumes == {}
    assert card.details["VD Operation Status 0 VD"] == "all"
