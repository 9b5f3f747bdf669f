"""No input breaks the reader."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl_adaptec import sniff
from tests.support.conclusions import read_text
from tests.vendors.adaptec.adaptec_outputs import drive_text, found, machine, pqi, volume_text
from tests.vendors.adaptec.adaptec_task_outputs import JSON, LIST, TASK, json_text

WHOLE = (machine(), pqi(), LIST, TASK)
KEYS = st.sampled_from(
    [
        "Controller",
        "Array",
        "LogicalDrive",
        "Channel",
        "HardDrive",
        "Chunk",
        "state",
        "arrayID",
        "raidLevel",
        "channelID",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
ODD = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\n"), max_size=60)


@given(st.sampled_from(WHOLE), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_half_a_text_is_read(text: str, share: float) -> None:
    """Every reference in half an output resolves."""
    for controller in found(text[: int(len(text) * share)]).controllers:
        known = {drive.id for drive in controller.drives}
        assert {name for array in controller.arrays for name in (*array.drives, *array.spares)} <= known
        assert {volume.array for volume in controller.volumes if volume.array} <= {
            array.id for array in controller.arrays
        }


@given(st.text(max_size=400))
@settings(max_examples=80, deadline=None)
def test_any_text_is_survived(text: str) -> None:
    """Lines that are not arcconf's give no controller with a good status."""
    assert all(controller.status == "unknown" or "Status" in text for controller in found(text).controllers)
    sniff("x", text)


@given(st.sampled_from(WHOLE), st.data())
@settings(max_examples=80, deadline=None)
def test_any_value_is_survived(text: str, data: st.DataObject) -> None:
    """Any value behind a label is read without an exception."""
    rows = text.split("\n")
    index = data.draw(st.sampled_from([n for n, row in enumerate(rows) if " : " in row or ": " in row]))
    rows[index] = rows[index].split(":", maxsplit=1)[0] + ": " + data.draw(ODD)
    assert found("\n".join(rows)).outputs


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_any_json_is_survived(value: object) -> None:
    """JSON with wrong types is read without an exception."""
    assert found(json_text({"Controller": value}), kind="json").outputs


@pytest.mark.parametrize(
    "text",
    [
        "\x00\x01\xff" * 5000, "Controllers found: 1\n" + "x" * 1_000_000, "Controller information\n" * 3000,
        "Controllers found: " + "9" * 400, machine(volumes=[volume_text(0, {"Size": "9" * 400 + " MB"})]),
        machine() + machine() + pqi(),
    ],
    ids=["binary", "long line", "titles", "count", "digits", "twice"],
)  # fmt: skip
def test_rubbish_is_survived(text: str) -> None:
    """Garbage gives a problem, a controller or an output."""
    observation = found(text)
    assert observation.problems or observation.controllers or observation.outputs


def test_an_address_without_a_device_is_survived() -> None:
    """A cut address below a lost ``Device #`` line is reported as unread."""
    text = (
        "Controllers found: 1\nPhysical Device information\n   Channel #0:\n"
        "         Reported Channel,Device(T:L)       : 0,0(\n"
    )
    seen = read_text(text)
    assert not seen.tracebacks
    assert any(problem.kind == "unread" for problem in seen.inventory.problems)


def test_many_drives_are_all_read() -> None:
    """Hundreds of devices and segments are read."""
    rows = [f"Present (0,{n}) W470AAA{n}" for n in range(400)]
    text = machine(volumes=[volume_text(0, segments=rows)], drives=[drive_text(n) for n in range(400)])
    (controller,) = found(text).controllers
    assert (len(controller.drives), len(controller.arrays[0].drives)) == (400, 400)


def test_deep_json_is_survived() -> None:
    """Endlessly nested JSON is reported as unread."""
    text = "Controllers found: 1\n" + '{"Controller":' * 50_000
    assert [p.kind for p in found(text, kind="json").problems] == ["unread"]
    assert json.loads(json.dumps(JSON)) == JSON
