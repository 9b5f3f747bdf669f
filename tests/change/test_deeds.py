"""Deeds: readings decide the outcome, and only the plan's objects are changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidctl.change import passwords
from raidctl.change.confirmation import mismatch
from raidctl.change.deed_plans import plan_deeds
from raidctl.change.expectations import undecided, unmet
from raidctl.change.failure_messages import RightMissing
from raidctl.change.journal import Begin, Journal, Mark, StepEvent
from raidctl.change.other_programs import PROCESSES
from raidctl.change.permitted_commands import judged
from raidctl.change.saved import keep
from raidctl.change.state_directory import Holder, held_name, hold
from raidctl.change.unfinished import problems
from raidctl.errors import EXIT_ACCESS, AccessMissing, ChangeNotUndone, ChangeUndone, UnderWay
from raidctl.model import Controller, Drive, Problem
from raidctl.request import Answer, Failure, Glob, GlobAnswer, Read, ReadAnswer, Request, Run, RunAnswer
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Action, Expectation, Plan, Step
from raidctl.vendor.registry import vendors
from raidctl.vendor.simulator import State
from raidctl_md import simulator
from tests.change.hand_steps import hand
from tests.change.md_machine import SOURCE, Behaviour, Bench, bench, deed, definition
from tests.support.commands_run import Log, forbidden
from tests.support.deeds import operations


@pytest.fixture
def bays(tmp_path: Path) -> Bench:
    """A RAID-5 of three drives. A fourth drive is in a bay, and two are outside."""
    return bench(tmp_path / "bays")


def marks(machine: Bench) -> list[str]:
    """The marks of the last change, and its result."""
    journaled = machine.journal.changes()[-1]
    return [event.mark for event in journaled.events] + ([journaled.end.result] if journaled.end is not None else [])


def _same(seen: Survey) -> Survey:
    return seen


def test_a_deed_is_done_when_the_machine_shows_it(bays: Bench) -> None:
    """A spare is added. The journal has the deed, its start and its end."""
    change = bays.change(bays.plan(deed("add_spare", 4)))
    change.apply()
    change.finish()
    assert (bays.member("LABD00004"), marks(bays)) == ("spare", ["start", "done", "done"])
    assert bays.journal.changes()[-1].begin.deeds[0].verb == "add_spare"


def test_a_spare_of_an_incomplete_array_may_be_used_for_a_rebuild(bays: Bench) -> None:
    """If the number of members is unknown, the superblocks are saved. The spare may be rebuilt on."""
    seen = bays.look()
    [controller] = [one for one in seen.inventory.controllers if one.id == "md"]
    steps = {}
    for name, active in {"whole": 3, "short": 2, "unknown": None}.items():
        volumes = tuple(msgspec.structs.replace(one, drives_active=active) for one in controller.volumes)
        changed = msgspec.structs.replace(controller, volumes=volumes)
        made = operations("md").plan_deeds(changed, [deed("add_spare", 4)], seen.inventory.tools, seen.view)
        assert made.denials == ()
        [steps[name]] = made.steps
    assert {name: (step.way_back, bool(step.saves)) for name, step in steps.items()} == {
        "whole": ("same", False), "short": ("other", True), "unknown": ("other", True),
    }  # fmt: skip
    assert [step.affects for step in steps.values()] == [
        (), ("The rebuild of md:md0 begins.",), ("The rebuild of md:md0 may begin.",),
    ]  # fmt: skip


OUTCOMES: dict[Behaviour, tuple[type[Exception] | None, bool, str | None]] = {
    "accepts": (None, False, "spare"),
    "prints nothing": (None, False, "spare"),
    "refuses": (ChangeUndone, False, None),
    "is not supported": (ChangeUndone, False, None),
    "refuses and changes": (None, True, "spare"),
    "hangs after the change": (None, True, "spare"),
    "accepts and does nothing": (ChangeNotUndone, True, None),
    "hangs": (ChangeNotUndone, True, None),
    "another instance runs": (ChangeNotUndone, True, None),
    "another instance runs after the change": (None, False, "spare"),
}


def test_the_four_outcomes_of_a_command(tmp_path: Path) -> None:
    """The outcome depends on the tool's reply and the machine's state. It never depends on the reply alone."""
    for number, (behaviour, (error, doubtful, state)) in enumerate(OUTCOMES.items()):
        machine = bench(tmp_path / str(number))
        change = machine.change(machine.plan(deed("add_spare", 4)))
        machine.behaviour, machine.match = behaviour, "--add-spare"
        if error is None:
            change.apply()
            change.finish()
        else:
            with pytest.raises(error):
                change.apply()
        assert (change.doubtful, machine.member("LABD00004")) == (doubtful, state), behaviour
        assert [one.unconfirmed for one in machine.journal.pending()] == [True] * (error is ChangeNotUndone), behaviour


@pytest.mark.parametrize("came", [True, False])
def test_an_unconfirmed_deed_stays_open_until_it_is_read(bays: Bench, *, came: bool) -> None:
    """``show`` lists the deed. ``restore`` ends it with what it has done."""
    change = bays.change(bays.plan(deed("add_spare", 4)))
    bays.behaviour, bays.match = "hangs", "--add-spare"
    with pytest.raises(ChangeNotUndone, match=r'It is not confirmed.*"raidctl --demo bays.* restore" reads'):
        change.apply()
    [problem] = problems(bays.place, SOURCE)
    assert "is not confirmed: trial. Not confirmed: mdadm /dev/md0 --add-spare /dev/sdd" in problem.message
    assert problem.kind == "state"
    bays.behaviour = "accepts"
    if came:
        again = simulator.change(("mdadm", "/dev/md0", "--add-spare", "/dev/sdd"), bays.machine.state())
        assert again is not None
        bays.machine.keep(again.state)
    [result] = bays.restored()
    assert result.left == [f"add spare of md:md0 has {'taken' if came else 'not taken'} effect"]
    assert (problems(bays.place, SOURCE), marks(bays)[-1]) == ([], "stands" if came else "stopped")
    assert len(bays.argvs) == 1


def _held(bays: Bench, entry: Begin, **other: Any) -> AbstractContextManager[float]:
    """Lock the objects of a change, for itself or another one."""
    fields: dict[str, Any] = {"change": "another", "pid": os.getpid() + 1, "since": "now", "about": "trial", **other}
    names = [held_name(SOURCE, subject.id) for subject in entry.subjects]
    return hold(bays.place, names, Holder(**fields), source=SOURCE)


@pytest.mark.parametrize("kind", ["operation", "batch", "locate"])
def test_a_change_that_was_cut_off_does_not_run_because_another_one_does(bays: Bench, kind: Any) -> None:
    """Only the process that carries out a change makes it one under way: other changes lock the same objects."""
    entry = msgspec.structs.replace(bays.change(bays.plan(deed("add_spare", 4))).begin, kind=kind)
    bays.journal.append(entry)
    bays.journal.append(StepEvent(change=entry.change, at=entry.at, step=0, mark="start"))
    assert [one.severity for one in problems(bays.place, SOURCE)] == ["warning"]
    with _held(bays, entry):
        [problem] = problems(bays.place, SOURCE)
        assert (problem.severity, problem.kind) == ("warning", "state"), problem.message
    for own in ({"change": entry.change}, {"pid": entry.pid}):  # a rate is set under the lock of its operation
        with _held(bays, entry, **own):
            [problem] = problems(bays.place, SOURCE)
            process = own.get("pid", os.getpid() + 1)
            assert (problem.severity, f"(process {process})" in problem.message) == ("info", True), problem.message


@pytest.mark.parametrize("late", [20.0, 4000.0])
def test_a_command_that_hung_may_take_effect_later(bays: Bench, late: float) -> None:
    """A timed-out command is watched like an accepted one. No report calls it not done."""
    change = bays.change(bays.plan(deed("add_spare", 4)))

    def done(state: State) -> State:
        reply = simulator.change(("mdadm", "/dev/md0", "--add-spare", "/dev/sdd"), state)
        assert reply is not None
        return dict(reply.state)

    bays.behaviour, bays.match, bays.events = "hangs", "--add-spare", [(bays.at + late, done)]
    if late < bays.plan(deed("add_spare", 4)).steps[0].expects[0].within_seconds:
        change.apply()
        assert "did not end" in " ".join(change.warnings)
        assert bays.member("LABD00004") == "spare"
    else:
        with pytest.raises(ChangeNotUndone, match="It may still take effect"):
            change.apply()
    assert change.doubtful


def test_a_command_that_was_killed_may_take_effect_later(bays: Bench) -> None:
    """Its exit code is not a refusal: the kernel may have received its request."""
    change = bays.change(bays.plan(deed("add_spare", 4)))

    class Killing:
        """The kernel kills the command, as memory is short, and the request takes effect later."""

        def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
            """Answer, and change something a little later."""
            if not any(isinstance(one, Run) and "--add-spare" in one.argv for one in requests):
                return bays.carry_out(requests)
            bays.events = [(bays.at + 10.0, done)]
            return [RunAnswer(code=137)]

    def done(state: State) -> State:
        reply = simulator.change(("mdadm", "/dev/md0", "--add-spare", "/dev/sdd"), state)
        assert reply is not None
        return dict(reply.state)

    change.runner = Killing()
    change.apply()
    assert bays.member("LABD00004") == "spare"
    assert "did not end" in " ".join(change.warnings)


def test_a_command_that_changes_something_else_is_not_confirmed(bays: Bench) -> None:
    """A deed is not confirmed if another member fails. The member fails after an accepted command, and is named."""
    change = bays.change(bays.plan(deed("add_spare", 4)))

    def other(state: State) -> State:
        reply = simulator.change(("mdadm", "/dev/md0", "--fail", "/dev/sdb"), state)
        assert reply is not None
        return dict(reply.state)

    bays.behaviour, bays.match, bays.events = "accepts and does nothing", "--add-spare", [(1.0, other)]
    with pytest.raises(ChangeNotUndone, match="md:md0/sdb was member, and is failed"):
        change.apply()


def renamed(state: State) -> State:
    """The state after two stopped arrays were assembled under each other's names."""
    names, found = {"md0": "md1", "md1": "md0"}, {}
    for name, value in state.items():
        head, *rest = name.split(" ")
        if head in ("md/md", "md/member"):
            rest[0] = names[rest[0]]
        found[" ".join((head, *rest))] = value
    return found


