"""Combine drafts of the same drive: its id, the values that count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct, field

from raidctl.model import Drive, Errors, Problem
from raidctl.text import collapse, printable, regex
from raidctl.vendor.disagreement import disagreement
from raidctl.vendor.draft import Complaint
from raidctl.vendor.statuses import ORDER
from raidctl_drives.capability import FAMILY
from raidctl_drives.derived_fields import derived
from raidctl_drives.draft import DriveDraft
from raidctl_drives.vocabulary import nvme_controller

RANKS = {"hdparm": 0, "nvme": 1, "smartctl": 2, "kernel": 3, "sdparm": 4}
"""The rank of each tool if several report a field. sdparm comes last, as its names are cut to 16 letters."""
_WWN = regex(r"[0-9a-f]{16}(?:[0-9a-f]{16})?")
_BLANK = regex(r"\s+")
_NAMESPACE = regex(r"/dev/nvme\d+n\d+")
_ROUNDED = 10_000_000
_UNJUDGED = Complaint(
    "warning", "unread", "The drive's health is unknown: its SMART data was read, but contains no verdict.",
    "Run smartctl -x on the drive and check its output.",
)  # fmt: skip


class Source(Struct, frozen=True):
    """An output's report on a drive, and the tool that printed it."""

    tool: str
    draft: DriveDraft


class Group(Struct):
    """The sources that describe one drive."""

    sources: list[Source] = field(default_factory=list)
    fallback: str = ""
    """Name of a drive without serial number, WWN and device."""
    names: dict[str, set[str]] = field(default_factory=dict)
    """The different serial numbers and models, made comparable."""

    def add(self, source: Source) -> None:
        """Add a source."""
        self.sources.append(source)
        for name, value in _names(source).items():
            self.names.setdefault(name, set()).add(value)

    def values(self, name: str) -> list[Any]:
        """The values of a field, the most trusted source first."""
        return [value for source in self.ranked() if (value := source.draft.get(name)) is not None]

    def ranked(self) -> list[Source]:
        """The sources, the most trusted first."""
        return sorted(self.sources, key=lambda source: RANKS.get(source.tool, 9))

    @property
    def device(self) -> str | None:
        """The node, ``/dev/nvme0n1`` rather than ``/dev/nvme0``."""
        nodes = self.values("device")
        return next((n for n in nodes if _NAMESPACE.fullmatch(n)), nodes[0] if nodes else None)


def serial_key(text: str | None) -> str | None:
    """A serial number to compare by. None for one that is masked, unreadable or too short to distinguish drives."""
    bare = _BLANK.sub("", text or "").upper()
    unusable = len(set(bare)) < 2 or "XXX" in bare or "*" in bare or "\N{REPLACEMENT CHARACTER}" in bare
    return None if unusable or len(bare) < 3 else bare


def wwn_key(text: str | None) -> str | None:
    """A world wide name to compare by. None for one that is masked or repeats one digit."""
    bare = re.sub(r"^(?:0x|naa\.|eui\.)|[\s:.-]", "", (text or "").strip().lower())
    return bare if _WWN.fullmatch(bare) and len(set(bare)) > 1 else None


def grouped(sources: Iterable[Source]) -> list[Group]:
    """The sources, grouped by drive.

    Serial numbers and WWNs are compared, and devices where nothing contradicts them.
    """
    groups: list[Group] = []
    index: dict[str, Group] = {}
    nameless: list[Source] = []
    for source in sources:
        keys = [f"serial {key}" for key in (serial_key(source.draft.get("serial")),) if key]
        keys += [f"wwn {key}" for key in (wwn_key(source.draft.get("wwn")),) if key]
        if not keys:
            nameless.append(source)
            continue
        group = next((index[key] for key in keys if key in index and _agrees(index[key], source)), None)
        if group is None:
            group = Group()
            groups.append(group)
        group.add(source)
        for key in keys:
            index.setdefault(key, group)
    by_device: dict[str, list[Group]] = {}
    for group in groups:
        for device in {_device_key(source.draft) for source in group.sources} - {None}:
            by_device.setdefault(str(device), []).append(group)
    for source in nameless:
        _join_by_device(source, groups, by_device)
    return groups


