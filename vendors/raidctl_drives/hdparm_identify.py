"""``hdparm -I``: a drive's identification. The labels are those of hdparm's own ``identify.c``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from raidctl.evidence import Line, mark_read
from raidctl.text import collapse, regex
from raidctl.vendor.draft import ROW, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl_drives import hdparm_labels
from raidctl_drives.draft import DriveDraft

_SECURITY = regex(
    r"(?:(not|\(\?\))\s+)?(supported|enabled|locked|frozen|expired: security count|supported: enhanced erase)"
)
_ERASE = regex(r"(?:more than )?\d+min for (?:ENHANCED )?SECURITY ERASE UNIT\..*")
_NUMBER = regex(r"(\d+)\b")
# 	   *	Write cache
_FEATURE = regex(r"\*?\s*(.*\S)")
_WRAPPED_TRANSPORT = regex(r"(?:Extensions|SATA|Rev|\d|,).*(?:SATA|Rev \d).*|Extensions,?|Rev \d\.\d")
_RESERVED = regex(r"(?:unknown|reserved|obsolete) \d+\[\d+\]")
_SATA_FEATURES = ("signaling speed", "Native Command Queueing", "Phy event counters")
_LBA28_FULL = 268_435_455
_FIGURE = regex(r"\d{1,99}", re.ASCII)
_CHS_FULL = 16383 * 16 * 63
_FEATURE_LIST = "features enabled"
_FEATURE_OFF = "features not enabled"


@dataclass
class Section:
    """The reader's place in the output of ``-I``."""

    begun: bool = False
    ended: bool = False
    name: str = ""
    last: str = ""
    """The last label, which a line without a label continues."""


def read_line(draft: DriveDraft, section: Section, line: Line) -> bool:
    """Read one line of ``-I``; False for any other line."""
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


def _closing(draft: DriveDraft, section: Section, line: Line, words: str) -> bool:
    """The lines at column 0 that end a list, wherever they come."""
    for beginning, read in _CLOSING.items():
        if words.startswith(beginning):
            read(draft, section, line, words.removeprefix(beginning))
            return True
    return False


def _read_wwn(draft: DriveDraft, section: Section, line: Line, value: str) -> None:
    section.name, section.last = "wwn", ""
    draft.put(line, "wwn", value)


def _read_checksum(draft: DriveDraft, section: Section, line: Line, value: str) -> None:
    section.name, section.ended = "", True
    draft.detail(line, "Checksum", value)
    if value.strip() != "correct":
        _doubt(draft, line, f"the checksum of the drive's identification is wrong (Checksum:{value})")


def _read_integrity(draft: DriveDraft, section: Section, line: Line, value: str) -> None:
    section.name, section.ended = "", True
    draft.detail(line, "Integrity word", f"not set{value}")
    if "found 0x0000," in value:
        draft.mark(line, "unsigned")
    else:
        _doubt(draft, line, "the drive's identification has no valid checksum")


def _read_warning(draft: DriveDraft, section: Section, line: Line, value: str) -> None:
    del section
    draft.detail(line, "WARNING", value)
    if "may be incorrect" in value:
        _doubt(draft, line, "the drive's identification is incomplete")


_CLOSING: dict[str, Callable[[DriveDraft, Section, Line, str], None]] = {
    # Logical Unit WWN Device Identifier: 5000cca0b1c2d3e4
    "Logical Unit WWN Device Identifier:": _read_wwn,
    # Checksum: correct
    "Checksum:": _read_checksum,
    # Integrity word not set (found 0x0000, expected 0x12a5)      found something else: the text is damaged
    "Integrity word not set": _read_integrity,
    # WARNING: Previous command's result may be incorrect.
    "WARNING: ": _read_warning,
}


def _doubt(draft: DriveDraft, line: Line, what: str) -> None:
    draft.mark(line, "doubtful")
    draft.add_problem(
        "warning",
        "state",
        f"hdparm reports that {what}: its other values may be wrong.",
        "Compare with smartctl -i on the same drive, and check the cable and the USB adapter or controller.",
    )


