"""Time to parse outputs, and its growth from 1 to 1,000 drives.

    python benchmarks/parse.py [--quick]

The peer splits every line of the same text at its colon with ``str.partition``, the least work possible for a parser in
Python. The growth exponent is the slope of log(time) over log(drives); 1 is linear.
"""

from __future__ import annotations

import gc
import math
import statistics
import sys
import time
from collections.abc import Callable

from adaptec import config
from machines import areca, mdstat, smart_array, threeware
from megaraid import storcli, volumes_and_drives
from report import Case, options, report

from raidctl.__main__ import COLLECT_AFTER
from raidctl.vendor.protocol import Document, Vendor
from raidctl.vendor.registry import vendors

_LABELS, _TABLES = "<=40", "<=150"
"""Goals for outputs of the form ``label: value``, and for tables. A line of a table holds several facts."""


def families() -> dict[str, Vendor]:
    """The installed vendor packages by family."""
    return {vendor.FAMILY: vendor for vendor in vendors()[0]}


def reader(vendor: Vendor, text: str) -> Callable[[], object]:
    """A function that reads one text from recognition to the model."""

    def read() -> object:
        kind = vendor.sniff("output.txt", text)
        if kind is None:
            sys.exit(f"{vendor.FAMILY} does not recognise its own format")
        return vendor.read([Document("output.txt", kind.kind, text)])

    return read


def walk(text: str) -> Callable[[], object]:
    """A function that splits lines at their colons, the least work possible for a parser."""
    return lambda: [line.partition(":") for line in text.splitlines()]


def best(work: Callable[[], object], rounds: int) -> float:
    """Processor time of the shortest of several runs, the least disturbed one."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def growth(vendor: Vendor, make: Callable[[int], str], rounds: int) -> float:
    """Slope of log(time) over log(drives), from 30 to 1,000 drives. Below 30, the fixed cost hides it."""
    points = [(math.log(n), math.log(best(reader(vendor, make(n)), rounds))) for n in (30, 100, 300, 1000)]
    return statistics.linear_regression([x for x, _ in points], [y for _, y in points]).slope


def main() -> None:
    """Measure and print."""
    rounds = 3 if options(__doc__).parse_args().quick else 9
    gc.set_threshold(COLLECT_AFTER)
    known = families()
    texts: dict[str, tuple[str, Callable[[int], str], str]] = {
        "smartarray": ("smartarray", lambda n: smart_array(range(1, 2), n), _LABELS),
        "megacli": ("megaraid", volumes_and_drives, _LABELS),
        "storcli_json": ("megaraid", storcli, _LABELS),
        "adaptec": ("adaptec", config, _LABELS),
        "areca": ("areca", areca, _TABLES),
        "threeware": ("threeware", threeware, _TABLES),
        "md": ("md", lambda n: mdstat(max(1, n // 10), min(n, 10)), _TABLES),
    }
    cases = []
    for name, (family, make, goal) in texts.items():
        vendor, text = known[family], make(1000)
        taken = best(reader(vendor, text), rounds)
        least = best(walk(text), rounds)
        cases += [
            Case(f"{name}/speed", len(text) / taken / 1e6, "MB/s", "no peer: absolute, depends on the machine", ""),
            Case(f"{name}/cost_ratio", taken / least, "ratio", "every line cut at its colon", goal),
            Case(f"{name}/growth_exponent", growth(vendor, make, rounds), "exponent", "1 is linear", "<=1.05"),
        ]
    report("parse", cases)


if __name__ == "__main__":
    main()
