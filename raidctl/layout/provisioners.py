"""Layouts of provisioners: Ironic's ``target_raid_config``, and volume specifications of drp-raid.

Facts: https://docs.openstack.org/ironic/latest/admin/raid.html with its JSON schema, and the documentation of the
parameter ``raid-target-config`` of drp-raid. Both are JSON. A value without a counterpart in a layout is a mistake;
indices of controllers are refused, as they may change. Only what selects the boot volume (``is_root_volume``,
``Bootable``) or a volume that exists (``VolumeID``) is left out, as it makes no difference to the volumes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from raidctl.layout.specification import Counted, Layout, VolumeLayout
from raidctl.model.inventory import Interface, Media, RaidLevel
from raidctl.model.raid_levels import MIN_DRIVES
from raidctl.text import attempt
from raidctl.toml_files.mistakes import Fault, Place, hint
from raidctl.units import parse_size

Kind = Literal["toml", "ironic", "drp"]
GIB = 1 << 30
IRONIC_LEVELS: Mapping[str, RaidLevel] = {
    "0": "raid0", "1": "raid1", "5": "raid5", "6": "raid6", "1+0": "raid10", "5+0": "raid50", "6+0": "raid60",
}  # fmt: skip
_IRONIC = (
    "raid_level", "size_gb", "volume_name", "is_root_volume", "share_physical_disks", "disk_type", "interface_type",
    "number_of_physical_disks", "controller", "physical_disks",
)  # fmt: skip
DRP_LEVELS: Mapping[str, RaidLevel] = {
    "raid0": "raid0", "raid1": "raid1", "raid1e": "raid1e", "raid5": "raid5", "raid6": "raid6", "raid10": "raid10",
    "raid50": "raid50", "raid60": "raid60", "concat": "linear",
}  # fmt: skip
_DRP = (
    "RaidLevel", "Size", "StripeSize", "Name", "VolumeID", "Bootable", "Encrypt", "Type", "Protocol", "Controller",
    "Disks", "DiskCount", "AllowMixedSizes",
)  # fmt: skip
_MEDIA: Mapping[str, Media] = {"disk": "hdd", "ssd": "ssd"}
_NODE_FIELD = "target_raid_config"
"""The field of a node: ``baremetal node show -f json -c target_raid_config`` prints an object with it alone."""
SOFTWARE = "software"
"""Ironic's word for the controller of md arrays."""


def kind_of(data: bytes) -> Kind:
    """The format of a file. A JSON object is Ironic's, a JSON list drp-raid's, anything else is TOML."""
    head = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] == b"{":
        return "ironic"
    # a TOML file may begin with [table]; a list of objects, or an empty list, is not TOML
    rest = head[1:].lstrip()
    return "drp" if head[:1] == b"[" and rest[:1] in (b"{", b"]") and not rest.startswith(b"]]") else "toml"


