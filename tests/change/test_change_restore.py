"""What restore puts back, and what it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.engine import Change, begin, plan
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
    """Say nothing."""


class Machine:
    """A machine with a change on it that was never ended."""

    def __init__(self, simulated: Simulated, place: Path) -> None:
        self.simulated = simulated
        self.place = place
        self.journal = Journal(place)
        seen = self.look()
        wishes = [
            Desired(object_id="smartarray:1/v1", setting="drive_write_cache", value="enabled"),
            Desired(object_id="smartarray:1", setting="cache_split", value="50/50"),
        ]
        made = plan(seen.inventory, VENDORS, wishes, unsafe=True)
        story = begin("batch", made, seen.inventory, about="load", source="local")
        self.before = simulated.state()
        Change(story, self.journal, simulated, self.look, VENDORS, quiet).apply()

    def look(self) -> Survey:
        """Read the state."""
        return survey(self.simulated, VENDORS)

    def restore(self) -> list[Restored]:
        """Put back what is open."""
        here = Restorer(self.journal, self.place, self.simulated, self.look, VENDORS, "local", quiet, sleep=quiet)
        return here.restore()


@pytest.fixture
def machine(p400: Simulated, tmp_path: Path) -> Machine:
    """A machine whose raidctl is gone."""
    return Machine(p400, tmp_path)


def test_restore_puts_back_what_was_changed(machine: Machine) -> None:
    """All knobs stand as before, and the story has an end."""
    [result] = machine.restore()
    assert machine.simulated.state() == machine.before
    assert len(result.put_back) == 2
    assert not machine.journal.pending()


def test_restore_twice_is_restore_once(machine: Machine) -> None:
    """The second time there is nothing to do."""
    machine.restore()
    assert machine.restore() == []
    assert machine.simulated.state() == machine.before


def test_what_somebody_else_has_changed_is_left(machine: Machine) -> None:
    """A setting that is neither what was there nor what raidctl has set stays, and is named; the others go back."""
    machine.simulated.keep(machine.simulated.state() | {RATIO: "75/25"})
    [result] = machine.restore()
    assert machine.simulated.state() == machine.before | {RATIO: "75/25"}
    assert "75/25" in result.left[0]
    assert not machine.journal.pending()


def test_what_somebody_else_has_put_back_needs_nothing(machine: Machine) -> None:
    """A setting that stands as before is not touched."""
    machine.simulated.keep(machine.before)
    [result] = machine.restore()
    assert (result.put_back, result.left, result.faults) == ([], [], [])


def test_another_card_in_the_slot_is_not_touched(machine: Machine) -> None:
    """The serial number tells that it is not the card that was changed; the change stays open."""
    [story] = machine.journal.pending()
    rewrite(machine.journal, {"P61630K9QX11RD": "P61630K9QX99ZZ"})
    stand = machine.simulated.state()
    [result] = machine.restore()
    assert "another controller" in result.faults[0]
    assert machine.simulated.state() == stand
    assert machine.journal.pending()[0].begin.change == story.begin.change


def test_a_change_under_way_is_left_to_its_raidctl(machine: Machine) -> None:
    """While somebody holds the controller, restore does nothing and says who."""
    stand = machine.simulated.state()
    with hold(
        machine.place, ["smartarray:1"], Holder(change="c1", pid=1, since="now", about="the load"), source="demo:p400"
    ):
        [result] = machine.restore()
    assert "the load" in (result.busy or "")
    assert machine.simulated.state() == stand
    assert machine.journal.pending()


def test_a_change_of_another_machine_is_not_this_ones(machine: Machine) -> None:
    """A journal may hold changes of machines that were reached over ssh: they are put back there only."""
    here = Restorer(machine.journal, machine.place, machine.simulated, machine.look, VENDORS, "ssh:far", quiet)
    assert here.restore() == []
    assert machine.journal.pending()


def test_a_tool_that_refuses_to_go_back_leaves_the_change_open(machine: Machine) -> None:
    """What could not be put back is said, and tried again the next time."""
    refusing = Faulty(machine.simulated, fault="refuses", at=0, changes_only=True)
    here = Restorer(machine.journal, machine.place, refusing, machine.look, VENDORS, "local", quiet, sleep=quiet)
    [result] = here.restore()
    assert any("operation failed" in fault for fault in result.faults)
    assert machine.simulated.state()[DRIVES] == machine.before[DRIVES]
    assert machine.simulated.state()[RATIO] != machine.before[RATIO]
    assert machine.journal.pending()


def test_a_full_disk_keeps_nothing_from_being_put_back(machine: Machine) -> None:
    """The journal takes no line: the settings go back all the same, and the change stays open and is said."""

    class Full(Journal):
        """A journal on a full disk."""

        def append(self, entry: Entry) -> None:
            """Refuse."""
            raise JournalFull(f"no room for {entry.change}.")

    here = Restorer(
        Full(machine.place), machine.place, machine.simulated, machine.look, VENDORS, "local", quiet, sleep=quiet
    )
    [result] = here.restore()
    assert machine.simulated.state() == machine.before
    assert "All settings are put back, but no room" in result.faults[0]
    assert [item.put_back for item in machine.restore()] == [[]]
    assert not machine.journal.pending()


def test_several_changes_of_one_knob_are_undone_the_newest_first(machine: Machine) -> None:
    """What was there before the first is what is there after all."""
    [story] = machine.journal.pending()
    steps = tuple(
        replace(step, before="50/50", after="75/25") for step in story.begin.steps if step.setting == "cacheratio"
    )
    undo = Action(argv=("hpacucli", "ctrl", "slot=1", "modify", "cacheratio=50/50", "forced"))
    second = replace(story.begin, change="c2", steps=(replace(steps[0], undo=undo),), was=())
    machine.journal.append(second)
    machine.journal.append(StepEvent(change="c2", at=story.begin.at, step=0, mark="start"))
    machine.simulated.keep(machine.simulated.state() | {RATIO: "75/25"})
    assert [result.faults for result in machine.restore()] == [[], []]
    assert machine.simulated.state() == machine.before


def test_an_older_change_waits_for_the_newer_one(machine: Machine) -> None:
    """When that cannot be put back, what it has set is not taken for somebody else's; the next restore does both."""
    [story] = machine.journal.pending()
    [ratio] = [step for step in story.begin.steps if step.setting == "cacheratio"]
    undo = Action(argv=("hpacucli", "ctrl", "slot=1", "modify", "cacheratio=50/50", "forced"))
    second = replace(
        story.begin, change="c2", steps=(replace(ratio, before="50/50", after="75/25", undo=undo),), was=()
    )
    machine.journal.append(second)
    machine.journal.append(StepEvent(change="c2", at=story.begin.at, step=0, mark="start"))
    machine.simulated.keep(machine.simulated.state() | {RATIO: "75/25"})
    refusing = Faulty(machine.simulated, fault="refuses", at=0, changes_only=True)
    here = Restorer(machine.journal, machine.place, refusing, machine.look, VENDORS, "local", quiet, sleep=quiet)
    assert [bool(result.faults) for result in here.restore()] == [True, True]
    assert [result.faults for result in machine.restore()] == [[], []]
    assert machine.simulated.state() == machine.before


