"""What holds for every answer. Unknown redundancy is not redundancy, and less information never makes it a YES."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.discovery.mounts import MOUNTINFO, SWAPS
from raidctl.health.redundancy import being_rebuilt, with_redundancy
from raidctl.host import HostView
from raidctl.model import Array, Controller, Drive, Errors, Inventory, Volume
from raidctl.operate.removal import check
from raidctl.operate.removal_report import Removal
from raidctl.operate.removal_subject import Subject
from raidctl.request import Failure, Read, key
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import vendors
from tests.golden import of_file
from tests.operate.removal_machines import COLLECTION, NOW, answers, machines
from tests.support.failing import DEVICE, Failing
from tests.support.machines import COUNTING, MACHINES, recording, replayed

_MAX_FAILED_REQUESTS = 25
"""Maximum number of a machine's requests that fail. The same file of several devices counts once. Of more, every
second, third… fails."""


def unfounded(seen: Survey) -> Iterator[str]:
    """Every YES for a working member without known redundancy. Its array survives no failure, or that is unknown."""
    for answer in answers(seen):
        subject = Subject(seen.inventory, seen.view, answer.drive, NOW)
        for loss in subject.losses:
            works = any(one.role != "failed" and one.status != "critical" for one in loss.leaving)
            if answer.verdict == "yes" and works and (loss.before is None or loss.before < 1):
                yield f"{answer.drive}: {loss.id} survives {loss.before}"
        if answer.verdict == "yes" and any(being_rebuilt(one) for loss in subject.losses for one in loss.others):
            yield f"{answer.drive}: a member is being rebuilt"


@pytest.mark.slow
def test_no_working_member_without_known_redundancy_may_be_pulled() -> None:
    """No working member without known redundancy may be pulled.

    All recorded machines and demos are checked, and a fourth of any collection's outputs.
    """
    found = [f"{name}: {text}" for name, seen in machines() for text in unfounded(seen)]
    paths = sorted(path for path in COLLECTION.rglob("*") if path.is_file()) if COLLECTION.is_dir() else []
    for path in paths[::4]:  # a fourth is enough for every run
        found += [f"{path.name}: {text}" for text in unfounded(of_file(str(path)))]
    assert not found, "\n".join(found)


Change = tuple[str, Inventory, HostView]


def lessened(seen: Survey, target: str) -> Iterator[Change]:
    """The machine with less information. Objects are not listed, values are not reported, or there is no kernel."""
    inventory, view = seen.inventory, seen.view
    yield "without the kernel's view", inventory, HostView()
    for controller in inventory.controllers:
        if all(drive.id != target for drive in controller.drives):
            yield f"without {controller.id}", _with(inventory, controller, None), view
        for name, less in _less(controller, target):
            yield name, _with(inventory, controller, less), view


def _less(controller: Controller, target: str) -> Iterator[tuple[str, Controller]]:
    for drive in controller.drives:
        if drive.id != target:
            yield f"without {drive.id}", replace(controller, drives=_other(controller.drives, drive, None))
        for field, value in (("status", "unknown"), ("role", None), ("array", None), ("serial", None)):
            less: Any = replace(drive, **{field: value})
            yield f"{drive.id} without {field}", replace(controller, drives=_other(controller.drives, drive, less))
        silent = replace(drive, errors=Errors())
        yield f"{drive.id} without errors", replace(controller, drives=_other(controller.drives, drive, silent))
    for array in controller.arrays:
        yield f"without {array.id}", replace(controller, arrays=_other(controller.arrays, array, None))
        bare = tuple(volume for volume in controller.volumes if volume.array != array.id)
        yield f"without volumes of {array.id}", replace(controller, volumes=bare)
    for volume in controller.volumes:
        for field, value in (("status", "unknown"), ("raid_level", None), ("drives_expected", None), ("array", None)):
            changed: Any = replace(volume, **{field: value})
            yield (
                f"{volume.id} without {field}",
                replace(controller, volumes=_other(controller.volumes, volume, changed)),
            )


def _other(items: tuple[Any, ...], item: Array | Drive | Volume, less: Any) -> tuple[Any, ...]:
    return tuple(less if one is item else one for one in items if one is not item or less is not None)


def _with(inventory: Inventory, controller: Controller, less: Controller | None) -> Inventory:
    controllers = [
        less if one is controller else one for one in inventory.controllers if one is not controller or less is not None
    ]
    left = [one for one in controllers if one is not None]
    return replace(inventory, controllers=tuple(with_redundancy(left, COUNTING)))


@pytest.mark.slow
def test_less_information_never_makes_it_a_yes() -> None:
    """Less information never makes it a YES.

    Objects are not listed, states and counters not reported, or there is no view of the kernel.
    """
    found = []
    for name, seen in machines():
        for before in answers(seen):
            if before.verdict != "yes":
                for what, inventory, view in lessened(seen, before.drive):
                    after = check(inventory, view, before.drive, NOW)
                    if after.verdict == "yes":
                        found.append(f"{name} {before.drive}, {before.verdict} for {_why(before)}: {what}")
    assert not found, f"{len(found)}:\n" + "\n".join(found)


def _why(answer: Removal) -> str:
    return " ".join(sorted({one.guard for one in answer.reasons if one.verdict == answer.verdict}))


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
def test_a_request_without_an_answer_never_makes_it_a_yes(machine: str) -> None:
    """A failed request makes its facts unknown, not absent. Each request of a survey fails in turn."""
    found, problems = vendors()
    watched = Failing(ReplayRunner(recording(machine)))
    survey(watched, found, source="replay:x")
    before = {answer.drive: answer.verdict for answer in answers(replayed(machine))}
    asked = {key(request) for batch in watched.batches for request in batch}
    keys = list({tuple(DEVICE.sub("*", word) for word in one): one for one in sorted(asked)}.values())
    better = []
    for one in keys[:: 1 + len(keys) // _MAX_FAILED_REQUESTS]:
        failing: Callable[..., Any] = Failing(ReplayRunner(recording(machine)), [one], Failure.TIMEOUT)  # type: ignore[assignment]
        seen = survey(failing, found, source="replay:x", problems=problems)  # type: ignore[arg-type]
        now_yes = [answer.drive for answer in answers(seen) if answer.verdict == "yes"]
        better += [f"{name}: yes without {' '.join(one)}" for name in now_yes if before.get(name, "yes") != "yes"]
    assert not better, "\n".join(better)


@pytest.mark.parametrize("machine", ["md-healthy", "host-lvm-on-md"])
@pytest.mark.parametrize("path", [MOUNTINFO, SWAPS])
def test_a_table_of_the_kernel_that_may_not_be_read_never_makes_it_a_yes(machine: str, path: str) -> None:
    """Without the right to read a file of ``/proc``, no drive is free of what the file would show of it."""
    denied = Failing(ReplayRunner(recording(machine)), [key(Read(path))], Failure.DENIED)
    verdicts = [answer.verdict for answer in answers(survey(denied, vendors()[0]))]
    assert verdicts
    assert "yes" not in verdicts
