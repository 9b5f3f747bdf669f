"""The state of a unit from its status, sentences and settings."""

from __future__ import annotations

import pytest

from raidctl.model import VolumeStatus
from tests.support.judged import wrong
from tests.vendors.threeware.threeware_outputs import (
    BATTERY,
    CONTROLLERS,
    DRIVE,
    PORTS,
    UNIT,
    UNITS,
    controller,
    observed,
)


@pytest.mark.parametrize(
    ("line", "status", "operation"),
    [
        ("is rebuilding with percent completion = 44%", "rebuilding", "rebuild"),
        ("is verifying with percent completion = 44%", "checking", "check"),
        ("is initializing with percent completion = 44%(A)", "initializing", "initialize"),
        ("is migrating with percent completion = 44%", "migrating", "migrate"),
    ],
)
def test_a_sentence_alone_gives_the_state(line: str, status: VolumeStatus, operation: str) -> None:
    """`/cX/uX show rebuildstatus` prints only a sentence."""
    (volume,) = controller(f"/c2/u0 {line}\n").volumes
    assert volume.status == status
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == (operation, 44.0)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("is not rebuilding,", "no"),
        ("is rebuilding, its current state is REBUILDING", "its current state is REBUILDING"),
        ("is not rebuilding, its current state is OK", None),
    ],
)
def test_a_sentence_that_is_cut_off_keeps_its_negation(line: str, words: str | None) -> None:
    """A negated operation is not running, even without the unit's state."""
    [volume] = observed(f"/c2/u0 {line}\n/c2/u0 status = OK\n").controllers[0].volumes
    assert volume.details.get("is rebuilding") == words


def test_the_units_status_outweighs_the_sentence() -> None:
    """A paused rebuild is a rebuild with a percentage."""
    found = observed("/c2/u0 is rebuilding with percent completion = 44%\n/c2/u0 status = REBUILD-PAUSED\n")
    (volume,) = found.controllers[0].volumes
    assert (volume.status, volume.status_text) == ("rebuilding", "REBUILD-PAUSED")
    assert wrong(found) == {volume.id}


@pytest.mark.parametrize("order", [("OK", "DEGRADED"), ("DEGRADED", "OK")])
def test_of_two_states_the_worse_is_shown(order: tuple[str, str]) -> None:
    """The worse state is shown, and a note reports the contradiction."""
    texts = [UNITS.replace("u0    RAID-5    OK      ", f"u0    RAID-5    {word:<8}") for word in order]
    found = observed(*texts)
    (volume,) = found.controllers[0].volumes
    assert (volume.status, volume.status_text) == ("degraded", "DEGRADED")
    assert [p.where for p in found.problems if p.kind == "note"] == [volume.id]


@pytest.mark.parametrize(
    ("word", "policy"),
    [
        ("protect", "protected_write_back"), ("protection", "protected_write_back"),
        ("balance", "protected_write_back"), ("balanced", "protected_write_back"),
        ("perform", "unprotected_write_back"),
        ("performance", "unprotected_write_back"), ("N/A", None),
    ],
)  # fmt: skip
def test_storsave_has_long_and_short_names(word: str, policy: str | None) -> None:
    """The web interface's names mean the same; `N/A` is not a problem."""
    found = observed(CONTROLLERS, UNIT.replace("Storsave Policy = balance", f"Storsave Policy = {word}"), BATTERY)
    cache = found.controllers[0].volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, found.problems) == (policy, ())


def test_a_battery_that_is_not_ready_disables_the_cache() -> None:
    """With StorSave, readiness counts rather than the battery's status."""
    cache = controller(CONTROLLERS, UNIT, BATTERY.replace("Yes ", "No  ")).volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active) == ("protected_write_back", "write_through")
    assert cache.why_not_in_force is not None


def test_a_jbod_uses_only_its_drives_cache() -> None:
    """The controller's write cache is disabled for a JBOD. The drive's cache is unknown."""
    cache = controller(UNITS.replace("RAID-5 ", "JBOD   ").replace("RiW", "Ri ")).volumes[0].cache
    assert cache is not None
    assert (cache.write_active, cache.controller_cache) == ("write_through", "not_caching")
    assert (cache.drive_caches, cache.write_protected) == ("unknown", None)


def test_the_size_of_a_spare_is_kept() -> None:
    """A spare unit's size is a detail in the tool's unit."""
    assert controller(UNITS).details["u1 Size(GB)"] == "232.885"


def test_a_failing_smart_health_is_a_warning() -> None:
    """`SMART Health` may be bad while the status is OK."""
    found = observed(DRIVE + "/c2/p1 SMART Health = FAILING\n")
    (drive,) = found.controllers[0].drives
    assert (drive.status, drive.details["SMART Health"]) == ("warning", "FAILING")
    assert wrong(found) == {drive.id}
    assert observed(DRIVE + "/c2/p1 SMART Health = OK\n").problems == ()


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("/c2/p1 SMART Health = Unknown", False), ("/c2/p1 SMART Health = N/A", True),
        ("/c2/u0 Auto Verify Policy = sometimes", False), ("/c2/u0 Auto Verify Policy = unknown", False),
        ("/c2/u0 Auto Verify Policy = on", True), ("/c2/u0 Auto Verify Policy = N/A", True),
    ],
)  # fmt: skip
def test_a_state_that_the_tool_does_not_know_is_reported(line: str, *, read: bool) -> None:
    """A word for a state that is unknown, or that no table has, is a problem. A value that does not apply is none."""
    kinds = {problem.kind for problem in observed(UNITS, DRIVE + f"{line}\n").problems}
    assert ("unread" in kinds) is not read


def test_a_vendor_with_a_hyphen_is_a_vendor() -> None:
    """`IBM-ESXS` before the model of SAS drives is the vendor."""
    text = DRIVE.replace("WDC WD2502ABYS-01B7A0", "IBM-ESXS ST9300605SS") + "/c2/p1 Drive Type = SAS\n"
    assert controller(text).drives[0].model == "ST9300605SS"


@pytest.mark.parametrize("digits", [400, 2000])
def test_an_impossible_link_speed_is_unknown(digits: int) -> None:
    """A speed with hundreds of digits is unknown."""
    found = observed(DRIVE.replace("3.0 Gbps", f"{'9' * digits} Gbps"))
    assert [drive.link_gbps for drive in found.controllers[0].drives] == [None]


def test_a_unit_that_a_port_names_and_the_list_of_units_lacks_is_reported() -> None:
    """A row that is lost from the list of units is reported, as ports name its unit."""
    row = next(line for line in UNITS.splitlines(keepends=True) if line.startswith("u0 "))
    found = observed("/c2 Model = 9650SE-8LPML\n\n" + UNITS.replace(row, "") + "\n" + PORTS)
    assert [(one.kind, one.where) for one in found.problems] == [("unread", "threeware:2")]
    assert observed("/c2 Model = 9650SE-8LPML\n\n" + UNITS + "\n" + PORTS).problems == ()
    assert observed("/c2 Model = 9650SE-8LPML\n\n" + PORTS).problems == ()