@pytest.mark.parametrize("when", ["before the command", "after the command", "before the undoing"])
def test_guard_X2_a_renamed_array_is_left_alone(when: str, tmp_path: Path) -> None:
    """No command or undo runs on the array now of that name."""
    machine = bench(tmp_path / "names", definition("raid6", 4, parts="1,2"))
    change = machine.change(machine.plan(deed("fail", 1, part="1"), deed("remove", 1, part="1")))

    def rename(*_: object) -> None:
        machine.machine.keep(renamed(machine.machine.state()))

    expected = ["mdadm /dev/md0 --fail /dev/sda1"]
    if when == "before the command":
        rename()
        expected = []
    elif when == "after the command":
        machine.behaviour, machine.match, machine.otherwise = "renamed meanwhile", "--fail", rename
    else:
        machine.behaviour, machine.match = "refuses", "--remove"
        machine.before = lambda request: rename() if "--remove" in str(request) else None
        expected = [*expected, "mdadm /dev/md0 --remove /dev/sda1"]
    with pytest.raises(ChangeUndone if when == "before the command" else ChangeNotUndone, match=r"md:md0"):
        change.apply()
    assert [" ".join(argv) for argv in machine.argvs] == expected
    assert {machine.member("LABD00001-2", array) for array in ("md0", "md1")} == {None, "in_sync"}


