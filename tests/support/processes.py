"""Processes: as the kernel lists them, and those that a test starts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
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


@contextmanager
def serving(*words: str, environment: Mapping[str, str] | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `raidctl … export --listen` until the end of the block. Yield the process and its URL."""
    command, variables = [sys.executable, "-m", "raidctl", *words], {"PATH": os.environ["PATH"], **(environment or {})}
    with killed_on_error(subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=variables)) as process:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found
        yield process, found[0]
        process.kill()


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
