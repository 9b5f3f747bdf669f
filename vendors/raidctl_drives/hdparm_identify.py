"""``hdparm -I``: a drive's identification. The labels are those of hdparm's own ``identify.c``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from raidctl.evidence import Line, mark_read
from raidctl.model import Problem
from raidctl_drives import hdparm_labels
from raidctl_drives.draft import Draft

_SECURITY = re.compile(
    r"(?:(not|\(\?\))\s+)?(supported|enabled|locked|frozen|expired: security count|supported: enhanced erase)"
)
_ERASE = re.compile(r"(?:more than )?\d+min for (?:ENHANCED )?SECURITY ERASE UNIT\..*")
_NUMBER = re.compile(r"(\d+)\b")
# 	   *	Write cache
_FEATURE = re.compile(r"\*?\s*(.*\S)")
_WRAPPED_TRANSPORT = re.compile(r"(?:Extensions|SATA|Rev|\d|,).*(?:SATA|Rev \d).*|Extensions,?|Rev \d\.\d")
_RESERVED = re.compile(r"(?:unknown|reserved|obsolete) \d+\[\d+\]")
_SATA_FEATURES = ("signaling speed", "Native Command Queueing", "Phy event counters")
_LBA28_FULL = 268_435_455
_FIGURE = re.compile(r"\d{1,99}", re.ASCII)
_CHS_FULL = 16383 * 16 * 63
_FEATURE_LIST = "features enabled"
_FEATURE_OFF = "features not enabled"


@dataclass
class Section:
    """Where in the text of ``-I`` the reader is."""

    begun: bool = False
    ended: bool = False
    name: str = ""
    last: str = ""
    """The last label: what an unlabelled line goes on with."""


def read_line(draft: Draft, section: Section, line: Line) -> bool:
    """Read one line of ``-I``; False when it is none."""
    words = line.stripped
    if title := hdparm_labels.TITLES.get(words):
        section.name, section.last, section.begun = title, "", True
        mark_read(line)
        return True
    if not section.begun and not words.startswith("Model Number:"):
        return False
    section.begun = True
    if _closing(draft, section, line, words):
        return True
    if section.name == "features" or (
        section.name == "capabilities" and (words.startswith("*") or words in hdparm_labels.FEATURES)
    ):
        return _read_feature(draft, line, words)
    if section.name == "security" and _read_security(draft, line, words):
        return True
    if section.name == "reset":
        return _read_reset(draft, line, words)
    return _read_labelled(draft, section, line, words)


def _closing(draft: Draft, section: Section, line: Line, words: str) -> bool:
    """The lines at column 0 that end a list, wherever they come."""
    # Logical Unit WWN Device Identifier: 5000cca0b1c2d3e4
    if words.startswith("Logical Unit WWN Device Identifier:"):
        section.name, section.last = "wwn", ""
        draft.fact(line, "wwn", words.partition(":")[2])
    elif words.startswith("Checksum:"):
        section.name, section.ended = "", True
        draft.detail(line, "Checksum", words.partition(":")[2])
        if not words.endswith(": correct") and "incorrect" in words:
            draft.problem(_doubtful(draft, f"the checksum of the drive's identification is wrong ({words})"))
    elif words.startswith("Integrity word not set"):
        section.name, section.ended = "", True
        draft.detail(line, "Integrity word", words.removeprefix("Integrity word "))
        # Integrity word not set (found 0x0000, expected 0x12a5)      found something else: the text is damaged
        draft.mark(line, "unsigned" if "found 0x0000," in words else "missigned")
    elif words.startswith("WARNING: "):
        draft.detail(line, "WARNING", words.removeprefix("WARNING: "))
        if "may be incorrect" in words:
            draft.problem(_doubtful(draft, "the drive's identification is incomplete"))
    else:
        return False
    return True


def _doubtful(draft: Draft, what: str) -> Problem:
    return Problem(
        severity="warning",
        where=draft.key,
        message=f"hdparm reports that {what}: its other values may be wrong.",
        remedy="Compare with smartctl -i on the same drive, and check the cable and the USB adapter or controller.",
        kind="state",
    )


def _read_feature(draft: Draft, line: Line, words: str) -> bool:
    """A line of the list ``Enabled Supported:``; a star marks an enabled one."""
    # 	Enabled	Supported:
    if words.split() == ["Enabled", "Supported:"]:
        mark_read(line)
        return True
    star = words.startswith("*")
    match = _FEATURE.fullmatch(words)
    name = match[1] if match else ""
    if not name or not (star or line.text[:1].isspace() or name in hdparm_labels.FEATURES or _RESERVED.match(name)):
        return False
    # 	   *	Write cache
    if name == "Write cache":
        draft.fact(line, "write_cache", "enabled" if star else "disabled")
        return True
    if any(mark in name for mark in _SATA_FEATURES):
        draft.mark(line, "serial_ata")
    # "Gen3 signaling speed (6.0Gb/s)" is what the drive can do, not what was negotiated
    draft.feature(line, _FEATURE_LIST if star else _FEATURE_OFF, name)
    return True


def _read_security(draft: Draft, line: Line, words: str) -> bool:
    # 	not	locked
    if match := _SECURITY.fullmatch(words):
        value = {"not": "no", "(?)": "unknown"}.get(match[1] or "", "yes")
        draft.detail(line, f"security {match[2]}", value)
    # 	412min for SECURITY ERASE UNIT. 412min for ENHANCED SECURITY ERASE UNIT.
    elif _ERASE.fullmatch(words):
        draft.detail(line, "security erase time", words)
    # 	Security level high
    elif words.startswith("Security level "):
        draft.detail(line, "Security level", words.removeprefix("Security level "))
    else:
        return False
    return True


def _read_reset(draft: Draft, line: Line, words: str) -> bool:
    # 	CBLID- above Vih
    # 	Device num = 0 determined by CSEL
    if words.startswith(("CBLID-", "Device num =")):
        draft.mark(line, "parallel_ata")
        draft.detail(line, "HW reset results", words)
        return True
    return False


def _read_labelled(draft: Draft, section: Section, line: Line, words: str) -> bool:
    label, value = _split(words)
    if label in hdparm_labels.IDENTITY:
        section.last = label
        return _read_identity(draft, line, label, value)
    if section.name == "configuration" and _read_geometry(draft, line, words):
        return True
    if label in hdparm_labels.COUNTS:
        if number := _NUMBER.match(value):
            draft.mark(line, hdparm_labels.COUNTS[label], int(number[1]))
        draft.detail(line, label, value)
    # 	Likely used CD-ROM ATAPI-1
    elif words.startswith("Likely used CD-ROM"):
        draft.detail(line, "Likely used", words.removeprefix("Likely used "))
    # 	Nominal Media Rotation Rate: 7200
    elif label == "Nominal Media Rotation Rate":
        _read_rotation(draft, line, value)
    elif label == "Cycle time":
        draft.detail(line, f"{section.last or 'DMA'} cycle time", value)
    elif label in hdparm_labels.LABELS:
        section.last = label if label in ("DMA", "PIO") else section.last
        _read_detail(draft, line, label, value)
    elif words in hdparm_labels.BARE or "IORDY" in words:
        draft.detail(line, "capabilities", words)
    elif section.last in hdparm_labels.IDENTITY and not section.name:
        _read_wrapped(draft, section.last, line, words)
    else:
        return False
    return True


def _split(words: str) -> tuple[str, str]:
    """Label and value; hdparm separates them by a colon, or by ``=`` in three places."""
    for start in ("device size with M = 1024*1024", "device size with M = 1000*1000"):
        if words.startswith(start):
            return start, words[len(start) :].lstrip(" :")
    cut = min((at for at in (words.find(":"), words.find(" =")) if at >= 0), default=-1)
    if cut < 0:
        return "", ""
    return " ".join(words[:cut].split()), words[cut:].lstrip(" :=\t").strip()


def _read_identity(draft: Draft, line: Line, label: str, value: str) -> bool:
    if field := hdparm_labels.IDENTITY[label]:
        draft.fact(line, field, value)
    else:
        draft.detail(line, label, value)
    # 	Transport:          Serial, ATA8-AST, SATA 1.0a, SATA II Extensions, SATA Rev 2.5
    if label == "Transport":
        if value.startswith(("Serial", "not reported (serial)")):
            draft.mark(line, "serial_ata")
        elif value.startswith("Parallel"):
            draft.mark(line, "parallel_ata")
        elif not value.startswith("not reported"):
            # 	Transport:          0x6e72; Revision: 0x6c65
            draft.mark(line, "strange_transport")
    return True


def _read_wrapped(draft: Draft, label: str, line: Line, words: str) -> None:
    """Read the rest of a value in the next line: a mailer wrapped it, or it contains a line feed."""
    if label == "Transport" and not _WRAPPED_TRANSPORT.fullmatch(words):
        return
    if field := hdparm_labels.IDENTITY[label]:
        draft.fact(line, field, f"{draft.values.get(field, '')} {words}")
    else:
        known = draft.details.pop(label, "")
        draft.detail(line, label, f"{known} {words}")


def _read_geometry(draft: Draft, line: Line, words: str) -> bool:
    # 	cylinders	16383	16383
    parts = words.split()
    if parts == ["Logical", "max", "current"] or words == "--":
        mark_read(line)
        return True
    if len(parts) == 3 and parts[0] in hdparm_labels.GEOMETRY and all(_FIGURE.fullmatch(part) for part in parts[1:]):
        current = int(parts[2]) or int(parts[1])
        draft.mark(line, parts[0], current)
        draft.detail(line, parts[0], f"max {parts[1]}, current {parts[2]}")
        return True
    return False


def _read_rotation(draft: Draft, line: Line, value: str) -> None:
    # 	Nominal Media Rotation Rate: Solid State Device
    if value == "Solid State Device":
        draft.fact(line, "media", "ssd")
    elif _FIGURE.fullmatch(value):
        draft.fact(line, "media", "hdd")
        draft.fact(line, "rpm", int(value))
    else:
        draft.detail(line, "Nominal Media Rotation Rate", value)


def _read_detail(draft: Draft, line: Line, label: str, value: str) -> None:
    """Most labels have a line of their own; ``Buffer size``, ``bytes avail``, ``Queue depth`` may share one."""
    # 	bytes avail on r/w long: 4	Queue depth: 32
    pieces = re.split(r"\s+(?=bytes avail on r/w long:|Queue depth:|bytes/sector:)", value)
    draft.detail(line, label, pieces[0])
    for piece in pieces[1:]:
        inner, _, rest = piece.partition(":")
        draft.detail(line, inner, rest)


def settle(draft: Draft) -> None:
    """Conclude the size in bytes and the interface from several lines."""
    _settle_size(draft)
    # an identification without a name is what hdparm makes of a SAS drive's refusal
    if "strange_transport" not in draft.marks and draft.values.get("model"):
        for mark, interface in (("serial_ata", "sata"), ("parallel_ata", "ata"), ("ata", "ata")):
            if mark in draft.marks and "interface" not in draft.values:
                draft.fact(draft.marks[mark][0], "interface", interface)
    if "missigned" in draft.marks:
        draft.problem(_doubtful(draft, "the drive's identification has no valid checksum"))
    elif "unsigned" in draft.marks:
        _unsigned(draft)


def _unsigned(draft: Draft) -> None:
    """An identification without its checksum: normal for old drives, a sign of a bad adapter where it is unreadable."""
    if "\N{REPLACEMENT CHARACTER}" in f"{draft.values.get('model')}{draft.values.get('serial')}":
        draft.problem(_doubtful(draft, "the drive's identification has no checksum and is unreadable"))
        return
    draft.problem(
        Problem(
            severity="info",
            where=draft.key,
            message="The drive's identification has no checksum, so transfer errors would go unnoticed.",
            remedy="Normal for old drives; if model or serial number are garbled, check USB adapter or controller.",
        )
    )


def _settle_size(draft: Draft) -> None:
    """Sectors times bytes of a logical sector; the printed ``MBytes`` are rounded down, and only the last resort."""
    per_sector = draft.marked("sector_bytes") or 512
    mega = draft.marked("mega_bytes")
    chs = draft.marked("cylinders") * draft.marked("heads") * draft.marked("sectors/track")
    name = "lba48_sectors"
    if not draft.marked(name):
        name = max(("lba_sectors", "chs_sectors"), key=draft.marked)
    sectors = draft.marked(name)
    if not mega and sectors == _LBA28_FULL:
        # hdparm -i:  LBAsects=268435455 is as far as the old field counts
        return
    if not mega and _CHS_FULL in (sectors, chs):
        # 16383/16/63: every drive above 8.4 GB reports this, and its other figures are missing
        return
    # hdparm computes it in the same way; another value in "device size" comes from a damaged output
    if sectors and (not mega or sectors * per_sector // 1_000_000 == mega):
        draft.fact(draft.marks[name][0], "size_bytes", sectors * per_sector)
    elif chs and (not mega or chs * per_sector // 1_000_000 == mega):
        draft.fact(draft.marks["cylinders"][0], "size_bytes", chs * per_sector)
    elif mega:
        draft.fact(draft.marks["mega_bytes"][0], "size_bytes", mega * 1_000_000)
