"""hdparm's short outputs: ``-W``, ``-A``, ``-B``, ``-C``, ``-H``, ``-N``, ``-g``, ``-i``, ``-t``, ``-T``, no option."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidctl.evidence import Line, mark_read
from raidctl.model import Problem
from raidctl_drives.draft import Draft

_PLAIN = frozenset((
    "multcount", "IO_support", "I/O support", "unmaskirq", "using_dma", "queue_depth", "keepsettings", "nowerr",
    "readonly", "readahead", "look-ahead", "APM_level", "acoustic", "write-read-verify", "busstate", "wdidle3",
    "nowerr", "keep_settings", "drive state is", "drive temperature in range", "DCO Revision", "Real max sectors",
    "Power cycle your device after every ACCESSIBLE MAX ADDRESS", "State", "Progress",
))  # fmt: skip
# -i:  RawCHS=16383/16/63, TrkSize=0, SectSize=0, ECCbytes=4
_PAIRS = ("RawCHS=", "BuffType=", "(maybe): CurCHS=", "CurCHS=", "IORDY=", "AdvancedPM=", "Config=", "tDMA=")
_MODES = ("PIO modes:", "DMA modes:", "UDMA modes:", "Drive conforms to:", "Drive Supports :")
_IDENTITY = re.compile(r"Model=\s*(.*?)\s*,\s*FwRev=\s*(.*?)\s*,\s*SerialNo=\s*(.*)")
_PAIR = re.compile(r"([\w/]+)=(\{[^}]*\}|[^,{]+)")
_CACHE = re.compile(r"\bWriteCache=(enabled|disabled)")
# setting drive write-caching to 1 (on)
_ACTION = re.compile(
    r"(?:setting|attempting to|issuing|spin-up:|disabling|re-reading|resetting|triggering)\b.*", re.IGNORECASE
)
_TIMING = re.compile(r"Timing ((?:O_DIRECT )?cached reads|(?:buffered|O_DIRECT) disk reads)(?: \(offset .*\))?:\s*(.*)")
_RATE = re.compile(r"(\d+) MB in\s+([\d.]+) seconds =\s*([\d.]+ [kM]B/sec)")
_GEOMETRY = re.compile(r"(\d{1,18})/(\d{1,9})/(\d{1,9}), sectors = (-?\d{1,18})(?:\[\d+\])?, start = (.*)", re.ASCII)
_SECTORS = re.compile(r"\d{1,18}", re.ASCII)
_MAXIMUM = re.compile(r"(\d{1,18})/(\d{1,18})(?:\((\d+)\?\))?, (.*)", re.ASCII)
_DCO = re.compile(
    r"(?:[mu]dma\d ?)+(?:\(\?\))?"
    r"|(?:(?:SMART|self_test|error_log|security|PUIS|TCQ|AAM|HPA|48_bit|FUA|selective_test|conveyance_test|write_read_verify"
    r"|WRITE_UNC_EXT|streaming|NCQ|NZ_buffer_offsets|interface_power_management|async_notification|SSP|unknown_\w+"
    r"|\w+\[\d+\])(?:\s|\Z))+"
)
_NOTES = frozenset((
    "* signifies the current active mode", "no identification info available", "Sanitize status:",
    "The following features can be selectively disabled via DCO:",
))  # fmt: skip
_DCO_LISTS = frozenset(("Transfer modes", "ATA command/feature sets", "SATA command/feature sets"))


def read_line(draft: Draft, line: Line) -> bool:
    """Read one line of the short outputs; False if it is unknown."""
    words = line.stripped
    if words.startswith("Model=") and (identity := _IDENTITY.fullmatch(words)):
        #  Model=EXAMPLE HD1000, FwRev=1.23, SerialNo=ABC123
        for name, value in zip(("model", "firmware", "serial"), identity.groups(), strict=True):
            draft.fact(line, name, value)
        # the kernel's old IDE driver names its drives so; behind /dev/sda may be SATA or an adapter from it
        if str(draft.values.get("device", "")).startswith("/dev/hd"):
            draft.mark(line, "ata")
    elif words.startswith(_PAIRS):
        _read_pairs(draft, line, words)
    elif words.startswith(_MODES):
        label, _, value = words.partition(":")
        draft.detail(line, label, value)
    elif timing := _TIMING.fullmatch(words):
        #  Timing buffered disk reads: 512 MB in  3.00 seconds = 170.66 MB/sec
        rate = _RATE.match(timing[2])
        draft.detail(
            line, f"Timing {timing[1]}", f"{rate[3]} ({rate[1]} MB in {rate[2]} seconds)" if rate else timing[2]
        )
    elif _ACTION.fullmatch(words):
        draft.detail(line, "action", words)
    elif words in _NOTES or words.removesuffix(":") in _DCO_LISTS:
        mark_read(line)
    #      SMART self_test error_log security HPA 48_bit
    elif line.text[:1].isspace() and _DCO.fullmatch(words):
        draft.feature(line, "DCO can disable", words)
    elif words.startswith(("DCO Checksum", "Last Sanitize Operation", "Antifreeze bit set")):
        draft.feature(line, "state", words)
    else:
        return _read_labelled(draft, line, words)
    return True


def _read_pairs(draft: Draft, line: Line, words: str) -> None:
    if cache := _CACHE.search(words):
        #  AdvancedPM=no WriteCache=enabled
        draft.fact(line, "write_cache", cache[1])
        words = words[: cache.start()] + words[cache.end() :]
    for label, value in _PAIR.findall(words.strip()):
        draft.detail(line, label, value)
        #  CurCHS=16383/16/63, CurSects=16514064, LBA=yes, LBAsects=1953525168
        if label == "LBAsects" and _SECTORS.fullmatch(value.strip()):
            draft.mark(line, "lba48_sectors", int(value))
        elif label == "CurSects" and _SECTORS.fullmatch(value.strip()):
            draft.mark(line, "chs_sectors", int(value))


def _read_labelled(draft: Draft, line: Line, words: str) -> bool:
    cut = re.search(r"\s*[=:]\s*", words)
    label = " ".join((words[: cut.start()] if cut else words).split())
    value = words[cut.end() :] if cut else ""
    if reader := _READERS.get(label):
        reader(draft, line, value)
    elif label in _PLAIN:
        draft.detail(line, label, value)
    else:
        return False
    return True


def _write_caching(draft: Draft, line: Line, value: str) -> None:
    #  write-caching =  1 (on)
    if value.startswith(("0", "1")):
        draft.fact(line, "write_cache", "enabled" if value.startswith("1") else "disabled")
    else:
        #  write-caching = not supported
        draft.detail(line, "write-caching", value)


def _geometry(draft: Draft, line: Line, value: str) -> None:
    #  geometry      = 30401/255/63, sectors = 488397168, start = 0
    draft.detail(line, "geometry", value)
    match = _GEOMETRY.fullmatch(value)
    if not match or (sectors := int(match[4])) <= 0:
        return
    product = int(match[1]) * int(match[2]) * int(match[3])
    # some versions print bytes under the name of sectors: cylinders, heads and sectors per track distinguish them
    in_bytes = product > 0 and sectors % 512 == 0 and 0.9 < sectors / 512 / product < 1.1
    if match[5] in ("0", "unknown"):
        draft.fact(line, "size_bytes", sectors if in_bytes else sectors * 512)


def _maximum(draft: Draft, line: Line, value: str) -> None:
    #  max sectors   = 1953525168/1953525168, HPA is disabled
    draft.detail(line, "max sectors", value)
    match = _MAXIMUM.fullmatch(value)
    if not match:
        return
    draft.mark(line, "lba_sectors", int(match[1]))
    draft.fact(line, "size_bytes", int(match[1]) * 512)
    if "invalid" in match[4]:
        draft.problem(
            Problem(
                severity="info",
                where=draft.key,
                message=f"hdparm marks the native size that the drive reports as invalid ({value}).",
                remedy="The size shown is the kernel's.",
            )
        )
    elif int(match[1]) < int(match[2]) and "enabled" in match[4]:
        draft.problem(
            Problem(
                severity="info",
                where=draft.key,
                message=f"{int(match[2]) - int(match[1])} of {match[2]} sectors are hidden by a host protected area.",
                remedy="hdparm -N shows it, and can remove it if it was not set on purpose.",
                kind="note",
            )
        )


def _temperature(draft: Draft, line: Line, value: str) -> None:
    #  drive temperature (celsius) is:  34
    if re.fullmatch(r"-?\d+", value):
        draft.fact(line, "temperature_celsius", int(value))
    else:
        draft.detail(line, "drive temperature (celsius) is", value)


_READERS: dict[str, Callable[[Draft, Line, str], None]] = {
    "write-caching": _write_caching,
    "geometry": _geometry,
    "max sectors": _maximum,
    "drive temperature (celsius) is": _temperature,
}
