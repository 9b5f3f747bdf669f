"""The configured policy, the active policy, and why they differ."""

from __future__ import annotations

import pytest

from raidctl.model import VolumeCache
from raidctl.model.write_protection import derived
from raidctl.vendor.protocol import Document
from raidctl_megaraid import read
from tests.support.judged import conditions, wrong
from tests.vendors.megaraid.megaraid_scripted_tools import (
    answer,
    basics,
    cache,
    observation,
    printed,
    properties,
    row,
)
from tests.vendors.megaraid.storcli_storage_outputs import topology_row


def both(
    setting: str, letters: str, disk_cache: str = "Disabled", *, battery: str | None = "Optimal", memory: str = "1024MB"
) -> tuple[str, str]:
    """``show all`` of the controller and of its volumes."""
    everything = basics(letters=letters, battery=battery, memory=memory)
    return printed(answer(everything)), printed(answer(properties(setting, letters, disk_cache)))


def judged(*texts: str) -> VolumeCache:
    """The cache of the only volume, with the drives' caches."""
    [controller] = derived(observation(*texts).controllers)
    assert controller.volumes[0].cache is not None
    return controller.volumes[0].cache


def test_write_back_with_a_good_battery_is_active_and_protected() -> None:
    """The active policy is the configured one. The battery protects the cache."""
    found = cache(*both("WriteBack", "RWBD"))
    assert (found.write_policy, found.write_active) == ("protected_write_back", "write_back")
    assert (found.controller_cache, found.why_not_in_force) == ("protected", None)


def test_a_pool_that_is_a_cache_is_no_volume() -> None:
    """What the tool prints about a CacheCade pool is its array's detail."""
    everything = basics(letters="RWTD")
    everything["VD LIST"] = [{**row("RWTD"), "TYPE": "Cac0"}]
    (controller,) = read([Document("show.json", "storcli", printed(answer(everything)))]).controllers
    assert controller.volumes == ()
    assert any(array.details.get("CacheCade 0: TYPE") == "Cac0" for array in controller.arrays)


@pytest.mark.parametrize(("word", "status"), [("Optl", "ok"), ("Dgrd", "warning"), ("OfLn", "critical")])
def test_a_cache_pool_in_a_bad_state_is_a_bad_array(word: str, status: str) -> None:
    """The state of a CacheCade pool counts for its array, whose own state may be a good one."""
    everything = basics(letters="RWTD")
    everything["VD LIST"] = [{**row("RWTD"), "TYPE": "Cac0", "State": word}]
    everything["TOPOLOGY"] = [topology_row(Arr="-", Row="-", EID="-", DID="-", Type="RAID1", State="Optl")]
    seen = observation(printed(answer(everything)))
    [array] = seen.controllers[0].arrays
    assert array.status == status
    assert (array.id in wrong(seen)) == (status != "ok")


def test_a_learn_cycle_is_named_as_the_reason() -> None:
    """During a learn cycle the firmware writes through. No data is at risk."""
    found = cache(*both("WriteBack", "RWTD", battery="Learning"))
    assert (found.write_policy, found.write_active) == ("protected_write_back", "write_through")
    assert found.controller_cache == "not_caching"
    assert found.why_not_in_force == "The cache's capacitor is in a learn cycle."


def test_a_fallback_without_a_cause_is_reported_as_such() -> None:
    """No cause is invented for the firmware's write-through despite a good battery."""
    assert cache(*both("WriteBack", "RWTD")).why_not_in_force == "The tool reports no reason."


@pytest.mark.parametrize("battery", ["Failed", None])
def test_write_back_without_a_battery_is_a_contradiction(battery: str | None) -> None:
    """Protected write-back without a good battery is impossible: unknown, and a condition."""
    texts = both("WriteBack", "RWBD", battery=battery)
    found = cache(*texts)
    assert (found.write_policy, found.write_active, found.controller_cache) == ("protected_write_back", None, "unknown")
    assert "contradiction" in (found.why_not_in_force or "")
    assert ("write_policy_not_in_force", "megaraid:0/v0") in [one.key for one in conditions(observation(*texts))]


def test_a_listed_battery_of_a_controller_without_one_is_named() -> None:
    """``BBU = Absent`` beside an optimal CacheVault is named in the reason."""
    data = basics(letters="RWBD")
    data["HwCfg"]["BBU"] = "Absent"
    found = cache(printed(answer(data)), printed(answer(properties("WriteBack", "RWBD"))))
    assert found.why_not_in_force == (
        "The controller reports no battery or capacitor, although one is listed. "
        "Yet the tool shows write-back as active, which is a contradiction."
    )


@pytest.mark.parametrize(
    ("battery", "safe"), [("Optimal", "protected"), ("Failed", "unprotected"), (None, "unprotected")]
)
def test_always_write_back_is_active_with_any_battery(battery: str | None, safe: str) -> None:
    """``AWB`` is unprotected write-back; the battery decides whether the cache is protected."""
    found = cache(*both("WriteBack", "RAWBD", battery=battery))
    assert (found.write_policy, found.write_active) == ("unprotected_write_back", "write_back")
    assert (found.controller_cache, found.why_not_in_force) == (safe, None)


def test_a_controller_without_memory_writes_through() -> None:
    """Without cache memory, write-through is active under any policy."""
    found = cache(*both("WriteBack", "RWBD", memory="0MB", battery=None))
    assert (found.write_policy, found.write_active) == ("protected_write_back", "write_through")
    assert found.why_not_in_force == "The controller has no cache memory."


def test_write_through_is_unprotected_with_drive_caches() -> None:
    """``Disk Cache Policy = Enabled`` is unprotected; ``Disabled`` of unread drives is unknown."""
    listed = judged(*both("WriteThrough", "RWTD"))
    assert (listed.controller_cache, listed.drive_caches, listed.write_protected) == ("not_caching", "unknown", None)
    assert judged(*both("WriteThrough", "RWTD", "Enabled")).write_protected is False


