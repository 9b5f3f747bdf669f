"""The observation that the tools' outputs give. It is imported while the first tool runs."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import msgspec

from raidctl.host import HostView
from raidctl.model import Controller, Problem
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import Call, Reading, Session
from raidctl.vendor.tool_choice import Choice, best_sources
from raidctl.vendor.tools import as_note, without_root
from raidctl_smartarray.collect import Collection, collect
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.grammar import slot_of_command
from raidctl_smartarray.messages import meaning
from raidctl_smartarray.outline import Outline
from raidctl_smartarray.reader import outlines, problems_of_messages, unreadable
from raidctl_smartarray.to_model import build, conclude_battery, controller_ids
from raidctl_smartarray.tools import DRIVERS

_FINAL = frozenset({"none", "busy", "denied", "missing"})
"""Errors that the next call would repeat."""


def read_outline(document: Document) -> Reading[Outline]:
    """Read an output; it counts if it names a controller."""
    [found] = outlines([document])
    named = any(section.line is not None for section in found.controllers)
    return Reading(found, answered=named, note_exit=named and not _errors(found))


def _errors(found: Outline) -> set[str]:
    """The codes of the tool's errors."""
    return {
        meaning(item.text, wrapper=item.kind == "missing_tool").code
        for item in found.paragraphs
        if item.kind in ("error", "missing_tool")
    }


def worth_another(call: Call[Outline]) -> bool:
    """Whether the controllers are worth querying one by one after a call."""
    known = call.value is not None and bool(_errors(call.value) & _FINAL)
    return not call.answered and not call.final and not known


def targets(listed: Outline, seen: AbstractSet[str]) -> list[str]:
    """What names each listed controller that was not seen yet: ``slot=3``, ``chassisname=...``."""
    found = []
    for section in listed.controllers:
        chassis = section.heading.parts.get("chassis")
        slot = section.heading.name
        if chassis is not None and chassis not in seen:
            found.append(f"chassisname={chassis}")
        elif slot and slot not in seen and slot_of_command(f"slot={slot}") is not None:
            found.append(f"slot={slot}")
    return list(dict.fromkeys(found))


def collections_of(sessions: Sequence[Session[Outline]]) -> list[Collection]:
    """What the outputs of each tool report."""
    return [collect([call.value for call in one.calls if call.value is not None]) for one in sessions]


def controllers_on_bus(host: HostView) -> int:
    """How many controllers the family's drivers serve."""
    return sum(device.driver in DRIVERS for device in host.pci)


def assemble(sessions: Sequence[Session[Outline]], collections: Sequence[Collection], host: HostView) -> Observation:
    """The controllers, each from the tool that reports most of it, and the problems."""
    choices = best_choices(sessions, collections)
    ids = controller_ids([choice.draft for choice in choices])
    names = _names(choices, ids)
    controllers: list[Controller] = []
    problems: list[Problem] = []
    described = [choice for choice in choices if _described(choice.draft)]
    satisfied = bool(choices) and len(described) == len(choices) >= controllers_on_bus(host)
    built = [build(choice.draft, object_id) for choice, object_id in zip(choices, ids, strict=True)]
    for one, found in zip(sessions, collections, strict=True):
        own = [*one.problems, *_tool_errors(found, names, host)]
        for item in found.outlines:
            own += unreadable(item)
        forgiven = satisfied and not one.calls[-1].answered
        problems += [as_note(item) if forgiven or item.where in one.forgiven else item for item in own]
    for choice, object_id, (controller, own) in zip(choices, ids, built, strict=True):
        controllers.append(msgspec.structs.replace(controller, told_by=choice.tool))
        problems += [*own, *choice.seen_twice(object_id)]
    return Observation(
        controllers=tuple(controllers),
        problems=tuple(dict.fromkeys(problems)),
        tools=tuple(one.tool for one in sessions),
        outputs=tuple(item.output for found in collections for item in found.outlines),
    )


def _described(controller: ControllerDraft) -> bool:
    """Whether more is known of a controller than its line in a list."""
    return controller.get("status") is not None or bool(controller.drives or controller.volumes or controller.arrays)


def best_choices(
    sessions: Sequence[Session[Outline]], collections: Sequence[Collection]
) -> list[Choice[ControllerDraft]]:
    """For each controller, the tool that reports most of it."""
    seen = [
        (controller, one.name, "")
        for one, found in zip(sessions, collections, strict=True)
        for controller in found.controllers
    ]
    for controller, _, _ in seen:
        conclude_battery(controller)
    return best_sources(seen, _same)


def _same(one: ControllerDraft, _: str, other: ControllerDraft, __: str) -> bool:
    """Whether two tools report the same controller: same slot, no other serial. Serials alone may be masked."""
    serials = one.get("serial"), other.get("serial")
    slots = one.get("slot") or one.name, other.get("slot") or other.name
    if all(slots):
        return slots[0] == slots[1] and (serials[0] == serials[1] or not all(serials))
    return all(serials) and serials[0] == serials[1]


def _names(choices: Sequence[Choice[ControllerDraft]], ids: Sequence[str]) -> dict[int, str]:
    """The ids under which the drafts of each tool are shown."""
    return {
        id(controller): object_id
        for choice, object_id in zip(choices, ids, strict=True)
        for controller in (choice.draft, *choice.passed_over)
    }


def _tool_errors(found: Collection, names: dict[int, str], host: HostView) -> list[Problem]:
    """The tools' errors. If a tool that runs without root finds no controller, it lacked permission."""
    return without_root(problems_of_messages(found, names), host)
