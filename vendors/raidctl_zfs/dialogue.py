"""The dialogue with zpool: the state of all pools, and their sizes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import Dialogue
from raidctl.text import listing
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed
from raidctl_zfs import SUPPORT
from raidctl_zfs.collect import read

TIMEOUT = 60.0
"""Seconds for one call; a suspended pool can block it."""
# -P: whole paths; -v: the damaged files; -p: bytes
_CALLS = (("status", "-P", "-v"), ("list", "-p"))


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Read all pools. The kernel shows that there is one, so a missing tool is a problem."""
    if not found:
        message = "The kernel shows ZFS, but zpool is not installed: its pools are not shown."
        missing = Problem("error", "zpool", message, "Install the package zfsutils-linux.", "no_tool")
        return Observation(problems=(missing,))
    session = Session(found[0], "zpool", "zfs", TIMEOUT, _reading)
    yield from session.run_all(_CALLS)
    seen = read(session.documents, SUPPORT, host, session.problems, [session.tool])
    unlisted = [] if any(one.kind != "state" for one in seen.problems) else _unlisted(host, seen)
    return replace(seen, problems=(*seen.problems, _not_imported(unlisted))) if unlisted else seen


def _unlisted(host: HostView, seen: Observation) -> list[str]:
    """Return drives and partitions of pools that zpool does not list."""
    listed = {drive.device for one in seen.controllers for drive in one.drives}
    return [
        block.node
        for block in host.blocks
        # a virtual machine's own pool can be on a volume of ZFS or LVM
        if block.filesystem == "zfs_member" and block.kind in ("disk", "partition") and not block.name.startswith("zd")
        and listed.isdisjoint({block.node, *(above.node for above in host.above(block.name))})
    ]  # fmt: skip


def _not_imported(nodes: Sequence[str]) -> Problem:
    message = f"The kernel shows members of a ZFS pool that zpool does not list: {listing(nodes)}. It is not imported."
    remedy = "Check its state with `zpool import`; `zpool labelclear` removes the label of a drive of no pool."
    return Problem("warning", nodes[0], message, remedy, "state")


def _reading(document: Document) -> Reading[Document]:
    return Reading(document)
