"""The layers of a stack of caches, and what becomes of flushing and counting them: one vocabulary for all of them.

Sizes are in bytes, times in seconds unless a unit stands beside the figure. ``None`` means "not told", never "no".
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from raidctl.described import doc
from raidctl.model import Host, Problem

Kind = Literal["page_cache", "dm_writecache", "dm_cache", "bcache", "md", "controller", "volume", "drive"]
Result = Literal["supported", "done", "nothing", "planned", "unsupported", "failed", "no_tool", "no_right", "unknown"]
Unit = Literal[
    "bytes", "percent", "seconds", "milliseconds", "centiseconds", "KiB", "sectors", "entries", "count", "ratio",
]  # fmt: skip


class Answer(msgspec.Struct, frozen=True):
    """One layer's answer to one of the four verbs."""

    result: Annotated[
        Result,
        doc(
            "`supported`: it can; `nothing`: there is nothing to be done; `unsupported`: it cannot, see "
            "`why`; `done`, `planned`, `failed`, `no_tool`, `no_right`: what became of it; `unknown`: not told."
        ),
    ]
    how: Annotated[str | None, doc("The command or the method.")] = None
    why: Annotated[str | None, doc("Why not, or what it means here; null: nothing to say.")] = None
    alternative: Annotated[str | None, doc("What comes nearest where it cannot.")] = None


class Threshold(msgspec.Struct, frozen=True):
    """A limit at which, or a time after which, data is written out or goes past the cache."""

    name: Annotated[str, doc("The kernel's or the tool's name: `dirty_ratio`, `flush_interval`.")]
    value: Annotated[int | None, doc("The figure; null when it is not told.")]
    unit: Annotated[Unit, doc("Unit of the figure.")]
    in_force: Annotated[
        bool | None, doc("False where its counterpart counts instead (`dirty_bytes`, `dirty_ratio`).")
    ] = True
    effective_bytes: Annotated[int | None, doc("What it comes to on this machine now, bytes.")] = None
    option: Annotated[
        str | None,
        doc("What sets it: an option of `raidctl cache threshold`, or a command; null: it cannot be set."),
    ] = None


Preserved = Annotated[bool | None, doc("Preserved data of volumes that are offline or gone; null: not reported.")]


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How a cache is split between reads and writes."""

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
    policy_in_force: Annotated[str | None, doc("Write policy in force now.")] = None
    why_not_in_force: Annotated[str | None, doc("Why these differ; null when they do not.")] = None
    size_bytes: Annotated[int | None, doc("Size of the cache, bytes.")] = None
    used_bytes: Annotated[int | None, doc("What of it holds data, bytes.")] = None
    unwritten_bytes: Annotated[int | None, doc("Data that the layer below does not have yet.")] = None
    unwritten: Annotated[
        bool | None, doc("Unwritten (dirty) data is there, if no figure is reported; null: not reported.")
    ] = None
    preserved: Preserved = None
    share: Annotated[Share | None, doc("Null where nothing is split.")] = None
    thresholds: Annotated[tuple[Threshold, ...], doc("Limits and times, with units.")] = ()
    flush: Annotated[Answer, doc("Whether and how what waits in it can be written out now.")]
    threshold: Annotated[Answer, doc("Whether and how its limits and times can be set.")]
    stats: Annotated[Answer, doc("Whether and how its use can be told.")]
    split: Annotated[Answer, doc("Whether and how it can be split between reads and writes.")]


class Stack(msgspec.Struct, frozen=True, kw_only=True):
    """The caches between programs and platters, from the top to the bottom."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("Whose caches they are.")]
    target: Annotated[str | None, doc("What was named; null: the whole machine.")] = None
    layers: Annotated[tuple[Layer, ...], doc("From the top to the bottom.")] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read.")] = ()


class Flushed(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the flush of one layer."""

    layer: Annotated[str, doc("Id of the layer.")]
    kind: Annotated[Kind, doc("What sort of cache it is.")]
    name: Annotated[str | None, doc("What people call it.")] = None
    answer: Annotated[Answer, doc("`done`, `nothing`, `unsupported`, `failed` …")]
    commands: Annotated[tuple[str, ...], doc("What was run, or would be.")] = ()
    seconds: Annotated[float | None, doc("How long it took; null when nothing was run.")] = None
    unwritten_bytes: Annotated[int | None, doc("What is still unwritten in it; null: not told.")] = None
    unwritten: Annotated[bool | None, doc("Whether unwritten data is left; null: not reported.")] = None
    preserved: Preserved = None


class FlushReport(msgspec.Struct, frozen=True, kw_only=True):
    """A flush of a stack, from the top to the bottom."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("Whose caches they are.")]
    target: Annotated[str | None, doc("What was named; null: the whole machine.")] = None
    dry_run: Annotated[bool, doc("Nothing was run.")] = False
    layers: Annotated[tuple[Flushed, ...], doc("In the order in which they were flushed.")] = ()
    seconds: Annotated[float | None, doc("How long all of it took.")] = None
    dirty_before_bytes: Annotated[int | None, doc("Dirty and under writeback in memory, before.")] = None
    dirty_after_bytes: Annotated[int | None, doc("The same afterwards; other programs go on writing meanwhile.")] = None
    problems: Annotated[tuple[Problem, ...], doc("What could not be read.")] = ()


class Counter(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of a cache."""

    name: Annotated[str, doc("`read hits`, `dirty`.")]
    value: Annotated[float | None, doc("The figure, since boot or now; null: not told.")]
    unit: Annotated[Unit, doc("Unit of the figure.")] = "count"
    per_second: Annotated[
        float | None, doc("Growth a second in the interval; null for levels, and for the first look.")
    ] = None
    estimate: Annotated[bool, doc("It is concluded, by the method of the layer, and not counted.")] = False
    why: Annotated[str | None, doc("Why the figure is not told; null where it is.")] = None


class LayerStats(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one layer."""

    layer: Annotated[str, doc("Id of the layer.")]
    kind: Annotated[Kind, doc("What sort of cache it is.")]
    name: Annotated[str | None, doc("What people call it.")] = None
    estimate: Annotated[bool, doc("The cache has no counters; this is concluded from those around it.")]
    method: Annotated[str | None, doc("How it was estimated, and from what.")] = None
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


def schema(kind: type[Stack | FlushReport | Statistics]) -> dict[str, Any]:
    """The JSON Schema (2020-12) of one of the answers."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{kind.__name__} of raidctl",
        **msgspec.json.schema(kind),
    }
