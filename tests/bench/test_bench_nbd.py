"""The benchmark measures exports of real NBD servers, also of faulty ones."""

from __future__ import annotations

import errno
import random
import socket
import struct
import threading
from array import array
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from raidctl.bench.blocks import Checker, State
from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.targets.nbd import NbdTarget, address_of
from raidctl.bench.work import Op, Samples, Stream, Work
from raidctl.errors import BenchError, UsageError
from tests.bench.nbd_server import nbdkit, uri
from tests.runners.conftest import free_port
from tests.support.waiting import PATIENCE, until

BLOCK = 4096
BLOCKS = 256
RUN = 77
MEMORY = ("memory", "1M")


def stream(ops: Sequence[Op], places: Sequence[int], *, depth: int = 1, cycle: bool = False) -> Stream:
    """Operations on blocks, given by number."""
    return Stream(
        ops=bytes(ops), offsets=array("Q", [at * BLOCK for at in places]), size=BLOCK, depth=depth, cycle=cycle
    )


def run(target: NbdTarget, what: Stream, **more: float) -> Samples:
    """Run one stream."""
    work = Work(streams=[what], run_id=RUN, **more)  # type: ignore[arg-type]  # verify is a flag, and a float here
    return PortableEngine().run(target, work).samples[0]


@pytest.mark.parametrize("depth", [1, 3, 32])
@pytest.mark.parametrize("op", [Op.WRITE, Op.WRITE_DURABLE])
def test_written_blocks_read_back(tmp_path: Path, depth: int, op: Op) -> None:
    """Blocks written through NBD verify at any depth, with and without FUA."""
    places = random.sample(range(BLOCKS), BLOCKS)
    with nbdkit(tmp_path, *MEMORY), NbdTarget(uri(tmp_path), write=True) as target:
        assert set(run(target, stream([op] * BLOCKS, places, depth=depth)).results) == {BLOCK}
        done = run(target, stream([Op.READ] * BLOCKS, places, depth=depth), verify=True)
        link = target.connect()
        assert Checker(BLOCK, RUN).check(link.read(BLOCK, BLOCK), BLOCK) is State.OK
        link.close()
    assert list(done.mismatches) == []
    assert sorted(done.offsets) == [at * BLOCK for at in range(BLOCKS)]


def test_unwritten_blocks_are_mismatches(tmp_path: Path) -> None:
    """Zeros are mismatches."""
    with nbdkit(tmp_path, *MEMORY), NbdTarget(uri(tmp_path)) as target:
        done = run(target, stream([Op.READ] * 3, [1, 2, 3], depth=2), verify=True)
    assert list(done.mismatches) == [BLOCK, 2 * BLOCK, 3 * BLOCK]


@pytest.mark.parametrize("depth", [1, 5, 32])
def test_a_flush_is_a_barrier(tmp_path: Path, depth: int) -> None:
    """A flush separates the operations before and after it at any depth. The server's threads make no difference."""
    ops = ([Op.WRITE] * 6 + [Op.FLUSH]) * 8
    places = [0 if op == Op.FLUSH else at for at, op in enumerate(ops)]
    with nbdkit(tmp_path, "--filter=delay", *MEMORY, "wdelay=1ms"), NbdTarget(uri(tmp_path), write=True) as target:
        done = run(target, stream(ops, places, depth=depth))
    ends = [start + latency for start, latency in zip(done.starts, done.latencies, strict=True)]
    for at, op in enumerate(done.ops):
        if op == Op.FLUSH:
            assert at % 7 == 6
            assert done.results[at] == 0
            assert max(ends[:at]) <= done.starts[at]
            assert min(done.starts[at + 1 :], default=ends[at]) >= ends[at]


def test_parallel_operations_overlap(tmp_path: Path) -> None:
    """Sixteen reads that the server holds back until all have come are all answered."""
    (tmp_path / "come").mkdir()
    wait = f"until [ $(ls {tmp_path}/come | wc -l) -ge 16 ]; do sleep 0.1; done"
    read = f"touch {tmp_path}/come/$4 && timeout {PATIENCE} sh -c '{wait}' && head -c $3 /dev/zero"
    with (
        nbdkit(tmp_path, "eval", "thread_model=echo parallel", "get_size=echo 1M", f"pread={read}"),
        NbdTarget(uri(tmp_path)) as target,
    ):
        done = run(target, stream([Op.READ] * 16, range(16), depth=16))
    assert list(done.results) == [BLOCK] * 16


