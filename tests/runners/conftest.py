"""A real sshd on the loopback address, with separate keys."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from raidctl.request import Runner
from raidctl.runners.local import LocalRunner
from raidctl.runners.ssh import SshRunner

SBIN = "/usr/sbin:/sbin:/usr/bin:/bin"


def program(name: str, package: str) -> str:
    """The path of a program that these tests cannot do without. Its absence is a failure, not a skip."""
    path = shutil.which(name, path=SBIN)
    if path is None:
        pytest.fail(f"{name} is missing: install the Debian package {package} (tests/run does)")
    return path


def free_port() -> int:
    """A free port of the loopback address.

    It is below those that the kernel gives to other connections, one of which could take it before its server does.
    """
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = secrets.randbelow(max(first, 10_000) - 1024) + 1024
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


@contextmanager
def refusing_port() -> Iterator[int]:
    """A port of the loopback address that refuses connections, reserved for this test."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        yield deaf.getsockname()[1]


class Server:
    """A running sshd and what a client needs to reach it."""

    def __init__(self, place: Path, *, options: Sequence[str] = ()) -> None:
        """Make keys and configuration in ``place``. ``options`` are lines for sshd, before all others."""
        self.place = place
        self.port = free_port()
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None
        keygen = program("ssh-keygen", "openssh-client")
        for name in ("host", "user"):
            subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", place / name], check=True)
        (place / "authorized").write_bytes((place / "user.pub").read_bytes())
        host_key = " ".join((place / "host.pub").read_text().split()[:2])
        (place / "known").write_text(f"[127.0.0.1]:{self.port} {host_key}\n")
        (place / "config").write_text(
            f"Host *\n Port {self.port}\n User {pwd.getpwuid(os.geteuid()).pw_name}\n IdentitiesOnly yes\n"
            f" IdentityAgent none\n IdentityFile {place}/user\n UserKnownHostsFile {place}/known\n"
            f" GlobalKnownHostsFile /dev/null\n"
        )

    def start(self) -> None:
        """Start it, and wait until it listens."""
        sshd = program("sshd", "openssh-server")
        if os.geteuid() == 0:  # sshd refuses to start as root without the directory of its unprivileged half
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        (self.place / "sshd").write_text(
            "\n".join(
                (
                    *self.options,
                    f"ListenAddress 127.0.0.1:{self.port}",
                    f"HostKey {self.place}/host",
                    f"AuthorizedKeysFile {self.place}/authorized",
                    "PidFile none",
                    f"SetEnv HOME={self.place}",  # what the user's own shell reads at its start has no part in this
                    "StrictModes no",
                    "UsePAM no",
                    "PermitRootLogin yes",
                    "PasswordAuthentication no",
                    "",
                )
            )
        )
        with (self.place / "log").open("wb") as log:
            self.process = subprocess.Popen([sshd, "-D", "-e", "-f", self.place / "sshd"], stderr=log)
        for _ in range(3000):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        pytest.fail(f"sshd did not start: {(self.place / 'log').read_text()}")

    def stop(self) -> None:
        """End it; open connections stay."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)
            self.process = None

    def runner(self, *, sudo: bool = False) -> SshRunner:
        """A runner that leaves the user's own ssh configuration alone."""
        return SshRunner("127.0.0.1", ("-F", str(self.place / "config")), sudo=sudo)

    def connections(self) -> int:
        """How many times somebody has logged in."""
        return (self.place / "log").read_text().count("Accepted publickey")


@contextmanager
def serving(place: Path, *, options: Sequence[str] = ()) -> Iterator[Server]:
    """A separate server for a test that changes or ends it."""
    server = Server(place, options=options)
    server.start()
    try:
        yield server
    finally:
        server.stop()


MakeServer = Callable[..., Server]


@pytest.fixture
def make_server(tmp_path: Path) -> Iterator[MakeServer]:
    """Makes servers with given lines of configuration; they end with the test."""
    servers: list[Server] = []

    def make(*options: str) -> Server:
        place = tmp_path / f"sshd-{len(servers)}"
        place.mkdir()
        servers.append(Server(place, options=options))
        servers[-1].start()
        return servers[-1]

    yield make
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that leave it as it is."""
    with serving(tmp_path_factory.mktemp("sshd")) as running:
        yield running


@pytest.fixture(scope="session")
def ssh_runner(server: Server) -> Iterator[SshRunner]:
    """One connection for all tests that leave it as it is."""
    with server.runner() as runner:
        yield runner


@pytest.fixture(params=["local", pytest.param("ssh", marks=pytest.mark.slow)])
def runner(request: pytest.FixtureRequest) -> Runner:
    """Each runner in turn. The same requests give the same answers on all of them."""
    if request.param == "local":
        return LocalRunner()
    found: SshRunner = request.getfixturevalue("ssh_runner")
    return found
