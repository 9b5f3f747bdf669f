"""ZFS pools, through zpool and zfs; nothing is changed.

``status_text`` and ``status_json`` read ``zpool status``, ``list_text`` the lists, ``scan`` the line about scrubs and
resilvers, ``get_text`` the table of ``zfs get``; ``infer`` concludes what a pool survives. CONTRIBUTING.md explains the
modules that all families have. The parsers are imported when there is something to parse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.request import Dialogue
from raidctl.text import regex
from raidctl.vendor.protocol import Document, Observation, Sniffed, ToolSpec
from raidctl.vendor.tools import installed
from raidctl_zfs.capability import FAMILY, SUPPORT, UNREPORTED

__all__ = [
    "COUNTS_REDUNDANCY",
    "DRIVERS",
    "FAMILY",
    "LAST",
    "SUPPORT",
    "TITLE",
    "TOOLS",
    "UNREPORTED",
    "observe",
    "read",
    "sniff",
]

TITLE = "ZFS pools"
DRIVERS: tuple[str, ...] = ()
LAST = False
COUNTS_REDUNDANCY = True
_ZVOL = regex(r"zd\d+(?:p\d+)?", re.ASCII)
_PACKAGE = "the package zfsutils-linux of the distribution"
TOOLS = (
    ToolSpec("zpool", ("/usr/sbin/zpool", "/sbin/zpool"), _PACKAGE, ("version",)),
    ToolSpec("zfs", ("/usr/sbin/zfs", "/sbin/zfs"), _PACKAGE, ("version",)),
)


def observe(host: HostView) -> Dialogue[Observation]:
    """Read all pools. Runs nothing on a machine on which the kernel shows no sign of one."""
    members = any(block.filesystem == "zfs_member" or _ZVOL.fullmatch(block.name) for block in host.blocks)
    # a pool that is mounted, and whose devices are gone
    if not members and "zfs" not in host.filesystems:
        return Observation()
    found = yield from installed(TOOLS)
    if not found and not members:
        return Observation()  # a container on a pool of its host
    from raidctl_zfs import dialogue  # noqa: PLC0415 - takes its time, and most machines have no pool

    return (yield from dialogue.observe(host, found))


def sniff(name: str, text: str) -> Sniffed | None:
    """Whether a text is an output of zpool."""
    from raidctl_zfs import recognise  # noqa: PLC0415 - for loose texts only

    return recognise.sniff(name, text)


def read(documents: Sequence[Document]) -> Observation:
    """Read complete or partial outputs and combine those of one pool."""
    from raidctl_zfs import collect  # noqa: PLC0415 - as in observe()

    return collect.read(documents)
