"""Boot a machine of the lab for a person; see docs/lab.md."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path

from tests.lab.guest import PYTHONPATH, Guest
from tests.lab.kernel import fetch
from tests.lab.machine import Machine
from tests.lab.packages import lvm
from tests.lab.places import CHECKOUT, LabError
from tests.lab.recording import RECORDED, record


def machines() -> dict[str, Machine]:
    """All machines of the lab, by name. Each file machines*.py in this folder has some in its tuple MACHINES."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("machines*.py"))
    modules = [importlib.import_module(f"tests.lab.{name}") for name in names]
    return {machine.name: machine for module in modules for machine in module.MACHINES}


def main(words: list[str]) -> int:
    """Run the command line; returns the exit code."""
    own, command = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    parser = argparse.ArgumentParser(
        prog="python -m tests.lab",
        description=__doc__,
        epilog="NAME -- COMMAND runs one command, prints what it says, and powers off.",
    )
    parser.add_argument("name", nargs="?", help="the machine to boot with a shell; without it, the machines are listed")
    parser.add_argument(
        "--fetch", action="store_true", help="download the distribution's kernel and LVM, unless they are here"
    )
    parser.add_argument(
        "--record", action="store_true", help="record the machines of the tests that come from the lab again"
    )
    arguments = parser.parse_args(own)
    if arguments.fetch:
        print(fetch().tree, lvm())  # noqa: T201  the answer
        return 0
    if arguments.record:
        for name in RECORDED:
            print(record(name, machines()))  # noqa: T201  the answer
        return 0
    if arguments.name is None:
        for machine in machines().values():
            print(f"{machine.name:16} {machine.title}")  # noqa: T201  the answer
        return 0
    chosen = machines().get(arguments.name)
    if chosen is None:
        parser.error(f"there is no machine {arguments.name}; without a name, they are listed")
    return once(chosen, command) if command else shell(chosen)


def once(machine: Machine, command: list[str]) -> int:
    """Run one command in a machine with new drives."""
    with Guest(machine) as guest:
        done = guest.boot().run(command, env=ENVIRONMENT, cwd=str(CHECKOUT), timeout=600, check=False)
        sys.stdout.buffer.write(done.out)
        sys.stderr.buffer.write(done.err)
        return done.rc


def shell(machine: Machine) -> int:
    """Run a shell on this terminal; the machine ends with it."""
    sys.stderr.write(f"booting {machine.name}; Ctrl-A X ends it\n")
    with Guest(machine) as guest:
        guest.boot(terminal=True)
        return guest.shell(ENVIRONMENT, str(CHECKOUT))


# `raidctl` is this checkout's
ENVIRONMENT = {
    **PYTHONPATH,
    "PATH": f"{Path(sys.executable).parent}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "TERM": os.environ.get("TERM", "linux"),
}


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except LabError as error:
        sys.exit(f"python -m tests.lab: {error}")
