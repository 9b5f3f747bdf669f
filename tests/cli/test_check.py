"""`raidctl check` on a simulated machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec import structs

from raidctl.cli import cli
from raidctl.cli.check import _deeds
from raidctl.cli.shared.machine import Machine
from raidctl.errors import ChangeNotUndone
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed
from tests.change.md_machine import Bench, bench, definition

Raid = Callable[..., Result]


@pytest.fixture
def orchard(tmp_path: Path) -> Raid:
    """Run `raidctl --demo raid6 check …`."""

    def run(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "--demo", "raid6", "check", *words])

    return run


def shown(orchard: Raid) -> dict[str, Any]:
    """The check of the only volume."""
    [one] = json.loads(orchard("show", "--json").stdout)
    found: dict[str, Any] = one
    return found


@pytest.mark.parametrize(("options", "word"), [((), "check"), (("--repair",), "repair")])
def test_undoing_a_stop_starts_what_was_stopped(orchard: Raid, options: tuple[str, ...], word: str) -> None:
    """The plan of a stop shows the command that starts the check or the repair again, not always a check."""
    assert orchard("start", "md0", *options, "--yes").exit_code == 0
    planned = orchard("stop", "md0", "--dry-run").output
    assert f"undo: echo {word} > /sys/block/md0/md/sync_action" in planned


def test_a_check_that_is_stopped_is_interrupted(orchard: Raid) -> None:
    """Running after the start, by raidctl; interrupted after the stop, never complete."""
    assert shown(orchard)["state"] == "none"
    assert orchard("start", "md0", "--yes").exit_code == 0
    running = shown(orchard)
    assert (running["state"], running["by"]) == ("running", "raidctl")
    assert orchard("start", "md0", "--yes").exit_code == 1
    assert orchard("stop", "/srv", "--yes").exit_code == 0
    ended = shown(orchard)
    assert (ended["state"], ended["complete"], ended["began"]) == ("interrupted", False, running["began"])
    assert orchard("stop", "md0", "--yes").exit_code == 1


def test_a_check_that_is_not_recorded_is_still_done(orchard: Raid, tmp_path: Path) -> None:
    """It runs, so it is not reported as "nothing was changed"."""
    orchard("show")
    (tmp_path / "demo" / "raid6" / "checks.jsonl").symlink_to(tmp_path / "elsewhere")
    done = orchard("start", "md0", "--yes", "--json")
    assert (done.exit_code, json.loads(done.stdout)["result"]) == (6, "done")
    assert "checks.jsonl, cannot be written" in done.stderr


def test_a_volume_that_is_gone_after_the_wait_has_no_result(orchard: Raid, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the last reading does not contain the volume, the result is unknown: exit code 3."""
    survey = Machine.survey

    def without_volumes(machine: Machine) -> Survey:
        seen = survey(machine)
        return structs.replace(seen, inventory=structs.replace(seen.inventory, controllers=()))

    monkeypatch.setattr(_deeds, "wait", lambda *_: monkeypatch.setattr(Machine, "survey", without_volumes))
    done = orchard("start", "md0", "--yes", "--wait")
    assert done.exit_code == 3
    assert "md:md0 was not found again: the result of its check is unknown" in done.stderr


def test_a_paused_check_goes_on(orchard: Raid) -> None:
    """A resumed check is the same one, with its first start."""
    orchard("start", "md0", "--yes")
    began = shown(orchard)["began"]
    assert orchard("pause", "md0", "--yes").exit_code == 0
    assert shown(orchard)["state"] == "paused"
    assert orchard("resume", "md0", "--yes").exit_code == 0
    assert (shown(orchard)["state"], shown(orchard)["began"]) == ("running", began)


def test_nothing_is_started_by_a_dry_run_or_without_an_answer(orchard: Raid) -> None:
    """The plan is printed; without a terminal and --yes it ends there."""
    assert "sync_action" in orchard("start", "md0", "--dry-run").stdout
    assert orchard("start", "md0").exit_code == 2
    assert orchard("start", "md0", "--confirm", "x").exit_code == 2
    assert shown(orchard)["state"] == "none"


def test_a_write_that_starts_no_check_is_not_confirmed(tmp_path: Path) -> None:
    """A write that is accepted without effect is not confirmed. The array must report the check."""
    text = definition("raid1", 2).replace("sectors=100000", "sectors=100000000").replace("262144", "200000000")
    machine: Bench = bench(tmp_path, text)
    change = machine.change(machine.plan(Deed(object_id="md:md0", verb="start_check")))
    path = "file /sys/block/md0/md/sync_action"
    machine.events = [(0.5, lambda state: {name: value for name, value in state.items() if name != path})]
    change.sleep = lambda seconds: machine.sleep(max(seconds, 0.5))
    with pytest.raises(ChangeNotUndone, match="status of md:md0 is ok"):
        change.apply()
