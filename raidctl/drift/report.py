"""What a comparison of two states says. The names are a contract (``raidctl schema diff``)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from raidctl.described import doc
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO
from raidctl.model import ProblemKind

Level = Literal["info", "warning", "critical"]
Kind = Literal["added", "removed", "changed", "moved", "replaced"]
ObjectKind = Literal["host", "controller", "battery", "array", "volume", "drive", "problem", "tool"]
Verdict = Literal["same", "drift", "cannot_tell", "access_missing"]
EXITS: dict[Verdict, int] = {
    "same": EXIT_FINE, "drift": EXIT_NO, "cannot_tell": EXIT_CANNOT_TELL, "access_missing": EXIT_ACCESS,
}  # fmt: skip


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is not as it was."""

    kind: Annotated[
        Kind,
        doc(
            "`moved`: the same object under another id (another bay, a card that is numbered anew); "
            "`replaced`: another drive, card or volume in the same place."
        ),
    ]
    object: Annotated[ObjectKind, doc("What it is.")]
    id: Annotated[str, doc("Its id in the later state; of what was removed, in the earlier.")]
    field: Annotated[
        str | None,
        doc("Dotted path, `cache.write_active`, `details[LABEL]`; null: the whole object came or went."),
    ] = None
    old: Annotated[Any, doc("Value before; null: not told, or not there.")] = None
    new: Annotated[Any, doc("Value after.")] = None
    severity: Annotated[Level, doc("How bad it is: `critical`, `warning`, `info`.")] = "info"
    message: Annotated[str, doc("One sentence.")] = ""
    controller: Annotated[str | None, doc("Id of the controller that it is on, or is.")] = None


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """Something that could not be read in one of the states, or in both."""

    side: Annotated[
        Literal["before", "after", "both"],
        doc("In which state; what was unread in `both` does not make them differ."),
    ]
    kind: Annotated[ProblemKind, doc("`unread`, `no_tool`, `no_right`.")]
    where: Annotated[str, doc("The object, command or file.")]
    message: Annotated[str, doc("What happened, one sentence.")]
    hidden: Annotated[
        tuple[Change, ...],
        doc("What would look like a change, and may come from that alone: these are no losses or gains."),
    ] = ()


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two states."""

    name: Annotated[str, doc("What was given: `now`, `state 3`, a file.")]
    hostname: Annotated[str | None, doc("Whose state it is.")] = None
    at: Annotated[str | None, doc("When it was read, RFC 3339 in UTC; null: it does not tell.")] = None


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """Two states compared."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    verdict: Annotated[
        Verdict,
        doc(
            "`same`: exit code 0; `drift`: something has changed, 1; `cannot_tell`: nothing that could be "
            "read has changed, but something could not be read in one of the two, 3; `access_missing`: the same for "
            "lack of a tool or a right, 4."
        ),
    ]
    before: Annotated[Side, doc("The earlier state.")]
    after: Annotated[Side, doc("The later state.")]
    changes: Annotated[tuple[Change, ...], doc("The worst first.")] = ()
    unread: Annotated[tuple[Unread, ...], doc("What could not be read.")] = ()
    noise: Annotated[
        int, doc("Changed fields that were left out: they change while nothing happens; --all shows them.")
    ] = 0
    ignored: Annotated[int, doc("Changes that --ignore or --min-severity left out.")] = 0


def verdict(changes: tuple[Change, ...], unread: tuple[Unread, ...]) -> Verdict:
    """What follows from these."""
    if changes:
        return "drift"
    kinds = {one.kind for one in unread if one.side != "both"}
    if "unread" in kinds:
        return "cannot_tell"
    return "access_missing" if kinds else "same"
