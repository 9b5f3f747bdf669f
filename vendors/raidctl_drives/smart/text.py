"""smartctl's text output: sections, labels, rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import collapse, printable, regex
from raidctl_drives.smart import label_lines, messages, rows, scan, sections, sentences
from raidctl_drives.smart.draft import SmartDraft
from raidctl_drives.smart.health import conclude_health

LONGEST = 2000
"""The most characters of a line that may be smartctl's. A longer line is not looked at."""

_ARGUMENT_DEVICE = regex(r"(?<!\S)(?!/dev/(?:null|stdout|stderr|tty)\b)(/dev/[\w./:+@-]*\w)(?=[\s;|&)\"']|$)")
_ARGUMENT_TYPE = regex(r"(?<!\S)(?:-d\s*|--device[= ])(\S+)")
_RULE = regex(r"([=\-_*#~])\1{2,}|[0-9a-f]{2,4} {2,}(?:[0-9a-f]{2} ){4,}.*")
"""A rule, or a row of a dump in hexadecimal figures."""
# the verdict is followed by a blank line, or by the attributes that failed, which have a title
_GOES_ON = regex(r"SMART overall-health self-assessment test result: PASSED$|Please note the|ID#")
# SMART/Health Information (NVMe Log 0x02, NSID 0xffffffff)
_NVME_LOG = "SMART/Health Information"
_ATTRIBUTES = regex(r"ID# +ATTRIBUTE_NAME +FLAGS? +VALUE WORST THRESH ")
_CRITICAL = regex(r"- .*(?:threshold|degraded|read only mode|has failed|unreliable|critical warning\(s\).*)")


class Reader:
    """Reads the lines of one output, drive by drive."""

    def __init__(self, output: Output, key: str) -> None:
        self.output = output
        self.key = key
        self.section = ""
        self.prompted = False
        called = sentences.PROMPT.fullmatch(output.command)
        self.called = _queried_device(called["arguments"]) if called else (None, None)
        self.drafts: list[SmartDraft] = []
        self._begin(*self.called)

    @property
    def draft(self) -> SmartDraft:
        """The drive that the lines are about."""
        return self.drafts[-1]

    def read(self, lines: Sequence[Line]) -> list[SmartDraft]:
        """All drives of the output."""
        for line in lines:
            text = line.stripped
            if not text and self.section == "warning":
                self.section = ""
            elif text and len(text) <= LONGEST:
                self._line(line, text)
        self.output.gap = self._gap(lines)
        drafts = _joined(self.drafts)
        for draft in drafts:
            conclude_health(draft)
        return [draft.finish() for draft in drafts]

    def _gap(self, lines: Sequence[Line]) -> str:
        """A clause on what is missing after the last line; empty: nothing."""
        draft, ended = self.draft, not any(line.stripped for line in lines[-2:])
        last = next((line.stripped for line in reversed(lines) if line.stripped), "")
        if not ended and (self.section in ("information", "attributes") or _GOES_ON.match(last)):
            return "its last section has no end"
        if last and (last.startswith(_NVME_LOG) or _NVME_LOG.startswith(last)):
            return "nothing follows the title of its log"
        if "nvme_health" in draft.sections and draft.health.critical_warning is None:
            return "its critical warning is missing"
        # SMART support is:     Unavailable - device lacks SMART capability.
        judged = not draft.details.get("SMART support is", "").startswith("Unavailable")
        if self.section == "data" and judged and not draft.health.verdict:
            return "nothing follows the title of its last section"
        full = "capabilities" in draft.sections or "AAM feature is" in draft.details
        titled = "SMART Attributes Data Structure revision number" in draft.details
        if (titled or (full and draft.health.verdict)) and "attributes" not in draft.sections:
            return "its table of attributes is missing"
        # "  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -"
        if not all(row.raw for drawn in self.drafts for row in drawn.attributes.values()):
            return "a row of its table of attributes has no raw value"
        # what -x prints last, or "Read SATA Phy Event Counters failed"
        whole = "phys" in draft.sections or any("Read SATA Phy Event Counters" in line.text for line in lines[-5:])
        if "AAM feature is" in draft.details and {"capabilities", "attributes"} <= draft.sections and not whole:
            return "its last logs are missing"
        scsi = scsi_gap([line.stripped for line in lines])
        if scsi:
            return scsi
        # with -x it prints these, and the health of the drive
        extended = not draft.details.keys().isdisjoint(("AAM feature is", "Read Cache is", "Firmware Updates"))
        return "its section on health is missing" if extended and "data" not in draft.sections else ""

    def _line(self, line: Line, text: str) -> None:
        if self._banner(line, text) or self._head(line, text):
            return
        draft, section = self.draft, self.section
        handler = rows.HANDLERS.get(section)
        if handler and handler(draft, line, text):
            return
        grammar = sections.ROWS.get(section)
        if section != "warning" and label_lines.read(draft, line, text, section):
            return
        if grammar and grammar.fullmatch(text):
            mark_read(line)
        elif scan.row(self.draft, self._of_scan, line, text):
            return
        elif _RULE.fullmatch(text):
            mark_read(line)
        elif any(read(draft, line, text) for read in rows.ANYWHERE):
            return
        elif messages.read(draft, text) or sentences.known(text) or sentences.capability(text):
            mark_read(line)
        elif sentences.FAILURE_EXPECTED.match(text):
            label_lines.expect_failure(draft, line)
        elif _CRITICAL.fullmatch(text):
            # "- available spare has fallen below threshold"
            draft.health.reasons.append(printable(text.removeprefix("- ")))
            mark_read(line)
        elif _ATTRIBUTES.match(text):
            self.section = "attributes"  # the title above it is damaged or was left out
            draft.sections.add(self.section)
            mark_read(line)
        elif section in rows.COUNTING and rows.LIKE_A_ROW.match(text):
            draft.report(f"A row of a table of smartctl is not understood: {collapse(text)[:120]}", kind="unread")

    def _banner(self, line: Line, text: str) -> bool:
        prompt = sentences.PROMPT.fullmatch(text)
        if prompt:
            if self.draft.blank:
                self.drafts.pop().drop_evidence()
            self._begin()
            self.draft.found_at(line, *_queried_device(prompt["arguments"]))
            mark_read(line)
            self.prompted = True
            return True
        if sentences.BANNER.match(text):
            if not self.prompted:
                self._next()
            self.section = ""
            self.prompted = False
            mark_read(line)
            return True
        return False

    def _next(self) -> None:
        """Begin another output, and another drive unless the last has no facts."""
        self.section = ""
        if not self.draft.blank:
            self._begin(*self.called)

    def _of_scan(self) -> SmartDraft:
        """The drive of the next row of a scan."""
        if not self.draft.blank:
            self.drafts.append(SmartDraft(f"{self.key}#{len(self.drafts) + 1}"))
        return self.draft

    def _begin(self, node: str | None = None, kind: str | None = None) -> None:
        """A drive begins, at the device that the command named."""
        self.section = ""
        number = len(self.drafts) + 1
        self.drafts.append(SmartDraft(self.key if number == 1 else f"{self.key}#{number}", node=node, kind=kind))
        if kind:
            self.draft.keep_words("type", kind)

    def _head(self, line: Line, text: str) -> bool:
        match = sections.HEADS.match(text)
        if not match or not match.lastgroup:
            return False
        if match.lastgroup == "information" and self.draft.identified:
            self._next()
        self.section = match.lastgroup
        self.draft.sections.add(self.section)
        if self.section == "warning":
            messages.read(self.draft, text)
            if "firmware update" in text.lower():
                # "==> WARNING: A firmware update for this drive may be available,": where to get it follows
                self.draft.offer(line, "firmware_update", text.removeprefix("==> WARNING: ").rstrip(" ,:"))
        elif self.section == "nvme_health":
            # "SMART/Health Information (NVMe Log 0x02)": -A alone shows the kind of drive nowhere else
            self.draft.offer(line, "interface", "nvme")
            self.draft.offer(line, "media", "ssd")
        known = self.section != "warning" and (
            label_lines.read(self.draft, line, text, self.section) or rows.pending(self.draft, line, text)
        )
        if not known:
            mark_read(line)
        return True


