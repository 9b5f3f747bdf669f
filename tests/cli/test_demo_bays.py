"""Pulling and pushing drives and passing time on a simulated machine: ``raidctl demo``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a command line with an empty state directory."""
    return lambda *words: CliRunner().invoke(cli, ["--state-dir", str(tmp_path), *words])


def serials(run: Run) -> dict[str, str]:
    """The drives in the bays of raid6, by device."""
    found = json.loads(run("--demo", "raid6", "show", "--json").stdout)["controllers"]
    return {drive["device"]: drive["serial"] for one in found if one["mode"] == "none" for drive in one["drives"]}


def test_a_drive_that_is_pulled_is_gone_until_it_is_pushed(run: Run) -> None:
    """The array of a pulled drive is degraded. A new drive in the bay gets the old letter."""
    before = serials(run)
    assert run("demo", "--pull", "raid6", "2").exit_code == 0
    assert serials(run) == {device: serial for device, serial in before.items() if device != "/dev/sdb"}
    assert "DEGRADED" in run("--demo", "raid6", "show").stdout
    assert run("demo", "--push", "raid6", "2").exit_code == 0
    assert serials(run) == {**before, "/dev/sdb": "ZC1N0001"}
    assert run("demo", "--pull", "raid6", "2").exit_code == 0
    assert run("demo", "--push", "raid6", f"2={before['/dev/sdb']}").exit_code == 0
    assert serials(run) == before


@pytest.mark.parametrize(
    "words",
    [
        ("--pull", "raid6", "9"),
        ("--push", "raid6", "2"),
        ("--push", "raid6", "x"),
        ("--push", "raid6", "9=ZC1A00K1"),
        ("--pull", "p400", "1"),
        ("--push", "nothing", "1"),
        ("--pass-time", "raid6", "soon"),
    ],
)
def test_what_no_hand_can_do_is_refused(run: Run, words: tuple[str, ...]) -> None:
    """One sentence, exit code 2, and the machine is as it was."""
    before = serials(run)
    done = run("demo", *words)
    assert done.exit_code == 2
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr
    assert serials(run) == before


def test_when_a_wrong_drive_is_pulled_everything_stops_until_it_is_back(run: Run) -> None:
    """Guard R9 refuses to continue until the drive is back. A user practising on the demo sees this."""
    replace = ("--demo", "raid6", "replace")
    assert run(*replace, "ZC1A00L2", "--now", "--no-wait", "--confirm", "ZC1A00L2").exit_code == 7
    run("demo", "--pull", "raid6", "2")
    wrong = run(*replace, "resume", "--no-wait")
    assert wrong.exit_code == 7
    assert "ZC1A00K4 is gone, but must stay. Put it back now" in wrong.stderr
    run("demo", "--push", "raid6", "2=ZC1A00K4")
    assert "Pull the drive with serial number ZC1A00L2" in run(*replace, "resume", "--no-wait").output


def test_a_new_drive_that_another_array_has_taken_stays_there(run: Run) -> None:
    """The wrong drive was pulled, and the new one put into its bay: the controller rebuilds onto it.

    Moving it would pull a drive out of a rebuild. Another new drive takes the old one's place.
    """
    replace = ("--demo", "p440", "replace")
    assert run(*replace, "1I:1:2", "--yes", "--no-wait", "--confirm", "W7K0AE9F").exit_code == 7
    for hand in ("--pull=1I:1:3", "--push=1I:1:3", "--pull=1I:1:2"):
        option, bay = hand.split("=")
        assert run("demo", option, "p440", bay).exit_code == 0
    wrong = run(*replace, "resume", "--no-wait")
    assert wrong.exit_code == 7
    assert "leave it there. Put another new drive into the bay of the old one" in wrong.stderr
    assert "Move it there" not in wrong.stderr
    run("demo", "--push", "p440", "1I:1:2")
    assert "is smartarray:0/1I:1:3" not in run(*replace, "resume", "--no-wait").stderr
