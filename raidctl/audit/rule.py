"""What every rule that raidctl brings along has in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from raidctl.audit.finding import Finding, Severity
from raidctl.model import Inventory


class Rule(Struct, frozen=True, kw_only=True):
    """One built-in rule. The docstring of its module is its page in the manual."""

    name: str
    """What it is called in findings, policies and the manual: `write_back_unprotected`."""
    title: str
    """What it looks for, one line without a full stop."""
    severity: Severity
    """How bad a failure is; a single finding may be milder."""
    check: Callable[[Inventory], Iterable[Finding]]
    """One finding for each object that it concerns, those that pass included. Nothing for a machine without any."""
