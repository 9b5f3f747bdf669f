"""Which object carries a fact, and the evidence written there: batteries and the volumes' caches included."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from raidctl.evidence import Line
from raidctl.model import Controller
from raidctl.vendor.draft import Draft
from raidctl_megaraid.draft import CardDraft
from raidctl_megaraid.infer import BAD_BBU

_CARD_FIELDS = {"bus": "pci_address", "number": "id", "bbu_present": "batteries", "bbu_status": "details[BBU Status]"}
_OF_BATTERY = ("bbu_present", "bbu_status", "overview bbu", "overview epack")
"""What the card's own lines tell of a battery that has no lines of its own."""
_VOLUME_FIELDS = {
    "write_configured": "cache.write_policy",
    "write_current": "cache.write_active",
    "bad_bbu": f"details[{BAD_BBU}]",
    "target": "id",
}
_DRIVE_FIELDS = dict.fromkeys(
    ("progress.percent", "progress.operation", "progress.remaining_seconds"), "details[Progress]"
)


def owned(card: CardDraft, controller: str) -> Iterator[tuple[Draft, str]]:
    """The drafts of a card and of all that is on it, each with its id."""
    yield card, controller
    for group in card.groups.values():
        yield group, f"{controller}/g{group.name}"
    for volume in card.volumes.values():
        yield volume, f"{controller}/v{volume.name}"
    for drive in card.drives.values():
        yield drive, f"{controller}/{drive.name}"
    for number, battery in enumerate(card.batteries.values()):
        yield battery, f"{controller}/battery{number}"


def write_evidence(card: CardDraft, found: Controller) -> None:
    """Record which line gives what of which object, under the names of the model."""
    pairs = zip_longest(found.batteries, card.batteries.values())
    alone = [item.id for item, draft in pairs if draft is None or not draft.evidence]
    for line, name, value in card.evidence:
        if name in _OF_BATTERY:
            for where in alone:
                line.fact(where, "id", value)
    card.evidence = _renamed(card, _CARD_FIELDS)
    for volume in card.volumes.values():
        volume.evidence = [(line, name, _shown(name, value)) for line, name, value in _renamed(volume, _VOLUME_FIELDS)]
    for drive in card.drives.values():
        drive.evidence = _renamed(drive, _DRIVE_FIELDS)
    for draft, where in owned(card, found.id):
        draft.write_evidence(where)


def _shown(name: str, value: object) -> object:
    """The value as the model has it: of the policy in force only whether it is write-back."""
    if name == "cache.write_active" and str(value).endswith("_write_back"):
        return "write_back"
    return {True: "Yes", False: "No"}[value] if isinstance(value, bool) and name.startswith("details[") else value


def _renamed(draft: Draft, names: dict[str, str]) -> list[tuple[Line, str, object]]:
    return [(line, names.get(name, name), value) for line, name, value in draft.evidence]
