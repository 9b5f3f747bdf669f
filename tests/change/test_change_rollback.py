"""Undo on a machine that changed since: renumbered controllers, nodes or tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from raidctl.change.engine import Change, begin, plan
from raidctl.change.journal import Begin, Journal, JournaledChange, StepEvent, Subject
from raidctl.change.operation import effects
from raidctl.change.preview import preview
from raidctl.change.restore import Restorer
from raidctl.change.restored import Restored
from raidctl.errors import ChangeNotUndone
from raidctl.model import Controller, Drive, Host, Inventory, Volume
from raidctl.request import Answer, Request, Run, Runner
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import Survey, survey
from raidctl.units import timestamp
from raidctl.vendor.plan import Action, Desired, Expectation, Identity, Step
from raidctl.vendor.registry import vendors
from tests.change.faulty import Faulty
from tests.change.harness import rewrite

VENDORS = vendors()[0]

pytestmark = pytest.mark.usefixtures("alone")


def quiet(_: object) -> None:
    """Print nothing and do not wait."""


class Left:
    """A simulated machine with a change that was never ended."""

    def __init__(self, demo: str, place: Path, *desired: Desired) -> None:
        self.simulated: Simulated = machine(demo, VENDORS, place)
        self.before = self.simulated.state()
        self.journal = Journal(place)
        self.place = place
        if desired:
            seen = self.look()
            made = plan(seen.inventory, VENDORS, desired, unsafe=True)
            entry = begin("batch", made, seen.inventory, about="load", source="local", unsafe=True)
            Change(entry, self.journal, self.simulated, self.look, VENDORS, quiet, sleep=quiet).apply()
            assert self.simulated.state() != self.before

    def look(self) -> Survey:
        """Read the machine."""
        return survey(self.simulated, VENDORS)

    def rewrite(self, **words: str) -> None:
        """Rewrite names in the journal, as they were before a reboot."""
        rewrite(self.journal, words)

    def restore(self) -> Restored:
        """Undo what is open."""
        restorer = Restorer(self.journal, self.place, self.simulated, self.look, VENDORS, "local", quiet, sleep=quiet)
        [result] = restorer.restore()
        return result


def through(name: str) -> Desired:
    """Write-through for a volume."""
    return Desired(object_id=name, setting="write_policy", value="write_through")


def test_a_renumbered_controller_is_recognised_by_its_serial_number(tmp_path: Path) -> None:
    """A renumbered controller's volumes are restored with the current number. The journal's commands are not used."""
    left = Left("p400", tmp_path, through("smartarray:1/v1"))
    left.rewrite(**{"smartarray:1": "smartarray:7", "slot=1": "slot=7"})
    assert left.restore().faults == []
    assert left.simulated.state() == left.before
    assert not left.journal.pending()


def test_nothing_is_restored_while_a_tool_of_the_change_runs(tmp_path: Path) -> None:
    """A tool that outlives its killed raidctl could set the setting again. It is waited for, then restored."""
    left = Left("p400", tmp_path, through("smartarray:1/v1"))
    [journaled] = left.journal.pending()
    left.journal.append(StepEvent(change=journaled.begin.change, at=timestamp(), step=0, mark="start"))
    process = tmp_path / "processes" / "4711" / "cmdline"
    process.parent.mkdir(parents=True)
    process.write_text("\0".join(journaled.begin.steps[0].action.argv) + "\0")
    changed = left.simulated.state()
    [fault] = left.restore().faults
    assert fault.endswith("started by a killed raidctl, is still running")
    assert left.simulated.state() == changed
    assert left.journal.pending()
    process.unlink()
    assert left.restore().faults == []
    assert left.simulated.state() == left.before
    assert not left.journal.pending()


@pytest.mark.parametrize(
    ("serials", "hidden", "found"),
    [
        (("A", "B"), [], ["volume delete of megaraid:0/v3 has not taken effect"]),
        (("B", "A"), [], ["volume delete of megaraid:1/v3 has not taken effect"]),
        (("B", None), ["megaraid:0 is another controller now: serial number B instead of A"], []),
    ],
)
def test_the_effect_of_a_deed_is_looked_up_on_its_own_controller(
    serials: tuple[str, str | None], hidden: list[str], found: list[str]
) -> None:
    """A volume that another controller under this number does not have was not deleted."""
    gone = Expectation(object_id="megaraid:0/v3", field="present", value="no")
    step = Step(
        object_id="megaraid:0/v3", setting="volume_delete", before="present", after="gone", kind="deed",
        action=Action(argv=("storcli64", "/c0/v3", "del")), expects=(gone,),
    )  # fmt: skip
    entry = Begin(
        change="c", at=timestamp(), kind="operation", about="", user="root", pid=1, boot="", source="local",
        subjects=(Subject(id="megaraid:0", serial="A"),), steps=(step,),
    )  # fmt: skip
    controllers = tuple(
        Controller(
            id=f"megaraid:{number}", serial=serial,
            volumes=(Volume(id=f"megaraid:{number}/v3"),) if serial == "A" else (),
        )
        for number, serial in enumerate(serials)
    )  # fmt: skip
    seen = Survey(Inventory(host=Host(), controllers=controllers))
    begun = StepEvent(change="c", at=timestamp(), step=0, mark="start")
    assert effects(JournaledChange(begin=entry, events=(begun,)), seen)[:2] == (hidden, found)


def test_a_drive_with_another_node_is_recognised_by_its_serial_number(tmp_path: Path) -> None:
    """The undo uses the drive's current node. The journal's may be another drive."""
    desired = Desired(object_id="drives:HBN1K7Q2", setting="write_cache", value="disabled")
    left = Left("workstation", tmp_path, desired)
    [node] = {d.device for c in left.look().inventory.controllers for d in c.drives if d.id == desired.object_id}
    assert node is not None
    left.rewrite(**{node: "/dev/sdzz"})
    assert left.restore().faults == []
    assert left.simulated.state() == left.before


def test_a_drive_with_another_node_is_unchanged_without_a_plan(tmp_path: Path) -> None:
    """Without a planned undo, the old node's command is not run."""
    desired = Desired(object_id="drives:HBN1K7Q2", setting="write_cache", value="disabled")
    left = Left("workstation", tmp_path, desired)
    [node] = {d.device for c in left.look().inventory.controllers for d in c.drives if d.id == desired.object_id}
    left.rewrite(**{str(node): "/dev/sdzz", '"was":': '"once":'})
    current = left.simulated.state()
    assert "/dev/sdzz" in left.restore().faults[0]
    assert left.simulated.state() == current
    assert left.journal.pending()


