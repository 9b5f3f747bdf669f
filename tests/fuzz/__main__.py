"""Damage recorded outputs and check what raidctl concludes from them.

    python -m tests.fuzz [--minutes N | --inputs N] [--seed S] [--from DIRECTORY] [--jobs N] [--case NUMBER]

Each input must be read without an uncaught exception and within 2 seconds of processor time; an object in a bad state
must not end in "No problems found"; and an output that is only cut off must not improve any conclusion. A violation is
one line: its case, what is wrong, and the smallest input that still shows it. ``--seed S --case NUMBER`` prints the
input of a case. The exit code is 1 if there was a violation, or if an input ended its process.

The command ends on time: each process looks at the clock before each input, minimising is bounded, and an input that
is still being read after two minutes ends its process.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.case import Violation, check, made, minimised
from tests.fuzz.samples import Sample, samples

_BATCH = 100
_REPEATS = 3
"""Lines that are printed of violations of one kind in one place."""
_HANG = 120.0
"""Seconds after which an input counts as hung. The limit of processor time is far lower."""
_PROGRESS = 60.0
"""Seconds between two lines on standard error."""
_found: list[Sample] = []


@dataclass(frozen=True)
class _Task:
    """Consecutive inputs, until the time ends."""

    seed: int
    first: int
    count: int
    end: float
    """As ``time.monotonic()`` counts, the same in all processes."""


@dataclass
class _Result:
    """Checked inputs and violations. Each violation has its number, sample and smallest input."""

    done: int = 0
    violations: list[tuple[int, str, Violation, str]] = field(default_factory=list)


def _start(directory: Path | None) -> None:
    _found[:] = samples(directory)
    gc.freeze()


def _batch(task: _Task) -> _Result:
    """Check the inputs of a task in turn."""
    result = _Result()
    for number in range(task.first, task.first + task.count):
        if time.monotonic() > task.end:
            break
        faulthandler.dump_traceback_later(_HANG, exit=True, file=2)
        sample, text, only_cut = made(task.seed, number, _found)
        for one in check(sample, text, only_cut=only_cut):
            result.violations.append((number, sample.name, one, _smallest(sample, text, one)))
        result.done += 1
    faulthandler.cancel_dump_traceback_later()
    return result


def _smallest(sample: Sample, text: str, found: Violation) -> str:
    if found.kind in ("improved", "time"):
        return text[-200:]  # for a cut, the place is enough; a slow input is slow to minimise
    return minimised(text, lambda less: any(one.kind == found.kind for one in check(sample, less, only_cut=False)))


class _Report:
    """Prints violations, and counts them."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.done = self.violations = 0
        self._next = time.monotonic() + _PROGRESS
        self._seen: Counter[tuple[str, str]] = Counter()

    def add(self, result: _Result) -> None:
        """Print each violation, at most three of one kind in one place. Now and then, also print the progress."""
        self.done += result.done
        if time.monotonic() > self._next:
            self._next = time.monotonic() + _PROGRESS
            sys.stderr.write(f"{self.done} inputs, {self.violations} violations\n")
        for number, name, found, text in result.violations:
            self.violations += 1
            place = name if found.kind == "improved" else found.detail[-80:]
            self._seen[found.kind, place] += 1
            if self._seen[found.kind, place] <= _REPEATS:
                shown = ascii(text if len(text) <= 600 else f"{text[:300]} [...] {text[-300:]}")
                _say(f"--seed {self.seed} --case {number}: {found.kind}: {found.detail}; {name}: {shown}")

    def died(self, tasks: Sequence[_Task]) -> None:
        """Print which inputs were being read when a process ended."""
        self.violations += 1
        cases = ", ".join(f"{task.first} to {task.first + task.count - 1}" for task in tasks)
        _say(f"--seed {self.seed}: a process died or hung at one of the cases {cases}")


def fuzz(seed: int, *, jobs: int, minutes: float, inputs: int | None, directory: Path | None) -> tuple[int, int]:
    """Run batches until the time or the number of inputs is reached. Return the number of inputs and of violations."""
    end = time.monotonic() + minutes * 60
    first = 0
    report = _Report(seed)
    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(directory,)) as pool:
        running: dict[Future[_Result], _Task] = {}
        try:
            while True:
                while len(running) < jobs * 2 and time.monotonic() < end and (inputs is None or first < inputs):
                    count = min(_BATCH, inputs - first) if inputs is not None else _BATCH
                    task = _Task(seed, first, count, end)
                    running[pool.submit(_batch, task)] = task
                    first += count
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    report.add(future.result())
                    del running[future]
        except BrokenProcessPool:
            report.died(list(running.values()))
    return report.done, report.violations


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, help="how long (5, without --inputs)")
    parser.add_argument("--inputs", type=int, help="end after so many inputs")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other inputs (1)")
    parser.add_argument("--from", type=Path, dest="directory", help="files of tools' outputs instead of fixtures/")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (one for each core)")
    parser.add_argument("--case", type=int, help="print the input of this case, and what is wrong with it")
    given = parser.parse_args(arguments)
    if given.case is not None:
        sample, text, only_cut = made(given.seed, given.case, samples(given.directory))
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        found = check(sample, text, only_cut=only_cut)
        for one in found:
            sys.stderr.write(f"{sample.name}: {one.kind}: {one.detail}\n")
        return int(bool(found))
    begun = time.monotonic()
    minutes = given.minutes or (5.0 if given.inputs is None else math.inf)
    done, violations = fuzz(
        given.seed, jobs=given.jobs, minutes=minutes, inputs=given.inputs, directory=given.directory
    )
    taken = time.monotonic() - begun
    _say(f"{done} inputs in {taken:.0f} seconds ({done / taken:.0f} per second), {violations} violations")
    return int(violations > 0)


if __name__ == "__main__":
    sys.exit(main())
