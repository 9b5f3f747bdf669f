"""A temporary change, whoever asks for it: a batch, a measurement, a flush."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from raidctl.change.state_directory import Held
from raidctl.cli.bench._switch import ControllerReadAhead, ahead
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent, Work, planned
from raidctl.cli.shared.temporary_change import for_a_while
from raidctl.simulation.demo import machine as simulated
from raidctl.vendor.plan import Desired
from raidctl.vendor.registry import vendors
from raidctl.vendor.simulator import State
from tests.change.real import results
from tests.support.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[2]
KILLED = """
import os
import signal
import sys
from pathlib import Path
from tests.change.faulty import Faulty
from tests.change.test_change_temporary import THROUGH, at, work
from raidctl.cli.shared.temporary_change import for_a_while
place, changes, moments = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
with work(at(place, "p400"), THROUGH) as made:
    faulty = made.named.runner = Faulty(made.named.runner)
    def watch():
        global moments
        moments -= sum(faulty.changing) == changes
        if moments == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    faulty.watch = watch
    with for_a_while(made, at(place, "p400")):
        pass
"""
THROUGH = Desired(object_id="smartarray:1/v1", setting="write_policy", value="write_through")


def at(place: Path, demo: str) -> Settings:
    """The options of a simulated machine with a state directory of its own."""
    settings = Settings()
    settings.demo, settings.state_dir = demo, str(place)
    return settings


def work(settings: Settings, wish: Desired, unsafe: str | None = None) -> AbstractContextManager[Work]:
    """A plan that nobody has to agree to."""
    return planned(settings, Consent(dry_run=False, yes=True, unsafe=unsafe), lambda _: [wish])


def state(place: Path, demo: str) -> State:
    """The settings of a simulated machine as they are now."""
    return simulated(demo, vendors()[0], place / "demo" / demo).state()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "moments"), [(1, 1), (1, 2), (2, 1)], ids=["just set", "before the next request", "just put back"]
)
def test_killed_at_any_command_it_is_put_back_by_the_second_process(tmp_path: Path, changes: int, moments: int) -> None:
    """When the policy was just set, before the look at it, and when it was put back and that is not written yet."""
    before = state(tmp_path, "p400")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), str(changes), str(moments)],
        cwd=ROOT, stderr=subprocess.DEVNULL, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    until(lambda: results(tmp_path / "demo" / "p400") == ["restored"])
    assert state(tmp_path, "p400") == before


def test_where_all_is_as_wished_nobody_else_changes_it_meanwhile(tmp_path: Path) -> None:
    """A read-ahead that is measured as it stands must stand to the end of the measurement; the journal has nothing."""
    settings = at(tmp_path, "journal")
    with machine(settings) as here:
        knob = ahead(settings, here, here.survey(), "/dev/sda")
        assert knob.present is not None
        with knob.at(knob.present), pytest.raises(Held), knob.at(2 * knob.present):
            pytest.fail("it was changed all the same")
    assert results(tmp_path / "demo" / "journal") == []


def test_what_somebody_else_has_set_meanwhile_is_left_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A measurement does not tell of each command, but it does of this."""
    settings = at(tmp_path, "9271")
    with machine(settings) as here:
        switch = ControllerReadAhead(settings, here, "megaraid:0/v0", "read_ahead", "none")
        with switch.other():
            machine_ = simulated("9271", vendors()[0], tmp_path / "demo" / "9271")
            machine_.keep(machine_.state() | {"megaraid 0/v0/rdcache": "adaptive"})
    said = capsys.readouterr().err
    assert "Left as it is" in said
    assert "adaptive" in said
    assert "Putting back" not in said


def test_what_is_not_in_force_although_it_was_set_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever measures with it has to know."""
    settings = at(tmp_path, "h730")
    wish = Desired(object_id="megaraid:0/v0", setting="write_policy", value="protected_write_back")
    with work(settings, wish, unsafe="a trial") as made, for_a_while(made, settings):
        said = capsys.readouterr().err
    assert "Warning: megaraid:0/v0 is set to protected-write-back, but write-through is active" in said


def test_that_nobody_stands_by_on_another_machine_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second process would look after this one; the command that puts back is named."""
    settings = at(tmp_path, "p400")
    with work(settings, THROUGH) as made:
        settings.host = "far"
        with for_a_while(made, settings):
            said = capsys.readouterr().err
    assert 'previous settings are not put back automatically; run "raidctl restore' in said
    assert results(tmp_path / "demo" / "p400") == ["restored"]
