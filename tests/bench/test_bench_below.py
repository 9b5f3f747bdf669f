"""What is known of the things below a target, and what trials make of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from raidctl.bench.engines.portable import PortableEngine
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
from raidctl.cli.bench._below_target import below
from raidctl.cli.bench._switch import ControllerReadAhead, controller_read_ahead, put_back_or_report, switching
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.verify._switch import Switcher
from raidctl.errors import BenchError, CannotTell, ChangeStands, ChangeUndone, RaidctlError
from raidctl.layers.scope import scope
from raidctl.verify.clock import number
from tests.bench.computed import Stage
from tests.support.machines import FIXTURES
from tests.verify.simulated import at, seen, subject

DISKS = Plan(kind="write-through", size=8 * GIB, keep=False)
BARE = Stage(DISKS)
TURNS = {"medium": TrialResult(trial="medium", figures={}, series={"medium": "rotating"})}


def told(place: Path, demo: str, device: str) -> Below:
    """What a simulated machine tells of a device."""
    return told_of(at(place, demo), device)


def told_of(settings: Settings, device: str) -> Below:
    """What a machine tells of a device."""
    with machine(settings) as here:
        survey = here.survey()
        return below(scope(survey.view, survey.inventory, device), here.runner, None)


def ahead(place: Path, demo: str, device: str) -> ControllerReadAhead | str:
    """What switches the read-ahead of a simulated machine's controller."""
    with machine(at(place, demo)) as here:
        return controller_read_ahead(at(place, demo), here, here.survey(), device)


def read_policy(place: Path, demo: str) -> str | None:
    """Of the first volume."""
    volume = seen(at(place, demo)).controllers[0].volumes[0]
    return volume.cache.read_policy if volume.cache else None


def test_strip_cache_and_disk_are_told(tmp_path: Path) -> None:
    """The strip of the volume, the controller's cache, and that no layer lies between, as the tool and kernel tell."""
    found = told(tmp_path, "9271", "/dev/sda")
    assert (found.strip, found.cache, found.read_percent) == (256 * KIB, GIB, None)
    assert (found.disk, found.bare, found.level, found.drives) == ("/dev/sda", True, "raid5", 6)


@pytest.mark.parametrize(("device", "drives"), [("/dev/md13", 3), ("/dev/md14", 2), ("/dev/md0", 4)])
def test_drives_that_are_gone_are_counted(tmp_path: Path, device: str, drives: int) -> None:
    """A RAID-5 of three that works without one is no RAID-0 of two, and a spare is no member."""
    recorded = Settings()
    recorded.replay, recorded.state_dir = str(FIXTURES / "lab-md"), str(tmp_path)
    assert told_of(recorded, device).drives == drives


def test_the_share_for_reads_is_told(tmp_path: Path) -> None:
    """A controller that keeps a quarter for reads says so."""
    assert told(tmp_path, "p400", "/dev/cciss/c0d0").read_percent == 25


@pytest.mark.parametrize(("percent", "warned"), [(None, False), (25.0, False), (75.0, True)])
def test_much_of_the_cache_for_reads_is_warned_of(percent: float | None, *, warned: bool) -> None:
    """Up to a quarter is usual; more is taken from the writes."""
    result = whole(ReadCache(most=2 * MIB, reads=40), Stage(DISKS, Below(read_percent=percent)).bench())
    assert any("75 % of its cache for reads" in reason for reason in result.reasons) is warned
    assert result.verdict == "info"


@pytest.mark.parametrize(
    ("mib_s", "name", "said"),
    [(112.0, "network", "through the network)"), (112.0, "served", "if there is one"), (112.0, "lvm", None),
     (60.0, "network", None), (400.0, "network", None)],
)  # fmt: skip
def test_the_speed_of_a_network_is_recognised(mib_s: float, name: str, said: str | None) -> None:
    """What Ethernet of 1 Gbit/s lets through is its speed where a network may lie between, and else any disk's."""
    stage = Stage(DISKS).bench(confounders=(Confounder(name=name, text=""),))
    reasons = networked([Spread(measured=mib_s, unit="MiB/s", n=9)], stage)
    assert bool(reasons) == (said is not None)
    assert said is None or said in reasons[0]


