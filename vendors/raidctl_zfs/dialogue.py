"""The dialogue with zpool and zfs: the state of all pools, their sizes, and which parts acknowledge commits early."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from raidctl.host import HostView
from raidctl.model import Problem, Severity
from raidctl.request import Dialogue
from raidctl.text import listing
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed
from raidctl_zfs.collect import read

TIMEOUT = 60.0
"""Seconds for one call; a suspended pool can block it."""
# -P: whole paths; -v: the damaged files; -p: bytes
_CALLS = (("status", "-P", "-v"), ("list", "-p"))
_SYNC = ("get", "-t", "filesystem,volume", "sync")


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Read all pools. The kernel shows that there is a pool, so a missing tool is a problem."""
    tools = {one.spec.name: one for one in found}
    if "zpool" not in tools:
        message = "The kernel shows ZFS, but zpool is not installed: its pools are not shown."
        return Observation(problems=(_missing("error", "zpool", message),))
    sessions = [_session(tools["zpool"])]
    yield from sessions[0].run_all(_CALLS)
    seen = _read(sessions, host)
    unlisted = [] if any(one.kind != "state" for one in seen.problems) else _unlisted(host, seen)
    if seen.controllers and "zfs" in tools:
        sessions.append(_session(tools["zfs"]))
        yield from sessions[1].run_all([_SYNC])
        seen = _read(sessions, host)
    elif seen.controllers:
        message = "zfs is not installed: which file systems and volumes have sync=disabled is unknown."
        seen = replace(seen, problems=(*seen.problems, _missing("warning", "zfs", message)))
    return replace(seen, problems=(*seen.problems, _not_imported(unlisted))) if unlisted else seen


def _session(tool: Installed) -> Session[Document]:
    """A session whose outputs also have the errors about single pools and file systems."""
    return Session(tool, "zpool", "zfs", TIMEOUT, _reading, errors_beside=True)


def _read(sessions: Sequence[Session[Document]], host: HostView) -> Observation:
    documents = [document for session in sessions for document in session.documents]
    problems = [problem for session in sessions for problem in session.problems]
    return read(documents, host, problems, [session.tool for session in sessions])


def _missing(severity: Severity, tool: str, message: str) -> Problem:
    return Problem(severity, tool, message, "Install the package zfsutils-linux.", "no_tool")


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
