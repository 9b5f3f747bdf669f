"""Replacing a drive behind a controller.

The tests cover it from the first plan to the end, on every family that has bays.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from raidctl.errors import ChangeNotUndone, ChangeUndone, UnderWay
from raidctl.operate.stages_behind import _coming
from raidctl.survey.survey import Survey
from tests.audit.rule_examples import changed
from tests.operate.controllers.simulated import (
    LATER,
    NOT_TAKEN_BACK,
    PULLED,
    PUSHED,
    QUICK,
    SILENT,
    ControllerReplacement,
    every,
    of_drive,
    replacement_on,
)


@pytest.fixture
def replacement(name: str, tmp_path: Path) -> ControllerReplacement:
    """The replacement of a drive that may be pulled."""
    return replacement_on(name, tmp_path)


def finished(replacement: ControllerReplacement) -> bool:
    """Whether the replacement has ended.

    The volume is complete, the new drive a member or the next spare, and nothing is open.
    """
    _, volume = replacement.now()
    new = replacement.new()
    joined = new is not None and new.role in ("member", "spare")  # a spare that was there has become the member
    return volume.status == "ok" and joined and not replacement.bench.journal.pending()


@every
def test_a_drive_is_replaced_from_the_plan_to_the_complete_volume(replacement: ControllerReplacement) -> None:
    """It is named, pulled, replaced, rebuilt and verified; the journal ends."""
    replacement.hands()
    replacement.run()
    assert finished(replacement)
    printed = "\n".join(replacement.bench.printed)
    assert f"Pull the drive with serial number {replacement.old.serial}" in printed
    assert "Put the new drive into the bay of the old one" in printed


@every
def test_guard_R9_the_wrong_drive_pulled_stops_everything(replacement: ControllerReplacement, name: str) -> None:
    """The sentence names the drive to be put back. Nothing is run until it is."""
    wrong = replacement.others()[0]
    bay = wrong.id.removeprefix(f"{replacement.controller}/")
    replacement.bench.moments = [(PULLED, lambda: replacement.pull(bay))]
    with pytest.raises(UnderWay, match=f"{wrong.serial} is gone.*Put it back now"):
        replacement.run()
    count = len(replacement.bench.argvs)
    with pytest.raises(UnderWay, match=f"{wrong.serial} is gone"):
        replacement.resume(at_most=0.0)
    assert len(replacement.bench.argvs) == count
    if name in NOT_TAKEN_BACK:
        return
    replacement.push(bay=bay, serial=wrong.serial)
    replacement.bench.sleep(LATER / 4)
    replacement.hands(at=replacement.bench.at)
    replacement.resume()
    assert finished(replacement)


@every
def test_the_old_drive_put_in_again_is_asked_for_again(replacement: ControllerReplacement) -> None:
    """It is named to be pulled, unless its controller rebuilds it; then the new drive takes its place."""
    bench, serial = replacement.bench, replacement.old.serial
    bench.moments = [(PULLED, replacement.pull), (PUSHED, lambda: replacement.push(serial=serial))]
    change = replacement.start(at_most=3 * PUSHED)
    with pytest.raises(UnderWay, match=r"Pull the drive|being rebuilt"):
        replacement.replacing.run(change)
    assert bench.at < 3 * PUSHED + LATER
    replacement.pull()
    replacement.push()
    bench.sleep(LATER / 4)
    replacement.resume()
    assert finished(replacement)


@every
def test_guard_R10_a_drive_that_is_too_small_never_counts(replacement: ControllerReplacement) -> None:
    """No command adds a drive that is too small.

    The drive is refused by name, or failed by its controller. The replacement stays open.
    """
    replacement.hands("small")
    with pytest.raises((UnderWay, ChangeNotUndone, ChangeUndone), match=r"too small|has failed"):
        replacement.run()
    [open_one] = replacement.bench.journal.pending()
    assert not any(event.mark == "done" and "add_member" in str(event) for event in open_one.events)
    _, volume = replacement.now()
    assert volume.status != "ok"


@every
def test_guard_R10_a_drive_that_expects_its_failure_never_counts(replacement: ControllerReplacement, name: str) -> None:
    """A replacement with a failing drive is not called complete.

    Automatic use of the drive by the controller does not complete it either.
    """
    if name in SILENT:
        pytest.skip("the tool does not report that a drive predicts its failure")
    replacement.hands("failing")
    with pytest.raises((UnderWay, ChangeNotUndone, ChangeUndone), match=r"not healthy|reports predictive failure"):
        replacement.run()
    assert replacement.bench.journal.pending()


@pytest.mark.parametrize(
    ("status", "role", "after"),
    [
        ("degraded", "unassigned", "has not started to use the drive"), ("degraded", "member", "Another member of"),
        ("degraded", None, ""), ("ok", "unassigned", ""), ("ok", "member", ""),
    ],
)  # fmt: skip
def test_a_new_drive_that_nothing_is_written_to_is_not_awaited_for_ever(
    status: str, role: str | None, after: str, tmp_path: Path
) -> None:
    """After ten minutes without a rebuild, the wait ends. It goes on while the drive is unseen, or all is complete."""
    replacement = replacement_on(QUICK[0], tmp_path)
    replacing = replacement.replacing
    replacing.facts = structs.replace(replacing.facts, new=replacement.old.serial if role is not None else "NEW")
    seen = replacement.bench.look()
    inventory = seen.inventory
    if status != "ok":
        inventory = changed(inventory, replacement.volume, {"status": status})
    if role == "unassigned":
        inventory = changed(inventory, replacement.old.id, {"role": role, "array": None})
    seen = structs.replace(seen, inventory=inventory)

    def at(moment: float) -> str:
        replacing.clock = lambda: moment
        return replacing._not_taken(seen) or ""

    stopped = [at(moment) for moment in (0.0, 599.0, 600.0)]
    assert stopped[:2] == ["", ""]
    assert bool(stopped[2]) == bool(after)
    assert after in stopped[2]


@every
def test_another_member_fails_on_the_way(replacement: ControllerReplacement) -> None:
    """Other lost members are not called complete."""
    other = replacement.others()[0].id.removeprefix(f"{replacement.controller}/")
    replacement.hands()
    replacement.bench.moments.append((PUSHED + 10, lambda: replacement.bench.machine.fail(other)))
    with pytest.raises((UnderWay, ChangeNotUndone, ChangeUndone)):
        replacement.run()
    assert replacement.bench.journal.pending()


@every
def test_a_pull_is_not_awaited_any_longer_after_another_member_has_failed(replacement: ControllerReplacement) -> None:
    """Raidctl does not request a pull of the old drive while it is needed again."""
    with pytest.raises(UnderWay):
        replacement.replacing.run(replacement.start(at_most=0.0))
    controller, _ = replacement.now()
    old = next((one for one in controller.drives if one.serial == replacement.old.serial), None)
    if old is None or old.role != "member" or old.status == "critical":
        pytest.skip("the controller has let go of the drive already")
    other = replacement.others()[0].id.removeprefix(f"{replacement.controller}/")
    replacement.bench.moments = [(replacement.bench.at + PULLED, lambda: replacement.bench.machine.fail(other))]
    with pytest.raises(
        (UnderWay, ChangeNotUndone, ChangeUndone), match=r"no further failure|lacks another member|Guard R"
    ):
        replacement.resume(at_most=2 * PULLED)
    assert replacement.bench.journal.pending()


@every
def test_the_new_drive_is_gone_during_the_rebuild(replacement: ControllerReplacement) -> None:
    """A rebuild onto a drive that has left ends the wait; then another new drive is asked for."""
    replacement.hands()
    replacement.bench.moments.append((PUSHED + 150, replacement.pull))
    with pytest.raises(ChangeNotUndone, match=r"The new drive ZC1N\d+ is gone"):
        replacement.run()
    with pytest.raises(UnderWay, match="Put the new drive into the bay"):
        replacement.resume(at_most=0.0)


@every
def test_the_new_drive_fails_during_the_rebuild(replacement: ControllerReplacement) -> None:
    """A rebuild that ends because the new drive failed is not a success."""
    replacement.hands()
    replacement.bench.moments.append((PUSHED + 60, lambda: replacement.bench.machine.fail(replacement.bay)))
    with pytest.raises((UnderWay, ChangeNotUndone, ChangeUndone), match="has failed"):
        replacement.run()
    assert replacement.bench.journal.pending()


def exchanged_later(replacement: ControllerReplacement) -> None:
    """The replacement until the new drive is put in.

    Before that, the old drive is pulled and the rebuild on a spare is over.
    """
    with pytest.raises(UnderWay):
        replacement.replacing.run(replacement.start(at_most=0.0))
    replacement.pull()
    replacement.bench.sleep(LATER)
    replacement.push()


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True])
def test_data_that_move_back_from_a_spare_are_waited_for(tmp_path: Path, *, late: bool) -> None:
    """A spare steps in, is copied to the new drive, and is a spare again. Only then the replacement ends.

    Also if the new drive comes after the rebuild of the spare: for a moment it is free, and the array complete.
    """
    bench = replacement_on("h730", tmp_path).bench
    replacement = of_drive(bench, "megaraid:0", "megaraid:0/v1", "megaraid:0/32:5")
    machine, spares = bench.machine, [one.id for one in replacement.now()[0].drives if one.role == "spare"]
    machine.keep({**machine.state(), "megaraid 0/back": "On"})
    seen: list[tuple[str, int | None]] = []
    look = replacement.bench.look

    def looked() -> Survey:
        found = look()
        seen.extend((one.operation, None if one.percent is None else int(one.percent)) for one in found.inventory.tasks)
        return found

    replacement.bench.look = looked  # type: ignore[method-assign]  # of this machine
    if late:
        exchanged_later(replacement)
        replacement.resume()
    else:
        replacement.hands()
        replacement.run()
    assert spares
    new = replacement.new()
    assert new is not None
    assert (new.role, new.status) == ("member", "ok")
    assert finished(replacement)
    assert [one.id for one in replacement.now()[0].drives if one.role == "spare"] == spares
    copied = {percent for operation, percent in seen if operation == "copyback"}
    assert len(copied) > 2, seen
    assert None not in copied
    assert not any("hotsparedrive" in argv or "copyback" in argv for argv in replacement.bench.argvs)


@pytest.mark.parametrize(("reported", "seconds"), [("", 60), ("No", 60), ("Yes", 0)])
def test_a_new_drive_becomes_the_next_spare_if_no_data_move_back(reported: str, seconds: int, tmp_path: Path) -> None:
    """The wait for data to move back lasts a minute.

    There is none if the tool reports that the controller does not do it (Disable Copyback).
    """
    bench = replacement_on("h730", tmp_path).bench
    replacement = of_drive(bench, "megaraid:0", "megaraid:0/v1", "megaraid:0/32:5")
    look = replacement.bench.look

    def looked() -> Survey:
        found = look()
        details = {"Supported PD Operations: Disable Copyback": reported} if reported else {}
        controllers = tuple(structs.replace(one, details=one.details | details) for one in found.inventory.controllers)
        return structs.replace(found, inventory=structs.replace(found.inventory, controllers=controllers))

    replacement.bench.look = looked  # type: ignore[method-assign]  # of this machine
    exchanged_later(replacement)
    began, moments = bench.at, list[float]()
    bench.before = lambda _: moments.append(bench.at)
    replacement.resume()
    new = replacement.new()
    assert new is not None
    assert new.role == "spare"
    assert seconds <= moments[-1] - began < seconds + 30


@every
def test_a_person_who_never_comes(replacement: ControllerReplacement) -> None:
    """Without waiting, the replacement is open with what it waits for. It continues in another process."""
    with pytest.raises(UnderWay, match="Pull the drive"):
        replacement.replacing.run(replacement.start(at_most=0.0))
    assert "Pull the drive" in (replacement.bench.journal.pending()[0].waiting or "")
    replacement.hands(at=replacement.bench.at)
    replacement.resume()
    assert finished(replacement)


@pytest.mark.slow
@every
def test_a_drive_that_was_swapped_at_once_is_seen(replacement: ControllerReplacement) -> None:
    """A drive pulled and replaced between two readings is seen. The replacement does not wait for an empty bay."""
    replacement.bench.moments = [(PULLED, replacement.pull), (PULLED, replacement.push)]
    replacement.run()
    assert finished(replacement)


@every
def test_the_tools_are_left_alone_between_readings(replacement: ControllerReplacement) -> None:
    """During the rebuild the pauses grow to five minutes."""
    pauses: list[float] = []
    sleep = replacement.bench.sleep

    def slept(seconds: float) -> None:
        pauses.append(seconds)
        sleep(seconds)

    replacement.bench.sleep = slept  # type: ignore[method-assign]  # of this machine
    replacement.hands()
    replacement.run()
    assert {30.0, 300.0} <= set(pauses)
    assert max(pauses) == 300.0


@pytest.mark.parametrize(
    ("places", "problem", "choices"),
    [
        (("old",), None, ()), (("new",), "Move it there", ("ZC1N0",)),
        (("old", "new"), "several new drives", ("ZC1N0", "ZC1N1")),
        (("new", "old"), "several new drives", ("ZC1N0", "ZC1N1")),
        (("old", "new", "newer"), "several new drives", ("ZC1N0", "ZC1N1", "ZC1N2")),
    ],
)  # fmt: skip
def test_only_a_single_new_drive_in_the_old_ones_bay_is_taken(
    places: tuple[str, ...], problem: str | None, choices: tuple[str, ...], tmp_path: Path
) -> None:
    """Of several drives that came, none is taken by guess, wherever they are."""
    replacement = replacement_on(QUICK[0], tmp_path)
    seen, old = replacement.bench.look(), replacement.old
    new = [
        structs.replace(
            old,
            id=old.id if place == "old" else f"{old.id}{place}",
            serial=f"ZC1N{number}",
            role="unassigned",
            array=None,
        )
        for number, place in enumerate(places)
    ]
    controllers = tuple(
        structs.replace(one, drives=(*(drive for drive in one.drives if drive.id != old.id), *new))
        if one.id == replacement.controller
        else one
        for one in seen.inventory.controllers
    )
    seen = structs.replace(seen, inventory=structs.replace(seen.inventory, controllers=controllers))
    stage = _coming(seen, replacement.replacing.facts)
    assert (stage.name, stage.choices) == ("checking", choices)
    assert (stage.problem is None) == (problem is None)
    assert (problem or "") in (stage.problem or "")


@every
def test_two_new_drives_are_asked_about(replacement: ControllerReplacement) -> None:
    """Of two drives that came, none is taken by guess. A controller may have taken one."""
    other = next(one for one in replacement.others() if one.id != replacement.old.id)
    bay = other.id.removeprefix(f"{replacement.controller}/")
    replacement.bench.moments = [
        (PULLED, replacement.pull), (PUSHED, lambda: replacement.pull(bay)), (PUSHED, replacement.push),
        (PUSHED, lambda: replacement.push(bay=bay)),
    ]  # fmt: skip
    with pytest.raises((UnderWay, ChangeNotUndone), match=r"several new drives.*--with|no longer works|is gone"):
        replacement.run()


@every
def test_a_replacement_begins_with_a_drive_that_has_failed(replacement: ControllerReplacement) -> None:
    """A dead drive is named, pulled and replaced like a good one."""
    replacement.bench.machine.fail(replacement.bay)
    if replacement.now()[1].status == "rebuilding":
        pytest.skip("a spare has stepped in: guard R3 waits for it")
    again = of_drive(replacement.bench, replacement.controller, replacement.volume, replacement.old.id)
    again.hands()
    again.run()
    assert finished(again)
