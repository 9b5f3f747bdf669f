"""Commands of storcli2 and perccli2, run only where their help lists them. Pure.

=================  ===========================  ===================================================
deed               command                      known from
=================  ===========================  ===================================================
``good``           ``/c0/e32/s5 set good``      a program that follows the StorCLI2 guide
``jbod``           ``… set jbod``               the same
``raid``           ``… set uconf``              the same: ``del jbod`` of version 7 is a syntax error
all others         those of version 7           version 7 only
=================  ===========================  ===================================================

No manual of version 8 is known that shows them, so its help decides: a deed is run if ``storcli2 help`` lists every
command of its plan and its undo; otherwise the commands are printed for a person. A failed drive needs no command
before it is pulled, and none once the controller rebuilds on the new one.

A form does not show what else a command acts on, nor do readings of version 8 show the results of checks and battery
tests: commands for a volume or the whole controller are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from raidctl.model import Controller, Tool
from raidctl.vendor.operations import Ability
from raidctl.vendor.plan import Action, Denial, Step, Verb
from raidctl.vendor.tools import command_of, reporting_tool
from raidctl_megaraid.operate.help_forms import listed
from raidctl_megaraid.operate.steps import Case, Made
from raidctl_megaraid.tools import KINDS, SECOND_GENERATION

HELP = "help"
"""The word that makes the tool list its commands."""
_VERBS: frozenset[Verb] = frozenset({
    "take_out", "add_member", "replace", "add_spare", "remove_spare", "start_rebuild", "stop_rebuild", "pause_rebuild",
    "resume_rebuild", "good", "offline", "online", "jbod", "raid",
})  # fmt: skip
_DECIDES = (
    "No manual of storcli2 and perccli2 that is known shows their commands for drives, so raidctl runs one only where "
    "the tool's help on that machine lists its form."
)
_REFUSED = (
    "raidctl does not do this with storcli2 and perccli2: no known source shows the command, what it acts on, "
    "and how to read what it has done."
)

_ELSE = "{} help lists the commands of this version."


def program(controller: Controller, tools: Sequence[Tool]) -> str | None:
    """The command of the tool that reported the controller. The tool has to be one of these."""
    tool = reporting_tool(controller, tools)
    return command_of(tool) if tool is not None and KINDS.get(tool.name) in SECOND_GENERATION else None


def plan(case: Case, steps_of: Callable[[Case], Made], text: str | None) -> Made:
    """The steps of a deed, if the help lists all their commands. A ``text`` of None could not be read."""
    command = case.route.command
    if case.deed.verb not in _VERBS:
        return Denial(deed=case.deed, reason=_REFUSED, alternative=_ELSE.format(command))
    made = steps_of(case)
    if isinstance(made, Denial):
        return made
    unlisted = [action for action in _actions(made) if text is None or not listed(text, action)]
    if not unlisted:
        return made
    found = "could not be read" if text is None else f'does not list "{_form(unlisted[0])}"'
    commands = "; ".join(str(replace(step.action, argv=step.action.argv[:-2])) for step in made)
    many = len(made) > 1
    way = f"If {command} {HELP} lists {'these forms' if many else 'this form'}, run {'them' if many else 'it'} yourself"
    return Denial(
        deed=case.deed, reason=f"{_DECIDES} {command} {HELP} {found}.", alternative=f"{way}: {commands}", printed=True
    )


def _actions(steps: Sequence[Step]) -> list[Action]:
    """Every command of the steps and of their undoing."""
    return [action for step in steps for action in (step.action, step.undo) if not action.empty]


def _form(action: Action) -> str:
    """The form of a command, such as ``set offline``.

    It lacks the tool, the drive, and the words on how the output is printed.
    """
    return " ".join(action.argv[2:-2])


def abilities(verbs: Sequence[Verb], command: str) -> Mapping[Verb, Ability]:
    """The abilities, none certain. Those on single drives run if the tool's help lists them; else they are printed."""
    way = _ELSE.format(command)
    return {
        verb: Ability(
            can=False, why_not=_DECIDES if verb in _VERBS else _REFUSED, alternative=way,
            printed=verb in _VERBS, by_help=verb in _VERBS,
        )
        for verb in verbs
    }  # fmt: skip
