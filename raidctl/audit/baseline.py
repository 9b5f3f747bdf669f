"""A policy written from one machine, for ``raidctl audit --init``.

Settings are asked for as they are; of states, the healthy value: a machine that is broken now fails, and passes when it
is repaired. Spares and drives are asked for with a minimum, so that adding one is no failure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from raidctl.audit.policy.derived_fields import drive_cache
from raidctl.audit.policy.scope import Machine, Scope, hides
from raidctl.model import Array, Controller, Drive, Inventory, Volume
from raidctl.model.write_policy import in_force
from raidctl.units import format_binary, format_decimal

_VOLUME = ("raid_level", "strip_bytes", "drives_expected", "drives_active", "layout", "spans", "consistency_policy",
           "bitmap", "status")  # fmt: skip
_CACHE = ("write_policy", "write_active", "controller_cache", "read_policy", "io_policy")
_CARD = ("model", "firmware", "mode", "status")
_OF_CARD = {
    "cache": ("present", "status", "size_bytes", "read_percent", "write_percent", "no_battery_write_cache",
              "flush_interval_seconds", "preserved_data"),
    "patrol_read": ("mode",), "consistency_check": ("mode",), "pci_link": ("width", "speed_gtps"),
}  # fmt: skip
_OF_MODEL = ("firmware", "link_gbps", "write_cache")
"""What drives of one model have in common."""
_HEALTHY: Mapping[str, Any] = {"status": "ok", "cache.status": "ok", "cache.preserved_data": False}
"""States, and the value that is asked for whatever they are now."""
_SAFER = {"cache.controller_cache": "protected", "cache.no_battery_write_cache": False, "drive_cache": "disabled"}
"""Settings that are asked for as they are, with a note where another value is safer."""
_FAULTY = ("charging", "learning", "degraded", "failed")
"""States of a battery that pass, or are to be repaired."""

_HEAD = """\
# What {host} must be, written{when} by "raidctl audit --init" from what it is.
# Check it. A line with "# now" is not met yet: the healthy value was written. "# safer" names a safer setting.
# What no tool reports is not here: it could never pass. docs/policy.md lists everything that can be written.
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
        wishes += [("", f"drives = {{ count = {{ min = {_needed(card)} }} }}")] if card.drives else []
    yield _rule(card.id, "controller", card.id, wishes)
    if scope.complete:
        yield from _well(card)
        yield from _models(card)


def _batteries(card: Controller) -> Iterator[tuple[str, str]]:
    """How many there are, all of them good; of a controller that never had one, none is asked for."""
    statuses = {one.status for one in card.batteries}
    if not statuses or "unknown" in statuses:
        return
    caching = any(volume.cache and volume.cache.write_policy == "protected_write_back" for volume in card.volumes)
    absent = statuses == {"missing"} and not caching
    where = f"status = {_toml('missing' if absent else 'ok')}"
    if not absent and all(one.replace is not None for one in card.batteries):
        where += ", replace = false"
    bad: list[str] = [one.status for one in card.batteries if one.status != "ok"]
    bad += ["to be replaced" for one in card.batteries if one.status == "ok" and one.replace]
    note = f"  # now: {', '.join(bad)}" if bad and not absent else ""
    yield "", f"batteries = {{ where = {{ {where} }}, count = {len(card.batteries)} }}{note}"


def _needed(card: Controller) -> int:
    """How many drives it has when it is healthy: a faulty one that was replaced already is one too many."""
    surplus = 0
    for array in card.arrays:
        expected = _expected(array, card)
        surplus += max(0, len(array.drives) - expected) if expected else 0
    return len(card.drives) - surplus


def _expected(array: Array, card: Controller) -> int | None:
    """How many members an array has that lacks one; None if it lacks none, or that is unknown."""
    lacking = [
        volume.drives_expected
        for volume in card.volumes
        if volume.array == array.id and (volume.drives_expected or 0) > (volume.drives_active or 0)
    ]
    return max((count for count in lacking if count), default=None)


def _well(card: Controller) -> Iterator[str]:
    """That its drives are ok, those of no array among them."""
    good = sum(drive.status == "ok" for drive in card.drives)
    if not card.drives or any(drive.status == "unknown" for drive in card.drives):
        return
    number = _needed(card)
    note = "" if good >= number else f"  # now: {good} of {number}"
    wish = f'drives = {{ where = {{ status = "ok" }}, count = {{ min = {number} }} }}{note}'
    yield _rule(f"{card.id}: drives that are ok", "controller", card.id, [("", wish)])


