from __future__ import annotations

import pytest

from raidctl.model import VolumeStatus
from tests.support.judged import wrong
from tests.vendors.threeware.threeware_texts import BATTERY, CARDS, DRIVE, UNIT, UNITS, card, told


@pytest.mark.parametrize(
    ("line", "status", "operation"),
    [
        ("is rebuilding with percent completion = 44%", "rebuilding", "rebuild"),
        ("is verifying with percent completion = 44%", "checking", "check"),
        ("is initializing with percent completion = 44%(A)", "initializing", "initialize"),
        ("is migrating with percent completion = 44%", "migrating", "migrate"),
    ],
)
def test_a_sentence_alone_tells_the_state(line: str, status: VolumeStatus, operation: str) -> None:
    """As `/cX/uX show rebuildstatus` prints it."""
    (volume,) = card(f"/c2/u0 {line}\n").volumes
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
def test_a_sentence_that_is_cut_off_is_not_turned_around(line: str, words: str | None) -> None:
    """What is denied is not under way, whether or not the state of the unit follows."""
    [volume] = told(f"/c2/u0 {line}\n/c2/u0 status = OK\n").controllers[0].volumes
    assert volume.details.get("is rebuilding") == words


def test_the_units_own_word_counts_more_than_the_sentence() -> None:
    """A rebuild that is paused is still a rebuild with a percentage."""
    found = told("/c2/u0 is rebuilding with percent completion = 44%\n/c2/u0 status = REBUILD-PAUSED\n")
    (volume,) = found.controllers[0].volumes
    assert (volume.status, volume.status_text) == ("rebuilding", "REBUILD-PAUSED")
    assert wrong(found) == {volume.id}


@pytest.mark.parametrize("order", [("OK", "DEGRADED"), ("DEGRADED", "OK")])
def test_of_two_states_the_worse_is_shown(order: tuple[str, str]) -> None:
    """And that the outputs contradict each other is said."""
    texts = [UNITS.replace("u0    RAID-5    OK      ", f"u0    RAID-5    {word:<8}") for word in order]
    found = told(*texts)
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
    """The web interface's names mean the same; what is not available is no riddle."""
    found = told(CARDS, UNIT.replace("Storsave Policy = balance", f"Storsave Policy = {word}"), BATTERY)
    cache = found.controllers[0].volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, found.problems) == (policy, ())


def test_a_battery_that_is_not_ready_turns_the_cache_off() -> None:
    """Whatever its status says, where StorSave guards the unit."""
    cache = card(CARDS, UNIT, BATTERY.replace("Yes ", "No  ")).volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active) == ("protected_write_back", "write_through")
    assert cache.why_not_in_force is not None


def test_a_jbods_own_cache_is_not_the_cards_business() -> None:
    """The card's write cache is off for it, and what the drive does is not told."""
    cache = card(UNITS.replace("RAID-5 ", "JBOD   ").replace("RiW", "Ri ")).volumes[0].cache
    assert cache is not None
    assert (cache.write_active, cache.controller_cache) == ("write_through", "not_caching")
    assert (cache.drive_caches, cache.write_protected) == ("unknown", None)


def test_the_size_of_a_spare_is_kept() -> None:
    """In the tool's own unit, since the drive has a size of its own."""
    assert card(UNITS).details["u1 Size(GB)"] == "232.885"


def test_a_drive_that_says_it_fails_is_a_warning() -> None:
    """`SMART Health` may be bad while the status is still OK."""
    found = told(DRIVE + "/c2/p1 SMART Health = FAILING\n")
    (drive,) = found.controllers[0].drives
    assert (drive.status, drive.details["SMART Health"]) == ("warning", "FAILING")
    assert wrong(found) == {drive.id}
    assert told(DRIVE + "/c2/p1 SMART Health = OK\n").problems == ()


def test_a_vendor_with_a_hyphen_is_a_vendor() -> None:
    """`IBM-ESXS` stands before the model of SAS drives."""
    text = DRIVE.replace("WDC WD2502ABYS-01B7A0", "IBM-ESXS ST9300605SS") + "/c2/p1 Drive Type = SAS\n"
    assert card(text).drives[0].model == "ST9300605SS"


@pytest.mark.parametrize("digits", [400, 2000])
def test_a_link_speed_that_no_wire_has_is_not_understood(digits: int) -> None:
    """It is a problem and no infinity."""
    found = told(DRIVE.replace("3.0 Gbps", f"{'9' * digits} Gbps"))
    assert [drive.link_gbps for drive in found.controllers[0].drives] == [None]
