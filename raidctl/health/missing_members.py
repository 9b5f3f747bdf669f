"""Volumes that lack a member although their tool reports them as ok. Pure."""

from __future__ import annotations

from raidctl.health.redundancy import WHOLE, being_rebuilt, below
from raidctl.model import Controller, Volume, has_failed


def although_ok(controller: Controller, volume: Volume) -> str:
    """``reported ok, but 3 of 4 members work``; empty if no member is missing.

    Members that have failed or are rebuilt are not counted: each of them is a condition itself.
    """
    want, active = volume.drives_expected, volume.drives_active
    if volume.status not in WHOLE or want is None or active is None:
        return ""
    judged = sum(has_failed(drive) or being_rebuilt(drive) for drive in below(controller, volume))
    return f"reported ok, but {active} of {want} members work" if active + judged < want else ""
