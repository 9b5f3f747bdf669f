"""Foreign configurations and preserved cache: import, clear, discard. Pure.

=====================  =======================================  =============================================
deed                   storcli, perccli (then ``nolog J``)      MegaCli (then ``-a0 -NoLog``)
=====================  =======================================  =============================================
``import_foreign``     ``/c0/fall import``                      ``-CfgForeign -Import [x]``
``clear_foreign``      ``/c0/fall delete``                      ``-CfgForeign -Clear [x]``
``discard_preserved``  ``/c0/v6 delete preservedcache``         ``-DiscardPreservedCache -L6``
=====================  =======================================  =============================================

Sources: the help of storcli 007.2707 and of MegaCli 8.07.14. ``fall`` is all foreign configurations of the controller;
storcli has no form for one of them. ``force`` is never used: what the firmware refuses without it is left unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.model import Drive
from raidctl.vendor.deed_steps import expect
from raidctl.vendor.plan import Action, Expectation, Saved, Step
from raidctl.vendor.shapes import Shape
from raidctl_megaraid.change.commands import TIMEOUT
from raidctl_megaraid.collect.tool_call import LOCK
from raidctl_megaraid.operate.steps import Case, Made
from raidctl_megaraid.tools import KINDS, SECOND_GENERATION

_WHICH = (
    "No output that raidctl reads shows which drives belong to one of several configurations, so it could not tell "
    "whether the command worked."
)
_IMPORTED = "The drives belong to this controller from now on; their previous controller is not informed."
_CLEARED = "The configuration on these drives is erased: the data of its volumes is lost."
_DISCARDED = "The unwritten data is lost; it exists nowhere else."
_WORDS = {"import_foreign": ("import", "-Import"), "clear_foreign": ("delete", "-Clear")}


def shapes() -> Iterator[Shape]:
    """The shapes of these commands, for every name of the tools."""
    for program, kind in KINDS.items():
        if kind == "megacli":
            for word in ("-Import", "-Clear"):
                yield (program, "-CfgForeign", word, "-a{}", "-NoLog")
                yield (program, "-CfgForeign", word, "{}", "-a{}", "-NoLog")
            yield (program, "-DiscardPreservedCache", "-L{}", "-a{}", "-NoLog")
        elif kind not in SECOND_GENERATION:
            yield (program, "/c{}/fall", "import", "nolog", "J")
            yield (program, "/c{}/fall", "delete", "nolog", "J")
            yield (program, "/c{}/v{}", "delete", "preservedcache", "nolog", "J")


def import_or_clear(case: Case) -> Made:
    """Import or clear the controller's foreign drives. By MegaCli, one of several configurations is only printed."""
    drives = [drive for drive in case.controller.drives if drive.foreign]
    if not drives:
        return case.deny(f"No drive of {case.controller.id} is listed as foreign.")
    if case.deed.part is not None and case.route.kind != "megacli" and len(case.controller.foreign_groups) > 1:
        return case.deny("storcli and perccli have no form for one of several foreign configurations.", guard="F3")
    if case.deed.part is not None and len(case.controller.foreign_groups) > 1:
        return case.printed(_WHICH, _action(case))
    subjects = case.subjects(case.controller, *drives)
    importing = case.deed.verb == "import_foreign"
    return [
        Step(
            object_id=case.controller.id, setting=case.deed.verb, before="foreign",
            after="imported" if importing else "cleared", kind="deed", way_back="none",
            no_way_back=_IMPORTED if importing else _CLEARED, action=_action(case),
            expects=tuple(_expects(drives, importing=importing)), subjects=subjects, saves=(_saved(case),),
        )
    ]  # fmt: skip


def _expects(drives: list[Drive], *, importing: bool) -> Iterator[Expectation]:
    for drive in drives:
        yield expect(drive.id, "foreign", "no")
        if importing and drive.role == "unassigned":
            yield expect(drive.id, "role", "unassigned", "is_not")


def _action(case: Case) -> Action:
    word, other = _WORDS[case.deed.verb]
    number = (case.deed.part,) if case.deed.part is not None else ()
    if case.route.kind == "megacli":
        argv = (case.route.command, "-CfgForeign", other, *number, f"-a{case.route.number}", "-NoLog")
    else:
        argv = (case.route.command, f"/c{case.route.number}/fall", word, "nolog", "J")
    return Action(argv=argv, timeout=TIMEOUT, lock=LOCK)


def _saved(case: Case) -> Saved:
    """The foreign configurations as the tool prints them."""
    if case.route.kind == "megacli":
        argv: tuple[str, ...] = (case.route.command, "-CfgForeign", "-Dsply", f"-a{case.route.number}", "-NoLog")
    else:
        argv = (case.route.command, f"/c{case.route.number}/fall", "show", "nolog", "J")
    name = f"{case.controller.id.replace(':', '-')}-foreign"
    return Saved(name=name, action=Action(argv=argv, timeout=TIMEOUT, lock=LOCK))


def discard(case: Case) -> Made:
    """Discard the preserved cache of one volume. The volume may be in no list of volumes."""
    kept = [one.volume for one in case.controller.preserved]
    number = (case.deed.part or "").rpartition("/v")[2]
    if case.deed.part not in kept or not number.isdecimal():
        return case.deny(f"No preserved cache of {case.deed.part or 'a volume'} is listed.", unknown=True)
    if case.route.kind == "megacli":
        argv: tuple[str, ...] = (
            case.route.command,
            "-DiscardPreservedCache",
            f"-L{number}",
            f"-a{case.route.number}",
            "-NoLog",
        )
    else:
        argv = (case.route.command, f"/c{case.route.number}/v{number}", "delete", "preservedcache", "nolog", "J")
    others = [name for name in kept if name != case.deed.part]
    left = [expect(case.controller.id, "preserved", name, "contains") for name in others]
    gone = [] if others else [expect(case.controller.id, "cache.preserved_data", "no")]
    return [
        Step(
            object_id=case.controller.id, setting="discard_preserved", before=f"preserved cache of {case.deed.part}",
            after="discarded", kind="deed", way_back="none", no_way_back=_DISCARDED,
            action=Action(argv=argv, timeout=TIMEOUT, lock=LOCK),
            expects=(expect(case.controller.id, "preserved", case.deed.part, "lacks"), *left, *gone),
            subjects=case.subjects(case.controller),
        )
    ]  # fmt: skip
