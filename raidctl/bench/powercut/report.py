"""A power-cut run as printed, and as evidence for ``verify``. Field names are stable (`raidctl schema powercut`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from raidctl.bench.powercut import confidence
from raidctl.bench.powercut.judgment import Loss
from raidctl.described import doc

How = Literal["unknown", "plug", "pdu", "bmc", "enclosure", "server"]


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The tested target."""

    kind: Annotated[Literal["file", "device", "nbd"], doc("A file that raidctl made, a device, an NBD export.")]
    name: Annotated[str, doc("Path of the file or device, or address of the export.")]
    device: Annotated[str | None, doc("Block device; of a file, that of its file system; null: unknown.")] = None
    size_bytes: Annotated[int | None, doc("Size of the device; null: unknown.")] = None
    serial: Annotated[str | None, doc("Serial number of the device; null: unknown.")] = None
    wwn: Annotated[str | None, doc("World wide name of the device; null: unknown.")] = None
    model: Annotated[str | None, doc("Model of the device; null: unknown.")] = None
    caches: Annotated[dict[str, str], doc("Write policy and drive caches as reported when the run began.")] = {}


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is written, and where."""

    first: Annotated[int, doc("First byte of the range on the device; 0 for a file.")] = 0
    block_bytes: Annotated[int, doc("Size of a write.")] = 4096
    blocks: Annotated[int, doc("Number of blocks in the range.")]
    group: Annotated[int, doc("Writes between two flushes.")] = 16


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """One power cut, and its results."""

    number: Annotated[int, doc("1 for the first.")]
    at: Annotated[str, doc("When it was checked, RFC 3339, on the witness's clock.")]
    how: Annotated[How, doc("How the power was cut, as the user reports it.")] = "unknown"
    verdict: Annotated[
        Loss,
        doc(
            "`none`: no acknowledged write is missing; `lost`: some are, the newest ones; `reordered`: some are, and "
            "newer ones survived; `torn`: parts of some are; `misdirected`: data is at the wrong place; `unknown`: no "
            "verdict is possible."
        ),
    ]
    counted: Annotated[bool, doc("Whether it counts as a cut without a loss, or with one.")]
    reasons: Annotated[tuple[str, ...], doc("Reasons, one sentence each.")] = ()
    writes: Annotated[int, doc("Writes announced since the last cut, without the filling.")]
    acknowledged: Annotated[int, doc("Of those: followed by a flush that returned.")]
    flushes: Annotated[int, doc("Flushes that returned.")]
    exposure_seconds: Annotated[
        float | None, doc("From the last flush to the last heartbeat of the writer; null: unknown.")
    ] = None
    loss_seconds: Annotated[
        float | None, doc("Age of the oldest missing write at the last heartbeat; null: nothing is missing.")
    ] = None
    ended: Annotated[
        Literal["silent", "closed", "target"],
        doc(
            "`silent`: the writer fell silent; `closed`: its connection was closed; `target`: the target failed first."
        ),
    ]
    ok: Annotated[int, doc("Blocks with the last acknowledged write.")] = 0
    ahead: Annotated[int, doc("Blocks with a write that was not acknowledged: allowed.")] = 0
    torn_in_flight: Annotated[int, doc("Blocks with parts of a write that was not acknowledged: allowed.")] = 0
    lost: Annotated[int, doc("Blocks with less than the last acknowledged write.")] = 0
    torn: Annotated[int, doc("Blocks with parts of less, or damaged.")] = 0
    reordered: Annotated[int, doc("Blocks lost or torn while newer writes survived elsewhere.")] = 0
    misdirected: Annotated[int, doc("Blocks with data for another place.")] = 0
    foreign: Annotated[int, doc("Blocks with data that the run has not written.")] = 0
    unreadable: Annotated[int, doc("Blocks that could not be read.")] = 0
    unannounced: Annotated[int, doc("Blocks with writes that were not announced to the witness.")] = 0

    @property
    def shows_loss(self) -> bool:
        """Whether acknowledged data is missing."""
        return self.verdict not in ("none", "unknown")


class Needed(msgspec.Struct, frozen=True, kw_only=True):
    """The number of cuts for each confidence."""

    loss_probability: Annotated[float, doc("Probability that a cut loses data, 0 to 1, at most.")]
    cuts: Annotated[int, doc("Counted cuts without a loss that show it.")]


class PowerCutRun(msgspec.Struct, frozen=True, kw_only=True):
    """A power-cut run with all its cuts."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    run: Annotated[str, doc("Its id: 16 hexadecimal digits.")]
    at: Annotated[str, doc("When it began, RFC 3339, on the witness's clock.")]
    raidctl: Annotated[str, doc("Version of raidctl that began it.")]
    host: Annotated[str | None, doc("The machine whose power is cut; null: unknown.")] = None
    virtual: Annotated[str | None, doc("Kind of virtual machine; null: none.")] = None
    target: Annotated[Target, doc("What is written to.")]
    plan: Annotated[Plan, doc("What is written.")]
    cuts: Annotated[tuple[Cut, ...], doc("The cuts, the oldest first.")] = ()
    verdict: Annotated[
        Literal["none", "loss", "unknown"],
        doc(
            "`loss`: a cut lost acknowledged data; `none`: no counted cut did; `unknown`: no cut counts yet, or blocks "
            "could not be read after one."
        ),
    ] = "unknown"
    clean: Annotated[int, doc("Counted cuts without a loss.")] = 0
    loss_probability: Annotated[
        float | None, doc("Upper bound of the probability of a loss per cut, 95% confidence; null: no bound.")
    ] = None
    needed: Annotated[tuple[Needed, ...], doc("Cuts without a loss that are needed for lower bounds.")] = ()

    @property
    def unread(self) -> Cut | None:
        """The first cut after which blocks could not be read; they may be lost."""
        return next((cut for cut in self.cuts if cut.unreadable), None)

    def with_cuts(self, cuts: Sequence[Cut]) -> PowerCutRun:
        """Return the run with these cuts, and the conclusions."""
        clean = sum(cut.counted and cut.verdict == "none" for cut in cuts)
        loss = any(cut.shows_loss for cut in cuts)
        known = clean > 0 and not any(cut.unreadable for cut in cuts)
        return msgspec.structs.replace(
            self,
            cuts=tuple(cuts),
            verdict="loss" if loss else "none" if known else "unknown",
            clean=clean,
            loss_probability=confidence.bound(clean) if known and not loss else None,
            needed=tuple(Needed(loss_probability=share, cuts=confidence.needed(share)) for share in confidence.LISTED),
        )
