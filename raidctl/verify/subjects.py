"""What claims are about: volumes, and drives that the system sees itself, with the drives that carry them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from msgspec import structs

from raidctl.errors import CannotTell, UsageError
from raidctl.evidence import Fact, Output
from raidctl.host import BlockDevice, HostView
from raidctl.model import Array, Controller, Drive, Inventory, Volume
from raidctl.model.drives_below import DrivesBelow
from raidctl.request import Runner, converse
from raidctl.select import find
from raidctl.survey.failed_requests import FailureWatch
from raidctl.survey.survey import Survey
from raidctl.text import printable
from raidctl.verify.kernel import Kernel, look


@dataclass(frozen=True)
class Subject:
    """A volume or a drive, with what it lies on."""

    controller: Controller
    item: Volume | Drive
    members: tuple[Drive, ...] = ()
    """The drives of the volume as its tool lists them, without spares; of a drive, the drive."""
    below: tuple[Subject, ...] = ()
    """Of a software array: what its members lie on."""

    @property
    def id(self) -> str:
        """Of the volume or drive."""
        return self.item.id

    @property
    def volume(self) -> Volume | None:
        """The volume; None: it is a drive."""
        return self.item if isinstance(self.item, Volume) else None

    @property
    def software(self) -> bool:
        """Whether it is a software array."""
        return self.controller.mode == "software"

    @property
    def on_cards(self) -> tuple[Subject, ...]:
        """Of a software array: the volumes of RAID cards that it lies on."""
        found = {one.id: one for below in self.below for one in (below, *below.on_cards)}
        return tuple(one for one in found.values() if one.volume is not None and not one.software)

    @property
    def array(self) -> Array | None:
        """What the volume is cut from."""
        return next((array for array in self.controller.arrays if array.id == self.item.array), None)

    @property
    def drives(self) -> tuple[tuple[Controller, Drive], ...]:
        """The physical drives, each once: below a software array, those of everything that it lies on."""
        if not self.software:
            return tuple((self.controller, drive) for drive in self.members)
        found = {drive.id: (card, drive) for subject in self.below for card, drive in subject.drives}
        return tuple(found.values())


@dataclass(frozen=True)
class Ground:
    """Everything that is known of the machine."""

    seen: Survey
    kernel: Kernel

    @property
    def inventory(self) -> Inventory:
        """What was found."""
        return self.seen.inventory

    @property
    def view(self) -> HostView:
        """The kernel's side."""
        return self.seen.view

    @cached_property
    def facts(self) -> Mapping[str, list[Fact]]:
        """The facts of each object."""
        found: dict[str, list[Fact]] = {}
        outputs: Iterable[Output] = self.seen.outputs
        for sheet in outputs:
            for fact in sheet.facts:
                found.setdefault(fact.object_id, []).append(fact)
        return found

    @cached_property
    def below(self) -> DrivesBelow:
        """The drives below each volume."""
        return DrivesBelow(self.inventory.controllers)

    @cached_property
    def partial(self) -> frozenset[str]:
        """The ids of the objects that an output describes which is cut off, or was not understood as a whole."""
        unread = {problem.where for problem in self.inventory.problems if problem.kind == "unread"}
        outputs = [sheet for sheet in self.seen.outputs if sheet.cut_off is not None or sheet.command in unread]
        return frozenset(fact.object_id for sheet in outputs for fact in sheet.facts)

    def in_arrays(self) -> set[str]:
        """Ids of the drives that software arrays list, failed and spare ones too."""
        return {name for card in self.inventory.controllers for drive in card.drives for name in drive.backing}

    def subject(self, card: Controller, item: Volume | Drive) -> Subject:
        """A volume or drive with what it lies on."""
        return self._subject(card, item, frozenset())

    def _subject(self, card: Controller, item: Volume | Drive, above: frozenset[str]) -> Subject:
        if isinstance(item, Drive):
            return Subject(card, item, (item,))
        members = self.below.members(item).drives
        if card.mode != "software" or item.id in above:
            return Subject(card, item, members)
        names = dict.fromkeys(name for member in members for name in member.backing if name in self.below.items)
        parts = [self._subject(*self.below.items[name], above | {item.id}) for name in names]
        return Subject(card, item, members, tuple(parts))


