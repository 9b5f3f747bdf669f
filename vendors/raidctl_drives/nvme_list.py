"""The tables of ``nvme list`` and ``nvme list -v``. Columns follow the rule of dashes below the header."""

from __future__ import annotations

import re

from raidctl.evidence import Line, mark_read
from raidctl.text import regex
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl_drives.draft import DriveDraft

_HEADERS = (
    regex(r"Node\s+(?:Generic\s+)?SN\s+Model\s+(?:Version\s+)?Namespace\s+Usage\s+Format\s+FW Rev"),
    regex(r"Subsystem\s+Subsystem-NQN\s+Controllers"),
    regex(
        r"Device\s+(?:Orchestrator\s+)?(?:Cntlid\s+)?SN\s+MN\s+FR\s+TxPort\s+Address\s+(?:Slot\s+)?Subsystem\s+Namespaces"
    ),
    regex(r"Device\s+(?:Generic\s+)?NSID\s+Usage\s+Format\s+Controllers"),
)
_NAMES = (
    "Node", "Generic", "SN", "Model", "Version", "Namespaces", "Namespace", "Usage", "Format", "FW Rev",
    "Subsystem-NQN", "Subsystem", "Controllers", "Device", "Orchestrator", "Cntlid", "MN", "FR", "TxPort", "Address",
    "Slot", "NSID",
)  # fmt: skip
_NAME = regex(r"(?<!\S)(?:" + "|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True)) + r")(?!\S)")
_RULE = regex(r"-+(?:\s+-+)*")
_USAGE = regex(r"\s*[0-9.,]+\s*[kKMGTPE]?B\s*/\s*([0-9.,]+)\s*([kKMGTPE]?)B\b.*")
_TOO_LARGE = 2**63
# the same row where a mailer has squeezed the blanks
_SQUEEZED = regex(
    r"(?P<Node>/dev/\S+)\s+(?:(?P<Generic>/dev/\S+)\s+)?(?P<SN>\S+)\s+(?P<Model>.*?)\s+(?P<Namespace>0x[0-9a-f]+|\d+)\s+"
    r"(?P<Usage>[\d.,]+\s*[kMGTPE]?B\s*/\s*[\d.,]+\s*[kMGTPE]?B)\s+(?P<Format>\d+\s*\w*B\s*\+\s*\d+\s*B)(?:\s+(?P<FW>\S.*))?"
)
# the rows of the table of namespaces, whose columns many versions print wider than their header
_NAMESPACE = regex(
    r"(?P<Device>(?:/dev/)?(?:nvme|ng)\S+)\s+(?:(?P<Generic>(?:/dev/)?ng\d\S*)\s+)?(?P<NSID>0x[0-9a-f]+|[0-9a-f]{1,8})\s+"
    r"(?P<Usage>[\d.,]+\s*[kMGTPE]?B\s*/\s*[\d.,]+\s*[kMGTPE]?B)(?:\s+\((?P<Binary>[^()]*)\))?\s+"
    r"(?P<Format>\d+\s*\w*B\s*\+\s*\d+\s*B)(?:\s+(?P<Controllers>\S.*))?"
)
_POWERS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_BANNERS = ("NVM Express Subsystems", "NVM Express Controllers", "NVM Express Namespaces")


# the header and its rows where a mailer has wrapped them
_WRAPPED = regex(
    r"(?m)^Node\s+(?:Generic\s+)?SN\s+Model\s+(?:Version\s+)?Namespace\s+Usage\s+Format\s+FW\s+Rev *\n(?:.+\n?)*"
)


def unwrapped(text: str) -> str:
    """The text with wrapped lines of ``nvme list`` joined.

    A mailer has wrapped them. There is one blank between two words.
    """
    return _WRAPPED.sub(lambda match: _joined(match[0]) if not is_header(match[0].split("\n")[0]) else match[0], text)


def _joined(table: str) -> str:
    rows: list[list[str]] = []
    for line in table.split("\n"):
        words = line.split()
        kind = words[0][0] if words else ""
        if not rows or kind == "/" or (kind == "-" and rows[-1][0][0] != "-"):
            rows.append(words)
        else:
            rows[-1] += words
    return "\n".join(map(" ".join, rows)) + "\n"


def is_header(words: str) -> bool:
    """Whether a line is the header of one of the tables."""
    return words.startswith(("Node", "Subsystem", "Device")) and any(header.match(words) for header in _HEADERS)


