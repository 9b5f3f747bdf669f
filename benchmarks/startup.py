"""What a start of raidctl costs: ``raidctl --version`` against ``python -c "import click"``, in turn.

    python benchmarks/startup.py [--quick]

Run it with the Python of the environment that raidctl is installed in.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig

from report import Case, options, ratio, report


def main() -> None:
    """Measure and print."""
    rounds = 11 if options(__doc__).parse_args().quick else 41
    raidctl = shutil.which("raidctl", path=sysconfig.get_path("scripts"))
    if raidctl is None:
        sys.exit("raidctl is not installed in this environment: pip install . first")
    python = sys.executable

    def run(*argv: str) -> None:
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)

    run(raidctl, "--version")  # byte code is written once
    version, ours, theirs = ratio(lambda: run(raidctl, "--version"), lambda: run(python, "-c", "import click"), rounds)
    shown, help_seconds, _ = ratio(lambda: run(raidctl, "--help"), lambda: run(python, "-c", "import click"), rounds)
    took = {"raidctl --version": ours, "raidctl --help": help_seconds, "import click": theirs}
    print(", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in took.items()))
    report(
        "startup",
        [
            Case("version/wall_ratio", version, "ratio", "python -c 'import click'", "<=1.5"),
            Case("help/wall_ratio", shown, "ratio", "python -c 'import click'", ""),
        ],
    )


if __name__ == "__main__":
    main()
