"""The type of a built-in rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from raidctl.audit.finding import Finding
from raidctl.health.severity import Severity
from raidctl.model import Inventory


class Rule(Struct, frozen=True, kw_only=True):
    """One built-in rule. The docstring of its module is its manual page."""

    name: str
    """Its name in findings, policies and the manual: `write_back_unprotected`."""
    title: str
    """One line without a full stop."""
    severity: Severity
    """Worst severity; a single finding may be milder."""
    check: Callable[[Inventory], Iterable[Finding]]
    """One finding for each object that it applies to, passes included. A machine without any gets none."""
