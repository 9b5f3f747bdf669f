"""Output formats of an audit: one module for each ``--format``.

A module has ``writer(options)``, which returns a :class:`Writer`; ``FORMATS`` lists it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from raidctl.audit.finding import Audited
from raidctl.audit.report import EXITS, Summary
from raidctl.output.console import Display

FORMATS = {
    "table": "raidctl.output.audit_formats.table",
    "json": "raidctl.output.audit_formats.document",
    "jsonl": "raidctl.output.audit_formats.lines",
    "junit": "raidctl.output.audit_formats.junit",
    "nagios": "raidctl.output.audit_formats.nagios",
}
"""Name of the format, and its module."""

Again = Callable[[], Iterator[Audited]]


@dataclass(frozen=True)
class Options:
    """Options of a writer."""

    policy: str
    """File of the policy, or ``built-in rules``."""
    display: Display
    alone: bool
    """There is one machine."""
    details: bool = False
    passed: bool = False
    """Also print what passed."""
    builtin: frozenset[str] = frozenset()
    """Names of the built-in rules."""


class Writer(Protocol):
    """Writer of an audit, host by host. Any number of hosts thus fits into memory."""

    everything: bool
    """Also needs the hosts on which everything passed."""
    again: bool
    """Needs all hosts once more at the end."""

    def begin(self) -> str:
        """Text before the first host."""

    def host(self, audited: Audited) -> str:
        """Text for a host."""

    def end(self, summary: Summary, again: Again) -> Iterator[str]:
        """Text after the last host."""

    def exit_code(self, summary: Summary) -> int:
        """Exit code of the command. For most formats, it is that of the verdict."""
        return EXITS[summary.verdict]


def writer(name: str, options: Options) -> Writer:
    """The writer of a format."""
    made: Writer = importlib.import_module(FORMATS[name]).writer(options)
    return made
