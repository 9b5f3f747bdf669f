"""Deeds on a controller's foreign configurations and preserved cache, with their guards.

Foreign configurations are imported or cleared, and preserved cache is discarded.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.change.lookup import owner
from raidctl.cli.shared.change_targets import controllers
from raidctl.cli.shared.hardware_deeds import HardwareDeeds, confirm
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent, Work
from raidctl.errors import UsageError
from raidctl.model import Controller
from raidctl.operate.foreign_guards import denials, listed_hits
from raidctl.request import Dialogue, converse
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable
from raidctl.vendor.foreign import ForeignPreview, foreign_of
from raidctl.vendor.plan import Deed, Denial, Verb
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of

_WHAT = {
    "import_foreign": "{name} takes over these drives, with what is on them",
    "clear_foreign": "{name} clears these configurations, and the data of their volumes is lost",
}


def carry_out(
    settings: Settings, consent: Consent, verb: Verb, word: str, *, group: str | None, typed: str | None
) -> int:  # fmt: skip
    """Plan the deed on the foreign configurations, ask and carry it out. Then verify it and return the exit code."""

    def make(seen: Survey) -> list[Deed]:
        return [Deed(object_id=controller_named(seen, word).id, verb=verb, part=group)]

    def confirmed(work: Work) -> None:
        for deed in work.plan.deeds:
            _confirm(work, deed, typed)

    return HardwareDeeds(settings, consent, make, guards, confirmed, hits).perform()


def hits(deed: Deed, seen: Survey) -> Sequence[str]:
    """Return what the deed affects (F3)."""
    return listed_hits(seen.inventory, deed)


def guards(deed: Deed, seen: Survey, named: Machine) -> Sequence[Denial]:
    """Return the reasons to refuse a deed now. For an import, the tool shows a preview first (F1)."""
    controller = owner(seen.inventory.controllers, deed.object_id)
    vendor = vendor_of(controller.id, named.vendors) if controller is not None else None
    offered = foreign_of(vendor) if vendor is not None else None
    preview = None
    if deed.verb == "import_foreign" and controller is not None:
        found = converse(preview_of(controller, seen, named.vendors), named.runner)
        preview = ForeignPreview(why=found) if isinstance(found, str) else found
    selects = offered is not None and controller is not None and offered.selects(controller)
    return denials(deed, seen, preview, selects=selects)


def preview_of(controller: Controller, seen: Survey, vendors: Sequence[Vendor]) -> Dialogue[ForeignPreview | str]:
    """Return the preview of an import by the controller's tool. A sentence: why there is none."""
    vendor = vendor_of(controller.id, vendors)
    offered = foreign_of(vendor) if vendor is not None else None
    if vendor is None or offered is None:
        return f"raidctl has no command that previews imports on controllers of the family {family_of(controller)}."
    names = {spec.name for spec in vendor.TOOLS}
    tools = [tool for tool in seen.inventory.tools if tool.name in names]
    return (yield from offered.preview(controller, tools))


def controller_named(seen: Survey, word: str) -> Controller:
    """Return the single RAID controller that a word names.

    Raises:
        UsageError: It means none, or several.
    """
    found = [one for one in controllers(seen, [word]) if one.mode not in ("software", "none")]
    if len(found) == 1:
        return found[0]
    names = f": {listing([one.id for one in found], 'or')}" if found else ""
    raise UsageError(f'"{printable(word)}" is not one RAID controller{names}.')


def _confirm(work: Work, deed: Deed, typed: str | None) -> None:
    """Ask for the serial number of the controller after the plan. The plan shows everything that is affected (F3)."""
    controller = owner(work.seen.inventory.controllers, deed.object_id)
    if controller is None:
        return
    others = {one.serial for one in work.seen.inventory.controllers if one.serial}
    what = _WHAT[deed.verb].format(name=controller.id)
    confirm(work, controller.serial or "", others, (typed,) if typed else (), what)
