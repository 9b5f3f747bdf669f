"""What an audit of one machine or of thousands comes to. The names are a contract (`raidctl schema audit`)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from raidctl.audit.finding import Audited, Finding, Severity
from raidctl.described import doc
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO

Verdict = Literal["pass", "fail", "unknown", "no_access"]
"""Of a host: `no_access`: something is unknown for lack of a tool or a right."""


class RuleCount(msgspec.Struct, kw_only=True):
    """One rule over all hosts."""

    rule: Annotated[str, doc("Its name.")]
    severity: Annotated[Severity, doc("How bad a failure of it is.")]
    checked: Annotated[int, doc("How many objects it met.")] = 0
    passed: Annotated[int, doc("How many of these passed.")] = 0
    failed: Annotated[int, doc("How many failed.")] = 0
    unknown: Annotated[int, doc("Of how many it cannot be told.")] = 0
    hosts: Annotated[int, doc("On how many hosts something did not pass.")] = 0


class Summary(msgspec.Struct, kw_only=True):
    """The sums of an audit."""

    verdict: Annotated[Verdict, doc("Of all hosts together: the worst.")] = "pass"
    hosts: Annotated[int, doc("How many were audited.")] = 0
    hosts_passed: Annotated[int, doc("On how many all passed.")] = 0
    hosts_failed: Annotated[int, doc("On how many something failed.")] = 0
    hosts_unknown: Annotated[
        int, doc("On how many nothing failed, and something could not be told; unreadable ones included.")
    ] = 0
    hosts_no_access: Annotated[int, doc("The same, for lack of a tool or a right there.")] = 0
    unreadable: Annotated[int, doc("Lines and files that are no inventory that could be read.")] = 0
    checked: Annotated[int, doc("How many times a rule met an object.")] = 0
    passed: Annotated[int, doc("How many of these passed.")] = 0
    critical: Annotated[int, doc("Failures that are critical.")] = 0
    warning: Annotated[int, doc("Failures that are a warning.")] = 0
    info: Annotated[int, doc("Failures that are good to know.")] = 0
    unknown: Annotated[int, doc("Findings that say that something could not be told.")] = 0
    rules: Annotated[list[RuleCount], doc("Rule by rule, in the order of the policy.")] = []
    findings: Annotated[
        list[Finding], doc("About the policy: rules that matched nothing on any of several hosts.")
    ] = []


class Report(msgspec.Struct, kw_only=True, frozen=True):
    """What `raidctl audit --json` prints."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    policy: Annotated[str, doc("The policy's file; `built-in rules`.")]
    hosts: Annotated[list[Audited], doc("Host by host, in the order of the input.")]
    summary: Annotated[Summary, doc("The sums.")]


EXITS: dict[Verdict, int] = {
    "pass": EXIT_FINE, "no_access": EXIT_ACCESS, "unknown": EXIT_CANNOT_TELL, "fail": EXIT_NO,
}  # fmt: skip
"""Exit codes, the mildest first: the worst of all hosts decides."""
_ORDER = list(EXITS)


def worse(one: Verdict, other: Verdict) -> Verdict:
    """The worse of two."""
    return max(one, other, key=_ORDER.index)
