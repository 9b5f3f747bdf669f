"""Whether raidctl has a command for a deed on a controller. Checked before anything is planned. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.change.lookup import owner
from raidctl.errors import AccessMissing
from raidctl.model import ACCESS_KINDS, Controller
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.vendor.operations import Ability, Operations, operations_of
from raidctl.vendor.plan import Deed, Denial, Verb
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of

NOUNS: dict[Verb, str] = {
    "good": "to make a failed drive usable again", "jbod": "to expose a drive to the operating system",
    "raid": "to take a drive back from the operating system", "offline": "to set a drive offline",
    "online": "to set a drive online without a rebuild", "erase": "to erase a drive",
    "start_rebuild": "to start a rebuild", "stop_rebuild": "to stop a rebuild", "pause_rebuild": "to pause a rebuild",
    "resume_rebuild": "to continue a rebuild", "start_patrol": "to start a patrol read",
    "stop_patrol": "to stop a patrol read", "pause_patrol": "to pause a patrol read",
    "resume_patrol": "to continue a patrol read", "start_check": "to start a consistency check",
    "stop_check": "to stop a consistency check", "pause_check": "to pause a consistency check",
    "resume_check": "to continue a consistency check", "repair": "to repair differences of copies or parity",
    "import_foreign": "to import foreign configurations", "clear_foreign": "to clear foreign configurations",
    "discard_preserved": "to discard preserved cache", "start_learn": "to start a learn cycle",
    "schedule_learn": "to change the schedule of learn cycles",
}  # fmt: skip
"""What a verb is for, after "no command"."""


def refused_deeds(deeds: Sequence[Deed], seen: Survey, vendors: Sequence[Vendor]) -> list[Denial]:
    """Refuse deeds without a known command. Empty: the family plans them, or refuses with its own reason.

    Raises:
        AccessMissing: The controller's tool is not installed, or may not be run.
    """
    found: list[Denial] = []
    for deed in deeds:
        controller = owner(seen.inventory.controllers, deed.object_id)
        if controller is None:
            continue
        without_tool(seen, controller)
        offered = offered_by(controller, vendors)
        known = _known(offered, controller, seen, vendors)
        own = known.get(deed.verb) if known is not None else None
        if own is not None and not own.can and not own.printed:
            reason = own.why_not or f"The tool cannot do it on {controller.id}."
            found.append(Denial(deed=deed, reason=reason, alternative=own.alternative))
        elif offered is None or (known is not None and deed.verb not in known):
            reason = (
                f"raidctl has no command {NOUNS.get(deed.verb, f'for {deed.verb}')} "
                f"on controllers of the family {family_of(controller)}."
            )
            found.append(Denial(deed=deed, reason=reason))
    return found


def offered_by(controller: Controller, vendors: Sequence[Vendor]) -> Operations | None:
    """How the family of a controller carries out deeds. None: it supports none."""
    vendor = vendor_of(controller.id, vendors)
    return operations_of(vendor) if vendor is not None else None


def ability(verb: Verb, object_id: str, seen: Survey, vendors: Sequence[Vendor]) -> Ability | None:
    """What is known of a verb for the controller of an object. None: the family does not declare it."""
    controller = owner(seen.inventory.controllers, object_id)
    offered = offered_by(controller, vendors) if controller is not None else None
    known = _known(offered, controller, seen, vendors) if controller is not None else None
    return known.get(verb) if known is not None else None


def _known(
    offered: Operations | None, controller: Controller, seen: Survey, vendors: Sequence[Vendor]
) -> dict[Verb, Ability] | None:
    """The ability table of the family. None: it has none, and only its plans decide."""
    vendor = vendor_of(controller.id, vendors)
    if vendor is None or offered is None or not hasattr(offered, "abilities"):
        return None
    names = {spec.name for spec in vendor.TOOLS}
    return dict(offered.abilities(controller, [tool for tool in seen.inventory.tools if tool.name in names]))


def without_tool(seen: Survey, controller: Controller) -> None:
    """Refuse a controller that only the kernel shows. Its tool is missing, or may not be run.

    Raises:
        AccessMissing: The tool is missing, or may not be run.
    """
    places = {controller.id, controller.pci_address}
    for problem in seen.inventory.problems:
        if problem.kind in ACCESS_KINDS and problem.severity == "error" and problem.where in places:
            raise AccessMissing(f"{controller.id}: {problem.message} {problem.remedy or ''}".rstrip())