def test_guard_X1_an_object_without_a_unique_serial_number_is_refused(tmp_path: Path) -> None:
    """A drive with a duplicate serial number, or a missing drive, is refused."""
    machine = bench(tmp_path / "twins")
    assert machine.plan(deed("add_spare", 4)).denials == ()
    twin = machine.look()
    view = msgspec.structs.replace(
        twin.view,
        blocks=tuple(
            msgspec.structs.replace(block, serial="LABD00004") if block.name == "sdc" else block
            for block in twin.view.blocks
        ),
    )
    machine.look = lambda: msgspec.structs.replace(twin, view=view)  # type: ignore[method-assign]  # another machine
    assert [denial.guard for denial in machine.plan(deed("add_spare", 4)).denials] == ["X1"]
    machine.look = lambda: twin  # type: ignore[method-assign]  # as above
    assert "X1" in [denial.guard for denial in machine.plan(deed("add_spare", 6)).denials]


def test_guard_X2_another_drive_under_the_same_name_is_refused(bays: Bench) -> None:
    """A drive that took the planned drive's name since is not changed."""
    change = bays.change(bays.plan(deed("add_spare", 4)))
    bays.machine.keep(simulator.push(simulator.pull(bays.machine.state(), "4"), "4", "LABD00005"))
    assert bays.look().view.block("/dev/sdd").serial == "LABD00005"  # type: ignore[union-attr]  # the same letter
    with pytest.raises(ChangeUndone, match=r"LABD00004.*no longer exists.*Nothing was done"):
        change.apply()
    assert bays.argvs == []


def test_guard_X3_a_deed_needs_a_recent_reading(bays: Bench) -> None:
    """A recording or an old reading is refused."""
    seen = bays.look()
    hosts: tuple[tuple[dict[str, str | None], list[str]], ...] = (
        ({}, []),
        ({"source": "replay:machine.tar.gz"}, ["X3"]),
        ({"collected_at": "2026-01-01T00:00:00Z"}, ["X3"]),
        ({"collected_at": None}, ["X3"]),
    )
    for host, guards in hosts:
        other = msgspec.structs.replace(seen.inventory.host, **host)
        old = msgspec.structs.replace(seen, inventory=msgspec.structs.replace(seen.inventory, host=other))
        setattr(bays, "look", partial(_same, old))  # noqa: B010 - another machine
        assert [denial.guard for denial in bays.plan(deed("add_spare", 4)).denials] == guards


def test_guard_X5_a_command_outside_the_table_is_not_run(bays: Bench) -> None:
    """Only commands of the table are run. Their words are read from the machine."""
    plan = bays.plan(deed("add_spare", 4))
    for argv in (
        ("mdadm", "/dev/md0", "--add-spare", "/dev/sdz"),
        ("mdadm", "--stop", "--scan"),
        ("mdadm", "/dev/md0", "--add-spare", "/dev/sdd", "/dev/sdc"),
    ):
        [step] = plan.steps
        changed = Plan(steps=(msgspec.structs.replace(step, action=Action(argv=argv)),), deeds=plan.deeds)
        with pytest.raises(ChangeUndone, match="was not run"):
            bays.change(changed).apply()
    assert bays.argvs == []


def test_guard_X6_no_command_is_forced(bays: Bench) -> None:
    """A word that makes a tool skip its checks is refused. The refusal names it."""
    plan = bays.plan(deed("add_spare", 4))
    [step] = plan.steps
    for word in ("--force", "--run", "-f", "force", "override"):
        action = Action(argv=("mdadm", "/dev/md0", "--add-spare", "/dev/sdd", word))
        changed = Plan(steps=(msgspec.structs.replace(step, action=action),), deeds=plan.deeds)
        with pytest.raises(ChangeUndone, match=f"contains the word {word}"):
            bays.change(changed).apply()
    assert bays.argvs == []


