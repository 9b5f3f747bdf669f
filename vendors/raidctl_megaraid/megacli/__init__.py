"""MegaCli, MegaCli64, megacli, megasascli and CmdTool2, versions 1 to 8.07: one grammar."""

from __future__ import annotations

from raidctl_megaraid.megacli.reader import infer, read
from raidctl_megaraid.megacli.recognise import sniff, tool_version

__all__ = ["infer", "read", "sniff", "tool_version"]
