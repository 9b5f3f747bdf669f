"""Volumes and plain drives that claims are about. The drives below them are included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from msgspec.structs import replace

from raidctl.errors import CannotTell, UsageError
from raidctl.evidence import Fact, Output
from raidctl.health.narrowed import find_whole
from raidctl.host import BlockDevice, HostView
from raidctl.model import Array, Controller, Drive, Inventory, Volume
from raidctl.model.drives_below import DrivesBelow
from raidctl.model.objects import by_id
from raidctl.request import Runner, converse
from raidctl.survey.failed_requests import FailureWatch
from raidctl.survey.survey import Survey
from raidctl.text import printable
from raidctl.verify.kernel import Kernel, read_kernel


@dataclass(frozen=True)
class Subject:
    """A volume or drive, with what is below it."""

    controller: Controller
    item: Volume | Drive
    members: tuple[Drive, ...] = ()
    """The drives of the volume as listed by its tool, without spares. For a drive, the drive."""
    below: tuple[Subject, ...] = ()
    """Of a software array: the volumes and drives below its members."""

    @property
    def id(self) -> str:
        """Id of the volume or drive."""
        return self.item.id

    @property
    def volume(self) -> Volume | None:
        """The volume; None for a drive."""
        return self.item if isinstance(self.item, Volume) else None

    @property
    def software(self) -> bool:
        """Whether it is a software array."""
        return self.controller.mode == "software"

    @property
    def built_on(self) -> tuple[Subject, ...]:
        """Of a software array: all volumes below it."""
        found = {one.id: one for below in self.below for one in (below, *below.built_on)}
        return tuple(one for one in found.values() if one.volume is not None)

    @property
    def on_controllers(self) -> tuple[Subject, ...]:
        """Of a software array: the controller volumes below it."""
        return tuple(one for one in self.built_on if not one.software)

    @property
    def array(self) -> Array | None:
        """The array of the volume."""
        return by_id(self.controller.arrays, self.item.array)

    @property
    def drives(self) -> tuple[tuple[Controller, Drive], ...]:
        """The physical drives, each once, also below a software array."""
        if not self.software:
            return tuple((self.controller, drive) for drive in self.members)
        found = {drive.id: (controller, drive) for subject in self.below for controller, drive in subject.drives}
        return tuple(found.values())

    @property
    def unlinked(self) -> tuple[str, ...]:
        """Of a software array: the members below which nothing is known, such as an NBD device."""
        if not self.software:
            return ()
        found = [drive.id for drive in self.members if not drive.backing]
        return tuple(dict.fromkeys((*found, *(name for one in self.below for name in one.unlinked))))


@dataclass(frozen=True)
class CheckedMachine:
    """The machine: survey and kernel information."""

    seen: Survey
    kernel: Kernel
    places: Mapping[str, str | None] = field(default_factory=dict)
    """On another machine: the real paths of targets (`resolve_paths`)."""

    @property
    def inventory(self) -> Inventory:
        """The inventory."""
        return self.seen.inventory

    @property
    def view(self) -> HostView:
        """The kernel's view."""
        return self.seen.view

    @cached_property
    def facts(self) -> Mapping[str, list[Fact]]:
        """The facts of each object."""
        found: dict[str, list[Fact]] = {}
        outputs: Iterable[Output] = self.seen.outputs
        for output in outputs:
            for fact in output.facts:
                found.setdefault(fact.object_id, []).append(fact)
        return found

    @cached_property
    def below(self) -> DrivesBelow:
        """The drives below each volume."""
        return DrivesBelow(self.inventory.controllers)

    @cached_property
    def partial(self) -> frozenset[str]:
        """Ids of objects described in output that is incomplete or unreadable."""
        problems = [problem for problem in self.inventory.problems if problem.kind == "unread"]
        unread = {problem.where for problem in problems}
        outputs = [output for output in self.seen.outputs if output.cut_off is not None or output.command in unread]
        named = [problem.where for problem in problems if problem.severity == "error"]
        return frozenset([*named, *(fact.object_id for output in outputs for fact in output.facts)])

    def in_arrays(self) -> set[str]:
        """Ids of the drives in software arrays, also failed and spare ones."""
        return {
            name for controller in self.inventory.controllers for drive in controller.drives for name in drive.backing
        }

    def subject(self, controller: Controller, item: Volume | Drive) -> Subject:
        """A volume or drive with what is below it."""
        return self._subject(controller, item, frozenset())

    def _subject(self, controller: Controller, item: Volume | Drive, above: frozenset[str]) -> Subject:
        if isinstance(item, Drive):
            return Subject(controller, item, (item,))
        members = self.below.members(item).drives
        if controller.mode != "software" or item.id in above:
            return Subject(controller, item, members)
        names = dict.fromkeys(name for member in members for name in member.backing if name in self.below.items)
        parts = [self._subject(*self.below.items[name], above | {item.id}) for name in names]
        return Subject(controller, item, members, tuple(parts))


