"""The JSON lines of ``raidctl watch``: one change each. Field names are stable for programs."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from raidctl.described import doc
from raidctl.health.severity import Severity

Section = Literal["health", "task", "temperature", "cache", "event"]
Kind = Literal["first", "new", "changed", "unknown", "gone", "event"]
Value = str | float | None


class LiveChange(msgspec.Struct, frozen=True, kw_only=True):
    """One change in `raidctl watch --json`; the first reading is printed completely."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[str, doc("Host name; if it is unknown, the source.")]
    source: Annotated[str, doc("`local`, `ssh:HOST`, `demo:NAME`.")]
    at: Annotated[str, doc("When it was read, RFC 3339 in UTC.")]
    kind: Annotated[
        Kind,
        doc(
            "`first`: of the first reading; `new`, `changed`; `unknown`: it could not be read, which is not an end; "
            "`gone`: a complete reading no longer has it; `event`: an entry of a log, or how a task ended."
        ),
    ]
    section: Annotated[Section, doc("What it is about.")]
    object_id: Annotated[str | None, doc("Id of the object or of the layer of the cache; null: the machine.")] = None
    name: Annotated[str, doc("Of health the rule, of a task the operation, of others the value's name.")]
    value: Annotated[Value, doc("Now; null: unknown, or gone.")] = None
    previous: Annotated[Value, doc("The value that was printed before; null: none, or unknown.")] = None
    unit: Annotated[Literal["percent", "celsius", "bytes"] | None, doc("Unit of the values; null: words.")] = None
    severity: Annotated[Severity | None, doc("Of health, tasks that have ended and log entries; null: none.")] = None
    message: Annotated[str, doc("The change in one line.")]
