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
def replacement(name: str, tmp_path: Path) -> ControllerReplacement:
    """A controller with bays."""
    return replacement_on(name, tmp_path)


def ended(replacement: ControllerReplacement, facts: Facts) -> bool:
    """Carry it out, with a person who puts a drive in. Return whether the volume is complete afterwards."""
    replacement.bench.moments = [(replacement.bench.at + PUSHED, replacement.push)]
    replacement.replacing = replacing(replacement.bench, facts)
    replacement.run()
    return replacement.now()[1].status == "ok" and replacement.bench.journal.pending() == []


@every
def test_the_last_snapshot_knows_the_drive_and_its_bay(replacement: ControllerReplacement) -> None:
    """Volume, serial number and place give the same drive. The sentence names the bay."""
    before = replacement.bench.look().inventory
    replacement.pull()
    seen = replacement.bench.look()
    by_volume = facts_of_volume(seen, *replacement.now(), before)
    assert (by_volume.old, by_volume.place) == (replacement.old.serial, replacement.old.id)
    for word in (replacement.old.serial or "", f"serial:{replacement.old.serial}", replacement.old.id, replacement.bay):
        assert facts_of_gone(seen, word, before) == by_volume, word
    assert facts_of_gone(seen, "nothing", before) is None
    assert facts_of_gone(seen, replacement.others()[0].serial or "", before) is None
    assert ended(replacement, by_volume)


@every
def test_without_a_snapshot_the_only_new_drive_is_meant(replacement: ControllerReplacement) -> None:
    """The volume reports only that a member is missing."""
    replacement.pull()
    if replacement.now()[1].status == "rebuilding":
        pytest.skip("a spare has stepped in: the volume alone does not tell that a member is missing")
    facts = facts_of_volume(replacement.bench.look(), *replacement.now(), None)
    assert (facts.old, facts.place, facts.gone) == ("", "", "member")
    assert ended(replacement, facts)


@every
def test_what_lacks_nothing_is_refused(replacement: ControllerReplacement) -> None:
    """A volume that lacks nothing is refused with the remedy.

    Examples are a complete volume, one under rebuild, and a failed drive in its bay.
    """
    with pytest.raises(UsageError, match="lacks no member"):
        facts_of_volume(replacement.bench.look(), *replacement.now(), None)
    replacement.bench.machine.fail(replacement.bay)
    controller, volume = replacement.now()
    failed = next((one for one in below(controller, volume) if one.status == "critical"), None)
    if failed is None:
        pytest.skip("the tool lists a failed drive outside of its array")
    with pytest.raises((UsageError, RaidctlError)) as refused:
        facts_of_volume(replacement.bench.look(), controller, volume, None)
    words = (f"has failed and is in its bay: `raidctl replace {failed.serial}`", "being rebuilt")
    assert any(one in str(refused.value) for one in words)
