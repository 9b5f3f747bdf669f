"""Outputs of sdparm: mode pages and VPD pages.

The commands are ``sdparm D``, ``-a``, ``-l``, ``--get=WCE,RCD`` for mode pages, and ``--inquiry`` for VPD pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import ProblemKind
from raidctl.text import regex
from raidctl.vendor.draft import ROW, Pair
from raidctl.vendor.fields import Fields, read_pair
from raidctl_drives import sdparm_vpd
from raidctl_drives.draft import DriveDraft
from raidctl_drives.drives_of_output import DrivesOfOutput
from raidctl_drives.vocabulary import ERRNO, LONGEST_LINE, refused

#     /dev/sda: EXAMPLE   HD1000            0001  [disk]
_HEADER = regex(r"\s*(/dev/\S*[^\s:]): (.*?)(?:\s+(\[[^\]]*\]))?\s*")
# EXAMPLE   HD1000            0001      the part of a header behind the device
_COLUMNS = regex(r"(\S.{0,7}?)\s{2,}(\S.{0,15}?)\s{2,}(\S{1,4})\s*")
# ATA EXAMPLE HD1000 0001            the same with single blanks
_WORDS = regex(r"([^\s:]{1,8})\s+((?<=ATA )[^:]{1,16}?|[^\s:]{1,16})\s+([^\s:]{1,4})\s*")
# Caching (SBC) mode page:
# Read write error recovery [rw] mode page:
_MODE_PAGE = regex(r"(\S.*?) mode (?:sub)?page(?: \[PS=[01]\])?(?: \[0x[0-9a-f,x]+\])?:")
# Device identification VPD page:
_VPD_PAGE = regex(
    r"(\S.*?) VPD page(?: \[0x[0-9a-f]+\])?(?: \(SBC\))?:|SCSI Feature sets:|standard INQUIRY:(?: \[.*\])?"
)
# sdparm --command=capacity:
# blocks: 7814037168
_CAPACITY = regex(
    r"(blocks|block_length|capacity_mib|ZBC_rc_basis|p_type|prot_en|p_i_exponent|lbs_per_physical_block_exponent|lbpme"
    r"|lbprz|lowest_aligned_lba): (\d+(?:\.\d+)?(?:e\+\d+)?)"
)
# sdparm --command=ready
_READY = regex(r"Ready|Not ready(?:, progress indication: \d+% done)?|Operation in progress: .* done")
#   WCE           1  [cha: y, def:  1, sav:  1]  Write cache enable
_FIELD = regex(r"([A-Z0-9][A-Z0-9_+-]*(?:\.\d+)?)\s+(-?\d+|0x[0-9a-f]+)(?:\s+(\[.*?\]))?(?:\s{1,}(\S.*))?")
# >>> warning: mode page seems malformed, try '--flexible'
# mode sense(10) failed, device not ready
_COMPLAINT = regex(
    r">>>? .*|.*cdb not supported, try again.*|.*\((?:6|10)\) failed, .*|.*\((?:6|10)\): .*"
    r"|SCSI INQUIRY command failed.*|INQUIRY fetching .* failed.*|.*failed fetching page.*|.*some problem|.*not found"
    r"|.* not found in .* mode page|.*try '--transport=TN'.*|see page in hex\.|.*no fields found.*|see more debug\."
    r"|The page number field should be .*"
)
_HEX_ROW = regex(r"[0-9a-f]{2,4}\s+(?:[0-9a-f]{2}(?:\s+|\Z)){1,16}\S*.*")
_HEX_TITLES = ("Current:", "Changeable:", "Default:", "Saved:")

# open error: /dev/sdzz [read only]: No such file or directory
_OPEN = regex(r"open error: (\S+) \[[^\]]*\]: (.*)")
_LOOSE = frozenset(
    ("WCE", "RCD", "AWRE", "ARRE", "PER", "SWP", "EWASC", "DEXCPT", "MRIE", "DRA", "NV_DIS", "IC", "FSW")
)
"""Fields that are read without the title of a mode page above them."""
_PROTOCOLS = {"1": "scsi", "6": "sas"}
_RPM = regex(r"\d{1,6}", re.ASCII)
_SLOWEST = 1025
"""Lowest figure that is a rotation rate. Of the smaller ones, 0 is "not reported", 1 solid state, and the others are
reserved."""
_NAMELESS = regex(r"(?:Direct access device specific parameters|Parameter for direct access): ?(.*)")


@dataclass
class _State(DrivesOfOutput):
    page: str = ""
    vpd: sdparm_vpd.Page | None = None
    malformed: bool = False
    """Whether sdparm calls the page malformed."""
    copies: dict[str, int] = field(default_factory=dict)
    """Copies of each mode page since the device's header. The first one has the current values."""

    def begin(self) -> DriveDraft:
        self.page, self.vpd, self.malformed = "", None, False
        self.copies.clear()
        return super().begin()


