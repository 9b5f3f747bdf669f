"""Carry out a layout, stage by stage. Each stage is planned from the machine's state at that time.

The journal has the file, the chosen drives, and the names of the created volumes; progress is read from the machine. So
the operation continues after a kill or a power failure, and guards are checked again before every step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from raidctl.change import deed_steps
from raidctl.change.engine import Change
from raidctl.errors import UnderWay
from raidctl.health.redundancy import OUT_OF_REACH
from raidctl.host import partition_node
from raidctl.layout.applying_facts import ApplyFacts, DeletedVolume
from raidctl.layout.machine_facts import MachineFacts, machine_facts, makers
from raidctl.layout.objects import Machine, plain_id
from raidctl.layout.plan import Compiled, chosen_names, compiled
from raidctl.layout.specification import Layout
from raidctl.layout.stages import Known, Stages, identity, stages, unwanted_volumes
from raidctl.layout.tables import differs
from raidctl.model import Controller, Drive, Volume
from raidctl.model.drives_below import physical_drives
from raidctl.operate.contents import read_contents
from raidctl.request import Runner, converse
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.text import listing
from raidctl.vendor.creating import Setup
from raidctl.vendor.plan import Identity, Step
from raidctl.vendor.protocol import Vendor


@dataclass
class Applying:
    """A layout and the machine on which it is carried out."""

    runner: Runner
    vendors: Sequence[Vendor]
    layout: Layout
    show: Callable[[str], None]
    facts: ApplyFacts = field(default_factory=ApplyFacts)
    unsafe: bool = False
    _looked: tuple[Survey, tuple[Compiled, Stages, MachineFacts]] | None = None
    """The last reading, and the plan from it."""

    def look_at(self, seen: Survey) -> tuple[Compiled, Stages, MachineFacts]:
        """Compile the layout for the machine's current state. Each reading is probed once."""
        if self._looked is None or self._looked[0] is not seen:
            self._looked = seen, self._compiled(seen)
        return self._looked[1]

    def _compiled(self, seen: Survey) -> tuple[Compiled, Stages, MachineFacts]:
        pinned = self.facts.pinned(self.layout)
        read = converse(machine_facts(pinned, seen, self.vendors), self.runner)
        wipe = frozenset(self.facts.wipe)
        prepared = frozenset(self.facts.prepared)
        made = compiled(pinned, read.stock(seen, wipe, prepared, unsafe=self.unsafe), self.vendors)
        known = Known(
            layout=pinned, seen=seen, read=read, vendors=self.vendors, making=makers(self.vendors), wipe=wipe,
            unsafe=self.unsafe, prepared=prepared | wipe,
        )  # fmt: skip
        return made, stages(made, known), read

    def pin(self, seen: Survey, made: Compiled) -> None:
        """Store the chosen drives and the members of deleted volumes. Later stages use these."""
        self._looked = None
        self.facts = replace(
            self.facts,
            pins={one.wanted.line: (chosen_names(one), chosen_names(one, spares=True)) for one in made.creations},
            unwanted=tuple(_members(controller, volume, seen) for controller, volume in unwanted_volumes(made, seen)),
            config=any(one.wanted.config is not False for one in made.creations)
            or any(one.config for one in self.layout.volumes)
            or bool(made.unwanted),
        )

    def unused_wipes(self, seen: Survey) -> list[str]:
        """Return words of ``--wipe`` that match nothing in the layout.

        They name neither a drive of it nor a volume that it deletes.
        """
        machine = Machine(seen.inventory)
        listed = {name for one in self.facts.pinned(self.layout).volumes for names in (one.drives, one.spares)
                  if isinstance(names, tuple) for name in names}  # fmt: skip
        drives = [
            drive for _, drive in physical_drives(seen.inventory.controllers)
            if {name.partition("-part")[0] for name in listed} & machine.names(drive)
        ]  # fmt: skip
        known = {drive.serial for drive in drives} | {plain_id(one.unique_id) for one in self.layout.deletions}
        return [one for one in self.facts.wipe if not {one, plain_id(one)} & known]

    # --- called by the engine

    def guard(self, step: Step, seen: Survey) -> list[str]:
        """Return reasons why a step must not be carried out now."""
        if step.setting in ("wipe", "make_table", "create_volume", "add_spare", "delete_volume"):
            self._looked = None  # what the drives contain is read again, even if the machine is not
            _, found, _ = self.look_at(seen)
            return [f"{one.label}: {' '.join(one.why)}" for one in found.refused]
        if step.setting == "zero_superblock":
            block = seen.view.block(step.before)
            above = [one.node for one in seen.view.above(block.name)] if block is not None else []
            if block is None or above or block.mountpoints:
                return [f"{step.before} is in use{f': {above[0]}' if above else ''}, or is not there."]
        return []

    def confirm(self, step: Step, seen: Survey) -> list[str]:
        """Return what a reading does not confirm yet. This goes beyond the expectations of the step."""
        if step.setting == "wipe":
            node = step.action.argv[-1]
            left = converse(read_contents([node]), self.runner)[node].signatures
            return [] if left == () else [f"{node} still contains {', '.join(left or ('something',))}"]
        if step.setting == "make_table":
            return list(self._table_differs(step, seen))
        if step.setting == "create_volume":
            return self._made(step, seen)
        if step.setting == "zero_superblock":
            return [f"{step.before} still has its superblock"] if self._left(seen, step.before) else []
        making = makers(self.vendors)
        if step.setting in ("write_config", "install_config", "boot_image"):
            found = [(one, converse(one.setup(seen.view), self.runner)) for one in making.values()]
            return [why for one, setup in found if (why := one.wrong(step, setup)) is not None]
        return []

    def _table_differs(self, step: Step, seen: Survey) -> Iterator[str]:
        drives = physical_drives(seen.inventory.controllers)
        drive = next((drive for _, drive in drives if drive.id == step.object_id), None)
        if drive is None:
            yield f"{step.object_id} is not listed, so its partitions cannot be compared"
            return
        for one in self.facts.pinned(self.layout).volumes:
            listed = one.drives if isinstance(one.drives, tuple) else ()
            if one.partition is not None and not {drive.serial, drive.id}.isdisjoint(listed):
                block = seen.view.block(partition_node(drive.device or "", str(one.partition.number)))
                why = differs(block, one.partition, drive) if block is not None else None
                yield from [why] if why is not None else []

    def _made(self, step: Step, seen: Survey) -> list[str]:
        """Return why the volume on these drives is not made yet.

        Empty if it exists with all members and its new unique id.
        """
        serials = {one.unique for one in step.subjects}
        node = step.expects[0].object_id.removeprefix("node:")
        block = seen.view.block(node)
        for controller in seen.inventory.controllers:
            for volume in controller.volumes:
                if block is None or volume.device not in (block.node, node) or not volume.unique_id:
                    continue
                drives = [drive for drive in controller.drives if drive.array == volume.array]
                missing = serials - {drive.serial for drive in _below(drives, seen)}
                if missing or volume.raid_level != step.after:
                    return [f"{volume.id} is {volume.raid_level} without {', '.join(sorted(missing)) or 'any'}"]
                return []
        return [f"no volume {node} with a unique id is there"]

    def _left(self, seen: Survey, node: str = "") -> list[Step]:
        """Return the steps that remove deleted volumes' signatures from their members."""
        made = unwanted_volumes(self.look_at(seen)[0], seen)
        there = {volume.unique_id for _, volume in made}
        found: list[Step] = []
        for one in self.facts.unwanted:
            if one.unique_id in there:
                continue
            making = makers(self.vendors)[one.family]
            members = list(_present(one, seen))
            found += converse(making.remains(one.unique_id, members), self.runner)
        return [step for step in found if node in ("", step.before)]

    def _absent(self, seen: Survey) -> Iterator[str]:
        """Yield the serial numbers of deleted volumes' members that a reading does not show."""
        for one in self.facts.unwanted:
            there = {whole.unique for whole, _ in _present(one, seen)}
            yield from (serial for pair in one.members if (serial := pair.partition("=")[0]) not in there)

    # --- stages

    def run(self, change: Change) -> list[Volume]:
        """Carry out all stages; return the created volumes.

        The reading that confirms a step is used to plan the next stage.

        Raises:
            UnderWay: It cannot continue now; the message has the command that continues it later.
            ChangeUndone, ChangeNotUndone: A step failed.
        """
        change.guard = self.guard
        change.confirm = self.confirm
        last: Sequence[Step] = ()
        seen = change.fresh()
        while True:
            _, found, _ = self.look_at(seen)
            if found.refused or found.printed:
                why = " ".join(f"{one.label}: {' '.join(one.why)}" for one in found.refused)
                raise self._stopped(change, why or f"{', '.join(found.printed)} cannot be made here.")
            steps = self._next(found, seen)
            if not steps:
                absent = listing(self._absent(seen))
                if absent:
                    left = "signatures of the deleted volume may be left there. Put it back."
                    raise self._stopped(change, f"Not listed now: {absent}; {left}")
                made = [volume for _, volume in self._own(seen)]
                self._warn_of_old_data(made)
                _note_incomplete(change, made)
                return made
            if steps == last:
                raise self._stopped(change, f"{steps[0].setting} of {steps[0].object_id} has no lasting effect.")
            last = steps
            new = tuple(one.subjects[0].unique for one in steps if one.setting == "make_table")
            self.facts = replace(self.facts, prepared=(*self.facts.prepared, *new))
            seen = change.go_on(steps, self.facts.texts())

    def _warn_of_old_data(self, made: Sequence[Volume]) -> None:
        """P12: warn that old content may be readable again.

        An earlier array with the same drives and geometry may have left it.
        """
        nodes = {volume.device: volume for volume in made if volume.device and self.facts.pins}
        for node, found in converse(read_contents(list(nodes)), self.runner).items():
            if found.signatures:
                text = f"{nodes[node].id} shows {', '.join(found.signatures)} from earlier use of its drives:"
                self.show(f"Warning: {text} it is not empty. Check it before you use it.")

    def _next(self, found: Stages, seen: Survey) -> Sequence[Step]:
        """Return the steps of the next stage; empty: everything is done."""
        creating = [(name, plan.steps) for name, plan in found.plans if name not in ("config", "delete")]
        if creating:
            return creating[0][1]
        setups = {family: converse(one.setup(seen.view), self.runner) for family, one in makers(self.vendors).items()}
        own = self._own(seen)
        for family, making in makers(self.vendors).items():
            mine = [volume for controller, volume in own if family_of(controller) == family]
            steps = making.register(mine, setups[family])
            if steps:
                return steps
        deleting = [plan.steps[:1] for name, plan in found.plans if name == "delete"]
        left = self._left(seen)
        if left or deleting:
            return left or deleting[0]
        for one in self.facts.unwanted:
            subject = next((whole for whole, _ in _present(one, seen)), None)
            making = makers(self.vendors)[one.family]
            steps = making.unregister(one.unique_id, subject, setups[one.family]) if subject is not None else ()
            if steps:
                return steps
        return self._renewing(seen, setups)

    def _renewing(self, seen: Survey, setups: dict[str, Setup]) -> Sequence[Step]:
        if not self.facts.config:
            return ()
        subjects = {family_of(controller): _identity(volume) for controller, volume in self._own(seen)}
        for one in self.facts.unwanted:
            subject = next((whole for whole, _ in _present(one, seen)), None)
            subjects |= {one.family: subject} if subject is not None and one.family not in subjects else {}
        for family, subject in subjects.items():
            steps = makers(self.vendors)[family].renew(subject, setups[family])
            if steps:
                return steps
        return ()

    def _own(self, seen: Survey) -> list[tuple[Controller, Volume]]:
        """Return the volumes that this operation created. Those that must be in the configuration are included."""
        pinned = self.facts.pinned(self.layout)
        wanted = [
            one for one in pinned.volumes
            if one.config or (one.config is None and one.line in self.facts.pins)
        ]  # fmt: skip
        made, _, _ = self.look_at(seen)
        ids = {one.object_id for one in made.found.compared if one.line in {volume.line for volume in wanted}}
        return [
            (controller, volume)
            for controller in seen.inventory.controllers
            for volume in controller.volumes
            if volume.id in ids and family_of(controller) in makers(self.vendors)
        ]

    def _stopped(self, change: Change, why: str) -> UnderWay:
        deed_steps.mark_safely(change, max(0, len(change.begin.steps) - 1), "stopped", why)
        return UnderWay(f'{why} Then continue with "{change.begin.resume}".')


