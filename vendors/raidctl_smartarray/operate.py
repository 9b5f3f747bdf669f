"""Smart Array: drives that leave and come, and spares. Pure.

==================  ==================================================================================
deed                command
==================  ==================================================================================
``take_out``        none: the drive is pulled as it is
``add_member``      none in the same bay: the controller rebuilds it (HP, "drive replacement"); in another
                    bay ``ctrl slot=1 array A add spares=2I:1:8``: it takes the missing member's place
``add_spare``       ``ctrl slot=1 array A add spares=1I:1:6``
``remove_spare``    ``ctrl slot=1 array A remove spares=1I:1:6``
==================  ==================================================================================

The commands of spares are those of the Smart Storage Administrator guide. Their forms with ``all`` and ``forced`` are
never used: ``all`` acts on every array, ``forced`` suppresses the tool's own questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from raidctl.host import HostView
from raidctl.model import Controller, Drive, Tool, Volume
from raidctl.model.objects import by_id
from raidctl.text import listing
from raidctl.vendor.deed_steps import planned, used_at_once
from raidctl.vendor.identity import unique_of
from raidctl.vendor.operations import Ability
from raidctl.vendor.plan import Action, Deed, Denial, Expectation, Identity, Plan, Step, Verb
from raidctl.vendor.shapes import Shape
from raidctl_smartarray.change import NO_SLOT, command, judge
from raidctl_smartarray.dialogue import ENVIRONMENT, LOCK, TIMEOUT
from raidctl_smartarray.tools import NAMES, TOOLS

__all__ = ["SHAPES", "abilities", "judge", "may_interfere", "plan_deeds"]

SHAPES: tuple[Shape, ...] = tuple(
    (spec.name, "ctrl", "slot={}", "array", "{}", verb, "spares={}") for spec in TOOLS for verb in ("add", "remove")
)
_READING = frozenset({"show", "help", "version", "diag", "-h", "--help"})
"""Words of commands that change nothing."""
_SECONDS = 60.0
_NO_SCAN = "The tool has no command for it: the controller's surface scan checks the volumes."
_BY_ITSELF = "The controller rebuilds automatically; the tool has no command for it."
_ONLY_READS = "cciss_vol_status only reads; install ssacli, hpssacli or hpacucli."
_LACKS: Mapping[Verb, str] = {
    **dict.fromkeys(("start_check", "stop_check", "pause_check", "resume_check", "repair"), _NO_SCAN),
    **dict.fromkeys(("start_patrol", "stop_patrol", "pause_patrol", "resume_patrol"), _NO_SCAN),
    **dict.fromkeys(("start_rebuild", "stop_rebuild", "pause_rebuild", "resume_rebuild"), _BY_ITSELF),
}
_OFFLINE = "No manual of the tool shows the command, so raidctl does not run it."


def abilities(controller: Controller, tools: Sequence[Tool]) -> Mapping[Verb, Ability]:
    """What can be done with the tool that reported the controller."""
    words = f"{command(controller, tools) or TOOLS[0].name} ctrl slot={controller.slot or 'SLOT'}"
    printed = Ability(
        can=False, printed=True, why_not=_OFFLINE, alternative=f"By hand: `{words} pd ADDRESS modify disablepd`"
    )
    found: dict[Verb, Ability] = {
        "take_out": Ability(can=True, proof="captures"),
        "add_member": Ability(can=True, proof="manual"),  # in another bay it is made a spare
        "add_spare": Ability(can=True, proof="manual"),
        "remove_spare": Ability(can=True, proof="manual"),
        "offline": printed,
        **{verb: Ability(can=False, why_not=why) for verb, why in _LACKS.items()},
    }
    if controller.told_by is not None and controller.told_by not in NAMES:
        return dict.fromkeys(found, Ability(can=False, why_not=_ONLY_READS))
    return found


def may_interfere(words: Sequence[str]) -> bool:
    """Whether a process is a family tool that may change something. One without arguments is interactive."""
    named = bool(words) and words[0].rpartition("/")[2] in NAMES
    return named and not _READING & set(words[1:])


def plan_deeds(controller: Controller, deeds: Sequence[Deed], tools: Sequence[Tool], view: HostView) -> Plan:  # noqa: ARG001 - the signature of all families
    """The commands of these deeds."""
    return planned(deeds, lambda deed: _steps(controller, deed, tools))


def _steps(controller: Controller, deed: Deed, tools: Sequence[Tool]) -> list[Step] | Denial:
    ability = abilities(controller, tools).get(deed.verb)
    if ability is None or not ability.can:
        why = ability.why_not if ability is not None else f"The tool has no command for {deed.verb.replace('_', ' ')}."
        way = ability.alternative if ability is not None else None
        address = (deed.drive or "").removeprefix(f"{controller.id}/")
        if way is not None and address:
            way = way.replace("ADDRESS", address)
        printed = ability is not None and ability.printed
        return Denial(deed=deed, reason=why or "", alternative=way, printed=printed)
    drive = by_id(controller.drives, deed.drive)
    if drive is None:
        return Denial(deed=deed, reason=f"{deed.drive or 'The drive'} is not on {controller.id}.", unknown=True)
    if deed.verb == "take_out":
        return []
    volume = by_id(controller.volumes, deed.object_id)
    if volume is None or volume.array is None:
        return Denial(
            deed=deed, reason="Spares belong to an array here; the form for all arrays at once is not used.",
            alternative="Name a volume of the array with --for.",
        )  # fmt: skip
    if deed.verb == "add_member" and not _needs_a_command(deed, drive, volume):
        return []
    return _spare(controller, deed, (drive, volume), command(controller, tools))


def _needs_a_command(deed: Deed, drive: Drive, volume: Volume) -> bool:
    """Whether a command is needed: the controller uses the drive automatically only in the missing member's bay."""
    elsewhere = drive.role == "unassigned" and drive.id != deed.replaces
    return elsewhere and volume.status == "degraded"


