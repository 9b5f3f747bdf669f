"""A policy that is switched for the length of a measurement.

The switch is refused where it does harm, and undone on every way out.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from raidctl.bench.trials.policy_switch import State
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.switcher import Switcher, refusal, shared_with
from raidctl.errors import BenchError, CannotTell, UsageError
from raidctl.vendor.plan import Action, Plan, Step
from raidctl.vendor.registry import vendors
from raidctl.verify.subjects import named
from tests.support.waiting import until
from tests.verify.checked_machines import checked_machine, plain_drive, raid_controller
from tests.verify.simulated import at, policy, results, subject, switcher

HOLDS = """
import sys, time
from pathlib import Path
from tests.verify.simulated import switcher
place = Path(sys.argv[1])
with switcher(place)("write_through"):
    (place / "switched").touch()
    time.sleep(600)
"""


def test_the_policy_is_active_inside_and_restored_after(tmp_path: Path) -> None:
    """The controller reports it, and the journal has every change."""
    before = policy(tmp_path)
    with switcher(tmp_path)("write_through"):
        during = policy(tmp_path)
    assert (before, during, policy(tmp_path)) == ("write_back", "write_through", "write_back")
    assert results(tmp_path) == ["restored"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, BenchError, SystemExit])
def test_whatever_ends_the_measurement_the_policy_is_put_back(tmp_path: Path, error: type[BaseException]) -> None:
    """Ctrl-C, an I/O error, SIGTERM."""
    with pytest.raises(error), switcher(tmp_path)("write_through"):
        raise error("in the middle")
    assert policy(tmp_path) == "write_back"
    assert results(tmp_path) == ["restored"]


@pytest.mark.slow
def test_a_killed_measurement_is_put_back_by_the_second_process(tmp_path: Path) -> None:
    """After signal 9 the second process restores the policy."""
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], cwd=root, stderr=subprocess.DEVNULL)
    until((tmp_path / "switched").exists)
    assert policy(tmp_path) == "write_through"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    until(lambda: results(tmp_path) == ["restored"])
    assert policy(tmp_path) == "write_back"


def test_a_change_that_cannot_be_made_is_a_reason_and_no_figure(tmp_path: Path) -> None:
    """While another raidctl has the controller, nothing is switched."""
    with switcher(tmp_path)("write_through"), pytest.raises(BenchError), switcher(tmp_path)("write_through"):
        pytest.fail("it was switched twice")
    assert policy(tmp_path) == "write_back"


@pytest.mark.parametrize(
    ("demo", "device", "state", "why"),
    [
        ("6805", "/dev/sdb", "write_through", "in write-through already"),
        ("9271", "/dev/sda", "drives_off", "are off already"),
        ("workstation", "/dev/sda", "write_through", "no controller with a write policy"),
    ],
)
def test_a_switch_without_information_is_refused(
    tmp_path: Path, demo: str, device: str, state: State, why: str
) -> None:
    """Before anything is measured, with the reason."""
    settings = at(tmp_path, demo)
    known, mine = subject(settings, device)
    with pytest.raises(UsageError, match=why):
        refusal(known, mine, state, Switcher(settings, mine), vendors()[0])


def test_a_family_that_cannot_be_changed_refuses() -> None:
    """A family that cannot set a policy refuses."""
    known = checked_machine(raid_controller())
    [mine] = named(known, ["acme:0/v0"])
    with pytest.raises(CannotTell, match="not switched"):
        refusal(known, mine, "write_through", Switcher(Settings(), mine), vendors()[0])


@pytest.mark.parametrize(("setting_of", "shared"), [("acme:0", True), ("acme:0/a", True), ("acme:0/v0", False)])
def test_a_setting_of_the_whole_controller_is_shared(setting_of: str, *, shared: bool) -> None:
    """A setting of a whole controller or array is shared. Other volumes there would be switched as well."""
    one = raid_controller()
    other = type(one.volumes[0])(id="acme:0/v1", array="acme:0/a", status="ok")
    known = checked_machine(msgspec.structs.replace(one, volumes=(*one.volumes, other)))
    [mine] = named(known, ["acme:0/v0"])
    nothing = Action(argv=("true",))
    step = Step(object_id=setting_of, setting="cache", before="on", after="off", action=nothing, undo=nothing)
    assert shared_with(mine, Plan(steps=(step,))) == (["acme:0/v1"] if shared else [])


def test_of_a_bare_drive_its_own_cache_is_switched() -> None:
    """There is no controller: the setting is the drive's."""
    [mine] = named(checked_machine(plain_drive("enabled")), ["drives:S1"])
    [desired] = Switcher(Settings(), mine).desired("drives_off")
    assert (desired.object_id, desired.setting, desired.value) == ("drives:S1", "write_cache", "disabled")
