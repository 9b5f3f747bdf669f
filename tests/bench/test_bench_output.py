"""The screens of the benchmark."""

from __future__ import annotations

import json
import os
import pty
from contextlib import suppress

import msgspec
import pytest
from rich.console import Console
from rich.progress import Progress

from raidctl.bench.compare import compare, ratio_interval
from raidctl.bench.record import Noise
from raidctl.bench.result import Confounder, Drift, Spread, TrialResult, Verdict
from raidctl.model import Battery, Controller, Drive, Host, Inventory, Volume, VolumeCache
from raidctl.output import bench_export
from raidctl.output.bench import screen, words
from raidctl.output.bench_compare import compare_screen, list_screen
from raidctl.output.bench_curve import columns, rows
from raidctl.output.bench_progress import Bar, left
from raidctl.output.console import Display
from raidctl.units import format_figure
from tests.bench import bench_runs
from tests.bench.bench_runs import spread

WIDE = Display()
NARROW_ASCII = Display(ascii=True)


@pytest.mark.parametrize("display", [WIDE, NARROW_ASCII], ids=["utf-8", "ascii"])
def test_every_line_fits_80_columns(display: Display) -> None:
    """No line is longer than 80 columns, even with a long target."""
    long = bench_runs.session(target="/srv/" + "a-long-directory/" * 8 + "raidctl-bench-1-0a1b2c3d.tmp")
    run = bench_runs.run(session=long, label="after the firmware", id=12)
    text = screen(run, display, more=True) + compare_screen(compare(run, bench_runs.run()), display)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert text.isascii() or not display.ascii


def test_each_figure_has_its_interval_and_number() -> None:
    """Each figure has its interval and number on its line."""
    [line] = [line for line in screen(bench_runs.run(), WIDE, more=False).splitlines() if "QD16" in line]
    assert line.split() == ["seeks:", "read", "QD16", "all", "48,211", "ops/s", "47,000", "to", "49,000", "1,200"]


def test_a_measurement_that_was_too_short_has_no_figure() -> None:
    """`n/a`, which is explained, replaces the figure and its interval."""
    text = screen(bench_runs.run(), WIDE, more=False)
    [line] = [line for line in text.splitlines() if "unflushed" in line]
    assert line.split() == ["commits:", "unflushed", "n/a", "ops/s", "1,200"]
    assert "n/a: too few samples." in text


def test_a_missing_interval_is_marked() -> None:
    """With too few rounds, the interval is unknown."""
    bare = TrialResult(trial="seeks", figures={"read": spread(80.0)})
    assert "unknown" in screen(bench_runs.run(session=bench_runs.session(results=(bare,))), WIDE, more=False)


def test_colours_are_only_used_on_request() -> None:
    """Without colours, there is no escape sequence."""
    assert "\x1b" not in screen(bench_runs.run(), WIDE, more=True)
    assert "\x1b[" in screen(bench_runs.run(), Display(colour=True), more=True)


def test_foreign_texts_contain_no_escape_sequences() -> None:
    """Escape sequences in targets, labels and reasons are removed."""
    evil = "\x1b[2J[bold]\u202e"
    bad = TrialResult(trial=evil, figures={evil: spread(1.0, unit=evil)}, verdict="fail", reasons=(evil,))
    run = bench_runs.run(label=evil, host=evil, session=bench_runs.session(results=(bad,), notes=(evil,), target=evil))
    for text in (screen(run, WIDE, more=True), compare_screen(compare(run, run), WIDE)):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "[bold]" in text


def test_the_verdict_comes_with_its_reason_and_the_test_that_would_decide() -> None:
    """A verdict has its reason and the next test."""
    text = screen(bench_runs.run(), WIDE, more=False)
    assert "INCONCLUSIVE commits\n  because    It is unknown whether the medium rotates.\n" in text
    assert "to decide  Cut the power." in text


