"""Claims about redundancy left, the write hole and the last consistency check."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.bench.result import Session, Spread, TrialResult
from raidctl.health.redundancy import with_redundancy
from raidctl.model import Array, Battery, Controller, Drive, Host, Progress, Scrub, Volume, VolumeCache
from raidctl.survey.survey import Survey
from raidctl.verify.subjects import CheckedMachine
from tests.verify.checked_machines import checked_machine, judged, raid_controller
from tests.verify.conftest import Answers, Verify
from tests.verify.measuring import answered


def behind(state: str, **of_volume: Any) -> CheckedMachine:
    """Return a RAID-6 behind a controller cache in this state. The drives' caches are off."""
    cache = VolumeCache(
        write_policy="protected_write_back",
        write_active="write_back" if state == "protected" else "write_through",
        controller_cache=state,  # type: ignore[arg-type]  # a parameter of the tests
        drive_caches="off",
        write_protected=True,
        drive_write_cache="disabled",
    )
    return checked_machine(raid_controller(volume_cache=cache, **of_volume))


def checked(scrub: Scrub | None, at: str | None = "2026-06-01T00:00:00Z") -> CheckedMachine:
    """A machine that was read at this time."""
    known = checked_machine(raid_controller(consistency_check=scrub))
    inventory = replace(known.seen.inventory, host=Host(hostname="m", collected_at=at))
    return CheckedMachine(Survey(inventory, view=known.seen.view), known.kernel)


@pytest.mark.parametrize(
    ("left", "wanted", "verdict"),
    [(2, 1, "pass"), (1, 1, "pass"), (0, 0, "pass"), (0, 1, "fail"), (1, 2, "fail"), (None, 0, "inconclusive")],
)
def test_a_volume_survives_as_many_failures_as_are_left(left: int | None, wanted: int, verdict: str) -> None:
    """The claim is answered from the redundancy left.

    If that is unknown, the answer is inconclusive, whatever is claimed.
    """
    assert judged(checked_machine(raid_controller(failures_tolerated=left)), survives=wanted).verdict == verdict


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"raid_level": None}, "its RAID level (raid_level)"),
        ({"status": "unknown"}, "its state (status)"),
        ({"status": "degraded"}, "the number of its members when complete (drives_expected)"),
        ({"array": None, "drives_expected": 6}, "its members (drives)"),
    ],
)
def test_an_unknown_number_of_failures_names_the_fields_that_are_missing(change: dict[str, Any], named: str) -> None:
    """The reason names the field that no tool reported, not only that something is unknown."""
    found = raid_controller()
    volumes = tuple(replace(volume, **change) for volume in found.volumes)
    found = replace(found, volumes=volumes, drives=found.drives[:-1] if "status" in change else found.drives)
    [known] = with_redundancy([found])
    answer = judged(checked_machine(known), survives=1)
    what = "How many more drive failures it survives is unknown"
    assert (answer.verdict, answer.reasons) == ("inconclusive", (f"{what}. Not reported: {named}.",))


def test_a_resync_of_parity_is_named_as_the_reason() -> None:
    """Until it is complete the claim is inconclusive, and the volume is ok without a consistency check."""
    found = raid_controller(progress=Progress(operation="resync", percent=8.3))
    busy = tuple(replace(volume, status="checking") for volume in found.volumes)
    [known] = with_redundancy([replace(found, volumes=busy)])
    answer = judged(checked_machine(known), survives=1)
    assert (answer.verdict, "resync is not complete" in answer.reasons[0]) == ("inconclusive", True)
    assert "when the resync is complete" in (answer.next_test or "")
    assert judged(checked_machine(known), volume_status="ok").reasons == ("It is ok; a resync is not complete.",)


