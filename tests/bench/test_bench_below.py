"""Facts about the devices below a target, and trials' conclusions from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from raidctl.bench.model.device import Plan
from raidctl.bench.result import Confounder, Spread, TrialResult
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.evidence import evidence
from raidctl.bench.trials.knee import Knee
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.policy_switch import State
from raidctl.bench.trials.readahead import ReadAhead
from raidctl.bench.trials.readcache import ReadCache
from raidctl.bench.trials.seeks import Seeks
from raidctl.bench.trials.sequential import Sequential, networked
from raidctl.bench.trials.trial import GIB, KIB, MIB, Below, Bench, whole
from raidctl.bench.trials.zcav import Zcav
from raidctl.cli.bench._switch import ControllerReadAhead, controller_read_ahead, put_back_or_report, switching
from raidctl.cli.shared.below_target import below
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.switcher import Switcher
from raidctl.errors import BenchError, CannotTell, ChangeNotUndone, ChangeUndone, RaidctlError
from raidctl.layers.scope import scope
from raidctl.verify.measurements import number
from tests.bench.engine_bench import Patient
from tests.bench.virtual_clock import Stage
from tests.support.machines import FIXTURES
from tests.verify.simulated import at, seen, subject

DISKS = Plan(kind="write-through", size=8 * GIB, keep=False)
BARE = Stage(DISKS)
TURNS = {"medium": TrialResult(trial="medium", figures={}, series={"medium": "rotating"})}


def facts_of_demo(place: Path, demo: str, device: str) -> Below:
    """The facts that a simulated machine reports about a device."""
    return facts_of(at(place, demo), device)


def facts_of(settings: Settings, device: str) -> Below:
    """The facts that a machine reports about a device."""
    with machine(settings) as here:
        survey = here.survey()
        return below(scope(survey.view, survey.inventory, device), here.runner, None)


def ahead(place: Path, demo: str, device: str) -> ControllerReadAhead | str:
    """The read-ahead switch of a simulated machine's controller, or a reason. The reason is why there is none."""
    with machine(at(place, demo)) as here:
        return controller_read_ahead(at(place, demo), here, here.survey(), device)


def read_policy(place: Path, demo: str) -> str | None:
    """The read policy of the first volume."""
    volume = seen(at(place, demo)).controllers[0].volumes[0]
    return volume.cache.read_policy if volume.cache else None


def test_strip_cache_and_drive_are_known(tmp_path: Path) -> None:
    """Strip, controller cache, level and drives are as reported. Tool and kernel report them."""
    found = facts_of_demo(tmp_path, "9271", "/dev/sda")
    assert (found.strip, found.cache, found.read_percent) == (256 * KIB, GIB, None)
    assert (found.disk, found.bare, found.level, found.drives) == ("/dev/sda", True, "raid5", 6)


@pytest.mark.parametrize(("device", "drives"), [("/dev/md13", 3), ("/dev/md14", 2), ("/dev/md0", 4)])
def test_missing_drives_are_counted(tmp_path: Path, device: str, drives: int) -> None:
    """A degraded RAID-5 of three still has three drives. A spare is not counted."""
    recorded = Settings()
    recorded.replay, recorded.state_dir = str(FIXTURES / "lab-md"), str(tmp_path)
    assert facts_of(recorded, device).drives == drives


def test_the_share_for_reads_is_known(tmp_path: Path) -> None:
    """The cache share for reads is known if the controller reports it."""
    assert facts_of_demo(tmp_path, "p400", "/dev/cciss/c0d0").read_percent == 25


@pytest.mark.parametrize(("percent", "warned"), [(None, False), (25.0, False), (75.0, True)])
def test_a_large_share_of_the_cache_for_reads_is_reported(percent: float | None, *, warned: bool) -> None:
    """A share of up to 25% is usual. A larger one is reported."""
    result = whole(ReadCache(most=2 * MIB, reads=40), Stage(DISKS, Below(read_percent=percent)).bench())
    assert any("75% of its cache for reads" in reason for reason in result.reasons) is warned
    assert result.verdict == "info"


@pytest.mark.parametrize(
    ("mib_s", "name", "expected"),
    [(112.0, "network", "through the network)"), (112.0, "served", "if there is one"), (112.0, "lvm", None),
     (60.0, "network", None), (400.0, "network", None)],
)  # fmt: skip
def test_the_speed_of_a_network_is_recognised(mib_s: float, name: str, expected: str | None) -> None:
    """A speed of 1 Gbit/s Ethernet is reported as the network's. If there can be no network, it is the drive's."""
    stage = Stage(DISKS).bench(confounders=(Confounder(name=name, text=""),))
    reasons = networked([Spread(measured=mib_s, unit="MiB/s", n=9)], stage)
    assert bool(reasons) == (expected is not None)
    assert expected is None or expected in reasons[0]


