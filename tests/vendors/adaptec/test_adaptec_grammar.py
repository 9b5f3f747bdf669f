"""Which lines can only be titles, headings or pairs."""

from __future__ import annotations

import pytest

from raidctl_adaptec import grammar

ROWS = (
    "Controller 1:             : Optimal, Slot 8, HBA, MSCC Adaptec HBA 1100-16i, 8A246320899, 50000D1704B53280",
    "Device ID : Availability (SizeMB, Protocol, Type, Connector ID, Location) Serial Number",
    "Logical ID : Status",
    "Disks (SizeMB, Protocol, Type, Connector ID, Location)",
    "ID      Size     Value  Description",
    "0x000a  4            6  Register device to host FISes sent due to a COMRESET",
    "controllerID ..................... 0",
    "Initiator at SCSI ID 7",
)
"""One of each form of row."""
NOTES = (
    "No controllers found.",
    "Error: Invalid controller number.",
    "The requested feature is not supported on this controller.",
    "No logical devices configured",
    "The event log is empty.",
    "Error: the device did not answer",
    "Fatal: out of memory",
    "Warning: old firmware",
    "open: Permission denied",
    "You must be root",
    "Run as superuser",
)
"""One of each form of message."""


@pytest.mark.parametrize("line", ROWS)
def test_rows_are_recognised(line: str) -> None:
    """Each form of row is tried on its lines."""
    assert grammar.row(line) is not None
    assert not grammar.ordinary(line)


@pytest.mark.parametrize("line", NOTES)
def test_messages_are_recognised(line: str) -> None:
    """Each form of message is tried on its lines."""
    assert grammar.run_note(line) is not None
    assert not grammar.ordinary(line)


def test_each_form_has_an_example() -> None:
    """A new form needs an example here. A line of it must not be taken for an ordinary one."""
    assert [form for form in grammar.ROWS if not any(form[2].fullmatch(line) for line in ROWS)] == []
    assert [form for form in grammar.RUN_NOTES if not any(form[2].fullmatch(line.lower()) for line in NOTES)] == []


@pytest.mark.parametrize(
    "line",
    [
        "Command completed successfully.",
        "Controllers found: 1",
        "|  UCLI  |  Version 3.07 (B23850)",
        " GETCONFIG     | prints controller information".strip(),
        "root@host:~# arcconf getstatus 2",
    ],
)
def test_lines_about_the_run_are_not_ordinary(line: str) -> None:
    """First and last lines, the banner, usage and commands are read as such."""
    assert not grammar.ordinary(line)


@pytest.mark.parametrize(
    "line", ["State                              : Online", "Device #0", "Physical Device information"]
)
def test_most_lines_are_ordinary(line: str) -> None:
    """Pairs, headings and titles have none of these words."""
    assert grammar.ordinary(line)
