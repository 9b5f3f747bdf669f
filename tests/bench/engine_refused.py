"""A process whose io_uring_setup the kernel refuses: ENGINE ERRNO FILE [aio]. Its tests run it.

With ``aio``, io_setup fails with the same error.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import struct
import sys
from pathlib import Path

from raidctl.bench.engines.native import Native
from raidctl.bench.work import Op, Work
from tests.bench.engine_bench import NAME, on_disk, stream

IO_URING_SETUP = 425
"""The same on all architectures."""
IO_SETUP = {"x86_64": 206, "aarch64": 0}
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
LOAD_NUMBER, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000


def forbid(number: int, *calls: int) -> None:
    """Let these system calls of this process fail with an errno."""
    steps = [(LOAD_NUMBER, 0, 0, 0)]
    for call in calls:
        steps += [(JUMP_EQUAL, 0, 1, call), (RETURN, 0, 0, REFUSE | number)]
    steps.append((RETURN, 0, 0, ALLOW))
    held = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, MODE_FILTER, program, 0, 0):
        raise OSError(ctypes.get_errno(), "no seccomp")


def main(place: str, number: str, file: str, aio: str = "") -> None:
    """Print the result of a run without io_uring.

    The lines are the reason against io_uring, the engine used instead, the number of its operations, and the notes.
    """
    spec = importlib.util.spec_from_file_location(NAME, place)
    if spec is None or spec.loader is None:
        raise ImportError(place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[NAME] = module
    target = on_disk(Path(file), 8)
    forbid(int(number), IO_URING_SETUP, *([IO_SETUP[platform.machine()]] if aio else []))
    asked = Native("uring").usable(target)
    target.direct = True  # as if it were: then io_uring would be chosen
    outcome = Native().run(target, Work(streams=[stream(Op.READ, range(8), depth=4)]))
    sys.stdout.write("\n".join([str(asked), outcome.engine, str(outcome.samples[0].count), *outcome.notes]))
    os.close(target.handle)


if __name__ == "__main__":
    main(*sys.argv[1:])
