"""The gate in front of every family: its own plans, whatever backs up the cache of its controllers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from click.testing import Result
from msgspec.structs import replace

from raidctl.change.engine import plan
from raidctl.model import Battery, BatteryStatus
from raidctl.simulation.demo import machine
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.plan import Desired, Plan, Setting
from raidctl.vendor.registry import vendors
from tests.change.test_change_guard import CHARGES, good
from tests.support.over import over

VENDORS = vendors()[0]
STATES: tuple[BatteryStatus, ...] = get_args(BatteryStatus)
CARDS = ("p400", "p440", "gen10", "9271", "9660", "h730", "perc5i", "6805", "3154")
DRIVES = ("workstation", "nvme", "sas")
ALWAYS: tuple[tuple[Setting, str], ...] = (
    ("write_policy", "unprotected_write_back"),
    ("no_battery_write_cache", "enabled"),
    ("drive_write_cache", "enabled"),
    ("drive_write_cache", "default"),
)
"""What no battery makes safe."""
Raidctl = Callable[..., Result]


@cache
def seen(demo: str) -> Survey:
    """A simulated machine as it was recorded."""
    with TemporaryDirectory() as place:
        return survey(machine(demo, VENDORS, Path(place)), VENDORS)


def battery(status: BatteryStatus, charge: int | None, replaced: bool | None, number: int = 0) -> Battery:
    """A battery."""
    return Battery(id=f"battery{number}", status=status, charge_percent=charge, replace=replaced)


def backups() -> Iterator[tuple[Battery, ...]]:
    """None, one of every kind, and every kind beside a good one."""
    yield ()
    best = battery("ok", 100, replaced=False, number=1)
    for status, charge, replaced in itertools.product(STATES, CHARGES, (None, False, True)):
        item = battery(status, charge, replaced)
        yield from ((item,), (item, best), (best, item))


def two(demo: str, batteries: tuple[Battery, ...], share: int | None = None) -> Survey:
    """A machine with two of its card, in write-through: these batteries on the one, a good one on the other."""
    recorded = seen(demo)
    card = next(card for card in recorded.inventory.controllers if card.volumes)
    volumes = tuple(
        replace(v, cache=v.cache and replace(v.cache, write_policy="write_through", write_active="write_through"))
        for v in card.volumes
    )
    cache_ = card.cache and replace(card.cache, status="ok")
    if cache_ is not None and share is not None:
        cache_ = replace(cache_, read_percent=100 - share, write_percent=share, no_battery_write_cache=None)
    first = replace(card, batteries=batteries, volumes=volumes, cache=cache_)
    best = (battery("ok", 100, replaced=False),)
    other = replace(card, id=f"{card.id}9", serial="OTHER", batteries=best, volumes=(), drives=(), arrays=())
    return replace(recorded, inventory=replace(recorded.inventory, controllers=(first, other)))


def planned(survey_: Survey, wishes: Sequence[Desired]) -> Plan:
    """What is planned without a reason for the unsafe."""
    return plan(survey_.inventory, VENDORS, wishes, unsafe=False, view=survey_.view)


def goes(made: Plan) -> bool:
    """Whether anything of it would be carried out."""
    return bool(made.steps) and not made.refusals


def wished(survey_: Survey, setting: Setting, value: str) -> list[Desired]:
    """The setting, for the volumes of the first card; a setting of cards, for that card."""
    card = survey_.inventory.controllers[0]
    whole = setting in ("no_battery_write_cache", "cache_split")
    return [
        Desired(object_id=name, setting=setting, value=value) for name in ([card.id] if whole else _volumes(survey_))
    ]


def _volumes(survey_: Survey) -> list[str]:
    return [volume.id for volume in survey_.inventory.controllers[0].volumes]


@pytest.mark.parametrize("demo", CARDS)
def test_protected_write_back_passes_with_good_batteries_on_that_very_card_only(demo: str) -> None:
    """However many there are, in whatever state, charge and learn cycle, and whatever the other card has."""
    passed = set()
    for batteries in backups():
        survey_ = two(demo, batteries)
        for wish in wished(survey_, "write_policy", "protected_write_back"):
            made = planned(survey_, [wish])
            safe = bool(batteries) and all(map(good, batteries))
            assert safe or not goes(made), batteries
            passed |= {wish.object_id} if goes(made) else set()
    # hardware that can be set at all lets the safe wish through: a gate that is always closed would pass as well
    assert passed


@over("setting, value", ALWAYS)
@over("demo", CARDS)
def test_what_no_battery_makes_safe_never_passes(demo: str, setting: Setting, value: str) -> None:
    """Not with the best of batteries either."""
    for batteries in backups():
        survey_ = two(demo, batteries)
        assert not any(goes(planned(survey_, [wish])) for wish in wished(survey_, setting, value)), batteries


@pytest.mark.parametrize(
    ("setting", "value", "share"), [("io_policy", "cached", None), ("cache_split", "50/50", 0)], ids=["io", "split"]
)
@pytest.mark.parametrize("demo", CARDS)
def test_the_back_doors_need_good_batteries(demo: str, setting: Setting, value: str, share: int | None) -> None:
    """Cached I/O, and a first share of the cache for writes."""
    for batteries in backups():
        survey_ = two(demo, batteries, share)
        safe = bool(batteries) and all(map(good, batteries))
        assert safe or not any(goes(planned(survey_, [wish])) for wish in wished(survey_, setting, value)), batteries


@pytest.mark.parametrize("demo", [*CARDS, *DRIVES])
def test_no_drive_in_use_gets_a_volatile_write_cache(demo: str) -> None:
    """Members of arrays and spares, mounted disks: their own caches stay off."""
    survey_ = seen(demo)
    used = [
        drive
        for card in survey_.inventory.controllers
        for drive in card.drives
        if drive.mountpoints or drive.role in ("member", "spare", "journal")
    ]
    inventory = survey_.inventory
    cards = tuple(
        replace(card, drives=tuple(replace(drive, write_cache="disabled") for drive in card.drives))
        for card in inventory.controllers
    )
    off = replace(survey_, inventory=replace(inventory, controllers=cards))
    assert used
    wishes = [Desired(object_id=drive.id, setting="write_cache", value="enabled") for drive in used]
    assert not any(goes(planned(off, [wish])) for wish in wishes)


def test_a_journal_of_md_in_write_back_does_not_pass() -> None:
    """The journal's one device would hold what the array does not."""
    wish = Desired(object_id="md:md126", setting="journal_mode", value="write-back")
    assert not goes(planned(seen("journal"), [wish]))


@pytest.mark.parametrize("write", ["protected-write-back", "unprotected-write-back"])
def test_a_batch_passes_the_same_gate(raidctl: Raidctl, tmp_path: Path, write: str) -> None:
    """Refused, its load is not started."""
    ran = tmp_path / "ran"
    done = raidctl("--demo", "h730", "batch", "megaraid:0/v0", "--write", write, "--yes", "--", "touch", ran)
    assert done.exit_code == 1
    assert "Unsafe" in done.stderr
    assert not ran.exists()
