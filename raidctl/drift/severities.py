"""Severities of changes. Tables: the first row that matches counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from raidctl.drift.fields import Difference
from raidctl.health.severity import Severity
from raidctl.model import Errors
from raidctl.model.block_layer import NO_BARRIER
from raidctl.vendor.limits import MANY_LINK_ERRORS, WORN_OUT

_HEALTH: Mapping[Any, Severity] = {"critical": "critical", "warning": "warning", "ok": "info"}
_TRANSPORT = frozenset({"link", "other"})
"""Counters of which any drive may have a few: a small count that was unknown before is not a fault."""
_POLICIES = ("resync", "bitmap", "ppl", "journal")
"""Consistency policies of md, the weakest first."""


class Candidate(NamedTuple):
    """A change before it is judged."""

    kind: str
    object: str
    id: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    what: Difference
    controller: str | None


Test = Callable[[Candidate], bool]


def _is(*values: Any) -> Test:
    return lambda candidate: candidate.what.new in values


def _grew(candidate: Candidate) -> bool:
    old, new = candidate.what.old or 0, candidate.what.new
    return isinstance(new, (int, float)) and isinstance(old, (int, float)) and new > old


def _has_errors(candidate: Candidate) -> bool:
    counts = (candidate.after.get("errors") or {}).items()
    return any(count and (count >= MANY_LINK_ERRORS or name not in _TRANSPORT) for name, count in counts)


def _more_errors(candidate: Candidate) -> bool:
    return _grew(candidate) and (candidate.what.old is not None or candidate.what.new >= MANY_LINK_ERRORS)


def _fell(candidate: Candidate) -> bool:
    old, new = candidate.what.old, candidate.what.new
    return isinstance(new, (int, float)) and isinstance(old, (int, float)) and new < old


def _lost(candidate: Candidate) -> bool:
    return bool(set(candidate.what.old or ()) - set(candidate.what.new or ()))


def _spare_lost(candidate: Candidate) -> bool:
    return bool(candidate.what.old == "spare" and candidate.what.new != "member")


def _new_bits(candidate: Candidate) -> bool:
    return bool((candidate.what.new or 0) & ~(candidate.what.old or 0))


def _is_worn_out(candidate: Candidate) -> bool:
    return (candidate.what.new or 0) >= WORN_OUT


def _below_threshold(candidate: Candidate) -> bool:
    spare, least = candidate.what.new, candidate.after.get("available_spare_threshold_percent")
    return isinstance(spare, int) and isinstance(least, int) and spare < least


def _has_preserved(candidate: Candidate) -> bool:
    return bool((candidate.after.get("cache") or {}).get("preserved_data") or candidate.after.get("preserved"))


def _none_left(candidate: Candidate) -> bool:
    return _fell(candidate) and candidate.what.new == 0


def _no_bitmap(candidate: Candidate) -> bool:
    return candidate.what.old not in (None, "none") and candidate.what.new in (None, "none")


def _weaker(candidate: Candidate) -> bool:
    """Whether the policy is weaker now, or may be. One that is not known may be the weakest."""
    old, new = (_POLICIES.index(one) if one in _POLICIES else 0 for one in candidate.what[1:])
    return new < old


def _forgotten(candidate: Candidate) -> bool:
    """Whether a count that was not 0 is no longer reported."""
    return bool(candidate.what.old) and candidate.what.new is None


def _listed(candidate: Candidate) -> bool:
    """Whether a list has a new object. A field of an object that was listed before does not count."""
    return isinstance(candidate.what.new, Mapping)


def _without_flushes(candidate: Candidate) -> bool:
    """Whether a mount has gained an option that stops flushes. The mount itself may be new."""
    old, new = (of.get("options") if isinstance(of, Mapping) else of for of in candidate.what[1:])
    return isinstance(new, list) and bool(NO_BARRIER & set(new) - set(old or ()))


def _more_disabled(candidate: Candidate) -> bool:
    """Whether something has sync=disabled that had not, or may have it."""
    old, new = candidate.what[1:]
    return new is None or not set(new) <= set(old or ())


def _read_only_now(candidate: Candidate) -> bool:
    """Whether a mount has become read-only. The kernel does that to a file system whose writes fail."""
    old, new = candidate.what[1:]
    return isinstance(old, list) and isinstance(new, list) and "ro" in new and "ro" not in old


def unsafe_write_back(candidate: Candidate) -> bool:
    """Whether a volume is now in write-back without a protected cache."""
    return (
        candidate.what.new == "write_back"
        and (candidate.after.get("cache") or {}).get("controller_cache") != "protected"
    )


def _unreported(candidate: Candidate) -> bool:
    return candidate.what.new is None and candidate.what.old is not None


def _always(_matter: Candidate) -> bool:
    return True


def _role(*roles: str) -> Test:
    return lambda candidate: candidate.before.get("role") in roles


def _with(**bad: Any) -> Test:
    return lambda candidate: any((candidate.what.new or {}).get(name) == one for name, one in bad.items())


def _in_state(*states: str) -> Test:
    return lambda candidate: candidate.after.get("status") in states


def _of_severity(*severities: str) -> Test:
    return lambda candidate: candidate.after.get("severity") in severities


_Row = tuple[str, str, Test, Severity]
_CHANGED: tuple[_Row, ...] = (
    ("battery", "status", _is("failed", "missing"), "critical"),
    ("battery", "status", _is("degraded", "unknown"), "warning"),
    ("battery", "replace", _is(True), "warning"),
    ("volume", "cache.write_active", unsafe_write_back, "critical"),
    ("volume", "cache.write_active", _is("write_through", "off"), "warning"),
    ("volume", "cache.controller_cache", _is("unprotected"), "critical"),
    ("volume", "cache.controller_cache", _is("unknown"), "warning"),
    ("volume", "cache.drive_caches", _is("on", "unknown"), "warning"),
    ("volume", "cache.write_policy", _is("unprotected_write_back"), "critical"),
    ("volume", "cache.write_policy", _is("write_through", "off"), "warning"),
    ("volume", "cache.drive_write_cache", _is("enabled"), "warning"),
    ("volume", "cache", _with(controller_cache="unprotected"), "critical"),
    ("volume", "cache", _unreported, "warning"),
    ("volume", "status", _is("degraded", "failed", "offline", "inactive"), "critical"),
    ("volume", "status", _is("rebuilding", "unknown"), "warning"),
    ("volume", "raid_level", _always, "warning"),
    ("volume", "size_bytes", _always, "warning"),
    ("volume", "drives_active", _fell, "critical"),
    ("volume", "drives_active", _forgotten, "warning"),
    ("volume", "failures_tolerated", _none_left, "critical"),
    ("volume", "failures_tolerated", _fell, "warning"),
    ("volume", "failures_tolerated", _forgotten, "warning"),
    ("volume", "bitmap", _no_bitmap, "warning"),
    ("volume", "consistency_policy", _weaker, "warning"),
    ("volume", "mounts", _without_flushes, "warning"),
    ("volume", "mounts", _read_only_now, "warning"),
    ("volume", "sync_disabled", _more_disabled, "warning"),
    ("volume", "mismatch_count", _grew, "warning"),
    ("controller", "cache.status", _is("critical"), "critical"),
    ("controller", "cache.status", _is("warning", "unknown"), "warning"),
    ("controller", "cache.present", _is(False), "critical"),
    ("controller", "cache.size_bytes", _fell, "warning"),
    ("controller", "cache.preserved_data", _is(True), "critical"),
    ("controller", "cache.no_battery_write_cache", _is(True), "critical"),
    ("controller", "cache", _with(status="critical", preserved_data=True), "critical"),
    ("controller", "cache", _unreported, "warning"),
    ("controller", "pci_link.width", _fell, "warning"),
    ("controller", "pci_link.speed_gtps", _fell, "warning"),
    ("controller", "patrol_read.mode", _is("disabled"), "warning"),
    ("controller", "consistency_check.mode", _is("disabled"), "warning"),
    ("controller", "mode", _always, "warning"),
    ("controller", "foreign", _is(True), "warning"),
    ("controller", "foreign_groups", _listed, "warning"),
    ("controller", "preserved", _listed, "critical"),
    ("controller", "monitored", _is(False), "warning"),
    ("array", "spares", _lost, "warning"),
    ("array", "drives", _lost, "warning"),
    ("drive", "role", _is("failed"), "critical"),
    ("drive", "role", _spare_lost, "warning"),
    ("drive", "foreign", _is(True), "warning"),
    ("drive", "write_cache", _is("enabled"), "warning"),
    ("drive", "link_gbps", _fell, "warning"),
    ("drive", "paths", _fell, "warning"),
    ("drive", "critical_warning", _new_bits, "critical"),
    ("drive", "available_spare_percent", _below_threshold, "warning"),
    ("drive", "life_used_percent", _is_worn_out, "warning"),
    ("drive", "mounts", _without_flushes, "warning"),
    ("drive", "mounts", _read_only_now, "warning"),
    *(
        ("drive", f"errors.{name}", _more_errors if name in _TRANSPORT else _grew, "warning")
        for name in Errors.__struct_fields__
    ),
    ("host", "hostname", _always, "warning"),
    ("problem", "severity", _is("error"), "critical"),
    ("problem", "severity", lambda candidate: candidate.what[1:] == ("info", "warning"), "warning"),
    ("problem", "message", _of_severity("error"), "critical"),
    ("problem", "message", _of_severity("warning"), "warning"),
)
_CAME_AND_WENT: tuple[tuple[str, str, Test, Severity], ...] = (
    ("removed", "controller", _always, "critical"),
    ("removed", "volume", _always, "critical"),
    ("removed", "battery", _always, "critical"),
    ("removed", "array", _always, "warning"),
    ("removed", "drive", _role("member", "journal"), "critical"),
    ("removed", "drive", _always, "warning"),
    ("replaced", "volume", _always, "warning"),
    ("added", "volume", _in_state("degraded", "failed", "offline", "inactive"), "critical"),
    ("added", "volume", _in_state("rebuilding"), "warning"),
    ("added", "battery", _in_state("failed", "missing"), "critical"),
    ("added", "battery", _in_state("degraded"), "warning"),
    ("added", "controller", _has_preserved, "critical"),
    *(("added", kind, _in_state("critical"), "critical") for kind in ("controller", "array", "drive")),
    ("added", "drive", _has_errors, "warning"),
    ("added", "drive", _with(foreign=True), "warning"),
    ("added", "battery", _with(replace=True), "warning"),
    ("added", "controller", _with(foreign=True), "warning"),
    *(("added", kind, _in_state("warning"), "warning") for kind in ("controller", "array", "drive")),
    ("added", "problem", _with(severity="error"), "critical"),
    ("added", "problem", _with(severity="warning"), "warning"),
)


def severity(candidate: Candidate) -> Severity:
    """The severity of a change."""
    field = candidate.what.field.split("[")[0]
    if candidate.kind != "changed":
        rows = (
            level for kind, thing, test, level in _CAME_AND_WENT if (kind, thing) == candidate[:2] and test(candidate)
        )
        return next(rows, "info")
    if candidate.what.field == "status" and candidate.object in ("controller", "array", "drive"):
        return _HEALTH.get(candidate.what.new, "warning")
    rows = (
        level for thing, name, test, level in _CHANGED if (thing, name) == (candidate.object, field) and test(candidate)
    )
    return next(rows, "info")
