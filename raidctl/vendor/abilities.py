"""The deeds of each family, by tool and driver of a controller. This needs no machine. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from raidctl.model import Controller, Tool
from raidctl.vendor.operations import Ability, operations_of
from raidctl.vendor.plan import Verb
from raidctl.vendor.protocol import Vendor


class Kind(Struct, frozen=True, kw_only=True):
    """A family's controllers with the same deeds, tested in the same way."""

    tools: tuple[str, ...]
    """The tools that report them."""
    drivers: tuple[str, ...]
    """Their kernel drivers; empty: all of the family's."""
    abilities: Mapping[Verb, Ability]


def kinds_of(vendor: Vendor) -> list[Kind]:
    """The kinds of a family's controllers; empty for a family without deeds."""
    offered = operations_of(vendor)
    if offered is None or not hasattr(offered, "abilities"):
        return []
    found: list[tuple[str, str, Mapping[Verb, Ability]]] = []
    for tool in (spec.name for spec in vendor.TOOLS):
        for driver in vendor.DRIVERS or ("",):
            controller = Controller(
                id=f"{vendor.FAMILY}:1", told_by=tool, driver=driver or None, slot="1", serial="1", mode="raid"
            )
            found.append((tool, driver, offered.abilities(controller, [Tool(name=tool, path=f"/usr/sbin/{tool}")])))
    groups: list[list[tuple[str, str, Mapping[Verb, Ability]]]] = []
    for one in found:
        same = next((group for group in groups if _outline(group[0][2]) == _outline(one[2])), None)
        if same is None:
            groups.append([one])
        else:
            same.append(one)
    return [_kind(group, vendor) for group in groups]


def _outline(abilities: Mapping[Verb, Ability]) -> Mapping[Verb, tuple[bool, bool, bool, str]]:
    """The comparable part of abilities, without sentences, which may name the tool."""
    return {verb: (one.can, one.printed, one.by_help, one.proof) for verb, one in abilities.items()}


def _kind(group: Sequence[tuple[str, str, Mapping[Verb, Ability]]], vendor: Vendor) -> Kind:
    drivers = tuple(dict.fromkeys(driver for _, driver, _ in group if driver))
    return Kind(
        tools=tuple(dict.fromkeys(tool for tool, _, _ in group)),
        drivers=() if set(drivers) == set(vendor.DRIVERS) else drivers,
        abilities=group[0][2],
    )