def read_sdparm(document: str, text: str) -> tuple[list[DriveDraft], Output]:
    """Read an output of sdparm; one draft for each device in it.

    Args:
        document: name of the file, or the command line, that the text came from.
        text: what sdparm printed.
    """
    output = Output.of_text(document, text)
    state = _State(document)
    for line in output.lines:
        if line.stripped and len(line.text) < LONGEST_LINE:
            _read_line(state, line)
    return [draft for draft in state.drafts if not draft.unknown], output


def _read_line(state: _State, line: Line) -> None:
    words = line.stripped
    if (header := _HEADER.fullmatch(line.text)) and _read_header(state, line, header):
        return
    if page := _MODE_PAGE.fullmatch(words):
        state.page, state.vpd, state.malformed = page[1], None, False
        state.copies[state.page] = state.copies.get(state.page, 0) + 1
        mark_read(line)
    elif page := _VPD_PAGE.fullmatch(words):
        state.page, state.vpd, state.malformed = "", sdparm_vpd.Page((page[1] or words).split(" [")[0]), False
        mark_read(line)
    elif opened := _OPEN.fullmatch(words):
        state.begin().complain(refused("sdparm", opened[1], opened[2]))
        mark_read(line)
    elif state.vpd is not None and sdparm_vpd.read_line(state.draft, state.vpd, line):
        pass
    elif (found := _FIELD.fullmatch(words)) and (state.page or found[3] or found[1] in _LOOSE):
        _read_field(state, line, found)
    elif _COMPLAINT.fullmatch(words):
        _read_complaint(state, line, words)
    elif capacity := _CAPACITY.fullmatch(words):
        _read_capacity(state.draft, line, capacity[1], capacity[2])
    elif _READY.fullmatch(words):
        state.draft.detail(line, "ready", words)
    elif state.page and (words in _HEX_TITLES or _HEX_ROW.fullmatch(words)):
        # sdparm --hex: the page's bytes instead of its fields
        state.draft.detail(line, f"{state.page} mode page", words)
    elif parameters := _NAMELESS.fullmatch(words):
        #     Direct access device specific parameters: WP=0  DPOFUA=1
        state.draft.detail(line, "device specific parameters", parameters[1])
    elif state.page and line.indent >= 6:
        # sdparm -ll explains the values of a field in further indented lines
        mark_read(line)


def _read_header(state: _State, line: Line, header: re.Match[str]) -> bool:
    if header[2].strip() in ERRNO:
        state.begin().complain(refused("sdparm", header[1], header[2].strip()))
        mark_read(line)
        return True
    rest = header[2]
    # vendor 8, product 16, revision 4 characters with two blanks between; mailers squeeze them
    if len(rest) >= 26 and rest[8:10] == "  " and rest[26:28].strip() == "":
        vendor, product, revision = rest[:8].strip(), rest[10:26].strip(), rest[28:32].strip()
    elif squeezed := _COLUMNS.fullmatch(rest) or _WORDS.fullmatch(rest):
        vendor, product, revision = squeezed.groups()
    else:
        return False
    draft = state.begin()
    draft.put(line, "device", header[1])
    draft.put(line, "model", product, ROW)
    draft.put(line, "firmware", revision, ROW)
    draft.detail(line, "vendor", vendor)
    if header[3]:
        draft.detail(line, "device type", header[3].strip("[]"))
    return True


