"""What changes between the plan of an operation and the reading after it: names, the clock, the journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from raidctl.change.beginning import begin
from raidctl.change.deed_plans import stale
from raidctl.change.journal import End, Journal, StepEvent
from raidctl.cli.shared.hardware_deeds import RENAMED, HardwareDeeds
from raidctl.cli.shared.machine import demo_directory
from raidctl.cli.shared.open_operations import abandon, held, open_operations
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent
from raidctl.cli.spare._deeds import Spares
from raidctl.errors import CannotTell, ChangeNotUndone
from raidctl.simulation.demo import machine
from raidctl.survey.survey import Survey
from raidctl.units import timestamp
from raidctl.vendor.plan import Deed, Denial, Plan
from tests.change.md_machine import VENDORS, Bench, bench, deed
from tests.operate.controllers.outcomes import applied
from tests.operate.machines import inventory
from tests.support.deeds import every_deed

CONSENT = Consent(dry_run=False, yes=True, unsafe=None)


@pytest.mark.parametrize(
    ("ago", "refused"),
    [(0, False), (30, False), (-1, False), (61, True), (-3600, True), (-86400, True)],
)
def test_a_reading_from_the_future_is_not_fresh(ago: int, refused: bool, tmp_path: Path) -> None:
    """X3: if the clock was set back, the age of a reading is unknown, and no deed follows from it."""
    seen = bench(tmp_path).look()
    at = (datetime.now(timezone.utc) - timedelta(seconds=ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
    host = replace(seen.inventory.host, collected_at=at)
    assert (stale(replace(seen, inventory=replace(seen.inventory, host=host))) is not None) is refused


def test_a_name_that_means_another_drive_by_now_leaves_no_guard_unasked(tmp_path: Path) -> None:
    """A step is refused if the words of the command line no longer name its object: no guard is of it."""
    made = Bench(tmp_path, machine("h730", VENDORS, tmp_path / "machine"), recorded="h730")
    named, asked = ["megaraid:0/32:4"], list[str]()

    def guards(deed: Deed, _seen: Survey, _machine: object) -> Sequence[Denial]:
        asked.append(deed.drive or "")
        return ()

    deeds = HardwareDeeds(
        Settings(), CONSENT, lambda _: [Deed(object_id=named[0], verb="offline", drive=named[0])], guards
    )
    deeds.machine = Mock(vendors=VENDORS)
    seen = made.look()
    [step] = deeds.plan(seen).steps
    assert list(deeds.guard(step, seen)) == []
    assert asked[-1] == named[0]
    named[0] = "megaraid:0/32:5"
    assert list(deeds.guard(step, seen)) == [RENAMED]


def test_a_spare_that_the_words_no_longer_name_is_not_added(tmp_path: Path) -> None:
    """The guards of another drive are not guards of this one."""
    made = bench(tmp_path)
    named = [deed("add_spare", 4)]
    spares = Spares(lambda _: named[0], CONSENT)
    spares.opened(Mock(vendors=VENDORS, runner=made))
    seen = made.look()
    [step] = spares.plan(seen).steps
    assert RENAMED not in spares.guard(step, seen)
    named[0] = deed("add_spare", 1)
    assert list(spares.guard(step, seen)) == [RENAMED]


@pytest.mark.parametrize("meanwhile", ["nothing", "ended", "continued"])
def test_an_operation_that_another_process_has_continued_or_ended_is_left_to_it(meanwhile: str, tmp_path: Path) -> None:
    """The machine has changed since it was read before the lock.

    Nothing is run, and the operation's end is not changed.
    """
    settings = Settings()
    settings.state_dir, settings.demo = str(tmp_path), "raid6"
    journal = Journal(demo_directory(settings, "raid6"))
    first = begin("operation", Plan(), inventory(), about="raidctl replace", source="demo:raid6", resume="raidctl ID")
    journal.append(first)
    journal.append(StepEvent(change=first.change, at=timestamp(), step=0, mark="wait"))
    [journaled] = open_operations(settings)
    if meanwhile == "ended":
        journal.append(End(change=first.change, at=timestamp(), result="done"))
    elif meanwhile == "continued":
        journal.append(StepEvent(change=first.change, at=timestamp(), step=0, mark="resumed"))
    if meanwhile == "nothing":
        abandon(journaled, settings)
    else:
        with pytest.raises(CannotTell, match="in the meantime"), held(journaled, settings):
            pytest.fail("it was continued")
        with pytest.raises(CannotTell, match="in the meantime"):
            abandon(journaled, settings)
    [last] = journal.changes()
    result = {"nothing": "abandoned", "ended": "done", "continued": None}[meanwhile]
    assert (last.end.result if last.end is not None else None) == result


def lost(seen: Survey, controller: str, how: str) -> Survey:
    """A reading without a controller, or without its drives, and without a problem that explains it."""
    found = [one for one in seen.inventory.controllers if how == "drives" or one.id != controller]
    kept = [replace(one, drives=(), arrays=(), volumes=()) if one.id == controller else one for one in found]
    return replace(seen, inventory=replace(seen.inventory, controllers=tuple(kept)))


@pytest.mark.parametrize("how", ["controller", "drives"])
@pytest.mark.parametrize("name", ["9690", "6805", pytest.param("h730", marks=pytest.mark.slow)])
def test_a_controller_that_is_gone_does_not_show_that_a_drive_was_removed(name: str, how: str, tmp_path: Path) -> None:
    """A deed is not done because the reading after it lists nothing, and restore does not close it."""
    tried = 0
    for verb in ("take_out", "remove_spare", "offline", "stop_check", "clear_foreign"):
        made = Bench(tmp_path / verb, machine(name, VENDORS, tmp_path / verb / "machine"), recorded=name)
        seen = made.look()
        controller = next(one for one in seen.inventory.controllers if one.mode not in ("software", "none"))
        deeds = (one for one in every_deed(controller) if one.verb == verb)
        plan = next((plan for one in deeds if (plan := made.plan(one)).steps and not plan.denials), None)
        if plan is None:
            continue
        tried += 1
        change = made.change(plan)
        read = made.look

        def look(made: Bench = made, read: Callable[[], Survey] = read, name: str = controller.id) -> Survey:
            return lost(read(), name, how) if made.argvs else read()

        change.read_machine = made.look = look  # type: ignore[method-assign]  # of this bench alone
        made.behaviour = "accepts and does nothing"
        assert isinstance(applied(change), ChangeNotUndone), verb
        if how == "controller":
            [result] = made.restored()
            assert [result.left, len(result.faults)] == [[], 1], verb
            assert made.journal.pending(), verb
    assert tried
