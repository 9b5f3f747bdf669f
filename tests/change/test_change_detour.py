"""The way back when the machine is not the same any more: renumbered cards, other nodes, another program."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidctl.change.engine import Change, begin, plan
from raidctl.change.journal import Begin, Journal, StepEvent, Subject, now
from raidctl.change.restore import Restorer
from raidctl.change.restored import Restored
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.plan import Action, Desired, Step
from raidctl.vendor.registry import vendors
from tests.change.harness import rewrite

VENDORS = vendors()[0]

pytestmark = pytest.mark.usefixtures("alone")


def quiet(_: object) -> None:
    """Say nothing, wait for nothing."""


class Left:
    """A simulated machine with a change that was never ended."""

    def __init__(self, demo: str, place: Path, *wishes: Desired) -> None:
        self.simulated: Simulated = machine(demo, VENDORS, place)
        self.before = self.simulated.state()
        self.journal = Journal(place)
        self.place = place
        if wishes:
            seen = self.look()
            made = plan(seen.inventory, VENDORS, wishes, unsafe=True)
            story = begin("batch", made, seen.inventory, about="load", source="local", unsafe=True)
            Change(story, self.journal, self.simulated, self.look, VENDORS, quiet, sleep=quiet).apply()
            assert self.simulated.state() != self.before

    def look(self) -> Survey:
        """Read the state."""
        return survey(self.simulated, VENDORS)

    def rewrite(self, **words: str) -> None:
        """Let the journal tell of other names, as if the machine had had them before its reboot."""
        rewrite(self.journal, words)

    def restore(self) -> Restored:
        """Put back what is open."""
        restorer = Restorer(self.journal, self.place, self.simulated, self.look, VENDORS, "local", quiet, sleep=quiet)
        [result] = restorer.restore()
        return result


def through(name: str) -> Desired:
    """Write-through for a volume."""
    return Desired(object_id=name, setting="write_policy", value="write_through")


def test_a_card_with_another_number_is_known_by_its_serial_number(tmp_path: Path) -> None:
    """Its volumes are put back with the number that it has today; the commands in the journal name another slot."""
    left = Left("p400", tmp_path, through("smartarray:1/v1"))
    left.rewrite(**{"smartarray:1": "smartarray:7", "slot=1": "slot=7"})
    assert left.restore().faults == []
    assert left.simulated.state() == left.before
    assert not left.journal.pending()


def test_a_drive_with_another_node_is_known_by_its_serial_number(tmp_path: Path) -> None:
    """After a reboot /dev/sda can be another drive: the journal's command would switch that one's cache."""
    wish = Desired(object_id="drives:HBN1K7Q2", setting="write_cache", value="disabled")
    left = Left("workstation", tmp_path, wish)
    [node] = {d.device for c in left.look().inventory.controllers for d in c.drives if d.id == wish.object_id}
    assert node is not None
    left.rewrite(**{node: "/dev/sdzz"})
    assert left.restore().faults == []
    assert left.simulated.state() == left.before


def test_a_drive_with_another_node_is_not_touched_without_a_plan(tmp_path: Path) -> None:
    """Where the way back cannot be planned anew, the command for the old node is not used either."""
    wish = Desired(object_id="drives:HBN1K7Q2", setting="write_cache", value="disabled")
    left = Left("workstation", tmp_path, wish)
    [node] = {d.device for c in left.look().inventory.controllers for d in c.drives if d.id == wish.object_id}
    left.rewrite(**{str(node): "/dev/sdzz", '"was":': '"once":'})
    stand = left.simulated.state()
    assert "/dev/sdzz" in left.restore().faults[0]
    assert left.simulated.state() == stand
    assert left.journal.pending()


def test_another_volume_of_the_same_number_is_not_touched(tmp_path: Path) -> None:
    """A volume that was deleted and made anew is not the one that was changed."""
    left = Left("p400", tmp_path, through("smartarray:1/v1"))
    [known] = {v.unique_id for c in left.look().inventory.controllers for v in c.volumes if v.id == "smartarray:1/v1"}
    assert known is not None
    left.rewrite(**{known: "600508B1001CFFFFFFFFFFFFFFFFFFFF"})
    stand = left.simulated.state()
    assert "another volume" in left.restore().left[0]
    assert left.simulated.state() == stand


@pytest.mark.parametrize("was", ["protected_write_back", None])
def test_a_program_that_was_exchanged_is_no_hindrance(tmp_path: Path, was: str | None) -> None:
    """What one tool has set is put back by the one that is there now, in the words of the model; else it is said."""
    left = Left("h730", tmp_path)
    name = "megaraid:0/v1"
    card = next(card for card in left.look().inventory.controllers if card.id == "megaraid:0")
    gone = Action(argv=("/opt/MegaRAID/MegaCli/MegaCli64", "-LDSetProp", "WB", "-L1", "-a0", "-NoLog"))
    step = Step(object_id=name, setting="WritePolicy", before="WB", after="WT", action=gone, undo=gone)
    story = Begin(
        change="c1", at=now(), kind="batch", about="load", user="ann", pid=7, boot="b", source="local",
        subjects=(Subject(id=card.id, serial=card.serial, objects={name: ""}),), desired=(through(name),),
        steps=(step,),
        was=(Desired(object_id=name, setting="write_policy", value=was),) if was else (),
    )  # fmt: skip
    left.journal.append(story)
    left.journal.append(StepEvent(change="c1", at=now(), step=0, mark="start"))
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


def test_what_is_there_is_put_back_though_something_else_is_missing(tmp_path: Path) -> None:
    """A drive that does not come back keeps no other from being put back; the change stays open for it."""
    wishes = [
        Desired(object_id=name, setting="write_cache", value="disabled")
        for name in ("drives:HBN1K7Q2", "drives:LM2204810077")
    ]
    left = Left("workstation", tmp_path, *wishes)
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
def test_the_same_program_under_another_name_puts_back(
    tmp_path: Path, demo: str, name: str, here: str, gone: str
) -> None:
    """The one that made the change was uninstalled: its successor undoes it, and nothing calls the old one."""
    left = Left(demo, tmp_path, through(name))
    text = left.journal.path.read_text(encoding="utf-8")
    path = next(word for word in text.split('"') if word.endswith(here))
    rewrite(left.journal, {f'"{path}"': f'"{gone}"'})
    result = left.restore()
    assert result.faults == []
    assert left.simulated.state() == left.before


def test_from_storcli_to_megacli_the_policy_goes_back(tmp_path: Path) -> None:
    """Their knobs have other names: what the settings were, in the words of the model, is the way back."""
    left = Left("perc5i", tmp_path)
    card = next(card for card in left.look().inventory.controllers if card.id == "megaraid:0")
    volume = card.volumes[0]
    assert volume.cache is not None
    assert volume.cache.write_policy is not None
    words = ("/opt/MegaRAID/storcli/storcli64", "/c0/v0", "set")
    step = Step(
        object_id=volume.id, setting="wrcache", before="WB", after="WT", action=Action(argv=(*words, "wrcache=WT")),
        undo=Action(argv=(*words, "wrcache=WB")),
    )  # fmt: skip
    was = Desired(object_id=volume.id, setting="write_policy", value=volume.cache.write_policy)
    story = Begin(
        change="c1", at=now(), kind="batch", about="load", user="ann", pid=7, boot="b", source="local",
        subjects=(Subject(id=card.id, serial=card.serial, objects={volume.id: ""}),), desired=(through(volume.id),),
        steps=(step,), was=(was,),
    )  # fmt: skip
    left.journal.append(story)
    left.journal.append(StepEvent(change="c1", at=now(), step=0, mark="start"))
    made = plan(left.look().inventory, VENDORS, [through(volume.id)], unsafe=False)
    left.simulated.carry_out([item.action.request() for item in made.steps])
    assert left.simulated.state() != left.before
    assert left.restore().faults == []
    assert left.simulated.state() == left.before
