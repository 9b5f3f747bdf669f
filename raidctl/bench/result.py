"""The result of a trial: measured figures, the model's, and the verdict.

Measured figures have an uncertainty. Field names are stable, as those of the inventory are: `raidctl schema bench`
prints them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from raidctl.described import doc

Verdict = Literal["pass", "fail", "suspect", "inconclusive", "info"]
"""`info`: a figure without a claim to compare."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A figure measured several times."""

    measured: Annotated[float | None, doc("The median; null: too few samples (`n/a`).")]
    unit: Annotated[str, doc("`ops/s`, `MiB/s`, `ms`, `ms/MiB`, `MiB`, `rpm`, `ratio` …")]
    n: Annotated[int, doc("Number of operations or rounds that it is based on.")]
    low: Annotated[float | None, doc("Lower end of the 95% interval of the median.")] = None
    high: Annotated[float | None, doc("Upper end of the 95% interval of the median.")] = None
    min: Annotated[float | None, doc("Smallest.")] = None
    max: Annotated[float | None, doc("Largest.")] = None


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Latencies of single operations, milliseconds."""

    n: Annotated[int, doc("Operations.")]
    p50: Annotated[float, doc("Median.")]
    p90: Annotated[float | None, doc("90th percentile; null: too few operations to tell.")] = None
    p99: Annotated[float | None, doc("99th percentile; null: too few operations to tell.")] = None
    p999: Annotated[float | None, doc("99.9th percentile; null: too few operations to tell.")] = None
    worst: Annotated[float, doc("The longest of n.")]
    error: Annotated[float, doc("Largest relative error of these figures, by the histogram's bins.")] = 0.0
    bins: Annotated[
        tuple[tuple[float, int], ...],
        doc("For drawing: lower edge of a bin in milliseconds and how many, four bins for each doubling."),
    ] = ()


class Confounder(msgspec.Struct, frozen=True, kw_only=True):
    """Another possible explanation of a figure."""

    name: Annotated[str, doc("`virtual_machine`, `page_cache`, `rebuild`, `learn_cycle`, `thin` …")]
    text: Annotated[str, doc("One sentence.")]
    forbids: Annotated[bool, doc("Whether no verdict on durability is possible with it.")] = False


class TrialResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one test: measured, expected, and the conclusion."""

    trial: Annotated[str, doc("Name of the test: `medium`, `commits`, `flush_slope`, `knee` …")]
    figures: Annotated[dict[str, Spread], doc("What was measured, by name.")]
    latency: Annotated[dict[str, Latency], doc("Latencies, by name of the phase.")] = {}
    model: Annotated[str | None, doc("The model that the expectation comes from, one sentence.")] = None
    expected: Annotated[str | None, doc("What the model expects.")] = None
    verdict: Annotated[Verdict, doc("What follows for the claim that the test is about.")] = "info"
    reasons: Annotated[tuple[str, ...], doc("Why, one sentence each.")] = ()
    ruled_out: Annotated[tuple[str, ...], doc("Other explanations, and what rules them out.")] = ()
    next_test: Annotated[str | None, doc("The one test that would decide, where it is inconclusive.")] = None
    confounders: Annotated[tuple[Confounder, ...], doc("What else could explain it.")] = ()
    series: Annotated[dict[str, Any], doc("Curves: lists of points, by name.")] = {}
    engine: Annotated[str | None, doc("Which engine measured it.")] = None
    seconds: Annotated[float | None, doc("How long it took, seconds.")] = None


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """The first test of a run, repeated at its end. It shows whether the machine was stable."""

    trial: Annotated[str, doc("Name of the test.")]
    figure: Annotated[str, doc("Name of the figure that is compared.")]
    unit: Annotated[str, doc("Its unit; empty in runs saved by older versions.")] = ""
    first: Annotated[float | None, doc("At the beginning; null: not measured.")]
    last: Annotated[float | None, doc("At the end; null: not measured.")]
    unstable: Annotated[bool | None, doc("Whether they differ by more than 20%; null: unknown.")]


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the benchmark: several tests of one target."""

    profile: Annotated[str, doc("Which list of tests: `quick`, `database` …")]
    target: Annotated[str, doc("What was measured: a file, a device, an NBD export.")]
    kind: Annotated[str, doc("`file`, `device` or `nbd`.")]
    size: Annotated[int, doc("Bytes of it that were used.")]
    results: Annotated[tuple[TrialResult, ...], doc("One for each test, in order of the profile.")]
    engine: Annotated[str | None, doc("What carried it out, the engines by name; null: nothing was.")] = None
    notes: Annotated[tuple[str, ...], doc("What limited it, one sentence each.")] = ()
    confounders: Annotated[tuple[Confounder, ...], doc("What else could explain the figures.")] = ()
    drift: Annotated[Drift | None, doc("The first test again at the end; null: not made.")] = None
    written: Annotated[int, doc("Bytes written, not counting the preparation of the file.")] = 0
    seconds: Annotated[float, doc("How long all of it took.")] = 0.0
    interrupted: Annotated[bool, doc("Whether it was ended early; the results are what there was.")] = False
    seed: Annotated[int | None, doc("Seed of the offsets and orders.")] = None
