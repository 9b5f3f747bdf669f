"""What is removed with a drive: members, volumes, content of partitions. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from functools import cached_property

from msgspec import Struct

from raidctl.health.array_states import lacks_a_drive
from raidctl.health.redundancy import (
    INCOMPLETE,
    OUT_OF_REACH,
    WHOLE,
    being_rebuilt,
    exceeds_redundancy,
    members,
    members_expected,
)
from raidctl.health.spares import users_of
from raidctl.host import BlockDevice, HostView
from raidctl.model import Array, Controller, Drive, Inventory, Volume, has_failed
from raidctl.operate.boot_loader import ESP, Surroundings
from raidctl.select import family_of, physical, plain_serial
from raidctl.vendor.unreported import Fact, Unreported


class Loss(Struct, frozen=True):
    """What one volume loses with the drive: its members on it."""

    controller: Controller
    array: Array
    volume: Volume | None
    """None: no volume is reported on the array."""
    leaving: tuple[Drive, ...]
    """The members of the array that are on the drive."""

    @property
    def id(self) -> str:
        """Id of the volume, else of the array."""
        return self.volume.id if self.volume else self.array.id

    @property
    def gone(self) -> bool:
        """Whether the array already runs without these members."""
        return all(has_failed(drive) for drive in self.leaving)

    @property
    def relied_on(self) -> bool:
        """Whether a volume that is reported complete still uses these members."""
        volume = self.volume
        if volume is None or volume.status not in WHOLE or self.controller.mode == "software":
            return False
        working = [one for one in self.others if not has_failed(one)]
        # some tools still list a spare as such when it has taken a member's place
        working += [one for one in self.controller.drives if one.role == "spare" and one.array == self.array.id]
        listed = len(self.others) + len(self.leaving)
        return len(working) < (members_expected(volume) or listed)

    @property
    def filling(self) -> bool:
        """Whether these members are only being filled. The volume does not depend on them yet."""
        return all(being_rebuilt(drive) for drive in self.leaving)

    @property
    def short(self) -> bool:
        """Whether the volume already lacks other members, by its own state or that of its array."""
        if self.volume is None or self.gone:
            return False
        return self.volume.status in INCOMPLETE or lacks_a_drive(self.array)

    @property
    def out_of_reach(self) -> bool:
        """Whether the volume is inaccessible."""
        return self.volume is not None and self.volume.status in OUT_OF_REACH

    @property
    def doubtful(self) -> bool:
        """Whether a member reported gone may hold the only copy of data."""
        if self.controller.mode == "software" and all(drive.role == "failed" for drive in self.leaving):
            return False  # the kernel has dropped it
        return self.volume is None or exceeds_redundancy(self.controller, self.volume)

    @property
    def before(self) -> int | None:
        """The number of failures that the volume survives now; None: unknown."""
        return (self.volume or self.array).failures_tolerated

    @property
    def after(self) -> int | None:
        """The number of failures that it survives without the drive. Below 0: its data is lost. None: unknown."""
        if self.before is None or self.out_of_reach or (self.gone and self.doubtful):
            return None
        return self.before if self.gone or self.filling else self.before - 1

    @property
    def others(self) -> tuple[Drive, ...]:
        """The other members of the array."""
        leaving = {drive.id for drive in self.leaving}
        return tuple(drive for drive in members(self.controller, self.array) if drive.id not in leaving)


class Subject(Struct, frozen=True, dict=True):
    """A physical drive on its machine."""

    inventory: Inventory
    view: HostView
    drive_id: str
    now: datetime
    around: Surroundings = Surroundings()

    @cached_property
    def _places(self) -> dict[str, tuple[Controller, Drive]]:
        return {
            drive.id: (controller, drive) for controller in self.inventory.controllers for drive in controller.drives
        }

    @property
    def drive(self) -> Drive:
        """The drive."""
        return self._places[self.drive_id][1]

    @property
    def controller(self) -> Controller:
        """The controller that lists the drive."""
        return self._places[self.drive_id][0]

    def unreported(self, controller: Controller, fact: Fact) -> Unreported | None:
        """Why no tool of a controller's family reports a fact. None: some tool could."""
        return self.around.unreported.get((family_of(controller), fact))

    @property
    def software(self) -> bool:
        """Whether only a software array lists the drive. The device below is unknown then."""
        return self.controller.mode == "software"

    @property
    def namesakes(self) -> tuple[Drive, ...]:
        """Other physical drives with the same serial number."""
        own = plain_serial(self.drive.serial)
        drives = [drive for _, drive in self._places.values() if not drive.backing and drive.id != self.drive_id]
        return tuple(drive for drive in drives if own and plain_serial(drive.serial) == own)

    @cached_property
    def entries(self) -> tuple[tuple[Controller, Drive], ...]:
        """The drive, and the members of software arrays on it."""
        upper = [(controller, drive) for controller, drive in self._places.values() if self.drive_id in drive.backing]
        return ((self.controller, self.drive), *upper)

    @cached_property
    def losses(self) -> tuple[Loss, ...]:
        """The losses of all volumes with data on the drive."""
        found: list[Loss] = []
        for controller in {id(controller): controller for controller, _ in self.entries}.values():
            own = [drive for other, drive in self.entries if other is controller and drive.role != "journal"]
            for array in controller.arrays:
                leaving = tuple(drive for drive in own if _holds_data(controller, array, drive))
                volumes = [volume for volume in controller.volumes if volume.array == array.id]
                if leaving:
                    found += [Loss(controller, array, volume, leaving) for volume in volumes]
                    found += [] if volumes else [Loss(controller, array, None, leaving)]
        return tuple(found)

    @cached_property
    def former(self) -> tuple[Volume, ...]:
        """The incomplete volumes of a failed drive's controller. The drive is in no array.

        Controllers drop a failed drive from its array, so it may have been a member of any of them.
        """
        drive = self.drive
        if self.losses or not has_failed(drive):
            return ()
        return tuple(volume for volume in self.controller.volumes if volume.status not in WHOLE)

    @cached_property
    def covered(self) -> tuple[tuple[Controller, Volume], ...]:
        """The volumes that the drive is a spare for. One whose own state is ``Global Hot-Spare`` is for all."""
        found = []
        for controller, drive in self.entries:
            if drive.role == "spare":
                named = {array.id for array in controller.arrays if drive.id in array.spares} | {*drive.spare_for}
                if "global" in (drive.status_text or "").lower():
                    named = set()
                others = {array.id for array in controller.arrays} - named if named else set[str]()
                found += [(controller, volume) for volume in controller.volumes if volume.array not in others]
        return tuple(found)

    @property
    def unlisted(self) -> tuple[str, ...]:
        """Arrays without listed volumes that may need this spare or failed drive."""
        dropped = not self.losses and has_failed(self.drive)
        found: list[str] = []
        for controller in {
            id(controller): controller for controller, drive in self.entries if dropped or drive.role == "spare"
        }.values():
            listed = {volume.array for volume in controller.volumes}
            arrays = [array.id for array in controller.arrays if array.id not in listed]
            found += arrays if controller.volumes else (arrays or [controller.id])
        return tuple(found)

    @property
    def volumes(self) -> Iterator[tuple[Controller, Volume]]:
        """Volumes that the drive holds, held, or covers as a spare."""
        yield from ((loss.controller, loss.volume) for loss in self.losses if loss.volume)
        yield from ((self.controller, volume) for volume in self.former)
        yield from self.covered

    @cached_property
    def blocks(self) -> tuple[BlockDevice, ...]:
        """The kernel's devices of this drive: paths, namespaces, logical units."""
        own = self.view.block(self.drive.device)
        if own is None:
            return ()
        same = [block for block in self.view.blocks if block.kind == "disk" and _same(block, own)]
        return (own, *(block for block in same if block.name != own.name))

    @property
    def unproven(self) -> tuple[str, ...]:
        """Devices to read: those of a drive in no array on which the kernel shows nothing."""
        roles = {drive.role for _, drive in self.entries}
        if self.losses or self.covered or roles & {"member", "spare", "journal"}:
            return ()
        return tuple(dict.fromkeys(node for block in self.blocks for node in _bare(self.view, block)))

    def below(self, member: Drive) -> tuple[tuple[Controller, Drive], ...]:
        """The physical drives below a member of an array, with their controllers. Empty if unknown."""
        names = physical(self.inventory, [member.id])
        if any(self._places[name][0].mode == "software" for name in names):
            return ()
        return tuple(self._places[name] for name in names)


