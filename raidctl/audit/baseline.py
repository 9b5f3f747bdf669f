"""A policy written from one machine, for ``raidctl audit --init``.

Settings are required as they are, states with their healthy value: a machine that is broken now fails, and passes when
it is repaired. Spares and drives are required with a minimum, so that adding one does not fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from raidctl.audit.policy.derived_fields import drive_cache
from raidctl.audit.policy.scope import Machine, Scope
from raidctl.model import Array, Controller, Drive, Inventory, Volume, hiding_problems
from raidctl.model.write_policy import in_force
from raidctl.toml_files.write import toml_comment, toml_value
from raidctl.units import format_binary, format_decimal

_VOLUME = ("raid_level", "strip_bytes", "drives_expected", "drives_active", "layout", "spans", "consistency_policy",
           "bitmap", "status")  # fmt: skip
_CACHE = ("write_policy", "write_active", "controller_cache", "read_policy", "io_policy")
_OF_CONTROLLER = ("model", "firmware", "mode", "status")
_PARTS = {
    "cache": ("present", "status", "size_bytes", "read_percent", "write_percent", "no_battery_write_cache",
              "flush_interval_seconds", "preserved_data"),
    "patrol_read": ("mode",), "consistency_check": ("mode",), "pci_link": ("width", "speed_gtps"),
}  # fmt: skip
_OF_MODEL = ("firmware", "link_gbps", "write_cache")
"""Fields that drives of one model share."""
_HEALTHY: Mapping[str, Any] = {"status": "ok", "cache.status": "ok", "cache.preserved_data": False}
"""States, and the value that is required whatever their current value."""
_SAFER = {"cache.controller_cache": "protected", "cache.no_battery_write_cache": False, "drive_cache": "disabled"}
"""Settings that are required as they are. A note is added if another value is safer."""
_LINKS = ("pci_link.width", "pci_link.speed_gtps", "link_gbps")
"""Links whose current speed is required as a minimum. A bad contact narrows a link, and idle links are slow."""
_FAULTY = ("charging", "learning", "degraded", "failed")
"""States of a battery that are temporary or need repair."""

_HEAD = """\
# Policy for {host}, written{when} by "raidctl audit --init" from its current state.
# Check it. A line with "# now" is not met yet: the healthy value was written. "# safer" names a safer setting.
# Values that no tool reports are left out: they could never pass. docs/policy.md lists all fields and conditions.
#
#   raidctl audit FILE             checks this machine
#   raidctl audit FILE DIRECTORY   checks recorded machines (raidctl --json show > NAME.json)

