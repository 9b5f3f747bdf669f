"""``raidctl preserved discard``: discard the unwritten data of a volume."""

from __future__ import annotations

import click

from raidctl.change.lookup import owner
from raidctl.cli.shared.foreign_deeds import guards, hits
from raidctl.cli.shared.hardware_deeds import HardwareDeeds, confirm
from raidctl.cli.shared.options import examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, Work, changing_options
from raidctl.errors import UsageError
from raidctl.select import find, unseen
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable
from raidctl.vendor.plan import Deed


@click.command("discard", epilog=examples("raidctl preserved discard v6 --dry-run"))
@click.argument("volume")
@click.option("--confirm", "typed", metavar="ID", help="The volume's id, as the plan names it.")
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, volume: str, typed: str | None, consent: Consent) -> int:
    """Discard the unwritten data of a volume.

    VOLUME is an id that "raidctl preserved show" lists. Its data is lost: it
    exists nowhere else. It is refused while drives of the controller are
    foreign, as importing them writes the data. It needs --unsafe REASON, and
    the id of the volume is asked for; --yes is not enough.

    Exit codes: as for "foreign import".
    """

    def confirmed(work: Work) -> None:
        for deed in work.plan.deeds:
            _confirm(work, deed, typed)

    deeds = HardwareDeeds(settings_of(context), consent, lambda seen: [_deed(seen, volume)], guards, confirmed, hits)
    return deeds.perform()


def _deed(seen: Survey, word: str) -> Deed:
    """Return the deed on the controller that lists the preserved cache. The volume itself may be gone.

    Raises:
        UsageError: No controller lists it.
    """
    pairs = [(one, kept.volume) for one in seen.inventory.controllers for kept in one.preserved]
    mine = [pair for pair in pairs if word in (pair[1], pair[1].rpartition("/")[2])]
    if len(mine) == 1:
        return Deed(object_id=mine[0][0].id, verb="discard_preserved", part=mine[0][1])
    if len(mine) > 1:
        raise UsageError(f'"{printable(word)}" can mean {listing([name for _, name in mine], "or")}.')
    ids = find(seen.inventory, seen.view, [word])
    for controller in seen.inventory.controllers:
        if any(volume.id in ids for volume in controller.volumes):
            return Deed(object_id=controller.id, verb="discard_preserved", part=min(ids))
    known = f": {listing([name for _, name in pairs], 'or')}" if pairs else "; none is listed"
    raise unseen(
        UsageError(f'"{printable(word)}" is not a volume with preserved cache{known}.'), seen.inventory.problems
    )


def _confirm(work: Work, deed: Deed, typed: str | None) -> None:
    """Ask for the volume's unique id. If the volume is gone, ask for the id of the preserved cache."""
    controller = owner(work.seen.inventory.controllers, deed.object_id)
    if controller is None:
        return
    part = deed.part or ""
    own = next((one.unique_id for one in controller.volumes if one.id == part and one.unique_id), None)
    unique = own or f"{controller.serial}/{part.rpartition('/')[2]}"
    others = {
        one.unique_id for controller in work.seen.inventory.controllers for one in controller.volumes if one.unique_id
    }
    what = f"The unwritten data of {part} is lost"
    confirm(work, unique, others, (typed,) if typed else (), what)