@pytest.mark.parametrize(
    ("state", "status", "verdict"),
    [
        ("protected", "ok", "pass"),
        ("protected", "degraded", "pass"),
        ("not_caching", "ok", "pass"),
        ("not_caching", "degraded", "fail"),
        ("not_caching", "rebuilding", "fail"),
        ("unknown", "degraded", "inconclusive"),
    ],
)
def test_a_parity_volume_without_a_drive_is_safe_only_behind_a_protected_cache(
    state: str, status: str, verdict: str
) -> None:
    """A degraded RAID-6 without a protected cache has a write hole.

    If its battery is dead, it loses other data than was written.
    """
    known = behind(state)
    item = replace(known.seen.inventory.controllers[0].volumes[0], status=status)
    owner = replace(known.seen.inventory.controllers[0], volumes=(item,))
    answer = judged(checked_machine(owner), power_safe=True)
    assert answer.verdict == verdict
    assert ("write hole" in " ".join(answer.reasons)) == (state != "protected")


@pytest.mark.parametrize(
    ("state", "level", "verdict"),
    [
        ("protected", "raid5", "pass"),
        ("not_caching", "raid5", "fail"),
        ("unprotected", "raid6", "fail"),
        ("unknown", "raid6", "inconclusive"),
        ("unknown", "raid10", "pass"),
        ("unknown", "unknown", "inconclusive"),
    ],
)
def test_the_write_hole_is_closed_by_a_protected_cache(state: str, level: str, verdict: str) -> None:
    """Only a cache that is reported as protected closes the write hole. Levels without parity have none."""
    assert judged(behind(state, level=level), no_write_hole=True).verdict == verdict


def test_md_closes_the_write_hole_with_a_journal_or_a_parity_log(answers: Answers) -> None:
    """A journal closes the write hole, a bitmap does not. After a crash a bitmap only shortens the resync."""
    found = answers("md-journal-check", "--no-write-hole")
    assert found["md:md126", "no_write_hole"]["verdict"] == "pass"
    assert answers("md-healthy", "--no-write-hole")["md:md1", "no_write_hole"]["verdict"] == "fail"


def test_no_protected_cache_closes_the_write_hole_over_a_bad_battery() -> None:
    """A cache that is reported as protected, with a failed battery, is suspect."""
    bad = Battery(id="acme:0/battery0", kind="battery", status="failed")
    assert judged(checked_machine(raid_controller(battery=bad)), no_write_hole=True).verdict == "suspect"


def test_a_journal_that_has_failed_closes_no_write_hole() -> None:
    """The policy of the array is still `journal`. A second journal that works closes it."""
    array = Array(id="md:md0/array", drives=())
    lost = Drive(id="md:md0/sdd1", array=array.id, role="failed", status="critical", status_text="faulty journal")
    good = Drive(id="md:md0/sde1", array=array.id, role="journal", status="ok")
    volume = Volume(id="md:md0", array=array.id, raid_level="raid5", status="ok", consistency_policy="journal")
    for drives, verdict in (((lost,), "fail"), ((lost, good), "pass")):
        md = Controller(id="md", mode="software", arrays=(array,), volumes=(volume,), drives=drives)
        assert judged(checked_machine(md), no_write_hole=True).verdict == verdict


