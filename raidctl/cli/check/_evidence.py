"""Evidence of how checks ended: readings, logs, and results saved by raidctl."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path

from msgspec import Struct

from raidctl.change.state_directory import existing
from raidctl.change.state_place import is_missing
from raidctl.cli.shared.machine import Machine, machine, print_tracebacks
from raidctl.cli.shared.options import Settings
from raidctl.operate import check_history
from raidctl.operate.check_history import CheckRecord
from raidctl.operate.checks import Evidence, VolumeCheck, checks, newly_settled
from raidctl.request import Dialogue, Read, converse
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.text import attempt
from raidctl.vendor.checks import CheckEvent, CheckReading, Checks, checks_of

_BOOT, _UPTIME = Read("/proc/sys/kernel/random/boot_id"), Read("/proc/uptime")


class Checked(Struct):
    """A machine and the evidence of its checks."""

    named: Machine
    seen: Survey
    evidence: Evidence
    place: Path | None
    """The state directory, if there is one."""

    def checks(self, ids: Collection[str] | None = None) -> list[VolumeCheck]:
        """Return the check of each volume, or of those with these ids."""
        return checks(self.seen.inventory, self.evidence, ids)


@contextmanager
def checked(settings: Settings) -> Iterator[Checked]:
    """Read a machine and the evidence of its checks; save new results."""
    with machine(settings) as named:
        seen = named.survey()
        if settings.verbose:
            print_tracebacks(seen)
        place = state_place(settings)
        evidence = gather(named, seen, place)
        if place is not None:
            with suppress(check_history.NotSavedError):  # shown nevertheless; the next command saves them
                check_history.append(place, newly_settled(seen.inventory, evidence))
        yield Checked(named, seen, evidence, place)


def state_place(settings: Settings) -> Path | None:
    """Return the state directory of the machine that the options name.

    None: there is none, or the machine is a recording.
    """
    place = None if settings.replay is not None else existing(settings.state_dir)
    if place is None or not settings.demo:
        return place
    place = place / "demo" / settings.demo
    return None if is_missing(f"{place}/") else place


def gather(named: Machine, seen: Survey, place: Path | None) -> Evidence:
    """Return the evidence of all families of a machine."""
    by_family = {vendor.FAMILY: checks_of(vendor) for vendor in named.vendors}
    offered: dict[str, Checks] = {}
    readings: dict[str, CheckReading] = {}
    for controller in seen.inventory.controllers:
        family = by_family.get(family_of(controller))
        if family is not None:
            offered[family_of(controller)] = family
            readings |= family.readings(controller)
    events: list[CheckEvent] | None = None
    for family in offered.values():
        more = converse(family.events(), named.runner)
        events = events if more is None else [*(events or ()), *more]
    boot, uptime = converse(_clock(), named.runner)
    return Evidence(
        readings=readings,
        events=events,
        history=check_history.read(place),
        boot=boot,
        uptime=uptime,
        now=datetime.now(timezone.utc) if named.collected_at is None else None,
    )


def _clock() -> Dialogue[tuple[str, float | None]]:
    """Read the kernel's boot id, and the seconds since boot."""
    boot, uptime = yield (_BOOT, _UPTIME)
    words = (uptime.text or "").split()
    return (boot.text or "").strip(), attempt(float, words[0]) if words else None


def keep(place: Path, record: CheckRecord) -> None:
    """Save a record; see :func:`raidctl.operate.check_history.append`."""
    check_history.append(place, [record])
