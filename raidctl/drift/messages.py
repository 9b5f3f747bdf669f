"""The message of each change: one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from raidctl.drift.fields import Difference
from raidctl.drift.severities import Candidate, unsafe_write_back
from raidctl.order import natural
from raidctl.text import capitalised, collapse, printable
from raidctl.units import format_binary, format_decimal

_LONGEST = 60
"""Characters of a value in a sentence."""
_NAMES = {
    "raid_level": "RAID level", "size_bytes": "size", "cache.size_bytes": "cache memory",
    "firmware": "firmware", "cache.status": "state of the cache", "role": "role", "name": "name", "model": "model",
    "cache.read_bytes": "cache for reads", "device": "device",
    "cache.write_bytes": "cache for writes", "kernel": "kernel", "version": "version",
    "mountpoints": "list of mount points", "mode": "mode", "driver": "driver", "status_text": "status text",
    "errors.media": "count of media errors", "errors.predictive": "count of predicted failures",
    "errors.reallocated": "count of reallocated sectors", "errors.pending": "count of pending sectors",
    "errors.uncorrectable": "count of uncorrectable sectors", "errors.link": "count of link errors",
    "cache.write_policy": "configured write policy", "cache.read_percent": "cache share for reads",
    "cache.write_percent": "cache share for writes", "link_gbps": "link speed (Gbit/s)",
    "pci_link.width": "number of PCIe lanes", "pci_link.speed_gtps": "PCIe speed (GT/s)", "pci_address": "PCI address",
    "mismatch_count": "count of mismatched sectors", "drives_active": "number of working drives",
    "unique_id": "unique id", "wwn": "world wide name", "serial": "serial number", "hostname": "host name",
    "cache.why_not_in_force": "reason why the configured write policy is not active",
    "write_cache": "write cache", "cache.drive_write_cache": "setting of its drives' write caches",
    "errors.other": "count of other errors", "paths": "number of paths", "monitored": "monitoring",
    "critical_warning": "critical warnings (NVMe, bits)", "life_used_percent": "used endurance (%)",
    "available_spare_percent": "available spare (%)", "failures_tolerated": "number of failures that it survives",
    "consistency_policy": "consistency policy", "bitmap": "write-intent bitmap",
}  # fmt: skip

_SOLD = ("size_bytes", "free_bytes")
"""Sizes of drives, arrays and volumes, in decimal units. Caches and strips use binary units."""
_SPELT = {
    "write_back": "write-back", "write_through": "write-through", "protected_write_back": "protected write-back",
    "unprotected_write_back": "unprotected write-back", "read_ahead": "read-ahead",
}  # fmt: skip
"""Usual spelling of the model's words."""


def message(candidate: Candidate) -> str:
    """The sentence of a change."""
    special = _SENTENCES.get((candidate.kind, candidate.object)) or _SENTENCES.get(
        (candidate.object, candidate.what.field)
    )
    return (special(candidate) if special else None) or _plain(candidate)


def _plain(candidate: Candidate) -> str:
    who = named(candidate)
    if candidate.kind == "added":
        return f"{capitalised(who)} is new.{_bad_status(candidate)}"
    if candidate.kind == "removed":
        return f"{capitalised(who)} is gone."
    old, new = _measured(candidate.what)
    known = _NAMES.get(candidate.what.field)
    about = f"{capitalised(who)}, {known or _short(candidate.what.field)}"
    before = "not reported" if candidate.what.old is None else old
    return f"{about}: {before} → {'not reported' if candidate.what.new is None else new}."


def _measured(what: Difference) -> tuple[str, str]:
    """The two values with units. Sizes that would look the same are in bytes."""
    if what.field.endswith("_percent"):
        return f"{value(what.old)}%", f"{value(what.new)}%"
    if what.field.endswith("_bytes"):
        shown = format_decimal if what.field in _SOLD else format_binary
        old, new = (shown(of) if isinstance(of, int) else value(of) for of in (what.old, what.new))
        return (old, new) if old != new else (f"{what.old} bytes", f"{what.new} bytes")
    return value(what.old), value(what.new)


def named(candidate: Candidate) -> str:
    """The object in the message: ``the battery of smartarray:1``, ``the drive smartarray:1/1I:1:4``."""
    if candidate.object == "host":
        return "the machine"
    if candidate.object == "battery" and candidate.id == f"{candidate.controller}/battery0":
        return f"the battery of {candidate.controller}"
    if candidate.object == "problem":
        return f"the problem at {_short(candidate.id)}"
    return f"the {candidate.object} {_short(candidate.id)}"


def value(of: Any) -> str:
    """A value in a message: short, without characters that control a terminal."""
    if isinstance(of, bool):
        return "yes" if of else "no"
    if isinstance(of, list):
        return _short(", ".join(value(each) for each in of)) if of else "none"
    if isinstance(of, Mapping):
        parts = [f"{key} {value(each)}" for key, each in of.items() if each not in (None, [], {})]
        return _short(", ".join(parts)) if parts else "nothing reported"
    if isinstance(of, str):
        return _short(_SPELT.get(of, of))
    return str(of)


def _short(text: str) -> str:
    plain = collapse(printable(text))
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"


def _ended(text: str) -> str:
    """A sentence; no full stop after an ellipsis or another one."""
    return text if text.endswith(("…", ".")) else f"{text}."


def _changed(candidate: Candidate) -> str | None:
    """For a state: ``The battery of smartarray:1 changed from ok to failed``."""
    if candidate.what.old is None or candidate.what.new is None:
        return None
    return f"{capitalised(named(candidate))} changed from {value(candidate.what.old)} to {value(candidate.what.new)}."


