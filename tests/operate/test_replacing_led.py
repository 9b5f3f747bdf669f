"""The LED in a replacement.

The LED is on while raidctl waits for a person, and off once the new drive joins, after a kill, and at boot.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from raidctl.change.journal import Journal
from raidctl.cli import cli
from raidctl_md import simulator
from tests.operate.replace_commands import OLD, Run, moved, push, run, state
from tests.support.processes import killed_on_error
from tests.support.waiting import until

__all__ = ["run"]
BEGIN = ("replace", OLD, "--now", "--no-wait", "--confirm", OLD)


def lit(tmp_path: Path) -> list[str]:
    """The bays whose LED is on."""
    on = [name for name, value in state(tmp_path).items() if name.endswith("/locate") and value.strip() == "1"]
    return [name.rpartition("/Slot ")[2].removesuffix("/locate") for name in on]


def test_the_bay_blinks_until_the_new_drive_joins(run: Run, tmp_path: Path) -> None:
    """The bay blinks while the replacement waits for a person.

    Even an empty bay blinks. The bay and the LED method are reported.
    """
    begun = run(*BEGIN)
    assert begun.exit_code == 7
    assert "Slot 02 blinks (via the enclosure (SES), read back)" in begun.output
    assert "locate off" in begun.output
    assert lit(tmp_path) == ["02"]
    assert "for replacement" in " ".join(run("show", "-v").output.split())
    moved(tmp_path, lambda now: simulator.pull(now, "2"))
    assert run("replace", "resume", "--no-wait").exit_code == 7
    assert lit(tmp_path) == ["02"]
    moved(tmp_path, push("2", "ZC9Z00A1"))
    assert run("replace", "resume", "--no-wait").exit_code == 7
    assert lit(tmp_path) == []
    kinds = [journaled.begin.kind for journaled in Journal(tmp_path / "state" / "demo" / "raid6").pending()]
    assert kinds == ["operation"]


def test_the_empty_bay_of_a_drive_that_is_gone_blinks(run: Run, tmp_path: Path) -> None:
    """The last snapshot has its bay; no other empty bay blinks."""
    run("snapshot")
    moved(tmp_path, lambda now: simulator.pull(now, "2"))
    begun = run("replace", OLD, "--yes", "--no-wait")
    assert (begun.exit_code, lit(tmp_path), "No LED blinks" in begun.output) == (7, ["02"], False)
    moved(tmp_path, push("2", "ZC9Z00A1"))
    assert run("replace", "resume", "--no-wait").exit_code == 7
    assert lit(tmp_path) == []


def test_a_wrong_drive_that_was_pulled_has_its_bay_blink(run: Run, tmp_path: Path) -> None:
    """The hand must go to that bay, not to the right drive's. When the drive is back, the right one blinks again."""
    run(*BEGIN)
    moved(tmp_path, lambda now: simulator.pull(now, "4"))
    stopped = run("replace", "resume", "--no-wait")
    assert (stopped.exit_code, lit(tmp_path)) == (7, ["04"])
    assert "Pull the drive" not in stopped.output
    moved(tmp_path, push("4", "ZC1A00M7"))
    run("replace", "resume", "--no-wait")
    assert lit(tmp_path) == ["02"]


@pytest.mark.slow
def test_the_led_is_off_at_boot_and_when_it_is_given_up(run: Run, tmp_path: Path) -> None:
    """``restore`` and ``locate off`` switch it off and keep the replacement open. ``abandon`` switches it off too."""
    run(*BEGIN)
    for words in (("restore",), ("locate", "off")):
        assert lit(tmp_path) == ["02"]
        assert run(*words).exit_code == 0
        assert lit(tmp_path) == []
        assert run("replace", "resume", "--no-wait").exit_code == 7
    [journaled] = json.loads(run("replace", "list", "--json").output)
    assert run("replace", "abandon", journaled["begin"]["change"], "--confirm", OLD).exit_code == 0
    assert lit(tmp_path) == []


def test_a_bay_without_an_led_does_not_stop_the_story(run: Run, tmp_path: Path) -> None:
    """Every LED method is named with the reason why it fails. The drive is named to be pulled."""
    run("show")
    moved(tmp_path, lambda now: {name: value for name, value in now.items() if name != "md/enclosure"})
    begun = run(*BEGIN)
    assert (begun.exit_code, "No LED blinks for" in begun.output) == (7, True)
    assert "the kernel shows no enclosure" in begun.output
    assert "Pull the drive" in begun.output


def test_an_led_that_cannot_be_switched_does_not_stop_the_story(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An enclosure that accepts the command and does nothing is reported. The replacement continues."""
    monkeypatch.setattr("raidctl.change.engine.READ_DELAYS", (0.0,))
    run("show")
    stuck = "file /sys/class/enclosure/8:0:20:0/Slot 02/locate"
    monkeypatch.setattr("raidctl.simulation.runner.written", lambda path, data: {path: "0" if path in stuck else data})
    begun = run(*BEGIN)
    assert (begun.exit_code, "No LED blinks" in begun.output) == (7, True)
    assert "Pull the drive" in begun.output


@pytest.mark.slow
def test_the_led_is_off_after_a_kill(tmp_path: Path) -> None:
    """The second process switches the LED off after signal 9.

    The signal comes while a person is waited for. The replacement stays open.
    """
    words = [sys.executable, "-m", "raidctl", "--state-dir", str(tmp_path / "state"), "--demo", "raid6"]
    with killed_on_error(
        subprocess.Popen(
            [*words, "replace", OLD, "--now", "--confirm", OLD], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith(b"Pull the drive"):
                break
        assert lit(tmp_path) == ["02"]
        os.kill(process.pid, signal.SIGKILL)
    until(lambda: not lit(tmp_path))
    place = Journal(tmp_path / "state" / "demo" / "raid6")
    until(lambda: [journaled.begin.kind for journaled in place.pending()] == ["operation"])


def test_the_check_names_the_bay(tmp_path: Path) -> None:
    """For a plain drive, the enclosure shows the bay, and no tool does."""
    result: Result = CliRunner().invoke(
        cli, ["--state-dir", str(tmp_path), "--demo", "raid6", "replace", OLD, "--check", "--json"]
    )
    found = json.loads(result.stdout)
    assert (found["bay"], found["enclosure"]) == ("Slot 02", "0x5003048001a2b3bd")
