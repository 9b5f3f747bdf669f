"""Commands about a volume or drive that left no output. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.model import Problem, hiding_problems
from raidctl.model.problem import names_another, program_of
from raidctl.select import items
from raidctl.verify.subjects import CheckedMachine, Subject

KERNEL = ("kernel", "/sys/", "/proc/")
"""Beginnings of commands whose output comes from the kernel."""


def lost_outputs(machine: CheckedMachine, subject: Subject, *, below: bool) -> Iterator[Problem]:
    """Yield the problems of commands and devices that could not be read, and on which a subject depends.

    ``below``: also those about the drives below a software array.
    """
    drives = [drive.device for _, drive in subject.drives] if below or not subject.software else []
    drives += [drive.device for drive in subject.members]
    mine = frozenset(node for node in (subject.item.device, *drives) if node)
    for problem in hiding_problems(machine.inventory.problems):
        program, *words = problem.where.split() or [""]
        if program.startswith("/dev/"):
            words.append(program)
        elif problem.severity == "info" or not words:
            continue  # the name of an object, a file or a resource
        nodes = {word for word in words if word.startswith("/dev/")}
        known = program_of(program) in _programs(machine, subject)
        ours = known and not _of_others(machine, subject, problem.where, nodes - mine)
        if ours or not nodes.isdisjoint(drives):
            yield problem


def _programs(machine: CheckedMachine, subject: Subject) -> set[str]:
    """The programs that report a subject, its controller or its battery."""
    controller = subject.controller
    names = (subject.id, controller.id, *(one.id for one in controller.batteries))
    commands = [fact.command for name in names for fact in machine.facts.get(name, ())]
    found = {program_of(command) for command in commands if not command.startswith(KERNEL)}
    return found | ({program_of(controller.told_by)} if controller.told_by else set())


def _of_others(machine: CheckedMachine, subject: Subject, command: str, nodes: set[str]) -> bool:
    """Whether a command names only the device of another object, or the number of another controller."""
    controllers = machine.inventory.controllers
    if nodes and any(getattr(item, "device", None) in nodes for one in controllers for item in items(one)):
        return True
    same_tool = (one.id for one in controllers if one.told_by == subject.controller.told_by)
    return names_another(command, subject.controller.id, same_tool)
