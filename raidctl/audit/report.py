"""What an audit of one machine or of thousands comes to. The names are a contract (`raidctl schema audit`)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from raidctl.audit.finding import Audited, Finding, Severity
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO

Verdict = Literal["pass", "fail", "unknown", "no_access"]
"""Of a host: `no_access`: something is unknown for lack of a tool or a right."""


class RuleCount(msgspec.Struct, kw_only=True):
    """One rule over all hosts."""

    rule: Annotated[str, Meta(description="Its name.")]
    severity: Annotated[Severity, Meta(description="How bad a failure of it is.")]
    checked: Annotated[int, Meta(description="How many objects it met.")] = 0
    passed: Annotated[int, Meta(description="How many of these passed.")] = 0
    failed: Annotated[int, Meta(description="How many failed.")] = 0
    unknown: Annotated[int, Meta(description="Of how many it cannot be told.")] = 0
    hosts: Annotated[int, Meta(description="On how many hosts something did not pass.")] = 0


class Summary(msgspec.Struct, kw_only=True):
    """The sums of an audit."""

    verdict: Annotated[Verdict, Meta(description="Of all hosts together: the worst.")] = "pass"
    hosts: Annotated[int, Meta(description="How many were audited.")] = 0
    hosts_passed: Annotated[int, Meta(description="On how many all passed.")] = 0
    hosts_failed: Annotated[int, Meta(description="On how many something failed.")] = 0
    hosts_unknown: Annotated[
        int, Meta(description="On how many nothing failed, and something could not be told; unreadable ones included.")
    ] = 0
    hosts_no_access: Annotated[int, Meta(description="The same, for lack of a tool or a right there.")] = 0
    unreadable: Annotated[int, Meta(description="Lines and files that are no inventory that could be read.")] = 0
    checked: Annotated[int, Meta(description="How many times a rule met an object.")] = 0
    passed: Annotated[int, Meta(description="How many of these passed.")] = 0
    critical: Annotated[int, Meta(description="Failures that are critical.")] = 0
    warning: Annotated[int, Meta(description="Failures that are a warning.")] = 0
    info: Annotated[int, Meta(description="Failures that are good to know.")] = 0
    unknown: Annotated[int, Meta(description="Findings that say that something could not be told.")] = 0
    rules: Annotated[list[RuleCount], Meta(description="Rule by rule, in the order of the policy.")] = []
    findings: Annotated[
        list[Finding], Meta(description="About the policy: rules that matched nothing on any of several hosts.")
    ] = []


class Report(msgspec.Struct, kw_only=True, frozen=True):
    """What `raidctl audit --json` prints."""

    schema_version: Annotated[Literal["1"], Meta(description="Version of this contract.")] = "1"
    policy: Annotated[str, Meta(description="The policy's file; `built-in rules`.")]
    hosts: Annotated[list[Audited], Meta(description="Host by host, in the order of the input.")]
    summary: Annotated[Summary, Meta(description="The sums.")]


EXITS: dict[Verdict, int] = {
    "pass": EXIT_FINE, "no_access": EXIT_ACCESS, "unknown": EXIT_CANNOT_TELL, "fail": EXIT_NO,
}  # fmt: skip
"""Exit codes, the mildest first: the worst of all hosts decides."""
_ORDER = list(EXITS)


def worse(one: Verdict, other: Verdict) -> Verdict:
    """The worse of two."""
    return max(one, other, key=_ORDER.index)
