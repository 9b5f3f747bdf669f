"""The accuracy of the benchmark.

Each row of the evidence table is measured many times on a model with known properties.

    python benchmarks/known_truths.py [--runs 20] [--quick] [--only WORD]... [--jobs N] [--load N] [--json]

A model of an array (rotation, a finite cache, destage rate; volatile, lying, battery-backed …) is served over NBD in
real time; the real trials and engine measure it, and the verdict is compared with the true one. Then the figures: rpm,
and the size of the write cache. ``--load`` keeps this number of processors busy meanwhile: on a busy machine, verdicts
may stay undecided but must not be wrong.

A line for each case: ``case=… right=… runs=… undecided=… wrong=… wrong_pass=… disturbed=…``. The exit code is 1 if a
verdict is right in fewer than 19 of 20 runs, if a wrong pass occurs, or if a figure is too far off. This machine's
drives are not accessed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from raidctl.bench.model.array import Level  # noqa: E402 - the checkout is put on the path first
from tests.bench import truth_figures  # noqa: E402 - as above
from tests.bench.truth_cases import TRUTHS  # noqa: E402 - as above
from tests.bench.truth_figures import Figured, NamedLevels  # noqa: E402 - as above
from tests.bench.truth_runs import LONG, SHORT, Run, play  # noqa: E402 - as above

ENOUGH = 0.95
RPM_WITHIN, CACHE_WITHIN = 0.02, 0.10
SPEEDS = (5400, 7200, 10000, 15000)
SIZES = (32, 64, 128)
LEVELS: dict[str, tuple[Level, int, tuple[str, ...], bool]] = {
    "raid0": ("raid0", 4, ("raid0",), False),
    "raid1": ("raid1", 2, ("raid1", "raid10"), False),
    "raid10": ("raid10", 4, ("raid1", "raid10"), False),
    "raid5": ("raid5", 4, ("raid5", "raid6"), False),
    "raid6": ("raid6", 6, ("raid5", "raid6"), False),
    "raid5-of-counted-drives": ("raid5", 5, ("raid5",), True),
    "raid6-of-counted-drives": ("raid6", 6, ("raid6",), True),
}
"""True level, drives, permitted levels, and whether the drive count is known. RAID-5 and RAID-6 have nearly the same
cost. Only the length of a stripe and the number of drives distinguish them."""
Result = Run | Figured | NamedLevels


@dataclass(frozen=True)
class Task:
    """Work that is repeated ``runs`` times."""

    name: str
    work: Callable[..., Result]
    given: tuple[Any, ...]
    within: float = 0.0
    """The permitted error of a figure."""


def tasks(*, quick: bool) -> list[Task]:
    """All tasks."""
    scale = SHORT if quick else LONG
    every = [Task(f"verdict/{name}", play, (truth, scale)) for name, truth in TRUTHS.items()]
    every += [Task(f"rpm/{speed}", truth_figures.rpm, (speed,), RPM_WITHIN) for speed in SPEEDS]
    every += [Task(f"level/{name}", level, (name,)) for name in LEVELS]
    every += [Task(f"write-cache/{mib}", cache, (mib, quick), CACHE_WITHIN) for mib in SIZES]
    return every


def cache(mib: int, quick: bool) -> Figured:
    """The write cache with a destage rate of 20 MB/s. A quick run uses a rate that grows with the size."""
    return truth_figures.write_cache(mib, destage=mib / 1.6 if quick else 20.0)


def level(name: str) -> NamedLevels:
    """A level of ``LEVELS``."""
    truth, drives, permitted, counted = LEVELS[name]
    return truth_figures.level(truth, drives, permitted, counted=counted)


def judged(task: Task, runs: Sequence[Result]) -> dict[str, Any]:
    """The results of a task's runs, by the names of the line."""
    result: dict[str, Any] = {"case": task.name}
    verdicts = [run for run in runs if isinstance(run, Run)]
    figures = [run for run in runs if isinstance(run, Figured)]
    named = [run for run in runs if isinstance(run, NamedLevels)]
    result |= _verdicts(task, verdicts) if verdicts else _levels(named) if named else _figures(task, figures)
    result["disturbed"] = sum(run.disturbed for run in runs)
    result["met"] = result["right"] >= ENOUGH * result["runs"] and not result.get("wrong_pass")
    return result