def test_guards_X5_X6_detect_forbidden_commands() -> None:
    """Every test's final check finds forced and unlisted commands. It accepts the others."""
    allowed: Log = [
        ("deed", ("mdadm", "/dev/md0", "--fail", "/dev/sdb1")), ("deed", ("sfdisk", "--quiet", "/dev/nvme0n1")),
        ("deed", (">", "/sys/block/md0/md/sync_action", "check")), ("setting", ("x", "modify", "forced")),
    ]  # fmt: skip
    assert forbidden(allowed) == []
    for argv in (
        ("mdadm", "/dev/md0", "--fail", "/dev/sdb1", "/dev/sdc1"), ("mdadm", "--stop", "/dev/md0", "/dev/md1"),
        ("sfdisk", "/dev/sda"),
        ("mdadm", "/dev/md0", "--add", "/dev/sdb", "--force"), ("mdadm", "/dev/md0", "--fail", "/dev/sdb /dev/sdc"),
        (">", "/sys/block/md0/md/array_state", "clear"), ("wipefs", "--all", "--force", "/dev/sda"), ("reboot",),
    ):  # fmt: skip
        assert forbidden([("deed", argv)]), argv
    assert forbidden([("setting", ("tool", "set", "x=on", "force"))])


@dataclass
class WithProcesses:
    """A machine on which other programs run for a number of readings."""

    machine: Bench
    running: list[list[str]]
    second: Failure = Failure.MISSING
    """The failure of reading the second process, which has ended."""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Reply with the processes and their command lines. The machine replies to the rest."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Answer:
        if request == Glob(PROCESSES):
            return GlobAnswer(("/proc/77/cmdline", "/proc/78/cmdline"))
        if request == Read("/proc/77/cmdline"):
            words = self.running.pop(0) if self.running else []
            return ReadAnswer(data="".join(f"{word}\0" for word in words).encode())
        if request == Read("/proc/78/cmdline"):
            return ReadAnswer(trouble=self.second, detail="no answer")
        [answer] = self.machine.carry_out([request])
        return answer


def test_guard_X4_nothing_is_done_while_a_tool_of_the_family_runs(bays: Bench) -> None:
    """A deed waits for an mdadm that changes something. One that stays is a refusal; readers do not count."""
    grow = ["/sbin/mdadm", "--grow", "--continue", "/dev/md0"]
    for words, looks, done in (
        (grow, 99, False), (grow, 2, True), (["mdadm", "--monitor", "--scan"], 99, True),
        (["sh", "-c", "mdadm"], 99, True), (["mdadm", "--detail", "/dev/md0"], 99, True), ([""], 99, True),
    ):  # fmt: skip
        bays.argvs.clear()
        change = bays.change(bays.plan(deed("add_spare", 4)))
        change.runner = WithProcesses(bays, [words] * looks)
        if not done:
            with pytest.raises(ChangeUndone, match=r"that may change the controller: `/sbin/mdadm --grow"):
                change.apply()
            assert bays.argvs == []
            continue
        change.apply()
        assert len(bays.argvs) == 1, words
        bays.change(bays.plan(deed("remove_spare", 4))).apply()


def test_guard_X4_a_process_that_cannot_be_read_may_be_a_tool(bays: Bench) -> None:
    """A process whose reading timed out refuses the deed."""
    change = bays.change(bays.plan(deed("add_spare", 4)))
    bays.argvs.clear()
    change.runner = WithProcesses(bays, [["sh"]] * 99, Failure.TIMEOUT)
    with pytest.raises(ChangeUndone, match="is unknown: no answer"):
        change.apply()
    assert bays.argvs == []


def test_guard_X7_one_refused_deed_refuses_the_plan(bays: Bench) -> None:
    """A plan contains all of its refusals."""
    assert not bays.plan(deed("add_spare", 4)).denials
    plan = bays.plan(deed("add_spare", 4), deed("add_spare", 6))
    assert (len(plan.steps), {denial.deed.device for denial in plan.denials}) == (1, {"/dev/sdf"})


def test_a_deed_of_a_family_without_deeds_is_refused(bays: Bench) -> None:
    """A plan without its steps is not an empty plan: the deed has a reason."""
    made = plan_deeds(bays.look(), (), [deed("add_spare", 4)], lambda _deed, _seen: ())
    assert (made.steps, len(made.denials)) == ((), 1)
    assert "cannot do this with controllers of the family md" in made.denials[0].reason


def test_guards_are_checked_again_before_each_step(bays: Bench) -> None:
    """A step that became unsafe after the plan is refused. Nothing is run."""
    change = bays.change(bays.plan(deed("fail", 1)))
    change.guard = lambda step, seen: ("Another member has failed.",)  # noqa: ARG005 - the signature of all guards
    with pytest.raises(ChangeUndone, match="Another member has failed"):
        change.apply()
    assert bays.argvs == []