def test_reasons_against_all_figures_are_printed() -> None:
    """Drift, other load, confounders and an early end are printed."""
    drift = Drift(trial="medium", figure="reads", unit="ops/s", first=7969.4, last=10890.0, unstable=True)
    ended = bench_runs.session(drift=drift, interrupted=True)
    text = screen(bench_runs.run(session=ended, noise=Noise(processors=2, load=4.0)), WIDE, more=False)
    assert "The first test gave 10,890 ops/s at the end instead of 7,969 ops/s" in text
    assert text.index("unstable") < text.index("median")  # before the figures that it concerns
    assert "busy      The machine was busy" in text
    assert "consider  O_DIRECT is refused here." in text
    assert "Ended early" in text


def test_a_limit_that_weighs_on_a_verdict_is_printed_once() -> None:
    """The engine's limit on commits is a note and a confounder of the run. The screen shows one of them."""
    text = "commits: The engine limits this."
    both = bench_runs.session(notes=(text,), confounders=(Confounder(name="engine_limited", text=text),))
    assert screen(bench_runs.run(session=both), WIDE, more=False).count(text) == 1


def test_a_missing_figure_of_the_second_engine_has_a_reason() -> None:
    """A figure that is missing in the cross-check has a reason."""
    results = (bench_runs.trials()[1], TrialResult(trial="commits", figures={}, reasons=("fio cannot do that.",)))
    run = bench_runs.run(second=bench_runs.session(engine="fio-3.33", results=results))
    text = screen(run, WIDE, more=False)
    assert "The same with fio-3.33" in text
    assert "  commits   fio cannot do that." in text


def test_a_run_without_figures_has_a_message() -> None:
    """A message is printed instead of an empty table."""
    assert "Nothing was measured." in screen(bench_runs.run(session=bench_runs.session(results=())), WIDE, more=False)


def test_the_picture_of_a_curve_falls() -> None:
    """The first bar is the tallest, the last one half as high. The axis has both ends."""
    text = screen(bench_runs.run(), WIDE, more=False)
    picture = text[text.index("MiB/s over the span") :].splitlines()[1:10]
    assert picture[0].startswith("      230 █")
    heights = [sum(line.ljust(80)[place] != " " for line in picture[:8]) for place in (10, 40, 73)]
    assert heights == sorted(heights, reverse=True)
    assert (heights[0], heights[2]) == (8, 4)
    assert picture[8].split() == ["0", "GiB", "630", "GiB"]


def test_a_gap_in_a_curve_is_left_empty() -> None:
    """A missing value is drawn as nothing, not as 0."""
    drawn = columns([4.0, None, 4.0], WIDE)
    assert [line[10:] for line in drawn] == ["███   ███"] * 8
    assert columns([], WIDE) == columns([None], WIDE) == columns([0.0], WIDE) == []


def test_more_values_than_columns_are_merged() -> None:
    """No value is cut off at the right."""
    drawn = columns([1.0] * 500 + [2.0] * 500, WIDE)
    assert max(map(len, drawn)) == 80
    assert len(drawn[0].split()[-1]) < len(drawn[-1].split()[-1])


def test_a_histogram_shows_a_single_stall() -> None:
    """A single operation of 2000 has a bar and its count."""
    text = screen(bench_runs.run(), WIDE, more=False)
    stall = text[text.index("commits: latencies") :].split("\n\n")[0].splitlines()[-1]
    assert stall.endswith("▏ 1")
    assert float(stall.split()[0]) > 30


def test_a_histogram_loses_no_operation() -> None:
    """Merged bins keep the sum, and are few."""
    found = bench_runs.latency()
    drawn = rows(found.bins, "ms", WIDE)
    counts = [int(line.split()[-1].replace(",", "")) for line in drawn if line.split()[-1] != "ms"]
    assert sum(counts) == found.n == sum(count for _, count in found.bins)
    assert len(drawn) <= 16
    assert rows([], "ms", WIDE) == rows([(1.0, 0)], "ms", WIDE) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.01234, "0.0123"), (8.333, "8.33"), (119.5, "120"), (9954.2, "9,954"), (3e12, "3e+12")],
)
def test_figures_have_three_significant_digits(value: float, text: str) -> None:
    """A large figure has all digits before the point."""
    assert format_figure(value) == text


def test_names_of_figures_are_words() -> None:
    """Names of figures are written in words, without abbreviations."""
    assert words("seeks", "read_qd16_1g") == "seeks: read QD16 1 GiB"
    assert words("commits", "commits_8k_x32") == "commits 8 KiB 32 streams"
    assert words("flush_slope", "flush_slope") == "flush slope"


