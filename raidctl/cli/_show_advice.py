"""Findings of ``raidctl diagnose`` for ``raidctl show``, on a machine without failures."""

from __future__ import annotations

from raidctl.audit.builtin import rules
from raidctl.cli.shared.options import Settings
from raidctl.health.narrowed import left_out
from raidctl.model import Inventory
from raidctl.output.show import Advice


def advice(inventory: Inventory, settings: Settings, whole: Inventory | None = None) -> Advice:
    """Return what keeps a machine from being fine. ``whole``: the machine that the inventory is a part of."""
    judged = inventory if whole is None else whole
    others = left_out(inventory, judged)
    found = [one for rule in rules() for one in rule.check(judged) if one.where not in others]
    if all(one.outcome == "pass" or one.severity == "info" for one in found):
        return Advice()
    from raidctl.audit.diagnosis import alarms, causes, diagnosed, doubts  # noqa: PLC0415 - slow, rarely needed
    from raidctl.cli.shared import waivers  # noqa: PLC0415 - as above

    aside, _ = waivers.kept(settings, inventory.host.hostname)
    result = diagnosed(inventory, found, aside, waivers.today())
    critical = sum(one.severity == "critical" for one in causes(result.findings))
    return Advice(alarms(result), doubts(result), critical)
