"""The dialogue with storcli and its relatives.

One call reports all controllers and what is on them. Then the volumes' properties, the drives' own pages and the
battery are asked for side by side, each only if the first call has shown one. If the first call fails because of one
controller (``Illegal instruction``, no end), each controller is asked separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from raidctl.model import Problem
from raidctl.request import Dialogue, Failure
from raidctl.vendor.draft import WEAK
from raidctl.vendor.session import Call
from raidctl.vendor.tools import as_note
from raidctl_megaraid.collect.tool_call import Source, one_by_one, problems_to_notes
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.tools import OUTPUT_WORDS

if TYPE_CHECKING:
    from raidctl_megaraid.read_document import ReadDocument

_ALL = ("show", "all")
_MAX_CONTROLLERS = 16
"""Controllers to try one by one if their number is unknown."""

Chooser = Callable[[ControllerDraft], bool]


def query_storcli(one: Source, expected: int) -> Dialogue[None]:
    """Query everything. ``expected``: the tool's controllers on the PCI bus, 0 if unknown."""
    [first] = yield from one.run(_line("/call", *_ALL))
    numbers = [controller.name for controller in one.seen]
    alone = not first.whole and first.answer.code != 127
    if alone:
        numbers = yield from _query_each(one, first, expected)
    if not numbers:
        return
    lines = list(_more(one, [controller for controller in one.seen if controller.name in numbers], alone=alone))
    made = yield from one.run(*lines)
    for call in made:
        if "patrolread" in call.request.argv:
            problems_to_notes(call)
        elif call.answer.trouble is Failure.UNRECORDED and _later(call.request.argv[1:]):
            call.problems = [as_note(problem) for problem in call.problems]  # recordings of earlier versions
    if not alone:
        yield from _again(one, made, numbers)
    yield from _checks(one, numbers)
    if any(not call.whole and "sall" in call.request.argv[1] for call in made):
        for drive in (drive for controller in one.seen for drive in controller.drives.values()):
            drive.override("page_lost", value=True, weight=WEAK)


def _checks(one: Source, numbers: Sequence[str]) -> Dialogue[None]:
    """Query the progress of each running consistency check.

    The output shows whether it is paused, and how long it takes.
    """
    busy = [
        (controller.name, name)
        for controller in one.seen if controller.name in numbers
        for name, volume in controller.volumes.items() if volume.get("progress.operation") == "check"
    ]  # fmt: skip
    made = yield from one.run(*(_line(f"/c{number}/v{name}", "show", "cc") for number, name in busy))
    for call in made:
        if call.answer.trouble is Failure.UNRECORDED:  # recordings of earlier versions
            call.problems = [as_note(problem) for problem in call.problems]


def _line(*words: str) -> tuple[str, ...]:
    return (*words, *OUTPUT_WORDS)


def _query_each(one: Source, first: Call[ReadDocument], expected: int) -> Dialogue[list[str]]:
    """Each controller by its own number; the numbers of those that answer."""
    if first.answer.trouble is not None and not first.hangs:
        return []
    [listed] = yield from one.run(_line("show"))
    numbers = [controller.name for controller in one.seen if controller.name]
    if not listed.whole:
        numbers = numbers or [str(number) for number in range(min(max(expected, 1), _MAX_CONTROLLERS))]
    if not numbers:
        return []
    made = yield from one.run(*(_line(f"/c{number}", *_ALL) for number in numbers))
    good = [number for number, call in zip(numbers, made, strict=True) if call.whole]
    for number, call in zip(numbers, made, strict=True):
        if not call.whole:
            call.problems = [_silent_controller(number, call)]
    if good:
        first.problems = [one_by_one(first)]
        listed.problems = [as_note(problem) for problem in listed.problems]
    return good


def _silent_controller(number: str, call: Call[ReadDocument]) -> Problem:
    return Problem(
        severity="error", kind="unread", where=call.command,
        message=f"Controller {number} cannot be shown in full: {call.why}.",
        remedy="Use a newer or an older version of the tool for this controller; the other controllers are shown.",
    )  # fmt: skip


