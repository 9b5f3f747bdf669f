"""Firmware is outdated, or differs between two controllers of one model.

It is outdated if a tool reports newer firmware.

**What it checks.** Controllers and drives for which their own tool recommends or requires an update, and controllers
of the same model in one machine with different versions.

**Why it matters.** raidctl keeps no list of versions: such a list is out of date the next day. But some tools report
firmware bugs that lose data or drop drives, and print one line about it that is easily missed. Of two controllers of
one model, the one with older firmware will one day behave differently, and that is hard to find.

**Fails** (warning) with the tool's message; (information) when controllers of one model differ.

**Passes** when the tool reports no newer firmware. There may be one nevertheless.

**Unknown:** never. Tools that do not report updates are not checked.

**How to fix.** Read the release notes, take a backup, and update in a maintenance window.

**Example.** Fails: `firmware_update` has a text. Passes: `firmware_update = null`.
"""

from __future__ import annotations

from collections import defaultdict

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import drives
from raidctl.audit.builtin._wording import plain
from raidctl.model import Controller, Drive, Inventory
from raidctl.text import listing

FINDINGS = RuleFindings("firmware_old", "warning", "Newer firmware is available, or versions differ")
_REMEDY = "Read the release notes, take a backup, and update in a maintenance window."


def check(inventory: Inventory) -> Findings:
    """One finding for each controller or drive with known firmware. Each model with several versions also gets one."""
    items: list[Controller | Drive] = [*inventory.controllers, *(drive for _, drive in drives(inventory))]
    for item in items:
        if item.firmware_update:
            yield _update(item, item.firmware_update)
        elif item.firmware:
            yield FINDINGS.passed(item, "Its tool reports no newer firmware.")
    yield from _different(inventory)


def _update(item: Controller | Drive, text: str) -> Finding:
    message = f"The tool reports newer firmware: {plain(text)}."
    return FINDINGS.failed(item, message, _REMEDY, "model firmware firmware_update", wants=("firmware_update", "none"))


def _different(inventory: Inventory) -> Findings:
    controllers: dict[str, list[Controller]] = defaultdict(list)
    for controller in inventory.controllers:
        if controller.model and controller.firmware:
            controllers[controller.model].append(controller)
    for model, alike in controllers.items():
        versions = sorted({controller.firmware or "" for controller in alike})
        if len(versions) > 1:
            message = f"The {len(alike)} controllers of model {model} have different firmware: {listing(versions)}."
            remedy = "Update them to the same version, so that they behave alike."
            evidence = tuple(fact for controller in alike for fact in facts(controller, "firmware", of=alike[0]))
            yield FINDINGS.failed(alike[0], message, remedy, severity="info", wants=("firmware", None), more=evidence)
