"""ARRAY lines of mdadm.conf.

The functions give whether an array is listed, and the file with and without it. Pure; mdadm.conf(5).

``ARRAY /dev/md/data metadata=1.2 UUID=8c1f6e20:4b7d93a5:e0523b18:77d96c4f name=web:data``; a line that begins with a
blank continues the one above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidctl.model import Volume
from raidctl.text import regex

_UUID = regex(r"[0-9a-fA-F]{8}(?::[0-9a-fA-F]{8}){3}", re.ASCII)
_NAME = regex(r"(?:[\w.-]{1,64}:)?[A-Za-z0-9][\w.-]{0,31}", re.ASCII)
_METADATA = regex(r"0\.90|1\.[0-2]", re.ASCII)
PATHS = ("/etc/mdadm/mdadm.conf", "/etc/mdadm.conf")
"""Debian's, and mdadm's own."""


def lists(text: str, uuid: str) -> bool:
    """Whether an entry has this UUID."""
    return bool(uuid) and any(_uuid(words) == plain(uuid) for _, words in _entries(text))


def names_device(text: str, name: str) -> bool:
    """Whether an entry is for ``/dev/md/NAME``, however it is written."""
    devices = (f"/dev/md/{name}", name, f"md/{name}")
    return any(len(words) > 1 and words[1] in devices for _, words in _entries(text))


def with_array(text: str, volume: Volume) -> str:
    """The file with an entry for a volume. An old one of the same UUID is replaced.

    A name comes from a superblock, which anybody may have written: without the form of one it is left out.
    """
    if not _UUID.fullmatch(volume.unique_id or ""):
        return text
    whole = volume.name if _NAME.fullmatch(volume.name or "") else None
    name = (whole or "").rpartition(":")[2]
    words = ["ARRAY", f"/dev/md/{name}" if name else volume.device or ""]
    words += [f"metadata={volume.metadata}"] if _METADATA.fullmatch(volume.metadata or "") else []
    words += [f"UUID={volume.unique_id}"] + ([f"name={whole}"] if whole and ":" in whole else [])
    rest = without(text, volume.unique_id or "")
    return f"{rest}{'' if not rest or rest.endswith(chr(10)) else chr(10)}{' '.join(words)}\n"


def without(text: str, uuid: str) -> str:
    """The file without the entries of a UUID. Everything else stays as it is."""
    lines = text.splitlines(keepends=True)
    gone = {number for numbers, words in _entries(text) if _uuid(words) == plain(uuid) for number in numbers}
    return "".join(line for number, line in enumerate(lines) if number not in gone)


def _entries(text: str) -> Iterator[tuple[list[int], list[str]]]:
    """The ARRAY entries: the numbers of their lines, and their words."""
    numbers: list[int] = []
    words: list[str] = []
    for number, line in enumerate(text.splitlines()):
        own = line.split("#")[0].split()
        if line[:1].isspace() and numbers:
            numbers += [number] if own else []  # an indented comment stays, and ends no entry
            words += own
            continue
        if numbers:
            yield numbers, words
        # mdadm takes abbreviations of its keywords from three letters on
        array = bool(own) and len(own[0]) > 2 and "array".startswith(own[0].lower())
        numbers, words = ([number], own) if array else ([], [])
    if numbers:
        yield numbers, words


def _uuid(words: list[str]) -> str:
    found = (word.partition("=")[2] for word in words if word.lower().startswith("uuid="))
    return plain(next(found, ""))


def plain(uuid: str) -> str:
    """A UUID in lower case without separators."""
    return uuid.strip().lower().replace("-", "").replace(":", "")