@pytest.mark.parametrize(
    ("drives", "verdict", "expected"),
    [(1, "info", "from 1 data drive"), (12, "suspect", "from 12 data drives")],
)
def test_the_expected_speed_grows_with_the_data_drives(drives: int, verdict: str, expected: str) -> None:
    """One drive of the model is fast enough. As a RAID-0 of twelve, it is too slow."""
    stage = Stage(DISKS, Below(level="raid0", drives=drives)).bench(known=dict(TURNS))
    result = whole(Sequential(seconds=0.2, positions=(0.0, 0.5), depths=(4,)), stage)
    assert result.verdict == verdict, result.figures
    assert expected in (result.expected or "")


def test_seeks_have_an_expectation_for_known_rotation_speeds() -> None:
    """Only at 7200 and 15000 rpm is a seek rate expected. The rates are 79 and 182 per second."""
    expected = {}
    for rpm in (7200.0, 15000.0, 10000.0):
        stage = Stage(DISKS).bench(known=dict(TURNS), rpm=rpm)
        expected[rpm] = whole(Seeks(depths=(1,), seconds=0.1, rounds=1), stage).expected
    assert re.findall(r"about (\d+) ", f"{expected}") == ["79", "182"]
    assert expected[10000.0] is None


def test_a_file_smaller_than_the_controllers_cache_may_not_show_the_medium() -> None:
    """Below twenty times the cache, the cache may have served reads. A reason mentions this."""
    near = whole(Medium(reads=60, commits=60), Stage(DISKS, Below(cache=GIB)).bench())
    far = whole(Medium(reads=60, commits=60), Stage(DISKS, Below(cache=256 * MIB)).bench())
    assert any("may serve reads instead" in reason for reason in near.reasons)
    assert not any("may serve reads instead" in reason for reason in far.reasons)


@pytest.mark.slow
@pytest.mark.parametrize(("cache", "percent", "expected"), [
    (32 * MIB, None, "32 MiB for writes."), (64 * MIB, 50.0, "32 MiB for writes."),
    (16 * MIB, None, "this includes the drives' own caches"), (128 * MIB, None, "less than half"), (None, None, None),
])  # fmt: skip
def test_the_write_cache_is_compared_with_the_reported_one(
    cache: int | None, percent: float | None, expected: str | None
) -> None:
    """The measured 32 MiB are compared with the share for writes. A larger cache than reported has another reason."""
    plan = Plan(kind="battery", cache=32 * MIB, size=8 * GIB, keep=False)
    stage = Stage(plan, Below(cache=cache, read_percent=percent)).bench()
    result = whole(Knee(most=192 * MIB, fills=1, rest=0.0), stage)
    assert result.verdict == "info"
    assert expected is None or expected in result.reasons[-1]
    assert any("the controller has" in reason for reason in result.reasons) is (expected is not None)


@pytest.mark.parametrize(
    ("size", "piece", "blocks"), [(16 * GIB, 8 * MIB, 35), (16 * GIB, 64 * MIB, 64), (128 * MIB, 8 * MIB, 32)]
)
def test_pieces_of_the_curve_are_long_enough(size: int, piece: int, blocks: int) -> None:
    """A piece takes at least 0.3 seconds at 116 MiB/s. Pieces do not overlap."""
    stage = Stage(Plan(kind="write-through", rpm=0.0, size=size, keep=False)).bench()
    reads = whole(Zcav(positions=4, piece=piece, passes=1), stage).latency["read"].n
    assert reads / 4 == pytest.approx(blocks, abs=1)


@pytest.mark.slow
def test_commits_past_the_file_system_have_a_figure_if_the_device_can_be_opened(tmp_path: Path) -> None:
    """Flushes go to the device below. Without access to it, the other figures are still present."""
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(4096))
    figures = []
    for path in (disk, tmp_path / "missing"):
        with FileTarget(str(tmp_path), MIB) as target:
            stage = Bench(target=target, engine=Patient(), below=Below(disk=str(path)))
            figures.append(set(whole(Commits(seconds=0.1, rounds=1), stage).figures))
    assert figures == [{"commits", "commits_raw", "unflushed"}, {"commits", "unflushed"}]


def test_commits_to_a_bare_drive_are_raw() -> None:
    """Without a layer in between, the measured rate is the raw device's."""
    rate = Spread(measured=119.0, unit="ops/s", n=900, low=118.0, high=120.0)
    for raw in (True, False):
        result = TrialResult(trial="commits", figures={"commits": rate}, series={"raw": raw})
        assert (evidence({"commits": result}).commits_raw is not None) is raw