def test_another_volume_of_the_same_number_is_unchanged(tmp_path: Path) -> None:
    """A deleted and recreated volume is not the one that was changed."""
    left = Left("p400", tmp_path, through("smartarray:1/v1"))
    [known] = {v.unique_id for c in left.look().inventory.controllers for v in c.volumes if v.id == "smartarray:1/v1"}
    assert known is not None
    left.rewrite(**{known: "600508B1001CFFFFFFFFFFFFFFFFFFFF"})
    current = left.simulated.state()
    [fault] = left.restore().faults
    assert "is another volume now" in fault
    assert fault.endswith("600508B1001CFFFFFFFFFFFFFFFFFFFF does not exist")
    assert left.simulated.state() == current
    assert left.journal.pending()


@pytest.mark.parametrize("was", ["protected_write_back", None])
def test_another_tool_undoes_the_change(tmp_path: Path, was: str | None) -> None:
    """The tool that is installed now restores the model's value. Without a tool, the fault has the old command."""
    left = Left("h730", tmp_path)
    name = "megaraid:0/v1"
    controller = next(controller for controller in left.look().inventory.controllers if controller.id == "megaraid:0")
    gone = Action(argv=("/opt/MegaRAID/MegaCli/MegaCli64", "-LDSetProp", "WB", "-L1", "-a0", "-NoLog"))
    step = Step(object_id=name, setting="WritePolicy", before="WB", after="WT", action=gone, undo=gone)
    entry = Begin(
        change="c1", at=timestamp(), kind="batch", about="load", user="ann", pid=7, boot="b", source="local",
        subjects=(Subject(id=controller.id, serial=controller.serial, objects={name: ""}),), desired=(through(name),),
        steps=(step,),
        was=(Desired(object_id=name, setting="write_policy", value=was),) if was else (),
    )  # fmt: skip
    left.journal.append(entry)
    left.journal.append(StepEvent(change="c1", at=timestamp(), step=0, mark="start"))
    seen = left.look()
    made = plan(seen.inventory, VENDORS, [through(name)], unsafe=False)
    left.simulated.carry_out([item.action.request() for item in made.steps])
    assert left.simulated.state() != left.before
    result = left.restore()
    if was is None:
        assert "MegaCli64 -LDSetProp WB" in result.faults[0]
        assert left.journal.pending()
    else:
        assert result.faults == []
        assert left.simulated.state() == left.before
        assert not left.journal.pending()


