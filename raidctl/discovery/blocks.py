"""Build block devices from udev's entries and sysfs attributes. Either may be missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from raidctl.discovery.enclosures import Bay
from raidctl.discovery.mounts import Candidate
from raidctl.discovery.mounts import Mount as Mounted
from raidctl.discovery.sysfs import SECTOR, Attributes, Identity, identity, offset_file, start_of
from raidctl.discovery.sysfs_path import Place, kind_of, nvme_controllers, visible_nvme
from raidctl.discovery.udevdb import Entry, in_dev, unescape
from raidctl.host import BlockDevice, BlockKind, Piece
from raidctl.model import Mount
from raidctl.order import by_kernel_name
from raidctl.text import collapse


class DeviceFacts(Struct):
    """What was read about block devices, by kernel name."""

    names: Sequence[str] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    """Paths in sysfs, from udev or from the patterns of :mod:`raidctl.discovery.sysfs`."""
    parents: Mapping[str, str] = field(default_factory=dict)
    slaves: Mapping[str, Sequence[str]] = field(default_factory=dict)
    attributes: Mapping[str, Attributes] = field(default_factory=dict)
    controllers: Mapping[str, str] = field(default_factory=dict)
    """Nodes of the namespaces' NVMe controllers."""
    bays: Mapping[str, Bay] = field(default_factory=dict)
    """Bays of SES enclosures."""

    def kind(self, name: str) -> BlockKind:
        """Return the kind of a block device."""
        entry = self.entries.get(name)
        partition = name in self.parents or (entry is not None and entry.properties.get("DEVTYPE") == "partition")
        path = self.places.get(name)
        if entry is not None and "ID_CDROM" in entry.properties:
            return "cdrom"
        return kind_of(name, partition=partition, path=path)

    def properties(self, name: str) -> Mapping[str, str]:
        """Return udev's properties of a device, completed by the kernel's."""
        entry = self.entries.get(name)
        uevent = self.attributes[name].uevent if name in self.attributes else {}
        return {**uevent, **(entry.properties if entry else {})}


def collect(
    listed: Iterable[str], entries: Mapping[str, Entry], found: Iterable[str], parents: Mapping[str, str]
) -> DeviceFacts:
    """Collect names, sysfs paths and parents, before any attribute is read.

    Args:
        listed: Kernel names that sysfs lists.
        entries: udev's entries of the subsystem ``block``.
        found: Paths of block devices below PCI functions; used if udev has no entry.
        parents: Drives of partitions, as far as sysfs shows them.
    """
    places = {name: entry.path for name, entry in entries.items() if entry.path.startswith("/devices/")}
    for path in found:
        places.setdefault(path.rsplit("/", 1)[-1].replace("!", "/"), path)
    controllers = nvme_controllers(places.values())
    hidden = [(shown, path) for name, path in places.items() if (shown := visible_nvme(name))]
    for shown, path in hidden:
        if Place.of(places.get(shown, "")).pci_address is None:
            places[shown] = path
    disks = dict(parents)
    for name, entry in entries.items():
        above = entry.path.split("/")[-2:-1]
        if entry.properties.get("DEVTYPE") == "partition" and above:
            disks.setdefault(name, above[0].replace("!", "/"))
    names = sorted({name for name in (*listed, *entries) if visible_nvme(name) is None}, key=by_kernel_name)
    return DeviceFacts(names=names, entries=entries, places=places, parents=disks, controllers=controllers)


def present(devices: DeviceFacts) -> list[str]:
    """Return the devices worth showing. RAM drives and unused loop or network devices are left out."""
    names = []
    for name in devices.names:
        kind = devices.kind(name)
        attributes = devices.attributes.get(name)
        size = attributes.size_bytes if attributes else None
        if kind != "ram" and not (kind in ("loop", "other") and not size):
            names.append(name)
    return names


