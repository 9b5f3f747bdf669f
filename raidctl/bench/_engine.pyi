# The compiled engine; raidctl/bench/engines/native.py is its only caller.

# Bins of a histogram for each power of two, as a power of two.
BIN_BITS: int
# A stream ends after so many operations that fail one after the other.
MAX_CONSECUTIVE_FAILURES: int

# Carry out streams (ops, offsets, size, depth, batch, cycle, intended) on a descriptor. `kind` 0: threads, 1: io_uring,
# 2: threads of which one has several reads or writes under way by kernel AIO (streams deeper than 1 without flushes).
# `base` is where the target's byte 0 is; `seconds` below 0: until all is done. Gives for each stream its columns (ops,
# offsets, starts, latencies, results), the offsets that did not match, and the histograms of what came after `keep`
# samples; then wall time and CPU time (but for what was spent on looking for ends), ns. Raises OSError where the run
# could not begin; what a signal's handler raises ends it within 0.1 s.
def run(
    fd: int,
    base: int,
    kind: int,
    streams: list[tuple[bytes, bytes, int, int, int, bool, bytes | None]],
    seconds: float,
    run_id: int,
    generation: int,
    verify: bool,
    pool: bytes,
    keep: int,
    /,
) -> tuple[list[tuple[tuple[bytes, bytes, bytes, bytes, bytes], bytes, bytes | None]], int, int]: ...

# What an operation of `size` bytes at byte `start` writes: `raidctl.bench.blocks.block` in C.
def fill(run_id: int, start: int, size: int, generation: int, time_ns: int, pool: bytes, /) -> bytes: ...

# Whether a block is as a write of that run left it, of that generation or a later one.
def matches(data: bytes, run_id: int, start: int, generation: int, pool: bytes, /) -> bool: ...

# 0: io_uring can be used; else the errno that says why not (ETIME: too old, ENOPKG: built without).
def uring() -> int: ...

# 0: kernel AIO keeps so many operations of a descriptor under way; else the errno (EOPNOTSUPP: its system may not).
def aio(fd: int, count: int, /) -> int: ...
