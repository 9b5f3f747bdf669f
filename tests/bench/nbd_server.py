"""A real NBD server for tests: nbdkit (package nbdkit). A test that needs it fails if it is missing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.waiting import until


@contextmanager
def nbdkit(place: Path, *arguments: str, socket: bool = True) -> Iterator[subprocess.Popen[bytes]]:
    """Serve at the socket ``nbd`` of a directory until the block ends. The arguments may request another place."""
    program = shutil.which("nbdkit") or shutil.which("nbdkit", path="/usr/sbin:/usr/bin")
    assert program, "nbdkit is missing: apt-get install nbdkit"
    pid = place / "nbdkit.pid"
    where = ["-U", str(place / "nbd")] if socket else []
    server = subprocess.Popen([program, "-f", "-P", str(pid), *where, *arguments])
    try:
        until(lambda: pid.exists() or server.poll() is not None)  # it writes its process id when it listens
        assert server.poll() is None, "nbdkit did not start"
        yield server
    finally:
        server.kill()
        server.wait()
        pid.unlink(missing_ok=True)
        (place / "nbd").unlink(missing_ok=True)


def uri(place: Path, name: str = "") -> str:
    """The URI of the server."""
    return f"nbd+unix:///{name}?socket={place / 'nbd'}"