# Built-in rules: "all", or a list of names; "raidctl diagnose" shows their findings on this machine.
# builtin = "all"
# ignore = ["raid0_in_use"]
"""
_NONE = """
# Nothing was found on this machine that a policy could require. A policy for others may start like this:
# raid_level = ["raid1", "raid6"]
# battery = "ok"
# drive_cache = "disabled"
"""


def baseline(inventory: Inventory) -> str:
    """TOML text with comments, a rule for each controller, array and volume."""
    host = inventory.host
    when = f" ({host.collected_at})" if host.collected_at else ""
    machine = Machine(inventory)
    parts = [part for scope in machine.scopes for part in _of_scope(scope)]
    head = _HEAD.format(host=toml_comment(host.hostname or "this machine"), when=toml_comment(when))
    return head + ("".join(parts) or _NONE) + _unread(inventory)


def _unread(inventory: Inventory) -> str:
    hidden = hiding_problems(inventory.problems)
    if not hidden:
        return ""
    text = "".join(f"#   {toml_comment(one.where)}: {toml_comment(one.message)}\n" for one in hidden)
    return (
        f"\n# Not everything could be read; until it can, the result of an audit is UNKNOWN (exit code 3 or 4):\n{text}"
        '# To ignore that: ignore = ["unread"], above the first rule.\n'
    )


def _of_scope(scope: Scope) -> Iterator[str]:
    controller = scope.controller
    if controller is None:
        return
    yield from _controller(controller, scope)
    for array in controller.arrays:
        yield from _array(array, scope)
    for volume in controller.volumes:
        yield from _volume(volume, scope)


def _controller(controller: Controller, scope: Scope) -> Iterator[str]:
    lines = list(_fields(controller, _OF_CONTROLLER))
    for name, names in _PARTS.items():
        part = getattr(controller, name)
        lines += [] if part is None else _fields(part, names, f"{name}.")
    if scope.complete:
        lines += _batteries(controller)
        lines += [("", f"drives = {{ count = {{ min = {_needed(controller)} }} }}")] if controller.drives else []
    yield _rule(controller.id, "controller", controller.id, lines)
    if scope.complete:
        yield from _healthy_drives(controller)
        yield from _models(controller)


def _batteries(controller: Controller) -> Iterator[tuple[str, str]]:
    """The number of batteries, all of them good. Nothing if the controller never had one."""
    statuses = {one.status for one in controller.batteries}
    if not statuses or "unknown" in statuses:
        return
    caching = any(volume.cache and volume.cache.write_policy == "protected_write_back" for volume in controller.volumes)
    absent = statuses == {"missing"} and not caching
    where = f"status = {toml_value('missing' if absent else 'ok')}"
    if not absent and all(one.replace is not None for one in controller.batteries):
        where += ", replace = false"
    bad: list[str] = [one.status for one in controller.batteries if one.status != "ok"]
    bad += ["needs replacement" for one in controller.batteries if one.status == "ok" and one.replace]
    note = f"  # now: {', '.join(bad)}" if bad and not absent else ""
    yield "", f"batteries = {{ where = {{ {where} }}, count = {len(controller.batteries)} }}{note}"


def _needed(controller: Controller) -> int:
    """The number of drives of the healthy machine. A faulty drive that was already replaced does not count."""
    surplus = 0
    for array in controller.arrays:
        expected = _expected(array, controller)
        surplus += max(0, len(array.drives) - expected) if expected else 0
    return len(controller.drives) - surplus


def _expected(array: Array, controller: Controller) -> int | None:
    """The expected number of members of an array that lacks one. None if it lacks no member, or if this is unknown.

    If the number of active members is not reported, the array's list shows whether one is missing, or replaced.
    """
    lacking = [
        volume.drives_expected
        for volume in controller.volumes
        if volume.array == array.id and volume.drives_expected and _lacks(volume, len(array.drives))
    ]
    return max((count for count in lacking if count), default=None)


def _lacks(volume: Volume, listed: int) -> bool:
    """Whether a volume lacks members."""
    if volume.drives_active is None:
        return volume.drives_expected != listed
    return (volume.drives_expected or 0) > volume.drives_active


def _healthy_drives(controller: Controller) -> Iterator[str]:
    """A rule that all drives of a controller are ok. It includes those outside of arrays."""
    good = sum(drive.status == "ok" for drive in controller.drives)
    if not controller.drives or any(drive.status == "unknown" for drive in controller.drives):
        return
    number = _needed(controller)
    note = "" if good >= number else f"  # now: {good} of {number}"
    line = f'drives = {{ where = {{ status = "ok" }}, count = {{ min = {number} }} }}{note}'
    yield _rule(f"{controller.id}: drives that are ok", "controller", controller.id, [("", line)])


def _models(controller: Controller) -> Iterator[str]:
    """The number of drives of each model and their common fields. Nothing unless every drive reports its model."""
    models: dict[str | None, list[Drive]] = {}
    for drive in controller.drives:
        models.setdefault(drive.model, []).append(drive)
    if None in models:
        return
    for model, drives in sorted((str(model), drives) for model, drives in models.items()):
        alike = ", ".join(f"{name} = {_wanted(value, name)}" for name, value in _shared(drives, _OF_MODEL))
        every = f", all = {{ {alike} }}" if alike else ""
        least = sum(drive.status in ("ok", "unknown") for drive in drives)
        if not least:
            continue
        where = f"where = {{ model = {{ is = {toml_value(model)} }} }}"
        line = f"drives = {{ {where}, count = {{ min = {least} }}{every} }}"
        yield _rule(f"{controller.id}: drives {model}", "controller", controller.id, [("", line)])


def _array(array: Array, scope: Scope) -> Iterator[str]:
    found = [scope.drives.get(name) for name in (*array.drives, *array.spares)]
    controller = scope.controller
    if controller is None or not scope.complete or None in found or not array.drives:
        return
    lines = list(_fields(array, ("status",)))
    count, lacking = len(array.drives), _expected(array, controller)
    whole = array.status == "ok" and not lacking
    note = f"  # now: {count}" if lacking and count != lacking else ""
    wanted = str(count) if whole else f"{{ min = {lacking or count} }}"
    lines.append(("", f"drives = {{ count = {wanted} }}{note}"))
    lines += [("", f"spares = {{ count = {{ min = {len(array.spares)} }} }}")] if array.spares else []
    drives = [drive for drive in found if drive is not None]
    lines += _common_fields(drives[: len(array.drives)])
    yield _rule(array.id, "array", array.id, lines)


def _common_fields(drives: Sequence[Drive]) -> list[tuple[str, str]]:
    """The common fields of all drives of an array. A further line requires that each is ok."""
    found = _shared(drives, ("media", "interface", "rpm"))
    lines = [(name, f'"drives.{name}" = {toml_value(value)}') for name, value in found]
    statuses = dict.fromkeys(drive.status for drive in drives)
    bad = ", ".join(status for status in statuses if status != "ok")
    if "unknown" not in statuses:
        lines.append(("status", f'"drives.status" = "ok"{f"  # now: {bad}" if bad else ""}'))
    return lines


def _shared(drives: Sequence[Drive], names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Fields with the same known value on each drive."""
    for name in names:
        values = {getattr(drive, name) for drive in drives}
        if len(values) == 1 and not values & {None, "unknown"}:
            yield name, values.pop()


