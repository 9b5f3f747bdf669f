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
from tests.vendors.adaptec.adaptec_outputs import Script, machine, ran
from tests.vendors.adaptec.adaptec_task_outputs import TASK

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


def seen(script: Script, host: HostView | None = None) -> Observation:
    """The observation of a scripted machine."""
    return converse(observe(host or HostView(root=True)), script)


def test_two_calls_give_all_of_one_controller() -> None:
    """The configuration and the tasks are requested, one call at a time."""
    script = Script({"arcconf getconfig 1 AL": ran(machine()), "arcconf getstatus 1": ran(TASK)})
    (controller,) = seen(script).controllers
    assert script.calls == ["arcconf getconfig 1 AL", "arcconf getstatus 1"]
    assert {request.lock for request in script.asked} == {"adaptec"}
    assert controller.volumes[0].progress is not None


def test_a_controller_without_volumes_is_asked_once() -> None:
    """Without volumes no task can run, so the tasks are not requested."""
    script = Script({"arcconf getconfig 1 AL": ran(machine(volumes=["   No logical devices configured"]))})
    seen(script)
    assert script.calls == ["arcconf getconfig 1 AL"]


def test_the_first_line_gives_the_number_of_controllers() -> None:
    """Each counted controller is requested by its number."""
    first = machine().replace("Controllers found: 1", "Controllers found: 2")
    second = first.replace("1D4411A09B2", "SECOND")
    script = Script({"arcconf getconfig 1 AL": ran(first), "arcconf getconfig 2 AL": ran(second)})
    found = seen(script)
    assert [(controller.id, controller.serial) for controller in found.controllers] == [
        ("adaptec:1", "1D4411A09B2"),
        ("adaptec:2", "SECOND"),
    ]


def test_a_tool_off_the_path_is_called_by_its_path() -> None:
    """A tool outside the search path is called by its full path."""
    path = "/usr/StorMan/arcconf"
    script = Script({f"{path} getconfig 1 AL": ran(machine())}, path=path)
    assert len(seen(script).controllers) == 1


def test_a_tool_that_hangs_is_reported() -> None:
    """One problem names the call that timed out."""
    script = Script({"arcconf getconfig 1 AL": RunAnswer(trouble=Failure.TIMEOUT)})
    found = seen(script)
    assert [(p.kind, p.where) for p in found.problems] == [("unread", "arcconf getconfig 1 AL")]


def test_an_output_without_its_last_line_is_reported() -> None:
    """An output without its end is read and marked as cut off."""
    found = seen(Script({"arcconf getconfig 1 AL": ran(machine()[:3000])}))
    assert len(found.controllers) == 1
    assert found.outputs[0].cut_off == "the line that ends it is missing"


@pytest.mark.parametrize(("root", "kind"), [(True, "note"), (False, "no_right")])
def test_no_controller_without_root_is_a_missing_right(*, root: bool, kind: str) -> None:
    """Zero controllers are reported as a missing right unless root asked."""
    script = Script({"arcconf getconfig 1 AL": ran("Controllers found: 0\n\nCommand completed successfully.\n")})
    assert [p.kind for p in seen(script, HostView(root=root)).problems] == [kind]


def test_both_generations_are_known_by_their_drivers() -> None:
    """Series 2 to 8 use aacraid. SmartRAID uses smartpqi, as HPE's controllers do."""
    assert set(DRIVERS) == {"aacraid", "smartpqi"}


def recorded(name: str) -> Controller:
    """The only controller of a recorded machine, without the kernel's facts."""
    folder = FIXTURES / name
    answers = json.loads((folder / "record.json").read_text(encoding="utf-8"))["answers"]
    runs = {" ".join(a["run"]): ran((folder / a["out"]).read_text(encoding="utf-8")) for a in answers if "run" in a}
    path = next(item["path"] for item in answers if "which" in item)
    found = seen(Script(runs, path=path))
    assert [line.text for output in found.outputs for line in output.unparsed()] == []
    return found.controllers[0]


def test_the_6805_rebuilds_its_mirror_of_four() -> None:
    """The RAID-10 is at 37%, with a predictive failure on one drive."""
    controller = recorded("adaptec-6805-rebuilding")
    volume = controller.volumes[0]
    assert (volume.raid_level, volume.status, volume.drives_active) == ("raid10", "rebuilding", 3)
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == ("rebuild", 37.0)
    assert [drive.status for drive in controller.drives] == ["ok", "warning", "ok", "warning", "ok", "ok", "ok"]


def test_the_5405_writes_through_because_of_its_battery() -> None:
    """Write-through is active because of the battery, and the reason is shown."""
    cache = recorded("adaptec-5405-failed-battery").volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active, cache.controller_cache) == (
        "protected_write_back",
        "write_through",
        "not_caching",
    )
    assert "battery" in (cache.why_not_in_force or "")


def test_the_smartraid_splits_its_cache() -> None:
    """In mixed mode, the cache is split 25 to 75. A parity initialisation is running."""
    controller = recorded("adaptec-smartraid-mixed")
    assert controller.cache is not None
    assert (controller.mode, controller.cache.read_percent, controller.cache.write_percent) == ("mixed", 25, 75)
    assert controller.volumes[1].progress is not None
    assert controller.volumes[1].progress.percent == 42.0
