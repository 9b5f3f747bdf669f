"""What restore undoes, and what it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.engine import READ_DELAYS, Change, begin, plan
from raidctl.change.journal import Begin, Entry, Journal, JournalFull, StepEvent, Subject
from raidctl.change.restore import Restorer
from raidctl.change.restored import Restored
from raidctl.change.rollback import UndoStep, undo_steps
from raidctl.change.state_directory import Holder, hold
from raidctl.model import Controller, Drive, Host, Inventory
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.plan import Action, Desired, Step
from raidctl.vendor.registry import vendors
from tests.change.faulty import Faulty
from tests.change.harness import rewrite

VENDORS = vendors()[0]
RATIO = "slot=1/cacheratio"
DRIVES = "slot=1/drivewritecache"
CACHING = "slot=1/ld 1/arrayaccelerator"

pytestmark = pytest.mark.usefixtures("alone")


def quiet(_: object) -> None:
    """Print nothing and do not wait."""


class Machine:
    """A machine with a change that was never ended."""

    def __init__(self, simulated: Simulated, place: Path) -> None:
        self.simulated = simulated
        self.place = place
        self.journal = Journal(place)
        seen = self.look()
        desired = [
            Desired(object_id="smartarray:1/v1", setting="drive_write_cache", value="enabled"),
            Desired(object_id="smartarray:1", setting="cache_split", value="50/50"),
        ]
        made = plan(seen.inventory, VENDORS, desired, unsafe=True)
        entry = begin("batch", made, seen.inventory, about="load", source="local")
        self.before = simulated.state()
        Change(entry, self.journal, simulated, self.look, VENDORS, quiet).apply()

    def look(self) -> Survey:
        """Read the machine."""
        return survey(self.simulated, VENDORS)

    def restore(self) -> list[Restored]:
        """Undo what is open."""
        here = Restorer(self.journal, self.place, self.simulated, self.look, VENDORS, "local", quiet, sleep=quiet)
        return here.restore()


@pytest.fixture
def machine(p400: Simulated, tmp_path: Path) -> Machine:
    """A machine whose raidctl has gone."""
    return Machine(p400, tmp_path)


@pytest.mark.parametrize(
    ("at", "waits"),
    [("2020-01-01T00:00:00Z", False), ("2099-01-01T00:00:00Z", True), ("2020-01-01T00:00:00", True), ("?", True)],
    ids=["long ago", "in the future", "without a zone", "unreadable"],
)
def test_restore_waits_for_a_command_that_may_just_have_run(machine: Machine, at: str, *, waits: bool) -> None:
    """Its effect may come later. A command of unknown age may just have run."""
    last = machine.journal.pending()[0].events[-1].at
    rewrite(machine.journal, {last: at})
    pauses: list[float] = []
    sleep = pauses.append
    Restorer(
        machine.journal, machine.place, machine.simulated, machine.look, VENDORS, "local", quiet, sleep=sleep
    ).restore()
    assert (READ_DELAYS[-1] in pauses[:1]) is waits
    assert machine.simulated.state() == machine.before


def test_restore_undoes_a_change(machine: Machine) -> None:
    """All settings have their previous values, and the change has an end."""
    [result] = machine.restore()
    assert machine.simulated.state() == machine.before
    assert len(result.put_back) == 2
    assert not machine.journal.pending()


def test_a_second_restore_does_nothing(machine: Machine) -> None:
    """A second restore finds nothing to undo."""
    machine.restore()
    assert machine.restore() == []
    assert machine.simulated.state() == machine.before


def test_a_value_set_by_another_program_is_kept(machine: Machine) -> None:
    """A setting with neither previous nor changed value is kept and reported. The others are restored."""
    machine.simulated.keep(machine.simulated.state() | {RATIO: "75/25"})
    [result] = machine.restore()
    assert machine.simulated.state() == machine.before | {RATIO: "75/25"}
    assert "75/25" in result.left[0]
    assert not machine.journal.pending()


def test_a_setting_with_its_previous_value_is_unchanged(machine: Machine) -> None:
    """A setting that already has its previous value needs no command."""
    machine.simulated.keep(machine.before)
    [result] = machine.restore()
    assert (result.put_back, result.left, result.faults) == ([], [], [])


def test_another_controller_in_the_slot_is_unchanged(machine: Machine) -> None:
    """A controller with another serial number is not changed. The change stays open."""
    [journaled] = machine.journal.pending()
    rewrite(machine.journal, {"P61630K9QX11RD": "P61630K9QX99ZZ"})
    current = machine.simulated.state()
    [result] = machine.restore()
    assert "another controller" in result.faults[0]
    assert machine.simulated.state() == current
    assert machine.journal.pending()[0].begin.change == journaled.begin.change


def test_a_change_under_way_is_not_undone(machine: Machine) -> None:
    """While the controller is locked, restore changes nothing and names the holder."""
    current = machine.simulated.state()
    with hold(
        machine.place, ["smartarray:1"], Holder(change="c1", pid=1, since="now", about="the load"), source="demo:p400"
    ):
        [result] = machine.restore()
    assert "the load" in (result.busy or "")
    assert machine.simulated.state() == current
    assert machine.journal.pending()


def test_a_change_of_another_machine_is_skipped(machine: Machine) -> None:
    """Changes over ssh are undone on their machine only."""
    here = Restorer(machine.journal, machine.place, machine.simulated, machine.look, VENDORS, "ssh:far", quiet)
    assert here.restore() == []
    assert machine.journal.pending()


def test_a_refused_undo_leaves_the_change_open(machine: Machine) -> None:
    """The failed setting is reported, and tried again by the next restore."""
    refusing = Faulty(machine.simulated, fault="refuses", at=0, changes_only=True)
    here = Restorer(machine.journal, machine.place, refusing, machine.look, VENDORS, "local", quiet, sleep=quiet)
    [result] = here.restore()
    assert any("operation failed" in fault for fault in result.faults)
    assert machine.simulated.state()[DRIVES] == machine.before[DRIVES]
    assert machine.simulated.state()[RATIO] != machine.before[RATIO]
    assert machine.journal.pending()


def test_a_full_file_system_does_not_block_restore(machine: Machine) -> None:
    """The settings are restored although the journal takes no line. The change stays open."""

    class Full(Journal):
        """A journal on a full file system."""

        def append(self, entry: Entry) -> None:
            """Refuse every line."""
            raise JournalFull(f"no room for {entry.change}.")

    here = Restorer(
        Full(machine.place), machine.place, machine.simulated, machine.look, VENDORS, "local", quiet, sleep=quiet
    )
    [result] = here.restore()
    assert machine.simulated.state() == machine.before
    assert "All settings are restored, but no room" in result.faults[0]
    assert [item.put_back for item in machine.restore()] == [[]]
    assert not machine.journal.pending()


def test_several_changes_of_one_setting_are_undone_the_newest_first(machine: Machine) -> None:
    """The value before the first change is restored."""
    [journaled] = machine.journal.pending()
    steps = tuple(
        replace(step, before="50/50", after="75/25") for step in journaled.begin.steps if step.setting == "cacheratio"
    )
    undo = Action(argv=("hpacucli", "ctrl", "slot=1", "modify", "cacheratio=50/50", "forced"))
    second = replace(journaled.begin, change="c2", steps=(replace(steps[0], undo=undo),), was=())
    machine.journal.append(second)
    machine.journal.append(StepEvent(change="c2", at=journaled.begin.at, step=0, mark="start"))
    machine.simulated.keep(machine.simulated.state() | {RATIO: "75/25"})
    assert [result.faults for result in machine.restore()] == [[], []]
    assert machine.simulated.state() == machine.before


def test_an_older_change_waits_for_the_newer_one(machine: Machine) -> None:
    """If the newer change cannot be undone, the older one waits. The next restore undoes both."""
    [journaled] = machine.journal.pending()
    [ratio] = [step for step in journaled.begin.steps if step.setting == "cacheratio"]
    undo = Action(argv=("hpacucli", "ctrl", "slot=1", "modify", "cacheratio=50/50", "forced"))
    second = replace(
        journaled.begin, change="c2", steps=(replace(ratio, before="50/50", after="75/25", undo=undo),), was=()
    )
    machine.journal.append(second)
    machine.journal.append(StepEvent(change="c2", at=journaled.begin.at, step=0, mark="start"))
    machine.simulated.keep(machine.simulated.state() | {RATIO: "75/25"})
    refusing = Faulty(machine.simulated, fault="refuses", at=0, changes_only=True)
    here = Restorer(machine.journal, machine.place, refusing, machine.look, VENDORS, "local", quiet, sleep=quiet)
    assert [bool(result.faults) for result in here.restore()] == [True, True]
    assert [result.faults for result in machine.restore()] == [[], []]
    assert machine.simulated.state() == machine.before


def test_a_setting_that_a_reboot_has_reset_is_kept(machine: Machine) -> None:
    """A setting that a reboot resets is not restored after one."""
    [journaled] = machine.journal.pending()
    steps = tuple(replace(step, persistent=False) for step in journaled.begin.steps)
    old = replace(journaled, begin=replace(journaled.begin, boot="an earlier one", steps=steps))
    machine.simulated.keep(machine.simulated.state() | {RATIO: "75/25"})
    here = Restorer(machine.journal, machine.place, machine.simulated, machine.look, VENDORS, "local", quiet)
    assert "rebooted since" in here.put_back(old).left[0]


def test_a_setting_that_depends_on_another_one_is_restored_after_it(machine: Machine) -> None:
    """The volume is restored before the cache split. The split is not reported while no volume uses the cache."""
    [journaled] = machine.journal.pending()
    [ratio] = [step for step in journaled.begin.steps if step.setting == "cacheratio"]
    words = ("hpacucli", "ctrl", "slot=1", "ld", "1", "modify")
    caching = Step(
        object_id="smartarray:1/v1", setting="arrayaccelerator", before="enable", after="disable",
        action=Action(argv=(*words, "arrayaccelerator=disable", "forced")),
        undo=Action(argv=(*words, "arrayaccelerator=enable", "forced")),
    )  # fmt: skip
    events = tuple(
        StepEvent(change=journaled.begin.change, at=journaled.begin.at, step=number, mark="start") for number in (0, 1)
    )
    both = replace(journaled, begin=replace(journaled.begin, steps=(ratio, caching), was=()), events=events)
    machine.simulated.keep(machine.before | {RATIO: ratio.after, CACHING: "disable"})
    here = Restorer(machine.journal, machine.place, machine.simulated, machine.look, VENDORS, "local", quiet, quiet)
    assert here.put_back(both).faults == []
    assert machine.simulated.state() == machine.before


@pytest.mark.parametrize(("node", "run"), [("/dev/sda", True), ("/dev/sdb", False)])
def test_a_command_of_the_journal_is_not_run_on_another_node(node: str, run: bool) -> None:
    """A journal's command is run only if the node is the same. After a reboot, the node may be another drive."""
    step = Step(
        object_id="drives:S1", setting="write-cache", before="1", after="0",
        undo=Action(argv=("hdparm", "-W1", "/dev/sda")),
    )  # fmt: skip
    subject = Subject(id="drives:0000:00:17.0", objects={"drives:S1": "/dev/sda"})
    begin = Begin(
        change="one", at="2026-01-01T00:00:00Z", kind="batch", about="", user="root", pid=1, boot="", source="local",
        subjects=(subject,), steps=(step,),
    )  # fmt: skip
    drive = Drive(id="drives:S1", device=node, role="passthrough")
    controller = Controller(id=subject.id, mode="none", drives=(drive,))
    [back] = undo_steps(begin, [0], Inventory(host=Host(), controllers=(controller,)), VENDORS)
    assert isinstance(back, UndoStep)
    assert back.action == (step.undo if run else None)