@pytest.mark.parametrize(("field", "value"), [("status", "degraded"), ("mismatch_count", "7"), ("name", "another")])
def test_a_step_needs_the_values_that_its_command_relies_on(bays: Bench, field: str, value: str) -> None:
    """A step is refused if a value that it requires has changed, or can no longer be read. Nothing is run."""
    plan = bays.plan(deed("add_spare", 4))
    required = Expectation(object_id="md:md0", field=field, value=value)
    assert unmet(bays.look(), (required,))
    step = msgspec.structs.replace(plan.steps[0], requires=(required,))
    with pytest.raises(ChangeUndone, match=f"{field} of md:md0 is"):
        bays.change(msgspec.structs.replace(plan, steps=(step,))).apply()
    assert bays.argvs == []


def test_an_operation_that_fails_is_undone_last_step_first(bays: Bench) -> None:
    """After a refused second step, the first is undone by its command."""
    change = bays.change(bays.plan(deed("fail", 1), deed("remove", 1)))
    bays.behaviour, bays.match = "refuses", "--remove /dev/sda"
    bays.before = lambda request: setattr(bays, "match", "nothing") if "--add" in str(request) else None
    with pytest.raises(ChangeUndone, match="What had been done was undone"):
        change.apply()
    assert bays.argvs[-1] == ("mdadm", "/dev/md0", "--remove", "/dev/sda", "--add", "/dev/sda")
    assert (bays.member("LABD00001"), marks(bays)[-1]) == ("rebuilding", "undone")


def test_a_refused_step_does_not_vouch_for_the_one_before(bays: Bench) -> None:
    """The first step is undone, or reported as not undone, though the machine no longer shows its effect."""
    change = bays.change(bays.plan(deed("fail", 1), deed("add_spare", 4)))
    bays.behaviour, bays.match = "refuses", "--add-spare"
    look = change.read_machine

    def looked() -> Survey:
        if "failed" in marks(bays) and bays.member("LABD00001") == "faulty":  # another program removes the member
            reply = simulator.change(("mdadm", "/dev/md0", "--remove", "/dev/sda"), bays.machine.state())
            assert reply is not None
            bays.machine.keep(dict(reply.state))
        return look()

    change.read_machine = looked
    with pytest.raises((ChangeNotUndone, ChangeUndone)) as failure:
        change.apply()
    assert bays.member("LABD00001") in (None, "rebuilding"), "the test changed nothing"
    assert (bays.member("LABD00001") == "rebuilding") == isinstance(failure.value, ChangeUndone), failure.value


def test_nothing_is_undone_after_the_point_of_no_return(bays: Bench) -> None:
    """After the point of no return, a failed operation stops. It names the command that continues it."""
    plan = bays.plan(deed("fail", 1), deed("remove", 1))
    first, second = plan.steps
    first = msgspec.structs.replace(first, way_back="none", no_way_back="The data is gone.")
    plan = msgspec.structs.replace(plan, steps=(first, second))
    bays.behaviour, bays.match = "refuses", "--remove"
    with pytest.raises(ChangeNotUndone, match=r'Nothing was undone. Continue with "raidctl replace resume'):
        bays.change(plan, resume="raidctl replace resume ID").apply()
    assert "passed" in marks(bays)
    assert marks(bays)[-1] == "stopped"
    assert len(bays.argvs) == 2
    assert [one.open is not None for one in bays.restored()] == [True]
    assert len(bays.argvs) == 2


def test_ctrl_c_during_the_first_reading_of_a_wait_undoes_nothing(bays: Bench) -> None:
    """The deed before the wait is not undone, and the operation stays open."""
    plan = bays.plan(deed("fail", 1))
    change = bays.change(msgspec.structs.replace(plan, steps=(*plan.steps, hand())), resume="raidctl replace resume ID")
    journaled = change.mark

    def marked(step: int, mark: Mark, text: str | None = None) -> None:
        journaled(step, mark, text)
        if mark == "wait":
            change.read_machine, change.last_reading = interrupted_reading, None

    def interrupted_reading() -> Survey:
        raise KeyboardInterrupt

    change.mark = marked  # type: ignore[method-assign]  # of this change
    with pytest.raises(UnderWay, match=r"Pull bay 1\. Continue with"):
        change.apply()
    assert (len(bays.argvs), bays.member("LABD00001"), len(bays.journal.pending())) == (1, "faulty", 1)


def test_a_deed_whose_data_cannot_be_saved_is_not_done(bays: Bench) -> None:
    """A deed that needs saved files is not started without them. The state directory takes no files."""
    change = bays.change(bays.plan(deed("fail", 1)))
    (bays.place / "saved").write_text("no directory")
    with pytest.raises(RightMissing, match="Nothing was done") as failure:
        change.apply()
    assert (failure.value.touched, failure.value.exit_code) == (False, EXIT_ACCESS)
    assert bays.argvs == []


def test_a_later_deed_whose_data_cannot_be_saved_undoes_the_earlier_ones(bays: Bench) -> None:
    """The message reports what was undone. It does not claim that nothing was done."""
    plan = bays.plan(deed("fail", 1), deed("remove", 1))
    first, second = plan.steps
    steps = (msgspec.structs.replace(first, saves=()), msgspec.structs.replace(second, saves=first.saves))
    plan = msgspec.structs.replace(plan, steps=steps)
    change = bays.change(plan)
    (bays.place / "saved").write_text("no directory")
    with pytest.raises(RightMissing, match=r"cannot be written: .* What had been done was undone\.") as failure:
        change.apply()
    assert failure.value.touched
    assert "Nothing was done" not in str(failure.value)
    assert (marks(bays)[-1], bays.member("LABD00001")) == ("undone", "rebuilding")


