"""RAID of LVM and the kernel's dm-raid, through lvs and dmsetup. Nothing is changed.

``lists`` reads the outputs, ``images`` and ``infer`` conclude the states of images and volumes, ``agreement`` reports
outputs that contradict each other. CONTRIBUTING.md explains the modules that all families have. The parsers are
imported when there is something to parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec
from raidctl.vendor.tools import installed
from raidctl_lvm.capability import FAMILY, SUPPORT

__all__ = [
    "DRIVERS",
    "FAMILY",
    "LAST",
    "SHARES_DRIVES",
    "SUBVOLUMES",
    "SUPPORT",
    "TITLE",
    "TOOLS",
    "observe",
    "read",
    "sniff",
]

TITLE = "LVM RAID"
DRIVERS: tuple[str, ...] = ()
LAST = False
SHARES_DRIVES = True
"""Whether volumes share drives. Each volume of a group takes a part of some of its drives."""
_PACKAGE = "the package {} of the distribution"
TOOLS = (
    # /usr/sbin/lvs -> lvm
    ToolSpec("lvs", ("/usr/sbin/lvs", "/sbin/lvs"), _PACKAGE.format("lvm2"), applet=True),
    ToolSpec("dmsetup", ("/usr/sbin/dmsetup", "/sbin/dmsetup"), _PACKAGE.format("dmsetup")),
)
SUBVOLUMES = ("_rimage_", "_mimage_")
"""In the kernel's name of a part of a RAID volume."""


def observe(host: HostView) -> Dialogue[Observation]:
    """Read all RAID volumes. Runs nothing on a machine on which the kernel shows no physical volume."""
    raid = any(name in (block.dm_name or "") for block in host.blocks for name in SUBVOLUMES)
    if not raid and not any(block.filesystem == "LVM2_member" for block in host.blocks):
        return Observation()
    found = yield from installed(TOOLS)
    from raidctl_lvm import dialogue  # noqa: PLC0415 - takes its time, and most machines have no LVM

    return (yield from dialogue.observe(host, found, raid=raid))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of lvs or dmsetup."""
    from raidctl_lvm import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read complete or partial outputs and combine those of one volume."""
    from raidctl_lvm import collect  # noqa: PLC0415 - as in observe()

    return collect.read(documents)
