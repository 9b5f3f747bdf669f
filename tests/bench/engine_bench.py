"""Helpers of the engine tests: the compiled engine and small targets. The engine is built from its source."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from raidctl.bench.engines.native import Native
from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.work import Engine, Op, Outcome, Samples, Stream, Target, Work
from raidctl.errors import BenchError

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "raidctl" / "bench" / "_engine.c"
NAME = "raidctl.bench._engine"
RUN = 0x0123456789ABCDEF
BLOCK = 4096


def compile_engine(place: Path, *flags: str) -> Path:
    """Compile the engine to a file; every warning is an error."""
    made = place / "_engine.abi3.so"
    headers = f"-I{sysconfig.get_paths()['include']}"
    line = ["gcc", "-shared", "-fPIC", "-pthread", "-O2", "-Wall", "-Wextra", "-Werror", headers, *flags]
    subprocess.run([*line, str(SOURCE), "-o", str(made)], check=True)
    return made


@cache
def built() -> None:
    """Build the source and use it as raidctl's module in this process."""
    made = compile_engine(Path(tempfile.mkdtemp(prefix="raidctl-engine-")))
    spec = importlib.util.spec_from_file_location(NAME, made)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[NAME] = module
    made.unlink()
    made.parent.rmdir()


def engines() -> Sequence[Engine]:
    """All engines that can run any work on a file."""
    built()
    return (Native("threads"), Native("threads", aio=False), Native("uring"), Native(), PortableEngine())


@dataclass
class Handle:
    """A target that is an open descriptor."""

    handle: int
    size: int
    base: int = 0
    alignment: int = 1
    direct: bool = False
    writable: bool = True
    kind: str = "file"
    name: str = "the target"

    def fileno(self) -> int:
        """The open descriptor."""
        return self.handle


def on_disk(path: Path, blocks: int, *, base: int = 0) -> Handle:
    """A file of zeros, opened with O_DIRECT if its file system allows that."""
    path.write_bytes(bytes(base + blocks * BLOCK))
    try:
        handle, direct = os.open(path, os.O_RDWR | os.O_DIRECT), True
    except OSError:
        handle, direct = os.open(path, os.O_RDWR), False
    return Handle(handle, blocks * BLOCK, base, alignment=512, direct=direct)


def stream(
    ops: Op | Sequence[Op],
    blocks: Iterable[int],
    *,
    depth: int = 1,
    batch: int = 1,
    cycle: bool = False,
    intended: Iterable[int] | None = None,
) -> Stream:
    """Operations on blocks, given by number."""
    offsets = array("Q", [number * BLOCK for number in blocks])
    return Stream(
        ops=bytes([ops] * len(offsets)) if isinstance(ops, Op) else bytes(ops),
        offsets=offsets,
        size=BLOCK,
        depth=depth,
        batch=batch,
        cycle=cycle,
        intended=None if intended is None else array("Q", intended),
    )


def ends(samples: Samples) -> list[int]:
    """The end of each operation, in ns after the common start."""
    return [start + latency for start, latency in zip(samples.starts, samples.latencies, strict=True)]


def timed(engine: Engine, target: Target, work: Work, least: int = 1) -> tuple[float, Outcome]:
    """Run for a time, and return it with the outcome.

    The time is longer if a busy machine had no chance for this many operations of each stream.
    """
    assert work.seconds is not None
    for seconds in (work.seconds, 10 * work.seconds):
        with suppress(BenchError):
            outcome = engine.run(target, replace(work, seconds=seconds))
            if all(len(one.results) >= least for one in outcome.samples):
                return seconds, outcome
    seconds = 100 * work.seconds
    return seconds, engine.run(target, replace(work, seconds=seconds))


class Patient(PortableEngine):
    """The portable engine. On a busy machine, its work takes longer, and does not fail."""

    def run(self, target: Target, work_: Work) -> Outcome:
        """Run it."""
        return super().run(target, work_) if work_.seconds is None else timed(PortableEngine(), target, work_)[1]
