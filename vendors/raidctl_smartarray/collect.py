"""Drafts of controllers, arrays and drives from the sections of all outputs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.evidence import mark_read
from raidctl.model import Role
from raidctl.text import regex
from raidctl_smartarray import controller as controller_reader
from raidctl_smartarray import drive, volume
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.grammar import Heading
from raidctl_smartarray.outline import Outline, Paragraph, Section

_VOLUMES = frozenset({"volume", "volume_row"})
_ROLES: dict[str, Role | None] = {
    "array": "member", "unassigned": "unassigned", "hba": "passthrough", "spares": "spare",
    "listing": None, "controller": None, "device": None, "port": None, "sensor": None,
}  # fmt: skip
_EMPTY = regex(r"does not have any (?:logical|physical)", re.IGNORECASE)


class Collection(Struct):
    """The controllers in a set of outputs, and the other contents."""

    controllers: list[ControllerDraft] = field(default_factory=list)
    paragraphs: list[tuple[Outline, Paragraph, ControllerDraft | None]] = field(default_factory=list)
    outlines: list[Outline] = field(default_factory=list)


def collect(outlines: Sequence[Outline]) -> Collection:
    """Combine the outputs of one machine. Those that name their controller come first."""
    found = Collection(outlines=list(outlines))
    placed: dict[int, ControllerDraft] = {}
    for named in (True, False):
        for outline in outlines:
            fresh = True
            for section in outline.controllers:
                if (section.line is not None) != named:
                    continue
                controller = _section_of(found.controllers, outline, section, fresh=fresh)
                placed[id(section)] = controller
                _fill(controller, section, last=section is outline.controllers[-1])
                fresh = section.heading.parts.get("chassis") is None
    for outline in outlines:
        for paragraph in outline.paragraphs:
            found.paragraphs.append((outline, paragraph, _messages_of(found.controllers, outline, paragraph, placed)))
    return found


def _section_of(
    controllers: list[ControllerDraft], outline: Outline, section: Section, *, fresh: bool
) -> ControllerDraft:
    """Find or create the section's controller, by slot, serial number or chassis."""
    chassis = section.heading.parts.get("chassis")
    slot = section.heading.name if controller_reader.known_slot(section.heading.name) else ""
    if section.line is None:
        slot = section.heading.parts.get("slot") or outline.slot or ""
        if not slot and len(controllers) == 1:
            return controllers[0]
    model, serial = _identity(section)
    for controller in controllers:
        if section.line is None and not slot and not controller.name and controller.chassis is None:
            return controller
        same = (slot and controller.name == slot) or (chassis and controller.chassis == chassis and fresh)
        same = same or (
            not slot and not chassis and section.line is not None and serial and controller.get("serial") == serial
        )
        if same and _compatible(controller.get("serial"), serial) and _compatible(controller.get("model"), model):
            return controller
    made = ControllerDraft(name=slot, chassis=chassis)
    controllers.append(made)
    return made


def _identity(section: Section) -> tuple[str | None, str | None]:
    """Return a section's model and serial number. They distinguish controllers of two machines."""
    probe = ControllerDraft()
    controller_reader.read_heading(probe, section)
    controller_reader.read_pairs(probe, section, ended=False)
    return probe.get("model"), probe.get("serial")