def _holds_data(controller: Controller, array: Array, drive: Drive) -> bool:
    """Whether a drive is a member of an array, or a spare that may have taken a member's place."""
    if drive.role == "spare":
        return any(volume.array == array.id for volume in users_of(controller, drive))
    return drive.id in array.drives or drive.array == array.id


def _same(block: BlockDevice, own: BlockDevice) -> bool:
    pairs = ((block.serial, own.serial), (block.wwn, own.wwn), (block.controller, own.controller))
    return any(one is not None and one == other for one, other in pairs)


class Use(Struct, frozen=True):
    """A use of a device of the drive, besides the arrays."""

    text: str
    certain: bool
    """Whether the use is certain."""


_MEMBER = {
    "LVM2_member": "a physical volume of LVM", "zfs_member": "a member of a ZFS pool", "btrfs": "a member of a btrfs",
    "bcache": "a device of bcache", "bcachefs": "a member of a bcachefs", "ceph_bluestore": "a Ceph OSD",
    "drbd": "a DRBD device", "oracleasm": "an ASM device", "stratis": "a Stratis device", "LVM1_member": "LVM",
    "VMFS_volume_member": "a member of a VMFS",
}  # fmt: skip
"""Contents that others use without a mount, in udev's words (libblkid)."""
_IDLE = ("swap",)


