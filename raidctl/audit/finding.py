"""Findings of rules, and the result for a host. Field names are stable (`raidctl schema audit`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Literal

import msgspec

from raidctl.described import doc
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO
from raidctl.health.severity import Severity
from raidctl.text import regex

Outcome = Literal["pass", "fail", "unknown", "unmatched"]
"""`unknown`: a required value is not reported, which is never a pass. `unmatched`: no object was selected."""


WORST_FIRST: tuple[Outcome, ...] = ("fail", "unknown", "unmatched", "pass")

SEVERAL = frozenset({"reported_trouble", "not_read", "bmc_disagrees", "waiver_expired"})
"""Rules with several findings on one object, such as a failed fan and a failed power supply of a controller."""
_QUANTITY = regex(
    r"(?:(?<=: )|(?<=\bis )|(?<=\bcounts )|(?<=\bfound )|(?<=\band ))\d[\d,.]*(?<=\d)(?![\w-])"
    r"|\b\d[\d,.]*(?= ?[%°])",
    re.ASCII,
)
"""A count or percentage in a message: ``Checksum errors: 4``. In ``Power 02: Failed`` the number is a name."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one rule for one object."""

    rule: Annotated[str, doc("Name of the rule: `write_back_unprotected`, or the `name` in a policy.")]
    severity: Annotated[Severity, doc("How bad a failure of this rule is.")]
    outcome: Annotated[
        Outcome,
        doc(
            "`pass`, `fail`; `unknown`: a required value is not reported, which is not a pass; "
            "`unmatched`: the rule selects nothing here."
        ),
    ]
    where: Annotated[str, doc("Id of the object, `smartarray:1/v1`; `host`: the machine as a whole.")]
    device: Annotated[str | None, doc("Block device of the object, `/dev/sda`.")] = None
    mountpoints: Annotated[tuple[str, ...], doc("Where the object is mounted.")] = ()
    field: Annotated[str | None, doc("The field that decided, `cache.write_active`; null: several.")] = None
    wanted: Annotated[str | None, doc("Required value, in words.")] = None
    actual: Annotated[str | None, doc("Current value; null: unknown.")] = None
    message: Annotated[str, doc("Description of the result, one sentence.")]
    remedy: Annotated[str | None, doc("What to do; null: nothing.")] = None
    evidence: Annotated[tuple[str, ...], doc("Facts behind it, `field = value` each.")] = ()
    rank: Annotated[
        int,
        doc(
            "Order in `diagnose`: 1 data lost or out of reach, 2 no redundancy left, "
            "3 redundancy reduced, 4 predicted failure, 5 protection of written data, 6 everything else."
        ),
    ] = 6
    failures_tolerated: Annotated[int | None, doc("Drive failures that the volume concerned still survives.")] = None
    bay: Annotated[str | None, doc("Bay of the drive concerned.")] = None
    serial: Annotated[str | None, doc("Serial number of the drive concerned.")] = None
    because: Annotated[str | None, doc("Rule and object of the finding that explains this one; null: none.")] = None


def topic(rule: str, message: str) -> str | None:
    """What distinguishes a finding from others of its rule on one object.

    None: the rule has one finding on each object. Otherwise it is the message without figures that change, and without
    the words of a tool that could not be read, so the same fault has the same topic in the next run.
    """
    if rule not in SEVERAL:
        return None
    return _QUANTITY.sub("N", message.partition(": ")[0] if rule == "not_read" else message)


class Ignored(msgspec.Struct, frozen=True, kw_only=True):
    """An ignored or waived finding with its reason."""

    finding: Annotated[Finding, doc("The finding.")]
    until: Annotated[date, doc("Last day on which it is ignored.")]
    reason: Annotated[str, doc("Reason given with `--because`, or in the waiver.")]


class Audited(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an audit for one host."""

    host: Annotated[str, doc("Host name; for an inventory without one, its source.")]
    source: Annotated[str, doc("`local`, `ssh:HOST`, a file and the line in it.")]
    collected_at: Annotated[str | None, doc("When the inventory was read, RFC 3339; null: unknown.")] = None
    unreadable: Annotated[bool, doc("The inventory could not be read; the only finding contains the reason.")] = False
    exit_code: Annotated[
        int | None, doc("With `--hosts`: the exit code for this host alone, 8: unreachable; null: without `--hosts`.")
    ] = None
    checked: Annotated[int, doc("Number of checks (a rule on an object).")] = 0
    passed: Annotated[int, doc("Checks that passed.")] = 0
    findings: Annotated[tuple[Finding, ...], doc("Findings that did not pass; on request also those that did.")] = ()
    waived: Annotated[tuple[Ignored, ...], doc("Findings that a waiver covers; they do not count.")] = ()


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """The exit code of these outcomes.

    All pass: 0. One fails: 1. None fails, but one is unknown or a rule selected nothing: 3.
    """
    seen = set(outcomes)
    if "fail" in seen:
        return EXIT_NO
    return EXIT_CANNOT_TELL if seen & {"unknown", "unmatched"} else EXIT_FINE
