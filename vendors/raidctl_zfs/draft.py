"""A pool under construction: a tree of vdevs, and the model's drafts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct, field

from raidctl.evidence import Line, mark_read
from raidctl.model import Health
from raidctl.text import regex
from raidctl.vendor.draft import GroupDraft
from raidctl.vendor.mixed_machines import described_twice
from raidctl.vendor.software import SoftwareDraft
from raidctl_zfs.vocabulary import COPIES, INTERIOR, OF_SPARE, PARITY, QUIET, VDEV, WORKING

# draid2:4d:11c:2s-0: of 11 devices
_WIDTH = regex(r"draid.*:(\d{1,4})c\b", re.ASCII)


class Vdev(Struct):
    """A row of a pool's configuration: pool, vdev or device."""

    name: str
    state: str = ""
    part: str = "data"
    """``data``, ``log``, ``cache``, ``spare``, ``special``, ``dedup``."""
    lines: list[Line] = []
    """The lines that report the state."""
    counts: dict[str, str] = {}
    """``READ``, ``WRITE``, ``CKSUM`` as printed."""
    note: str = ""
    path: str = ""
    size: int | None = None
    details: list[tuple[Line, str, str]] = []
    children: list[Vdev] = []

    @property
    def kind(self) -> str:
        """``mirror``, ``raidz2``, ``draid1``. ``disk`` for a device, ``unknown`` if -g prints a number as its name."""
        match = INTERIOR.fullmatch(self.name)
        if match is None:
            return "unknown" if self.children else "disk"
        return {"raidz": "raidz1", "draid": "draid1"}.get(match[1], match[1])

    @property
    def health(self) -> Health | None:
        """Its state. None if the word is unknown, is only that of a spare, or is good beside a remark that is not."""
        health = None if self.state in OF_SPARE and self.part != "spare" else VDEV.get(self.state)
        return None if health == "ok" and QUIET.sub("", self.note).strip() else health

    @property
    def works(self) -> bool | None:
        """Whether it is there and filled; None: its state is unknown."""
        if self.health == "critical" or WORKING.search(self.note):
            return False
        return None if self.health is None else True

    @property
    def fine(self) -> bool:
        """Whether it is in a good state."""
        return self.health == "ok"

    @property
    def whole(self) -> bool:
        """Whether there are as many devices as its kind needs. The option -e lists only those with errors."""
        wide = _WIDTH.search(self.name)
        least = int(wide[1]) if wide else PARITY[self.kind] + 1 if self.kind in PARITY else 2
        return self.kind in ("disk", "indirect") or len(self.children) >= least

    def leaves(self) -> Iterator[Vdev]:
        """The devices below."""
        if not self.children and self.kind == "disk":
            yield self
        for child in self.children:
            yield from child.leaves()


def left(vdev: Vdev, *, unknown_works: bool, strict: bool = False) -> int:
    """Return how many more devices below may fail, whichever they are. The value is -1 if it does not work now.

    ``unknown_works``: whether devices of an unknown state work. ``strict``: a degraded one counts as gone, although it
    still works, as it had too many errors.
    """
    if VDEV.get(vdev.state) == "critical":
        return -1
    if not vdev.children:
        works = unknown_works if vdev.works is None else vdev.works and (vdev.fine or not strict)
        return 0 if works else -1
    costs = sorted(left(child, unknown_works=unknown_works, strict=strict) + 1 for child in vdev.children)
    if vdev.kind in COPIES or (unknown_works and vdev.kind == "unknown"):
        return sum(costs) - 1
    return max(sum(costs[: PARITY.get(vdev.kind, 0) + 1]) - 1, -1)


class PoolDraft(GroupDraft):
    """A pool, or its array; the pool has the tree."""

    root: Vdev | None = None
    parts: list[Vdev] = field(default_factory=list)
    """Logs, caches, spares, special vdevs: the parts beside the root."""
    imported: bool = True
    flat: bool = False
    """Whether the indentation is lost. It is then unknown which devices belong together."""
    lost: bool = False
    """zpool reports that it could not find all vdevs."""
    sync_read: bool | None = None
    """Whether each value of the property ``sync`` was read. None: there was none."""
    sync_disabled: list[str] = field(default_factory=list)
    """Its file systems and volumes with ``sync=disabled``, without those that inherit it from one of them."""

    def rows(self) -> list[Vdev]:
        """The rows of its table below the pool's own, without titles."""
        found = [*(self.root.children if self.root else ()), *self.parts]
        for vdev in found:
            found += vdev.children
        return [vdev for vdev in found if vdev.state]

    def add_table(self, other: PoolDraft) -> None:
        """Add the table of another output about the pool.

        If two differ, the worse one is used and both are reported.
        """
        mine, more = self.rows(), other.rows()
        worse = sum(not row.fine for row in more) - sum(not row.fine for row in mine)
        if mine and more:
            found = [f"state {' or '.join(_states(pool) for pool in (self, other))}"] if worse else []
            if Counter(row.kind for row in mine) != Counter(row.kind for row in more):
                found.append("other devices")
            if found:
                self.complain(described_twice(self.name, found))
            mark_read(*(line for row in (*mine, *more) for line in row.lines))
        counted = any(row.counts for row in mine) and not any(row.counts for row in more)
        if self.root is None or not mine or worse > 0 or (more and worse == 0 and not counted):
            self.root, self.parts, self.flat = other.root or self.root, other.parts, other.flat
        self.lost |= other.lost


def _states(pool: PoolDraft) -> str:
    return (pool.root.state if pool.root else "") or "unknown"


class ControllerDraft(SoftwareDraft[PoolDraft]):
    """All pools of a machine; a drive's name is ``tank/sda``."""

    group_type = PoolDraft