def asked(seen: Survey, runner: Runner) -> Ground:
    """The machine with what the kernel reports beside the inventory; what it could not read is an error."""
    watched = FailureWatch(runner)
    told = converse(look(seen.view), watched)
    known = seen.inventory.problems
    lost = watched.problems([problem for problem in known if problem.severity == "error"])
    errors = [structs.replace(problem, severity="error") for problem in lost]
    return Ground(replace(seen, inventory=structs.replace(seen.inventory, problems=(*known, *errors))), told)


def whole(ground: Ground, *, drives: bool) -> tuple[list[Subject], list[str]]:
    """All volumes; drives in use outside any volume too where asked, or where there is no volume; else their ids."""
    cards = ground.inventory.controllers
    volumes = [ground.subject(card, volume) for card in cards for volume in card.volumes]
    inside = {drive.id for subject in volumes for _, drive in subject.drives} | ground.in_arrays()
    alone = [
        (card, d)
        for card in cards
        if card.mode != "software"
        for d in card.drives
        if d.mountpoints and d.id not in inside and d.role in (None, "passthrough", "unassigned")
    ]
    if drives or not volumes:
        return [*volumes, *(ground.subject(card, drive) for card, drive in alone)], []
    return volumes, [drive.id for _, drive in alone]


def named(ground: Ground, words: Sequence[str]) -> list[Subject]:
    """What the words mean: ids, devices, mount points, directories; a controller or array stands for its volumes.

    Raises:
        UsageError: A word means nothing, several things, or nothing that a claim can be about.
        CannotTell: A directory lies on no block device.
    """
    found: dict[str, Subject] = {}
    for word in words:
        mine = [ground.subject(card, item) for card, item in _meant(ground, word)]
        if not mine and any(p.kind == "unread" and p.severity == "error" for p in ground.inventory.problems):
            raise CannotTell(
                f'No volume and no drive of "{printable(word)}" could be read; "raidctl doctor" tells why.'
            )
        if not mine:
            raise UsageError(f'"{printable(word)}" is no volume or drive, and has none.')
        found |= {subject.id: subject for subject in mine}
    return list(found.values())


def _meant(ground: Ground, word: str) -> Iterator[tuple[Controller, Volume | Drive]]:
    ids = _ids(ground, word)
    cards = ground.inventory.controllers
    volumes = [(c, v) for c in cards for v in c.volumes if v.id in ids or c.id in ids or v.array in ids]
    yield from volumes
    for card in cards:
        for drive in card.drives:
            whole_card = card.id in ids and not card.volumes and card.mode != "software"
            if drive.id in ids or whole_card:
                below = [ground.below.items[name] for name in drive.backing if name in ground.below.items]
                yield from below or [(card, drive)]


def _ids(ground: Ground, word: str) -> frozenset[str]:
    try:
        return find(ground.inventory, ground.view, [word])
    except UsageError:
        known = ground.view.block(word)
        if known is not None:
            raise CannotTell(
                f'No controller, array or drive below {printable(known.node)} is known: "raidctl show" tells what is.'
            ) from None
        path = word.rstrip("/") or "/"
        mount = ground.kernel.above(path) if path.startswith("/") else None
        # what lies below /dev is a device that is not there, but for file systems that are mounted there (/dev/shm)
        if mount is None or (path.startswith("/dev/") and not mount[0].point.startswith("/dev/")):
            raise
        blocks = [block for block in ground.view.blocks if mount[0].point in block.mountpoints]
        block = ground.view.block(mount[0].source)
        names = [mount[0].point] if blocks else [block.node] if block else []
        if not names:
            kind = printable(mount[0].filesystem)
            raise CannotTell(
                f"{printable(path)} lies on a file system of the kind {kind} ({printable(mount[0].point)}), which has "
                "no block device here: name a directory on a disk, or a device."
            ) from None
        return _on_device(ground, names, path, (block or blocks[0]).node)


def _on_device(ground: Ground, names: Sequence[str], path: str, node: str) -> frozenset[str]:
    """The objects below a mount whose device is known."""
    try:
        return find(ground.inventory, ground.view, names)
    except UsageError:
        raise CannotTell(
            f"{printable(path)} lies on {printable(node)}, and no controller, array or drive below it is known: "
            '"raidctl show" tells what is.'
        ) from None


def blocks_of(ground: Ground, subject: Subject) -> tuple[BlockDevice, ...]:
    """The block device of a subject, and those above it."""
    block = ground.view.block(subject.item.device) if subject.item.device else None
    return (block, *ground.view.above(block.name)) if block else ()
