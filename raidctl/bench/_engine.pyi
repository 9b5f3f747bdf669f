# The compiled engine; raidctl/bench/engines/native.py is its only caller.

# The base-2 logarithm of the number of a histogram's bins for each power of two.
BIN_BITS: int
# A stream ends after this many failures in a row.
MAX_CONSECUTIVE_FAILURES: int

# Carry out streams (ops, offsets, size, depth, batch, cycle, intended starts) on a descriptor. `kind` 0: threads,
# 1: io_uring, 2: threads with several reads or writes in flight each, through kernel AIO (streams deeper than 1 without
# flushes). `base`: offset of the target's byte 0. `seconds` below 0: until all is done. Returns for each stream its
# columns (ops, offsets, starts, latencies, results), the offsets that did not match, and the histograms of the
# operations after `keep` samples; then wall time and CPU time (without polling), ns. Raises OSError if the run
# could not start. An exception of a signal handler ends it within 0.1 s.
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

# The contents of a write of `size` bytes at byte `start`: `raidctl.bench.blocks.block` in C.
def fill(run_id: int, start: int, size: int, generation: int, time_ns: int, pool: bytes, /) -> bytes: ...

# Whether a block has the contents of a write of that run, of that generation or a later one.
def matches(data: bytes, run_id: int, start: int, generation: int, pool: bytes, /) -> bool: ...

# 0: io_uring can be used; else the errno of the reason (ETIME: too old, ENOPKG: built without).
def uring() -> int: ...

# 0: kernel AIO keeps `count` operations of a descriptor in flight; else an errno (EOPNOTSUPP: the file system may not).
def aio(fd: int, count: int, /) -> int: ...
