"""The engines of the benchmark against fio, on the same pre-written file.

    python benchmarks/engine_vs_fio.py [--quick] [DIRECTORY]

Every contestant of a group runs once per round, in random order, on a file of raidctl in DIRECTORY (the current one by
default) with O_DIRECT, and on one in /dev/shm without any device. A value is the median of the ratios of at least 7
rounds (with --quick 2 rounds if there is no goal). At ``qd32`` threads and processes are compared with the engine of
fio that has the highest median of all rounds.

``qd1``, ``qd32``: random reads of 4 KiB at this queue depth. ``seq1m``: sequential reads of 1 MiB. ``cpu_ratio``: CPU
seconds per operation. io_uring is left out in memory, where the kernel hands each operation to a separate thread.

``native-threads`` is the compiled engine where io_uring is forbidden: threads that run several operations at once with
kernel AIO, and poll for completions before they sleep; its CPU time excludes the polling. ``native-blocking`` uses
threads with one operation each.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

from report import Case, options, report

from raidctl.bench.engines.native import Native
from raidctl.bench.engines.portable import PortableEngine
from raidctl.bench.targets.file import FileTarget
from raidctl.bench.work import Engine, Op, Outcome, Stream, Work
from raidctl.errors import BenchError

ROUNDS = 7
LONG_ROUNDS = 15
SECONDS = 1.0
MORE_ROUNDS = {"qd32": 2}
"""Groups with more rounds: this many for each round of the others. A shared device changes its speed from second to
second. Shorter rounds would measure the start of 32 processes."""
QUICK = {"qd1": 0.22, "qd32": 0.22}
"""Seconds of a run with --quick, in the groups that have goals."""
QUICK_REST, QUICK_ROUNDS = 0.1, 2
"""In groups without a goal: seconds of a run, and rounds."""
SIZE = 1 << 30
QUICK_SIZE = 256 << 20
MEMORY = 128 << 20
FIO_PROGRAM = shutil.which("fio") or ""
FIO = ("psync", "libaio", "io_uring")


@dataclass(frozen=True)
class Shape:
    """The work of all contestants of a group."""

    size: int = 4096
    depth: int = 1
    sequential: bool = False


@dataclass(frozen=True)
class Score:
    """One run."""

    rate: float
    cpu: float
    """Seconds per operation."""


Contestant = Callable[[FileTarget, Shape, float], Score]


@dataclass
class Group:
    """Contestants and their scores, round by round."""

    target: FileTarget
    shape: Shape
    contestants: dict[str, Contestant]
    scores: dict[str, list[Score]] = field(default_factory=dict)

    def round(self, length: float) -> None:
        """Let each contestant run once."""
        names = list(self.contestants)
        random.shuffle(names)
        for name in names:
            self.scores.setdefault(name, []).append(self.contestants[name](self.target, self.shape, length))

    def best_fio(self) -> str:
        """The engine of fio with the highest median."""
        return max((name for name in self.scores if name.startswith("fio")), key=self.rate)

    def rate(self, name: str) -> float:
        """The median of all rounds, operations per second."""
        return statistics.median(score.rate for score in self.scores[name])

    def ratio(self, ours: str, peer: str, what: str = "rate") -> float:
        """The median of the ratios of each round."""
        pairs = zip(self.scores[ours], self.scores[peer], strict=True)
        return float(statistics.median(getattr(a, what) / getattr(b, what) for a, b in pairs))


def engine(made: Engine) -> Contestant:
    """One of raidctl's engines."""

    def run(target: FileTarget, shape: Shape, length: float) -> Score:
        offsets = places(target, shape)
        stream = Stream(
            ops=bytes([Op.READ]) * len(offsets),
            offsets=offsets,
            size=shape.size,
            depth=shape.depth,
            cycle=True,
        )
        outcome = repeated_if_busy(lambda: made.run(target, Work(streams=[stream], seconds=length)))
        count = sum(one.count for one in outcome.samples)
        return Score(count / outcome.wall_seconds, outcome.cpu_seconds / count)

    return run


def repeated_if_busy(run: Callable[[], Outcome]) -> Outcome:
    """Repeat a run that did not finish a single operation, because the machine was busy."""
    for _ in range(5):
        try:
            return run()
        except BenchError as error:
            print(error, file=sys.stderr)
    return run()


def places(target: FileTarget, shape: Shape) -> array[int]:
    """The offsets of the operations."""
    blocks = target.size // shape.size
    if shape.sequential:
        return array("Q", range(0, blocks * shape.size, shape.size))
    return array("Q", (random.randrange(blocks) * shape.size for _ in range(20_000)))  # noqa: S311 - places, not secrets


