"""Combine outputs of one controller, and find the drives below its volumes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from msgspec import Struct

from raidctl.evidence import Output, mark_read
from raidctl.text import regex
from raidctl.vendor.controllers import move_active_spares
from raidctl.vendor.draft import ROW, WEAK
from raidctl.vendor.protocol import Document
from raidctl.vendor.statuses import doubt_ok, in_no_array
from raidctl_adaptec import config_json, drive, numbers, other_commands, vocabulary, volume
from raidctl_adaptec import controller as controller_reader
from raidctl_adaptec.draft import ControllerDraft, GroupDraft, Segment
from raidctl_adaptec.grammar import number_of_command
from raidctl_adaptec.outline import Answer, Block, outline
from raidctl_adaptec.vocabulary import BUSY, normalized

# Group 0, Segment 1
_GROUP = regex(r"group \d{1,4}(?=,)", re.IGNORECASE)


class Collection(Struct):
    """The controllers of some outputs, and the outputs themselves."""

    controllers: list[ControllerDraft] = []
    answers: list[Answer] = []
    broken_json: list[Output] = []
    guessed: set[int] = set()
    """Controllers, by ``id()``, whose number no output reports."""

    @property
    def outputs(self) -> list[Output]:
        """Each output once."""
        return list({id(answer.output): answer.output for answer in self.answers}.values()) + self.broken_json

    def controller(self, number: str | None, serial: str | None) -> ControllerDraft:
        """The draft of the controller with this number, unless serial numbers differ."""
        same = [c for c in self.controllers if number is None or c.name in ("", number)]
        for found in same:
            known = found.get("serial")
            if serial is not None and known == serial:
                break
            if (serial is None or known is None) and (len(same) == 1 or found.name == number):
                break
        else:
            found = ControllerDraft("")
            self.controllers.append(found)
        if number is not None and not found.name:
            found.name = number
        return found


def collect(documents: Sequence[Document]) -> Collection:
    """Read outputs and combine what they report."""
    collection = Collection()
    for document in documents:
        number = number_of_command(document.name)
        if document.kind == "json":
            _json(collection, document, number)
            continue
        for answer in outline(Output.of_text(document.name, document.text), number):
            _add(collection, answer)
    for controller in collection.controllers:
        infer(controller)
    _number(collection)
    return collection


def _json(collection: Collection, document: Document, number: str | None) -> None:
    value, whole = config_json.document(document.text)
    if not whole:
        output = Output.of_text(document.name, document.text)
        collection.broken_json.append(output)
        return
    output = Output.of_json(document.name, value)
    answer = Answer(output, number)
    collection.answers.append(answer)
    inner = value.get("Controller") if isinstance(value, dict) else None
    serial = inner.get("serialNumber") if isinstance(inner, dict) else None
    first = document.text.split("{", maxsplit=1)[0]
    if number is None and first.lower().replace(" ", "").startswith("controllersfound:1\n"):
        number = "1"
    config_json.read(collection.controller(number, serial if isinstance(serial, str) else None), output, value)


def _add(collection: Collection, answer: Answer) -> None:
    collection.answers.append(answer)
    for of, rest, line in answer.rows:
        other_commands.read_row(collection.controller(of, None), line, rest)
    if not any(block.pairs or block.heads for block in answer.blocks):
        return
    number = answer.number or answer.hinted or ("1" if answer.found == 1 else None)
    if not any(block.pairs for block in answer.blocks) or answer.rows:
        for block in answer.blocks:
            mark_read(*block.heads, *(line for pair in block.pairs for line in pair.lines))
        return
    for own, blocks in _controllers(answer):
        controller = collection.controller(own or number, _serial(blocks))
        _read(controller, blocks)


def _controllers(answer: Answer) -> list[tuple[str | None, list[Block]]]:
    """Number and blocks of each controller. ``getversion`` reports all controllers in one answer."""
    if not any(block.area == "version" for block in answer.blocks):
        return [(None, answer.blocks)]
    return [(block.name or None, [block]) for block in answer.blocks]


def _serial(blocks: Iterable[Block]) -> str | None:
    for block in blocks:
        if block.area == "controller" and not block.sub:
            for pair in block.pairs:
                if normalized(pair.label) == "controller serial number":
                    return numbers.text(pair.value)
    return None


def _read(controller: ControllerDraft, blocks: Sequence[Block]) -> None:
    entries = 0
    for (area, name, _), group in groupby(blocks, key=lambda block: (block.area, block.name, block.channel)):
        own = list(group)
        controller.sections.add(area)
        if area == "physical":
            key = drive.address(own) if name or drive.is_device(own) else None
            for block in own:
                drive.read_block(controller, block, key)
        elif area == "phy device":
            other_commands.read_phy_device(controller, own)
        else:
            for block in own:
                entries += area == "log"
                _read_block(controller, block, entries)


def _read_block(controller: ControllerDraft, block: Block, entries: int) -> None:
    if block.area == "log":
        other_commands.read_log(controller, block, entries)
        return
    reader = {
        "controller": controller_reader.read_block,
        "connector": controller_reader.read_connector,
        "maxcache": controller_reader.read_maxcache,
        "version": controller_reader.read_version,
        "logical": volume.read_logical,
        "array": volume.read_array,
        "task": other_commands.read_tasks,
        "expander": other_commands.read_expander,
        "phy log": other_commands.read_phy_log,
    }.get(block.area, controller_reader.read_connector)
    reader(controller, block)


def _number(collection: Collection) -> None:
    """Give a controller without a number the first free one."""
    taken = {controller.name for controller in collection.controllers if controller.name}
    for controller in collection.controllers:
        if not controller.name:
            controller.name = next(str(n) for n in range(1, len(collection.controllers) + 2) if str(n) not in taken)
            taken.add(controller.name)
            collection.guessed.add(id(controller))


# --- the drives below a volume


def infer(controller: ControllerDraft) -> None:
    """Find the drives behind the segments, and the arrays behind the volumes."""
    index = _Places(controller)
    for group in (*controller.volumes.values(), *controller.arrays.values()):
        for segment in group.segments:
            key = index.drive(segment)
            if key is not None:
                group.members[key] = None
    if controller.arrays or any(one.get("array") is not None for one in controller.volumes.values()):
        _reported_arrays(controller)
    else:
        _derived_arrays(controller)
    _jbod(controller)
    for one in controller.drives.values():
        drive.health(one)
    for group in controller.volumes.values():
        _count(group)
        _busy(controller, group)
        doubt_ok(group, in_no_array(controller.drives[key] for key in group.members))


class _Places:
    """The controller's drives by what segments report them."""

    def __init__(self, controller: ControllerDraft) -> None:
        self.controller = controller
        self.serials: dict[str, list[str]] = {}
        self.places: dict[tuple[str, str, str], list[str]] = {}
        for key, one in controller.drives.items():
            if one.get("serial"):
                self.serials.setdefault(one.get("serial"), []).append(key)
            if one.get("place"):
                self.places.setdefault(one.get("place"), []).append(key)

    def drive(self, segment: Segment) -> str | None:
        """Channel and device of a segment's drive: by serial number, address, place.

        The first that is unmistakable counts.
        """
        by_serial = self.serials.get(segment.serial or "", [])
        if len(by_serial) == 1:
            return by_serial[0]
        if segment.key is not None:
            if segment.key not in self.controller.drives:
                self._listed(segment, segment.key)
            return segment.key if segment.key in self.controller.drives else None
        if segment.place is None:
            return None
        by_place = self.places.get(segment.place, [])
        if not by_place:
            # No physical devices in what was read: enclosure and slot are all that there is of an address.
            kind, outer, inner = segment.place
            key = f"{outer}:{inner}" if kind == "enclosure" else f"{kind}{outer}:{inner}"
            self._listed(segment, key)
            by_place = self.places[segment.place] = [key] if key in self.controller.drives else []
        return by_place[0] if len(by_place) == 1 else None

    def _listed(self, segment: Segment, key: str) -> None:
        """Add a drive that only the segment reports. The physical devices are not in what was read."""
        if "physical" in self.controller.sections or segment.state in ("missing", "inconsistent"):
            return
        made = self.controller.drive(key)
        made.add_evidence(segment.line, "id", key)
        made.put(segment.line, "role", "member", WEAK)
        reported = {
            "serial": segment.serial, "size_bytes": segment.size_bytes,
            "interface": segment.interface, "media": segment.media,
        }  # fmt: skip
        for name, value in reported.items():
            if value is not None:
                made.put(segment.line, name, value, ROW)
        if segment.place is not None:
            made.put(segment.line, "enclosure", drive.place_shown(segment.place), ROW)
            made.put(segment.line, "bay", segment.place[2], ROW)
        found = vocabulary.drive_word(segment.state)
        if found is not None:
            made.put(segment.line, "status", found.status, ROW)
            made.put(segment.line, "status_text", segment.state.capitalize(), ROW)
            if found.role is not None and found.role != "member":
                made.put(segment.line, "role", found.role, ROW)


