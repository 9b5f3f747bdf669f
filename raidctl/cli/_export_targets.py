"""The targets of ``raidctl export --listen --targets``: the hosts that may be requested."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping

import click

from raidctl.cli.shared.many_hosts import hosts_in
from raidctl.cli.shared.options import Settings
from raidctl.errors import UsageError
from raidctl.fleet.hosts import Host
from raidctl.text import printable, regex

_HOST = regex(r"[A-Za-z0-9_.@:\[\]-]+", re.ASCII)


def targets_of(path: str, settings: Settings) -> Mapping[str, Host]:
    """Return the hosts in a file by name. The formats are those of ``--hosts``: one per line, or an inventory.

    Raises:
        UsageError: A name is that of no host, or there is none.
        CannotTell: The file cannot be read.
        click.UsageError: An option names a machine.
    """
    for name in ("host", "hosts", "limit", "jobs", "replay", "demo"):
        if name in settings.given:
            raise click.UsageError(f"--targets names the machines: {settings.given[name]} cannot be used with it.")
    found = {host.name: host for host in hosts_in(path)}
    for name in found:
        if not _HOST.fullmatch(name) or name.startswith("-"):
            raise UsageError(
                f'{printable(path)}: "{printable(name)}" is not a host: write db7, or root@db7, one a line.'
            )
    return found


def for_target(settings: Settings, target: Host) -> Settings:
    """Return the settings for a scan of one target."""
    there = copy.copy(settings)
    there.host, there.described = target.name, target
    return there
