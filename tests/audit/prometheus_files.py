"""The rules for Prometheus in contrib/."""

from __future__ import annotations

from pathlib import Path

CONTRIB = Path(__file__).resolve().parents[2] / "contrib"

RULES = CONTRIB / "prometheus" / "raidctl.rules.yml"
