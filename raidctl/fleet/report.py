"""The result of a command for many hosts. Field names are stable (``raidctl schema hosts``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Annotated, Any, Literal

import msgspec

from raidctl.audit.finding import Finding
from raidctl.described import doc
from raidctl.errors import (
    EXIT_ACCESS,
    EXIT_CANNOT_TELL,
    EXIT_FINE,
    EXIT_INTERRUPTED,
    EXIT_NO,
    EXIT_UNREACHABLE,
    EXIT_USAGE,
)

_ORDER = (EXIT_NO, EXIT_UNREACHABLE, EXIT_CANNOT_TELL, EXIT_ACCESS, EXIT_USAGE)
"""The hosts' exit codes by priority. The first that occurs is that of the command."""


class Rank(IntEnum):
    """The severity of a host's result, the worst first."""

    CRITICAL = 0
    GONE = 1
    """It cannot be reached."""
    FAILED = 2
    """There is no result."""
    WARNING = 3
    UNKNOWN = 4
    """Something could not be read."""
    CHANGED = 5
    FINE = 6


class HostAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of one host."""

    host: Annotated[str, doc("Name of the host, as it was given.")]
    hostname: Annotated[str | None, doc("Host name that the machine reports; null: unknown.")] = None
    exit_code: Annotated[int, doc("Exit code of the command for this host alone; 8: unreachable.")]
    state: Annotated[str, doc("One word: `critical`, `warning`, `ok`, `changed`, `unreachable` and others.")]
    message: Annotated[str, doc("One line about it.")] = ""
    error: Annotated[str | None, doc("Why there is no result; null: there is one.")] = None
    tries: Annotated[int, doc("How many times it was tried to reach it.")] = 1
    result: Annotated[Any, doc("What the command prints with `--json` for one host; null: nothing.")] = None


class HostsSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of hosts."""

    hosts: Annotated[int, doc("Number of hosts, each counted once.")]
    answered: Annotated[int, doc("Hosts with a result.")]
    unreachable: Annotated[int, doc("Hosts that could not be reached.")]
    not_asked: Annotated[int, doc("Hosts without an answer, since raidctl was interrupted.")] = 0
    exit_codes: Annotated[dict[str, int], doc("Number of hosts by exit code.")]


class HostsReport(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of many hosts, the worst first."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    command: Annotated[str, doc("The command: `show`, `diagnose` and others.")]
    exit_code: Annotated[
        int,
        doc(
            "Exit code: 1 if a host has 1 or there are findings, else 8, 3, 4 or 2 if a host has it, else 0; "
            "130: interrupted."
        ),
    ]
    hosts: Annotated[tuple[HostAnswer, ...], doc("The hosts that answered or failed, the worst first.")]
    findings: Annotated[
        tuple[Finding, ...], doc("Findings about no single host: waivers that have expired and cover nothing.")
    ] = ()
    summary: Annotated[HostsSummary, doc("Counts.")]


def combined(codes: Iterable[int], *, interrupted: bool = False) -> int:
    """Return the exit code for several hosts. It is 0 only if every host has 0."""
    if interrupted:
        return EXIT_INTERRUPTED
    seen = set(codes) - {EXIT_FINE}
    return next((code for code in _ORDER if code in seen), EXIT_CANNOT_TELL if seen else EXIT_FINE)


def report(command: str, answers: Iterable[HostAnswer], number: int, findings: Sequence[Finding] = ()) -> HostsReport:
    """Return the report of sorted answers. With fewer than ``number`` hosts, the run was interrupted."""
    hosts = tuple(answers)
    codes = Counter(one.exit_code for one in hosts)
    every = (*codes, *([EXIT_NO] if findings else []))
    return HostsReport(
        command=command,
        exit_code=combined(every, interrupted=len(hosts) < number),
        hosts=hosts,
        findings=tuple(findings),
        summary=HostsSummary(
            hosts=number,
            answered=sum(one.error is None for one in hosts),
            unreachable=codes[EXIT_UNREACHABLE],
            not_asked=number - len(hosts),
            exit_codes={str(code): codes[code] for code in sorted(codes)},
        ),
    )
