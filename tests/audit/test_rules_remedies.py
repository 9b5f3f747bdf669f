"""What a built-in rule advises can be done: raidctl takes the commands on the machine that they are printed for."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from raidctl.audit.builtin import rules
from raidctl.cli import cli
from raidctl.model import Capability, Controller, Inventory
from raidctl.recording.recording import load
from raidctl.runners.replay import ReplayRunner
from raidctl.simulation.demo import demos
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from tests.audit.rule_examples import EXAMPLES
from tests.support.conclusions import read_text
from tests.support.machines import FIXTURES, MACHINES, replayed

DEMOS = {demo.name: demo.path for demo in demos(vendors()[0])}
COMMAND = re.compile(r"`raidctl ([^`]+)`")


def advised(inventory: Inventory) -> Iterator[tuple[str, str]]:
    """Rule and command line of each remedy that is one of raidctl."""
    for rule in rules():
        for one in rule.check(inventory):
            yield from ((rule.name, line) for line in COMMAND.findall(one.remedy or ""))


def refused(place: list[str], inventory: Inventory, folder: Path) -> list[tuple[str, str, str]]:
    """What raidctl does not take of what it advises; nothing is changed."""
    found = []
    for rule, line in advised(inventory):
        words = shlex.split(line)
        if words[:2] == ["check", "start"] and place[0] == "--replay":
            continue  # no deed follows from a recording (guard X3)
        changes = words[0] == "cache" or words[:2] == ["check", "start"]
        changes = changes or (words[0] == "replace" and "--check" not in words)
        more = ["--dry-run"] if changes else []
        done = CliRunner().invoke(cli, [*place, "--state-dir", str(folder), *words, *more])
        judged = (0, 1, 3) if words[0] in ("replace", "verify") else (0,)  # the answer may be NO or UNKNOWN
        if done.exit_code not in judged:
            found.append((rule, line, done.output))
    return found


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_takes_what_is_advised_for_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command of a remedy is accepted by the simulated machine that it was printed for."""
    monkeypatch.chdir(tmp_path)
    known, problems = vendors()
    kept = load(DEMOS[name])
    inventory = survey(
        ReplayRunner(kept), known, source="replay", collected_at=kept.manifest.collected_at, problems=problems
    ).inventory
    assert refused(["--demo", name], inventory, tmp_path) == []


@pytest.mark.parametrize("name", MACHINES)
def test_a_recorded_machine_takes_what_is_advised_for_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a demo, cards that raidctl only reads included: for these the remedy says who can set it."""
    monkeypatch.chdir(tmp_path)
    assert refused(["--replay", str(FIXTURES / name)], replayed(name).inventory, tmp_path) == []


def test_there_is_advice_to_take() -> None:
    """Several rules advise commands on the recorded machines, so that the tests above have something to try."""
    assert len({rule for name in MACHINES for rule, _ in advised(replayed(name).inventory)}) >= 4


def without(card: Controller) -> Controller:
    """The card as one of which raidctl can set nothing."""
    names = ("write_policy", "read_policy", "io_policy", "drive_write_cache", "cache_split")
    closed = {name: Capability(read=True, set=False, why="By hand: `tool set`.") for name in names}
    return structs.replace(card, capabilities={**card.capabilities, **closed})


SETTING = (
    "cache_split_for_database", "cached_io", "drive_cache_volatile", "read_ahead_twice", "write_back_unprotected",
    "write_cache_unused",
)  # fmt: skip


@pytest.mark.parametrize("name", SETTING)
def test_no_command_is_advised_that_the_card_has_not(name: str) -> None:
    """Where raidctl cannot set something, the remedy says why, and how it is done by hand."""
    inventory = EXAMPLES[name].fails.inventory
    cards = tuple(without(card) for card in inventory.controllers)
    [rule] = [one for one in rules() if one.name == name]
    found = [one for one in rule.check(structs.replace(inventory, controllers=cards)) if one.outcome != "pass"]
    assert found
    for one in found:
        assert "`raidctl cache" not in (one.remedy or "")
        assert "`tool set`" in (one.remedy or "")


def test_a_read_cache_that_is_on_or_off_is_switched_off() -> None:
    """Where read-ahead cannot be had apart from the read cache, the remedy does not ask for it."""
    [one] = [line for rule, line in advised(replayed_demo("6805")) if rule == "read_ahead_twice"]
    assert one.endswith("--read off")


def replayed_demo(name: str) -> Inventory:
    """What raidctl makes of a demo as it comes."""
    return survey(ReplayRunner(load(DEMOS[name])), vendors()[0], source="replay", collected_at=None).inventory


_MD5 = """/dev/md5:
           Version : 1.2
        Raid Level : {}
        Array Size : 1953260544 (1862.77 GiB 2000.14 GB)
      Raid Devices : 4
     Total Devices : 4
             State : clean
    Active Devices : 4
   Working Devices : 4
    Failed Devices : 0
     Spare Devices : 0
{}
    Number   Major   Minor   RaidDevice State
       0       8        1        0      active sync   /dev/sda1
       1       8       17        1      active sync   /dev/sdb1
       2       8       33        2      active sync   /dev/sdc1
       3       8       49        3      active sync   /dev/sdd1
"""


@pytest.mark.parametrize("level", ["raid5", "raid6"])
def test_no_remedy_undoes_another_one_on_the_same_screen(level: str) -> None:
    """A bitmap, or a log or journal: md accepts no array with both, so the bitmap is removed where there is one."""
    bare = read_text(_MD5.format(level, "Consistency Policy : resync\n")).inventory
    remedies = {one.rule: one.remedy or "" for rule in rules() for one in rule.check(bare) if one.outcome == "fail"}
    assert "--bitmap=none" not in remedies["write_hole"]
    assert "write_hole" in remedies["md_without_bitmap"]
    kept = read_text(_MD5.format(level, "     Intent Bitmap : Internal\nConsistency Policy : bitmap\n")).inventory
    remedies = {one.rule: one.remedy or "" for rule in rules() for one in rule.check(kept) if one.outcome == "fail"}
    assert remedies["write_hole"].startswith("`mdadm --grow --bitmap=none /dev/md5`, then ")
    assert "md_without_bitmap" not in remedies
