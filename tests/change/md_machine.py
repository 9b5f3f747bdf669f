"""A simulated machine with md arrays, bays and a clock. It is for the tests of operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from raidctl.change.beginning import begin
from raidctl.change.deed_plans import DeedGuard, plan_deeds
from raidctl.change.engine import Change
from raidctl.change.journal import Journal
from raidctl.change.restore import Restorer
from raidctl.change.restored import Restored
from raidctl.recording.manifest import Entry, Manifest
from raidctl.recording.recording import Recording
from raidctl.request import Answer, Request, RunAnswer
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.plan import Deed, Plan
from raidctl.vendor.registry import vendors
from raidctl.vendor.simulator import State, fields, words
from raidctl_md import simulator
from tests.support.misbehaving_tools import Behaviour, Misbehaving
from tests.support.readings import READINGS

VENDORS = vendors()[0]
UUID = "3ac0e815:f96b2d74:58d1c03f:9e7bfa01"
SOURCE = "demo:bays"
_LONG = 50_000.0
"""Seconds on the clock after which a test fails."""


def definition(
    level: str = "raid5",
    slots: int = 3,
    *,
    drives: int = 4,
    shelf: int = 2,
    parts: str = "",
    state: Mapping[str, str] = {},
) -> str:
    """The definition of a machine.

    It has an array on the first drives, then spare drives in bays, then drives outside.
    """
    lines = {"clock": "0"}
    for number in range(1, drives + shelf + 1):
        serial = f"LABD0000{number}"
        about = {"sectors": "262144"}
        if number <= drives:
            lines[f"bay {number}"] = serial
            about["node"] = f"sd{'abcdefgh'[number - 1]}"
        if number <= slots and parts:
            about["parts"] = parts
        lines[f"drive {serial}"] = words(about)
    for index, part in enumerate(parts.split(",") if parts else [""]):
        uuid = f"{UUID[:-1]}{index + 1}"
        lines[f"md md{index}"] = words(
            {"level": level, "slots": str(slots), "sectors": "100000", "offset": "2048", "uuid": uuid, "seconds": "200"}
        )
        for slot in range(slots):
            serial = f"LABD0000{slot + 1}{'-' + part if part else ''}"
            lines[f"member md{index} {serial}"] = words({"slot": str(slot), "state": "in_sync"})
    lines |= state
    return "".join(f"{name} = {value}\n" for name, value in lines.items())


def recording(text: str) -> Recording:
    """The recording of a machine with this definition. The rest is that of a small server."""
    files = {
        "/proc/sys/kernel/hostname": "lab\n", "/proc/sys/kernel/osrelease": "6.1.0\n",
        "/proc/self/status": "Uid:\t0\t0\t0\t0\n", "/proc/swaps": "Filename Type Size Used Priority\n",
        "/proc/self/mountinfo": "27 1 9:0 / /srv rw - ext4 /dev/md0 rw\n22 27 0:20 / /sys rw - sysfs sysfs rw\n",
        "/proc/self/mounts": "sysfs /sys sysfs rw,nosuid 0 0\n",
        "/etc/mdadm/mdadm.conf": "".join(f"ARRAY /dev/md{index} UUID={UUID[:-1]}{index + 1}\n" for index in range(2)),
    }  # fmt: skip
    answers = (
        Entry(run=simulator.MACHINE, code=0, out="machine"),
        Entry(which="mdadm", path="/usr/sbin/mdadm"),
        *(Entry(read=path, text=text) for path, text in files.items()),
    )
    manifest = Manifest(format="raidctl-record 1", source="written", unrecorded="missing", answers=answers)
    return Recording(manifest, {"machine": text.encode()})


def _through(name: str) -> Any:
    """An attribute that a bench shares with its runner."""
    return property(lambda bench: getattr(bench.runner, name), lambda bench, value: setattr(bench.runner, name, value))


@dataclass
class Bench:
    """A machine, its engine's clock, and events at times of that clock."""

    AT_ONCE: ClassVar = True

    place: Path
    machine: Simulated
    at: float = 0.0
    """Seconds on the clock."""
    events: list[tuple[float, Callable[[State], State]]] = field(default_factory=list)
    """Events that change the machine's state. A drive is pulled, or a member fails."""
    moments: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    """Events that call the machine's own functions."""
    printed: list[str] = field(default_factory=list)
    recorded: str | None = None
    """The recording's text, so that readings of an equal state are shared. None: read every time."""

    def __post_init__(self) -> None:
        """Reply through a runner whose tools may misbehave."""
        self.runner = Misbehaving(self.machine)

    # --- a runner

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Reply to each request, in order."""
        return self.runner.carry_out(requests)

    behaviour = _through("behaviour")
    match = _through("match")
    argvs = _through("argvs")
    before = _through("before")
    otherwise = _through("otherwise")

    # --- the clock

    def clock(self) -> float:
        """The seconds on the clock."""
        return self.at

    def sleep(self, seconds: float) -> None:
        """Advance the clock, the rebuilds and the events."""
        assert self.at < _LONG, "the test waited too long"
        end = self.at + seconds
        for moment, event in [one for one in self.events if one[0] <= end]:
            self._pass(max(0.0, moment - self.at))
            self.machine.keep(event(self.machine.state()))
            self.events = [one for one in self.events if one != (moment, event)]
        for moment, act in [one for one in self.moments if one[0] <= end]:
            self._pass(max(0.0, moment - self.at))
            act()
            self.moments = [one for one in self.moments if one != (moment, act)]
        self._pass(max(0.0, end - self.at))

    def _pass(self, seconds: float) -> None:
        self.at += seconds
        self.machine.pass_time(seconds)

    # --- the engine

    def look(self) -> Survey:
        """Read the whole machine."""
        if self.recorded is None:
            return survey(self, VENDORS, source=SOURCE)
        return READINGS.of(
            f"{self.recorded} {self.runner.busy}" if self.runner.busy else self.recorded,
            self.machine.state(),
            self,
            VENDORS,
            SOURCE,
        )

    @property
    def journal(self) -> Journal:
        """The journal of this machine."""
        return Journal(self.place)

    def plan(self, *deeds: Deed, guard: DeedGuard = lambda _deed, _seen: ()) -> Plan:
        """The plan of these deeds."""
        return plan_deeds(self.look(), VENDORS, deeds, guard)

    def change(self, plan: Plan, *, resume: str | None = None) -> Change:
        """The change of a plan, ready to be applied."""
        entry = begin("operation", plan, self.look().inventory, about="trial", source=SOURCE, resume=resume)
        return Change(
            entry, self.journal, self, self.look, VENDORS, self.printed.append, sleep=self.sleep, clock=self.clock
        )

    def restored(self) -> list[Restored]:
        """The results of ``restore``."""
        restorer = Restorer(
            self.journal, self.place, self, self.look, VENDORS, SOURCE, self.printed.append, sleep=self.sleep
        )
        return restorer.restore()

    def member(self, serial: str, array: str = "md0") -> str | None:
        """The simulated state of a member, such as ``in_sync``. None if it is not a member."""
        value = self.machine.state().get(f"md/member {array} {serial}")
        return fields(value)["state"] if value is not None else None


def bench(place: Path, text: str | None = None) -> Bench:
    """Make a bench with its files in a directory."""
    place.mkdir(parents=True, exist_ok=True)
    text = text if text is not None else definition()
    made = Bench(place, Simulated(recording(text), [simulator], place / "machine.json"), recorded=text)
    made.runner.another = RunAnswer(code=1, err=b"mdadm: cannot open /dev/md0: Device or resource busy\n")
    return made


def deed(verb: Any, number: int, *, array: str = "md:md0", part: str = "") -> Deed:
    """A deed with one of the machine's drives."""
    node = f"/dev/sd{'abcdefgh'[number - 1]}{part}"
    return Deed(object_id=array, verb=verb, drive=f"drives:LABD0000{number}", device=node)


__all__ = ["Behaviour", "Bench", "bench", "deed", "definition"]
