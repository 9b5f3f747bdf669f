"""The guards of learn cycles. There is one test for each, on a machine that passes and one that does not."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any, get_args

from msgspec.structs import replace

from raidctl.change.permitted_commands import tables
from raidctl.model import (
    Battery,
    BatteryStatus,
    Cache,
    Inventory,
    PreservedCache,
    Problem,
    VolumeCache,
    VolumeStatus,
)
from raidctl.operate.battery_guards import HOURS, affected, denials, last_learn
from raidctl.survey.survey import Survey
from raidctl.vendor.events import Event, EventLog
from raidctl.vendor.plan import Deed
from raidctl.vendor.registry import vendors
from raidctl.vendor.unreported import Fact
from tests.operate.machines import NOW, OK, inventory, raid

DEED = Deed(object_id="x:0", verb="start_learn")
FALLS = VolumeCache(write_policy="protected_write_back", write_active="write_back")
LONG_AGO = "2026-10-01T00:00:00Z"


def machine(battery: BatteryStatus = "ok", cache: VolumeCache | None = FALLS, **fields: Any) -> Inventory:
    """A controller with a battery and a whole volume."""
    controller = {
        "serial": "SV1",
        "cache": Cache(preserved_data=False),
        "batteries": (Battery(id="x:0/battery0", status=battery),),
        **fields.pop("controller", {}),
    }
    return inventory(raid("raid5", OK, OK, OK, controller=controller, cache=cache, **fields))


def refused(
    found: Inventory, last: str | None = LONG_AGO, *, reported: bool = True,
    unreported: Collection[tuple[str, Fact]] = (),
) -> dict[str, bool]:  # fmt: skip
    """The guards that refuse a learn cycle. With each is whether --unsafe lifts every reason of it."""
    lifted: dict[str, bool] = {}
    for one in denials(DEED, Survey(found), last, NOW, reported=reported, unreported=unreported):
        lifted[one.guard] = lifted.get(one.guard, True) and one.overridable
    return lifted


def test_guard_B1_every_volume_falls_back_and_is_whole() -> None:
    """Each is write-through already, or protected write-back.

    The battery is good, no data is preserved, and nothing else is going on.
    """
    assert refused(machine()) == {}
    assert refused(machine(cache=VolumeCache(write_policy="write_through"))) == {}
    assert refused(machine(cache=VolumeCache(write_active="write_through"))) == {}
    unprotected = VolumeCache(write_policy="unprotected_write_back", write_active="write_back")
    for cache in (unprotected, VolumeCache(), VolumeCache(write_active="write_back"), None):
        assert refused(machine(cache=cache)) == {"B1": False}, cache
    for status in set(get_args(VolumeStatus)) - {"ok"}:
        assert refused(machine(status=status)) == {"B1": False}, status
    states: set[BatteryStatus] = {"failed", "missing", "degraded", "charging", "unknown"}
    for state in states:
        assert refused(machine(state)) == {"B1": False}, state
    assert refused(machine(controller={"cache": Cache(preserved_data=True)})) == {"B1": False}
    always = Cache(no_battery_write_cache=True, preserved_data=False)
    assert refused(machine(controller={"cache": always})) == {"B1": False}
    assert refused(machine(controller={"batteries": ()})) == {"": False}


def test_guard_B1_unknown_preserved_data_needs_a_reason() -> None:
    """Where the tools could report preserved data and did not, only --unsafe starts a cycle; listed data is data."""
    for cache in (None, Cache()):
        found = machine(controller={"cache": cache})
        assert refused(found) == {"B1": True}
        assert refused(found, unreported={("x", "preserved_data")}) == {}
    kept = (PreservedCache(volume="x:0/v7"),)
    assert refused(machine(controller={"preserved": kept}), unreported={("x", "preserved_data")}) == {"B1": False}


def test_guard_B2_not_within_a_day() -> None:
    """A learn cycle is refused within a day of the last.

    A running cycle is refused as well. If the last one is unknown, --unsafe overrides the refusal.
    """
    assert refused(machine(), "2026-11-01T00:00:00Z") == {}
    assert refused(machine(), "2026-11-01T00:00:01Z") == {"B2": False}
    assert refused(machine(), None, reported=True) == {}
    assert refused(machine(), None, reported=False) == {"B2": True}
    assert refused(machine(), "some day", reported=True) == {"B2": True}
    assert refused(machine("learning"))["B2"] is False


def test_guard_B3_the_plan_shows_how_long_write_through_may_last() -> None:
    """Which volumes, and that it cannot be ended."""
    controller = machine().controllers[0]
    assert "x:0/v0" in affected(controller)
    assert "No volume" in affected(replace(controller, volumes=()))
    assert "hours" in HOURS
    assert "cannot be ended" in HOURS


def test_guard_B4_no_command_switches_a_battery_off() -> None:
    """Sleep, seal, modes of the maker: in no table."""
    words = {word.lower() for shape in tables(vendors()[0]) for word in shape}
    never = ("powermode", "writeaccess", "-bbumfg", "sleep", "sealed", "shutdown")
    assert not [word for word in words if word.startswith(never)]


def test_the_last_learn_cycle_is_that_of_the_log() -> None:
    """The log is this controller's. The cycle is unknown if it does not reach back a day, or was not read."""
    at = [(NOW - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ") for hours in (72, 30, 2)]
    events = (
        Event(host_at=at[0], text="Battery relearn completed"), Event(host_at=at[1], text="Battery relearn started"),
        Event(host_at=at[2], text="Patrol Read complete"),
    )  # fmt: skip
    log = EventLog(controller="x:0", command="events", events=events)
    assert last_learn([log], "x:0", NOW) == (at[1], True)
    assert last_learn([replace(log, events=events[2:])], "x:0", NOW) == (None, True)
    assert last_learn([replace(log, events=events[2:], limited=True)], "x:0", NOW) == (None, False)
    assert last_learn([replace(log, limited=True)], "x:0", NOW) == (at[1], True)
    assert last_learn([log], "x:1", NOW) == (None, False)
    broken = replace(log, problems=(Problem("error", "x:0", "Not read.", kind="unread"),))
    assert last_learn([broken], "x:0", NOW) == (at[1], False)
    undated = Event(text="Battery relearn started")
    assert last_learn([replace(log, events=(undated,))], "x:0", NOW) == (None, False)
    assert last_learn([replace(log, events=(*events, undated))], "x:0", NOW) == (at[1], False)
