"""Partition tables of ``sfdisk --dump``, copied without their identifiers. Pure."""

from __future__ import annotations

import re

from msgspec import Struct

from raidctl.host import partition_node
from raidctl.text import regex

# /dev/sda1 : start=        2048, size=      204800, type=A19D880F-05FC-4D3B-A006-743F0F84911E, uuid=…, name="md"
_LINE = regex(r"(/dev/\S+?)(\d{1,3}) : (\S.*)", re.ASCII)
# name="EFI", attrs="RequiredPartition GUID:63"; of a DOS table: type=fd, bootable
_FIELD = regex(r'([a-z-]+)(?:=\s*("[^"]*"|[^,\s]+))?', re.ASCII)
_HEADS = ("label", "unit", "first-lba", "sector-size", "grain")
"""Header lines that a copy keeps. The others (identifier, device, last sector) belong to the drive."""


class Partition(Struct, frozen=True):
    """A partition of a table."""

    number: int
    fields: dict[str, str]
    """Values as printed, with their quotes. A flag has an empty one."""

    @property
    def layout(self) -> tuple[int, str | None, str | None, str | None]:
        """The fields that a copy must have in common with its source."""
        return self.number, self.fields.get("start"), self.fields.get("size"), self.fields.get("type")

    @property
    def end(self) -> int | None:
        """The sector after it; None: unknown."""
        words = [self.fields.get("start", ""), self.fields.get("size", "")]
        return sum(map(int, words)) if all(word.isascii() and word.isdecimal() for word in words) else None


class Table(Struct, frozen=True):
    """A partition table."""

    heads: dict[str, str]
    partitions: tuple[Partition, ...]

    @property
    def identifiers(self) -> frozenset[str]:
        """The unique identifiers of the drive and its partitions, in lower case."""
        own = [self.heads.get("label-id")] + [part.fields.get("uuid") for part in self.partitions]
        return frozenset(one.lower() for one in own if one)

    @property
    def end(self) -> int | None:
        """The sector after the last partition. None: that of a partition is unknown."""
        ends = [part.end for part in self.partitions]
        return None if None in ends else max((end for end in ends if end is not None), default=None)


def parse(text: str) -> Table | None:
    """Read a dump; None if it is not a table with partitions, or the line of one cannot be read."""
    heads: dict[str, str] = {}
    partitions: list[Partition] = []
    for line in text.splitlines():
        match = _LINE.fullmatch(line.strip())
        if match is not None:
            partitions.append(Partition(int(match[2]), dict(_FIELD.findall(match[3]))))
        elif line.lstrip().startswith("/dev/"):
            return None
        elif ": " in line:
            name, _, value = line.partition(": ")
            heads[name.strip()] = value.strip()
    if heads.get("label") not in ("gpt", "dos") or not partitions:
        return None
    return Table(heads, tuple(partitions))


def script(source: Table, node: str) -> str:
    """Return sfdisk's input for the same partitions with new identifiers (R12)."""
    lines = [f"{name}: {source.heads[name]}" for name in _HEADS if name in source.heads]
    for part in source.partitions:
        kept = [f"{name}={value}" if value else name for name, value in part.fields.items() if name != "uuid"]
        lines.append(f"{partition_node(node, str(part.number))} : {', '.join(kept)}")
    return "\n".join([*lines, ""])


def not_copied(source: Table, copy: Table | None) -> str | None:
    """Explain why a table is not a copy of another with new identifiers. None if it is (R12)."""
    if copy is None:
        return "the new drive has no partition table yet"
    if [part.layout for part in source.partitions] != [part.layout for part in copy.partitions]:
        return "the partitions of the new drive are not those of its source"
    same = source.identifiers & copy.identifiers
    if same and not (source.heads.get("label") == "dos" and not source.heads.get("label-id")):
        return f"the new drive has identifiers of its source: {', '.join(sorted(same))}"
    return None