def uses(subject: Subject) -> Iterator[Use]:
    """Uses of the drive besides the arrays that list it. Without the kernel's view, they are those in the inventory."""
    listed = {loss.array.id.partition("/")[0] for loss in subject.losses} | {loss.id for loss in subject.losses}
    for controller, drive in subject.entries:
        if drive.role in ("spare", "journal") and controller.mode == "software":
            listed |= {
                array.id.partition("/")[0] for array in controller.arrays if drive.id in (*array.drives, *array.spares)
            }
            listed |= {(drive.array or "").partition("/")[0]}
    names = {name.partition(":")[2] for name in listed}
    nodes = {loss.volume.device for loss in subject.losses if loss.volume and loss.controller.mode == "software"}
    nodes |= {
        drive.device
        for controller, drive in subject.entries
        if controller.mode == "software" and any(array.id == drive.array for array in controller.arrays)
    }
    names |= {block.node for node in nodes if node and (block := subject.view.block(node)) is not None}
    for block in subject.blocks:
        yield from _walk(subject.view, block, names)
    if not subject.blocks:
        points = subject.drive.mountpoints
        yield from (Use(f"{point} is on it", certain=True) for point in points)


def _walk(view: HostView, block: BlockDevice, arrays: Collection[str]) -> Iterator[Use]:
    """Uses of a device. ``arrays``: names of the arrays that R1 judges, and the nodes of their volumes and members."""
    above = [one for one in view.above(block.name) if one.parent == block.name or block.name in one.slaves]
    if block.node in arrays and not above:
        return  # the mounts of a pool are listed on each of its members
    yield from (_mounted(block, point) for point in block.mountpoints)
    for upper in above:
        if upper.node in arrays and upper.kind == "dm":
            continue
        if upper.kind == "md":
            if upper.name not in arrays:
                yield Use(f"{upper.node}, which is not in the inventory, is on {block.node}", certain=False)
        else:
            yield from _walk(view, upper, arrays)
    if block.mountpoints or above:
        return
    kind, name = block.filesystem, block.node
    if block.kind not in ("disk", "partition") and not _is_path(block):
        yield Use(f"{block.dm_name or name} is open on it", certain=True)
    elif kind in _MEMBER:
        yield Use(f"{name} is {_MEMBER[kind]}", certain=True)
    elif kind and kind.endswith("_raid_member"):
        yield Use(f"{name} belongs to an array that is not running, or was a member of one ({kind})", certain=False)
    elif kind and kind not in _IDLE and (block.partition_type or "").lower() not in ESP:
        text = f"{name} contains {kind}, which is not mounted here; whether anything else uses it is unknown"
        yield Use(text, certain=False)
    elif not block.probed:
        yield Use(f"what {name} contains is unknown without the udev database", certain=False)


def _bare(view: HostView, block: BlockDevice) -> Iterator[str]:
    """The device, or its partitions, without mount, known content or anything above."""
    above = [one for one in view.above(block.name) if one.parent == block.name or block.name in one.slaves]
    for upper in above:
        if upper.kind == "partition" or _is_path(upper):
            yield from _bare(view, upper)
    if not above and not block.mountpoints and not block.filesystem:
        yield block.node


def _mounted(block: BlockDevice, point: str) -> Use:
    text = f"{block.node} is in use as swap" if point == "[swap]" else f"{block.node} is mounted at {point}"
    return Use(text, certain=True)


def _is_path(block: BlockDevice) -> bool:
    """Whether a mapped device is the drive itself, from its paths. A partition of it counts as well."""
    return block.kind == "dm" and "mpath-" in (block.dm_uuid or "")
