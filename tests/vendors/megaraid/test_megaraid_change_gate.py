"""Write-back needs a good battery on the same controller."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import raidctl_megaraid
from raidctl.change.guard import unsafe
from raidctl.model import Controller
from raidctl.vendor.plan import Desired
from raidctl.vendor.protocol import Document
from raidctl_megaraid import simulator
from raidctl_megaraid.simulator.state import BATTERIES
from tests.support.over import over
from tests.vendors.megaraid.megaraid_demos import DEMOS, controller_of, desired

FOLDER = Path(raidctl_megaraid.__file__).parent / "demos"
WORDS = (*BATTERIES, "Degraded", "Dgd(Needs Attention)", "Non Operational", "Sleeping", "Msng")
PROTECTED = desired("v1", "write_policy", "protected_write_back")


@pytest.mark.slow
@over("word", WORDS)
@over("name", DEMOS)
def test_only_a_good_battery_lets_write_back_through(tmp_path: Path, name: str, word: str) -> None:
    """Every battery state except ``Optimal`` is refused, known or not."""
    found = controller_of(name, tmp_path / name, {"battery": word, "charge": "97"})
    # the H730's battery is nearly empty, whatever its state
    good = word == "Optimal" and name != "h730"
    assert (unsafe(found, PROTECTED) is None) == good
    assert unsafe(found, desired("v1", "write_policy", "unprotected_write_back")) is not None


@pytest.mark.parametrize(("charge", "good"), [("0", False), ("49", False), ("50", True), ("100", True)])
def test_an_empty_battery_is_refused(tmp_path: Path, charge: str, good: bool) -> None:
    """A charge below 50% is refused, although the state is ``Optimal``."""
    found = controller_of("perc5i", tmp_path, {"battery": "Optimal", "charge": charge})
    assert (unsafe(found, PROTECTED) is None) == good


def document(name: str, stem: str) -> tuple[tuple[str, ...], str]:
    """A recorded output of a simulated machine, with its command."""
    [entry] = [
        entry
        for entry in json.loads((FOLDER / name / "record.json").read_text())["answers"]
        if "run" in entry and stem in entry.get("out", "")
    ]
    return tuple(entry["run"]), (FOLDER / name / entry["out"]).read_text()


def kind(text: str) -> str:
    """The kind of an output."""
    found = raidctl_megaraid.sniff("", text)
    assert found is not None
    return found.kind


def controllers_of(*texts: tuple[tuple[str, ...], str]) -> list[Controller]:
    """The controllers of some outputs."""
    documents = [Document(" ".join(argv), kind(text), text) for argv, text in texts]
    return list(raidctl_megaraid.read(documents).controllers)


def twice(text: str) -> str:
    """An output of storcli with a second controller of the same model."""
    whole: dict[str, Any] = json.loads(text)
    [first] = whole["Controllers"]
    second = json.loads(json.dumps(first).replace("/c0/", "/c1/").replace("SV52R04417", "SV52R09999"))
    second["Command Status"]["Controller"] = 1
    return json.dumps({"Controllers": [first, second]})


@pytest.mark.parametrize("bad", [word for word in BATTERIES if word != "Optimal"])
def test_a_good_battery_on_the_other_controller_does_not_count(bad: str) -> None:
    """Of two controllers, only that with the good battery may write back."""
    argv, text = document("9271", "call-show-all")
    text = simulator.render(argv, twice(text), {"megaraid 0/battery": "Optimal", "megaraid 1/battery": bad})
    one, other = controllers_of((argv, text))
    assert unsafe(one, PROTECTED) is None
    assert unsafe(other, PROTECTED) is not None


def test_a_good_battery_on_the_other_controller_does_not_count_with_megacli() -> None:
    """The same holds for two controllers in MegaCli's outputs."""
    texts = []
    for stem in ("AdpAllInfo", "AdpBbuCmd"):
        argv, text = document("perc5i", stem)
        other = text.replace("Adapter #0", "Adapter #1").replace("Adapter: 0", "Adapter: 1")
        both = text.replace("Exit Code: 0x00", "") + other.replace("12345A7", "12345B8")
        good = {"megaraid 0/battery": "Failed", "megaraid 1/battery": "Optimal", "megaraid 1/charge": "98"}
        texts.append((argv, simulator.render(argv, both, good)))
    one, other_controller = controllers_of(*texts)
    assert unsafe(one, PROTECTED) is not None
    assert unsafe(other_controller, PROTECTED) is None


@pytest.mark.parametrize("word", ["Absent", "No", "N/A"])
def test_a_controller_that_reports_no_battery_is_refused(word: str) -> None:
    """``BBU = Absent`` without a table of the battery is refused."""
    argv, text = document("9271", "call-show-all")
    whole = json.loads(text)
    data = whole["Controllers"][0]["Response Data"]
    data["HwCfg"]["BBU"] = word
    del data["Cachevault_Info"]
    [found] = controllers_of((argv, json.dumps(whole)))
    assert unsafe(found, PROTECTED) is not None


def test_a_controller_with_an_unknown_battery_is_refused() -> None:
    """An output about the volumes alone is refused."""
    [found] = controllers_of(document("9271", "vall"))
    assert unsafe(found, PROTECTED) is not None


def test_the_drives_caches_are_refused(tmp_path: Path) -> None:
    """The controller's battery does not protect data in the drives' caches."""
    found = controller_of("9271", tmp_path)
    for value in ("enabled", "default"):
        asked = Desired(object_id="megaraid:0/v0", setting="drive_write_cache", value=value)
        assert unsafe(found, asked) is not None
