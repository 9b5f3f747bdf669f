"""One machine in three forms gives one inventory. The forms are storcli's JSON, storcli's text and MegaCli's text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from raidctl.vendor.protocol import Document
from raidctl_megaraid import read, sniff
from tests.support.judged import wrong
from tests.vendors.megaraid.megaraid_one_machine import (
    Answer,
    answer,
    as_json,
    as_text,
    facts,
    megacli,
    observed,
    pd_row,
    storcli,
    text_of,
    unread,
    vd_row,
)

# fields that MegaCli does not print, and sizes that it rounds where storcli prints the number of blocks
_ONLY_STORCLI = {("megaraid:0", "status"), ("megaraid:0", "vendor"), ("megaraid:0", "rates")}
_ROUNDED = {("megaraid:0/v0", "size_bytes"), ("megaraid:0/v1", "size_bytes")}


def differences(one: dict[str, Any], other: dict[str, Any]) -> set[tuple[str, str]]:
    """The fields, by object, in which two inventories differ."""
    names = {(key, name) for found in (one, other) for key, item in found.items() for name in item}
    return {(key, name) for key, name in names if one.get(key, {}).get(name) != other.get(key, {}).get(name)}


def test_storcli_json_and_text_are_equivalent() -> None:
    """JSON and text give the same fields and problems."""
    first, second = as_json(storcli()), as_text(storcli())
    assert facts(first.controllers[0]) == facts(second.controllers[0])
    messages = [[(item.where, item.message) for item in found.problems] for found in (first, second)]
    assert messages[0] == messages[1]


def test_megacli_and_storcli_are_equivalent() -> None:
    """Both tools give the same inventory. Fields that MegaCli does not print are excepted."""
    first, second = (facts(found.controllers[0]) for found in (as_json(storcli()), observed(*megacli())))
    assert differences(first, second) <= _ONLY_STORCLI | _ROUNDED
    for key, name in _ROUNDED:
        assert first[key][name] == pytest.approx(second[key][name], rel=0.002)


def test_the_three_forms_give_the_same_problems() -> None:
    """Severity, kind and object of problems are the same in all forms."""
    seen = [as_json(storcli()), as_text(storcli()), observed(*megacli())]
    reported = [sorted((item.severity, item.kind, item.where) for item in found.problems) for found in seen]
    assert reported[0] == reported[1] == reported[2]


def test_the_shared_values_are_right() -> None:
    """The values that all forms share are right, not only equal."""
    found = as_text(storcli()).controllers[0]
    one, two = found.volumes
    assert (one.cache and one.cache.write_active, two.cache and two.cache.write_active) == (
        "write_back",
        "write_through",
    )
    assert (two.status, two.drives_expected, two.progress and two.progress.operation) == ("degraded", 3, "rebuild")
    assert two.size_bytes == 2 * 0x8BAA0000 * 512
    assert [drive.status for drive in found.drives] == ["ok", "ok", "warning", "warning", "ok", "ok", "critical"]
    assert [drive.errors.media for drive in found.drives] == [0, 3, 0, 0, 0, 0, 99]
    assert [drive.array for drive in found.drives][4:] == ["megaraid:0/g1", None, None]
    assert found.pci_address == "0000:02:00.0"
    assert found.cache is not None
    assert (found.cache.size_bytes, found.cache.available_bytes) == (2 << 30, 1706 << 20)


STATES = (
    "Onln", "Offln", "UGood", "UBad", "GHS", "DHS", "Rbld", "Cpybck", "JBOD", "Failed", "Msng", "UGUnsp", "UGShld",
    "HSPShld", "CFShld", "CBShld", "UBUnsp", "Sntze", "Frgn", "Dgrd",
)  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_each_state_of_a_drive_is_known_in_both_forms(state: str) -> None:
    """Every state of the tool's legend has a health. Text and JSON give the same drive."""
    group = 0 if state in ("Onln", "Offln", "DHS", "Rbld", "Cpybck", "Failed", "CFShld") else "-"
    rows = [
        pd_row("8:1", 3, state, group, "ZT 4000 = RI"),
        pd_row(" :12", 14, "Onln", 0, "ZT480", Med="SSD", Intf="SATA"),
    ]
    asked = answer("Show Drive Information Succeeded.", {"Drive Information": rows})
    first, second = as_json([asked]), as_text([asked])
    assert facts(first.controllers[0]) == facts(second.controllers[0])
    drive = first.controllers[0].drives[0]
    assert (drive.model, drive.status_text) == ("ZT 4000 = RI", state)
    assert drive.status != "unknown"
    assert not [item for item in first.problems if item.kind == "unread"]


def _lists() -> list[Answer]:
    rows = [
        vd_row("0/0", "RAID10", "Pdgd", "RaAWBC", "5.455 TB", "a = b c"),
        vd_row("-/12", "RAID0", "OfLn", "-", "0 KB", ""),
    ]
    rate = [{"Ctrl_Prop": "Cache Flush Interval", "Value": "4 sec"}, {"Ctrl_Prop": "Rebuild Rate", "Value": "30%"}]
    busy = [
        {
            "VD": 0,
            "Operation": "CC",
            "Progress%": 36,
            "Status": "In progress",
            "Estimated Time Left": "1 Hours 12 Minutes",
        },
        {"VD": 1, "Operation": "CC", "Progress%": "-", "Status": "Not in progress", "Estimated Time Left": "-"},
    ]
    filled = [
        {"Drive-ID": "/c0/e8/s1", "Progress%": 7, "Status": "In progress", "Estimated Time Left": "2 Hours 5 Minutes"},
        {"Drive-ID": "/c0/e8/s2", "Progress%": "-", "Status": "Not in progress", "Estimated Time Left": "-"},
    ]
    return [
        answer("None", {"Virtual Drives": rows}),
        answer("None", {"Controller Properties": rate}),
        answer("None", {"VD Operation Status": busy}),
        answer("Show Drive Rebuild Status Succeeded.", {"": filled}),
    ]


