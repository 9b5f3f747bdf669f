"""Reasons not to write to a device in use or with data. Unknown is never safe.

Any one of four checks can refuse: the kernel (holders, partitions, mounts, swap; and O_EXCL in
`raidctl.bench.targets.device`), blkid and wipefs, and known signatures in the first and last MiB.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from raidctl.bench.targets.below import Stack
from raidctl.bench.targets.signatures import EDGE, foreign, marks
from raidctl.discovery.mapper import TABLE
from raidctl.discovery.mounts import mountinfo, swaps
from raidctl.request import Answer, Failure, Run, RunAnswer
from raidctl.runners.local import LocalRunner
from raidctl.text import collapse, printable

_NOTHING, _AMBIVALENT = 2, 8
"""Exit codes of ``blkid -p``: nothing was found; several things were found."""
_SHOWN = 160


@dataclass(frozen=True)
class Kernel:
    """The kernel's files on devices, of this machine or a copy."""

    sys: Path = Path("/sys")
    proc: Path = Path("/proc")

    def reasons(self, number: str) -> Iterator[str]:
        """Reasons known to the kernel that forbid writing to a block device.

        Args:
            number: ``8:16``, its number.
        """
        place = self.sys / "dev/block" / number
        try:
            place = place.resolve(strict=True)
            yield from self._tree(place)
        except OSError as error:
            yield f"what uses it is unknown ({error.strerror or error})"
        yield from self._mounts(number)
        try:
            yield from self._uses_below(number)
        except (OSError, ValueError, LookupError) as error:
            yield f"which other devices show the same bytes is unknown ({getattr(error, 'strerror', None) or error})"

    def _uses_below(self, number: str) -> Iterator[str]:
        """What is in use or holds data below a device. Devices that share bytes with it count as well."""
        table = ""
        if any((self.sys / "dev/block").glob("*/dm")):
            [answer] = LocalRunner().carry_out([TABLE])
            table = answer.text if isinstance(answer, RunAnswer) and answer.trouble is None else ""
        stack = Stack(self.sys, table)
        for path in stack.hidden(number):
            yield from (f"{reason} (on {printable(path)}, below it)" for reason in data_reasons(path))
        for other in (*sorted(stack.chain(number) - {number}), *stack.sharing(number)):
            below = other in stack.chain(number)
            reasons = list(self._mounts(other))
            if not below:
                reasons = reasons or list(self._holders(other)) or data_reasons(f"/dev/{stack.name(other)}")
            node = f"/dev/{stack.name(other)}"
            yield from (
                f"{reason} ({node}, {'below it' if below else 'which shows the same bytes'})" for reason in reasons
            )

    def _holders(self, number: str) -> Iterator[str]:
        names = sorted(entry.name for entry in (self.sys / "dev/block" / number / "holders").iterdir())
        if names:
            yield f"it is in use by {', '.join(names)}"

    def _tree(self, place: Path) -> Iterator[str]:
        partition = (place / "partition").exists()
        for where, what in ((place, "it"), (place.parent, "the drive that it is a part of")):
            if where == place or partition:
                names = sorted(entry.name for entry in (where / "holders").iterdir())
                if names:
                    yield f"{what} is in use by {', '.join(names)} (an array, a volume manager or a mapping)"
        parts = sorted(entry.name for entry in place.iterdir() if (entry / "partition").exists())
        if parts:
            yield f"it has partitions ({', '.join(parts)})"
        if (place / "ro").read_text(encoding="utf-8").strip() != "0":
            yield "it is read-only"
        queue = (place.parent if partition else place) / "queue/zoned"
        if queue.exists() and queue.read_text(encoding="utf-8").strip() != "none":
            yield "it has zones that must be written in their order"

    def _mounts(self, number: str) -> Iterator[str]:
        try:
            mounted = mountinfo(_text(self.proc / "self/mountinfo"))
            swapped = swaps(_text(self.proc / "swaps")) if (self.proc / "swaps").exists() else None
        except OSError as error:
            yield f"its mounts are unknown ({error.strerror or error})"
            return
        points = sorted({mount.point for mount in mounted.mounts if number in (mount.device, _number(mount.source))})
        if points:
            yield f"it is mounted at {', '.join(map(printable, points))}"
        if swapped is not None and any(number == _number(node) for node in swapped.swaps):
            yield "it is used as swap"
        if mounted.unknown_lines or (swapped is not None and swapped.unknown_lines):
            yield "its mounts are unknown (a line of the kernel's tables has an unknown format)"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def _number(node: str) -> str | None:
    """``8:16`` of a device node; None for anything else."""
    if not node.startswith("/"):
        return None
    try:
        number = Path(node).stat().st_rdev
    except (OSError, ValueError):
        return None
    return f"{os.major(number)}:{os.minor(number)}" if number else None


