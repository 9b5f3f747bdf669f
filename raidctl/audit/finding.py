"""What a rule says of an object, and what that makes of a host. The names are a contract (`raidctl schema audit`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO

Severity = Literal["info", "warning", "critical"]
Outcome = Literal["pass", "fail", "unknown", "unmatched"]
"""`unknown`: what the rule asks about was not told, which is never a pass; `unmatched`: no object was selected."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What one rule says of one object."""

    rule: Annotated[str, Meta(description="Name of the rule: `write_back_unprotected`; of a policy its `name`.")]
    severity: Annotated[Severity, Meta(description="How bad a failure of this rule is.")]
    outcome: Annotated[
        Outcome,
        Meta(
            description="`pass`, `fail`; `unknown`: it could not be told, which is no pass; `unmatched`: the rule "
            "selects nothing here."
        ),
    ]
    where: Annotated[str, Meta(description="Id of the object, `smartarray:1/v1`; `host`: the machine as a whole.")]
    device: Annotated[str | None, Meta(description="`/dev/sda`, where the object has one.")] = None
    mountpoints: Annotated[tuple[str, ...], Meta(description="Where the object is mounted.")] = ()
    field: Annotated[str | None, Meta(description="The field that decided, `cache.write_active`; null: several.")] = (
        None
    )
    wanted: Annotated[str | None, Meta(description="What the rule wants, in words.")] = None
    actual: Annotated[str | None, Meta(description="What is there; null: not told.")] = None
    message: Annotated[str, Meta(description="What is the matter, one sentence.")]
    remedy: Annotated[str | None, Meta(description="What to do; null: nothing to do.")] = None
    evidence: Annotated[tuple[str, ...], Meta(description="The facts that it rests on, `field = value` each.")] = ()
    rank: Annotated[
        int,
        Meta(
            description="Place in the order of `diagnose`: 1 data lost or out of reach, 2 no redundancy left, "
            "3 redundancy reduced, 4 predicted failure, 5 protection of written data, 6 everything else."
        ),
    ] = 6
    failures_tolerated: Annotated[
        int | None, Meta(description="How many more drives may fail, as of the volume that it is about.")
    ] = None
    bay: Annotated[str | None, Meta(description="Bay of the drive that it is about.")] = None
    serial: Annotated[str | None, Meta(description="Serial number of that drive.")] = None
    because: Annotated[
        str | None, Meta(description="Rule and object of the finding that explains this one; null: it is a cause.")
    ] = None


class Audited(msgspec.Struct, frozen=True, kw_only=True):
    """One host held against the rules."""

    host: Annotated[str, Meta(description="Its name; of an inventory without one, where it came from.")]
    source: Annotated[str, Meta(description="`local`, `ssh:HOST`, a file and the line in it.")]
    collected_at: Annotated[str | None, Meta(description="When the inventory was read, RFC 3339; null: not told.")] = (
        None
    )
    unreadable: Annotated[
        bool, Meta(description="What was to be an inventory and could not be read: the only finding says why.")
    ] = False
    checked: Annotated[int, Meta(description="How many times a rule met an object.")] = 0
    passed: Annotated[int, Meta(description="How many of these passed.")] = 0
    findings: Annotated[
        tuple[Finding, ...], Meta(description="Those that did not pass, and, where asked for, those that did.")
    ] = ()


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """0: all pass; 1: one fails; 3: none fails, but something could not be told, or a rule selected nothing."""
    seen = set(outcomes)
    if "fail" in seen:
        return EXIT_NO
    return EXIT_CANNOT_TELL if seen & {"unknown", "unmatched"} else EXIT_FINE
