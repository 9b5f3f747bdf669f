"""Commands in remedies are accepted on the machine they are printed for."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from raidctl.audit.builtin import rules
from raidctl.cli import cli
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL
from raidctl.model import Capability, Controller, Inventory, unread_problems
from raidctl.recording.recording import load
from raidctl.runners.replay import ReplayRunner
from raidctl.simulation.demo import demos
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from tests.audit.rule_examples import EXAMPLES
from tests.support.conclusions import read_text
from tests.support.machines import FIXTURES, MACHINES, replayed

DEMOS = {demo.name: demo.path for demo in demos(vendors()[0])}
NO_SUCH = re.compile(r"has no command|cannot do this with controllers")
COMMAND = re.compile(r"`raidctl ([^`]+)`")


def advised(inventory: Inventory) -> Iterator[tuple[str, str]]:
    """Rule and command line of each remedy with a command of raidctl."""
    for rule in rules():
        for one in rule.check(inventory):
            yield from ((rule.name, line) for line in COMMAND.findall(one.remedy or ""))


def refused(place: list[str], inventory: Inventory, folder: Path) -> list[tuple[str, str, str]]:
    """The advised commands that raidctl refuses; nothing is changed."""
    found = []
    for line, rule in {line: rule for rule, line in advised(inventory)}.items():
        words = shlex.split(line)
        if "--measure" in words:
            continue  # only the machine itself can be measured
        changes = words[0] == "cache" or words[1:2] in (["start"], ["learn"])
        changes = changes or (words[0] == "replace" and "--check" not in words)
        more = ["--dry-run"] if changes else []
        done = CliRunner().invoke(cli, [*place, "--state-dir", str(folder), *words, *more])
        if words[1:2] in (["start"], ["learn"]) and place[0] == "--replay":
            # operations on a recording are refused (guard X3); the family must have them
            if NO_SUCH.search(" ".join(done.output.split())):
                found.append((rule, line, done.output))
            continue
        # NO and UNKNOWN are valid results; not every tool has a preview, and not every recording the logs
        judged = (0, 1, 3) if words[0] in ("replace", "verify", "foreign", "preserved", "events", "battery") else (0,)
        if words[0] in ("snapshot", "record") and unread_problems(inventory.problems):
            judged = (0, EXIT_CANNOT_TELL, EXIT_ACCESS)  # it is saved, and the exit code is that of the reading
        if done.exit_code not in judged:
            found.append((rule, line, done.output))
    return found


@pytest.mark.parametrize("name", DEMOS)
def test_a_demo_accepts_the_advised_commands(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulated machine accepts each command of the remedies printed for it."""
    monkeypatch.chdir(tmp_path)
    known, problems = vendors()
    kept = load(DEMOS[name])
    inventory = survey(
        ReplayRunner(kept), known, source="replay", collected_at=kept.manifest.collected_at, problems=problems
    ).inventory
    assert refused(["--demo", name], inventory, tmp_path) == []


def test_a_journal_in_write_back_mode_is_set_by_raidctl(tmp_path: Path) -> None:
    """The remedy of md_journal_write_back is a command that is accepted on that machine."""
    example = EXAMPLES["md_journal_write_back"].fails.inventory
    lines = {line for rule, line in advised(example) if rule == "md_journal_write_back"}
    assert lines == {"cache set md:md126 --journal-mode write-through"}
    words = ["--demo", "journal", "--state-dir", str(tmp_path), "cache", "set", "md:md126", "--journal-mode"]
    assert CliRunner().invoke(cli, [*words, "write-through", "--dry-run"]).exit_code == 0


@pytest.mark.parametrize("name", MACHINES)
def test_a_recorded_machine_accepts_the_advised_commands(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands for recorded machines are accepted, read-only controllers included."""
    monkeypatch.chdir(tmp_path)
    assert refused(["--replay", str(FIXTURES / name)], replayed(name).inventory, tmp_path) == []


def test_a_machine_with_an_unknown_word_accepts_the_advised_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine with an unrecognised word, each command is complete; exit code 3 is not a refusal."""
    monkeypatch.chdir(tmp_path)
    place = shutil.copytree(FIXTURES / "areca-arc1210", tmp_path / "machine")
    state = place / "cli64-disk-info-drv-1.out"
    state.write_text(state.read_text(encoding="utf-8").replace("NORMAL", "BEWILDERED"), encoding="utf-8")
    known, problems = vendors()
    inventory = survey(ReplayRunner(load(place)), known, source="replay", problems=problems).inventory
    assert unread_problems(inventory.problems)
    assert "snapshot" in {line for _, line in advised(inventory)}
    assert refused(["--replay", str(place)], inventory, tmp_path) == []


def test_an_unknown_policy_is_measured_on_the_machine_itself() -> None:
    """The advised command measures."""
    lines = [line for name in MACHINES for rule, line in advised(replayed(name).inventory) if "policy-active" in line]
    assert lines
    assert all(line.startswith("verify --measure --policy-active ") for line in lines)


def test_commands_are_advised() -> None:
    """At least four rules advise commands on recorded machines. The tests above are thus not empty."""
    assert len({rule for name in MACHINES for rule, _ in advised(replayed(name).inventory)}) >= 4


def without(controller: Controller) -> Controller:
    """The controller without any setting that raidctl can change."""
    names = ("write_policy", "read_policy", "io_policy", "drive_write_cache", "cache_split")
    closed = {name: Capability(read=True, set=False, why="By hand: `tool set`.") for name in names}
    return structs.replace(controller, capabilities={**controller.capabilities, **closed})


SETTING = (
    "cache_split_for_database", "cached_io", "drive_cache_volatile", "read_ahead_twice", "write_back_unprotected",
    "write_cache_unused",
)  # fmt: skip


@pytest.mark.parametrize("name", SETTING)
def test_no_unsupported_command_is_advised(name: str) -> None:
    """Where raidctl cannot change a setting, the remedy has the manual command. It also has the reason."""
    inventory = EXAMPLES[name].fails.inventory
    controllers = tuple(without(controller) for controller in inventory.controllers)
    [rule] = [one for one in rules() if one.name == name]
    found = [one for one in rule.check(structs.replace(inventory, controllers=controllers)) if one.outcome != "pass"]
    assert found
    for one in found:
        assert "`raidctl cache" not in (one.remedy or "")
        assert "`tool set`" in (one.remedy or "")


def test_a_read_cache_without_read_ahead_is_disabled() -> None:
    """If read-ahead is not a separate setting, the remedy disables the read cache."""
    [one] = [line for rule, line in advised(replayed_demo("6805")) if rule == "read_ahead_twice"]
    assert one.endswith("--read off")


def replayed_demo(name: str) -> Inventory:
    """The inventory of an unchanged demo."""
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
def test_no_remedy_reverts_another_one(level: str) -> None:
    """The remedy for the write hole removes only an existing bitmap. md accepts no journal beside it."""
    bare = read_text(_MD5.format(level, "Consistency Policy : resync\n")).inventory
    remedies = {one.rule: one.remedy or "" for rule in rules() for one in rule.check(bare) if one.outcome == "fail"}
    assert "--bitmap=none" not in remedies["write_hole"]
    assert "write_hole" in remedies["md_without_bitmap"]
    kept = read_text(_MD5.format(level, "     Intent Bitmap : Internal\nConsistency Policy : bitmap\n")).inventory
    remedies = {one.rule: one.remedy or "" for rule in rules() for one in rule.check(kept) if one.outcome == "fail"}
    assert remedies["write_hole"].startswith("`mdadm --grow --bitmap=none /dev/md5`, then ")
    assert "md_without_bitmap" not in remedies
