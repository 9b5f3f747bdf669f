"""Reports for the manual's site, of recorded machines and invented runs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
from msgspec.structs import replace

from raidctl.bench.record import Run
from raidctl.bench.result import Spread
from tests.bench.bench_runs import run, session, trials

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
    "measured": (
        "Two runs of the benchmark side by side (invented figures)",
        ("--replay", "fixtures/host-vm-virtio", "report", "--run", "before.json", "--run", "after.json"),
    ),
}
"""By name: what it shows, and the command line."""


def write(place: Path) -> None:
    """Write each of them as NAME.html into a directory.

    Raises:
        RuntimeError: A page was not written.
    """
    place = place.absolute()
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as here:  # the pages name what they were made of
        for name in ("fixtures", "docs"):
            (Path(here) / name).symlink_to(ROOT / name)
        for name, share in (("before", 1.0), ("after", 0.25)):
            (Path(here) / f"{name}.json").write_bytes(msgspec.json.encode(measured(name, share)))
        for name, (_, words) in EXAMPLES.items():
            file = place / f"{name}.html"
            program = [sys.executable, "-m", "raidctl", *words, "--output", str(file)]
            done = subprocess.run(program, cwd=here, stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode not in (0, 1, 3) or not file.exists():  # 1 and 3: a claim fails, or is unknown
                raise RuntimeError(f"{' '.join(words)}: {done.stderr}")


def measured(label: str, share: float) -> Run:
    """A run whose rates are a share of the usual ones."""
    results = [
        replace(one, figures={name: _scaled(figure, share) for name, figure in one.figures.items()}) for one in trials()
    ]
    return run(label=label, session=session(results=tuple(results)))


def _scaled(figure: Spread, share: float) -> Spread:
    if figure.measured is None or figure.low is None or figure.high is None:
        return figure
    return replace(figure, measured=figure.measured * share, low=figure.low * share, high=figure.high * share)
