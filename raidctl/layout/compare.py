"""Compare a machine with a layout, for ``raidctl layout check``. Pure.

A value that no tool reports is ``unknown``, never the same; a missing volume is a difference only if everything that
could list it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Struct

from raidctl.described import doc
from raidctl.layout.capacity import whole
from raidctl.layout.objects import SOFTWARE, Machine, array_of, global_spares, members_of, plain_id, spares_of
from raidctl.layout.specification import Counted, Deletion, Layout, SpareLayout, VolumeLayout
from raidctl.model import Controller, Drive, Inventory, Volume, VolumeCache, hiding_problems
from raidctl.text import counted, listing
from raidctl.units import format_binary, format_decimal

Verdict = Literal["same", "settings", "different", "missing", "unwanted", "unlisted", "unknown"]
_SAME_SIZE = 0.01
"""Relative tolerance for sizes, as tools and controllers round them."""
_SETTINGS = ("name", "write", "read", "io", "drive_cache", "config")
"""Keys that can be set on an existing volume."""


class Difference(Struct, frozen=True):
    """One key of a layout that the machine does not meet. It may also be unknown whether it does."""

    key: Annotated[str, doc("Key of the layout: `raid_level`, `drives`.")]
    wanted: Annotated[str, doc("What the layout requires.")]
    found: Annotated[str | None, doc("What the machine has; null: not reported.")]


class Compared(Struct, frozen=True, kw_only=True):
    """A comparison of one entry with the layout. The entry is a volume, a group of spares, or the machine."""

    label: Annotated[str, doc("Name in the layout.")]
    object_id: Annotated[str | None, doc("Id of the object on the machine; null: none.")] = None
    line: Annotated[int | None, doc("Line of the layout; null: it is not listed.")] = None
    verdict: Annotated[
        Verdict,
        doc(
            "`same`; `settings`: only settings differ; `different`: level, drives, size or strip differ; `missing`: "
            "the machine has no such object; `unwanted`: it exists and must not; `unlisted`: the layout does not list "
            "it; `unknown`: not reported."
        ),
    ]
    differences: Annotated[tuple[Difference, ...], doc("What differs or is unknown.")] = ()
    why: Annotated[str | None, doc("Reason of `missing` and `unknown`; null: the differences are it.")] = None


class Comparison(Struct, frozen=True, kw_only=True):
    """A machine compared with a layout."""

    host: Annotated[str | None, doc("Host name of the machine; null: unknown.")]
    compared: Annotated[tuple[Compared, ...], doc("In the order of the layout; objects that it does not list last.")]
    only_listed: Annotated[bool, doc("Whether a volume that is not listed is a difference.")]
    verdict: Annotated[
        Literal["same", "different", "unknown"],
        doc("`different`: something certainly differs; `unknown`: nothing does, but something could not be compared."),
    ]


def compare(layout: Layout, inventory: Inventory) -> Comparison:
    """Compare a machine with a layout."""
    machine = Machine(inventory)
    found = [one for one in (_machine(layout, machine),) if one is not None]
    matched: set[str] = set()
    for volume in layout.volumes:
        compared = _volume(volume, machine, matched)
        matched |= {compared.object_id} if compared.object_id else set()
        found.append(compared)
    found += [_spares(spare, machine) for spare in layout.spares]
    unwanted = [_unwanted(one, machine) for one in layout.deletions]
    matched |= {one.object_id for one in unwanted if one.object_id}
    found += unwanted
    found += [
        Compared(label=volume.name or volume.id, object_id=volume.id, verdict="unlisted")
        for _, volume in machine.volumes()
        if volume.id not in matched
    ]
    hidden = hidden_by(inventory) if layout.only_listed else None
    found += [] if hidden is None else [Compared(label="volumes not listed", verdict="unknown", why=hidden)]
    bad = {"settings", "different", "missing", "unwanted"} | ({"unlisted"} if layout.only_listed else set())
    verdicts = {one.verdict for one in found}
    return Comparison(
        host=inventory.host.hostname, compared=tuple(found), only_listed=layout.only_listed,
        verdict="different" if verdicts & bad else "unknown" if "unknown" in verdicts else "same",
    )  # fmt: skip


def _machine(layout: Layout, machine: Machine) -> Compared | None:
    """The machine itself; None if the layout is for any."""
    wanted, host = layout.machine, machine.inventory.host
    differences = []
    if wanted.hostname is not None and wanted.hostname != host.hostname:
        differences.append(Difference("hostname", wanted.hostname, host.hostname))
    serials = [one.serial for one in machine.inventory.controllers if one.serial]
    if wanted.serial is not None and wanted.serial not in serials:
        complete = serials and not hidden_by(machine.inventory)
        differences.append(Difference("serial", wanted.serial, ", ".join(serials) if complete else None))
    if wanted.hostname is None and wanted.serial is None:
        return None
    return Compared(label="machine", verdict=_verdict(differences), differences=tuple(differences))


def hidden_by(inventory: Inventory) -> str | None:
    """What was not read, so that objects may exist unlisted. None if everything was read."""
    hiding = hiding_problems(inventory.problems)
    return f"Not everything could be read: {hiding[0].where}: {hiding[0].message}" if hiding else None


def _volume(wanted: VolumeLayout, machine: Machine, matched: set[str]) -> Compared:
    candidates = [
        (controller, volume)
        for controller, volume in machine.volumes()
        if volume.id not in matched and controller in machine.controllers(wanted.controller)
    ]
    found = _match(wanted, candidates, machine)
    if isinstance(found, str):
        return Compared(label=wanted.label, line=wanted.line, verdict="unknown", why=found)
    if found is None:
        return _absent(wanted, machine)
    controller, volume = found
    differences = (*_differences(wanted, controller, volume, machine), *_config(wanted, volume))
    return Compared(
        label=wanted.label, object_id=volume.id, line=wanted.line, verdict=_verdict(differences),
        differences=differences,
    )  # fmt: skip


def _unwanted(wanted: Deletion, machine: Machine) -> Compared:
    """A volume that must not exist, found only by its unique id."""
    label, hidden = wanted.unique_id, hidden_by(machine.inventory)
    found = [
        (controller, volume) for controller, volume in machine.volumes()
        if plain_id(volume.unique_id) == plain_id(wanted.unique_id)
    ]  # fmt: skip
    if not found:
        mine = machine.controllers(wanted.controller)
        silent = [volume.id for controller, volume in machine.volumes() if controller in mine and not volume.unique_id]
        why = hidden or (f"{listing(silent)} may be it: no unique id is reported." if silent else None)
        return Compared(label=label, line=wanted.line, verdict="unknown" if why else "same", why=why)
    controller, volume = found[0]
    if len(found) > 1 or controller not in machine.controllers(wanted.controller):
        why = f"{volume.id} of {controller.id} has this unique id" + (
            ", and so has another." if len(found) > 1 else "."
        )
        return Compared(label=label, line=wanted.line, verdict="unknown", why=why)
    return Compared(label=label, object_id=volume.id, line=wanted.line, verdict="unwanted")


def _absent(wanted: VolumeLayout, machine: Machine) -> Compared:
    hidden = hidden_by(machine.inventory)
    if hidden is not None:
        return Compared(label=wanted.label, line=wanted.line, verdict="unknown", why=hidden)
    if machine.controllers(wanted.controller) not in ([], [SOFTWARE]):
        why = f"{wanted.controller} has no such volume."
    else:
        why = machine.no_controller(wanted.controller)
    return Compared(label=wanted.label, line=wanted.line, verdict="missing", why=why)


Pair = tuple[Controller, Volume]


def _match(wanted: VolumeLayout, candidates: Sequence[Pair], machine: Machine) -> Pair | str | None:
    """The matching volume; a sentence if several match; None if none does.

    Permanent identifiers decide first: the unique id, then the members, then name and id.
    """
    tests: list[Callable[[Pair], bool]] = []
    if wanted.unique_id is not None:
        tests.append(lambda pair: plain_id(pair[1].unique_id) == plain_id(wanted.unique_id))
    if isinstance(wanted.drives, tuple):
        tests.append(lambda pair: _same_drives(wanted, pair, machine))
    if wanted.name is not None:
        tests.append(lambda pair: _same_name(wanted, pair[1]))
    if wanted.id is not None:
        tests.append(lambda pair: pair[1].id == wanted.id)
    if not tests:
        tests.append(lambda pair: not any(_differences(wanted, *pair, machine)))
        # a volume with unknown fields may be the one
        tests.append(lambda pair: _verdict(tuple(_differences(wanted, *pair, machine))) == "unknown")
    if wanted.unique_id is not None and not any(tests[0](pair) for pair in candidates):
        # a different unique id means another volume, whatever its name; one without any may be the volume
        candidates = [pair for pair in candidates if pair[1].unique_id is None]
    for test in tests:
        found = [pair for pair in candidates if test(pair)]
        if len(found) > 1 and wanted.id is not None:
            found = [pair for pair in found if pair[1].id == wanted.id] or found
        if len(found) == 1:
            return found[0]
        if found:
            return f"{' and '.join(volume.id for _, volume in found)} both fit: give a unique_id, a name or an id."
    return None


def _same_name(wanted: VolumeLayout, volume: Volume) -> bool:
    """Whether a volume has the name. The home host that md prepends may be missing."""
    name, found = wanted.name or "", volume.name
    if found is not None and volume.metadata and ":" in found and ":" not in name:
        found = found.partition(":")[2]
    return found == name


def _same_drives(wanted: VolumeLayout, pair: Pair, machine: Machine) -> bool:
    members = members_of(*pair)
    return (
        members is not None
        and isinstance(wanted.drives, tuple)
        and not _unlike(members_named(wanted), members, machine)
    )


def members_named(wanted: VolumeLayout, names: Sequence[str] | None = None) -> list[str]:
    """The members that a volume names (or these drives). Each name has the volume's partition: ``ZC1A-part1``."""
    given = names if names is not None else wanted.drives if isinstance(wanted.drives, tuple) else ()
    return [f"{name}-part{wanted.partition.number}" if wanted.partition is not None else name for name in given]


