"""Configured and active write policies of BMCs, and what protects unwritten data."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from raidctl.model import Volume
from raidctl.recording.redact import redact
from raidctl.request import Answer, Failure, Get, GetAnswer, Request
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from tests.support.machines import recording, replayed
from tests.vendors.redfish.damaged_machines import Damage, resources, seen_damaged, seen_with

POLICIES = {
    # machine, volume: configured, active, protection of the controller's cache, read policy, drive write cache
    ("redfish-idrac9-h740p", "system"): ("protected_write_back", None, "protected", "adaptive", "default"),
    ("redfish-idrac9-h740p", "scratch"): ("write_through", "write_through", "not_caching", "off", "disabled"),
    ("redfish-ilo6-failed-capacitor", "data"): ("protected_write_back", None, "unknown", "off", None),
    ("redfish-ilo4-smartstorage", "01A2B3C4PDNLH0BRH7V5XY 1F2E"): (
        "protected_write_back", None, "protected", None, "disabled",
    ),
    ("redfish-xcc-930-8i", "os"): ("unprotected_write_back", "write_back", "unprotected", "read_ahead", None),
    ("redfish-xcc-930-8i", "scratch"): ("write_through", "write_through", "not_caching", "off", None),
    ("redfish-supermicro-x12", "VD0"): ("write_through", "write_through", "not_caching", "read_ahead", None),
    ("redfish-cimc-m5", "BOOT"): ("protected_write_back", None, "protected", "read_ahead", None),
}  # fmt: skip


def volumes(machine: str) -> dict[str | None, Volume]:
    """The volumes of a recorded machine, by name."""
    return {
        volume.name: volume for controller in replayed(machine).inventory.controllers for volume in controller.volumes
    }


@pytest.mark.parametrize(("machine", "name"), POLICIES)
def test_a_policy_is_read_as_the_bmc_reports_it(machine: str, name: str) -> None:
    """Configured and active policy are those of the table. So is the protection of unwritten data."""
    cache = volumes(machine)[name].cache
    assert cache is not None
    found = (cache.write_policy, cache.write_active, cache.controller_cache, cache.read_policy, cache.drive_write_cache)
    assert found == POLICIES[machine, name]


def test_every_volume_with_a_cache_is_in_the_table() -> None:
    """The table has every volume with a cache of its machines."""
    machines = {machine for machine, _ in POLICIES}
    assert {(machine, name) for machine in machines for name, one in volumes(machine).items() if one.cache} == set(
        POLICIES
    )


VOLUME = "/redfish/v1/Systems/1/Storage/DE00C000/Volumes/239"
WORDS = {
    # WriteCachePolicy and WriteCacheState: configured, active, protection with a good capacitor
    ("ProtectedWriteBack", "Protected"): ("protected_write_back", "write_back", "protected"),
    ("ProtectedWriteBack", "Unprotected"): ("protected_write_back", "write_back", "unprotected"),
    ("ProtectedWriteBack", "Degraded"): ("protected_write_back", None, "unknown"),
    ("ProtectedWriteBack", None): ("protected_write_back", None, "protected"),
    ("UnprotectedWriteBack", "Unprotected"): ("unprotected_write_back", "write_back", "unprotected"),
    ("UnprotectedWriteBack", None): ("unprotected_write_back", None, "unknown"),
    ("WriteBackWithBBU", None): ("protected_write_back", None, "protected"),
    ("AlwaysWriteBack", None): ("unprotected_write_back", None, "unknown"),
    ("WriteThrough", "Degraded"): ("write_through", "write_through", "not_caching"),
    ("Off", None): ("off", "off", "not_caching"),
    ("Sometimes", "Protected"): (None, "write_back", "protected"),
    (None, None): (None, None, "unknown"),
}


@pytest.mark.parametrize(("policy", "state"), WORDS)
def test_policy_and_state_together(policy: str | None, state: str | None) -> None:
    """An unknown policy is unknown, and a problem. The active one follows from the state."""
    found = resources("redfish-ilo6-failed-capacitor")
    pack = found["/redfish/v1/Chassis/1"]["Oem"]["Hpe"]["SmartStorageBattery"][0]
    pack["Status"]["Health"], pack["ChargeLevelPercent"] = "OK", 99
    volume = {**found[VOLUME], "WriteCachePolicy": policy, "WriteCacheState": state}
    seen = seen_with("redfish-ilo6-failed-capacitor", {**found, VOLUME: volume})
    cache = seen.inventory.controllers[0].volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active, cache.controller_cache) == WORDS[policy, state]
    assert any(one.kind == "unread" for one in seen.inventory.problems) == (cache.write_policy is None)


_XCC = "/redfish/v1/Systems/1/Storage/RAID_Slot1"


@pytest.mark.parametrize(
    ("machine", "volume", "battery"),
    [
        (
            "redfish-xcc-930-8i",
            "/redfish/v1/Systems/1/Storage/RAID_Slot1/Volumes/1",
            "/redfish/v1/Chassis/1/PowerSubsystem/Batteries/RAID_Slot1",
        ),
        ("redfish-ilo6-failed-capacitor", VOLUME, "/redfish/v1/Chassis/1"),
    ],
)
def test_a_cache_whose_battery_could_not_be_read_is_not_protected(machine: str, volume: str, battery: str) -> None:
    """``"WriteCacheState": "Protected"`` is the state with a battery; if that was not read, nothing vouches for it."""
    found, problems = vendors()
    value = {**resources(machine)[volume], "WriteCachePolicy": "ProtectedWriteBack", "WriteCacheState": "Protected"}
    unread = GetAnswer(503, trouble=Failure.FAILED, detail="answered 503 Service Unavailable")
    answers: dict[Request[Any], Answer] = {
        Get(volume): GetAnswer(200, json.dumps(value).encode()),
        Get(battery): unread,
    }
    seen = survey(ReplayRunner(recording(machine)).with_answers(answers), found, problems=problems)
    [cache] = [
        one.cache
        for controller in seen.inventory.controllers
        for one in controller.volumes
        if volume.endswith("/" + one.id.rpartition("/v")[2]) and one.cache
    ]
    assert cache.controller_cache == "unknown"


def test_a_link_that_answers_an_error_is_unknown_and_never_missing() -> None:
    """A resource that returns an error, or half of its JSON, is a problem with its path."""
    found, problems = vendors()
    for machine in ("redfish-idrac9-h740p", "redfish-xcc-930-8i", "redfish-ilo4-smartstorage"):
        for path in resources(machine):
            for answer in (
                GetAnswer(404, trouble=Failure.MISSING, detail="answered 404 Not Found"),
                GetAnswer(500, trouble=Failure.FAILED, detail="answered 500 Internal Server Error"),
                GetAnswer(200, b'{"@odata.id": "/red'),
            ):
                runner = ReplayRunner(recording(machine)).with_answers({Get(path): answer})
                seen = survey(runner, found, problems=problems)
                assert seen.tracebacks == ()
                unread = [
                    one for one in seen.inventory.problems if path.rstrip("/") in one.where and one.kind == "unread"
                ]
                assert unread, path


def test_a_schema_of_2015_is_one_problem() -> None:
    """A BMC that has only SimpleStorage is one problem. Volumes and policies are unknown."""
    system = "/redfish/v1/Systems/1"
    value = resources("redfish-supermicro-x12")[system]
    del value["Storage"]
    seen = seen_with("redfish-supermicro-x12", {system: value})
    assert [(one.where, one.kind, "schema of 2015" in one.message) for one in seen.inventory.problems] == [
        (system, "unread", True)
    ]
    assert seen.inventory.controllers == ()


@pytest.mark.parametrize("storage", [True, False], ids=["storage is listed", "no storage is listed"])
@pytest.mark.parametrize(("state", "count"), [("On", 0), ("Off", 1), ("PoweringOn", 1), (None, 0)])
def test_the_storage_of_a_system_that_is_off_is_unknown(state: str | None, count: int, *, storage: bool) -> None:
    """Such a BMC lists no storage, or what it read before: this is a problem, not a machine without storage."""
    machine, system = "redfish-xcc-930-8i", "/redfish/v1/Systems/1"
    found = resources(machine)
    changes = {system: {**found[system], "PowerState": state}}
    if not storage:
        path = f"{system}/Storage"
        changes[path] = {**found[path], "Members": [], "Members@odata.count": 0}
    problems = seen_with(machine, changes).inventory.problems
    assert len([one for one in problems if one.kind == "unread" and "not on" in one.message]) == count


def test_an_empty_bay_is_no_drive() -> None:
    """An absent drive is an empty bay. With a serial number it is a missing drive."""
    machine, path = "redfish-ilo6-failed-capacitor", "/redfish/v1/Chassis/DE00C000/Drives"
    assert len(replayed(machine).inventory.controllers[0].drives) == 3
    gone = seen_damaged(machine, Damage(f"{path}/1", ("Status", "State"), null=True), "Absent")
    assert {drive.status for drive in gone.inventory.controllers[0].drives if drive.id.endswith("/1")} == {"critical"}


def test_service_tags_and_names_are_masked() -> None:
    """Values that identify a server are masked, also without the word "serial"."""
    for machine, secrets in (
        ("redfish-idrac9-h740p", ("7QX1M53", "CNIVC0098A01B2", "6D09466077A3F100", "4c4c4544-0051", "S0M1AB01", "db3")),
        ("redfish-ilo6-failed-capacitor", ("58CE38EE22A1B0", "CZ2D4X0Q1T", "6WSQB0CB2J10QX", "erp1")),
        ("redfish-cimc-m5", ("WZP2301A4BC", "31207")),
    ):
        kept = redact(recording(machine), b"the same replacements in every run")
        text = "".join(data.decode() + name for name, data in kept.files.items()) + str(kept.manifest)
        # whole words: a replacement of hexadecimal digits may have those of "db3"
        assert [secret for secret in secrets if re.search(rf"(?<![A-Za-z0-9]){secret}(?![A-Za-z0-9])", text)] == []
