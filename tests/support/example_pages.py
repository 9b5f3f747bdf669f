"""The reports that the manual's site shows, made of recorded machines when the site is built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = {
    "battery": (
        "The report of a server whose cache battery has failed",
        ("--replay", "fixtures/adaptec-5405-failed-battery", "report"),
    ),
    "promise": (
        "The answer to a provider: four claims of the contract fail",
        ("--replay", "fixtures/smartarray-p400", "report", "--contract", "docs/examples/contract.toml"),
    ),
}  # fmt: skip
"""By name: what it shows, and the command line from the top of the repository."""


def write(place: Path) -> None:
    """Write each of them as NAME.html into a directory.

    Raises:
        RuntimeError: A page was not written.
    """
    place = place.absolute()
    place.mkdir(parents=True, exist_ok=True)
    for name, (_, words) in EXAMPLES.items():
        file = place / f"{name}.html"
        program = [sys.executable, "-m", "raidctl", *words, "--output", str(file)]
        done = subprocess.run(program, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 1) or not file.exists():  # 1: a claim of the contract fails
            raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
