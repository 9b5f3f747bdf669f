"""HP and HPE Smart Array: hpacucli, hpssacli and ssacli, which are one tool under three names."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation, Sniffed
from raidctl.vendor.tools import installed
from raidctl_smartarray.capability import SUPPORT, UNREPORTED
from raidctl_smartarray.tools import DRIVERS, TOOLS

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "UNREPORTED", "observe", "read", "sniff"]

FAMILY = "smartarray"
TITLE = "HP and HPE Smart Array"
LAST = False


def observe(host: HostView) -> Dialogue[Observation]:
    """Read every controller of the family; the observation is empty if no tool is installed."""
    found = yield from installed(TOOLS)
    if not found:
        return Observation()
    from raidctl_smartarray import dialogue  # noqa: PLC0415 - takes its time, and most machines have no such card

    return (yield from dialogue.observe(host, found))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of one of the tools."""
    from raidctl_smartarray import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read complete or partial outputs and combine those of one controller."""
    from raidctl_smartarray import reader  # noqa: PLC0415 - for loose texts only

    return reader.read(documents)