_OF_SCSI = (
    # what begins a part of the output about a SCSI drive, what follows in the same part, and what to call that
    ("SMART Health Status:", r"\S", "nothing follows the health of the drive"),
    (
        "Current Drive Temperature:|Accumulated |Specified |Manufactured in ",
        "Elements in grown defect list|Vendor \\(Seagate|Error counter log|Error Counter logging not supported",
        "the grown defect list is missing",
    ),
    ("Error counter log:", "(?i:SMART Self-test log|.*self[ -]?tests? (?:have|logging))", "its self-tests are missing"),
)


def scsi_gap(lines: Sequence[str]) -> str:
    """A clause on what is missing for a SCSI drive; empty: nothing.

    ``smartctl -a`` and ``-iHA`` of smartmontools 5 to 7 (scsiprint.cpp): identity, health, temperature and counts of
    starts, grown defects; ``-a`` continues with errors and self-tests. ``-H`` alone prints no identity.
    """
    begin = max((number for number, text in enumerate(lines) if "START OF INFORMATION" in text), default=-1)
    rest = [text for text in lines[max(begin, 0) :] if text]
    if begin < 0 or not any(text.startswith("SMART Health Status:") for text in rest):
        return ""
    for first, then, clause in _OF_SCSI:
        begun = [number for number, text in enumerate(rest) if re.match(first, text)]
        if begun and not any(re.match(then, text) for text in rest[begun[0] + 1 :]):
            return clause
    return ""


def _queried_device(arguments: str) -> tuple[str | None, str | None]:
    """The one device and the type that a command line names.

    The device is None if there are none or several, the type if there is none.
    """
    devices = dict.fromkeys(_ARGUMENT_DEVICE.findall(arguments))
    kind = _ARGUMENT_TYPE.search(arguments)
    return (next(iter(devices)) if len(devices) == 1 else None), (printable(kind[1]) if kind else None)


def _joined(drafts: Sequence[SmartDraft]) -> list[SmartDraft]:
    """The drives, each once. ``smartctl -i``, ``-H`` and ``-A`` of one drive may be in one text.

    An output that does not identify its drive belongs to the drive before it, unless that has had the same
    sections, or the commands above the two name different devices.
    """
    joined: list[SmartDraft] = []
    for draft in drafts:
        last = joined[-1] if joined else None
        same = last and last.node == draft.node and last.details.get("type") == draft.details.get("type")
        if last and same and last.identified and not draft.identified and not (last.topics() & draft.topics()):
            last.absorb(draft)
        elif not draft.blank:
            joined.append(draft)
    return joined or [drafts[0]]


def read_text(command: str, text: str, key: str) -> tuple[list[SmartDraft], Output]:
    """Read a text output of smartctl."""
    output = Output.of_text(command, text)
    return Reader(output, key).read(output.lines), output
