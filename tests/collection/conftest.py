"""Three machines for Ansible: real ssh servers, with simulated tools behind them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from raidctl.simulation.executables import Tools, install
from tests.runners.conftest import Server, program

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(sys.executable).parent
"""Where Ansible and raidctl are."""
SUDO = """#!/bin/sh
# as sudo -H -S -n -u USER COMMAND...
while [ "$1" != /bin/sh ]; do shift; done
PATH={programs}:$PATH exec "$@"
"""


@dataclass
class Played:
    """A run of a playbook."""

    code: int
    printed: str
    results: list[dict[str, Any]]

    def of(self, task: str) -> dict[str, dict[str, Any]]:
        """The result of each host in a task."""
        found = {one["host"]: one for one in self.results if one["task"] == task}
        assert found, self.printed
        return found

    def changed(self) -> list[str]:
        """Hosts and tasks that changed something."""
        return sorted(f"{one['host']}: {one['task']}" for one in self.results if one.get("changed"))


@dataclass
class Site:
    """An inventory, and what runs playbooks on it."""

    place: Path
    tools: dict[str, Tools] = field(default_factory=dict)
    servers: list[Server] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def add(self, name: str, *options: str, variables: str = "") -> Server:
        """Add a host: an ssh server with options, and its inventory line."""
        place = self.place / name
        place.mkdir(exist_ok=True)
        server = Server(place, options=options)
        server.start()
        self.servers.append(server)
        sudo = executable(place / "sudo", SUDO.format(programs=shlex.quote(str(place / "behind"))))
        become = f"ansible_become_exe={sudo} ansible_become_user=storage"
        where = f"ansible_host=127.0.0.1 ansible_port={server.port} ansible_ssh_common_args='-F {place}/config'"
        self.lines.append(f"{name} {where} {become} {variables}".rstrip())
        return server

    def play(self, text: str, *words: str, limit: str = "all") -> Played:
        """Run a playbook."""
        (self.place / "play.yml").write_text(text)
        (self.place / "hosts").write_text("\n".join(("[servers]", *self.lines)) + "\n")
        results = self.place / "results"
        results.write_text("")
        (self.place / "ansible.cfg").write_text("[defaults]\n")
        ansible = PROGRAMS / "ansible-playbook"
        if not ansible.exists():
            pytest.fail("ansible-core is missing: pip install 'raidctl[ansible]'")
        with tempfile.TemporaryDirectory(prefix="ra") as short:  # a socket's name may have 107 bytes
            done = subprocess.run(
                [ansible, "-i", "hosts", "--limit", limit, *words, "play.yml"], cwd=self.place,
                env=self.environment(short), capture_output=True, text=True, check=False,
            )  # fmt: skip
            close(Path(short))
        lines = [json.loads(line) for line in results.read_text().splitlines()]
        return Played(done.returncode, done.stdout + done.stderr, lines)

    def environment(self, short: str) -> dict[str, str]:
        """The variables of Ansible. They keep it from everything that belongs to the user."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")},
            "ANSIBLE_HOME": str(self.place / "home"),
            "ANSIBLE_CONFIG": str(self.place / "ansible.cfg"),
            "ANSIBLE_COLLECTIONS_PATH": str(self.place / "collections"),
            "ANSIBLE_CALLBACK_PLUGINS": str(Path(__file__).parent / "callbacks"),
            "ANSIBLE_CALLBACKS_ENABLED": "record_results",
            "ANSIBLE_SSH_CONTROL_PATH_DIR": short,
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "true",
            "RESULTS": str(self.place / "results"),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
            "HOME": str(self.place),
        }


def executable(path: Path, text: str) -> Path:
    """Write a program."""
    path.write_text(text)
    path.chmod(0o755)
    return path


def close(place: Path) -> None:
    """End the connections that Ansible leaves open."""
    for socket in place.iterdir():
        subprocess.run(
            [program("ssh", "openssh-client"), "-o", f"ControlPath={socket}", "-O", "exit", "x"],
            capture_output=True,
            check=False,
        )


def through(words: str) -> str:
    """A line for sshd that does something before every command."""
    return f'ForceCommand {words}; eval "$SSH_ORIGINAL_COMMAND"'


def linked(place: Path) -> Site:
    """A site that uses the collection of this checkout."""
    (place / "collections/ansible_collections/raidctl").mkdir(parents=True)
    (place / "collections/ansible_collections/raidctl/raid").symlink_to(ROOT / "ansible")
    return Site(place)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two machines with a controller, and one with other tools. One of the two needs become to see its controller."""
    made = linked(tmp_path_factory.mktemp("site"))
    for name, demo, controller in (
        ("db1", "p400", "smartarray:1"), ("db2", "p400", "smartarray:1"), ("db3", "h730", "megaraid:0"),
    ):  # fmt: skip
        variables = f"storage_controller={controller} raidctl_journals={made.place}/journals"
        tools = made.tools[name] = install(demo, made.place / name)
        if name == "db2":  # its tools are only there for another user
            (made.place / name / "behind").symlink_to(tools.programs)
            made.add(name, variables=variables)
        else:
            made.add(name, through(f"PATH={tools.programs}:$PATH; export PATH"), variables=variables)
    yield made
    for server in made.servers:
        server.stop()


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Site]:
    """A site without a host, for a test that adds its own."""
    made = linked(tmp_path)
    yield made
    for server in made.servers:
        server.stop()