def test_an_enabled_drive_cache_makes_the_default_unprotected() -> None:
    """``Disk's Default`` with a member whose write cache is on is unprotected."""
    attributes = {"SN": "RC1", "Write Cache": "Enabled"}
    drive = {"Drive /c0/e252/s0 - Detailed Information": {"Drive /c0/e252/s0 Device attributes": attributes}}
    texts = (*both("WriteThrough", "RWTD", "Disk's Default"), printed(answer(drive)))
    assert (judged(*texts).drive_caches, judged(*texts).write_protected) == ("on", False)


def test_the_current_policy_alone_is_taken_for_the_setting() -> None:
    """The current policy is the configured one if nothing could change it."""
    assert cache(printed(answer(basics(letters="NRWTD")))).write_policy == "write_through"
    assert cache(printed(answer(basics(letters="RWBD")))).write_policy == "protected_write_back"


def test_a_possible_fallback_is_not_taken_for_the_setting() -> None:
    """With a failed battery the configured policy is unknown, with a note."""
    text = printed(answer(basics(letters="RWTD", battery="Failed")))
    assert (cache(text).write_policy, cache(text).write_active) == (None, "write_through")
    assert any(problem.kind == "note" and "configured" in problem.message for problem in observation(text).problems)


@pytest.mark.parametrize(
    ("mask", "safe"), [(0, "protected"), (8, "protected"), (4096, "protected"), (64, "unknown"), (1024, "unknown")]
)
def test_the_mask_of_the_firmware_counts_beside_the_state_word(mask: int, safe: str) -> None:
    """``BBU Status``: charging and a required learn cycle are harmless, others are not."""
    data = basics()
    data["Status"]["BBU Status"] = mask
    assert cache(printed(answer(data)), printed(answer(properties("WriteBack", "RWBD")))).controller_cache == safe


@pytest.mark.parametrize(("mask", "status"), [(0, "unknown"), (1, "missing"), (1024, "failed")])
def test_an_unknown_battery_protects_nothing(mask: int, status: str) -> None:
    """A battery whose state the tool calls ``Unknown`` is not ok because the mask has no bit."""
    data = basics(battery="Unknown")
    data["Status"]["BBU Status"] = mask
    [controller] = observation(printed(answer(data)), printed(answer(properties("WriteBack", "RWBD")))).controllers
    assert [battery.status for battery in controller.batteries] == [status]
    assert [volume.cache.controller_cache for volume in controller.volumes if volume.cache] == ["unknown"]


def test_an_unchangeable_policy_is_the_configured_one() -> None:
    """``Supported VD Operations : Write Policy = No``: write-through is not a fallback."""
    data = basics(letters="NRWTD", battery=None) | {"Supported VD Operations": {"Write Policy": "No"}}
    found = cache(printed(answer(data)))
    assert (found.write_policy, found.write_active, found.why_not_in_force) == ("write_through", "write_through", None)


def test_an_unread_setting_is_not_replaced_by_the_active_policy() -> None:
    """With an unknown initial setting the configured policy is unknown."""
    found = cache(*both("WriteSideways", "RWTD"))
    assert (found.write_policy, found.write_active) == (None, "write_through")


def test_an_unread_default_of_megacli_is_not_replaced_by_the_active_policy() -> None:
    """With an unknown clause on the battery the configured policy is unknown."""
    text = (
        "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\nState : Optimal\n"
        "Default Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Hoard if Bad BBU\n"
        "Current Cache Policy: WriteThrough, ReadAdaptive, Direct, No Write Cache if Bad BBU\n"
    )
    (found,) = read([Document("ldinfo.txt", "megacli", text)]).controllers[0].volumes
    assert found.cache is not None
    assert (found.cache.write_policy, found.cache.write_active) == (None, "write_through")


@pytest.mark.parametrize("setting", ["WriteBack", "WriteThrough"])
def test_an_unread_active_policy_is_not_inferred(setting: str) -> None:
    """With an unknown word for the active policy, nothing shows that writes go through the cache."""
    found = cache(*both(setting, "RXXD", battery="Failed"))
    assert (found.write_active, found.controller_cache) == (None, "unknown")


def test_an_active_policy_of_megacli_that_was_cut_is_not_inferred() -> None:
    """``WriteBack`` without the clause on the battery is not write-through because the battery failed."""
    text = (
        "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\nState : Optimal\n"
        "Default Cache Policy: WriteBack, ReadAdaptive, Direct, No Write Cache if Bad BBU\n"
        "Current Cache Policy: WriteBack, ReadAdaptive, Direct\n"
    )
    pack = "BBU status for Adapter: 0\nBatteryType: iBBU\nBattery State : Failed\n"
    documents = [Document("ldinfo.txt", "megacli", text), Document("bbu.txt", "megacli", pack)]
    [volume] = read(documents).controllers[0].volumes
    assert volume.cache is not None
    assert (volume.cache.write_policy, volume.cache.write_active) == ("protected_write_back", None)


@pytest.mark.parametrize(("battery", "safe"), [("Optimal", "not_caching"), ("Failed", "unknown"), (None, "unknown")])
def test_cached_io_without_a_battery_is_not_called_safe(battery: str | None, safe: str) -> None:
    """The cache may hold writes of cached I/O although write-through is active; no battery would keep them."""
    texts = both("WriteThrough", "RWTC", battery=battery)
    found = cache(*texts)
    assert (found.write_active, found.controller_cache) == ("write_through", safe)
    assert cache(*both("WriteThrough", "RWTD", battery=battery)).controller_cache == "not_caching"
