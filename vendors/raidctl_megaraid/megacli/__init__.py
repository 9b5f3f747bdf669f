"""MegaCli, MegaCli64, megacli, megasascli and CmdTool2, versions 1 to 8.07: one grammar.

``grammar`` and ``outline`` cut an output into blocks, one module for each kind of block reads it into a draft. The rest
of the family imports what is listed in ``__all__``. A new label goes into ``labels``, or into the table of its module.
"""

from __future__ import annotations

from raidctl_megaraid.megacli.reader import infer, read
from raidctl_megaraid.megacli.recognise import sniff, tool_version

__all__ = ["infer", "read", "sniff", "tool_version"]
