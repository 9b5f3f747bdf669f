"""MegaCli, MegaCli64, megacli, megasascli and CmdTool2: one grammar under five names, versions 1 to 8.07."""

from __future__ import annotations

from raidctl_megaraid.megacli.form import sniff, tool_version
from raidctl_megaraid.megacli.read import read, settle

__all__ = ["read", "settle", "sniff", "tool_version"]