def test_present_drives_are_restored_although_one_is_missing(tmp_path: Path) -> None:
    """A missing drive does not block the others. The change stays open for it."""
    desired = [
        Desired(object_id=name, setting="write_cache", value="disabled")
        for name in ("drives:HBN1K7Q2", "drives:LM2204810077")
    ]
    left = Left("workstation", tmp_path, *desired)
    left.rewrite(HBN1K7Q2="GONE0001")
    result = left.restore()
    assert result.faults == ["drives:GONE0001 does not exist"]
    assert [text for text in result.put_back if "LM2204810077" in text]
    assert left.journal.pending()


@pytest.mark.parametrize(
    ("demo", "name", "here", "gone"),
    [
        ("9271", "megaraid:0/v0", "storcli64", "/opt/MegaRAID/perccli/perccli64"),
        ("h730", "megaraid:0/v1", "/opt/MegaRAID/perccli/perccli64", "/opt/MegaRAID/storcli/storcli64"),
    ],
)
def test_the_successor_of_a_tool_undoes_the_change(tmp_path: Path, demo: str, name: str, here: str, gone: str) -> None:
    """If the tool was uninstalled, its successor is used for the undo."""
    left = Left(demo, tmp_path, through(name))
    text = left.journal.path.read_text(encoding="utf-8")
    path = next(word for word in text.split('"') if word.endswith(here))
    rewrite(left.journal, {f'"{path}"': f'"{gone}"'})
    result = left.restore()
    assert result.faults == []
    assert left.simulated.state() == left.before


def test_megacli_undoes_a_change_of_storcli(tmp_path: Path) -> None:
    """The undo uses the model's value. Settings have other names in the two tools."""
    left = Left("perc5i", tmp_path)
    controller = next(controller for controller in left.look().inventory.controllers if controller.id == "megaraid:0")
    volume = controller.volumes[0]
    assert volume.cache is not None
    assert volume.cache.write_policy is not None
    words = ("/opt/MegaRAID/storcli/storcli64", "/c0/v0", "set")
    step = Step(
        object_id=volume.id, setting="wrcache", before="WB", after="WT", action=Action(argv=(*words, "wrcache=WT")),
        undo=Action(argv=(*words, "wrcache=WB")),
    )  # fmt: skip
    was = Desired(object_id=volume.id, setting="write_policy", value=volume.cache.write_policy)
    entry = Begin(
        change="c1", at=timestamp(), kind="batch", about="load", user="ann", pid=7, boot="b", source="local",
        subjects=(Subject(id=controller.id, serial=controller.serial, objects={volume.id: ""}),),
        desired=(through(volume.id),), steps=(step,), was=(was,),
    )  # fmt: skip
    left.journal.append(entry)
    left.journal.append(StepEvent(change="c1", at=timestamp(), step=0, mark="start"))
    made = plan(left.look().inventory, VENDORS, [through(volume.id)], unsafe=False)
    left.simulated.carry_out([item.action.request() for item in made.steps])
    assert left.simulated.state() != left.before
    assert left.restore().faults == []
    assert left.simulated.state() == left.before


