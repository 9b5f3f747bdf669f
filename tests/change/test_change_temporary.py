"""Temporary changes of a batch, a measurement or a flush."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from raidctl.change.state_directory import Held
from raidctl.cli.bench._switch import ControllerReadAhead, kernel_read_ahead
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent, Work, planned
from raidctl.cli.shared.temporary_change import apply_temporarily
from raidctl.simulation.demo import machine as simulated
from raidctl.vendor.plan import Desired
from raidctl.vendor.registry import vendors
from raidctl.vendor.simulator import State
from tests.change.real_machine import results
from tests.support.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[2]
KILLED = """
import os
import signal
import sys
from pathlib import Path
from tests.change.faulty import Faulty
from tests.change.test_change_temporary import THROUGH, at, work
from raidctl.cli.shared.temporary_change import apply_temporarily
place, changes, moments = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
with work(at(place, "p400"), THROUGH) as made:
    faulty = made.named.runner = Faulty(made.named.runner)
    def watch():
        global moments
        moments -= sum(faulty.changing) == changes
        if moments == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    faulty.watch = watch
    with apply_temporarily(made, at(place, "p400")):
        pass
"""
THROUGH = Desired(object_id="smartarray:1/v1", setting="write_policy", value="write_through")


def at(place: Path, demo: str) -> Settings:
    """The options for a simulated machine with a separate state directory."""
    settings = Settings()
    settings.demo, settings.state_dir = demo, str(place)
    return settings


def work(settings: Settings, desired: Desired, unsafe: str | None = None) -> AbstractContextManager[Work]:
    """A plan that needs no confirmation."""
    return planned(settings, Consent(dry_run=False, yes=True, unsafe=unsafe), lambda _: [desired])


def state(place: Path, demo: str) -> State:
    """The current settings of a simulated machine."""
    return simulated(demo, vendors()[0], place / "demo" / demo).state()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "moments"), [(1, 1), (1, 2), (2, 1)], ids=["just set", "before the next request", "just restored"]
)
def test_a_killed_temporary_change_is_restored_by_the_watchdog(tmp_path: Path, changes: int, moments: int) -> None:
    """The watchdog restores after a kill during a temporary change.

    The kill is at the change, before its reading, or before the end is written.
    """
    before = state(tmp_path, "p400")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), str(changes), str(moments)],
        cwd=ROOT, stderr=subprocess.DEVNULL, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    until(lambda: results(tmp_path / "demo" / "p400") == ["restored"])
    assert state(tmp_path, "p400") == before


def test_a_current_value_is_locked_during_a_measurement(tmp_path: Path) -> None:
    """A value that needs no change is locked during the measurement. The journal is empty."""
    settings = at(tmp_path, "journal")
    with machine(settings) as here:
        setting = kernel_read_ahead(settings, here, here.survey(), "/dev/sda")
        assert setting.present is not None
        with setting.at(setting.present), pytest.raises(Held), setting.at(2 * setting.present):
            pytest.fail("it was changed nevertheless")
    assert results(tmp_path / "demo" / "journal") == []


def test_a_value_set_meanwhile_by_another_program_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A measurement prints no commands, but reports a kept value."""
    settings = at(tmp_path, "9271")
    with machine(settings) as here:
        switch = ControllerReadAhead(settings, here, "megaraid:0/v0", "read_ahead", "none")
        with switch.other():
            machine_ = simulated("9271", vendors()[0], tmp_path / "demo" / "9271")
            machine_.keep(machine_.state() | {"megaraid 0/v0/rdcache": "adaptive"})
    errors = capsys.readouterr().err
    assert "Left as it is" in errors
    assert "adaptive" in errors
    assert "Restoring" not in errors


def test_a_configured_but_inactive_policy_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A measurement with an inactive policy prints a warning."""
    settings = at(tmp_path, "h730")
    desired = Desired(object_id="megaraid:0/v0", setting="write_policy", value="protected_write_back")
    with work(settings, desired, unsafe="a trial") as made, apply_temporarily(made, settings):
        errors = capsys.readouterr().err
    assert "Warning: megaraid:0/v0 is set to protected-write-back, but write-through is active" in errors


def test_a_remote_machine_has_no_watchdog(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The warning contains the command that restores."""
    settings = at(tmp_path, "p400")
    with work(settings, THROUGH) as made:
        settings.host = "far"
        with apply_temporarily(made, settings):
            errors = capsys.readouterr().err
    assert 'previous settings are not restored automatically; run "raidctl --demo p400' in errors
    assert results(tmp_path / "demo" / "p400") == ["restored"]
