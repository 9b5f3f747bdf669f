"""The guard for every family's plans, with every state of batteries."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from msgspec.structs import replace

from raidctl.change.engine import plan
from raidctl.model import Battery, BatteryStatus
from raidctl.simulation.demo import machine
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.plan import Desired, Plan, Setting
from raidctl.vendor.registry import vendors
from tests.change.battery_states import CHARGES, good
from tests.support.command_line import Raidctl
from tests.support.over import over

VENDORS = vendors()[0]
STATES: tuple[BatteryStatus, ...] = get_args(BatteryStatus)
CONTROLLERS = ("p400", "p440", "gen10", "9271", "9660", "h730", "perc5i", "6805", "3154")
DRIVES = ("workstation", "nvme", "sas")
ALWAYS: tuple[tuple[Setting, str], ...] = (
    ("write_policy", "unprotected_write_back"),
    ("no_battery_write_cache", "enabled"),
    ("drive_write_cache", "enabled"),
    ("drive_write_cache", "default"),
)
"""Settings that no battery makes safe."""


@cache
def seen(demo: str) -> Survey:
    """The survey of a simulated machine as it was recorded."""
    with TemporaryDirectory() as place:
        return survey(machine(demo, VENDORS, Path(place)), VENDORS)


def battery(status: BatteryStatus, charge: int | None, replaced: bool | None, number: int = 0) -> Battery:
    """A battery."""
    return Battery(id=f"battery{number}", status=status, charge_percent=charge, replace=replaced)


def backups() -> Iterator[tuple[Battery, ...]]:
    """No battery, each kind of battery, and each with a good one."""
    yield ()
    best = battery("ok", 100, replaced=False, number=1)
    for status, charge, replaced in itertools.product(STATES, CHARGES, (None, False, True)):
        item = battery(status, charge, replaced)
        yield from ((item,), (item, best), (best, item))


def two(demo: str, batteries: tuple[Battery, ...], share: int | None = None) -> Survey:
    """A machine with two equal controllers in write-through. The first has these batteries, the other a good one."""
    recorded = seen(demo)
    controller = next(controller for controller in recorded.inventory.controllers if controller.volumes)
    volumes = tuple(
        replace(v, cache=v.cache and replace(v.cache, write_policy="write_through", write_active="write_through"))
        for v in controller.volumes
    )
    cache_ = controller.cache and replace(controller.cache, status="ok")
    if cache_ is not None and share is not None:
        cache_ = replace(cache_, read_percent=100 - share, write_percent=share, no_battery_write_cache=None)
    first = replace(controller, batteries=batteries, volumes=volumes, cache=cache_)
    best = (battery("ok", 100, replaced=False),)
    other = replace(
        controller, id=f"{controller.id}9", serial="OTHER", batteries=best, volumes=(), drives=(), arrays=()
    )
    return replace(recorded, inventory=replace(recorded.inventory, controllers=(first, other)))


def plan_without_reason(survey_: Survey, desired: Sequence[Desired]) -> Plan:
    """The plan without a reason for unsafe settings."""
    return plan(survey_.inventory, VENDORS, desired, unsafe=False, view=survey_.view)


def would_run(made: Plan) -> bool:
    """Whether any step of the plan would be run."""
    return bool(made.steps) and not made.refusals


def desired_settings(survey_: Survey, setting: Setting, value: str) -> list[Desired]:
    """The setting for the first controller's volumes, or for that controller."""
    controller = survey_.inventory.controllers[0]
    whole = setting in ("no_battery_write_cache", "cache_split")
    return [
        Desired(object_id=name, setting=setting, value=value)
        for name in ([controller.id] if whole else _volumes(survey_))
    ]


def _volumes(survey_: Survey) -> list[str]:
    return [volume.id for volume in survey_.inventory.controllers[0].volumes]


@pytest.mark.parametrize("demo", CONTROLLERS)
def test_protected_write_back_needs_good_batteries_on_the_same_controller(demo: str) -> None:
    """All batteries of the controller have to be good. Those of another controller do not count."""
    passed = set()
    for batteries in backups():
        survey_ = two(demo, batteries)
        for desired in desired_settings(survey_, "write_policy", "protected_write_back"):
            made = plan_without_reason(survey_, [desired])
            safe = bool(batteries) and all(map(good, batteries))
            assert safe or not would_run(made), batteries
            passed |= {desired.object_id} if would_run(made) else set()
    # a guard that refuses everything would pass the assertions above
    assert passed


@over("setting, value", ALWAYS)
@over("demo", CONTROLLERS)
def test_what_no_battery_makes_safe_never_passes(demo: str, setting: Setting, value: str) -> None:
    """Unsafe settings are refused even with the best battery."""
    for batteries in backups():
        survey_ = two(demo, batteries)
        assert not any(
            would_run(plan_without_reason(survey_, [desired])) for desired in desired_settings(survey_, setting, value)
        ), batteries


@pytest.mark.parametrize(
    ("setting", "value", "share"), [("io_policy", "cached", None), ("cache_split", "50/50", 0)], ids=["io", "split"]
)
@pytest.mark.parametrize("demo", CONTROLLERS)
def test_cached_io_and_the_cache_split_need_good_batteries(
    demo: str, setting: Setting, value: str, share: int | None
) -> None:
    """In every family, cached I/O needs good batteries. So does enabling the cache for writes."""
    for batteries in backups():
        survey_ = two(demo, batteries, share)
        safe = bool(batteries) and all(map(good, batteries))
        assert safe or not any(
            would_run(plan_without_reason(survey_, [desired])) for desired in desired_settings(survey_, setting, value)
        ), batteries


@pytest.mark.parametrize("demo", [*CONTROLLERS, *DRIVES])
def test_no_drive_in_use_gets_a_volatile_write_cache(demo: str) -> None:
    """Members of arrays, spares and mounted drives keep their caches disabled."""
    survey_ = seen(demo)
    used = [
        drive
        for controller in survey_.inventory.controllers
        for drive in controller.drives
        if drive.mountpoints or drive.role in ("member", "spare", "journal")
    ]
    inventory = survey_.inventory
    controllers = tuple(
        replace(controller, drives=tuple(replace(drive, write_cache="disabled") for drive in controller.drives))
        for controller in inventory.controllers
    )
    off = replace(survey_, inventory=replace(inventory, controllers=controllers))
    assert used
    settings = [Desired(object_id=drive.id, setting="write_cache", value="enabled") for drive in used]
    assert not any(would_run(plan_without_reason(off, [desired])) for desired in settings)


def test_write_back_of_an_md_journal_is_refused() -> None:
    """The journal's device would be the only copy of unwritten data."""
    desired = Desired(object_id="md:md126", setting="journal_mode", value="write-back")
    assert not would_run(plan_without_reason(seen("journal"), [desired]))


@pytest.mark.parametrize("write", ["protected-write-back", "unprotected-write-back"])
def test_a_batch_has_the_same_guard(raidctl: Raidctl, tmp_path: Path, write: str) -> None:
    """If the policy is refused, the load is not started."""
    ran = tmp_path / "ran"
    done = raidctl("--demo", "h730", "batch", "megaraid:0/v0", "--write", write, "--yes", "--", "touch", ran)
    assert done.exit_code == 1
    assert "Unsafe" in done.stderr
    assert not ran.exists()
