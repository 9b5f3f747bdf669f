"""The stages of a replacement, from the machine and the journal's facts. Pure.

``asked`` → ``copying`` (a good drive is copied to another one) or ``removing`` → ``waiting_pull`` → ``waiting_push`` →
``checking`` → ``adding`` → ``rebuilding`` → ``verifying`` → ``done``. The stage follows from a reading of the
machine, so a replacement continues after a reboot, a kill, or changes by others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from raidctl.host import partition_node
from raidctl.model import Drive
from raidctl.operate import stages_behind
from raidctl.operate.replacement_facts import (
    NO_LIMIT,
    Facts,
    Part,
    Stage,
    drive_of,
    missing,
    name_new_drive,
    new_drives,
    parts,
    place_of,
    pull,
    push,
)
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.plan import Deed, Expectation, Step


def next_stage(seen: Survey, facts: Facts) -> Stage:
    """Return what comes next, from what the machine shows now."""
    if facts.volumes:
        return stages_behind.next_stage(seen, facts)
    arrays = parts(seen, facts)
    if isinstance(arrays, str):
        return Stage("waiting_push", problem=arrays)
    old = drive_of(seen, facts.old)
    new = drive_of(seen, facts.new) if facts.new else None
    failed = next((part.volume.id for part in arrays if part.volume.status in ("failed", "offline", "inactive")), None)
    away = missing(seen, facts)
    if len(away) == len(facts.others) > 1:  # no wait reports this: it looks like a reading that failed
        return Stage("rebuilding", problem=_none_visible(away))
    if failed is not None and away:
        return pull(old, facts) if old is not None else push(facts)  # each first has the drive put back (R9)
    if failed is not None:
        return Stage("rebuilding", problem=f"{failed} no longer works: nothing is done to its drives.")
    if facts.way == "copy" and old is not None and _still_in(arrays, old):
        return _copying(arrays, old, new, facts)
    if old is not None:
        # if another drive is gone, nothing more is taken out (R9)
        return pull(old, facts) if away else _leaving(arrays, old, facts)
    if new is None:
        return _coming(seen, facts)
    return _joining(arrays, new, facts)


def _none_visible(serials: Sequence[str]) -> str:
    return (
        f"None of the other members is visible (serial numbers {listing(serials)}): a controller, an enclosure or a "
        "cable may have failed. Nothing is done to the drives until they are back."
    )


def _still_in(arrays: Sequence[Part], drive: Drive) -> bool:
    """Whether a drive is a working member of any of the arrays."""
    members = [part.member(drive.device or "") for part in arrays]
    return any(member is not None and member.role == "member" for member in members)


def _copying(arrays: Sequence[Part], old: Drive, new: Drive | None, facts: Facts) -> Stage:
    """The new drive joins as a spare. Each old member is copied to it; without it, the old drive stays."""
    members = [part.member(new.device or "") for part in arrays] if new is not None else []
    failed = any(member is not None and member.role == "failed" for member in members)
    if new is None or failed:
        why = "has failed" if failed else "is gone"
        text = f"The drive {facts.new}, to which {facts.old} is to be copied, {why}. {facts.old} stays in its arrays."
        way = "Name another drive" if failed else "Put it back, or name another drive"
        return Stage("copying", problem=f"{text} {way} with --with.")
    outside = [part for part in arrays if part.member(new.device or "") is None]
    if outside:
        return Stage("adding", deeds=tuple(_add(part, new) for part in outside))
    waiting = [
        part for part in arrays
        if (spare := part.member(new.device or "")) is not None and spare.role == "spare"
        and (member := part.member(old.device or "")) is not None and member.role == "member"
    ]  # fmt: skip
    if waiting:
        return Stage(
            "copying",
            deeds=tuple(
                Deed(
                    object_id=part.volume.id, verb="replace", drive=old.id,
                    device=partition_node(old.device or "", part.partition),
                    successor=partition_node(new.device or "", part.partition),
                )
                for part in waiting
            ),
        )  # fmt: skip
    return Stage("copying", step=_wait("copying", arrays, new, facts))


def _add(part: Part, new: Drive) -> Deed:
    node = partition_node(new.device or "", part.partition)
    return Deed(object_id=part.volume.id, verb="add_spare", drive=new.id, device=node)


def _leaving(arrays: Sequence[Part], old: Drive, facts: Facts) -> Stage:
    """The stage in which the old drive leaves. Removal from its arrays comes first, then a person pulls it."""
    deeds: list[Deed] = []
    for part in arrays:
        member = part.member(old.device or "")
        node = partition_node(old.device or "", part.partition)
        if member is not None and member.role == "member":
            deeds.append(Deed(object_id=part.volume.id, verb="fail", drive=old.id, device=node))
        if member is not None:
            deeds.append(Deed(object_id=part.volume.id, verb="remove", drive=old.id, device=node))
    if deeds:
        return Stage("removing", deeds=tuple(deeds))
    return pull(old, facts)


def _coming(seen: Survey, facts: Facts) -> Stage:
    """The stage in which a person inserts the new drive. It must not have been there before."""
    found = new_drives(seen, facts)
    if len(found) > 1:
        return name_new_drive(found, [drive.device for drive in found], facts)
    if found:
        place = place_of(seen, found[0])
        if facts.place and place and place != facts.place:
            text = (
                f"The new drive {found[0].serial} ({found[0].device}) is at {place}, and the old one was at "
                f"{facts.place}. Move it there, or name it if it is the right one."
            )
            return Stage("checking", problem=text, choices=(found[0].serial or "",))
        return Stage("checking")
    return push(facts)


def _joining(arrays: Sequence[Part], new: Drive, facts: Facts) -> Stage:
    """The new drive joins, and is rebuilt."""
    outside = [part for part in arrays if part.member(new.device or "") is None]
    if outside and not (facts.way == "copy" and all(part.complete for part in arrays)):
        return Stage("adding", deeds=tuple(_add(part, new) for part in outside))
    members = [part.member(new.device or "") for part in arrays]
    if any(member is not None and member.role == "failed" for member in members):
        return Stage("rebuilding", problem=f"The new drive {facts.new} has failed. Replace it as well.")
    lacking = next((part for part in arrays if _lacks_another(part, new)), None)
    if lacking is not None:
        name = lacking.volume.id
        text = f"{facts.new} is complete in {name}, but {name} lacks another member, and nothing is being rebuilt."
        return Stage("rebuilding", problem=f"{text} Replace or add that one, too.")
    if not all(part.complete for part in arrays):
        return Stage("rebuilding", step=_wait("rebuilding", arrays, new, facts))
    return Stage("verifying", step=_wait("verifying", arrays, new, facts))


def _lacks_another(part: Part, new: Drive) -> bool:
    """Whether the new drive is filled but the array lacks another member. That one is not being rebuilt."""
    member = part.member(new.device or "")
    filled = member is not None and member.role == "member" and member.status == "ok"
    want, have = part.volume.drives_expected, part.volume.drives_active
    return filled and part.volume.progress is None and want is not None and have is not None and have < want


def _wait(
    setting: Literal["copying", "rebuilding", "verifying"], arrays: Sequence[Part], new: Drive, facts: Facts
) -> Step:
    """A wait for the hardware. The copy ends with its stage: the array need not be complete then."""
    ends = arrays if setting != "copying" else ()
    expects = [_expect(part.volume.id, "drives_active", str(part.volume.drives_expected)) for part in ends]
    name = ", ".join(part.volume.id for part in arrays)
    return Step(
        object_id=arrays[0].volume.id, setting=setting, before=facts.old, after=facts.new, kind="wait",
        way_back="other", expects=tuple(expects), affects=(f"{name}: {new.id} takes the place of {facts.old}.",),
    )  # fmt: skip


def _expect(object_id: str, field: str, value: str) -> Expectation:
    return Expectation(object_id=object_id, field=field, value=value, within_seconds=NO_LIMIT)