def test_time_left_is_minutes_and_seconds() -> None:
    """The time left is never negative."""
    assert left(65.2) == "1:05 left"
    assert left(-3) == "almost done"


# comparing -----------------------------------------------------------------------------------------------------------


def test_the_interval_of_a_ratio_combines_independent_errors() -> None:
    """Independent errors add as squares. Two of 10% are one of about 14%."""
    found = ratio_interval(spread(100.0, 90.0, 111.0), spread(200.0, 180.0, 222.0))
    assert found is not None
    low, high = found
    assert 180 / 111 < low < 2 * 0.9
    assert 2 * 1.11 < high < 222 / 90


def test_a_ratio_covers_the_truth_in_most_repetitions() -> None:
    """About 95% of ratios of imprecise figures include the truth."""
    import random  # noqa: PLC0415 - of this test only

    source, inside = random.Random(11), 0  # noqa: S311 - a simulation
    for _ in range(2000):
        a, b = 100 * (1 + source.gauss(0, 0.03)), 150 * (1 + source.gauss(0, 0.05))
        found = ratio_interval(
            spread(a, a * (1 - 1.96 * 0.03), a * (1 + 1.96 * 0.03)),
            spread(b, b * (1 - 1.96 * 0.05), b * (1 + 1.96 * 0.05)),
        )
        assert found is not None
        inside += found[0] <= 1.5 <= found[1]
    assert 0.93 < inside / 2000 < 0.97


def test_a_difference_needs_a_whole_interval() -> None:
    """Figures are faster, slower or equal; for times, less is faster."""
    before = {"up": spread(100.0, 99.0, 101.0), "even": spread(100.0, 90.0, 110.0), "few": spread(100.0)}
    after = {"up": spread(150.0, 149.0, 151.0), "even": spread(105.0, 95.0, 115.0), "few": spread(150.0)}
    before["wait"], after["wait"] = spread(8.0, 7.9, 8.1, "ms"), spread(4.0, 3.9, 4.1, "ms")
    one, other = (
        bench_runs.run(session=bench_runs.session(results=(TrialResult(trial="t", figures=figures),)))
        for figures in (before, after)
    )
    found = compare(one, other)
    assert [pair.change for pair in found.pairs] == ["more", "same", "unknown", "less"]
    text = compare_screen(found, WIDE)
    ends = {line.split()[1]: line.split()[-1] for line in text.splitlines() if line.strip().startswith("t:")}
    assert ends == {"up": "faster", "even": "=", "few": "?", "wait": "faster"}


@pytest.mark.parametrize("missing", [None, Spread(measured=None, unit="ops/s", n=3), spread(5.0, unit="MiB/s")])
def test_a_figure_of_one_run_only_is_not_compared(missing: Spread | None) -> None:
    """A missing figure, or one of another unit, has no ratio."""
    figures = {} if missing is None else {"x": missing}
    one = bench_runs.run(
        session=bench_runs.session(results=(TrialResult(trial="t", figures={"x": spread(5.0, 4.0, 6.0)}),))
    )
    other = bench_runs.run(session=bench_runs.session(results=(TrialResult(trial="t", figures=figures),)))
    [pair] = compare(one, other).pairs
    assert (pair.ratio, pair.change) == (None, "unknown")


def test_different_engines_are_printed_before_any_figure() -> None:
    """The order of the engines does not matter."""
    first = bench_runs.run(session=bench_runs.session(engine="uring, threads"))
    same = bench_runs.run(session=bench_runs.session(engine="threads, uring"))
    other = bench_runs.run(session=bench_runs.session(engine="portable"))
    assert compare(first, same).comparable
    found = compare(first, other)
    assert not found.comparable
    text = compare_screen(found, WIDE)
    assert text.index("The engines differ") < text.index("QD16")


