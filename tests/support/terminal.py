"""What a program shows on a terminal."""

from __future__ import annotations

import os
import select
import time


def read_until(handle: int, wanted: bytes) -> bytes:
    """What a terminal shows up to this."""
    seen, end = b"", time.monotonic() + 60
    while wanted not in seen:
        assert time.monotonic() < end, seen
        if select.select([handle], [], [], 1)[0]:
            seen += os.read(handle, 65536)
    return seen
