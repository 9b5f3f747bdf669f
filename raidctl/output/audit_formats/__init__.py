"""How an audit is written: one module for each ``--format``, a pure function of what was found.

A module has ``writer(sheet)``, which gives a :class:`Writer`; its name stands in ``FORMATS``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from raidctl.audit.finding import Audited
from raidctl.audit.report import Summary
from raidctl.output.console import Paper

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
class Sheet:
    """What a writer is told before the first host."""

    policy: str
    """The policy's file; ``built-in rules``."""
    paper: Paper
    alone: bool
    """There is one machine."""
    details: bool = False
    passed: bool = False
    """What passed is wanted, too."""
    builtin: frozenset[str] = frozenset()
    """Names of the rules that raidctl brings along."""


class Writer(Protocol):
    """Writes an audit piece by piece, so that any number of hosts fits into memory."""

    everything: bool
    """Hosts on which all passed are handed over, too."""
    again: bool
    """At the end, all hosts are wanted once more."""

    def begin(self) -> str:
        """What stands before the first host."""

    def host(self, audited: Audited) -> str:
        """What is to be written of a host at once."""

    def end(self, summary: Summary, again: Again) -> Iterator[str]:
        """What stands after the last host."""

    def exit_code(self, summary: Summary) -> int:
        """What the program ends with; most formats: :data:`raidctl.audit.report.EXITS`."""


def writer(name: str, sheet: Sheet) -> Writer:
    """The writer of a format."""
    made: Writer = importlib.import_module(FORMATS[name]).writer(sheet)
    return made
