"""Refuse results with failed, incomplete or missing operations; errors of the device have their own class. Pure."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Sequence

from raidctl.bench.work import Op, Samples, Stream, Work
from raidctl.errors import BenchError


class Faulty(BenchError):
    """Operations failed during the measurement."""

    number: int = 0
    """The errno of one of them; 0: none has one."""


class TargetFailed(Faulty):
    """The target failed: its drive or its server reported an error, or a checksum of its file system does not fit."""


_OF_TARGET = frozenset(
    {
        errno.EIO, errno.ENODATA, errno.EILSEQ, errno.EREMOTEIO, errno.ENOLINK, errno.ETIMEDOUT, errno.ENODEV,
        errno.ENXIO, errno.EBADMSG, errno.EUCLEAN,
    }
)  # fmt: skip
"""Errors of the block layer's devices (`blk_errors` in the kernel's block/blk-core.c) and of checksums."""
_WORDS = {
    errno.ENODATA: "unreadable sector (medium error)",
    errno.EILSEQ: "the data does not fit its protection information",
    errno.EREMOTEIO: "the drive reports an error",
    errno.ENOLINK: "the connection to the drive failed",
}
"""Errors for which the system's message ("No data available") misleads."""


def failed(what: str, number: int) -> Faulty:
    """Return the exception for a failed operation. ``what``: a clause, ``number``: an errno."""
    kind = TargetFailed if number in _OF_TARGET else Faulty
    error = kind(f"{what}: {_WORDS.get(number) or os.strerror(number)}.")
    error.number = number
    return error


def refuse_faulty(name: str, work: Work, samples: Sequence[Samples]) -> None:
    """Raise Faulty if part of the work was not done. Its message has how much, and the target ``name``."""
    for stream, one in zip(work.streams, samples, strict=True):
        _refuse_failed(name, one)
        if work.seconds is None and not stream.cycle:
            _refuse_missing(name, stream, one, work.keep)


def _refuse_failed(name: str, one: Samples) -> None:
    total = len(one.results)
    if min(one.results, default=0) < 0:
        errors = Counter(-result for result in one.results if result < 0)
        # an error of the device counts more than a refusal
        number = max(errors, key=lambda number: (number in _OF_TARGET, errors[number]))
        raise failed(f"{errors.total()} of {total} operations on {name} failed", number)
    short = sum(1 for op, done in zip(one.ops, one.results, strict=True) if op != Op.FLUSH and done < one.size)
    if short:
        raise Faulty(f"{short} of {total} operations on {name} transferred less than requested.")


def _refuse_missing(name: str, stream: Stream, one: Samples, keep: int) -> None:
    """Refuse results that lack counted operations. A verdict may depend on each of them."""
    missing = min(len(stream.ops), keep) - len(one.ops)
    if missing > 0:
        raise Faulty(f"{missing} of {len(stream.ops)} operations on {name} are missing in the engine's results.")
