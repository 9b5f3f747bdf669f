"""Commands sent to a controller, as a dialogue of questions and answers."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from raidctl_mfi import commands as c
from raidctl_mfi.frame import Answer, Question
from raidctl_mfi.layout import elements
from raidctl_mfi.structures import CONFIG_HEADER, LD_ENTRY, LD_LIST, PD_ADDRESS, PD_LIST_HEADER

T = TypeVar("T")
Dialogue = Generator[Question, Answer, T]

MAX_CONFIG = 64 * 1024
"""Largest configuration that is requested, in bytes. That of 64 arrays of 32 drives is smaller."""
_DISK = 0
"""SCSI device type of a drive. Enclosures (0x0d) are in the same list."""


@dataclass
class Answers:
    """All replies of a controller. None for a command that was not sent because an earlier one failed."""

    info: Answer | None = None
    properties: Answer | None = None
    ld_list: Answer | None = None
    pd_list: Answer | None = None
    config: Answer | None = None
    battery: Answer | None = None
    battery_properties: Answer | None = None
    ld_info: dict[int, Answer] = field(default_factory=dict)
    ld_prop: dict[int, Answer] = field(default_factory=dict)
    pd_info: dict[int, Answer] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)
    """All of them, in the order of the commands."""


class Unreachable(Exception):
    """A command did not reach the firmware, so no further one will."""


def run_dialogue(dialogue: Dialogue[T], ask: Callable[[Question], Answer]) -> T:
    """Run a dialogue: pass each question to ``ask``, and return the result."""
    try:
        question = next(dialogue)
        while True:
            question = dialogue.send(ask(question))
    except StopIteration as end:
        result: T = end.value
        return result


def read_controller() -> Dialogue[Answers]:
    """Read everything. Ends early, with what was read so far, if the firmware cannot be reached."""
    found = Answers()
    with suppress(Unreachable):
        yield from _query_all(found)
    return found


def _query_all(found: Answers) -> Dialogue[None]:
    found.info = yield from _query(found, Question(c.CTRL_GET_INFO))
    found.properties = yield from _query(found, Question(c.CTRL_GET_PROPERTIES))
    found.ld_list = yield from _query(found, Question(c.LD_GET_LIST))
    found.pd_list = yield from _query(found, Question(c.PD_GET_LIST))
    found.config = yield from _config(found)
    for target in targets(found.ld_list):
        found.ld_info[target] = yield from _query(found, Question(c.LD_GET_INFO, bytes([target])))
        found.ld_prop[target] = yield from _query(found, ld_prop(target))
    for device in disks(found.pd_list):
        found.pd_info[device] = yield from _query(found, Question(c.PD_GET_INFO, device.to_bytes(2, "little")))
    found.battery = yield from _query(found, Question(c.BBU_GET_STATUS))
    if found.battery.has_data:
        found.battery_properties = yield from _query(found, Question(c.BBU_GET_PROP))


def ld_prop(target: int) -> Question:
    """The question for the properties of a volume."""
    return Question(c.LD_GET_PROP, bytes([target]))


def _query(found: Answers, question: Question) -> Dialogue[Answer]:
    answer = yield question
    found.answers.append(answer)
    if answer.status is None:
        raise Unreachable
    return answer


def _config(found: Answers) -> Dialogue[Answer]:
    """Read the configuration. If the first buffer was too small, read it again with a larger one."""
    first = yield from _query(found, Question(c.CFG_READ))
    size = CONFIG_HEADER.decode(first.data)["size"]
    if first.ok and size is not None and first.question.length < size <= MAX_CONFIG:
        return (yield from _query(found, Question(c.CFG_READ, size=size)))
    return first


def targets(answer: Answer | None) -> list[int]:
    """The target ids in a list of volumes, each once, in order."""
    if answer is None or not answer.has_data:
        return []
    count = LD_LIST.decode(answer.data)["count"] or 0
    start = LD_LIST.offset("entries")
    return sorted({entry["ld"]["target_id"] for entry in elements(LD_ENTRY, answer.data, start, min(count, 64))})


def disks(answer: Answer | None) -> list[int]:
    """Return the drives' device ids in a physical device list, each once."""
    if answer is None or not answer.has_data:
        return []
    count = PD_LIST_HEADER.decode(answer.data)["count"] or 0
    found = elements(PD_ADDRESS, answer.data, PD_LIST_HEADER.size, min(count, 256))
    return sorted({entry["device_id"] for entry in found if entry["scsi_type"] == _DISK})
