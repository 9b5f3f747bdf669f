"""Code shared by the benchmarks.

Rounds are interleaved, the median of their ratios counts, and a table and a closing line of JSON are printed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Case:
    """One figure and its goal; ``goal`` is ``<=1.5`` or ``>=0.97``."""

    case: str
    value: float
    unit: str
    peer: str
    goal: str

    @property
    def met(self) -> bool:
        """Whether the value reaches the goal. A case without a goal always does."""
        if not self.goal:
            return True
        bound = float(self.goal[2:])
        return self.value <= bound if self.goal.startswith("<=") else self.value >= bound


def options(text: str | None) -> argparse.ArgumentParser:
    """The command line of the benchmarks; ``text`` is the description in ``--help``."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="less of everything, within two minutes")
    return parser


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> tuple[float, float, float]:
    """The median ratio and the median seconds of two functions. They run in turn, ``rounds`` times."""
    pairs = [(seconds(ours), seconds(peer)) for _ in range(rounds)]
    return (
        statistics.median(a / b for a, b in pairs),
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
    )


def report(name: str, cases: list[Case]) -> None:
    """Print a table for people, then one line of JSON for programs."""
    width = max(len(case.case) for case in cases)
    for case in cases:
        verdict = "" if not case.goal else f"goal {case.goal} {'met' if case.met else 'MISSED'}"
        print(f"{case.case:{width}}  {case.value:10.3f} {case.unit:<8} {verdict:<18} against {case.peer}")
    results = [{**asdict(case), "value": round(case.value, 4), "met": case.met} for case in cases]
    print(json.dumps({"benchmark": name, "results": results}))
