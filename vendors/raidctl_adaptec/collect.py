"""Outputs brought together: which belong to the same card, and which drives the volumes lie on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from raidctl.evidence import Output, mark_read
from raidctl.vendor.draft import ROW, WEAK
from raidctl.vendor.protocol import Document
from raidctl_adaptec import config_json, controller, drive, numbers, other_commands, vocabulary, volume
from raidctl_adaptec.draft import ControllerDraft, GroupDraft, Segment
from raidctl_adaptec.grammar import number_of_command
from raidctl_adaptec.outline import Answer, Block, outline
from raidctl_adaptec.tables import BUSY
from raidctl_adaptec.vocabulary import normalized

# Group 0, Segment 1
_GROUP = re.compile(r"group \d{1,4}(?=,)", re.IGNORECASE)


@dataclass
class Collection:
    """The cards of some outputs, and the outputs themselves."""

    cards: list[ControllerDraft] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    broken_json: list[Output] = field(default_factory=list)
    guessed: set[int] = field(default_factory=set)
    """Cards, by ``id()``, whose number no output tells."""

    @property
    def outputs(self) -> list[Output]:
        """Each output's sheet once."""
        return list({id(answer.sheet): answer.sheet for answer in self.answers}.values()) + self.broken_json

    def card(self, number: str | None, serial: str | None) -> ControllerDraft:
        """The draft of a card: the one of that number, unless its serial number is another."""
        same = [c for c in self.cards if number is None or c.name in ("", number)]
        for found in same:
            known = found.get("serial")
            if serial is not None and known == serial:
                break
            if (serial is None or known is None) and (len(same) == 1 or found.name == number):
                break
        else:
            found = ControllerDraft("")
            self.cards.append(found)
        if number is not None and not found.name:
            found.name = number
        return found


def collect(documents: Sequence[Document]) -> Collection:
    """Read outputs and put together what they tell."""
    collection = Collection()
    for document in documents:
        number = number_of_command(document.name)
        if document.kind == "json":
            _json(collection, document, number)
            continue
        for answer in outline(Output.of_text(document.name, document.text), number):
            _add(collection, answer)
    for card in collection.cards:
        settle(card)
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
    config_json.read(collection.card(number, serial if isinstance(serial, str) else None), output, value)


def _add(collection: Collection, answer: Answer) -> None:
    collection.answers.append(answer)
    for of, rest, line in answer.rows:
        other_commands.read_row(collection.card(of, None), line, rest)
    if not any(block.pairs or block.heads for block in answer.blocks):
        return
    number = answer.number or answer.hinted or ("1" if answer.found == 1 else None)
    if not any(block.pairs for block in answer.blocks) or answer.rows:
        for block in answer.blocks:
            mark_read(*block.heads, *(line for pair in block.pairs for line in pair.lines))
        return
    for own, blocks in _cards(answer):
        card = collection.card(own or number, _serial(blocks))
        _read(card, blocks)
        if answer.trailer is not None:
            card.sections.add("whole")


def _cards(answer: Answer) -> list[tuple[str | None, list[Block]]]:
    """Number and blocks of each card: ``getversion`` tells of all cards in one answer."""
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


def _read(card: ControllerDraft, blocks: Sequence[Block]) -> None:
    entries = 0
    for (area, name, _), group in groupby(blocks, key=lambda block: (block.area, block.name, block.channel)):
        own = list(group)
        card.sections.add(area)
        if area == "physical":
            key = drive.address(own) if name or drive.is_device(own) else None
            for block in own:
                drive.read_block(card, block, key)
        elif area == "phy device":
            other_commands.read_phy_device(card, own)
        else:
            for block in own:
                entries += area == "log"
                _read_block(card, block, entries)


def _read_block(card: ControllerDraft, block: Block, entries: int) -> None:
    if block.area == "log":
        other_commands.read_log(card, block, entries)
        return
    reader = {
        "controller": controller.read_block,
        "connector": controller.read_connector,
        "maxcache": controller.read_maxcache,
        "version": controller.read_version,
        "logical": volume.read_logical,
        "array": volume.read_array,
        "task": other_commands.read_tasks,
        "expander": other_commands.read_expander,
        "phy log": other_commands.read_phy_log,
    }.get(block.area, controller.read_connector)
    reader(card, block)


def _number(collection: Collection) -> None:
    """A card whose number nobody tells gets the first that is free."""
    taken = {card.name for card in collection.cards if card.name}
    for card in collection.cards:
        if not card.name:
            card.name = next(str(n) for n in range(1, len(collection.cards) + 2) if str(n) not in taken)
            taken.add(card.name)
            collection.guessed.add(id(card))


# --- which drives a volume lies on


def settle(card: ControllerDraft) -> None:
    """Find the drives behind the segments, and the arrays behind the volumes."""
    index = _Places(card)
    for group in (*card.volumes.values(), *card.arrays.values()):
        for segment in group.segments:
            key = index.drive(segment)
            if key is not None:
                group.members[key] = None
    if card.arrays or any(one.get("array") is not None for one in card.volumes.values()):
        _told_arrays(card)
    else:
        _derived_arrays(card)
    _jbod(card)
    for one in card.drives.values():
        drive.health(one)
    for group in card.volumes.values():
        _count(group)
        _busy(card, group)