def _unlike(names: Sequence[str], drives: Iterable[Drive], machine: Machine) -> tuple[list[str], list[str]] | None:
    """Names without a drive, and drives without a name. None if they agree."""
    left = list(drives)
    gone = []
    for name in names:
        fitting = next((drive for drive in left if name in machine.names(drive)), None)
        if fitting is None:
            gone.append(name)
        else:
            left.remove(fitting)
    return (gone, [machine.name(drive) for drive in left]) if gone or left else None


def _verdict(differences: Sequence[Difference]) -> Verdict:
    known = [one for one in differences if one.found is not None]
    if known:
        return "settings" if all(one.key in _SETTINGS for one in known) else "different"
    return "unknown" if differences else "same"


def _differences(
    wanted: VolumeLayout, controller: Controller, volume: Volume, machine: Machine
) -> Iterator[Difference]:
    cache = volume.cache or VolumeCache()
    plain: Mapping[str, tuple[str | None, str | None]] = {
        "name": (wanted.name, wanted.name if wanted.name and _same_name(wanted, volume) else volume.name),
        "raid_level": (wanted.raid_level, None if volume.raid_level == "unknown" else volume.raid_level),
        "write": (wanted.write, cache.write_policy), "read": (wanted.read, cache.read_policy),
        "io": (wanted.io, cache.io_policy),
        "drive_cache": (wanted.drive_cache, cache.drive_write_cache),
        "metadata": (wanted.metadata, volume.metadata), "layout": (wanted.md_layout, volume.layout),
        "consistency_policy": (wanted.consistency_policy, volume.consistency_policy),
    }  # fmt: skip
    for key, (want, found) in plain.items():
        if want is not None and want != found:
            yield Difference(key, _words(want), _words(found) if found is not None else None)
    if wanted.unique_id is not None and volume.unique_id is None:
        yield Difference("unique_id", wanted.unique_id, None)
    yield from _size(wanted, controller, volume)
    if wanted.strip_bytes is not None and wanted.strip_bytes != volume.strip_bytes:
        yield Difference("strip", format_binary(wanted.strip_bytes), _or_none(format_binary, volume.strip_bytes))
    members = members_of(controller, volume)
    yield from _drives(wanted, members, machine)
    if wanted.members is not None and wanted.members != (number := _number(volume, members)):
        yield Difference("members", str(wanted.members), _or_none(str, number))
    yield from _dedicated(wanted, controller, volume, machine)


