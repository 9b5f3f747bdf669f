"""Split a text into the outputs that it contains.

People keep several outputs in one file (``mdadm --detail /dev/md*``, a mail with mdstat and three ``--examine``); the
first words of a line show where the next one begins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct, field

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import listing, regex

# md1 : active raid1 sdg1[1] sdf1[0]
ARRAY_LINE = regex(r"\s*(md[\w.-]*)\s?: +(?:(?:in)?active|broken)(?=[ (]|$)")
# /dev/md3:
DEVICE_LINE = regex(r"\s*(/dev/\S+):\s*")
# Personalities : [raid1] [raid6] [raid5] [raid4]
_MDSTAT = regex(r"\s*Personalities ?:(?=\s|$)")
# MD_LEVEL=raid1
_EXPORT = regex(r"\s*(?:MD|IMSM)_\w+=")
# ARRAY /dev/md0 metadata=1.2 UUID=8c1f6e20:4b7d93a5:e0523b18:77d96c4f
_SCAN = regex(r"\s*(?:INACTIVE-)?ARRAY\s+\S")
# mdadm: No md superblock detected on /dev/sdz1.
_MESSAGE = regex(r"\s*mdadm: ")
# "/dev/md0: 19.98GiB raid1 2 devices, 1 spare. Use mdadm --detail for more detail."; no size of a tiny array
_QUERY = regex(r"\s*/dev/\S+: (?:is |device \d|No md super|\S* \S+ -?\d+ devices?, )")
# Bad-blocks list is empty in /dev/sdc1
_BAD_BLOCKS = regex(r"\s*(?:Bad-blocks (?:on|list is empty in)|No bad-blocks list configured on) /dev/")
# Filename : /dev/sda1
_BITMAP = regex(r"\s*Filename : \S")
# Platform : Intel(R) Rapid Storage Technology
_PLATFORM = regex(r"\s*Platform : \S")
# Magic : a92b4efc
_MAGIC = regex(r"\s*Magic : \S")
# Version : 1.2
_HEADLESS = regex(r"\s*(?:Version|Container) : \S")
# "# cat /proc/mdstat", "root@box:~$ sudo mdadm --detail /dev/md0"
PROMPT = regex(
    r"(?:\S{0,80}[^\S\n]?\S{0,80}[#$>%] ?|sudo )?(?:sudo )?(?:cat /proc/mdstat|(?:/\w{1,9}){0,3}/?mdadm -.{1,300})\s*"
)
_FIRST_WORDS = regex(
    r"\s*(?:/dev/|mdadm: |md|Personalities|MD_|IMSM_|INACTIVE-|ARRAY|Bad-blocks|No bad-blocks|Filename|Platform|Magic"
    r"|Version|Container)"
)
"""How an output's first line can begin. Most lines do not begin like this."""
_DEVICE_WORD = regex(r"(?<!\S)/dev/\S+")
# mdadm --examine /dev/sda1 /dev/sdb1      each device gives a section with its name, or a message
_EACH = regex(r"mdadm\s(?:.*\s)?(?:--examine|-E|--detail|-D)\s")
_OTHER_FORM = regex(r"\s(?:--(?:scan|brief|export|test)|-[A-Za-z]*[sbYt][A-Za-z]*)(?=\s|$)")
_PLAIN = regex(r"/dev/(?!(?:null|stdout|stderr)$)[\w./:@+-]{1,200}", re.ASCII)
"""A device that no shell has expanded, and that is not the target of a redirection."""


class Section(Struct):
    """The lines of one output about one thing."""

    kind: str
    """The kind of output. It is ``mdstat``, ``device`` (detail or examine), ``detail``, ``examine``, ``export``,
    ``scan``, ``query``, ``message``, ``bitmap``, ``badblocks``, ``platform``, or ``stray``."""
    output: Output
    """The whole output that it is a part of."""
    node: str | None = None
    """The device that the header line, or the command above it, names."""
    head: Line | None = None
    """The line with the device, ``/dev/md0:``."""
    lines: list[Line] = field(default_factory=list)


