"""The replacement of a drive, stage by stage: what is there now decides, the journal has what was meant. Pure.

``asked`` → ``copying`` (a good drive is copied to another one) or ``taken_out`` → ``waiting_pull`` → ``waiting_push`` →
``vetting`` → ``letting_in`` → ``rebuilding`` → ``verifying`` → ``done``. A stage is planned from a reading of the
machine alone, so a replacement continues after a reboot, a kill, or work of somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from raidctl.health.redundancy import in_words
from raidctl.model import Controller, Drive, Volume
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Expectation, Step

StageName = Literal[
    "copying", "taken_out", "waiting_pull", "waiting_push", "vetting", "letting_in", "rebuilding", "verifying", "done"
]
_PULLED = 0.0
"""No limit: a person takes the time that it takes."""


class Facts(Struct, frozen=True, kw_only=True):
    """What a replacement is about; kept in the journal as text."""

    old: str
    """Serial number of the drive that leaves; empty: it is gone, and nothing knows it."""
    old_id: str
    bay: str
    """Where it is, for a person."""
    place: str
    """Its place on the bus, which the new drive should have, too; empty: unknown."""
    members: str
    """``UUID=PARTITION`` of each array, separated by blanks; an empty partition: the whole drive."""
    known: str
    """Serial numbers of all drives at the beginning, separated by blanks."""
    way: Literal["copy", "out"]
    new: str = ""
    """Serial number of the drive that joins; empty: not yet known."""
    errors: str = ""
    """``ID=COUNT`` of the other members with errors at the beginning."""
    leaving: str = ""
    """Serial numbers of the drives that other replacements take out, separated by blanks."""
    bays: str = ""
    """``SERIAL=LED`` of each drive whose bay has an LED of its own, one a line."""
    gone: Literal["", "member", "spare"] = ""
    """How it began, if the old drive was gone: an array lacked the member, or a spare had taken its place."""
    boot: str = ""
    """What has to be done so that the machine boots from the new drive, ``NEW``; empty: nothing."""
    boot_tool: str = ""
    """The program that does it, where that is certain."""
    boot_run: Literal["", "yes"] = ""
    """Whether it is to be run."""

    @property
    def name(self) -> str:
        """The drive that is replaced, for a sentence."""
        return self.old or f"the missing drive of {self.old_id}"

    @property
    def leds(self) -> dict[str, str]:
        """The id of the LED of each drive's bay, by its serial number."""
        return dict(line.split("=", 1) for line in self.bays.splitlines())

    @property
    def arrays(self) -> dict[str, str]:
        """The partition of each array, by UUID; empty: the whole drive."""
        return dict(word.split("=", 1) for word in self.members.split())

    @property
    def others(self) -> tuple[str, ...]:
        """The serial numbers that must stay: whatever is pulled by mistake is missed, also after a reboot."""
        leaving = {self.old, *self.leaving.split()}
        return tuple(serial for serial in self.known.split() if serial not in leaving)

    @property
    def partitions(self) -> list[str]:
        """The numbers of the partitions that are members."""
        return [part for part in self.arrays.values() if part]


class Part(Struct, frozen=True):
    """One array of the story, as it is now."""

    controller: Controller
    volume: Volume
    partition: str

    def member(self, node: str) -> Drive | None:
        """The member of the array that is a device node."""
        wanted = node_of(node, self.partition)
        return next((one for one in self.members if one.device == wanted), None)

    @property
    def members(self) -> Iterator[Drive]:
        """All drives that are listed in the array."""
        return (one for one in self.controller.drives if one.array == self.volume.array)

    @property
    def whole(self) -> list[Drive]:
        """The members that work."""
        return [one for one in self.members if one.role == "member" and one.status == "ok"]

    @property
    def complete(self) -> bool:
        """Whether all of its members work, and nothing is being done to it."""
        want = self.volume.drives_expected
        return want is not None and self.volume.drives_active == want and self.volume.progress is None


def node_of(node: str, partition: str) -> str:
    """Return the device node of a partition: ``/dev/sda1``, ``/dev/nvme0n1p1``."""
    return f"{node}{'p' if partition and node[-1:].isdigit() else ''}{partition}"


class Stage(Struct, frozen=True):
    """What comes next."""

    name: StageName
    deeds: tuple[Deed, ...] = ()
    """To be planned by the family."""
    step: Step | None = None
    """A step of a person, or a wait."""
    problem: str | None = None
    """Why the story cannot continue by itself, one sentence."""


