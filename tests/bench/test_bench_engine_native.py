"""The compiled engine: its build, system calls, memory and blocks."""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from build import ProjectBuilder
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.bench import blocks
from raidctl.bench.engines.native import Native, compiled
from raidctl.bench.work import Op, Work
from raidctl.errors import BenchError
from tests.bench.engine_bench import BLOCK, NAME, ROOT, RUN, Handle, built, compile_engine, on_disk, stream

WORD = st.integers(0, 2**64 - 1)
PLACE = st.integers(0, 2**52).map(lambda number: number * 512)
built()
REFUSED = Path(__file__).with_name("engine_refused.py")


def engine() -> Any:
    """The compiled module, built from the source."""
    return compiled()


def on_system_with_aio(place: Path) -> None:
    """Skip if kernel AIO is not used on the tests' file system."""
    target = on_disk(place / "tried", 1)
    number = engine().aio(target.handle, 1) if target.direct else errno.EINVAL
    os.close(target.handle)
    if number:
        pytest.skip(f"kernel AIO is not used on the file system of {place}: {os.strerror(number)}")


def refused(folder: Path, number: int, *more: str) -> list[str]:
    """The output of a process whose io_uring_setup fails with an errno. See ``engine_refused``."""
    place = compile_engine(folder)
    line = [sys.executable, str(REFUSED), str(place), str(number), str(folder / "file"), *more]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=ROOT, env={"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def threads_now() -> set[str]:
    """The thread ids of this process."""
    return {place.name for place in Path("/proc/self/task").iterdir()}


def most_threads(work: Callable[[], object]) -> int:
    """The maximum number of threads that a function starts. The function is run in a thread.

    New thread ids are counted, not the number of threads: one that Python has joined can still be in the kernel's list
    for a moment.
    """
    running = threading.Thread(target=work)
    before = threads_now()
    running.start()
    most = 0
    while running.is_alive():
        most = max(most, len(threads_now() - before) - 1)
        time.sleep(0.005)
    return most


@settings(deadline=None)
@given(run=WORD, place=PLACE, generation=WORD, time=WORD, size=st.integers(0, 9000))
def test_both_languages_write_the_same_bytes(run: int, place: int, generation: int, time: int, size: int) -> None:
    """C and Python fill a buffer with the same bytes."""
    assert engine().fill(run, place, size, generation, time, blocks.pool()) == blocks.block(
        run, place, size, generation, time
    )


def test_blocks_longer_than_the_pool_are_the_same_as_well() -> None:
    """A block longer than the pool repeats the pool."""
    size = blocks.POOL_SIZE * 2 + 4096
    assert engine().fill(RUN, 8192, size, 3, 5, blocks.pool()) == blocks.block(RUN, 8192, size, 3, 5)


@settings(max_examples=50, deadline=None)
@given(place=PLACE, generation=st.integers(1, 9), oldest=st.integers(1, 9), flip=st.integers(0, 8191) | st.none())
def test_both_languages_judge_alike(place: int, generation: int, oldest: int, flip: int | None) -> None:
    """C and Python accept the same blocks."""
    data = bytearray(blocks.block(RUN, place, 8192, generation, 77))
    if flip is not None:
        data[flip] ^= 0x10
    good = blocks.Checker(8192, RUN, oldest).check(bytes(data), place) is blocks.State.OK
    assert engine().matches(bytes(data), RUN, place, oldest, blocks.pool()) is good


def test_a_torn_block_is_found() -> None:
    """A block with halves of two writes is not accepted."""
    halves = blocks.block(RUN, 0, BLOCK, 1, 1)[:2048] + blocks.block(RUN, 0, BLOCK, 2, 2)[2048:]
    assert not engine().matches(halves, RUN, 0, 1, blocks.pool())


def test_samples_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    """Ten samples are kept, and ninety counted by latency and kind."""
    target = on_disk(tmp_path / "file", 4)
    (done,) = (
        Native("threads").run(target, Work(streams=[stream([Op.READ, Op.WRITE] * 50, [0] * 100)], keep=10)).samples
    )
    assert len(done.results) == 10
    assert {op: sum(bins) for op, bins in done.beyond.items()} == {Op.READ: 45, Op.WRITE: 45}
    os.close(target.handle)


def test_a_thousand_failures_end_a_stream() -> None:
    """A stream ends after a thousand failures in a row."""
    handle = os.open("/dev/full", os.O_RDWR)
    work = Work(streams=[stream([Op.READ] + [Op.WRITE] * 5000, [0] * 5001)])
    outcome = Native("threads").run(Handle(handle, 1 << 30), work)
    os.close(handle)
    assert len(outcome.samples[0].results) == 1001
    assert "gave up after 1000 failures" in outcome.notes[0]


def test_a_time_too_short_for_any_operation_is_an_error(tmp_path: Path) -> None:
    """Without an operation there is no figure."""
    target = on_disk(tmp_path / "file", 4)
    with pytest.raises(BenchError, match="before the time was over"):
        Native("threads").run(target, Work(streams=[stream(Op.READ, [0], cycle=True)], seconds=1e-9))
    os.close(target.handle)


def test_a_closed_descriptor_is_an_error(tmp_path: Path) -> None:
    """A target that is not open is an error, not a crash."""
    target = on_disk(tmp_path / "file", 4)
    os.close(target.handle)
    with pytest.raises(BenchError, match="Bad file descriptor"):
        Native().run(target, Work(streams=[stream(Op.READ, [0])]))


@pytest.mark.parametrize("depth", [1, 1024])
def test_the_deepest_queue_works(tmp_path: Path, depth: int) -> None:
    """1024 operations run in parallel, on threads or in one ring."""
    target = on_disk(tmp_path / "file", 64)
    for kind in ("threads", "uring"):
        work = Work(streams=[stream(Op.READ, list(range(64)) * 64, depth=depth)])
        (done,) = Native(kind).run(target, work).samples
        assert list(done.results) == [BLOCK] * 4096
    os.close(target.handle)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 13, 38])