def read_provisioner(path: str, data: bytes, faults: list[Fault], controller: str | None = None) -> Layout:
    """Read either format. Mistakes are added to ``faults``, with the line of the volume.

    Args:
        path: For messages.
        data: The file.
        faults: The list of mistakes.
        controller: The controller of volumes that name none, or only an index.
    """
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
        table = json.loads(text)
    except UnicodeDecodeError as error:
        faults.append(Fault(path, data.count(b"\n", 0, error.start) + 1, "invalid UTF-8, so not JSON."))
        return Layout()
    except (json.JSONDecodeError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        faults.append(Fault(path, line, f"invalid JSON: {getattr(error, 'msg', 'nested too deeply')}."))
        return Layout()
    node = isinstance(table, dict) and set(table) == {_NODE_FIELD} and isinstance(table[_NODE_FIELD], dict)
    lines = _lines_of_objects(text, deeper=node)
    place = Place(path, {("volume", number): line for number, line in enumerate(lines)}, faults)
    volumes: list[VolumeLayout | None]
    if isinstance(table, dict):
        volumes = _ironic(table[_NODE_FIELD] if node else table, place, controller)
    else:
        volumes = [_drp(one, place.at("volume", number), controller) for number, one in enumerate(table)]
    return Layout(volumes=tuple(one for one in volumes if one is not None))


def _lines_of_objects(text: str, *, deeper: bool) -> list[int]:
    """The line of each object of the list.

    The list may be inside an object. Its objects are those at the second depth of braces.
    """
    found: list[int] = []
    depth, top, quoted, line = 0, 1 + (text.lstrip()[:1] == "{") + deeper, False, 1
    previous = ""
    for char in text:
        line += char == "\n"
        if char == '"' and previous != "\\":
            quoted = not quoted
        elif not quoted and char == "{":
            depth += 1
            found += [line] if depth == top else []
        elif not quoted and char == "}":
            depth -= 1
        previous = "" if previous == "\\" else char
    return found


def _ironic(table: Mapping[str, Any], place: Place, controller: str | None) -> list[VolumeLayout | None]:
    disks = table.get("logical_disks")
    for key in table:
        if key != "logical_disks":
            place.wrong(f'"{key}" is not a key of target_raid_config; {hint(key, ["logical_disks"])}')
    if not isinstance(disks, list) or not disks:
        place.wrong("target_raid_config needs a list logical_disks with at least one object.")
        return []
    return [_logical_disk(one, place.at("volume", number), controller) for number, one in enumerate(disks)]


def _logical_disk(one: Any, place: Place, controller: str | None) -> VolumeLayout | None:
    if not isinstance(one, Mapping):
        place.wrong("an entry of logical_disks is an object.")
        return None
    _known(one, _IRONIC, place)
    level = _word(one, "raid_level", IRONIC_LEVELS, place)
    size = one.get("size_gb")
    if size != "MAX" and not _positive(size):
        place.wrong('size_gb is a number of GiB above 0, or "MAX".')
    if one.get("share_physical_disks"):
        place.wrong("share_physical_disks: a layout names the same drives for each volume of an array.")
    disks = one.get("physical_disks")
    if disks is not None and not (isinstance(disks, list) and disks and all(isinstance(name, str) for name in disks)):
        place.wrong("physical_disks is a list of names; a layout has no device hints, as used for software RAID.")
    named = one.get("controller")
    # Smart Array P822 in Slot 3: as its vendor's tool prints it, the model first
    model = re.sub(r" in Slot \d{1,3}( .*)?", "", named) if isinstance(named, str) else ""
    where = "md" if named == SOFTWARE else model or controller
    if where is None:
        place.wrong("the controller is missing: give it here, or with --controller.")
    count = one.get("number_of_physical_disks")
    if count is not None and not _positive(count):
        place.wrong("number_of_physical_disks is a number above 0.")
    if named == SOFTWARE and not disks and count is None:
        place.wrong("software RAID would take every drive: give number_of_physical_disks.")
    interface = one.get("interface_type")
    if interface == "scsi":
        place.wrong("a layout has no interface_type scsi; it can be sas or sata.")
    media = _word(one, "disk_type", {"hdd": "hdd", "ssd": "ssd"}, place, needed=False)
    bus = _word(one, "interface_type", {"sas": "sas", "sata": "sata", "scsi": "sas"}, place, needed=False)
    if level is None or where is None:
        return None
    drives = tuple(disks) if disks else _counted(count or MIN_DRIVES.get(level, 1), media, bus)
    return VolumeLayout(
        controller=where, line=place.line, name=_name(one, place), raid_level=level, drives=drives,
        size="max" if size == "MAX" else int(size) * GIB if size is not None and _positive(size) else None,
    )  # fmt: skip


def _name(one: Mapping[str, Any], place: Place) -> str | None:
    """Return the volume's name. An md array needs one, by default its number in the file."""
    name = one.get("volume_name")
    if name is not None and not (isinstance(name, str) and name):
        place.wrong("volume_name has to be a string.")
    own = f"disk{int(place.path[-1]) + 1}" if one.get("controller") == SOFTWARE else None
    return name if isinstance(name, str) and name else own


def _counted(count: int, media: Any, interface: Any) -> Counted:
    return Counted(count=count, media=media, interface=interface)


def _known(table: Mapping[str, Any], keys: Sequence[str], place: Place) -> None:
    for key in table:
        if key not in keys:
            place.wrong(f'"{key}" is not a key here; {hint(key, keys)}')


def _positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _word(table: Mapping[str, Any], key: str, words: Mapping[str, Any], place: Place, *, needed: bool = True) -> Any:
    if key not in table and not needed:
        return None
    value = table.get(key)
    if isinstance(value, str) and value in words:
        return words[value]
    if value == "JBOD" or value in ("jbod", "raidS"):
        place.wrong(f"{key} {value}: drives that the system sees one by one are not volumes of a layout.")
    else:
        place.wrong(f'{key}: "{value}" is not valid; {hint(str(value), words)}')
    return None


def _drp(one: Any, place: Place, controller: str | None) -> VolumeLayout | None:
    if not isinstance(one, Mapping):
        place.wrong("a volume specification is an object.")
        return None
    _known(one, _DRP, place)
    level = _word(one, "RaidLevel", DRP_LEVELS, place)
    if one.get("Encrypt"):
        place.wrong("A layout has no key for Encrypt.")
    if controller is None:
        place.wrong("Controller is an index in the order of the PCI bus, which moves: name it with --controller.")
    word = one.get("Size") or "max"
    # "min" and "max" choose the drives: the volume always uses all of them
    size: int | Literal["max"] | None = "max"
    if word not in ("min", "max"):
        size = _size(word, place, "Size")
    strip = _size(one["StripeSize"], place, "StripeSize") if one.get("StripeSize") else None
    drives = _disks(one["Disks"], place) if one.get("Disks") else _drp_counted(one, level, place)
    if not isinstance(one.get("Name", ""), str):
        place.wrong("Name has to be a string.")
    if level is None or controller is None:
        return None
    return VolumeLayout(
        controller=controller, line=place.line, name=one.get("Name") or None, raid_level=level, drives=drives,
        size=size, strip_bytes=strip, mixed_sizes=bool(one.get("AllowMixedSizes")),
    )  # fmt: skip


def _size(value: Any, place: Place, key: str) -> int | None:
    """drp-raid counts in powers of 1024: its KB is a KiB."""
    size = value if _positive(value) else attempt(_binary, value) if isinstance(value, str) else None
    if not size:
        place.wrong(f'{key}: "{value}" is not a size.')
    return int(size) if size else None


def _binary(text: str) -> int:
    return parse_size(text.replace(" ", ""), binary=True)


def _disks(disks: Any, place: Place) -> tuple[str, ...] | None:
    if isinstance(disks, list) and all(isinstance(one, Mapping) and "Slot" in one for one in disks):
        return tuple(f"{one.get('Enclosure', '')}:{one['Slot']}".lstrip(":") for one in disks)
    place.wrong("its drives are a list of objects with Enclosure and Slot.")
    return None


def _drp_counted(one: Mapping[str, Any], level: RaidLevel | None, place: Place) -> Counted | None:
    """Return ``DiskCount``: a number, or "min". Of several types and protocols in order, none is chosen here."""
    count = one.get("DiskCount") or "min"
    number = int(count) if isinstance(count, str) and count.isascii() and count.isdecimal() else count
    if number == "min":
        number = MIN_DRIVES.get(level, 1) if level is not None else 1
    elif number == "max":
        place.wrong('DiskCount "max" takes whatever is there; a layout gives a number.')
        return None
    elif not _positive(number):
        place.wrong(f'DiskCount: "{count}" is not a number of drives.')
        return None
    media = one.get("Type") if one.get("Type") not in (None, "disk,ssd", "ssd,disk") else None
    protocol = one.get("Protocol")
    interface: Interface | None = protocol if protocol in ("sas", "sata", "nvme") else None
    if media is not None and str(media) not in _MEDIA:
        place.wrong(f'Type: "{media}" is not valid; {hint(str(media), _MEDIA)}')
    if protocol is not None and interface is None and "," not in str(protocol):
        place.wrong(f'Protocol: "{protocol}" is not valid; {hint(str(protocol), ["sas", "sata", "nvme"])}')
    return Counted(count=int(number), media=_MEDIA.get(str(media)), interface=interface)
