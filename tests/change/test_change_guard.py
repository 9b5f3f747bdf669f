"""The guard against unsafe write-back, with every state of the batteries."""

from __future__ import annotations

import itertools
from typing import get_args

import pytest

from raidctl.change.guard import unsafe
from raidctl.model import Battery, BatteryStatus, Cache, Controller, Drive, Volume, VolumeCache
from raidctl.vendor.plan import Desired, Setting
from tests.change.battery_states import CHARGES, good
from tests.support.over import over

STATES: tuple[BatteryStatus, ...] = get_args(BatteryStatus)


def controller_with(batteries: tuple[Battery, ...], cache: Cache | None = None) -> Controller:
    """A controller with these batteries."""
    volume = Volume(id="acme:1/v1", cache=VolumeCache(write_policy="write_through"))
    return Controller(id="acme:1", batteries=batteries, volumes=(volume,), cache=cache)


def battery(status: BatteryStatus, charge: int | None, replace: bool | None, number: int = 0) -> Battery:
    """A battery."""
    return Battery(id=f"acme:1/battery{number}", status=status, charge_percent=charge, replace=replace)


def write_policy(value: str) -> Desired:
    """The desired write policy of the volume."""
    return Desired(object_id="acme:1/v1", setting="write_policy", value=value)


EVERY = [
    battery(status, charge, replace)
    for status, charge, replace in itertools.product(STATES, CHARGES, (None, False, True))
]


@over("item", EVERY)
def test_protected_write_back_needs_a_good_battery(item: Battery) -> None:
    """Protected write-back needs a healthy, charged battery that needs no replacement."""
    assert (unsafe(controller_with((item,)), write_policy("protected_write_back")) is None) == good(item)


def test_all_of_several_batteries_have_to_be_good() -> None:
    """With two batteries, one bad one is enough to refuse."""
    for one, other in itertools.product(EVERY, EVERY):
        refused = unsafe(controller_with((one, other)), write_policy("protected_write_back")) is not None
        assert refused == (not (good(one) and good(other)))


def test_write_back_without_a_battery_is_refused() -> None:
    """A controller without a reported battery is refused."""
    assert unsafe(controller_with(()), write_policy("protected_write_back")) is not None


@pytest.mark.parametrize("item", EVERY[:: len(CHARGES) * 3], ids=lambda item: item.status)
def test_unprotected_write_back_is_always_refused(item: Battery) -> None:
    """Unprotected write-back is refused with any battery. It continues when the battery fails."""
    assert unsafe(controller_with((item,)), write_policy("unprotected_write_back")) is not None


def test_write_back_with_a_failed_cache_is_refused() -> None:
    """A good battery does not protect a cache that has failed."""
    good_one = battery("ok", 100, replace=False)
    assert (
        unsafe(controller_with((good_one,), Cache(status="critical")), write_policy("protected_write_back")) is not None
    )


def test_write_through_is_always_accepted() -> None:
    """Write-through needs no battery."""
    assert unsafe(controller_with(()), write_policy("write_through")) is None


@pytest.mark.parametrize("setting", ["journal_mode", "cache_mode"])
@pytest.mark.parametrize(
    ("value", "refused"),
    [
        ("write-back", True),
        ("write_back", True),
        ("writeback", True),
        ("write-through", False),
        ("writethrough", False),
    ],
)
def test_write_back_of_a_journal_or_cache_on_one_device_is_refused(setting: Setting, value: str, refused: bool) -> None:
    """Only write-through is accepted for a journal or cache on one device. Unwritten data is lost with the device."""
    asked = Desired(object_id="md:md0", setting=setting, value=value)
    assert (unsafe(Controller(id="md", mode="software"), asked) is not None) == refused


@pytest.mark.parametrize(
    ("drive", "refused"),
    [
        (Drive(id="acme:1/1", mountpoints=("/srv/db",)), True),
        (Drive(id="acme:1/1", role="member"), True),
        (Drive(id="acme:1/1", role="unassigned"), False),
    ],
)
def test_a_volatile_cache_is_enabled_on_unused_drives_only(drive: Drive, refused: bool) -> None:
    """A mounted drive or array member keeps its cache disabled."""
    controller = Controller(id="acme:1", drives=(drive,))
    asked = Desired(object_id="acme:1/1", setting="write_cache", value="enabled")
    assert (unsafe(controller, asked) is not None) == refused
    assert unsafe(controller, Desired(object_id="acme:1/1", setting="write_cache", value="disabled")) is None