def _more(one: Source, controllers: Sequence[ControllerDraft], *, alone: bool) -> Iterator[tuple[str, ...]]:
    """The calls for what the first one did not show."""
    whole = len(controllers) == len(one.seen) and not alone
    for path, words, wanted in _PARTS:
        if one.kind == "storcli2" and (path, words, wanted) in _LATER:
            continue
        named = [controller.name for controller in controllers if wanted(controller)]
        everywhere = whole and len(named) == len(controllers)
        # one call for all controllers if it fits all: on a controller without volumes it fails
        targets = ["/call"] if named and everywhere else [f"/c{name}" for name in named]
        for target in targets:
            yield _line(f"{target}{path}", *words)


def _again(one: Source, made: Sequence[Call[ReadDocument]], numbers: Sequence[str]) -> Dialogue[None]:
    """Repeat a failed later call for all controllers, one controller at a time."""
    broken = [call for call in made if not call.whole and call.request.argv[1].startswith("/call")]
    if len(numbers) < 2 or not broken:
        return
    for call in broken:
        path, words = call.request.argv[1][len("/call") :], call.request.argv[2:]
        tried = yield from one.run(*((f"/c{number}{path}", *words) for number in numbers))
        if any(other.whole for other in tried):
            call.problems = [one_by_one(call)]


def _enclosed(controller: ControllerDraft) -> bool:
    return any(not key.startswith(":") for key in controller.drives)


def _loose(controller: ControllerDraft) -> bool:
    return any(key.startswith(":") for key in controller.drives)


def _drive_is(controller: ControllerDraft, *words: str) -> bool:
    """Whether the state of a drive begins with one of the words.

    Examples are ``Rbld``, and of version 8 ``Conf, Rebuild``.
    """
    states = [(drive.get("status_text") or "").lower() for drive in controller.drives.values()]
    return any(part.strip().startswith(words) for state in states for part in state.split(","))


def _rebuilding(controller: ControllerDraft) -> bool:
    return _drive_is(controller, "rbld", "rebuild")


def _copying(controller: ControllerDraft) -> bool:
    return _drive_is(controller, "cpybck", "copyback", "cpbck")


def _has(*names: str) -> Chooser:
    return lambda controller: any(name.startswith(names) for name in controller.batteries)


def _unclear(controller: ControllerDraft) -> bool:
    """Whether a battery is present without a table in the first output."""
    return not controller.batteries and bool(controller.get("bbu_present"))


def _bad_energy_pack(controller: ControllerDraft) -> bool:
    """``/cx/ep show all`` adds the reason why an energy pack is not optimal."""
    return any(
        name.startswith("energypack") and battery.get("status") != "ok"
        for name, battery in controller.batteries.items()
    )


def _foreign(controller: ControllerDraft) -> bool:
    """Whether drives are foreign, and no output has listed their configurations."""
    drives = any(drive.get("foreign") for drive in controller.drives.values())
    return bool(controller.get("foreign") or drives) and not controller.get("foreign_groups")


def _preserved(controller: ControllerDraft) -> bool:
    """Whether the cache holds preserved data of volumes not yet listed."""
    return bool(controller.get("cache.preserved_data")) and not controller.get("preserved_of")


_LATER: tuple[tuple[str, tuple[str, ...], Chooser], ...] = (
    ("/fall", _ALL, _foreign),
    ("", ("show", "preservedcache"), _preserved),
    ("", ("show", "patrolread"), lambda controller: bool(controller.volumes)),
    ("/eall/sall", ("show", "copyback"), _copying),
)
"""Queries for storcli 7 only; no source shows them for version 8."""


def _later(words: Sequence[str]) -> bool:
    return words[0].endswith("/fall") or not {"preservedcache", "patrolread", "copyback"}.isdisjoint(words)


_PARTS: tuple[tuple[str, tuple[str, ...], Chooser], ...] = (
    ("/vall", _ALL, lambda controller: bool(controller.volumes)),
    ("/eall/sall", _ALL, _enclosed),
    ("/sall", _ALL, _loose),
    ("/bbu", _ALL, lambda controller: _has("bbu")(controller) or _unclear(controller)),
    ("/cv", _ALL, _has("cachevault")),
    ("/ep", _ALL, _bad_energy_pack),
    ("/eall/sall", ("show", "rebuild"), _rebuilding),
    *_LATER,
)
"""The rest of the path, the words, and the controller."""
