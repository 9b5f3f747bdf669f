"""Spares behind controllers, on every family that has bays.

The tests cover what stepped in, and what every behaviour of a tool leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from raidctl.change.restore import Restorer
from raidctl.change.restored import Restored
from raidctl.errors import ChangeNotUndone, ChangeUndone
from raidctl.health.redundancy import below
from raidctl.host import BlockDevice, HostView
from raidctl.model import Controller, Drive, Volume
from raidctl.operate.contents import EMPTY, Contents
from raidctl.operate.joining_guards_behind import unfit_behind
from raidctl.select import object_of
from raidctl.simulation.runner import Simulated
from raidctl.vendor.plan import Deed, Plan
from tests.change.md_machine import SOURCE, VENDORS, Bench
from tests.operate.controllers.outcomes import OUTCOMES, applied
from tests.operate.controllers.simulated import LATER, PUSHED, ControllerReplacement, every, of_drive, replacement_on
from tests.support.misbehaving_tools import UNREADABLE, Behaviour


@pytest.fixture
def replacement(name: str, tmp_path: Path) -> ControllerReplacement:
    """A controller with bays."""
    return replacement_on(name, tmp_path)


def deed_with_a_spare(bench: Bench) -> tuple[Deed, Plan] | None:
    """Plan to add a drive that fits a volume as a spare. If the machine has none, plan to take a spare out."""
    seen = bench.look()
    for one in seen.inventory.controllers:
        for volume in one.volumes if one.mode in ("raid", "mixed", None) else ():
            others = below(one, volume)
            for drive in one.drives:
                idle = drive.role == "unassigned" and not list(unfit_behind(drive, seen.view, others))
                spare = drive.role == "spare" and covers(drive, one, volume) and volume.status == "ok"
                for target in (volume.id, one.id) if idle or spare else ():
                    verb = "add_spare" if idle else "remove_spare"
                    deed = Deed(object_id=target, verb=verb, drive=drive.id)  # type: ignore[arg-type]  # one of two
                    plan = bench.plan(deed)
                    if plan.steps and not plan.denials:
                        return deed, plan
    return None


def covers(spare: Drive, owner: Controller, volume: Volume) -> bool:
    """Whether a spare is for the array of a volume. It also has to be of the kind of its members."""
    own = volume.array == spare.array or volume.array in spare.spare_for or not (spare.array or spare.spare_for)
    return own and all(one.media == spare.media for one in below(owner, volume))


def role(bench: Bench, drive: str) -> str | None:
    """The role of a drive as the tool prints it now."""
    found = object_of(bench.look().inventory, drive)
    return found.role if isinstance(found, Drive) else None


@pytest.mark.slow
@every
def test_the_outcomes_of_a_command_for_every_behaviour(name: str, tmp_path: Path) -> None:
    """The tool's reply and its later output together give the outcome. The reply alone decides nothing."""
    tried = 0
    for number, (behaviour, (error, doubtful)) in enumerate(OUTCOMES.items()):
        bench = replacement_on(name, tmp_path / str(number)).bench
        made = deed_with_a_spare(bench)
        if made is None:
            continue
        tried += 1
        deed, plan = made
        was = role(bench, deed.drive or "")
        change = bench.change(plan)
        bench.behaviour, bench.match = behaviour, plan.steps[0].action.argv[-1]
        bench.otherwise = another_fails(bench, deed)
        ended = applied(change)
        assert isinstance(ended, error) if error else ended is None, (behaviour, ended)
        assert change.doubtful == doubtful, behaviour
        if behaviour in UNREADABLE:
            assert "could not be read" in str(ended), ended
            assert "disappeared" not in str(ended), ended
            assert len(bench.argvs) == 1, bench.argvs  # nothing was run to undo what nobody can see
            bench.behaviour = "accepts"
        done = role(bench, deed.drive or "") != was
        changed = error is None or behaviour == "another instance runs after the change"
        assert done == changed or behaviour == "changes something else", behaviour
        assert [one.unconfirmed for one in bench.journal.pending()] == [True] * (error is ChangeNotUndone), behaviour
    assert tried or name in ("p400", "perc5i", "1882")  # which have neither a spare nor an idle drive


