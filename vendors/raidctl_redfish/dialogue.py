"""Walk the resources of a service processor, the most important first.

As the number of requests is limited, drives, of which there are most, come last.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from raidctl import json_decode
from raidctl.model import Problem, ProblemKind, Tool
from raidctl.request import NOT_ASKED, Dialogue, Failure, Get, GetAnswer, ask_all
from raidctl.text import printable
from raidctl.vendor.protocol import Observation
from raidctl_redfish.battery import battery_links, chassis_of
from raidctl_redfish.collect import assemble, simple_storage_alone
from raidctl_redfish.resource import Resource, decode, kind_of, link_of, links_of

MAX_PAGES = 10
"""Pages of one collection that are read."""
_EXPAND = "?$expand=.($levels=1)"
_AGAIN = "Run it again; the controller's own tool, or the BMC's own page, shows what is missing here."
_REST = "Ask the controller's own tool for the rest."
_RIGHT = "Give the user of --bmc the right to read it, in the settings of the BMC."
_FEW = 3
"""Resources with the same failure that are reported one by one."""
_SMART = ("Oem.Hpe.Links.SmartStorage", "Oem.Hp.links.SmartStorage", "Oem.Hp.Links.SmartStorage")


class _Walk:
    """What was read so far."""

    def __init__(self, *, expands: bool) -> None:
        self.expands = expands
        self.resources: dict[str, Resource] = {}
        self.problems: list[Problem] = []
        self._asked: set[str] = set()
        self._failed: dict[tuple[ProblemKind, str], list[str]] = {}

    def missing(self, where: str, what: str) -> None:
        """Report that a resource lacks a link, so that part is unknown."""
        message = f"The BMC gives no link to {what}: they are unknown."
        self.problems.append(Problem("error", where, message, _AGAIN, "unread"))

    def failed(self, path: str, answer: GetAnswer) -> None:
        """A resource that could not be read."""
        kind: ProblemKind = "no_right" if answer.trouble is Failure.DENIED else "unread"
        why = printable(answer.detail or str(answer.trouble and answer.trouble.value))[:400]
        self._failed.setdefault((kind, why), []).append(path)

    def reported(self) -> list[Problem]:
        """All problems. Resources that failed in the same way share one problem, unless they are few."""
        found = list(self.problems)
        for (kind, why), paths in self._failed.items():
            remedy = _RIGHT if kind == "no_right" else _REST if why.startswith(NOT_ASKED) else _AGAIN
            if len(paths) > _FEW:
                where = posixpath.commonpath(paths)
                message = (
                    f"{len(paths)} resources of the BMC could not be read, and are unknown ({why}): {_listed(paths)}."
                )
                found.append(Problem("error", where, message, remedy, kind))
                continue
            message = f"The BMC's resource could not be read ({why}): what it describes is unknown."
            found += [Problem("error", path, message, remedy, kind) for path in paths]
        return found

    def broken(self, path: str, error: Exception) -> None:
        """A resource that is not a JSON object."""
        message = f"The BMC's resource is not a whole JSON object ({str(error)[:80]}): what it describes is unknown."
        self.problems.append(Problem("error", path, message, _AGAIN, "unread"))

    def fetch(self, wanted: Iterable[tuple[str, str]]) -> Dialogue[list[Resource]]:
        """Read resources, each once; ``wanted`` are paths with their kinds."""
        kinds = dict(pair for pair in wanted if pair[0])
        paths = [path for path in kinds if path not in self.resources and path not in self._asked]
        self._asked.update(paths)
        answers = yield from ask_all(Get(path) for path in paths)
        for path, answer in zip(paths, answers, strict=True):
            if not answer.fine:
                self.failed(path, answer)
                continue
            try:
                self.resources[path] = decode(path, f"GET {path}", answer.text, kinds[path])
            except ValueError as error:
                self.broken(path, error)
        return [self.resources[path] for path in kinds if path in self.resources]

    def members(self, collections: Iterable[tuple[str, str]]) -> Dialogue[list[Resource]]:
        """Read all members of collections. ``collections`` are paths with the kinds of their members."""
        kinds = dict(pair for pair in collections if pair[0])
        wanted: dict[str, str] = {}
        pages = dict(kinds)
        start = {path: path for path in kinds}
        listed = dict.fromkeys(kinds, 0)
        for _ in range(MAX_PAGES):
            values = yield from self._pages([*pages])
            following: dict[str, str] = {}
            for path, value in values.items():
                wanted |= dict.fromkeys(self._entries(path, value, pages[path]), pages[path])
                members, target = value.get("Members"), value.get("Members@odata.nextLink")
                listed[start[path]] += len(members) if isinstance(members, list) else 0
                if isinstance(target, str) and target.startswith("/") and target not in self._asked:
                    following[target], start[target] = pages[path], start[path]
                elif target is not None:
                    self._endless(path)
                elif isinstance(members, list):
                    self._short(path, value.get("Members@odata.count"), listed[start[path]])
            pages = following
        for path in pages:
            self._endless(path)
        return (yield from self.fetch(wanted.items()))

    def _short(self, path: str, count: object, listed: int) -> None:
        """Report members that the last page of a collection counts, and no page lists."""
        if isinstance(count, int) and count > listed:
            self.missing(path, f"{count - listed} of {count} members of this collection")

    def _endless(self, path: str) -> None:
        message = "The collection has no end that could be found: further members are unknown."
        self.problems.append(Problem("error", path, message, _AGAIN, "unread"))

    def _pages(self, paths: Sequence[str]) -> Dialogue[dict[str, Mapping[str, Any]]]:
        """Read pages of collections. Their members are in them where the service can do so."""
        asked = [path for path in paths if path not in self._asked]
        self._asked.update(asked)
        first = [f"{path}{_EXPAND}" if self.expands and "?" not in path else path for path in asked]
        answers = list((yield from ask_all(Get(path) for path in first)))
        again = [place for place, answer in enumerate(answers) if not answer.fine and first[place] != asked[place]]
        # a service that announces it but fails is not asked for it again
        self.expands = self.expands and (not again or len(again) < len(asked))
        repeated = yield from ask_all(Get(asked[place]) for place in again)
        for place, answer in zip(again, repeated, strict=True):
            answers[place] = answer
        found: dict[str, Mapping[str, Any]] = {}
        for path, answer in zip(asked, answers, strict=True):
            if not answer.fine:
                self.failed(path, answer)
                continue
            try:
                value = json_decode.decode(answer.data)
                if not isinstance(value, Mapping):
                    raise ValueError("it is not a JSON object")  # noqa: TRY004, TRY301 - as the decoder
                found[path] = value
            except ValueError as error:
                self.broken(path, error)
        return found

    def _entries(self, path: str, value: Mapping[str, Any], kind: str) -> list[str]:
        """The paths of a page's members; members that it contains are kept."""
        listed = value.get("Members")
        if not isinstance(listed, list):
            self.missing(path, "the members of this collection")
            return []
        found = []
        for item in listed:
            target = link_of(item)
            if not target:
                self.missing(path, "a member of this collection")
                continue
            found.append(target)
            if len(item) > 1 and kind_of(item):
                text = json.dumps(item)
                self.resources.setdefault(target, decode(target, f"GET {target}", text, kind))
        return list(dict.fromkeys(found))


