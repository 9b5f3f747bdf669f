"""The dialogue with lvs and dmsetup: one call of each."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed
from raidctl_lvm.collect import read

TIMEOUT = 60.0
"""Seconds for one call."""
FIELDS = (
    "vg_name,lv_name,lv_uuid,lv_attr,lv_size,segtype,stripe_size,sync_percent,raid_sync_action,raid_mismatch_count,"
    "lv_health_status,devices"
)
# JSON since lvm2 2.02.158
_LVS = ("-a", "--units", "b", "--nosuffix", "--reportformat", "json", "-o", FIELDS)


def observe(host: HostView, found: Sequence[Installed], *, raid: bool) -> Dialogue[Observation]:
    """Read all volumes. A missing tool is a problem only where the kernel shows a RAID volume."""
    tools = {one.spec.name: one for one in found}
    if "lvs" not in tools:
        message = "The kernel shows RAID volumes of LVM, but lvs is not installed: they are not shown."
        missing = Problem("error", "lvs", message, "Install the package lvm2.", "no_tool")
        return Observation(problems=(missing,) if raid else ())
    lists = Session(tools["lvs"], "lvm", "lvm", TIMEOUT, _reading)
    yield from lists.run(*_LVS)
    sessions = [lists]
    if raid and "dmsetup" in tools:
        kernel = Session(tools["dmsetup"], "lvm", "lvm", TIMEOUT, _reading)
        yield from kernel.run("status", "--target", "raid")
        sessions.append(kernel)
    documents = [document for session in sessions for document in session.documents]
    problems = [problem for session in sessions for problem in session.problems]
    seen = read(documents, host, problems, [session.tool for session in sessions])
    return seen if seen.controllers or seen.problems else Observation(outputs=seen.outputs)


def _reading(document: Document) -> Reading[Document]:
    return Reading(document)
