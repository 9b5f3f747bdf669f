"""``raidctl spare add``: make a drive or a partition a spare of an array."""

from __future__ import annotations

import click

from raidctl.cli.shared import change_targets
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.cli.spare._deeds import carry_out
from raidctl.errors import UsageError
from raidctl.model import Controller, Drive, Volume
from raidctl.model.objects import drives_by_id
from raidctl.operate.first_facts_behind import controller_behind
from raidctl.select import find, physical
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable
from raidctl.vendor.plan import Deed


@click.command(
    "add",
    epilog=examples(
        "raidctl spare add /dev/sdf --for md0", "raidctl spare add serial:ZC1A2B3C --for /srv/db --dry-run"
    ),
)
@click.argument("drive")
@click.option("--for", "volume", metavar="VOLUME", help="The volume that it is a spare for.")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, drive: str, volume: str | None, consent: Consent) -> int:
    """Make a drive or a partition a spare of an array.

    DRIVE is a device, or the id, the serial number (serial:ZC1A2B3C) or the bay
    (bay:4) of a drive. It must be unused, healthy, at least as large as the
    smallest member and of the same type. For an md array it must contain
    nothing: no file system, partition table, LVM or RAID metadata. Nothing is
    erased. A drive behind a controller becomes a spare of the array of --for;
    without it, of all arrays of the controller, if its tool can. If an array is
    degraded, its rebuild begins.

    Exit codes: 0 done and verified; 1 refused, or declined at the
    prompt; 2 wrong usage; 3 something is unknown, or another raidctl is
    running; 4 a tool or a permission is missing; 5 failed and undone; 6 not
    confirmed; 130 interrupted.
    """
    return carry_out(settings_of(context), consent, lambda seen: _deed(seen, drive, volume))


def _deed(seen: Survey, word: str, volume: str | None) -> Deed:
    ids = find(seen.inventory, seen.view, [word])
    found = physical(seen.inventory, ids)
    if len(found) != 1:
        raise UsageError(f'"{printable(word)}" is not one drive.')
    drive = drives_by_id(seen.inventory)[found[0]]
    behind = controller_behind(seen, drive)
    target = _target(seen, behind, drive, volume) if behind is not None else None
    if target is not None:
        return Deed(object_id=target, verb="add_spare", drive=drive.id)
    chosen = _volume(seen, volume)
    block = seen.view.block(word) if word.startswith("/dev/") else None
    device = block.node if block is not None and block.kind in ("disk", "partition") else drive.device
    return Deed(object_id=chosen.id, verb="add_spare", drive=drive.id, device=device)


def _target(seen: Survey, behind: Controller, drive: Drive, word: str | None) -> str | None:
    """Return the volume or controller that a drive becomes a spare of. None: an md array is meant.

    Raises:
        UsageError: The word means volumes of another controller, or of several arrays.
    """
    if word is None:
        software = any(one.volumes for one in seen.inventory.controllers if one.mode == "software")
        return None if drive.device and software else behind.id
    found = change_targets.volumes(seen, [word])
    mine = [one for one in found if one in behind.volumes]
    if not mine and all(one.mode == "software" for one in seen.inventory.controllers if found[0] in one.volumes):
        return None
    if len(mine) < len(found) or len({one.array for one in mine}) != 1:
        names = listing([one.id for one in found], "or")
        raise UsageError(f"{drive.id} can be a spare of one array of {behind.id}; {printable(word)} means {names}.")
    return mine[0].id


def _volume(seen: Survey, word: str | None) -> Volume:
    """Return the named volume. Without a name, return the only array of software RAID.

    Raises:
        UsageError: It is not one volume.
    """
    software = [
        one for controller in seen.inventory.controllers if controller.mode == "software" for one in controller.volumes
    ]
    found = change_targets.volumes(seen, [word]) if word is not None else software
    if len(found) == 1:
        return found[0]
    names = listing([one.id for one in found], "or") if found else "none was found"
    raise UsageError(f"Name one volume with --for: {names}.")
