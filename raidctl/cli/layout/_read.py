"""Read a layout file, and print its mistakes on standard error."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from raidctl.cli.shared.machine import look
from raidctl.cli.shared.options import Settings
from raidctl.errors import CannotTell, RaidctlError, UsageError
from raidctl.layout.document import LayoutMistakesError, read_layout
from raidctl.layout.specification import Layout
from raidctl.layout.unmatched_names import unmatched_names
from raidctl.text import counted, printable


def refuse_empty(layout: Layout, file: str) -> None:
    """Refuse a layout with which no machine can be compared.

    Raises:
        CannotTell: It lists nothing.
    """
    if layout.lists_nothing:
        raise CannotTell(
            f'{printable(file)} lists no volume: nothing was compared. "raidctl layout export" writes one.'
        )


controller_option = click.option(
    "--controller", metavar="NAME", help="The controller of volumes in a provisioner's file that name none."
)


def read_file(file: str) -> bytes:
    """Return the bytes of a layout file.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return Path(file).read_bytes()
    except OSError as error:
        hint = ' "raidctl layout export" writes one.' if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"The layout {printable(file)} cannot be read: {error.strerror}.{hint}") from error


def layout_of(file: str, settings: Settings, controller: str | None = None) -> Layout | None:
    """Return the layout in a file; None if it has mistakes.

    All mistakes are printed on standard error, those about the machine last.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return read_layout(file, read_file(file), controller)
    except LayoutMistakesError as error:
        faults, read = list(error.faults), error.layout
        with suppress(RaidctlError):  # a machine that cannot be read adds no mistakes to those of the file
            if read.volumes or read.spares or read.deletions:
                faults += unmatched_names(read, look(settings).inventory, file)
    for fault in faults:
        click.echo(str(fault), err=True)
    click.echo(f"raidctl: {counted(len(faults), 'mistake')} in the layout; nothing was compared.", err=True)
    return None
