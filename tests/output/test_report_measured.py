"""The sentence about a measurement at the top of the report."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from raidctl.bench.compare import compare
from raidctl.bench.record import Run
from raidctl.bench.result import Verdict
from raidctl.output.report.drawing import Drawing
from raidctl.output.report.measurements import comparison, summary
from tests.bench.bench_runs import run, session, trials
from tests.support.example_pages import measured

HOST = run().host


def judged(*verdicts: Verdict, doubted: bool = False) -> Run:
    """A run whose tests have these verdicts."""
    results = tuple(replace(one, verdict=verdict) for one, verdict in zip(trials(), verdicts, strict=False))
    plain = session(results=results)
    return run(session=plain if doubted else replace(plain, confounders=()))


@pytest.mark.parametrize(
    ("verdicts", "level", "text"),
    [
        (("pass", "pass"), "good", "2 tests pass (commits, seeks)."),
        (("pass", "fail"), "bad", "1 test fails (seeks); 1 test passes (commits)."),
        (("suspect", "inconclusive"), "bad", "1 test is suspect (commits); 1 test is inconclusive (seeks)."),
        (("inconclusive", "pass"), "warn", "1 test is inconclusive (commits); 1 test passes (seeks)."),
        (("info", "info"), "warn", "no test gave a verdict."),
    ],
)
def test_the_worst_verdict_comes_first(verdicts: tuple[Verdict, ...], level: str, text: str) -> None:
    """It also gives the sentence its colour. A run without a verdict is not good."""
    found = summary(judged(*verdicts), HOST)
    assert found.level == level
    assert found.text.endswith(f": {text}")


def test_what_passes_with_doubts_is_not_good() -> None:
    """The reasons are before the figures, further down."""
    found = summary(judged("pass", "pass", doubted=True), HOST)
    assert found.level == "warn"
    assert found.text.endswith("There are reasons to doubt the figures.")


def test_a_run_of_another_machine_is_not_green() -> None:
    """The top of a report ignores the figures of another machine. They do not count as those of this one."""
    one = replace(judged("pass"), host="elsewhere")
    assert "It was measured on elsewhere, not on here." in summary(one, "here").text
    assert summary(one, "here").level != "good"
    assert "elsewhere" not in summary(one, "elsewhere").text


@pytest.mark.parametrize(("host", "hostname"), [(None, "here"), ("here", None), ("", "here"), (None, None)])
def test_a_run_of_an_unknown_machine_is_not_green(host: str | None, hostname: str | None) -> None:
    """Without both names, it is unknown whether the run was measured on this machine, which is shown."""
    found = summary(replace(judged("pass"), host=host), hostname)
    assert found.level == "warn"
    assert found.text.endswith("Whether it was measured on this machine is unknown.")


def test_the_top_reports_whether_the_second_run_is_slower() -> None:
    """The top names the tests that became slower. That two runs were compared is not enough."""
    slower = comparison(compare(measured("before", 1.0), measured("after", 0.25)))
    assert slower.level == "warn"
    assert "The second run against the first: slower in 3 figures (commits, seeks" in slower.text
    same = comparison(compare(measured("before", 1.0), measured("after", 1.0)))
    assert same.level == "plain"
    assert "slower" not in same.text
    assert "no certain difference in 3 figures" in same.text


def test_a_difference_without_an_interval_is_not_called_none() -> None:
    """Too few measurements do not prove that nothing has changed."""
    one = measured("before", 1.0)
    bare = [
        replace(each, figures={name: replace(figure, low=None, high=None) for name, figure in each.figures.items()})
        for each in measured("after", 0.25).session.results
    ]
    found = comparison(compare(one, replace(one, session=replace(one.session, results=tuple(bare)))))
    assert "too few measurements to tell in 3 figures" in found.text
    assert "no certain difference" not in found.text


def test_rates_of_less_than_a_decade_have_a_scale() -> None:
    """Bars without a figure on their axis mean nothing."""
    drawn = Drawing.bars("Commits", "", [("unflushed", 3489.0), ("commits", 3646.0)], None)
    assert ">2,000<" in drawn
    assert ">5,000<" in drawn


def test_the_name_of_a_mark_is_not_over_the_axis() -> None:
    """The name of a mark is not over the axis.

    The median of a latency is often far left, where the figures of the axis are.
    """
    bins = [(0.05, 100), (0.06, 9)]
    drawn = Drawing.histogram("Latency", "", bins, [("p50", 0.05), ("worst", 50.0)])
    assert re.search(r'<text[^>]*class="start"[^>]*>p50<', drawn)
    assert re.search(r'<text[^>]*class="end"[^>]*>worst<', drawn)