def _models(card: Controller) -> Iterator[str]:
    """How many drives of each model there are, where every drive reports its own, and what these have in common."""
    models: dict[str | None, list[Drive]] = {}
    for drive in card.drives:
        models.setdefault(drive.model, []).append(drive)
    if None in models:
        return
    for model, drives in sorted((str(model), drives) for model, drives in models.items()):
        alike = ", ".join(f"{name} = {_wanted(value)}" for name, value in _shared(drives, _OF_MODEL))
        every = f", all = {{ {alike} }}" if alike else ""
        least = sum(drive.status in ("ok", "unknown") for drive in drives)
        if not least:
            continue
        where = f"where = {{ model = {{ is = {_toml(model)} }} }}"
        wish = f"drives = {{ {where}, count = {{ min = {least} }}{every} }}"
        yield _rule(f"{card.id}: drives {model}", "controller", card.id, [("", wish)])


def _array(array: Array, scope: Scope) -> Iterator[str]:
    found = [scope.drive(name) for name in (*array.drives, *array.spares)]
    card = scope.controller
    if card is None or not scope.complete or None in found or not array.drives:
        return
    wishes = list(_fields(array, ("status",)))
    count, lacking = len(array.drives), _expected(array, card)
    whole = array.status == "ok" and not lacking
    note = f"  # now: {count}" if lacking and count != lacking else ""
    wanted = str(count) if whole else f"{{ min = {lacking or count} }}"
    wishes.append(("", f"drives = {{ count = {wanted} }}{note}"))
    wishes += [("", f"spares = {{ count = {{ min = {len(array.spares)} }} }}")] if array.spares else []
    drives = [drive for drive in found if drive is not None]
    wishes += _alike(drives[: len(array.drives)])
    yield _rule(array.id, "array", array.id, wishes)


def _alike(drives: Sequence[Drive]) -> list[tuple[str, str]]:
    """What all drives of an array have in common, and that each is ok."""
    found = _shared(drives, ("media", "interface", "rpm"))
    wishes = [(name, f'"drives.{name}" = {_toml(value)}') for name, value in found]
    statuses = dict.fromkeys(drive.status for drive in drives)
    bad = ", ".join(status for status in statuses if status != "ok")
    if "unknown" not in statuses:
        wishes.append(("status", f'"drives.status" = "ok"{f"  # now: {bad}" if bad else ""}'))
    return wishes


def _shared(drives: Sequence[Drive], names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Fields that are told of each drive and the same, with their value."""
    for name in names:
        values = {getattr(drive, name) for drive in drives}
        if len(values) == 1 and not values & {None, "unknown"}:
            yield name, values.pop()


def _healed(volume: Volume, card: Controller | None) -> Mapping[str, Any]:
    """The states of a volume as they are when nothing is broken."""
    healthy = {**_HEALTHY, "drives_active": volume.drives_expected or volume.drives_active}
    cache = volume.cache
    if cache is not None and cache.write_policy is not None and in_force(cache) is False:
        healthy["cache.write_active"] = "write_back" if cache.write_policy.endswith("write_back") else "write_through"
    broken = any(one.status in _FAULTY or one.replace for one in card.batteries) if card is not None else False
    active = None if cache is None else healthy.get("cache.write_active", cache.write_active)
    if active == "write_back" and (broken or "cache.write_active" in healthy):
        healthy["cache.controller_cache"] = "protected"
    return healthy


def _volume(volume: Volume, scope: Scope) -> Iterator[str]:
    healthy = _healed(volume, scope.controller)
    wishes = list(_fields(volume, _VOLUME, healthy=healthy))
    if volume.size_bytes:
        wishes.insert(1, ("", f"size_bytes = {volume.size_bytes}  # {format_decimal(volume.size_bytes)}"))
    if volume.cache is not None:
        wishes += _fields(volume.cache, _CACHE, "cache.", healthy)
    if volume.consistency_check is not None:
        wishes += _fields(volume.consistency_check, ("mode",), "consistency_check.")
    caches = drive_cache(volume, scope)
    if caches is not None:
        wishes.append(("drive_cache", f"drive_cache = {_toml(caches)}{_note('drive_cache', caches, caches)}"))
    where = ", ".join((volume.device or "", *volume.mountpoints)).strip(", ")
    yield _rule(volume.id, "volume", volume.id, wishes, where)


def _fields(
    item: Any, names: Iterable[str], prefix: str = "", healthy: Mapping[str, Any] = _HEALTHY
) -> Iterator[tuple[str, str]]:
    for name in names:
        value, path = getattr(item, name), prefix + name
        if value is None or value == "unknown":
            continue
        wanted = healthy.get(path, value)
        note = f"  # {format_binary(value)}" if name.endswith("_bytes") else _note(path, value, wanted)
        yield path, f"{path} = {_wanted(wanted)}{note}"


def _note(name: str, value: Any, wanted: Any) -> str:
    if value != wanted:
        return f"  # now: {_comment(_toml(value))}"
    safer = _SAFER.get(name, value)
    return "" if value in (safer, "not_caching") else f"  # safer: {_toml(safer)}"


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