def _reported_arrays(controller: ControllerDraft) -> None:
    """smartpqi: volumes and drives name their array."""
    for volume_draft in controller.volumes.values():
        number = volume_draft.get("array")
        if number is not None:
            array = controller.array(number)
            array.members.update(volume_draft.members)
            array.spares.update(volume_draft.spares)
            # The volume alone may report them, or report another state than the array does.
            array.segments = array.segments or list(volume_draft.segments)
            _health(array, volume_draft)
    for array in controller.arrays.values():
        _health(array, array)
    for key, one in controller.drives.items():
        number = one.get("array")
        if number is None:
            continue
        array = controller.array(number)
        if one.get("role") == "spare":
            array.spares[key] = True
        else:
            array.members[key] = None
    for number, array in controller.arrays.items():
        for key in [key for key in array.members if controller.drives[key].get("role") == "spare"]:
            del array.members[key]
            array.spares[key] = True
        for key in array.members:
            controller.drives[key].put(None, "array", number, WEAK)
    _spares(controller)


def _derived_arrays(controller: ControllerDraft) -> None:
    """Combine the volumes that are on the same drives into arrays. Aacraid prints no arrays.

    A set of drives that segments name is one; its number is that of the first volume on it. Sets that only overlap stay
    apart; a drive in several of them belongs to none alone.
    """
    sets: dict[frozenset[str], str] = {}
    arrays_of_drive: dict[str, set[str]] = {}
    for number, one in controller.volumes.items():
        members = frozenset(one.members)
        if not members:
            continue
        name = sets.setdefault(members, number)
        array = controller.array(name)
        array.members.update(one.members)
        array.spares.update(one.spares)
        array.segments = array.segments or one.segments
        one.conclude("array", name)
        for key in members:
            arrays_of_drive.setdefault(key, set()).add(name)
        _health(array, one)
    for key, names in arrays_of_drive.items():
        if len(names) == 1:
            controller.drives[key].conclude("array", next(iter(names)))
    for array in controller.arrays.values():
        for segment in array.segments:
            array.add_evidence(segment.line, "drives", segment.state)
    _spares(controller)