def _in_force(candidate: Candidate) -> str | None:
    why = (candidate.after.get("cache") or {}).get("why_not_in_force")
    old, new = candidate.what.old, candidate.what.new
    if (old, new) == ("write_back", "write_through"):
        reason = f": {_short(why)}" if why else ""
        return _ended(f"{capitalised(named(candidate))} has fallen back from write-back to write-through{reason}")
    if (old, new) == ("write_through", "write_back"):
        danger = ", without protection" if unsafe_write_back(candidate) else ""
        return f"{capitalised(named(candidate))} is in write-back{danger}; it was in write-through."
    return None


def _why(candidate: Candidate) -> str | None:
    if candidate.what.old is None:
        return _ended(f"The configured write policy of {named(candidate)} is not active: {value(candidate.what.new)}")
    if candidate.what.new is None:
        return (
            f"The configured write policy of {named(candidate)} is active again (was not: {value(candidate.what.old)})."
        )
    return None


def _controller_cache(candidate: Candidate) -> str | None:
    if candidate.what.new == "unprotected":
        return f"The controller's cache no longer protects unwritten data of {named(candidate)} in a power failure."
    protected = "The controller's cache now protects unwritten data of {} in a power failure."
    return protected.format(named(candidate)) if candidate.what.new == "protected" else None


def _drive_caches(candidate: Candidate) -> str | None:
    return (
        f"The write caches of the drives of {named(candidate)} changed from {candidate.what.old} to "
        f"{candidate.what.new}."
    )


def _needs_replacement(candidate: Candidate) -> str | None:
    return f"{capitalised(named(candidate))} needs replacement." if candidate.what.new is True else None


def _who(data: Mapping[str, Any]) -> str:
    words = [data.get("model"), f"serial number {data['serial']}" if data.get("serial") else None]
    return _short(", ".join(word for word in words if word) or "no model or serial number reported")


def _moved(candidate: Candidate) -> str:
    which = f" ({_who(candidate.after)})" if candidate.object in ("drive", "controller") else ""
    old, new = _short(str(candidate.what.old)), _short(str(candidate.what.new))
    return f"The {candidate.object}{which} was {old} and is now {new}."


def _replaced(candidate: Candidate) -> str:
    if candidate.object == "volume":
        return (
            f"{capitalised(named(candidate))} is a different one: its unique id was {value(candidate.what.old)} and is "
            f"{value(candidate.what.new)}; it was recreated."
        )
    was, now = _who(candidate.before), _who(candidate.after)
    return f"{capitalised(named(candidate))} was replaced: it was {was}, and is {now}."


def _drive_gone(candidate: Candidate) -> str:
    roles = {"spare": "spare drive", "member": "member drive"}
    what = roles.get(str(candidate.before.get("role")), "drive")
    return f"The {what} {_short(candidate.id)} ({_who(candidate.before)}) is gone."


def _drive_new(candidate: Candidate) -> str:
    return f"The drive {_short(candidate.id)} ({_who(candidate.after)}) is new.{_bad_status(candidate)}"


def _bad_status(candidate: Candidate) -> str:
    """The status of a new object, if it is known and not good."""
    status = candidate.after.get("status")
    return "" if status in (None, "ok", "unknown") else f" Its status is {value(status)}."


def _members(candidate: Candidate) -> str | None:
    old, new = set(candidate.what.old or ()), set(candidate.what.new or ())
    kind = "spare" if candidate.what.field == "spares" else "member"
    parts = []
    for verb, ids in (("lost", old - new), ("gained", new - old)):
        if ids:
            plural = "s" if len(ids) > 1 else ""
            parts.append(f"{verb} the {kind}{plural} {_short(', '.join(sorted(ids, key=natural)))}")
    return f"{capitalised(named(candidate))} has {' and '.join(parts)}." if parts else None


def _role_of(candidate: Candidate) -> str | None:
    if (candidate.what.old, candidate.what.new) == ("spare", "member"):
        return f"The spare {_short(candidate.id)} has become a member."
    return None


def _another_host(candidate: Candidate) -> str | None:
    if candidate.what.old and candidate.what.new:
        return (
            f"Different machines, or one that was renamed: {value(candidate.what.old)} and {value(candidate.what.new)}."
        )
    return None


def _problem(candidate: Candidate) -> str:
    problem = candidate.what.new or candidate.what.old or {}
    start = "New problem on" if candidate.kind == "added" else "No longer reported on"
    return f"{start} {_short(candidate.id)}: {collapse(printable(str(problem.get('message', ''))))}"


_SENTENCES: Mapping[tuple[str, str], Callable[[Candidate], str | None]] = {
    ("moved", "drive"): _moved, ("moved", "controller"): _moved, ("moved", "volume"): _moved,
    ("moved", "array"): _moved, ("moved", "battery"): _moved,
    ("replaced", "drive"): _replaced, ("replaced", "controller"): _replaced, ("replaced", "volume"): _replaced,
    ("removed", "drive"): _drive_gone, ("added", "drive"): _drive_new,
    ("added", "problem"): _problem, ("removed", "problem"): _problem,
    ("battery", "status"): _changed, ("volume", "status"): _changed, ("drive", "status"): _changed,
    ("controller", "status"): _changed, ("array", "status"): _changed, ("battery", "replace"): _needs_replacement,
    ("volume", "cache.write_active"): _in_force, ("volume", "cache.why_not_in_force"): _why,
    ("volume", "cache.controller_cache"): _controller_cache, ("volume", "cache.drive_caches"): _drive_caches,
    ("array", "spares"): _members, ("array", "drives"): _members, ("drive", "role"): _role_of,
    ("host", "hostname"): _another_host,
}  # fmt: skip
