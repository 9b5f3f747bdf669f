"""Deeds on MegaRAID controllers with storcli, perccli and MegaCli. Pure.

Each verb has its function in the module of its topic (:data:`VERBS`). storcli2 and perccli2 run only the commands that
their help lists (:mod:`.second_generation`). raidctl-mfi runs none of them: it was tried on emulated controllers only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from raidctl.host import HostView
from raidctl.model import Controller, Tool, Volume
from raidctl.request import Run
from raidctl.vendor.deed_steps import CannotDo, planned
from raidctl.vendor.operations import Ability, Proof
from raidctl.vendor.plan import Action, Deed, Denial, Plan, Verb
from raidctl.vendor.shapes import Shape
from raidctl_megaraid.change.commands import TIMEOUT
from raidctl_megaraid.collect.tool_call import LOCK
from raidctl_megaraid.operate import (
    battery,
    checks,
    foreign,
    rebuild,
    replacing,
    second_generation,
    spares,
    states,
)
from raidctl_megaraid.operate.commands import shapes
from raidctl_megaraid.operate.judge import judge, may_interfere
from raidctl_megaraid.operate.steps import Case, Made, case_of

__all__ = [
    "SHAPES",
    "VERBS",
    "abilities",
    "back",
    "help_requests",
    "judge",
    "may_interfere",
    "moves_back",
    "plan_deeds",
]  # fmt: skip

VERBS: Mapping[Verb, Callable[[Case], Made]] = {
    "take_out": replacing.take_out,
    "add_member": replacing.add_member,
    "replace": replacing.replace,
    "add_spare": spares.add_spare,
    "remove_spare": spares.remove_spare,
    "start_rebuild": rebuild.start_rebuild,
    "stop_rebuild": rebuild.stop_rebuild,
    "pause_rebuild": rebuild.pause_or_resume,
    "resume_rebuild": rebuild.pause_or_resume,
    "start_check": checks.start_or_stop,
    "stop_check": checks.start_or_stop,
    "pause_check": checks.pause_or_resume,
    "resume_check": checks.pause_or_resume,
    "start_patrol": checks.patrol,
    "stop_patrol": checks.patrol,
    "pause_patrol": checks.patrol,
    "resume_patrol": checks.patrol,
    "good": states.good,
    "offline": states.offline,
    "online": states.online,
    "jbod": states.jbod,
    "raid": states.raid,
    "erase": states.erase,
    "import_foreign": foreign.import_or_clear,
    "clear_foreign": foreign.import_or_clear,
    "discard_preserved": foreign.discard,
    "start_learn": battery.learn,
    "schedule_learn": battery.schedule,
}
"""The function that plans each verb. A new verb needs a line here, and its commands in :data:`SHAPES`."""

SHAPES: tuple[Shape, ...] = (*shapes(), *foreign.shapes(), *battery.shapes())

RECORDED: Mapping[str, Mapping[Verb, str]] = {
    "storcli": {
        "offline": "Set Drive Offline Succeeded.",
        "good": "Set Drive Good Succeeded.",
        "add_spare": "Add Hot Spare Succeeded.",
        "import_foreign": "Successfully imported foreign configuration",
        "clear_foreign": "Successfully deleted foreign configuration",
    },
    "megacli": {
        "take_out": "Prepare for removal Success",
        "add_member": "Started rebuild progress on device",
        "add_spare": "as Hot Spare Success.",
        "offline": "state changed to OffLine.",
        "online": "state changed to OnLine.",
        "start_rebuild": "Started rebuild progress on device",
        "clear_foreign": "Foreign configuration 0 is cleared on controller 0.",
        "discard_preserved": "Preserved Cache Data Cleared.",
    },
}
"""What real tools have printed after a deed, by tool kind. The simulators print it, and the tests compare it.

Each was printed for the very form that raidctl runs, without ``force``. Of all other verbs only the help texts are
known. ``add_member`` and ``take_out`` are several commands: of MegaCli the answer to each was recorded, and the last
one is here; of storcli only that to ``set offline``.
"""


def help_requests(controller: Controller, tools: Sequence[Tool]) -> list[Run]:
    """The help of storcli2 and perccli2; that of the others is known."""
    program = second_generation.program(controller, tools)
    return [Run((program, second_generation.HELP), timeout=TIMEOUT, lock=LOCK)] if program is not None else []


def plan_deeds(controller: Controller, deeds: Sequence[Deed], tools: Sequence[Tool], view: HostView) -> Plan:
    """The commands of these deeds, or why there are none."""
    return planned(deeds, lambda deed: _planned(deed, controller, tools, view))


def _planned(deed: Deed, controller: Controller, tools: Sequence[Tool], view: HostView) -> Made:
    plan = VERBS.get(deed.verb)
    if plan is None:
        return Denial(deed=deed, reason=f"MegaRAID controllers have no command for {deed.verb}.")
    case, second = case_of(deed, controller, tools), second_generation.program(controller, tools)
    return plan(case) if second is None else second_generation.plan(case, plan, view.help_texts.get(second))


def abilities(controller: Controller, tools: Sequence[Tool]) -> Mapping[Verb, Ability]:
    """What the tool that reported the controller can do with it."""
    second = second_generation.program(controller, tools)
    if second is not None:
        return second_generation.abilities(tuple(VERBS), second)
    try:
        case = case_of(Deed(object_id=controller.id, verb="good"), controller, tools)
    except CannotDo as refusal:
        return dict.fromkeys(VERBS, Ability(can=False, why_not=refusal.reason, alternative=refusal.alternative))
    found: dict[Verb, Ability] = {}
    for verb in VERBS:
        if case.route.prints(verb):
            why = "No output that raidctl reads shows its effect, so it is only printed."
            found[verb] = Ability(can=False, why_not=why, printed=True)
        elif verb == "raid" and not case.route.has("raid"):
            found[verb] = Ability(can=False, why_not="MegaCli makes a JBOD drive usable for RAID only with -Force.")
        else:
            proof: Proof = (
                "captures" if verb in RECORDED["megacli" if case.route.kind == "megacli" else "storcli"] else "manual"
            )
            found[verb] = Ability(can=True, proof=proof)
    return found


def back(volume: Volume, node: str) -> Action:  # noqa: ARG001 - the signature of all families
    """None: a former member is added like any other drive."""
    return Action()


def moves_back(controller: Controller) -> bool | None:
    """Whether copyback is on, by MegaCli's line if the version has it. storcli's known outputs have none."""
    # Disable Copyback                        : No
    label = "Supported PD Operations: Disable Copyback"
    return {"No": True, "Yes": False}.get(controller.details.get(label, ""))
