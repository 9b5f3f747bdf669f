"""Find the drafts that describe the same array.

Kernel name, device, UUID; place in a container; the same members. A superblock names no kernel device: it belongs to
the array that lists its device as a member, unless the UUIDs differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, field

from raidctl.vendor.mixed_machines import described_twice
from raidctl_md.draft import ArrayDraft, Parent, Source, kernel_of

_MAX_CONTAINERS = 100
"""Most containers for a search by members. With more, containers are not searched by members: the work grows with the
square."""

Alias = Callable[[str], "str | None"]
"""Kernel name of a device path (``/dev/md/root`` -> ``md127``), None if unknown."""


class Group(Struct, eq=False):
    """All drafts of one array, the strongest source first."""

    drafts: list[ArrayDraft] = field(default_factory=list)
    is_container: bool = False
    reported: set[bool | None] = field(default_factory=set)
    """What its drafts report of that; see :func:`_is_container`."""
    kernel: str | None = None
    node: str | None = None
    uuid: str | None = None
    container: Group | None = None
    index: str = ""
    children: list[Group] = field(default_factory=list)
    name: str = ""
    """The part of its id after ``md:``."""

    def ranked(self) -> list[ArrayDraft]:
        """The drafts, the strongest source first. Among superblocks, the most recent comes first, else the last."""
        if len(self.drafts) == 1:
            return self.drafts
        numbered = enumerate(self.drafts)
        return [draft for _, draft in sorted(numbered, key=lambda item: (item[1].source, -item[1].events, -item[0]))]


class Grouper:
    """Assigns drafts to groups, one after the other."""

    def __init__(self, alias: Alias) -> None:
        self.alias = alias
        self.groups: list[Group] = []
        self.index: dict[tuple[object, ...], Group] = {}

    def kernel(self, node: str | None) -> str | None:
        """The kernel's name of an array's device."""
        return (self.alias(node) or kernel_of(node)) if node else None

    def add(self, draft: ArrayDraft) -> None:
        """Add a draft to its group, or to a new one."""
        container = self._container(draft.parent) if draft.parent else None
        kernel = self.kernel(draft.node)
        keys = _keys(draft, kernel, container)
        group = next((self.index[key] for key in keys if self._fits(key, draft, kernel)), None)
        if group is None:
            group = self._by_member(draft)
        if group is None:
            group = Group(is_container=draft.is_container)
            self.groups.append(group)
        group.drafts.append(draft)
        group.reported.add(_is_container(draft))
        group.is_container |= draft.is_container
        group.kernel = group.kernel or kernel
        group.node = group.node or draft.node
        group.uuid = group.uuid or draft.uuid
        if container is not None and group.container is None and container is not group:
            group.container, group.index = container, draft.parent.index if draft.parent else ""
            container.children.append(group)
        self._remember(group, draft, keys)

    def _fits(self, key: tuple[object, ...], draft: ArrayDraft, kernel: str | None) -> bool:
        group = self.index.get(key)
        if group is None:
            return False
        if group.kernel and kernel and group.kernel != kernel:
            # not even by UUID: masked outputs repeat one
            return False
        if group.reported | {_is_container(draft)} >= {True, False}:
            if key[0] in ("dev", "node"):  # of two machines
                group.drafts[0].complain(described_twice(str(key[-1]), ["a container or an array"]))
            return False
        return key[0] != "members" or not ((group.kernel and kernel) or _contradict(group, draft))

    def _by_member(self, draft: ArrayDraft) -> Group | None:
        if draft.source is not Source.EXAMINE or draft.parent:
            return None
        for member in draft.members.values():
            if member.node is None:
                continue
            group = self.index.get(("member", draft.is_container, member.name))
            if group is not None and not _contradict(group, draft):
                return group
            if draft.get("raid_level") is not None:
                break
        return None

    def _remember(self, group: Group, draft: ArrayDraft, keys: Iterable[tuple[object, ...]]) -> None:
        for key in keys:
            self.index.setdefault(key, group)
        if draft.source in (Source.DETAIL, Source.MDSTAT, Source.SYSFS):
            for name in draft.members:
                self.index.setdefault(("member", group.is_container, name), group)

    def _container(self, parent: Parent) -> Group | None:
        """The container that a draft names, created if no other describes it."""
        if not parent.ref:
            return None
        kernel = self.kernel(parent.ref) if parent.ref.startswith("/") else None
        keys: list[tuple[object, ...]] = [("dev", kernel)] if kernel else []
        keys.append(("node", parent.ref) if parent.ref.startswith("/") else ("uuid", parent.ref))
        for key in keys:
            if key in self.index:
                return self.index[key]
        group = Group(is_container=True, kernel=kernel)
        if parent.ref.startswith("/"):
            group.node = parent.ref
        else:
            group.uuid = parent.ref
        self.groups.append(group)
        for key in keys:
            self.index[key] = group
        return group


def _keys(draft: ArrayDraft, kernel: str | None, container: Group | None) -> list[tuple[object, ...]]:
    keys: list[tuple[object, ...]] = []
    if kernel:
        keys.append(("dev", kernel))
    if draft.node:
        keys.append(("node", draft.node))
    if draft.uuid:
        keys.append(("uuid", draft.uuid))
    if container is not None and draft.parent and draft.parent.index:
        keys.append(("sub", id(container), draft.parent.index))
    elif draft.members and draft.source in (Source.DETAIL, Source.MDSTAT, Source.SYSFS, Source.EXPORT):
        keys.append(("members", draft.is_container, frozenset(draft.members)))
    return keys


def _is_container(draft: ArrayDraft) -> bool | None:
    """Whether a draft reports a container. None if it reports neither that nor a level, as for a stopped array."""
    return True if draft.is_container else False if draft.get("raid_level") is not None else None


def _contradict(group: Group, draft: ArrayDraft) -> bool:
    return bool(group.uuid and draft.uuid and group.uuid != draft.uuid)


def group(drafts: Sequence[ArrayDraft], alias: Alias) -> list[Group]:
    """Group the drafts by array, and the arrays by container."""
    grouper = Grouper(_with_containers(drafts, alias))
    for draft in sorted(drafts, key=lambda draft: (not draft.is_container, draft.source)):
        grouper.add(draft)
    for item in list(grouper.groups):
        _check_container(item)
    known = [item for item in grouper.groups if item.is_container and item.drafts]
    if len(known) <= _MAX_CONTAINERS:
        for item in list(grouper.groups):
            _find_container(item, known, grouper.groups)
    for item in grouper.groups:
        _check_nested(item)
    _name(grouper.groups)
    return grouper.groups


def _with_containers(drafts: Sequence[ArrayDraft], alias: Alias) -> Alias:
    """Find the kernel's name of a container that two sources name differently.

    mdadm prints ``/dev/md/imsm0``, mdstat ``/md127/0``.
    """
    places: dict[str, str] = {}
    for draft in drafts:
        kernel = kernel_of(draft.parent.ref) if draft.parent else None
        if draft.node and kernel:
            places[draft.node] = kernel
    learnt = {draft.parent.ref: places[draft.node] for draft in drafts if draft.parent and draft.node in places}
    return lambda node: alias(node) or learnt.get(node)


def _find_container(item: Group, known: Sequence[Group], groups: list[Group]) -> None:
    """Find a container that only its arrays name. It lists all their members."""
    if item.drafts or item.kernel or not item.children:
        return
    used = {key for child in item.children for draft in child.drafts for key in draft.members}
    fitting = [other for other in known if used and used <= {key for p in other.drafts for key in p.members}]
    if len(fitting) == 1:
        for child in item.children:
            child.container = fitting[0]
        fitting[0].children += item.children
        groups.remove(item)


def _check_container(item: Group) -> None:
    """Separate arrays from a supposed container that is reported not to be one."""
    if item.drafts and not any(draft.is_container for draft in item.drafts):
        for child in item.children:
            child.container = None
        item.children.clear()
        item.is_container = False


def _check_nested(item: Group) -> None:
    """Separate arrays from a container that is an array in another. The outputs are of two machines."""
    if item.container is not None:
        for child in item.children:
            child.container = None
        item.children.clear()


def _name(groups: Sequence[Group]) -> None:
    taken: dict[str, int] = {}
    for item in groups:
        base = item.kernel or (item.node or "").removeprefix("/dev/md/").removeprefix("/dev/") or item.uuid
        name = base = base or "unknown"
        while name in taken:
            taken[base] += 1
            name = f"{base}-{taken[base]}"
        taken[name] = 1
        item.name = name
