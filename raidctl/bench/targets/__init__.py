"""Targets of the benchmark: a temporary file, a device, an NBD export.

What an engine may rely on beyond `raidctl.bench.work.Target`:

* Targets of the kinds ``file`` and ``device`` are `Handled`: ``fileno()`` is an open descriptor (opened with O_DIRECT
  where ``direct`` is true; read-only where ``writable`` is false), and byte 0 of the target is byte ``base`` of that
  descriptor: a device's range begins somewhere. Headers of blocks (`raidctl.bench.blocks`) carry the target's own
  offsets, without ``base``.
* Targets of the kind ``nbd`` give connections: `raidctl.bench.targets.nbd.NbdTarget.connect`.
* `refuse_outside` is called by every engine before its first operation: nothing outside of the target is ever touched.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from raidctl.bench.work import Op, Stream, Target, Work
from raidctl.errors import BenchError

__all__ = ["Handled", "refuse_outside"]


@runtime_checkable
class Handled(Protocol):
    """A target with an open descriptor."""

    @property
    def base(self) -> int:
        """Offset of the target within the descriptor, bytes; 0 for files."""

    def fileno(self) -> int:
        """The open descriptor."""


def refuse_outside(target: Target, work: Work) -> None:
    """Refuse operations outside the target, or writes to a read-only one.

    Raises:
        BenchError: With the first operation that is off.
    """
    for stream in work.streams:
        _refuse_stream(target, stream)


def _refuse_stream(target: Target, stream: Stream) -> None:
    flushes = stream.ops.count(Op.FLUSH)
    writes = stream.ops.count(Op.WRITE) + stream.ops.count(Op.WRITE_DURABLE)
    if stream.ops.count(Op.READ) + writes + flushes != len(stream.ops):
        raise BenchError("An operation that no engine supports.")
    if writes + flushes and not target.writable:
        raise BenchError(f"{target.name} may only be read: name a directory, or a range of the device to write to.")
    # a flush has no offset, whatever the field contains
    places = (
        {at for op, at in zip(stream.ops, stream.offsets, strict=True) if op != Op.FLUSH}
        if flushes
        else set(stream.offsets)
    )
    if not places:
        return
    if max(places) + stream.size > target.size:
        raise BenchError(
            f"An operation at byte {max(places)} would reach beyond the {target.size} bytes of {target.name}."
        )
    grain = target.alignment
    if stream.size % grain or any(place % grain for place in places):
        raise BenchError(f"{target.name} takes only multiples of {grain} bytes.")