def is_banner(words: str) -> bool:
    """``NVM Express Controllers`` above a table of nvme-cli 1.x."""
    return words in _BANNERS


def parse_usage(text: str) -> int | None:
    """Bytes of the second figure of ``122.33 GB / 960.20 GB``: decimal units, point or comma.

    a. None for any other text.
    """
    match = _USAGE.fullmatch(text)
    if not match:
        return None
    try:
        figure = float(match[1].replace(",", "."))
    except ValueError:
        return None
    size = figure * 1000 ** _POWERS[match[2]]
    return int(round(size, 3)) if size < _TOO_LARGE else None


def _read_node(draft: DriveDraft, pair: Pair) -> None:
    draft.put(pair.lines[0], "device", pair.value if pair.value.startswith("/dev/") else f"/dev/{pair.value}")


def _read_usage(draft: DriveDraft, pair: Pair) -> None:
    draft.detail(pair.lines[0], pair.label, pair.value)
    if (size := parse_usage(pair.value)) is not None:
        draft.put(pair.lines[0], "size_bytes", size)


_COLUMNS: Fields[DriveDraft] = {
    # Node             SN       Model            Namespace Usage                      Format           FW Rev
    # /dev/nvme0n1     ABC123   EXAMPLE Q9       1         122.33  GB / 960.20  GB    512   B +  0 B   1.0
    **dict.fromkeys(("Node", "Device"), _read_node),
    "SN": Field("serial", str),
    **dict.fromkeys(("Model", "MN"), Field("model", str)),
    **dict.fromkeys(("FW Rev", "FR", "FW"), Field("firmware", str)),
    "Usage": _read_usage,
}


class Table:
    """One table: the names of its columns and where they begin."""

    def __init__(self, header: str) -> None:
        self.names = _NAME.findall(header)
        self.starts = [match.start() for match in _NAME.finditer(header)]
        self.packed = "  " not in header

    def read_rule(self, line: Line) -> bool:
        """Whether the line is the rule of dashes. That rule shows the columns more exactly than the header."""
        if not _RULE.fullmatch(line.stripped):
            return False
        starts = [match.start() for match in re.finditer(r"-+", line.text)]
        if len(starts) == len(self.names):
            self.starts = starts
        return True

    def read_row(self, draft: DriveDraft, line: Line) -> bool:
        """Read a row; False for any other line."""
        cells = self._cells(line)
        device = cells.get("Node") or cells.get("Device")
        if "Subsystem-NQN" in cells:
            # a subsystem has no serial number; its controllers follow in the next table
            mark_read(line)
            return bool(cells["Subsystem-NQN"].startswith("nqn.")) and self._subsystem(draft, line, cells)
        if not device or not re.fullmatch(r"(?:/dev/)?(?:spdk/)?(?:nvme|ng)\S+", device):
            return False
        for name, value in cells.items():
            if not read_pair(draft, Pair(name, value, [line]), name, _COLUMNS) and value:
                draft.detail(line, name, value)
        return True

    def _subsystem(self, draft: DriveDraft, line: Line, cells: dict[str, str]) -> bool:
        controllers = [name for name in cells.get("Controllers", "").split(", ") if name]
        if not controllers:
            return False
        draft.put(line, "device", f"/dev/{controllers[0]}")
        draft.detail(line, "Subsystem", cells.get("Subsystem", ""))
        draft.detail(line, "Subsystem-NQN", cells["Subsystem-NQN"])
        return True

    def _cells(self, line: Line) -> dict[str, str]:
        if "NSID" in self.names and (row := _NAMESPACE.fullmatch(line.stripped)):
            return {name: value.strip() for name, value in row.groupdict().items() if value}
        ends = [*self.starts[1:], None]
        cells = {
            name: line.text[start:end].strip() for name, start, end in zip(self.names, self.starts, ends, strict=True)
        }
        # an invalid usage, or a figure cut in two, shows that the columns have moved
        moved = "Usage" in cells and cells["Usage"] and parse_usage(cells["Usage"]) is None
        if (
            "Node" in cells
            and (self.packed or moved or self._cut(line))
            and (squeezed := _SQUEEZED.fullmatch(line.stripped))
        ):
            return {name: value.strip() for name, value in squeezed.groupdict().items() if value}
        return cells

    def _cut(self, line: Line) -> bool:
        """Whether a column's border is inside a word."""
        return any(
            0 < start < len(line.text) and not line.text[start - 1].isspace() for start in self.starts
        )  # fmt: skip
