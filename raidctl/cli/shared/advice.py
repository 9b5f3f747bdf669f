"""What the rules of ``raidctl diagnose`` warn of on a machine where nothing has failed, for ``raidctl show``."""

from __future__ import annotations

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import causes, diagnosed, findings_of
from raidctl.cli.shared import waivers
from raidctl.cli.shared.options import Settings
from raidctl.model import Inventory


def warnings(inventory: Inventory, settings: Settings) -> tuple[str, ...]:
    """Each warning or critical finding that counts, the worst first: its object, and what is wrong."""
    aside, _ = waivers.kept(settings, inventory.host.hostname)
    found = diagnosed(inventory, findings_of(inventory, rules()), aside, waivers.today()).findings
    return tuple(f"{one.where}: {one.message}" for one in causes(found) if one.severity != "info")