@pytest.mark.parametrize(
    ("drives", "verdict", "said"),
    [(1, "info", "from 1 data drive"), (12, "suspect", "from 12 data drives")],
)
def test_drives_that_hold_data_read_at_least_what_good_ones_do(drives: int, verdict: str, said: str) -> None:
    """One disk of the model reads more than 50 MB/s; as a RAID-0 of twelve it is too slow."""
    stage = Stage(DISKS, Below(level="raid0", drives=drives)).bench(known=dict(TURNS))
    result = whole(Sequential(seconds=0.2, positions=(0.0, 0.5), depths=(4,)), stage)
    assert result.verdict == verdict, result.figures
    assert said in (result.expected or "")


def test_seeks_have_an_expectation_where_the_speed_is_told() -> None:
    """79 a second at 7200 rpm, 182 at 15000, nothing elsewhere."""
    said = {}
    for rpm in (7200.0, 15000.0, 10000.0):
        stage = Stage(DISKS).bench(known=dict(TURNS), rpm=rpm)
        said[rpm] = whole(Seeks(depths=(1,), seconds=0.1, rounds=1), stage).expected
    assert re.findall(r"about (\d+) ", f"{said}") == ["79", "182"]
    assert said[10000.0] is None


def test_a_file_that_fits_into_the_controllers_cache_may_not_tell_the_medium() -> None:
    """Less than twenty times the cache: it is said that the cache may have answered."""
    near = whole(Medium(reads=60, commits=60), Stage(DISKS, Below(cache=GIB)).bench())
    far = whole(Medium(reads=60, commits=60), Stage(DISKS, Below(cache=256 * MIB)).bench())
    assert any("may serve reads instead" in reason for reason in near.reasons)
    assert not any("may serve reads instead" in reason for reason in far.reasons)


@pytest.mark.slow
@pytest.mark.parametrize(("cache", "percent", "said"), [
    (32 * MIB, None, "32 MiB for writes."), (64 * MIB, 50.0, "32 MiB for writes."),
    (16 * MIB, None, "count among it"), (128 * MIB, None, "less than half"), (None, None, None),
])  # fmt: skip
def test_the_write_cache_is_held_against_what_the_controller_tells(
    cache: int | None, percent: float | None, said: str | None
) -> None:
    """32 MiB are found; a share for reads is not for writes; more than there is cannot be its cache alone."""
    plan = Plan(kind="battery", cache=32 * MIB, size=8 * GIB, keep=False)
    stage = Stage(plan, Below(cache=cache, read_percent=percent)).bench()
    result = whole(Knee(most=192 * MIB, fills=1, rest=0.0), stage)
    assert result.verdict == "info"
    assert said is None or said in result.reasons[-1]
    assert any("the controller has" in reason for reason in result.reasons) is (said is not None)


@pytest.mark.parametrize(
    ("size", "piece", "blocks"), [(16 * GIB, 8 * MIB, 35), (16 * GIB, 64 * MIB, 64), (128 * MIB, 8 * MIB, 32)]
)
def test_pieces_of_the_curve_are_read_for_long_enough(size: int, piece: int, blocks: int) -> None:
    """Three tenths of a second at 116 MiB/s are 35 MiB; a larger piece stays; no piece lies on another one."""
    stage = Stage(Plan(kind="write-through", rpm=0.0, size=size, keep=False)).bench()
    reads = whole(Zcav(positions=4, piece=piece, passes=1), stage).latency["read"].n
    assert reads / 4 == pytest.approx(blocks, abs=1)


def test_commits_past_the_file_system_have_a_figure_where_the_disk_may_be_opened(tmp_path: Path) -> None:
    """Writes go to the file and flushes to what lies below; without the right to open that, the rest is there."""
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(4096))
    figures = []
    for path in (disk, tmp_path / "missing"):
        with FileTarget(str(tmp_path), MIB) as target:
            stage = Bench(target=target, engine=PortableEngine(), below=Below(disk=str(path)))
            figures.append(set(whole(Commits(seconds=0.1, rounds=1), stage).figures))
    assert figures == [{"commits", "commits_raw", "unflushed"}, {"commits", "unflushed"}]


