"""The memory of ``raidctl watch`` between two runs, and the events it reports.

Times are seconds since 1970, so that a run is a pure function of memory, findings and clock.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import field

from raidctl.audit.finding import Finding
from raidctl.described import doc
from raidctl.health.severity import Severity
from raidctl.model import Inventory

DAY = 86400.0
UNUSED = 30 * DAY
"""Seconds for which events wait for a channel that no run uses."""
HOUR = 3600.0
Kind = Literal["new", "worse", "reminder", "good", "over", "gone", "unknown", "known", "still", "alive"]
Key = tuple[str, str, str | None, str | None]
"""Rule, object, serial number, and topic if the rule may have several findings on the object."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """The times after which something is reported."""

    after: float = 2
    """Runs in a row before a warning or an end is reported. With ``by_time``, these are seconds. A critical finding
    needs one run."""
    by_time: bool = False
    unknown_after: float = DAY
    """Seconds before a result that stays unknown is reported."""
    remind: float | None = 7 * DAY
    """Seconds between reminders; None: no reminders."""
    alive: float | None = None
    """Seconds between heartbeats; None: none."""


class Tracked(msgspec.Struct, frozen=True, kw_only=True):
    """A rule on an object, with its history from earlier runs."""

    finding: Finding
    serial: str | None = None
    is_object: bool = False
    """Whether it was an object in the inventory: a drive, a volume. Host and tools do not count."""
    since: float | None = None
    """Time of the first run in the present series that found it."""
    seen: int = 0
    """Runs in a row that found it."""
    reported: float | None = None
    """Time at which it was reported as present. None: it is not reported."""
    severity: Severity | None = None
    """The severity reported, until a milder one has lasted."""
    milder: int = 0
    """Runs in a row that found it milder than reported."""
    milder_since: float | None = None
    reminded: float | None = None
    good: int = 0
    """Runs in a row that found it good, since it was reported."""
    good_since: float | None = None
    unknown_since: float | None = None
    unknown_reported: bool = False
    normal_since: float | None = None
    """Time of the first run that found it as information which is normal for a while (``Sighting.normal``)."""
    ended: float | None = None
    """Time at which its end was reported, or at which it became milder."""
    relapses: int = 0
    """Number of returns within a day after that."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One transition, as reported."""

    id: Annotated[int, doc("Number of the event in this state directory; never used twice.")]
    at: Annotated[str, doc("When the run was, RFC 3339 in UTC.")]
    kind: Annotated[
        Kind,
        doc(
            "`new`; `worse`: the severity has increased; `reminder`: still present; `still`: present when this address "
            "was added; `good`: good again; `over`: the finding has ended, but the object has others; `gone`: the "
            "object is no longer there; `unknown`: the result, or whether the object is still there, has been unknown "
            "for a day (or `--unknown-after`); "
            "`known`: it is known again, and good; `alive`: heartbeat."
        ),
    ]
    rule: Annotated[str | None, doc("Name of the rule; null for `alive`.")] = None
    severity: Annotated[Severity, doc("Severity of the finding; `info` for `alive`.")] = "info"
    where: Annotated[str, doc("Id of the object; `host`: the machine as a whole.")] = "host"
    serial: Annotated[str | None, doc("Serial number of the object; null: unknown.")] = None
    device: Annotated[str | None, doc("Block device of the object; null: none or unknown.")] = None
    bay: Annotated[str | None, doc("Bay of the drive; null: unknown.")] = None
    message: Annotated[str, doc("The finding, one sentence; for `good` and `gone` the former one.")]
    remedy: Annotated[str | None, doc("What to do; null: nothing.")] = None
    since: Annotated[str | None, doc("When it was first found, RFC 3339 in UTC; null: unknown.")] = None


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """An event, and the channels that have not received it."""

    event: Event
    channels: tuple[str, ...]


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """An object that was present in an earlier run."""

    kind: Literal["controller", "battery", "volume", "drive"]
    identity: str
    """Its permanent identity: model and serial number, or unique id. Without them, it is the id."""
    where: str
    """Its id in the last run that found it."""
    serial: str | None = None
    device: str | None = None
    bay: str | None = None
    controller: str | None = None
    """Id of its controller. None: not recorded by an earlier version."""
    pci_address: str | None = None
    tool: str | None = None
    """Address and tool of that controller."""
    missing: int = 0
    """Runs in a row without it in which nothing that could not be read may hide it."""
    missing_since: float | None = None
    unknown_since: float | None = None
    """Time of the first run in which it may be hidden."""
    unknown_reported: bool = False


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is kept between two runs."""

    schema_version: Literal["1"] = "1"
    at: float = 0.0
    """Time of the last run; 0: there was none."""
    number: int = 0
    """The last event's number."""
    alive: float | None = None
    """When the last heartbeat was due."""
    tracked: tuple[Tracked, ...] = ()
    known: tuple[Known, ...] = ()
    unread: dict[str, float] = {}
    """Problems with the reading, and the time of the first run in a row that had each."""
    queue: tuple[Queued, ...] = ()
    channels: tuple[str, ...] = ()
    """Channels that get the events: those of the last run, and others that were used within a month."""
    used: dict[str, float] = {}
    """Time of the last run with each of them."""


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a rule on an object in one run.

    ``aside``: found, but not reported: waived, a consequence of another finding, or information; it changes nothing.
    """

    finding: Finding
    state: Literal["bad", "good", "unknown", "aside"]
    normal: float | None = None
    """Of information: the seconds for which it is normal. If it lasts longer, it is a warning. None: for ever."""
    serial: str | None = None
    is_object: bool = False


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """One reading of the machine."""

    sightings: tuple[Sighting, ...] = ()
    complete: bool = True
    """No object can be hidden: one that is missing is not there."""
    in_part: frozenset[str] = frozenset()
    """Ids of objects of which only a part was read, for lack of a tool or permission: a missing finding is unknown."""
    objects: frozenset[tuple[str, str | None]] = field(default_factory=frozenset)
    """Ids and serial numbers of all present objects."""
    known: tuple[Known, ...] = ()
    """The permanent identities of these objects."""
    read: Inventory | None = None
    """What was read. None: nothing is known about what an incomplete reading may hide."""
    waived: int = 0
    """Number of waived findings."""
