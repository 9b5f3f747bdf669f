"""Plain drives: every drive that no array hides.

They are read from the kernel, and with hdparm, sdparm, nvme and smartctl, whose outputs are also read from loose files:
a module or two for each tool, a package for ``smart``. ``to_model`` combines the drafts of one drive. The write caches
are changed (``change``), and self-tests run (``self_tests``). The parsers are imported when there is something to
parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation, Sniffed
from raidctl_drives.capability import FAMILY, SUPPORT
from raidctl_drives.tools import DRIVERS, TOOLS

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "observe", "read", "sniff"]

TITLE = "Plain drives and host bus adapters"
LAST = True


def observe(host: HostView) -> Dialogue[Observation]:
    """Read every plain drive of a machine; none there: an empty observation."""
    from raidctl_drives import dialogue  # noqa: PLC0415 - a start that asks no machine does not need it

    return dialogue.observe(host)


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of one of the tools."""
    from raidctl_drives import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read complete or partial outputs and combine those of one controller."""
    from raidctl_drives import reader  # noqa: PLC0415 - for loose texts only

    return reader.read(documents)