def _healthy(volume: Volume, controller: Controller | None) -> Mapping[str, Any]:
    """The states of a volume when nothing is broken."""
    healthy = {**_HEALTHY, "drives_active": volume.drives_expected or volume.drives_active}
    cache = volume.cache
    if cache is not None and cache.write_policy is not None and in_force(cache) is False:
        healthy["cache.write_active"] = "write_back" if cache.write_policy.endswith("write_back") else "write_through"
    broken = (
        any(one.status in _FAULTY or one.replace for one in controller.batteries) if controller is not None else False
    )
    active = None if cache is None else healthy.get("cache.write_active", cache.write_active)
    if active == "write_back" and (broken or "cache.write_active" in healthy):
        healthy["cache.controller_cache"] = "protected"
    return healthy


def _volume(volume: Volume, scope: Scope) -> Iterator[str]:
    healthy = _healthy(volume, scope.controller)
    lines = list(_fields(volume, _VOLUME, healthy=healthy))
    if volume.size_bytes:
        lines.insert(1, ("", f"size_bytes = {volume.size_bytes}  # {format_decimal(volume.size_bytes)}"))
    if volume.cache is not None:
        lines += _fields(volume.cache, _CACHE, "cache.", healthy)
    if volume.consistency_check is not None:
        lines += _fields(volume.consistency_check, ("mode",), "consistency_check.")
    caches = drive_cache(volume, scope)
    if caches is not None:
        lines.append(("drive_cache", f"drive_cache = {toml_value(caches)}{_note('drive_cache', caches, caches)}"))
    where = ", ".join((volume.device or "", *volume.mountpoints)).strip(", ")
    yield _rule(volume.id, "volume", volume.id, lines, where)


def _fields(
    item: Any, names: Iterable[str], prefix: str = "", healthy: Mapping[str, Any] = _HEALTHY
) -> Iterator[tuple[str, str]]:
    for name in names:
        value, path = getattr(item, name), prefix + name
        if value is None or value == "unknown":
            continue
        wanted = healthy.get(path, value)
        note = f"  # {format_binary(value)}" if name.endswith("_bytes") else _note(path, value, wanted)
        yield path, f"{path} = {_wanted(wanted, path)}{note}"


def _note(name: str, value: Any, wanted: Any) -> str:
    if value != wanted:
        return f"  # now: {toml_comment(toml_value(value))}"
    safer = _SAFER.get(name, value)
    return "" if value in (safer, "not_caching") else f"  # safer: {toml_value(safer)}"


def _rule(name: str, kind: str, identifier: str, lines: Sequence[tuple[str, str]], about: str = "") -> str:
    """A rule in TOML; empty without lines."""
    if not lines:
        return ""
    text = "".join(f"{line}\n" for _, line in lines)
    comment = f"# {toml_comment(about)}\n" if about else ""
    return (
        f"\n{comment}[[rule]]\nname = {toml_value(name)}\nfor = {toml_value(kind)}\n"
        f"where = {{ id = {{ is = {toml_value(identifier)} }} }}\n[rule.require]\n{text}"
    )


def _wanted(value: Any, path: str) -> str:
    """A value as a condition. A value that looks like a pattern is quoted with ``is``; a link is a minimum."""
    if path in _LINKS:
        return f"{{ min = {toml_value(value)} }}"
    is_pattern = isinstance(value, str) and any(char in value for char in "*?[")
    return f"{{ is = {toml_value(value)} }}" if is_pattern else toml_value(value)
