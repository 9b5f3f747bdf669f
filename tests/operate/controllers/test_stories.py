"""Replacing a drive behind a controller. It goes from the first plan to the end, on every family that has bays."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from raidctl.errors import ChangeStands, ChangeUndone, UnderWay
from raidctl.survey.survey import Survey
from tests.operate.controllers.simulated import (
    FORGETFUL,
    LATER,
    PULLED,
    PUSHED,
    SILENT,
    ControllerReplacement,
    every,
    of_drive,
    replacement_on,
)


@pytest.fixture
def story(name: str, tmp_path: Path) -> ControllerReplacement:
    """The replacement of a drive that may be pulled."""
    return replacement_on(name, tmp_path)


def finished(story: ControllerReplacement) -> bool:
    """Whether the replacement has ended.

    The volume is complete, the new drive a member or the next spare, and nothing is open.
    """
    _, volume = story.now()
    new = story.new()
    joined = new is not None and new.role in ("member", "spare")  # a spare that was there has become the member
    return volume.status == "ok" and joined and not story.bench.journal.pending()


@every
def test_a_drive_is_replaced_from_the_plan_to_the_complete_volume(story: ControllerReplacement) -> None:
    """It is named, pulled, replaced, rebuilt and verified; the journal ends."""
    story.hands()
    story.run()
    assert finished(story)
    printed = "\n".join(story.bench.printed)
    assert f"Pull the drive with serial number {story.old.serial}" in printed
    assert "Put the new drive into the bay of the old one" in printed


@every
def test_guard_R9_the_wrong_drive_pulled_stops_everything(story: ControllerReplacement, name: str) -> None:
    """The sentence names the drive to be put back. Nothing is run until it is."""
    wrong = story.others()[0]
    bay = wrong.id.removeprefix(f"{story.controller}/")
    story.bench.moments = [(PULLED, lambda: story.pull(bay))]
    with pytest.raises(UnderWay, match=f"{wrong.serial} is gone.*Put it back now"):
        story.run()
    count = len(story.bench.argvs)
    with pytest.raises(UnderWay, match=f"{wrong.serial} is gone"):
        story.resume(at_most=0.0)
    assert len(story.bench.argvs) == count
    if name in FORGETFUL:
        return
    story.push(bay=bay, serial=wrong.serial)
    story.bench.sleep(LATER / 4)
    story.hands(at=story.bench.at)
    story.resume()
    assert finished(story)


@every
def test_guard_R10_a_drive_that_is_too_small_never_counts(story: ControllerReplacement) -> None:
    """No command lets in a drive that is too small.

    The drive is refused by name, or failed by its controller. The story stays open.
    """
    story.hands("small")
    with pytest.raises((UnderWay, ChangeStands, ChangeUndone), match=r"too small|has failed"):
        story.run()
    [open_one] = story.bench.journal.pending()
    assert not any(event.mark == "done" and "let_in" in str(event) for event in open_one.events)
    _, volume = story.now()
    assert volume.status != "ok"


@every
def test_guard_R10_a_drive_that_expects_its_failure_never_counts(story: ControllerReplacement, name: str) -> None:
    """A replacement with a failing drive is not called complete.

    Automatic use of the drive by the controller does not complete it either.
    """
    if name in SILENT:
        pytest.skip("the tool does not report that a drive predicts its failure")
    story.hands("failing")
    with pytest.raises((UnderWay, ChangeStands, ChangeUndone), match=r"not healthy|reports predictive failure"):
        story.run()
    assert story.bench.journal.pending()


@every
def test_another_member_fails_on_the_way(story: ControllerReplacement) -> None:
    """What was lost besides is not called complete."""
    other = story.others()[0].id.removeprefix(f"{story.controller}/")
    story.hands()
    story.bench.moments.append((PUSHED + 10, lambda: story.bench.machine.fail(other)))
    with pytest.raises((UnderWay, ChangeStands, ChangeUndone)):
        story.run()
    assert story.bench.journal.pending()


@every
def test_a_pull_is_not_awaited_any_longer_after_another_member_has_failed(story: ControllerReplacement) -> None:
    """While the old drive is needed again, raidctl does not ask to pull it."""
    with pytest.raises(UnderWay):
        story.replacing.run(story.start(at_most=0.0))
    controller, _ = story.now()
    old = next((one for one in controller.drives if one.serial == story.old.serial), None)
    if old is None or old.role != "member" or old.status == "critical":
        pytest.skip("the controller has let go of the drive already")
    other = story.others()[0].id.removeprefix(f"{story.controller}/")
    story.bench.moments = [(story.bench.at + PULLED, lambda: story.bench.machine.fail(other))]
    with pytest.raises(
        (UnderWay, ChangeStands, ChangeUndone), match=r"no further failure|lacks another member|Guard R"
    ):
        story.resume(at_most=2 * PULLED)
    assert story.bench.journal.pending()


@every
def test_the_new_drive_fails_during_the_rebuild(story: ControllerReplacement) -> None:
    """A rebuild that ends because the new drive failed is no success."""
    story.hands()
    story.bench.moments.append((PUSHED + 60, lambda: story.bench.machine.fail(story.bay)))
    with pytest.raises((UnderWay, ChangeStands, ChangeUndone), match="has failed"):
        story.run()
    assert story.bench.journal.pending()


def exchanged_later(story: ControllerReplacement) -> None:
    """The story until the new drive is put in.

    Before that, the old drive is pulled and the rebuild on a spare is over.
    """
    with pytest.raises(UnderWay):
        story.replacing.run(story.start(at_most=0.0))
    story.pull()
    story.bench.sleep(LATER)
    story.push()


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True])
def test_data_that_move_back_from_a_spare_are_waited_for(tmp_path: Path, *, late: bool) -> None:
    """The story ends after the data has moved back. A spare steps in, is copied to the new drive, and is a spare again.

    Also if the new drive comes after the rebuild of the spare: for a moment it is free, and the array complete.
    """
    bench = replacement_on("h730", tmp_path).bench
    story = of_drive(bench, "megaraid:0", "megaraid:0/v1", "megaraid:0/32:5")
    machine, spares = bench.machine, [one.id for one in story.now()[0].drives if one.role == "spare"]
    machine.keep({**machine.state(), "megaraid 0/back": "On"})
    seen: list[tuple[str, int | None]] = []
    look = story.bench.look

    def looked() -> Survey:
        found = look()
        seen.extend((one.operation, None if one.percent is None else int(one.percent)) for one in found.inventory.tasks)
        return found

    story.bench.look = looked  # type: ignore[method-assign]  # of this machine
    if late:
        exchanged_later(story)
        story.resume()
    else:
        story.hands()
        story.run()
    assert spares
    new = story.new()
    assert new is not None
    assert (new.role, new.status) == ("member", "ok")
    assert finished(story)
    assert [one.id for one in story.now()[0].drives if one.role == "spare"] == spares
    copied = {percent for operation, percent in seen if operation == "copyback"}
    assert len(copied) > 2, seen
    assert None not in copied
    assert not any("hotsparedrive" in argv or "copyback" in argv for argv in story.bench.argvs)


@pytest.mark.parametrize(("reported", "seconds"), [("", 60), ("No", 60), ("Yes", 0)])
def test_a_new_drive_becomes_the_next_spare_if_no_data_move_back(reported: str, seconds: int, tmp_path: Path) -> None:
    """The wait for data to move back lasts a minute.

    There is none if the tool reports that the controller does not do it (Disable Copyback).
    """
    bench = replacement_on("h730", tmp_path).bench
    story = of_drive(bench, "megaraid:0", "megaraid:0/v1", "megaraid:0/32:5")
    look = story.bench.look

    def looked() -> Survey:
        found = look()
        details = {"Supported PD Operations: Disable Copyback": reported} if reported else {}
        controllers = tuple(structs.replace(one, details=one.details | details) for one in found.inventory.controllers)
        return structs.replace(found, inventory=structs.replace(found.inventory, controllers=controllers))

    story.bench.look = looked  # type: ignore[method-assign]  # of this machine
    exchanged_later(story)
    began, moments = bench.at, list[float]()
    bench.before = lambda _: moments.append(bench.at)
    story.resume()
    new = story.new()
    assert new is not None
    assert new.role == "spare"
    assert seconds <= moments[-1] - began < seconds + 30


@every
def test_a_person_who_never_comes(story: ControllerReplacement) -> None:
    """Without waiting, the story is open with what it waits for. It continues in another process."""
    with pytest.raises(UnderWay, match="Pull the drive"):
        story.replacing.run(story.start(at_most=0.0))
    assert "Pull the drive" in (story.bench.journal.pending()[0].waiting or "")
    story.hands(at=story.bench.at)
    story.resume()
    assert finished(story)


@pytest.mark.slow
@every
def test_a_drive_that_was_swapped_at_once_is_seen(story: ControllerReplacement) -> None:
    """A drive pulled and replaced between two readings is seen. The story does not wait for an empty bay."""
    story.bench.moments = [(PULLED, story.pull), (PULLED, story.push)]
    story.run()
    assert finished(story)


@every
def test_the_tools_are_left_alone_between_readings(story: ControllerReplacement) -> None:
    """During the rebuild the pauses grow to five minutes."""
    pauses: list[float] = []
    sleep = story.bench.sleep

    def slept(seconds: float) -> None:
        pauses.append(seconds)
        sleep(seconds)

    story.bench.sleep = slept  # type: ignore[method-assign]  # of this machine
    story.hands()
    story.run()
    assert {30.0, 300.0} <= set(pauses)
    assert max(pauses) == 300.0


@every
def test_two_new_drives_are_asked_about(story: ControllerReplacement) -> None:
    """Of two drives that came, none is taken by guess. A controller may have taken one."""
    other = next(one for one in story.others() if one.id != story.old.id)
    bay = other.id.removeprefix(f"{story.controller}/")
    story.bench.moments = [
        (PULLED, story.pull), (PUSHED, lambda: story.pull(bay)), (PUSHED, story.push),
        (PUSHED, lambda: story.push(bay=bay)),
    ]  # fmt: skip
    with pytest.raises((UnderWay, ChangeStands), match=r"several new drives.*--with|no longer works|is gone"):
        story.run()


@every
def test_a_replacement_begins_with_a_drive_that_has_failed(story: ControllerReplacement) -> None:
    """A dead drive is named, pulled and replaced like a good one."""
    story.bench.machine.fail(story.bay)
    if story.now()[1].status == "rebuilding":
        pytest.skip("a spare has stepped in: guard R3 waits for it")
    again = of_drive(story.bench, story.controller, story.volume, story.old.id)
    again.hands()
    again.run()
    assert finished(again)
