"""The cost of a start of raidctl, compared with importing its packages. Both run in turn.

    python benchmarks/startup.py [--quick]

``--version`` and ``--help`` are compared with ``python -c "import click"``; a screen (of a recorded machine, and of
this one, best without a controller) with ``python -c "import click, rich, msgspec, pyudev"``. The goals are for
processor time, which varies less than wall time with other work on the machine. Run it with the Python of the
environment that raidctl is installed in; an editable install costs both sides more.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path

from report import Case, options, report

RECORDING = Path(__file__).resolve().parents[1] / "fixtures" / "smartarray-gen9-degraded"
CLICK = "import click"
SCREEN = "import click, rich, msgspec, pyudev"


@dataclass(frozen=True)
class Took:
    """Wall and processor seconds of one call."""

    wall: float
    processor: float


def run(argv: list[str]) -> Took:
    """Run a command with byte code enabled. It must exit with 0, 3 or 4, the exit codes of a screen."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    with Path(os.devnull).open("wb") as nothing:
        actions = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), number) for number in (1, 2)]
        child = os.posix_spawn(argv[0], argv, environment, file_actions=actions)
        _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3, 4):
        sys.exit(f"{' '.join(argv)} ended with {os.waitstatus_to_exitcode(status)}.")
    return Took(time.perf_counter() - start, usage.ru_utime + usage.ru_stime)


def main() -> None:
    """Measure and print."""
    rounds = 11 if options(__doc__).parse_args().quick else 41
    raidctl = shutil.which("raidctl", path=sysconfig.get_path("scripts"))
    if raidctl is None:
        sys.exit("raidctl is not installed in this environment: pip install . first")
    cases: list[Case] = []
    for name, words, imports, goal in (
        ("version", ["--version"], CLICK, "<=1.1"),
        ("help", ["--help"], CLICK, ""),
        ("show_recorded", ["--replay", str(RECORDING), "show"], SCREEN, "<=2.0"),
        ("show", ["show"], SCREEN, "<=2.0"),
    ):
        ours, peer = [raidctl, *words], [sys.executable, "-c", imports]
        run(ours)  # byte code is written once
        pairs = [(run(ours), run(peer)) for _ in range(rounds)]
        for kind, limit in (("processor", goal), ("wall", "")):
            ratio = statistics.median(getattr(one, kind) / getattr(other, kind) for one, other in pairs)
            cases.append(Case(f"{name}/{kind}_ratio", ratio, "ratio", f"python -c '{imports}'", limit))
        milliseconds = [statistics.median(took.processor for took in side) * 1000 for side in zip(*pairs, strict=True)]
        print(f"raidctl {' '.join(words)}: {milliseconds[0]:.0f} ms; {imports}: {milliseconds[1]:.0f} ms")
    report("startup", cases)


if __name__ == "__main__":
    main()