def numbers(devices: DeviceFacts) -> dict[str, str]:
    """Return the kernel names by device number, ``{"8:1": "sda1"}``."""
    pairs = ((name, devices.properties(name)) for name in devices.names)
    return {f"{known['MAJOR']}:{known['MINOR']}": name for name, known in pairs if {"MAJOR", "MINOR"} <= known.keys()}


def candidates(devices: DeviceFacts, names: Iterable[str]) -> list[Candidate]:
    """Return the devices that mounts may refer to."""
    found = []
    for name in names:
        properties = devices.properties(name)
        number = f"{properties['MAJOR']}:{properties['MINOR']}" if {"MAJOR", "MINOR"} <= properties.keys() else None
        found.append(
            Candidate(
                name=name,
                device=number,
                nodes=(_node(devices, name), *_links(devices, name)),
                filesystem=properties.get("ID_FS_TYPE"),
                uuid=properties.get("ID_FS_UUID"),
                label=properties.get("ID_FS_LABEL"),
            )
        )
    return found


class Uses(Struct, frozen=True):
    """How the block devices are used, by kernel name."""

    points: Mapping[str, Sequence[str]] = field(default_factory=dict)
    mounts: Mapping[str, Mapping[str, Mounted]] = field(default_factory=dict)
    """By mount point."""
    mapped: Mapping[str, tuple[Piece, ...]] = field(default_factory=dict)
    """Offsets of the device mapper's devices, by their name there."""


def assemble(
    devices: DeviceFacts, names: Iterable[str], drivers: Mapping[str, str | None], uses: Uses
) -> tuple[BlockDevice, ...]:
    """Build the block devices of the view. ``drivers`` are those of all PCI functions, including USB."""
    return tuple(_device(devices, name, drivers, uses) for name in names)


def _device(devices: DeviceFacts, name: str, drivers: Mapping[str, str | None], uses: Uses) -> BlockDevice:
    kind = devices.kind(name)
    parent = devices.parents.get(name)
    properties = devices.properties(name)
    attributes = devices.attributes.get(name) or Attributes({})
    own = _identity(kind, properties, attributes)
    disk = devices.properties(parent) if parent else properties
    place = Place.of(devices.places.get(name) or devices.places.get(parent or "", ""))
    driver = drivers.get(place.pci_address or "")
    node = _node(devices, name)
    dm_name = properties.get("DM_NAME") or attributes.text("dm/name")
    enclosure, bay = devices.bays.get(name, (None, None))
    return BlockDevice(
        name=name,
        node=node,
        kind=kind,
        size_bytes=attributes.size_bytes,
        parent=parent,
        slaves=tuple(sorted(devices.slaves.get(name, ()))),
        links=_links(devices, name),
        mountpoints=tuple(uses.points.get(name, ())),
        model=own.model,
        serial=own.serial,
        wwn=own.wwn,
        vendor=own.vendor,
        firmware=own.firmware,
        scsi_address=place.scsi_address,
        pci_address=place.pci_address,
        driver=driver,
        rotational=attributes.flag("queue/rotational"),
        removable=attributes.flag("removable"),
        write_cache=attributes.text("queue/write_cache"),
        controller=devices.controllers.get(name),
        transport=place.transport(disk, own.vendor, driver) if kind in ("disk", "partition", "cdrom") else None,
        dm_name=dm_name,
        dm_uuid=properties.get("DM_UUID") or attributes.text("dm/uuid"),
        filesystem=properties.get("ID_FS_TYPE"),
        partition_type=properties.get("ID_PART_ENTRY_TYPE") if kind == "partition" else None,
        mounts=_mounts(node, uses.mounts.get(name, {})),
        pieces=uses.mapped.get(dm_name or "", ()) if kind == "dm" else _pieces(devices, name, attributes),
        read_ahead_bytes=attributes.figure("queue/read_ahead_kb", 1024),
        scheduler=attributes.scheduler,
        minimum_io_bytes=attributes.figure("queue/minimum_io_size") or None,
        optimal_io_bytes=attributes.figure("queue/optimal_io_size") or None,
        command_timeout_seconds=attributes.figure("device/timeout"),
        enclosure=enclosure,
        bay=bay,
    )