def test_a_forbidden_io_uring_is_replaced_by_threads(tmp_path: Path, number: int) -> None:
    """After EPERM, EACCES or ENOSYS threads are used, with a note."""
    asked, used, count, note, *_ = refused(tmp_path, number)
    assert "cannot use io_uring" in asked
    assert (used, count) == ("threads", "8")
    assert "io_uring" in note


@pytest.mark.slow
@pytest.mark.parametrize(("number", "why"), [(1, "is forbidden here"), (38, "this kernel has no kernel AIO")])
def test_a_forbidden_aio_is_replaced_by_a_thread_each(tmp_path: Path, number: int, why: str) -> None:
    """If io_setup is refused too, each operation has a thread. A note mentions this."""
    on_system_with_aio(tmp_path)
    _, used, count, _, note = refused(tmp_path, number, "aio")
    assert (used, count) == ("threads", "8")
    assert note.startswith("Each outstanding operation had its own thread: ")
    assert why in note


@pytest.mark.slow
def test_few_threads_have_many_operations_under_way(tmp_path: Path) -> None:
    """Kernel AIO needs one thread per 16 operations. Without it, there is one per operation."""
    on_system_with_aio(tmp_path)
    target = on_disk(tmp_path / "file", 64)
    # all of them wait for their moment, so that all are seen
    few, many = (
        Work(streams=[stream(Op.READ, range(64), depth=64, intended=[seconds * 10**9] * 64)]) for seconds in (2, 6)
    )
    assert most_threads(lambda: Native("threads").run(target, few)) <= 4
    assert most_threads(lambda: Native("threads", aio=False).run(target, many)) == 64
    os.close(target.handle)


def test_polling_does_not_starve_the_workers(tmp_path: Path) -> None:
    """With a busy program on every processor, the work is completed."""
    on_system_with_aio(tmp_path)
    target = on_disk(tmp_path / "file", 64)
    work = Work(streams=[stream(Op.READ, list(range(64)) * 20, depth=32)])
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    try:
        (done,) = Native("threads").run(target, work).samples
    finally:
        for other in busy:
            other.kill()
            other.wait()
        os.close(target.handle)
    assert list(done.results) == [BLOCK] * 1280


