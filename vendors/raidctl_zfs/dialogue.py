"""The dialogue with zpool: the state of all pools, and their sizes."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import Dialogue
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
    """Read all pools; the kernel shows that there is one, so a missing tool is a problem."""
    if not found:
        message = "The kernel shows ZFS, but zpool is not installed: its pools are not shown."
        missing = Problem("warning", "zpool", message, "Install the package zfsutils-linux.", "no_tool")
        return Observation(problems=(missing,))
    session = Session(found[0], "zpool", "zfs", TIMEOUT, _reading)
    yield from session.run_all(_CALLS)
    return read(session.documents, SUPPORT, host, session.problems, [session.tool])


def _reading(document: Document) -> Reading[Document]:
    return Reading(document)