def data_reasons(path: str) -> list[str]:
    """Return data on a device or image that must not be overwritten. Empty: none."""
    try:
        head, tail, size = ends(path)
    except OSError as error:
        return [f"it could not be checked ({error.strerror or error})"]
    requests = (Run(("blkid", "-p", "-o", "export", path)), Run(("wipefs", "--no-act", "--parsable", path)))
    answers = LocalRunner().carry_out(requests)
    return judged(answers[0], answers[1], head, tail, size)


def ends(path: str) -> tuple[bytes, bytes, int]:
    """The first and last MiB, and the size. Raise OSError, also after a short read."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        size = os.lseek(handle, 0, os.SEEK_END)
        edge = min(EDGE, size)
        head, tail = os.pread(handle, edge, 0), os.pread(handle, edge, size - edge)
    finally:
        os.close(handle)
    if len(head) != edge or len(tail) != edge or not size:
        raise OSError("fewer bytes could be read than expected")
    return head, tail, size


def judged(blkid: Answer, wipefs: Answer, head: bytes, tail: bytes, size: int) -> list[str]:
    """Reasons not to write to a device.

    They come from the output of libblkid's tools and both ends of the device. Pure.
    """
    found = [f"it holds {what}" for what in marks(head, tail, size)]
    asked = [_blkid(blkid), _wipefs(wipefs)]
    found += [reason for reason in asked if reason]
    if all(reason is None for reason in asked) and (reason := foreign(head, tail)):
        # libblkid, which recognises all signatures, is not available
        found.append(f"{reason}, and neither blkid nor wipefs is installed to identify it (package util-linux)")
    return list(dict.fromkeys(found))


def _blkid(answer: Answer) -> str | None:
    """What blkid finds: an empty text for nothing. None if it is not installed."""
    if answer.trouble is Failure.MISSING:
        return None
    if answer.trouble is not None or not isinstance(answer, RunAnswer):
        return f"blkid could not identify its contents ({answer.detail or 'no answer'})"
    if answer.code == _NOTHING and not answer.out.strip():
        return ""
    if answer.code == _AMBIVALENT:
        return "blkid reports several signatures on it"
    # TYPE=ext4 / PTTYPE=gpt
    properties = dict(line.partition("=")[::2] for line in answer.text.splitlines())
    what = properties.get("TYPE") or properties.get("PTTYPE")
    if answer.code == 0 and what:
        return f"blkid reports {printable(what)} on it"
    message = printable(collapse(answer.error_text or answer.text))[:_SHOWN]
    return f"blkid could not identify its contents (exit code {answer.code}{f': {message}' if message else ''})"


def _wipefs(answer: Answer) -> str | None:
    """What wipefs finds, as `_blkid`."""
    if answer.trouble is Failure.MISSING:
        return None
    if answer.trouble is not None or not isinstance(answer, RunAnswer):
        return f"wipefs could not identify its contents ({answer.detail or 'no answer'})"
    if answer.code != 0:
        message = printable(collapse(answer.error_text))[:_SHOWN]
        return f"wipefs could not identify its contents (exit code {answer.code}{f': {message}' if message else ''})"
    # # offset,uuid,label,type
    # 0xff6,2d1c3a5e-…,,swap
    kinds = [line.rsplit(",", 1)[-1] for line in answer.text.splitlines() if line.strip() and not line.startswith("#")]
    return f"wipefs reports {printable(', '.join(dict.fromkeys(kinds)))} on it" if kinds else ""
