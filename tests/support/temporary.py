"""The directory for tests' files.

It is in memory, as the journal of a change is flushed line by line, thousands of times in the suite. Measurements, and
queries for the drive below a file, need a directory on a drive.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a separate directory there
DRIVE = Path("/var/tmp")  # noqa: S108 - as above; /tmp is in memory on some machines
_ROOM = 2 << 30
"""Bytes that have to be free; the suite takes some 100 MB."""


def keep_in_memory() -> None:
    """Have pytest make its directories in memory, where there is room."""
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.fixture(name="tmp_path")
def on_a_drive() -> Iterator[Path]:
    """In the place of pytest's own: a directory on a drive."""
    with tempfile.TemporaryDirectory(prefix="raidctl-test-", dir=DRIVE) as place:
        yield Path(place)
