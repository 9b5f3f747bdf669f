"""Waivers for commands that read a machine, from files or ``diagnose --ignore``."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import click
from msgspec.structs import replace

from raidctl.audit.ignored import Entry, entries_of, waivers_of
from raidctl.audit.policy.waivers import Waiver
from raidctl.change.state_directory import default_directory
from raidctl.cli.shared import files
from raidctl.cli.shared.machine import demo_directory
from raidctl.cli.shared.options import Settings
from raidctl.errors import CannotTell
from raidctl.model import Inventory, Problem
from raidctl.text import printable

REMEDY = "Repair the file, or remove it; ignore the findings again with `raidctl diagnose --ignore`."
"""What to do about a damaged file of ignored findings."""
waivers_option = click.option(
    "--waivers", metavar="FILE", help="File of waived findings, each until a date (docs/policy.md)."
)


def today() -> date:
    """Return today's date on this machine's clock."""
    return datetime.now().astimezone().date()


def ignore_file(settings: Settings) -> Path:
    """Return the file of ``diagnose --ignore``. A simulated machine has a separate one."""
    place = (
        demo_directory(settings, settings.demo) if settings.demo else Path(settings.state_dir or default_directory())
    )
    return place / "ignored.json"


def entries(path: Path, *, own: bool = False) -> tuple[Entry, ...]:
    """Return the entries of a file. raidctl's ``own`` file has to be a regular one.

    Raises:
        CannotTell: It is damaged, or cannot be read.
    """
    shown = printable(str(path))
    return entries_of(files.read(str(path), shown, "a file of ignored findings", regular=own), str(path))


def written(path: str | None) -> tuple[Waiver, ...]:
    """Return the waivers in the file of ``--waivers``.

    Raises:
        MistakesError: It has mistakes.
        UsageError: It cannot be read.
    """
    if path is None:
        return ()
    from raidctl.cli.shared.policies import policy_of  # noqa: PLC0415 - takes long to import, and is rarely needed

    return policy_of(None, path).waivers


def with_saved_waivers(settings: Settings, inventory: Inventory) -> tuple[Inventory, tuple[Waiver, ...]]:
    """Return a machine and its waivers of ``diagnose --ignore``. A damaged file is a problem of the machine."""
    waivers, notes = kept(settings, inventory.host.hostname)
    faults = (Problem("warning", "ignored findings", note, REMEDY, kind="unread") for note in notes)
    return replace(inventory, problems=(*inventory.problems, *faults)), waivers


def kept(settings: Settings, host: str | None) -> tuple[tuple[Waiver, ...], tuple[str, ...]]:
    """Return the waivers of ``diagnose --ignore`` for a host, and notes. A damaged file waives nothing.

    No entry covers a host whose name is unknown: its objects have the same ids as those of other machines.
    """
    path = ignore_file(settings)
    if host is None or not path.exists():
        return (), ()
    try:
        return waivers_of(entries(path, own=True), host, str(path)), ()
    except CannotTell as error:
        return (), (f"Nothing is ignored: {error}",)