def test_a_password_that_can_no_longer_be_read_leaves_no_step_unreported(
    bays: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If an earlier step cannot be undone for lack of it, the exit code is 6; otherwise nothing has changed (4)."""

    def unreadable(_: Action) -> Request[Any]:
        raise AccessMissing("/etc/raidctl/areca-password cannot be read: Permission denied.")

    real = passwords.request_of
    change = bays.change(bays.plan(deed("fail", 1), deed("remove", 1)))
    monkeypatch.setattr(passwords, "request_of", lambda one: unreadable(one) if "--remove" in one.argv else real(one))
    with pytest.raises(ChangeNotUndone, match=r"areca-password cannot be read.* could not be undone"):
        change.apply()
    assert (marks(bays)[-1], bays.member("LABD00001")) == ("failed", "faulty")
    first = bays.change(bays.plan(deed("fail", 2)))
    monkeypatch.setattr(passwords, "request_of", unreadable)
    with pytest.raises(RightMissing, match=r"areca-password cannot be read.* Nothing was done"):
        first.apply()


def test_saved_files_survive_a_power_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file and each directory up to the state directory are synced: all may be new."""
    synced: list[Path] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(Path(f"/proc/self/fd/{handle}").readlink()))
    path, _ = keep(tmp_path, "one", "first-mib", b"data")
    assert synced == [path, path.parent, tmp_path / "saved", tmp_path]


def test_saved_files_are_in_the_journal(bays: Bench) -> None:
    """The inventory, the array's geometry and each superblock are saved. Only the owner can read them."""
    bays.change(bays.plan(deed("fail", 1))).apply()
    journaled = bays.journal.changes()[-1]
    saved = [event.text or "" for event in journaled.events if event.mark == "saved"]
    folder = bays.place / "saved" / journaled.begin.change
    assert {Path(text.split()[0]).name for text in saved} == {path.name for path in folder.iterdir()}
    assert {"inventory.json", "md-md0-detail"} < {path.name for path in folder.iterdir()}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}


def test_a_step_of_a_person_is_awaited(bays: Bench) -> None:
    """The step ends when the drive is gone. After its time limit, the operation stays under way."""
    plan = Plan(steps=(hand(),), deeds=(deed("pull", 1),))
    bays.events = [(60.0, lambda state: simulator.pull(state, "1"))]
    bays.change(plan).apply()
    assert marks(bays) == ["wait", "seen"]
    plan = Plan(steps=(hand(expects=(msgspec.structs.replace(hand().expects[0], object_id="serial:LABD00004"),)),))
    change = bays.change(plan, resume="raidctl replace resume ID")
    change.at_most = 120.0
    with pytest.raises(UnderWay, match="Pull bay 1"):
        change.apply()
    assert bays.at > 120


def test_guard_R9_pulling_another_drive_stops_the_operation(bays: Bench) -> None:
    """The missing drive is named, and the operation stops."""
    plan = Plan(steps=(hand(),), deeds=(deed("pull", 1),))
    bays.events = [(30.0, lambda state: simulator.pull(state, "2"))]
    with pytest.raises(ChangeUndone, match=r"LABD00002 is gone.*Put it back now"):
        bays.change(plan).apply()
    assert "stopped" in marks(bays)


def test_an_operation_whose_wait_fails_stays_open(bays: Bench) -> None:
    """Nothing was done that could be undone: the operation continues after the drive was put back."""
    wait = hand(kind="wait", setting="rebuilding", hand=None)
    change = bays.change(Plan(steps=(wait,), deeds=(deed("pull", 1),)), resume="raidctl replace resume ID")
    bays.events = [(30.0, lambda state: simulator.pull(state, "2"))]
    with pytest.raises(ChangeNotUndone, match=r'LABD00002 is gone.*Continue with "raidctl replace resume'):
        change.apply()
    assert [one.end for one in bays.journal.changes()] == [None]


def test_an_unread_drive_is_not_gone(bays: Bench) -> None:
    """If no serial number can be read, no drive counts as pulled."""
    seen = bays.look()
    view = msgspec.structs.replace(seen.view, blocks=())
    empty = msgspec.structs.replace(seen, view=view, inventory=msgspec.structs.replace(seen.inventory, controllers=()))
    assert unmet(empty, hand().expects) == ["it is unknown whether serial:LABD00001 is present"]


def test_a_drive_is_unknown_if_a_part_of_the_machine_could_not_be_read(bays: Bench) -> None:
    """The missing drive may be on the controller that did not respond."""
    bays.machine.keep(simulator.pull(bays.machine.state(), "1"))
    seen = bays.look()
    assert unmet(seen, hand().expects) == []
    failed = Problem("error", "storcli64", "The controller did not answer.", None, "unread")
    inventory = msgspec.structs.replace(seen.inventory, problems=(*seen.inventory.problems, failed))
    assert unmet(msgspec.structs.replace(seen, inventory=inventory), hand().expects) == [
        "it is unknown whether serial:LABD00001 is present"
    ]