def _join_by_device(source: Source, groups: list[Group], by_device: dict[str, list[Group]]) -> None:
    device = _device_key(source.draft)
    fitting = [group for group in by_device.get(device or "", []) if _agrees(group, source)]
    if len(fitting) == 1:
        fitting[0].add(source)
        return
    group = Group()
    group.add(source)
    groups.append(group)
    if device:
        by_device.setdefault(device, []).append(group)


def _device_key(draft: DriveDraft) -> str | None:
    """The address of the drive. One node of a controller can be that of many drives."""
    device: str | None = draft.get("device")
    return draft.get("address") or nvme_controller(device) or device


def _names(source: Source) -> dict[str, str]:
    names = {"serial": serial_key(source.draft.get("serial")), "model": _model_key(source.draft.get("model"))}
    return {name: value for name, value in names.items() if value}


def _agrees(group: Group, source: Source) -> bool:
    """Whether the source's identification of the drive does not contradict the group."""
    return all(
        value.startswith(known) or known.startswith(value)
        for name, value in _names(source).items()
        for known in group.names.get(name, ())
    )


def _model_key(text: str | None) -> str | None:
    bare = _BLANK.sub("", text or "").upper()
    return bare.removeprefix("ATA") or None


def identify(groups: Sequence[Group]) -> list[str]:
    """A unique id for each group: ``drives:SERIAL``. Without a serial number, the WWN, kernel name or file name."""
    taken: set[str] = set()
    used: dict[str, int] = {}
    ids = []
    for group in groups:
        kernel = (group.device or next(iter(group.values("address")), "")).removeprefix("/dev/")
        serial = next((s for s in _serials(group) if "\N{REPLACEMENT CHARACTER}" not in s), None)
        wwn = next((w for w in group.values("wwn") if wwn_key(w)), None)
        name = _BLANK.sub("_", collapse(printable(serial or wwn or kernel or group.fallback or "unknown")))
        if name in taken and kernel and kernel != name:
            name = f"{name}-{kernel}"
        unique = name
        while unique in taken:
            used[name] = used.get(name, 1) + 1
            unique = f"{name}-{used[name]}"
        taken.add(unique)
        ids.append(f"{FAMILY}:{unique}")
    return ids


def write_evidence(groups: Sequence[Group], ids: Sequence[str]) -> None:
    """Record which line gives what, under the ids of the drives."""
    for group, object_id in zip(groups, ids, strict=True):
        for source in group.sources:
            for line, name, value in source.draft.evidence:
                line.fact(object_id, name, value)


def _serials(group: Group) -> list[str]:
    """The serial numbers, the kernel's first. Ids thus do not depend on the installed tools."""
    kernel = [source.draft.get("serial") for source in group.sources if source.tool == "kernel"]
    return [serial for serial in kernel if serial] + group.values("serial")


def drive_of(group: Group, object_id: str) -> Drive:
    """Build one drive from all its sources. What follows from its details is further evidence."""

    def first(name: str) -> Any:
        return next(iter(group.values(name)), None)

    status, status_text = _status(group)
    return Drive(
        id=object_id,
        device=group.device,
        model=_longest(group.values("model")),
        serial=_longest(group.values("serial")),
        size_bytes=_size(group),
        status=status,
        status_text=status_text,
        errors=Errors(**{counter: _highest(group, counter) for counter in Errors.__struct_fields__}),
        details=_details(group),
        firmware=first("firmware"),
        media=first("media"),
        interface=first("interface"),
        rpm=first("rpm"),
        temperature_celsius=first("temperature_celsius"),
        max_temperature_celsius=first("max_temperature_celsius"),
        link_gbps=first("link_gbps"),
        max_link_gbps=first("max_link_gbps"),
        life_used_percent=first("life_used_percent"),
        firmware_update=first("firmware_update"),
        write_cache=_write_cache(group),
        wwn=first("wwn"),
        power_on_hours=first("power_on_hours"),
        **derived([source.draft for source in group.ranked()]),
    )