def unseen(drive: Drive | None) -> tuple[list[str], list[str], str]:
    """What restore concludes about a drive that should become a spare in two steps, one of which was begun."""
    role = Expectation(object_id="megaraid:0/8:1", field="role", value="spare")
    step = Step(
        object_id="megaraid:0/8:1", setting="add_spare", before="unassigned", after="spare", kind="deed",
        action=Action(argv=("storcli64", "/c0/e8/s1", "add", "hotsparedrive")), expects=(role,),
        subjects=(Identity(object_id="megaraid:0/8:1", unique="S1"),),
    )  # fmt: skip
    entry = Begin(
        change="c", at=timestamp(), kind="operation", about="", user="root", pid=1, boot="", source="local",
        steps=(step, step),
    )  # fmt: skip
    controller = Controller(id="megaraid:0", drives=(drive,) if drive is not None else ())
    begun = StepEvent(change="c", at=timestamp(), step=0, mark="start")
    return effects(
        JournaledChange(begin=entry, events=(begun,)), Survey(Inventory(host=Host(), controllers=(controller,)))
    )


def test_a_deed_has_no_effect_only_if_the_reading_shows_that() -> None:
    """An unknown role, another drive in the bay or an empty bay do not show it. A step that was not begun is named."""
    rest = "1 further step of it was not begun"
    name = "add spare of megaraid:0/8:1"
    drive = Drive(id="megaraid:0/8:1", serial="S1")
    cases: list[tuple[Drive | None, list[str], str]] = [
        (replace(drive, role="spare"), [], f"{name} has taken effect"),
        (replace(drive, role="unassigned"), [], f"{name} has not taken effect"),
        (drive, [f"whether {name} has taken effect is unknown: role of megaraid:0/8:1 is unknown"], ""),
        (replace(drive, role="spare", serial="S2"), [],
         f"whether {name} has taken effect cannot be seen: megaraid:0/8:1 is S2 now, and was S1"),
        (None, [], f"whether {name} has taken effect cannot be seen: megaraid:0/8:1 no longer exists"),
    ]  # fmt: skip
    for one, hidden, found in cases:
        assert unseen(one) == (hidden, [*([found] if found else []), rest], "stopped")


