"""Every row of the evidence table. A wrong pass never occurs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.bench.result import Confounder
from raidctl.bench.verdict.early_acknowledgement import SLOWING, result, weigh
from raidctl.bench.verdict.evidence import Evidence, Interval, emptied, pace

SLOW, MODEST, CACHED = Interval(116, 121), Interval(255, 270), Interval(9000, 11000)
KEPT, EMPTIED = Interval(-0.1, 0.3), Interval(77, 80)
DISK = Evidence(medium="rotating", rpm=7200, destage=83, explained=0.99, controller=False)
CONTROLLER = replace(DISK, controller=True, policy="write_back", battery=True, drive_cache="disabled")
VIRTUAL = Confounder(name="virtual_machine", text="It is a virtual machine.", forbids=True)
REBUILD = Confounder(name="rebuild", text="The volume is rebuilding.")

ROWS: dict[str, tuple[Evidence, str, str]] = {
    "no cache": (replace(DISK, commits=SLOW, slope=KEPT, drive_cache="disabled"), "no cache", "pass"),
    "volatile cache that honours the flush": (
        replace(DISK, commits=SLOW, slope=EMPTIED, drive_cache="enabled"),
        "honest volatile cache",
        "pass",
    ),
    "drive that ignores the flush": (
        replace(DISK, commits=CACHED, slope=KEPT, commits_drive_off=SLOW, drive_cache="enabled", flush_sent=True),
        "drive ignores the flush",
        "fail",
    ),
    "flush never sent": (
        replace(DISK, commits=CACHED, commits_raw=SLOW, commits_drive_off=SLOW, drive_cache="enabled"),
        "flush never sent",
        "fail",
    ),
    "flush never sent, by its settings": (
        replace(DISK, commits=CACHED, flush_sent=False, drive_cache="enabled"),
        "flush never sent",
        "fail",
    ),
    "cache that survives": (
        replace(DISK, commits=MODEST, commits_drive_off=MODEST, drive_cache="enabled"),
        "unknown cache",
        "inconclusive",
    ),
    "battery-backed controller": (
        replace(CONTROLLER, commits=CACHED, slope=KEPT, commits_write_through=SLOW, promise="protected_write_back"),
        "battery-backed cache",
        "pass",
    ),
    "drives' caches on behind the battery": (
        replace(
            CONTROLLER, commits=CACHED, commits_write_through=CACHED, commits_drive_off=SLOW, drive_cache="enabled"
        ),
        "drives acknowledge early behind the controller",
        "fail",
    ),
    "write-back without a battery": (
        replace(CONTROLLER, commits=CACHED, slope=KEPT, commits_write_through=SLOW, battery=False),
        "write-back without a battery",
        "fail",
    ),
    "write-back promised, write-through active": (
        replace(CONTROLLER, commits=SLOW, slope=KEPT, policy="write_through", promise="protected_write_back"),
        "write-back promised, not active",
        "fail",
    ),
    "array that destages on a flush": (
        replace(CONTROLLER, commits=SLOW, commits_unflushed=CACHED, slope=EMPTIED),
        "destages on flush",
        "pass",
    ),
    "virtual disk": (
        replace(CONTROLLER, commits=CACHED, slope=KEPT, commits_write_through=SLOW, confounders=(VIRTUAL,)),
        "barred",
        "inconclusive",
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_each_row_of_the_table_has_its_verdict(row: str) -> None:
    """A row's evidence gives its case and its verdict, with a reason."""
    evidence, case, verdict = ROWS[row]
    found = weigh(evidence)
    assert (found.case, found.verdict) == (case, verdict)
    assert found.reasons


@pytest.mark.parametrize(
    ("evidence", "word"),
    [
        (replace(DISK, medium=None, commits=CACHED), "random reads"),
        (DISK, "commits per second of one stream"),
        (replace(DISK, rpm=None, commits=CACHED), "its rpm"),
        (replace(DISK, commits=Interval(130, 190)), "longer"),
        (replace(DISK, commits=Interval(100, 400)), "longer"),
        (replace(DISK, commits=SLOW, drive_cache="enabled"), "flush after different amounts"),
        (replace(DISK, commits=SLOW, slope=KEPT), "state of the drives' write caches"),
        (replace(DISK, commits=CACHED, drive_cache="enabled"), "caches off"),
        (replace(DISK, commits=CACHED, controller=None), "controller's tool"),
        (replace(CONTROLLER, commits=CACHED, policy=None), "controller's tool"),
        (replace(CONTROLLER, commits=CACHED, battery=None), "battery"),
        (replace(CONTROLLER, commits=CACHED), "write-through"),
        (replace(CONTROLLER, commits=CACHED, commits_write_through=SLOW, drive_cache=None), "the drives' write caches"),
        (replace(DISK, medium="solid_state", commits=CACHED), "power"),
    ],
)
def test_an_inconclusive_answer_names_the_test_that_decides(evidence: Evidence, word: str) -> None:
    """With a part of the evidence missing, the answer is inconclusive. It names how to get that part."""
    found = weigh(evidence)
    assert found.verdict == "inconclusive"
    assert word in (found.next_test or "")


