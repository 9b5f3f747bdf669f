"""Outputs of other commands than ``getconfig``: tasks, list, expanders, phys, logs.

raidctl itself runs only ``getstatus`` (tasks). The others are in saved and mailed outputs: their states and errors
count as well, and none of their lines is left unread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidctl.evidence import Line, mark_read
from raidctl.text import attempt, printable, regex
from raidctl.vendor.draft import DETAIL, REPORT, ROW, Draft, Pair
from raidctl_adaptec import controller as controller_reader
from raidctl_adaptec import drive, numbers, vocabulary
from raidctl_adaptec.draft import ControllerDraft, keep
from raidctl_adaptec.outline import Block
from raidctl_adaptec.vocabulary import normalized

_VOLUME = frozenset({"logical device", "logical drive"})
_DRIVE = frozenset({"physical device", "physical drive", "device", "channel,device", "reported channel,device"})
_RUNNING = frozenset({"in progress", "running", "started", "active"})
_WWN = regex(r"[0-9A-F]{16,24}", re.IGNORECASE)


def read_tasks(controller: ControllerDraft, block: Block) -> None:
    """``getstatus``: the running operations, for the volume or drive concerned.

    ::

        Logical device Task:
           Logical device                 : 0
           Task ID                        : 102
           Current operation              : Rebuild
           Status                         : In Progress
           Priority                       : High
           Percentage complete            : 1
    """
    mark_read(*block.heads)
    for task in _tasks(block.pairs):
        named = {normalized(pair.label): pair for pair in task}
        running = named.get("current operation")
        if running is None or normalized(running.value) == "none":
            mark_read(*(line for pair in task for line in pair.lines))
            continue
        target = next((named[label] for label in _VOLUME if label in named), None)
        if target is not None and attempt(numbers.number, target.value) is not None:
            _volume_task(controller, task, named, str(numbers.number(target.value)))
        else:
            _other_task(controller, task, named)


def _tasks(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """One list for each task. A repeated label begins the next one."""
    found: list[list[Pair]] = []
    seen: set[str] = set()
    for pair in pairs:
        label = normalized(pair.label)
        if not found or label in seen:
            found.append([])
            seen = set()
        seen.add(label)
        found[-1].append(pair)
    return found


def _volume_task(controller: ControllerDraft, task: list[Pair], named: dict[str, Pair], number: str) -> None:
    volume = controller.volume(number)
    state = named.get("status")
    running = state is None or normalized(state.value) in _RUNNING or not vocabulary.has_value(state.value)
    prefix = "Task: " if volume.details.get("Task: Task ID") is None else "Another task: "
    for pair in task:
        label, line = normalized(pair.label), pair.lines[0]
        if label in _VOLUME:
            volume.add_evidence(line, "id", number)
        elif label == "current operation" and running:
            found = vocabulary.operation(pair.value)
            volume.put(line, "progress.operation", found or "unknown", DETAIL)
            volume.keep_words(f"{prefix}{pair.label}", pair.value)
            if found is None:
                volume.add_problem("info", "unread", f"The task {pair.value!r} is not recognised.", REPORT)
        elif label == "percentage complete" and running:
            percent = attempt(numbers.percent, pair.value)
            if percent is None:
                keep(volume, pair, prefix=prefix)
            else:
                volume.put(line, "progress.percent", float(percent), DETAIL)
        else:
            keep(volume, pair, prefix=prefix)
    _failed_task(volume, named)


def _failed_task(draft: Draft, named: dict[str, Pair]) -> None:
    """A task that ended badly: ``Status : Failed``."""
    state = named.get("status")
    if state is not None and "fail" in normalized(state.value):
        message = f"A task of the controller has failed: {printable(named['current operation'].value)}."
        draft.add_problem("warning", "state", message, "Read the event log: `arcconf getlogs N event tabular`.")


def _other_task(controller: ControllerDraft, task: list[Pair], named: dict[str, Pair]) -> None:
    """A task of a drive, or of the controller itself."""
    target = next((named[label] for label in _DRIVE if label in named), None)
    key = attempt(numbers.address, target.value) if target is not None else None
    owner = controller if key is None else controller.drive(key)
    if key is not None:
        _drive_task(owner, named)
    elif (unnamed := next((named[label] for label in (*_VOLUME, *_DRIVE) if label in named), None)) is not None:
        task_name = printable(named["current operation"].value)[:60]
        message = f"A task ({task_name}) is under way, and its {unnamed.label} {unnamed.value!r} was not understood."
        controller.add_problem("warning", "unread", message, "Run `arcconf getconfig N` to see the states.")
    _failed_task(owner, named)
    for pair in task:
        keep(owner, pair, prefix="Task: ")


def _drive_task(drive: Draft, named: dict[str, Pair]) -> None:
    state, done = named.get("status"), named.get("percentage complete")
    if state is not None and normalized(state.value) not in _RUNNING and vocabulary.has_value(state.value):
        return
    running = named["current operation"]
    drive.put(running.lines[0], "progress.operation", vocabulary.operation(running.value) or "unknown")
    percent = attempt(numbers.percent, done.value) if done is not None else None
    if percent is not None and done is not None:
        drive.put(done.lines[0], "progress.percent", float(percent))


def read_row(controller: ControllerDraft, line: Line, rest: str) -> None:
    """``Optimal, Slot 8, HBA, MSCC Adaptec HBA 1100-16i, 8A246320899, 50000D1704B53280`` of ``list``."""
    parts = [part.strip() for part in rest.split(",")]
    controller_reader.read_status(controller, Pair("Status", parts[0], [line]), ROW)
    rest_of = parts[1:]
    if rest_of and rest_of[0].lower().startswith("slot"):
        controller.put(line, "slot", rest_of.pop(0)[4:].strip(), ROW)
    if rest_of and attempt(numbers.mode, rest_of[0]) is not None:
        controller.put(line, "mode", numbers.mode(rest_of.pop(0)), ROW)
    if rest_of and _WWN.fullmatch(rest_of[-1]):
        controller.detail(line, "WWN", rest_of.pop())
    if len(rest_of) > 1:
        controller.put(line, "serial", rest_of.pop(), ROW)
    if rest_of:
        controller_reader.read_model(controller, Pair("Name", ", ".join(rest_of), [line]), ROW)


def read_expander(controller: ControllerDraft, block: Block) -> None:
    """``Expander# 1`` of ``expanderlist``."""
    mark_read(*block.heads)
    prefix = f"Expander {block.name}: " if block.name else "Expanders: "
    for pair in block.pairs:
        keep(controller, pair, prefix=prefix)


