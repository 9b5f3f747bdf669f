"""Deeds of a vendor package: a module ``operate`` in the package, if its hardware's drives and checks can be managed.

Its functions are pure. A package without it is read-only in this respect: the engine refuses every deed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Protocol, cast

from msgspec import Struct

from raidctl.described import doc
from raidctl.host import HostView
from raidctl.model import Controller, Tool, Volume
from raidctl.request import Answer
from raidctl.vendor.parts import part_of
from raidctl.vendor.plan import Action, Deed, Plan, Verb
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.shapes import Shape

Proof = Literal["kernel", "captures", "manual", "none"]


class Ability(Struct, frozen=True, kw_only=True):
    """Whether a controller's tool can carry out a deed, and what that is known from."""

    can: Annotated[bool, doc("Whether raidctl runs it; false: it is refused.")]
    why_not: Annotated[str | None, doc("Why it is refused, one sentence; null: it is not.")] = None
    alternative: Annotated[str | None, doc("What comes nearest; null: nothing.")] = None
    printed: Annotated[
        bool, doc("Whether the command is only printed for a person, because no manual or help text shows its form.")
    ] = False
    proof: Annotated[
        Proof,
        doc(
            "What it was tried on: `kernel`: a real kernel; `captures`: a simulator that answers as recorded outputs "
            "do; `manual`: a simulator that answers as the manual describes; `none`: nothing."
        ),
    ] = "none"


class Operations(Protocol):
    """A vendor package that plans deeds."""

    @property
    def SHAPES(self) -> Sequence[Shape]:  # noqa: N802 - a constant of the module
        """All commands that its deeds run, see :mod:`raidctl.vendor.shapes`."""

    def plan_deeds(self, controller: Controller, deeds: Sequence[Deed], tools: Sequence[Tool], view: HostView) -> Plan:
        """The steps of these deeds, in order; what the hardware or the tool cannot do is denied, with the reason.

        Guards are not its business: the core checks them before and again at each step.
        """

    def abilities(self, controller: Controller, tools: Sequence[Tool]) -> Mapping[Verb, Ability]:
        """What can be done on this controller with its tool; a verb that is missing does not exist for the family.

        A package may leave the function out: then ``plan_deeds`` alone decides what can be done.
        """

    def judge(self, action: Action, answer: Answer) -> str | None:
        """The tool's objection in its own words; None if it accepted. The next reading decides, not this."""

    def hinders(self, words: Sequence[str]) -> bool:
        """Whether a process with this command line is a program of the family that may be changing something."""

    def back(self, volume: Volume, node: str) -> Action:
        """The command for a person that brings a former member back into its array; raidctl never runs it."""


def operations_of(vendor: Vendor) -> Operations | None:
    """Return how a family carries out deeds; None for a family that does not. Imported here, for deeds only."""
    return cast("Operations | None", part_of(vendor, "operate", without="plan_deeds"))
