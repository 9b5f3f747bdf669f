"""The steps from a machine to a layout, for ``raidctl layout plan``. Pure; nothing of it is run.

Settings come first, then volumes that are missing. Volumes are never deleted or converted: what would need that is
refused, with the reason.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Struct

from raidctl.described import doc
from raidctl.layout.choose import Chosen, Signatures, Stock, candidates, choose
from raidctl.layout.compare import Compared, Comparison, compare
from raidctl.layout.objects import Machine
from raidctl.layout.specification import Counted, Layout, VolumeLayout
from raidctl.model import Controller, Tool
from raidctl.model.inventory import RaidLevel
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.units import format_decimal
from raidctl.vendor.creating import CannotCreate, NewVolume, creating_of
from raidctl.vendor.protocol import Vendor

_LEAST: Mapping[RaidLevel, int] = {
    "raid0": 1, "raid1": 2, "raid5": 3, "raid6": 4, "raid10": 4, "raid4": 3, "linear": 1, "raid1t": 3, "raid10t": 6,
    "raid50": 6, "raid60": 8,
}  # fmt: skip
_USABLE: Mapping[RaidLevel, Callable[[int], float]] = {
    "raid0": float, "linear": float, "raid1": lambda _: 1.0, "raid4": lambda n: n - 1.0, "raid5": lambda n: n - 1.0,
    "raid6": lambda n: n - 2.0, "raid10": lambda n: n / 2,
}  # fmt: skip
"""Usable drives of so many."""
_SAME = 0.03
"""What metadata and rounding take of a drive at most; a volume of less is one of a part of its drives."""
_OPTIONS = {"write": "--write", "read": "--read", "io": "--io", "drive_cache": "--drive-cache"}


class Step(Struct, frozen=True, kw_only=True):
    """One step, to be run by a person."""

    kind: Annotated[Literal["setting", "create"], doc("`setting`: undone by the next change; `create`: overwrites.")]
    label: Annotated[str, doc("Name of the volume in the layout.")]
    commands: Annotated[tuple[str, ...], doc("As typed into a shell.")]
    overwrites: Annotated[tuple[str, ...], doc("Drives whose contents are lost: serial numbers or ids.")] = ()


class NotPlanned(Struct, frozen=True, kw_only=True):
    """A difference that has no step, and why."""

    label: Annotated[str, doc("Name in the layout.")]
    why: Annotated[tuple[str, ...], doc("Reasons, one sentence each.")]


class LayoutPlan(Struct, frozen=True, kw_only=True):
    """The steps from a machine to a layout."""

    host: Annotated[str | None, doc("Host name of the machine; null: unknown.")]
    steps: Annotated[tuple[Step, ...], doc("In order: settings first.")] = ()
    not_planned: Annotated[tuple[NotPlanned, ...], doc("Differences without a step.")] = ()
    point_of_no_return: Annotated[int | None, doc("Index of the first step that overwrites; null: none does.")] = None


def nodes_to_probe(layout: Layout, seen: Survey) -> list[str]:
    """The device nodes that new md arrays may be made on: they are probed for signatures before a plan is made."""
    machine = Machine(seen.inventory)
    nodes: dict[str, None] = {}
    for wanted in _missing(layout, compare(layout, seen.inventory)):
        for controller in machine.controllers(wanted.controller):
            if controller.mode != "software":
                continue
            for drive in candidates(controller, machine):
                named = isinstance(wanted.drives, Counted) or any(
                    name.partition("-part")[0] in machine.names(drive) for name in wanted.drives or ()
                )
                block = seen.view.block(drive.device or "")
                if named and block is not None:
                    nodes |= dict.fromkeys([block.node, *(one.node for one in seen.view.above(block.name))])
    return list(nodes)


def _missing(layout: Layout, found: Comparison) -> Iterator[VolumeLayout]:
    lines = {one.line for one in found.compared if one.verdict == "missing"}
    return (volume for volume in layout.volumes if volume.line in lines)


def plan(layout: Layout, seen: Survey, vendors: Sequence[Vendor], signatures: Signatures) -> LayoutPlan:
    """The steps, and what has none."""
    found = compare(layout, seen.inventory)
    stock = Stock(machine=Machine(seen.inventory), seen=seen, signatures=signatures)
    settings, creations, refused = list[Step](), list[Step](), list[NotPlanned]()
    wrong = [one for one in found.compared if one.label == "machine" and one.verdict != "same"]
    if wrong:
        why = "The layout is for another machine, or it is unknown which machine this is."
        return LayoutPlan(host=found.host, not_planned=(NotPlanned(label="machine", why=(why,)),))
    wanted = {volume.line: volume for volume in layout.volumes}
    for one in found.compared:
        volume = wanted.get(one.line or 0)
        if one.verdict == "missing" and volume is not None:
            made = _creation(volume, stock, vendors)
            creations += [made] if isinstance(made, Step) else []
            refused += [made] if isinstance(made, NotPlanned) else []
        elif one.verdict in ("settings", "different", "unknown", "missing") or one.differences:
            commands = tuple(_settings(one, volume)) if volume is not None else ()
            settings += [Step(kind="setting", label=one.label, commands=commands)] if commands else []
            refused += _others(one, planned=bool(commands))
    steps = (*settings, *creations)
    return LayoutPlan(
        host=found.host, steps=steps, not_planned=tuple(refused),
        point_of_no_return=len(settings) if creations else None,
    )  # fmt: skip


def _settings(one: Compared, volume: VolumeLayout) -> Iterator[str]:
    """The raidctl command that sets what differs; what is unknown is not set."""
    keys = [each.key for each in one.differences if each.found is not None and each.key in _OPTIONS]
    words = [word for key in keys for word in (_OPTIONS[key], str(getattr(volume, key)).replace("_", "-"))]
    if words and one.object_id is not None:
        yield shlex.join(["raidctl", "cache", "set", one.object_id, *words])


def _others(one: Compared, *, planned: bool) -> Iterator[NotPlanned]:
    """What of a difference has no step."""
    if one.why is not None:
        yield NotPlanned(label=one.label, why=(one.why,))
        return
    why = []
    for each in one.differences:
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
    return "raidctl plans no conversion; the volume would have to be deleted and made again."


def _creation(wanted: VolumeLayout, stock: Stock, vendors: Sequence[Vendor]) -> Step | NotPlanned:
    controllers = stock.machine.controllers(wanted.controller)
    if len(controllers) != 1:
        number = len(controllers) or "no"
        word = "controllers" if len(controllers) > 1 else "controller"
        return NotPlanned(label=wanted.label, why=(f'"{wanted.controller}" is {number} {word}.',))
    controller = controllers[0]
    chosen = choose(wanted, controller, stock)
    why = chosen.why or tuple(_impossible(wanted, chosen))
    if why or wanted.raid_level is None:
        return NotPlanned(label=wanted.label, why=why or ("The layout does not give its RAID level.",))
    try:
        commands = _commands(wanted, wanted.raid_level, controller, chosen, (vendors, stock.seen))
    except CannotCreate as error:
        return NotPlanned(label=wanted.label, why=(str(error),))
    names = tuple(place.name for place in chosen.places)
    stock.taken.extend(chosen.places)
    return Step(kind="create", label=wanted.label, commands=commands, overwrites=names)


def _impossible(wanted: VolumeLayout, chosen: Chosen) -> Iterator[str]:
    """Why such a volume cannot be made of these drives."""
    level, number = wanted.raid_level, len(chosen.places)
    if level is None:
        return
    if number < _LEAST.get(level, 1):
        yield f"A {level} needs at least {_LEAST[level]} drives, not {number}."
    if level in ("raid10", "raid1e") and number % 2:
        yield f"A {level} is made of an even number of drives, not {number}."
    capacity = _capacity(level, chosen)
    if isinstance(wanted.size, int) and capacity is not None and wanted.size > capacity * 1.01:
        yield f"{format_decimal(wanted.size)} do not fit: the drives give {format_decimal(int(capacity))}."


def _capacity(level: RaidLevel, chosen: Chosen) -> float | None:
    smallest = min((place.drive.size_bytes or 0 for place in chosen.places), default=0)
    usable = _USABLE.get(level)
    return usable(len(chosen.places)) * smallest if usable is not None and smallest else None


def _commands(
    wanted: VolumeLayout,
    level: RaidLevel,
    controller: Controller,
    chosen: Chosen,
    known: tuple[Sequence[Vendor], Survey],
) -> tuple[str, ...]:
    """The commands of the family.

    Raises:
        CannotCreate: It has none.
    """
    vendors, seen = known
    vendor = next((one for one in vendors if family_of(controller) == one.FAMILY), None)
    creating = creating_of(vendor) if vendor is not None else None
    if vendor is None or creating is None:
        raise CannotCreate(f"No source shows how a volume is made on {controller.id}: use the vendor's tool.")
    capacity = _capacity(level, chosen)
    size = wanted.size if isinstance(wanted.size, int) else None
    whole = size is None or (capacity is not None and size >= capacity * (1 - _SAME))
    names = {spec.name for spec in vendor.TOOLS}
    tools: list[Tool] = [tool for tool in seen.inventory.tools if tool.name in names]
    new = NewVolume(
        name=wanted.name, raid_level=level, drives=tuple(place.drive for place in chosen.places),
        nodes=tuple(place.node for place in chosen.places if place.node), size_bytes=None if whole else size,
        strip_bytes=wanted.strip_bytes, write=wanted.write, read=wanted.read, metadata=wanted.metadata,
        md_layout=wanted.md_layout, consistency_policy=wanted.consistency_policy,
    )  # fmt: skip
    return tuple(shlex.join(words) for words in creating.create(controller, new, tools))
