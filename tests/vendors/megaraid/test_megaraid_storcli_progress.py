"""Operations under way on volumes and drives, in storcli's outputs."""

from __future__ import annotations

import pytest

from raidctl.model import Operation, VolumeStatus
from tests.vendors.megaraid.storcli_storage_outputs import Data, answer_text, drive_row, read, read_all, volume_row


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
    """Percentage and remaining time are read. An optimal volume gets the status."""
    row = operation_row(name, 41, "In progress", "1 Hours 3 Minutes")
    volume = read({"VD LIST": [volume_row()], "VD Operation Status": [row]}).volumes["3"]
    assert (volume.get("progress.operation"), volume.get("progress.percent")) == (operation, 41.0)
    assert volume.get("status") == status
    assert volume.details[f"{name} Estimated Time Left"] == "1 Hours 3 Minutes"


@pytest.mark.parametrize("status", ["Not in progress", "Not in Progress", "-"])
def test_an_operation_that_does_not_go_on(status: str) -> None:
    """An operation that is not in progress is none."""
    volume = read({"VD LIST": [volume_row()], "VD Operation Status": [operation_row("CC", "-", status)]}).volumes["3"]
    assert (volume.get("progress.operation"), volume.get("status")) == (None, "ok")


def test_an_operation_with_an_unknown_status_is_reported() -> None:
    """An unknown status may be that of an operation in progress."""
    data = {"VD LIST": [volume_row()], "VD Operation Status": [operation_row("CC", "-", "Dancing")]}
    assert [one.kind for one in read(data).volumes["3"].complaints] == ["unread"]


@pytest.mark.parametrize(
    ("word", "state", "status"),
    [("Queued", "queued", "ok"), ("Paused", "paused", "checking"), ("In progress", "running", "checking")],
)
def test_an_operation_that_waits_or_is_paused(word: str, state: str, status: VolumeStatus) -> None:
    """Only an operation that has begun changes an optimal volume's status."""
    volume = read({"VD LIST": [volume_row()], "VD Operation Status": [operation_row("CC", "-", word)]}).volumes["3"]
    assert (volume.get("progress.operation"), volume.get("progress.state")) == ("check", state)
    assert volume.get("status") == status


def test_of_several_operations_the_running_one_counts() -> None:
    """Operations that are not in progress do not hide the running one."""
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
    """The table has no title: the answer's description names the operation."""
    row = {"Drive-ID": "/c0/e64/s2", "Progress%": 57, "Status": "In progress", "Estimated Time Left": "9 Minutes"}
    drive = read([row], description).drives["64:2"]
    assert drive.details[label] == "57%, In progress, 9 Minutes left"
    assert (drive.get("progress.operation"), drive.get("progress.percent")) == (operation, 57.0)
    assert drive.get("status") == "warning"


@pytest.mark.parametrize("title", ["Progress%", "Progress", "Progress(%)"])
def test_each_title_of_the_percentage_is_summarised(title: str) -> None:
    """The detail of an operation contains the percentage, whatever its column is called."""
    row = {"Drive-ID": "/c0/e64/s2", title: 57, "Status": "In progress", "Estimated Time Left": "-"}
    drive = read([row], "Show Drive Rebuild Status Succeeded.").drives["64:2"]
    assert (drive.details["rebuild"], drive.get("progress.percent")) == ("57%, In progress", 57.0)


def test_the_newer_tools_table() -> None:
    """Version 8 prints address and persistent id; a dash is not a percentage."""
    rows = [
        {"EID:Slt": "310:1", "PID": 9, "Progress%": "-", "Status": "Not in progress", "Estimated Time Left": "-"},
        {"EID:Slt": "310:2", "PID": 8, "Progress%": "12", "Status": "In progress", "Estimated Time Left": "-"},
    ]
    controller = read(rows, "Show PD Rebuild Status Succeeded.")
    assert [drive.get("progress.percent") for drive in controller.drives.values()] == [None, 12.0]
    assert controller.drives["310:1"].details["PID"] == "9"
    assert controller.drives["310:1"].get("status") is None


def test_a_rebuild_is_joined_with_the_drive() -> None:
    """List and progress in separate outputs are one drive."""
    row = {"Drive-ID": "/c0/e64/s2", "Progress%": 57, "Status": "In progress", "Estimated Time Left": "9 Minutes"}
    controllers, _, _ = read_all(
        answer_text([row], "Show Drive Rebuild Status Succeeded."), answer_text({"PD LIST": [drive_row(State="Rbld")]})
    )
    drive = controllers.by_number["0"].drives["64:2"]
    assert (drive.get("status"), drive.get("progress.percent"), drive.get("array")) == ("warning", 57.0, "0")


def test_an_unreadable_percentage_is_unread() -> None:
    """A percentage that is not a number is unknown, and a problem."""
    volume = read({"VD Operation Status": [operation_row("CC", "lots", "In progress")]}).volumes["3"]
    assert (volume.get("progress.operation"), volume.get("progress.percent")) == ("check", None)
    assert [item.kind for item in volume.complaints] == ["unread"]


def test_a_row_without_a_volume_is_kept() -> None:
    """A row without a volume's number gives details of the controller."""
    row = operation_row("CC", 5, "In progress") | {"VD": "all"}
    controller = read({"VD Operation Status": [row]})
    assert controller.volumes == {}
    assert controller.details["VD Operation Status 0 VD"] == "all"
