"""Trials of caches, layouts and layers, on the model or real files."""

from __future__ import annotations

import errno
import json
import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.faulty import TargetFailed, failed
from raidctl.bench.mapping import ranges
from raidctl.bench.model.device import Device, Plan
from raidctl.bench.profiles import Profile, switched
from raidctl.bench.result import Spread
from raidctl.bench.session import Runner
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.trials.classic import Classic
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.layer_tax import LayerTax
from raidctl.bench.trials.phase import stream
from raidctl.bench.trials.readahead import ReadAhead
from raidctl.bench.trials.readback import ReadBack
from raidctl.bench.trials.scaling import Scaling
from raidctl.bench.trials.sequential import linked
from raidctl.bench.trials.steady import Steady
from raidctl.bench.trials.thin import Thin
from raidctl.bench.trials.timings import Timings
from raidctl.bench.trials.together import Together
from raidctl.bench.trials.trial import KIB, MIB, Below, Bench, Link, Trial, whole
from raidctl.bench.trials.views import View, buffered
from raidctl.bench.work import Op, Outcome, Target, Work
from raidctl.cli import cli
from raidctl.errors import BenchError
from raidctl.output.bench import screen
from raidctl.output.console import Display
from tests.bench import bench_runs
from tests.bench.engine_bench import Patient
from tests.bench.served_model import serving
from tests.bench.virtual_clock import Computed, Modelled, beside

FLASH = ("--kind", "write-through", "--rpm", "0")


def on_file(folder: Path, size: int = 8 * MIB) -> FileTarget:
    """A file of raidctl."""
    return FileTarget(str(folder), size, run_id=7)


def model(**plan: Any) -> Modelled:
    """A model of flash with a separate clock."""
    return Modelled(Device(Plan(**{"kind": "write-through", "rpm": 0.0, "size": 64 * MIB, "keep": False, **plan})))


def staged(target: Target, **given: Any) -> Bench:
    """A bench with the same places in every run. Times of a file are computed as on flash."""
    if not isinstance(target, Modelled):
        return beside(target, **given)
    engine = Computed(target.clock)
    return Bench(target, engine, seed=7, run_id=7, clock=lambda: engine.now, sleep=target.clock.rest, **given)


@pytest.mark.parametrize("shared", [False, True])
def test_drives_that_share_something_are_slower_together(shared: bool) -> None:
    """Two drives reach nearly their sum. Two paths to one drive reach half of that, and the trial fails."""
    first, second = (model(rpm=7200.0, size=16 << 30) for _ in range(2))
    trial = Together(others=(first.past() if shared else second,), seconds=0.25, size=256 * KIB, depth=2)
    result = whole(trial, staged(first))
    ratio = result.figures["together_ratio"]
    assert ratio.high is not None
    assert (result.verdict == "fail") is shared, ratio
    assert (ratio.high < 0.8) is shared


def test_three_drives_are_compared_in_pairs_and_all_at_once(tmp_path: Path) -> None:
    """Each pair has its figure, and so have all together."""
    with on_file(tmp_path) as one, on_file(tmp_path) as two, on_file(tmp_path) as three:
        result = whole(Together(others=(two, three), seconds=0.4, rounds=1, size=64 * KIB), staged(one))
    ratios = [name for name in result.figures if name.endswith("_ratio")]
    assert ratios == ["pair_1_2_ratio", "pair_1_3_ratio", "pair_2_3_ratio", "all_ratio"]


@dataclass
class Failing(PortableEngine):
    """An engine on which the last read, or each one, of a target fails."""

    broken: str = ""
    each: bool = False

    def run(self, target: Target, work: Work) -> Outcome:
        """Run the work, unless no operation may succeed."""
        if target.name != self.broken:
            return super().run(target, work)
        if self.each:
            raise failed(f"No operation on {target.name} succeeded", errno.ENODATA)
        outcome = super().run(target, work)
        outcome.samples[0].results[-1] = -errno.ENODATA
        return outcome


@pytest.mark.parametrize("each", [False, True])
def test_the_drive_whose_reads_fail_is_named(tmp_path: Path, each: bool) -> None:
    """Reads run in other processes, which return the error; one error is enough."""
    with on_file(tmp_path) as one, on_file(tmp_path) as two:
        trial = Together(others=(two,), seconds=0.1, rounds=1, size=64 * KIB)
        with pytest.raises(TargetFailed) as caught:
            whole(trial, Bench(one, Failing(broken=two.name, each=each)))
        assert str(caught.value) == f"Reads of {two.name} failed: unreadable sector (medium error)."


