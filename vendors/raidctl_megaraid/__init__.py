"""Broadcom, LSI and Dell MegaRAID: storcli, perccli, storcli2, perccli2, MegaCli and raidctl-mfi.

A package for each dialect (``storcli``, ``megacli``, ``mfi``), all of which fill the drafts of ``draft`` with the words
of ``vocabulary``; ``collect`` runs the tools. ``change`` and ``operate`` change a controller; ``simulator`` is one that
can be changed. Without any of the tools, none of these modules is imported.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation, Sniffed
from raidctl.vendor.tools import installed
from raidctl_megaraid.capability import FAMILY, SUPPORT, UNREPORTED
from raidctl_megaraid.tools import DRIVERS, MAKERS, MFI_DRIVER, TOOLS

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "UNREPORTED", "observe", "read", "sniff"]

TITLE = "Broadcom, LSI and Dell MegaRAID"
LAST = False


def observe(host: HostView) -> Dialogue[Observation]:
    """Read every controller of the family. The observation is empty if no useful tool is installed."""
    found = yield from installed(MAKERS)
    if not found and not any(device.driver == MFI_DRIVER for device in host.pci):
        return Observation()
    from raidctl_megaraid.collect import dialogue  # noqa: PLC0415 - slow, and most machines have no such controller

    return (yield from dialogue.observe(host, found))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of one of the tools."""
    from raidctl_megaraid import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs, whole or in part, and merge what belongs together."""
    from raidctl_megaraid import reader  # noqa: PLC0415 - for loose texts only

    return reader.read(documents)
