"""Adaptec and Microchip SmartRAID: arcconf, for the drivers aacraid and smartpqi.

Settings are changed (``change``), and arrays and drives worked on (``operate``). CONTRIBUTING.md explains the modules
that all families have. The parsers are imported when there is something to parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation, Sniffed
from raidctl.vendor.tools import installed
from raidctl_adaptec.capability import FAMILY, SUPPORT, UNREPORTED
from raidctl_adaptec.tools import DRIVERS, TOOLS

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "UNREPORTED", "observe", "read", "sniff"]

TITLE = "Adaptec and Microchip SmartRAID"
LAST = False


def observe(host: HostView) -> Dialogue[Observation]:
    """Read every controller of the family. The observation is empty if none of the tools is installed."""
    found = yield from installed(TOOLS)
    if not found:
        return Observation()
    from raidctl_adaptec import dialogue  # noqa: PLC0415 - slow, and most machines have no such controller

    return (yield from dialogue.observe(host, found))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of one of the tools."""
    from raidctl_adaptec import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs, whole or in part, and merge what belongs together."""
    from raidctl_adaptec import reader  # noqa: PLC0415 - for loose texts only

    return reader.read(documents)
