"""Before a measurement: this machine, a store for the run, the plan, and the question."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from raidctl.bench.store import Store
from raidctl.change.state_directory import directory
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import require_yes
from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import AccessMissing, CannotTell, UsageError
from raidctl.output.terminal import is_terminal


def require_local_machine(settings: Settings) -> None:
    """Refuse options that name another machine than this one.

    Raises:
        click.UsageError: There is one.
    """
    for name in ("host", "sudo", "replay", "demo"):
        if name in settings.given:
            raise click.UsageError(f"Only this machine can be measured: {settings.given[name]} cannot be used here.")


def ready(settings: Settings) -> Store:
    """Return the store for the run, checked before time is spent measuring.

    Raises:
        AccessMissing, CannotTell: It cannot be written.
    """
    try:
        store = Store(directory(settings.state_dir))
        store.ready()
    except (AccessMissing, CannotTell) as error:
        raise type(error)(f"{error} To measure without saving: --no-save.") from None
    return store


class DryRunError(Exception):
    """The plan was shown, as requested by ``--dry-run``."""


class Agreement:
    """Show the plan, and ask if there is a terminal.

    ``asks``: user data is overwritten or a setting is changed, so that consent is required.
    """

    def __init__(self, asks: bool, *, dry_run: bool, yes: bool) -> None:
        self._asks, self._dry_run, self._yes = asks, dry_run, yes

    def __call__(self, plan: Sequence[str]) -> None:
        """Show the plan.

        Raises:
            DryRunError: Only the plan was requested.
            Declined: The answer is no.
            Interrupted: There was none.
            UsageError: There is no terminal to ask on.
        """
        for text in plan:
            emit_message(text)
        if self._dry_run:
            raise DryRunError
        if self._yes:
            return
        if is_terminal(sys.stdin):
            require_yes("Begin?", "nothing was done", default=not self._asks)
        elif self._asks:
            raise UsageError("Nothing was done: without a terminal, use --yes (or --dry-run to see the plan).")