def _read_feature(draft: DriveDraft, line: Line, words: str) -> bool:
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
        draft.put(line, "write_cache", "enabled" if star else "disabled", ROW)
        return True
    if any(mark in name for mark in _SATA_FEATURES):
        draft.mark(line, "serial_ata")
    # "Gen3 signaling speed (6.0Gb/s)" is what the drive can do, not what was negotiated
    draft.list_word(line, _FEATURE_LIST if star else _FEATURE_OFF, name)
    return True


def _read_security(draft: DriveDraft, line: Line, words: str) -> bool:
    # 	not	locked
    if match := _SECURITY.fullmatch(words):
        value = {"not": "no", "(?)": "unknown"}.get(match[1] or "", "yes")
        draft.detail(line, f"security {match[2]}", value)
        if (match[2], value) == ("locked", "yes"):
            draft.add_problem(
                "error",
                "state",
                "The drive is locked by its ATA password: its data cannot be read.",
                "Unlock it with the password: hdparm --security-unlock PASSWORD DEVICE.",
            )
    # 	412min for SECURITY ERASE UNIT. 412min for ENHANCED SECURITY ERASE UNIT.
    elif _ERASE.fullmatch(words):
        draft.detail(line, "security erase time", words)
    # 	Security level high
    elif words.startswith("Security level "):
        draft.detail(line, "Security level", words.removeprefix("Security level "))
    else:
        return False
    return True


def _read_reset(draft: DriveDraft, line: Line, words: str) -> bool:
    # 	CBLID- above Vih
    # 	Device num = 0 determined by CSEL
    if words.startswith(("CBLID-", "Device num =")):
        draft.mark(line, "parallel_ata")
        draft.detail(line, "HW reset results", words)
        return True
    return False


def _read_labelled(draft: DriveDraft, section: Section, line: Line, words: str) -> bool:
    label, value = _split(words)
    if section.name == "configuration" and label not in hdparm_labels.NAMES and _read_geometry(draft, line, words):
        return True
    if label in hdparm_labels.NAMES or label in ("DMA", "PIO"):
        section.last = label
    if read_pair(draft, Pair(label, value, [line]), label, _FIELDS):
        return True
    if label == "Cycle time":
        draft.detail(line, f"{section.last or 'DMA'} cycle time", value)
    # 	Likely used CD-ROM ATAPI-1
    elif words.startswith("Likely used CD-ROM"):
        draft.detail(line, "Likely used", words.removeprefix("Likely used "))
    elif words in hdparm_labels.BARE or "IORDY" in words:
        draft.detail(line, "capabilities", words)
    elif section.last in hdparm_labels.NAMES and not section.name:
        _read_wrapped(draft, section.last, line, words)
    else:
        return False
    return True


def _split(words: str) -> tuple[str, str]:
    """Label and value. A colon separates them in hdparm's output, or ``=`` in three places."""
    for start in ("device size with M = 1024*1024", "device size with M = 1000*1000"):
        if words.startswith(start):
            return start, words[len(start) :].lstrip(" :")
    cut = min((at for at in (words.find(":"), words.find(" =")) if at >= 0), default=-1)
    if cut < 0:
        return "", ""
    return collapse(words[:cut]), words[cut:].lstrip(" :=\t").strip()


def _read_detail(draft: DriveDraft, pair: Pair) -> None:
    """Read a pair; ``Buffer size``, ``bytes avail`` and ``Queue depth`` may share one line."""
    # 	bytes avail on r/w long: 4	Queue depth: 32
    first, *others = re.split(r"\s+(?=bytes avail on r/w long:|Queue depth:|bytes/sector:)", pair.value)
    draft.detail(pair.lines[0], pair.label, first)
    for piece in others:
        inner, _, rest = piece.partition(":")
        draft.detail(pair.lines[0], inner, rest)


def _read_transport(draft: DriveDraft, pair: Pair) -> None:
    [line] = pair.lines
    draft.detail(line, pair.label, pair.value)
    if pair.value.startswith(("Serial", "not reported (serial)")):
        draft.mark(line, "serial_ata")
    elif pair.value.startswith("Parallel"):
        draft.mark(line, "parallel_ata")
    elif not pair.value.startswith("not reported"):
        # 	Transport:          0x6e72; Revision: 0x6c65
        draft.mark(line, "strange_transport")