def parts(seen: Survey, facts: Facts) -> list[Part] | str:
    """Return the arrays of the story; a sentence if one is missing."""
    found = []
    for uuid, partition in facts.arrays.items():
        match = [
            (controller, volume)
            for controller in seen.inventory.controllers
            for volume in controller.volumes
            if volume.unique_id == uuid
        ]
        if len(match) != 1:
            return f"The array {uuid} does not exist now, or is not assembled."
        found.append(Part(*match[0], partition))
    return found


def drive_of(seen: Survey, serial: str) -> Drive | None:
    """Return the physical drive with a serial number."""
    drives = (
        drive for controller in seen.inventory.controllers if controller.mode != "software"
        for drive in controller.drives if drive.serial == serial
    )  # fmt: skip
    return next(drives, None)


def newcomers(seen: Survey, facts: Facts) -> list[Drive]:
    """Return the drives that were not there at the beginning."""
    known = set(facts.known.split())
    return [
        drive
        for controller in seen.inventory.controllers
        if controller.mode != "software"
        for drive in controller.drives
        if drive.serial and drive.serial not in known
    ]


def place_of(seen: Survey, drive: Drive) -> str:
    """Return where a drive is attached: its SCSI address, or the address of its NVMe controller; empty: unknown."""
    block = seen.view.block(drive.device or "")
    return (block.scsi_address or (block.pci_address if block.transport == "nvme" else None) or "") if block else ""


def standing(seen: Survey, facts: Facts) -> str:
    """Say what the arrays of the story survive now, for whoever has to decide what to do next."""
    found = parts(seen, facts)
    if isinstance(found, str):
        return found
    words = [
        f"{part.volume.id} is {part.volume.status} and {in_words(part.volume.failures_tolerated) or 'may survive none'}"
        for part in found
    ]
    return f"{'; '.join(words)}."


def outside(seen: Survey, facts: Facts) -> Iterator[tuple[Volume, str]]:
    """Yield arrays, and the nodes of former members that are there: no array takes them again by itself."""
    arrays = parts(seen, facts)
    if isinstance(arrays, str):
        return
    used = {one.device for controller in seen.inventory.controllers for one in controller.drives if one.array}
    back = [drive_of(seen, serial) for serial in facts.others]
    for part in arrays:
        for drive in back:
            node = node_of(drive.device, part.partition) if drive is not None and drive.device else None
            block = seen.view.block(node) if node else None
            if (
                node is not None
                and block is not None
                and block.filesystem == "linux_raid_member"
                and not {node, block.node} & used
            ):
                yield part.volume, node


def next_stage(seen: Survey, facts: Facts) -> Stage:
    """Return what comes next, from what the machine shows now."""
    arrays = parts(seen, facts)
    if isinstance(arrays, str):
        return Stage("waiting_push", problem=arrays)
    old = drive_of(seen, facts.old)
    new = drive_of(seen, facts.new) if facts.new else None
    failed = next((part.volume.id for part in arrays if part.volume.status in ("failed", "offline", "inactive")), None)
    if failed is not None:
        return Stage("rebuilding", problem=f"{failed} no longer works: nothing is done to its drives.")
    if facts.way == "copy" and old is not None and new is not None and _still_in(arrays, old):
        return _copying(arrays, old, new, facts)
    if old is not None:
        return _leaving(arrays, old, facts)
    if new is None:
        return _coming(seen, facts)
    return _joining(arrays, new, facts)


def _still_in(arrays: Sequence[Part], drive: Drive) -> bool:
    """Whether a drive is a working member anywhere."""
    members = [part.member(drive.device or "") for part in arrays]
    return any(member is not None and member.role == "member" for member in members)


def _copying(arrays: Sequence[Part], old: Drive, new: Drive, facts: Facts) -> Stage:
    """The new drive joins as a spare, each old member is copied to it."""
    outside = [part for part in arrays if part.member(new.device or "") is None]
    if outside:
        return Stage("letting_in", deeds=tuple(_add(part, new) for part in outside))
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
                    device=node_of(old.device or "", part.partition),
                    successor=node_of(new.device or "", part.partition),
                )
                for part in waiting
            ),
        )  # fmt: skip
    return Stage("copying", step=_wait("copying", arrays, new, facts, old))


def _add(part: Part, new: Drive) -> Deed:
    node = node_of(new.device or "", part.partition)
    return Deed(object_id=part.volume.id, verb="add_spare", drive=new.id, device=node)


