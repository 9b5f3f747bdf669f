"""A plan under construction, of settings that a tool's commands change. Pure.

A vendor package decides which of its tool's settings a desired setting needs, and which commands set them. The handling
of current values, and of the order of changes, is the same for all.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from raidctl.model import Controller
from raidctl.text import regex
from raidctl.vendor.plan import Action, Desired, Plan, Refusal, RefusalKind, Step, ToolSetting

_SPLIT = regex(r"(\d{1,3})/(\d{1,3})", re.ASCII)
_SHARES = "It reallocates the cache of every volume on the controller."


class CannotError(Exception):
    """A desired setting that is not possible."""

    def __init__(self, reason: str, kind: RefusalKind = "unsupported", alternative: str | None = None) -> None:
        """Store the reason, a sentence, and the nearest alternative."""
        super().__init__(reason)
        self.reason = reason
        self.kind = kind
        self.alternative = alternative


@dataclass
class Planner(ABC):
    """A controller, its current settings, and the steps so far."""

    controller: Controller
    command: str | None
    """The tool that reported the controller; None if it is not installed."""
    current: Mapping[ToolSetting, str]
    """The current values, as the tool reported them."""
    steps: list[Step] = field(default_factory=list)
    already: list[Desired] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    changed: dict[ToolSetting, str] = field(default_factory=dict)
    """The values after the steps so far."""
    covered: bool = False
    """Whether the steps of another desired setting cover the present one."""

    order: ClassVar[Mapping[tuple[str, str], int]] = {}
    """The order of settings and values, lowest first. All that are missing have 0."""
    ratio: ClassVar[str] = ""
    """The setting that splits the controller's cache between reads and writes."""

    @abstractmethod
    def add(self, desired: Desired) -> None:
        """Add what a desired setting needs.

        Raises:
            CannotError: It is impossible; none of its steps is kept.
        """

    @abstractmethod
    def action(self, setting: ToolSetting, wanted: str) -> Action:
        """The command that sets a setting."""

    def conflicts(self, requests: Sequence[Desired]) -> Iterable[Refusal]:  # noqa: ARG002 - for families that have some
        """Desired settings that exclude each other."""
        return ()

    def position(self, step: Step) -> int:
        """The position of a step in the order, lowest first."""
        return self.order.get((step.setting, step.after), 0)

    def restorable(self, name: str, before: str) -> bool:  # noqa: ARG002 - used by families whose tools lack a word
        """Whether the tool has a command that restores a value."""
        return True

    def plan(self, requests: Sequence[Desired]) -> Plan:
        """The plan for desired settings, its steps in order."""
        for desired in requests:
            self._take(desired)
        self.refusals += self.conflicts(requests)
        return Plan(
            desired=tuple(requests),
            steps=tuple(sorted(self.steps, key=self.position)),
            already=tuple(self.already),
            refusals=tuple(self.refusals),
        )

    def _take(self, desired: Desired) -> None:
        """Add a desired setting entirely, or refuse it."""
        steps, changed = list(self.steps), dict(self.changed)
        count = len(self.already) + len(self.refusals)
        self.covered = False
        try:
            self.add(desired)
        except CannotError as error:
            self.steps, self.changed = steps, changed
            self.refuse(desired, error.kind, error.reason, error.alternative)
        if self.steps == steps and len(self.already) + len(self.refusals) == count and not self.covered:
            self.already.append(desired)

    def refuse(self, desired: Desired, kind: RefusalKind, reason: str, alternative: str | None = None) -> None:
        """Refuse a desired setting."""
        self.refusals.append(Refusal(desired=desired, kind=kind, reason=reason, alternative=alternative))

    def split(self, desired: Desired) -> None:
        """Set the cache ratio. The firmware's reply shows whether it accepts it: none while no volume is cached."""
        match = _SPLIT.fullmatch(desired.value)
        if match is None or int(match[1]) + int(match[2]) != 100:
            raise CannotError(f"A split is READ/WRITE in percent and adds up to 100, not {desired.value}.")
        self.set((self.controller.id, self.ratio), f"{int(match[1])}/{int(match[2])}", _SHARES)

    def set(self, setting: ToolSetting, wanted: str, *affects: str) -> None:
        """Add the step that sets a setting, unless it has that value.

        Raises:
            CannotError: The current value is unknown or cannot be restored, or another desired setting needs another.
        """
        name, before = setting[1], self.current.get(setting)
        if self.changed.get(setting, before) == wanted:
            self.covered = self.covered or setting in self.changed
            return
        if setting in self.changed:
            raise CannotError(f"Another requested setting sets {name} to {self.changed[setting]}.")
        if before is None:
            reason = f"The tool does not report how {name} is set, so the change could not be undone."
            shown = "The tool shows no split until a volume uses the cache." if name == self.ratio else None
            raise CannotError(reason, "unknown", shown)
        if not self.restorable(name, before):
            raise CannotError(f"{name} is {before}, and the tool has no command to restore that value.")
        self.changed[setting] = wanted
        self.steps.append(
            Step(
                object_id=setting[0],
                setting=name,
                before=before,
                after=wanted,
                action=self.action(setting, wanted),
                undo=self.action(setting, before),
                affects=affects,
                persistent=True,
            )
        )


def divided(requests: Sequence[Desired]) -> Iterator[Refusal]:
    """Refuse both kinds of write-back together. One setting of the controller decides for all volumes."""
    policies = {desired.value for desired in requests if desired.setting == "write_policy"}
    if {"protected_write_back", "unprotected_write_back"} <= policies:
        reason = "The no-battery write cache acts on all volumes: one cannot be protected and another one unprotected."
        for desired in requests:
            if (desired.setting, desired.value) == ("write_policy", "unprotected_write_back"):
                yield Refusal(desired=desired, kind="unsupported", reason=reason)