def _read_count(draft: DriveDraft, pair: Pair) -> None:
    if number := _NUMBER.match(pair.value):
        draft.mark(pair.lines[0], hdparm_labels.COUNTS[pair.label], int(number[1]))
    draft.detail(pair.lines[0], pair.label, pair.value)


def _read_rotation(draft: DriveDraft, pair: Pair) -> None:
    [line] = pair.lines
    # 	Nominal Media Rotation Rate: Solid State Device
    if pair.value == "Solid State Device":
        draft.put(line, "media", "ssd")
    elif _FIGURE.fullmatch(pair.value):
        draft.put(line, "media", "hdd")
        draft.put(line, "rpm", int(pair.value))
    else:
        draft.detail(line, pair.label, pair.value)


_FIELDS: Fields[DriveDraft] = {
    **dict.fromkeys(hdparm_labels.LABELS, _read_detail),
    # 	Model Number:       EXAMPLE HD1000
    **{label: Field(name, str) for label, name in hdparm_labels.IDENTITY.items()},
    # 	Transport:          Serial, ATA8-AST, SATA 1.0a, SATA II Extensions, SATA Rev 2.5
    "Transport": _read_transport,
    # 	LBA48  user addressable sectors: 1953525168
    **dict.fromkeys(hdparm_labels.COUNTS, _read_count),
    # 	Nominal Media Rotation Rate: 7200
    "Nominal Media Rotation Rate": _read_rotation,
}


def _read_wrapped(draft: DriveDraft, label: str, line: Line, words: str) -> None:
    """Read the rest of a value in the next line. A mailer wrapped it, or it contains a line feed."""
    if label == "Transport" and not _WRAPPED_TRANSPORT.fullmatch(words):
        return
    if field := hdparm_labels.IDENTITY.get(label):
        draft.replace(line, field, f"{draft.get(field) or ''} {words}")
    else:
        value = collapse(f"{draft.details.get(label, '')} {words}")
        draft.replace_words(label, value)
        draft.add_evidence(line, f"details[{label}]", value)


def _read_geometry(draft: DriveDraft, line: Line, words: str) -> bool:
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


def conclude(draft: DriveDraft) -> None:
    """Conclude the size in bytes and the interface from several lines."""
    _conclude_size(draft)
    # hdparm prints an identification without a name if a SAS drive refuses
    if "strange_transport" not in draft.marks and draft.get("model"):
        for mark, interface in (("serial_ata", "sata"), ("parallel_ata", "ata"), ("ata", "ata")):
            if mark in draft.marks and "interface" not in draft.values:
                draft.put(draft.marks[mark][0], "interface", interface)
    if "unsigned" in draft.marks:
        _unsigned(draft)
    # -W prints a bit of the same identification; a value that may be wrong does not prove that the cache is off
    if "doubtful" in draft.marks and draft.get("write_cache") == "disabled":
        draft.discard("write_cache")


def _unsigned(draft: DriveDraft) -> None:
    """Report a missing checksum, which is normal for old drives. An unreadable identification means a bad bridge."""
    if "\N{REPLACEMENT CHARACTER}" in f"{draft.get('model')}{draft.get('serial')}":
        line, _ = draft.marks["unsigned"]
        _doubt(draft, line, "the drive's identification has no checksum and is unreadable")
        return
    draft.add_problem(
        "info",
        "note",
        "The drive's identification has no checksum, so transfer errors would go unnoticed.",
        "Normal for old drives; if model or serial number are garbled, check USB adapter or controller.",
    )


def _conclude_size(draft: DriveDraft) -> None:
    """Sectors times bytes of a logical sector. The printed ``MBytes`` are rounded down, and only the last resort."""
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
        draft.put(draft.marks[name][0], "size_bytes", sectors * per_sector)
    elif chs and (not mega or chs * per_sector // 1_000_000 == mega):
        draft.put(draft.marks["cylinders"][0], "size_bytes", chs * per_sector)
    elif mega:
        draft.put(draft.marks["mega_bytes"][0], "size_bytes", mega * 1_000_000)
