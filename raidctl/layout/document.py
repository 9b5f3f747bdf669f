"""Read a layout file, and report all of its mistakes at once.

Pure, but for the installed families: each declares whether its volumes may share drives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_args

from msgspec import structs

from raidctl.layout.objects import plain_id
from raidctl.layout.provisioners import kind_of, read_provisioner
from raidctl.layout.specification import (
    VERSION,
    Counted,
    Deletion,
    Layout,
    MachineLayout,
    Partition,
    SpareLayout,
    VolumeLayout,
)
from raidctl.model.cache import DriveCachePolicy, IoPolicy, ReadPolicy, WritePolicy
from raidctl.model.inventory import Interface, Media, RaidLevel
from raidctl.text import attempt
from raidctl.toml_files.mistakes import Fault, MistakesError, Place, hint
from raidctl.toml_files.read import read_toml
from raidctl.units import parse_size
from raidctl.vendor import setting_values
from raidctl.vendor.registry import families_that_share_drives

_KEYS = ("layout", "machine", "volume", "spare", "delete", "unlisted")
_UNLISTED = ("keep", "refuse")
_MIB = 1 << 20
_SHORT = {word.replace("-", "_"): policy.replace("-", "_") for word, policy in setting_values.WRITE_ALSO.items()}
"""Other words for write policies, as in ``raidctl cache set``."""

Reader = Callable[[Any, Place], Any]
"""Reads one value; None, with the mistake noted, if it is invalid."""


def read_layout(path: str, data: bytes, controller: str | None = None) -> Layout:
    """Read the bytes of a layout file, or of a provisioner's file.

    Args:
        path: For messages.
        data: The file.
        controller: The controller of a provisioner's volumes that name none.

    Raises:
        MistakesError: The file is invalid; all its mistakes with their lines.
    """
    faults: list[Fault] = []
    layout = Layout()
    if kind_of(data) != "toml":
        layout = read_provisioner(path, data, faults, controller)
    elif (read := read_toml(path, data, faults)) is not None:
        table, place = read
        layout = _layout(table, place)
    if faults:
        raise LayoutMistakesError(faults, layout)
    return layout


class LayoutMistakesError(MistakesError):
    """A layout with mistakes; ``layout`` is the readable part."""

    def __init__(self, faults: Sequence[Fault], layout: Layout) -> None:
        super().__init__(faults)
        self.layout = layout


def _layout(table: Mapping[str, Any], place: Place) -> Layout:
    for key in table:
        if key not in _KEYS:
            place.at(key).wrong(f'"{key}" is not a key of a layout; {hint(key, _KEYS)}')
    if table.get("layout") != VERSION:
        at = place.at("layout") if "layout" in table else place
        at.wrong(f"a layout begins with layout = {VERSION}, the version of its format.")
    unlisted = table.get("unlisted", "keep")
    if unlisted == "delete":
        place.at("unlisted").wrong("nothing is deleted because it is not listed: name it in a table [[delete]].")
    else:
        unlisted = _word(_UNLISTED)(unlisted, place.at("unlisted"))
    machine = _fields(table.get("machine", {}), place.at("machine"), {"hostname": _text, "serial": _text})
    volumes = [_volume(one, at) for one, at in _tables(table.get("volume", []), place.at("volume"))]
    spares = [_spare(one, at) for one, at in _tables(table.get("spare", []), place.at("spare"))]
    deletions = [_deletion(one, at) for one, at in _tables(table.get("delete", []), place.at("delete"))]
    if deletions and not machine:
        place.at("delete").wrong("a layout that deletes names its machine: [machine] with hostname or serial.")
    found = Layout(
        machine=MachineLayout(**machine), volumes=tuple(one for one in volumes if one is not None),
        spares=tuple(one for one in spares if one is not None), only_listed=unlisted == "refuse",
        deletions=tuple(one for one in deletions if one is not None),
    )  # fmt: skip
    _used_twice(found, place)
    _deleted_and_listed(found, place)
    return structs.replace(found, volumes=tuple(_numbered(found.volumes)))


def _numbered(volumes: Sequence[VolumeLayout]) -> Iterator[VolumeLayout]:
    """Number the partitions of each drive, in the order of the file."""
    made = Counter[str]()
    for volume in volumes:
        if volume.partition is None:
            yield volume
            continue
        names = volume.drives if isinstance(volume.drives, tuple) else ()
        number = max((made[name] for name in names), default=0) + 1
        made.update(dict.fromkeys(names, 1))
        yield structs.replace(volume, partition=structs.replace(volume.partition, number=number))


def _tables(spec: Any, place: Place) -> list[tuple[Mapping[str, Any], Place]]:
    if isinstance(spec, list) and all(isinstance(one, Mapping) for one in spec):
        return [(one, place.at(number)) for number, one in enumerate(spec)]
    place.wrong(f"this has to be a list of tables: [[{place.path[-1]}]].")
    return []


def _volume(table: Mapping[str, Any], place: Place) -> VolumeLayout | None:
    fields = _fields(table, place, VOLUME_KEYS)
    if "controller" not in fields:
        place.wrong('a volume needs its controller: an id, a serial number, a model, or a family such as "md".')
        return None
    names = {"layout": "md_layout", "strip": "strip_bytes"}
    return VolumeLayout(line=place.line, **{names.get(key, key): value for key, value in fields.items()})


def _deletion(table: Mapping[str, Any], place: Place) -> Deletion | None:
    fields = _fields(table, place, {"controller": _text, "unique_id": _text})
    for key in ("controller", "unique_id"):
        if key not in table:
            place.wrong(f'a volume that is deleted needs "{key}": its name could be that of another one.')
            return None
    return Deletion(line=place.line, **fields) if len(fields) == len(table) else None


def _spare(table: Mapping[str, Any], place: Place) -> SpareLayout | None:
    fields = _fields(table, place, {"controller": _text, "drives": _drives})
    for key in ("controller", "drives"):
        if key not in table:
            place.wrong(f'spares need "{key}".')
            return None
    return SpareLayout(line=place.line, **fields) if len(fields) == len(table) else None


def _fields(table: Any, place: Place, keys: Mapping[str, Reader]) -> dict[str, Any]:
    """The values of a table that are valid."""
    if not isinstance(table, Mapping):
        place.wrong("this has to be a table.")
        return {}
    found = {}
    for key, spec in table.items():
        reader = keys.get(key)
        if reader is None:
            place.at(key).wrong(f'"{key}" is not a key here; {hint(key, keys)}')
        elif (value := reader(spec, place.at(key))) is not None:
            found[key] = value
    return found


def _text(spec: Any, place: Place) -> str | None:
    if isinstance(spec, str) and spec:
        return spec
    place.wrong("this has to be a string.")
    return None


def _number(spec: Any, place: Place) -> int | None:
    if isinstance(spec, int) and not isinstance(spec, bool) and spec > 0:
        return spec
    place.wrong("this has to be a number above 0.")
    return None


def _word(known: Sequence[str], short: Mapping[str, str] | None = None) -> Reader:
    """A reader of one of the model's words. Hyphens and underscores are equal."""

    def read(spec: Any, place: Place) -> str | None:
        word = spec.lower().replace("-", "_") if isinstance(spec, str) else ""
        word = (short or {}).get(word, word)
        if word in known:
            return word
        place.wrong(f'"{spec}" is not valid; {hint(word, known).replace("_", "-")}')
        return None

    return read


