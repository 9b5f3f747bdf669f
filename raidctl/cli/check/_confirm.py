"""Confirm by typing a volume's unique id, where --yes is not enough."""

from __future__ import annotations

from raidctl.cli.shared.hardware_deeds import confirm
from raidctl.cli.shared.plan_change import Work
from raidctl.model import Volume
from raidctl.vendor.identity import unique_of


def confirm_volume(work: Work, volume: Volume, typed: str | None) -> None:
    """Ask for the end of a volume's unique id. ``--confirm`` can give it instead.

    Raises:
        UsageError: There is no terminal to ask on, and no ``--confirm``, or it names something else.
        Declined: Something else was typed.
    """
    controllers = work.seen.inventory.controllers
    uniques = {one.id: unique_of(controller, one) for controller in controllers for one in controller.volumes}
    others = {unique for unique in uniques.values() if unique}
    what = f"A repair of {volume.id} overwrites one copy with the other by position"
    confirm(work, uniques.get(volume.id) or "", others, (typed,) if typed else (), what)
