"""``restore --dry-run``: the commands of a restore, without any change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from raidctl.change.engine import Change, begin, plan
from raidctl.change.journal import Journal
from raidctl.change.state_directory import Holder, hold
from raidctl.cli import restore
from raidctl.cli.shared import systemd_units
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import survey
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.registry import vendors
from tests.support.command_line import Raidctl

VENDORS = vendors()[0]
RATIO = "slot=1/cacheratio"
BACK = "hpacucli ctrl slot=1 modify cacheratio=25/75 forced"


class Left:
    """A simulated P400 with a change that was cut off."""

    def __init__(self, raidctl: Raidctl, place: Path) -> None:
        self.raidctl = raidctl
        raidctl("--demo", "p400", "show")
        self.place = place / "state" / "demo" / "p400"
        self.simulated: Simulated = machine("p400", VENDORS, self.place)
        self.journal = Journal(self.place)
        self.set("cache_split", "50/50")

    def set(self, setting: Setting, value: str) -> None:
        """Make a change and leave it without an end."""
        seen = survey(self.simulated, VENDORS)
        made = plan(
            seen.inventory, VENDORS, [Desired(object_id="smartarray:1", setting=setting, value=value)], unsafe=True
        )
        entry = begin("batch", made, seen.inventory, about="load", source="demo:p400")
        look = lambda: survey(self.simulated, VENDORS)  # noqa: E731 - a word for it
        Change(entry, self.journal, self.simulated, look, VENDORS, print).apply()

    def files(self) -> dict[str, bytes]:
        """All files of the machine and its journal."""
        return {str(path): path.read_bytes() for path in self.place.rglob("*") if path.is_file()}

    def run(self, *words: str) -> Result:
        """Run raidctl on the machine."""
        return self.raidctl("--demo", "p400", *words)


@pytest.fixture
def left(raidctl: Raidctl, tmp_path: Path) -> Left:
    """A machine with a change that was cut off."""
    return Left(raidctl, tmp_path)


@pytest.mark.slow
def test_the_commands_are_printed_and_nothing_is_changed(left: Left) -> None:
    """No file is changed. The real restore then runs the printed command."""
    before = left.files()
    done = left.run("restore", "--dry-run")
    assert done.exit_code == 0
    assert BACK in done.stdout
    assert left.files() == before
    real = left.run("restore")
    assert real.exit_code == 0
    assert BACK in real.stderr
    assert "Nothing to undo" in left.run("restore", "--dry-run").stderr


def test_a_setting_of_an_interrupted_change_needs_a_change(left: Left) -> None:
    """A dry run ends as the change itself does: the leftover value is not taken for the machine's own."""
    words = ("cache", "split", "smartarray:1", "50/50")
    for option in ("--dry-run", "--yes"):
        done = left.run(*words, option)
        assert done.exit_code == 3, option
        assert "was interrupted, its settings are still active" in done.stderr
    other = left.run("cache", "split", "smartarray:1", "20/80", "--dry-run")
    assert (other.exit_code, "was interrupted" in other.stdout) == (0, True)


def test_json_has_the_steps(left: Left) -> None:
    """JSON has the current value, the previous value and the command."""
    [changes] = json.loads(left.run("--json", "restore", "--dry-run").stdout)
    [step] = changes["steps"]
    assert (step["object_id"], step["setting"], step["before"], step["after"]) == (
        "smartarray:1", "cacheratio", "50/50", "25/75",
    )  # fmt: skip
    assert step["command"] == BACK
    assert (changes["left"], changes["faults"], changes["busy"]) == ([], [], None)


def test_the_newer_of_two_changes_is_undone_first(left: Left) -> None:
    """The older change's undo expects the value that it has set."""
    left.set("cache_split", "75/25")
    changes = json.loads(left.run("--json", "restore", "--dry-run").stdout)
    assert [(step["before"], step["after"]) for one in changes for step in one["steps"]] == [
        ("75/25", "50/50"), ("50/50", "25/75"),
    ]  # fmt: skip


def test_a_value_set_by_another_program_would_be_kept(left: Left) -> None:
    """The exit code is 1, as for restore."""
    left.simulated.keep(left.simulated.state() | {RATIO: "75/25"})
    done = left.run("restore", "--dry-run")
    assert done.exit_code == 1
    assert "somebody else" in done.stderr
    assert BACK not in done.stdout


def test_a_change_under_way_is_not_undone(left: Left) -> None:
    """The running raidctl is named, and nothing is planned."""
    with hold(
        left.place,
        ["smartarray:1"],
        Holder(change="c9", pid=1, since="now", about="raidctl batch load.sh"),
        source="demo:p400",
    ):
        done = left.run("restore", "--dry-run")
    assert done.exit_code == 1
    assert "raidctl batch load.sh" in done.stderr
    assert BACK not in done.stdout


@pytest.mark.slow
def test_the_dry_run_agrees_with_the_restore_of_an_open_replacement(raidctl: Raidctl) -> None:
    """Its LED, whose state is not reported, is switched off.

    The reason why it waits is printed, and nothing else is undone.
    """
    done = raidctl("--demo", "p440", "replace", "1I:1:2", "--no-wait", "--confirm", "W7K0AE9F")
    assert done.exit_code == 7, done.output
    words = ("--demo", "p440", "restore", "--json")
    dry, real = (json.loads(raidctl(*words, *more).stdout) for more in (["--dry-run"], []))
    assert [one["faults"] + one["left"] for one in dry] == [one["faults"] + one["left"] for one in real] == [[], []]
    assert [one["open"] for one in dry] == [one["open"] for one in real]
    assert [len(one["steps"]) for one in dry] == [len(one["put_back"]) for one in real] == [1, 0]
    assert raidctl("--demo", "p440", "restore", "--dry-run").exit_code == 0


def test_a_dry_run_of_forget_changes_nothing(left: Left) -> None:
    """The change is named and stays open."""
    before = left.files()
    name = left.journal.changes()[0].begin.change
    done = left.run("restore", "--forget", name, "--dry-run")
    assert done.exit_code == 0
    assert name in done.stderr
    assert left.files() == before


def test_the_unit_is_printed_and_not_installed(
    raidctl: Raidctl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unit is printed on standard output."""
    monkeypatch.setattr(systemd_units, "PLACE", tmp_path)
    done = raidctl("restore", "--install-unit", "--dry-run")
    assert done.exit_code == 0
    assert "ExecStart=" in done.stdout
    assert not (tmp_path / restore.UNIT).exists()