def _size(*, binary: bool, most: bool = False) -> Reader:
    def read(spec: Any, place: Place) -> int | str | None:
        if most and spec == "max":
            return "max"
        if isinstance(spec, int) and not isinstance(spec, bool) and spec > 0:
            return spec
        size = attempt(lambda text: parse_size(text, binary=binary), spec) if isinstance(spec, str) else None
        if size:
            return size
        example = '"256KiB"' if binary else '"4TB", "max"' if most else '"4TB"'
        place.wrong(f"a size is a number of bytes, or has a unit: {example}.")
        return None

    return read


def _names(spec: Any, place: Place) -> tuple[str, ...] | None:
    if isinstance(spec, list) and spec and all(isinstance(one, str) and one for one in spec):
        for name, times in Counter(spec).items():
            if times > 1:
                place.at(spec.index(name)).wrong(f'the drive "{name}" is listed {times} times.')
        return tuple(spec)
    place.wrong("this has to be a list of drives: serial numbers, ids or bays.")
    return None


def _drives(spec: Any, place: Place) -> tuple[str, ...] | Counted | None:
    if not isinstance(spec, Mapping):
        return _names(spec, place)
    keys = {
        "count": _number, "media": _word(get_args(Media)), "interface": _word(get_args(Interface)),
        "at_least": _size(binary=False), "sector": _sector,
    }  # fmt: skip
    fields = _fields(spec, place, keys)
    if "count" not in spec:
        place.wrong("drives that are not named need a count: drives = { count = 8 }.")
    fields["sector_bytes"] = fields.pop("sector", None)
    return Counted(**fields) if "count" in fields else None


