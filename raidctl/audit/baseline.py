"""A policy that says what a machine is now, for ``raidctl audit --init``. Held against it, the machine passes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from raidctl.audit.policy.machine import Machine, Scope, hides
from raidctl.audit.policy.related import drive_cache
from raidctl.model import Array, Controller, Drive, Inventory, Volume
from raidctl.units import format_binary, format_decimal

_VOLUME = ("raid_level", "strip_bytes", "drives_expected", "drives_active", "layout", "spans", "consistency_policy",
           "bitmap", "status")  # fmt: skip
_CACHE = ("write_policy", "write_active", "write_protected", "read_policy", "io_policy")
_CARD = ("model", "firmware", "mode", "status")
_OF_CARD = {
    "cache": ("present", "status", "size_bytes", "read_percent", "write_percent", "no_battery_write_cache",
              "flush_interval_seconds", "unwritten_data"),
    "patrol_read": ("mode",), "consistency_check": ("mode",), "pci_link": ("width", "speed_gtps"),
}  # fmt: skip
_OF_MODEL = ("firmware", "link_gbps", "write_cache")
"""What drives of one model have in common."""
_GOOD = {"status": "ok", "cache.write_protected": True, "cache.no_battery_write_cache": False,
         "drive_cache": "disabled", "cache.status": "ok", "cache.unwritten_data": False}  # fmt: skip
"""What is better than this is noted, as the machine may not be as it should be now."""

_HEAD = """\
# What {host} is now{when}, written by "raidctl audit --init".
# Check that this is what it should be: a line that ends in "# now" is not what one would wish for.
# What no tool told is not here: it could never pass. docs/policy.md tells all that can be written.
#
#   raidctl audit FILE             holds this machine against it
#   raidctl audit FILE DIRECTORY   holds recorded ones against it (raidctl --json show > NAME.json)

# Rules that raidctl brings along: "all", or some by name; "raidctl diagnose" tells what they find here.
# builtin = "all"
# ignore = ["raid0_in_use"]
"""
_NONE = """
# Nothing was found on this machine that could be asked for. A policy for others may begin like this:
# raid_level = ["raid1", "raid6"]
# battery = "ok"
# drive_cache = "disabled"
"""


def baseline(inventory: Inventory) -> str:
    """TOML text with comments, a rule for each controller, array and volume."""
    host = inventory.host
    when = f" ({host.collected_at})" if host.collected_at else ""
    machine = Machine(inventory)
    parts = [part for scope in machine.scopes for part in _card(scope)]
    head = _HEAD.format(host=_comment(host.hostname or "this machine"), when=_comment(when))
    return head + ("".join(parts) or _NONE) + _unread(inventory)


def _unread(inventory: Inventory) -> str:
    hidden = [one for one in inventory.problems if hides(one)]
    if not hidden:
        return ""
    told = "".join(f"#   {_comment(one.where)}: {_comment(one.message)}\n" for one in hidden)
    return (
        f"\n# Not everything could be read, and until it can, an audit cannot tell (exit code 3 or 4):\n{told}"
        '# Where that is as it should be: ignore = ["unread"], above the first rule.\n'
    )


def _card(scope: Scope) -> Iterator[str]:
    card = scope.controller
    if card is None:
        return
    yield from _controller(card, scope)
    for array in card.arrays:
        yield from _array(array, scope)
    for volume in card.volumes:
        yield from _volume(volume, scope)


def _controller(card: Controller, scope: Scope) -> Iterator[str]:
    wishes = list(_fields(card, _CARD))
    for name, names in _OF_CARD.items():
        part = getattr(card, name)
        wishes += [] if part is None else _fields(part, names, f"{name}.")
    if scope.complete:
        wishes += _batteries(card)
        wishes += [("", f"drives = {{ count = {len(card.drives)} }}")] if card.drives else []
    yield _rule(card.id, "controller", card.id, wishes)
    if scope.complete:
        yield from _well(card)
        yield from _models(card)


def _batteries(card: Controller) -> Iterator[tuple[str, str]]:
    """How many there are, and their state where they share it."""
    statuses = {one.status for one in card.batteries}
    if not statuses or "unknown" in statuses:
        return
    wish = f"count = {len(card.batteries)}"
    if len(statuses) > 1:
        yield "", f"batteries = {{ {wish} }}"
        return
    [status] = statuses
    where = f"status = {_toml(status)}"
    if all(one.replace is False for one in card.batteries):
        where += ", replace = false"
    yield "", f"batteries = {{ where = {{ {where} }}, {wish} }}{_note('status', status)}"


def _well(card: Controller) -> Iterator[str]:
    """How many of its drives are ok, those of no array among them."""
    good = sum(drive.status == "ok" for drive in card.drives)
    if not good or any(drive.status == "unknown" for drive in card.drives):
        return
    number = len(card.drives)
    note = "" if good == number else f"  # now {good} of {number}; all is what one would wish for"
    wish = f'drives = {{ where = {{ status = "ok" }}, count = {{ min = {good} }} }}{note}'
    yield _rule(f"{card.id}: drives that are ok", "controller", card.id, [("", wish)])


def _models(card: Controller) -> Iterator[str]:
    """How many drives of each model there are, where every drive tells its own, and what these have in common."""
    models: dict[str | None, list[Drive]] = {}
    for drive in card.drives:
        models.setdefault(drive.model, []).append(drive)
    if None in models:
        return
    for model, drives in sorted((str(model), drives) for model, drives in models.items()):
        alike = ", ".join(f"{name} = {_wanted(value)}" for name, value in _shared(drives, _OF_MODEL))
        every = f", all = {{ {alike} }}" if alike else ""
        wish = f"drives = {{ where = {{ model = {{ is = {_toml(model)} }} }}, count = {len(drives)}{every} }}"
        yield _rule(f"{card.id}: drives {model}", "controller", card.id, [("", wish)])


def _array(array: Array, scope: Scope) -> Iterator[str]:
    found = [scope.drive(name) for name in (*array.drives, *array.spares)]
    if not scope.complete or None in found or not array.drives:
        return
    wishes = list(_fields(array, ("status",)))
    wishes.append(("", f"drives = {{ count = {len(array.drives)} }}"))
    wishes.append(("", f"spares = {{ count = {len(array.spares)} }}"))
    drives = [drive for drive in found if drive is not None]
    wishes += _alike(drives[: len(array.drives)])
    yield _rule(array.id, "array", array.id, wishes)


def _alike(drives: Sequence[Drive]) -> list[tuple[str, str]]:
    """What all drives of an array have in common."""
    found = _shared(drives, ("media", "interface", "rpm", "status"))
    return [(name, f'"drives.{name}" = {_toml(value)}') for name, value in found]


def _shared(drives: Sequence[Drive], names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Fields that are told of each drive and the same, with their value."""
    for name in names:
        values = {getattr(drive, name) for drive in drives}
        if len(values) == 1 and not values & {None, "unknown"}:
            yield name, values.pop()


