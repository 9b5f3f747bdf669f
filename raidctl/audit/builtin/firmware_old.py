"""The tool names newer firmware, or two cards of one model have different firmware.

**What it looks for.** Cards and drives whose own tool says that an update is recommended or required, and cards of the
same model in one machine with different versions.

**Why.** raidctl keeps no list of versions: such a list is wrong the day after. But some tools know of errors that lose
data or drop drives, and print a line about it that scrolls by; and of two cards of one model the older one will one
day behave differently from the other, which is a week's search.

**Fails** (warning) with the tool's words; as information for cards of one model that differ.

**Passes** where the tool names none: that is not to say that there is none.

**Cannot tell:** tools that never speak of updates.

**Remedy.** Read the release notes for what it mends, take a backup, update in a maintenance window.

**Example.** Fails: `firmware_update` has a text. Passes: `firmware_update = null`.
"""

from __future__ import annotations

from collections import defaultdict

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings, facts
from raidctl.audit.builtin._queries import drives, plain
from raidctl.model import Controller, Drive, Inventory
from raidctl.text import listing

FINDINGS = RuleFindings("firmware_old", "warning", "A tool names newer firmware")
_REMEDY = "Read the release notes, take a backup, and update in a maintenance window."


def check(inventory: Inventory) -> Findings:
    """One finding for each card or drive that tells its firmware; one for each model with several versions."""
    items: list[Controller | Drive] = [*inventory.controllers, *(drive for _, drive in drives(inventory))]
    for item in items:
        if item.firmware_update:
            yield _named(item, item.firmware_update)
        elif item.firmware:
            yield FINDINGS.passed(item, "Its tool names no newer firmware.")
    yield from _different(inventory)


def _named(item: Controller | Drive, words: str) -> Finding:
    message = f"Newer firmware is named: {plain(words)}."
    return FINDINGS.failed(item, message, _REMEDY, "model firmware firmware_update", wants=("firmware_update", "none"))


def _different(inventory: Inventory) -> Findings:
    cards: dict[str, list[Controller]] = defaultdict(list)
    for card in inventory.controllers:
        if card.model and card.firmware:
            cards[card.model].append(card)
    for model, alike in cards.items():
        versions = sorted({card.firmware or "" for card in alike})
        if len(versions) > 1:
            message = f"The {len(alike)} cards of model {model} have different firmware: {listing(versions)}."
            remedy = "Bring them to the same version, so that they behave alike."
            evidence = tuple(fact for card in alike for fact in facts(card, "firmware", of=alike[0]))
            yield FINDINGS.failed(alike[0], message, remedy, severity="info", wants=("firmware", None), more=evidence)
