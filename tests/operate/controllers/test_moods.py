"""A replacement whose tool does not do what it says, on every family that has bays; and objects that cannot be told."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import structs

from raidctl.errors import CannotTell, ChangeStands, ChangeUndone, UnderWay, UsageError
from raidctl.operate.begin_controller_story import facts_behind
from raidctl.simulation.moods import Mood
from raidctl.survey.survey import Survey
from tests.operate.controllers.cards import CARDS, LATER, PULLED, PUSHED, Card, card

every = pytest.mark.parametrize("name", CARDS)
MOODS: tuple[Mood, ...] = (
    "refuses", "is not supported", "refuses and changes", "accepts and does nothing", "hangs", "hangs after the change",
    "prints nothing", "another instance runs", "another instance runs after the change",
)  # fmt: skip


def commands(name: str, place: Path) -> list[str]:
    """The commands of a whole story, without the tool."""
    story = card(name, place)
    story.hands()
    story.run()
    return [" ".join(argv[1:]) for argv in story.bench.argvs]


def carried_on(story: Card, *, again: bool) -> None:
    """Run the story, or continue what is open; what ends it is for the person who reads it."""

    def pull() -> None:
        if story.bench.machine.bay_of(story.old.serial or "") is not None or story.new() is None:
            try:
                story.pull()
            except UsageError:
                return  # it was pulled already

    def push() -> None:
        if story.new() is None:
            story.push()

    story.bench.moments = [(story.bench.at + PULLED, pull), (story.bench.at + PUSHED, push)]
    if again and story.bench.journal.pending():
        story.replacing.run(story.resumed())
    elif not again or story.new() is None:
        story.run()


@pytest.mark.slow
@every
def test_whatever_a_tool_answers_the_story_can_be_continued(name: str, tmp_path: Path) -> None:
    """In every mood of every command: nothing is called done that is not, and with a tool that obeys it ends."""
    for number, words in enumerate(dict.fromkeys(commands(name, tmp_path / "whole"))):
        for mood in MOODS:
            story = card(name, tmp_path / f"{number}-{mood.replace(' ', '-')}")
            story.bench.mood, story.bench.match = mood, words
            with suppress(UnderWay, ChangeStands, ChangeUndone):
                carried_on(story, again=False)
            story.bench.mood = "accepts"
            for _ in range(2):  # a command that is refused after others were undone begins the story again
                story.bench.machine.pass_time(LATER)  # what was undone is rebuilt
                if story.bench.journal.pending() or story.new() is None:
                    carried_on(story, again=True)
            assert story.now()[1].status == "ok", (words, mood)
            assert story.bench.journal.pending() == [], (words, mood)


@every
def test_guard_X1_what_cannot_be_told_apart_is_refused(name: str, tmp_path: Path) -> None:
    """Two drives with one serial number, two volumes with one identity, none of either: nothing is begun."""
    story = card(name, tmp_path)
    seen = story.bench.look()
    controller, volume = story.now()

    def begin(**changes: object) -> None:
        changed = structs.replace(controller, **changes)
        others = [one for one in seen.inventory.controllers if one.id != controller.id]
        inventory = structs.replace(seen.inventory, controllers=(*others, changed))
        old = next(one for one in changed.drives if one.id == story.old.id)
        facts_behind(Survey(**{**structs.asdict(seen), "inventory": inventory}), changed, old)

    begin()
    twin = next(one for one in controller.drives if one.id != story.old.id)
    drives = [structs.replace(one, serial=story.old.serial) if one is twin else one for one in controller.drives]
    silent = [structs.replace(one, serial=None, wwn=None) for one in controller.drives]
    same = [structs.replace(volume, unique_id="X", id=f"{controller.id}/v{number}") for number in (90, 91)]
    nameless = [structs.replace(one, unique_id=None) for one in controller.volumes]
    for changes in (
        {"drives": tuple(drives)}, {"drives": tuple(silent)}, {"volumes": tuple(same)},
        {"volumes": tuple(nameless), "serial": None},
    ):  # fmt: skip
        with pytest.raises(CannotTell):
            begin(**changes)
