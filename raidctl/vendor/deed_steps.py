"""Shared by plans of deeds on controllers: objects, identities, expectations, refusals. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from raidctl.model import Array, Battery, Controller, Drive, Volume
from raidctl.model.objects import by_id
from raidctl.vendor.identity import UNIDENTIFIED, unique_of
from raidctl.vendor.operations import Ability
from raidctl.vendor.plan import Action, Deed, Denial, Expectation, Identity, Plan, Saved, Step

_MIB = 1 << 20
SECONDS = 60.0
"""Seconds within which readings must show the effect of a command."""


class CannotDo(Exception):
    """A deed that is refused; turned into a denial."""

    def __init__(
        self, reason: str, alternative: str | None = None, *, guard: str = "", unknown: bool = False,
        printed: bool = False,
    ) -> None:  # fmt: skip
        """As the fields of :class:`raidctl.vendor.plan.Denial`."""
        super().__init__(reason)
        self.reason, self.alternative, self.guard, self.unknown = reason, alternative, guard, unknown
        self.printed = printed


def planned(deeds: Sequence[Deed], steps_of: Callable[[Deed], Iterable[Step] | Denial]) -> Plan:
    """The steps of all deeds, in order. Impossible deeds are denied: they return a denial or raise `CannotDo`."""
    steps: list[Step] = []
    denials: list[Denial] = []
    for deed in deeds:
        try:
            made = steps_of(deed)
            if isinstance(made, Denial):
                denials.append(made)
            else:
                steps += made
        except CannotDo as why:
            denials.append(
                Denial(
                    deed=deed, guard=why.guard, reason=why.reason, alternative=why.alternative, unknown=why.unknown,
                    printed=why.printed,
                )
            )  # fmt: skip
    return Plan(steps=tuple(steps), denials=tuple(denials))


def only_battery(controller: Controller) -> Battery:
    """The controller's battery, for a command that has no number for one.

    Raises:
        CannotDo: It lists none, or several.
    """
    packs = controller.batteries
    if len(packs) == 1:
        return packs[0]
    why = f"lists {len(packs)} batteries, but the tool's command cannot select one" if packs else "lists no battery"
    raise CannotDo(f"{controller.id} {why}.")


def refusal(ability: Ability | None, otherwise: str, fill: Callable[[str], str] = str) -> CannotDo:
    """The refusal of a deed that raidctl runs no command for.

    Args:
        ability: What the family declares for the verb; None: nothing.
        otherwise: The reason if the family declares none.
        fill: Puts this controller's numbers into a command that is only printed.
    """
    if ability is None:
        return CannotDo(otherwise)
    alternative = ability.alternative
    if ability.printed and alternative is not None:
        alternative = fill(alternative)
    return CannotDo(ability.why_not or otherwise, alternative, printed=ability.printed)


def drive_of(controller: Controller, deed: Deed) -> Drive:
    """The drive of a deed.

    Raises:
        CannotDo: The controller has no such drive.
    """
    wanted = deed.drive or deed.object_id
    found = by_id(controller.drives, wanted)
    if found is None:
        raise CannotDo(f"{wanted} is not a drive of {controller.id}.", unknown=True)
    return found


def volume_of(controller: Controller, deed: Deed) -> Volume:
    """The volume of a deed.

    Raises:
        CannotDo: The deed names none.
    """
    found = by_id(controller.volumes, deed.object_id)
    if found is None:
        raise CannotDo(f"{deed.object_id} is not a volume of {controller.id}.", unknown=True)
    return found


def array_of(controller: Controller, deed: Deed) -> Array | None:
    """The array of a deed; None: the whole controller.

    Raises:
        CannotDo: It is for something else.
    """
    if deed.object_id in (controller.id, deed.drive):
        return None
    volume = by_id(controller.volumes, deed.object_id)
    wanted = volume.array if volume is not None else deed.object_id
    found = by_id(controller.arrays, wanted)
    if found is None:
        raise CannotDo(f"The array of {deed.object_id} is unknown.", unknown=True)
    return found


def volumes_on(controller: Controller, array: str | None) -> list[Volume]:
    """The volumes on an array; None: all of the controller."""
    return [volume for volume in controller.volumes if array is None or volume.array == array]


def identity(controller: Controller, item: Drive | Volume | Controller) -> Identity:
    """The permanent identity of an object.

    Raises:
        CannotDo: It has no serial number or unique id (X1).
    """
    unique = unique_of(controller, item)
    if not unique:
        raise CannotDo(f"{item.id} {UNIDENTIFIED}.", guard="X1", unknown=True)
    return Identity(object_id=item.id, unique=unique)


def subjects(controller: Controller, deed: Deed) -> tuple[Identity, ...]:
    """The objects of a deed: its drive and its volume. Without a volume, they are its drive and the controller."""
    named = {deed.object_id, deed.drive}
    drives = [drive for drive in controller.drives if drive.id in named]
    volumes = [volume for volume in controller.volumes if volume.id in named]
    found = [identity(controller, drive) for drive in drives]
    found += [identity(controller, volume) for volume in volumes]
    return tuple(found if volumes else [*found, identity(controller, controller)])


def expect(
    object_id: str, name: str, value: str, op: Literal["is", "is_not", "contains", "lacks"] = "is"
) -> Expectation:
    """What the next readings must show within a minute."""
    return Expectation(object_id=object_id, field=name, op=op, value=value, within_seconds=SECONDS)


def used_at_once(drive: Drive, array: str | None) -> tuple[Expectation, ...]:
    """What readings must show of a spare that an incomplete array uses at once.

    It is in the array, or no longer free if the array is unknown. A drive that failed on this is neither a spare nor a
    member.
    """
    seen = expect(drive.id, "array", array) if array else expect(drive.id, "role", "unassigned", "is_not")
    return seen, expect(drive.id, "status", "critical", "is_not")


def deed_step(
    object_id: str,
    verb: str,
    change: tuple[str, str],
    action: Action,
    *,
    who: Iterable[Identity],
    expects: Iterable[Expectation],
    undo: Action | None = None,
    undo_expects: Iterable[Expectation] = (),
    same: bool = False,
    affects: Iterable[str] = (),
    no_way_back: str | None = None,
    requires: Iterable[Expectation] = (),
) -> Step:
    """The step of a deed; ``same``: its undo restores the previous state. ``requires``: conditions right before it.

    Without ``undo`` there is no way back, and ``no_way_back`` names what is lost.
    """
    return Step(
        object_id=object_id,
        setting=verb,
        before=change[0],
        after=change[1],
        kind="deed",
        action=action,
        undo=undo or Action(),
        way_back=("same" if same else "other") if undo is not None else "none",
        no_way_back=no_way_back if undo is None else None,
        subjects=tuple(who),
        requires=tuple(requires),
        expects=tuple(expects),
        undo_expects=tuple(undo_expects),
        affects=tuple(affects),
    )


def needs_member(volumes: Iterable[Volume]) -> list[str]:
    """Ids of the volumes that lack a member. A spare is used at once for these."""
    return [
        volume.id
        for volume in volumes
        if volume.status == "degraded"
        or (
            volume.drives_expected is not None
            and volume.drives_active is not None
            and volume.drives_active < volume.drives_expected
            and volume.status != "rebuilding"
        )
    ]


def short_volumes(volumes: Sequence[Volume]) -> list[str]:
    """Ids of the volumes that lack a member, for a replacement drive.

    Raises:
        CannotDo: None is known to lack one, and the state of one is unknown.
    """
    found = needs_member(volumes)
    unknown = next((volume.id for volume in volumes if volume.status == "unknown"), None)
    if not found and unknown is not None:
        raise CannotDo(f"Whether {unknown} lacks a member is unknown.", unknown=True)
    return found


def saved_ends(unique: str, node: str, size_bytes: int | None) -> tuple[Saved, ...]:
    """The first and the last MiB of a drive, which a step overwrites. Without a known size, the first alone.

    The offsets are in bytes, since few drives have a size in whole MiB.
    """
    last = max(0, (size_bytes or 0) - _MIB)
    dd = ("dd", f"if={node}", f"bs={_MIB}", "count=1", "iflag=skip_bytes", "status=none")
    return tuple(
        Saved(name=f"{unique}-{name}-mib", action=Action(argv=(*dd, f"skip={skip}")))
        for name, skip in ((("first", 0), ("last", last)) if last else (("first", 0),))
    )
