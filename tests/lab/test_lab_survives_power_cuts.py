"""Power failures during a batch, a blinking LED and replacements. Replacements are in every state. Nothing is lost.

The journal is on an emulated drive with ext4 that loses what was not flushed, and shares nothing with the host. QEMU's
drives reset the cache setting of ``hdparm -W`` when QEMU ends. Real drives do either, so both kinds are tested: after
a kill, the next boot gets the drive with the setting that QEMU reported at the cut (a drive that keeps its setting
without power); the second failure is the reset button, after which the emulated drive still has it.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from tests.lab.bays import Bays, nvme, scsi
from tests.lab.enclosure import Enclosure
from tests.lab.guest import PYTHONPATH, Done, Guest
from tests.lab.machines_bays import BAYS, BUS, MIRROR, PARITY
from tests.lab.machines_caches import STATE

# a separate group for its machine: the other tests of such a machine need not wait for it
pytestmark = [pytest.mark.lab(minutes=8), pytest.mark.xdist_group("lab-power")]

PATIENCE = 900.0  # seconds until a batch has come to a moment
PROGRAM = [sys.executable, "-m", "raidctl"]
BATCH = ("batch", "P1", "--drive-cache", "off", "--yes", "--", "sh", "-c")
LOAD = "echo loading >&2; sleep 3600"
BAY = "enclosure:0x3000000000001a2b/Slot 02"
UNDER_WAY = 7


@pytest.fixture
def bays() -> Iterator[Bays]:
    """A machine for this test alone, since its drives are exchanged."""
    # health is not read here: it takes a third of the test
    lean = replace(BAYS, prepare=(*BAYS.prepare, "rm -f /usr/sbin/smartctl /usr/bin/sdparm"))
    with Enclosure() as enclosure, Guest(replace(lean, qemu=enclosure.arguments(f"{BUS}.0"))) as guest:
        yield Bays(guest.boot(), enclosure)


@dataclass
class Power:
    """A machine whose power fails, with the drives of two arrays."""

    bays: Bays
    unit: list[str]
    """The command that runs at every boot."""

    def begin_batch(self) -> None:
        """Start a batch that disables the cache of P1. Wait for its load."""
        options = self.unit[len(PROGRAM) : self.unit.index("restore")]
        batch = self.bays.guest.start_raidctl(*options, *BATCH, LOAD)
        end = time.monotonic() + PATIENCE
        while b"loading" not in (errors := batch.stderr()):
            assert time.monotonic() < end, f'the batch has not printed "loading", but: {errors.decode()}'
            time.sleep(0.05)

    def begin_locating(self) -> None:
        """Let the LED of bay 2 blink."""
        assert BAY in self.bays.guest.start_raidctl("locate", BAY, "--for", "1h").readline().decode()
        assert self.bays.enclosure.lit == {2}

    def cache_on(self) -> bool:
        """Whether the write cache of P1 is enabled, as hdparm reads it."""
        return "write-caching =  1 (on)" in self.bays.guest.sh(f"hdparm -W {self.bays.guest.device('P1')}")

    def cut(self) -> None:
        """Cut the power, and boot again with the setting of P1."""
        guest = self.bays.guest
        guest.qmp("stop")
        [block] = [block for block in guest.qmp("query-block") if block["device"] == "P1"]
        on: bool = block["inserted"]["cache"]["writeback"]
        drives = tuple(replace(d, write_cache=on) if d.serial == "P1" else d for d in guest.machine.drives)
        guest.machine = replace(guest.machine, drives=drives)
        self.bays.cut()

    def restored(self, done: Done) -> None:
        """Check the result of the unit. The cache is enabled, no LED blinks, and only the replacements are open."""
        errors = done.err.decode()
        assert (done.rc, self.cache_on(), self.bays.enclosure.lit) == (0, True, set()), done
        assert "Restored: write_cache of drives:P1 from disabled back to enabled." in errors
        assert {begin["kind"] for begin in self.pending()} == {"operation"}
        assert errors.count("It is open:") == len(self.pending()) == 2, errors

    def pending(self) -> list[dict[str, object]]:
        """The changes in the journal without an end. A torn line does not count."""
        lines = self.bays.guest.read_file(f"{STATE}/journal.jsonl").decode().split("\n")
        events = [json.loads(line) for line in lines[:-1]]
        ends = {line["change"] for line in events if line["event"] == "end"}
        return [line for line in events if line["event"] == "begin" and line["change"] not in ends]

    def begin(self, serial: str, *more: str) -> str:
        """Start a replacement that has to wait; returns its number."""
        done = self.bays.raidctl("replace", serial, "--confirm", serial, "--no-wait", *more)
        assert done.rc == UNDER_WAY, done
        return done.err.decode().rsplit("resume ", 1)[1].split('"')[0]

    def waits(self, change: str, sentence: str, *more: str) -> None:
        """Continue a replacement until it waits, with this sentence."""
        done = self.bays.raidctl("replace", "resume", change, "--no-wait", *more)
        printed = " ".join((done.text + done.err.decode()).split())
        assert (done.rc, sentence in printed) == (UNDER_WAY, True), done

    def ends(self, change: str, array: str, *more: str) -> None:
        """Continue a replacement to its end."""
        done = self.bays.raidctl("replace", "resume", change, *more)
        assert (done.rc, self.bays.state(array)["degraded"]) == (0, "0"), done


def test_open_operations_survive_a_power_cut_and_a_reset(bays: Bays) -> None:
    """Replacements in each state continue, and caches and LEDs are restored.

    Every single request and line of the journal is tested without a kernel, in `tests/change/test_change_faults.py`.
    """
    bays.raidctl("restore", "--install-unit")
    text = bays.guest.read_file("/etc/systemd/system/raidctl-restore.service").decode()
    [line] = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    power = Power(bays, shlex.split(line.removeprefix("ExecStart=")))
    assert power.unit[: len(PROGRAM)] == PROGRAM
    sums = {"md1": bays.fill("md1", 4), "md6": bays.fill("md6", 8)}

    mirror, parity = after_the_cut(power)
    last = before_the_reset(power, mirror, parity)
    after_the_reset(power, parity, last)

    assert {array: bays.checksum(array) for array in sums} == sums
    assert bays.raidctl("replace", "list").text == "No replacement is open.\n"


def after_the_cut(power: Power) -> tuple[str, str]:
    """The copy continues, and the removed drive stays out."""
    bays = power.bays
    bays.push(nvme("LABNVME3", 3))
    bays.speed("md1", 10)
    mirror = power.begin(MIRROR[1], "--with", "LABNVME3")
    assert bays.state("md1") == {"sync_action": "recover", "degraded": "0"}
    parity = power.begin(PARITY[1])
    power.begin_batch()
    power.begin_locating()
    power.cut()
    assert power.cache_on() is False
    assert bays.enclosure.lit == {2}
    # the unit's command to the letter; after the next failure without the start of an interpreter
    power.restored(bays.guest.run(power.unit, env=PYTHONPATH, timeout=900, check=False))
    assert (bays.state("md1")["degraded"], bays.state("md6")["degraded"]) == ("0", "1")
    bays.writable("md1")
    bays.idle("md1")
    return mirror, parity


def before_the_reset(power: Power, mirror: str, parity: str) -> str:
    """One replacement waits for its new drive while another rebuilds. Returns the number of the latter."""
    bays = power.bays
    power.waits(mirror, f"Pull the drive with serial number {MIRROR[1]}")
    bays.pull(MIRROR[1])
    power.ends(mirror, "md1")
    bays.pull(PARITY[1])
    power.waits(parity, "Put the new drive into the bay of the old one")
    last = power.begin(MIRROR[0], "--now")
    bays.pull(MIRROR[0])
    bays.push(nvme("LABNVME4", 1))
    bays.speed("md1", 10)
    power.waits(last, "rebuilding of md:md1 is not complete")
    assert bays.state("md1") == {"sync_action": "recover", "degraded": "1"}
    power.begin_batch()
    power.begin_locating()
    return last


def after_the_reset(power: Power, parity: str, last: str) -> None:
    """Both replacements are completed."""
    bays = power.bays
    bays.guest.reset()
    assert power.cache_on() is False
    power.restored(bays.raidctl(*power.unit[len(PROGRAM) :]))
    bays.writable("md1")
    power.ends(last, "md1")
    bays.push(scsi("LABBAYS9", 1))
    power.ends(parity, "md6", "--with", "LABBAYS9")
