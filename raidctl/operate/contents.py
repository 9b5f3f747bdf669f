"""Checks that a device is empty and free: signatures, first sector, O_EXCL.

A device without a file system in the view of kernel and udev may still be used by a virtual machine, an iSCSI target, a
database, or as an encrypted volume without a header.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from raidctl import json_decode
from raidctl.request import Dialogue, Failure, Run, RunAnswer, ask_all

SECTOR = 512
HELD = "is held open by a program: a virtual machine, an iSCSI target or another."
"""The reason not to touch a device that is open; it follows the name."""
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

    @property
    def left_over(self) -> Contents:
        """The content if data without a signature does not count. raidctl may have left it when it erased the rest."""
        return replace(self, blank=True) if self.signatures == () else self


EMPTY = Contents(signatures=(), blank=True)
"""A device that contains nothing, and is free."""


def probe(node: str) -> Run:
    """The request that reads the signatures of a device; changes nothing."""
    return Run(("wipefs", "--no-act", "--json", node))


def signatures(answer: RunAnswer) -> tuple[str, ...] | None:
    """The types of the signatures that a probe found. None if it failed.

    ``{"signatures": [{"device":"sdf", "offset":"0x438", "type":"ext4", "uuid":"…"}]}``; empty where there is none.
    """
    if not answer.fine or answer.code != 0:
        return None
    if not answer.text.strip():
        return ()
    try:
        rows = json_decode.decode_text(answer.text)["signatures"]
        return tuple(str(row["type"]) for row in rows)
    except (ValueError, KeyError, TypeError):
        return None


def missing_tool(answer: RunAnswer) -> str | None:
    """The remedy if a probe failed; None: unknown."""
    return "Install the package util-linux." if answer.trouble is Failure.MISSING else None


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


def read_contents(nodes: Sequence[str], always: Collection[str] = ()) -> Dialogue[dict[str, Contents]]:
    """Read devices, and open the empty ones exclusively.

    Opening a device for writing makes udev probe it again. ``always``: the devices to open even if they are not empty.
    """
    answers = yield from ask_all([request for node in nodes for request in (probe(node), first_sector(node))])
    found = {
        node: Contents(signatures=signatures(wiped), blank=_blank(sector), remedy=missing_tool(wiped))
        for node, wiped, sector in zip(nodes, answers[::2], answers[1::2], strict=True)
    }
    tried = [node for node, one in found.items() if one.empty or node in always]
    held = yield from ask_all([exclusive(node) for node in tried])
    return found | {node: _opening(found[node], answer) for node, answer in zip(tried, held, strict=True)}


def _opening(found: Contents, answer: RunAnswer) -> Contents:
    """The result of opening a device. A program that did not end shows nothing."""
    if not answer.fine:
        return Contents(remedy=missing_tool(answer))
    return replace(found, held=not opened(answer))


def _blank(answer: RunAnswer) -> bool | None:
    if not answer.fine or answer.code != 0 or len(answer.out) != SECTOR:
        return None
    return not any(answer.out)