@pytest.mark.parametrize("rate", [None, 2000])
def test_on_one_processor_work_is_completed(tmp_path: Path, rate: int | None) -> None:
    """Kernel AIO works on one processor, also at a fixed rate."""
    on_system_with_aio(tmp_path)
    target = on_disk(tmp_path / "file", 64)
    intended = None if rate is None else [number * 10**9 // rate for number in range(640)]
    work = Work(streams=[stream(Op.READ, list(range(64)) * 10, depth=32, intended=intended)])
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        (done,) = Native("threads").run(target, work).samples
    finally:
        os.sched_setaffinity(0, before)
        os.close(target.handle)
    assert Counter(done.offsets) == Counter([number * BLOCK for number in range(64)] * 10)
    assert set(done.results) == {BLOCK}
    assert intended is None or sorted(done.starts) == intended


def test_aio_is_not_used_where_it_would_block() -> None:
    """Where AIO may block, each operation has a thread, with a note. This depends on the file system."""
    handle = os.memfd_create("memory")
    os.truncate(handle, 8 * BLOCK)
    target = Handle(handle, 8 * BLOCK, direct=True)
    outcome = Native("threads").run(target, Work(streams=[stream(Op.READ, range(8), depth=4)]))
    os.close(handle)
    assert "only on block devices, ext4 and XFS" in outcome.notes[0]


def test_a_missing_module_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason mentions the C compiler that was missing at the installation."""
    target = on_disk(tmp_path / "file", 1)
    monkeypatch.setitem(sys.modules, NAME, None)
    reason = Native().usable(target)
    os.close(target.handle)
    assert reason is not None
    assert "C compiler" in reason


def test_invalid_arguments_raise_exceptions(tmp_path: Path) -> None:
    """Invalid arguments raise an exception."""
    module = engine()
    with (tmp_path / "x").open("w+b") as file:
        for item in [(), (b"", b"", 1, 1, 1, False, None), (b"\0", b"\0", 1, 1, 1, False, None), "x", None,
                     (b"\7", bytes(8), 1, 1, 1, False, None), (b"\0", bytes(8), 0, 1, 1, False, None),
                     (b"\0", bytes(8), 1, 1, 2, False, None), (b"\0", bytes(8), 1, 1, 1, True, bytes(8))]:  # fmt: skip
            with pytest.raises((ValueError, TypeError, SystemError)):
                module.run(file.fileno(), 0, 0, [item], -1.0, 0, 0, False, blocks.pool(), 1)
        with pytest.raises(ValueError, match="no streams"):
            module.run(file.fileno(), 0, 0, [], -1.0, 0, 0, False, blocks.pool(), 1)
        with pytest.raises(ValueError, match="pool"):
            module.run(file.fileno(), 0, 0, [], -1.0, 0, 0, False, b"", 1)


def copy_of_the_tree(place: Path) -> Path:
    """A copy of the files of a wheel."""
    for name in ("pyproject.toml", "setup.cfg", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, place / name)
    for name in ("raidctl", "vendors", "docs/man", "packaging/completions"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info"))
    return place


@pytest.mark.slow
@pytest.mark.parametrize(("compiler", "held"), [("gcc", True), ("false", False)])
def test_a_wheel_has_the_engine_only_if_there_is_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str, *, held: bool
) -> None:
    """A wheel has the engine only if built with a compiler."""
    monkeypatch.setenv("CC", compiler)
    builder = ProjectBuilder(copy_of_the_tree(tmp_path), python_executable=sys.executable)
    wheel = builder.build("wheel", tmp_path / "out")
    with zipfile.ZipFile(wheel) as archive:
        assert ("raidctl/bench/_engine.abi3.so" in archive.namelist()) is held


def test_the_stub_names_what_the_module_has() -> None:
    """The stub for type checkers has exactly the names of the module."""
    stub = (ROOT / "raidctl" / "bench" / "_engine.pyi").read_text(encoding="utf-8")
    named = {line.split("(")[0].removeprefix("def ") for line in stub.splitlines() if line.startswith("def ")}
    named |= {line.split(":")[0] for line in stub.splitlines() if line.endswith(": int")}
    assert {name for name in dir(engine()) if not name.startswith("__")} == named
    assert importlib.import_module(NAME) is engine()