def test_a_setting_that_a_reboot_has_set_is_nobodys(machine: Machine) -> None:
    """What does not outlast a reboot is left as the machine came up with it, and nobody is blamed."""
    [story] = machine.journal.pending()
    steps = tuple(replace(step, persistent=False) for step in story.begin.steps)
    old = replace(story, begin=replace(story.begin, boot="an earlier one", steps=steps))
    machine.simulated.keep(machine.simulated.state() | {RATIO: "75/25"})
    here = Restorer(machine.journal, machine.place, machine.simulated, machine.look, VENDORS, "local", quiet)
    assert "rebooted since" in here.put_back(old).left[0]


def test_what_is_told_only_when_something_else_is_back_is_put_back_then(machine: Machine) -> None:
    """The tool tells of no split while no volume uses the cache: not before the caching is on again."""
    [story] = machine.journal.pending()
    [ratio] = [step for step in story.begin.steps if step.setting == "cacheratio"]
    words = ("hpacucli", "ctrl", "slot=1", "ld", "1", "modify")
    caching = Step(
        object_id="smartarray:1/v1", setting="arrayaccelerator", before="enable", after="disable",
        action=Action(argv=(*words, "arrayaccelerator=disable", "forced")),
        undo=Action(argv=(*words, "arrayaccelerator=enable", "forced")),
    )  # fmt: skip
    turns = tuple(
        StepEvent(change=story.begin.change, at=story.begin.at, step=number, mark="start") for number in (0, 1)
    )
    both = replace(story, begin=replace(story.begin, steps=(ratio, caching), was=()), turns=turns)
    machine.simulated.keep(machine.before | {RATIO: ratio.after, CACHING: "disable"})
    here = Restorer(machine.journal, machine.place, machine.simulated, machine.look, VENDORS, "local", quiet, quiet)
    assert here.put_back(both).faults == []
    assert machine.simulated.state() == machine.before


@pytest.mark.parametrize(("node", "run"), [("/dev/sda", True), ("/dev/sdb", False)])
def test_a_command_of_the_journal_is_not_run_on_another_node(node: str, run: bool) -> None:
    """After a reboot the drive may have another node, and the one in the command may be another drive's."""
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
    card = Controller(id=subject.id, mode="none", drives=(drive,))
    [back] = undo_steps(begin, [0], Inventory(host=Host(), controllers=(card,)), VENDORS)
    assert isinstance(back, UndoStep)
    assert back.action == (step.undo if run else None)