class _Places:
    """The card's drives by what segments tell of them."""

    def __init__(self, card: ControllerDraft) -> None:
        self.card = card
        self.serials: dict[str, list[str]] = {}
        self.places: dict[tuple[str, str, str], list[str]] = {}
        for key, one in card.drives.items():
            if one.get("serial"):
                self.serials.setdefault(one.get("serial"), []).append(key)
            if one.get("place"):
                self.places.setdefault(one.get("place"), []).append(key)

    def drive(self, segment: Segment) -> str | None:
        """Channel and device of a segment's drive: by serial number, address, place; the first that is unmistakable."""
        by_serial = self.serials.get(segment.serial or "", [])
        if len(by_serial) == 1:
            return by_serial[0]
        if segment.key is not None:
            if segment.key not in self.card.drives:
                self._listed(segment, segment.key)
            return segment.key if segment.key in self.card.drives else None
        if segment.place is None:
            return None
        by_place = self.places.get(segment.place, [])
        if not by_place:
            # No physical devices in what was read: enclosure and slot are all that there is of an address.
            kind, outer, inner = segment.place
            key = f"{outer}:{inner}" if kind == "enclosure" else f"{kind}{outer}:{inner}"
            self._listed(segment, key)
            by_place = self.places[segment.place] = [key] if key in self.card.drives else []
        return by_place[0] if len(by_place) == 1 else None

    def _listed(self, segment: Segment, key: str) -> None:
        """A drive that only the segment tells of: the physical devices are not in what was read."""
        if "physical" in self.card.sections or segment.state in ("missing", "inconsistent"):
            return
        made = self.card.drive(key)
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


def _told_arrays(card: ControllerDraft) -> None:
    """smartpqi: volumes and drives name their array."""
    for volume_draft in card.volumes.values():
        number = volume_draft.get("array")
        if number is not None:
            array = card.array(number)
            array.members.update(volume_draft.members)
            array.spares.update(volume_draft.spares)
            if volume_draft.segments and not array.segments:
                # Only the volume tells of it.
                array.segments = list(volume_draft.segments)
                _health(array, volume_draft)
    for key, one in card.drives.items():
        number = one.get("array")
        if number is None:
            continue
        array = card.array(number)
        if one.get("role") == "spare":
            array.spares[key] = True
        else:
            array.members[key] = None
    for number, array in card.arrays.items():
        for key in [key for key in array.members if card.drives[key].get("role") == "spare"]:
            del array.members[key]
            array.spares[key] = True
        for key in array.members:
            card.drives[key].put(None, "array", number, WEAK)
    _spares(card)


def _derived_arrays(card: ControllerDraft) -> None:
    """Put together the volumes that are cut out of the same drives: aacraid prints no arrays.

    A set of drives that segments name is one; its number is that of the first volume on it. Sets that only overlap stay
    apart; a drive in several of them belongs to none alone.
    """
    sets: dict[frozenset[str], str] = {}
    homes: dict[str, set[str]] = {}
    for number, one in card.volumes.items():
        members = frozenset(one.members)
        if not members:
            continue
        name = sets.setdefault(members, number)
        array = card.array(name)
        array.members.update(one.members)
        array.spares.update(one.spares)
        array.segments = array.segments or one.segments
        one.conclude("array", name)
        for key in members:
            homes.setdefault(key, set()).add(name)
        _health(array, one)
    for key, names in homes.items():
        if len(names) == 1:
            card.drives[key].conclude("array", next(iter(names)))
    for array in card.arrays.values():
        for segment in array.segments:
            array.add_evidence(segment.line, "drives", segment.state)
    _spares(card)


def _health(array: GroupDraft, one: GroupDraft) -> None:
    """An array that is only known by its segments is as well as they are."""
    states = [segment.state for segment in one.segments]
    if not all(states):
        return
    bad = one.get("status") in ("failed", "offline")
    status = "ok" if all(state == "present" for state in states) else "critical" if bad else "warning"
    if array.get("status") in (None, "ok"):
        array.override("status", status)


def _spares(card: ControllerDraft) -> None:
    """Spares that an array names are drives; a dedicated one names its volume."""
    for key, one in card.drives.items():
        for number in one.get("spare.for") or ():
            home = card.volumes[number].get("array") if number in card.volumes else None
            if home in card.arrays:
                card.arrays[home].spares[key] = True
        for number in one.get("spare.for.array") or ():
            if number in card.arrays:
                card.arrays[number].spares[key] = True
    for group in card.arrays.values():
        for key in group.spares:
            if key not in card.drives:
                owner = next((v for v in card.volumes.values() if key in v.spares), None)
                made = card.drive(key)
                made.conclude("role", "spare")
                for line, name, value in owner.evidence if owner is not None else ():
                    if "Hot-Spare]" in name and key in numbers.addresses(str(value)):
                        made.add_evidence(line, "id", key)


def _jbod(card: ControllerDraft) -> None:
    """``Online (JBOD)`` is a member where a volume lies on it, else, when the volumes were read, a drive of its own."""
    members = {key for group in (*card.volumes.values(), *card.arrays.values()) for key in group.members}
    for key, one in card.drives.items():
        if normalized(one.get("status_text") or "") != "online (jbod)":
            continue
        if key in members:
            one.conclude("role", "member")
        elif "logical" in card.sections:
            one.conclude("role", "passthrough")


def _count(one: GroupDraft) -> None:
    """How many drives a volume is made of and how many work, where the tool lists them with their states."""
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


def _busy(card: ControllerDraft, one: GroupDraft) -> None:
    """A volume that is being rebuilt, verified, grown is that, also where its status word is only ``Degraded``.

    ``getstatus`` alone tells no other status; what is worse than ``Degraded`` stays as it is.
    """
    status = one.get("status")
    rebuilding = [
        key for key in one.members if normalized(card.drives[key].get("status_text") or "").startswith("rebuild")
    ]
    if status == "degraded" and rebuilding:
        one.conclude("progress.operation", "rebuild")
    busy = BUSY.get(one.get("progress.operation"))
    if busy is None or status not in (None, "ok", "degraded") or (status == "degraded" and busy != "rebuilding"):
        return
    one.restate("status", busy, ("status", "progress.operation"))
