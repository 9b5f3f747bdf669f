"""The dialogue with the tool, and the recorded machines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raidctl.host import HostView
from raidctl.model import Controller
from raidctl.request import Failure, RunAnswer, converse
from raidctl.vendor.protocol import Observation
from raidctl_adaptec import DRIVERS, observe
from tests.vendors.adaptec.adaptec_texts import Script, machine, ran
from tests.vendors.adaptec.test_adaptec_forms import TASK

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


def seen(script: Script, host: HostView | None = None) -> Observation:
    """What the dialogue with a scripted machine finds."""
    return converse(observe(host or HostView(root=True)), script)


def test_without_the_tool_nothing_is_asked() -> None:
    """Cards without a tool are somebody else's business."""
    script = Script(path=None)
    assert (seen(script), script.asked) == (Observation(), [])


def test_two_calls_tell_all_of_one_card() -> None:
    """The configuration and the tasks, one at a time."""
    script = Script({"arcconf getconfig 1 AL": ran(machine()), "arcconf getstatus 1": ran(TASK)})
    (card,) = seen(script).controllers
    assert script.calls == ["arcconf getconfig 1 AL", "arcconf getstatus 1"]
    assert {request.lock for request in script.asked} == {"adaptec"}
    assert card.volumes[0].progress is not None


def test_a_card_without_volumes_is_asked_once() -> None:
    """There is no task that could run."""
    script = Script({"arcconf getconfig 1 AL": ran(machine(volumes=["   No logical devices configured"]))})
    seen(script)
    assert script.calls == ["arcconf getconfig 1 AL"]


def test_the_first_line_tells_how_many_cards_there_are() -> None:
    """Each is asked by its number."""
    first = machine().replace("Controllers found: 1", "Controllers found: 2")
    second = first.replace("1D4411A09B2", "SECOND")
    script = Script({"arcconf getconfig 1 AL": ran(first), "arcconf getconfig 2 AL": ran(second)})
    found = seen(script)
    assert [(card.id, card.serial) for card in found.controllers] == [
        ("adaptec:1", "1D4411A09B2"),
        ("adaptec:2", "SECOND"),
    ]


def test_a_tool_off_the_path_is_called_by_its_path() -> None:
    """As its package installs it."""
    path = "/usr/StorMan/arcconf"
    script = Script({f"{path} getconfig 1 AL": ran(machine())}, path=path)
    assert len(seen(script).controllers) == 1


def test_a_tool_that_hangs_is_said() -> None:
    """One problem names the call."""
    script = Script({"arcconf getconfig 1 AL": RunAnswer(trouble=Failure.TIMEOUT)})
    found = seen(script)
    assert [(p.kind, p.where) for p in found.problems] == [("unread", "arcconf getconfig 1 AL")]


def test_an_output_without_its_last_line_is_said() -> None:
    """What was read is shown all the same."""
    found = seen(Script({"arcconf getconfig 1 AL": ran(machine()[:3000])}))
    assert len(found.controllers) == 1
    assert found.outputs[0].cut_off == "the line that ends it is missing"


@pytest.mark.parametrize(("root", "kind"), [(True, "note"), (False, "no_right")])
def test_no_controller_without_rights_is_no_answer(*, root: bool, kind: str) -> None:
    """Only root can look."""
    script = Script({"arcconf getconfig 1 AL": ran("Controllers found: 0\n\nCommand completed successfully.\n")})
    assert [p.kind for p in seen(script, HostView(root=root)).problems] == [kind]


def test_both_generations_of_cards_are_known_by_their_drivers() -> None:
    """Series 2 to 8 have aacraid; SmartRAID cards have smartpqi, as HPE's do, which answer to HPE's tool."""
    assert set(DRIVERS) == {"aacraid", "smartpqi"}


def recorded(name: str) -> Controller:
    """The only card of a recorded machine, without the kernel's side of it."""
    folder = FIXTURES / name
    answers = json.loads((folder / "record.json").read_text(encoding="utf-8"))["answers"]
    runs = {" ".join(a["run"]): ran((folder / a["out"]).read_text(encoding="utf-8")) for a in answers if "run" in a}
    path = next(item["path"] for item in answers if "which" in item)
    found = seen(Script(runs, path=path))
    assert [line.text for sheet in found.outputs for line in sheet.unparsed()] == []
    return found.controllers[0]


def test_the_6805_rebuilds_its_mirror_of_four() -> None:
    """It is at 37 %, safe thanks to the ZMM, with a spare and a drive that warns."""
    card = recorded("adaptec-6805-rebuilding")
    volume = card.volumes[0]
    assert (volume.raid_level, volume.status, volume.drives_active) == ("raid10", "rebuilding", 3)
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == ("rebuild", 37.0)
    assert [drive.status for drive in card.drives] == ["ok", "warning", "ok", "warning", "ok", "ok", "ok"]


def test_the_5405_writes_through_because_of_its_battery() -> None:
    """And says so."""
    cache = recorded("adaptec-5405-failed-battery").volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active, cache.controller_cache) == (
        "protected_write_back",
        "write_through",
        "not_caching",
    )
    assert "battery" in (cache.why_not_in_force or "")


def test_the_smartraid_splits_its_cache() -> None:
    """25 to 75, in mixed mode, and a parity initialisation is under way."""
    card = recorded("adaptec-smartraid-mixed")
    assert card.cache is not None
    assert (card.mode, card.cache.read_percent, card.cache.write_percent) == ("mixed", 25, 75)
    assert card.volumes[1].progress is not None
    assert card.volumes[1].progress.percent == 42.0