def _mounts(node: str, mounts: Mapping[str, Mounted]) -> tuple[Mount, ...]:
    return tuple(
        Mount(
            point=point,
            device=node,
            filesystem=mount.filesystem,
            options=tuple(dict.fromkeys((*mount.flags, *mount.options))),
        )
        for point, mount in sorted(mounts.items())
    )


def _pieces(devices: DeviceFacts, name: str, attributes: Attributes) -> tuple[Piece, ...]:
    """Return the offset of a partition. For an md array, return that of its data on each member."""
    parent = devices.parents.get(name)
    if parent:
        start = start_of(devices.properties(name), attributes)
        return () if start is None else (Piece(parent, start),)
    offsets = ((below, attributes.figure(offset_file(below), SECTOR)) for below in devices.slaves.get(name, ()))
    return tuple(Piece(below, start) for below, start in offsets if start is not None)


def _node(devices: DeviceFacts, name: str) -> str:
    entry = devices.entries.get(name)
    named = devices.properties(name).get("DEVNAME")
    return (entry.node if entry else None) or in_dev(named or name)


def _links(devices: DeviceFacts, name: str) -> tuple[str, ...]:
    entry = devices.entries.get(name)
    links = set(entry.links if entry else ())
    # E: DEVLINKS=/dev/disk/by-id/… /dev/mapper/vg0-root
    links.update(devices.properties(name).get("DEVLINKS", "").split())
    attributes = devices.attributes.get(name)
    dm_name = devices.properties(name).get("DM_NAME") or (attributes.text("dm/name") if attributes else None)
    if dm_name:
        links.add(f"/dev/mapper/{dm_name}")
    return tuple(sorted(links))


def _identity(kind: BlockKind, properties: Mapping[str, str], attributes: Attributes) -> Identity:
    """Return the identity of a drive or device-mapper device.

    Others have none, as udev copies a drive's properties to its partitions.
    """
    if kind == "dm":
        return Identity(wwn=properties.get("DM_WWN"), serial=properties.get("DM_SERIAL"))
    if kind not in ("disk", "cdrom"):
        return Identity()
    kernel = identity(attributes)
    return Identity(
        vendor=_words(properties, "ID_VENDOR") or kernel.vendor,
        model=_words(properties, "ID_MODEL") or kernel.model,
        firmware=properties.get("ID_REVISION") or kernel.firmware,
        serial=_serial(properties) or kernel.serial,
        wwn=properties.get("ID_WWN_WITH_EXTENSION") or properties.get("ID_WWN") or kernel.wwn,
    )


def _words(properties: Mapping[str, str], key: str) -> str | None:
    # E: ID_MODEL_ENC=WDC\x20WD40EFRX-68N32N0\x20\x20
    encoded = properties.get(f"{key}_ENC")
    if encoded:
        return collapse(unescape(encoded)) or None
    # E: ID_MODEL=WDC_WD40EFRX-68N32N0
    return collapse(properties.get(key, "").replace("_", " ")) or None


def _serial(properties: Mapping[str, str]) -> str | None:
    """Return the serial number on the drive's label. Udev's ``ID_SERIAL`` of a SCSI device is its world wide name."""
    short = properties.get("ID_SERIAL_SHORT")
    if properties.get("ID_BUS") == "scsi" or "ID_SCSI_SERIAL" in properties:
        own = properties.get("ID_SCSI_SERIAL") or properties.get("SCSI_IDENT_SERIAL")
        wwn = properties.get("ID_WWN_WITH_EXTENSION") or properties.get("ID_WWN") or ""
        return collapse(own) if own else (None if not short or wwn.endswith(short) else short)
    return collapse(short or properties.get("ID_SERIAL", "")) or None