def test_a_different_policy_is_printed() -> None:
    """A setting that differs is printed with the figures."""

    def machine(active: str) -> Inventory:
        cache = msgspec.convert({"write_active": active}, VolumeCache)
        controller = Controller(id="acme:0", vendor="Acme", volumes=(Volume(id="acme:0/v1", cache=cache),))
        return Inventory(host=Host(hostname="db1", source="local"), controllers=(controller,))

    found = compare(bench_runs.run(inventory=machine("write_back")), bench_runs.run(inventory=machine("write_through")))
    assert found.differences == ("acme:0/v1 write_active: write_back → write_through",)


def test_another_drive_volume_or_controller_of_the_same_place_is_a_difference() -> None:
    """An id names a place: after a swap, it is that of other hardware, and its figures are of that."""

    def machine(tag: str, level: str, strip: int) -> Inventory:
        volume = msgspec.convert(
            {"id": "acme:0/v1", "unique_id": f"naa.{tag}", "raid_level": level, "strip_bytes": strip}, Volume
        )
        drive = Drive(id="acme:0/1:2", model="Disk", serial=tag, firmware="1")
        return Inventory(
            host=Host(),
            controllers=(Controller(id="acme:0", vendor="Acme", serial=tag, volumes=(volume,), drives=(drive,)),),
        )

    one, other = machine("A", "raid5", 1 << 16), machine("B", "raid6", 1 << 18)
    assert compare(bench_runs.run(id=1, inventory=one), bench_runs.run(id=2, inventory=other)).differences == (
        "acme:0 serial: A → B",
        "acme:0/v1 unique_id: naa.A → naa.B",
        "acme:0/v1 raid_level: raid5 → raid6",
        "acme:0/v1 strip_bytes: 65536 → 262144",
        "acme:0/1:2 serial: A → B",
    )


def test_what_only_one_run_lists_is_a_difference() -> None:
    """A missing battery, and a run without an inventory, are named: they do not look like equal settings."""
    battery = Battery(id="acme:0/battery0", status="ok")
    whole = Inventory(host=Host(), controllers=(Controller(id="acme:0", vendor="Acme", batteries=(battery,)),))
    gone = Inventory(host=Host(), controllers=(Controller(id="acme:0", vendor="Acme"),))
    one, other = bench_runs.run(id=1, inventory=whole), bench_runs.run(id=2, inventory=gone)
    assert compare(one, other).differences == ("acme:0/battery0: listed → not listed",)
    assert compare(other, one).differences == ("acme:0/battery0: not listed → listed",)
    blind = bench_runs.run(id=3, inventory=None)
    assert compare(one, blind).differences == ("hardware and caches: not compared, as run 3 has no inventory",)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [("pass", "fail", ("t: pass → fail",)), ("info", "suspect", ("t: info → suspect",)), ("pass", "pass", ()),
     ("info", "inconclusive", ())],
)  # fmt: skip
def test_a_verdict_that_differs_is_named(before: Verdict, after: Verdict, found: tuple[str, ...]) -> None:
    """Blocks that no longer read back as written have no ratio: 0 before, some now. The verdict shows it."""
    figures = {"pass": 0.0, "fail": 3.0}
    one, other = (
        bench_runs.run(
            session=bench_runs.session(
                results=(TrialResult(trial="t", figures={"wrong": spread(figures.get(word, 1.0))}, verdict=word),)
            )
        )
        for word in (before, after)
    )
    assert compare(one, other).differences == found


def test_what_disturbed_one_run_only_is_a_warning() -> None:
    """A rebuild during one run is a reason not to compare; a virtual machine in both is none."""
    machine = Confounder(name="virtual_machine", text="It is a virtual machine.")
    rebuild = Confounder(name="rebuild", text="A rebuild is under way.")
    one = bench_runs.run(id=1, session=bench_runs.session(confounders=(machine,)))
    other = bench_runs.run(id=2, session=bench_runs.session(confounders=(machine, rebuild)))
    assert compare(one, other).warnings == ("Run 2 only: A rebuild is under way.",)


def test_another_machine_and_an_unstable_run_are_warnings() -> None:
    """Each has one sentence."""
    shaky = bench_runs.session(drift=Drift(trial="a", figure="b", first=1.0, last=2.0, unstable=True), size=1 << 34)
    found = compare(bench_runs.run(id=1), bench_runs.run(id=2, host="db2", session=shaky))
    assert len(found.warnings) == 3
    assert "Run 2 was unstable" in found.warnings[2]


