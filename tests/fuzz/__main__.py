"""Damage recorded outputs and check what raidctl concludes from them.

    python -m tests.fuzz [--minutes N | --inputs N] [--seed S] [--from DIRECTORY] [--jobs N] [--case NUMBER]

Each input must be read without an uncaught exception and within 2 seconds of processor time; an object in a bad state
must not end in "No problems found"; and an output that is only cut off must not improve any conclusion. A violation is
one line: its case, what is wrong, and the smallest input that still shows it. ``--seed S --case NUMBER`` prints the
input of a case. The exit code is 1 if there was a violation.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path

from tests.fuzz.case import Violation, check, made, minimised
from tests.fuzz.samples import Sample, samples

_BATCH = 100
_REPEATS = 3
"""Lines that are printed of violations of one kind in one place."""
_found: list[Sample] = []


def _start(directory: Path | None) -> None:
    _found[:] = samples(directory)
    gc.freeze()


def _batch(seed: int, first: int, count: int) -> list[tuple[int, str, Violation, str]]:
    """Number, sample, violation and the smallest input of each violation of a batch."""
    violations = []
    for number in range(first, first + count):
        sample, text, only_cut = made(seed, number, _found)
        found = check(sample, text, only_cut=only_cut)
        violations += [(number, sample.name, one, _smallest(sample, text, one)) for one in found]
    return violations


def _smallest(sample: Sample, text: str, found: Violation) -> str:
    if found.kind == "improved":
        return text[-200:]  # of a cut, the place says all
    return minimised(text, lambda less: any(one.kind == found.kind for one in check(sample, less, only_cut=False)))


def fuzz(seed: int, *, jobs: int, minutes: float, inputs: int | None, directory: Path | None) -> tuple[int, int]:
    """Run batches until the time or the number of inputs is reached; the number of inputs and of violations."""
    end = time.monotonic() + minutes * 60
    first = done = violations = 0
    seen: Counter[tuple[str, str]] = Counter()
    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(directory,)) as pool:
        running: dict[Future[list[tuple[int, str, Violation, str]]], int] = {}
        while True:
            while len(running) < jobs * 2 and time.monotonic() < end and (inputs is None or first < inputs):
                count = min(_BATCH, inputs - first) if inputs is not None else _BATCH
                running[pool.submit(_batch, seed, first, count)] = count
                first += count
            if not running:
                return done, violations
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                done += running.pop(future)
                for number, name, found, text in future.result():
                    violations += 1
                    place = name if found.kind == "improved" else found.detail[-80:]
                    seen[found.kind, place] += 1
                    if seen[found.kind, place] <= _REPEATS:
                        shown = ascii(text if len(text) <= 600 else f"{text[:300]} [...] {text[-300:]}")
                        _say(f"--seed {seed} --case {number}: {found.kind}: {found.detail}; {name}: {shown}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=5.0, help="how long (5)")
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
    done, violations = fuzz(
        given.seed, jobs=given.jobs, minutes=given.minutes, inputs=given.inputs, directory=given.directory
    )
    taken = time.monotonic() - begun
    _say(f"{done} inputs in {taken:.0f} seconds ({done / taken:.0f} per second), {violations} violations")
    return int(violations > 0)


if __name__ == "__main__":
    sys.exit(main())
