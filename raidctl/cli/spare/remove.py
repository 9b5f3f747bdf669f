"""``raidctl spare remove``: remove a spare from its array."""

from __future__ import annotations

import click

from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.cli.spare._deeds import carry_out
from raidctl.errors import UsageError
from raidctl.model import Drive
from raidctl.select import find
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable
from raidctl.vendor.plan import Deed


@click.command("remove", epilog=examples("raidctl spare remove /dev/sdf", "raidctl spare remove md0/sdf --dry-run"))
@click.argument("drive")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: str, consent: Consent) -> int:
    """Remove a spare from its array.

    DRIVE is a device, or the id, the serial number (serial:ZC1A2B3C) or the bay
    (bay:4) of a drive. A spare that is being filled is refused, and so is the last
    one of an array that is degraded or has a member that predicts its failure. Its
    superblock stays on it; nothing is erased.

    Exit codes: as for "spare add".
    """
    return carry_out(settings_of(context), consent, lambda seen: _deed(seen, drive))


def _deed(seen: Survey, word: str) -> Deed:
    ids = find(seen.inventory, seen.view, [word])
    mine = [
        (controller, one)
        for controller in seen.inventory.controllers
        if controller.mode == "software"
        for one in controller.drives
        if one.id in ids or ids & set(one.backing)
    ]
    behind = _controller_deed(seen, ids)
    if behind is not None and not mine:
        return behind
    # a drive may have members of other arrays on its other partitions
    spares = [pair for pair in mine if pair[1].role == "spare"] or mine
    if len(spares) != 1:
        names = f": {listing([one.id for _, one in spares], 'or')}" if spares else ""
        raise UsageError(f'"{printable(word)}" is not one spare of an array{names}.')
    controller, spare = spares[0]
    volume = next((one for one in controller.volumes if one.array == spare.array), None)
    if volume is None:
        raise UsageError(f"{spare.array} has no volume: raidctl does not manage the members of containers.")
    return Deed(object_id=volume.id, verb="remove_spare", drive=_below(seen, spare), device=spare.device)


def _controller_deed(seen: Survey, ids: frozenset[str]) -> Deed | None:
    """Return the deed for a spare of a controller. None: the named drive is not such a spare."""
    found = [
        (controller, one)
        for controller in seen.inventory.controllers if controller.mode != "software"
        for one in controller.drives if one.id in ids and one.role == "spare"
    ]  # fmt: skip
    if len(found) != 1:
        return None
    controller, spare = found[0]
    volume = next((one for one in controller.volumes if one.array in spare.spare_for), None)
    target = volume.id if volume is not None else controller.id
    return Deed(object_id=target, verb="remove_spare", drive=spare.id)


def _below(seen: Survey, spare: Drive) -> str:
    """Return the physical drive of a spare, which has the serial number. If it is unknown, return the member."""
    known = {one.id for controller in seen.inventory.controllers for one in controller.drives}
    below = [name for name in spare.backing if name in known]
    return below[0] if len(below) == 1 else spare.id
