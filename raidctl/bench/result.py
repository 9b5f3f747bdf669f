"""What a trial of the benchmark says: measured figures with their uncertainty, the model's figures, and the verdict.

The names are a contract, as those of the inventory are: `raidctl schema bench` prints them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Verdict = Literal["pass", "fail", "suspect", "inconclusive", "info"]
"""`info`: a figure without a claim to hold it against."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A figure measured several times."""

    measured: Annotated[float | None, Meta(description="The median; null where it was too short to say (`++++`).")]
    unit: Annotated[str, Meta(description="`ops/s`, `MiB/s`, `ms`, `ms/MiB`, `MiB`, `rpm`, `ratio` …")]
    n: Annotated[int, Meta(description="How many operations or rounds it rests on.")]
    low: Annotated[float | None, Meta(description="Lower end of the 95 % interval of the median.")] = None
    high: Annotated[float | None, Meta(description="Upper end of the 95 % interval of the median.")] = None
    min: Annotated[float | None, Meta(description="Smallest.")] = None
    max: Annotated[float | None, Meta(description="Largest.")] = None


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Latencies of single operations, milliseconds."""

    n: Annotated[int, Meta(description="Operations.")]
    p50: Annotated[float, Meta(description="Median.")]
    p90: Annotated[float | None, Meta(description="90th percentile; null: too few operations to tell.")] = None
    p99: Annotated[float | None, Meta(description="99th percentile; null: too few operations to tell.")] = None
    p999: Annotated[float | None, Meta(description="99.9th percentile; null: too few operations to tell.")] = None
    worst: Annotated[float, Meta(description="The longest of n.")]
    error: Annotated[float, Meta(description="Largest relative error of these figures, by the histogram's bins.")] = 0.0
    bins: Annotated[
        tuple[tuple[float, int], ...],
        Meta(description="For drawing: lower edge of a bin in milliseconds and how many, four bins for each doubling."),
    ] = ()


class Confounder(msgspec.Struct, frozen=True, kw_only=True):
    """What else could explain a figure."""

    name: Annotated[str, Meta(description="`virtual_machine`, `page_cache`, `rebuild`, `learn_cycle`, `thin` …")]
    text: Annotated[str, Meta(description="One sentence.")]
    forbids: Annotated[bool, Meta(description="Whether no verdict on durability is possible with it.")] = False


class TrialResult(msgspec.Struct, frozen=True, kw_only=True):
    """One test: what was measured, what was expected, what follows."""

    trial: Annotated[str, Meta(description="Name of the test: `medium`, `commits`, `flush_slope`, `knee` …")]
    figures: Annotated[dict[str, Spread], Meta(description="What was measured, by name.")]
    latency: Annotated[dict[str, Latency], Meta(description="Latencies, by name of the phase.")] = {}
    model: Annotated[str | None, Meta(description="The model that the expectation comes from, one sentence.")] = None
    expected: Annotated[str | None, Meta(description="What the model expects.")] = None
    verdict: Annotated[Verdict, Meta(description="What follows for the claim that the test is about.")] = "info"
    reasons: Annotated[tuple[str, ...], Meta(description="Why, one sentence each.")] = ()
    ruled_out: Annotated[tuple[str, ...], Meta(description="Other explanations, and what rules them out.")] = ()
    next_test: Annotated[str | None, Meta(description="The one test that would decide, where it is inconclusive.")] = (
        None
    )
    confounders: Annotated[tuple[Confounder, ...], Meta(description="What else could explain it.")] = ()
    series: Annotated[dict[str, Any], Meta(description="Curves: lists of points, by name.")] = {}
    engine: Annotated[str | None, Meta(description="Which engine measured it.")] = None
    seconds: Annotated[float | None, Meta(description="How long it took, seconds.")] = None


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """The first test of a run, made again as the last one: whether the machine was the same all the time."""

    trial: Annotated[str, Meta(description="Name of the test.")]
    figure: Annotated[str, Meta(description="Name of the figure that is compared.")]
    unit: Annotated[str, Meta(description="Its unit; empty in runs that were kept before it was told.")] = ""
    first: Annotated[float | None, Meta(description="At the beginning; null: not measured.")]
    last: Annotated[float | None, Meta(description="At the end; null: not measured.")]
    unstable: Annotated[bool | None, Meta(description="Whether they differ by more than 20 %; null: cannot be told.")]


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the benchmark: several tests of one target."""

    profile: Annotated[str, Meta(description="Which list of tests: `quick`, `database` …")]
    target: Annotated[str, Meta(description="What was measured: a file, a device, an NBD export.")]
    kind: Annotated[str, Meta(description="`file`, `device` or `nbd`.")]
    size: Annotated[int, Meta(description="Bytes of it that were used.")]
    results: Annotated[tuple[TrialResult, ...], Meta(description="One for each test, in order of the profile.")]
    engine: Annotated[str | None, Meta(description="What carried it out, the engines by name; null: nothing was.")] = (
        None
    )
    notes: Annotated[tuple[str, ...], Meta(description="What limited it, one sentence each.")] = ()
    confounders: Annotated[tuple[Confounder, ...], Meta(description="What else could explain the figures.")] = ()
    drift: Annotated[Drift | None, Meta(description="The first test again at the end; null: not made.")] = None
    written: Annotated[int, Meta(description="Bytes written, those of preparing the file not counted.")] = 0
    seconds: Annotated[float, Meta(description="How long all of it took.")] = 0.0
    interrupted: Annotated[bool, Meta(description="Whether it was ended early; the results are what there was.")] = (
        False
    )
    seed: Annotated[int | None, Meta(description="What the places and orders follow from.")] = None
