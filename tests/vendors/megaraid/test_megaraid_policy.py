"""What is configured, what is in force, and why they differ."""

from __future__ import annotations

import pytest

from raidctl.model import VolumeCache
from raidctl.model.write_protection import derived
from raidctl.vendor.protocol import Document
from raidctl_megaraid import read
from tests.support.judged import conditions
from tests.vendors.megaraid.megaraid_scripts import (
    answer,
    basics,
    cache,
    printed,
    properties,
    row,
    told,
)


def both(
    setting: str, letters: str, disk_cache: str = "Disabled", *, battery: str | None = "Optimal", memory: str = "1024MB"
) -> tuple[str, str]:
    """``show all`` of the card and of its volumes."""
    everything = basics(letters=letters, battery=battery, memory=memory)
    return printed(answer(everything)), printed(answer(properties(setting, letters, disk_cache)))


def judged(*texts: str) -> VolumeCache:
    """How the only volume is cached, with the drives' part."""
    [card] = derived(told(*texts).controllers)
    assert card.volumes[0].cache is not None
    return card.volumes[0].cache


def test_write_back_with_a_good_battery_is_in_force_and_safe() -> None:
    """The current policy is what is configured, and the pack keeps it."""
    found = cache(*both("WriteBack", "RWBD"))
    assert (found.write_policy, found.write_active) == ("protected_write_back", "write_back")
    assert (found.controller_cache, found.why_not_in_force) == ("protected", None)


def test_a_pool_that_is_a_cache_is_no_volume() -> None:
    """CacheCade: what the tool prints of the pool is kept in the details of its array."""
    everything = basics(letters="RWTD")
    everything["VD LIST"] = [{**row("RWTD"), "TYPE": "Cac0"}]
    (card,) = read([Document("show.json", "storcli", printed(answer(everything)))]).controllers
    assert card.volumes == ()
    assert any(array.details.get("CacheCade 0: TYPE") == "Cac0" for array in card.arrays)


def test_a_learn_cycle_is_named_as_the_reason() -> None:
    """The firmware falls back to write-through, and nothing can be lost meanwhile."""
    found = cache(*both("WriteBack", "RWTD", battery="Learning"))
    assert (found.write_policy, found.write_active) == ("protected_write_back", "write_through")
    assert found.controller_cache == "not_caching"
    assert found.why_not_in_force == "The cache's capacitor is in a learn cycle."


def test_a_fallback_without_a_cause_says_so() -> None:
    """Nothing is made up where the battery is good and the firmware writes through all the same."""
    assert cache(*both("WriteBack", "RWTD")).why_not_in_force == "The tool does not say why."


@pytest.mark.parametrize("battery", ["Failed", None])
def test_write_back_without_a_battery_is_a_contradiction(battery: str | None) -> None:
    """The token says what the firmware cannot do: nothing is claimed, and the reason stands there and as a problem."""
    texts = both("WriteBack", "RWBD", battery=battery)
    found = cache(*texts)
    assert (found.write_policy, found.write_active, found.controller_cache) == ("protected_write_back", None, "unknown")
    assert "contradiction" in (found.why_not_in_force or "")
    assert ("write_policy_not_in_force", "megaraid:0/v0") in [one.key for one in conditions(told(*texts))]


@pytest.mark.parametrize(
    ("battery", "safe"), [("Optimal", "protected"), ("Failed", "unprotected"), (None, "unprotected")]
)
def test_always_write_back_is_in_force_whatever_the_battery_is(battery: str | None, safe: str) -> None:
    """``AWB`` is unprotected; only the battery of the moment decides whether a power cut loses data."""
    found = cache(*both("WriteBack", "RAWBD", battery=battery))
    assert (found.write_policy, found.write_active) == ("unprotected_write_back", "write_back")
    assert (found.controller_cache, found.why_not_in_force) == (safe, None)