def test_commits_of_a_bare_disk_are_raw_by_themselves() -> None:
    """Where no layer lies between, what was measured is what the raw device does."""
    rate = Spread(measured=119.0, unit="ops/s", n=900, low=118.0, high=120.0)
    for raw in (True, False):
        result = TrialResult(trial="commits", figures={"commits": rate}, series={"raw": raw})
        assert (evidence({"commits": result}).commits_raw is not None) is raw


@pytest.mark.parametrize(("demo", "before", "during"), [("9271", "read_ahead", "none"), ("6805", "read_ahead", "off")])
def test_the_controllers_read_ahead_is_switched_and_put_back(
    tmp_path: Path, demo: str, before: str, during: str
) -> None:
    """The controller itself tells so, the journal has the story, and an error in the middle changes nothing of that."""
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
def test_a_read_ahead_that_cannot_be_switched_is_told(tmp_path: Path, demo: str, why: str) -> None:
    """One sentence says why, and the trial passes it on."""
    said = ahead(tmp_path, demo, "/dev/sda")
    assert isinstance(said, str)
    assert why in said
    result = whole(ReadAhead(seconds=0.1, rounds=1, unswitched=said), Stage(DISKS).bench())
    assert said in result.reasons


def test_the_switch_is_announced(tmp_path: Path) -> None:
    """For how long, from what to what, and how it is put back."""
    switch = ahead(tmp_path, "9271", "/dev/sda")
    assert isinstance(switch, ControllerReadAhead)
    [said] = switching([ReadAhead(switch=switch)], cache=None, ahead_of=None, controller=switch)
    assert "12 seconds the read policy of megaraid:0/v0 is none instead of read_ahead" in said
    assert "raidctl restore" in said


@dataclass
class Stuck:
    """A switch that fails: on the way there, or on the way back."""

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


def test_a_read_ahead_that_is_refused_is_a_reason_and_no_figure() -> None:
    """The rest of the result is there."""
    result = whole(ReadAhead(seconds=0.1, rounds=1, switch=Stuck(CannotTell("It is held."), back=False)), BARE.bench())
    assert "The read-ahead of the controller was not switched: It is held." in result.reasons
    assert not any(name.startswith("controller") for name in result.figures)
    assert "gain" in result.figures


@pytest.mark.parametrize("back", [True, False])
def test_a_read_ahead_that_is_not_put_back_is_an_error(*, back: bool) -> None:
    """No figure is worth hiding that the controller is left as nobody wants it."""
    switch = Stuck(ChangeStands("It could not be put back."), back=back)
    with pytest.raises(ChangeStands):
        whole(ReadAhead(seconds=0.1, rounds=1, switch=switch), BARE.bench())


class Broken(Switcher):
    """Of a controller that does not go back, or was not changed at all."""

    error: RaidctlError = ChangeStands("It could not be put back.")

    @contextmanager
    def _switched(self, state: State) -> Iterator[None]:
        del state
        yield
        raise self.error


def test_a_write_cache_that_is_not_put_back_is_an_error(tmp_path: Path) -> None:
    """Of `--switch-cache` as well; what failed and was undone is a reason for the missing figure."""
    switcher = Broken(at(tmp_path), subject(at(tmp_path), "/dev/sda")[1])
    with pytest.raises(ChangeStands), put_back_or_report(switcher, "write_through"):
        pass
    switcher.error = ChangeUndone("Nothing was changed.")
    with pytest.raises(BenchError, match="Nothing was changed"), put_back_or_report(switcher, "write_through"):
        pass


@pytest.mark.parametrize(
    ("value", "said"), [(-0.001, "0.00"), (-0.0, "0.00"), (-0.01, "-0.01"), (0.004, "0.00"), (-12.34, "-12.3")]
)
def test_what_rounds_to_nothing_has_no_sign(value: float, said: str) -> None:
    """A flush that costs nothing is not told to take less than that."""
    assert number(value) == said
