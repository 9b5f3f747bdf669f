"""Contract of a vendor package's module ``operate``, which plans deeds.

A deed is an operation on a drive, an array's check or a whole controller: erase, replace, start a check. The functions
are pure. A package without the module is read-only in this respect: the engine refuses every deed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Protocol, cast

from msgspec import Struct

from raidctl.described import doc
from raidctl.host import HostView
from raidctl.model import Controller, Tool, Volume
from raidctl.request import Answer, Run
from raidctl.vendor.parts import part_of
from raidctl.vendor.plan import Action, Deed, Plan, Verb
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.shapes import Shape

Proof = Literal["kernel", "captures", "manual", "programs", "none"]


class Ability(Struct, frozen=True, kw_only=True):
    """Whether a controller's tool can carry out a deed, and how that is known."""

    can: Annotated[bool, doc("Whether raidctl runs it; false: it is refused.")]
    why_not: Annotated[str | None, doc("Why it is refused, one sentence; null: it is not.")] = None
    alternative: Annotated[str | None, doc("The nearest alternative; null: none.")] = None
    printed: Annotated[
        bool, doc("Whether the command is only printed for a person, because no manual or help text shows its form.")
    ] = False
    by_help: Annotated[
        bool,
        doc("Whether it is run where the tool's help on the machine lists the command, and printed elsewhere."),
    ] = False
    proof: Annotated[
        Proof,
        doc(
            "What it was tried on: `kernel`: a real kernel; `captures`: a simulator that answers as recorded outputs "
            "do; `manual`: a simulator that answers as the manual describes; `programs`: a simulator, with commands "
            "of other programs that use the tool, as no manual shows them; `none`: nothing."
        ),
    ] = "none"


class Operations(Protocol):
    """A vendor package that plans deeds.

    **Steps.** Every step of a deed is of ``kind="deed"`` and has: ``object_id`` of this controller; ``setting``: the
    verb of its deed; ``action``; ``subjects``: the drive, and the volume or the controller, each with what
    :func:`raidctl.vendor.identity.unique_of` returns (deny the deed with guard X1 where that is None);
    ``expects``: what the next reading shows if it has happened, never empty; ``way_back``, with ``undo`` and
    ``undo_expects``, or with ``no_way_back``. Expectations name fields of the model (``role``, ``status``, ``array``
    of a drive) or ``details.LABEL``; ``serial:NUMBER`` is a drive wherever it is. ``action`` has the lock,
    the environment and the time limit of the family's calls, and its words fit ``SHAPES``.

    **Fresh plans.** ``plan_deeds`` sees one reading and plans only what that reading lacks. What is done already
    has no step; a deed with no step and no denial has nothing to be done. So a replacement is continued by
    planning the same deed again, as often as it takes.

    **A command that is only printed** (``Ability.printed``): the deed is denied, and ``alternative`` has the command.

    **Verbs of drives behind a controller**, as the replacement of a drive uses them:

    ``take_out``
        ``object_id``: a volume on the drive's array. ``drive``: the drive that leaves, a working or failed member.
        What the tool has to do before a person pulls it (offline, missing, spin down; ``remove``); no step for a
        controller that needs nothing. Only what adding the drive again reverts.
    ``add_member``
        ``object_id``: the volume. ``drive``: the new drive, in its bay, checked by the core. ``replaces``: the id
        of the drive that has left. What makes the controller take the new drive as a member (``insert``,
        ``replace missing``, ``start rebuild``; rescan and ``good`` before them); no step if the controller takes
        it automatically, has taken it (it is a member, or being filled), or if the array lacks no member (a hot spare
        has stepped in): then the core plans ``add_spare``. ``expects`` that the drive's ``array`` is the array.
    ``start_rebuild``, ``stop_rebuild``, ``pause_rebuild``, ``resume_rebuild``
        ``object_id``: the volume; ``drive``: the drive that is filled. ``expects``: ``status_text``, ``status`` or
        ``progress`` as the tool shows them.
    ``add_spare``, ``remove_spare``
        ``drive``: an unassigned drive, or a spare. ``object_id``: a volume: a spare of its array alone; the
        controller: a global one. Deny what the tool has no command for, with the other one as ``alternative``.
        ``expects`` that ``role`` is, or is not, ``spare``, and for one array that ``spare_for`` contains it, where
        the family reports that.
    """

    @property
    def SHAPES(self) -> Sequence[Shape]:  # noqa: N802 - a constant of the module
        """All commands that its deeds run, see :mod:`raidctl.vendor.shapes`."""

    def plan_deeds(self, controller: Controller, deeds: Sequence[Deed], tools: Sequence[Tool], view: HostView) -> Plan:
        """The steps of these deeds, in order. What the hardware or the tool cannot do is denied, with the reason.

        It checks no guards: the core does, before and again at each step.
        """

    def abilities(self, controller: Controller, tools: Sequence[Tool]) -> Mapping[Verb, Ability]:
        """The abilities of this controller with its tool. Verbs that are missing are not supported by the family.

        The function is optional: without it, ``plan_deeds`` alone decides.
        """

    def help_requests(self, controller: Controller, tools: Sequence[Tool]) -> Sequence[Run]:
        """The requests for a tool's help, if only that shows its commands.

        They are run before deeds are planned; ``view.help_texts`` then has the answers, by tool, except those that
        could not be read. The function is optional.
        """

    def judge(self, action: Action, answer: Answer) -> str | None:
        """The tool's objection in its own words; None if it accepted. The next reading decides, not this."""

    def may_interfere(self, words: Sequence[str]) -> bool:
        """Whether a family's tool with this command line may be changing something."""

    def back(self, volume: Volume, node: str) -> Action:
        """The command that brings a former member back into its array. A person runs it, never raidctl."""

    def held(self, volume: Volume) -> str | None:
        """Why a rebuild waits for a command of a person. The sentence names the command. None: none waits.

        The function is optional: without it, no reading shows such a wait.
        """

    def moves_back(self, controller: Controller) -> bool | None:
        """Whether data moves from a spare to the new drive (copyback). The spare has stepped in. None: not reported.

        The function is optional: without it, this is not reported.
        """


def operations_of(vendor: Vendor) -> Operations | None:
    """Return the module ``operate`` of a family, or None if it has none. It is imported only here, for deeds."""
    return cast("Operations | None", part_of(vendor, "operate", without="plan_deeds"))
