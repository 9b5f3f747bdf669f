"""The guards of checks. There is one test for each, on a volume that passes and one that does not."""

from __future__ import annotations

from typing import get_args

from msgspec.structs import replace

from raidctl.change.permitted_commands import tables
from raidctl.model import Battery, Controller, Host, Inventory, Operation, Progress, TaskState, Volume, VolumeStatus
from raidctl.operate.check_guards import denials, must_be_confirmed
from raidctl.operate.check_history import CheckRecord, History
from raidctl.operate.checks import Evidence
from raidctl.vendor.checks import CheckReading
from raidctl.vendor.plan import Deed, Denial, Verb
from raidctl.vendor.registry import vendors

UUID = "0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9"
VOLUME = Volume(
    id="md:md0", device="/dev/md0", unique_id=UUID, raid_level="raid6", status="ok", drives_expected=4, drives_active=4
)
CHECKING = replace(VOLUME, status="checking", progress=Progress(operation="check"))
OWN = CheckRecord(array=UUID, volume="md:md0", began="2026-11-01T05:00:00Z", boot="b1", seconds=100.0)
PAUSED = replace(OWN, end="paused", place=8192)


def denied(
    verb: Verb, volume: Volume, *records: CheckRecord, boot: str = "b1", place: int | None = 8192
) -> list[Denial]:
    """What refuses a deed."""
    inventory = Inventory(host=Host(), controllers=(Controller(id="md", mode="software", volumes=(volume,)),))
    readings = {"md:md0": CheckReading(last="check", stopped_at=place)}
    known = Evidence(readings=readings, history=History(records=records), boot=boot)
    return list(denials(Deed(object_id="md:md0", verb=verb), inventory, known))


def refused(verb: Verb, volume: Volume, *records: CheckRecord, boot: str = "b1", place: int | None = 8192) -> list[str]:
    """The guards that refuse a deed. An empty name means that it is not possible."""
    return [one.guard for one in denied(verb, volume, *records, boot=boot, place=place)]


def test_guard_T1_a_repair_of_copies_is_confirmed() -> None:
    """A repair where the level is unknown is confirmed too.

    Parity is computed again from the data, and a check changes nothing.
    """
    for level in ("raid1", "raid10", "raid1e", None, "unknown"):
        assert must_be_confirmed("repair", replace(VOLUME, raid_level=level)), level
    for level in ("raid4", "raid5", "raid6"):
        assert not must_be_confirmed("repair", replace(VOLUME, raid_level=level)), level
    assert not must_be_confirmed("start_check", replace(VOLUME, raid_level="raid1"))


def test_guard_T2_only_a_complete_volume_is_checked() -> None:
    """A volume that is not complete is not checked.

    Degraded, rebuilding and busy volumes are refused, and those whose state or number of members is unknown.
    """
    verbs: tuple[Verb, ...] = ("start_check", "repair")
    for verb in verbs:
        assert refused(verb, VOLUME) == []
        for status in set(get_args(VolumeStatus)) - {"ok"}:
            assert refused(verb, replace(VOLUME, status=status)) == ["T2"], status
        for operation in get_args(Operation):
            assert refused(verb, replace(VOLUME, progress=Progress(operation=operation))) == ["T2"], operation
        for active in (3, None):
            assert refused(verb, replace(VOLUME, drives_active=active)) == ["T2"], active
            assert [one.unknown for one in denied(verb, replace(VOLUME, drives_active=active))] == [active is None]
        assert refused(verb, replace(VOLUME, raid_level="raid0")) == [""]


def test_guard_T6_only_a_check_is_stopped() -> None:
    """Never a reshape, and no rebuild, resync or unknown operation either."""
    verbs: tuple[Verb, ...] = ("stop_check", "pause_check")
    for verb in verbs:
        assert refused(verb, CHECKING, OWN) == []
        for operation in set(get_args(Operation)) - {"check", "repair"}:
            busy = replace(CHECKING, progress=Progress(operation=operation))
            assert refused(verb, busy, OWN) == ["T6"], operation
        assert refused(verb, VOLUME, OWN) == [""]


