"""The ports of drives, and the paths that working drives have lost."""

from __future__ import annotations

from collections.abc import Mapping

from raidctl.text import collapse
from raidctl.vendor.draft import Draft
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.vocabulary import has_value, normalized

_UP = frozenset({"active", "up", "link up", "ok", "online", "enabled"})
_CHECK = "Check cables, expanders and the backplane."


def keep_port(drive: Draft, port: str, status: str) -> None:
    """Remember a port of a drive and its status: ``Active``. If outputs differ, the bad one counts."""
    if has_value(status):
        known: Mapping[str, str] = drive.get("ports") or {}
        if normalized(known.get(port, "active")) in _UP:
            drive.override("ports", {**known, port: collapse(status)[:40]})


def report_lost_paths(controller: ControllerDraft) -> None:
    """Report working drives without an active port, and those with fewer than their neighbours.

    The tools print ``Active`` for the second port of nearly all drives, also of those that have only one. A second port
    that is inactive on all drives of an enclosure was never connected. SATA drives beside SAS drives have only one.
    """
    working = [one for one in controller.drives.values() if one.get("status") in ("ok", "warning") and one.get("ports")]
    for drive in working:
        active, ports = _active(drive), drive.get("ports")
        if active == len(ports):
            continue
        states = ", ".join(f"port {port}: {state}" for port, state in sorted(ports.items()))
        beside = [_active(one) for one in working if one is not drive and _alike(one, drive)]
        if active == 0:
            message = f"No port of the drive is active, although the drive works ({states})."
            drive.add_problem("warning", "state", message, _CHECK)
        elif beside and sum(other > active for other in beside) * 2 > len(beside):
            message = f"The drive has lost a path that most drives like it in its enclosure have ({states})."
            drive.add_problem("warning", "state", message, _CHECK)


def _alike(one: Draft, two: Draft) -> bool:
    """Whether two drives are in one enclosure and have the same interface."""
    return all(one.get(name) == two.get(name) for name in ("enclosure", "interface"))


def _active(drive: Draft) -> int:
    return sum(normalized(state) in _UP for state in drive.get("ports").values())
