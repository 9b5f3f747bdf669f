"""The steps from a machine to a layout, for ``raidctl layout plan``. Pure; nothing is run.

Settings come first, then missing volumes. Volumes are never deleted or converted: a difference that needs this is
refused, with the reason.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Struct, structs

from raidctl.change.guard import unsafe
from raidctl.described import doc
from raidctl.layout.capacity import OVERHEAD, capacity, impossible
from raidctl.layout.choose import Chosen, Stock, candidates, choose
from raidctl.layout.compare import Compared, Comparison, compare, members_named
from raidctl.layout.missing_spares import MissingSpares, missing_spares, only_spares_differ
from raidctl.layout.objects import Machine
from raidctl.layout.specification import Counted, Layout, VolumeLayout
from raidctl.layout.tables import Row, rows, script
from raidctl.model import Controller, Drive, Tool
from raidctl.model.inventory import RaidLevel
from raidctl.operate.contents import Contents
from raidctl.survey.survey import Survey
from raidctl.vendor.creating import CannotCreate, NewVolume, creating_of
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of

_LARGE = 4 * 10**12
_NOT_LISTED = (
    'The layout does not list it, and has unlisted = "refuse": add it to the layout, or name it under [[delete]].'
)
_OPTIONS = {"write": "--write", "read": "--read", "io": "--io", "drive_cache": "--drive-cache"}


class Step(Struct, frozen=True, kw_only=True):
    """One manual step."""

    kind: Annotated[
        Literal["setting", "config", "create", "spare", "delete"],
        doc(
            "`setting`: undone by the next change; `config`: an ARRAY line of the configuration; `create`, `spare`, "
            "`delete`: what the drives contain is lost."
        ),
    ]
    label: Annotated[str, doc("Name of the volume in the layout.")]
    commands: Annotated[tuple[str, ...], doc("As typed into a shell.")]
    overwrites: Annotated[tuple[str, ...], doc("Drives whose contents are lost: serial numbers or ids.")] = ()
    warnings: Annotated[tuple[str, ...], doc("Risks of the volume that it makes, one sentence each.")] = ()


class NotPlanned(Struct, frozen=True, kw_only=True):
    """A difference without a step, and the reason."""

    label: Annotated[str, doc("Name in the layout; id of an object that it does not list.")]
    why: Annotated[tuple[str, ...], doc("Reasons, one sentence each.")]
    line: Annotated[int | None, doc("Its line in the file; null: of no volume, or several have that name.")] = None


class LayoutPlan(Struct, frozen=True, kw_only=True):
    """The steps from a machine to a layout."""

    host: Annotated[str | None, doc("Host name of the machine; null: unknown.")]
    steps: Annotated[tuple[Step, ...], doc("In order: settings first.")] = ()
    not_planned: Annotated[tuple[NotPlanned, ...], doc("Differences without a step.")] = ()
    point_of_no_return: Annotated[int | None, doc("Index of the first step that overwrites; null: none does.")] = None


def nodes_to_probe(layout: Layout, seen: Survey) -> list[str]:
    """The device nodes that new md arrays may use. Their contents are read before planning."""
    machine = Machine(seen.inventory)
    nodes: dict[str, None] = {}
    for wanted in _missing(layout, compare(layout, seen.inventory)):
        for controller in machine.controllers(wanted.controller):
            if controller.mode != "software":
                continue
            names = {name.partition("-part")[0] for name in _named(wanted)}
            counted = isinstance(wanted.drives, Counted) or isinstance(wanted.spares, int)
            for drive in candidates(controller, machine):
                block = seen.view.block(drive.device)
                if block is not None and (counted or names & machine.names(drive)):
                    nodes |= dict.fromkeys([block.node, *(one.node for one in seen.view.above(block.name))])
    return list(nodes)


def _named(wanted: VolumeLayout) -> Iterator[str]:
    for names in (wanted.drives, wanted.spares):
        yield from names if isinstance(names, tuple) else ()


def _missing(layout: Layout, found: Comparison) -> Iterator[VolumeLayout]:
    lines = {one.line for one in found.compared if one.verdict == "missing" or only_spares_differ(one)}
    return (volume for volume in layout.volumes if volume.line in lines)


def plan(layout: Layout, seen: Survey, vendors: Sequence[Vendor], contents: Mapping[str, Contents]) -> LayoutPlan:
    """The steps, and differences without a step."""
    stock = Stock(machine=Machine(seen.inventory), seen=seen, contents=contents)
    return compiled(layout, stock, vendors).plan


class Creation(Struct, frozen=True, kw_only=True):
    """A volume to create, with its drives."""

    wanted: VolumeLayout
    controller: Controller
    chosen: Chosen
    new: NewVolume


class Compiled(Struct, frozen=True, kw_only=True):
    """A layout compiled for a machine."""

    plan: LayoutPlan
    found: Comparison
    creations: tuple[Creation, ...] = ()
    desired: tuple[Desired, ...] = ()
    """The settings of volumes that exist."""
    spares: tuple[MissingSpares, ...] = ()
    """Spares that existing arrays lack."""
    unwanted: tuple[str, ...] = ()
    """Ids of the volumes to delete."""


def drives_of(one: Creation) -> list[Drive]:
    """The physical drives of a volume, each once."""
    places = (*one.chosen.places, *one.chosen.spares)
    return list({place.drive.id: place.drive for place in places}.values())


def drive_tables(creations: Sequence[Creation]) -> Iterator[tuple[Drive, list[Creation], list[Row] | str]]:
    """The partition table of each drive that gets one.

    The partitions of all volumes on the drive are included. A sentence replaces the table if they do not fit.
    """
    wanted: dict[str, tuple[Drive, list[Creation]]] = {}
    for one in creations:
        for drive in drives_of(one) if one.wanted.partition is not None else ():
            wanted.setdefault(drive.id, (drive, []))[1].append(one)
    for drive, mine in wanted.values():
        partitions = [one.wanted.partition for one in mine if one.wanted.partition is not None]
        yield drive, mine, rows(partitions, drive.size_bytes or 0)


def _partitioned(creations: Sequence[Creation], seen: Survey) -> Iterator[tuple[Creation, str, bool]]:
    """Each volume with the command that creates partitions. If they do not fit: the reason, and true."""
    for drive, mine, table in drive_tables(creations):
        if isinstance(table, str):
            yield mine[0], f"{drive.id}: {table}", True
        elif not any(one.parent == (drive.device or "").removeprefix("/dev/") for one in seen.view.blocks):
            text = script(drive.device or "", table).replace("\n", "\\n")
            yield mine[0], f"printf '{text}' | sfdisk --quiet {drive.device}", False


def _with_tables(made: list[Creation], steps: list[Step], seen: Survey) -> Iterator[NotPlanned]:
    """Put partitioning commands before the first volume that needs them. Yield volumes that do not fit."""
    for one, text, wrong in _partitioned(made, seen):
        if wrong:
            yield NotPlanned(label=one.wanted.label, why=(text,))
            continue
        at = made.index(one)
        commands = steps[at].commands
        steps[at] = structs.replace(steps[at], commands=(*commands[:-1], text, commands[-1]))


def chosen_names(one: Creation, *, spares: bool = False) -> tuple[str, ...]:
    """The names of the drives for the layout. A new partition is not part of the name."""
    places = one.chosen.spares if spares else one.chosen.places
    part = members_named(one.wanted, [""])[0]
    return tuple(place.name.removesuffix(part) if part else place.name for place in places)


def compiled(layout: Layout, stock: Stock, vendors: Sequence[Vendor]) -> Compiled:
    """Compare a machine with a layout. Choose the drives of missing objects."""
    found = compare(layout, stock.seen.inventory)
    wrong = [one for one in found.compared if one.label == "machine" and one.verdict != "same"]
    if wrong:
        why = "The layout is for another machine, or it is unknown which machine this is."
        refusal = NotPlanned(label="machine", why=(why,))
        return Compiled(plan=LayoutPlan(host=found.host, not_planned=(refusal,)), found=found)
    settings, creations, refused = list(_unlisted_arrays(found)), list[Step](), list[NotPlanned]()
    made, desired, spares = list[Creation](), list[Desired](), list[MissingSpares]()
    wanted = {volume.line: volume for volume in layout.volumes}
    for one in found.compared:
        volume = wanted.get(one.line or 0)
        if one.verdict == "missing" and volume is not None:
            step = _creation(volume, stock, vendors)
            if isinstance(step, NotPlanned):
                refused.append(step)
            else:
                creations.append(step[0])
                made.append(step[1])
                refused += _spares_not_planned(step[1])
        elif one.verdict == "unlisted" and layout.only_listed:
            refused.append(NotPlanned(label=one.object_id or one.label, why=(_NOT_LISTED,)))
        elif one.verdict == "unwanted":
            continue
        elif volume is not None and only_spares_differ(one):
            missing = missing_spares(one, volume, stock)
            if isinstance(missing, tuple):
                refused.append(NotPlanned(label=one.label, why=tuple(f"spares: {text}" for text in missing)))
            else:
                spares.append(missing)
                stock.taken.extend(missing.places)
        elif one.verdict in ("settings", "different", "unknown", "missing") or one.differences:
            mine = tuple(_desired(one, volume)) if volume is not None else ()
            desired += mine
            settings += [_setting(one, mine)] if mine else []
            refused += _others(one, planned=bool(mine))
    refused += _with_tables(made, creations, stock.seen)
    unwanted = [one for one in found.compared if one.verdict == "unwanted"]
    deletions = [Step(kind="delete", label=one.object_id or one.label, commands=(), overwrites=()) for one in unwanted]
    steps = (*settings, *creations, *(_adding(one) for one in spares), *deletions)
    return Compiled(
        plan=LayoutPlan(
            host=found.host, steps=steps, not_planned=tuple(lined(refused, layout)),
            point_of_no_return=len(settings) if len(steps) > len(settings) else None,
        ),
        found=found, creations=tuple(made), desired=tuple(desired), spares=tuple(spares),
        unwanted=tuple(one.object_id for one in unwanted if one.object_id),
    )  # fmt: skip


def _unlisted_arrays(found: Comparison) -> Iterator[Step]:
    """The ARRAY lines that existing volumes lack."""
    for one in found.compared:
        if any(each.key == "config" for each in one.differences):
            yield Step(kind="config", label=one.label, commands=())


def lined(refused: Sequence[NotPlanned], layout: Layout) -> Iterator[NotPlanned]:
    """Add to each the line of its volume in the file."""
    lines: dict[str, list[int]] = {}
    for volume in layout.volumes:
        lines.setdefault(volume.label, []).append(volume.line)
    for one in refused:
        own = lines.get(one.label, [])
        yield structs.replace(one, line=own[0]) if len(own) == 1 else one


def _adding(one: MissingSpares) -> Step:
    """The raidctl commands that add spares."""
    commands = tuple(
        shlex.join(["raidctl", "spare", "add", place.node or place.name, "--for", one.volume.id])
        for place in one.places
    )
    names = tuple(place.name for place in one.places)
    return Step(kind="spare", label=one.volume.id, commands=commands, overwrites=names)


def _spares_not_planned(made: Creation) -> Iterator[NotPlanned]:
    """Spares of a new volume on a controller. They need a separate command."""
    if made.chosen.spares and made.controller.mode != "software":
        names = ", ".join(place.name for place in made.chosen.spares)
        why = f'spares: run "raidctl spare add" or the vendor\'s tool for {names} when the volume exists.'
        yield NotPlanned(label=made.wanted.label, why=(why,))


_SETTING: Mapping[str, Setting] = {
    "write": "write_policy", "read": "read_policy", "io": "io_policy", "drive_cache": "drive_write_cache",
}  # fmt: skip


def _desired(one: Compared, volume: VolumeLayout) -> Iterator[Desired]:
    """The settings that differ; unknown ones are not set."""
    for each in one.differences:
        if each.found is not None and each.key in _OPTIONS and one.object_id is not None:
            yield Desired(object_id=one.object_id, setting=_SETTING[each.key], value=str(getattr(volume, each.key)))


def _setting(one: Compared, desired: Sequence[Desired]) -> Step:
    """The raidctl command that sets the differing settings."""
    options = {setting: _OPTIONS[key] for key, setting in _SETTING.items()}
    words = [word for each in desired for word in (options[each.setting], each.value.replace("_", "-"))]
    command = shlex.join(["raidctl", "cache", "set", str(one.object_id), *words])
    return Step(kind="setting", label=one.label, commands=(command,))


def _others(one: Compared, *, planned: bool) -> Iterator[NotPlanned]:
    """Parts of a difference without a step."""
    if one.why is not None:
        yield NotPlanned(label=one.label, why=(one.why,))
        return
    why = []
    for each in one.differences:
        if each.key == "config":
            continue
        if each.found is None:
            why.append(f"{each.key}: what the machine has is not reported.")
        elif each.key not in _OPTIONS or not planned:
            why.append(f"{each.key} is {each.found}, not {each.wanted}: {_advice(each.key)}")
    if why:
        yield NotPlanned(label=one.label, why=tuple(why))


def _advice(key: str) -> str:
    if key == "drives":
        return '"raidctl replace" changes members; if it is right as it is, write the layout again.'
    if key == "spares":
        return 'for md "raidctl spare add"; else use the vendor\'s tool.'
    if key in ("name", "members"):
        return "change it with the vendor's tool, or in the layout."
    return "raidctl does not convert volumes; the volume would have to be deleted and created again."


def _creation(wanted: VolumeLayout, stock: Stock, vendors: Sequence[Vendor]) -> tuple[Step, Creation] | NotPlanned:
    controllers = stock.machine.controllers(wanted.controller)
    if len(controllers) != 1:
        ids = ", ".join(one.id for one in controllers)
        several = f'"{wanted.controller}" fits {len(controllers)} controllers: name one by its id, {ids}.'
        why_not = several if controllers else stock.machine.no_controller(wanted.controller)
        return NotPlanned(label=wanted.label, why=(why_not,))
    controller = controllers[0]
    chosen = choose(wanted, controller, stock)
    why = chosen.why or tuple(impossible(wanted, chosen))
    if why or wanted.raid_level is None:
        return NotPlanned(label=wanted.label, why=why or ("The layout does not give its RAID level.",))
    if (risk := _risk(wanted, controller)) is not None:
        return NotPlanned(label=wanted.label, why=(risk,))
    new = _new(wanted, wanted.raid_level, chosen)
    try:
        commands = _commands(controller, new, vendors, stock.seen)
    except CannotCreate as error:
        return NotPlanned(label=wanted.label, why=(str(error),))
    places = (*chosen.places, *chosen.spares)
    stock.taken.extend(places)
    made = Creation(wanted=wanted, controller=controller, chosen=chosen, new=new)
    names = tuple(place.name for place in places)
    step = Step(
        kind="create", label=wanted.label, commands=commands, overwrites=names, warnings=tuple(_warnings(made))
    )  # fmt: skip
    return step, made


def _warnings(made: Creation) -> Iterator[str]:
    """P8: the failures that its RAID level does not survive."""
    label, new = made.wanted.label, made.new
    if new.raid_level in ("raid0", "linear"):
        yield f"{label} is a {new.raid_level}: the first drive that fails takes all of its data with it."
    if new.raid_level == "raid5" and any((drive.size_bytes or 0) > _LARGE for drive in new.drives):
        yield f"{label} is a RAID-5 of drives of more than 4 TB: an unreadable sector during a rebuild loses data."


def _risk(wanted: VolumeLayout, controller: Controller) -> str | None:
    """P10: why the write policy of a new volume could lose data. None: it is safe."""
    if wanted.write is None:
        return None
    why = unsafe(controller, Desired(object_id=controller.id, setting="write_policy", value=wanted.write))
    return f'write: {why} Without it, the volume can be made; then "raidctl cache set" sets it.' if why else None


def _new(wanted: VolumeLayout, level: RaidLevel, chosen: Chosen) -> NewVolume:
    most = capacity(wanted, chosen)
    size = wanted.size if isinstance(wanted.size, int) else None
    whole = size is None or (most is not None and size >= most * (1 - OVERHEAD))
    return NewVolume(
        name=wanted.name, raid_level=level, drives=tuple(place.drive for place in chosen.places),
        nodes=tuple(place.node for place in chosen.places if place.node),
        spares=tuple(place.node for place in chosen.spares if place.node), size_bytes=None if whole else size,
        strip_bytes=wanted.strip_bytes, write=wanted.write, read=wanted.read, metadata=wanted.metadata,
        md_layout=wanted.md_layout, consistency_policy=wanted.consistency_policy,
    )  # fmt: skip


def _commands(controller: Controller, new: NewVolume, vendors: Sequence[Vendor], seen: Survey) -> tuple[str, ...]:
    """The commands of the controller's family.

    Raises:
        CannotCreate: It has none.
    """
    vendor = vendor_of(controller.id, vendors)
    creating = creating_of(vendor) if vendor is not None else None
    if vendor is None or creating is None:
        raise CannotCreate(f"No source shows how a volume is made on {controller.id}: use the vendor's tool.")
    names = {spec.name for spec in vendor.TOOLS}
    tools: list[Tool] = [tool for tool in seen.inventory.tools if tool.name in names]
    return tuple(shlex.join(words) for words in creating.create(controller, new, tools))