def usable(volume: Volume) -> bool:
    """Whether a new volume runs with all its members. They may still be filled, or wait for it."""
    waits = volume.status == "degraded" and volume.progress is not None  # recovery=DELAYED
    return waits or volume.status not in (*OUT_OF_REACH, "degraded", "unknown")


def _note_incomplete(change: Change, made: Sequence[Volume]) -> None:
    """Warn about new volumes without a member, which failed since the command."""
    for volume in made:
        if not usable(volume):
            text = f'{volume.id} was made, and its status is {volume.status}: "raidctl diagnose {volume.id}" shows why'
            change.warnings.append(text)
            change.doubtful = True


def _members(controller: Controller, volume: Volume, seen: Survey) -> DeletedVolume:
    members = [drive for drive in controller.drives if drive.array == volume.array]
    pairs = []
    for member in members:
        below = _below([member], seen)
        node = (member.device or "").removeprefix(below[0].device or "/") if below else ""
        pairs += [f"{below[0].serial}={node}"] if below else []
    return DeletedVolume(family=family_of(controller), unique_id=volume.unique_id or "", members=tuple(pairs))


def _below(members: Sequence[Drive], seen: Survey) -> list[Drive]:
    ids = {name for member in members for name in member.backing}
    return [drive for _, drive in physical_drives(seen.inventory.controllers) if drive.id in ids]


def _identity(volume: Volume) -> Identity:
    return Identity(object_id=volume.id, unique=volume.unique_id or "", device=volume.device)


def _present(one: DeletedVolume, seen: Survey) -> Iterator[tuple[Identity, str]]:
    """Yield the present former members: the whole drive and the member's node."""
    drives = {drive.serial: drive for _, drive in physical_drives(seen.inventory.controllers) if drive.serial}
    for pair in one.members:
        serial, _, part = pair.partition("=")
        drive = drives.get(serial)
        if drive is not None and drive.device is not None:
            yield identity(drive), f"{drive.device}{part}"
