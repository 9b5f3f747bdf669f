"""The served model: protocol, switches, and that no reply is early."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from raidctl.bench.estimators import commits
from raidctl.bench.model import nbd, serve
from raidctl.bench.model.device import Device, Plan
from tests.bench.served_model import ROOT, Client, prompt, serving
from tests.bench.virtual_clock import Clock

MIB = 1 << 20
ATTEMPTS = 20
"""Most times that a model is stopped until a reply is late."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a path short enough for a socket. This process has real-time priority."""
    place = Path("/tmp") / f"model-{os.getpid()}-{time.monotonic_ns()}"  # noqa: S108 - a socket's path has 108 bytes
    place.mkdir(mode=0o700)
    (tmp_path / "sockets").symlink_to(place)
    with prompt():
        yield place
    for left in place.iterdir():
        left.unlink()
    place.rmdir()


def commit_ends(client: Client, count: int) -> list[int]:
    """The beginning of commits of one block, and their ends, in ns."""
    ends = [time.monotonic_ns()]
    for number in range(count):
        client.write(MIB, bytes([number % 256]) * 4096)
        client.flush()
        ends.append(time.monotonic_ns())
    return ends


def seconds(ends: list[int]) -> float:
    """Seconds from the beginning of the first to the end of the last."""
    return (ends[-1] - ends[0]) / 1e9


@pytest.mark.parametrize(("kind", "rpm"), [("write-through", 15000), ("volatile", 7200)])
def test_no_reply_is_early(folder: Path, kind: str, rpm: int) -> None:
    """No commit on a platter ends before its block passes the head again."""
    with serving(folder, "--kind", kind, "--rpm", str(rpm)) as model:
        ends = commit_ends(model.client(), 80)
    assert seconds(ends) >= (len(ends) - 2) * 60 / rpm


def test_commits_wait_for_the_platter_while_the_policy_is_write_through(folder: Path) -> None:
    """The switch changes the served array's policy, and changes it back."""
    with serving(folder, "--kind", "battery", "--rpm", "300") as model:
        client = model.client()
        model.say("policy write-through")
        through = seconds(commit_ends(client, 4))
        assert model.say("status")["write_back"] is False
        model.say("policy write-back")
        assert model.say("status")["write_back"] is True
        commit_ends(client, 100)
    assert through >= 3 * 60 / 300


@pytest.mark.parametrize("which", [nbd.Command.WRITE, nbd.Command.FLUSH])
@pytest.mark.parametrize("late_ms", range(1, 20))
def test_a_late_reply_on_one_socket_shortens_no_commit_on_the_other(
    folder: Path, monkeypatch: pytest.MonkeyPatch, which: nbd.Command, late_ms: int
) -> None:
    """No commit is due before a revolution is over. Writes are on one socket, and flushes on the other."""
    clock = Clock()
    monkeypatch.setattr(serve, "time", SimpleNamespace(monotonic=lambda: clock.now))
    server = serve.Server(Device(Plan(kind="volatile", rpm=7200, latency=0.004)), folder / "nbd")
    with socket.socket(socket.AF_UNIX) as first, socket.socket(socket.AF_UNIX) as second:
        served: list[serve.Client] = []
        for raw in (first, second):
            raw.connect(os.fspath(folder / "nbd"))
            server._turn()
            served += server._clients.difference(served)

        def commit(late: nbd.Command | None = None) -> float:
            """When its flush is due. One reply is late."""
            for client, command in zip(served, (nbd.Command.WRITE, nbd.Command.FLUSH), strict=True):
                server._carry_out(client, nbd.Request(command, 7, MIB, 4096, durable=False, data=bytes(4096)))
                due = server._due[0][0]
                clock.now = max(clock.now, due + (late_ms / 1000 if command is late else 0.0))
                server._turn()
            return due

        ends = [commit(), commit(which), *(commit() for _ in range(5))]
    server.stop()
    server.run()
    assert min(commits.intervals_ms([round(end * 1e9) for end in ends])) > 0.999 * 1000 / 120


def test_a_power_cut_drops_connections_and_volatile_data(folder: Path) -> None:
    """After the cut the connection is closed. A lying drive has lost its flushed data."""
    with serving(folder, "--kind", "lying", "--destage", "1MB/s", "--hold", "3600") as model:
        client = model.client()
        client.write(4096, b"x" * 4096)
        client.flush()
        assert model.say("power-cut") == {"lost_pages": 1}
        with pytest.raises(OSError, match=r"closed|reset|pipe"):
            client.read(4096, 4096)
        assert model.client().read(4096, 4096) == bytes(4096)


def test_missing_switches_are_refused_with_a_message(folder: Path) -> None:
    """Unknown commands and missing switches are refused, and the model continues."""
    with serving(folder, "--kind", "volatile") as model:
        with pytest.raises(ValueError, match="supported: status"):
            model.say("explode")
        with pytest.raises(ValueError, match="no controller"):
            model.say("policy write-back")
        with pytest.raises(ValueError, match="reads ahead"):
            model.say("read-ahead on")
        assert model.say("status")["kind"] == "volatile"


def test_invalid_requests_are_refused_and_the_connection_continues(folder: Path) -> None:
    """Requests beyond the end or of no length are errors. The next one succeeds."""
    with serving(folder, "--kind", "battery") as model:
        client = model.client()
        with pytest.raises(OSError, match="No space left"):
            client.write(client.size - 512, bytes(1024))
        with pytest.raises(OSError, match="Invalid argument"):
            client.read(client.size, 512)
        with pytest.raises(OSError, match="Invalid argument"):
            client.read(0, 0)
        client.write(0, b"y" * 512, durable=True)
        assert client.read(0, 512) == b"y" * 512


