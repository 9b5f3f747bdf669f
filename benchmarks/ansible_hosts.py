"""The cost of ``raid_info`` of the Ansible collection on many hosts. Runs alternate with those of ``raw: "true"``.

    python benchmarks/ansible_hosts.py [--quick] [--hosts 50] [--forks 10]

Starts OpenSSH servers on the loopback address, with new keys; each host of the inventory is one of them, with a
separate connection, which is closed between the runs. Servers and control node share the processors of this machine,
so the ratio is an upper bound. Nearly all of the time is spent on this machine. Needs openssh-server and ansible-core.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from report import Case, options, ratio, report

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.collection.conftest import PROGRAMS, Site, close, linked

SERVERS = 5
PLAY = "- hosts: all\n  gather_facts: false\n  tasks:\n    - {task}\n"
TASKS = {"info": "raidctl.raid.raid_info:", "raw": 'raw: "true"'}


def run(site: Site, task: str, forks: int) -> None:
    """Play a task on all hosts, over new connections."""
    with tempfile.TemporaryDirectory(prefix="ra") as short:
        done = subprocess.run(
            [PROGRAMS / "ansible-playbook", "-i", "hosts", "-f", str(forks), f"{task}.yml"], cwd=site.place,
            env=site.environment(short), capture_output=True, text=True, check=False,
        )  # fmt: skip
        close(Path(short))
    if done.returncode:
        sys.exit(f"{task} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--hosts", type=int, default=50, help="number of hosts (50)")
    parser.add_argument("--forks", type=int, default=10, help="hosts at a time (10)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        site = linked(Path(place))
        try:
            report("ansible_hosts", [measured(site, given.hosts, given.forks, quick=given.quick)])
        finally:
            for server in site.servers:
                server.stop()


def measured(site: Site, number: int, forks: int, *, quick: bool) -> Case:
    """The ratio of the wall times."""
    for index in range(SERVERS):
        site.add(f"server{index}", "MaxStartups 200")
    # Ansible would use one connection for all hosts with the same address, port and user
    lines = [
        line.replace(f"server{index % SERVERS} ", f"h{index} ", 1) + f" ansible_control_path=%(directory)s/h{index}"
        for index in range(number)
        for line in [site.lines[index % SERVERS]]
    ]
    (site.place / "hosts").write_text("\n".join(lines) + "\n")
    (site.place / "ansible.cfg").write_text("[defaults]\ncallbacks_enabled=\n")
    for name, task in TASKS.items():
        (site.place / f"{name}.yml").write_text(PLAY.format(task=task))
    run(site, "info", forks)  # write the byte code once
    value, ours, bare = ratio(partial(run, site, "info", forks), partial(run, site, "raw", forks), 1 if quick else 3)
    print(f'{number} hosts, {forks} at a time: raid_info {ours:.2f} s, raw: "true" {bare:.2f} s')
    return Case(f"{number}_hosts/wall_ratio", value, "ratio", 'raw: "true"', "<=4.0")


if __name__ == "__main__":
    main()
