"""Learn cycles of a battery or CacheVault. Pure.

=================  =====================================  ========================================
pack               storcli, perccli (then ``nolog J``)    MegaCli (then ``-a0 -NoLog``)
=================  =====================================  ========================================
battery            ``/c0/bbu start learn``                ``-AdpBbuCmd -BbuLearn``
CacheVault         ``/c0/cv start learn``                 ``-AdpBbuCmd -BbuLearn``
schedule, printed  ``/c0/bbu set learnDelayInterval=H``   ``-AdpBbuCmd -ScheduleLearn -STARTTIME …``
=================  =====================================  ========================================

Sources: the help of storcli 007.2707 and of MegaCli 8.07.14. Modes of the battery, sleep and seal, are not used.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.vendor.deed_steps import expect, only_battery
from raidctl.vendor.plan import Action, Step
from raidctl.vendor.shapes import Shape
from raidctl_megaraid.change.commands import TIMEOUT
from raidctl_megaraid.collect.tool_call import LOCK
from raidctl_megaraid.operate.steps import Case, Made
from raidctl_megaraid.tools import KINDS, SECOND_GENERATION

_NO_END = "A learn cycle cannot be ended; it ends when the battery is charged again."
_PARTS = {"battery": "bbu", "capacitor": "cv"}


def shapes() -> Iterator[Shape]:
    """The shapes of these commands, for every name of the tools."""
    for program, kind in KINDS.items():
        if kind == "megacli":
            yield (program, "-AdpBbuCmd", "-BbuLearn", "-a{}", "-NoLog")
        elif kind not in SECOND_GENERATION:
            yield from ((program, f"/c{{}}/{part}", "start", "learn", "nolog", "J") for part in _PARTS.values())


def schedule(case: Case) -> Made:
    """Only print the command for the schedule.

    Its forms are in the help texts, and no output is known that shows what they do.
    """
    why = "The tool's help has a command for the schedule. No known output shows what it does: raidctl does not run it."
    route = case.route
    if route.kind == "megacli":
        words: tuple[str, ...] = (
            "-AdpBbuCmd",
            "-ScheduleLearn",
            "-STARTTIME",
            "DDD",
            "hh",
            f"-a{route.number}",
            "-NoLog",
        )
    elif any(pack.kind == "capacitor" for pack in case.controller.batteries):
        return case.deny("The tool has a schedule for batteries, and none for a CacheVault.")
    else:
        words = (f"/c{route.number}/bbu", "set", "learnDelayInterval=HOURS")
    return case.printed(why, Action(argv=(route.command, *words)))


def learn(case: Case) -> Made:
    """Start a learn cycle of the controller's only pack."""
    pack = only_battery(case.controller)
    part = _PARTS.get(pack.kind)
    if case.route.kind == "megacli":
        argv: tuple[str, ...] = (case.route.command, "-AdpBbuCmd", "-BbuLearn", f"-a{case.route.number}", "-NoLog")
    elif part is None:
        return case.deny(f"Whether {pack.id} is a battery or a CacheVault is not reported.", unknown=True)
    else:
        argv = (case.route.command, f"/c{case.route.number}/{part}", "start", "learn", "nolog", "J")
    return [
        Step(
            object_id=case.controller.id, setting="start_learn", before=pack.status, after="learning", kind="deed",
            way_back="none", no_way_back=_NO_END, action=Action(argv=argv, timeout=TIMEOUT, lock=LOCK),
            expects=(expect(pack.id, "status", "learning"),), subjects=case.subjects(case.controller),
        )
    ]  # fmt: skip