def test_only_a_check_of_raidctl_is_paused_and_only_at_its_place_continued() -> None:
    """The range that somebody else has checked is unknown. After a restart, or another check, the place is lost."""
    assert refused("stop_check", CHECKING) == []
    assert refused("pause_check", CHECKING) == [""]
    assert refused("pause_check", CHECKING, replace(OWN, boot="b0")) == [""]
    assert refused("pause_check", CHECKING, replace(OWN, kind="repair")) == [""]
    assert refused("resume_check", VOLUME, PAUSED) == []
    assert refused("resume_check", VOLUME, OWN) == [""]
    assert refused("resume_check", VOLUME, PAUSED, boot="b2") == [""]
    assert refused("resume_check", VOLUME, PAUSED, place=4096) == [""]
    assert refused("resume_check", VOLUME, PAUSED, place=None) == [""]


def test_guard_T6_no_rebuild_is_stopped_by_a_command_for_checks() -> None:
    """This holds whether or not it is the last redundancy. `raidctl rebuild` has its own guard, T4."""
    verbs: tuple[Verb, ...] = ("stop_check", "pause_check")
    for verb in verbs:
        assert refused(verb, CHECKING, OWN) == []
        for operation in ("rebuild", "recovery", "resync", "copyback"):
            for left in (0, 1, None):
                progress = Progress(operation=operation)
                busy = replace(VOLUME, status="rebuilding", failures_tolerated=left, progress=progress)
                assert refused(verb, busy, OWN) == ["T6"], operation


def refused_behind(verb: Verb, volume: Volume, *batteries: Battery) -> list[str]:
    """The guards that refuse a deed behind a controller. The volume is the same."""
    volume = replace(volume, id="x:0/v0", drives_active=None)
    inventory = Inventory(
        host=Host(), controllers=(Controller(id="x:0", mode="raid", volumes=(volume,), batteries=batteries),)
    )
    return [one.guard for one in denials(Deed(object_id="x:0/v0", verb=verb), inventory, Evidence())]


def test_guard_T2_T6_hold_behind_a_controller() -> None:
    """The controller's "ok" means that no member is missing. The controller pauses and continues a check."""
    paused = replace(CHECKING, progress=Progress(operation="check", state="paused"))
    running = replace(CHECKING, progress=Progress(operation="check", state="running"))
    assert (refused_behind("start_check", VOLUME), refused_behind("repair", VOLUME)) == ([], [])
    states: dict[TaskState, list[str]] = {"paused": [], "running": ["T2"], "queued": ["T2"]}
    for state, guards in states.items():
        without_parity = replace(VOLUME, progress=Progress(operation="parity", state=state))
        assert refused_behind("start_check", without_parity) == guards, state  # a check completes the parity
    for status in set(get_args(VolumeStatus)) - {"ok"}:
        assert refused_behind("start_check", replace(VOLUME, status=status)) == ["T2"], status
    assert (
        refused_behind("stop_check", running),
        refused_behind("pause_check", running),
        refused_behind("resume_check", paused),
    ) == ([], [], [])
    impossible: tuple[tuple[Verb, Volume], ...] = (
        ("pause_check", paused), ("resume_check", running), ("resume_check", VOLUME),
    )  # fmt: skip
    for verb, volume in impossible:
        assert refused_behind(verb, volume) == [""]
    assert refused_behind("stop_check", VOLUME) == [""]
    assert refused_behind("stop_check", replace(VOLUME, status="rebuilding")) == ["T6"]


def test_guard_T3_no_check_while_a_battery_learns() -> None:
    """Two loads on the cache at once are refused, known or possible. Overridden with --unsafe."""
    verbs: tuple[Verb, ...] = ("start_check", "repair")
    for verb in verbs:
        assert refused_behind(verb, VOLUME, Battery(id="x:0/battery0", status="ok")) == []
        assert refused_behind(verb, VOLUME, Battery(id="x:0/battery0", status="learning")) == ["T3"]
        assert refused_behind(verb, VOLUME, Battery(id="x:0/battery0", status="unknown")) == ["T3"]


def test_guard_T5_what_hides_damage_is_in_no_table() -> None:
    """No command ignores errors or forces anything. A degraded volume is not repaired.

    Making an array (``mdadm --create``, then ``dracut --force`` for the image) is covered by the guards P.
    """
    making = ("--create", "dracut")
    shapes = [shape for shape in tables(vendors()[0]) if not set(making) & set(shape)]
    words = {word.lower() for shape in shapes for word in shape}
    for never in ("ignoreecc", "--force", "force", "-force", "--assume-clean", "forced", "all"):
        assert never not in words
    assert {"mdadm", "--fail", "--add-spare"} <= words
    assert refused_behind("repair", replace(VOLUME, status="degraded")) == ["T2"]
