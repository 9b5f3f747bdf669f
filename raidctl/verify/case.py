"""One claim about one volume: collects evidence, and closes with a verdict. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from raidctl.evidence import Fact
from raidctl.model import Problem
from raidctl.select import items
from raidctl.verify.report import Answer, Evidence, Source, Verdict
from raidctl.verify.subjects import Ground, Subject, blocks_of
from raidctl.verify.wanted import Claim

POWER_CUT = (
    "Cut the power (not a reset) while acknowledged writes are being counted from another machine, and look for each "
    "of them afterwards."
)
VIRTUAL = (
    "This is a virtual machine{}: what is shown here may be emulated, and what happens to written data when the "
    "power fails is the matter of the host."
)
HOST = "Ask the host for the same claims (raidctl --host HOST verify)."
HOST_OR_CUT = f"{HOST[:-1]}; without it, only a cut of the host's power tells."
READ = 'Look at what the tool prints ("raidctl show --explain {}", "raidctl show --unparsed").'
_KERNEL = ("kernel", "/sys/", "/proc/")
"""How the commands of sheets begin that the kernel has filled."""
_OF_ALL = frozenset({
    "battery", "write_cache", "drive_cache", "drives", "spares", "media", "drive_rpm", "volume_status", "policy_active",
    "power_safe", "survives",
})  # fmt: skip
"""Claims that the line which is missing could refute."""
_NO_ACCESS = frozenset({"no_tool", "no_right"})


@dataclass
class Case:
    """A claim, what it is about, and what is known."""

    claim: Claim
    subject: Subject
    ground: Ground
    evidence: list[Evidence] = field(default_factory=list)
    ruled_out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What is to be said beside the reason, whatever the verdict."""

    def read(self, object_id: str, path: str, says: str, source: Source = "controller") -> None:
        """A field of the inventory as evidence, with the line that it was read from where one is known."""
        found = self._facts(object_id, path)
        # the tool's or the drive's own word rather than what the kernel has made of it
        first = next((one for one in found if not _from_kernel(one)), found[0] if found else None)
        # of several lines of one output the last: -I lists what a drive can, then -W says what is so
        fact = next((one for one in reversed(found) if first and one.command == first.command), None)
        self.evidence.append(
            Evidence(
                source="kernel" if fact and _from_kernel(fact) else source,
                object=object_id,
                says=says,
                command=fact.command if fact else None,
                line=fact.line.number if fact else None,
                raw=fact.line.text.strip() if fact else None,
            )
        )

    def only_kernel(self, object_id: str, path: str) -> bool:
        """Whether a field is known from the kernel alone: nobody has asked the drive."""
        found = self._facts(object_id, path)
        return bool(found) and all(_from_kernel(one) for one in found)

    def _facts(self, object_id: str, path: str) -> list[Fact]:
        """The facts of a field; else of its parts; else of what it is a part of."""
        mine = self.ground.facts.get(object_id, ())
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
        """It is so; never where it depends on all that an output lists, and the output is not whole."""
        subject, partial = self.subject, self.ground.partial
        names = {subject.id, subject.controller.id, *(drive.id for drive in subject.members)}
        if self.claim.name in _OF_ALL and not partial.isdisjoint(names):
            return self.untold("An output about it is cut off or was not understood: what is missing is unknown.")
        return self._close("pass", reasons)

    def held(self, *reasons: str) -> Answer:
        """It is so as far as is told; in a virtual machine nothing about written data is known by that."""
        virtual = self.ground.view.virtual
        if virtual:
            return self.of_host(*reasons, next_test=HOST_OR_CUT)
        return self.passed(*reasons)

    def of_host(self, *reasons: str, next_test: str = HOST) -> Answer:
        """In a virtual machine: only the host can tell."""
        virtual = self.ground.view.virtual
        kind = f" ({virtual})" if virtual not in (None, "unknown") else ""
        return self.untold(*reasons, VIRTUAL.format(kind), next_test=next_test, access=False)

    def failed(self, *reasons: str) -> Answer:
        """It is not so."""
        return self._close("fail", reasons)

    def suspect(self, *reasons: str, next_test: str | None = None) -> Answer:
        """What is told contradicts itself, or does not hold in the way that is claimed."""
        return self._close("suspect", reasons, next_test)

    def untold(self, *reasons: str, next_test: str | None = None, access: bool = True) -> Answer:
        """It cannot be known from here; ``access``: it could be, if no tool and no right were missing."""
        missing = self.missing() if access else None
        remedy = missing.remedy or missing.message if missing else None
        more = (missing.message,) if missing and missing.message not in reasons else ()
        test = remedy or next_test or (HOST if self.ground.view.virtual else READ.format(self.subject.id))
        return self._close("inconclusive", (*reasons, *more), test, access=missing is not None)

    def measuring(self, *options: str) -> str:
        """The command that measures this claim here; DIR where no directory on it is known."""
        points = [point for block in blocks_of(self.ground, self.subject) for point in block.mountpoints]
        found = [*self.subject.item.mountpoints, *points]
        where = next((point for point in found if point.startswith("/")), "DIR")
        return shlex.join(["raidctl", "verify", "--measure", *options, self.claim.option, *self.claim.words, where])

    def missing(self) -> Problem | None:
        """The missing tool or right that keeps something of this subject from being known."""
        told = [problem for problem in self.ground.inventory.problems if problem.kind in _NO_ACCESS]
        if not told or self.ground.view.virtual:
            return None
        cards = {card.id: card for card, _ in self.subject.drives} | {
            self.subject.controller.id: self.subject.controller
        }
        names = {item.id for card in cards.values() for item in items(card)}
        names |= {card.pci_address for card in cards.values() if card.pci_address}
        names |= {card.id.partition(":")[0] for card in cards.values()}
        tools = [card.told_by for card in cards.values() if card.told_by]
        for problem in told:
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
    return fact.command.startswith(_KERNEL)