def test_large_reads_and_writes_at_once_do_not_block_each_other(tmp_path: Path) -> None:
    """With large reads and writes at once, neither side waits forever."""
    ops, size = [Op.READ, Op.WRITE] * 64, 1 << 20
    what = Stream(ops=bytes(ops), offsets=array("Q", [0] * 128), size=size, depth=32)
    with nbdkit(tmp_path, *MEMORY), NbdTarget(uri(tmp_path), write=True) as target:
        assert set(run(target, what).results) == {size}


def test_an_error_of_the_server_is_a_sample(tmp_path: Path) -> None:
    """Each failed read has the server's errno, and the connection continues."""
    arguments = ("--filter=error", *MEMORY, "error-pread=ENOSPC", "error-pread-rate=100%")
    with nbdkit(tmp_path, *arguments), NbdTarget(uri(tmp_path)) as target:
        link = target.connect()
        with pytest.raises(OSError, match="refuses") as caught:
            link.read(0, 512)
        with pytest.raises(OSError, match="refuses"):
            link.read(0, 512)
        link.close()
    assert caught.value.errno == errno.ENOSPC


def test_failures_among_successes_are_samples(tmp_path: Path) -> None:
    """If writes fail and reads succeed, both are samples."""
    arguments = ("--filter=error", *MEMORY, "error-pwrite=EIO", "error-pwrite-rate=100%")
    with nbdkit(tmp_path, *arguments), NbdTarget(uri(tmp_path), write=True) as target:
        done = run(target, stream([Op.READ, Op.WRITE, Op.READ], [1, 2, 3]))
    assert list(done.results) == [BLOCK, -errno.EIO, BLOCK]


def test_failures_only_are_an_error(tmp_path: Path) -> None:
    """If nothing succeeds, there is an error instead of a figure."""
    arguments = ("--filter=error", *MEMORY, "error-pread=EIO", "error-pread-rate=100%")
    with (
        nbdkit(tmp_path, *arguments),
        NbdTarget(uri(tmp_path)) as target,
        pytest.raises(BenchError, match="Input/output error"),
    ):
        run(target, stream([Op.READ] * 3, [1, 2, 3]))


def test_a_server_that_dies_ends_the_stream(tmp_path: Path) -> None:
    """Operations under way are errors, and earlier ones count. A note has the reason."""
    log = tmp_path / "log"
    with (
        nbdkit(tmp_path, "--filter=log", *MEMORY, f"logfile={log}") as server,
        NbdTarget(uri(tmp_path)) as target,
    ):

        def kill() -> None:
            until(lambda: log.read_text().count("...Read ") > 100)
            server.kill()

        threading.Thread(target=kill).start()
        work = Work(streams=[stream([Op.READ] * 8, range(8), depth=4, cycle=True)], seconds=3600)
        outcome = PortableEngine().run(target, work)
    done = outcome.samples[0]
    assert set(done.results[:-4]) == {BLOCK}
    assert set(done.results[-4:]) & {-errno.ECONNRESET, -errno.EPIPE}
    assert any("ended early" in note for note in outcome.notes)


def test_a_read_only_export_is_not_written_to(tmp_path: Path) -> None:
    """The server's flag is checked before the first write."""
    with (
        nbdkit(tmp_path, "-r", *MEMORY),
        pytest.raises(BenchError, match="read-only"),
        NbdTarget(uri(tmp_path), write=True),
    ):
        pass


def test_an_export_is_not_written_without_permission(tmp_path: Path) -> None:
    """An export is only read unless the user allows more."""
    with nbdkit(tmp_path, *MEMORY), NbdTarget(uri(tmp_path)) as target:
        assert not target.writable
        with pytest.raises(BenchError, match="only be read"):
            run(target, stream([Op.WRITE], [0]))


@pytest.mark.parametrize("place", [0, 512 * 100, (1 << 22) - 512])
def test_an_export_with_data_is_not_written_to(tmp_path: Path, place: int) -> None:
    """Unknown data in an export is preserved."""
    image = tmp_path / "image"
    image.write_bytes(bytes(1 << 22))
    with image.open("r+b") as file:
        file.seek(place)
        file.write(b"somebody's")
    with (
        nbdkit(tmp_path, "file", str(image)),
        pytest.raises(BenchError, match="did not write"),
        NbdTarget(uri(tmp_path), write=True),
    ):
        pass
    assert b"somebody's" in image.read_bytes()


def test_an_export_of_an_earlier_run_may_be_written_again(tmp_path: Path) -> None:
    """Blocks of raidctl in an export may be overwritten."""
    with nbdkit(tmp_path, *MEMORY):
        for _ in range(2):
            with NbdTarget(uri(tmp_path), write=True) as target:
                run(target, stream([Op.WRITE] * BLOCKS, range(BLOCKS)))


