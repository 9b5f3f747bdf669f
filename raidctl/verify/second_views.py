"""Contradictions between a BMC and the tools that a claim is judged by. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.health.redundancy import WHOLE
from raidctl.health.views import compared
from raidctl.health.write_hole import write_hole
from raidctl.model import Inventory
from raidctl.verify.subjects import Subject

_OF_VOLUMES = frozenset({"volume_status", "drives", "survives"})
_OF_DRIVES = frozenset({"drives", "survives"})
_OF_BATTERIES = frozenset({"battery", "write_cache", "power_safe"})
_OF_POLICIES = frozenset({"write_cache", "policy_active", "power_safe"})
"""Claims that depend on the status of each kind of object, and on the write policy."""
COMPARE = "Look at the LED and at both logs; the source that is wrong needs a reset or newer firmware."


def contradictions(claim: str, subject: Subject, inventory: Inventory) -> Iterator[str]:
    """Yield what a BMC reports otherwise about what a claim depends on.

    ``smartarray:0/v1: the BMC reports failed (Critical, Enabled), the machine's own tool ok``. A status that the tool
    itself reports as bad is judged by the claim.
    """
    volumes = {subject.id, *(one.id for one in subject.built_on)}
    about = set(volumes) if claim in _OF_VOLUMES else set()
    if claim in _OF_DRIVES:
        about |= {drive.id for _, drive in subject.drives}
    by_cache = _closed_by_cache(claim, subject)
    if claim in _OF_BATTERIES or by_cache:
        about |= {battery.id for battery in subject.controller.batteries}
    for one in compared(inventory):
        by_status = one.about_status and one.item.status in WHOLE and one.item.id in about
        by_policy = not one.about_status and (claim in _OF_POLICIES or by_cache) and one.item.id in volumes
        if one.outcome == "fail" and (by_status or by_policy):
            yield f"{one.item.id}: {one.cause}"


def _closed_by_cache(claim: str, subject: Subject) -> bool:
    """Whether a claim passes because the controller's cache closes the write hole."""
    volume = subject.volume
    if claim != "no_write_hole" or volume is None or subject.software:
        return False
    return write_hole(subject.controller, volume).state == "closed"
