"""Whether a unit's cached writes are protected, by StorSave and battery."""

from __future__ import annotations

import pytest

from raidctl.model import ReadPolicy, VolumeCache
from tests.vendors.threeware.threeware_outputs import BATTERY, CONTROLLERS, PORTS, UNIT, UNITS, controller, observed


def cache(
    column: str = "RiW", battery: str | None = "OK", storsave: str | None = None, status: str = "OK"
) -> VolumeCache:
    """The cache of a unit under some settings. `-` means no battery, and None an unknown one."""
    texts = [UNITS.replace("RiW ", f"{column:<4}").replace("u0    RAID-5    OK      ", f"u0    RAID-5    {status:<8}")]
    if battery is not None:
        texts.append(CONTROLLERS.replace("OK       \n", f"{battery}\n"))
    if storsave is not None:
        texts.append(f"/c2/u0 Storsave Policy = {storsave}\n/c2/u0 Write Cache = {'on' if 'W' in column else 'off'}\n")
    found = controller(*texts).volumes[0].cache
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("storsave", "battery", "expected"),
    [
        ("protect", "OK", ("protected_write_back", "write_back", "protected")),
        ("balance", "OK", ("protected_write_back", "write_back", "protected")),
        ("perform", "OK", ("unprotected_write_back", "write_back", "unprotected")),
        ("protect", "WeakBat", ("protected_write_back", "write_back", "protected")),
        ("balance", "Testing", ("protected_write_back", "write_through", "not_caching")),
        ("protect", "Failed", ("protected_write_back", "write_through", "not_caching")),
        ("perform", "Failed", ("unprotected_write_back", None, "unknown")),
        ("protect", "-", ("unprotected_write_back", "write_back", "unprotected")),
        ("balance", "-", ("unprotected_write_back", "write_back", "unprotected")),
        (None, "OK", (None, "write_back", "unknown")),
        (None, "-", ("unprotected_write_back", "write_back", "unprotected")),
        (None, "Failed", (None, None, "unknown")),
        (None, None, (None, "write_back", "unknown")),
        ("balance", None, (None, "write_back", "unknown")),
    ],
)
def test_storsave_and_the_battery_give_the_protection(
    storsave: str | None, battery: str | None, expected: tuple[str | None, str | None, str]
) -> None:
    """An unready battery disables the cache, a missing one does not. With `perform` the battery is ignored."""
    found = cache(storsave=storsave, battery=battery)
    assert (found.write_policy, found.write_active, found.controller_cache) == expected


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (UNIT, "Write Cache = on", "Write Cache = mirrored"),
        (UNITS, "RiW ", "RxW "),
        (BATTERY, "bbu   On ", "bbu   Odd"),
        (BATTERY, "Yes ", "Some"),
    ],
)
def test_an_unknown_word_for_the_cache_or_the_battery_is_reported(text: str, old: str, new: str) -> None:
    """An unknown word is a problem: it may hide that nothing protects unwritten data."""
    assert [one.kind for one in observed(text).problems] == []
    assert [one.kind for one in observed(text.replace(old, new)).problems] == ["unread"]


def test_an_inactive_write_back_has_a_reason() -> None:
    """The reason is the battery's word, or the unit's state under `protect`."""
    assert cache(storsave="balance", battery="Testing").why_not_in_force == "The battery is not ready: Testing."
    degraded = cache(storsave="protect", status="DEGRADED")
    assert (degraded.write_active, "DEGRADED" in (degraded.why_not_in_force or "")) == ("write_through", True)
    assert cache(storsave="balance", status="DEGRADED").write_active == "write_back"
    assert cache(storsave="balance").why_not_in_force is None


def test_a_write_cache_that_is_off_is_safe() -> None:
    """A disabled write cache holds no data, whatever the battery."""
    found = cache("Ri", battery="Failed", storsave="perform")
    assert (found.write_policy, found.write_active, found.controller_cache) == (
        "write_through",
        "write_through",
        "not_caching",
    )


@pytest.mark.parametrize(
    ("column", "policy"),
    [
        ("RiW", "adaptive"),
        ("Ri", "adaptive"),
        ("RbW", "none"),
        ("Rb", "none"),
        ("W", "off"),
        ("ON", None),
        ("OFF", None),
    ],
)
def test_the_column_gives_the_read_cache_in_newer_releases(column: str, policy: ReadPolicy | None) -> None:
    """ON and OFF of older releases refer to the write cache only."""
    assert cache(column).read_policy == policy


def test_off_in_a_newer_release_includes_the_read_cache() -> None:
    """The table of ports shows that the release is a newer one."""
    found = controller(UNITS.replace("RiW", "OFF"), PORTS).volumes[0].cache
    assert found is not None
    assert found.read_policy == "off"


def test_the_units_lines_are_more_precise_than_the_column() -> None:
    """Read cache `Basic` does not read ahead."""
    found = controller(UNIT).volumes[0].cache
    assert found is not None
    assert (found.read_policy, found.write_active) == ("none", "write_back")


def test_a_column_that_contradicts_the_units_lines_is_reported() -> None:
    """Outputs of two moments: the table has the write cache on, the unit's lines off. It counts as on."""
    for texts in ((UNITS, UNIT.replace("Write Cache = on", "Write Cache = off")), (UNITS.replace("RiW", "Ri "), UNIT)):
        for given in (texts, texts[::-1]):
            found = observed(*given)
            assert [v.cache.write_active for c in found.controllers for v in c.volumes if v.cache] == ["write_back"]
            assert any("disagree on the write cache" in one.message for one in found.problems)


def test_a_battery_that_is_switched_off_protects_nothing() -> None:
    """The controller ignores a disabled battery."""
    found = controller(UNIT, BATTERY.replace("bbu   On ", "bbu   Off")).volumes[0].cache
    assert found is not None
    assert (found.write_policy, found.controller_cache) == ("unprotected_write_back", "unprotected")


def test_the_9500s_has_no_storsave_but_guards_its_cache() -> None:
    """The 9500S disables its cache while the battery is not ready."""
    controllers = CONTROLLERS.replace("9650SE-8LPML", "9500S-8     ").replace("OK       \n", "Charging\n")
    found = controller(controllers, UNITS.replace("RiW", "ON ")).volumes[0].cache
    assert found is not None
    assert (found.write_policy, found.write_active) == ("protected_write_back", "write_through")


@pytest.mark.parametrize("line", ["Storsave Policy = reckless", "Read Cache = psychic"])
def test_an_unknown_setting_is_reported(line: str) -> None:
    """An unknown value is kept as printed, and a problem reports it."""
    label, value = line.split(" = ")
    found = observed(UNIT.replace("Storsave Policy = balance", line).replace("Read Cache = Basic", line))
    assert {problem.kind for problem in found.problems} == {"unread"}
    assert found.controllers[0].volumes[0].details[label] == value
