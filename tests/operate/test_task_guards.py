"""The guards of rebuilds and patrol reads. One machine passes each guard, another does not."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from raidctl.model import Battery, Controller, Errors, Inventory, Progress, Scrub, Task
from raidctl.operate.task_guards import denials
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Verb
from tests.operate.machines import HOST, OK, inventory, raid

LOST: dict[str, Any] = {"role": "failed", "status": "critical", "status_text": "Failed"}
FILLED: dict[str, Any] = {"status": "warning", "status_text": "Rebuilding"}
ENDING: tuple[Verb, ...] = ("stop_rebuild", "pause_rebuild")


def refused(verb: Verb, found: Inventory, drive: str | None = "x:0/0") -> dict[str, bool]:
    """The guards that refuse a deed. A value is true if --unsafe lifts all reasons of its guard."""
    lifted: dict[str, bool] = {}
    object_id = "x:0" if drive is None else "x:0/v0"
    for one in denials(Deed(object_id=object_id, verb=verb, drive=drive), Survey(found)):
        lifted[one.guard] = lifted.get(one.guard, True) and one.overridable
    return lifted


def lacking(drive: dict[str, Any], level: str = "raid6", status: str = "degraded") -> Inventory:
    """An array that lacks its first drive."""
    return inventory(raid(level, {"array": "x:0/A", **drive}, OK, OK, OK, status=status, drives_expected=4))


def test_guard_T4_the_last_redundancy_is_not_delayed() -> None:
    """A rebuild is halted where one more drive may fail meanwhile.

    Elsewhere it is stopped or paused only with --unsafe.
    """
    for verb in ENDING:
        assert refused(verb, lacking(FILLED, status="rebuilding")) == {}
        assert refused(verb, lacking(FILLED, "raid5", "rebuilding")) == {"T4": True}
        assert refused(verb, lacking(FILLED, "unknown", "rebuilding")) == {"T4": True}
        none = inventory(raid("raid6", FILLED, OK, OK, OK, controller={"volumes": ()}))
        assert refused(verb, none) == {"T4": True}
        assert refused(verb, inventory(raid("raid6", OK, OK, OK, OK))) == {"": False}
    paused = lacking({**FILLED, "progress": Progress(operation="rebuild", state="paused")}, status="rebuilding")
    assert refused("pause_rebuild", paused) == {"": False}
    assert refused("resume_rebuild", paused) == {}


def test_guard_R10_a_rebuild_overwrites_only_a_lost_member() -> None:
    """A rebuild overwrites only a lost member.

    It refuses a working member, free drive, spare, foreign drive or one of unknown use. One that may fail needs
    --unsafe.
    """
    assert refused("start_rebuild", lacking(LOST)) == {}
    assert refused("start_rebuild", lacking({**LOST, "errors": Errors(predictive=1)})) == {"R10": True}
    for drive in (OK, {"role": "spare"}, {"role": None}, {**LOST, "foreign": True}, {**LOST, "array": None}):
        assert refused("start_rebuild", lacking(drive)).get("R10") is False, drive
    assert refused("start_rebuild", lacking(LOST, status="ok")) == {"R10": False}
    assert refused("start_rebuild", lacking({**LOST, "array": "x:0/B"})) == {"R10": False}
    assert refused("start_rebuild", lacking(FILLED, status="rebuilding")) == {"": False}


def test_guard_R4_a_rebuild_needs_an_array_that_works() -> None:
    """A volume that cannot be read is not rebuilt. The drive may hold its only copy."""
    for status in ("failed", "offline", "inactive", "unknown"):
        assert refused("start_rebuild", lacking(LOST, status=status)).get("R4") is False, status


def test_a_rebuild_of_md_has_its_own_way() -> None:
    """A rebuild of md is not started by a command. It begins when a drive is added."""
    software = replace(raid("raid5", LOST, OK, OK), mode="software")
    assert refused("start_rebuild", inventory(software)) == {"": False}


def behind_controller(*batteries: Battery, tasks: tuple[Task, ...] = (), **fields: Any) -> Inventory:
    """A controller with these batteries."""
    one = Controller(**{"id": "x:0", "mode": "raid", "batteries": batteries, **fields})
    return Inventory(host=HOST, controllers=(one,), tasks=tasks)


def test_guard_T3_no_patrol_read_while_a_battery_learns() -> None:
    """Nor while it is unknown whether one learns; overridden with --unsafe."""
    starting: tuple[Verb, ...] = ("start_patrol", "resume_patrol")
    for verb in starting:
        assert refused(verb, behind_controller(), None) == {}
        assert refused(verb, behind_controller(Battery(id="x:0/battery0", status="ok")), None) == {}
        assert refused(verb, behind_controller(Battery(id="x:0/battery0", status="learning")), None) == {"T3": True}
        assert refused(verb, behind_controller(Battery(id="x:0/battery0", status="unknown")), None) == {"T3": True}
    assert refused("stop_patrol", behind_controller(Battery(id="x:0/battery0", status="learning")), None) == {}


def test_a_patrol_read_is_started_once_and_only_where_there_is_one() -> None:
    """A patrol read is not started beside a running one.

    Nor is it where it is disabled, or without a RAID controller.
    """
    running = (Task(operation="patrol_read", object_id="x:0"),)
    assert refused("start_patrol", behind_controller(tasks=running), None) == {"": False}
    assert refused("stop_patrol", behind_controller(tasks=running), None) == {}
    assert refused("start_patrol", behind_controller(patrol_read=Scrub(mode="disabled")), None) == {"": False}
    assert refused("start_patrol", behind_controller(mode="hba"), None) == {"": False}
