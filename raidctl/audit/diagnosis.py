"""Findings of the built-in rules on one machine, sorted and counted. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from typing import Annotated, Literal

import msgspec

from raidctl.audit.finding import Finding, Ignored
from raidctl.audit.policy.waivers import Waiver
from raidctl.audit.rule import Rule
from raidctl.audit.waiving import expired, waive
from raidctl.described import doc
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO
from raidctl.health.severity import WEIGHT, Severity
from raidctl.model import Inventory
from raidctl.select import below, items

LACKING = ("no_tool", "no_right")
"""Rules about missing tools or permissions, not about the storage. Their exit code is 4, as for ``show``."""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Findings of ``raidctl diagnose`` on one machine."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[str | None, doc("Host name; null: unknown.")] = None
    source: Annotated[str, doc("`local`, `ssh:HOST`, `replay:PATH`.")]
    collected_at: Annotated[str | None, doc("When it was scanned, RFC 3339; null: unknown.")] = None
    worst: Annotated[Severity | None, doc("Worst severity found; null: none.")] = None
    findings: Annotated[tuple[Finding, ...], doc("Problems, the worst first.")] = ()
    unknown: Annotated[tuple[Finding, ...], doc("Checks without a result, the most important first.")] = ()
    ignored: Annotated[tuple[Ignored, ...], doc("Findings that do not count: ignored on request, or waived.")] = ()
    expired: Annotated[
        tuple[Ignored, ...], doc("Findings that count again: what ignored or waived them has expired.")
    ] = ()
    rules: Annotated[tuple[str, ...], doc("Rules that applied to an object.")] = ()
    checked: Annotated[int, doc("Number of checks (a rule on an object).")] = 0
    passed: Annotated[int, doc("Checks that passed.")] = 0
    verdict: Annotated[
        Literal["fine", "found", "cannot_tell", "lacking"],
        doc(
            "`found`: a critical finding or a warning (exit code 1); `cannot_tell` (3); `lacking`: a tool "
            "or permission is missing (4); `fine`: nothing, or information only (0)."
        ),
    ]


_EXITS = {"fine": EXIT_FINE, "found": EXIT_NO, "cannot_tell": EXIT_CANNOT_TELL, "lacking": EXIT_ACCESS}


def exit_code(diagnosis: Diagnosis) -> int:
    """1, 3, 4 or 0. Mere information does not count, so that a healthy server raises no alert."""
    return _EXITS[diagnosis.verdict]


def findings_of(inventory: Inventory, rules: Sequence[Rule], scope: Collection[str] | None = None) -> list[Finding]:
    """Findings of rules. ``scope``: report only objects with these ids, and the machine."""
    return [one for rule in rules for one in rule.check(inventory) if scope is None or _within(one, inventory, scope)]


def diagnose(inventory: Inventory, rules: Sequence[Rule], scope: Collection[str] | None = None) -> Diagnosis:
    """Check an inventory with rules, nothing waived; ``scope``: see :func:`findings_of`."""
    return diagnosed(inventory, findings_of(inventory, rules, scope))


def diagnosed(
    inventory: Inventory, found: Sequence[Finding], waivers: Sequence[Waiver] = (), today: date = date.min, *,
    alone: bool = False,
) -> Diagnosis:  # fmt: skip
    """Sort and count findings, without the waived ones.

    An expired waiver is a finding; if this is the only machine, and was read completely (``alone``), even one that
    would cover nothing on it.
    """
    waived = waive(found, waivers, inventory.host.hostname, today, alone=alone)
    counted = [*waived.left, *map(expired, waived.over)]
    failed = _sorted(one for one in counted if one.outcome == "fail")
    unknown = _sorted(one for one in counted if one.outcome == "unknown")
    return Diagnosis(
        host=inventory.host.hostname,
        source=inventory.host.source,
        collected_at=inventory.host.collected_at,
        worst=failed[0].severity if failed else None,
        findings=failed,
        unknown=unknown,
        ignored=waived.waived,
        expired=waived.again,
        rules=tuple(dict.fromkeys(one.rule for one in found)),
        checked=len(found) + len(waived.over),
        passed=sum(one.outcome == "pass" for one in counted),
        verdict=_verdict(failed, unknown) if counted else "cannot_tell",
    )


def _verdict(
    failed: Sequence[Finding], unknown: Sequence[Finding]
) -> Literal["fine", "found", "cannot_tell", "lacking"]:
    if any(one.severity != "info" and one.rule not in LACKING for one in failed):
        return "found"
    if any(one.severity != "info" and one.rule not in LACKING for one in unknown):
        return "cannot_tell"
    return "lacking" if any(one.rule in LACKING for one in (*failed, *unknown)) else "fine"


def _sorted(found: Iterator[Finding]) -> tuple[Finding, ...]:
    """Sort the worst first. Within a severity, sort by rank, causes before consequences, then by rule and object."""
    return tuple(sorted(found, key=lambda one: (WEIGHT[one.severity], one.rank, one.because is not None, one.rule)))


def causes(found: Sequence[Finding]) -> list[Finding]:
    """The findings that no other finding explains."""
    there = {f"{one.rule} {one.where}" for one in found}
    return [one for one in found if one.because not in there]


def alarms(found: Diagnosis) -> tuple[str, ...]:
    """Why a machine is not ok, the worst first: the object and what is wrong."""
    return tuple(f"{one.where}: {one.message}" for one in causes(found.findings) if one.severity != "info")


def doubts(found: Diagnosis) -> tuple[str, ...]:
    """Why a machine is not known to be ok: checks without a result. Each has the object and the reason."""
    counted = [one for one in found.unknown if one.severity != "info" and one.rule not in LACKING]
    return tuple(f"{one.where}: {one.message}" for one in counted)


def explained(found: Sequence[Finding], cause: Finding) -> list[Finding]:
    """The findings that one of them explains."""
    return [one for one in found if one.because == f"{cause.rule} {cause.where}"]


def _within(one: Finding, inventory: Inventory, scope: Collection[str]) -> bool:
    """Whether a finding is about one of these objects, or about no object, such as a tool that crashed."""
    return one.where in scope or one.where not in {
        item.id for controller in inventory.controllers for item in items(controller)
    }


def around(inventory: Inventory, ids: Collection[str]) -> frozenset[str]:
    """These objects and what they depend on: controllers, batteries, and what is below members.

    A volume may be slow because of the battery of its controller; an array fails with the drive or volume below.
    """
    ids = {*ids, *below(inventory, ids)}
    controllers = [
        controller for controller in inventory.controllers if any(item.id in ids for item in items(controller))
    ]
    found = {
        *ids,
        *(controller.id for controller in controllers),
        *(battery.id for controller in controllers for battery in controller.batteries),
    }
    nodes = [
        drive.device for controller in controllers for drive in controller.drives if drive.id in ids and drive.device
    ]
    for controller in inventory.controllers:
        for drive in controller.drives:
            if drive.device and any(_part_of(node, drive.device) for node in nodes):
                found.add(drive.id)
    return frozenset(found)


def _part_of(node: str, whole: str) -> bool:
    """Whether a node is this block device or one of its partitions.

    Examples are `/dev/sda1` of `/dev/sda`, and `/dev/nvme0n1p2`.
    """
    rest = node.removeprefix(whole) if node.startswith(whole) else "-"
    return not rest or (rest.lstrip("p").isdecimal() and rest.startswith("p") == whole[-1].isdecimal())