@dataclass
class Recorder:
    """A setting that records its values."""

    present: int | None = 128
    name: str = "/dev/x"
    denied: bool = False
    values: list[int | None] = field(default_factory=list)

    @contextmanager
    def at(self, kib: int) -> Iterator[None]:
        """Set it for a while."""
        if self.denied:
            raise BenchError("No right to write it.")
        self.values.append(kib)
        try:
            yield
        finally:
            self.values.append(self.present)


def test_the_kernels_read_ahead_is_varied_and_restored(tmp_path: Path) -> None:
    """Values are set forwards, then backwards, with a restore after each. Each value has its figure."""
    setting = Recorder()
    with on_file(tmp_path) as target:
        result = whole(ReadAhead(seconds=0.05, rounds=2, kernel=setting), staged(target))
    assert setting.values[::2] == [0, 128, 4096, 16384, 16384, 4096, 128, 0]
    assert set(setting.values[1::2]) == {128}
    assert {"kernel_0k", "kernel_128k", "kernel_4096k", "kernel_16384k", "kernel_128k_gain"} <= set(result.figures)


class Ended(Patient):
    """The real engine; Ctrl-C is pressed before its n-th work."""

    def __init__(self, works: int) -> None:
        self.left = works

    def run(self, target: Target, work_: Work) -> Outcome:
        """Run it, or interrupt."""
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().run(target, work_)


@pytest.mark.slow
def test_an_interruption_restores_the_read_ahead(tmp_path: Path) -> None:
    """Ctrl-C within a setting restores the previous one."""
    setting = Recorder()
    with on_file(tmp_path) as target:
        # four works past the kernel, one with each setting
        stage = Bench(target=target, engine=Ended(6), seed=7, run_id=7)
        with pytest.raises(KeyboardInterrupt):
            whole(ReadAhead(seconds=0.2, rounds=2, kernel=setting), stage)
    assert setting.values == [0, 128, 128, 128, 4096, 128]


def test_without_permission_the_current_read_ahead_is_measured(tmp_path: Path) -> None:
    """The current setting has its figure. The reason for the missing figures is given."""
    setting = Recorder(denied=True)
    with on_file(tmp_path) as target:
        result = whole(ReadAhead(seconds=0.6, rounds=1, kernel=setting), staged(target))
    assert "kernel_128k" in result.figures
    assert "kernel_0k" not in result.figures
    assert any("No right to write it." in reason for reason in result.reasons)


def test_a_buffered_view_is_read_only(tmp_path: Path) -> None:
    """A view through the page cache has the file's content. It cannot be written."""
    with on_file(tmp_path, MIB) as target, buffered(target) as view:
        written = os.open(f"/proc/self/fd/{target.fileno()}", os.O_WRONLY)
        os.pwrite(written, b"a mark of this test", 0)
        os.close(written)
        assert os.pread(view.fileno(), 19, 0) == b"a mark of this test"
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.pwrite(view.fileno(), b"x", 0)


def test_without_a_mapping_nothing_is_compared(tmp_path: Path) -> None:
    """Without a mapping there is no tax. The reason for an unknown table is passed on."""
    with on_file(tmp_path, MIB) as target:
        assert "nothing to compare" in whole(LayerTax(), staged(target)).reasons[0]
        why = Below(why_no_ranges="dmsetup is not installed.")
        assert whole(LayerTax(), staged(target, below=why)).reasons == ("dmsetup is not installed.",)


def test_tables_of_mappings_are_parsed() -> None:
    """Linear and encrypted mappings have ranges; others and damaged lines are ignored."""
    table = "0 204800 linear 8:3 2048\n204800 8192 linear 8:4 0\n0 100 crypt aes-xts-plain64 :32:logon:x 0 8:3 4096\n"
    found = ranges("/dev/dm-0", table + "0 100 striped 2 128 8:3 0 8:4 0\n0 x linear 8:3 0\n0 100 linear\n", str)
    assert [(one.kind, one.path, one.start, one.length, one.first) for one in found] == [
        ("linear", "8:3", 0, 204800 * 512, 2048 * 512),
        ("linear", "8:4", 204800 * 512, 8192 * 512, 0),
        ("crypt", "8:3", 0, 100 * 512, 4096 * 512),
    ]
    assert ranges("/dev/dm-0", table, lambda _: None) == ()