def _listed(paths: Iterable[str]) -> str:
    """Paths as a shell would expand them.

    >>> _listed(["/a/1", "/a/2", "/b"])
    '/a/{1,2}, /b'
    """
    places: dict[str, list[str]] = {}
    for path in paths:
        places.setdefault(posixpath.dirname(path), []).append(posixpath.basename(path))
    return ", ".join(
        posixpath.join(place, names[0] if len(names) == 1 else f"{{{','.join(names)}}}")
        for place, names in places.items()
    )


def observe(root: GetAnswer) -> Dialogue[Observation]:
    """Read the storage of all systems of a service processor. Its service root was read before."""
    walk = _Walk(expands=False)
    place = "/redfish/v1"
    if not root.fine:
        walk.failed(f"{place}/", root)
        return Observation(problems=tuple(walk.reported()), tools=(Tool(name="redfish"),))
    try:
        service = decode(place, f"GET {place}", root.text, "ServiceRoot")
    except ValueError as error:
        walk.broken(place, error)
        return Observation(problems=tuple(walk.reported()), tools=(Tool(name="redfish"),))
    features = service.get("ProtocolFeaturesSupported.ExpandQuery")
    walk.expands = isinstance(features, Mapping) and features.get("NoLinks") is features.get("Levels") is True
    systems = link_of(service.get("Systems"))
    if not systems:
        walk.missing(place, "the systems of this machine")
    found = yield from walk.members([(systems, "ComputerSystem")])
    if systems and not found and not walk.reported():
        walk.missing(systems, "a system")
    storages = yield from _storage(walk, found)
    yield from _smart_storage(walk, found)
    yield from _batteries(walk, found)
    yield from _drives(walk, storages)
    version = service.text("RedfishVersion")
    tools = (Tool(name="redfish", version=version or None),)
    for system in found:
        walk.resources.pop(system.path, None)
    return assemble(walk.resources, walk.reported(), tools, found)


