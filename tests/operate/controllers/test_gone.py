"""A replacement behind a controller with the old drive already gone. It runs on every family that has bays."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidctl.errors import RaidctlError, UsageError
from raidctl.health.redundancy import below
from raidctl.operate.gone_drive_behind import facts_of_gone, facts_of_volume
from raidctl.operate.replacement_facts import Facts
from tests.operate.controllers.simulated import PUSHED, ControllerReplacement, every, replacement_on
from tests.operate.replacements import replacing


@pytest.fixture
def story(name: str, tmp_path: Path) -> ControllerReplacement:
    """A controller with bays."""
    return replacement_on(name, tmp_path)


def ended(story: ControllerReplacement, facts: Facts) -> bool:
    """Carry the story out, with a person who puts a drive in. Return whether the volume is complete afterwards."""
    story.bench.moments = [(story.bench.at + PUSHED, story.push)]
    story.replacing = replacing(story.bench, facts)
    story.run()
    return story.now()[1].status == "ok" and story.bench.journal.pending() == []


@every
def test_the_last_snapshot_knows_the_drive_and_its_bay(story: ControllerReplacement) -> None:
    """Volume, serial number and place give the same drive. The sentence names the bay."""
    before = story.bench.look().inventory
    story.pull()
    seen = story.bench.look()
    by_volume = facts_of_volume(seen, *story.now(), before)
    assert (by_volume.old, by_volume.place) == (story.old.serial, story.old.id)
    for word in (story.old.serial or "", f"serial:{story.old.serial}", story.old.id, story.bay):
        assert facts_of_gone(seen, word, before) == by_volume, word
    assert facts_of_gone(seen, "nothing", before) is None
    assert facts_of_gone(seen, story.others()[0].serial or "", before) is None
    assert ended(story, by_volume)


@every
def test_without_a_snapshot_the_only_new_drive_is_meant(story: ControllerReplacement) -> None:
    """The volume reports only that a member is missing."""
    story.pull()
    if story.now()[1].status == "rebuilding":
        pytest.skip("a spare has stepped in: the volume alone does not tell that a member is missing")
    facts = facts_of_volume(story.bench.look(), *story.now(), None)
    assert (facts.old, facts.place, facts.gone) == ("", "", "member")
    assert ended(story, facts)


@every
def test_what_lacks_nothing_is_refused(story: ControllerReplacement) -> None:
    """What lacks nothing is refused with the remedy.

    Examples are a complete volume, one under rebuild, and a failed drive in its bay.
    """
    with pytest.raises(UsageError, match="lacks no member"):
        facts_of_volume(story.bench.look(), *story.now(), None)
    story.bench.machine.fail(story.bay)
    controller, volume = story.now()
    failed = next((one for one in below(controller, volume) if one.status == "critical"), None)
    if failed is None:
        pytest.skip("the tool lists a failed drive outside of its array")
    with pytest.raises((UsageError, RaidctlError)) as refused:
        facts_of_volume(story.bench.look(), controller, volume, None)
    words = (f"has failed and is in its bay: raidctl replace {failed.serial}", "being rebuilt")
    assert any(one in str(refused.value) for one in words)
