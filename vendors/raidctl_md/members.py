"""The members of an array, combined from all drafts. Those of a container are the members of all its arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from raidctl.model import Drive, Errors, Health, Role
from raidctl.vendor.statuses import worst
from raidctl_md.agreement import LIVE
from raidctl_md.draft import ArrayDraft, MemberDraft, Source, key_of
from raidctl_md.group import Alias, Group

_ROLE_ORDER = (
    Source.SYSFS, Source.DETAIL, Source.MDSTAT, Source.EXAMINE, Source.EXPORT, Source.QUERY, Source.SCAN,
)  # fmt: skip
_INACTIVE_ORDER = (
    Source.EXAMINE, Source.SYSFS, Source.DETAIL, Source.MDSTAT, Source.EXPORT, Source.QUERY, Source.SCAN,
)  # fmt: skip
"""Order of the sources while an array is not started. Only the superblocks then contain the roles of its devices."""
_SLOT_ORDER = {source: rank for rank, source in enumerate(_ROLE_ORDER)}
_NO_ERRORS = Errors()
_RANK: dict[Role | None, int] = {"journal": 1, "spare": 2, "failed": 3}


class Device(Struct, eq=False):
    """A member, with all that the outputs report of it."""

    key: str
    node: str | None = None
    number: str | None = None
    names: set[str] = set()
    reports: list[tuple[ArrayDraft, MemberDraft]] = []

    def values(self, order: Sequence[Source]) -> Mapping[str, Any]:
        """The values of all sources, each from the strongest that reports it."""
        if len(self.reports) == 1:
            return {name: value for name, (_, value) in self.reports[0][1].values.items()}
        found: dict[str, Any] = {}
        for _, member in sorted(self.reports, key=lambda report: order.index(report[0].source)):
            for name, (_, value) in member.values.items():
                if value is not None:
                    found.setdefault(name, value)
        return found

    def place(self) -> tuple[int, int]:
        """Its place among the members, by slot. Without a slot, by md's number; without either, after the others."""
        slots = [(_SLOT_ORDER[draft.source], member.slot) for draft, member in self.reports if member.slot is not None]
        if slots:
            return 0, min(slots)[1]
        return (0, int(self.number)) if self.number and self.number.isdecimal() else (1, 0)


class MemberList:
    """The devices of one array or container."""

    def __init__(self, alias: Alias) -> None:
        self.alias = alias
        self.devices: list[Device] = []
        self._by_key: dict[str, Device] = {}
        self._by_name: dict[str, Device] = {}
        self._by_number: dict[str, Device] = {}

    def key(self, member: MemberDraft) -> str:
        """The kernel's name of a member if known, else the printed one."""
        if member.node and member.node.startswith("/dev/") and "/" in member.node[5:]:
            return self.alias(member.node) or member.name
        return member.name

    def add_listing(self, draft: ArrayDraft) -> None:
        """Add the members of an array's only output. The output has to list each device once, under one name."""
        self.devices += [Device(self.key(m), m.node, m.number, set(), [(draft, m)]) for m in draft.members.values()]

    def add(self, draft: ArrayDraft, member: MemberDraft, *, numbered: bool) -> Device:
        """Add a member. ``numbered``: the numbers in the text are those of this array."""
        key = self.key(member)
        device = self._by_key.get(key)
        named = next((self._by_name[n] for n in member.names if n in self._by_name), None) if member.names else None
        if named is not None and named.node and member.node and named.key != key:
            # two devices are two, even if a masked text gives both the same serial number
            named = None
        if device is not None and named is not None and named is not device:
            self._merge(device, named)
        device = device or named
        if device is None and numbered and member.number is not None:
            former = self._by_number.get(member.number)
            if former is not None and _other_name(former.key, key):
                device = former
        if device is None:
            device = Device(key, member.node, member.number)
            self.devices.append(device)
        elif device.node is None and member.node:
            device.key, device.node = key, member.node
        device.reports.append((draft, member))
        device.names |= member.names
        self._by_key.setdefault(key, device)
        for name in member.names:
            self._by_name.setdefault(name, device)
        if numbered and member.number is not None:
            self._by_number.setdefault(member.number, device)
        return device

    def _merge(self, device: Device, other: Device) -> None:
        """Merge two devices that turn out to be one."""
        self.devices.remove(other)
        device.reports += other.reports
        device.names |= other.names
        for index in (self._by_key, self._by_name, self._by_number):
            for name in [name for name, entry in index.items() if entry is other]:
                index[name] = device


