"""Messages between writer and witness, and records of the witness's journal."""

from __future__ import annotations

import msgspec

from raidctl.bench.powercut.report import Cut, How, Plan, PowerCutRun, Target


class Open(msgspec.Struct, frozen=True, tag="open", kw_only=True):
    """A request to begin a session of a new or existing run.

    A new run is given by ``plan``, an existing one by ``run``, or "last".
    """

    run: str
    host: str | None
    boot: str
    """Id of the boot, which a power failure changes."""
    raidctl: str
    virtual: str | None
    target: Target | None
    """None: only the run is requested; its target is opened next."""
    plan: Plan | None = None
    left: str | None = None
    """The run whose last session ended because its witness was gone. None: this machine has no record of one."""


class Opened(msgspec.Struct, frozen=True, tag="opened", kw_only=True):
    """The session has begun."""

    run: str
    target: Target
    plan: Plan
    due: bool
    """Whether a cut is to be checked before anything is written."""
    generation: int
    """The next free generation."""
    same_boot: bool = False
    """Whether the machine was not restarted since the last session. Its page cache is then still there."""
    notes: tuple[str, ...] = ()


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """Nothing was done; the reason is one sentence."""

    why: str


class Fine(msgspec.Struct, frozen=True, tag="fine"):
    """It is recorded."""


class Same(msgspec.Struct, frozen=True, tag="same"):
    """The target as it is now, for comparison with the run's."""

    target: Target


class Content(msgspec.Struct, frozen=True, tag="content"):
    """Content of blocks read back, from block ``start`` on; see `judgment`."""

    start: int
    blocks: list[list[int]]


class Check(msgspec.Struct, frozen=True, tag="check"):
    """Everything was read back: judge the cut."""

    how: How = "unknown"


class Judged(msgspec.Struct, frozen=True, tag="judged"):
    """The verdict."""

    cut: Cut


class Begin(msgspec.Struct, frozen=True, tag="begin"):
    """All blocks will be filled with this generation."""

    generation: int


class Intent(msgspec.Struct, frozen=True, tag="intent"):
    """Blocks that will be written, in this order. The message is answered before the first write."""

    places: list[int]


class Durable(msgspec.Struct, frozen=True, tag="durable"):
    """The flush after this write has returned. ``clock``: seconds on the writer's monotonic clock."""

    upto: int
    clock: float


class Beat(msgspec.Struct, frozen=True, tag="beat"):
    """The writer is alive."""

    clock: float


class Bye(msgspec.Struct, frozen=True, tag="bye"):
    """The writer ends normally. ``target``: because the target failed, which may be a cut of its power alone."""

    target: bool = False


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """Send the run with all its cuts."""


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """The run."""

    run: PowerCutRun


ToWitness = Open | Same | Content | Check | Begin | Intent | Durable | Beat | Bye | Ask
FromWitness = Opened | Refused | Fine | Judged | Answer


class Session(msgspec.Struct, frozen=True, tag="session", kw_only=True):
    """In the journal only: a session has begun."""

    boot: str
    witness: str
    """Random id of the running witness."""
    caches: dict[str, str] | None = None
    """Write policy and drive caches as reported when the session began; None: an older witness kept none."""


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """In the journal only: the writer's connection was closed. ``heard``: last heartbeat, on both clocks."""

    heard: tuple[float, float]


class Alive(msgspec.Struct, frozen=True, tag="alive"):
    """In the journal only: the last heartbeat, on both clocks."""

    heard: tuple[float, float]


class Created(msgspec.Struct, frozen=True, tag="created"):
    """In the journal only, its first line: the run."""

    run: PowerCutRun


JournalRecord = Created | Session | Begin | Intent | Durable | Bye | Judged | Ended | Alive
