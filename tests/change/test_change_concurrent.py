"""Reading of previous values under the lock. Another process's temporary policy is thus not taken for one."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from raidctl.change.journal import Begin, End, Journal, StepEvent, Subject
from raidctl.change.state_directory import Held, Holder, held_name, hold, holder_of
from raidctl.change.still_running import running
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent, Work, planned
from raidctl.errors import CannotTell
from raidctl.survey.survey import Survey
from raidctl.units import timestamp
from raidctl.vendor.plan import Desired
from tests.support.waiting import PATIENCE, until

CACHING = "slot=1/ld 1/arrayaccelerator"
HOLDER = Holder(change="c1", pid=7, since="2026-03-04T05:06:07Z", about="raidctl batch")


def through(_: Survey) -> list[Desired]:
    """Write-through for the volume of the P400."""
    return [Desired(object_id="smartarray:1/v1", setting="write_policy", value="write_through")]


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    """A plan on a simulated P400 that needs no confirmation."""
    settings = Settings()
    settings.demo, settings.state_dir = "p400", str(tmp_path)
    with planned(settings, Consent(dry_run=False, yes=True, unsafe=None), through) as made:
        yield made


def held(work: Work) -> None:
    """Lock the objects of the plan."""
    with work.hold(work.begin("batch", "load")):
        pass


def another_batch(work: Work, *, ended: bool, started: bool = True) -> None:
    """Add a batch to the journal, as if made since the plan."""
    entry = Begin(
        change="c1", at=timestamp(), kind="batch", about="another load", user="ann", pid=7, boot="b",
        source="demo:p400", subjects=(Subject(id="smartarray:1"),),
    )  # fmt: skip
    journal = Journal(work.state)
    journal.append(entry)
    if started:
        journal.append(StepEvent(change="c1", at=timestamp(), step=0, mark="start"))
    if ended:
        journal.append(End(change="c1", at=timestamp(), result="restored"))


def set_policy(work: Work, word: str) -> None:
    """Change the setting of the plan behind its back."""
    simulated = work.named.runner
    simulated.keep(simulated.state() | {CACHING: word})  # type: ignore[attr-defined]  # it is a simulated one


def test_a_valid_plan_is_carried_out(work: Work) -> None:
    """Without another change, or after an ended batch, the plan is valid."""
    held(work)
    another_batch(work, ended=True)
    held(work)


def test_a_plan_made_during_a_batch_is_checked_again(work: Work) -> None:
    """A plan is refused if the temporary policy has ended since. This also applies with --yes."""
    another_batch(work, ended=True)
    set_policy(work, "disable")
    with pytest.raises(CannotTell, match="no longer fits"):
        held(work)


def test_a_batch_that_was_cut_off_has_to_be_restored_first(work: Work) -> None:
    """A cut-off batch has to be restored before other changes."""
    another_batch(work, ended=False)
    with pytest.raises(CannotTell, match=r"--demo p400 .*restore"):
        held(work)


def test_the_controller_of_a_cut_off_batch_is_recognised_by_its_serial_number(work: Work) -> None:
    """A controller that a reboot renumbered still has to be restored first."""
    [controller] = [controller for controller in work.seen.inventory.controllers if controller.id == "smartarray:1"]
    entry = Begin(
        change="c1", at=timestamp(), kind="batch", about="another load", user="ann", pid=7, boot="b",
        source="demo:p400", subjects=(Subject(id="smartarray:7", serial=controller.serial),),
    )  # fmt: skip
    Journal(work.state).append(entry)
    Journal(work.state).append(StepEvent(change="c1", at=timestamp(), step=0, mark="start"))
    with pytest.raises(CannotTell, match="another load"):
        held(work)


def test_a_battery_that_failed_during_the_confirmation_is_noticed(tmp_path: Path) -> None:
    """A change that became unsafe since the plan is refused."""
    settings = Settings()
    settings.demo, settings.state_dir = "9271", str(tmp_path)
    desired = Desired(object_id="megaraid:0/v0", setting="write_policy", value="protected_write_back")
    with planned(settings, Consent(dry_run=False, yes=False, unsafe=None), lambda _: []) as made:
        simulated = made.named.runner
        simulated.keep(simulated.state() | {"megaraid 0/v0/wrcache": "WT"})  # type: ignore[attr-defined]  # as above
    with planned(settings, Consent(dry_run=False, yes=False, unsafe=None), lambda _: [desired]) as made:
        assert made.plan.steps
        assert not made.plan.refusals
        simulated = made.named.runner
        simulated.keep(simulated.state() | {"megaraid 0/battery": "Failed"})  # type: ignore[attr-defined]  # as above
        made.asked = True
        with pytest.raises(CannotTell, match="no longer fits"):
            held(made)


def test_a_change_killed_before_its_first_step_blocks_nothing(work: Work) -> None:
    """A change that was killed before its first step changed nothing."""
    another_batch(work, ended=False, started=False)
    held(work)


def test_the_plan_is_checked_after_a_confirmation(work: Work) -> None:
    """After a confirmation, the settings are read again. Other programs keep no journal."""
    set_policy(work, "disable")
    held(work)
    work.asked = True
    with pytest.raises(CannotTell, match="no longer fits"):
        held(work)


def test_a_recreated_volume_is_another_one(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan is refused if the volume's unique id has changed. The volume's number is the same."""
    work.asked = True
    held(work)
    controllers = work.seen.inventory.controllers
    import msgspec  # noqa: PLC0415 - for this test only

    def renamed() -> Survey:
        [controller] = controllers
        volumes = tuple(msgspec.structs.replace(v, unique_id="600508B1001CFFFF") for v in controller.volumes)
        found = msgspec.structs.replace(controller, volumes=volumes)
        inventory = msgspec.structs.replace(work.seen.inventory, controllers=(found,))
        return Survey(inventory, view=work.seen.view)

    monkeypatch.setattr(type(work.named), "survey", lambda _: renamed())  # changed behind our back
    with pytest.raises(CannotTell, match="no longer fits"):
        held(work)