def read_phy_log(controller: ControllerDraft, block: Block) -> None:
    """``phyerrorlog N``: the error counters of the controller's phys."""
    mark_read(*block.heads)
    phy = ""
    for pair in block.pairs:
        label = normalized(pair.label)
        if label == "controller id":
            mark_read(*pair.lines)
        elif label == "controller model":
            controller_reader.read_model(controller, pair, ROW)
        elif label == "phy identifier":
            phy = f"Phy {pair.value}: "
            mark_read(*pair.lines)
        else:
            keep(controller, pair, prefix=phy)


def read_phy_device(controller: ControllerDraft, blocks: Sequence[Block]) -> None:
    """``phyerrorlog N device C D``: the error counters of a drive's phys."""
    named = {normalized(pair.label): pair.value for block in blocks[:1] for pair in block.pairs}
    key = attempt(numbers.address, f"{named.get('channel', '')},{named.get('device', '')}")
    if key is None:
        for block in blocks:
            read_phy_log(controller, block)
        return
    found = controller.drive(key)
    prefix = ""
    for block in blocks:
        mark_read(*block.heads)
        for pair in block.pairs:
            label = normalized(pair.label)
            if block is blocks[0]:
                if label in ("channel", "device"):
                    found.add_evidence(pair.lines[0], "id", pair.value)
                else:
                    drive.row(found, pair)
                continue
            if label in ("relative target port id", "phy identifier"):
                prefix = f"Port {pair.value}: " if label.startswith("relative") else f"{prefix}Phy {pair.value}: "
                mark_read(*pair.lines)
            else:
                keep(found, pair, prefix=prefix)


def read_log(controller: ControllerDraft, block: Block, number: int) -> None:
    """``getlogs``: keep an entry's lines as controller details under its title."""
    mark_read(*block.heads)
    for pair in block.pairs:
        keep(controller, pair, prefix=f"{block.sub or 'Log'} {number}: ")
