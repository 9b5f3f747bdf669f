"""The severity of each change for the worse. What is only different, or better, is information."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from raidctl.drift.diff import diff
from raidctl.model import Errors
from raidctl.vendor.limits import MANY_LINK_ERRORS
from tests.drift.states import CONTROLLER, changed, controller, item, state

Doc = dict[str, Any]
VOLUME, DRIVE, BATTERY, ARRAY = f"{CONTROLLER}/v1", f"{CONTROLLER}/1I:1:1", f"{CONTROLLER}/battery0", f"{CONTROLLER}/A"
MOUNT = {"point": "/srv", "device": "/dev/sda1", "filesystem": "ext4", "options": ["rw"]}
READ_ONLY = {**MOUNT, "options": ["rw", "ro"]}  # of the mount, and of the file system with an error
UNSAFE = {**MOUNT, "options": ["rw", "barrier=0"]}
CACHE = {"present": True, "status": "ok", "size_bytes": 1 << 30}

WORSE: tuple[tuple[str, str, Any, Any, str], ...] = (
    (BATTERY, "status", "ok", "failed", "critical"),
    (BATTERY, "status", "ok", "missing", "critical"),
    (BATTERY, "status", "ok", "degraded", "warning"),
    (BATTERY, "status", "ok", "unknown", "warning"),
    (BATTERY, "replace", False, True, "warning"),
    (VOLUME, "cache.write_active", "write_back", "write_through", "warning"),
    (VOLUME, "cache.write_active", "write_back", "off", "warning"),
    (VOLUME, "cache.controller_cache", "protected", "unprotected", "critical"),
    (VOLUME, "cache.controller_cache", "protected", "unknown", "warning"),
    (VOLUME, "cache.drive_caches", "off", "on", "warning"),
    (VOLUME, "cache.drive_caches", "off", "unknown", "warning"),
    (VOLUME, "cache.write_policy", "protected_write_back", "unprotected_write_back", "critical"),
    (VOLUME, "cache.write_policy", "protected_write_back", "write_through", "warning"),
    (VOLUME, "cache.write_policy", "protected_write_back", "off", "warning"),
    (VOLUME, "cache.drive_write_cache", "disabled", "enabled", "warning"),
    *((VOLUME, "status", "ok", word, "critical") for word in ("degraded", "failed", "offline", "inactive")),
    *((VOLUME, "status", "ok", word, "warning") for word in ("rebuilding", "unknown")),
    (VOLUME, "raid_level", "raid6", "raid5", "warning"),
    (VOLUME, "size_bytes", 2 << 40, 1 << 40, "warning"),
    (VOLUME, "drives_active", 4, 3, "critical"),
    (VOLUME, "mismatch_count", 0, 8, "warning"),
    (VOLUME, "failures_tolerated", 2, 1, "warning"),
    *((VOLUME, "failures_tolerated", before, 0, "critical") for before in (2, 1)),
    (VOLUME, "failures_tolerated", 2, None, "warning"),
    (VOLUME, "failures_tolerated", 0, None, "info"),
    (VOLUME, "drives_active", 4, None, "warning"),
    (VOLUME, "bitmap", "internal", "none", "warning"),
    (VOLUME, "bitmap", "internal", None, "warning"),
    (VOLUME, "bitmap", "none", None, "info"),
    (VOLUME, "consistency_policy", "bitmap", "resync", "warning"),
    *((VOLUME, "consistency_policy", "ppl", word, "warning") for word in (None, "unknown")),
    (VOLUME, "consistency_policy", "resync", None, "info"),
    (VOLUME, "consistency_policy", "journal", "bitmap", "warning"),
    *((name, "mounts", [MOUNT], [UNSAFE], "warning") for name in (VOLUME, DRIVE)),
    *((name, "mounts", [], [UNSAFE], "warning") for name in (VOLUME, DRIVE)),
    *((name, "mounts", [MOUNT], [READ_ONLY], "warning") for name in (VOLUME, DRIVE)),
    (CONTROLLER, "status", "ok", "critical", "critical"),
    (CONTROLLER, "status", "ok", "warning", "warning"),
    (CONTROLLER, "status", "ok", "unknown", "warning"),
    (CONTROLLER, "cache.status", "ok", "critical", "critical"),
    (CONTROLLER, "cache.status", "ok", "warning", "warning"),
    (CONTROLLER, "cache.status", "ok", "unknown", "warning"),
    (CONTROLLER, "cache.present", True, False, "critical"),
    (CONTROLLER, "cache.size_bytes", 2 << 30, 1 << 30, "warning"),
    (CONTROLLER, "cache.preserved_data", False, True, "critical"),
    (CONTROLLER, "cache.no_battery_write_cache", False, True, "critical"),
    (CONTROLLER, "cache", None, {**CACHE, "preserved_data": True}, "critical"),
    (CONTROLLER, "cache", None, {**CACHE, "status": "critical"}, "critical"),
    (CONTROLLER, "cache", CACHE, None, "warning"),
    (VOLUME, "cache", None, {"controller_cache": "unprotected"}, "critical"),
    (VOLUME, "cache", {"controller_cache": "protected"}, None, "warning"),
    (CONTROLLER, "pci_link", {"width": 8}, {"width": 4}, "warning"),
    (CONTROLLER, "pci_link", {"speed_gtps": 8.0}, {"speed_gtps": 2.5}, "warning"),
    (CONTROLLER, "patrol_read", {"mode": "automatic"}, {"mode": "disabled"}, "warning"),
    (CONTROLLER, "consistency_check", {"mode": "automatic"}, {"mode": "disabled"}, "warning"),
    (CONTROLLER, "mode", "raid", "hba", "warning"),
    (CONTROLLER, "foreign", False, True, "warning"),
    (CONTROLLER, "foreign_groups", [], [{"number": "1"}], "warning"),
    (CONTROLLER, "preserved", [{"volume": "a"}], [{"volume": "a"}, {"volume": "b"}], "critical"),
    (CONTROLLER, "monitored", True, False, "warning"),
    (ARRAY, "status", "ok", "critical", "critical"),
    (ARRAY, "status", "ok", "unknown", "warning"),
    (DRIVE, "status", "ok", "critical", "critical"),
    (DRIVE, "status", "ok", "warning", "warning"),
    (DRIVE, "status", "ok", "unknown", "warning"),
    (DRIVE, "role", "member", "failed", "critical"),
    *((DRIVE, "role", "spare", word, "warning") for word in ("unassigned", "passthrough", None)),
    (DRIVE, "foreign", False, True, "warning"),
    (DRIVE, "paths", 2, 1, "warning"),
    *((DRIVE, "critical_warning", before, 12, "critical") for before in (None, 0, 8)),
    (DRIVE, "life_used_percent", 99, 120, "warning"),
    (DRIVE, "write_cache", "disabled", "enabled", "warning"),
    (DRIVE, "link_gbps", 12.0, 6.0, "warning"),
    *((DRIVE, f"errors.{name}", 3, 4, "warning") for name in Errors.__struct_fields__),
    *((DRIVE, f"errors.{name}", None, MANY_LINK_ERRORS, "warning") for name in Errors.__struct_fields__),
    *((DRIVE, f"errors.{name}", None, 1, "warning") for name in ("media", "reallocated", "pending", "uncorrectable")),
    *((DRIVE, f"errors.{name}", None, 1, "info") for name in ("link", "other")),
)


def setting(name: str, field: str, value: Any) -> Callable[[Doc], None]:
    """Set a field of an object."""

    def change(document: Doc) -> None:
        found = controller(document) if name == CONTROLLER else item(document, name)
        *path, last = field.split(".")
        for part in path:
            found = found[part]
        found[last] = value

    return change


def severities(name: str, field: str, old: Any, new: Any) -> dict[str, str]:
    """The severities of a changed field, and of its parts."""
    before, after = (changed(state(), setting(name, field, value)) for value in (old, new))
    return {
        one.field or "": one.severity
        for one in diff(before, after).changes
        if one.id == name and one.kind == "changed" and (one.field or "").startswith(field)
    }


@pytest.mark.parametrize(("name", "field", "old", "new", "severity"), WORSE)
def test_a_change_for_the_worse_has_its_severity_and_its_end_is_information(
    name: str, field: str, old: Any, new: Any, severity: str
) -> None:
    """A change for the worse is critical or a warning; the return to a good state is information."""
    assert set(severities(name, field, old, new).values()) == {severity}
    if field not in ("raid_level", "size_bytes", "mode", "cache"):
        assert set(severities(name, field, new, old).values()) == {"info"}


@pytest.mark.parametrize(
    ("protection", "severity"), [("protected", "info"), ("unprotected", "critical"), ("unknown", "critical")]
)
def test_write_back_that_nothing_is_known_to_protect_is_critical(protection: str, severity: str) -> None:
    """A volume that begins to write back is information only if its cache is known to be protected."""
    known = changed(state(), setting(VOLUME, "cache.controller_cache", protection))
    before = changed(known, setting(VOLUME, "cache.write_active", "write_through"))
    after = changed(known, setting(VOLUME, "cache.write_active", "write_back"))
    assert [one.severity for one in diff(before, after).changes if one.field == "cache.write_active"] == [severity]


@pytest.mark.parametrize(("spare", "severity"), [(90, "info"), (10, "info"), (9, "warning")])
def test_spare_blocks_below_their_threshold_are_a_warning(spare: int, severity: str) -> None:
    """The threshold is that of the drive; a drive without one has no limit."""
    known = changed(state(), setting(DRIVE, "available_spare_threshold_percent", 10))
    before, after = (changed(known, setting(DRIVE, "available_spare_percent", value)) for value in (100, spare))
    assert [one.severity for one in diff(before, after).changes] == [severity]


@pytest.mark.parametrize(
    ("array", "field", "drive"), [("A", "drives", f"{CONTROLLER}/1I:1:1"), ("B", "spares", f"{CONTROLLER}/2I:1:7")]
)
def test_an_array_that_loses_a_drive_or_spare_is_a_warning(array: str, field: str, drive: str) -> None:
    """A drive or spare that an array no longer lists is a warning, and one that it lists now is information."""
    name = f"{CONTROLLER}/{array}"
    assert set(severities(name, field, [drive], []).values()) == {"warning"}
    assert set(severities(name, field, [], [drive]).values()) == {"info"}


@pytest.mark.parametrize(
    ("kind", "old", "new", "severity"),
    [
        ("severity", "warning", "error", "critical"),
        ("severity", "info", "warning", "warning"),
        ("severity", "error", "warning", "info"),
        ("message", "One fan.", "Two fans.", "critical"),
    ],
)
def test_a_problem_that_is_worse_or_different_is_reported_by_its_severity(
    kind: str, old: str, new: str, severity: str
) -> None:
    """A problem that becomes worse, or whose words change, has the severity of the present one."""
    problem = {"severity": "error", "where": CONTROLLER, "message": "Odd.", "remedy": None, "kind": "state"}

    def has(value: str) -> Callable[[Doc], None]:
        return lambda document: document["problems"].append({**problem, kind: value})

    changes = diff(changed(state(), has(old)), changed(state(), has(new))).changes
    assert [(one.object, one.severity) for one in changes] == [("problem", severity)]


LISTS = {
    "battery": ("batteries", BATTERY), "array": ("arrays", ARRAY), "volume": ("volumes", VOLUME),
    "drive": ("drives", DRIVE),
}  # fmt: skip


def without(kind: str) -> Callable[[Doc], None]:
    """Remove an object, or the whole controller."""

    def change(document: Doc) -> None:
        if kind == "controller":
            document.update(controllers=[], problems=[])
        else:
            name, lost = LISTS[kind]
            controller(document)[name] = [one for one in controller(document)[name] if one["id"] != lost]

    return change


@pytest.mark.parametrize(
    ("kind", "severity"),
    [
        ("controller", "critical"),
        ("volume", "critical"),
        ("battery", "critical"),
        ("drive", "critical"),
        ("array", "warning"),
    ],
)
def test_an_object_that_is_gone_has_its_severity(kind: str, severity: str) -> None:
    """A lost controller, volume, battery or member is critical."""
    changes = diff(state(), changed(state(), without(kind))).changes
    assert [one.severity for one in changes if (one.object, one.kind) == (kind, "removed")] == [severity]


@pytest.mark.parametrize(
    ("kind", "status", "severity"),
    [
        *(("volume", word, "critical") for word in ("degraded", "failed", "offline", "inactive")),
        ("volume", "rebuilding", "warning"),
        *(("battery", word, "critical") for word in ("failed", "missing")),
        ("battery", "degraded", "warning"),
        *(
            (kind, word, severity)
            for kind in ("controller", "array", "drive")
            for word, severity in (("critical", "critical"), ("warning", "warning"))
        ),
        *((kind, "ok", "info") for kind in ("controller", "array", "drive", "volume", "battery")),
    ],
)
def test_an_object_that_is_new_is_as_bad_as_its_state(kind: str, status: str, severity: str) -> None:
    """A new object in a bad state is not mere information."""
    name = CONTROLLER if kind == "controller" else LISTS[kind][1]
    after = changed(state(), setting(name, "status", status))
    changes = diff(changed(after, without(kind)), after).changes
    assert [one.severity for one in changes if (one.id, one.kind) == (name, "added")] == [severity]


@pytest.mark.parametrize(
    ("kind", "field", "value", "severity"),
    [
        ("drive", "errors", {"media": 1}, "warning"),
        ("drive", "errors", {"link": MANY_LINK_ERRORS}, "warning"),
        ("drive", "errors", {"link": 1, "other": 1}, "info"),
        ("drive", "foreign", True, "warning"),
        ("battery", "replace", True, "warning"),
        ("controller", "foreign", True, "warning"),
        ("controller", "cache", {**CACHE, "preserved_data": True}, "critical"),
        ("controller", "preserved", [{"volume": "a"}], "critical"),
    ],
)
def test_an_object_that_is_new_is_as_bad_as_its_facts(kind: str, field: str, value: Any, severity: str) -> None:
    """A new object with a good status and errors, foreign or preserved data is not mere information."""
    name = CONTROLLER if kind == "controller" else LISTS[kind][1]
    after = changed(changed(state(), setting(name, "status", "ok")), setting(name, field, value))
    changes = diff(changed(after, without(kind)), after).changes
    assert [one.severity for one in changes if (one.id, one.kind) == (name, "added")] == [severity]


@pytest.mark.parametrize(("severity", "wanted"), [("error", "critical"), ("warning", "warning"), ("info", "info")])
def test_a_new_problem_has_its_own_severity(severity: str, wanted: str) -> None:
    """An error that was not there before is critical."""
    problem = {"severity": severity, "where": CONTROLLER, "message": "Odd.", "remedy": None, "kind": "state"}
    [change] = diff(state(), changed(state(), lambda document: document["problems"].append(problem))).changes
    assert (change.kind, change.severity) == ("added", wanted)
