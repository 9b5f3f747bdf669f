"""Contradictions between a BMC and the tools that a claim is judged by. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.health.bmc_contradictions import compared
from raidctl.health.write_hole import write_hole
from raidctl.model import Inventory
from raidctl.vendor.draft import is_bad
from raidctl.verify.subjects import Subject

_OF_VOLUMES = frozenset({"volume_status", "drives", "survives"})
_OF_DRIVES = frozenset({"drives", "survives"})
_OF_BATTERIES = frozenset({"battery", "write_cache", "power_safe"})
_OF_POLICIES = frozenset({"write_cache", "policy_active", "power_safe"})
"""Claims that depend on the status of each kind of object, and on the write policy."""
COMPARE = "Look at the LED and at both logs; the source that is wrong needs a reset or newer firmware."


def contradictions(claim: str, subject: Subject, inventory: Inventory) -> Iterator[str]:
    """Yield the reports of a BMC that contradict what a claim depends on.

    ``smartarray:0/v1: the BMC reports failed (Critical, Enabled), the machine's own tool ok``. A status that the tool
    itself reports as bad is judged by the claim.
    """
    volumes = {subject.id, *(one.id for one in subject.built_on)}
    by_cache = _closed_by_cache(claim, subject)
    objects: dict[str, set[str]] = {}
    if claim in _OF_VOLUMES:
        objects["volume"] = volumes
    if claim in _OF_DRIVES:
        objects["drive"] = {drive.id for _, drive in subject.drives}
    if claim in _OF_BATTERIES or by_cache:
        objects |= {"battery": {battery.id for battery in subject.controller.batteries}, "cache": set()}
    # an object that is not found may be one of these; its view is at the controller, as that of the cache
    about = {(kind, name) for kind, names in objects.items() for name in (*names, subject.controller.id)}
    for one in compared(inventory):
        by_status = (
            one.about_status
            and one.view.listed is not False
            and not is_bad(one.status)
            and (one.view.kind, one.item.id) in about
        )
        by_policy = not one.about_status and (claim in _OF_POLICIES or by_cache) and one.item.id in volumes
        if one.outcome == "fail" and (by_status or by_policy):
            yield f"{one.item.id}: {one.cause}"


def _closed_by_cache(claim: str, subject: Subject) -> bool:
    """Whether a claim passes because the controller's cache closes the write hole."""
    volume = subject.volume
    if claim != "no_write_hole" or volume is None or subject.software:
        return False
    return write_hole(subject.controller, volume).state == "closed"
