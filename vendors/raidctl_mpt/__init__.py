"""LSI SAS2 and SAS3 controllers with IR firmware, through sas2ircu and sas3ircu.

No settings are changed. No kernel driver is listed, as mpt2sas and mpt3sas serve plain HBAs as well, whose drives need
no tool. CONTRIBUTING.md explains the modules that all families have. The parsers are imported when there is something
to parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec
from raidctl.vendor.tools import installed
from raidctl_mpt import kernel
from raidctl_mpt.capability import FAMILY, SUPPORT, UNREPORTED

TITLE = "LSI SAS2 and SAS3 with IR firmware"
DRIVERS: tuple[str, ...] = ()
LAST = False
TOOLS = tuple(
    ToolSpec(
        name,
        (f"/opt/lsi/{name}/{name}", f"/opt/{name}/{name}", f"/usr/local/{name}/{name}"),
        f"{name}, from the firmware packages of Broadcom's SAS HBAs",
        # prints the banner with the version
        ("LIST",),
    )
    for name in ("sas3ircu", "sas2ircu")
)

__all__ = ["DRIVERS", "FAMILY", "LAST", "SUPPORT", "TITLE", "TOOLS", "UNREPORTED", "observe", "read", "sniff"]


def observe(host: HostView) -> Dialogue[Observation]:
    """Read every controller that the tools list. Report IR volumes of the kernel that no tool lists."""
    found = yield from installed(TOOLS)
    if not found and not kernel.volumes(host):
        return Observation()
    from raidctl_mpt import dialogue  # noqa: PLC0415 - takes its time, and most machines have no such controller

    return (yield from dialogue.observe(host, found, TOOLS))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of the tools."""
    from raidctl_mpt import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read complete or partial outputs and combine those of one controller."""
    from raidctl_mpt import collect  # noqa: PLC0415 - as in observe()

    return collect.read(documents)
