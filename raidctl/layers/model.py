"""The layers of a stack of caches, their flushes and statistics. One vocabulary serves all.

Sizes are in bytes, times in seconds unless a unit is given. ``None`` means "unknown", never "no".
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from raidctl.described import doc
from raidctl.model import Host, Problem

Kind = Literal["page_cache", "dm_writecache", "dm_cache", "bcache", "md", "controller", "volume", "drive"]
Result = Literal["supported", "done", "nothing", "planned", "unsupported", "failed", "no_tool", "no_right", "unknown"]
Unit = Literal[
    "bytes", "percent", "seconds", "milliseconds", "centiseconds", "KiB", "sectors", "entries", "count", "ratio",
]  # fmt: skip


class Answer(msgspec.Struct, frozen=True):
    """Whether a layer supports an operation, or its result."""

    result: Annotated[
        Result,
        doc(
            "`supported`; `nothing`: nothing to do; `unsupported`: see "
            "`why`; `done`, `planned`, `failed`, `no_tool`, `no_right`: results; `unknown`."
        ),
    ]
    how: Annotated[str | None, doc("The command or the method.")] = None
    why: Annotated[str | None, doc("The reason, or a remark; null: none.")] = None
    alternative: Annotated[str | None, doc("The nearest alternative if it is unsupported.")] = None


class Threshold(msgspec.Struct, frozen=True):
    """A limit or time for write-back or for bypassing the cache."""

    name: Annotated[str, doc("The kernel's or the tool's name: `dirty_ratio`, `flush_interval`.")]
    value: Annotated[int | None, doc("The value; null: unknown.")]
    unit: Annotated[Unit, doc("Unit of the figure.")]
    in_force: Annotated[
        bool | None, doc("False where its counterpart counts instead (`dirty_bytes`, `dirty_ratio`).")
    ] = True
    effective_bytes: Annotated[int | None, doc("The resulting limit on this machine now, bytes.")] = None
    option: Annotated[
        str | None,
        doc("How to set it: an option of `raidctl cache threshold`, or a command; null: it cannot be set."),
    ] = None


Preserved = Annotated[bool | None, doc("Preserved data of volumes that are offline or gone; null: not reported.")]


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """The split of a cache between reads and writes."""

    read_percent: Annotated[int | None, doc("Share for reads, percent.")] = None
    write_percent: Annotated[int | None, doc("Share for writes, percent.")] = None
    read_bytes: Annotated[int | None, doc("That share in bytes.")] = None
    write_bytes: Annotated[int | None, doc("That share in bytes.")] = None


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """One cache of the stack."""

    id: Annotated[str, doc("`kernel:vm`, `kernel:bcache0`, `md:md0`, `smartarray:1`, `drives:SERIAL`.")]
    kind: Annotated[Kind, doc("What sort of cache it is.")]
    name: Annotated[str | None, doc("What people call it: `vg0/log`, a model.")] = None
    device: Annotated[str | None, doc("`/dev/md0`; null where there is none.")] = None
    policy: Annotated[str | None, doc("Write policy as configured.")] = None
    policy_in_force: Annotated[str | None, doc("Active write policy.")] = None
    why_not_in_force: Annotated[str | None, doc("Why these differ; null when they do not.")] = None
    size_bytes: Annotated[int | None, doc("Size of the cache, bytes.")] = None
    used_bytes: Annotated[int | None, doc("Part of the cache in use, bytes.")] = None
    unwritten_bytes: Annotated[int | None, doc("Data that the layer below does not have yet.")] = None
    unwritten: Annotated[
        bool | None, doc("Whether there is unwritten (dirty) data, if its size is not reported; null: not reported.")
    ] = None
    preserved: Preserved = None
    share: Annotated[Share | None, doc("Null: not split.")] = None
    thresholds: Annotated[tuple[Threshold, ...], doc("Limits and times, with units.")] = ()
    flush: Annotated[Answer, doc("Whether and how its unwritten data can be flushed now.")]
    threshold: Annotated[Answer, doc("Whether and how its limits and times can be set.")]
    stats: Annotated[Answer, doc("Whether and how its use can be read.")]
    split: Annotated[Answer, doc("Whether and how it can be split between reads and writes.")]


class Stack(msgspec.Struct, frozen=True, kw_only=True):
    """The caches between programs and drives, from top to bottom."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("Whose caches they are.")]
    target: Annotated[str | None, doc("What was named; null: the whole machine.")] = None
    layers: Annotated[tuple[Layer, ...], doc("From the top to the bottom.")] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read.")] = ()


