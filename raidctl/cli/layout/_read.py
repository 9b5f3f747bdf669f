"""What the commands on a layout file share: its mistakes on standard error."""

from __future__ import annotations

from pathlib import Path

import click

from raidctl.errors import UsageError
from raidctl.layout.document import read_layout
from raidctl.layout.specification import Layout
from raidctl.text import counted, printable
from raidctl.toml_files.mistakes import MistakesError

controller_option = click.option(
    "--controller", metavar="NAME", help="The controller of volumes in a provisioner's file that name none."
)


def read_file(file: str) -> bytes:
    """The bytes of a layout file.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return Path(file).read_bytes()
    except OSError as error:
        hint = ' "raidctl layout export" writes one.' if isinstance(error, FileNotFoundError) else ""
        raise UsageError(f"The layout {printable(file)} cannot be read: {error.strerror}.{hint}") from error


def layout_of(file: str, controller: str | None = None) -> Layout | None:
    """The layout of a file; None if it has mistakes, which are then on standard error.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return read_layout(file, read_file(file), controller)
    except MistakesError as error:
        for fault in error.faults:
            click.echo(str(fault), err=True)
        click.echo(f"raidctl: {counted(len(error.faults), 'mistake')} in the layout; nothing was compared.", err=True)
        return None
