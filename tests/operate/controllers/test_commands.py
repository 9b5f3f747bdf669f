"""``raidctl replace`` and ``raidctl spare`` as they are typed, on the demos of controllers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from tests.operate.controllers.simulated import DARK, ControllerReplacement, every, replacement_on

Run = Callable[..., Result]
RECORDED = Path(__file__).resolve().parents[3] / "fixtures"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a command line with an empty state directory."""

    def command(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--state-dir", str(tmp_path / "state"), *words])

    return command


@pytest.fixture
def replacement(name: str, tmp_path: Path) -> ControllerReplacement:
    """A drive of the demo that may be pulled. The same machine is used on the command line."""
    return replacement_on(name, tmp_path / "state" / "demo" / name)


def lit(tmp_path: Path, name: str) -> list[str]:
    """The LEDs of the simulated machine that are on."""
    path = tmp_path / "state" / "demo" / name / "settings.json"
    state = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    return [led for led, value in state.items() if led.startswith("led ") and value == "on"]


@pytest.mark.slow
@every
def test_a_demo_can_be_played(name: str, replacement: ControllerReplacement, run: Run, tmp_path: Path) -> None:
    """Each screen names the command that simulates the hand. The LED blinks for the person, and is off afterwards."""
    serial = replacement.old.serial or ""
    first = run("--demo", name, "replace", replacement.old.id, "--confirm", serial, "--no-wait")
    assert (first.exit_code, f"Pull the drive with serial number {serial}" in first.output) == (7, True), first.output
    assert "On this simulated machine: raidctl" in first.output
    # the drive blinks, unless its tool no longer lists it, or needs a password for that
    assert len(lit(tmp_path, name)) == (0 if "No LED blinks" in first.output or name in DARK else 1)
    assert f"Pull the drive with serial number {serial}" in run("--demo", name, "replace", "list").output
    assert run("demo", "--pull", name, replacement.bay).exit_code == 0
    second = run("--demo", name, "replace", "resume", "--no-wait")
    assert (second.exit_code, f"demo --push {name}" in second.output) == (7, True), second.output
    assert run("demo", "--push", name, replacement.bay).exit_code == 0
    third = run("--demo", name, "replace", "resume", "--no-wait")
    assert (third.exit_code, f"demo --pass-time {name}" in third.output) == (7, True), third.output
    assert "New drive: ZC1N" in third.output
    assert lit(tmp_path, name) == []


@every
def test_only_the_serial_number_confirms(name: str, replacement: ControllerReplacement, run: Run) -> None:
    """Neither --yes nor another drive's serial number confirms a pull."""
    other = replacement.others()[0].serial or ""
    for words in (("--yes",), ("--yes", "--confirm", other), ("--confirm", "")):
        result = run("--demo", name, "replace", replacement.old.id, *words)
        assert (result.exit_code, "Nothing was done" in result.output) == (2, True), result.output
    assert json.loads(run("--demo", name, "replace", "list", "--json").output) == []


@pytest.mark.slow
@every
def test_it_can_be_abandoned(name: str, replacement: ControllerReplacement, run: Run, tmp_path: Path) -> None:
    """An abandoned replacement is closed, and its LED is off.

    The serial number confirms it, and the present status is named.
    """
    serial = replacement.old.serial or ""
    run("--demo", name, "replace", replacement.old.id, "--confirm", serial, "--no-wait")
    [listed] = json.loads(run("--demo", name, "replace", "list", "--json").output)
    result = run("--demo", name, "replace", "abandon", listed["begin"]["change"], "--confirm", serial)
    assert (result.exit_code, f"  {replacement.volume} is " in result.output) == (0, True), result.output
    assert lit(tmp_path, name) == []


@every
def test_a_bay_that_is_not_there_is_refused(name: str, run: Run) -> None:
    """The refusal is one sentence, and nothing is changed."""
    for word in ("--pull", "--push"):
        result = run("demo", word, name, "99:99")
        assert (result.exit_code, "The simulated machine was not changed" in result.output) == (2, True), result.output


def test_a_spare_is_added_to_an_array_and_removed(run: Run) -> None:
    """The spare commands name the array and the drive, never all arrays. The result of each is verified."""
    run("demo", "--pass-time", "p440", "10h")
    removed = run("--demo", "p440", "spare", "remove", "2I:1:7", "--yes")
    assert (removed.exit_code, "array B remove spares=2I:1:7" in removed.output) == (0, True), removed.output
    refused = run("--demo", "p440", "spare", "add", "2I:1:7", "--yes")
    assert (refused.exit_code, "--for" in refused.output) == (1, True), refused.output
    added = run("--demo", "p440", "spare", "add", "serial:S402L14E", "--for", "v2", "--yes")
    assert (added.exit_code, "array B add spares=2I:1:7" in added.output) == (0, True), added.output
    unfit = run("--demo", "p440", "spare", "add", "2I:1:8", "--for", "v2", "--yes")
    assert (unfit.exit_code, "too small" in " ".join(unfit.output.split()), "S5" in unfit.output) == (1, True, True)


def test_what_is_a_spare_already_needs_no_change(run: Run) -> None:
    """This holds for spares of the whole controller and of the array. A spare of something else is refused as such."""
    for words in (("h730", "32:8"), ("p440", "2I:1:7", "--for", "v2")):
        again = run("--demo", words[0], "spare", "add", *words[1:], "--yes")
        assert (again.exit_code, "No change needed" in again.output) == (0, True), again.output
    for words in (("h730", "32:8", "--for", "v1"), ("h730", "32:3")):
        refused = run("--demo", words[0], "spare", "add", *words[1:], "--yes")
        assert (refused.exit_code, "is not free: it is a" in " ".join(refused.output.split())) == (1, True)


def test_a_spare_that_helps_is_a_member_and_stays(run: Run) -> None:
    """A spare is none while it is filled, nor after it has taken the place of a member."""
    run("demo", "--pass-time", "p440", "10h")
    run("demo", "--pull", "p440", "1I:1:3")
    for _ in range(2):
        refused = run("--demo", "p440", "spare", "remove", "2I:1:7", "--yes", "--unsafe", "trial")
        assert (refused.exit_code, "is not one spare of an array" in refused.output) == (2, True), refused.output
        run("demo", "--pass-time", "p440", "10h")


def test_guard_S2_the_last_spare_of_an_array_in_need_stays(run: Run) -> None:
    """The rebuild of another member needs it; --unsafe does not lift S1."""
    refused = run("--demo", "p440", "spare", "remove", "2I:1:7", "--yes")
    assert (refused.exit_code, "S2" in refused.output) == (1, True), refused.output


def test_the_plan_names_what_becomes_of_the_new_drive_beside_a_spare(run: Run) -> None:
    """Where a spare may step in, the new drive becomes a spare. Where none may, the plan does not mention it."""
    sentence = "If a spare takes its place first, the new one becomes the next spare."
    for name, drive, spared in (("9690", "p3", True), ("6805", "0,4", True), ("p400", "2I:1:2", False)):
        done = run("--demo", name, "replace", drive, "--dry-run")
        assert (done.exit_code, sentence in done.output) == (0, spared), done.output


def test_what_is_not_a_member_is_refused(run: Run) -> None:
    """A spare, an unassigned drive, two words: exit code 2, one sentence."""
    for words in (("2I:1:7",), ("2I:1:8",), ("1I:1:1", "1I:1:2"), ("1I:1:2", "--with", "1I:1:2")):
        result = run("--demo", "p440", "replace", *words)
        assert result.exit_code == 2, (words, result.output)


def test_a_member_of_an_array_that_is_rebuilt_stays(run: Run) -> None:
    """Guard R3: the demo as it was recorded rebuilds its RAID-6."""
    refused = run("--demo", "p440", "replace", "1I:1:3", "--confirm", "S402KX1B")
    assert (refused.exit_code, "guard R3" in refused.output) == (1, True), refused.output


def test_guard_R11_a_drive_that_the_system_sees_is_read_before_it_becomes_a_spare(run: Run) -> None:
    """What is on a drive behind a controller is read if it has a device; in a recording without it, it is unknown."""
    words = ("spare", "add", "1I:3:6", "--for", "v2", "--dry-run")
    assert run("--demo", "gen10", *words).exit_code == 0
    refused = run("--replay", str(RECORDED / "smartarray-gen10-failed-battery"), "--json", *words)
    assert "R11" in [one["guard"] for one in json.loads(refused.output)["denials"]]


@pytest.mark.parametrize(
    ("name", "volume"), [("9690", "threeware:6/v1"), ("1882", "areca:1/v1"), ("6805", "adaptec:1/v0")]
)
def test_a_check_that_is_not_running_is_not_shown_as_running(name: str, volume: str, run: Run) -> None:
    """The plan of a refused stop has the volume's state as the value before, and a running check's otherwise."""
    refused = run("--demo", name, "--json", "check", "stop", volume, "--dry-run")
    assert [step["before"] for step in json.loads(refused.output)["steps"]] == ["ok"]
    assert run("--demo", name, "check", "start", volume, "--yes").exit_code == 0
    planned = run("--demo", name, "--json", "check", "stop", volume, "--dry-run")
    assert [step["before"] for step in json.loads(planned.output)["steps"]] == ["checking"]