class Flushed(msgspec.Struct, frozen=True, kw_only=True):
    """The result of flushing one layer."""

    layer: Annotated[str, doc("Id of the layer.")]
    kind: Annotated[Kind, doc("What sort of cache it is.")]
    name: Annotated[str | None, doc("What people call it.")] = None
    answer: Annotated[Answer, doc("`done`, `nothing`, `unsupported`, `failed` …")]
    commands: Annotated[tuple[str, ...], doc("The commands that were run, or would be.")] = ()
    seconds: Annotated[float | None, doc("Duration; null: nothing was run.")] = None
    unwritten_bytes: Annotated[int | None, doc("Data that is still unwritten; null: unknown.")] = None
    unwritten: Annotated[bool | None, doc("Whether unwritten data is left; null: not reported.")] = None
    preserved: Preserved = None

    @property
    def contradicted(self) -> bool:
        """Whether its tool accepted the flush, and reports unwritten data afterwards without a size.

        A size in bytes is the kernel's, which counts what was written meanwhile.
        """
        return self.answer.result == "done" and self.unwritten is True and self.unwritten_bytes is None


class FlushReport(msgspec.Struct, frozen=True, kw_only=True):
    """A flush of a stack, from top to bottom."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("Whose caches they are.")]
    target: Annotated[str | None, doc("What was named; null: the whole machine.")] = None
    dry_run: Annotated[bool, doc("Nothing was run.")] = False
    layers: Annotated[tuple[Flushed, ...], doc("In the order in which they were flushed.")] = ()
    seconds: Annotated[float | None, doc("Total duration.")] = None
    dirty_before_bytes: Annotated[int | None, doc("Dirty and under writeback in memory, before.")] = None
    dirty_after_bytes: Annotated[int | None, doc("The same afterwards; other programs may have written.")] = None
    problems: Annotated[tuple[Problem, ...], doc("What could not be read.")] = ()


class Counter(msgspec.Struct, frozen=True, kw_only=True):
    """A counter or level of a cache."""

    name: Annotated[str, doc("`read hits`, `dirty`.")]
    value: Annotated[float | None, doc("The value, since boot or now; null: unknown.")]
    unit: Annotated[Unit, doc("Unit of the figure.")] = "count"
    per_second: Annotated[
        float | None, doc("Growth per second in the interval; null for levels and for the first sample.")
    ] = None
    estimate: Annotated[bool, doc("Whether it is estimated, by the layer's method, instead of counted.")] = False
    why: Annotated[str | None, doc("Why the value is unknown; null: it is known.")] = None


class LayerStats(msgspec.Struct, frozen=True, kw_only=True):
    """The statistics of one layer."""

    layer: Annotated[str, doc("Id of the layer.")]
    kind: Annotated[Kind, doc("What sort of cache it is.")]
    name: Annotated[str | None, doc("What people call it.")] = None
    estimate: Annotated[bool, doc("Whether this is estimated from other counters, as the cache has none.")]
    method: Annotated[str | None, doc("Method and source of the estimate.")] = None
    counters: Annotated[tuple[Counter, ...], doc("Its figures.")] = ()


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """The use of a stack of caches at one moment."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("Whose caches they are.")]
    target: Annotated[str | None, doc("What was named; null: the whole machine.")] = None
    at: Annotated[str, doc("When, RFC 3339 in UTC.")]
    seconds: Annotated[float | None, doc("Length of the interval of `per_second`; null: none.")] = None
    layers: Annotated[tuple[LayerStats, ...], doc("From the top to the bottom.")] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read.")] = ()
