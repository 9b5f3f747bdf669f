"""A replacement whose tool does not do what it reports.

It runs on every family that has bays, also with ambiguous objects.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import structs

from raidctl.errors import CannotTell, ChangeNotUndone, ChangeUndone, UnderWay, UsageError
from raidctl.operate.first_facts_behind import facts_behind
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed
from raidctl_areca.simulator_bays import renumber
from tests.change.md_machine import VENDORS, Bench
from tests.operate.controllers.outcomes import applied
from tests.operate.controllers.simulated import LATER, PULLED, PUSHED, ControllerReplacement, every, replacement_on
from tests.support.misbehaving_tools import Behaviour

BEHAVIOURS: tuple[Behaviour, ...] = (
    "refuses", "is not supported", "refuses and changes", "accepts and does nothing", "hangs", "hangs after the change",
    "prints nothing", "another instance runs", "another instance runs after the change",
)  # fmt: skip


def commands(name: str, place: Path) -> list[str]:
    """The commands of a whole replacement, without the tool."""
    replacement = replacement_on(name, place)
    replacement.hands()
    replacement.run()
    return [" ".join(argv[1:]) for argv in replacement.bench.argvs]


def carried_on(replacement: ControllerReplacement, *, again: bool) -> None:
    """Run the replacement, or continue the open one."""

    def pull() -> None:
        if replacement.bench.machine.bay_of(replacement.old.serial or "") is not None or replacement.new() is None:
            try:
                replacement.pull()
            except UsageError:
                return  # it was pulled already

    def push() -> None:
        if replacement.new() is None:
            replacement.push()

    replacement.bench.moments = [(replacement.bench.at + PULLED, pull), (replacement.bench.at + PUSHED, push)]
    if again and replacement.bench.journal.pending():
        replacement.resume()
    elif not again or replacement.new() is None:
        replacement.run()


@pytest.mark.slow
@every
def test_whatever_a_tool_answers_the_replacement_can_be_continued(name: str, tmp_path: Path) -> None:
    """In every behaviour of every command, nothing undone is called done. With a tool that obeys, all is done."""
    for number, words in enumerate(dict.fromkeys(commands(name, tmp_path / "whole"))):
        for behaviour in BEHAVIOURS:
            replacement = replacement_on(name, tmp_path / f"{number}-{behaviour.replace(' ', '-')}")
            replacement.bench.behaviour, replacement.bench.match = behaviour, words
            with suppress(UnderWay, ChangeNotUndone, ChangeUndone):
                carried_on(replacement, again=False)
            replacement.bench.behaviour = "accepts"
            for _ in range(2):  # a command that is refused after others were undone begins the replacement again
                replacement.bench.machine.pass_time(LATER)  # an undone member is rebuilt
                if replacement.bench.journal.pending() or replacement.new() is None:
                    carried_on(replacement, again=True)
            assert replacement.now()[1].status == "ok", (words, behaviour)
            assert replacement.bench.journal.pending() == [], (words, behaviour)


@pytest.mark.parametrize("when", ["never", "before the command", "after the command"])
def test_guard_X2_numbers_that_move_meanwhile_hit_nothing_else(when: str, tmp_path: Path) -> None:
    """No command runs on the wrong volume if its number changes.

    Somebody else gives the volumes other numbers. The state of a wrong one proves nothing.
    """
    bench = Bench(tmp_path, machine("1882", VENDORS, tmp_path / "machine"), recorded="1882")

    def rename(demo: Simulated) -> None:
        demo.keep(renumber(demo.state(), "1", "2"))

    def shown() -> dict[str | None, tuple[str, str]]:
        return {one.name: (one.id, one.status) for one in bench.look().inventory.controllers[0].volumes}

    assert shown() == {"archive": ("areca:1/v1", "ok"), "system": ("areca:1/v2", "ok")}
    plan = bench.plan(Deed(object_id="areca:1/v1", verb="start_check"))
    assert not plan.denials
    change = bench.change(plan)
    if when == "before the command":
        rename(bench.machine)
    bench.behaviour, bench.otherwise = ("renamed meanwhile" if when == "after the command" else "accepts"), rename
    ended = applied(change)
    here, there = ("v1", "v2") if when == "never" else ("v2", "v1")
    begun = when != "before the command"
    assert shown() == {
        "archive": (f"areca:1/{here}", "checking" if begun else "ok"), "system": (f"areca:1/{there}", "ok")
    }  # fmt: skip
    assert [argv[1:] for argv in bench.argvs] == ([("vsf", "check", "vol=1")] if begun else [])
    error = {"never": None, "before the command": ChangeUndone, "after the command": ChangeNotUndone}[when]
    assert ended is None if error is None else isinstance(ended, error), ended
    assert change.doubtful == (when == "after the command")
    assert [one.unconfirmed for one in bench.journal.pending()] == [True] * (error is ChangeNotUndone)


@every
def test_guard_X1_ambiguous_objects_are_refused(name: str, tmp_path: Path) -> None:
    """Nothing is begun with ambiguous objects.

    Two drives with one serial number or two volumes with one identity are ambiguous, and so are objects without any.
    """
    replacement = replacement_on(name, tmp_path)
    seen = replacement.bench.look()
    controller, volume = replacement.now()

    def begin(**changes: object) -> None:
        changed = structs.replace(controller, **changes)
        others = [one for one in seen.inventory.controllers if one.id != controller.id]
        inventory = structs.replace(seen.inventory, controllers=(*others, changed))
        old = next(one for one in changed.drives if one.id == replacement.old.id)
        facts_behind(Survey(**{**structs.asdict(seen), "inventory": inventory}), changed, old)

    begin()
    twin = next(one for one in controller.drives if one.id != replacement.old.id)
    drives = [structs.replace(one, serial=replacement.old.serial) if one is twin else one for one in controller.drives]
    silent = [structs.replace(one, serial=None, wwn=None) for one in controller.drives]
    same = [structs.replace(volume, unique_id="X", id=f"{controller.id}/v{number}") for number in (90, 91)]
    nameless = [structs.replace(one, unique_id=None) for one in controller.volumes]
    for changes in (
        {"drives": tuple(drives)}, {"drives": tuple(silent)}, {"volumes": tuple(same)},
        {"volumes": tuple(nameless), "serial": None},
    ):  # fmt: skip
        with pytest.raises(CannotTell):
            begin(**changes)


def unreadable(replacement: ControllerReplacement, begin: float, end: float) -> None:
    """Let another instance of the controller's tool block reading. It does so between two moments of the clock."""
    runner, tool = replacement.bench.runner, replacement.now()[0].id.partition(":")[0]
    paths = {one.path or one.name for one in replacement.bench.look().inventory.tools}
    names = {one.name for one in replacement.bench.look().inventory.tools}
    runner.match = "no command"

    def taken(*, by: str | None) -> None:
        runner.behaviour, runner.taken = ("another instance runs" if by is not None else "accepts"), by

    for word in sorted(paths | names):
        taken(by=word)
        if not any(one.id.startswith(tool) for one in replacement.bench.look().inventory.controllers):
            break
    else:
        pytest.fail("no tool of the machine hides its controller")
    taken(by=None)
    replacement.bench.moments += [(begin, lambda: taken(by=word)), (end, lambda: taken(by=None))]


