"""Counts and flags of the battery, beside the states of the objects."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.model import Controller, Problem, has_failed
from raidctl.vendor.draft import Draft, Pair
from raidctl.vendor.limits import MANY_ERRORS
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.policy import Power, masked
from raidctl_megaraid.vocabulary import has_state

COUNTS = {
    # Degraded        : 1
    "degraded": "degraded virtual drives",
    # Offline         : 0
    "offline": "offline virtual drives",
    # Failed Disks    : 1
    "failed disks": "failed drives",
    # Critical Disks  : 0
    "critical disks": "critical drives",
    # DNOpt=Array NotOptimal|VNOpt=VD NotOptimal
    "dnopt": "arrays that are not optimal",
    "vnopt": "virtual drives that are not optimal",
    # VD Degraded Count = 0, of version 8
    "vd degraded count": "degraded virtual drives",
    "vd offline count": "offline virtual drives",
    "failed pd drive count": "failed drives",
    "critical predictive failure pd drive count": "drives with a predicted failure",
    # Memory Uncorrectable Errors = 2
    "memory uncorrectable errors": "uncorrectable errors of the cache memory",
    "memory correctable errors": "corrected errors of the cache memory",
    "ecc bucket count": "corrected errors of the cache memory in its ECC bucket",
}
"""Labels of counts, and what they count."""
# the firmware's own bucket of corrected errors holds 15
_CORRECTED = ("memory correctable errors", "ecc bucket count")


def keep_count(controller: Draft, pair: Pair, label: str, weight: int) -> None:
    """Keep a number of :data:`COUNTS`, to be compared with the lists or with a limit. A word instead is unread."""
    value = pair.value.strip()
    if label in COUNTS and value.isascii() and value.isdecimal():
        controller.override(f"count.{label}", int(value[:18]), weight)
    elif label in COUNTS and has_state(value):
        controller.unread(label, value)


def reports(found: Controller, controller: ControllerDraft, power: Power) -> Iterator[Problem]:
    """Faults that the tools report and no object's state shows."""
    healthy = all(battery.status == "ok" for battery in found.batteries)
    if power.present is not False and healthy and power.mask and power.good is None:
        flags = "; ".join(masked(power.mask)) or power.mask
        message = f"The controller reports for its battery: {flags}."
        yield Problem(severity="warning", kind="state", where=found.id, message=message, remedy="Check the battery.")
    for volume in found.volumes:
        cache = volume.cache
        if cache is not None and cache.write_policy is None and cache.write_active is not None:
            yield Problem(
                severity="info", kind="note", where=volume.id,
                message=f"The output shows that {cache.write_active.replace('_', '-')} is active, but not what is "
                "configured: the battery may have forced it.",
                remedy="The output of `/call/vall show all` contains the initial setting.",
            )  # fmt: skip
    yield from _counts(found, controller)


def _counts(found: Controller, controller: ControllerDraft) -> Iterator[Problem]:
    """Report counts of bad objects that are larger than the lists. The objects are not in the output."""
    states = [volume.status for volume in found.volumes]
    bad = sum(status in ("degraded", "rebuilding") for status in states)
    out = sum(status in ("offline", "failed") for status in states)
    listed = {
        "degraded": bad, "offline": out, "vnopt": bad + out,
        "dnopt": max(sum(array.status in ("warning", "critical") for array in found.arrays), min(bad + out, 1)),
        "failed disks": sum(has_failed(drive) for drive in found.drives),
        "critical disks": sum(drive.status in ("warning", "critical") for drive in found.drives),
    }  # fmt: skip
    listed |= {
        "vd degraded count": bad, "vd offline count": out, "failed pd drive count": listed["failed disks"],
        "critical predictive failure pd drive count": listed["critical disks"],
    }  # fmt: skip
    for label, what in COUNTS.items():
        count = int(controller.get(f"count.{label}") or 0)
        if label in _CORRECTED:
            if count >= MANY_ERRORS:
                message = f"The controller counts {what}: {count}."
                yield Problem("warning", found.id, message, "Replace the cache module if the number grows.", "state")
        elif count > listed.get(label, 0):
            yield Problem(
                severity="error", kind="state", where=found.id,
                message=f"The controller counts {what}: {count}{'; fewer are listed' if label in listed else ''}.",
                remedy="List all virtual drives and drives, and replace what has failed."
                if label in listed else "Replace the controller's memory.",
            )  # fmt: skip
