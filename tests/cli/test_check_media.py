"""`raidctl check media` on a simulated machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.cli.check import _waiting
from raidctl.cli.check.media import _tests
from raidctl.errors import CannotTell, UnderWay
from raidctl.vendor.self_tests import SelfTest

Raid = Callable[..., Result]


@pytest.fixture
def keeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Raid:
    """Run `raidctl --demo workstation check media …` without waiting for anything."""
    monkeypatch.setattr(_tests, "_PAUSES", (0.0, 0.0))

    def run(*words: str) -> Result:
        return CliRunner().invoke(
            cli, ["--state-dir", str(tmp_path), "--demo", "workstation", "check", "media", *words]
        )

    return run


def states(done: Result) -> list[str]:
    """The states in the JSON output."""
    return [one["state"] for one in json.loads(done.stdout)]


def test_a_test_is_started_shown_and_aborted(keeper: Raid) -> None:
    """The test runs after the start and is aborted after the stop. A second start is refused and does not abort it."""
    assert keeper("/dev/sdb", "--long").exit_code == 0
    assert states(keeper("show", "/dev/sdb", "--json")) == ["running"]
    second = keeper("/dev/sdb", "--short")
    assert second.exit_code == 1
    assert "check media stop /dev/sdb" in second.stderr
    assert states(keeper("stop", "/dev/sdb", "--json")) == ["aborted"]
    assert keeper("stop", "/dev/sdb").exit_code == 0


def test_a_test_that_cannot_be_read_is_not_taken_for_an_aborted_one(
    keeper: Raid, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is unknown to ``stop`` whether a test runs: exit code 3."""
    lost = SelfTest(drive="drives:x", state="unknown", why="smartctl did not answer in time.")
    monkeypatch.setattr(_tests, "read", lambda *_: [lost])
    done = keeper("stop", "/dev/sda")
    assert done.exit_code == 3
    assert "did not answer in time" in done.stdout


def test_several_drives_are_one_command(keeper: Raid) -> None:
    """If one of them cannot be tested now, none is."""
    assert keeper("/dev/sda", "--short").exit_code == 0
    assert keeper("/dev/sda", "/dev/sdb", "--short").exit_code == 1
    assert states(keeper("show", "--json")) == ["running", "none", "none"]


def test_a_dry_run_starts_nothing(keeper: Raid) -> None:
    """The command is printed; the drive is not tested."""
    assert keeper("/dev/sda", "--short", "--dry-run").stdout == "  smartctl -t short /dev/sda\n"
    assert states(keeper("show", "/dev/sda", "--json")) == ["none"]


def test_a_start_that_the_drive_does_not_show_is_an_error(keeper: Raid, tmp_path: Path) -> None:
    """If the tool only prints success, the exit code is 6. No test runs."""
    keeper("show")
    [settings] = (tmp_path / "demo" / "workstation").glob("*.json")
    settings.write_text(settings.read_text().replace("as recorded", "deaf"))
    done = keeper("/dev/sda", "--short")
    assert done.exit_code == 6
    assert "does not show it" in done.stderr


def test_a_recording_is_not_tested() -> None:
    """No test can be started or stopped on a recording, which is refused as by all commands: exit code 2."""
    for words in (["/dev/sda", "--short"], ["stop", "/dev/sda"]):
        done = CliRunner().invoke(cli, ["--replay", "fixtures/drives-ahci", "check", "media", *words])
        assert (done.exit_code, "A recorded machine cannot be changed" in done.stderr) == (2, True)


def test_waiting_ends_with_the_test_or_with_the_time() -> None:
    """Each 5 percent gives a line. The given time passes on a simulated clock."""
    passed = [0.0]
    clock = _waiting.Clock(lambda: passed[0], lambda seconds: passed.__setitem__(0, passed[0] + seconds))

    def look() -> _waiting.Look:
        return _waiting.Look(passed[0] >= 100, passed[0], "self-test of drives:x")

    _waiting.wait(look, 10, None, "raidctl check media show", clock)
    assert passed[0] == 100
    passed[0] = 0
    with pytest.raises(UnderWay, match="check media show"):
        _waiting.wait(look, 10, 50, "raidctl check media show", clock)
    assert passed[0] == 50


def test_a_reading_that_fails_ends_no_wait(capsys: pytest.CaptureFixture[str]) -> None:
    """A reading that fails ends no wait; the next one decides.

    After 15 minutes without one, the wait ends with an unknown result.
    """
    passed = [0.0]
    clock = _waiting.Clock(lambda: passed[0], lambda seconds: passed.__setitem__(0, passed[0] + seconds))
    lost = SelfTest(drive="drives:x", state="unknown", why="smartctl: another program uses the drive.")
    ended = SelfTest(drive="drives:x", state="passed", kind="short")

    def back_after(seconds: float) -> Callable[[], _waiting.Look]:
        return lambda: _tests.look_of([ended if passed[0] >= seconds else lost])

    _waiting.wait(back_after(600), 10, None, "raidctl check media show", clock)
    assert passed[0] == 600
    reason = "drives:x (smartctl: another program uses the drive)."
    assert capsys.readouterr().err.count(reason) == 1
    passed[0] = 0
    with pytest.raises(CannotTell, match=r"self-test of drives:x is not stopped\. Check again"):
        _waiting.wait(back_after(2000), 10, None, "raidctl check media show", clock)
    assert passed[0] == 900


def test_one_drive_that_cannot_be_read_does_not_hide_another() -> None:
    """A running test and one that cannot be read are waited for."""
    running = SelfTest(drive="drives:a", state="running", percent=40)
    seen = _tests.look_of([running, SelfTest(drive="drives:b", state="unknown")])
    assert (seen.over, seen.percent, seen.text) == (False, 40, "self-test of drives:a, drives:b")
    assert seen.unread == "drives:b (unknown)"


def test_an_old_result_is_not_taken_for_the_new_test() -> None:
    """A drive that shows the same log has not started the test. Its log is the same as before."""
    old = SelfTest(drive="drives:x", state="passed", kind="short", hours=18, logged=1)
    assert not _tests.began(old, old)
    assert not _tests.began(old, SelfTest(drive="drives:x"))
    assert _tests.began(old, SelfTest(drive="drives:x", state="passed", kind="short", hours=18, logged=2))
