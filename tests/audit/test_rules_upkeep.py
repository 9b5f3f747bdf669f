"""Severities of the rules about upkeep; an unknown value never passes."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from msgspec import structs

from raidctl.audit.builtin import named, spare_missing
from raidctl.model import BatteryStatus, Block, Errors, Interface, RaidLevel, Scrub
from tests.audit.rule_examples import DRIVE as NVME_DRIVE
from tests.audit.rule_examples import LSI, MD, NVME, SMART, ask, changed
from tests.operate.machines import inventory, raid
from tests.support.machines import replayed

RAID6, PAIR = "md:md1", "megaraid:0/v2"
BATTERY = "megaraid:0/battery0"


def outcome_of(rule: str, machine: str, where: str, **changes: Any) -> tuple[str, str | None]:
    """Outcome, and severity of a failure, of a rule. Fields of one object of the machine are changed."""
    inventory = replayed(machine).inventory
    one = ask(rule, changed(inventory, where, changes) if changes else inventory, where)
    return one.outcome, one.severity if one.outcome == "fail" else None


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"consistency_policy": "journal"}, ("pass", None)),
        ({"consistency_policy": "ppl"}, ("pass", None)),
        ({"status": "ok"}, ("fail", "info")),
        ({"status": "degraded"}, ("fail", "warning")),
        ({"status": "rebuilding"}, ("fail", "warning")),
        ({"consistency_policy": None, "bitmap": None}, ("unknown", None)),
        ({"consistency_policy": None, "bitmap": "none"}, ("unknown", None)),
    ],
    ids=str,
)
def test_a_write_hole_of_md_is_worse_while_a_drive_is_missing(
    changes: dict[str, Any], expected: tuple[str, str | None]
) -> None:
    """The write hole is a warning only while the array is degraded.

    A journal or PPL closes it.
    """
    name = {} if changes == {"status": "ok"} else changes
    assert outcome_of("write_hole", MD, RAID6, **name) == expected


def test_a_write_hole_is_a_warning_beside_a_failed_member_of_an_array_that_is_reported_ok() -> None:
    """The member counts, whatever the status of the array."""
    inventory = replayed(MD).inventory
    member = next(one.id for part in inventory.controllers for one in part.drives if one.id.startswith(f"{RAID6}/"))
    one = ask("write_hole", changed(inventory, member, {"status": "critical"}), RAID6)
    assert (one.outcome, one.severity, f"while {member} has failed," in one.message) == ("fail", "warning", True)


@pytest.mark.parametrize(
    ("state", "status", "expected"),
    [
        ("protected", "degraded", ("pass", None)),
        ("not_caching", "ok", ("fail", "info")),
        ("unprotected", "degraded", ("fail", "warning")),
        ("unknown", "degraded", ("unknown", None)),
    ],
)
def test_a_write_hole_behind_a_controller_is_closed_by_a_protected_cache(
    state: str, status: str, expected: tuple[str, str | None]
) -> None:
    """A protected cache passes, an unprotected one fails. Unknown protection is unknown."""
    inventory = changed(replayed(LSI).inventory, PAIR, {"raid_level": "raid6", "name": "x"})
    volume = next(one for one in inventory.controllers[0].volumes if one.id == PAIR)
    assert volume.cache is not None
    cache = structs.replace(volume.cache, controller_cache=state)
    other = structs.replace(volume, status=status, cache=cache)
    controller = structs.replace(inventory.controllers[0], volumes=(other,))
    one = ask("write_hole", structs.replace(inventory, controllers=(controller,)), PAIR)
    assert (one.outcome, one.severity if one.outcome == "fail" else None) == expected


@pytest.mark.parametrize(
    ("battery", "remedy"),
    [("failed", "Fit or replace"), ("learning", "Wait until"), ("ok", f"`raidctl cache set {PAIR} --write protected")],
)
def test_the_remedy_of_a_write_hole_fits_the_battery(battery: BatteryStatus, remedy: str) -> None:
    """The remedy is to wait for a learning battery. With a good one it is to set the write policy."""
    controller = replayed(LSI).inventory.controllers[0]
    volume = next(one for one in controller.volumes if one.id == PAIR)
    assert volume.cache is not None
    cache = structs.replace(volume.cache, controller_cache="not_caching")
    volume = structs.replace(volume, raid_level="raid6", cache=cache)
    batteries = tuple(structs.replace(one, status=battery, replace=None) for one in controller.batteries)
    controller = structs.replace(controller, volumes=(volume,), batteries=batteries)
    one = ask("write_hole", structs.replace(replayed(LSI).inventory, controllers=(controller,)), PAIR)
    assert (one.remedy or "").startswith(remedy)


@pytest.mark.parametrize(
    ("limit", "timeout", "expected"),
    [
        (7.0, 30, ("pass", None)),
        (0.0, 180, ("pass", None)),
        (None, 240, ("pass", None)),
        (0.0, 30, ("fail", "warning")),
        (30.0, 30, ("fail", "warning")),
        (200.0, 180, ("fail", "warning")),
        (200.0, 240, ("pass", None)),
        (None, 30, ("unknown", None)),
        (7.0, None, ("unknown", None)),
    ],
)
def test_a_drive_has_to_give_up_before_the_kernel_does(
    limit: float | None, timeout: int | None, expected: tuple[str, str | None]
) -> None:
    """A drive without a limit passes only with a long kernel timeout. Unknown values are unknown."""
    changes = {"error_recovery_seconds": limit, "block": Block(command_timeout_seconds=timeout), "wwn": "x"}
    assert outcome_of("error_recovery_timeout", MD, "drives:HBN2C0M4", **changes) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"critical_warning": 1}, ("fail", "warning")),
        ({"critical_warning": 8}, ("fail", "critical")),
        ({"available_spare_percent": 9}, ("fail", "warning")),
        ({"available_spare_percent": 10}, ("pass", None)),
        ({"critical_warning": None}, ("unknown", None)),
    ],
    ids=str,
)
def test_an_nvme_drives_warning_is_graded(changes: dict[str, Any], expected: tuple[str, str | None]) -> None:
    """Any bit is a warning, but read-only is critical. Too few spare blocks are a warning."""
    assert outcome_of("nvme_health", NVME, NVME_DRIVE, **changes) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"made_at": "2024-01-01"}, ("pass", None)),
        ({"made_at": "2019-01-01"}, ("fail", "info")),
        ({"made_at": "2014-01-01"}, ("fail", "warning")),
        ({"made_at": "2031-01-01"}, ("unknown", None)),  # after the scan: a clock is wrong
        ({"made_at": "2024-01-01", "status": "ok", "next_learn_at": "2026-04-01T00:00:00"}, ("fail", "warning")),
        ({"made_at": "2024-01-01", "status": "ok", "next_learn_at": "2000-01-01T00:00:00"}, ("pass", None)),
    ],
    ids=str,
)
def test_a_capacitor_is_graded_by_its_age(changes: dict[str, Any], expected: tuple[str, str | None]) -> None:
    """A capacitor lasts five years. An overdue learn cycle is a warning, except with an unset clock."""
    assert outcome_of("battery_old", "megaraid-9271-learning", BATTERY, **changes) == expected


@pytest.mark.parametrize(
    ("machine", "where", "changes", "first"),
    [
        ("megaraid-9271-learning", "megaraid:0", {"model": "other"}, ""),
        ("megaraid-9271-learning", "megaraid:0/v0", {"status": "degraded"}, ", after every volume is complete"),
        ("megaraid-9271-learning", "megaraid:0", {"cache": {"preserved_data": True}},
         ", after the preserved data is written (`raidctl preserved show megaraid:0`)"),
    ],
)  # fmt: skip
def test_the_advice_to_start_a_learn_cycle_names_what_comes_first(
    machine: str, where: str, changes: dict[str, Any], first: str
) -> None:
    """While `battery learn` would refuse, the remedy contains what has to be done before."""
    inventory = changed(replayed(machine).inventory, where, changes)
    for late in ({"made_at": "2019-01-01"}, {"next_learn_at": "2026-04-01T00:00:00", "status": "ok"}):
        one = ask("battery_old", changed(inventory, BATTERY, late), BATTERY)
        assert f"at a quiet time{first}: `raidctl battery learn megaraid:0`" in (one.remedy or "")


def test_an_age_without_a_time_of_reading_is_unknown() -> None:
    """Without a collection time, ages are unknown."""
    inventory = replayed("megaraid-9271-learning").inventory
    loose = structs.replace(inventory, host=structs.replace(inventory.host, collected_at=None))
    assert ask("battery_old", loose, BATTERY).outcome == "unknown"
    scrubbed = replayed(MD).inventory
    loose = structs.replace(scrubbed, host=structs.replace(scrubbed.host, collected_at=None))
    assert ask("check_overdue", loose, RAID6).outcome == "unknown"


@pytest.mark.parametrize(
    ("scrub", "expected"),
    [
        (Scrub(last_at="2026-02-01T00:00:00Z", last_result="ok"), ("pass", None)),
        (Scrub(last_at="2025-12-01T00:00:00Z", last_result="ok"), ("fail", "warning")),
        (Scrub(last_at="2026-02-01T00:00:00Z", last_result="failed"), ("fail", "warning")),
        (Scrub(last_at="2027-01-01T00:00:00Z", last_result="ok"), ("unknown", None)),
        (Scrub(last_result="unfinished"), ("fail", "info")),
        (Scrub(mode="automatic", next_at="11/09/2025, 03:00:00"), ("fail", "warning")),
        (Scrub(mode="automatic", next_at="03/09/2026, 03:00:00"), ("unknown", None)),
        (Scrub(mode="automatic"), ("unknown", None)),
    ],
    ids=str,
)
def test_a_check_is_overdue_after_sixty_days(scrub: Scrub, expected: tuple[str, str | None]) -> None:
    """A check older than 60 days fails. A schedule alone does not pass."""
    assert outcome_of("check_overdue", MD, RAID6, consistency_check=scrub) == expected


@pytest.mark.parametrize("interface", [*get_args(Interface), None])
def test_a_critical_warning_counts_whatever_the_interface(interface: Interface | None) -> None:
    """Behind a USB bridge, the kernel calls an NVMe drive a USB drive."""
    for changes in ({"critical_warning": 1}, {"available_spare_percent": 3, "available_spare_threshold_percent": 10}):
        found = outcome_of("nvme_health", NVME, NVME_DRIVE, interface=interface, **changes)
        assert found == ("fail", "warning")


@pytest.mark.parametrize("level", get_args(RaidLevel))
def test_a_failed_check_is_a_warning_at_every_level(level: RaidLevel) -> None:
    """A scrub of a pool without redundancy finds what cannot be repaired; there, no check has to be recent."""
    scrub = Scrub(last_at="2026-02-01T00:00:00Z", last_result="failed")
    found = outcome_of("check_overdue", MD, RAID6, consistency_check=scrub, raid_level=level)
    assert found == ("fail", "warning")


def test_a_path_is_missing_when_most_drives_of_the_model_have_more() -> None:
    """Paths are missing only if most drives of the model have more."""
    inventory = replayed("drives-sas-multipath").inventory
    names = [drive.id for drive in inventory.controllers[0].drives]
    assert {ask("sas_link", inventory, name).outcome for name in names} == {"pass"}
    for name in names[:3]:
        inventory = changed(inventory, name, {"paths": 2, "wwn": name})
    lost = ask("sas_link", inventory, names[3])
    assert (lost.outcome, lost.severity) == ("fail", "warning")
    assert "has 1 path; most others of its model have 2" in lost.message


def test_drives_without_reported_paths_do_not_hide_a_lost_one() -> None:
    """Only reported paths are compared, and nothing is concluded about the others."""
    inventory = replayed("drives-sas-multipath").inventory
    names = [drive.id for drive in inventory.controllers[0].drives]
    for name in names[1:]:
        inventory = changed(inventory, name, {"paths": 2, "wwn": name})
    for name in names[3:]:
        inventory = changed(inventory, name, {"paths": None, "errors": Errors(link=0)})
    assert [ask("sas_link", inventory, name).outcome for name in names] == ["fail", *["pass"] * (len(names) - 1)]
    assert ask("sas_link", inventory, names[3]).message == "The drive has no significant link errors."


def test_paths_of_drives_of_unknown_model_are_not_compared() -> None:
    """Two drives of unknown model are not drives of one model."""
    inventory = replayed("drives-sas-multipath").inventory
    names = [drive.id for drive in inventory.controllers[0].drives]
    for name in names:
        paths = 1 if name == names[0] else 2
        inventory = changed(inventory, name, {"paths": paths, "wwn": name, "model": None, "errors": Errors(link=0)})
    assert {ask("sas_link", inventory, name).outcome for name in names} == {"pass"}


def test_errors_of_a_sas_link_count_from_a_hundred_on() -> None:
    """Fewer than 100 errors pass, because resets cause a few."""
    for number, outcome in ((99, "pass"), (100, "fail")):
        changes = {"errors": Errors(link=number)}
        assert outcome_of("sas_link", "drives-sas-multipath", "drives:TGK00C3Z", **changes)[0] == outcome


def test_two_predictive_failures_in_an_array_are_critical() -> None:
    """A second predictive failure in an array is critical."""
    inventory = replayed(SMART).inventory
    assert ask("several_expect_failure", inventory, "smartarray:0/A").outcome == "pass"
    worse = changed(inventory, "smartarray:0/1I:1:1", {"errors": Errors(predictive=3)})
    one = ask("several_expect_failure", worse, "smartarray:0/A")
    assert (one.outcome, one.severity) == ("fail", "critical")
    assert {"1I:1:1", "1I:1:2"} <= set(one.message.replace(".", "").split())


def test_sectors_that_some_drives_do_not_report_are_unknown() -> None:
    """Equal sizes pass, 4Kn among 512e is information. An unknown member is unknown."""
    group = "megaraid:0/g1"
    for size, outcome in ((4096, "fail"), (None, "unknown"), (512, "pass")):
        changes = {"sector_bytes": size, "wwn": "x"}
        inventory = changed(replayed(LSI).inventory, "megaraid:0/310:2", changes)
        assert ask("mixed_sectors", inventory, group).outcome == outcome


def test_the_monitor_of_a_loose_file_is_not_checked() -> None:
    """A loose file has no finding. A machine without a reported monitor is unknown."""
    inventory = replayed(MD).inventory
    rule = named("md_unattended")
    assert rule is not None
    loose = structs.replace(inventory, host=structs.replace(inventory.host, hostname=None))
    assert list(rule.check(loose)) == []
    silent = changed(inventory, "md", {"monitored": None})
    assert ask("md_unattended", silent, "md").outcome == "unknown"
    assert ask("md_unattended", changed(inventory, RAID6, {"in_config_file": None}), RAID6).outcome == "unknown"


@pytest.mark.parametrize(("word", "failing"), [("Off", True), ("On", False), ("", False)])
def test_a_spare_that_no_rebuild_uses_automatically_is_reported(word: str, failing: bool) -> None:
    """With automatic rebuild off, a spare waits for a person."""
    spare: dict[str, Any] = {"role": "spare", "array": None, "model": "M"}
    details = {"HwCfg Auto Rebuild": word} if word else {}
    found = inventory(raid("raid6", spare, *[{"model": "M"}] * 6, controller={"details": details}))
    [one] = spare_missing.check(found)
    assert (one.outcome == "fail") == failing
    assert ("Automatic rebuild" in one.message) == failing
