"""Consistency checks of a family: a module ``checks`` in the package.

Its functions are pure, or dialogues. A package without it reports only the fields of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Protocol, cast

from msgspec import Struct

from raidctl.described import doc
from raidctl.model import Controller, Inventory, Operation, Problem, Volume
from raidctl.request import Dialogue
from raidctl.vendor.parts import part_of
from raidctl.vendor.protocol import Vendor

CheckKind = Literal["check", "repair"]
OVERWRITES_A_COPY = "Where copies differ, one overwrites the other; which one is right is unknown."
COMPUTES_PARITY = "Where the parity differs, it is computed again from the data."
"""What a repair of mirrors, and of parity, does where it finds a difference."""


class CheckReading(Struct, frozen=True, kw_only=True):
    """What the hardware or kernel shows about the checks of one volume."""

    running: CheckKind | None = None
    """None: neither, or unknown."""
    known: bool = True
    """Whether the current operation could be read."""
    waiting: bool = False
    """Whether the running check waits for another operation on the same drives. It has not begun yet."""
    paused_at: int | None = None
    """Position in sectors at which the running check is paused."""
    last: CheckKind | None = None
    """The last operation since the volume's start, if it was a check."""
    last_known: bool = True
    """Whether the last operation could be read."""
    stopped_at: int | None = None
    """Position in sectors at which the last check was stopped. None: it was not, or that is unknown."""
    differ: int | None = None
    """Differing sectors found by the running or last check."""
    read_errors: int | None = None
    """Sum of the members' error counters."""


class Glance(Struct, frozen=True, kw_only=True):
    """A quick reading of a volume that is being checked."""

    running: bool | None = None
    """None: it could not be read."""
    percent: float | None = None


class CheckEvent(Struct, frozen=True, kw_only=True):
    """The end of a check in a log."""

    device: str
    """``md0``."""
    kind: CheckKind
    done: bool
    """False: interrupted."""
    seconds: float
    """Since the boot."""


class Schedule(Struct, frozen=True, kw_only=True):
    """Something that starts checks regularly."""

    name: Annotated[str, doc("`mdcheck_start.timer`, or the file of a cron job.")]
    kind: Annotated[Literal["timer", "cron"], doc("What starts it.")]
    enabled: Annotated[bool | None, doc("Whether it is on; null: unknown.")] = None
    why: Annotated[str | None, doc("Why it is off, or why that is unknown; null: nothing to add.")] = None
    calendar: Annotated[str | None, doc("Its times, as configured; null: unknown.")] = None
    next_at: Annotated[str | None, doc("Next start, as printed; null: none, or unknown.")] = None
    files: Annotated[tuple[str, ...], doc("The files that define it, the most general one first.")] = ()


class Schedules(Struct, frozen=True, kw_only=True):
    """All schedules of a family on a machine."""

    schedules: Annotated[tuple[Schedule, ...], doc("Those that are there.")] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read.")] = ()


class Checks(Protocol):
    """A vendor package that reports and schedules consistency checks."""

    def readings(self, controller: Controller) -> Mapping[str, CheckReading]:
        """The checks of each volume, by its id."""

    def glance(self, volumes: Sequence[Volume]) -> Dialogue[Mapping[str, Glance]]:
        """Which of these volumes are being checked, with the progress. A call every second is cheap enough."""

    def events(self) -> Dialogue[Sequence[CheckEvent] | None]:
        """The ends of checks in the log of this boot, oldest first. None: it cannot be read."""

    def schedules(self, inventory: Inventory) -> Dialogue[Schedules]:
        """The schedules on this machine."""

    def schedule_family(self, calendars: Sequence[str]) -> Vendor:
        """The schedules as a vendor package, for the change engine.

        The package shows one controller; its volumes are the schedules, their names in ``details["name"]``. The
        controller's details have each calendar that systemd understands, as systemd writes it.
        """

    def cron_times(self, text: str) -> str | None:
        """The five fields of cron, checked; None if they are invalid."""


def checks_of(vendor: Vendor) -> Checks | None:
    """The checks module of a family; None if it has none."""
    return cast("Checks | None", part_of(vendor, "checks"))


def schedule_families(vendors: Sequence[Vendor], calendars: Sequence[str] = ()) -> list[Vendor]:
    """The schedules of all families with schedules, as vendor packages."""
    offered = [checks_of(vendor) for vendor in vendors]
    return [one.schedule_family(calendars) for one in offered if one is not None]


def busy_with(operation: Operation | None) -> CheckKind | None:
    """The kind of check of an operation; None: it is not a check."""
    return operation if operation in ("check", "repair") else None
