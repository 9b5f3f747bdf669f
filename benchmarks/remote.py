"""The cost of ``--host`` and ``--hosts``, compared with a bare ssh. All go to the same servers in turn.

    python benchmarks/remote.py [--quick] [--hosts 30] [--jobs 10]

Starts OpenSSH servers on the loopback address, with new keys. ``raidctl --host HOST show`` is compared with
``ssh HOST true``, and ``--hosts`` with ``xargs -P JOBS ssh HOST true``. Servers and clients share the processors of
this machine, so the figures are upper bounds; only the ratios count. Needs openssh-server, and the Python of the
environment that raidctl is installed in.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import partial
from pathlib import Path

from report import Case, options, ratio, report

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.runners.conftest import Server

SERVERS = 3


def run(argv: list[str], text: str = "") -> None:
    """Run a command. Exit codes 0, 3 and 4 of a screen are valid."""
    done = subprocess.run(argv, input=text, stdout=subprocess.DEVNULL, text=True, check=False)
    if done.returncode not in (0, 3, 4):
        sys.exit(f"{' '.join(argv)} ended with {done.returncode}.")


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--hosts", type=int, default=30, help="number of hosts (30)")
    parser.add_argument("--jobs", type=int, default=10, help="hosts at a time (10)")
    given = parser.parse_args()
    raidctl = shutil.which("raidctl", path=sysconfig.get_path("scripts"))
    if raidctl is None:
        sys.exit("raidctl is not installed in this environment: pip install . first")
    with tempfile.TemporaryDirectory() as place:
        servers = []
        for number in range(SERVERS):
            folder = Path(place) / str(number)
            folder.mkdir()
            servers.append(Server(folder, options=("MaxStartups 200",)))
            servers[-1].start()
        try:
            report("remote", measured(raidctl, servers, Path(place), given.hosts, given.jobs, quick=given.quick))
        finally:
            for server in servers:
                server.stop()


def measured(raidctl: str, servers: list[Server], place: Path, number: int, jobs: int, *, quick: bool) -> list[Case]:
    """The two ratios."""
    configs = [str(server.place / "config") for server in servers]
    lines = [
        f"h{index} ansible_host=127.0.0.1 ansible_ssh_common_args='-F {configs[index % SERVERS]}'"
        for index in range(number)
    ]
    # a client with the configuration of these servers, first on the PATH of both sides
    (place / "bin").mkdir()
    (place / "bin" / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {configs[0]} "$@"\n')
    (place / "bin" / "ssh").chmod(0o755)
    path = f"PATH={place}/bin:{os.environ['PATH']}"
    (place / "many").write_text("\n".join(lines) + "\n")
    peers = "\n".join(configs[index % SERVERS] for index in range(number))
    one = ["env", path, raidctl, "--host", "127.0.0.1", "show"]
    bare = ["env", path, "ssh", "127.0.0.1", "true"]
    many = [raidctl, "--hosts", str(place / "many"), "--jobs", str(jobs), "show"]
    xargs = ["xargs", "-P", str(jobs), "-I{}", "ssh", "-F", "{}", "127.0.0.1", "true"]
    run(one)  # byte code is written once
    cases = []
    for name, ours, peer, text, rounds, goal in (
        ("one_host", one, bare, "", 9 if quick else 25, "<=3.0"),
        (f"{number}_hosts", many, xargs, peers, 3 if quick else 7, ""),
    ):
        value, mine, others = ratio(partial(run, ours), partial(run, peer, text), rounds)
        what = "ssh HOST true" if ours is one else f"xargs -P {jobs} ssh HOST true"
        print(f"{name}: raidctl {mine:.2f} s, {what} {others:.2f} s")
        cases.append(Case(f"{name}/wall_ratio", value, "ratio", what, goal))
    return cases


if __name__ == "__main__":
    main()
