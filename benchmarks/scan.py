"""A scan of 8 simulated controllers.

Their tool takes 300 ms per call. The peer is the longest chain of calls of a family.

    python benchmarks/scan.py [--quick]

Executables on PATH stand for the tools: ``whole`` replies to the call for the whole host; ``each`` fails it, as a
real tool does if one controller has a problem, so that every controller has to be queried separately. The peer is
the time that the tool itself needs for the calls that were made, one after the other; it is measured in each round.
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from machines import smart_array
from report import Case, options, report, seconds

from raidctl.runners.local import LocalRunner
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors

DELAY = 0.3
CONTROLLERS = range(1, 9)

TOOL = """#!/bin/sh
echo "$*" >> {folder}/calls
sleep {delay}
case "$*" in
  version) echo "SSACLI Version: 6.30.8.0 2023-02-01" ;;
  "ctrl all show config detail") {whole} ;;
  "ctrl all show"*) cat {folder}/list ;;
  "ctrl slot="*) slot=${{2#slot=}}; cat {folder}/slot$slot ;;
  *) echo "Error: Syntax error at \\"$1\\""; exit 1 ;;
esac
"""


def install(folder: Path, *, whole: bool) -> None:
    """Write an executable in place of the tool into a folder."""
    (folder / "all").write_text(smart_array(CONTROLLERS, 12), encoding="utf-8")
    listed = "".join(
        f"\nSmart Array P440ar in Slot {slot}         (sn: RCTL0BENCH{slot:04d})\n" for slot in CONTROLLERS
    )
    (folder / "list").write_text(listed, encoding="utf-8")
    for slot in CONTROLLERS:
        (folder / f"slot{slot}").write_text(smart_array(range(slot, slot + 1), 12), encoding="utf-8")
    answer = f"cat {folder}/all" if whole else 'echo "Error: A controller did not answer."; exit 1'
    tool = folder / "ssacli"
    tool.write_text(TOOL.format(folder=folder, delay=DELAY, whole=answer), encoding="utf-8")
    tool.chmod(0o755)


def scan(*, whole: bool, rounds: int) -> tuple[float, float]:
    """Median ratio of the scan's wall time to its chain of calls. The second value is the number of calls."""
    ratios, calls = [], 0
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            install(folder, whole=whole)
            os.environ["PATH"] = f"{folder}:{ORIGINAL_PATH}"
            wall = seconds(look)
            calls = len((folder / "calls").read_text(encoding="utf-8").splitlines())
            ratios.append(wall / (calls * seconds(partial(call, folder))))
    return statistics.median(ratios), calls


def call(folder: Path) -> None:
    """Make one call of the tool."""
    subprocess.run([folder / "ssacli", "ctrl", "all", "show", "config", "detail"], capture_output=True, check=False)


def look() -> None:
    """Make one scan, which has to find all controllers."""
    found = survey(LocalRunner(), vendors()[0]).inventory.controllers
    seen = sum(controller.id.startswith("smartarray:") for controller in found)
    if seen != len(CONTROLLERS):
        sys.exit(f"only {seen} of {len(CONTROLLERS)} controllers were found")


def main() -> None:
    """Measure and print."""
    rounds = 3 if options(__doc__).parse_args().quick else 9
    gc.freeze()  # as the command line does
    cases = []
    for name, whole, goal in (("whole", True, "<=1.2"), ("each", False, "<=1.05")):
        value, calls = scan(whole=whole, rounds=rounds)
        peer = f"{calls} calls of {DELAY * 1000:.0f} ms, one after the other"
        cases += [
            Case(f"{name}/wall_ratio", value, "ratio", peer, goal),
            Case(f"{name}/calls", calls, "calls", "two for the host and one for each controller", "<=10"),
        ]
    report("scan", cases)


ORIGINAL_PATH = os.environ.get("PATH", "")

if __name__ == "__main__":
    main()