@every
@pytest.mark.parametrize(("begin", "end"), [(30.0, 45.0), (70.0, 95.0), (300.0, 900.0)])
def test_a_reading_that_fails_while_somebody_is_waited_for_ends_nothing(
    begin: float, end: float, name: str, tmp_path: Path
) -> None:
    """A failed reading is reported, nothing follows, and the replacement ends.

    It fails before the pull, before the push, and in the rebuild.
    """
    replacement = replacement_on(name, tmp_path)
    replacement.hands()
    unreadable(replacement, begin, end)
    replacement.run()
    assert replacement.now()[1].status == "ok"
    assert replacement.bench.journal.pending() == []
    reported = [text for text in replacement.bench.printed if "could not be read" in text.lower()]
    assert len(reported) == 1
    assert "gone" not in reported[0]


@every
def test_a_machine_that_stays_unreadable_ends_the_wait_only(name: str, tmp_path: Path) -> None:
    """After 15 unreadable minutes, nothing is undone, no drive has to be put back, and the replacement stays open."""
    replacement = replacement_on(name, tmp_path)
    replacement.hands()
    unreadable(replacement, 20.0, 2000.0)
    with pytest.raises(UnderWay, match=r"For 15 minutes the machine could not be read.*Continue with"):
        replacement.run()
    assert replacement.bench.at < 1000.0
    assert replacement.bench.journal.changes()[-1].events[-1].mark == "stopped"
    with pytest.raises(UnderWay, match="Not read: "):
        replacement.resume()
    replacement.bench.sleep(2000.0)
    replacement.resume()
    assert (replacement.now()[1].status, replacement.bench.journal.pending()) == ("ok", [])
