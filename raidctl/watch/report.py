"""The report of one run of ``raidctl watch``. Field names are stable (`raidctl schema watch`)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from raidctl.described import doc
from raidctl.watch.memory import Event


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the deliveries to one channel."""

    channel: Annotated[str, doc("`mail:ADDRESS` or `run:PROGRAM`.")]
    delivered: Annotated[int, doc("Events that it has received now.")] = 0
    waiting: Annotated[int, doc("Events that it has not received; the next run with it tries again.")] = 0
    error: Annotated[
        str | None,
        doc("Why not, or why nothing can be sent; null: neither, or it is not used now."),
    ] = None


class WatchReport(msgspec.Struct, frozen=True, kw_only=True):
    """One run: what `raidctl watch --json` prints, and what the program of `--run` reads."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[str, doc("Host name; if it is unknown, the source.")]
    source: Annotated[str, doc("`local`, `ssh:HOST`, `demo:NAME`.")]
    at: Annotated[str, doc("When the run was, RFC 3339 in UTC.")]
    subject: Annotated[str, doc("The events in one line.")]
    events: Annotated[
        tuple[Event, ...],
        doc("What has changed, worst first; for a program also what it has not received in earlier runs."),
    ] = ()
    complete: Annotated[bool, doc("Everything could be read.")] = True
    present: Annotated[int, doc("Findings that are reported and still present.")] = 0
    pending: Annotated[int, doc("Findings that have not lasted long enough to be reported.")] = 0
    unknown: Annotated[int, doc("Results that are unknown.")] = 0
    waived: Annotated[int, doc("Findings that are waived.")] = 0
    notes: Annotated[tuple[str, ...], doc("About raidctl's own state: that it was lost, for example.")] = ()
    deliveries: Annotated[
        tuple[Delivery, ...],
        doc("What became of the events, for each channel of this run or with waiting events; empty for a program."),
    ] = ()
