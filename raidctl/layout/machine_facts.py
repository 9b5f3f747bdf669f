"""Facts for ``raidctl layout apply`` besides the inventory: signatures, exclusive opens, configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from raidctl.layout.choose import Stock
from raidctl.layout.objects import Machine, plain_id
from raidctl.layout.plan import nodes_to_probe
from raidctl.layout.specification import Layout
from raidctl.operate.contents import exclusive, opened
from raidctl.operate.new_drive import probe, signatures
from raidctl.request import Dialogue, ask_all
from raidctl.survey.survey import Survey
from raidctl.vendor.creating import Making, Setup, making_of
from raidctl.vendor.protocol import Vendor


class MachineFacts(Struct, frozen=True, kw_only=True):
    """The facts of one reading."""

    signatures: Mapping[str, tuple[str, ...] | None]
    """By device node; None: it could not be read."""
    held: frozenset[str]
    """Device nodes that a process has opened exclusively. Those that could not be opened for writing are included."""
    setups: Mapping[str, Setup]
    """By family."""

    def stock(self, seen: Survey, wipe: frozenset[str], *, unsafe: bool) -> Stock:
        """The drives available for new volumes."""
        return Stock(
            machine=Machine(seen.inventory),
            seen=seen,
            signatures=self.signatures,
            held=self.held,
            wipe=wipe,
            unsafe=unsafe,
        )


def makers(vendors: Sequence[Vendor]) -> dict[str, Making]:
    """The families whose volumes raidctl creates itself."""
    return {vendor.FAMILY: making for vendor in vendors if (making := making_of(vendor)) is not None}


def machine_facts(layout: Layout, seen: Survey, vendors: Sequence[Vendor]) -> Dialogue[MachineFacts]:
    """Probe the drives of missing volumes, and the volumes to delete."""
    nodes = [*nodes_to_probe(layout, seen), *doomed_nodes(layout, seen)]
    found = yield from probed(nodes)
    # opening a drive for writing makes udev probe it again, so drives with signatures are not opened
    empty = [node for node in nodes if found[node] == () or node in doomed_nodes(layout, seen)]
    answers = yield from ask_all([exclusive(node) for node in empty])
    held = {node for node, answer in zip(empty, answers, strict=True) if not opened(answer)}
    setups = {}
    for family, making in makers(vendors).items():
        setups[family] = yield from making.setup(seen.view)
    return MachineFacts(signatures=found, held=frozenset(held), setups=setups)


def probed(nodes: Sequence[str]) -> Dialogue[dict[str, tuple[str, ...] | None]]:
    """The signatures on each of some devices."""
    answers = yield from ask_all([probe(node) for node in nodes])
    return {node: signatures(answer) for node, answer in zip(nodes, answers, strict=True)}


def doomed_nodes(layout: Layout, seen: Survey) -> list[str]:
    """The device nodes of the volumes to delete."""
    machine = Machine(seen.inventory)
    ids = {plain_id(one.unique_id) for one in layout.deletions}
    return [
        volume.device
        for _, volume in machine.volumes()
        if volume.device and volume.unique_id and plain_id(volume.unique_id) in ids
    ]
