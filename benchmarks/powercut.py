"""The reliability of the power-cut test.

Two figures show it: how often the test reports an honest drive as lying, and after how many cuts it detects a drive
that lies about flushes.

    python benchmarks/powercut.py            # 20 cuts, each a killed QEMU and its boot; about 15 minutes
    python benchmarks/powercut.py --cuts 3

Both drives are in one emulated machine of the lab and lose their caches with it. The honest drive has one run of all
cuts; the lying drive starts a new run as soon as it is detected. It needs what the lab needs (docs/lab.md).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from raidctl.bench.powercut.report import Cut, PowerCutRun  # noqa: E402 - the path comes first
from tests.lab.guest import Guest  # noqa: E402 - as above
from tests.lab.machines_powercut import POWERCUT  # noqa: E402 - as above
from tests.lab.powercuts import Drill, Station  # noqa: E402 - as above

HEAD = "drive    cut  verdict        counted  acknowledged     ok  in flight   lost   torn  caught after"


def main() -> int:
    """Make the cuts and print a line for each, then the sums. Return 1 if the verdicts are wrong."""
    parser = argparse.ArgumentParser(description="Cut the power of an emulated machine while raidctl writes.")
    parser.add_argument("--cuts", type=int, default=20, metavar="N", help="Power cuts (20).")
    cuts = parser.parse_args().cuts
    begun = time.monotonic()
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with Station(place / "honest") as honest, Station(place / "liar") as liar, Guest(POWERCUT) as guest:
            accused, late = _cuts(Drill(guest, honest, liar), cuts)
    print(f"honest drive: accused {accused} times in {cuts} cuts")
    print(f"lying drive: {late[0]} times caught, at cut {max(late[1], default=0)} at the latest")
    print(f"{time.monotonic() - begun:.0f} s")
    return int(accused > 0 or max(late[1], default=99) > 3)


def _cuts(drill: Drill, cuts: int) -> tuple[int, tuple[int, list[int]]]:
    """Cut and check.

    Return how often the honest drive was reported as lying, and after how many cuts the lying one was detected.
    """
    accused, caught = 0, list[int]()
    drill.boot()
    drill.write("HONEST", drill.honest)
    drill.write("LIAR", drill.liar)
    for number in range(1, cuts + 1):
        drill.cut()
        drill.boot()
        last = number == cuts
        kept = drill.check("HONEST", drill.honest)[1]
        accused += kept.cuts[-1].shows_loss
        print(_line("honest", number, kept.cuts[-1]), flush=True)
        lost: PowerCutRun = drill.check("LIAR", drill.liar)[1]
        found = lost.cuts[-1].shows_loss
        caught += [len(lost.cuts)] if found else []
        print(_line("liar", number, lost.cuts[-1], str(len(lost.cuts)) if found else ""), flush=True)
        if not last:
            drill.write("HONEST", drill.honest, "--resume", "last", "--cut-by", "plug")
            drill.write("LIAR", drill.liar, *(() if found else ("--resume", "last", "--cut-by", "plug")))
    return accused, (len(caught), caught)


def _line(drive: str, number: int, cut: Cut, caught: str = "") -> str:
    counted = "yes" if cut.counted else "no"
    flight = cut.ahead + cut.torn_in_flight
    return (
        f"{drive:8} {number:3}  {cut.verdict:13}  {counted:7}  {cut.acknowledged:12,}  {cut.ok:5,}  {flight:9,}  "
        f"{cut.lost:5,}  {cut.torn:5,}  {caught}"
    ).rstrip()


if __name__ == "__main__":
    sys.exit(main())
