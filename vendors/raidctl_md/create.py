"""The command that makes an md array (mdadm(8), CREATE MODE). Pure.

Without ``--run``, mdadm asks before it overwrites a file system or a member of another array.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.model import Controller, Tool
from raidctl.text import regex
from raidctl.vendor.creating import CannotCreate, NewVolume

_LEVELS = {
    "raid0": "0", "raid1": "1", "raid4": "4", "raid5": "5", "raid6": "6", "raid10": "10", "linear": "linear",
}  # fmt: skip
_WITHOUT_STRIP = ("raid1", "linear")
_NAME = regex(r"[A-Za-z0-9][\w.-]{0,31}", re.ASCII)
"""Names since mdadm 4.3: the portable characters of POSIX."""
# near=2, far=2, offset=2
_LAYOUT = regex(r"(near|far|offset)=(\d)", re.ASCII)
_PARITY = regex(r"(left|right)-(a?symmetric)", re.ASCII)
_NATIVE = regex(r"(0\.90|1\.[0-2])", re.ASCII)


def create(controller: Controller, new: NewVolume, tools: Sequence[Tool]) -> Sequence[tuple[str, ...]]:  # noqa: ARG001 - the signature of all
    """One mdadm call."""
    level = _LEVELS.get(new.raid_level)
    if level is None:
        raise CannotCreate(f"md has no {new.raid_level}.")
    if len(new.nodes) < len(new.drives):
        raise CannotCreate("The device node of a drive is unknown.")
    if len(new.nodes) == 1:
        raise CannotCreate("mdadm makes an array of one drive only with --force.")
    name = (new.name or "").rpartition(":")[2]  # web:data, a name with its home host
    if not _NAME.fullmatch(name):
        raise CannotCreate("An array needs a name of letters, digits, dots, hyphens and underscores.")
    words = ["mdadm", "--create", f"/dev/md/{name}", f"--level={level}", f"--raid-devices={len(new.nodes)}"]
    if new.spares:
        words.append(f"--spare-devices={len(new.spares)}")
    if new.strip_bytes and new.raid_level not in _WITHOUT_STRIP:
        words.append(f"--chunk={new.strip_bytes // 1024}K")
    words += _format(new)
    if new.size_bytes is not None:
        raise CannotCreate("An array of less than its drives is not planned: use partitions, or leave size out.")
    return [(*words, *new.nodes, *new.spares)]


def _format(new: NewVolume) -> list[str]:
    """Superblock, layout, and what is written for the case of a crash."""
    words = []
    if new.metadata:
        if not _NATIVE.fullmatch(new.metadata):
            raise CannotCreate(f"Volumes in containers ({new.metadata}) are not planned.")
        words.append(f"--metadata={new.metadata}")
    if new.md_layout:
        mirrored = _LAYOUT.fullmatch(new.md_layout)
        if mirrored is None and not _PARITY.fullmatch(new.md_layout):
            raise CannotCreate(f'No option of mdadm is known for the layout "{new.md_layout}".')
        words.append(f"--layout={mirrored[1][0]}{mirrored[2]}" if mirrored else f"--layout={new.md_layout}")
    if new.consistency_policy == "journal":
        raise CannotCreate("A journal needs a separate device: add it with mdadm --create --write-journal.")
    if new.consistency_policy == "bitmap":
        words.append("--bitmap=internal")
    elif new.consistency_policy:
        words.append(f"--consistency-policy={new.consistency_policy}")
    return words
