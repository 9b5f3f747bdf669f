"""A plan for people, before anything happens: the exact commands, what else they touch, and how each is undone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from raidctl.text import printable
from raidctl.vendor.plan import Desired, Plan, Step
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
    for wish in plan.already:
        yield f"Already so: {_wish(wish)}."
    for refusal in plan.refusals:
        yield from _wrapped(f"{_WORDS[refusal.kind]}: {_wish(refusal.wish)}: {refusal.reason}")
        if refusal.alternative:
            yield from _wrapped(f"     instead: {refusal.alternative}")
    if plan.refusals:
        part = len(plan.refusals) < len(plan.wishes)
        yield f"Nothing is run{', because a part of it is refused' if part else ''}."
        if plan.steps:
            overridable = all(refusal.kind in _OVERRIDDEN for refusal in plan.refusals)
            what = "With --unsafe REASON" if overridable else "Without that"
            yield f"{what} it would be these commands; they are NOT run:"
    for number, step in enumerate(plan.steps, 1):
        yield from _step(f"{number}. {'not run: ' if plan.refusals else ''}", step)


def _step(number: str, step: Step) -> Iterator[str]:
    yield f"{number}{step.action}"
    turn = f"     {step.knob} of {step.object_id}: {step.before} -> {step.after}"
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


def _wish(wish: Desired) -> str:
    return f"{LABELS[wish.setting]} of {wish.object_id} {wish.value.replace('_', '-')}"
