"""What the rules of ``raidctl diagnose`` warn of on a machine where nothing has failed, for ``raidctl show``."""

from __future__ import annotations

from raidctl.audit.builtin import rules
from raidctl.cli.shared.options import Settings
from raidctl.model import Inventory


def warnings(inventory: Inventory, settings: Settings) -> tuple[str, ...]:
    """Each warning or critical finding that counts, the worst first: its object, and what is wrong."""
    found = [one for rule in rules() for one in rule.check(inventory)]
    if all(one.outcome != "fail" or one.severity == "info" for one in found):
        return ()
    from raidctl.audit.diagnosis import alarms, diagnosed  # noqa: PLC0415 - takes long to import, and is rarely needed
    from raidctl.cli.shared import waivers  # noqa: PLC0415 - as above

    aside, _ = waivers.kept(settings, inventory.host.hostname)
    return alarms(diagnosed(inventory, found, aside, waivers.today()))
