"""The problems on the screen, and their order."""

from __future__ import annotations

import pytest

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.fleet.report import Rank
from raidctl.health.narrowed import narrow_with_carriers
from raidctl.model import UNREAD_KINDS, Array, Battery, Cache, Problem, ProblemKind, Volume
from raidctl.output.hosts import missing
from raidctl.output.trouble import BROKEN, notes, troubles
from raidctl.select import items, narrow
from tests.output.inventories import DEGRADED, HEALTHY, HOST, SOFTWARE, bay_drive, controller_with, stacked, whole
from tests.support.machines import replayed


def briefs(**changes: object) -> list[str]:
    """The short sentences of a controller that differs from a healthy one."""
    ill = controller_with(**{"drives": (bay_drive(1),), **changes})  # type: ignore[arg-type]  # the tests vary single fields by name
    return [trouble.brief for trouble in troubles(whole(host=HOST, controllers=(ill,)))]


def test_a_healthy_machine_has_none() -> None:
    """No problem, no sentence."""
    assert troubles(HEALTHY) == []
    assert briefs() == []


def test_lost_data_comes_before_lost_redundancy_before_predicted_failures() -> None:
    """This is the order in which an administrator has to act.

    A failed drive is listed with the volume that lacks it.
    """
    volumes = (
        Volume(id="smartarray:1/v1", status="degraded", raid_level="raid5", array="smartarray:1/A"),
        Volume(id="smartarray:1/v2", status="failed", raid_level="raid0"),
    )
    sentences = briefs(
        volumes=volumes,
        drives=(
            bay_drive(1, array=None, role="unassigned", status="warning", status_text="Predictive Failure"),
            bay_drive(2, status="critical"),
        ),
    )
    assert sentences == [
        "smartarray:1/v2: failed",
        "smartarray:1/v1: degraded, survives no further failure; 1I:1:2 failed (OK), bay 2, serial KX400002Q",
        "smartarray:1/1I:1:1: predictive failure, bay 1, serial KX400001Q",
    ]


def test_an_array_is_not_reported_beside_its_volume_or_drive() -> None:
    """One cause, one line; an array with a separate fault is reported."""
    assert not any("smartarray:1/A" in trouble.brief for trouble in troubles(DEGRADED))
    sentences = briefs(arrays=(Array(id="smartarray:1/A", status="critical", status_text="Failed"),))
    assert sentences == ["smartarray:1/A: array (Failed)"]


def test_a_cache_is_folded_under_the_battery_that_explains_it() -> None:
    """A cache without such a battery is reported, and preserved data always."""
    ill = Cache(status="warning", status_text="Temporarily Disabled")
    assert briefs(cache=ill) == ["smartarray:1: cache (Temporarily Disabled)"]
    dead = (Battery(id="smartarray:1/battery0", status="degraded"),)
    assert briefs(cache=ill, batteries=dead) == ["smartarray:1/battery0: battery degraded"]
    assert briefs(cache=Cache(preserved_data=True)) == [
        "smartarray:1: the cache holds preserved data of volumes that are gone"
    ]


@pytest.mark.parametrize("status", ["charging", "learning", "unknown", "ok"])
def test_a_battery_that_only_charges_or_learns_is_no_trouble_by_itself(status: str) -> None:
    """The effect on the write cache is reported with the volumes."""
    assert briefs(batteries=(Battery(id="smartarray:1/battery0", status=status),)) == []  # type: ignore[arg-type]  # words of the model


def test_a_battery_that_asks_for_its_replacement_is_trouble() -> None:
    """Even while it still works."""
    sentences = briefs(batteries=(Battery(id="smartarray:1/battery0", status="ok", replace=True),))
    assert sentences == ["smartarray:1/battery0: battery to be replaced"]


@pytest.mark.parametrize("status", ["checking", "initializing", "expanding", "migrating", "ok", "unknown"])
def test_work_under_way_is_no_trouble(status: str) -> None:
    """A check or an expansion is shown in its row, not counted."""
    assert briefs(volumes=(Volume(id="smartarray:1/v1", status=status),), arrays=()) == []  # type: ignore[arg-type]  # words of the model


def test_a_rebuild_shows_its_progress() -> None:
    """A rebuild shows its percentage. It also shows the failures that the volume survives until then."""
    assert troubles(SOFTWARE)[0].brief.startswith("md:md1: rebuilding 12.6%, survives no further failure")


def test_what_could_not_be_read_of_a_sick_object_stays_its_own_problem() -> None:
    """A state and a failure to read are two different things. Both name the object."""
    unread = Problem(severity="warning", where="smartarray:1/v1", message="Unknown word.", kind="unread")
    inventory = whole(host=HOST, controllers=DEGRADED.controllers, problems=(unread,))
    assert "smartarray:1/v1: Unknown word." in [trouble.brief for trouble in troubles(inventory)]


@pytest.mark.parametrize("kind", sorted(UNREAD_KINDS))
def test_what_could_not_be_read_is_no_mere_information(kind: ProblemKind) -> None:
    """Its exit code is 3 or 4, so that "Nothing is missing" or "ok" beside it would be wrong."""
    unread = Problem(severity="info", where="udev", message="It could not be read.", kind=kind)
    inventory = whole(host=HOST, controllers=(), problems=(unread,))
    assert exit_code(inventory.problems) in (3, 4)
    assert [trouble.where for trouble in troubles(inventory)] == ["udev"]
    assert missing(inventory)[0] != Rank.FINE


def test_information_is_no_trouble() -> None:
    """It is a note."""
    assert [one.message for one in notes(DEGRADED)] == [
        problem.message for problem in DEGRADED.problems if problem.severity == "info"
    ]


def test_an_object_alone_is_judged_by_the_machine_around_it() -> None:
    """A battery is as bad as its cache needs it, and a rebuilding drive has the redundancy of its volume."""
    areca, adaptec = replayed("areca-arc1210").inventory, replayed("adaptec-6805-rebuilding").inventory
    [battery] = troubles(narrow(areca, frozenset({"areca:1/battery0"})), areca)
    assert (battery.brief, battery.rank) == ("areca:1/battery0: battery missing", BROKEN)
    [drive] = troubles(narrow(adaptec, frozenset({"adaptec:1/0,1"})), adaptec)
    assert drive in troubles(adaptec)


def test_an_object_has_the_problems_of_what_carries_it() -> None:
    """A software array on a controller's volume has the failed battery of that controller."""
    inventory = stacked()
    kept = narrow_with_carriers(inventory, frozenset({"md:md0"}))
    assert {"adaptec:1/v0", "md:md0/sda"} < {item.id for controller in kept.controllers for item in items(controller)}
    assert "adaptec:1/battery0: battery failed" in [trouble.brief for trouble in troubles(kept, inventory)]
