"""Structures declared once, as a sequence of fields. Offsets and sizes follow from it. All are packed, little endian.

A field beyond the transferred bytes is None, and so is a structure of which no byte was transferred.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Number:
    """An integer of ``size`` bytes."""

    size: int
    signed: bool = False

    def read(self, data: bytes) -> int:
        """The value of exactly ``size`` bytes."""
        return int.from_bytes(data, "little", signed=self.signed)


@dataclass(frozen=True)
class Text:
    """Characters up to a NUL or the field's end, without surrounding blanks."""

    size: int

    def read(self, data: bytes) -> str:
        r"""Printable ASCII. Any other byte becomes ``\xNN``, which is safe on a terminal."""
        text = data.split(b"\0", 1)[0].decode("latin-1")
        return "".join(c if " " <= c <= "~" else f"\\x{ord(c):02x}" for c in text).strip()


@dataclass(frozen=True)
class Bytes:
    """Bytes that are decoded elsewhere, or reserved."""

    size: int

    def read(self, data: bytes) -> bytes:
        """The bytes themselves."""
        return data


@dataclass(frozen=True)
class Many:
    """``count`` elements of one kind."""

    of: Kind
    count: int

    @property
    def size(self) -> int:
        """Bytes of all elements."""
        return self.of.size * self.count


@dataclass(frozen=True)
class Record:
    """A structure. ``name`` is that of the kernel's and FreeBSD's headers."""

    name: str
    fields: Sequence[tuple[str, Kind]] = field(repr=False, hash=False)

    @cached_property
    def places(self) -> Mapping[str, tuple[int, Kind]]:
        """Each field's offset in bytes, and its kind."""
        found: dict[str, tuple[int, Kind]] = {}
        offset = 0
        for name, kind in self.fields:
            found[name] = (offset, kind)
            offset += kind.size
        return found

    @cached_property
    def size(self) -> int:
        """Size in bytes."""
        return sum(kind.size for _, kind in self.fields)

    def offset(self, path: str) -> int:
        """The offset of ``params.state``."""
        first, _, rest = path.partition(".")
        offset, kind = self.places[first]
        return offset + (kind.offset(rest) if rest and isinstance(kind, Record) else 0)

    def decode(self, data: bytes, start: int = 0) -> dict[str, Any]:
        """All fields of the structure at ``start``. Fields beyond the end of ``data`` are None."""
        return {name: _value(kind, data, start + offset) for name, (offset, kind) in self.places.items()}


Kind = Number | Text | Bytes | Many | Record

U8, U16, U32, U64, I16 = Number(1), Number(2), Number(4), Number(8), Number(2, signed=True)


def _value(kind: Kind, data: bytes, start: int) -> Any:
    if isinstance(kind, Record):
        return kind.decode(data, start)
    if isinstance(kind, Many):
        return [_value(kind.of, data, start + number * kind.of.size) for number in range(kind.count)]
    part = data[start : start + kind.size]
    return kind.read(part) if len(part) == kind.size else None


def elements(kind: Record, data: bytes, start: int, count: int, stride: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield up to ``count`` complete structures, ``stride`` bytes apart. A ``stride`` of None is their size."""
    step = stride or kind.size
    for number in range(count):
        place = start + number * step
        if place + kind.size > len(data):
            return
        yield kind.decode(data, place)