@pytest.mark.parametrize(("first", "second"), [(None, None), ("db1", None), (None, "db1"), ("", "")])
def test_runs_of_unknown_machines_have_a_warning(first: str | None, second: str | None) -> None:
    """That a machine's name is unknown is not evidence of the same or of another machine."""
    found = compare(bench_runs.run(id=1, host=first), bench_runs.run(id=2, host=second))
    [warning] = found.warnings
    assert warning.startswith("Whether they are of one machine is unknown")


def test_a_run_compared_with_itself_has_no_difference() -> None:
    """A warning reports that it is the same run. The run's other warnings appear once."""
    busy = Noise(processors=2, load=4.0)
    found = compare(bench_runs.run(id=1, noise=busy), bench_runs.run(id=1, noise=busy))
    assert (found.differences, found.comparable) == ((), True)
    assert found.warnings[0].startswith("Run 1 is compared with itself")
    assert [text[:6] for text in found.warnings] == ["Run 1 ", "Run 1:"]
    assert {pair.change for pair in found.pairs} == {"same", "unknown"}


def test_two_equal_runs_have_separate_warnings() -> None:
    """Two equal runs are not reported as the same run."""
    busy = Noise(processors=2, load=4.0)
    found = compare(bench_runs.run(id=1, noise=busy), bench_runs.run(id=2, noise=busy))
    assert [text[:6] for text in found.warnings] == ["Run 1:", "Run 2:"]


def test_an_empty_list_names_the_command_that_measures() -> None:
    """An empty list has the command that measures."""
    assert "raidctl bench run" in list_screen([], WIDE)


# for other programs --------------------------------------------------------------------------------------------------


def test_a_line_of_json_is_the_run() -> None:
    """A run is one ASCII line that decodes to the same run."""
    run = bench_runs.run(label="Prüfstand\x7f\x1b")
    line = bench_export.line(run)
    assert line.isascii()
    assert line.count("\n") == 1
    assert line[:-1].isprintable()
    assert msgspec.json.decode(line, type=type(run)) == run
    assert json.loads(line)["schema_version"] == "1"


def test_a_curve_is_three_columns_of_numbers() -> None:
    """The curve has zcav's header, and the time for 512 MiB."""
    text = bench_export.zcav(bench_runs.run())
    assert text is not None
    lines = text.splitlines()
    assert lines[1] == "#block offset (GiB), MiB/s, time"
    found = [tuple(map(float, line.split())) for line in lines if not line.startswith("#")]
    assert len(found) == 64
    assert found[0] == (0.0, 230.0, 2.226)
    assert all(len(row) == 3 and abs(row[1] * row[2] - 512) < 1 for row in found)


def test_a_run_without_a_curve_has_none_to_export() -> None:
    """A missing series, or one of an unknown form, has no curve."""
    for series in ({}, {"gib_mib_s_deviation": "none"}, {"gib_mib_s_deviation": [["a", "b"], [1]]}):
        odd = TrialResult(trial="zcav", figures={}, series=series)
        assert bench_export.zcav(bench_runs.run(session=bench_runs.session(results=(odd,)))) is None


def test_a_confounder_is_printed_once() -> None:
    """A repeated confounder is printed once for the whole run."""
    twice = Confounder(name="page_cache", text="O_DIRECT is refused here.", forbids=True)
    text = screen(bench_runs.run(session=bench_runs.session(confounders=(twice, twice))), WIDE, more=False)
    assert text.count("O_DIRECT is refused here.") == 1


def test_a_closed_terminal_does_not_block_the_undo() -> None:
    """Hiding and showing the bar on a closed terminal raises no error."""
    terminal, screen_ = pty.openpty()
    done = []
    with suppress(OSError), os.fdopen(screen_, "w") as file:  # what was not drawn cannot be drawn at the end either
        console = Console(file=file, force_terminal=True)
        with Progress(console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as drawn:
            bar = Bar(drawn)
            bar.update("commits", 1.0, 2.0)
            os.close(terminal)
            with bar.hidden():
                done.append("put back")
            done.append("ended")
    assert done == ["put back", "ended"]