class _Cutter:
    def __init__(self, output: Output) -> None:
        self.output = output
        self.sections: list[Section] = []
        self.current = Section("stray", self.output)
        self.asked: str | None = _last_device(output.command)

    def start(self, kind: str, node: str | None = None) -> None:
        self.current = Section(kind, self.output, node or self.asked)
        self.sections.append(self.current)

    def read_line(self, line: Line) -> None:
        text = line.text
        kind = self.current.kind
        begins = _FIRST_WORDS.match(text) is not None
        header = DEVICE_LINE.fullmatch(text) if begins else None
        if header:
            mark_read(line)
            self.start("device", header[1])
            self.current.head = line
            return
        if ("mdadm -" in text or "/proc/mdstat" in text) and PROMPT.fullmatch(text):
            mark_read(line)
            self.asked = _last_device(text)
            self.current = Section("stray", self.output)
            return
        started = self._begins(text, kind) if begins else None
        if started:
            before = self.current
            self.start(started)
            if started == "mdstat" and before.kind == "stray" and not _MDSTAT.match(text):
                self.current.lines += before.lines  # perhaps of an array whose heading was not copied
        elif kind in ("query", "message"):
            self.current = Section("stray", self.output)
        self.current.lines.append(line)

    def _begins(self, text: str, kind: str) -> str | None:
        """The kind of output that begins with this line. None if the line continues the current one."""
        if _MESSAGE.match(text):
            return "message"
        if _QUERY.match(text):
            return "query"
        if _MDSTAT.match(text):
            return "mdstat"
        if ARRAY_LINE.match(text):
            return None if kind == "mdstat" else "mdstat"
        if _EXPORT.match(text):
            return None if kind == "export" else "export"
        if _SCAN.match(text):
            return None if kind == "scan" else "scan"
        if _BITMAP.match(text):
            return "bitmap"
        if _PLATFORM.match(text):
            return "platform"
        if _BAD_BLOCKS.match(text):
            return "badblocks"
        return self._headless(text, kind)

    def _headless(self, text: str, kind: str) -> str | None:
        """Detail and examine outputs whose first line, the device, was cut off."""
        if _MAGIC.match(text):
            return "examine" if kind not in ("device", "bitmap") or self._seen("Magic") else None
        if _HEADLESS.match(text) and kind not in ("device", "examine", "detail", "bitmap", "platform"):
            return "detail"
        return None

    def _seen(self, label: str) -> bool:
        return any(line.text.lstrip().startswith(f"{label} :") for line in self.current.lines[:3])


def _last_device(command: str) -> str | None:
    words = _DEVICE_WORD.findall(command)
    return words[0] if len(words) == 1 and "*" not in words[0] else None


def split(output: Output) -> list[Section]:
    """Split an output into sections, in order. Lines of no section are left out."""
    cutter = _Cutter(output)
    for line in output.lines:
        cutter.read_line(line)
    for section in cutter.sections:
        if section.kind == "device":
            section.kind = _kind_of_device(section)
    return cutter.sections


def unanswered(output: Output, sections: Sequence[Section]) -> str:
    """What is missing of an output: the devices that mdadm was asked for and did not report. Empty if none is."""
    # the answers of --query end with a command: "Use mdadm --examine for more detail."
    texts = (line.text for line in output.lines if "mdadm -" in line.text and not _QUERY.match(line.text))
    commands = [output.command, *texts]
    asked = [
        node
        for command in commands
        if _EACH.search(command) and not _OTHER_FORM.search(command)
        for node in _DEVICE_WORD.findall(command)
        if _PLAIN.fullmatch(node)
    ]
    if len(asked) < 2:
        return ""
    reported = {section.node for section in sections}
    messages = " ".join(line.text for section in sections if section.kind == "message" for line in section.lines)
    missing = [
        node for node in asked if node not in reported and not re.search(rf"{re.escape(node)}(?![\w/-])", messages)
    ]
    return f"it has no answer for {listing(missing)}" if missing else ""


_EXAMINE_LABELS = (
    "Magic :",
    "MBR Magic :",
    "GPT Magic :",
    "Array UUID :",
    "Device UUID :",
    "Device Role :",
    "Super Offset :",
)


def _kind_of_device(section: Section) -> str:
    """Whether ``/dev/X:`` heads an examined member or a detailed array."""
    for line in section.lines:
        text = line.text.lstrip()
        if text.startswith(_EXAMINE_LABELS):
            return "examine"
    return "detail"
