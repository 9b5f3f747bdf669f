"""Text of storcli that was cut, wrapped or moved. Uncertain parts are reported instead of read."""

from __future__ import annotations

import textwrap

import pytest

from tests.vendors.megaraid.megaraid_one_machine import (
    answer,
    facts,
    observed,
    pd_row,
    storcli,
    text_of,
    unread,
    vd_row,
)

ROWS = [pd_row(f"8:{bay}", bay, "Onln", 0, "ZENITH ZT1200MM0099") for bay in range(4)]
DRIVES = text_of(answer("Show Drive Information Succeeded.", {"Drive Information": ROWS}))


def test_a_table_without_its_first_rule_is_read() -> None:
    """An output that begins with the titles of a table is read."""
    found = observed(DRIVES[DRIVES.index("EID:Slt") :])
    assert [drive.bay for drive in found.controllers[0].drives] == ["0", "1", "2", "3"]


@pytest.mark.parametrize("form", ["8:1 ", "8:0 "])
def test_rows_without_their_header_are_unread(form: str) -> None:
    """Rows without the header of their table are a problem."""
    rest = DRIVES[DRIVES.index(f"\n{form}") :]
    found = observed(
        rest + text_of(answer("None", {"VD LIST": [vd_row("0/0", "RAID1", "Optl", "RWBD", "1.0 TB", "")]}))
    )
    assert "without a header" in " ".join(unread(found))


@pytest.mark.parametrize("width", [60, 72, 78])
def test_a_wrapped_table_is_unread(width: int) -> None:
    """A table that a narrow terminal wrapped is a problem."""
    lines = [part for line in DRIVES.splitlines() for part in (textwrap.wrap(line, width) or [""])]
    found = observed("\n".join(lines) + "\n")
    assert unread(found)


def test_tabs_between_two_columns_hide_no_value() -> None:
    """Tabs instead of blanks between two columns are read."""
    rule = "-" * 24
    rows = "Type\tZV01\nTemperature\t29 C\nState\tOptimal\n"
    found = observed(f"Controller = 0\nStatus = Success\nDescription = None\n\nCachevault_Info :\n{'=' * 17}\n\n"
                     f"{rule}\nProperty\tValue\n{rule}\n{rows}{rule}\n")  # fmt: skip
    (battery,) = found.controllers[0].batteries
    assert (battery.status, battery.temperature_celsius) == ("ok", 29)


def test_a_policy_with_an_empty_default_is_not_split_at_its_words() -> None:
    """``Cache Flush Interval 4s`` with single blanks: ``Interval`` is not a value."""
    text = text_of(storcli()[0])
    squeezed = "\n".join(" ".join(line.split()) for line in text.splitlines()) + "\n"
    found = observed(squeezed).controllers[0]
    assert not any(value.startswith("Interval") for value in found.details.values())


def test_a_last_line_without_an_end_is_noted() -> None:
    """A last line without a line end is noted as possibly cut."""
    found = observed("Controller = 0\nStatus = Success\nDescription = None\n\nDriver Name = megaraid")
    assert ["may be cut" in item.message for item in found.problems] == [True]
    assert found.problems[0].kind == "note"


EVENTS = """Controller = 0
Status = Success
Description = None

seqNum: 0x000021b3
Time: Wed Oct 14 04:22:10 2026

Code: 0x000000fb
Class: 2
Locale: 0x01
Event Description: VD 01/1 is now DEGRADED
Event Data:
===========
Target Id: 1

seqNum: 0x000021b4
Time: Wed Oct 14 04:23:10 2026
Code: 0x00000071
Event Description: Unexpected sense: PD 0b(e0x20/s3)
Event Data:
===========
Device ID: 11
"""


def test_events_are_no_facts_of_the_controller() -> None:
    """Events give no details, volumes or drives, and leave no line unparsed."""
    found = observed(EVENTS)
    assert not any(controller.details or controller.volumes or controller.drives for controller in found.controllers)
    assert not found.outputs[0].unparsed()


def test_a_failed_part_of_an_enclosure_is_reported() -> None:
    """A failed power supply in ``/c0/e32 show all`` is a problem."""
    rows = [{"PowerSupply": 0, "Status": "OK"}, {"PowerSupply": 1, "Status": "Failed"}]
    found = observed(text_of(answer("None", {"Enclosure /c0/e32 ": {"Power Supply": rows}})))
    assert [item.message for item in found.problems] == ["Enclosure 32 Power Supply reports: 1 Failed."]


def test_line_ends_make_no_difference() -> None:
    """Stripped line ends and DOS line ends change nothing."""
    texts = [text_of(one) for one in storcli()]
    plain = facts(observed(*texts).controllers[0])
    stripped = ["\n".join(line.rstrip() for line in text.splitlines()) + "\n" for text in texts]
    assert facts(observed(*stripped).controllers[0]) == plain
    assert facts(observed(*(text.replace("\n", "\r\n") for text in texts)).controllers[0]) == plain