def with_kernel(seen: Survey, runner: Runner) -> CheckedMachine:
    """The machine with kernel information. What could not be read is an error."""
    watched = FailureWatch(runner)
    kernel = converse(read_kernel(seen.view), watched)
    known = seen.inventory.problems
    lost = watched.problems([problem for problem in known if problem.severity == "error"])
    errors = [replace(problem, severity="error") for problem in lost]
    return CheckedMachine(replace(seen, inventory=replace(seen.inventory, problems=(*known, *errors))), kernel)


def whole(machine: CheckedMachine, *, drives: bool) -> tuple[list[Subject], list[str]]:
    """All volumes, and ids of drives in use outside. With ``drives``, or without volumes, these are subjects too."""
    controllers = machine.inventory.controllers
    volumes = [machine.subject(controller, volume) for controller in controllers for volume in controller.volumes]
    inside = {drive.id for subject in volumes for _, drive in subject.drives} | machine.in_arrays()
    alone = [
        (controller, d)
        for controller in controllers
        if controller.mode != "software"
        for d in controller.drives
        if d.mountpoints and d.id not in inside and d.role in (None, "passthrough", "unassigned")
    ]
    if drives or not volumes:
        return [*volumes, *(machine.subject(controller, drive) for controller, drive in alone)], []
    return volumes, [drive.id for _, drive in alone]


def named(machine: CheckedMachine, words: Sequence[str]) -> list[Subject]:
    """The volumes and drives named by id, device, mount point or directory. A controller or array means its volumes.

    Raises:
        UsageError: A name is unknown, ambiguous, or has no volume or drive.
        CannotTell: A directory is not on a block device.
    """
    found: dict[str, Subject] = {}
    for word in words:
        mine = [machine.subject(controller, item) for controller, item in _objects_named(machine, word)]
        if not mine and any(p.kind == "unread" and p.severity == "error" for p in machine.inventory.problems):
            raise CannotTell(
                f'No volume and no drive of "{printable(word)}" could be read; "raidctl doctor" shows why.'
            )
        if not mine:
            raise UsageError(f'"{printable(word)}" is not a volume or drive, and contains none.')
        found |= {subject.id: subject for subject in mine}
    return list(found.values())


def _objects_named(machine: CheckedMachine, word: str) -> Iterator[tuple[Controller, Volume | Drive]]:
    ids = _ids(machine, word)
    controllers = machine.inventory.controllers
    volumes = [(c, v) for c in controllers for v in c.volumes if v.id in ids or c.id in ids or v.array in ids]
    yield from volumes
    for controller in controllers:
        for drive in controller.drives:
            whole_controller = controller.id in ids and not controller.volumes and controller.mode != "software"
            if drive.id in ids or whole_controller:
                below = [machine.below.items[name] for name in drive.backing if name in machine.below.items]
                yield from below or [(controller, drive)]


def _ids(machine: CheckedMachine, word: str) -> frozenset[str]:
    try:
        return find_whole(machine.inventory, machine.view, word)
    except UsageError:
        known = machine.view.block(word)
        if known is not None:
            raise CannotTell(
                f'No controller, array or drive below {printable(known.node)} is known; "raidctl show" lists what is.'
            ) from None
        path = word.rstrip("/") or "/"
        mount = machine.kernel.above(path) if path.startswith("/") else None
        # paths below /dev are missing devices, except for file systems mounted there (/dev/shm)
        if mount is None or (path.startswith("/dev/") and not mount[0].point.startswith("/dev/")):
            raise
        blocks = [block for block in machine.view.blocks if mount[0].point in block.mountpoints]
        block = machine.view.block(mount[0].source)
        names = [mount[0].point] if blocks else [block.node] if block else []
        if not names:
            kind = printable(mount[0].filesystem)
            raise CannotTell(
                f"{printable(path)} is on a {kind} file system ({printable(mount[0].point)}), which has no block "
                "device here; name a directory on a drive, or a device."
            ) from None
        return _on_device(machine, names, path, (block or blocks[0]).node)


def _on_device(machine: CheckedMachine, names: Sequence[str], path: str, node: str) -> frozenset[str]:
    """The objects below a mount with a known device."""
    try:
        return frozenset[str]().union(*(find_whole(machine.inventory, machine.view, name) for name in names))
    except UsageError:
        raise CannotTell(
            f"{printable(path)} is on {printable(node)}, but no controller, array or drive below it is known; "
            '"raidctl show" lists what is.'
        ) from None


def blocks_of(machine: CheckedMachine, subject: Subject) -> tuple[BlockDevice, ...]:
    """The block device of a subject, and those above it."""
    block = machine.view.block(subject.item.device)
    return (block, *machine.view.above(block.name)) if block else ()