def _leaving(arrays: Sequence[Part], old: Drive, facts: Facts) -> Stage:
    """The old drive is taken out of its arrays, then a person pulls it."""
    deeds: list[Deed] = []
    for part in arrays:
        member = part.member(old.device or "")
        node = node_of(old.device or "", part.partition)
        if member is not None and member.role == "member":
            deeds.append(Deed(object_id=part.volume.id, verb="fail", drive=old.id, device=node))
        if member is not None:
            deeds.append(Deed(object_id=part.volume.id, verb="remove", drive=old.id, device=node))
    if deeds:
        return Stage("taken_out", deeds=tuple(deeds))
    gone = Expectation(object_id=f"serial:{facts.old}", field="present", value="no", within_seconds=_PULLED)
    text = f"Pull the drive with serial number {facts.old}{facts.bay and f' ({facts.bay})'}. Not another one."
    return Stage("waiting_pull", step=_hand("pull", old.id, text, (gone,), facts.others))


def _hand(setting: str, object_id: str, text: str, expects: tuple[Expectation, ...], keeps: tuple[str, ...]) -> Step:
    return Step(
        object_id=object_id, setting=setting, before="", after="", kind="hand", way_back="other", hand=text,
        expects=expects, keeps=keeps,
    )  # fmt: skip


def _coming(seen: Survey, facts: Facts) -> Stage:
    """A person puts the new drive in; it must be one that was not there before."""
    found = newcomers(seen, facts)
    if len(found) > 1:
        names = ", ".join(f"{drive.serial} ({drive.device})" for drive in found)
        return Stage("vetting", problem=f"There are several new drives: {names}. Name one with --with.")
    if found:
        place = place_of(seen, found[0])
        if facts.place and place and place != facts.place:
            text = (
                f"The new drive {found[0].serial} ({found[0].device}) is at {place}, and the old one was at "
                f"{facts.place}. If it is the right one, name it with --with {found[0].serial}."
            )
            return Stage("vetting", problem=text)
        return Stage("vetting")
    text = f"Put the new drive into the bay of the old one{facts.bay and f' ({facts.bay})'}."
    return Stage("waiting_push", step=_hand("push", facts.old_id, text, (), facts.others))


def _joining(arrays: Sequence[Part], new: Drive, facts: Facts) -> Stage:
    """The new drive joins, and is rebuilt."""
    outside = [part for part in arrays if part.member(new.device or "") is None]
    if outside and not (facts.way == "copy" and all(part.complete for part in arrays)):
        return Stage("letting_in", deeds=tuple(_add(part, new) for part in outside))
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
    """Whether the new drive is filled, and the array is short of another member that nobody rebuilds."""
    member = part.member(new.device or "")
    filled = member is not None and member.role == "member" and member.status == "ok"
    want, have = part.volume.drives_expected, part.volume.drives_active
    return filled and part.volume.progress is None and want is not None and have is not None and have < want


def _wait(
    setting: Literal["copying", "rebuilding", "verifying"], arrays: Sequence[Part], new: Drive, facts: Facts,
    old: Drive | None = None,
) -> Step:  # fmt: skip
    expects: list[Expectation] = []
    for part in arrays:
        want = str(part.volume.drives_expected)
        expects.append(_expect(part.volume.id, "drives_active", want))
        if old is not None:
            expects.append(
                _expect(f"{part.volume.id}/{_name(node_of(old.device or '', part.partition))}", "role", "failed")
            )
    name = ", ".join(part.volume.id for part in arrays)
    return Step(
        object_id=arrays[0].volume.id, setting=setting, before=facts.old, after=facts.new, kind="wait",
        way_back="other",
        expects=tuple(expects), affects=(f"{name}: {new.id} takes the place of {facts.old}.",),
    )  # fmt: skip


def _name(node: str) -> str:
    return node.removeprefix("/dev/")


def _expect(object_id: str, field: str, value: str) -> Expectation:
    return Expectation(object_id=object_id, field=field, value=value, within_seconds=_PULLED)


def facts_from(kept: Mapping[str, str]) -> Facts:
    """Return the facts that the journal has."""
    return msgspec.convert(dict(kept), Facts)


def facts_text(facts: Facts) -> dict[str, str]:
    """Return the facts as the journal keeps them."""
    return {name: getattr(facts, name) for name in Facts.__struct_fields__}
