"""storcli2 and perccli2: commands that are printed for a person and never run. Pure.

=================  ==========================  ====================================================
deed               command                     known from
=================  ==========================  ====================================================
``offline``        ``/c0/e32/s5 set offline``  version 7 only
``start_rebuild``  ``… start rebuild``         version 7 only
``good``           ``… set good``              a program that follows the StorCLI2 guide
``jbod``           ``… set jbod``              the same
``raid``           ``… set uconf``             the same: ``del jbod`` of version 7 is a syntax error
=================  ==========================  ====================================================

No manual that raidctl relies on shows them, and the form of the tools' help is unknown, so it is not searched for them.
A drive that has failed needs no command before it is pulled, and none once the controller rebuilds its successor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidctl.model import Controller, Drive, Tool
from raidctl.vendor.operations import Ability
from raidctl.vendor.plan import Action, Deed, Denial, Verb
from raidctl.vendor.tools import command_of
from raidctl_megaraid.change import controller_number
from raidctl_megaraid.operate.commands import place_of
from raidctl_megaraid.operate.steps import Made
from raidctl_megaraid.tools import KINDS, SECOND_GENERATION

_REASON = (
    "raidctl runs no deeds with storcli2 and perccli2: they take other commands than version 7, and most of these are "
    "in no source that is known."
)
_COMMANDS: Mapping[Verb, tuple[str, str]] = {
    "take_out": ("set", "offline"), "offline": ("set", "offline"), "start_rebuild": ("start", "rebuild"),
    "good": ("set", "good"), "jbod": ("set", "jbod"), "raid": ("set", "uconf"),
}  # fmt: skip


def program(controller: Controller, tools: Sequence[Tool]) -> str | None:
    """The command of the tool that reported the controller, if it is one of these."""
    reported = next((tool for tool in tools if controller.told_by in (None, tool.name)), None)
    return command_of(reported) if reported is not None and KINDS.get(reported.name) in SECOND_GENERATION else None


def plan(deed: Deed, controller: Controller, command: str) -> Made:
    """No step: what needs none, or a denial with the command that a person may run."""
    drive = next((one for one in controller.drives if one.id == (deed.drive or deed.object_id)), None)
    array = next((one.array for one in controller.volumes if one.id == deed.object_id), None)
    if drive is not None and deed.verb == "take_out" and _gone(drive):
        return []
    if drive is not None and deed.verb == "let_in" and drive.role == "member" and drive.array == array:
        return []
    words, place = _COMMANDS.get(deed.verb), place_of(drive) if drive is not None else None
    number = controller_number(controller)
    if words is None or place is None or number is None:
        return Denial(deed=deed, reason=_REASON, alternative=f"{command} help lists the commands of this version.")
    enclosure, slot = place
    path = f"/c{number}/e{enclosure}/s{slot}" if enclosure else f"/c{number}/s{slot}"
    action = Action(argv=(command, path, *words))
    way = f"If {command} help lists this form, run it yourself: {action}"
    return Denial(deed=deed, reason=_REASON, alternative=way, printed=True)


def abilities(verbs: Sequence[Verb], command: str) -> Mapping[Verb, Ability]:
    """None is run; some are printed."""
    way = f"{command} help lists the commands of this version."
    return {
        verb: Ability(can=False, why_not=_REASON, alternative=way, printed=verb in _COMMANDS and verb != "take_out")
        for verb in verbs
    }  # fmt: skip


def _gone(drive: Drive) -> bool:
    """Whether the firmware has given a drive up."""
    return drive.role == "failed" or drive.status == "critical"
