"""How bad a change is, and one sentence for it. Tables: the first row that fits counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from raidctl.drift.fields import Difference
from raidctl.drift.report import Change, Level
from raidctl.order import natural
from raidctl.text import collapse, printable
from raidctl.units import format_binary, format_decimal

SEVERITIES: tuple[Level, ...] = ("critical", "warning", "info")
_HEALTH: Mapping[Any, Level] = {"critical": "critical", "warning": "warning", "ok": "info"}
_LONGEST = 60
"""Characters of a value in a sentence."""


class Matter(NamedTuple):
    """A change on its way to be judged."""

    kind: str
    object: str
    id: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    what: Difference
    controller: str | None


Test = Callable[[Matter], bool]


def _is(*values: Any) -> Test:
    return lambda matter: matter.what.new in values


def _grew(matter: Matter) -> bool:
    old, new = matter.what.old or 0, matter.what.new
    return isinstance(new, (int, float)) and isinstance(old, (int, float)) and new > old


def _fell(matter: Matter) -> bool:
    old, new = matter.what.old, matter.what.new
    return isinstance(new, (int, float)) and isinstance(old, (int, float)) and new < old


def _lost(matter: Matter) -> bool:
    return bool(set(matter.what.old or ()) - set(matter.what.new or ()))


def _unsafe(matter: Matter) -> bool:
    return matter.what.new == "write_back" and (matter.after.get("cache") or {}).get("controller_cache") != "protected"


def _untold(matter: Matter) -> bool:
    return matter.what.new is None and matter.what.old is not None


def _always(_matter: Matter) -> bool:
    return True


def _role(*roles: str) -> Test:
    return lambda matter: matter.before.get("role") in roles


def _severe(*severities: str) -> Test:
    return lambda matter: (matter.what.new or {}).get("severity") in severities


def _of_severity(*severities: str) -> Test:
    return lambda matter: matter.after.get("severity") in severities


_Row = tuple[str, str, Test, Level]
_CHANGED: tuple[_Row, ...] = (
    ("battery", "status", _is("failed", "missing"), "critical"),
    ("battery", "status", _is("degraded", "unknown"), "warning"),
    ("battery", "replace", _is(True), "warning"),
    ("volume", "cache.write_active", _unsafe, "critical"),
    ("volume", "cache.write_active", _is("write_through", "off"), "warning"),
    ("volume", "cache.controller_cache", _is("unprotected"), "critical"),
    ("volume", "cache.controller_cache", _is("unknown"), "warning"),
    ("volume", "cache.drive_caches", _is("on", "unknown"), "warning"),
    ("volume", "cache.write_policy", _is("unprotected_write_back"), "critical"),
    ("volume", "cache.write_policy", _is("write_through", "off"), "warning"),
    ("volume", "cache.drive_write_cache", _is("enabled"), "warning"),
    ("volume", "cache", _untold, "warning"),
    ("volume", "status", _is("degraded", "failed", "offline", "inactive"), "critical"),
    ("volume", "status", _is("rebuilding", "unknown"), "warning"),
    ("volume", "raid_level", _always, "warning"),
    ("volume", "size_bytes", _always, "warning"),
    ("volume", "drives_active", _fell, "critical"),
    ("volume", "mismatch_count", _grew, "warning"),
    ("controller", "cache.status", _is("critical"), "critical"),
    ("controller", "cache.status", _is("warning", "unknown"), "warning"),
    ("controller", "cache.present", _is(False), "critical"),
    ("controller", "cache.size_bytes", _fell, "warning"),
    ("controller", "cache.preserved_data", _is(True), "critical"),
    ("controller", "cache.no_battery_write_cache", _is(True), "critical"),
    ("controller", "cache", _untold, "warning"),
    ("controller", "pci_link.width", _fell, "warning"),
    ("controller", "pci_link.speed_gtps", _fell, "warning"),
    ("controller", "patrol_read.mode", _is("disabled"), "warning"),
    ("controller", "consistency_check.mode", _is("disabled"), "warning"),
    ("controller", "mode", _always, "warning"),
    ("array", "spares", _lost, "warning"),
    ("array", "drives", _lost, "warning"),
    ("drive", "role", _is("failed"), "critical"),
    ("drive", "write_cache", _is("enabled"), "warning"),
    ("drive", "link_gbps", _fell, "warning"),
    ("drive", "errors.media", _grew, "warning"),
    ("drive", "errors.predictive", _grew, "warning"),
    ("drive", "errors.reallocated", _grew, "warning"),
    ("drive", "errors.pending", _grew, "warning"),
    ("drive", "errors.uncorrectable", _grew, "warning"),
    ("host", "hostname", _always, "warning"),
    ("problem", "message", _of_severity("error"), "critical"),
    ("problem", "message", _of_severity("warning"), "warning"),
)
_CAME_AND_WENT: tuple[tuple[str, str, Test, Level], ...] = (
    ("removed", "controller", _always, "critical"),
    ("removed", "volume", _always, "critical"),
    ("removed", "battery", _always, "critical"),
    ("removed", "array", _always, "warning"),
    ("removed", "drive", _role("member", "journal"), "critical"),
    ("removed", "drive", _always, "warning"),
    ("replaced", "volume", _always, "warning"),
    ("added", "problem", _severe("error"), "critical"),
    ("added", "problem", _severe("warning"), "warning"),
)
_NAMES = {
    "raid_level": "RAID level", "size_bytes": "size", "cache.size_bytes": "cache memory",
    "firmware": "firmware", "cache.status": "state of the cache", "role": "role", "name": "name", "model": "model",
    "cache.read_bytes": "share of the cache for reads", "device": "device",
    "cache.write_bytes": "share of the cache for writes", "kernel": "kernel", "version": "version",
    "mountpoints": "list of mount points", "mode": "mode", "driver": "driver", "status_text": "status text",
    "errors.media": "count of media errors", "errors.predictive": "count of predicted failures",
    "errors.reallocated": "count of reallocated sectors", "errors.pending": "count of pending sectors",
    "errors.uncorrectable": "count of uncorrectable sectors", "errors.link": "count of link errors",
    "cache.write_policy": "configured write policy", "cache.read_percent": "share of the cache for reads",
    "cache.write_percent": "share of the cache for writes", "link_gbps": "link speed (Gbit/s)",
    "pci_link.width": "number of PCIe lanes", "pci_link.speed_gtps": "PCIe speed (GT/s)", "pci_address": "PCI address",
    "mismatch_count": "count of sectors that differ between copies", "drives_active": "number of working drives",
    "unique_id": "unique id", "wwn": "world wide name", "serial": "serial number", "hostname": "host name",
    "cache.why_not_in_force": "reason why the write policy is not in force",
    "write_cache": "write cache", "cache.drive_write_cache": "setting of its drives' write caches",
}  # fmt: skip

_SOLD = ("size_bytes", "free_bytes")
"""Sizes of drives, arrays and volumes, in the units in which they are sold; caches and strips are binary."""
_SPELT = {
    "write_back": "write-back", "write_through": "write-through", "protected_write_back": "protected write-back",
    "unprotected_write_back": "unprotected write-back", "read_ahead": "read-ahead",
}  # fmt: skip
"""Words of the model as people spell them."""


def judged(matter: Matter) -> Change:
    """The change with how bad it is, and the sentence."""
    bare = matter.what.field.split("[")[0]
    return Change(
        kind=matter.kind,  # type: ignore[arg-type]  # one of the words of the callers
        object=matter.object,  # type: ignore[arg-type]  # as above
        id=matter.id, field=matter.what.field or None, old=matter.what.old, new=matter.what.new,
        severity=_severity(matter, bare), message=_sentence(matter), controller=matter.controller,
    )  # fmt: skip


def _severity(matter: Matter, field: str) -> Level:
    if matter.kind != "changed":
        rows = (level for kind, thing, test, level in _CAME_AND_WENT if (kind, thing) == matter[:2] and test(matter))
        return next(rows, "info")
    if matter.what.field == "status" and matter.object in ("controller", "array", "drive"):
        return _HEALTH.get(matter.what.new, "warning")
    rows = (level for thing, name, test, level in _CHANGED if (thing, name) == (matter.object, field) and test(matter))
    return next(rows, "info")


def _sentence(matter: Matter) -> str:
    special = _SENTENCES.get((matter.kind, matter.object)) or _SENTENCES.get((matter.object, matter.what.field))
    said = special(matter) if special else None
    return said or _plain(matter)


def _plain(matter: Matter) -> str:
    who = named(matter)
    if matter.kind in ("added", "removed"):
        return f"{_first(who)} {'is new' if matter.kind == 'added' else 'is gone'}."
    old, new = _measured(matter.what)
    known = _NAMES.get(matter.what.field)
    name = f"The {known}" if known else _short(matter.what.field)
    if matter.what.old is None:
        return _ended(f"{name} of {who} was not told, or not there, and is {new}")
    if matter.what.new is None:
        return f"{name} of {who} was {old} and is not told any more, or not there."
    return _ended(f"{name} of {who} was {old} and is {new}")


def _measured(what: Difference) -> tuple[str, str]:
    """The two values with their unit; sizes that would read alike stay bytes."""
    if what.field.endswith("_percent"):
        return f"{value(what.old)} %", f"{value(what.new)} %"
    if what.field.endswith("_bytes"):
        shown = format_decimal if what.field in _SOLD else format_binary
        old, new = (shown(of) if isinstance(of, int) else value(of) for of in (what.old, what.new))
        return (old, new) if old != new else (f"{what.old} bytes", f"{what.new} bytes")
    return value(what.old), value(what.new)


def named(matter: Matter) -> str:
    """What is spoken of: ``the battery of smartarray:1``, ``the drive smartarray:1/1I:1:4``."""
    if matter.object == "host":
        return "the machine"
    if matter.object == "battery" and matter.id == f"{matter.controller}/battery0":
        return f"the battery of {matter.controller}"
    if matter.object == "problem":
        return f"the problem at {_short(matter.id)}"
    return f"the {'program' if matter.object == 'tool' else matter.object} {_short(matter.id)}"


def value(of: Any) -> str:
    """A value in a sentence: short, without what could steer a terminal."""
    if isinstance(of, bool):
        return "yes" if of else "no"
    if isinstance(of, list):
        return _short(", ".join(value(each) for each in of)) if of else "none"
    if isinstance(of, Mapping):
        told = [f"{key} {value(each)}" for key, each in of.items() if each not in (None, [], {})]
        return _short(", ".join(told)) if told else "nothing told"
    if isinstance(of, str):
        return _short(_SPELT.get(of, of))
    return str(of)


def _short(text: str) -> str:
    plain = collapse(printable(text))
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"


def _ended(text: str) -> str:
    """A sentence; what was cut, or has its full stop, gets none."""
    return text if text.endswith(("…", ".")) else f"{text}."


def _first(text: str) -> str:
    return text[:1].upper() + text[1:]


def _was_and_is(matter: Matter) -> str | None:
    """Of a state word: the thing itself was ok and is failed."""
    if matter.what.old is None or matter.what.new is None:
        return None
    return f"{_first(named(matter))} was {value(matter.what.old)} and is {value(matter.what.new)}."


def _in_force(matter: Matter) -> str | None:
    why = (matter.after.get("cache") or {}).get("why_not_in_force")
    old, new = matter.what.old, matter.what.new
    if (old, new) == ("write_back", "write_through"):
        reason = f": {_short(why)}" if why else ""
        return _ended(f"The write-back of {named(matter)} has fallen to write-through{reason}")
    if (old, new) == ("write_through", "write_back"):
        danger = ", without protection" if _unsafe(matter) else ""
        return f"{_first(named(matter))} is in write-back{danger}; it was in write-through."
    return None


def _why(matter: Matter) -> str | None:
    if matter.what.old is None:
        return _ended(f"The write policy of {named(matter)} is not in force: {value(matter.what.new)}")
    if matter.what.new is None:
        return f"The write policy of {named(matter)} is in force again (was not: {value(matter.what.old)})."
    return None


def _controller_cache(matter: Matter) -> str | None:
    if matter.what.new == "unprotected":
        return f"The controller's cache no longer protects unwritten data of {named(matter)} in a power failure."
    protected = "The controller's cache now protects unwritten data of {} in a power failure."
    return protected.format(named(matter)) if matter.what.new == "protected" else None


def _drive_caches(matter: Matter) -> str | None:
    return f"The write caches of the drives of {named(matter)} were {matter.what.old} and are {matter.what.new}."


def _asks(matter: Matter) -> str | None:
    return f"{_first(named(matter))} is to be replaced, its tool says." if matter.what.new is True else None


def _who(data: Mapping[str, Any]) -> str:
    words = [data.get("model"), f"serial number {data['serial']}" if data.get("serial") else None]
    return _short(", ".join(word for word in words if word) or "no model or serial number told")


def _moved(matter: Matter) -> str:
    which = f" ({_who(matter.after)})" if matter.object in ("drive", "controller") else ""
    return f"The {matter.object}{which} was {_short(str(matter.what.old))} and is {_short(str(matter.what.new))} now."


def _replaced(matter: Matter) -> str:
    if matter.object == "volume":
        return (
            f"{_first(named(matter))} is another one: its unique id was {value(matter.what.old)} and is "
            f"{value(matter.what.new)}; it was made anew."
        )
    return f"{_first(named(matter))} was replaced: it was {_who(matter.before)}, and is {_who(matter.after)}."


def _drive_gone(matter: Matter) -> str:
    roles = {"spare": "spare drive", "member": "member drive"}
    what = roles.get(str(matter.before.get("role")), "drive")
    return f"The {what} {_short(matter.id)} ({_who(matter.before)}) is gone."


def _drive_new(matter: Matter) -> str:
    return f"The drive {_short(matter.id)} ({_who(matter.after)}) is new."


def _members(matter: Matter) -> str | None:
    old, new = set(matter.what.old or ()), set(matter.what.new or ())
    kind = "spare" if matter.what.field == "spares" else "member"
    parts = []
    for verb, ids in (("lost", old - new), ("got", new - old)):
        if ids:
            plural = "s" if len(ids) > 1 else ""
            parts.append(f"{verb} the {kind}{plural} {_short(', '.join(sorted(ids, key=natural)))}")
    return f"{_first(named(matter))} has {' and '.join(parts)}." if parts else None


def _role_of(matter: Matter) -> str | None:
    if (matter.what.old, matter.what.new) == ("spare", "member"):
        return f"The spare {_short(matter.id)} is in use as a member now: a drive was lost."
    return None


def _another_host(matter: Matter) -> str | None:
    if matter.what.old and matter.what.new:
        return (
            f"These are two machines, or one that was renamed: {value(matter.what.old)} and {value(matter.what.new)}."
        )
    return None


def _problem(matter: Matter) -> str:
    told = matter.what.new or matter.what.old or {}
    begins = "Reported now" if matter.kind == "added" else "Not reported any more"
    return f"{begins} of {_short(matter.id)}: {collapse(printable(str(told.get('message', ''))))}"


_SENTENCES: Mapping[tuple[str, str], Callable[[Matter], str | None]] = {
    ("moved", "drive"): _moved, ("moved", "controller"): _moved, ("moved", "volume"): _moved,
    ("moved", "array"): _moved, ("moved", "battery"): _moved,
    ("replaced", "drive"): _replaced, ("replaced", "controller"): _replaced, ("replaced", "volume"): _replaced,
    ("removed", "drive"): _drive_gone, ("added", "drive"): _drive_new,
    ("added", "problem"): _problem, ("removed", "problem"): _problem,
    ("battery", "status"): _was_and_is, ("volume", "status"): _was_and_is, ("drive", "status"): _was_and_is,
    ("controller", "status"): _was_and_is, ("array", "status"): _was_and_is, ("battery", "replace"): _asks,
    ("volume", "cache.write_active"): _in_force, ("volume", "cache.why_not_in_force"): _why,
    ("volume", "cache.controller_cache"): _controller_cache, ("volume", "cache.drive_caches"): _drive_caches,
    ("array", "spares"): _members, ("array", "drives"): _members, ("drive", "role"): _role_of,
    ("host", "hostname"): _another_host,
}  # fmt: skip
