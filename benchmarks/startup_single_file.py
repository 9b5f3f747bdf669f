"""The cost of a start of the single file. Each is compared with a start of raidctl from this environment.

    python benchmarks/startup_single_file.py [--quick]

It builds the file (dist/raidctl.pyz) with this Python, and runs both with it. The first start, which unpacks, is
measured once and is not a ratio; the others are pairs. Install raidctl without ``--editable``, whose import hook costs
time.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from report import Case, options, report
from startup import RECORDING, run

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "dist" / "raidctl.pyz"


def main() -> None:
    """Build, measure and print."""
    rounds = 11 if options(__doc__).parse_args().quick else 41
    raidctl = shutil.which("raidctl", path=sysconfig.get_path("scripts"))
    if raidctl is None:
        sys.exit("raidctl is not installed in this environment: pip install . first")
    subprocess.run([ROOT / "packaging" / "single-file", "--output", FILE], check=True,
                   env={**os.environ, "PYTHON": sys.executable})  # fmt: skip
    cases = [Case("size", FILE.stat().st_size / 1e6, "MB", "the goal", "<=4.0")]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["RAIDCTL_CACHE"] = cache
        file, venv = [sys.executable, "-I", str(FILE)], [sys.executable, "-I", raidctl]
        cases.append(Case("first_start/wall", run([*file, "--version"]).wall, "s", "nothing", ""))
        for name, words in (("version", ["--version"]), ("show_recorded", ["--replay", str(RECORDING), "show"])):
            run([*file, *words])  # byte code is written once
            run([*venv, *words])
            pairs = [(run([*file, *words]), run([*venv, *words])) for _ in range(rounds)]
            for kind, limit in (("processor", "<=1.3"), ("wall", "")):
                ratio = statistics.median(getattr(one, kind) / getattr(other, kind) for one, other in pairs)
                cases.append(Case(f"{name}/{kind}_ratio", ratio, "ratio", "the virtual environment", limit))
            seconds = statistics.median(one.wall for one, _ in pairs)
            cases.append(Case(f"{name}/wall", seconds, "s", "the goal", "<=0.5"))
    report("startup_single_file", cases)


if __name__ == "__main__":
    main()