def test_a_durable_write_without_fua_is_a_write_and_a_flush(tmp_path: Path) -> None:
    """Without FUA on the server, a durable write waits for a flush. A note reports it."""
    arguments = (
        "eval", "get_size=echo 1M", "can_write=true", "can_flush=true", "can_fua=echo none", "flush=true",
        "pread=head -c $3 /dev/zero", "pwrite=cat >/dev/null",
    )  # fmt: skip
    with nbdkit(tmp_path, *arguments), NbdTarget(uri(tmp_path), write=True) as target:
        assert not target.export.can_fua
        work = Work(streams=[stream([Op.WRITE_DURABLE] * 20, range(20), depth=4)], run_id=RUN)
        outcome = PortableEngine().run(target, work)
    assert set(outcome.samples[0].results) == {BLOCK}
    assert any("write and a flush" in note for note in outcome.notes)


def test_a_server_without_go_is_supported(tmp_path: Path) -> None:
    """A server without GO is used with EXPORT_NAME."""
    with nbdkit(tmp_path, "--mask-handshake=1", *MEMORY), NbdTarget(uri(tmp_path)) as target:
        assert target.size == 1 << 20


def test_tcp_on_the_loopback_works(tmp_path: Path) -> None:
    """A port of this machine works like a socket."""
    port = free_port()
    with nbdkit(tmp_path, "-i", "127.0.0.1", "-p", str(port), *MEMORY, socket=False):
        for host in ("127.0.0.1", "localhost"):
            with NbdTarget(f"nbd://{host}:{port}") as target:
                assert (target.size, target.kind, target.direct) == (1 << 20, "nbd", True)


def test_a_missing_export_is_an_error(tmp_path: Path) -> None:
    """The server's message is passed on."""
    with (
        nbdkit(tmp_path, "--filter=exportname", *MEMORY, "exportname=a", "exportname-strict=true"),
        pytest.raises(BenchError, match="refuses the export"),
        NbdTarget(uri(tmp_path, "b")),
    ):
        pass


@pytest.mark.parametrize(
    "text",
    [
        "nbd://example.org/x", "nbd://192.0.2.1/", "nbd://[2001:db8::1]:1/x", "nbd+unix:///x", "nbd:///x", "http://[/",
        "nbd://127.0.0.1:99999/", "nbd+unix:///?socket=/a&socket=/b", "nbd+tcp://127.0.0.1/",
    ],
)  # fmt: skip
def test_only_this_machine_is_measured(text: str) -> None:
    """A URI of another machine, or an invalid one, is refused."""
    with pytest.raises(UsageError):
        address_of(text)


def test_a_uri_is_understood() -> None:
    """Names, sockets and IPv6 addresses are parsed."""
    assert address_of("nbd+unix:///a%20b?socket=/run/x").export == "a b"
    assert address_of("nbd+unix:///?socket=/run/x").path == "/run/x"
    assert address_of("nbd://[::1]:1/x").host == "::1"
    assert address_of("nbd://localhost").port == 10809


@pytest.mark.parametrize(
    "greeting",
    [
        b"",
        b"HTTP/1.1 400 Bad Request\r\n",
        b"NBDMAGIC" + bytes(10),
        b"NBDMAGICIHAVEOPT\0\x03" + struct.pack(">QIII", 1, 7, 3, 0),
    ],
)
def test_another_protocol_is_an_error(tmp_path: Path, greeting: bytes) -> None:
    """A server of another protocol is an error, without a hang."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "nbd"))
        server.listen()

        def greet() -> None:
            with server.accept()[0] as plug, suppress(ConnectionError):
                plug.sendall(greeting)
                plug.shutdown(socket.SHUT_WR)
                plug.recv(100)

        thread = threading.Thread(target=greet)
        thread.start()
        with pytest.raises(BenchError), NbdTarget(uri(tmp_path)):
            pass
        thread.join()


def test_a_missing_socket_is_an_error(tmp_path: Path) -> None:
    """The message has the reason."""
    with pytest.raises(BenchError, match="No such file"), NbdTarget(uri(tmp_path)):
        pass


def test_the_largest_request_of_a_server_is_respected(tmp_path: Path) -> None:
    """Operations longer than the largest request are refused before the first one.

    The target is inspected in pieces.
    """
    arguments = ("--filter=blocksize-policy", *MEMORY, "blocksize-maximum=64K", "blocksize-error-policy=error")
    with nbdkit(tmp_path, *arguments), NbdTarget(uri(tmp_path), write=True) as target:
        assert target.export.largest == 65536
        assert set(run(target, stream([Op.WRITE], [1])).results) == {BLOCK}
        what = Stream(ops=bytes([Op.READ]), offsets=array("Q", [0]), size=1 << 17)
        with pytest.raises(BenchError, match="65536 bytes at once"):
            run(target, what)