@every
@pytest.mark.parametrize("behaviour", UNREADABLE)
def test_a_tool_that_another_instance_keeps_busy_for_a_while_is_waited_for(
    name: str, behaviour: Behaviour, tmp_path: Path
) -> None:
    """A refused command that has changed nothing is not done.

    An accepted one is done as soon as its effect can be seen.
    """
    bench = replacement_on(name, tmp_path).bench
    made = deed_with_a_spare(bench)
    if made is None:
        pytest.skip("neither a spare nor a drive that fits as one")
    change = bench.change(made[1])

    def free() -> None:
        bench.behaviour = "accepts"

    bench.behaviour, bench.match, bench.moments = behaviour, made[1].steps[0].action.argv[-1], [(bench.at + 8.0, free)]
    ended = applied(change)
    assert isinstance(ended, ChangeUndone) if behaviour == "another instance runs" else ended is None, ended
    assert not change.doubtful
    assert bench.journal.pending() == []


def another_fails(bench: Bench, deed: Deed) -> Callable[[Simulated], None]:
    """Another drive of the controller fails instead."""
    controller = (deed.drive or "").rpartition("/")[0]
    ids = [
        one.id
        for one_controller in bench.look().inventory.controllers
        if one_controller.id == controller
        for one in one_controller.drives
    ]
    bay = next(one for one in ids if one != deed.drive).removeprefix(f"{controller}/")

    def fails(machine: Simulated) -> None:
        machine.fail(bay)

    return fails


@every
def test_a_spare_that_stepped_in_is_released_or_followed(name: str, tmp_path: Path) -> None:
    """With a hot spare in the array, the replacement ends complete. The new drive is a member or the next spare."""
    bench = replacement_on(name, tmp_path).bench
    found = next(
        ((one, volume) for one in bench.look().inventory.controllers for volume in one.volumes
         if volume.failures_tolerated and volume.status == "ok" and one.mode in ("raid", "mixed", None)
         and any(drive.role == "spare" and covers(drive, one, volume) for drive in one.drives)), None,
    )  # fmt: skip
    if found is None:
        made = deed_with_a_spare(bench)
        if made is None:
            pytest.skip("neither a spare nor a drive that fits as one")
        bench.change(made[1]).apply()
        found = next(
            (one, volume) for one in bench.look().inventory.controllers for volume in one.volumes
            if volume.id == made[0].object_id or one.id == made[0].object_id
        )  # fmt: skip
    one, volume = found
    if not volume.failures_tolerated:
        pytest.skip("what the volume with a spare survives is unknown")
    replacement = of_drive(bench, one.id, volume.id, below(one, volume)[0].id)
    replacement.hands(at=bench.at)
    replacement.bench.moments.insert(1, (bench.at + PUSHED - 1, lambda: bench.machine.pass_time(LATER)))  # it is filled
    replacement.run()
    new = replacement.new()
    assert new is not None
    assert new.role in ("member", "spare")
    assert replacement.now()[1].status == "ok"
    assert replacement.bench.journal.pending() == []