def _storage(walk: _Walk, systems: Sequence[Resource]) -> Dialogue[list[Resource]]:
    """Read the storage of each system with its controllers and volumes. Storage with volumes comes first."""
    for system in systems:
        if link_of(system.get("Storage")) or _smart_link(system):
            continue
        if problem := simple_storage_alone(system):
            walk.problems.append(problem)
        else:
            walk.missing(system.path, "the storage of this system")
    storages = yield from walk.members([(link_of(system.get("Storage")), "Storage") for system in systems])
    wanted: list[tuple[str, str]] = []
    for storage in sorted(storages, key=lambda one: not link_of(one.get("Volumes"))):
        listed = storage.get("StorageControllers")
        if _is_one_drive(storage):
            continue
        if link_of(storage.get("Controllers")):
            wanted.append((link_of(storage.get("Controllers")), "StorageController"))
        elif not isinstance(listed, list):
            walk.missing(storage.path, "the controllers of this storage")
        if link_of(storage.get("Volumes")):
            wanted.append((link_of(storage.get("Volumes")), "Volume"))
    yield from walk.members(wanted)
    controllers = [
        (link_of(controller.value), "StorageController")
        for storage in storages
        for controller in storage.parts("StorageControllers")
        if len(controller.value) == 1
    ]
    yield from walk.fetch(controllers)
    return storages


def _is_one_drive(storage: Resource) -> bool:
    """Whether it is a drive at the processor. It contains its controller, so nothing more is read."""
    described = [one for one in storage.parts("StorageControllers") if one.text("Status.Health")]
    return bool(described) and not link_of(storage.get("Volumes")) and len(links_of(storage.get("Drives"))) == 1


def _drives(walk: _Walk, storages: Sequence[Resource]) -> Dialogue[None]:
    """The drives of each storage, and those that its volumes name."""
    drives: list[tuple[str, str]] = []
    for storage in sorted(storages, key=_is_one_drive):
        listed = storage.get("Drives")
        count = storage.value.get("Drives@odata.count")
        if not isinstance(listed, list) or (isinstance(count, int) and count > len(links_of(listed))):
            walk.missing(storage.path, "all drives of this storage")
        drives += [(path, "Drive") for path in links_of(listed)]
    members = [
        (path, "Drive")
        for volume in list(walk.resources.values())
        if volume.kind == "Volume"
        for path in links_of(volume.get("Links.Drives"))
    ]
    yield from walk.fetch([*drives, *members])
    for storage in storages:
        if not link_of(storage.get("Volumes")) and not _without_volumes(walk, storage):
            walk.missing(storage.path, "the volumes of this storage")


