"""A layout file written from a machine, for ``raidctl layout export``. Pure.

A volume keeps what was configured, whatever its state is now: a degraded array is written with all of its members, so
that a check passes before and after the repair. Values that no tool reports are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.layout.objects import Machine, global_spares, members_of, spares_of
from raidctl.layout.specification import VERSION
from raidctl.model import Controller, Drive, Inventory, Volume, hiding_problems
from raidctl.toml_files.write import toml_comment, toml_value
from raidctl.units import format_binary, format_decimal

_HEAD = """\
# Layout of {host}{when}, written by "raidctl layout export".
# "raidctl layout check FILE" compares a machine with it. Keys that are left out are not compared.
# Drives are named by serial number (-partN: partition N), or by id where it is unknown.

layout = {version}
"""


def export(inventory: Inventory) -> str:
    """TOML text: the machine, its volumes and its spares."""
    machine = Machine(inventory)
    host = inventory.host
    when = f" ({host.collected_at})" if host.collected_at else ""
    parts = [_HEAD.format(host=toml_comment(host.hostname or "a machine"), when=toml_comment(when), version=VERSION)]
    if host.hostname:
        parts.append(f"\n[machine]\nhostname = {toml_value(host.hostname)}\n")
    volumes = [_volume(machine, controller, volume) for controller, volume in machine.volumes()]
    parts += volumes or ["\n# No volumes were found.\n"]
    for controller in inventory.controllers:
        if spares := global_spares(controller):
            names = _names(machine, spares)
            parts.append(f"\n[[spare]]\ncontroller = {toml_value(controller.id)}\ndrives = {names}\n")
    return "".join(parts) + _unread(inventory)


def _volume(machine: Machine, controller: Controller, volume: Volume) -> str:
    title = volume.device or ""
    mounts = ", ".join(volume.mountpoints)
    about = toml_comment(" on ".join(text for text in (title, mounts) if text))
    head = f"\n# {volume.id}{f': {about}' if about else ''}\n[[volume]]\n"
    return head + "".join(f"{key} = {value}\n" for key, value in _keys(machine, controller, volume))


def _keys(machine: Machine, controller: Controller, volume: Volume) -> Iterator[tuple[str, str]]:
    yield "controller", toml_value(controller.id)
    if volume.unique_id is None or _shared(machine, volume):
        yield "id", toml_value(volume.id)
    for key, value in (("name", volume.name), ("unique_id", volume.unique_id), ("raid_level", volume.raid_level)):
        if value and value != "unknown":
            yield key, toml_value(value)
    if volume.size_bytes:
        yield "size", f"{volume.size_bytes}  # {format_decimal(volume.size_bytes)}"
    if volume.strip_bytes:
        yield "strip", f"{volume.strip_bytes}  # {format_binary(volume.strip_bytes)}"
    yield from _drives(machine, controller, volume)
    yield from _cache(volume)
    md = (("metadata", volume.metadata), ("layout", volume.layout), ("consistency_policy", volume.consistency_policy))
    yield from ((key, toml_value(value)) for key, value in md if value)


def _shared(machine: Machine, volume: Volume) -> bool:
    """Whether another volume has the same unique id. This happens with two paths to one enclosure."""
    return sum(one.unique_id == volume.unique_id for _, one in machine.volumes()) > 1


def _drives(machine: Machine, controller: Controller, volume: Volume) -> Iterator[tuple[str, str]]:
    members = members_of(controller, volume)
    if members:
        expected = volume.drives_expected
        missing = (expected or 0) - len(members)
        yield "drives", _names(machine, members) + (f"  # {missing} missing now" if missing > 0 else "")
        if expected is not None and missing:
            yield "members", str(expected)
    elif volume.drives_expected:
        yield "members", str(volume.drives_expected)
    if spares := spares_of(controller, volume):
        yield "spares", _names(machine, spares)


def _cache(volume: Volume) -> Iterator[tuple[str, str]]:
    """The configured settings: these are restored when a battery is replaced."""
    if volume.cache is None:
        return
    cache = volume.cache
    values = (("write", cache.write_policy), ("read", cache.read_policy), ("io", cache.io_policy),
              ("drive_cache", cache.drive_write_cache))  # fmt: skip
    yield from ((key, toml_value(value.replace("_", "-"))) for key, value in values if value)


def _names(machine: Machine, drives: Sequence[Drive]) -> str:
    return f"[{', '.join(toml_value(machine.name(drive)) for drive in drives)}]"


def _unread(inventory: Inventory) -> str:
    hidden = hiding_problems(inventory.problems)
    if not hidden:
        return ""
    text = "".join(f"#   {toml_comment(one.where)}: {toml_comment(one.message)}\n" for one in hidden)
    return f"\n# Not everything could be read; what is not listed may exist:\n{text}"