@every
def test_guard_R10_another_kind_of_drive_is_refused(replacement: ControllerReplacement) -> None:
    """Each unfit drive is refused by its guard.

    Unfit drives are of another kind, in use, foreign, failing, too small or without a serial number. So are those whose
    size, role or status is unknown.
    """
    others = [structs.replace(one, media=one.media or "hdd") for one in replacement.others()]
    unknown = [structs.replace(one, media=None) for one in others]
    seen = replacement.bench.look()
    fit = structs.replace(others[0], role="unassigned", array=None, serial="ZC1N0001")
    assert list(unfit_behind(fit, seen.view, others)) == []
    assert [one.guard for one in unfit_behind(fit, seen.view, unknown)] == ["P7"]
    assert list(unfit_behind(structs.replace(fit, media=None), seen.view, unknown)) == []  # its tool reports no kind
    for changes, guard in (
        ({"media": "hdd" if fit.media == "ssd" else "ssd"}, "P7"), ({"media": None}, "P7"),
        ({"interface": "nvme"}, "P7"), ({"role": "spare"}, "R10"), ({"role": None}, "R10"), ({"foreign": True}, "R10"),
        ({"size_bytes": None}, "R10"), ({"size_bytes": 1000}, "R10"), ({"status": "unknown"}, "R10"),
        ({"status": "critical"}, "R10"), ({"serial": None}, "X1"), ({"role": "passthrough", "device": None}, "R7"),
    ):  # fmt: skip
        found = unfit_behind(structs.replace(fit, **changes), seen.view, others)
        assert guard in [one.guard for one in found], changes
    exposed = structs.replace(fit, role="passthrough", device="/dev/sdx")
    for links, wanted in (("/dev/disk/by-id/wwn-0x5000c500a1b2c3d4",), []), ((), [("R11", True)]):
        block = BlockDevice(name="sdx", node="/dev/sdx", kind="disk", links=links)
        found = unfit_behind(exposed, HostView(blocks=(block,)), others)
        assert [(one.guard, one.unknown) for one in found] == wanted, links
    for contents, wanted in (
        (EMPTY, []), (Contents(), [("R11", True)]), (structs.replace(EMPTY, held=True), [("R7", False)]),
        (Contents(signatures=("ext4",), blank=True), [("R11", False)]),
        (Contents(signatures=(), blank=False), [("R11", True)]),
    ):  # fmt: skip
        found = unfit_behind(exposed, HostView(blocks=(block,)), others, contents)
        assert [(one.guard, one.unknown) for one in found] == wanted, contents


@every
def test_a_reason_is_unknown_by_the_fact_that_is_missing_not_by_its_words(replacement: ControllerReplacement) -> None:
    """A drive whose id contains the word "unknown" is refused for what is known; a missing fact is unknown."""
    others, seen = replacement.others(), replacement.bench.look()
    fit = structs.replace(others[0], id="c:unknown/1", role="unassigned", array=None, serial="ZC1N0001")
    for changes, unknown in (
        ({"role": "spare"}, False), ({"foreign": True}, False), ({"size_bytes": 1000}, False),
        ({"status": "critical"}, False), ({"serial": None}, False), ({"role": None}, True),
        ({"size_bytes": None}, True), ({"status": "unknown"}, True), ({"role": "passthrough", "device": None}, True),
    ):  # fmt: skip
        [first, *_] = unfit_behind(structs.replace(fit, **changes), seen.view, others)
        assert first.unknown is unknown, (changes, first)


def test_restore_leaves_an_operation_open_that_it_cannot_read(tmp_path: Path) -> None:
    """Restore claims nothing while the tool cannot read.

    A command was cut off. The operation is closed once it can be read.
    """
    bench = replacement_on("h730", tmp_path).bench
    made = deed_with_a_spare(bench)
    assert made is not None
    change = bench.change(made[1])
    bench.journal.append(change.begin)
    change.mark(0, "start")
    bench.behaviour, bench.runner.taken = "another instance runs", made[1].steps[0].action.argv[0]

    def restored() -> Restored:
        restorer = Restorer(
            bench.journal, bench.place, bench, bench.look, VENDORS, SOURCE, bench.printed.append, sleep=bench.sleep
        )
        [result] = restorer.restore()
        return result

    first = restored()
    assert "could not be read" in " ".join(first.faults)
    assert (first.left, len(bench.journal.pending())) == ([], 1)
    bench.behaviour = "accepts"
    second = restored()
    assert (second.faults, bench.journal.pending()) == ([], [])
    assert "has not taken effect" in " ".join(second.left)