def test_a_figure_on_both_sides_of_a_limit_is_inconclusive() -> None:
    """Verdicts rest on whole intervals, never on their middle."""
    assert [pace(Interval(*ends), 120) for ends in ((90, 126), (90, 127), (179, 200), (180, 200))] == [
        "slow",
        "between",
        "between",
        "fast",
    ]
    slopes = [Interval(16.7, 20), Interval(10, 20), Interval(1, 4.1), Interval(1, 5)]
    assert [emptied(replace(DISK, slope=slope)) for slope in slopes] == [True, None, False, None]
    assert emptied(replace(DISK, slope=EMPTIED, destage=None)) is None


@pytest.mark.parametrize("explained", [None, 0.3, 0.8])
def test_flushes_that_only_scatter_do_not_show_an_emptied_cache(explained: float | None) -> None:
    """Flushes that only scatter do not show that a cache is emptied.

    A slope that explains at most four fifths of what they took is no evidence.
    """
    uneven = replace(ROWS["volatile cache that honours the flush"][0], explained=explained)
    assert emptied(uneven) is None
    assert weigh(uneven).verdict == "inconclusive"


@pytest.mark.parametrize(("battery", "verdict"), [(True, "pass"), (None, "inconclusive"), (False, "fail")])
def test_a_protected_cache_needs_its_battery_though_a_flush_empties_it(battery: bool | None, verdict: str) -> None:
    """A protected cache needs its battery though a flush empties it.

    What is not yet flushed waits in the cache, and is promised to survive as well.
    """
    row = ROWS["array that destages on a flush"][0]
    assert weigh(replace(row, promise="protected_write_back", battery=battery)).verdict == verdict
    assert weigh(replace(row, promise="durable", battery=battery)).verdict == "pass"


def test_a_slow_device_proves_nothing_while_something_slows_it_down() -> None:
    """A slow device proves nothing while something slows it down.

    A rebuild may hold a lying drive below the limit, and a good cache below what was promised.
    """
    for row in ("no cache", "volatile cache that honours the flush", "write-back promised, write-through active"):
        assert weigh(replace(ROWS[row][0], confounders=(REBUILD,))).verdict == "inconclusive"
    assert weigh(replace(ROWS["drive that ignores the flush"][0], confounders=(REBUILD,))).verdict == "fail"


def test_a_failure_names_what_was_ruled_out() -> None:
    """A measured failure lists the other explanations, and the evidence against them."""
    for row in ("drive that ignores the flush", "flush never sent", "drives' caches on behind the battery"):
        assert weigh(ROWS[row][0]).ruled_out


def test_the_result_carries_the_figures_and_the_verdict() -> None:
    """The verdict becomes a trial's result, in the words of all trials."""
    measured_result = result(ROWS["battery-backed controller"][0])
    assert (measured_result.verdict, measured_result.trial) == ("pass", "early_acknowledgement")
    assert (measured_result.figures["commits"].low, measured_result.figures["commits"].high) == (9000, 11000)
    assert measured_result.expected == "at most 120 commits per second without a cache"


# --- a wrong pass never occurs ---------------------------------------------------------------------------------------

TRUTHS = ("uncached", "volatile", "lying", "unsent", "survivor", "bbu", "bbu_over_lying", "no_battery", "lying_in_wt")
SAFE = frozenset({"uncached", "volatile", "survivor", "bbu"})


