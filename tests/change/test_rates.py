"""Background operation rates of md, MegaRAID and Smart Array, with their changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.vendor.setting_values import endless, speed
from tests.support.command_line import Raidctl, command_line
from tests.support.machines import FIXTURES, MACHINES
from tests.support.over import over


@pytest.fixture
def raidctl(tmp_path: Path) -> Raidctl:
    """Run a command line with a separate state directory."""
    return command_line("--state-dir", tmp_path)


CHANGES = [
    ("journal", "md126", ("--min", "50M", "--max", "system"), {"minimum_bytes": 50 << 20, "minimum_own": True}),
    ("journal", "/dev/md126", ("--max", "100M"), {"maximum_bytes": 100 << 20, "maximum_own": True}),
    ("9271", "megaraid:0", ("--rebuild", "60", "--check", "20%"), {"rebuild": "60%", "check": "20%"}),
    ("h730", "megaraid:0", ("--patrol", "5", "--initialize", "6", "--expand", "7"),
     {"patrol_read": "5%", "initialize": "6%", "expand": "7%"}),
    ("p440", "smartarray:0", ("--rebuild", "low", "--expand", "high"), {"rebuild": "low", "expand": "high"}),
    ("p400", "smartarray:1", ("--rebuild", "mediumhigh"), {"rebuild": "mediumhigh"}),
    ("perc5i", "megaraid:0", ("--rebuild", "100", "--patrol", "0"), {"rebuild": "100%", "patrol_read": "0%"}),
]  # fmt: skip


def shown(done: Result) -> dict[str, object]:
    """The rates of the only object."""
    found = json.loads(done.stdout)
    [one] = found["controllers"] + found["arrays"]
    return {**one, **one.get("rates", {})}


@pytest.mark.parametrize(("demo", "target", "options", "after"), CHANGES)
def test_a_rate_is_set_read_back_and_undone(
    raidctl: Raidctl, demo: str, target: str, options: tuple[str, ...], after: dict[str, object]
) -> None:
    """The new rate is shown. The undo commands of the journal restore the previous one."""
    before = shown(raidctl("--demo", demo, "rate", "--json"))
    done = raidctl("--demo", demo, "rate", target, *options, "--yes", "--json")
    assert done.exit_code == 0, done.output
    outcome = json.loads(done.stdout)
    assert outcome["result"] == "done"
    now = shown(raidctl("--demo", demo, "rate", "--json"))
    assert {name: now[name] for name in after} == after
    back = ["--yes"]
    names = {"sync_speed_min": "--min", "sync_speed_max": "--max", "rebuildrate": "--rebuild", "ccrate": "--check",
             "prrate": "--patrol", "patrolreadrate": "--patrol", "bgirate": "--initialize", "reconrate": "--expand",
             "rebuildpriority": "--rebuild", "expandpriority": "--expand"}  # fmt: skip
    for step in outcome["steps"]:
        back += [names[step["setting"].lower()], step["before"]]
    assert raidctl("--demo", demo, "rate", target, *back).exit_code == 0
    assert shown(raidctl("--demo", demo, "rate", "--json")) == before


@pytest.mark.parametrize(("demo", "target", "option"), [
    ("journal", "md126", "--min"), ("journal", "md126", "--max"), ("9271", "megaraid:0", "--rebuild"),
    ("perc5i", "megaraid:0", "--rebuild"),
])  # fmt: skip
def test_guard_T7_a_rebuild_rate_of_0_is_refused(raidctl: Raidctl, demo: str, target: str, option: str) -> None:
    """A rate of 0 is refused even with --unsafe. A rate of 1 is accepted."""
    for more in ([], ["--unsafe", "test"]):
        done = raidctl("--demo", demo, "rate", target, option, "0", "--yes", *more)
        assert done.exit_code == 1
        assert "a rebuild never ends" in " ".join(done.output.split())
    assert raidctl("--demo", demo, "rate", target, option, "1", "--yes").exit_code == 0


def test_guard_T7_concerns_rebuilds_only() -> None:
    """A rate of 0 may stop patrol reads and checks."""
    assert endless("rebuild_rate", "0%")
    assert endless("sync_speed_max", "0")
    assert not endless("check_rate", "0%")
    assert not endless("rebuild_rate", "10%")


@pytest.mark.parametrize("demo", ["6805", "3154"])
def test_a_rate_that_is_only_shown_is_not_called_missing(raidctl: Raidctl, demo: str) -> None:
    """The rates of Adaptec controllers are shown, and not set. The refusal gives that as the reason."""
    assert shown(raidctl("--demo", demo, "rate", "--json"))["rebuild"] == "high"
    done = raidctl("--demo", demo, "rate", "adaptec:1", "--rebuild", "low", "--dry-run")
    assert done.exit_code == 1
    assert "raidctl only shows the rates of these controllers" in " ".join(done.output.split())


def test_an_option_of_another_kind_of_object_is_refused(raidctl: Raidctl) -> None:
    """An array takes speeds, a controller percentages. A change needs a target."""
    for arguments in (
        ["journal", "md126", "--rebuild", "30"], ["9271", "megaraid:0", "--min", "50M"], ["9271", "--rebuild", "30"],
        ["9271", "megaraid:0", "--rebuild", "101"], ["journal", "md126", "--min", "fast"], ["9271", "--yes"],
    ):  # fmt: skip
        demo, *rest = arguments
        assert raidctl("--demo", demo, "rate", *rest).exit_code == 2, arguments


@pytest.mark.parametrize(
    ("text", "value"), [("1000 (system)", "system"), ("50000 (local)\n", "50000"), ("1000", None), ("", None)]
)
def test_a_system_speed_is_restored_as_system(text: str, value: str | None) -> None:
    """The system's limit is restored as ``system``, not as its current number."""
    assert speed(text) == value


@over("machine", MACHINES)
def test_every_machine_shows_its_rates(machine: str) -> None:
    """Every recorded machine has a report. An unread tool ends with exit code 3 or 4."""
    done = CliRunner().invoke(cli, ["--replay", str(FIXTURES / machine), "rate"])
    assert done.exit_code in (0, 3, 4)
