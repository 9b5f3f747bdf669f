"""The guards of locating: one test each, named after it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.indicator import Bay, Indicator, writes_only_leds
from raidctl.change.journal import Journal, JournaledChange
from raidctl.host import BlockDevice
from raidctl.locate import activity, ledctl
from raidctl.locate.targets import Wanted
from raidctl.request import Failure, Run, RunAnswer, converse
from raidctl.vendor.locating import fits
from raidctl.vendor.plan import Action
from raidctl.vendor.simulator import State
from tests.locate.conftest import Clock
from tests.locate.locate_views import SAS, Programs, wanted, with_which
from tests.support.command_line import Raidctl
from tests.support.over import over
from tests.support.processes import killed_on_error
from tests.support.waiting import until

SLOT = "/sys/class/enclosure/0:0:20:0/Slot 01"
LED = f"file {SLOT}/locate"
DRIVE = "drives:TGK00B2Y"


def test_guard_L1_locating_never_writes_to_a_drive(raidctl: Raidctl, clock: Clock) -> None:
    """Activity only reads, bypassing the page cache, for a second. A drive that the system does not see is not read."""
    read = activity.burst(wanted(SAS))
    assert isinstance(read, Run)
    assert read.argv == ("dd", "if=/dev/sdb", "of=/dev/null", "bs=128K", "iflag=direct")
    assert (read.changes, read.timeout) == (False, 1.0)
    assert isinstance(activity.burst(Wanted(Bay(object_id="megaraid:0/252:3"))), str)
    odd = BlockDevice("x", "/dev/x y", kind="disk")
    assert isinstance(activity.burst(Wanted(Bay(object_id="x"), blocks=(odd,))), str)
    assert activity.failed(RunAnswer(trouble=Failure.TIMEOUT)) is None
    assert activity.failed(RunAnswer(code=1, err=b"dd: error reading '/dev/sdb': Input/output error\n"))
    # no way without --by: a drive without an LED is reported, and nothing is read
    done = raidctl("--demo", "workstation", "locate", "/dev/sda")
    assert (done.exit_code, clock.waited) == (1, [])
    assert "CANNOT BE LOCATED" in done.stdout
    assert "--by activity" in done.stdout


def test_guard_L2_every_led_is_journaled_and_off_at_the_end(
    raidctl: Raidctl, state: Callable[[str], State], clock: Clock, tmp_path: Path
) -> None:
    """How to switch it off is stored before it is on. The time, Ctrl-C and a bug all switch it off."""
    place = tmp_path / "state" / "demo" / "sas"
    seen: list[str] = []

    def look() -> None:
        [journaled] = Journal(place).pending()
        assert journaled.begin.kind == "locate"
        assert [step.undo.data for step in journaled.begin.steps] == ["0"]
        seen.append(state("sas")[LED])

    clock.meanwhile = look
    assert raidctl("--demo", "sas", "locate", "/dev/sdb", "--for", "90s").exit_code == 0
    assert (seen, clock.waited, LED in state("sas")) == (["1\n"], [90.0], False)
    for error, code in ((KeyboardInterrupt(), 130), (ValueError("a bug"), 3)):

        def fail(error: BaseException = error) -> None:
            raise error

        clock.meanwhile = fail
        assert raidctl("--demo", "sas", "locate", "/dev/sdb").exit_code == code
        assert LED not in state("sas")
    assert Journal(place).pending() == []


@pytest.mark.slow
def test_guard_L2_an_led_is_off_after_a_kill(tmp_path: Path, state: Callable[[str], State]) -> None:
    """After SIGKILL, the second process switches it off and closes the change.

    After SIGTERM, the first process does.
    """
    place = tmp_path / "state"
    words = [sys.executable, "-m", "raidctl", "--state-dir", str(place), "--demo", "sas"]
    for number in (signal.SIGKILL, signal.SIGTERM):
        with killed_on_error(
            subprocess.Popen(
                [*words, "locate", "/dev/sdb", "--for", "1h"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        ) as process:
            assert process.stdout is not None
            assert b"drives:TGK00B2Y" in process.stdout.readline()  # printed when the LED is on and a watchdog is there
            assert state("sas")[LED] == "1\n"
            os.kill(process.pid, number)
        until(lambda: LED not in state("sas"))
        until(lambda: Journal(place / "demo" / "sas").pending() == [])


def test_guard_L2_an_led_is_off_at_boot(
    raidctl: Raidctl, state: Callable[[str], State], clock: Clock, tmp_path: Path
) -> None:
    """``restore`` switches off an LED whose journal has no end.

    A power failure leaves such a journal. The switching is reported.
    """
    journal = tmp_path / "state" / "demo" / "sas" / "journal.jsonl"
    kept: list[bytes] = []
    clock.meanwhile = lambda: kept.append(journal.read_bytes())
    settings = journal.with_name("settings.json")
    raidctl("--demo", "sas", "locate", "/dev/sdb")
    journal.write_bytes(kept[0])
    on = state("sas") | {LED: "1\n"}
    settings.write_text(json.dumps(on))
    listed = json.loads(raidctl("--demo", "sas", "locate", "list", "--json").stdout)["targets"]
    assert [(one["object_id"], one["on"], one["running"]) for one in listed[:1]] == [(DRIVE, True, False)]
    assert "not off again" in raidctl("--demo", "sas", "show").stdout
    dry = raidctl("--demo", "sas", "restore", "--dry-run")
    assert f"echo 0 > '{SLOT}/locate'" in dry.stdout
    assert raidctl("--demo", "sas", "restore").exit_code == 0
    assert LED not in state("sas")
    assert Journal(journal.parent).pending() == []
    assert raidctl("--demo", "sas", "restore").exit_code == 0


@pytest.mark.parametrize("case", [({}, 2, True), ({"boot": "another"}, 2, None), ({}, 0, None)])
def test_an_led_that_cannot_be_read_is_on_only_if_its_command_was_accepted_in_this_boot(
    raidctl: Raidctl, clock: Clock, tmp_path: Path, case: tuple[dict[str, str], int, bool | None]
) -> None:
    """It is unknown: a reboot may have switched it off, and a killed raidctl may not have switched it on."""
    fields, marks, on = case
    place = tmp_path / "state" / "demo" / "9271"
    kept: list[JournaledChange] = []
    clock.meanwhile = lambda: kept.extend(Journal(place).pending())
    raidctl("--demo", "9271", "locate", "megaraid:0/252:3")
    (place / "journal.jsonl").unlink()
    Journal(place).append(replace(kept[0].begin, **fields))
    for event in kept[0].events[:marks]:
        Journal(place).append(event)
    listed = json.loads(raidctl("--demo", "9271", "locate", "list", "--json").stdout)["targets"]
    assert [(one["object_id"], one["readable"], one["on"]) for one in listed] == [("megaraid:0/252:3", False, on)]


@over(
    "words, allowed",
    [
        ("--listed-only --log=/dev/null locate=/dev/sdb", True),
        ("--listed-only --log=/dev/null locate_off=/dev/sdb", True),
        ("locate=/dev/sdb", False),
        ("--listed-only --log=/dev/null failure=/dev/sdb", False),
        ("--listed-only --log=/dev/null locate={/dev/sda,/dev/sdb}", False),
    ],
)
def test_guard_L3_ledctl_is_only_run_for_the_listed_drive(words: str, allowed: bool) -> None:
    """Without ``--listed-only`` it may update other drives. States other than locate are not permitted."""
    assert fits(words.split(), ledctl.SHAPES) == allowed


def test_guard_L3_the_commands_of_ledctl_have_the_option() -> None:
    """Both planned commands have ``--listed-only``."""
    programs: Programs = {("ledctl", "--list-controllers"): (0, "/sys/devices/pci/0000:41:00.0 (SCSI)\n", "")}
    [indicator] = converse(ledctl.find([wanted(SAS)]), with_which("ledctl", programs)).values()
    assert isinstance(indicator, Indicator)
    assert "--listed-only" in indicator.on.argv
    assert "--listed-only" in indicator.off.argv


@over(
    "path, data, allowed",
    [
        (f"{SLOT}/locate", "1", True),
        ("/sys/class/leds/0000:3a:00.0:enclosure:locate/brightness", "0", True),
        ("/sys/bus/pci/slots/0-1/attention", "1", True),
        (f"{SLOT}/fault", "1", False),
        (f"{SLOT}/active", "0", False),
        (f"{SLOT}/status", "0", False),
        (f"{SLOT}/power_status", "off", False),
        (f"{SLOT}/../Slot 02/locate", "1", False),
        ("/sys/class/leds/0000:3a:00.0:enclosure:fail/brightness", "1", False),
        ("/sys/bus/pci/slots/0-1/power", "0", False),
        (f"{SLOT}/locate", "2", False),
    ],
)
def test_guard_L4_only_the_files_of_locate_leds_are_written(path: str, data: str, allowed: bool) -> None:
    """Writing ``device off`` takes a drive's power; ``power`` of a slot does, too."""
    assert writes_only_leds(Action(path=path, data=data)) == allowed


def test_guard_L4_nothing_else_is_written(raidctl: Raidctl, state: Callable[[str], State], clock: Clock) -> None:
    """While all bays of an enclosure blink, only their ``locate`` files differ."""
    bays = [f"enclosure:0x5003048001a2b3bd/Slot {number:02}" for number in range(5)]
    changed: list[set[str]] = []
    raidctl("--demo", "sas", "show")
    before = state("sas")
    clock.meanwhile = lambda: changed.append({name for name in state("sas") if state("sas")[name] != before.get(name)})
    assert raidctl("--demo", "sas", "locate", *bays).exit_code == 0
    assert changed == [{LED.replace("01", f"{number:02}") for number in range(5)}]
    assert state("sas") == before
