"""The result of a comparison of two snapshots. Field names are stable (``raidctl schema diff``)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from raidctl.described import doc
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO
from raidctl.health.severity import Severity
from raidctl.model import ProblemKind

Kind = Literal["added", "removed", "changed", "moved", "replaced"]
ObjectKind = Literal["host", "controller", "battery", "array", "volume", "drive", "problem", "tool"]
Verdict = Literal["same", "drift", "cannot_tell", "access_missing"]
EXITS: dict[Verdict, int] = {
    "same": EXIT_FINE, "drift": EXIT_NO, "cannot_tell": EXIT_CANNOT_TELL, "access_missing": EXIT_ACCESS,
}  # fmt: skip


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change."""

    kind: Annotated[
        Kind,
        doc(
            "`moved`: the same object under another id (another bay, a controller with a new number); "
            "`replaced`: another drive, controller or volume in the same place."
        ),
    ]
    object: Annotated[ObjectKind, doc("Kind of object.")]
    id: Annotated[str, doc("Id in the later snapshot; for a removed object in the earlier one.")]
    field: Annotated[
        str | None,
        doc("Dotted path, `cache.write_active`, `details[LABEL]`; null: the whole object was added or removed."),
    ] = None
    old: Annotated[Any, doc("Value before; null: unknown or absent.")] = None
    new: Annotated[Any, doc("Value after.")] = None
    severity: Annotated[Severity, doc("Severity.")] = "info"
    message: Annotated[str, doc("One sentence.")] = ""
    controller: Annotated[str | None, doc("Id of its controller.")] = None


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """Something that could not be read in one or both snapshots."""

    side: Annotated[
        Literal["before", "after", "both"],
        doc("The snapshot; what is unread in `both` is not a difference."),
    ]
    kind: Annotated[ProblemKind, doc("`unread`, `no_tool`, `no_right`.")]
    where: Annotated[str, doc("The object, command or file.")]
    message: Annotated[str, doc("What happened, one sentence.")]
    hidden: Annotated[
        tuple[Change, ...],
        doc("Differences that this may explain, which do not count as changes."),
    ] = ()


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two snapshots."""

    name: Annotated[str, doc("As named: `now`, `snapshot 3`, a file.")]
    hostname: Annotated[str | None, doc("Host name.")] = None
    at: Annotated[str | None, doc("Time of the scan, RFC 3339 in UTC; null: unknown.")] = None


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison of two snapshots."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    verdict: Annotated[
        Verdict,
        doc(
            "`same`: exit code 0; `drift`: something has changed, 1; `cannot_tell`: nothing that could be "
            "read has changed, but something could not be read in one of the two, 3; `access_missing`: the same "
            "because a tool or permission is missing, 4."
        ),
    ]
    before: Annotated[Side, doc("The earlier snapshot.")]
    after: Annotated[Side, doc("The later snapshot.")]
    changes: Annotated[tuple[Change, ...], doc("Changes, the worst first.")] = ()
    unread: Annotated[tuple[Unread, ...], doc("What could not be read.")] = ()
    noise: Annotated[
        int, doc("Changed fields that are not counted, as they change without an event; --all shows them.")
    ] = 0
    ignored: Annotated[int, doc("Changes ignored by --ignore or --min-severity.")] = 0


def verdict(changes: tuple[Change, ...], unread: tuple[Unread, ...]) -> Verdict:
    """The verdict of these changes and unread parts."""
    if changes:
        return "drift"
    kinds = {one.kind for one in unread if one.side != "both"}
    if "unread" in kinds:
        return "cannot_tell"
    return "access_missing" if kinds else "same"
