"""Power cuts in the middle of a batch: QEMU is killed at any moment, the machine boots, the unit's command runs.

The journal lies on an emulated disk with ext4 that loses what was not flushed; nothing of it is shared with the host.
QEMU's drives forget what ``hdparm -W`` has set when QEMU ends. Real drives do either, so both kinds are used: after a
kill the next boot gets the drive with the setting that QEMU tells it had at the cut (a drive that keeps its setting
without power), and the last cut of each chain is the reset button, through which the emulated drive keeps it by itself.
"""

from __future__ import annotations

import json
import random
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from tests.lab.guest import PYTHONPATH, Background, Done, Guest
from tests.lab.machine import Machine
from tests.lab.machines_caches import POWER, STATE

pytestmark = pytest.mark.lab(minutes=8)

PATIENCE = 900.0  # seconds until a batch has come to a moment
PROGRAM = [sys.executable, "-m", "raidctl"]
BATCH = ("batch", "P1", "--drive-cache", "off", "--yes", "--", "sh", "-c")
WAITS, ENDS = "echo loading >&2; sleep 3600", "echo loading >&2"


@dataclass(frozen=True)
class Moment:
    """When the power goes: some time within ``most`` seconds after the batch has said ``sign``."""

    name: str
    sign: str
    most: float
    load: str = WAITS


LOAD = Moment("in the load", "loading", 1.0)
BACK = Moment("while it is put back", "Putting back", 2.0, ENDS)
CUTS = (LOAD, BACK)


@dataclass
class Chain:
    """A machine whose power is cut again and again; each boot puts back what the cut before has left."""

    guest: Guest
    chance: random.Random
    unit: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    changed: int = 0
    """Cuts that have caught the drive with its cache switched off."""

    def install(self) -> None:
        """Have the unit installed, and take from it the command that runs at every boot."""
        self.guest.raidctl("restore", "--install-unit", check=True)
        text = self.guest.read_file("/etc/systemd/system/raidctl-restore.service").decode()
        [line] = [line for line in text.splitlines() if line.startswith("ExecStart=")]
        self.unit = shlex.split(line.removeprefix("ExecStart="))
        assert self.unit[: len(PROGRAM)] == PROGRAM

    def set_off(self, moment: Moment) -> str:
        """Run a batch up to a moment; what is told of it."""
        options = self.unit[len(PROGRAM) : self.unit.index("restore")]
        batch = self.guest.start_raidctl(*options, *BATCH, moment.load)
        self._until(batch, moment.sign)
        pause = self.chance.uniform(0, moment.most)
        time.sleep(pause)
        return f"{moment.name}, {pause:.2f} s after {moment.sign or 'its start'!r}"

    def _until(self, batch: Background, sign: str) -> None:
        end = time.monotonic() + PATIENCE
        while sign not in (said := batch.stderr().decode()):
            assert time.monotonic() < end, f'the batch has not said "{sign}", but: {said}'
            time.sleep(0.05)

    def set_in_drive(self) -> bool:
        """Whether the drive's write cache is on, as the emulator knows it."""
        [block] = [block for block in self.guest.qmp("query-block") if block["device"] == "P1"]
        on: bool = block["inserted"]["cache"]["writeback"]
        return on

    def cut(self) -> bool:
        """Cut the power and switch it on again with the drive as it was; whether its cache was on."""
        self.guest.qmp("stop")
        on = self.set_in_drive()
        self.guest.kill()
        drives = tuple(replace(d, write_cache=on) if d.serial == "P1" else d for d in self.guest.machine.drives)
        self.guest.machine = replace(self.guest.machine, drives=drives)
        self.guest.boot()
        return on

    def asked(self) -> bool:
        """Whether the cache is on, as hdparm has it from the drive."""
        return "write-caching =  1 (on)" in self.guest.sh("hdparm -W /dev/sda")

    def restored(self, what: str, *, on: bool) -> None:
        """What the unit does after a cut: the cache is on again, as it was before the batch, and no change is open."""
        assert self.asked() is on, "the machine has come up with another drive than it went down with"
        left = self.pending()
        assert on or left, f"{what}: the cache is off, and the journal on the disk does not know why"
        done = self._put_back()
        said = done.err.decode()
        self.story.append(f"{what}: cache {'on' if on else 'off'}, {len(left)} open: {done.rc} {said.strip()[-90:]!r}")
        sys.stdout.write(f"{self.story[-1]}\n")
        assert (done.rc, self.asked(), self.pending()) == (0, True, set()), "\n".join(self.story)
        assert ("Put back: write_cache of drives:P1 from disabled back to enabled." in said) is not on, said
        self.changed += not on

    def _put_back(self) -> Done:
        """The unit's command, to the letter at the first boot; later without the start of an interpreter."""
        if not self.story:
            return self.guest.run(self.unit, env=PYTHONPATH, timeout=900, check=False)
        return self.guest.raidctl(*self.unit[len(PROGRAM) :], timeout=900)

    def pending(self) -> set[str]:
        """The changes in the journal that have begun and have no end; a line that was cut off counts as not written."""
        if not self.guest.sh(f"cd {STATE}; ls journal.jsonl 2>/dev/null || true"):
            return set()
        lines = self.guest.read_file(f"{STATE}/journal.jsonl").decode().split("\n")
        told = [json.loads(line) for line in lines[:-1]]
        ends = {line["change"] for line in told if line["event"] == "end"}
        return {line["change"] for line in told if line["event"] == "begin"} - ends


def test_restore_puts_back_after_each_power_cut(lab_machine: Callable[[Machine], Guest]) -> None:
    """The power fails in the load of a batch and at its end, and somebody presses reset in a load; the unit puts back.

    Every single request and line of the journal is tried without a kernel, in `tests/change/test_change_faults.py`.
    """
    seed = 1106
    sys.stdout.write(f"seed {seed}\n")
    chain = Chain(lab_machine(POWER), random.Random(seed))  # noqa: S311 - no secret: it is printed
    chain.install()
    for moment in CUTS:
        what = chain.set_off(moment)
        chain.restored(what, on=chain.cut())
    what = chain.set_off(LOAD)
    on = chain.set_in_drive()
    chain.guest.reset()
    chain.restored(f"reset {what}", on=on)
    assert len(chain.story) == len(CUTS) + 1
    # while the load runs the cache is off; how far the end has come depends on the machine
    assert chain.changed >= 2, "\n".join(chain.story)