def test_holes_are_counted(tmp_path: Path) -> None:
    """Half of a sparse file reads as zeros, which is counted."""
    path = tmp_path / "sparse"
    path.write_bytes(b"")
    os.truncate(path, 64 * MIB)
    handle = os.open(path, os.O_RDWR | os.O_DIRECT)
    try:
        with mmap.mmap(-1, 64 * KIB) as block:
            for at in range(0, 64 * MIB, 128 * KIB):
                block[:8] = at.to_bytes(8, "little")
                block[8:16] = b"\xa5" * 8
                os.pwritev(handle, [block], at)
        os.fsync(handle)
        view = View(name="sparse", kind="device", size=64 * MIB, alignment=4096, direct=True, base=0, handle=handle)
        result = whole(Thin(), staged(view))
    finally:
        os.close(handle)
    assert result.figures["zeros"].measured == pytest.approx(50, abs=12)


@pytest.mark.parametrize("compresses", [True, False])
def test_fast_zeros_mean_a_thin_volume(compresses: bool) -> None:
    """Unwritten places that are faster than data are marked. A model with equal speeds is not."""
    stage = staged(model(keep=True, compresses=compresses))
    half = stage.places(64 * KIB, 512, span=32 * MIB)
    stage.run(stream(Op.WRITE, half, 64 * KIB, 8))
    result = whole(Thin(), stage)
    assert (result.verdict == "suspect") is compresses
    assert [one.name for one in stage.confounders] == ["thin"] * compresses
    assert result.figures["zeros"].measured == pytest.approx(50, abs=15)


def test_lost_blocks_are_reported_by_their_content() -> None:
    """A model that stores nothing returns zeros, as the reasons report."""
    result = whole(ReadBack(most=MIB), staged(model(kind="battery")))
    assert (result.verdict, result.figures["wrong"].measured) == ("fail", 16.0)
    assert "16 of them: zeros" in result.reasons[1]


def test_a_device_is_filled_before_steady_writes() -> None:
    """A device is written once first. A file was filled when it was created."""
    stage = staged(model(size=16 * MIB))
    whole(Steady(seconds=0.1, most=5), stage)
    assert stage.written > 16 * MIB


def test_fsync_has_a_separate_figure(tmp_path: Path) -> None:
    """fsync, fdatasync and durable writes have separate figures."""
    with on_file(tmp_path, MIB) as target:
        result = whole(Commits(seconds=0.1, rounds=2, fsync=True, dsync=True), staged(target))
    assert set(result.figures) == {"unflushed", "commits", "commits_dsync", "commits_fsync"}
    assert result.latency["commits_fsync"].n > 0


class Volume(FileTarget):
    """A file in place of a device."""

    kind = "device"


@pytest.mark.parametrize("bare", [False, True])
def test_the_drive_below_a_layer_is_flushed_as_well(tmp_path: Path, *, bare: bool) -> None:
    """A mapping has a raw figure too, as it may drop flushes. A drive has one figure."""
    with Volume(str(tmp_path), MIB) as target:
        stage = staged(target, below=Below(disk=str(tmp_path), bare=bare))
        result = whole(Commits(seconds=0.1, rounds=1), stage)
    assert ("commits_raw" in result.figures) is not bare


@pytest.mark.parametrize(
    ("mib_s", "expected"), [(300.0, None), (540.0, "it is the limit"), (900.0, "a cache of this machine")]
)
def test_figures_are_compared_with_the_links(mib_s: float, expected: str | None) -> None:
    """A figure near the payload of a link is the link's. One above it comes from a cache."""
    reasons = linked([Spread(measured=mib_s, unit="MiB/s", n=9)], [Link(name="link of sda (6 Gbit/s)", mib=572.2)])
    assert bool(reasons) == (expected is not None)
    assert expected is None or expected in reasons[0]


@contextmanager
def _off(values: list[str]) -> Iterator[None]:
    values.append("off")
    try:
        yield
    finally:
        values.append("on")


def test_the_disabled_write_cache_is_measured_as_well(tmp_path: Path) -> None:
    """Both states have figures and a ratio, and the cache is restored."""
    values: list[str] = []
    with on_file(tmp_path) as target:
        result = whole(Classic(seconds=0.1, rounds=2, off=lambda: _off(values)), staged(target))
    assert values == ["off", "on"]
    assert {"random_write", "random_write_cache_off", "random_write_cache_off_ratio"} <= set(result.figures)


def test_a_refused_switch_leaves_the_rest_of_the_table(tmp_path: Path) -> None:
    """Without permission, the current state's figures are present, with the reason."""

    def refuse() -> AbstractContextManager[None]:
        raise BenchError("The battery is missing.")

    with on_file(tmp_path) as target:
        result = whole(Classic(seconds=0.1, rounds=2, off=refuse), staged(target))
    assert "random_write" in result.figures
    assert "random_write_cache_off" not in result.figures
    assert "The battery is missing." in result.reasons[0]


