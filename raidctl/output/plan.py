"""The text of a plan: commands, side effects, how steps are undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from raidctl.output.sentences import Line, Sentence, Verbatim, fitted, room
from raidctl.text import printable
from raidctl.vendor.plan import Desired, Plan, Step, point_of_no_return
from raidctl.vendor.setting_values import LABELS, spelt

_LASTS = {
    True: "survives a reboot",
    False: "lasts until the next reboot",
    None: "whether it survives a reboot depends on the hardware",
}


def plan_text(plan: Plan, notes: Sequence[str], columns: int, options: str) -> str:
    """The whole plan, with warnings. Each command comes with what it changes and how it is undone.

    ``options`` select the machine, for commands of raidctl: ``--host db7``.
    """
    warnings = (Sentence(f"Warning: {note}") for note in notes)
    return fitted(chain(_lines(plan, room(columns)), warnings), columns, options)


def printable_lines(lines: Iterable[str]) -> str:
    """Lines made safe for a terminal."""
    return "".join(f"{printable(line)}\n" for line in lines)


def _lines(plan: Plan, width: int) -> Iterator[Line]:
    refused = {refusal.desired for refusal in plan.refusals}
    for desired in plan.already:
        if desired not in refused:
            yield Sentence(f"No change needed: {_desired(desired)}.")
    for refusal in plan.refusals:
        yield Sentence(
            f"{_WORDS[refusal.kind]}: {_desired(refusal.desired)}: {_about(refusal.desired.object_id, refusal.reason)}"
        )
        if refusal.alternative:
            yield Sentence(f"instead: {refusal.alternative}", indent=5)
    if plan.refusals:
        part = len(plan.refusals) < len(plan.desired)
        yield Sentence(f"No change made{': one of the settings was refused' if part else ''}.")
        if plan.steps:
            overridable = all(refusal.kind in _OVERRIDDEN for refusal in plan.refusals)
            what = "With --unsafe REASON" if overridable else "Without what was refused"
            yield Sentence(f"{what}, raidctl would run these commands. They are NOT run:")
    for denial in plan.denials:
        guard = f" (guard {denial.guard})" if denial.guard else ""
        name = denial.deed.drive or denial.deed.object_id
        deed = f"{denial.deed.verb.replace('_', ' ')} {name}"
        yield Sentence(f"Refused{guard}: {deed}: {_about(name, denial.reason)}")
        if denial.alternative:
            yield Sentence(f"instead: {denial.alternative}", indent=5)
    if plan.denials and not plan.refusals:
        yield Sentence("Nothing was done.")
    not_run = bool(plan.refusals or plan.denials)
    line = None if not_run else point_of_no_return(plan.steps)
    for number, step in enumerate(plan.steps, 1):
        if number - 1 == line:
            yield Sentence("---- From here on nothing is undone automatically. ----", hang=0)
        yield from _step(f"{number}. {'not run: ' if not_run else ''}", step, width)


def step_text(step: Step) -> str:
    """A short description of a step, for plan and journal."""
    change = " -> ".join(filter(None, (step.before, step.after)))
    what = f"{step.setting} of" if step.kind == "setting" else step.setting.replace("_", " ")
    return f"{what} {step.object_id}{f': {change}' if change else ''}"


def _deed(number: str, step: Step) -> Iterator[Line]:
    """A deed, a manual step, or a wait."""
    if step.action.empty:
        yield Sentence(f"{number}{step.hand or f'Wait for: {step_text(step)}'}")
    else:
        yield Verbatim(f"{number}{step.action}")
        yield Sentence(step_text(step), indent=5)
    for sentence in step.affects:
        yield Sentence(f"also: {sentence}", indent=5)
    if step.saves:
        yield Sentence(f"saved first: {', '.join(one.name for one in step.saves)}", indent=5)
    if step.no_way_back:
        yield Sentence(f"not undone: {step.no_way_back}", indent=5)
    elif not step.undo.empty:
        yield Verbatim(f"undo: {step.undo}", indent=5)


def _step(number: str, step: Step, width: int) -> Iterator[Line]:
    if step.kind != "setting":
        yield from _deed(number, step)
        return
    yield Verbatim(f"{number}{step.action}")
    change = f"{step.setting} of {step.object_id}: {step.before} -> {step.after}"
    lasts = _LASTS[step.persistent]
    parts = [f"{change}; {lasts}"] if 5 + len(change) + 2 + len(lasts) <= width else [change, lasts]
    yield from (Sentence(part, indent=5) for part in parts)
    for sentence in step.affects:
        yield Sentence(f"also: {sentence}", indent=5)
    yield Verbatim(f"undo: {step.undo}", indent=5)


_WORDS = {
    "unsafe": "Unsafe", "unsupported": "Not possible", "unknown": "Not known", "not_in_force": "Not active",
    "no_tool": "Not possible yet",
}  # fmt: skip

_OVERRIDDEN = ("unsafe", "not_in_force")
"""Refusals that --unsafe overrides."""


def _about(name: str, reason: str) -> str:
    """A reason that follows an object's name, without a repetition of the name."""
    return f"It {reason[len(name) + 1 :]}" if reason.startswith(f"{name} ") else reason


def _desired(desired: Desired) -> str:
    return f"{LABELS[desired.setting]} {spelt(desired.value)} of {desired.object_id}"
