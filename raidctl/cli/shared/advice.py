"""Findings of ``raidctl diagnose`` for ``raidctl show``, on a machine without failures."""

from __future__ import annotations

from raidctl.audit.builtin import rules
from raidctl.cli.shared.options import Settings
from raidctl.model import Inventory


def advice(inventory: Inventory, settings: Settings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the findings that count, and the checks without a result.

    Each is given by object and problem, the worst first.
    """
    found = [one for rule in rules() for one in rule.check(inventory)]
    if all(one.outcome == "pass" or one.severity == "info" for one in found):
        return (), ()
    from raidctl.audit.diagnosis import alarms, diagnosed, doubts  # noqa: PLC0415 - takes long to import, rarely needed
    from raidctl.cli.shared import waivers  # noqa: PLC0415 - as above

    aside, _ = waivers.kept(settings, inventory.host.hostname)
    judged = diagnosed(inventory, found, aside, waivers.today())
    return alarms(judged), doubts(judged)
