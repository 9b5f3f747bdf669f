"""Layouts carried out on simulated machines."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from raidctl.change.beginning import begin
from raidctl.change.engine import Change
from raidctl.change.journal import Begin, Journal
from raidctl.change.restore import Restorer
from raidctl.layout.applying import Applying
from raidctl.layout.applying_facts import ApplyFacts, facts_of
from raidctl.layout.compare import compare
from raidctl.layout.document import read_layout
from raidctl.layout.plan_code import code_of
from raidctl.recording.manifest import Entry
from raidctl.recording.recording import Recording
from raidctl.simulation.runner import Simulated
from raidctl.vendor.shapes import unlocked
from raidctl.vendor.simulator import words
from raidctl_md import simulator
from raidctl_md.simulated_machine import arrays
from tests.change.md_machine import SOURCE, VENDORS, Bench, recording

RESUME = "raidctl layout apply resume ID"
IMAGE = "/boot/initrd.img-6.1.0"
SERIALS = tuple(f"LABE0000{number}" for number in range(1, 7))
HEAD = "layout = 1\n"
MIRROR = """
[[volume]]
controller = "md"
name = "data"
raid_level = "raid1"
drives = ["LABE00001", "LABE00002"]
"""


PARITY = """
[[volume]]
controller = "md"
name = "lake"
raid_level = "raid5"
strip = "64KiB"
drives = { count = 3, at_least = "4TB" }
spares = 1
"""
PARTED = """
[[volume]]
controller = "md"
name = "boot"
raid_level = "raid1"
drives = ["LABE00001", "LABE00002"]
partition = { size = "512MiB" }

[[volume]]
controller = "md"
name = "data"
raid_level = "raid1"
drives = ["LABE00001", "LABE00002"]
partition = { size = "max" }
"""


def empty(place: Path, drives: int = 6, **about: str) -> Bench:
    """A machine with empty drives, a boot image, and no array. ``about``: other facts of the drives by serial."""
    lines = {"clock": "0", f"time {IMAGE}": "1", "time /etc/mdadm/mdadm.conf": "0"}
    lines["text /etc/mdadm/mdadm.conf"] = "MAILADDR root"
    for number, serial in enumerate(SERIALS[:drives], 1):
        lines[f"bay {number}"] = serial
        drive = {"sectors": "7814037168", "node": f"sd{'abcdef'[number - 1]}", "smart": "PASSED"}
        extra = dict(word.split("=", 1) for word in about.get(serial, "").split())
        lines[f"drive {serial}"] = words({**drive, **extra})
    place.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{name} = {value}\n" for name, value in lines.items())
    kept = recording(text)
    own = (
        Entry(which="smartctl", path="/usr/sbin/smartctl"),
        Entry(read="/proc/self/mountinfo", text="22 27 0:20 / /sys rw - sysfs sysfs rw\n"),
    )
    more = (*(one for one in kept.manifest.answers if one.read != "/proc/self/mountinfo"), *own)
    manifest = msgspec.structs.replace(kept.manifest, answers=more)
    machine = Simulated(Recording(manifest, kept.files), [simulator], place / "machine.json")
    return Bench(place, machine, recorded=f"empty drives\n{text}")


@dataclass
class Job:
    """A layout on a machine."""

    machine: Bench
    applying: Applying

    def start(self) -> Change:
        """The change of an operation that begins now."""
        seen = self.machine.look()
        made, found, _ = self.applying.look_at(seen)
        assert not found.refused, found.refused
        self.applying.pin(seen, made)
        entry = begin(
            "operation", found.whole, seen.inventory, about="raidctl layout apply", source=SOURCE, resume=RESUME,
            facts=self.applying.facts.texts(),
        )  # fmt: skip
        change = self.change(msgspec.structs.replace(entry, steps=()))
        change.apply()
        return change

    def run(self) -> None:
        """From the beginning to the end."""
        change = self.start()
        self.applying.run(change)
        change.finish()

    def resume(self) -> None:
        """Continue what the journal has open, as another process finds it."""
        [journaled] = self.machine.journal.pending()
        facts = facts_of(journaled.begin.facts)
        assert facts is not None
        self.applying.facts = facts
        change = self.change(journaled.begin)
        self.applying.run(change)
        change.finish()

    def change(self, entry: Begin) -> Change:
        """A change on the clock of the machine."""
        machine = self.machine
        return Change(
            entry, machine.journal, machine, machine.look, VENDORS, machine.printed.append, sleep=machine.sleep,
            clock=machine.clock,
        )  # fmt: skip

    def refused(self) -> list[str]:
        """What cannot be done, all at once."""
        _, found, _ = self.applying.look_at(self.machine.look())
        return [f"{one.label}: {text}" for one in found.refused for text in one.why]

    def steps(self) -> list[str]:
        """The commands of the plan."""
        _, found, _ = self.applying.look_at(self.machine.look())
        return [str(step.action) for step in found.whole.steps]

    def code(self) -> str:
        """The code of the plan."""
        seen = self.machine.look()
        _, found, read = self.applying.look_at(seen)
        return code_of(found, seen.inventory, read)

    def verdict(self) -> str:
        """Whether the machine is as the layout describes."""
        return compare(self.applying.layout, self.machine.look().inventory).verdict


def job(machine: Bench, text: str, *wipe: str) -> Job:
    """A layout on a machine; ``wipe``: serial numbers and unique ids."""
    layout = read_layout("lab.toml", (HEAD + text).encode())
    facts = ApplyFacts(file="lab.toml", text=HEAD + text, wipe=wipe)
    return Job(machine, Applying(machine, VENDORS, layout, machine.printed.append, facts))


def deleting(machine: Bench) -> str:
    """A layout that deletes the only array of a machine."""
    [about] = arrays(machine.machine.state()).values()
    return f'[machine]\nhostname = "lab"\n[[delete]]\ncontroller = "md"\nunique_id = "{about["uuid"]}"\n'


def kept(machine: Bench, name: str, value: str | None) -> None:
    """Change the state of the machine behind raidctl's back."""
    state = machine.machine.state()
    state.pop(name, None)
    machine.machine.keep(state if value is None else {**state, name: value})


def commands(machine: Bench) -> list[str]:
    """The programs that were run, without the locks."""
    return [" ".join(unlocked(argv)[0][:2]) for argv in machine.argvs]


def killed(machine: Bench, work: Callable[[], None], at: int) -> None:
    """Run it in a process that is killed. The kill comes right before one of its commands."""
    child = os.fork()
    if child == 0:
        counts = iter(range(1000))
        machine.before = lambda _: os._exit(1) if next(counts) == at else None
        try:
            work()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def restore(machine: Bench) -> list[str]:
    """What ``raidctl restore`` does after the kill."""
    messages: list[str] = []
    restorer = Restorer(
        Journal(machine.place),
        machine.place,
        machine,
        machine.look,
        VENDORS,
        SOURCE,
        messages.append,
        sleep=machine.sleep,
    )
    restorer.restore()
    return messages
