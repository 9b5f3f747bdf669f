"""The report of an audit of one or many machines. Field names are stable (`raidctl schema audit`)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from raidctl.audit.finding import Audited, Finding
from raidctl.described import doc
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO
from raidctl.health.severity import Severity

Verdict = Literal["pass", "fail", "unknown", "no_access"]
"""Result for a host. `no_access`: something is unknown because a tool or permission is missing."""


class RuleCount(msgspec.Struct, kw_only=True):
    """Results of one rule over all hosts."""

    rule: Annotated[str, doc("Name of the rule.")]
    severity: Annotated[Severity, doc("Severity of a failure.")]
    checked: Annotated[int, doc("Objects checked.")] = 0
    passed: Annotated[int, doc("Objects that passed.")] = 0
    failed: Annotated[int, doc("Objects that failed.")] = 0
    unknown: Annotated[int, doc("Objects with an unknown result.")] = 0
    waived: Annotated[int, doc("Objects whose finding a waiver covers.")] = 0
    hosts: Annotated[int, doc("Hosts with an object that did not pass.")] = 0


class Summary(msgspec.Struct, kw_only=True):
    """The totals of an audit."""

    verdict: Annotated[Verdict, doc("Worst result of all hosts.")] = "pass"
    hosts: Annotated[int, doc("Hosts audited.")] = 0
    hosts_passed: Annotated[int, doc("Hosts on which all checks passed.")] = 0
    hosts_failed: Annotated[int, doc("Hosts on which a check failed.")] = 0
    hosts_unknown: Annotated[
        int, doc("Hosts without a failure but with an unknown result; unreadable ones included.")
    ] = 0
    hosts_no_access: Annotated[int, doc("The same, because a tool or permission is missing.")] = 0
    unreadable: Annotated[int, doc("Lines and files that are not readable inventories.")] = 0
    checked: Annotated[int, doc("Number of checks (a rule on an object).")] = 0
    passed: Annotated[int, doc("Checks that passed.")] = 0
    critical: Annotated[int, doc("Critical failures.")] = 0
    warning: Annotated[int, doc("Failures that are warnings.")] = 0
    info: Annotated[int, doc("Failures for information.")] = 0
    unknown: Annotated[int, doc("Findings with an unknown result.")] = 0
    waived: Annotated[int, doc("Findings that a waiver covers; they are in no other number.")] = 0
    rules: Annotated[list[RuleCount], doc("Results by rule, in the order of the policy.")] = []
    findings: Annotated[list[Finding], doc("Findings about the policy: rules that matched nothing on any host.")] = []


class Report(msgspec.Struct, kw_only=True, frozen=True):
    """The output of `raidctl audit --json`."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    policy: Annotated[str, doc("File of the policy, or `built-in rules`.")]
    hosts: Annotated[list[Audited], doc("Results by host, in the order of the input.")]
    summary: Annotated[Summary, doc("Totals.")]


EXITS: dict[Verdict, int] = {
    "pass": EXIT_FINE, "no_access": EXIT_ACCESS, "unknown": EXIT_CANNOT_TELL, "fail": EXIT_NO,
}  # fmt: skip
"""Exit codes, mildest first: the worst of all hosts decides."""
_ORDER = list(EXITS)


def worse(one: Verdict, other: Verdict) -> Verdict:
    """The worse of two."""
    return max(one, other, key=_ORDER.index)