def _compatible(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other


def _fill(controller: ControllerDraft, section: Section, *, last: bool) -> None:
    _number_missing(section)
    controller_reader.read_heading(controller, section)
    controller_reader.read_pairs(controller, section, ended=bool(section.children) or not last)
    waiting: list[Section] = []
    ahead = _volumes_first(section)
    for child in section.children:
        if child.kind in _VOLUMES:
            waiting.append(child)
        elif child.kind == "array":
            own = [part for part in child.children if part.kind in _VOLUMES]
            _array(controller, child, waiting if ahead else own)
            waiting = own if ahead else waiting
        else:
            _group(controller, child)
    for left in waiting:
        _volume(controller, left, None)


def _number_missing(section: Section) -> None:
    """Number the drives without a location. The second ``?:?:?`` of the controller becomes ``?:?:?-2``.

    Lists, mirror groups and the drives' own sections name the same drives, each in the same order.
    """
    seen: Counter[tuple[str, str]] = Counter()
    waiting = [section]
    while waiting:
        parent = waiting.pop()
        for child in parent.children:
            if child.kind in ("drive", "drive_row") and "?" in child.heading.name:
                place = (parent.kind if parent.kind in ("group", "listing") else child.kind, child.heading.name)
                seen[place] += 1
                if seen[place] > 1:
                    child.heading = replace(child.heading, name=f"{child.heading.name}-{seen[place]}")
        waiting += reversed(parent.children)


def _volumes_first(section: Section) -> bool:
    """Whether logical drives are printed before their array (hpacucli 9.30)."""
    kinds = [child.kind for child in section.children if child.kind in _VOLUMES or child.kind == "array"]
    return "array" in kinds and kinds[0] in _VOLUMES


def _array(controller: ControllerDraft, section: Section, volumes: list[Section]) -> None:
    volume.read_array(controller, section)
    for item in volumes:
        _volume(controller, item, section.heading.name)
    for child in section.children:
        if child.kind in ("drive", "drive_row"):
            _drive(controller, child, section)
        elif child.kind == "group":
            _mirror(controller, child, None, section)


def _volume(controller: ControllerDraft, section: Section, array: str | None) -> None:
    read = volume.read_row if section.kind == "volume_row" else volume.read_section
    draft = read(controller, section)
    if array is not None:
        draft.put(section.line, "array", array)
    for child in section.children:
        if child.kind == "group":
            _mirror(controller, child, section, Section(_as_array(section, array), None))


def _as_array(section: Section, array: str | None) -> Heading:
    return Heading("array", array) if array is not None else Heading("listing", section.heading.name)


def _mirror(controller: ControllerDraft, group: Section, owner: Section | None, inside: Section) -> None:
    """Read ``Mirror Group 1:`` and its drives, members of the volume's array."""
    if group.line is None:
        return
    addresses = [child.heading.name for child in group.children if child.kind in ("drive", "drive_row")]
    reported = ", ".join(addresses)
    if owner is not None:
        controller.volume(owner.heading.name).detail(group.line, group.heading.name, reported)
    else:
        mark_read(group.line)
    for child in group.children:
        _drive(controller, child, inside)


def _group(controller: ControllerDraft, section: Section) -> None:
    if section.kind in ("drive", "drive_row"):
        _drive(controller, section, Section(Heading("listing", ""), None))
        return
    if section.kind in ("device", "port", "sensor"):
        controller_reader.read_device(controller, section)
    elif section.line is not None:
        mark_read(section.line)
    for child in section.children:
        if child.kind in ("drive", "drive_row"):
            _drive(controller, child, section)
        elif child.kind in _VOLUMES:
            _volume(controller, child, None)


def _drive(controller: ControllerDraft, section: Section, inside: Section) -> None:
    role = _ROLES.get(inside.kind)
    spare = False
    if section.kind == "drive_row":
        draft, spare = drive.read_row(controller, section, role)
    elif section.kind == "drive":
        draft = drive.read_section(controller, section, role)
        spare = draft.get("role") == "spare"
    else:
        return
    if inside.kind == "array":
        array = controller.array(inside.heading.name)
        if spare:
            array.spares[draft.name] = True
        elif draft.get("role") not in ("unassigned", "passthrough"):  # their heading above may be lost
            array.members[draft.name] = None
            draft.put(section.line, "array", inside.heading.name)


def _messages_of(
    controllers: list[ControllerDraft], outline: Outline, paragraph: Paragraph, placed: dict[int, ControllerDraft]
) -> ControllerDraft | None:
    """Find the controller of a message. An error that names one creates it."""
    if paragraph.controller is not None:
        return placed.get(id(paragraph.controller))
    if outline.slot is None or paragraph.kind != "error":
        return None
    for controller in controllers:
        if controller.name == outline.slot:
            return controller
    if _EMPTY.search(paragraph.text) is None:
        return None
    made = ControllerDraft(name=outline.slot)
    made.put(paragraph.lines[0], "slot", outline.slot, 0)
    controllers.append(made)
    return made