@pytest.mark.parametrize(
    ("drive", "missing"),
    [("threeware:0/p3", ["it is unknown whether threeware:0/p3 is present"]), ("md:md0/sdz", [])],
)
def test_a_drive_is_unknown_if_the_tool_of_its_controller_is_missing(
    bays: Bench, drive: str, missing: list[str]
) -> None:
    """A missing tool makes the drives of its controller unknown. It does not affect those of a listed controller."""
    failed = Problem("error", "tw_cli", "The tool is installed but could not be started.", None, "no_tool")
    seen = bays.look()
    inventory = msgspec.structs.replace(seen.inventory, problems=(failed,))
    gone = Expectation(object_id=drive, field="present", value="no")
    assert unmet(msgspec.structs.replace(seen, inventory=inventory), [gone]) == missing


def test_an_unknown_value_meets_no_expectation(bays: Bench) -> None:
    """Neither an unknown value nor a list compared with a word meets an expectation."""
    seen = bays.look()
    controllers = tuple(
        msgspec.structs.replace(
            one, volumes=tuple(msgspec.structs.replace(volume, status="unknown") for volume in one.volumes)
        )
        for one in seen.inventory.controllers
    )
    unknown = msgspec.structs.replace(
        seen, inventory=msgspec.structs.replace(seen.inventory, controllers=controllers)
    )  # fmt: skip
    checking = Expectation(object_id="md:md0", field="status", op="is_not", value="checking")
    assert unmet(seen, [checking]) == []
    assert unmet(unknown, [checking]) == ["status of md:md0 is unknown"]
    drives = Expectation(object_id="md:md0/array", field="drives", value="md:md0/sdx")
    assert unmet(seen, [msgspec.structs.replace(drives, op="lacks")]) == []
    assert unmet(seen, [drives])
    assert unmet(seen, [msgspec.structs.replace(drives, op="is_not")])
    assert unmet(seen, [msgspec.structs.replace(checking, op="lacks")])


@pytest.mark.parametrize(
    ("drive", "field", "open_"),
    [
        ({"role": "unassigned"}, "array", False), ({"role": None}, "array", True), ({"role": None}, "role", True),
        ({"role": "unassigned", "foreign": None}, "foreign", True),
        ({"role": "unassigned", "status": "unknown"}, "status", True),
    ],
)  # fmt: skip
def test_a_missing_value_is_undecided_if_every_object_has_one(
    bays: Bench, drive: dict[str, Any], field: str, open_: bool
) -> None:
    """A drive of known use without an array is in none. Without its state or use, a later reading may show it."""
    seen = bays.look()
    one = Controller(id="x:0", drives=(Drive(id="x:0/1", **drive),))
    seen = msgspec.structs.replace(seen, inventory=msgspec.structs.replace(seen.inventory, controllers=(one,)))
    wanted = [Expectation(object_id="x:0/1", field=field, value="other")]
    assert unmet(seen, wanted)
    assert undecided(seen, wanted) == (unmet(seen, wanted) if open_ else [])


def interrupted(machine: Bench, *, late: bool) -> Bench:
    """Add a spare and press Ctrl-C after the tool accepted. ``late``: it takes effect 5 s later."""
    change = machine.change(machine.plan(deed("add_spare", 4)))

    def stop() -> None:
        raise KeyboardInterrupt

    def add(state: State) -> State:
        reply = simulator.change(("mdadm", "/dev/md0", "--add-spare", "/dev/sdd"), state)
        assert reply is not None
        return dict(reply.state)

    machine.behaviour, machine.match = "accepts and does nothing", "--add-spare"
    sleeps = iter((lambda: None, stop))

    def sleep(seconds: float) -> None:
        next(sleeps, lambda: None)()
        machine.sleep(seconds)

    change.sleep = sleep
    machine.events = [(machine.at + 5.0, add)] if late else []
    with pytest.raises(KeyboardInterrupt):
        change.apply()
    return machine


def test_a_command_that_takes_effect_after_an_interruption_is_undone(bays: Bench) -> None:
    """After Ctrl-C, raidctl waits for the command, and undoes it. It waits as long as the command may take."""
    assert interrupted(bays, late=True).member("LABD00004") is None
    assert bays.argvs[-1] == ("mdadm", "/dev/md0", "--remove", "/dev/sdd")
    assert marks(bays) == ["start", "undo", "undone", "undone"]


def test_a_command_without_effect_within_its_time_is_not_undone(bays: Bench) -> None:
    """The machine is unchanged, so no undo is run."""
    assert interrupted(bays, late=False).member("LABD00004") is None
    assert (len(bays.argvs), marks(bays)) == (1, ["start", "undone"])


def test_restore_carries_out_no_deed(tmp_path: Path) -> None:
    """Restore changes no members: it reports the state and ends the operation."""
    for at in range(2):
        machine = bench(tmp_path / str(at))
        change = machine.change(machine.plan(deed("fail", 1), deed("remove", 1)))
        _killed(machine, change.apply, at)
        before, count = machine.member("LABD00001"), len(machine.argvs)
        [result] = machine.restored()
        assert (machine.member("LABD00001"), len(machine.argvs)) == (before, count)
        assert machine.journal.pending() == []
        assert bool(result.left) is True