def measured(truth: str) -> dict[str, Any]:
    """Return perfect measurements and the whole inventory of a known device."""
    base: dict[str, Any] = {
        "medium": "rotating",
        "rpm": 7200.0,
        "destage": 83.0,
        "explained": 0.99,
        "controller": False,
    }
    base |= {"flush_sent": True, "drive_cache": "enabled"}
    base |= {"commits": SLOW, "commits_raw": SLOW, "commits_unflushed": CACHED, "slope": KEPT}
    base |= {"commits_drive_off": SLOW, "commits_write_through": None, "policy": None, "battery": None}
    behind: dict[str, Any] = {"controller": True, "policy": "write_back", "battery": True, "drive_cache": "disabled"}
    behind |= {"commits": CACHED, "commits_raw": CACHED, "commits_write_through": SLOW}
    lying: dict[str, Any] = {"drive_cache": "enabled", "commits_write_through": CACHED}
    more: dict[str, dict[str, Any]] = {
        "uncached": {"drive_cache": "disabled", "commits_unflushed": SLOW},
        "volatile": {"slope": EMPTIED},
        "lying": {"commits": CACHED, "commits_raw": CACHED},
        "unsent": {"commits": CACHED, "flush_sent": False},
        "survivor": {"commits": MODEST, "commits_raw": MODEST, "commits_drive_off": MODEST},
        "bbu": behind,
        "bbu_over_lying": behind | lying,
        "no_battery": behind | {"battery": False},
        "lying_in_wt": behind | lying | {"policy": "write_through"},
    }  # fmt: skip
    return base | more[truth]


HIDDEN = sorted(measured("bbu"))


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(
    truth=st.sampled_from(TRUTHS),
    hidden=st.sets(st.sampled_from(HIDDEN)),
    promise=st.sampled_from(["durable", "protected_write_back"]),
    confounder=st.sampled_from([None, VIRTUAL, REBUILD]),
)
def test_a_wrong_pass_never_occurs(truth: str, hidden: set[str], promise: Any, confounder: Confounder | None) -> None:
    """A device that loses acknowledged data never passes. This holds whichever part of the evidence is missing."""
    partial = {name: None if name in hidden else value for name, value in measured(truth).items()}
    confounders = (confounder,) if confounder else ()
    found = weigh(Evidence(promise=promise, confounders=confounders, **partial))
    if truth not in SAFE or confounder is not None:
        assert found.verdict != "pass", found
    if confounder is VIRTUAL:
        assert found.verdict == "inconclusive"
    if truth in SAFE and promise == "durable":
        assert found.verdict != "fail", found
    assert found.verdict != "inconclusive" or found.next_test


@pytest.mark.parametrize("truth", TRUTHS)
def test_full_evidence_gives_the_true_verdict(truth: str) -> None:
    """With everything measured, safe devices pass and the others fail. A cache that survives may be another lie."""
    right = "inconclusive" if truth == "survivor" else "pass" if truth in SAFE else "fail"
    assert weigh(Evidence(**measured(truth))).verdict == right


ANY_RATE = [None, SLOW, Interval(130, 170), MODEST, CACHED]


def test_a_pass_always_has_evidence_of_durability() -> None:
    """Each pass rests on one of the kinds of proof.

    A grid of evidence is tried, contradictory evidence included.
    """
    passes = 0
    grid = product(
        ANY_RATE, ANY_RATE, ANY_RATE, [None, KEPT, EMPTIED], [None, True, False], [None, "write_back", "write_through"],
        [None, True, False], [None, "enabled", "disabled"],
    )  # fmt: skip
    for commits, through, off, slope, controller, policy, battery, drive in grid:
        e = Evidence(
            medium="rotating", rpm=7200, destage=83, explained=0.99, commits=commits, commits_write_through=through,
            commits_drive_off=off, slope=slope, controller=controller, policy=policy,  # type: ignore[arg-type]  # a grid
            battery=battery, drive_cache=drive,  # type: ignore[arg-type]  # a grid
        )  # fmt: skip
        if weigh(e).verdict != "pass":
            continue
        passes += 1
        waits = pace(commits, 120) == "slow" and (slope is EMPTIED or drive == "disabled")
        kept = bool(controller and policy == "write_back" and battery and through is SLOW and drive == "disabled")
        assert waits or kept, e
    assert passes > 100


def test_every_confounder_that_slows_down_is_obeyed() -> None:
    """No confounder of the list lets a slow device pass."""
    for name in SLOWING:
        confounder = Confounder(name=name, text="Something slows it down.")
        assert weigh(replace(ROWS["no cache"][0], confounders=(confounder,))).verdict == "inconclusive"