def problems_of(group: Group, object_id: str) -> list[Problem]:
    """The problems that all sources report, each once."""
    found: dict[tuple[str, str, str], Problem] = {}
    for source in group.sources:
        for problem in source.draft.problems(object_id):
            found.setdefault((problem.where, problem.message, problem.kind), problem)
    if len({*_own_caches(group)}) > 1:
        doubt = disagreement("write cache", ["disabled", "enabled"])
        found[object_id, doubt.message, doubt.kind] = doubt.problem(object_id)
    unread = any(problem.kind == "unread" for problem in found.values())
    if not unread and any(source.draft.answered for source in group.sources) and _status(group)[0] == "unknown":
        problem = _UNJUDGED.problem(object_id)
        found[object_id, problem.message, problem.kind] = problem
    return list(found.values())


def _status(group: Group) -> tuple[Any, str | None]:
    for status in ORDER:
        for source in group.sources:
            if source.draft.get("status") == status:
                return status, source.draft.get("status_text")
    return "unknown", None


def _longest(values: Sequence[str]) -> str | None:
    """The most trusted word, or the longer one it was cut from."""
    if not values:
        return None
    bare = _BLANK.sub("", values[0]).upper()
    for other in values[1:]:
        whole = _BLANK.sub("", other).upper()
        if len(whole) > len(bare) and whole.startswith(bare):
            return other
    return values[0]


def _size(group: Group) -> int | None:
    """The drive's size. For an NVMe drive with several namespaces it is the controller's figure, else their sum."""
    spaces: dict[str, list[int]] = {}
    whole: list[int] = []
    for source in group.ranked():
        size, device = source.draft.get("size_bytes"), source.draft.get("device")
        if size and "tnvmcap" in source.draft.details:
            whole.append(size)
        elif size and device and _NAMESPACE.fullmatch(device):
            spaces.setdefault(device, []).append(size)
    # the same namespace seen by both ports of a drive has two controllers
    if len(spaces) < 2 or len({nvme_controller(device) for device in spaces}) > 1:
        return _exact(group.values("size_bytes"))
    return whole[0] if whole else sum(_exact(sizes) or 0 for sizes in spaces.values())


def _exact(values: Sequence[int]) -> int | None:
    """The most trusted size, or the exact one it was rounded from."""
    if not values:
        return None
    size = values[0]
    if size % _ROUNDED == 0:
        for other in values[1:]:
            if other % _ROUNDED and abs(other - size) <= size // 100:
                return other
    return size


def _write_cache(group: Group) -> Any:
    """The drive's own report, if there is one: of several, on. Otherwise the kernel's, which can be out of date."""
    own = _own_caches(group)
    return "enabled" if "enabled" in own else next(iter(own or group.values("write_cache")), None)


def _own_caches(group: Group) -> list[Any]:
    """What the drive's own outputs report. Without a cache, the feature that would switch it has no meaning (NVMe)."""
    own = [source for source in group.sources if source.tool != "kernel"]
    absent = any(source.draft.details.get("volatile write cache") == "not present" for source in own)
    return ["disabled"] if absent else Group(own).values("write_cache")


def _highest(group: Group, counter: str) -> int | None:
    return max(group.values(f"errors.{counter}"), default=None)


def _details(group: Group) -> dict[str, str]:
    """All details, and the namespaces of an NVMe drive with several.

    Where two tools use one label for different things, the later one's name is added.
    """
    found: dict[str, str] = {}
    nodes = {source.draft.get("device") for source in group.sources}
    spaces = sorted(node for node in nodes if node and _NAMESPACE.fullmatch(node))
    if len(spaces) > 1:
        found["namespaces"] = ", ".join(spaces)
    for source in group.ranked():
        for label, value in source.draft.details.items():
            if label not in found:
                found[label] = value
            elif found[label] != value:
                found.setdefault(f"{label} ({source.tool})", value)
    return found