def test_a_card_without_memory_writes_through() -> None:
    """Whatever policy its volumes have."""
    found = cache(*both("WriteBack", "RWBD", memory="0MB", battery=None))
    assert (found.write_policy, found.write_active) == ("protected_write_back", "write_through")
    assert found.why_not_in_force == "The controller has no cache memory."


def test_write_through_is_unsafe_where_the_drives_hold_data_themselves() -> None:
    """``Disk Cache Policy = Enabled`` makes it unsafe; of drives that are only listed, ``Disabled`` proves nothing."""
    listed = judged(*both("WriteThrough", "RWTD"))
    assert (listed.controller_cache, listed.drive_caches, listed.write_protected) == ("not_caching", "unknown", None)
    assert judged(*both("WriteThrough", "RWTD", "Enabled")).write_protected is False


def test_a_drive_that_is_known_to_hold_data_makes_its_default_unsafe() -> None:
    """``Disk's Default``, and a member whose own write cache is on."""
    attributes = {"SN": "RC1", "Write Cache": "Enabled"}
    drive = {"Drive /c0/e252/s0 - Detailed Information": {"Drive /c0/e252/s0 Device attributes": attributes}}
    texts = (*both("WriteThrough", "RWTD", "Disk's Default"), printed(answer(drive)))
    assert (judged(*texts).drive_caches, judged(*texts).write_protected) == ("on", False)


def test_the_current_policy_alone_is_taken_for_the_setting() -> None:
    """Where nothing can have forced it."""
    assert cache(printed(answer(basics(letters="NRWTD")))).write_policy == "write_through"
    assert cache(printed(answer(basics(letters="RWBD")))).write_policy == "protected_write_back"


def test_a_possible_fallback_is_not_taken_for_the_setting() -> None:
    """Write-through beside a failed battery may be either; a note says where the setting stands."""
    text = printed(answer(basics(letters="RWTD", battery="Failed")))
    assert (cache(text).write_policy, cache(text).write_active) == (None, "write_through")
    assert any(problem.kind == "note" and "configured" in problem.message for problem in told(text).problems)


@pytest.mark.parametrize(
    ("mask", "safe"), [(0, "protected"), (8, "protected"), (4096, "protected"), (64, "unknown"), (1024, "unknown")]
)
def test_the_mask_of_the_firmware_counts_beside_the_state_word(mask: int, safe: str) -> None:
    """``BBU Status``: charging and a learn cycle that is due are harmless, the others leave it open."""
    data = basics()
    data["Status"]["BBU Status"] = mask
    assert cache(printed(answer(data)), printed(answer(properties("WriteBack", "RWBD")))).controller_cache == safe


def test_a_policy_that_the_card_cannot_change_is_what_is_configured() -> None:
    """``Supported VD Operations : Write Policy = No``: write-through is no fallback."""
    data = basics(letters="NRWTD", battery=None) | {"Supported VD Operations": {"Write Policy": "No"}}
    found = cache(printed(answer(data)))
    assert (found.write_policy, found.write_active, found.why_not_in_force) == ("write_through", "write_through", None)


def test_a_setting_that_is_not_understood_is_not_taken_for_what_is_in_force() -> None:
    """With an unknown word for the initial setting nobody knows whether write-through is a fallback."""
    found = cache(*both("WriteSideways", "RWTD"))
    assert (found.write_policy, found.write_active) == (None, "write_through")


def test_a_default_of_megacli_that_is_not_understood_is_not_taken_for_what_is_in_force() -> None:
    """The same of a policy whose clause on the battery cannot be read, or is cut off."""
    text = (
        "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\nState : Optimal\n"
        "Default Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Hoard if Bad BBU\n"
        "Current Cache Policy: WriteThrough, ReadAdaptive, Direct, No Write Cache if Bad BBU\n"
    )
    (found,) = read([Document("ldinfo.txt", "megacli", text)]).controllers[0].volumes
    assert found.cache is not None
    assert (found.cache.write_policy, found.cache.write_active) == (None, "write_through")
