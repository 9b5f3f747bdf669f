"""The short outputs of hdparm.

Their options are ``-W``, ``-A``, ``-B``, ``-C``, ``-H``, ``-N``, ``-g``, ``-i``, ``-t``, ``-T``, or none.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import Line, mark_read
from raidctl.text import collapse, regex
from raidctl.vendor.draft import ROW, Pair
from raidctl.vendor.fields import Fields, read_pair
from raidctl_drives.draft import DriveDraft

_PLAIN = frozenset((
    "multcount", "IO_support", "I/O support", "unmaskirq", "using_dma", "queue_depth", "keepsettings", "nowerr",
    "readonly", "readahead", "look-ahead", "APM_level", "acoustic", "write-read-verify", "busstate", "wdidle3",
    "keep_settings", "drive state is", "drive temperature in range", "DCO Revision", "Real max sectors",
    "Power cycle your device after every ACCESSIBLE MAX ADDRESS", "State", "Progress",
))  # fmt: skip
# RawCHS=16383/16/63, TrkSize=0, SectSize=0, ECCbytes=4
_PAIRS = regex(r"(?:RawCHS|BuffType|\(maybe\): CurCHS|CurCHS|IORDY|AdvancedPM|Config|tDMA)=.*")
# PIO modes:  pio0 pio1 pio2 pio3 pio4
_MODES = regex(r"(PIO modes|DMA modes|UDMA modes|Drive conforms to|Drive Supports ):(.*)")
#  Model=EXAMPLE HD1000, FwRev=1.23, SerialNo=ABC123
_IDENTITY = regex(r"Model=\s*(?P<model>.*?)\s*,\s*FwRev=\s*(?P<firmware>.*?)\s*,\s*SerialNo=\s*(?P<serial>.*)")
_PAIR = regex(r"([\w/]+)=(\{[^}]*\}|[^,{]+)")
# AdvancedPM=yes: mode=0xFE (254) WriteCache=enabled
_CACHE = regex(r"\bWriteCache=(enabled|disabled)")
# setting drive write-caching to 1 (on)
_ACTION = regex(
    r"(?:setting|attempting to|issuing|spin-up:|disabling|re-reading|resetting|triggering)\b.*", re.IGNORECASE
)
# Timing buffered disk reads: 190 MB in  3.00 seconds =  63.33 MB/sec
_TIMING = regex(r"Timing ((?:O_DIRECT )?cached reads|(?:buffered|O_DIRECT) disk reads)(?: \(offset .*\))?:\s*(.*)")
_RATE = regex(r"(\d+) MB in\s+([\d.]+) seconds =\s*([\d.]+ [kM]B/sec)")
# 30401/255/63, sectors = 488397168, start = 0
_GEOMETRY = regex(r"(\d{1,18})/(\d{1,9})/(\d{1,9}), sectors = (-?\d{1,18})(?:\[\d+\])?, start = (.*)", re.ASCII)
_SECTORS = regex(r"\d{1,18}", re.ASCII)
_SECTOR_COUNTS = {"LBAsects": "lba48_sectors", "CurSects": "chs_sectors"}
_DEGREES = regex(r"-?\d{1,6}", re.ASCII)
# 1953525168/1953525168, HPA is disabled
_MAXIMUM = regex(r"(\d{1,18})/(\d{1,18})(?:\((\d+)\?\))?, (.*)", re.ASCII)
# SMART self_test error_log security HPA 48_bit
_DCO = regex(
    r"(?:[mu]dma\d ?)+(?:\(\?\))?"
    r"|(?:(?:SMART|self_test|error_log|security|PUIS|TCQ|AAM|HPA|48_bit|FUA|selective_test|conveyance_test|write_read_verify"
    r"|WRITE_UNC_EXT|streaming|NCQ|NZ_buffer_offsets|interface_power_management|async_notification|SSP|unknown_\w+"
    r"|\w+\[\d+\])(?:\s|\Z))+"
)
# DCO Checksum verified.
_STATES = regex(r"(?:DCO Checksum|Last Sanitize Operation|Antifreeze bit set).*")
_SEPARATOR = regex(r"\s*[=:]\s*")
_NOTES = frozenset((
    "* signifies the current active mode", "no identification info available", "Sanitize status:",
    "The following features can be selectively disabled via DCO:",
))  # fmt: skip
_DCO_LISTS = frozenset(("Transfer modes", "ATA command/feature sets", "SATA command/feature sets"))


def read_line(draft: DriveDraft, line: Line) -> bool:
    """Read one line of the short outputs; False if it is unknown."""
    words = line.stripped
    for form, read in _FORMS:
        if match := form.fullmatch(words):
            read(draft, line, match)
            return True
    if words in _NOTES or words.removesuffix(":") in _DCO_LISTS:
        mark_read(line)
        return True
    #      SMART self_test error_log security HPA 48_bit
    if line.text[:1].isspace() and _DCO.fullmatch(words):
        draft.list_word(line, "DCO can disable", words)
        return True
    cut = _SEPARATOR.search(words)
    label = collapse(words[: cut.start()] if cut else words)
    return read_pair(draft, Pair(label, words[cut.end() :] if cut else "", [line]), label, _FIELDS)


def _read_identity(draft: DriveDraft, line: Line, match: re.Match[str]) -> None:
    for name, value in match.groupdict().items():
        draft.put(line, name, value)
    # such names are those of the kernel's old IDE driver; /dev/sda may be SATA, or IDE behind an adapter
    if str(draft.get("device") or "").startswith("/dev/hd"):
        draft.mark(line, "ata")


def _read_pairs(draft: DriveDraft, line: Line, match: re.Match[str]) -> None:
    words = match[0]
    if cache := _CACHE.search(words):
        #  AdvancedPM=no WriteCache=enabled
        draft.put(line, "write_cache", cache[1], ROW)
        words = words[: cache.start()] + words[cache.end() :]
    for label, value in _PAIR.findall(words.strip()):
        draft.detail(line, label, value)
        #  CurCHS=16383/16/63, CurSects=16514064, LBA=yes, LBAsects=1953525168
        if label in _SECTOR_COUNTS and _SECTORS.fullmatch(value.strip()):
            draft.mark(line, _SECTOR_COUNTS[label], int(value))


def _read_timing(draft: DriveDraft, line: Line, match: re.Match[str]) -> None:
    rate = _RATE.match(match[2])
    value = f"{rate[3]} ({rate[1]} MB in {rate[2]} seconds)" if rate else match[2]
    draft.detail(line, f"Timing {match[1]}", value)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[DriveDraft, Line, re.Match[str]], None]], ...] = (
    (_IDENTITY, _read_identity),
    (_PAIRS, _read_pairs),
    (_MODES, lambda draft, line, match: draft.detail(line, match[1], match[2])),
    (_TIMING, _read_timing),
    (_ACTION, lambda draft, line, match: draft.detail(line, "action", match[0])),
    (_STATES, lambda draft, line, match: draft.list_word(line, "state", match[0])),
)


def _read_write_caching(draft: DriveDraft, pair: Pair) -> None:
    if pair.value.startswith(("0", "1")):
        draft.put(pair.lines[0], "write_cache", "enabled" if pair.value.startswith("1") else "disabled")
    else:
        #  write-caching = not supported
        draft.keep(pair)


def _read_geometry(draft: DriveDraft, pair: Pair) -> None:
    draft.keep(pair)
    match = _GEOMETRY.fullmatch(pair.value)
    if not match or (sectors := int(match[4])) <= 0:
        return
    product = int(match[1]) * int(match[2]) * int(match[3])
    # some versions print bytes under the name of sectors: cylinders, heads and sectors per track distinguish them
    in_bytes = product > 0 and sectors % 512 == 0 and 0.9 < sectors / 512 / product < 1.1
    if match[5] in ("0", "unknown"):
        draft.put(pair.lines[0], "size_bytes", sectors if in_bytes else sectors * 512, ROW)


def _read_maximum(draft: DriveDraft, pair: Pair) -> None:
    draft.keep(pair)
    match = _MAXIMUM.fullmatch(pair.value)
    if not match:
        return
    draft.mark(pair.lines[0], "lba_sectors", int(match[1]))
    draft.put(pair.lines[0], "size_bytes", int(match[1]) * 512, ROW)
    if "invalid" in match[4]:
        message = f"hdparm marks the native size that the drive reports as invalid ({pair.value})."
        draft.add_problem("info", "note", message, "The size shown is the kernel's.")
    elif int(match[1]) < int(match[2]) and "enabled" in match[4]:
        hidden = int(match[2]) - int(match[1])
        draft.add_problem(
            "info",
            "note",
            f"{hidden} of {match[2]} sectors are hidden by a host protected area.",
            "hdparm -N shows it, and can remove it if it was not set on purpose.",
        )


def _read_temperature(draft: DriveDraft, pair: Pair) -> None:
    if _DEGREES.fullmatch(pair.value):
        draft.put(pair.lines[0], "temperature_celsius", int(pair.value))
    else:
        draft.keep(pair)


_FIELDS: Fields[DriveDraft] = {
    **dict.fromkeys(_PLAIN, DriveDraft.keep),
    #  write-caching =  1 (on)
    "write-caching": _read_write_caching,
    #  geometry      = 30401/255/63, sectors = 488397168, start = 0
    "geometry": _read_geometry,
    #  max sectors   = 1953525168/1953525168, HPA is disabled
    "max sectors": _read_maximum,
    #  drive temperature (celsius) is:  34
    "drive temperature (celsius) is": _read_temperature,
}
