"""Compare a reading with a step's expectations and an earlier reading. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from raidctl.host import HostView
from raidctl.model import Inventory, failed_readings
from raidctl.select import Item, items, object_of
from raidctl.survey.survey import Survey
from raidctl.vendor.identity import UNIDENTIFIED, unique_of
from raidctl.vendor.plan import Expectation, Identity
from raidctl.vendor.shapes import MISSING_PLACES

_SERIAL = "serial:"
_NODE = "node:"
_LASTING = (
    "status", "role", "array", "drives", "spares", "drives_active", "drives_expected", "failures_tolerated", "serial",
    "unique_id", "device", "raid_level", "size_bytes",
)  # fmt: skip
"""Fields that do not change between two readings unless something happened."""
_ALWAYS = ("status", "role", "foreign", "patrol_read.state", "cache.preserved_data")
"""Fields that every object has: without a value they are unknown. A drive in no array has none either."""


def unmet(seen: Survey, expectations: Iterable[Expectation]) -> list[str]:
    """Describe each expectation that a reading does not meet. The text includes what the reading shows instead."""
    return [text for one in expectations for met, text in (_met(seen, one),) if not met]


def undecided(seen: Survey, expectations: Iterable[Expectation]) -> list[str]:
    """Describe each expectation of which a reading shows neither that it is met nor that it is not."""
    return [text for one in expectations for met, text in (_met(seen, one),) if met is None]


def _met(seen: Survey, one: Expectation) -> tuple[bool | None, str]:
    """Whether a reading meets an expectation, and what it shows otherwise. None: the reading does not show that."""
    if one.field == "present":
        present = _present(seen, one.object_id)
        if present is None:
            return None, f"it is unknown whether {one.object_id} is present"
        return ("yes" if present else "no") == one.value, f"{one.object_id} is {_IS[present]}"
    item = object_of(seen.inventory, one.object_id)
    if item is None:
        lost = _unread(seen, one.object_id)
        text = f"it is unknown whether {one.object_id} exists" if lost else f"{one.object_id} does not exist"
        return None if lost else False, text
    value = _value(item, one.field)
    # an unrecognised status word is "unknown"; after a failed reading, an empty list may be incomplete
    if value is None or (value == "unknown" != one.value) or (value == () and one.op == "lacks" and _unread(seen)):
        without = value is None and one.field not in _ALWAYS and getattr(item, "role", "") is not None
        return False if without else None, f"{one.field} of {one.object_id} is unknown"
    if isinstance(value, tuple):
        held = one.op == ("contains" if one.value in value else "lacks")
        text = ", ".join(map(str, value)) or "empty"
    else:
        held = one.op == ("is" if _text(value) == one.value else "is_not")
        text = _text(value)
    return held, f"{one.field} of {one.object_id} is {text}, not as expected ({one})"


def _value(item: Item, field: str) -> object:
    """Return a field of an object.

    ``details.sync_min`` is one of its details, ``progress.state`` a part of it, ``preserved`` the ids of volumes.
    """
    whole, _, label = field.partition(".")
    value = getattr(item, whole, None)
    if whole == "preserved" and isinstance(value, tuple):
        return tuple(kept.volume for kept in value)
    if not label:
        return value
    return value.get(label) if isinstance(value, dict) else getattr(value, label, None)


_IS = {True: "still present", False: "not present"}


def _text(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _present(seen: Survey, name: str) -> bool | None:
    """Whether an object, or the drive with a serial number, is there. None: it could not be read."""
    if name.startswith(_SERIAL):
        serials = serials_of(seen)
        # drives without a serial number, and those of a failed reading, may be the one
        unknown = not serials or _unread(seen)
        return True if name.removeprefix(_SERIAL) in serials else (None if unknown else False)
    if name.startswith(_NODE):
        return seen.view.block(name.removeprefix(_NODE)) is not None if seen.view.blocks else None
    if object_of(seen.inventory, name) is not None:
        return True
    return None if _unread(seen, name) else False


def _unread(seen: Survey, name: str = "") -> bool:
    """Whether an object may be in an unreadable part of the machine.

    A tool that is missing or may not be run hides the objects of a controller only if no other tool lists the
    controller.
    """
    failed = failed_readings(seen.inventory.problems)
    above, beneath, _ = name.partition("/")
    unlisted = bool(beneath) and object_of(seen.inventory, above) is None
    return any(problem.kind == "unread" or unlisted for problem in failed)


def identity(inventory: Inventory, object_id: str) -> str | None:
    """Return the identifier of an object: serial number, unique id. None: unknown, or it does not exist."""
    for controller in inventory.controllers:
        for item in items(controller):
            if item.id == object_id:
                return unique_of(controller, item)
    return None


def serials_of(seen: Survey) -> dict[str, set[str]]:
    """Return the places of all drives, by serial number.

    A drive that both the kernel and a tool show counts as one place: its device node, else its id.
    """
    found: dict[str, set[str]] = {}
    without: dict[str, set[str]] = {}
    for block in seen.view.blocks:
        if block.kind == "disk" and block.serial:
            found.setdefault(block.serial, set()).add(block.node)
    for controller in seen.inventory.controllers:
        for drive in controller.drives if controller.mode != "software" else ():
            if drive.serial and drive.device:
                found.setdefault(drive.serial, set()).add(drive.device)
            elif drive.serial:
                without.setdefault(drive.serial, set()).add(drive.id)
    for serial, ids in without.items():
        # a drive that a tool lists without a node may be the one that the kernel shows, but two such drives are two
        if serial not in found or len(ids) > 1:
            found.setdefault(serial, set()).update(ids)
    return found


def moved(seen: Survey, subjects: Sequence[Identity]) -> str | None:
    """Explain why an object is no longer the one of the plan. None if all still are."""
    for subject in subjects:
        why = _identity_changed(seen, subject)
        if why is not None:
            return why
    return None


def exchanged(seen: Survey, subjects: Sequence[Identity]) -> str | None:
    """Explain that an id of a step now belongs to another object. None if not, or if the object was removed."""
    for subject in subjects:
        now = identity(seen.inventory, subject.object_id)
        if subject.unique and now and now != subject.unique:
            return f"{subject.object_id} is {now} now, and was {subject.unique}"
    return None


def _identity_changed(seen: Survey, subject: Identity) -> str | None:
    item = object_of(seen.inventory, subject.object_id)
    if not subject.unique:
        return f"{subject.object_id} {UNIDENTIFIED}"
    if item is None:
        return f"{subject.object_id} ({subject.unique}) no longer exists"
    now = identity(seen.inventory, subject.object_id)
    if now != subject.unique:
        return f"{subject.object_id} is {now or 'without a serial number'} now, and was {subject.unique} in the plan"
    places = serials_of(seen).get(subject.unique, set())
    if len(places) > 1:
        return f"{subject.unique} is the serial number of several drives: {', '.join(sorted(places))}"
    device = getattr(item, "device", None)
    if subject.device is not None and device != subject.device:
        return f"{subject.object_id} is {device or 'without a device node'} now, and was {subject.device} in the plan"
    return None


def known_words(inventory: Inventory, view: HostView) -> frozenset[str]:
    """Return all words that a command may name.

    Ids and their parts, places, device nodes and kernel names are such words.
    """
    found: set[str] = set()
    for controller in inventory.controllers:
        for item in items(controller):
            found.add(item.id)
            found.add(str(getattr(item, "device", None) or item.id))
            if controller.mode != "software":
                found |= {word for word in _words_of(item) if word}
        found |= {group.number for group in controller.foreign_groups}
        # a volume with preserved cache may be in no list
        found |= {kept.volume.rpartition("/v")[2] for kept in controller.preserved}
    for block in view.blocks:
        found |= {block.name, block.node, *block.links}
    return frozenset(found)


def _words_of(item: Item) -> Iterator[str | None]:
    """Yield the words by which tools name an object.

    Examples are ``1I:1:4``, ``32`` and ``5``, ``A``, ``v1`` and ``1``.

    This includes its number in the tool's own list, in the column ``#``.
    """
    tail = item.id.partition(":")[2].rpartition("/")[2]
    yield item.details.get("#")
    for word in (tail, *tail.replace(",", ":").split(":")):
        yield word
        yield word.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    for name in ("slot", "enclosure", "bay"):
        yield getattr(item, name, None)
    yield from re.findall(r"\d+", item.details.get(MISSING_PLACES, ""))


def differences(before: Inventory, after: Inventory, ids: Collection[str]) -> list[str]:
    """Return the differences between two readings of these controllers and their parts."""
    old, new = dict(_states(before, ids)), dict(_states(after, ids))
    found = [f"{name} appeared" for name in sorted(new.keys() - old.keys())]
    found += [f"{name} disappeared" for name in sorted(old.keys() - new.keys())]
    # drives first: changes of an array follow from its members
    for name in sorted(old.keys() & new.keys(), key=lambda name: (not isinstance(old[name].get("role"), str), name)):
        found += [
            f"{field} of {name} was {_shown(was)}, and is {_shown(new[name][field])}"
            for field, was in old[name].items()
            if new[name].get(field) != was
        ]
    return found


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "empty"
    return "unknown" if value is None else str(value)


def _states(inventory: Inventory, ids: Collection[str]) -> Iterator[tuple[str, dict[str, object]]]:
    for controller in inventory.controllers:
        if controller.id in ids:
            for item in items(controller):
                if item is controller:
                    continue  # the controller has lists of all of its parts
                yield item.id, {name: getattr(item, name) for name in _LASTING if hasattr(item, name)}
