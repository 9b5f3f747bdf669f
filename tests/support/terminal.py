"""Programs on a terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.support.processes import killed_on_error
from tests.support.waiting import PATIENCE


def read_until(handle: int, wanted: bytes) -> bytes:
    """What a terminal shows up to this."""
    seen, end = b"", time.monotonic() + PATIENCE
    while wanted not in seen:
        assert time.monotonic() < end, seen
        if select.select([handle], [], [], 1)[0]:
            seen += os.read(handle, 65536)
    return seen


def rest(handle: int) -> bytes:
    """What a terminal shows until no process has it open."""
    seen = b""
    with suppress(OSError):  # EIO: the last one has closed it
        while part := os.read(handle, 65536):
            seen += part
    return seen


def interrupted_at(shown: bytes, command: Sequence[str], output: Path) -> tuple[int, str]:
    """Press Ctrl-C as soon as a program shows this. Return its exit code, and what its terminal has shown.

    Only standard error is the terminal. Standard output goes into a file.
    """
    leader, follower = pty.openpty()
    with output.open("wb") as file, killed_on_error(subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=file, stderr=follower, env={**os.environ, "TERM": "xterm"},
        start_new_session=True,
    )) as process:  # fmt: skip
        os.close(follower)
        try:
            screen = read_until(leader, shown)
            os.killpg(process.pid, signal.SIGINT)
            screen += rest(leader)
        finally:
            os.close(leader)
    return process.returncode, screen.decode()