def _volume(volume: Volume, scope: Scope) -> Iterator[str]:
    wishes = list(_fields(volume, _VOLUME))
    if volume.size_bytes:
        wishes.insert(1, ("", f"size_bytes = {volume.size_bytes}  # {format_decimal(volume.size_bytes)}"))
    if volume.cache is not None:
        wishes += _fields(volume.cache, _CACHE, "cache.")
    if volume.consistency_check is not None:
        wishes += _fields(volume.consistency_check, ("mode",), "consistency_check.")
    caches = drive_cache(volume, scope)
    if caches is not None:
        wishes.append(("drive_cache", f"drive_cache = {_toml(caches)}{_note('drive_cache', caches)}"))
    where = ", ".join((volume.device or "", *volume.mountpoints)).strip(", ")
    yield _rule(volume.id, "volume", volume.id, wishes, where)


def _fields(item: Any, names: Iterable[str], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name in names:
        value = getattr(item, name)
        if value is None or value == "unknown":
            continue
        size = f"  # {format_binary(value)}" if name.endswith("_bytes") else _note(prefix + name, value)
        yield prefix + name, f"{prefix}{name} = {_wanted(value)}{size}"


def _note(name: str, value: Any) -> str:
    good = _GOOD.get(name)
    return f"  # now; {_toml(good)} is what one would wish for" if good is not None and good != value else ""


def _rule(name: str, kind: str, identifier: str, wishes: Sequence[tuple[str, str]], about: str = "") -> str:
    """A rule in TOML, one line for each wish; nothing where nothing is known."""
    if not wishes:
        return ""
    lines = "".join(f"{line}\n" for _, line in wishes)
    comment = f"# {_comment(about)}\n" if about else ""
    return (
        f"\n{comment}[[rule]]\nname = {_toml(name)}\nfor = {_toml(kind)}\n"
        f"where = {{ id = {{ is = {_toml(identifier)} }} }}\n[rule.require]\n{lines}"
    )


def _toml(value: Any) -> str:
    """A value in TOML: a basic string is a JSON text, but that it spells rare characters otherwise."""
    return "".join(
        char if char.isprintable() else _escaped(ord(char)) for char in json.dumps(value, ensure_ascii=False)
    )


def _escaped(code: int) -> str:
    if 0xD800 <= code < 0xE000:
        return "\\ufffd"  # half a character, which no text may hold
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _wanted(value: Any) -> str:
    """A value as a condition; what looks like a pattern is meant as it stands."""
    is_pattern = isinstance(value, str) and any(char in value for char in "*?[")
    return f"{{ is = {_toml(value)} }}" if is_pattern else _toml(value)


def _comment(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
