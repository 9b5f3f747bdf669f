"""Parse the udev database as printed by ``udevadm info --export-db``.

pyudev on a machine without a running udevd gives the same format with the kernel's properties only.
"""

from __future__ import annotations

from msgspec import Struct, field

from raidctl.evidence import Line, Output
from raidctl.text import regex

SOURCE = "udev database"
_KNOWN = frozenset("PMRJUBTDINLSQVEAWGCH")
# N: is the node, S: a link, E: a property; the other letters repeat properties, or are not needed
_HEX = regex(r"\\x([0-9a-fA-F]{2})")


class Entry(Struct):
    """One device of the database."""

    path: str
    """``/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda``, without ``/sys``."""
    node: str | None = None
    """``/dev/sda``."""
    links: list[str] = field(default_factory=list)
    """``/dev/disk/by-id/…``."""
    properties: dict[str, str] = field(default_factory=dict)

    @property
    def kernel_name(self) -> str:
        """``sda``; ``cciss!c0d0`` as ``cciss/c0d0``."""
        return self.path.rsplit("/", 1)[-1].replace("!", "/")

    @property
    def subsystem(self) -> str | None:
        """``block``, ``pci`` …."""
        return self.properties.get("SUBSYSTEM")


class Database(Struct, frozen=True):
    """All entries, and the lines of unknown format."""

    entries: tuple[Entry, ...] = ()
    unknown_lines: tuple[Line, ...] = ()

    def of(self, subsystem: str) -> dict[str, Entry]:
        """Return the entries of a subsystem by kernel name. If two have the same name, the first one counts."""
        found: dict[str, Entry] = {}
        for entry in self.entries:
            if entry.subsystem == subsystem:
                found.setdefault(entry.kernel_name, entry)
        return found


def parse(text: str) -> Database:
    """Read an export of the database. Never raises; linear in the text's length."""
    entries: list[Entry] = []
    unknown = Output(SOURCE)
    entry: Entry | None = None
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if not line.strip():
            continue
        letter, value = line[0], line[3:]
        if line[1:3] != ": " or letter not in _KNOWN:
            unknown.add(line, number)
        elif letter == "P":
            entry = Entry(value.strip())
            entries.append(entry)
        elif entry is None:
            unknown.add(line, number)
        else:
            _take(entry, letter, value)
    return Database(tuple(entries), tuple(unknown.lines))


def _take(entry: Entry, letter: str, value: str) -> None:
    # E: ID_WWN=0x50014ee2b1a2c3d4
    if letter == "E":
        key, equals, content = value.partition("=")
        if equals:
            entry.properties[key] = content
    # S: disk/by-id/wwn-0x50014ee2b1a2c3d4
    elif letter == "S":
        entry.links.append(in_dev(value.strip()))
    # N: sda
    elif letter == "N":
        entry.node = in_dev(value.strip())
    # U: block
    elif letter == "U":
        entry.properties.setdefault("SUBSYSTEM", value.strip())
    # D: b 8:0
    elif letter == "D" and value[1:2] == " ":
        major, _, minor = value[2:].strip().partition(":")
        entry.properties.setdefault("MAJOR", major)
        entry.properties.setdefault("MINOR", minor)


def in_dev(name: str) -> str:
    """Return ``/dev/sda`` for ``sda`` and for ``/dev/sda``."""
    return name if name.startswith("/dev/") else f"/dev/{name}"


def unescape(text: str) -> str:
    r"""Decode ``WDC\x20WD40``: udev's escapes in properties that end in ``_ENC``."""
    if "\\x" not in text:
        return text
    data = _HEX.sub(lambda match: chr(int(match[1], 16)), text)
    try:
        return data.encode("latin-1").decode("utf-8", errors="replace")
    except UnicodeEncodeError:
        return data


def uevent(text: str) -> dict[str, str]:
    """Parse a ``uevent`` file of sysfs: ``KEY=VALUE`` lines."""
    pairs = (line.strip().partition("=") for line in text.splitlines())
    return {key: value for key, equals, value in pairs if equals}