def _read_field(state: _State, line: Line, found: re.Match[str]) -> None:
    name, value, bracket, meaning = found.groups()
    copy = state.copies.get(state.page, 1)
    draft = state.draft
    shown = f"{value} {bracket}" if bracket else value
    if copy > 1:
        draft.detail(line, f"{name} ({_ordinal(copy)} copy of the page)", shown)
        return
    # a value that may be wrong does not prove that the write cache is off
    if not (state.malformed and name == "WCE" and value == "0"):
        read_pair(draft, Pair(name, value, [line]), name, _FIELDS)
    draft.detail(line, name, shown)
    if meaning and not bracket and len(meaning) > 1:
        mark_read(line)


def _read_cache(draft: DriveDraft, pair: Pair) -> None:
    if pair.value in ("0", "1"):
        draft.put(pair.lines[0], "write_cache", "enabled" if pair.value == "1" else "disabled")


def _read_rotation(draft: DriveDraft, pair: Pair) -> None:
    if _RPM.fullmatch(pair.value) and int(pair.value) >= _SLOWEST:
        draft.put(pair.lines[0], "rpm", int(pair.value))
        draft.put(pair.lines[0], "media", "hdd")


def _read_protocol(draft: DriveDraft, pair: Pair) -> None:
    if pair.value in _PROTOCOLS and draft.details.get("vendor") != "ATA":
        draft.put(pair.lines[0], "interface", _PROTOCOLS[pair.value], ROW)


_FIELDS: Fields[DriveDraft] = {
    #   WCE           1  [cha: y, def:  1, sav:  1]  Write cache enable
    "WCE": _read_cache,
    #   MRR         15000  [cha: n, def:15000, sav:15000]  Medium rotation rate (rpm)
    "MRR": _read_rotation,
    #   PPID          6  Port's (transport) protocol identifier
    "PPID": _read_protocol,
}


def _ordinal(number: int) -> str:
    return {2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def _read_capacity(draft: DriveDraft, line: Line, label: str, value: str) -> None:
    draft.detail(line, label, value)
    # blocks: 7814037168
    if label == "blocks":
        draft.mark(line, "blocks", int(value))
    # block_length: 512
    elif label == "block_length" and (size := draft.marked("blocks") * int(value)):
        draft.put(draft.marks["blocks"][0], "size_bytes", size)


_MESSAGES: tuple[tuple[re.Pattern[str], ProblemKind, str, str], ...] = (
    # >>> warning: mode page seems malformed
    (
        regex(r"malformed|too long"),
        "state",
        "sdparm reports a malformed {page} page of {where}: its values may be wrong.",
        "Compare with sdparm --flexible; USB adapters often return such pages.",
    ),
    # Caching (SBC) mode page not found
    (
        regex(r"Caching .*mode page (?:not found|not supported)|WCE not found"),
        "note",
        "{where} does not report its write cache: {message}.",
        "Use smartctl, or the controller's tool.",
    ),
    # >> Read only (MODE SENSE (10)): device not ready
    (
        regex(
            r"device not ready|unit attention|aborted command|some problem|mode (?:sub)?page failed|command failed"
            r"|fetching |cdb not supported|(?:MODE|mode) (?:SENSE|sense)[ (].*\): ",
            re.IGNORECASE,
        ),
        "unread",
        "{where} did not respond to sdparm: {message}.",
        "Retry, then use smartctl or the controller's tool.",
    ),
)
"""What a message of sdparm contains, and what it means. The first that fits counts."""


def _read_complaint(state: _State, line: Line, words: str) -> None:
    draft = state.draft
    if "malformed" in words:
        state.malformed = True
        # on standard error, the warning comes after the page
        if draft.get("write_cache") == "disabled":
            draft.discard("write_cache")
    page = f"{state.page} mode page: " if state.page else ""
    message = words.lstrip("> ")
    draft.detail(line, "warning", f"{page}{message}")
    where = str(draft.get("device") or state.document)
    for form, kind, meaning, remedy in _MESSAGES:
        if form.search(words):
            text = meaning.format(page=state.page or "mode", where=where, message=message)
            draft.add_problem("warning" if kind == "unread" else "info", kind, text, remedy)
            return
