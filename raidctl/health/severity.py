"""The severity of conditions, findings and changes. That of a problem of the reading is ``raidctl.model.Severity``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Severity = Literal["info", "warning", "critical"]
WEIGHT: Mapping[Severity, int] = {"critical": 0, "warning": 1, "info": 2}
"""The order of severities, the worst first."""
