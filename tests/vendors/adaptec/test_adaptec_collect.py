"""Partial, pasted and combined outputs, and volumes with a running task."""

from __future__ import annotations

import pytest

from raidctl.model import Controller
from tests.support.judged import conditions
from tests.vendors.adaptec.adaptec_outputs import (
    DONE,
    RULE,
    SUB,
    area,
    controller_of,
    drive_text,
    found,
    lines,
    machine,
    volume_of,
    volume_text,
)

PLACED = [
    "Present (Controller:1,Enclosure:0,Slot:4)      W470AAB4",
    "Present (Controller:1,Connector:1,Device:5) W470AAB5",
]


def status_text(operation: str, percent: int, volume: int = 0) -> str:
    """``getstatus`` with one task."""
    task = {
        "Logical device": volume, "Task ID": 101, "Current operation": operation, "Status": "In Progress",
        "Priority": "High", "Percentage complete": percent,
    }  # fmt: skip
    return f"Controllers found: 2\nLogical device Task:\n{lines(task)}\n{DONE}"


def volumes_only(*volumes: str) -> str:
    """``getconfig 1 ld``."""
    return f"Controllers found: 1\n{area('Logical device information', *volumes)}{DONE}"


def test_a_task_belongs_to_the_controller_of_its_command_line() -> None:
    """A task of controller 2 does not affect controller 1's volume."""
    text = f"~# arcconf getconfig 1\n{machine()}\n~# arcconf getstatus 2\n{status_text('Rebuild', 7)}"
    first, second = found(text).controllers
    assert (first.id, first.volumes[0].status, first.volumes[0].progress) == ("adaptec:1", "ok", None)
    assert (second.id, second.volumes[0].status) == ("adaptec:2", "rebuilding")


@pytest.mark.parametrize(
    ("operation", "status"),
    [
        ("Rebuild", "rebuilding"), ("Build/Verify with fix", "checking"), ("Verify", "checking"),
        ("Build/Verify", "initializing"), ("Compacting", "migrating"), ("Dancing", "unknown"),
    ],
)  # fmt: skip
def test_a_task_alone_gives_the_status(operation: str, status: str) -> None:
    """``getstatus`` prints no volume status; the running task gives it."""
    volume = volume_of(status_text(operation, 9))
    assert volume.status == status
    assert volume.progress is not None
    assert volume.progress.percent == 9.0


def test_a_rebuild_known_from_its_task_alone_is_a_problem() -> None:
    """A rebuild is a problem even without the tool's status word."""
    assert [one.rule for one in conditions(found(status_text("Rebuild", 9)))] == ["volume_rebuilding"]


def test_a_task_makes_an_optimal_volume_a_checked_one_and_leaves_a_failed_one() -> None:
    """A check changes the status of an optimal volume only. The tool's word is kept."""
    for word, status in (("Optimal", "checking"), ("Failed", "failed"), ("Degraded", "degraded")):
        config = machine(volumes=[volume_text(0, {"Status of logical device": word})])
        volume = volume_of(config + status_text("Verify", 30).replace("found: 2", "found: 1"))
        assert (volume.status, volume.status_text) == (status, word)


def test_a_rebuilding_drive_makes_its_degraded_volume_a_rebuilding_one() -> None:
    """A rebuilding drive makes its degraded volume rebuilding. No rebuilding segment is needed."""
    text = machine(
        volumes=[volume_text(0, {"Status of logical device": "Degraded"})],
        drives=[drive_text(0), drive_text(1, {"State": "Rebuilding"})],
    )
    volume = volume_of(text)
    assert volume.status == "rebuilding"
    assert volume.progress is not None
    assert volume.progress.operation == "rebuild"


def test_the_evidence_of_a_status_is_the_status_that_is_shown() -> None:
    """The evidence of a status has the value that is shown."""
    text = machine(volumes=[volume_text(0, {"Status of logical device": "Degraded ( Rebuild : 12 % )"})])
    (output,) = found(text).outputs
    values = {fact.value for fact in output.facts if (fact.object_id, fact.field) == ("adaptec:1/v0", "status")}
    assert values == {"rebuilding"}