def _config(wanted: VolumeLayout, volume: Volume) -> Iterator[Difference]:
    """Whether a required ARRAY line is missing.

    The line identifies no volume, so its absence never leads to a new volume.
    """
    if wanted.config and not volume.in_config_file:
        yield Difference("config", "true", None if volume.in_config_file is None else "false")


def _words(text: str) -> str:
    return text.replace("_", "-")


def _or_none(form: Callable[[Any], str], value: int | None) -> str | None:
    return None if value is None else form(value)


def _size(wanted: VolumeLayout, controller: Controller, volume: Volume) -> Iterator[Difference]:
    if wanted.size == "max" and controller.mode == "software":
        sizes = [drive.size_bytes for drive in members_of(controller, volume) or ()]
        all_of_it = whole(volume.raid_level, sizes, volume.size_bytes, volume.drives_expected)
        if not all_of_it:
            less = None if all_of_it is None else f"{format_decimal(volume.size_bytes or 0)}, a part of its drives"
            yield Difference("size", "max", less)
    elif wanted.size == "max":
        array = array_of(controller, volume)
        free = array.free_bytes if array is not None else None
        if free is None or free > _SAME_SIZE * (volume.size_bytes or 0):
            yield Difference("size", "max", None if free is None else f"{format_decimal(free)} not used")
    elif wanted.size is not None:
        size = volume.size_bytes
        if size is None or abs(size - wanted.size) > _SAME_SIZE * wanted.size:
            yield Difference("size", format_decimal(wanted.size), _or_none(format_decimal, size))


