"""Processes: as the kernel lists them, and those that a test starts."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import AnyStr


@contextmanager
def killed_on_error(process: subprocess.Popen[AnyStr]) -> Iterator[subprocess.Popen[AnyStr]]:
    """Kill a process if the block fails; otherwise its end is waited for.

    A `with` statement of the process alone waits for it also after a failed assertion: forever, if it serves or sleeps.
    """
    with process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def children(pid: int) -> list[int]:
    """The child processes that the first thread of a process has started; none if it has ended."""
    with suppress(OSError):
        return [int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []
