"""The facts of a replacement, and its arrays and drives in readings. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from raidctl.change.expectations import serials_of
from raidctl.change.waiting import unread_text
from raidctl.health.redundancy import WHOLE, being_rebuilt, below, in_words, rebuilding
from raidctl.host import partition_node
from raidctl.model import Controller, Drive, Volume
from raidctl.model.task import CHECKS, FILLING
from raidctl.survey.survey import Survey
from raidctl.vendor.identity import unique_of
from raidctl.vendor.plan import Deed, Expectation, Step

StageName = Literal[
    "copying", "removing", "waiting_pull", "waiting_push", "checking", "adding", "rebuilding", "verifying", "done"
]
NO_LIMIT = 0.0
"""No time limit: for manual steps and rebuilds."""


class Facts(Struct, frozen=True, kw_only=True):
    """The facts of a replacement; stored in the journal as text."""

    old: str
    """Serial number of the old drive; empty: it is gone, and unknown."""
    old_id: str
    bay: str
    """The location of the old drive, for a person."""
    place: str
    """Its address on the bus, which the new drive should have, too. Empty: unknown."""
    members: str
    """``UUID=PARTITION`` of each array, separated by blanks. An empty partition: the whole drive."""
    known: str
    """Serial numbers of all drives at the start. They are one per line, or separated by blanks."""
    way: Literal["copy", "out"]
    new: str = ""
    """Serial number of the new drive; empty: not yet known."""
    errors: str = ""
    """``ID=COUNT`` of the other members with errors at the start."""
    leaving: str = ""
    """Serial numbers of the old drives of other replacements, and of earlier successors, separated by blanks."""
    joining: str = ""
    """Serial numbers of the new drives of other replacements, separated by blanks."""
    unread: str = ""
    """What could not be read at the start, as waits compare it. Every drive of ``known`` was present then."""
    kernel: str = ""
    """Serial numbers of the drives that the kernel showed at the start. There is one per line. These drives need no
    tool."""
    places: str = ""
    """``SERIAL<tab>enclosure 1, bay 4`` of each drive whose bay was known at the start. There is one per line."""
    bays: str = ""
    """``SERIAL=LED`` of each drive whose bay has an individual LED. There is one per line."""
    gone: Literal["", "member", "spare"] = ""
    """The initial situation if the old drive was gone. The array lacked a member, or a spare had taken its place."""
    boot: str = ""
    """The step that makes the machine boot from the new drive, ``NEW``. Empty: none."""
    boot_tool: str = ""
    """The program for that step, if certain."""
    boot_run: Literal["", "yes"] = ""
    """Whether to run it."""
    volumes: str = ""
    """The volume identifiers of a drive behind a controller. There is one per line. Empty: md arrays."""
    width: str = ""
    """Number of members of the controller's array at the start. It includes the old drive. Empty: unknown."""
    spares: Literal["", "array", "controller"] = ""
    """The scope of the array's hot spares at the start. The array is the controller's. Empty: none."""
    dropped: Literal["", "yes"] = ""
    """Whether the tool took the drive out and no longer lists it. Then no reading shows when it is pulled."""
    prepared: str = ""
    """Serial number of the new drive that raidctl has erased or partitioned. Without a signature, its data is left
    over."""

    @property
    def name(self) -> str:
        """The old drive, for a sentence."""
        return self.old or f"the missing drive of {self.old_id}"

    @property
    def leds(self) -> dict[str, str]:
        """The id of the LED of each drive's bay, by serial number."""
        return dict(line.split("=", 1) for line in self.bays.splitlines())

    @property
    def arrays(self) -> dict[str, str]:
        """The partition number per array UUID; empty: the whole drive."""
        return dict(word.split("=", 1) for word in self.members.split())

    @property
    def others(self) -> tuple[str, ...]:
        """The serial numbers that must stay. A drive pulled by mistake is thus noticed, also after a reboot."""
        leaving = {self.old, *self.leaving.split()}
        return tuple(serial for serial in self.serials if serial not in leaving)

    @property
    def serials(self) -> list[str]:
        """The serial numbers of all drives at the start."""
        return self.known.splitlines() if "\n" in self.known else self.known.split()

    @property
    def partitions(self) -> list[str]:
        """The numbers of the partitions that are members."""
        return [part for part in self.arrays.values() if part]


class Part(Struct, frozen=True):
    """One array of the replacement, in its current state."""

    controller: Controller
    volume: Volume
    partition: str
    width: int | None = None
    """Members that a controller's array had; None: unknown."""

    def member(self, node: str) -> Drive | None:
        """The member of the array with a device node."""
        wanted = partition_node(node, self.partition)
        return next((one for one in self.members if one.device == wanted), None)

    @property
    def members(self) -> Iterator[Drive]:
        """All drives that are listed in the array."""
        return (one for one in self.controller.drives if one.array == self.volume.array)

    @property
    def whole(self) -> list[Drive]:
        """The working members."""
        return [one for one in self.members if one.role == "member" and one.status == "ok"]

    @property
    def complete(self) -> bool:
        """Whether all members work, and no operation changes or fills them."""
        if self.controller.mode != "software":
            return self._complete_behind
        want = self.volume.drives_expected
        work = self.volume.progress
        # the distribution's monthly check may begin right after a rebuild
        idle = work is None or work.operation in CHECKS
        return want is not None and self.volume.drives_active == want and idle

    @property
    def busy(self) -> bool:
        """Whether a drive is being filled for it."""
        drives = (one.progress for one in self.members)
        filling = any(one is not None and one.operation in FILLING for one in drives)
        return filling or rebuilding(self.controller, self.volume)

    @property
    def _complete_behind(self) -> bool:
        """Whether a controller's volume is complete. Both its own state and that of each member count."""
        drives = below(self.controller, self.volume)
        works = [one for one in drives if one.status != "critical" and one.role != "failed" and not being_rebuilt(one)]
        helping = [one for one in self.members if one.role == "spare" and one.status != "critical"]
        filled = any(one.progress is not None and one.progress.operation in FILLING for one in (*drives, *helping))
        return (
            self.volume.status in WHOLE
            and not rebuilding(self.controller, self.volume)
            and not filled
            and len(works) == len(drives) > 0
            # some tools still list a spare as such when it has taken a member's place
            and (self.width is None or len(works) + len(helping) >= self.width)
        )


class Stage(Struct, frozen=True):
    """The next stage."""

    name: StageName
    deeds: tuple[Deed, ...] = ()
    """Deeds for the family to plan."""
    step: Step | None = None
    """A manual step, or a wait."""
    problem: str | None = None
    """Why the replacement cannot continue automatically, one sentence."""
    choices: tuple[str, ...] = ()
    """Serial numbers of the drives in question. A person names one of them."""
    then: Stage | None = None
    """The stage that follows if the family plans no step. The step would be for the deeds. None: there is always
    one."""


def hand(setting: str, object_id: str, text: str, expects: tuple[Expectation, ...], keeps: tuple[str, ...]) -> Step:
    """A manual step: what to do, and which drives must stay."""
    return Step(
        object_id=object_id, setting=setting, before="", after="", kind="hand", way_back="other", hand=text,
        expects=expects, keeps=keeps,
    )  # fmt: skip


def gone(serial: str) -> Expectation:
    """The expectation that a drive is gone."""
    return Expectation(object_id=f"serial:{serial}", field="present", value="no", within_seconds=NO_LIMIT)


def drops(step: Step) -> bool:
    """Whether the tool stops listing a drive after a step."""
    return any(one.object_id.startswith("serial:") and one.field == "present" for one in step.expects)


def pull(old: Drive, facts: Facts) -> Stage:
    """The wait until a person has pulled the old drive."""
    text = f"Pull the drive with serial number {facts.old}{facts.bay and f' ({facts.bay})'}. Not another one."
    return Stage("waiting_pull", step=hand("pull", old.id, text, (gone(facts.old),), facts.others))


def push(facts: Facts) -> Stage:
    """The wait until a person has inserted the new drive."""
    text = f"Put the new drive into the bay of the old one{facts.bay and f' ({facts.bay})'}."
    if facts.dropped:
        first = f"Pull the drive with serial number {facts.old} ({facts.old_id}): its controller no longer lists it."
        text = f"{first} Not another one. {text}"
    return Stage("waiting_push", step=hand("push", facts.old_id, text, (), facts.others))


def parts(seen: Survey, facts: Facts) -> list[Part] | str:
    """Return the arrays of the replacement; a sentence if one is missing."""
    if facts.volumes:
        return _parts_behind(seen, facts)
    found = []
    for uuid, partition in facts.arrays.items():
        match = [
            (controller, volume)
            for controller in seen.inventory.controllers
            for volume in controller.volumes
            if volume.unique_id == uuid
        ]
        if len(match) != 1:
            return f"The array {uuid} does not exist, or is not assembled."
        found.append(Part(*match[0], partition))
    return found


def _parts_behind(seen: Survey, facts: Facts) -> list[Part] | str:
    found = []
    for unique in facts.volumes.splitlines():
        match = [
            (controller, volume)
            for controller in seen.inventory.controllers if controller.mode != "software"
            for volume in controller.volumes
            if unique_of(controller, volume) == unique
        ]  # fmt: skip
        if len(match) != 1:
            return f"The volume {unique} {'is not reported now' if not match else 'is listed several times'}."
        found.append(Part(*match[0], "", int(facts.width) if facts.width else None))
    return found


def observed(facts: Facts, seen: Survey) -> Facts:
    """Return the facts, updated by a reading.

    The update concerns what was not read, the bays by serial number, and the drives that the kernel shows.
    """
    shown = {block.serial for block in seen.view.blocks if block.kind == "disk"}
    kernel = "\n".join(serial for serial in facts.serials if serial in shown)
    drives = [drive for controller in seen.inventory.controllers for drive in controller.drives]
    places = "\n".join(f"{one.serial}\t{bay_words(one)}" for one in drives if one.serial and one.bay)
    return msgspec.structs.replace(facts, unread=unread_text(seen), kernel=kernel, places=places)


def bay_words(drive: Drive) -> str:
    """Return the location of a drive, for a person; empty: unknown."""
    return place_words(drive.enclosure, drive.bay)


def place_words(enclosure: str | None, bay: str | None) -> str:
    """Return a bay, for a person; empty: unknown."""
    words = (f"enclosure {enclosure}" if enclosure else "", f"bay {bay}" if bay else "")
    return ", ".join(filter(None, words))


def drive_of(seen: Survey, serial: str) -> Drive | None:
    """Return the physical drive with a serial number."""
    drives = (
        drive for controller in seen.inventory.controllers if controller.mode != "software"
        for drive in controller.drives if drive.serial == serial
    )  # fmt: skip
    return next(drives, None)


def new_drives(seen: Survey, facts: Facts) -> list[Drive]:
    """Return the drives that were not present at the start. One that another array has taken is left out."""
    taken = taken_drives(seen, facts)
    return [drive for drive in _arrived(seen, facts) if drive.serial == facts.new or drive not in taken]


def taken_drives(seen: Survey, facts: Facts) -> list[Drive]:
    """Return the new drives that are members of another array: a controller rebuilds onto a drive in any bay."""
    arrays = parts(seen, facts)
    mine = set() if isinstance(arrays, str) else {part.volume.array for part in arrays}
    if not mine or None in mine:
        return []
    return [one for one in _arrived(seen, facts) if one.role == "member" and one.array and one.array not in mine]


def _arrived(seen: Survey, facts: Facts) -> list[Drive]:
    known = {*facts.serials, *facts.joining.split()} - {facts.new}
    return [
        drive
        for controller in seen.inventory.controllers
        if controller.mode != "software"
        for drive in controller.drives
        if drive.serial and drive.serial not in known
    ]


def name_new_drive(found: Sequence[Drive], names: Sequence[str | None], facts: Facts) -> Stage:
    """The stage in which a person names one of several new drives; ``names`` are those for the question."""
    drives = ", ".join(f"{drive.serial} ({name})" for drive, name in zip(found, names, strict=True))
    text = f"There are several new drives: {drives}. Which one takes the place of {facts.name}?"
    return Stage("checking", problem=text, choices=tuple(drive.serial or "" for drive in found))


def missing(seen: Survey, facts: Facts) -> list[str]:
    """Return the serial numbers of drives that must stay and are gone."""
    there = serials_of(seen)
    return [serial for serial in facts.others if serial not in there] if there else []


def place_of(seen: Survey, drive: Drive) -> str:
    """Return a drive's SCSI address, or its NVMe controller's PCI address. Empty: unknown."""
    block = seen.view.block(drive.device)
    return (block.scsi_address or (block.pci_address if block.transport == "nvme" else None) or "") if block else ""


def redundancy_now(seen: Survey, facts: Facts) -> str:
    """Report how many more failures the arrays survive now."""
    found = parts(seen, facts)
    if isinstance(found, str):
        return found
    words = [
        f"{part.volume.id} is {part.volume.status} and {in_words(part.volume.failures_tolerated) or 'may survive none'}"
        for part in found
    ]
    return f"{'; '.join(words)}."


def outside(seen: Survey, facts: Facts) -> Iterator[tuple[Volume, str]]:
    """Yield arrays and the nodes of present former members. No array takes these back automatically."""
    arrays = parts(seen, facts)
    if isinstance(arrays, str):
        return
    used = {one.device for controller in seen.inventory.controllers for one in controller.drives if one.array}
    back = [drive_of(seen, serial) for serial in facts.others]
    for part in arrays:
        for drive in back:
            node = partition_node(drive.device, part.partition) if drive is not None and drive.device else None
            block = seen.view.block(node)
            if (
                node is not None
                and block is not None
                and block.filesystem == "linux_raid_member"
                and not {node, block.node} & used
            ):
                yield part.volume, node


def with_successor(facts: Facts, serial: str) -> Facts:
    """Return the facts with another new drive. The previous one need not stay."""
    before = facts.new if facts.new != serial else ""
    return msgspec.structs.replace(facts, new=serial, leaving=f"{facts.leaving} {before}")


def facts_from(kept: Mapping[str, str]) -> Facts:
    """Return the facts from the journal."""
    return msgspec.convert(dict(kept), Facts)


def facts_text(facts: Facts) -> dict[str, str]:
    """Return the facts in the form of the journal."""
    return {name: getattr(facts, name) for name in Facts.__struct_fields__}