def _without_volumes(walk: _Walk, storage: Resource) -> bool:
    """Whether a storage has no volumes by its kind.

    Such a storage has NVMe drives at the processor, and nothing in it hints at RAID.
    """
    controllers = [one for one in walk.resources.values() if one.path.startswith(f"{storage.path}/Controllers/")]
    controllers += storage.parts("StorageControllers")
    drives = [walk.resources[path] for path in links_of(storage.get("Drives")) if path in walk.resources]
    plain = all(
        not controller.get("SupportedRAIDTypes") and controller.get("CacheSummary") is None
        for controller in controllers
    )
    if _is_one_drive(storage) and not drives:
        return True  # the drive itself is reported as not read
    nvme = all(drive.get("Protocol") in ("NVMe", "PCIe") and not drive.get("Links.Volumes") for drive in drives)
    return bool(drives) and plain and nvme


def _smart_link(system: Resource) -> str:
    """Return the link to HPE's own description of array controllers. HPE used it before Storage."""
    return next((path for name in _SMART if (path := link_of(system.get(name)))), "")


def _smart_storage(walk: _Walk, systems: Sequence[Resource]) -> Dialogue[None]:
    roots = yield from walk.fetch([(_smart_link(system), "SmartStorage") for system in systems])
    lists: list[tuple[str, str]] = []
    for root in roots:
        walk.resources.pop(root.path, None)
        target = _link_of(root, "ArrayControllers")
        if not target:
            walk.missing(root.path, "the array controllers")
        lists.append((target, "ArrayController"))
    controllers = yield from walk.members(lists)
    known = {one.text("SerialNumber") for one in walk.resources.values() if one.kind == "StorageController"}
    wanted: list[tuple[str, str]] = []
    for controller in controllers:
        if controller.text("SerialNumber") and controller.text("SerialNumber") in known:
            walk.resources.pop(controller.path, None)  # Storage describes it as well
            continue
        for name, kind in (("LogicalDrives", "LogicalDrive"), ("PhysicalDrives", "DiskDrive")):
            target = _link_of(controller, name)
            if not target:
                walk.missing(
                    controller.path,
                    "the volumes of this controller" if name[0] == "L" else "the drives of this controller",
                )
            wanted.append((target, kind))
    wanted.sort(key=lambda pair: pair[1] != "LogicalDrive")
    volumes = [one for one in (yield from walk.members(wanted)) if one.kind == "LogicalDrive"]
    yield from _data_drives(walk, volumes)


def _data_drives(walk: _Walk, volumes: Sequence[Resource]) -> Dialogue[None]:
    """The drives of each logical drive: a collection of links."""
    for volume in volumes:
        target = _link_of(volume, "DataDrives")
        if not target:
            walk.missing(volume.path, "the drives of this volume")
            continue
        pages = yield from walk._pages([target])  # noqa: SLF001 - one module
        paths = [path for value in pages.values() for path in links_of(value.get("Members"))]
        if pages and not paths:
            walk.missing(target, "the drives of this volume")
        links = [{"@odata.id": path} for path in paths]
        walk.resources[volume.path] = Resource(
            volume.path, volume.kind, {**volume.value, "DataDrives": links}, volume.output
        )


def _link_of(resource: Resource, name: str) -> str:
    """A link of iLO 5 (``Links``) or of iLO 4 (``links``)."""
    return link_of(resource.get(f"Links.{name}")) or link_of(resource.get(f"links.{name}"))


def _batteries(walk: _Walk, systems: Sequence[Resource]) -> Dialogue[None]:
    """Read the batteries that controllers link to. For HPE, read the chassis, which describes the energy packs."""
    owners = [part for one in walk.resources.values() for part in (one, *one.parts("StorageControllers"))]
    wanted = [(path, "Battery") for owner in owners for path in battery_links(owner)]
    for system in systems:
        if system.get("Oem.Hpe") is not None or system.get("Oem.Hp") is not None:
            chassis = chassis_of(system)
            if not chassis:
                walk.missing(system.path, "the chassis, which describes the energy packs")
            wanted += [(path, "Chassis") for path in chassis]
    yield from walk.fetch(wanted)