def test_zfs_has_parity_and_no_write_hole(answers: Answers) -> None:
    """The reason for the pass is not a wrong fact about the level."""
    found = answers("zfs-raidz2-resilvering", "--no-write-hole")["zfs:archive", "no_write_hole"]
    assert (found["verdict"], found["reasons"]) == (
        "pass", ["A raidz2 of ZFS overwrites no stripe that is in use."]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("scrub", "at", "verdict"),
    [
        (Scrub(last_at="2026-05-20T00:00:00Z", last_result="ok"), "2026-06-01T00:00:00Z", "pass"),
        (Scrub(last_at="2026-04-01T00:00:00Z", last_result="ok"), "2026-06-01T00:00:00Z", "fail"),
        (Scrub(last_at="2026-05-20T00:00:00Z", last_result="failed"), "2026-06-01T00:00:00Z", "fail"),
        (Scrub(last_result="unfinished"), "2026-06-01T00:00:00Z", "inconclusive"),
        (Scrub(last_at="2026-06-01T11:00:00Z", last_result="ok"), "2026-06-01T00:00:00Z", "pass"),
        (Scrub(last_at="2026-07-20T00:00:00Z", last_result="ok"), "2026-06-01T00:00:00Z", "inconclusive"),
        (Scrub(last_at="2026-05-20T00:00:00Z", last_result="ok"), None, "inconclusive"),
        (Scrub(mode="automatic"), "2026-06-01T00:00:00Z", "inconclusive"),
        (None, "2026-06-01T00:00:00Z", "inconclusive"),
    ],
)
def test_a_check_counts_when_it_ended_and_when_that_is_known(scrub: Scrub | None, at: str | None, verdict: str) -> None:
    """Neither a schedule nor a stopped check is a check. Without a date, or with one in the future, nothing passes."""
    assert judged(checked(scrub, at), checked_within="30d").verdict == verdict


@pytest.mark.parametrize(("words", "code"), [(("--checked-within", "4d"), 0), (("--checked-within", "1d"), 1),
                                             (("--checked-within", "1w"), 0), (("--checked-within", "soon"), 2),
                                             (("--survives", "-1"), 2)])  # fmt: skip
def test_days_and_weeks_are_understood(verify: Verify, words: tuple[str, str], code: int) -> None:
    """The record of the check on md-healthy is three days old."""
    assert verify("md-healthy", *words).exit_code == code


def test_a_size_within_the_tolerance_names_the_tolerance() -> None:
    """7.96 TB pass for 8 TB. The answer shows how much is missing and why that passes."""
    [reason] = judged(checked_machine(raid_controller(size=7_960_000_000_000)), min_size="8TB").reasons
    assert "0.5% less than 8TB: within the tolerance of 1%" in reason
    [reason] = judged(checked_machine(raid_controller()), min_size="8TB").reasons
    assert "tolerance" not in reason


def counted(figures: dict[str, dict[str, Spread]]) -> Session:
    """A session whose trials gave these figures on a hard drive."""
    results = [TrialResult(trial=name, figures=found, engine="portable") for name, found in figures.items()]
    turning = TrialResult(trial="medium", figures={}, engine="portable", series={"medium": "rotating"})
    return Session(
        profile="verify",
        target="/srv/f",
        kind="file",
        size=8 << 30,
        results=(turning, *results),
        seconds=12.0,
        written=1,
    )


def test_commits_that_were_counted_and_too_few_are_not_called_unmeasured() -> None:
    """The answer has their number, and the command that measures longer."""
    few = {"commits": {"commits": Spread(measured=None, unit="ops/s", n=7)}}
    answer = answered(behind("not_caching"), counted(few), power_safe=True)
    text = f"{answer.reasons} {answer.next_test}"
    assert "Only 7 commits were counted" in text
    assert "not measured" not in text
    assert "raidctl verify --measure --power-safe --seconds 60 /srv" in text


def test_a_slope_around_zero_is_no_measurable_difference() -> None:
    """A slope interval that contains zero shows no measurable difference."""
    slope = {"flush_slope": {"flush_slope": Spread(measured=0.01, unit="ms/MiB", n=40, low=-0.2, high=0.3)}}
    answer = answered(behind("not_caching"), counted(slope), power_safe=True)
    [line] = [one.statement for one in answer.evidence if one.source == "measurement"]
    assert line.startswith("the time of a flush does not depend measurably")
    steep = Spread(measured=8.0, unit="ms/MiB", n=40, low=7.0, high=9.0)
    answer = answered(behind("not_caching"), counted({"flush_slope": {"flush_slope": steep}}), power_safe=True)
    [line] = [one.statement for one in answer.evidence if one.source == "measurement"]
    assert line.startswith("a flush takes 8.00 ms longer")
