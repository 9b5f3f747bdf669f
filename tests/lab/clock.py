"""The frequency of the processor's time stamp counter, which an emulated kernel cannot measure on a busy host.

The kernel reads its clock thousands of times a second, and from the counter this takes an emulated processor a tenth of
the time that other clocks take. Left to itself, it compares the counter with a timer while it boots; on a busy host it
was wrong by a large factor, so that time ran fast. With ``tsc_early_khz`` it uses the frequency that it is given.
QEMU's counter is the host's, so that the host can measure it, for as long as it likes.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import time
from functools import cache

SECONDS = 0.1
TRIES = 20
# rdtsc; shl rdx, 32; or rax, rdx; ret
_CODE = bytes.fromhex("0f31 48c1e220 4809d0 c3")


@cache
def kernel_words() -> str:
    """The kernel's arguments for its clock. Other processors than x86-64 have another counter."""
    if platform.machine() != "x86_64":
        return "clocksource=acpi_pm"
    return f"clocksource=tsc tsc=reliable tsc_early_khz={frequency() // 1000}"


def frequency() -> int:
    """Ticks of the counter in a second, to a few in 100,000."""
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as page:
        page.write(_CODE)
        place = ctypes.c_char.from_buffer(page)
        read = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(place))
        first = _pair(read)
        time.sleep(SECONDS)
        last = _pair(read)
        del place  # or the page cannot be closed
    return round((last[1] - first[1]) * 1_000_000_000 / (last[0] - first[0]))


def _pair(read: ctypes._FuncPointer) -> tuple[float, int]:
    """A moment in nanoseconds, and the counter then. Of several pairs, the one that took least time."""
    found = []
    for _ in range(TRIES):
        before, ticks, after = time.monotonic_ns(), int(read()), time.monotonic_ns()
        found.append((after - before, (before + after) / 2, ticks))
    _, moment, ticks = min(found)
    return moment, ticks
