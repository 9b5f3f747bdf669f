"""The operations that are tasks, and the object of each."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from raidctl.cli.shared.options import Settings
from raidctl.cli.tasks import _once
from raidctl.model import Array, Battery, Controller, Drive, Progress, Task, Volume
from raidctl.select import narrow
from raidctl.tasks.derive import tasks_of
from tests.support.machines import MACHINES, replayed
from tests.support.over import over
from tests.support.unlisted_tasks import violations

CONTROLLER = Controller(
    id="acme:0",
    arrays=(Array(id="acme:0/a0", drives=("acme:0/1", "acme:0/2")),),
    volumes=(Volume(id="acme:0/v0", array="acme:0/a0", status="rebuilding", device="/dev/sda", raid_level="raid1"),),
    drives=(
        Drive(id="acme:0/1", array="acme:0/a0", role="member", status="ok"),
        Drive(id="acme:0/2", array="acme:0/a0", role="member", status="warning", status_text="Rebuilding"),
    ),
)


def changed(volume: Progress | None = None, drive: Progress | None = None, **fields: object) -> tuple[Task, ...]:
    """The tasks of the controller with these operations."""
    volumes = tuple(replace(one, progress=volume, **fields) for one in CONTROLLER.volumes)
    return tasks_of(
        [
            replace(
                CONTROLLER,
                volumes=volumes,
                drives=(CONTROLLER.drives[0], replace(CONTROLLER.drives[1], progress=drive)),
            )
        ]
    )


@over("machine", MACHINES)
def test_every_object_with_an_operation_has_a_task_and_no_other(machine: str) -> None:
    """One task names each busy object of a recorded machine.

    Volumes, drives and batteries are busy objects; nothing else is named.
    """
    assert list(violations(replayed(machine).inventory)) == []


def test_a_rebuild_that_only_the_states_name_is_one_task() -> None:
    """Volume and drive are one task, at the volume, without a percentage."""
    assert changed() == (
        Task(operation="rebuild", object_id="acme:0/v0", also=("acme:0/2",), device="/dev/sda", state=None),
    )


def test_a_rebuild_is_shown_at_the_object_that_has_the_percentage() -> None:
    """The drive's figures are used if only the drive has some. Otherwise, the volume's are used."""
    half, third = Progress(operation="rebuild", percent=50.0), Progress(operation="rebuild", percent=33.0)
    [task] = changed(drive=half)
    assert (task.object_id, task.also, task.percent, task.device) == ("acme:0/2", ("acme:0/v0",), 50.0, "/dev/sda")
    assert task.state == "running"
    [task] = changed(volume=third, drive=half)
    assert (task.object_id, task.also, task.percent) == ("acme:0/v0", ("acme:0/2",), 33.0)


def test_another_operation_of_a_drive_is_a_task_of_its_own() -> None:
    """A member's copyback, erasure or self-test is not its volume's rebuild."""
    found = changed(volume=Progress(operation="check", percent=1.0), drive=Progress(operation="copyback"), status="ok")
    assert [(task.operation, task.object_id) for task in found] == [("check", "acme:0/v0"), ("copyback", "acme:0/2")]


def test_a_degraded_volume_beside_one_that_is_rebuilt_waits() -> None:
    """Controllers rebuild the volumes of one array one after the other."""
    second = replace(CONTROLLER.volumes[0], id="acme:0/v1", status="degraded")
    [first, queued] = tasks_of([replace(CONTROLLER, volumes=(*CONTROLLER.volumes, second))])
    assert (first.object_id, first.state) == ("acme:0/v0", None)
    assert (queued.object_id, queued.state) == ("acme:0/v1", "queued")
    assert queued.reason == "another volume of the array is rebuilt first"


def test_a_learn_cycle_is_a_task() -> None:
    """A battery that learns is listed; one that only charges is not."""
    batteries = tuple(Battery(id=f"acme:0/battery{status}", status=status) for status in ("learning", "charging"))
    found = tasks_of([Controller(id="acme:0", batteries=batteries)])
    assert [(task.operation, task.object_id) for task in found] == [("learn", "acme:0/batterylearning")]


def test_a_narrowed_inventory_keeps_the_tasks_of_what_is_left() -> None:
    """A task stays if any object that it names is shown."""
    inventory = replayed("md-degraded-rebuilding").inventory
    busy = inventory.tasks[0]
    assert narrow(inventory, frozenset({busy.object_id})).tasks == (busy,)
    others = frozenset(v.id for c in inventory.controllers for v in c.volumes if v.id != busy.object_id)
    assert narrow(inventory, others).tasks == ()


def test_a_software_array_has_the_tasks_of_the_volume_below(capsys: pytest.CaptureFixture[str]) -> None:
    """Who waits for a software array waits for the rebuild of the controller's volume that it is on."""
    member = Drive(id="md:md0/sda", array="md:md0/array", role="member", status="ok", backing=("acme:0/v0",))
    array = Array(id="md:md0/array", drives=(member.id,))
    upper = Volume(id="md:md0", array=array.id, status="ok", device="/dev/md0")
    md = Controller(id="md", mode="software", arrays=(array,), volumes=(upper,), drives=(member,))
    seen = replayed("md-healthy")
    whole = replace(seen.inventory, controllers=(CONTROLLER, md), tasks=tasks_of([CONTROLLER]))
    settings = Settings()
    settings.as_json = True
    _once(replace(seen, inventory=whole), "md0", settings)
    assert [one["object_id"] for one in json.loads(capsys.readouterr().out)["tasks"]] == ["acme:0/v0"]


def test_a_copyback_of_a_volume_and_of_its_new_drive_is_one_task() -> None:
    """MegaRAID reports it of the drive; the volume's operation follows from it."""
    copied = Progress(operation="copyback")
    found = changed(volume=copied, drive=copied, status="ok")
    assert [(task.operation, task.object_id, task.also) for task in found] == [("copyback", "acme:0/v0", ("acme:0/2",))]
