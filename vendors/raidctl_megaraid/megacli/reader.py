"""Outputs of MegaCli, whole or in part, read into drafts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from raidctl.evidence import Line, Output, mark_read
from raidctl.model import ForeignGroup, Problem
from raidctl.text import collapse, regex
from raidctl.vendor.draft import ROW
from raidctl.vendor.protocol import Document
from raidctl.vendor.statuses import is_bad_status
from raidctl_megaraid.draft import ControllerDraft, Controllers
from raidctl_megaraid.megacli import failure, sentences, summary
from raidctl_megaraid.megacli.battery import read_battery
from raidctl_megaraid.megacli.controller import read_controller, read_enclosure, read_group
from raidctl_megaraid.megacli.drive import read_drive
from raidctl_megaraid.megacli.grammar import split
from raidctl_megaraid.megacli.outline import Block, Segment, outline
from raidctl_megaraid.megacli.volume import read_volume
from raidctl_megaraid.vocabulary import BUSY_STATUS, normalized

_LONGEST_SENTENCE = 400
# Controller Count: 1.
_CONTROLLERS = regex(r"Controller Count\s*:?\s*(\d{1,4})\.?", re.IGNORECASE | re.ASCII)
# Number of Physical Drives on Adapter 0: 6
_OBJECTS = regex(r"Number of .{1,40} on Adapter ?\d{1,3} ?: ?(\d{1,6})\.?", re.IGNORECASE | re.ASCII)

# Exit Code: 0x00
_CLOSING = regex(r"Exit Code\s*:", re.IGNORECASE)


def read(controllers: Controllers, document: Document) -> tuple[Output, list[Problem]]:
    """Read one text, which may contain several outputs. Never raises for its contents.

    Returns:
        The output, in which other lines than facts are marked as read, and the problems that belong to no object.
    """
    output = Output.of_text(document.name, document.text)
    output.closing = _CLOSING
    reading = _Reading(controllers, output)
    segments = outline(output)
    reading.adopt(segments)
    for segment in segments:
        reading.segment(segment)
    for controller in controllers.by_number.values():
        infer(controller)
    return output, list(dict.fromkeys(reading.problems))


class _Reading:
    """One text while it is read into drafts."""

    def __init__(self, controllers: Controllers, output: Output) -> None:
        self.controllers = controllers
        self.output = output
        self.problems: list[Problem] = []
        self.only: str | None = None
        """The controller of parts that name none. It is the only one that the text names."""

    def adopt(self, segments: list[Segment]) -> None:
        """Assign parts that name no controller to the text's only one."""
        blocks = [block.adapter for segment in segments for block in segment.blocks]
        by_mask = [(adapter, line) for segment in segments for adapter, line in segment.sentences]
        spelt_out = [adapter if adapter is not None else _named(line.text) for adapter, line in by_mask]
        numbers = dict.fromkeys(number for number in (*blocks, *spelt_out) if number is not None)
        if len(numbers) == 1:
            self.only = next(iter(numbers))

    def controller(self, number: str | None) -> ControllerDraft:
        """The draft of a controller."""
        return self.controllers.controller(number if number is not None else self.only)

    def segment(self, segment: Segment) -> None:
        """The answer to one command."""
        before = len(self.problems)
        events = [block for block in segment.blocks if block.kind == "event"]
        if events:
            sentences.read_events(self.controller(events[0].adapter), events)
        reported = self.blocks(block for block in segment.blocks if block.kind != "event")
        count = self.sentences(segment)
        self.ending(segment, count, quiet=not (reported or events or len(self.problems) > before))

    def blocks(self, blocks: Iterable[Block]) -> bool:
        """Read blocks; whether there was anything in them."""
        anything = False
        nameless_controllers = 0
        for block in blocks:
            anything = anything or bool(block.items or block.texts or block.line)
            if block.kind == "summary":
                nameless_controllers += block.name == "Controller"
                number = block.adapter
                if number is None and nameless_controllers > 1:
                    # -aALL: the adapters in the order of their numbers
                    number = str(nameless_controllers - 1)
                summary.read_block(self.controller(number), block)
            elif block.foreign is not None and block.kind != "drive":
                self.foreign(block)
            else:
                self.block(block)
        return anything

    def block(self, block: Block) -> None:
        """Read a block of a kind that names its controller, or none."""
        if not block.items and not block.texts and block.kind == "controller":
            if block.adapter is not None:
                self.enclosures(self.controller(block.adapter), block)
            return
        controller = self.controller(block.adapter)
        if block.kind == "volume":
            read_volume(controller, block)
        elif block.kind == "drive":
            read_drive(controller, block)
        elif block.kind == "battery":
            read_battery(controller, block)
        elif block.kind == "group":
            read_group(controller, block)
        elif block.kind == "enclosure":
            read_enclosure(controller, block)
        elif block.kind == "missing":
            sentences.read_missing(controller, block)
        else:
            read_controller(controller, block)

    def enclosures(self, controller: ControllerDraft, block: Block) -> None:
        """``Number of enclosures on adapter 0 -- 1``."""
        if block.rest.isdecimal() and block.line is not None:
            controller.detail(block.line, "Number of enclosures", block.rest)

    def foreign(self, block: Block) -> None:
        """Keep a foreign configuration as details: none of it is this controller's."""
        controller = self.controller(block.adapter)
        kind = {"volume": f"Virtual Drive {block.target or block.name} ", "group": f"Disk Group {block.name} "}
        for item in block.items:
            part = f"{item.section} " if item.section else ""
            controller.keep_detail(item.pair, f"Foreign configuration {block.foreign} {kind.get(block.kind, '')}{part}")
        controller.put(None, "foreign", value=True)
        known = controller.get("foreign_groups") or ()
        if block.foreign is not None and block.foreign not in (one.number for one in known):
            controller.override("foreign_groups", value=(*known, ForeignGroup(number=block.foreign)))

    def sentences(self, segment: Segment) -> int | None:
        """Read the sentences; the number of controllers where the tool reports it."""
        count: int | None = None
        listed, left = [], []
        for adapter, line in segment.sentences:
            text = collapse(line.text)
            counted = _CONTROLLERS.fullmatch(text)
            if counted:
                count = int(counted[1])
                mark_read(line)
            elif not sentences.read_sentence(self.controller, line, adapter):
                left.append((adapter, line))
            elif (objects := _OBJECTS.fullmatch(text)) is not None:
                listed.append(int(objects[1]))
        found = failure.failures(left)
        self.problems += failure.problems(found, segment.code, self.controller, self.output)
        for adapter, line in left:
            if not line.used and not any(one.line is line for one in found):
                sentences.read_setting(self.controller, line)
                self.lost_status(adapter, line)
        segment.sentences = [(adapter, line) for adapter, line in left if line.used]
        if listed and not left and segment.code in (*listed, sum(listed)):
            segment.code = 0  # -LDGetNum and -PDGetNum end with the number that they print
        return count

    def lost_status(self, adapter: str | None, line: Line) -> None:
        """Report a bad state of an object whose heading is missing: ``Status : Failed``."""
        label, value = split(line.text.strip()) or ("", "")
        if normalized(label).endswith(("status", "state")) and is_bad_status(value):
            self.controller(adapter).unread(label, value[:80])

    def ending(self, segment: Segment, count: int | None, *, quiet: bool) -> None:
        """Judge the exit code. ``-adpCount`` ends with the number of controllers, the other commands with an error."""
        where = self.output.command
        if count is not None:
            if count == 0:
                self.problems.append(failure.no_controller(where))
            return
        if segment.code is None:
            return
        if segment.code and not segment.sentences:
            self.problems.append(failure.ended_with_code(segment.code, where))
        elif not segment.code and quiet and not self.anything(segment):
            self.problems.append(failure.empty_output(where))

    def anything(self, segment: Segment) -> bool:
        """Whether the segment contains a sentence or a banner."""
        return bool(segment.version or segment.sentences or self.has_text(segment))

    def has_text(self, segment: Segment) -> bool:
        """Whether a line is not just a blank, rule or exit code."""
        if segment.code_line is None:
            return False
        for line in reversed(self.output.lines[: segment.code_line.number - 1]):
            if line.stripped and set(line.stripped) - set("=-"):
                return not line.stripped.lower().startswith("exit code")
        return False


# Set Write Policy to WriteBack on Adapter 0, VD 0 (target id: 0) success
_NAMED = regex(r"\b(?:adapter|controller)\s*[:#]?\s*(\d{1,3})\b", re.IGNORECASE | re.ASCII)


def _named(text: str) -> str | None:
    """The controller that a sentence names."""
    match = _NAMED.search(text[:_LONGEST_SENTENCE])
    return str(int(match[1])) if match is not None else None


def infer(controller: ControllerDraft) -> None:
    """Infer what follows from several lines, of one or several texts; idempotent."""
    summary.join_drives(controller)
    for volume in controller.volumes.values():
        busy = BUSY_STATUS.get(volume.get("progress.operation"))
        if volume.get("status") == "ok" and busy is not None:
            volume.put(None, "status", busy, volume.values["status"][0] + ROW)