def _killed(machine: Bench, act: Callable[[], object], at: int) -> None:
    """Run something in a separate process that is killed. The kill is before its changing request of this number."""
    counts = iter(range(100))
    machine.before = lambda _: os._exit(1) if next(counts) == at else None
    child = os.fork()
    if child == 0:
        try:
            act()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    machine.before = lambda _: None


def test_a_temporary_setting_of_an_operation_is_restored(tmp_path: Path) -> None:
    """Restore undoes the temporary setting, and leaves the operation open."""
    machine = bench(tmp_path / "rate")
    step = Step(
        object_id="md:md0", setting="indicator", before="off", after="on", for_length=True, readable=False,
        action=Action(path="/sys/block/md0/md/sync_speed_max", data="1"),
        undo=Action(path="/sys/block/md0/md/sync_speed_max", data="system"),
    )  # fmt: skip
    change = machine.change(Plan(steps=(step, hand()), deeds=(deed("pull", 1),)), resume="raidctl replace resume ID")
    change.at_most = 0.0
    with pytest.raises(UnderWay):
        change.apply()
    [result] = machine.restored()
    assert machine.argvs[-1] == (">", "/sys/block/md0/md/sync_speed_max", "system")
    assert result.open is not None
    assert "Pull bay 1." in result.open
    assert [journaled.begin.kind for journaled in machine.journal.pending()] == ["operation"]
    machine.restored()
    assert len(machine.argvs) == 2


def test_a_confirmation_needs_the_end_of_a_unique_serial_number() -> None:
    """At least the last six characters of one drive's serial number confirm. An empty line does not."""
    others = {"ZC1A2B3D", "XX1A2B3C"}
    assert mismatch("ZC1A2B3C", "ZC1A2B3C", others) is None
    assert mismatch("c1a2b3c", "ZC1A2B3C", others) is None
    for typed in ("", "\n", "1A2B3C", "2B3C", "ZC1A2B", "ZC1A2B3D", "y", "yes"):
        assert mismatch(typed, "ZC1A2B3C", others) is not None, typed


def test_an_old_journal_is_read(tmp_path: Path) -> None:
    """A journal without deeds and kinds of steps is read."""
    old = (
        b'{"event":"begin","change":"a","at":"2026-01-01T00:00:00Z","kind":"set","about":"x","user":"root","pid":1,'
        b'"boot":"","source":"local","steps":[{"object_id":"md:md0","setting":"stripe_cache_size","before":"256",'
        b'"after":"512","action":{"path":"/sys/block/md0/md/stripe_cache_size","data":"512"},'
        b'"undo":{"path":"/sys/block/md0/md/stripe_cache_size","data":"256"}}]}\n'
    )
    (tmp_path / "journal.jsonl").write_bytes(old)
    (tmp_path / "journal.jsonl").chmod(0o600)
    [journaled] = Journal(tmp_path).changes()
    assert (journaled.begin.steps[0].kind, journaled.begin.steps[0].way_back) == ("setting", "same")


def test_the_simulated_machine_behaves_like_the_kernel(tmp_path: Path) -> None:
    """A spare replaces a pulled member. A new drive gets the old device name."""
    machine = bench(tmp_path / "m", definition())
    change = machine.change(machine.plan(deed("add_spare", 4)))
    change.apply()
    machine.machine.keep(simulator.pull(machine.machine.state(), "1"))
    assert (machine.member("LABD00001"), machine.member("LABD00004")) == (None, "rebuilding")
    machine.machine.keep(simulator.push(machine.machine.state(), "1", "LABD00005"))
    assert machine.look().view.block("/dev/sda").serial == "LABD00005"  # type: ignore[union-attr]  # it is there
    machine.sleep(700)
    assert machine.member("LABD00004") == "in_sync"


@pytest.mark.parametrize(
    ("family", "code", "answer", "objection"),
    [
        ("megaraid", 0, "CLI Version = 7\nStatus = Failure\nDescription = No such drive\n", "No such drive"),
        ("smartarray", 0, "\nError: The specified drive is in use.\n", "Error: The specified drive is in use."),
        ("threeware", 0, "Error: (CLI:008) Invalid drive.\n", "Error: (CLI:008) Invalid drive."),
        ("areca", 0, "ErrMsg<-Bad drive>\n", "ErrMsg<-Bad drive>"),
        ("adaptec", 0, "Command failed.\n", "tool ended with exit code 0"),
        ("md", 0, "", None), ("md", 1, "mdadm: no such drive\n", "no such drive"),
        ("of no vendor", 0, "", None), ("of no vendor", 2, "no such drive\n", "no such drive"),
        ("of no vendor", 2, "", "no message; exit code 2"),
    ],
)  # fmt: skip
def test_a_tools_refusal_is_one_whatever_its_exit_code(
    family: str, code: int, answer: str, objection: str | None
) -> None:
    """Tools of controllers refuse a command with exit code 0, too: their words count. For others, the code does."""
    made = judged(vendors()[0], f"{family}:0", Action(argv=("tool",)), RunAnswer(code=code, out=answer.encode()))
    assert made == objection
