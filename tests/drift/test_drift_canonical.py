"""A snapshot in git: the same machine gives the same bytes."""

from __future__ import annotations

import random

import msgspec
import pytest

from raidctl.drift.canonical import Doc, canonical, ordered, restored
from raidctl.drift.noise import NOISE, is_measured, masked
from raidctl.model import Inventory
from raidctl.output.json import to_json
from tests.drift.states import MACHINES, changed, item, state


def _shuffled(document: Doc) -> None:
    dice = random.Random(7)  # noqa: S311 - the same in every run
    for name in ("controllers", "problems", "tools"):
        dice.shuffle(document[name])
    for controller in document["controllers"]:
        for name in ("drives", "volumes", "arrays", "batteries"):
            dice.shuffle(controller[name])
        for each in controller["drives"]:
            dice.shuffle(each["mounts"])
        for each in controller["arrays"]:
            dice.shuffle(each["drives"])


@pytest.mark.parametrize("machine", MACHINES)
def test_the_order_in_which_things_were_read_means_nothing(machine: str) -> None:
    """A shuffled inventory gives the same bytes."""
    shuffled = changed(state(machine), _shuffled)
    assert to_json(canonical(shuffled).document) == to_json(canonical(state(machine)).document)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_canonical_state_is_an_inventory_and_its_own_canonical_form(machine: str) -> None:
    """Read again, it is written as the same bytes."""
    document = canonical(state(machine)).document
    again = canonical(msgspec.convert(document, Inventory))
    assert again.document == document
    assert again.noise == ()


@pytest.mark.parametrize("machine", MACHINES)
def test_noise_is_put_back_as_it_was(machine: str) -> None:
    """Document and noise together are the whole state."""
    whole = canonical(state(machine))
    noise = msgspec.json.decode(msgspec.json.encode(whole.noise), type=list[tuple[list[str | int], object]])
    assert ordered(restored(whole.document, noise)) == ordered(state(machine))


def test_every_line_of_the_table_names_a_field_and_a_reason() -> None:
    """Each rule is for a field that the model has. Another one would leave nothing out."""
    from raidctl.drift.ignore import fields  # noqa: PLC0415 - only here

    for rule in NOISE:
        assert f"{rule.kind}.{rule.field}" in fields(), rule
        assert rule.why


def test_figures_that_run_are_masked_and_words_stay() -> None:
    """Progress and times within a text are noise. The kind of trouble is not."""
    assert masked("Recovering, 37.25% complete") == masked("Recovering, 4% complete")
    assert masked("Recovering, 37.25% complete") != masked("Degraded")
    assert masked("active") == masked("clean")
    assert masked("active, degraded") != masked("active")
    assert masked("2 of 3 members are active") == "2 of 3 members are active"


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("Rebuild Priority", "Medium"), ("Rebuild Rate", "30%"), ("Surface Scan Delay", "15 secs"),
        ("Serial Number", "11870"), ("Firmware Version", "5.61"), ("VD Count", "2"), ("Creation Time", "09:41:07 AM"),
        ("SAS Address", "50000D1E0A11C700"), ("bitmap/chunksize", "67108864"), ("Rebuild Mode", "Dedicated"),
    ],
)  # fmt: skip
def test_what_is_set_or_named_is_no_noise(label: str, value: str) -> None:
    """A changed setting is drift, even if it contains a figure."""
    assert not is_measured("controller", label, value)


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("Update Time", "Wed Mar  4 05:06:01 2026"), ("Events", "61874"), ("array_state", "clean"),
        ("Power_On_Hours", "23411"), ("host_read_commands", "1804551290"), ("Media Error Count", "0"),
        ("Temperature", "49 C/ 120 F (Normal)"), ("speed", "143980K/sec"), ("Fan 01", "2810 RPM"), ("12V", "12.099 V"),
    ],
)  # fmt: skip
def test_what_is_measured_or_counted_is_noise(label: str, value: str) -> None:
    """The figure is different a minute later."""
    assert is_measured("drive", label, value)


def test_a_check_that_goes_on_gives_the_same_bytes() -> None:
    """A check whose percentage alone has changed is not drift."""

    def later(document: Doc) -> None:
        volume = item(document, "smartarray:0/v2")
        volume["progress"]["percent"] = 38.5
        volume["status_text"] = "Recovering, 38.5% complete"
        document["host"]["collected_at"] = "2026-03-04T06:00:00Z"
        for drive in document["controllers"][0]["drives"]:
            drive["temperature_celsius"] = 41

    assert canonical(changed(state(), later)).document == canonical(state()).document