@pytest.mark.parametrize(("demo", "before", "during"), [("9271", "read_ahead", "none"), ("6805", "read_ahead", "off")])
def test_the_controllers_read_ahead_is_switched_and_restored(
    tmp_path: Path, demo: str, before: str, during: str
) -> None:
    """The controller's read-ahead is switched, and restored even after an error. The journal records that."""
    switch = ahead(tmp_path, demo, "/dev/sda")
    assert isinstance(switch, ControllerReadAhead)
    assert switch.on
    inside = []
    with suppress(BenchError), switch.other():
        inside.append(read_policy(tmp_path, demo))
        raise BenchError("in the middle")
    assert (inside, read_policy(tmp_path, demo)) == ([during], before)
    text = (tmp_path / "state" / "demo" / demo / "journal.jsonl").read_text(encoding="utf-8")
    assert '"result":"restored"' in text.replace(" ", "")


@pytest.mark.parametrize(
    ("demo", "why"), [("gen10", "the read policy of smartarray:0/v1 is unknown"), ("workstation", "no single volume")]
)
def test_a_read_ahead_that_cannot_be_switched_has_a_reason(tmp_path: Path, demo: str, why: str) -> None:
    """The reason is one of the trial's."""
    reason = ahead(tmp_path, demo, "/dev/sda")
    assert isinstance(reason, str)
    assert why in reason
    result = whole(ReadAhead(seconds=0.1, rounds=1, unswitched=reason), Stage(DISKS).bench())
    assert reason in result.reasons


def test_the_switch_of_the_read_ahead_is_announced(tmp_path: Path) -> None:
    """The announcement has the duration, both values and the command that restores."""
    switch = ahead(tmp_path, "9271", "/dev/sda")
    assert isinstance(switch, ControllerReadAhead)
    [announced] = switching([ReadAhead(switch=switch)], cache=None, ahead_of=None, controller=switch)
    assert "12 seconds the read policy of megaraid:0/v0 is none instead of read_ahead" in announced
    assert "raidctl restore" in announced


@dataclass
class Stuck:
    """A switch that fails, or that fails to restore."""

    error: RaidctlError
    back: bool
    on: bool = True
    name: str = "the controller"

    @contextmanager
    def other(self) -> Iterator[None]:
        """Fail."""
        if not self.back:
            raise self.error
        yield
        raise self.error


def test_a_refused_switch_of_the_read_ahead_is_a_reason() -> None:
    """The figures that need no switch are present."""
    result = whole(ReadAhead(seconds=0.1, rounds=1, switch=Stuck(CannotTell("It is held."), back=False)), BARE.bench())
    assert "The read-ahead of the controller was not switched: It is held." in result.reasons
    assert not any(name.startswith("controller") for name in result.figures)
    assert "gain" in result.figures


@pytest.mark.parametrize("back", [True, False])
def test_a_read_ahead_that_is_not_restored_is_an_error(*, back: bool) -> None:
    """A failed undo is an error, whatever was measured."""
    switch = Stuck(ChangeNotUndone("It could not be restored."), back=back)
    with pytest.raises(ChangeNotUndone):
        whole(ReadAhead(seconds=0.1, rounds=1, switch=switch), BARE.bench())


class Broken(Switcher):
    """A switcher whose controller cannot be restored, or was not changed."""

    error: RaidctlError = ChangeNotUndone("It could not be restored.")

    @contextmanager
    def _switched(self, state: State) -> Iterator[None]:
        del state
        yield
        raise self.error


def test_a_write_cache_that_is_not_restored_is_an_error(tmp_path: Path) -> None:
    """A failed undo of `--switch-cache` is an error. A failed change is a reason."""
    switcher = Broken(at(tmp_path), subject(at(tmp_path), "/dev/sda")[1])
    with pytest.raises(ChangeNotUndone), put_back_or_report(switcher, "write_through"):
        pass
    switcher.error = ChangeUndone("Nothing was changed.")
    with pytest.raises(BenchError, match="Nothing was changed"), put_back_or_report(switcher, "write_through"):
        pass


@pytest.mark.parametrize(
    ("value", "text"), [(-0.001, "0.00"), (-0.0, "0.00"), (-0.01, "-0.01"), (0.004, "0.00"), (-12.34, "-12.3")]
)
def test_a_number_that_rounds_to_zero_has_no_sign(value: float, text: str) -> None:
    """A small negative number is printed as zero."""
    assert number(value) == text
