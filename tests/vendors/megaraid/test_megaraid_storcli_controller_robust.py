"""Any output about a controller gives drafts, never an exception."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vendors.megaraid.storcli_controller_outputs import GOOD, SHOW_ALL, properties, read, section, table

BATTERY = properties(
    "BBU_Info", ("Type", "BBU"), ("Voltage", "4024 mV"), ("Temperature", "25 C"), ("Battery State", "Optimal")
)
LABELS = (
    "Model", "Serial Number", "PCI Address", "Driver Name", "Controller Status", "Current Personality", "BBU Status",
    "On Board Memory Size", "Current Size of FW Cache (MB)", "SubVendor Id", "OEMID", "BBU", "Enable JBOD",
    "Bus Number", "Device Number", "Function Number", "Next Battery Learn", "Memory Uncorrectable Errors",
)  # fmt: skip
VALUES = st.one_of(
    st.text(max_size=30),
    st.integers().map(str),
    st.sampled_from(["9" * 400, "1e999", "0x" + "f" * 400, "-", "\u0663MB"]),
)


@pytest.mark.parametrize("text", [SHOW_ALL, BATTERY])
def test_a_text_may_end_anywhere(text: str) -> None:
    """A text cut anywhere gives no controller that the whole lacks."""
    whole = read(text)
    for cut in range(0, len(text), 3):
        found = read(text[:cut])
        assert set(found.controllers.by_number) <= {*whole.controllers.by_number, ""}


@given(st.dictionaries(st.sampled_from(LABELS), VALUES))
def test_any_value_of_a_controller_is_read(pairs: dict[str, str]) -> None:
    """A value of any form is a field, detail or problem. No line is lost."""
    text = json.dumps(
        {
            "Controllers": [
                {
                    "Command Status": {"Controller": 0, "Status": "Success", "Description": "None"},
                    "Response Data": {"Basics": pairs},
                }
            ]
        }
    )
    assert read(text).unparsed == []


@given(st.lists(st.tuples(st.sampled_from(["Voltage", "Temperature", "State", "Type", "Next Learn time"]), VALUES)))
def test_any_value_of_a_battery_is_read(rows: list[tuple[str, str]]) -> None:
    """The same holds for a battery."""
    data = {"BBU_Info": [{"Property": label, "Value": value} for label, value in rows]}
    text = json.dumps({"Controllers": [{"Command Status": {"Status": "Success"}, "Response Data": data}]})
    assert read(text).unparsed == []


@given(st.text(alphabet="abc:=-/ \n0", max_size=300))
def test_random_text_below_an_output_is_no_crash(text: str) -> None:
    """Random text below an output raises no exception."""
    assert len(read(f"{GOOD}\n{text}").controllers.by_number) <= 1


def test_an_output_that_is_read_twice_counts_once() -> None:
    """The same output twice gives the same controller."""
    once, twice = read(SHOW_ALL), read(SHOW_ALL, SHOW_ALL)
    assert repr(twice.controller.values) == repr(once.controller.values)
    assert twice.controller.details == once.controller.details


def test_rows_of_the_same_name_are_all_kept() -> None:
    """Rows with the same first cell get a number."""
    controller = read(table("Spare Things", ("Thing", "Value"), ("Left", "1"), ("Left", "2"))).controller
    assert controller.details == {"Spare Things: Left": "1", "Spare Things: Left (2)": "2"}


def test_an_unknown_section_is_kept() -> None:
    """Labels of an unknown section are details with its title."""
    assert read(section("Quantum Setup", "Spin = up")).controller.details == {"Quantum Setup: Spin": "up"}


def test_events_are_not_the_controllers_state() -> None:
    """Events give no details, and leave no line unparsed."""
    found = read(section("Events", "seqNum = 0x000012ab", "Event Description = Fan failed"))
    assert found.controller.details == {}
    assert found.unparsed == []