def _spare(controller: Controller, deed: Deed, objects: tuple[Drive, Volume], tool: str | None) -> list[Step] | Denial:
    """Make a drive a spare of the array, or remove it."""
    drive, volume = objects
    array = volume.array or ""
    uniques = unique_of(controller, drive), unique_of(controller, volume)
    if not all(uniques):
        what = drive.id if not uniques[0] else volume.id
        return Denial(deed=deed, guard="X1", reason=f"What identifies {what} is unknown.", unknown=True)
    if tool is None or controller.slot is None:
        return Denial(deed=deed, reason=NO_SLOT, unknown=True)
    adds = deed.verb != "remove_spare"
    if adds == (drive.role == "spare"):
        return []
    address = drive.id.removeprefix(f"{controller.id}/")
    if not adds and len(drive.spare_for) > 1:
        owned = [
            _action(tool, controller.slot, (_letter(controller, one), address), "remove") for one in drive.spare_for
        ]
        reason = f"{drive.id} is a spare of {listing(drive.spare_for)}, and the tool removes it from one at a time."
        return Denial(
            deed=deed, reason=reason, alternative=f"Run them yourself: {'; '.join(map(str, owned))}", printed=True
        )
    names = _letter(controller, array), address
    add, remove = (_action(tool, controller.slot, names, verb) for verb in ("add", "remove"))
    short = adds and volume.status == "degraded"
    if short:  # it takes the place of a member at once, and is then a member
        expects = [*used_at_once(drive, array)]
    else:
        expects = [_expect(drive, "role", "is", "spare" if adds else "unassigned")]
        expects += [_expect(drive, "spare_for", "contains", array)] if adds else []
    return [
        Step(
            object_id=volume.id, setting=deed.verb, before=drive.role or "", after="spare" if adds else "unassigned",
            kind="deed", way_back="same" if deed.verb != "add_member" else "other",
            action=add if adds else remove, undo=remove if adds else add, expects=tuple(expects),
            undo_expects=(_expect(drive, "role", "is", (drive.role or "unassigned") if adds else "spare"),),
            subjects=(
                Identity(object_id=drive.id, unique=uniques[0] or ""),
                Identity(object_id=volume.id, unique=uniques[1] or ""),
            ),
            affects=(f"The rebuild of {volume.id} begins.",) if short else (),
        )
    ]  # fmt: skip


def _letter(controller: Controller, array: str) -> str:
    return array.removeprefix(f"{controller.id}/")


def _action(tool: str, slot: str, names: tuple[str, str], verb: str) -> Action:
    array, address = names
    argv = (tool, "ctrl", f"slot={slot}", "array", array, verb, f"spares={address}")
    return Action(argv=argv, timeout=TIMEOUT, lock=LOCK, environment=ENVIRONMENT)


def _expect(drive: Drive, field: str, op: Literal["is", "contains"], value: str) -> Expectation:
    return Expectation(object_id=drive.id, field=field, op=op, value=value, within_seconds=_SECONDS)
