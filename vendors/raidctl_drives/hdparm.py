"""Outputs of hdparm, in any mixture, of one or more devices.

``-I`` and ``--Istdin`` are read by :mod:`raidctl_drives.hdparm_identify`; ``-i``, ``-W``, ``-C``, ``-t`` and the other
short outputs by :mod:`raidctl_drives.hdparm_query`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from raidctl.evidence import Line, Output, mark_read
from raidctl.text import regex
from raidctl_drives import hdparm_identify, hdparm_messages, hdparm_query
from raidctl_drives.draft import DriveDraft
from raidctl_drives.drives_of_output import DrivesOfOutput
from raidctl_drives.vocabulary import ERRNO, LONGEST_LINE, refused

# /dev/sda:
_HEADER = regex(r"(/dev/\S*[^\s:]):")
# /dev/sdq: No such file or directory
_UNOPENED = regex(r"(/dev/\S*[^\s:]): ([A-Z].*)")
#  HDIO_DRIVE_CMD(identify) failed: Inappropriate ioctl for device
_FAILED = regex(
    r"((?:HDIO_|BLK|READ_LOG_EXT|READ_NATIVE_MAX|GET_NATIVE_MAX|SET_MAX|TASKFILE|DEVICE CONFIGURATION|SANITIZE"
    r"|read\(\)|lseek\(\)|fstat\(\)|mlock\(\))[^:]{0,80}? failed)(?::\s*(.*))?"
)
# SG_IO: bad/missing sense data, sb[]:  70 00 05 00
_SENSE = regex(r"SG_IO: ")
_TITLES = ("ATA device, with ", "ATAPI ", "CompactFlash ATA device", "Unknown device type:")


@dataclass
class _State(DrivesOfOutput):
    """The reader's position in the text."""

    section: hdparm_identify.Section = field(default_factory=hdparm_identify.Section)

    def begin(self) -> DriveDraft:
        self.section = hdparm_identify.Section()
        return super().begin()


def read_hdparm(document: str, text: str) -> tuple[list[DriveDraft], Output]:
    """Read an output of hdparm; one draft for each device in it.

    Args:
        document: name of the file, or the command line, that the text came from.
        text: what hdparm printed, with its messages on standard error if any.
    """
    output = Output.of_text(document, text)
    state = _State(document)
    for line in output.lines:
        if line.stripped and len(line.text) < LONGEST_LINE:
            _read_line(state, line)
    for draft in state.drafts:
        hdparm_identify.conclude(draft)
        hdparm_messages.conclude(draft)
    # an identification ends with "Checksum: correct" or "Integrity word not set", a setting with its new value
    last = next((line.stripped for line in reversed(output.lines) if line.stripped), "")
    if (state.section.begun and not state.section.ended) or last.startswith("setting "):
        output.gap = "its last line is missing"
    return [draft for draft in state.drafts if not draft.unknown], output


def _read_line(state: _State, line: Line) -> None:
    words = line.stripped
    if header := _HEADER.fullmatch(words):
        draft = state.begin()
        draft.put(line, "device", header[1])
    elif (unopened := _UNOPENED.fullmatch(words)) and unopened[2] in ERRNO:
        # it could not be opened, so it is not a drive to list
        draft = state.begin()
        draft.complain(refused("hdparm", unopened[1], unopened[2]))
        mark_read(line)
    elif words.startswith(_TITLES) and ("removable media" in words or not words.startswith("ATA")):
        _title(state, line, words)
    elif _SENSE.match(words):
        hdparm_messages.sense(state.draft, line, words.removeprefix("SG_IO: "))
    elif failed := _FAILED.fullmatch(words):
        hdparm_messages.failed(state.draft, line, failed[1].strip(), failed[2] or "")
    elif not hdparm_identify.read_line(state.draft, state.section, line):
        hdparm_query.read_line(state.draft, line)


def _title(state: _State, line: Line, words: str) -> None:
    """``ATA device, with non-removable media``: the identification of a drive begins here."""
    if state.drafts and state.section.begun:
        state.begin()
    state.section.begun = True
    state.draft.detail(line, "device type", words)
    if not words.startswith("Unknown"):
        state.draft.mark(line, "ata")