def _other_name(one: str, two: str) -> bool:
    """Whether two names can be of one device. One is a device-mapper name, a link, or a bare major:minor."""
    return any(name.startswith("dm-") or "/" in name or ":" in name for name in (one, two)) and one != two


def list_members(group: Group, alias: Alias) -> MemberList:
    """All members of a group, each device once, in text order. A container's include the members of its arrays."""
    roll = MemberList(alias)
    only = len(group.drafts) == 1 and not group.children
    if only and group.drafts[0].source is Source.MDSTAT:
        roll.add_listing(group.drafts[0])
        return roll
    for child in group.children:
        for draft in child.ranked():
            for member in draft.members.values():
                roll.add(draft, member, numbered=False)
    for draft in group.ranked():
        for member in draft.members.values():
            roll.add(draft, member, numbered=not group.is_container)
    if only:
        return roll
    order: dict[int, int] = {}
    for draft in sorted((p for g in (group, *group.children) for p in g.drafts), key=lambda draft: draft.source):
        for member in draft.members.values():
            order[id(member)] = len(order)
    roll.devices.sort(key=lambda device: min([order[id(member)] for _, member in device.reports]))
    return roll


def in_order(drives: Iterable[tuple[Device, Drive]]) -> list[Drive]:
    """Members by their slots, then journal, spares and failed drives. Otherwise in the order of the output."""
    return [drive for _, drive in sorted(drives, key=lambda item: (_RANK.get(item[1].role, 0), item[0].place()))]


def drive_of(device: Device, group: Group, *, drive_id: str, array_id: str, inactive: bool) -> Drive:
    """The drive of the model."""
    values = device.values(_INACTIVE_ORDER if inactive else _ROLE_ORDER)
    role: Role | None = values.get("role")
    if group.is_container and role == "member" and _is_left_over(device, group):
        role = "spare"
    status, text = _status(device, values)
    if inactive and not group.is_container:
        text = values.get("status_text") or text
    errors = values.get("errors.media")
    flags = values.get("flags") or ()
    if flags and len(device.reports) > 1:
        flags = tuple(dict.fromkeys(flag for _, member in device.reports for flag in member.get("flags") or ()))
    return Drive(
        id=drive_id,
        array=array_id,
        role=role,
        device=device.node,
        serial=values.get("serial"),
        size_bytes=values.get("size_bytes"),
        status=status,
        status_text=text,
        flags=flags,
        errors=_NO_ERRORS if errors is None else Errors(media=errors),
        spare_for=(array_id,) if role == "spare" else (),
        details=_details(device.reports),
    )


def _status(device: Device, values: Mapping[str, Any]) -> tuple[Health, str | None]:
    """The worst status of the strongest source with one, and its words. A failure or a write error always counts."""
    if len(device.reports) == 1:
        return values.get("status") or "unknown", values.get("status_text")
    ranked = sorted(device.reports, key=lambda report: (_severity(*report), report[0].source))
    text = next((str(m.get("status_text")) for _, m in ranked if m.get("status_text")), None)
    for source in dict.fromkeys(draft.source for draft, _ in ranked):
        mine = [member for draft, member in ranked if draft.source is source]
        healths = [member.get("status") for member in mine if member.get("status")]
        health = worst(healths)
        if health != "unknown":
            own = next(
                (str(m.get("status_text")) for m in mine if m.get("status") == health and m.get("status_text")),
                None,
            )
            return health, own or text
    return "unknown", text


def _severity(draft: ArrayDraft, member: MemberDraft) -> int:
    """The rank of what a running array reports of a member, the worst first. mdadm prints no write errors."""
    if draft.source not in LIVE:
        return 2
    return 0 if member.get("status") == "critical" else 1 if "write_error" in (member.get("flags") or ()) else 2


def _is_left_over(device: Device, group: Group) -> bool:
    """Whether none of a container's arrays uses a drive. The kernel has to list container and arrays."""
    sources = {draft.source for child in group.children for draft in child.drafts}
    listed = any(draft.source is Source.MDSTAT for draft in group.drafts)
    used = any(not draft.is_container for draft, _ in device.reports)
    return listed and Source.MDSTAT in sources and not used


def _details(reports: Sequence[tuple[ArrayDraft, MemberDraft]]) -> dict[str, str]:
    if len(reports) == 1:
        return reports[0][1].details
    merged: dict[str, str] = {}
    for _, member in sorted(reports, key=lambda item: -item[0].source):
        merged.update(member.details)
    return merged


__all__ = ["Device", "MemberList", "drive_of", "key_of", "list_members"]
