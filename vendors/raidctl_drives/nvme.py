"""Outputs of nvme-cli: ``id-ctrl``, ``id-ns``, ``smart-log``, ``get-feature``, ``list``, logs; JSON: ``nvme_json``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from raidctl.evidence import Line, Output, mark_read
from raidctl.json_decode import decode_text
from raidctl.text import attempt, collapse, regex
from raidctl.vendor.draft import Pair
from raidctl.vendor.fields import Fields, read_pair
from raidctl_drives import nvme_fields, nvme_list, nvme_subsystems
from raidctl_drives.draft import DeviceComplaint, DriveDraft
from raidctl_drives.nvme_json import read_nvme_json
from raidctl_drives.vocabulary import ERRNO, LONGEST_LINE, node_in, refused

# Smart Log for NVME device:nvme0n1 namespace-id:ffffffff
_TITLE = regex(
    r"NVM[Ee] Identify (?P<controller>Controller)(?: NVM)?:|NVM[Ee] Identify (?P<namespace>Namespace)\b.*:"
    r"|(?P<smart>Smart Log) for NVME device:\s*(?P<node>\S+) namespace-id:\S+"
    r"|(?P<vendor>Additional Smart Log) for NVME device:\s*(?P<node2>\S+) namespace-id:\S+"
    r"|(?P<log>Error Log Entries|Firmware Log|Device Self Test Log) for (?:NVME )?device:\s*(?P<node3>\S+).*"
    r"|(?P<cloud>SMART Cloud Attributes) ?:-?"
)
# get-feature:0x06 (Volatile Write Cache), Current value:0x00000001
_FEATURE = regex(r"get-feature:\s*(0x[0-9a-f]+|\d+) \((.*?)\), (\w[\w ]*?) value: ?(0x[0-9a-f]+|\d+)", re.IGNORECASE)
_COMPLAINT = regex(r"(.+?): (.+)")
# get-feature:0x06 (Volatile Write Cache): NVMe status: Invalid Field in Command(0x4002)
_NVME_STATUS = regex(r"(?:[\w:() -]{1,80}: )?NVMe?(?:-MI)? [Ss]tatus\s*:.*")
_PAIR = regex(r"([\w][\w .()\[\]/-]*?)\s*:(?:\s+(.*))?")
#   [0:0] : 0x1	Volatile Write Cache Present
_BITS = regex(r"\[(\d+:\d+)\]\s*:\s*(.*)")
# rwt:1 rwl:1 idle_power:- active_power:-
_POWER_STATE = regex(
    r"ps\s+\d+\s*: mp:.*|rwt:\d.*|active_power_workload:.*|active_power:.*|(?:emergency power fail|forced quiescence).*"
)
# lbaf  0 : ms:0   lbads:9  rp:0 (in use)
_FORMAT = regex(r"(?:lbaf|LBA Format)\s*(\d+)\s*:\s*(.*)")
# lbaf  0 : ms:0   lbads:9  rp:0 (in use)
_BLOCK = regex(r"(?:lbads|ds):(\d+)")
_BLOCK_BYTES = regex(r"Data Size:\s*(\d+)\s*bytes")
_TWO_ROWS = regex(r"\s0x[0-9a-f]{2}\s+\w+\s+\d{1,3}(?:\s|$)")
"""The beginning of another row. Two short lines are not one that a mailer broke."""
_VENDOR_ROW = regex(r"(?:0x[0-9a-f]+\s+)?([A-Za-z][\w -]*?)\s*(?::\s*|\s{2,})(\d+%?)\s+(\S.*)")
_CLOUD_ROW = regex(r"([A-Z][^\t]*?)(?:\s{2,}|\t+)(\S.*)")
# 0000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "................"
_DUMP = regex(r"(?:[0-9a-f]{4}:\s.*|vs\[\]:|\s*0  1  2  3  4.*|\*)")
# Self Test Result[0]:
_NOTES = regex(r"\.{5,}|\s*Entry\[\s*\d+\]\s*|ID\s+KEY\s+Normalized.*|key\s+normalized\s+raw|Self Test Result\[\d+\]:")
_WRITE_CACHE = 6
# Volatile Write Cache Enable (WCE): Enabled
_WCE = regex(r"Volatile Write Cache Enable \(WCE\):\s*(Enabled|Disabled)")
_ESCAPE = regex(r"\x1b\[[0-9;]*m")


@dataclass
class _State:
    document: str
    drafts: list[DriveDraft] = field(default_factory=list)
    section: str = ""
    label: str = ""
    table: nvme_list.Table | None = None
    current: bool = True
    """Whether the feature value printed last is the active one."""
    tables: int = 0
    """Headers of tables so far."""
    usage: bool = False
    """The tool prints its help: no drive data follows."""

    def begin(self, section: str, node: str | None) -> DriveDraft:
        self.section, self.label, self.table = section, "", None
        device = node_in(self.document)
        if node:
            device = node if node.startswith("/dev/") else f"/dev/{node}"
        draft = self.row()
        draft.at_device(device)
        self.drafts.append(draft)
        return draft

    def row(self) -> DriveDraft:
        """A draft that may become the next one."""
        return DriveDraft(f"{self.document}#{len(self.drafts) + 1}")


def read_nvme(document: str, text: str) -> tuple[list[DriveDraft], Output]:
    """Read an output of nvme-cli, text or JSON. Return one draft for each drive in it.

    Args:
        document: name of the file, or the command line, that the text came from.
        text: what nvme printed.
    """
    start = text.lstrip()
    if start.startswith(("{", "[")):
        value = attempt(decode_text, start)
        if value is not None:
            return read_nvme_json(document, value)
    output = Output.of_text(document, nvme_list.unwrapped(text))
    state = _State(document)
    for line in output.lines:
        if line.stripped and len(line.text) < LONGEST_LINE:
            _read_line(state, line)
    if state.tables and not state.drafts:
        state.begin("", None).complain(nvme_fields.nothing_found(document))
    for draft in state.drafts:
        nvme_fields.conclude(draft)
    return [draft for draft in state.drafts if not draft.unknown], output


def _read_line(state: _State, line: Line) -> None:
    words = _ESCAPE.sub("", line.stripped).strip()
    if state.usage:
        mark_read(line)
    elif title := _TITLE.fullmatch(words):
        section = title.lastgroup if title.lastgroup in ("controller", "namespace", "cloud") else None
        section = section or next(name for name in ("smart", "vendor", "log") if title[name])
        draft = state.begin(section, title["node"] or title["node2"] or title["node3"])
        if "device" in draft.values and title.lastgroup not in ("controller", "namespace", "cloud"):
            draft.put(line, "device", draft.get("device"))
        mark_read(line)
    elif feature := _FEATURE.fullmatch(words):
        _read_feature(state, line, feature)
    elif enabled := _WCE.fullmatch(words):
        draft = state.drafts[-1] if state.drafts else state.begin("feature", None)
        if state.current:
            draft.put(line, "write_cache", enabled[1].lower())
        else:
            draft.detail(line, "Volatile Write Cache Enable (WCE), not the current value", enabled[1])
    elif nvme_list.is_header(words):
        state.table = nvme_list.Table(line.text)
        state.section = "list"
        state.tables += 1
        mark_read(line)
    elif state.table is not None and state.section == "list":
        _read_row(state, line)
    elif nvme_list.is_banner(words):
        mark_read(line)
    elif nvme_subsystems.is_line(words):
        nvme_subsystems.read_line(state, line, words)
    elif not _read_in_section(state, line, words):
        _read_complaint(state, line, words)


def _read_row(state: _State, line: Line) -> None:
    table = state.table
    if table is None or table.read_rule(line):
        mark_read(line)
        return
    draft = state.row()
    if table.read_row(draft, line):
        state.drafts.append(draft)
    elif not nvme_list.is_banner(line.stripped):
        _read_complaint(state, line, line.stripped)
    else:
        mark_read(line)


def _read_feature(state: _State, line: Line, feature: re.Match[str]) -> None:
    number, name, which, value = feature.groups()
    label = f"feature {name} ({which})"
    # several features of one drive; the same one again is another drive's
    again = state.section != "feature" or label in state.drafts[-1].details
    draft = state.begin("feature", None) if again else state.drafts[-1]
    draft.detail(line, label, value)
    state.current = which.lower() == "current"
    # get-feature:0x06 (Volatile Write Cache), Current value:0x00000001
    if (int(number, 16) if number.startswith("0x") else int(number)) == _WRITE_CACHE and state.current:
        draft.put(line, "write_cache", nvme_fields.enabled(value))


def _read_in_section(state: _State, line: Line, words: str) -> bool:
    if not state.drafts or not state.section:
        return False
    draft = state.drafts[-1]
    if _NOTES.fullmatch(words) or _DUMP.fullmatch(words):
        mark_read(line)
        return True
    if bits := _BITS.fullmatch(words):
        draft.list_word(line, f"{state.label} bits", f"{bits[1]} {bits[2]}")
        return True
    if state.section == "controller" and _POWER_STATE.fullmatch(words):
        draft.list_word(line, "power states", words)
        return True
    if state.section == "namespace" and (formats := _FORMAT.fullmatch(words)):
        _read_format(draft, line, formats)
        return True
    if state.section in ("vendor", "cloud"):
        return _read_vendor(state, draft, line, words)
    if state.section == "feature" and line.text[:1].isspace():
        label, _, value = words.partition(":")
        draft.detail(line, label, value or label)
        return True
    pair = _PAIR.fullmatch(words)
    return pair is not None and _read_pair(state, draft, line, pair[1].strip(), pair[2] or "")


_FIELDS: dict[str, Fields[DriveDraft]] = {
    "controller": nvme_fields.CONTROLLER,
    "smart": nvme_fields.SMART,
    "namespace": nvme_fields.NAMESPACE,
    "log": nvme_fields.LOGS,
}
"""The labels of each section."""


def _read_pair(state: _State, draft: DriveDraft, line: Line, label: str, value: str) -> bool:
    state.label = label
    pair = Pair(label, value, [line])
    if state.section == "smart" and nvme_fields.is_sensor(label):
        draft.keep(pair)
        return True
    return read_pair(draft, pair, label, _FIELDS.get(state.section, {}))


def _read_format(draft: DriveDraft, line: Line, formats: re.Match[str]) -> None:
    draft.detail(line, f"lbaf {formats[1]}", collapse(formats[2]))
    if "(in use)" not in formats[2]:
        return
    if shift := _BLOCK.search(formats[2]):
        power = int(shift[1])
    elif (size := _BLOCK_BYTES.search(formats[2])) and int(size[1]) > 0:
        power = int(size[1]).bit_length() - 1
    else:
        return
    if total := nvme_fields.namespace_size(draft.marked("nsze"), power):
        draft.put(line, "size_bytes", total)


def _read_vendor(state: _State, draft: DriveDraft, line: Line, words: str) -> bool:
    # wear_leveling                   : 100%       min: 3, max: 5, avg: 4
    row = (_VENDOR_ROW if state.section == "vendor" else _CLOUD_ROW).fullmatch(words)
    if row is None or _TWO_ROWS.search(words):
        return False
    value = f"{row[3]} (normalized {row[2].rstrip('%')}%)" if state.section == "vendor" else row[2]
    draft.detail(line, row[1], value)
    return True


def _read_complaint(state: _State, line: Line, words: str) -> None:
    if words.startswith("Usage: nvme"):
        state.usage = True
        mark_read(line)
    elif _NVME_STATUS.match(words):
        _add_problem(state, line, words)
    elif (complaint := _COMPLAINT.fullmatch(words)) and complaint[2].strip() in ERRNO:
        if complaint[1].startswith("Failed to scan topology"):
            state.begin("", None).complain(nvme_fields.nothing_found(state.document, f": {complaint[2]}"))
            mark_read(line)
        else:
            what = complaint[1].removeprefix("Failed to open ").strip()
            where = what if what.startswith("/dev/") else (node_in(state.document) or state.document)
            draft = state.begin("", None)
            draft.complain(refused("nvme", where, complaint[2].strip()))
            draft.discard("device")
            mark_read(line)


def _add_problem(state: _State, line: Line, words: str) -> None:
    draft = state.drafts[-1] if state.drafts else state.begin("", None)
    mark_read(line)
    complaint = DeviceComplaint(
        "warning",
        "unread",
        f"The NVMe drive rejected a command: {collapse(words)}.",
        "The drive does not support it; see nvme id-ctrl.",
        str(draft.get("device") or state.document),
    )
    draft.complain(complaint)
