"""Group resources by controller, and convert them to the model."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from raidctl.json_decode import continues, decode_at
from raidctl.model import ASK_OWN_TOOL, Controller, Problem, Tool
from raidctl.text import counted, printable, regex
from raidctl.vendor.identity import distinct
from raidctl.vendor.mixed_machines import described_twice
from raidctl.vendor.protocol import Document, Observation
from raidctl_redfish.battery import battery_links, chassis_of, packs_of, read_backup, read_batteries, read_pack
from raidctl_redfish.capability import FAMILY
from raidctl_redfish.controller import finish, read_array_controller, read_storage
from raidctl_redfish.draft import ControllerDraft
from raidctl_redfish.drive import is_empty_bay, read_drive, read_smart_drive, volumes_of
from raidctl_redfish.resource import KINDS, Resource, decode, link_of, links_of, mark_all
from raidctl_redfish.to_model import build
from raidctl_redfish.vocabulary import bare
from raidctl_redfish.volume import read_logical_drive, read_volume

_OWNER = regex(r"(.*/(?:Storages?|ArrayControllers)/([^/]+))(?:/.*)?")
_CHASSIS = regex(r"(.*/Chassis/([^/]+))(?:/.*)?")
_USED = frozenset(
    (
        "Storage", "StorageController", "Volume", "Drive", "Battery", "Chassis",
        "ArrayController", "LogicalDrive", "DiskDrive",
    )
)  # fmt: skip
_FIXED = (
    "Status", "SerialNumber", "Identifiers", "RAIDType", "CapacityBytes", "WriteCachePolicy", "FailurePredicted",
)  # fmt: skip
_RESOURCE = regex(r"(?m)^\{")
_LINKING = ("ServiceRoot", "ComputerSystem", "SmartStorage", "SimpleStorage")
"""Links to the resources of controllers, besides collections."""
_AGAIN = "Read it again; a file must contain one whole resource, as the BMC gives it."


class _Group(Struct):
    """The resources of one controller."""

    path: str
    name: str
    owner: Resource | None = None
    controllers: list[Resource] = field(default_factory=list)
    volumes: list[Resource] = field(default_factory=list)
    drives: dict[str, Resource] = field(default_factory=dict)


def read(documents: Sequence[Document]) -> Observation:
    """Read saved resources; never raises for their contents."""
    resources: dict[str, Resource] = {}
    problems: list[Problem] = []
    systems: list[Resource] = []
    collections: list[Resource] = []
    others: list[str] = []
    for document, text in ((one, text) for one in documents for text in _texts(one.text)):
        try:
            resource = decode("", document.name, text)
        except ValueError as error:
            message = f"The JSON is damaged or cut off: {str(error)[:120]}."
            problems.append(Problem("error", document.name, message, _AGAIN, "unread"))
            continue
        if resource.path and resource.kind in _USED:
            known = resources.setdefault(resource.path, resource)
            if labels := _differences(known, resource):
                where = "/".join(resource.path.split("/")[-2:])
                problems.append(described_twice(where, labels).problem(resource.path))
                resources[resource.path] = max(known, resource, key=_badness)
            continue
        mark_all(resource)
        if resource.kind == "ComputerSystem":
            systems.append(resource)
        elif resource.kind.endswith("Collection"):
            collections.append(resource)
        elif not resource.path or resource.kind not in _LINKING:
            others.append(document.name)
    if others:
        more = f", nor are {len(others) - 1} others" if len(others) > 1 else ""
        message = f"It is not a resource of a controller, volume, drive or battery{more}."
        problems.append(Problem("info", others[0], message))
    given = {one.path for one in collections if one.get("Members") == [] or _lists_used(one)}
    problems += _without_storage(systems, resources, given)
    problems += _lacking(resources, given)
    problems += _lacking_members(collections, resources)
    return assemble(resources, problems, (), systems)


def _differences(one: Resource, two: Resource) -> list[str]:
    """Return the constant fields that differ. Two documents with one path are then of two machines or moments."""
    if one is two:
        return []
    return [name for name in _FIXED if one.get(name) != two.get(name)]


def _badness(one: Resource) -> int:
    """How bad the health of a resource is."""
    health = {str(one.get("Status.Health")).lower(), str(one.get("Status.HealthRollup")).lower()}
    return next((weight for word, weight in (("critical", 2), ("warning", 1)) if word in health), 0)


def _texts(text: str) -> list[str]:
    """Split a text into its resources, also a cut one. The text may be the screen of several calls of curl."""
    found: list[str] = []
    end = 0
    for begin in _RESOURCE.finditer(text):
        if begin.start() >= end:
            try:
                value, end = decode_at(text, begin.start())
            except ValueError:
                return [*found, text[begin.start() :]]
            if continues(text, end):
                return [*found, text[begin.start() :]]
            members = _members(value)
            # the collection counts its members, of which this may be the first page
            found += members if members and "@odata.type" not in value else [*members, text[begin.start() : end]]
    return found or [text]


def _members(value: Any) -> list[str]:
    """The resources of a collection that was asked for with ``?$expand=.``. Empty if it has links to them."""
    members = value.get("Members") if isinstance(value, Mapping) else None
    found = [one for one in members if isinstance(one, Mapping)] if isinstance(members, list) else []
    return [json.dumps(one) for one in found if "@odata.type" in one]


def simple_storage_alone(system: Resource) -> Problem | None:
    """Return the problem of a system with storage in the 2015 schema. None for any other."""
    if system.get("Storage") is not None or not link_of(system.get("SimpleStorage")):
        return None
    message = (
        "This BMC describes storage as SimpleStorage alone, a schema of 2015 without controllers' caches, volumes and "
        "policies: all of them are unknown."
    )
    return Problem("warning", system.path, message, ASK_OWN_TOOL, "unread")


def _switched_off(systems: Iterable[Resource]) -> Iterable[Problem]:
    """Systems that are not on. Their BMCs list no storage, or what they read before."""
    for system in systems:
        state = system.text("PowerState")
        if bare(state) not in ("", "on"):
            message = (
                f"The system is not on (PowerState {printable(state)[:40]}): its storage may be missing here, and what "
                "is reported may be out of date."
            )
            yield Problem("warning", system.path, message, "Read it again when the system is on.", "unread")


def _without_storage(
    systems: Iterable[Resource], resources: Mapping[str, Resource], given: Collection[str]
) -> Iterable[Problem]:
    """Saved systems without any saved storage. ``given``: the collections that are saved."""
    for system in systems:
        problem, storage = simple_storage_alone(system), link_of(system.get("Storage"))
        if problem is not None:
            yield problem
        elif storage and storage not in given and not any(path.startswith(f"{system.path}/") for path in resources):
            message = "Its storage is described by resources that are not given: it is unknown."
            yield Problem("warning", system.path, message, f"Save {storage} and its members as well.", "unread")


def _lacking(resources: Mapping[str, Resource], given: Collection[str]) -> Iterable[Problem]:
    """What saved resources link to that is not among them. ``given``: the collections that are saved."""
    for path, one in resources.items():
        if one.kind not in ("Storage", "StorageController"):
            continue
        owners = [one, *one.parts("StorageControllers")]
        batteries = [link for owner in owners for link in battery_links(owner) if link not in resources]
        if batteries:
            message = "Its battery is described by a resource that is not given: it is unknown."
            yield Problem("warning", path, message, f"Save {batteries[0]} as well.", "unread")
        if one.kind != "Storage":
            continue
        drives = [link for link in links_of(one.get("Drives")) if link not in resources]
        if drives:
            message = f"{len(drives)} of its drives are described by resources that are not given: they are unknown."
            yield Problem("warning", path, message, f"Save {drives[0]} as well.", "unread")
        volumes = link_of(one.get("Volumes"))
        if volumes and volumes not in given and not any(other.startswith(f"{volumes}/") for other in resources):
            message = "Its volumes are described by resources that are not given: they are unknown."
            yield Problem("warning", path, message, f"Save {volumes} and its members as well.", "unread")


def _lists_used(collection: Resource) -> bool:
    """Whether the members of a collection describe a controller or its parts."""
    kind = KINDS.get(collection.kind.removesuffix("Collection"))
    return kind in _USED - {"Chassis"} and isinstance(collection.get("Members"), list)


def _lacking_members(collections: Iterable[Resource], resources: Mapping[str, Resource]) -> Iterable[Problem]:
    """Members of saved collections that are not saved. A collection may have several pages."""
    listed: dict[str, dict[str, None]] = {}
    counts: dict[str, int] = {}
    for one in collections:
        if _lists_used(one):
            path, count = one.path.partition("?")[0], one.value.get("Members@odata.count")
            listed.setdefault(path, {}).update(dict.fromkeys(links_of(one.get("Members"))))
            counts[path] = max(counts.get(path, 0), count if isinstance(count, int) else 0)
    for path, links in listed.items():
        missing = [link for link in links if link not in resources]
        total = max(counts[path], len(links))
        lacking = total - len(links) + len(missing)
        if lacking:
            message = (
                f"It lists {counted(total, 'member')}, {lacking} of them not given: what they describe is unknown."
            )
            wanted = f"{missing[0]} as well" if missing else "the other pages of the collection as well"
            yield Problem("warning", path, message, f"Save {wanted}.", "unread")


def assemble(
    resources: Mapping[str, Resource],
    problems: Iterable[Problem],
    tools: Sequence[Tool],
    systems: Iterable[Resource] = (),
) -> Observation:
    """Make the controllers of all resources, by path. ``systems``: those that the resources belong to."""
    groups = _groups(resources)
    systems = list(systems)
    chassis_unread = any(path not in resources for system in systems for path in chassis_of(system))
    packs = [pack for one in resources.values() if one.kind == "Chassis" for pack in packs_of(one)]
    batteries = {path: one for path, one in resources.items() if one.kind == "Battery"}
    found: list[Controller] = []
    reported = [*problems, *_switched_off(systems)]
    drafts = [_draft(group, batteries, packs) for group in groups]
    for one in drafts:
        if chassis_unread and not one.batteries:  # the packs are in the chassis
            one.override("batteries_unread", value=True)
    for draft, name in zip(drafts, distinct(f"{FAMILY}:{group.name}" for group in groups), strict=True):
        controller, own = build(draft, name)
        found.append(controller)
        reported += own
        draft.write_evidence(name)
    for resource in resources.values():
        if resource.kind == "Chassis" or resource.kind not in _USED:
            mark_all(resource)
    outputs = tuple(dict.fromkeys(resource.output for resource in resources.values()))
    return Observation(tuple(found), tuple(dict.fromkeys(reported)), tuple(tools), outputs)


def _groups(resources: Mapping[str, Resource]) -> list[_Group]:
    """Return the resources of each controller.

    Paths show to which controller a resource belongs, as do the links of Storage to drives elsewhere.
    """
    groups: dict[str, _Group] = {}
    storages = {
        link: path for path, one in resources.items() if one.kind == "Storage" for link in links_of(one.get("Drives"))
    }
    for path, one in resources.items():
        place = storages.get(path, path)
        match = _OWNER.fullmatch(place) or (_CHASSIS.fullmatch(place) if one.kind == "Drive" else None)
        if match is None or one.kind not in _USED - {"Chassis", "Battery"}:
            continue
        group = groups.setdefault(match[1], _Group(match[1], match[2]))
        if one.kind in ("Storage", "ArrayController"):
            group.owner = one
            group.controllers += [part for part in one.parts("StorageControllers") if len(part.value) > 1]
        elif one.kind == "StorageController":
            group.controllers.append(one)
        elif one.kind in ("Volume", "LogicalDrive"):
            group.volumes.append(one)
        elif is_empty_bay(one):
            mark_all(one)
        else:
            group.drives[path] = one
    return list(groups.values())


def _draft(group: _Group, batteries: Mapping[str, Resource], packs: Sequence[Resource]) -> ControllerDraft:
    """Read all resources of a controller."""
    controller = ControllerDraft(group.name)
    smart = group.owner is not None and group.owner.kind == "ArrayController"
    for path, drive in group.drives.items():
        (read_smart_drive if drive.kind == "DiskDrive" else read_drive)(controller.drive(path), drive)
    for volume in group.volumes:
        draft = controller.volume(volume.path)
        (read_logical_drive if volume.kind == "LogicalDrive" else read_volume)(draft, volume)
        members = links_of(volume.get("Links.Drives")) or links_of(volume.get("DataDrives"))
        members += [path for path, one in group.drives.items() if volume.path in volumes_of(one)]
        draft.members = dict.fromkeys(members)
        draft.spares = dict.fromkeys(links_of(volume.get("Links.DedicatedSpareDrives")), True)
    owners = [*([group.owner] if group.owner is not None else []), *group.controllers]
    linked = [path for owner in owners for path in battery_links(owner)]
    read_batteries(controller, owners, [batteries[path] for path in linked if path in batteries])
    if any(path not in batteries for path in linked):
        controller.override("batteries_unread", value=True)
    if smart and group.owner is not None:
        _packs(controller, packs)
        read_array_controller(controller, group.owner)
        read_backup(controller, group.owner)
    else:
        read_storage(controller, group.owner, group.controllers)
        if controller.get("cache.size_bytes") or any(
            one.get("cache.write_policy") for one in controller.volumes.values()
        ):
            _packs(controller, packs)
    finish(controller, owners)
    return controller


def _packs(controller: ControllerDraft, packs: Sequence[Resource]) -> None:
    if not controller.batteries:
        for pack in packs:
            read_pack(controller, pack)