@pytest.mark.parametrize("asked", _lists())
def test_a_list_is_the_same_in_both_forms(asked: Answer) -> None:
    """Lists of volumes, properties and operations are equal in text and JSON."""
    first, second = as_json([asked]), as_text([asked])
    assert facts(first.controllers[0]) == facts(second.controllers[0])


def test_the_text_of_a_check_has_its_progress() -> None:
    """``VD Operation Progress%``: the first two words of the header are two columns."""
    volume, other = as_text([_lists()[2]]).controllers[0].volumes
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent, volume.progress.remaining_seconds) == (
        "check",
        36,
        4320,
    )
    assert other.progress is None


@pytest.mark.parametrize("number", range(4))
def test_colour_and_indentation_make_no_difference(number: int) -> None:
    """An output with colours or indentation is recognised and read the same."""
    text = text_of(storcli()[number])
    headless = text[text.index("\n\n") :]
    for each in (text, headless):
        painted = "".join(f"\x1b[1;32m{line}\x1b[0m\n" for line in each.splitlines())
        moved = "".join(f"    {line}\n" if line else "\n" for line in each.splitlines())
        plain = facts(observed(each).controllers[0])
        assert facts(observed(painted).controllers[0]) == plain
        assert facts(observed(moved).controllers[0]) == plain


def test_numbers_may_be_strings_in_json() -> None:
    """Numbers are read the same with and without quotes. Versions differ in the quotes."""

    def quoted(value: object) -> object:
        if isinstance(value, dict):
            return {name: quoted(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [quoted(inner) for inner in value]
        return str(value)

    strings = [json.dumps(quoted(one)) for one in storcli()]
    assert facts(observed(*strings).controllers[0]) == facts(as_json(storcli()).controllers[0])


def test_an_output_of_another_tool_is_not_claimed() -> None:
    """Coloured output of another tool is not recognised."""
    assert sniff("x", "\x1b[31mtotal 4\x1b[0m\n-rw-r--r-- 1 root root 5 Jan  1 00:00 x\n") is None


@pytest.mark.parametrize(
    "heading", ["Virtual Drive: ? (Target Id: 1)", "Virtual Drive: 1 (Target Id: ?)", "Virtual D", ""]
)
def test_a_volume_of_megacli_below_a_damaged_heading_is_shown(heading: str) -> None:
    """Its lines are not those of the drive above: a degraded volume is one without a number, and it is unread."""
    whole = megacli()[2]
    assert "Virtual Drive: 1 (Target Id: 1)" in whole
    seen = observed(whole.replace("Virtual Drive: 1 (Target Id: 1)", heading))
    [controller] = seen.controllers
    assert [(one.id, one.status) for one in controller.volumes] == [
        ("megaraid:0/v0", "ok"),
        ("megaraid:0/v?", "degraded"),
    ]
    assert unread(seen)


def test_a_charger_of_megacli_that_has_failed_is_a_problem() -> None:
    """A bad word behind any label of a battery's state is reported."""
    text = megacli()[4].replace("BBU Firmware Status:", "Charger Status: {}\nBBU Firmware Status:")
    before, after = (observed(text.format(word)).problems for word in ("Complete", "Failed"))
    assert len(after) == len(before) + 1


@pytest.mark.parametrize(
    "text",
    [
        "Adapter #0\n\nDevice ID : 32\nNumber of Slots : 8\nStatus : Failed\n",
        "System\n\nHardware\n\nProductName : X(Bus 0, Dev 0)\nStatus : Failed\n",
        "System\n\nStorage\n\nPD\nConnector : 00<Internal>: Slot 0\nState : Online\nVendor Id : X\nState : Failed\n",
        "DISK GROUP: 0\nNumber of VDs: 1\n\nName:data\nRAID Level: Primary-1, Secondary-0\nState: Degraded\n",
    ],
)
def test_a_bad_state_below_a_missing_heading_is_a_problem(text: str) -> None:
    """Without the line that names the enclosure, controller, drive or volume, its state is not lost."""
    seen = read([Document("MegaCli", "megacli", text)])
    assert [one for one in seen.problems if one.severity == "warning"] or wrong(seen)


def test_a_row_of_a_drive_below_a_damaged_head_is_unread() -> None:
    """A row with a state, below a column that is not known, may be that of the drive."""
    whole, damaged = (pd_row("32:1", 3, word, 0, "ZT1") for word in ("Onln", "Offln"))
    damaged["???"] = damaged.pop("EID:Slt")
    assert unread(as_json([answer("None", {"PD LIST": [whole], "Drive /c0/e32/s1": [damaged]})]))


def test_a_list_of_an_array_whose_head_is_damaged_is_unread() -> None:
    """``DG Drive LIST`` lists drives, whatever its columns are called."""
    damaged = pd_row("32:1", 3, "Offln", 0, "ZT1")
    damaged["???"] = damaged.pop("EID:Slt")
    assert unread(as_text([answer("Show Diskgroup Succeeded", {"DG Drive LIST": [damaged]})]))


def test_the_pack_below_a_missing_title_is_unread() -> None:
    """A failed battery whose title is missing is not a detail of the section above it."""
    pack = {"Model": "iBBU-09", "State": "Failed", "RetentionTime": "48 hours +", "Temp": "37C", "Mode": 5}
    assert unread(as_json([answer("None", {"Scheduled Tasks": [pack], "HwCfg": {"Memory": "512MB"}})]))
