"""A plan for people, before anything happens: the exact commands, what else they touch, and how each is undone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from raidctl.text import printable
from raidctl.vendor.plan import Desired, Plan, Step, point_of_no_return
from raidctl.vendor.setting_values import LABELS

_WIDTH = 79
_LASTS = {
    True: "survives a reboot",
    False: "lasts until the next reboot",
    None: "whether it survives a reboot depends on the hardware",
}


def plan_text(plan: Plan, notes: Sequence[str] = ()) -> str:
    """The whole plan: the commands as they are run, each with what it changes and how it is undone; and warnings."""
    return printable_lines(chain(_lines(plan), *(_wrapped(f"Warning: {note}") for note in notes)))


def printable_lines(lines: Iterable[str]) -> str:
    """Lines made safe for a terminal."""
    return "".join(f"{printable(line)}\n" for line in lines)


def _lines(plan: Plan) -> Iterator[str]:
    refused = {refusal.desired for refusal in plan.refusals}
    for desired in plan.already:
        if desired not in refused:
            yield f"No change needed: {_desired(desired)}."
    for refusal in plan.refusals:
        yield from _wrapped(f"{_WORDS[refusal.kind]}: {_desired(refusal.desired)}: {refusal.reason}")
        if refusal.alternative:
            yield from _wrapped(f"     instead: {refusal.alternative}")
    if plan.refusals:
        part = len(plan.refusals) < len(plan.desired)
        yield f"No change made{': one of the settings was refused' if part else ''}."
        if plan.steps:
            overridable = all(refusal.kind in _OVERRIDDEN for refusal in plan.refusals)
            what = "With --unsafe REASON" if overridable else "Without that"
            yield f"{what} it would be these commands; they are NOT run:"
    for denial in plan.denials:
        guard = f" (guard {denial.guard})" if denial.guard else ""
        deed = f"{denial.deed.verb.replace('_', ' ')} of {denial.deed.drive or denial.deed.object_id}"
        yield from _wrapped(f"Refused{guard}: {deed}: {denial.reason}")
        if denial.alternative:
            yield from _wrapped(f"     instead: {denial.alternative}")
    if plan.denials and not plan.refusals:
        yield "Nothing is done."
    line = point_of_no_return(plan.steps)
    for number, step in enumerate(plan.steps, 1):
        if number - 1 == line:
            yield "---- From here on nothing is undone automatically. ----"
        yield from _step(f"{number}. {'not run: ' if plan.refusals or plan.denials else ''}", step)


def step_text(step: Step) -> str:
    """A step in a few words, as the plan and the journal name it."""
    change = f": {step.before} -> {step.after}" if step.before or step.after else ""
    return f"{step.setting.replace('_', ' ') if step.kind != 'setting' else step.setting} of {step.object_id}{change}"


def _deed(number: str, step: Step) -> Iterator[str]:
    """A deed, what a person does, or a wait."""
    if step.action.empty:
        yield from _wrapped(f"{number}{step.hand or f'Wait for: {step_text(step)}'}")
    else:
        yield f"{number}{step.action}"
        yield from _wrapped(f"     {step_text(step)}")
    for sentence in step.affects:
        yield from _wrapped(f"     also: {sentence}")
    if step.saves:
        yield from _wrapped(f"     kept first: {', '.join(one.name for one in step.saves)}")
    if step.no_way_back:
        yield from _wrapped(f"     not undone: {step.no_way_back}")
    elif not step.undo.empty:
        yield f"     undo: {step.undo}"


def _step(number: str, step: Step) -> Iterator[str]:
    if step.kind != "setting":
        yield from _deed(number, step)
        return
    yield f"{number}{step.action}"
    turn = f"     {step.setting} of {step.object_id}: {step.before} -> {step.after}"
    lasts = _LASTS[step.persistent]
    if len(turn) + len(lasts) + 2 > _WIDTH:
        yield turn
        yield f"     {lasts}"
    else:
        yield f"{turn}; {lasts}"
    for sentence in step.affects:
        yield from _wrapped(f"     also: {sentence}")
    yield f"     undo: {step.undo}"


_WORDS = {
    "unsafe": "Unsafe", "unsupported": "Not possible", "unknown": "Not known", "not_in_force": "Not active",
    "no_tool": "Not possible yet",
}  # fmt: skip

_OVERRIDDEN = ("unsafe", "not_in_force")
"""Refusals that --unsafe overrides."""


def _wrapped(text: str) -> list[str]:
    """A sentence in lines of 80 columns; commands are never wrapped, so that they can be copied."""
    return textwrap.wrap(
        printable(text), _WIDTH, subsequent_indent="     ", break_long_words=False, break_on_hyphens=False
    )


def _desired(desired: Desired) -> str:
    return f"{LABELS[desired.setting]} of {desired.object_id} {desired.value.replace('_', '-')}"
