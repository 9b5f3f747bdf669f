"""The steps of a layout in order of execution. Pure.

Settings; erasing of drives (``--wipe``); partition tables; volumes one by one; then deletions one by one. Each stage is
planned from a new reading of the machine, so an interrupted operation continues with the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from raidctl.change.deed_plans import plan_deeds
from raidctl.change.plan_inventory import plan as plan_settings
from raidctl.host import partition_node
from raidctl.layout.deleting import deletion_objections
from raidctl.layout.machine_facts import MachineFacts
from raidctl.layout.missing_spares import MissingSpares
from raidctl.layout.plan import Compiled, Creation, NotPlanned, drive_tables, drives_of
from raidctl.layout.specification import Layout
from raidctl.layout.tables import script
from raidctl.model import Controller, Drive, Volume
from raidctl.operate import disk_steps
from raidctl.operate.contents import Contents
from raidctl.operate.new_drive import Candidate
from raidctl.operate.spare_guards import denials
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.vendor.creating import CannotCreate, Making
from raidctl.vendor.plan import Action, Deed, Denial, Expectation, Identity, Plan, Step
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.shapes import locked

_SECONDS = 30.0


class Stages(Struct, frozen=True, kw_only=True):
    """The steps by stage, and the refusals."""

    plans: tuple[tuple[str, Plan], ...] = ()
    """Name of the stage, and its steps."""
    refused: tuple[NotPlanned, ...] = ()
    printed: tuple[str, ...] = ()
    """Labels of volumes on hardware controllers, whose commands are only printed."""

    @property
    def whole(self) -> Plan:
        """All steps known so far."""
        return sum((plan for _, plan in self.plans), Plan())


class Known(Struct, frozen=True, kw_only=True):
    """The inputs of the stages."""

    layout: Layout
    seen: Survey
    read: MachineFacts
    vendors: Sequence[Vendor]
    making: Mapping[str, Making]
    wipe: frozenset[str]
    prepared: frozenset[str] = frozenset()
    """Serial numbers of the drives that this operation has erased or partitioned."""
    unsafe: bool = False


def stages(made: Compiled, known: Known) -> Stages:
    """The stages from the current state to the layout."""
    refused = list(made.plan.not_planned)
    plans: list[tuple[str, Plan]] = []
    if made.desired:
        inventory, view = known.seen.inventory, known.seen.view
        settings = plan_settings(inventory, known.vendors, made.desired, unsafe=known.unsafe, view=view)
        refused += [NotPlanned(label=one.desired.object_id, why=(one.reason,)) for one in settings.refusals]
        plans.append(("settings", settings))
    own = [one for one in made.creations if family_of(one.controller) in known.making]
    refused += [_refusal(one, why) for one in own if (why := tuple(_obstacles(one, known)))]
    plans += [("wipe", _wiping(own, known)), ("tables", _tables(own, known, refused))]
    plans += [("create", _creating(one, known)) for one in own]
    plans += [("spares", _adding(one, known, refused)) for one in made.spares]
    plans += [("config", plan) for plan in _listing(made, known)]
    for controller, volume in unwanted_volumes(made, known.seen):
        why = tuple(text for _, text in deletion_objections(controller, volume, known.seen, known.read, known.wipe))
        refused += [NotPlanned(label=volume.id, why=why)] if why else []
        plans += [] if why else [("delete", _deleting(controller, volume, known, refused))]
    return Stages(
        plans=tuple((name, plan) for name, plan in plans if plan.steps), refused=tuple(refused),
        printed=tuple(one.wanted.label for one in made.creations if one not in own),
    )  # fmt: skip


def _listing(made: Compiled, known: Known) -> Iterator[Plan]:
    """The ARRAY lines of existing volumes, if the file demands them."""
    lines = {one.line for one in known.layout.volumes if one.config}
    ids = {one.object_id for one in made.found.compared if one.line in lines}
    for family, making in known.making.items():
        volumes = [
            volume for controller in known.seen.inventory.controllers if family_of(controller) == family
            for volume in controller.volumes if volume.id in ids
        ]  # fmt: skip
        yield Plan(steps=tuple(making.register(volumes, known.read.setups[family])))


def _refusal(one: Creation, why: tuple[str, ...]) -> NotPlanned:
    return NotPlanned(label=one.wanted.label, why=why)


def unwanted_volumes(made: Compiled, seen: Survey) -> list[tuple[Controller, Volume]]:
    """The volumes to delete."""
    return [
        (controller, volume)
        for controller in seen.inventory.controllers
        for volume in controller.volumes
        if volume.id in made.unwanted
    ]


def _obstacles(one: Creation, known: Known) -> Iterator[str]:
    family = family_of(one.controller)
    yield from known.making[family].obstacles(one.new, known.read.setups[family], known.seen.view)
    if one.wanted.partition is not None and "sfdisk" not in known.read.setups[family].tools:
        yield "sfdisk is not installed."


def identity(drive: Drive) -> Identity:
    """A physical drive by its serial number."""
    return Identity(object_id=drive.id, unique=drive.serial or "", device=drive.device)


def _wiping(creations: Sequence[Creation], known: Known) -> Plan:
    """Erase the drives whose serial numbers were given with ``--wipe``."""
    steps: list[Step] = []
    for drive in {drive.id: drive for one in creations for drive in drives_of(one)}.values():
        nodes = [drive.device or "", *(one.node for one in known.seen.view.blocks if one.parent == _name(drive))]
        if drive.serial in known.wipe and any(known.read.signatures(node) for node in nodes):
            steps += disk_steps.wiping(drive, known.seen.view)
    return Plan(steps=tuple(steps))


def _name(drive: Drive) -> str:
    return (drive.device or "").removeprefix("/dev/")


def _tables(creations: Sequence[Creation], known: Known, refused: list[NotPlanned]) -> Plan:
    """Create the partitions of all volumes on a drive at once."""
    steps: list[Step] = []
    for drive, mine, table in drive_tables(creations):
        if isinstance(table, str):
            continue  # refused by the plan
        nodes = [partition_node(drive.device or "", str(row.number)) for row in table]
        missing = [node for node in nodes if known.seen.view.block(node) is None]
        if missing and len(missing) < len(nodes):
            refused.append(NotPlanned(label=mine[0].wanted.label, why=(f"{drive.id} has a part of its partitions.",)))
        elif missing:
            steps.append(_table(drive, nodes, script(drive.device or "", table)))
    return Plan(steps=tuple(steps))


def _table(drive: Drive, nodes: Sequence[str], text: str) -> Step:
    node = drive.device or ""
    return Step(
        object_id=drive.id, setting="make_table", before="no partitions", after=", ".join(nodes), kind="deed",
        way_back="other", action=Action(argv=locked(("sfdisk", "--quiet", node), [node]), feed=text),
        undo=Action(argv=("wipefs", "--all", node)), expects=tuple(_there(one, "yes") for one in nodes),
        undo_expects=tuple(_there(one, "no") for one in nodes), subjects=(identity(drive),),
    )  # fmt: skip


def _there(node: str, value: str) -> Expectation:
    return Expectation(object_id=f"node:{node}", field="present", value=value, within_seconds=_SECONDS)


def _creating(one: Creation, known: Known) -> Plan:
    family = family_of(one.controller)
    subjects = [identity(drive) for drive in drives_of(one)]
    step = known.making[family].make(one.controller, one.new, known.read.setups[family], subjects)
    deed = Deed(object_id=step.object_id, verb="create_volume")
    return Plan(steps=(step,), deeds=(deed,))


def _adding(one: MissingSpares, known: Known, refused: list[NotPlanned]) -> Plan:
    """The deeds of "spare add", with its guards."""
    nodes = {place.node: place for place in one.places}

    def guard(deed: Deed, seen: Survey) -> Sequence[Denial]:
        place = nodes[deed.device]
        found = known.read.contents.get(deed.device or "", Contents())
        found = found.left_over if place.drive.serial in known.prepared else found
        return denials(deed, seen, Candidate(drive=place.drive, node=deed.device or "", contents=found))

    made = plan_deeds(known.seen, known.vendors, one.deeds, guard, unsafe=known.unsafe)
    if made.denials:
        why = tuple(denial.reason for denial in made.denials)
        refused.append(NotPlanned(label=one.volume.id, why=why))
        return Plan()
    return made


def _deleting(controller: Controller, volume: Volume, known: Known, refused: list[NotPlanned]) -> Plan:
    """All steps of a deletion, for display. Only the first is carried out from this plan."""
    family = family_of(controller)
    if family not in known.making:
        refused.append(
            NotPlanned(label=volume.id, why=(f"raidctl does not delete volumes of {family}: use its tool.",))
        )
        return Plan()
    try:
        steps = known.making[family].delete(controller, volume, known.seen.view)
    except CannotCreate as error:
        refused.append(NotPlanned(label=volume.id, why=(str(error),)))
        return Plan()
    return Plan(steps=tuple(steps), deeds=(Deed(object_id=volume.id, verb="delete_volume"),))
