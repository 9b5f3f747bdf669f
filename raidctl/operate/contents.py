"""Checks that a device is empty and free: signatures, first sector, O_EXCL.

A device without a file system in the view of kernel and udev may still be used by a virtual machine, an iSCSI target, a
database, or as an encrypted volume without a header.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from raidctl.operate.new_drive import missing_tool, probe, signatures
from raidctl.request import Dialogue, Run, RunAnswer, ask_all

SECTOR = 512
"""Bytes of a first sector."""


class Contents(Struct, frozen=True, kw_only=True):
    """The content of a device, as read."""

    signatures: tuple[str, ...] | None = None
    """Types; None: they could not be read."""
    blank: bool | None = None
    """Whether the first sector has only zeros. None: it could not be read."""
    held: bool = False
    """Whether a program has opened it exclusively."""
    remedy: str | None = None
    """What to do if it could not be read."""

    @property
    def empty(self) -> bool:
        """Whether the device contains nothing."""
        return self.signatures == () and self.blank is True


def first_sector(node: str) -> Run:
    """The request that reads the first sector of a device; changes nothing."""
    return Run(("dd", f"if={node}", f"bs={SECTOR}", "count=1", "status=none"), timeout=30.0)


def exclusive(node: str) -> Run:
    """The request that opens a device exclusively and writes nothing. It fails if a program holds the device.

    wipefs(8) opens it with O_EXCL unless it is given ``--force``.
    """
    return Run(("wipefs", "--all", "--no-act", node))


def opened(answer: RunAnswer) -> bool:
    """Return whether no program held the device."""
    return answer.fine and answer.code == 0


def read_contents(nodes: Sequence[str]) -> Dialogue[dict[str, Contents]]:
    """Read devices. Only empty ones are opened, since opening one for writing makes udev probe it again."""
    answers = yield from ask_all([request for node in nodes for request in (probe(node), first_sector(node))])
    found = {
        node: Contents(signatures=signatures(wiped), blank=_blank(sector), remedy=missing_tool(wiped))
        for node, wiped, sector in zip(nodes, answers[::2], answers[1::2], strict=True)
    }
    empty = [node for node, one in found.items() if one.empty]
    held = yield from ask_all([exclusive(node) for node in empty])
    return found | {node: _opening(answer) for node, answer in zip(empty, held, strict=True)}


def _opening(answer: RunAnswer) -> Contents:
    """The result of opening an empty device. A program that did not end shows nothing."""
    if not answer.fine:
        return Contents(remedy=missing_tool(answer))
    return Contents(signatures=(), blank=True, held=not opened(answer))


def _blank(answer: RunAnswer) -> bool | None:
    if not answer.fine or answer.code != 0 or len(answer.out) != SECTOR:
        return None
    return not any(answer.out)