def _sector(spec: Any, place: Place) -> int | None:
    if spec in (512, 4096):
        return int(spec)
    place.wrong("a sector has 512 or 4096 bytes.")
    return None


def _flag(spec: Any, place: Place) -> bool | None:
    if isinstance(spec, bool):
        return spec
    place.wrong("this has to be true or false.")
    return None


def _partition(spec: Any, place: Place) -> Partition | None:
    fields = _fields(spec, place, {"size": _size(binary=True, most=True), "start": _size(binary=True)})
    if isinstance(spec, Mapping) and "size" not in spec:
        place.wrong('a partition needs a size: partition = { size = "max" }.')
        return None
    for name in fields:
        if isinstance(fields[name], int) and fields[name] % _MIB:
            place.at(name).wrong("partitions begin and end at whole MiB.")
    size = fields.get("size")
    whole = None if size == "max" else size
    return Partition(number=1, size_bytes=whole, start_bytes=fields.get("start")) if size is not None else None


def _spares(spec: Any, place: Place) -> tuple[str, ...] | int | None:
    if isinstance(spec, list):
        return _names(spec, place) if spec else ()
    return _number(spec, place) if spec != 0 else 0


VOLUME_KEYS: Mapping[str, Reader] = {
    "controller": _text, "id": _text, "name": _text, "unique_id": _text, "raid_level": _word(get_args(RaidLevel)),
    "drives": _drives, "members": _number, "spares": _spares, "size": _size(binary=False, most=True),
    "strip": _size(binary=True), "write": _word(get_args(WritePolicy), _SHORT), "read": _word(get_args(ReadPolicy)),
    "io": _word(get_args(IoPolicy)), "drive_cache": _word(get_args(DriveCachePolicy)), "metadata": _text,
    "layout": _text, "consistency_policy": _text, "partition": _partition, "mixed_sizes": _flag, "config": _flag,
}  # fmt: skip
"""Keys of a volume, with their readers."""


def _partitioned_twice(one: VolumeLayout, other: VolumeLayout, both: set[str], place: Place) -> None:
    """Report volumes on partitions of shared drives that do not fit together.

    Both name all of the same drives, and only the last one takes the rest.
    """
    if not both:
        return
    if set(one.drives or ()) != set(other.drives or ()):  # type: ignore[arg-type]  # both are named here
        place.wrong(f"volumes on partitions of the same drives name all of the same drives, as in line {other.line}.")
    if other.partition is not None and other.partition.size_bytes is None:
        place.wrong(f"the volume of line {other.line} takes the rest of the same drives: nothing is left.")


def _deleted_and_listed(layout: Layout, place: Place) -> None:
    """Report volumes that the file both lists and deletes."""
    listed = {plain_id(one.unique_id): one.line for one in layout.volumes if one.unique_id}
    for number, one in enumerate(layout.deletions):
        line = listed.get(plain_id(one.unique_id))
        if line is not None:
            place.at("delete", number).wrong(f"the volume is listed in line {line}.")


def _used_twice(layout: Layout, place: Place) -> None:
    """Report drives in two arrays of one controller. Volumes of one array name the same drives.

    Does not apply to families whose volumes use parts of drives.
    """
    shared: list[tuple[int, VolumeLayout, str]] = []
    for number, one in enumerate(layout.volumes):
        for other in layout.volumes[:number]:
            if not isinstance(one.drives, tuple) or not isinstance(other.drives, tuple):
                continue
            both = set(one.drives) & set(other.drives)
            if one.partition is not None and other.partition is not None:
                _partitioned_twice(one, other, both, place.at("volume", number, "drives"))
            elif both and set(one.drives) != set(other.drives) and one.controller == other.controller:
                shared.append((number, other, min(both)))
    sharing = families_that_share_drives() if shared else frozenset()
    for number, other, name in shared:
        if other.controller.partition(":")[0] not in sharing:
            place.at("volume", number, "drives").wrong(
                f'the drive "{name}" is a member of another array, too (line {other.line}); '
                "volumes of one array name the same drives."
            )
    named = {name for one in layout.volumes if isinstance(one.drives, tuple) for name in one.drives}
    for number, spare in enumerate(layout.spares):
        for name in spare.drives if isinstance(spare.drives, tuple) else ():
            if name in named:
                place.at("spare", number, "drives").wrong(f'the drive "{name}" is a member of a volume, too.')
