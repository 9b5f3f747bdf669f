"""Measured figures beside reported values: sizes of caches, RAID levels, rpm."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from raidctl.bench.faulty import TargetFailed
from raidctl.bench.result import Confounder, Session, Spread, TrialResult
from raidctl.bench.session import target_failed
from raidctl.bench.verdict.early_acknowledgement import Finding
from raidctl.model import Host, VolumeCache
from raidctl.verify.measured import joined, unknown_target
from raidctl.verify.measurements import Measurements
from raidctl.verify.report import Verification, overall
from raidctl.verify.wanted import claims
from tests.verify.checked_machines import checked_machine, plain_drive, raid_controller
from tests.verify.measuring import answered, unknown_server


def session(trial: str, figures: dict[str, tuple[float, float, float]], **more: Any) -> Session:
    """One trial with these figures: measured, low, high."""
    found = {name: Spread(measured=one[0], unit="x", n=900, low=one[1], high=one[2]) for name, one in figures.items()}
    result = TrialResult(trial=trial, figures=found, engine="portable", **more)
    return Session(profile="verify", target="/srv/f", kind="file", size=8 << 30, results=(result,), written=1)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (350, 400, "pass"),
        (260, 280, "pass"),
        (150, 190, "fail"),
        (200, 240, "suspect"),
        (900, 950, "pass"),
    ],
)
def test_the_knee_is_compared_with_the_share_for_writes(low: float, high: float, verdict: str) -> None:
    """The knee is compared with the share for writes.

    Of 512 MiB three quarters are for writes: 0.7 to 1.05 times 384 MiB pass, below half fails.
    """
    knee = session("knee", {"write_cache": ((low + high) / 2, low, high)})
    answer = answered(checked_machine(raid_controller()), knee, cache_size="512MiB")
    assert answer.verdict == verdict
    [line] = [one for one in answer.evidence if one.source == "measurement"]
    assert line.figure is not None
    assert (line.figure.low, line.engine) == (low, "portable")


def test_a_knee_on_both_sides_of_the_limit_confirms_no_size() -> None:
    """A cache whose size is not reported is not confirmed by an interval that reaches far below the claim."""
    for low, verdict in ((100, "inconclusive"), (360, "pass")):
        knee = session("knee", {"write_cache": (380, low, 400)})
        machine = msgspec.structs.replace(raid_controller(), cache=None)
        assert answered(checked_machine(machine), knee, cache_size="512MiB").verdict == verdict


@pytest.mark.parametrize(("drives", "sure"), [("disabled", True), ("enabled", False), (None, False)])
def test_whose_cache_was_measured_is_known_where_those_of_the_drives_are_off(drives: str | None, sure: bool) -> None:
    """A cache of the promised size may be that of the drives. Drives whose caches are off rule that out."""
    knee = session("knee", {"write_cache": (380, 370, 390)})
    back = VolumeCache(write_policy="protected_write_back", write_active="write_back", controller_cache="protected")
    answer = answered(
        checked_machine(raid_controller(volume_cache=back, drive_cache=drives)), knee, cache_size="512MiB"
    )
    assert any("does not show whether that is the cache of" in one for one in answer.reasons) is not sure
    assert ("the write caches of the drives: they are off" in answer.ruled_out) is sure


def test_a_small_knee_while_something_else_uses_the_cache_proves_nothing() -> None:
    """What slows a device or fills its cache is not a cache fault."""
    knee = session("knee", {"write_cache": (170, 150, 190)})
    busy = Confounder(name="load", text="/dev/sda was at work.")
    answer = answered(
        checked_machine(raid_controller()), msgspec.structs.replace(knee, confounders=(busy,)), cache_size="512MiB"
    )
    assert answer.verdict == "pass"
    assert any("The measurement is inconclusive" in one for one in answer.reasons)


def test_in_write_through_the_size_does_not_show() -> None:
    """In write-through no knee is that of the cache. No write waits in it."""
    through = VolumeCache(write_policy="write_through", write_active="write_through", controller_cache="not_caching")
    knee = session("knee", {"write_cache": (17, 15, 19)})
    assert answered(checked_machine(raid_controller(volume_cache=through)), knee, cache_size="512MiB").verdict == "pass"


@pytest.mark.parametrize(
    ("levels", "reported", "verdict"),
    [
        (["raid6"], "pass", "pass"),
        (["raid5", "raid6"], "inconclusive", "pass"),
        (["raid0"], "suspect", "suspect"),
        (["raid0"], "fail", "fail"),
        ([], "inconclusive", "pass"),
    ],
)
def test_a_level_that_figures_contradict_is_not_passed(levels: list[str], reported: str, verdict: str) -> None:
    """A level that figures contradict is not passed.

    The tool reports raid6: a contradicting cost is a hint, a contradicting layout fails; a set is neither.
    """
    cost = session(
        "raid_level", {"write_cost": (5, 4, 6)}, verdict=reported, series={"levels": levels}, reasons=("So.",)
    )
    answer = answered(checked_machine(raid_controller()), cost, raid_level="raid6")
    assert answer.verdict == verdict


@pytest.mark.parametrize(
    ("wanted", "verdict"),
    [
        ({"media": "hdd"}, "pass"),
        ({"media": "ssd"}, "fail"),
        ({"drive_rpm": 15000}, "pass"),
        ({"drive_rpm": 7200}, "fail"),
        ({"raid_level": "raid6"}, "pass"),
        ({"raid_level": "raid0"}, "fail"),
        ({"cache_size": "2GiB"}, "fail"),
    ],
)
def test_no_figure_decides_where_measurements_show_nothing(wanted: dict[str, object], verdict: str) -> None:
    """A figure proves nothing in a virtual machine, whose host may cache everything."""
    one = Spread(measured=15000, unit="rpm", n=900, low=14990, high=15010)
    medium = TrialResult(trial="medium", figures={"rpm": one}, series={"medium": "rotating"}, engine="portable")
    [cost] = session("raid_level", {"write_cost": (5, 4, 6)}, series={"levels": ["raid6"]}, verdict="fail").results
    knee = session("knee", {"write_cache": (380, 370, 390)})
    asked = claims(wanted)
    for beside, expected in (
        ((), verdict),
        ((Confounder(name="virtual_machine", text="It is a virtual machine.", forbids=True),), "inconclusive"),
    ):
        found = msgspec.structs.replace(knee, results=(*knee.results, medium, cost), confounders=beside)
        answers = tuple(unknown_target(asked, "nbd", "It is not known.", served=True))
        report = Verification(host=Host(hostname="m"), verdict=overall(answers), answers=answers)
        [answer] = joined(report, asked, unknown_server(found)).answers
        assert answer.verdict == expected


@pytest.mark.parametrize("case", ["unknown cache", "contradiction"])
def test_a_pass_by_settings_is_suspect_if_commits_show_a_hidden_cache(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All settings show that nothing caches writes, and the measurement shows that something does."""
    found = Finding(verdict="inconclusive", reasons=("A cache accepts them.",), case=case)
    monkeypatch.setattr(Measurements, "finding", lambda _measurements, _promise="durable": found)
    for drives, verdict in (("disabled", "suspect"), (None, "inconclusive")):
        through = VolumeCache(write_policy="write_through", write_active="write_through",
                              controller_cache="not_caching", drive_write_cache=drives)  # type: ignore[arg-type]  # fmt: skip
        known = checked_machine(raid_controller(volume_cache=through, drive_cache=drives))
        assert answered(known, session("commits", {}), power_safe=True).verdict == verdict


