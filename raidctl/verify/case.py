"""One claim about one volume: its evidence and its verdict. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from raidctl.evidence import Fact
from raidctl.model import ACCESS_KINDS, Problem
from raidctl.select import family_of, items
from raidctl.verify.lost_outputs import KERNEL, lost_outputs
from raidctl.verify.report import Answer, Evidence, Source, Verdict
from raidctl.verify.second_views import COMPARE, contradictions
from raidctl.verify.subjects import CheckedMachine, Subject, blocks_of
from raidctl.verify.wanted import Claim

VIRTUAL = "This is a virtual machine{}: its hardware may be emulated, and power-loss behaviour depends on the host."
HOST = "Verify the same claims on the host (raidctl --host HOST verify)."
HOST_OR_CUT = f"{HOST[:-1]}, or cut the power of the host and check."
READ = 'Check the output of the tool ("raidctl show --explain {}", "raidctl show --unparsed").'
_INCOMPLETE = "The output about it is incomplete or could not be read, so something may be missing."
_OF_ALL = frozenset({
    "battery", "write_cache", "drive_cache", "drives", "spares", "media", "drive_rpm", "volume_status", "policy_active",
    "power_safe", "no_write_hole", "survives", "drive_size", "drive_age",
})  # fmt: skip
"""Claims that a missing line could refute."""


@dataclass
class Case:
    """A claim, its volume or drive, and the evidence."""

    claim: Claim
    subject: Subject
    machine: CheckedMachine
    evidence: list[Evidence] = field(default_factory=list)
    ruled_out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Remarks that are added to the reasons, whatever the verdict."""

    def cite(self, object_id: str, path: str, statement: str, source: Source = "controller") -> None:
        """Add a field of the inventory as evidence. The line of output is included if known."""
        found = self._facts(object_id, path)
        # the tool or drive takes precedence over the kernel
        first = next((one for one in found if not _from_kernel(one)), found[0] if found else None)
        # of several lines of one output, the last: -I lists what a drive supports, then -W shows its state
        fact = next((one for one in reversed(found) if first and one.command == first.command), None)
        self.evidence.append(
            Evidence(
                source="kernel" if fact and _from_kernel(fact) else source,
                object=object_id,
                statement=statement,
                command=fact.command if fact else None,
                line=fact.line.number if fact else None,
                raw=fact.line.text.strip() if fact else None,
            )
        )

    def only_kernel(self, object_id: str, path: str) -> bool:
        """Whether a field is known only from the kernel, not the drive."""
        found = self._facts(object_id, path)
        return bool(found) and all(_from_kernel(one) for one in found)

    def _facts(self, object_id: str, path: str) -> list[Fact]:
        """The facts of a field, else of its parts, else its parent."""
        mine = self.machine.facts.get(object_id, ())
        ways: tuple[Callable[[str], bool], ...] = (
            lambda name: name == path,
            lambda name: name.startswith(f"{path}."),
            lambda name: path.startswith(f"{name}."),
        )
        for way in ways:
            found = [fact for fact in mine if way(fact.field)]
            if found:
                return found
        return []

    def passed(self, *reasons: str) -> Answer:
        """A pass. It is inconclusive if the output is incomplete, suspect if a BMC contradicts it."""
        subject, partial = self.subject, self.machine.partial
        names = {subject.id, subject.controller.id, *(drive.id for drive in subject.members)}
        if self.claim.name in _OF_ALL and not partial.isdisjoint(names):
            return self.inconclusive(_INCOMPLETE)
        if self.claim.name in _OF_ALL and (lost := self._lost()):
            return self.inconclusive(_INCOMPLETE, f"{lost.where}: {lost.message}", next_test=lost.remedy)
        if otherwise := [f"{one}." for one in contradictions(self.claim.name, subject, self.machine.inventory)]:
            return self.suspect(*reasons, *otherwise, next_test=COMPARE)
        return self._close("pass", reasons)

    def _lost(self) -> Problem | None:
        """A command or drive that this claim depends on, and that could not be read."""
        return next(lost_outputs(self.machine, self.subject, below=self.claim.name == "power_safe"), None)

    def passed_unless_virtual(self, *reasons: str) -> Answer:
        """A pass. The result is inconclusive in a virtual machine, as this shows nothing about written data there."""
        virtual = self.machine.view.virtual
        if virtual:
            return self.of_host(*reasons, next_test=HOST_OR_CUT)
        return self.passed(*reasons)

    def of_host(self, *reasons: str, next_test: str = HOST) -> Answer:
        """Inconclusive in a virtual machine: it depends on the host."""
        virtual = self.machine.view.virtual
        kind = f" ({virtual})" if virtual not in (None, "unknown") else ""
        return self.inconclusive(*reasons, VIRTUAL.format(kind), next_test=next_test, access=False)

    def failed(self, *reasons: str) -> Answer:
        """A fail."""
        return self._close("fail", reasons)

    def suspect(self, *reasons: str, next_test: str | None = None) -> Answer:
        """Contradictory values, or a pass that depends on something doubtful."""
        return self._close("suspect", reasons, next_test)

    def inconclusive(self, *reasons: str, next_test: str | None = None, access: bool = True) -> Answer:
        """The inconclusive answer. ``access``: because of a missing tool or permission, if one is missing."""
        missing = self.missing() if access else None
        remedy = missing.remedy or missing.message if missing else None
        more = (missing.message,) if missing and missing.message not in reasons else ()
        test = remedy or next_test or (HOST if self.machine.view.virtual else READ.format(self.subject.id))
        return self._close("inconclusive", (*reasons, *more), test, access=missing is not None)

    def measuring(self, *options: str) -> str:
        """The command that measures this claim. Its argument is DIR if no directory on the volume is known."""
        points = [point for block in blocks_of(self.machine, self.subject) for point in block.mountpoints]
        found = [*self.subject.item.mountpoints, *points]
        where = next((point for point in found if point.startswith("/")), "DIR")
        return shlex.join(["raidctl", "verify", "--measure", *options, self.claim.option, *self.claim.words, where])

    def missing(self) -> Problem | None:
        """The problem of a missing tool or permission, if any. It affects this volume or drive."""
        missing = [problem for problem in self.machine.inventory.problems if problem.kind in ACCESS_KINDS]
        if not missing or self.machine.view.virtual:
            return None
        controllers = {controller.id: controller for controller, _ in self.subject.drives} | {
            self.subject.controller.id: self.subject.controller
        }
        names = {item.id for controller in controllers.values() for item in items(controller)}
        names |= {controller.pci_address for controller in controllers.values() if controller.pci_address}
        names |= {family_of(controller) for controller in controllers.values()}
        tools = [controller.told_by for controller in controllers.values() if controller.told_by]
        for problem in missing:
            if problem.where in names or any(tool in problem.where.split() for tool in tools):
                return problem
        return None

    def _close(
        self, verdict: Verdict, reasons: tuple[str, ...], next_test: str | None = None, *, access: bool = False
    ) -> Answer:
        return Answer(
            claim=self.claim.name,
            wanted=self.claim.wanted,
            object=self.subject.id,
            device=self.subject.item.device,
            verdict=verdict,
            reasons=tuple(dict.fromkeys((*reasons, *self.notes))),
            ruled_out=tuple(dict.fromkeys(self.ruled_out)),
            next_test=next_test,
            access=access,
            evidence=tuple(dict.fromkeys(self.evidence)),
        )


def _from_kernel(fact: Fact) -> bool:
    return fact.command.startswith(KERNEL)