def _health(array: GroupDraft, one: GroupDraft) -> None:
    """Infer the health of an array from its segments.

    The segments count if the array has no status, or is ok although one of them is not present.
    """
    states = [segment.state for segment in one.segments]
    if not states or not all(states):
        return
    bad = one.get("status") in ("failed", "offline")
    status = "ok" if all(state == "present" for state in states) else "critical" if bad else "warning"
    if array.get("status") is None:
        array.override("status", status)
    elif array.get("status") == "ok" and status != "ok":
        array.override("status", status)
        gone = [f"{segment.label}: {segment.state}" for segment in one.segments if segment.state != "present"]
        array.override("status_text", "; ".join([array.get("status_text") or "", *gone]).lstrip("; "))


def _spares(controller: ControllerDraft) -> None:
    """Make drives of the spares that an array names. A dedicated spare names its volume; an active one is a member."""
    for key, one in controller.drives.items():
        for number in one.get("spare.for") or ():
            home = controller.volumes[number].get("array") if number in controller.volumes else None
            if home in controller.arrays:
                controller.arrays[home].spares[key] = True
        for number in one.get("spare.for.array") or ():
            if number in controller.arrays:
                controller.arrays[number].spares[key] = True
    for group in controller.arrays.values():
        for key in group.spares:
            if key not in controller.drives:
                owner = next((v for v in controller.volumes.values() if key in v.spares), None)
                made = controller.drive(key)
                made.conclude("role", "spare")
                for line, name, value in owner.evidence if owner is not None else ():
                    if "Hot-Spare]" in name and key in numbers.addresses(str(value)):
                        made.add_evidence(line, "id", key)
    move_active_spares(controller)


def _jbod(controller: ControllerDraft) -> None:
    """Decide whether an ``Online (JBOD)`` drive is a volume member or plain drive."""
    members = {key for group in (*controller.volumes.values(), *controller.arrays.values()) for key in group.members}
    for key, one in controller.drives.items():
        if normalized(one.get("status_text") or "") != "online (jbod)":
            continue
        if key in members:
            one.conclude("role", "member")
        elif "logical" in controller.sections:
            one.conclude("role", "passthrough")


def _count(one: GroupDraft) -> None:
    """Count a volume's drives, and those that work, by its segments."""
    states = [segment.state for segment in one.segments]
    if not states or not all(states):
        return
    one.conclude("drives_expected", len(states))
    one.conclude("drives_active", sum(state == "present" for state in states))
    groups = {found[0] for segment in one.segments if (found := _GROUP.match(segment.label)) is not None}
    if groups and one.get("raid_level") in ("raid10", "raid50", "raid60"):
        one.conclude("spans", len(groups))
    if "rebuilding" in states:
        segment = one.segments[states.index("rebuilding")]
        one.put(segment.line, "progress.operation", "rebuild", WEAK)


def _busy(controller: ControllerDraft, one: GroupDraft) -> None:
    """Give a volume the status of its operation: rebuilding, checking, expanding.

    ``getstatus`` alone reports no other status; what is worse than ``Degraded`` stays as it is.
    """
    status = one.get("status")
    rebuilding = [
        key for key in one.members if normalized(controller.drives[key].get("status_text") or "").startswith("rebuild")
    ]
    if status == "degraded" and rebuilding:
        one.conclude("progress.operation", "rebuild")
    busy = BUSY.get(one.get("progress.operation"))
    if busy is None or status not in (None, "ok", "degraded") or (status == "degraded" and busy != "rebuilding"):
        return
    one.restate("status", busy, ("status", "progress.operation"))
