"""Restore on a machine that cannot be read completely. Nothing is run, and the change stays open."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from raidctl.change.engine import Change, begin, plan
from raidctl.change.expectations import unmet
from raidctl.change.journal import Journal
from raidctl.change.preview import preview
from raidctl.change.restore import Restorer
from raidctl.change.restored import Restored
from raidctl.errors import UnderWay
from raidctl.model import Controller, Host, Inventory, Problem
from raidctl.simulation.demo import machine
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.plan import Desired, Expectation, Plan
from raidctl.vendor.registry import vendors
from tests.change.hand_steps import hand
from tests.change.md_machine import bench
from tests.support.misbehaving_tools import Misbehaving

VENDORS = vendors()[0]
RATE = Desired(object_id="megaraid:0", setting="rebuild_rate", value="60%")

pytestmark = pytest.mark.usefixtures("alone")


def quiet(_: object) -> None:
    """Print nothing and do not wait."""


class Left:
    """A controller with a temporary rebuild rate, whose raidctl was killed."""

    def __init__(self, place: Path) -> None:
        self.place, self.runner, self.journal = place, Misbehaving(machine("h730", VENDORS, place)), Journal(place)
        self.lost = False
        """Whether the rates are missing in a reading."""
        seen = self.look()
        made = plan(seen.inventory, VENDORS, [RATE], unsafe=False)
        entry = begin("batch", made, seen.inventory, about="replace", source="local")
        Change(entry, self.journal, self.runner, self.look, VENDORS, quiet, sleep=quiet).apply()
        self.tool = made.steps[0].action.argv[0]
        self.runner.argvs.clear()

    def look(self) -> Survey:
        """Read the machine."""
        seen = survey(self.runner, VENDORS)
        if not self.lost:
            return seen
        failed = Problem("error", f"{self.tool} /c0 show rebuildrate", "The tool did not answer.", None, "unread")
        controllers = tuple(msgspec.structs.replace(one, rates=None) for one in seen.inventory.controllers)
        inventory = msgspec.structs.replace(seen.inventory, controllers=controllers, problems=(failed,))
        return msgspec.structs.replace(seen, inventory=inventory)

    def restore(self) -> Restored:
        """Undo what is open."""
        here = Restorer(self.journal, self.place, self.runner, self.look, VENDORS, "local", quiet, sleep=quiet)
        [result] = here.restore()
        return result


@pytest.mark.parametrize("what", ["the controller", "its rates"])
def test_a_rate_that_cannot_be_read_is_not_restored(what: str, tmp_path: Path) -> None:
    """The rate is reported, and restored once it can be read."""
    left = Left(tmp_path)
    if what == "the controller":
        left.runner.behaviour, left.runner.match, left.runner.taken = "another instance runs", "no command", left.tool
    else:
        left.lost = True
    [shown] = preview([(left.journal.pending()[0], None)], left.look(), VENDORS)
    result = left.restore()
    assert left.runner.argvs == []
    assert (result.put_back, len(result.faults), len(shown.faults), shown.steps) == ([], 1, 1, [])
    assert "could not be read" in result.faults[0]
    assert "does not exist" not in result.faults[0]
    assert left.journal.pending()
    left.runner.behaviour, left.lost = "accepts", False
    assert left.restore().faults == []
    assert len(left.runner.argvs) == 1
    assert not left.journal.pending()


def test_a_temporary_setting_of_an_operation_is_not_restored_unread(tmp_path: Path) -> None:
    """The operation stays open and names the setting. The setting is read again after the undo."""
    found = bench(tmp_path / "rate")
    made = plan(
        found.look().inventory, VENDORS, [Desired(object_id="md:md0", setting="sync_speed_min", value="50000")],
        unsafe=False,
    )  # fmt: skip
    step = msgspec.structs.replace(made.steps[0], for_length=True)
    change = found.change(Plan(steps=(step, hand())), resume="raidctl replace resume ID")
    change.at_most = 0.0
    with pytest.raises(UnderWay):
        change.apply()
    found.argvs.clear()
    look = found.look

    def blind() -> Survey:
        seen = look()
        failed = Problem("error", "md", "The vendor package md failed while reading.", None, "unread")
        inventory = msgspec.structs.replace(seen.inventory, controllers=(), problems=(failed,))
        return msgspec.structs.replace(seen, inventory=inventory)

    found.look = blind  # type: ignore[method-assign]  # of this machine
    [result] = found.restored()
    assert (found.argvs, result.put_back) == ([], [])
    assert "md could not be read" in result.faults[0]
    found.look = look  # type: ignore[method-assign]  # as above
    found.behaviour = "accepts"
    [result] = found.restored()
    assert (len(found.argvs), len(result.put_back), result.faults) == (1, 1, [])
    assert result.open is not None


@pytest.mark.parametrize(
    ("name", "listed", "words"),
    [
        ("acme:0/v1", False, "it is unknown whether acme:0/v1 exists"),
        ("acme:0/v1", True, "acme:0/v1 does not exist"),
        ("acme:0", False, "acme:0 does not exist"),
    ],
)
def test_a_missing_tool_makes_its_objects_unknown(name: str, listed: bool, words: str) -> None:
    """An unlisted object of a listed controller is known not to exist. Another tool lists the controller."""
    lost = Problem(severity="error", kind="no_tool", where="acme", message="acmecli is not installed.")
    controllers = (Controller(id="acme:0"),) if listed else ()
    seen = Survey(Inventory(host=Host(), controllers=controllers, problems=(lost,)))
    assert unmet(seen, [Expectation(object_id=name, field="status", value="ok")]) == [words]
