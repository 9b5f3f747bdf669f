"""Have the unique id of a volume typed, where --yes does not suffice."""

from __future__ import annotations

import sys

import click

from raidctl.change.confirmation import LEAST, mismatch
from raidctl.cli.shared.plan_change import Declined, Interrupted, Work, tell
from raidctl.errors import UsageError
from raidctl.model import Volume


def confirm_volume(work: Work, volume: Volume, typed: str | None) -> None:
    """Have the end of a volume's unique id typed, or given with ``--confirm``.

    Raises:
        UsageError: There is no terminal to ask on, and no ``--confirm``, or it names something else.
        Declined: Something else was typed.
    """
    unique = volume.unique_id or ""
    others = {
        one.unique_id for controller in work.seen.inventory.controllers for one in controller.volumes if one.unique_id
    }
    what = f"A repair of {volume.id} overwrites one copy with the other by position"
    if typed is None:
        if not (sys.stdin is not None and sys.stdin.isatty()):
            raise UsageError(f"Nothing was done. {what}; confirm it with its unique id: --confirm {unique}")
        try:
            text = f"{what}. Type its unique id {unique}, at least the last {LEAST} characters"
            typed = click.prompt(text, default="", err=True, show_default=False)
        except click.Abort:
            tell("")
            raise Interrupted("Interrupted at the question: nothing was done.") from None
        work.asked = True
        why = mismatch(typed, unique, others - {unique})
        if why is not None:
            raise Declined(f"Nothing was done: {why}.")
        return
    why = mismatch(typed, unique, others - {unique})
    if why is not None:
        raise UsageError(f"Nothing was done: --confirm: {why}.")