def test_timings_with_and_without_the_page_cache(tmp_path: Path) -> None:
    """All four timings of hdparm are measured on a file. Over NBD, only those without the page cache are."""
    with on_file(tmp_path) as target:
        assert set(whole(Timings(seconds=0.05, rounds=1), staged(target)).figures) == {
            "cached", "cached_direct", "disk", "disk_direct",
        }  # fmt: skip
    assert set(whole(Timings(seconds=0.05, rounds=1), staged(model())).figures) == {"cached_direct", "disk_direct"}


def test_too_short_phases_have_no_figure(tmp_path: Path) -> None:
    """Phases of a tenth of a second have no rate or ratio."""
    trials = (ReadAhead(seconds=0.02, rounds=2), Classic(seconds=0.02, rounds=2), Timings(seconds=0.02, rounds=2))
    with on_file(tmp_path) as target:
        short = Profile(name="t", title="", seconds=60, size=8 * MIB, trials=trials)
        session = Runner(staged(target), again=False).run(short)
    assert len(session.results) == 3
    assert all(one.measured is None for result in session.results for one in result.figures.values())


def test_profiles_use_the_options_that_change_a_setting() -> None:
    """The cache switch goes to the classic trial. The setting goes to the read-ahead trial, which comes last."""
    plain = Profile(name="t", title="", seconds=1, size=1, trials=(ReadAhead(rounds=3), Classic()))
    setting = Recorder()
    made = switched(plain, off=lambda: _off([]), read_ahead=setting)
    assert [(one.name, one.alone) for one in made.trials] == [("classic", True), ("readahead", True)]
    assert switched(plain).trials == plain.trials


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([".", "--also-read", "/dev/sdb"], "name a device to be measured"),
        ([".", "--switch-cache"], "--profile classic"),
        (["nbd+unix:///?socket=/x", "--switch-read-ahead"], "settings of an NBD export cannot be changed"),
        (["nbd+unix:///?socket=/x", "--also-read", "nbd+unix:///?socket=/y", "--overwrite", "all"], "use it alone"),
    ],
)
def test_options_that_exclude_each_other_are_refused(words: list[str], expected: str) -> None:
    """The message has the reason, and nothing is opened."""
    done = CliRunner().invoke(cli, ["bench", "run", "--dry-run", *words])
    assert (done.exit_code, expected in done.stderr) == (2, True), done.stderr


@pytest.mark.slow
def test_two_exports_are_measured_together(tmp_path: Path) -> None:
    """The second export is announced. The result has the engine and the ratio."""
    words = (*FLASH, "--size", "64MiB", "--no-keep")
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as one,
        tempfile.TemporaryDirectory(dir="/tmp") as two,
        serving(Path(one), *words) as first,
        serving(Path(two), *words) as second,
    ):
        uris = [f"nbd+unix:///?socket={model.socket}" for model in (first, second)]
        given = ["--also-read", uris[1], "--seconds", "1", "--no-save", "--state-dir", str(tmp_path)]
        done = CliRunner().invoke(cli, ["--json", "bench", "run", uris[0], *given])
    assert done.exit_code == 0, done.stderr
    assert f"Read at the same time: {uris[1]}" in done.stderr
    [result] = json.loads(done.stdout)["session"]["results"]
    assert (result["trial"], result["engine"]) == ("together", "portable")
    assert "together_ratio" in result["figures"]


@pytest.mark.slow
def test_the_classic_profile_prints_the_classic_tables(tmp_path: Path) -> None:
    """There are four tables within 80 columns. The option for the missing column is given."""
    with on_file(tmp_path) as target:
        short: tuple[Trial, ...] = (
            Classic(seconds=0.6, rounds=1),
            Timings(seconds=0.2, rounds=1),
            Commits(seconds=0.2, rounds=1),
            Scaling(depths=(1, 2), streams=(1, 2), seconds=0.2, rounds=1, size=16 * KIB, block=16 * KIB),
        )
        classic = Profile(name="classic", title="", seconds=60, size=8 * MIB, trials=short)
        session = Runner(staged(target), again=False).run(classic)
    text = screen(bench_runs.run(session=session), Display(width=80), more=False)
    for words in ("8 KiB blocks, one at a time", "Read timings", "in one row", "Requests per second by threads, 16"):
        assert words in text
    assert "--switch-cache measures it" in text
    assert max(map(len, text.splitlines())) <= 80