def _verdicts(task: Task, runs: Sequence[Run]) -> dict[str, Any]:
    truth = TRUTHS[task.name.split("/", 1)[1]]
    expected = (truth.verdict, truth.case)
    right = sum((run.verdict, run.case) == expected for run in runs)
    wrong = [run for run in runs if run.verdict not in ("inconclusive", truth.verdict)]
    others = Counter(f"{run.verdict}: {run.case}" for run in runs if (run.verdict, run.case) != expected)
    return {
        "right": right,
        "runs": len(runs),
        "undecided": len(runs) - right - len(wrong),
        "wrong": len(wrong),
        "wrong_pass": sum(run.verdict == "pass" for run in wrong),
        "expected": f"{truth.verdict}: {truth.case}",
        "instead": dict(others),
        "seconds": round(median(run.seconds for run in runs), 1),
    }


def _figures(task: Task, runs: Sequence[Figured]) -> dict[str, Any]:
    errors = [run.error for run in runs if run.error is not None]
    return {
        "right": sum(error <= task.within for error in errors),
        "runs": len(runs),
        "undecided": len(runs) - len(errors),
        "wrong": sum(error > task.within for error in errors),
        "median_error": round(median(errors), 5) if errors else None,
        "worst_error": round(max(errors), 5) if errors else None,
        "held": sum(run.held for run in runs),
    }


def _levels(runs: Sequence[NamedLevels]) -> dict[str, Any]:
    right = [run for run in runs if run.truth in run.named and set(run.named) <= set(run.permitted)]
    wrong = [run for run in runs if run.named and run.truth not in run.named]
    instead = Counter(", ".join(run.named) or "nothing" for run in runs if run not in right)
    return {
        "right": len(right),
        "runs": len(runs),
        "undecided": len(runs) - len(right) - len(wrong),
        "wrong": len(wrong),
        "instead": dict(instead),
    }


def line(result: dict[str, Any]) -> str:
    """The line of one case, for people and scripts."""
    hidden = ("expected", "instead", "seconds", "met")
    words = [f"{name}={value}" for name, value in result.items() if name not in hidden]
    more = "".join(f"\n    instead {count}x {what}" for what, count in result.get("instead", {}).items())
    return " ".join(words) + ("" if result["met"] else "  MISSED") + more


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keep this number of processors busy."""
    burners = [multiprocessing.get_context("spawn").Process(target=_burn, daemon=True) for _ in range(processes)]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.join()


def _burn() -> None:
    value = 1
    while True:
        value = value * 3 % 1_000_003


def main() -> int:
    """Run the tasks in parallel. The runs of one case follow one another."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--runs", type=int, default=20)
    words.add_argument("--quick", action="store_true", help="short phases, as the suite has them")
    words.add_argument("--only", action="append", default=[], metavar="WORD", help="cases whose name has it")
    words.add_argument("--jobs", type=int, default=4, help="models at a time; they mostly sleep (4)")
    words.add_argument("--load", type=int, default=0, help="processors kept busy meanwhile (0)")
    words.add_argument("--json", action="store_true", help="everything that was measured")
    chosen = words.parse_args()
    wanted = [
        task for task in tasks(quick=chosen.quick) if not chosen.only or any(word in task.name for word in chosen.only)
    ]
    if not wanted:
        words.error("no case has such a name")
    results, raw = [], {}
    with load(chosen.load), ProcessPoolExecutor(chosen.jobs, multiprocessing.get_context("spawn")) as pool:
        begun: list[tuple[Task, list[Future[Result]]]] = [
            (task, [pool.submit(task.work, *task.given) for _ in range(chosen.runs)]) for task in wanted
        ]
        for task, futures in begun:
            runs = [future.result() for future in futures]
            results.append(judged(task, runs))
            raw[task.name] = [asdict(run) for run in runs]
            if not chosen.json:
                print(line(results[-1]), flush=True)
    missed = [result for result in results if not result["met"]]
    if chosen.json:
        print(json.dumps({"benchmark": "known_truths", "results": results, "runs": raw}, default=msgspec.to_builtins))
    else:
        every = {name: sum(result.get(name, 0) for result in results) for name in ("right", "runs", "wrong_pass")}
        print(" ".join(f"{name}={value}" for name, value in {"case": "all", **every}.items()))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