@pytest.mark.parametrize(("count", "verdict"), [(1, "pass"), (2, "inconclusive"), (6, "inconclusive")])
def test_commits_of_one_block_pass_no_drive_on_which_it_is_not(count: int, verdict: str) -> None:
    """One block is on some of the drives: the caches of the others are unknown if nothing reports them."""
    parts = (
        session("medium", {"rpm": (7200, 7150, 7250)}, series={"medium": "rotating"}),
        session("commits", {"commits": (118, 116, 120)}),
        session("flush_slope", {"flush_slope": (6, 5.5, 6.5)}, series={"explained": 0.97, "reading": "flushed"}),
    )
    run = msgspec.structs.replace(parts[0], results=tuple(one for part in parts for one in part.results))
    known = checked_machine(raid_controller(level="raid0", count=count, volume_cache=VolumeCache(), drive_cache=None))
    assert answered(known, run, power_safe=True).verdict == verdict


def test_operations_that_fail_contradict_a_volume_that_is_reported_as_ok() -> None:
    """Neither a good state in the tool nor a virtual machine explains an input/output error."""
    error = TargetFailed("2 of 900 operations on /dev/sdb failed: Input/output error.")
    result = target_failed(TrialResult(trial="medium", figures={}), error)
    virtual = Confounder(name="virtual_machine", text="It is a virtual machine.", forbids=True)
    run = msgspec.structs.replace(session("medium", {}), results=(result,), confounders=(virtual,))
    sound = checked_machine(raid_controller())
    assert answered(sound, session("medium", {}), volume_status="ok").verdict == "pass"
    answer = answered(sound, run, volume_status="ok")
    assert (answer.verdict, answer.reasons[0]) == ("suspect", str(error))
    assert "raidctl events" in (answer.next_test or "")


@pytest.mark.parametrize("reported", [None, "hdd"])
def test_slow_reads_of_a_busy_drive_confirm_no_hard_drive(reported: str | None) -> None:
    """Reads that are delayed by something else are slow on any medium, and do not change the drive's own report."""
    run = session("medium", {"read_latency": (6, 5, 7)}, series={"medium": "rotating"})
    known = checked_machine(plain_drive("disabled", media=reported, rpm=None))
    assert answered(known, run, media="hdd").verdict == "pass"
    busy = msgspec.structs.replace(run, confounders=(Confounder(name="load", text="/dev/sda was busy."),))
    answer = answered(known, busy, media="hdd")
    assert answer.verdict == ("pass" if reported else "inconclusive")
    assert "/dev/sda was busy." in " ".join(answer.reasons)


@pytest.mark.parametrize(
    ("medium", "reported", "verdict"),
    [("rotating", None, "pass"), ("unclear", None, "pass"), ("solid_state", None, "inconclusive"),
     ("solid_state", 7200, "pass")],
)  # fmt: skip
def test_the_pace_of_a_flush_is_no_rotation_if_reads_do_not_wait_for_one(
    medium: str, reported: int | None, verdict: str
) -> None:
    """Solid state may flush every 8.33 ms, too: its pace alone confirms no rpm."""
    figures = {"rpm": (7200.0, 7190.0, 7210.0), "read_latency": (0.1, 0.09, 0.11)}
    run = session("medium", figures, series={"medium": medium})
    known = checked_machine(plain_drive("disabled", media=None, rpm=reported))
    answer = answered(known, run, drive_rpm=7200)
    assert answer.verdict == verdict
    assert ("Random reads are too fast for a hard drive" in " ".join(answer.reasons)) is (medium == "solid_state")