@dataclass
class Renumbered:
    """A machine whose first two volumes swap their numbers after some commands."""

    AT_ONCE: ClassVar = True
    runner: Runner
    after: int = 0
    commands: int = 0
    gone: str = ""
    """A volume that is not listed."""
    other: ClassVar = {"/c0/v0": "/c0/v1", "/c0/v1": "/c0/v0"}
    ids: ClassVar = {"megaraid:0/v0": "megaraid:0/v1", "megaraid:0/v1": "megaraid:0/v0"}

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Carry out each request; a command reaches the volume that has its number then."""
        found: list[Answer] = []
        for request in requests:
            if isinstance(request, Run) and request.changes:
                moved, self.commands = self.commands >= self.after, self.commands + 1
                words = tuple(self.other.get(word, word) if moved else word for word in request.argv)
                request = replace(request, argv=words)  # noqa: PLW2901 - of the same request
            found += self.runner.carry_out([request])
        return found

    def look(self) -> Survey:
        """Read the machine."""
        seen = survey(self.runner, VENDORS)
        ids = self.ids if self.commands >= self.after else {}
        kept = []
        for one in seen.inventory.controllers:
            listed = [item for item in one.volumes if item.id != self.gone]
            kept.append(replace(one, volumes=tuple(replace(item, id=ids.get(item.id, item.id)) for item in listed)))
        return replace(seen, inventory=replace(seen.inventory, controllers=tuple(kept)))

    def restore(self, left: Left) -> Restored:
        """Undo what is open."""
        restorer = Restorer(left.journal, left.place, self, self.look, VENDORS, "local", quiet, sleep=quiet)
        [shown] = preview([(left.journal.pending()[0], None)], self.look(), VENDORS)
        [result] = restorer.restore()
        assert (len(shown.steps), shown.left, shown.faults) == (len(result.put_back), result.left, result.faults)
        return result


@pytest.mark.parametrize("tool", ["the same", "another"])
def test_a_volume_with_another_number_is_restored(tmp_path: Path, tool: str) -> None:
    """A volume is found by its unique id, and the one that has its number now is not changed."""
    left = Left("h730", tmp_path, through("megaraid:0/v1"))
    if tool == "another":
        left.rewrite(wrcache="WritePolicy")
    result = Renumbered(left.simulated).restore(left)
    assert (len(result.put_back), result.left, result.faults) == (1, [], [])
    assert left.simulated.state() == left.before
    assert not left.journal.pending()


@pytest.mark.parametrize("tool", ["the same", "another"])
def test_a_missing_volume_leaves_the_change_open(tmp_path: Path, tool: str) -> None:
    """Nothing is run for a volume that is not listed, and its change is not closed as undone."""
    left = Left("h730", tmp_path, through("megaraid:0/v1"))
    if tool == "another":
        left.rewrite(wrcache="WritePolicy")
    current = left.simulated.state()
    result = Renumbered(left.simulated, after=1, gone="megaraid:0/v1").restore(left)
    assert (result.put_back, result.left, result.faults) == ([], [], ["megaraid:0/v1 does not exist"])
    assert left.simulated.state() == current
    assert left.journal.pending()


def test_only_the_setting_that_somebody_else_changed_is_left(tmp_path: Path) -> None:
    """The tool of today restores the other settings of the controller."""
    reading = Desired(object_id="megaraid:0/v1", setting="read_policy", value="none")
    left = Left("h730", tmp_path, through("megaraid:0/v1"), reading)
    left.rewrite(wrcache="WritePolicy", rdcache="ReadPolicy")
    other = replace(through("megaraid:0/v1"), value="unprotected_write_back")
    made = plan(left.look().inventory, VENDORS, [other], unsafe=True)
    left.simulated.carry_out([step.action.request() for step in made.steps])
    result = Renumbered(left.simulated, after=9).restore(left)
    assert (len(result.put_back), len(result.left), result.faults) == (1, 1, [])
    [volume] = [one for c in left.look().inventory.controllers for one in c.volumes if one.id == "megaraid:0/v1"]
    assert volume.cache is not None
    assert (volume.cache.write_policy, volume.cache.read_policy) == ("unprotected_write_back", "read_ahead")
    assert not left.journal.pending()


def test_a_setting_of_another_volume_under_the_number_confirms_nothing(tmp_path: Path) -> None:
    """If volumes were renumbered after a command, the change is not done, and nothing is undone by number.

    Restore undoes the change of the volume that was changed, and names the one that may have been.
    """
    left, commands = Left("h730", tmp_path), list[str]()
    moving = Renumbered(left.simulated, after=1)
    seen = moving.look()
    made = plan(seen.inventory, VENDORS, [through("megaraid:0/v1")], unsafe=True)
    entry = begin("set", made, seen.inventory, about="load", source="local", unsafe=True)
    with pytest.raises(ChangeNotUndone, match="is another volume now"):
        Change(entry, left.journal, moving, moving.look, VENDORS, commands.append, sleep=quiet).apply()
    assert commands == [f"  {made.steps[0].action}"]
    result = moving.restore(left)
    assert (len(result.put_back), result.faults, len(result.left)) == (1, [], 1)
    assert "is another volume now" in result.left[0]
    assert left.simulated.state() == left.before
    assert not left.journal.pending()


def test_a_failed_change_is_not_undone_on_another_volume(tmp_path: Path) -> None:
    """If volumes were renumbered during a change that failed, no command is run, and restore finds the volume."""
    left, commands = Left("h730", tmp_path), list[str]()
    moving = Renumbered(Faulty(left.simulated, fault="refuses", at=1, changes_only=True), after=2)
    seen = moving.look()
    desired = [through("megaraid:0/v1"), Desired(object_id="megaraid:0/v1", setting="read_policy", value="none")]
    made = plan(seen.inventory, VENDORS, desired, unsafe=True)
    entry = begin("set", made, seen.inventory, about="load", source="local", unsafe=True)
    with pytest.raises(ChangeNotUndone, match="is another volume now"):
        Change(entry, left.journal, moving, moving.look, VENDORS, commands.append, sleep=quiet).apply()
    assert commands == [f"  {step.action}" for step in made.steps]
    result = moving.restore(left)
    assert (len(result.put_back), result.faults, len(result.left)) == (1, [], 2)
    assert left.simulated.state() == left.before
