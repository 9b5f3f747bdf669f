"""What a rule says of an object, and what that makes of a host. The names are a contract (`raidctl schema audit`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

from raidctl.described import doc
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO

Severity = Literal["info", "warning", "critical"]
Outcome = Literal["pass", "fail", "unknown", "unmatched"]
"""`unknown`: what the rule asks about was not told, which is never a pass; `unmatched`: no object was selected."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What one rule says of one object."""

    rule: Annotated[str, doc("Name of the rule: `write_back_unprotected`; of a policy its `name`.")]
    severity: Annotated[Severity, doc("How bad a failure of this rule is.")]
    outcome: Annotated[
        Outcome,
        doc(
            "`pass`, `fail`; `unknown`: it could not be told, which is no pass; `unmatched`: the rule "
            "selects nothing here."
        ),
    ]
    where: Annotated[str, doc("Id of the object, `smartarray:1/v1`; `host`: the machine as a whole.")]
    device: Annotated[str | None, doc("`/dev/sda`, where the object has one.")] = None
    mountpoints: Annotated[tuple[str, ...], doc("Where the object is mounted.")] = ()
    field: Annotated[str | None, doc("The field that decided, `cache.write_active`; null: several.")] = None
    wanted: Annotated[str | None, doc("What the rule wants, in words.")] = None
    actual: Annotated[str | None, doc("What is there; null: not told.")] = None
    message: Annotated[str, doc("What is the matter, one sentence.")]
    remedy: Annotated[str | None, doc("What to do; null: nothing to do.")] = None
    evidence: Annotated[tuple[str, ...], doc("The facts that it rests on, `field = value` each.")] = ()
    rank: Annotated[
        int,
        doc(
            "Place in the order of `diagnose`: 1 data lost or out of reach, 2 no redundancy left, "
            "3 redundancy reduced, 4 predicted failure, 5 protection of written data, 6 everything else."
        ),
    ] = 6
    failures_tolerated: Annotated[
        int | None, doc("How many more drives may fail, as of the volume that it is about.")
    ] = None
    bay: Annotated[str | None, doc("Bay of the drive that it is about.")] = None
    serial: Annotated[str | None, doc("Serial number of that drive.")] = None
    because: Annotated[
        str | None, doc("Rule and object of the finding that explains this one; null: it is a cause.")
    ] = None


class Audited(msgspec.Struct, frozen=True, kw_only=True):
    """One host held against the rules."""

    host: Annotated[str, doc("Its name; of an inventory without one, where it came from.")]
    source: Annotated[str, doc("`local`, `ssh:HOST`, a file and the line in it.")]
    collected_at: Annotated[str | None, doc("When the inventory was read, RFC 3339; null: not told.")] = None
    unreadable: Annotated[
        bool, doc("What was to be an inventory and could not be read: the only finding says why.")
    ] = False
    checked: Annotated[int, doc("How many times a rule met an object.")] = 0
    passed: Annotated[int, doc("How many of these passed.")] = 0
    findings: Annotated[tuple[Finding, ...], doc("Those that did not pass, and, where asked for, those that did.")] = ()


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """0: all pass; 1: one fails; 3: none fails, but something could not be told, or a rule selected nothing."""
    seen = set(outcomes)
    if "fail" in seen:
        return EXIT_NO
    return EXIT_CANNOT_TELL if seen & {"unknown", "unmatched"} else EXIT_FINE