def places(controller: Controller) -> list[tuple[str, str | None, str | None, str | None]]:
    """Id, enclosure, bay and serial number of the drives."""
    return [(drive.id, drive.enclosure, drive.bay, drive.serial) for drive in controller.drives]


def test_segments_alone_give_the_drives_by_bay() -> None:
    """``getconfig 1 ld`` lists no devices; enclosure and slot become the drives' addresses."""
    controller = controller_of(volumes_only(volume_text(0, segments=PLACED)))
    assert places(controller) == [
        ("adaptec:1/0:4", "0", "4", "W470AAB4"), ("adaptec:1/connector1:5", "Connector 1", "5", "W470AAB5"),
    ]  # fmt: skip
    assert controller.arrays[0].drives == tuple(drive.id for drive in controller.drives)
    assert [drive.role for drive in controller.drives] == ["member", "member"]


def test_two_volumes_on_the_same_places_name_each_drive_once() -> None:
    """Two volumes on the same bays list each drive once."""
    controller = controller_of(volumes_only(volume_text(0, segments=PLACED), volume_text(1, segments=PLACED)))
    assert len(controller.drives) == 2
    assert [volume.array for volume in controller.volumes] == ["adaptec:1/a0", "adaptec:1/a0"]


def test_a_missing_segment_is_no_drive() -> None:
    """A missing segment is not listed as a drive."""
    rows = [PLACED[0], "Missing (Controller:1,Enclosure:0,Slot:5) W470AAB5"]
    controller = controller_of(volumes_only(volume_text(0, {"Status of logical device": "Degraded"}, rows)))
    assert [drive.bay for drive in controller.drives] == ["4"]
    assert (
        controller.volumes[0].status,
        controller.volumes[0].drives_expected,
        controller.volumes[0].drives_active,
    ) == (
        "degraded",
        2,
        1,
    )


def test_the_array_that_a_volume_names_is_its_array() -> None:
    """The array that a volume names is its array.

    Smartpqi prints ``Array : 3`` even if no drive has an address and no array is listed.
    """
    row = "Present (11444224MB, SAS, HDD, Connector:CN0, Enclosure:1, Slot:3) ZA1AAA3"
    volume = f"{volume_text(1, {'Array': 3}, [])}\n{SUB}\n{lines({'Group 0, Segment 0': row})}"
    controller = controller_of(volumes_only(volume))
    assert (controller.volumes[0].array, [array.id for array in controller.arrays]) == (
        "adaptec:1/a3",
        ["adaptec:1/a3"],
    )
    assert places(controller) == [("adaptec:1/1:3", "1", "3", "ZA1AAA3")]
    assert (controller.arrays[0].status, RULE in volume) == ("ok", False)


@pytest.mark.parametrize(("level", "spans"), [("50", 2), ("5", None)])
def test_the_groups_of_segments_are_the_spans(level: str, spans: int | None) -> None:
    """``Group 1, Segment 0`` belongs to the second span; a level without spans has none."""
    row = "Present (11444224MB, SAS, HDD, Connector:CN0, Enclosure:1, Slot:{}) ZA1AAA{}"
    rows = {f"Group {number // 3}, Segment {number % 3}": row.format(number, number) for number in range(6)}
    volume = f"{volume_text(1, {'RAID level': level}, [])}\n{SUB}\n{lines(rows)}"
    assert controller_of(volumes_only(volume)).volumes[0].spans == spans


def test_an_array_without_a_reported_state_is_unknown() -> None:
    """An array that only a volume names has the status unknown."""
    controller = controller_of(volumes_only(volume_text(1, {"Array": 3}, [])))
    assert [(array.id, array.status) for array in controller.arrays] == [("adaptec:1/a3", "unknown")]


def test_a_size_of_hundreds_of_digits_is_reported_and_not_shown() -> None:
    """An impossible size is unknown, and a problem names the volume."""
    observation = found(machine(volumes=[volume_text(0, {"Size": "9" * 400 + " MB"})]))
    assert observation.controllers[0].volumes[0].size_bytes is None
    assert [problem.where for problem in observation.problems if "Size" in problem.message] == ["adaptec:1/v0"]