def _number(volume: Volume, members: Sequence[Drive] | None) -> int | None:
    """The number of members when complete."""
    return volume.drives_expected if volume.drives_expected is not None else None if members is None else len(members)


def _drives(wanted: VolumeLayout, members: Sequence[Drive] | None, machine: Machine) -> Iterator[Difference]:
    if isinstance(wanted.drives, Counted):
        yield from _counted("drives", wanted.drives, members)
    elif wanted.drives is not None:
        if members is None:
            yield Difference("drives", ", ".join(wanted.drives), None)
        elif unlike := _unlike(members_named(wanted), members, machine):
            gone, more = unlike
            yield Difference("drives", ", ".join(gone) or "no more", ", ".join(more) or "not a member")


def _counted(key: str, wanted: Counted, drives: Sequence[Drive] | None) -> Iterator[Difference]:
    """Compare counted drives with their number and properties."""
    if drives is None or len(drives) != wanted.count:
        yield Difference(key, counted(wanted.count, "drive"), None if drives is None else counted(len(drives), "drive"))
        return
    for field, want in (
        ("media", wanted.media),
        ("interface", wanted.interface),
        ("sector_bytes", wanted.sector_bytes),
    ):
        if want is not None:
            values = [(drive, _word_of(getattr(drive, field))) for drive in drives]
            yield from _each(key, str(want), values, lambda a, b: a == b)
    if wanted.at_least is not None:
        least = wanted.at_least * (1 - _SAME_SIZE)
        sizes = [(drive, drive.size_bytes) for drive in drives]
        words = f"at least {format_decimal(wanted.at_least)}"
        yield from _each(key, words, sizes, lambda size, _: size >= least)


def _word_of(value: object) -> str | None:
    return None if value is None else str(value)


def _each(
    key: str, wanted: str, values: Sequence[tuple[Drive, Any]], fits: Callable[[Any, str], bool]
) -> Iterator[Difference]:
    bad = [drive.id for drive, value in values if value is not None and not fits(value, wanted)]
    if bad:
        yield Difference(key, wanted, f"not so: {', '.join(bad)}")
    elif any(value is None for _, value in values):
        yield Difference(key, wanted, None)


def _dedicated(wanted: VolumeLayout, controller: Controller, volume: Volume, machine: Machine) -> Iterator[Difference]:
    if wanted.spares is None:
        return
    found = spares_of(controller, volume)
    known = members_of(controller, volume) is not None  # otherwise a spare that no output lists may exist
    if isinstance(wanted.spares, int):
        if len(found) < wanted.spares:
            yield Difference("spares", f"at least {wanted.spares}", str(len(found)) if known else None)
    elif unlike := _unlike(members_named(wanted, wanted.spares), found, machine):
        more = ", ".join(unlike[1]) or ("none of these" if known else None)
        yield Difference("spares", ", ".join(unlike[0]) or "no more", more)
    elif not known and not wanted.spares:
        yield Difference("spares", "none", None)


def _spares(wanted: SpareLayout, machine: Machine) -> Compared:
    """Global spares of a controller."""
    label = f"spares of {wanted.controller}"
    controllers = machine.controllers(wanted.controller)
    hidden = hidden_by(machine.inventory)
    if len(controllers) != 1:
        why = f'"{wanted.controller}" is {len(controllers) or "no"} controller{"s" if len(controllers) > 1 else ""}.'
        return Compared(label=label, line=wanted.line, verdict="unknown" if hidden else "missing", why=hidden or why)
    found = global_spares(controllers[0])
    if isinstance(wanted.drives, Counted):
        differences = tuple(_counted("drives", wanted.drives, found))
    elif unlike := _unlike(wanted.drives, found, machine):
        differences = (Difference("drives", ", ".join(unlike[0]) or "no more", ", ".join(unlike[1]) or "no spare"),)
    else:
        differences = ()
    verdict = "unknown" if differences and hidden else _verdict(differences)
    return Compared(
        label=label, object_id=controllers[0].id, line=wanted.line, verdict=verdict, differences=differences,
        why=hidden if verdict == "unknown" else None,
    )  # fmt: skip