def test_reading_the_holder_does_not_block_a_lock(tmp_path: Path) -> None:
    """The lock is taken while other processes keep reading its holder."""
    asking = (
        "import sys, time; from pathlib import Path; from raidctl.change.state_directory import holder_of\n"
        "print(flush=True)\n"
        "while True: holder_of(Path(sys.argv[1]), 'smartarray:1')"
    )
    with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
        pass
    with ExitStack() as stack:
        command = [sys.executable, "-c", asking, str(tmp_path)]
        others = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
        for other in others:
            stack.enter_context(other)
            stack.callback(other.kill)
            assert other.stdout is not None
            assert other.stdout.readline() == b"\n"
        for _ in range(50):
            with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
                time.sleep(0.005)


def test_a_raidctl_that_only_checks_a_lock_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine that may take seconds. It is not reported as a raidctl that changes the controller."""
    with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
        pass
    [file] = (tmp_path / "holders").iterdir()
    with file.open("rb") as checked:
        fcntl.flock(checked, fcntl.LOCK_SH)
        slept: list[float] = []

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            if sum(slept) > 5:
                fcntl.flock(checked, fcntl.LOCK_UN)

        clock = SimpleNamespace(monotonic=lambda: sum(slept), sleep=sleep)
        monkeypatch.setattr("raidctl.change.state_directory.time", clock)
        with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
            pass
        fcntl.flock(checked, fcntl.LOCK_SH)
        slept.clear()
        monkeypatch.setattr(clock, "sleep", slept.append)
        refused = pytest.raises(Held, match="Another raidctl is changing smartarray:1")
        with refused, hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
            pass


def test_controllers_of_two_machines_are_locked_separately(tmp_path: Path) -> None:
    """Over ssh, the same number is another controller."""
    with hold(tmp_path, [held_name("local", "megaraid:0")], HOLDER, source="local"):
        with hold(tmp_path, [held_name("ssh:db7", "megaraid:0")], HOLDER, source="ssh:db7"):
            assert holder_of(tmp_path, held_name("ssh:db7", "megaraid:0")) == HOLDER
        with pytest.raises(Held), hold(tmp_path, [held_name("local", "megaraid:0")], HOLDER, source="local"):
            pass


def test_a_real_controller_is_locked_for_all_state_directories(tmp_path: Path) -> None:
    """Another state directory is refused with the holder's name. A simulated machine has separate locks."""
    mine, other = tmp_path / "mine", tmp_path / "other"
    for place in (mine, other):
        place.mkdir(mode=0o700)
    with hold(mine, ["smartarray:1"], HOLDER, source="local"):
        refused = pytest.raises(Held, match=r"raidctl batch \(process 7, since 2026")
        with refused, hold(other, ["smartarray:1"], HOLDER, source="local"):
            pass
        with (
            hold(other, ["smartarray:2"], HOLDER, source="local"),
            hold(other, ["smartarray:1"], HOLDER, source="demo:p"),
        ):
            pass
    with hold(other, ["smartarray:1"], HOLDER, source="local"):
        pass


def test_a_change_from_another_state_directory_is_noticed(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings are read again after a change in another journal. The change ended before the lock."""
    monkeypatch.setattr(work.named, "source", "local")
    held(work)
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    with hold(other, ["smartarray:1"], HOLDER, source="local"):
        set_policy(work, "disable")
    with pytest.raises(CannotTell, match="no longer fits"):
        held(work)


@pytest.mark.slow
def test_the_watchdog_waits_for_the_lock_of_its_batch(tmp_path: Path) -> None:
    """The watchdog waits until the locks of its batch are free. It sees the end of the batch shortly before."""
    waiting = (
        "import sys; from pathlib import Path; from raidctl.change.state_directory import Holder, hold\n"
        "who = Holder(change='c2', pid=8, since='', about='')\n"
        "with hold(Path(sys.argv[1]), ['smartarray:1'], who, source='demo:p400', patience=float(sys.argv[2])): pass"
    )
    words = [sys.executable, "-c", waiting, str(tmp_path)]
    with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
        assert b"state_directory.Held: " in subprocess.run([*words, "0.1"], capture_output=True, check=False).stderr
        other = subprocess.Popen([*words, "60"])
        time.sleep(1)
        assert other.poll() is None
    assert other.wait(PATIENCE) == 0


def test_a_tool_that_outlives_its_raidctl_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool of the same user is recognised by its command line. An interpreter in front makes no difference."""
    tool = tmp_path / "acme"
    tool.write_text("#!/bin/sh\nread never\n")
    tool.chmod(0o755)
    words = (str(tool), "set", "v1")
    assert not running(words)
    process = subprocess.Popen(words, stdin=subprocess.PIPE)
    try:
        until(lambda: running(words))
        assert running(("acme", "set", "v1"))
        assert not running((str(tool), "set", "v2"))
        assert not running((str(tool),))
        with monkeypatch.context() as another:
            another.setattr(os, "geteuid", lambda: os.getuid() + 1)
            assert not running(words)
    finally:
        process.communicate(b"\n")
    assert not running(words)