def fio(name: str) -> Contestant:
    """One of fio's engines. psync uses one thread for each operation in progress."""

    def run(target: FileTarget, shape: Shape, length: float) -> Score:
        many = name == "psync"
        line = [
            FIO_PROGRAM, "--name=x", f"--filename={target.path}", f"--size={target.size}", f"--ioengine={name}",
            f"--rw={'read' if shape.sequential else 'randread'}", f"--bs={shape.size}",
            f"--direct={int(target.direct)}", f"--numjobs={shape.depth if many else 1}",
            f"--iodepth={1 if many else shape.depth}",
            f"--runtime={round(length * 1000)}ms", "--time_based", "--thread", "--norandommap", "--randrepeat=0",
            "--invalidate=0", "--group_reporting", "--allow_file_create=0", "--output-format=json",
        ]  # fmt: skip
        done = subprocess.run(line, capture_output=True, text=True, check=True).stdout
        (job,) = json.loads(done[done.index("{") :])["jobs"]
        cpu = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000
        return Score(job["read"]["iops"], cpu / job["read"]["total_ios"])

    return run


def groups(disk: FileTarget, memory: FileTarget) -> dict[str, Group]:
    """All comparisons."""
    native, portable = engine(Native()), engine(PortableEngine())
    threads, blocking = engine(Native("threads")), engine(Native("threads", aio=False))
    uring = engine(Native("uring"))
    peers = {f"fio {name}": fio(name) for name in FIO}
    psync = {"fio psync": peers["fio psync"]}
    deep, sequential = Shape(depth=32), Shape(size=1 << 20, sequential=True)
    few = {"native-threads": threads, "portable": portable, **psync}
    return {
        "qd1": Group(disk, Shape(), {"native": native, "portable": portable, **peers}),
        "qd32": Group(
            disk,
            deep,
            {
                "native-threads": threads,
                "native-blocking": blocking,
                "native-uring": uring,
                "portable": portable,
                **peers,
            },
        ),
        "seq1m": Group(disk, sequential, {"native": native, "portable": portable, **psync}),
        "memory-qd1": Group(memory, Shape(), {"native": native, "portable": portable, **psync}),
        "memory-qd32": Group(memory, deep, few),
        "memory-seq1m": Group(memory, sequential, {"native": native, "portable": portable, **psync}),
    }


def cases(made: dict[str, Group], version: str) -> list[Case]:
    """The figures with a goal, then those without."""
    best = made["qd32"].best_fio()
    wanted = [
        ("native", "qd1", "rate", "fio psync", ">=0.97"),
        ("native-threads", "qd32", "rate", best, ">=1.0"),
        ("native-uring", "qd32", "rate", "fio io_uring", ">=0.97"),
        ("native-uring", "qd32", "cpu", "fio io_uring", "<=1.0"),
        ("native-threads", "qd32", "cpu", "fio libaio", "<=1.0"),
        ("portable", "qd1", "rate", "fio psync", ">=0.90"),
        ("portable", "qd32", "rate", best, ">=0.85"),
        ("native-blocking", "qd32", "rate", best, ""),
    ]
    wanted += [
        (name, group, "rate", "fio psync", "")
        for group in ("seq1m", "memory-qd1", "memory-qd32", "memory-seq1m")
        for name in made[group].contestants
        if not name.startswith("fio")
    ]
    words = {"rate": "iops_ratio", "cpu": "cpu_ratio"}
    return [
        Case(f"{ours}/{group}/{words[what]}", made[group].ratio(ours, peer, what), "ratio", f"{peer} ({version})", goal)
        for ours, group, what, peer, goal in wanted
    ]


def medians(made: dict[str, Group]) -> None:
    """The absolute figures, for people."""
    for name, group in made.items():
        for contestant, scores in sorted(group.scores.items()):
            cpu = statistics.median(score.cpu for score in scores) * 1e6
            print(f"{name:13} {contestant:15} {group.rate(contestant):12,.0f} operations/s {cpu:9.2f} CPU us each")


def measure(directory: str, rounds: int, *, quick: bool) -> dict[str, Group]:
    """All groups, round by round."""
    with FileTarget(directory, QUICK_SIZE if quick else SIZE) as disk, FileTarget("/dev/shm", MEMORY) as memory:  # noqa: S108 - memory is meant
        if not disk.direct:
            print(f"{directory} refuses O_DIRECT: the page cache is measured, not the disk", file=sys.stderr)
        made = groups(disk, memory)
        for number in range(rounds):
            for name, group in made.items():
                if not quick or name in QUICK or number < QUICK_ROUNDS:
                    once(name, group, quick=quick)
        return made


def once(name: str, group: Group, *, quick: bool) -> None:
    """One round of a group, or several."""
    for _ in range(1 if quick else MORE_ROUNDS.get(name, 1)):
        group.round(QUICK.get(name, QUICK_REST) if quick else SECONDS)


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("directory", nargs="?", default=os.curdir)
    asked = parser.parse_args()
    if not FIO_PROGRAM:
        sys.exit("fio is not installed")
    version = subprocess.run([FIO_PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    start = time.monotonic()
    made = measure(asked.directory, ROUNDS if asked.quick else LONG_ROUNDS, quick=asked.quick)
    medians(made)
    print(f"{time.monotonic() - start:.0f} s")
    report("engine_vs_fio", cases(made, version))


if __name__ == "__main__":
    main()
