"""Cuts of every file of a collection of real outputs.

Each is cut at its lines, and the conclusions that look better for it are listed.

    python tests/cuts.py DIRECTORY [--most N] [--jobs N]

The directory holds one folder for each tool. Up to N lines of each file (12), evenly spread, are places where it is
cut, after the line and within the next one. A line of the answer is one conclusion of one file, with the first place;
then follows what was counted for each tool. Exit code 1 if there was one.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "vendors")]

from tests.fuzz.samples import Sample, samples  # noqa: E402 - the checkout comes first on the path
from tests.support.conclusions import conclusions, cut_worse, cuts, read_text  # noqa: E402 - as above


def examine(sample: Sample, most: int) -> tuple[Sample, int, dict[str, str]]:
    """The number of cuts of a file, and each conclusion that improves.

    With it is the end of the first text that shows it.
    """
    seen = read_text(sample.text)
    if not seen.inventory.controllers:
        return sample, 0, {}
    whole, found = conclusions(seen), dict[str, str]()
    texts = cuts(sample.text, most)
    for text in texts:
        for name in cut_worse(seen, whole, text):
            found.setdefault(name, f"line {text.count(chr(10))}: {text[-80:]!r}")
    return sample, len(texts), found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--most", type=int, default=12, help="lines of each file (12)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (one for each core)")
    given = parser.parse_args(arguments)
    files, places, better = Counter[str](), Counter[str](), Counter[str]()
    with ProcessPoolExecutor(given.jobs) as pool:
        for sample, count, found in pool.map(partial(examine, most=given.most), samples(given.directory), chunksize=4):
            tool = sample.name.partition("/")[0]
            files[tool] += count > 0
            places[tool] += count
            better[tool] += len(found)
            for name, place in found.items():
                sys.stdout.write(f"{sample.name}: {name}, {place}\n")
    for tool in sorted(places):
        sys.stdout.write(f"{tool}: {files[tool]} files, {places[tool]} cuts, {better[tool]} conclusions improved\n")
    return int(any(better.values()))


if __name__ == "__main__":
    sys.exit(main())
