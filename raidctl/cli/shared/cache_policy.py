"""The cache options of ``cache set`` and ``batch``, for volumes and block devices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import click

from raidctl.cli.shared import change_targets
from raidctl.cli.shared.option_types import AliasedChoice
from raidctl.survey.survey import Survey
from raidctl.vendor import setting_values
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.protocol import Vendor

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Policy:
    """The requested settings, in the words of the model. Options that are not given are None."""

    settings: dict[Setting, str | None]
    """Settings of the volumes, in the order in which they are planned."""
    read_ahead: int | None
    """Read-ahead of the block devices, in KiB."""

    @property
    def empty(self) -> bool:
        """Whether nothing is requested."""
        return self.read_ahead is None and not any(self.settings.values())

    @property
    def families(self) -> Sequence[Vendor]:
        """The core's own families that the change needs."""
        return change_targets.kernel() if self.read_ahead is not None else ()

    def with_drives(self, drives: str | None) -> Policy:
        """Return this policy with the write caches of the volumes' drives added."""
        return replace(self, settings={**self.settings, "drive_write_cache": drives})

    def of_volumes(self, seen: Survey, target: Sequence[str]) -> list[Desired]:
        """Return the desired settings of the named volumes.

        Raises:
            UsageError: A word means nothing that has volumes.
        """
        return (
            change_targets.desired_settings(change_targets.volumes(seen, target), self.settings)
            if any(self.settings.values())
            else []
        )

    def of_devices(self, seen: Survey, target: Sequence[str]) -> list[Desired]:
        """Return the desired settings of the named block devices.

        Raises:
            UsageError: A word means no block device.
        """
        return change_targets.read_ahead(seen, target, self.read_ahead) if self.read_ahead is not None else []


_FIRST = (
    click.option(
        "--write",
        type=AliasedChoice(setting_values.WRITE, setting_values.WRITE_ALSO),
        help="Write policy of the volumes; also wt, wb, awb, writethrough, writeback.",
    ),
    click.option("--read", type=click.Choice(setting_values.READ), help="Read-ahead of the volumes."),
    click.option("--io", type=click.Choice(setting_values.IO), help="Bypass the controller's cache, or use it."),
)
_LAST = (
    click.option(
        "--stripe-cache", type=click.IntRange(17, 32768), metavar="N", help="md: entries of the stripe cache."
    ),
    click.option(
        "--read-ahead", type=click.IntRange(0, 1 << 20), metavar="KIB", help="Read-ahead of the block devices."
    ),
    click.option(
        "--journal-mode", type=click.Choice(setting_values.JOURNAL), help="md: use of an array's write journal."
    ),
)


def policy_options(*own: Callable[[Any], Any]) -> Callable[[F], F]:
    """Add the options ``--write`` to ``--journal-mode``, passed on as one :class:`Policy`.

    ``own`` are further options of the command; its help lists them among these, and they are passed separately.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def bundled(
            *given: Any,
            write: str | None,
            read: str | None,
            io: str | None,
            stripe_cache: int | None,
            read_ahead: int | None,
            journal_mode: str | None,
            **named: Any,
        ) -> Any:
            settings: dict[Setting, str | None] = {
                "write_policy": write and setting_values.neutral(write),
                "read_policy": read and setting_values.neutral(read),
                "io_policy": io,
                "drive_write_cache": None,
                "stripe_cache_size": str(stripe_cache) if stripe_cache else None,
                "journal_mode": journal_mode,
            }
            return function(*given, policy=Policy(settings, read_ahead), **named)

        wrapped: Any = bundled
        for option in reversed((*_FIRST, *own, *_LAST)):
            wrapped = option(wrapped)
        return cast("F", wrapped)

    return decorate
