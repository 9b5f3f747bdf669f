"""Facts for ``raidctl layout apply`` besides the inventory: contents of devices, configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from raidctl.layout.choose import Stock
from raidctl.layout.objects import Machine, plain_id
from raidctl.layout.plan import nodes_to_probe
from raidctl.layout.specification import Layout
from raidctl.operate.contents import Contents, read_contents
from raidctl.request import Dialogue
from raidctl.survey.survey import Survey
from raidctl.vendor.creating import Making, Setup, making_of
from raidctl.vendor.protocol import Vendor


class MachineFacts(Struct, frozen=True, kw_only=True):
    """The facts of one reading."""

    contents: Mapping[str, Contents]
    """By device node."""
    setups: Mapping[str, Setup]
    """By family."""

    def signatures(self, node: str | None) -> tuple[str, ...] | None:
        """The signatures on a device; None: they could not be read."""
        return self.contents.get(node or "", Contents()).signatures

    def stock(self, seen: Survey, wipe: frozenset[str], prepared: frozenset[str], *, unsafe: bool) -> Stock:
        """The drives available for new volumes."""
        return Stock(
            machine=Machine(seen.inventory),
            seen=seen,
            contents=self.contents,
            wipe=wipe,
            prepared=prepared,
            unsafe=unsafe,
        )


def makers(vendors: Sequence[Vendor]) -> dict[str, Making]:
    """The families whose volumes raidctl creates itself."""
    return {vendor.FAMILY: making for vendor in vendors if (making := making_of(vendor)) is not None}


def machine_facts(layout: Layout, seen: Survey, vendors: Sequence[Vendor]) -> Dialogue[MachineFacts]:
    """Probe the drives of missing volumes, and the volumes to delete."""
    unwanted = nodes_to_delete(layout, seen)
    found = yield from read_contents([*nodes_to_probe(layout, seen), *unwanted], unwanted)
    setups = {}
    for family, making in makers(vendors).items():
        setups[family] = yield from making.setup(seen.view)
    return MachineFacts(contents=found, setups=setups)


def nodes_to_delete(layout: Layout, seen: Survey) -> list[str]:
    """The device nodes of the volumes to delete."""
    machine = Machine(seen.inventory)
    ids = {plain_id(one.unique_id) for one in layout.deletions}
    return [
        volume.device
        for _, volume in machine.volumes()
        if volume.device and volume.unique_id and plain_id(volume.unique_id) in ids
    ]
