"""Deeds with drives and controllers: from command line to guarded plan."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.change.confirmation import MIN_CHARACTERS, mismatch
from raidctl.change.deed_plans import plan_deeds
from raidctl.cli.shared.apply_deeds import perform_deeds
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent, Declined, Work, typed_answer
from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import EXIT_FINE, CannotTell, UsageError
from raidctl.operate.abilities import refused_deeds
from raidctl.output.terminal import is_terminal
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Denial, Plan, Step

DeedMaker = Callable[[Survey], Sequence[Deed]]
Guards = Callable[[Deed, Survey, Machine], Sequence[Denial]]
"""A function that returns reasons to refuse a deed now. It may read more from the machine."""


RENAMED = "The names on the command line belong to other objects now."
"""The reason to refuse a step that belongs to none of the deeds of this command."""


class HardwareDeeds(Struct):
    """One command's deeds, their guards, and what has to be typed."""

    settings: Settings
    consent: Consent
    make: DeedMaker
    guards: Guards
    confirmed: Callable[[Work], None] = lambda _: None
    hits: Callable[[Deed, Survey], Sequence[str]] = lambda _deed, _seen: ()
    """What a deed acts on, one sentence for each object. The plan lists it."""
    facts: Callable[[Survey], Mapping[str, str]] | None = None
    """Facts that the journal keeps with the operation."""
    machine: Machine | None = None
    empty: list[str] = field(default_factory=list)
    """Objects that need nothing."""

    def perform(self) -> int:
        """Plan the deeds, ask, carry them out and verify. Return the exit code."""
        code = perform_deeds(
            self.settings, self.consent, self.plan, self.guard, opened=self.opened, confirmed=self.confirmed,
            facts=self.facts,
        )  # fmt: skip
        if code == EXIT_FINE and self.empty and not self.settings.as_json:
            emit_message(f"No change needed: {', '.join(self.empty)}.")
        return code

    def opened(self, machine: Machine) -> None:
        """Take the machine, as soon as it can be read."""
        self.machine = machine

    def plan(self, seen: Survey) -> Plan:
        """Return the plan with its refusals."""
        vendors = self.machine.vendors if self.machine is not None else ()
        deeds = list(self.make(seen))
        unable = refused_deeds(deeds, seen, vendors)
        if unable:
            return Plan(deeds=tuple(deeds), denials=tuple(unable))
        made = plan_deeds(seen, vendors, deeds, self._denials, unsafe=self.consent.unsafe is not None)
        made = replace(made, steps=tuple(self._with_hits(step, deeds, seen) for step in made.steps))
        self.empty = [] if made.steps or made.denials else [deed.drive or deed.object_id for deed in deeds]
        return made

    def _with_hits(self, step: Step, deeds: Sequence[Deed], seen: Survey) -> Step:
        more = [text for deed in deeds if is_of(step, deed) for text in self.hits(deed, seen)]
        return replace(step, affects=tuple(dict.fromkeys((*step.affects, *more))))

    def _denials(self, deed: Deed, seen: Survey) -> Sequence[Denial]:
        return self.guards(deed, seen, self.machine) if self.machine is not None else ()

    def guard(self, step: Step, seen: Survey) -> Sequence[str]:
        """Check again, right before the step."""
        if step.kind != "deed":
            return ()
        lifted = self.consent.unsafe is not None
        mine = [deed for deed in self.make(seen) if is_of(step, deed)]
        if not mine:
            return [RENAMED]
        found = [one for deed in mine for one in self._denials(deed, seen)]
        return [one.reason for one in found if not (lifted and one.overridable)]


def is_of(step: Step, deed: Deed) -> bool:
    """Whether a step belongs to a deed. The objects that both name decide it."""
    return (deed.drive or deed.object_id) in {step.object_id, *(one.object_id for one in step.subjects)}


def confirm(work: Work, unique: str, others: Collection[str], typed: Sequence[str], what: str) -> None:
    """Ask for the end of an identity, unless ``--confirm`` gives it. ``--yes`` is not enough.

    Args:
        work: The operation.
        unique: The serial number or unique id of the object.
        others: Those of all other objects of its kind.
        typed: What was given with ``--confirm``; one of them has to fit.
        what: What is done, as a sentence without its end: ``Erasing x:0/3 destroys its data``.

    Raises:
        UsageError: There is no terminal to ask on, and no ``--confirm``, or it names something else.
        Declined: Something else was typed.
        CannotTell: The object has no identity.
    """
    if not unique:
        raise CannotTell(f"Nothing was done. {what}, and nothing identifies it, so it cannot be confirmed.")
    rest = set(others) - {unique}
    if typed:
        reasons = [mismatch(word, unique, rest) for word in typed]
        if all(reasons):
            raise UsageError(f"Nothing was done: --confirm: {reasons[0]}.")
        return
    if not is_terminal(sys.stdin):
        raise UsageError(f"Nothing was done. {what}; confirm it with its identity: --confirm {unique}")
    answer = typed_answer(f"{what}. Type {unique}, at least its last {MIN_CHARACTERS} characters")
    work.asked = True
    why = mismatch(answer, unique, rest)
    if why is not None:
        raise Declined(f"Nothing was done: {why}.")
