"""Writes the systemd units of a distribution's package.

packaging/units.py DIRECTORY [--options /etc/default/raidctl] [--prefix raidctl.]

They are the units of ``--install-unit``, but start ``/usr/bin/raidctl``, and read the options of watch and export from
an optional file that the administrator writes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "raidctl" / "data"
PROGRAM = "/usr/bin/raidctl"
NAMES = (
    "raidctl-restore.service", "raidctl-watch.service", "raidctl-watch.timer", "raidctl-export.service",
    "raidctl-export.timer",
)  # fmt: skip
METRICS = "/var/lib/prometheus/node-exporter"
"""The directory that Debian's and Fedora's node_exporter reads."""
DEFAULTS = {
    "raidctl-watch.service": ("RAIDCTL_WATCH", "watch --once", "--mail root"),
    "raidctl-export.service": ("RAIDCTL_EXPORT", "export", f"--rules --output {METRICS}/raidctl.prom"),
}
"""For each unit with options: their variable, the command, the default. The variable contains the options."""


def unit(name: str, template: str, options: str) -> str:
    """Return a unit for the installed program.

    Args:
        name: Its file.
        template: Its text in raidctl's data.
        options: The file with the options; it need not exist.
    """
    start = f"{PROGRAM} restore --wait 60"
    if name in DEFAULTS:
        variable, command, default = DEFAULTS[name]
        start = f"{PROGRAM} {command} ${variable}"
        settings = f'Environment="{variable}={default}"\nEnvironmentFile=-{options}\nExecStart='
        template = template.replace("ExecStart=", settings)
    for sign, word in {"@COMMAND@": start, "@STATE@": "/var/lib/raidctl", "@FILE@": METRICS}.items():
        template = template.replace(sign, word)
    return template


def units(options: str) -> dict[str, str]:
    """Return all units by name."""
    return {name: unit(name, (DATA / name).read_text(encoding="utf-8"), options) for name in NAMES}


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--options", default="/etc/default/raidctl", help="default: /etc/default/raidctl")
    parser.add_argument("--prefix", default="", help="of the names of the files, for debhelper")
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    for name, text in units(given.options).items():
        (given.directory / f"{given.prefix}{name}").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