def test_a_layer_that_drops_flushes_loses_what_an_honest_drive_keeps(folder: Path) -> None:
    """Without the layer a flush makes the data durable. With it, even a durable write is lost."""
    with serving(folder, "--kind", "volatile", "--destage", "1MB/s", "--hold", "3600") as model:
        raw = model.client()
        raw.write(4096, b"x" * 4096)
        raw.flush()
        assert model.say("power-cut") == {"lost_pages": 0}
        through = Client(model.dropping)
        through.write(8192, b"y" * 4096, durable=True)
        through.flush()
        through.close()
        assert model.say("power-cut") == {"lost_pages": 1}


def test_garbage_ends_only_its_connection(folder: Path) -> None:
    """Bytes that are not NBD close their connection at any stage. Other connections continue."""
    with serving(folder, "--kind", "battery") as model:
        good = model.client()
        for garbage in (b"GET / HTTP/1.0\r\n\r\n" * 3, struct.pack(">I", 3) + b"\xff" * 64):
            with socket.socket(socket.AF_UNIX) as raw:
                raw.connect(os.fspath(model.socket))
                raw.settimeout(60)
                raw.sendall(garbage)
                received = b"".join(iter(lambda: raw.recv(4096), b""))
            assert received.startswith(nbd.GREETING)
        bad = model.client()
        bad._socket.sendall(b"\0" * 28)
        assert bad._socket.recv(10) == b""
        assert good.read(0, 512) == bytes(512)


def test_a_stopped_host_is_reported(folder: Path) -> None:
    """A model stopped for longer than a reply reports it until reset."""
    with serving(folder, "--kind", "write-through", "--rpm", "100") as model:
        client = model.client()
        # on a busy machine all replies may be due before it is stopped
        for _ in range(ATTEMPTS):
            # several places of a track, so that some of them are still to come when it is stopped
            for place in range(0, 8 << 22, 1 << 22):
                head = struct.pack(">IHHQQI", nbd.REQUEST_MAGIC, 0, nbd.Command.WRITE, 7, place, 512)
                client._socket.sendall(head + bytes(512))
            model.say("status")
            model.process.send_signal(signal.SIGSTOP)
            time.sleep(0.5)
            model.process.send_signal(signal.SIGCONT)
            assert client._take(8 * 16)
            found = model.say("status")["lateness"]
            # a busy machine is late with some replies without a stop, but by much less
            if found["host_too_slow"] and found["worst_ms"] > 100:
                break
        assert found["worst_ms"] > 100
        assert found["host_too_slow"]
        model.say("reset")
        assert not model.say("status")["lateness"]["host_too_slow"]


@pytest.mark.slow
def test_another_client_understands_the_server(folder: Path) -> None:
    """qemu-io writes with and without FUA, flushes, and reads back."""
    with serving(folder, "--kind", "volatile") as model:
        words = [
            *("write -P 0xab 1M 64k", "write -f -P 0xcd 2M 4k", "flush"),
            *("read -P 0xab 1M 64k", "read -P 0xcd 2M 4k", "read -P 0 3M 4k"),
        ]
        command = ["qemu-io", "-f", "raw", *(part for word in words for part in ("-c", word))]
        done = subprocess.run(
            [*command, f"nbd+unix:///?socket={model.socket}"], capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 0, done.stderr
    assert "Pattern verification failed" not in done.stdout
    assert done.stdout.count(" ops; ") == 5


def test_many_simultaneous_requests_are_all_replied_to(folder: Path) -> None:
    """64 writes, sent without waiting, have one reply each, by their handles."""
    with serving(
        folder, "--kind", "write-through", "--rpm", "15000", "--raid-level", "raid0", "--drives", "4"
    ) as model:
        client, count = model.client(), 64
        for handle in range(count):
            head = struct.pack(">IHHQQI", nbd.REQUEST_MAGIC, 0, nbd.Command.WRITE, handle, handle * 65536, 4096)
            client._socket.sendall(head + bytes([handle]) * 4096)
        handles = {struct.unpack(">IIQ", client._take(16))[1:] for _ in range(count)}
        assert handles == {(0, handle) for handle in range(count)}
        assert all(client.read(handle * 65536, 4096) == bytes([handle]) * 4096 for handle in range(count))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_leaves_no_socket_behind(folder: Path, number: signal.Signals) -> None:
    """A signal ends it with exit code 0, and removes its sockets."""
    with serving(folder, "--kind", "battery") as model:
        process = model.process
        process.send_signal(number)
        assert process.wait(60) == 0
        assert not model.socket.exists()


def test_a_socket_in_use_is_refused_and_a_dead_one_replaced(folder: Path) -> None:
    """A second server on the same socket is refused. After one was killed, the next one starts."""
    with serving(folder, "--kind", "battery") as model:
        command = [sys.executable, "-m", "raidctl.bench.model", "--kind", "battery", "--socket", str(model.socket)]
        again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
        assert (again.returncode, again.stderr.count("is being served already")) == (2, 1)
        model.process.kill()
        model.process.wait(60)
    with serving(folder, "--kind", "battery") as model:
        assert model.client().read(0, 512) == bytes(512)


def test_an_array_that_cannot_be_built_is_refused(folder: Path) -> None:
    """Two drives make no RAID-5: exit code 2 and a message."""
    command = [
        sys.executable,
        "-m",
        "raidctl.bench.model",
        "--kind",
        "battery",
        "--raid-level",
        "raid5",
        "--drives",
        "2",
    ]
    done = subprocess.run(
        [*command, "--socket", str(folder / "nbd")], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (2, "raidctl.bench.model: raid5 cannot be made of 2 drives\n")
