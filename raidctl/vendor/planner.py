"""A plan in the making, for families whose cards have one protection and one split for all of their volumes. Pure.

A vendor package says which knob of its tool a wish turns, and with which command; what follows from a knob's stand, and
from the order in which knobs may be turned, is the same for all of them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from raidctl.model import Controller
from raidctl.vendor.plan import Action, Desired, Plan, Refusal, RefusalKind, Step, ToolSetting

_SPLIT = re.compile(r"(\d{1,3})/(\d{1,3})", re.ASCII)
_SHARES = "It reallocates the cache of every volume on the controller."


@dataclass
class Planner(ABC):
    """What is known of a controller, and the plan as far as it is made."""

    controller: Controller
    command: str | None
    """The program that has told of the controller; None where it is not there."""
    current: Mapping[ToolSetting, str]
    """How the knobs stand now, as the tool told them."""
    steps: list[Step] = field(default_factory=list)
    already: list[Desired] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    turned: dict[ToolSetting, str] = field(default_factory=dict)

    order: ClassVar[Mapping[tuple[str, str], int]]
    """When a knob is turned to a value: first the lowest; 0 for all that are not named."""
    ratio: ClassVar[str]
    """The knob that splits the controller's cache between reads and writes."""

    @abstractmethod
    def add(self, wish: Desired) -> None:
        """Add what a wish needs."""

    @abstractmethod
    def action(self, knob: ToolSetting, wanted: str) -> Action:
        """The command that turns a knob."""

    def plan(self, wishes: Sequence[Desired]) -> Plan:
        """What has come together for these wishes, its steps in order."""
        return Plan(
            wishes=tuple(wishes),
            steps=tuple(sorted(self.steps, key=lambda step: self.order.get((step.knob, step.after), 0))),
            already=tuple(self.already),
            refusals=tuple(self.refusals),
        )

    def refuse(self, wish: Desired, kind: RefusalKind, reason: str, alternative: str | None = None) -> None:
        """A wish that cannot be fulfilled."""
        self.refusals.append(Refusal(wish=wish, kind=kind, reason=reason, alternative=alternative))

    def split(self, wish: Desired) -> None:
        """Which shares a firmware takes, only its answer tells; none of them does while no volume uses the cache."""
        match = _SPLIT.fullmatch(wish.value)
        if match is None or int(match[1]) + int(match[2]) != 100:
            self.refuse(wish, "unsupported", f"A split is READ/WRITE in percent and adds up to 100, not {wish.value}.")
        else:
            self.set(wish, (self.controller.id, self.ratio), f"{int(match[1])}/{int(match[2])}", _SHARES)

    def set(self, wish: Desired, knob: ToolSetting, wanted: str, *affects: str) -> None:
        """A step, unless the knob stands so; a refusal where its stand is not told and it could not be put back."""
        before = self.turned.get(knob, self.current.get(knob))
        if before == wanted:
            return
        if before is None:
            reason = f"The tool does not tell how {knob[1]} is set, so the change could not be undone."
            alternative = "The tool shows no split until a volume uses the cache." if knob[1] == self.ratio else None
            self.refuse(wish, "unknown", reason, alternative)
            return
        self.turned[knob] = wanted
        self.steps.append(
            Step(
                object_id=knob[0],
                knob=knob[1],
                before=before,
                after=wanted,
                action=self.action(knob, wanted),
                undo=self.action(knob, before),
                affects=affects,
                persistent=True,
            )
        )


def divided(wishes: Sequence[Desired]) -> Iterator[Refusal]:
    """Two volumes cannot differ in whether they are cached without a battery: there is one switch for all."""
    policies = {wish.value for wish in wishes if wish.setting == "write_policy"}
    if {"protected_write_back", "unprotected_write_back"} <= policies:
        reason = "The no-battery write cache acts on all volumes: one cannot be protected and another one unprotected."
        for wish in wishes:
            if (wish.setting, wish.value) == ("write_policy", "unprotected_write_back"):
                yield Refusal(wish=wish, kind="unsupported", reason=reason)
