"""The dialogue with the tools of a machine.

Each installed tool is asked for everything in one call. Only where that fails, or where the PCI bus holds more cards
than all tools told of, it is asked for its list of cards and then for each card on its own: at most two calls for the
machine and one for each card. The tools cannot run twice at once; all calls share one lock.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct, field

from raidctl.host import HostView
from raidctl.model import Controller, Problem, Tool
from raidctl.request import Dialogue, Failure, Run, RunAnswer, ask, ask_all, together
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.tool_choice import Choice, best_sources
from raidctl.vendor.tools import Installed, as_note, odd_exit, printed, without_root
from raidctl_smartarray.collect import Collection, collect
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.grammar import slot_of_command
from raidctl_smartarray.messages import meaning
from raidctl_smartarray.outline import Outline
from raidctl_smartarray.reader import KIND, outlines, said_problems, unreadable
from raidctl_smartarray.to_model import build, controller_ids
from raidctl_smartarray.tools import DRIVERS

LOCK = "smartarray"
TIMEOUT = 120.0
"""Seconds for one call; a tool waits long for a drive that dies."""
ENVIRONMENT = (("INFOMGR_BYPASS_NONSA", "1"),)
"""Keeps the tools from querying every LUN of a storage network."""
EVERYTHING = ("ctrl", "all", "show", "config", "detail")
_FINAL = frozenset({"none", "busy", "denied", "missing"})
"""Errors that the next call would give again."""


class _Session(Struct):
    """One installed tool and what came of asking it."""

    tool: Tool
    command: str
    outlines: list[Outline] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    again: bool = False
    """Failures after which controllers are queried one by one."""
    failed: bool = False
    forgiven: set[str] = field(default_factory=set)
    """Commands whose failure does not matter: others report the same."""


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Read every controller of the family with the installed tools."""
    asked = [_Session(one.tool(), one.command) for one in found]
    yield from together([_ask_all_at_once(one) for one in asked])
    collections = [collect(one.outlines) for one in asked]
    seen = _best_sources(asked, collections)
    missing = _cards_on_bus(host) > len(seen)
    again = [one for one in asked if one.again or (missing and not one.failed)]
    if again:
        slots = {choice.card.chassis or choice.card.name for choice in seen}
        yield from together([_ask_one_by_one(one, slots) for one in again])
    collections = [collect(one.outlines) for one in asked]  # anew: choosing the best source has taken evidence away
    return _assemble(asked, collections, host)


def _run(one: _Session, *words: str) -> Run:
    return Run((one.command, *words), timeout=TIMEOUT, lock=LOCK, environment=ENVIRONMENT)


def _ask_all_at_once(one: _Session) -> Dialogue[None]:
    request = _run(one, *EVERYTHING)
    answer = yield from ask(request)
    _judge(one, request, answer)


def _ask_one_by_one(one: _Session, seen: set[str]) -> Dialogue[None]:
    """Query the list of controllers, then each one not seen yet."""
    request = _run(one, "ctrl", "all", "show")
    before = len(one.problems)
    answer = yield from ask(request)
    listed = _judge(one, request, answer)
    targets = []
    for section in listed.controllers if listed is not None else ():
        chassis = section.heading.parts.get("chassis")
        slot = section.heading.name
        if chassis is not None and chassis not in seen:
            targets.append(f"chassisname={chassis}")
        elif slot and slot not in seen and slot_of_command(f"slot={slot}") is not None:
            targets.append(f"slot={slot}")
    requests = [_run(one, "ctrl", target, "show", "config", "detail") for target in dict.fromkeys(targets)]
    answers = yield from ask_all(requests)
    for each, told in zip(requests, answers, strict=True):
        _judge(one, each, told)
    if requests and len(one.problems) == before and not one.failed:
        one.forgiven.add(" ".join(_run(one, *EVERYTHING).argv))


def _judge(one: _Session, request: Run, answer: RunAnswer) -> Outline | None:
    """Keep what a call printed, and say what was wrong with it; the outline of the text where there is one."""
    text = printed(request, answer, one.problems)
    if not text:
        one.again = answer.trouble in (None, Failure.TIMEOUT)
        one.failed = True
        return None
    [found] = outlines([Document(" ".join(request.argv), KIND, text)])
    one.outlines.append(found)
    codes = {
        meaning(item.text, wrapper=item.kind == "missing_tool").code
        for item in found.paragraphs
        if item.kind in ("error", "missing_tool")
    }
    named = any(section.line is not None for section in found.controllers)
    one.failed = not named
    one.again = not named and not codes & _FINAL and answer.trouble in (None, Failure.TIMEOUT)
    if named and not codes:
        one.problems += odd_exit(request, answer)
    return found


def _cards_on_bus(host: HostView) -> int:
    return sum(device.driver in DRIVERS for device in host.pci)


def _assemble(asked: Sequence[_Session], collections: Sequence[Collection], host: HostView) -> Observation:
    choices = _best_sources(asked, collections)
    ids = controller_ids([choice.card for choice in choices])
    names = _names(choices, ids)
    controllers: list[Controller] = []
    problems: list[Problem] = []
    satisfied = bool(choices) and len(choices) >= _cards_on_bus(host)
    for one, found in zip(asked, collections, strict=True):
        own = [*one.problems, *_said(found, names, host)]
        for item in found.outlines:
            own += unreadable(item)
        forgiven = satisfied and one.failed
        problems += [as_note(item) if forgiven or item.where in one.forgiven else item for item in own]
    for choice, object_id in zip(choices, ids, strict=True):
        controller, own = build(choice.card, object_id)
        controllers.append(msgspec.structs.replace(controller, told_by=choice.teller))
        problems += [*own, *choice.seen_twice(object_id)]
    return Observation(
        controllers=tuple(controllers),
        problems=tuple(dict.fromkeys(problems)),
        tools=tuple(one.tool for one in asked),
        outputs=tuple(item.sheet for found in collections for item in found.outlines),
    )


def _best_sources(asked: Sequence[_Session], collections: Sequence[Collection]) -> list[Choice[ControllerDraft]]:
    tellings = [
        (card, one.tool.name, "") for one, found in zip(asked, collections, strict=True) for card in found.cards
    ]
    return best_sources(tellings, _same)


def _same(one: ControllerDraft, _: str, other: ControllerDraft, __: str) -> bool:
    """Whether two tools report the same controller: same slot, no other serial. Serials alone may be masked."""
    serials = one.get("serial"), other.get("serial")
    slots = one.get("slot") or one.name, other.get("slot") or other.name
    if all(slots):
        return slots[0] == slots[1] and (serials[0] == serials[1] or not all(serials))
    return all(serials) and serials[0] == serials[1]


def _names(choices: Sequence[Choice[ControllerDraft]], ids: Sequence[str]) -> dict[int, str]:
    """Under which id the drafts of each tool are shown."""
    return {
        id(card): object_id
        for choice, object_id in zip(choices, ids, strict=True)
        for card in (choice.card, *choice.passed_over)
    }


def _said(found: Collection, names: dict[int, str], host: HostView) -> list[Problem]:
    """The tools' errors; a tool that finds no controller without root lacked permission."""
    return without_root(said_problems(found, names), host)
