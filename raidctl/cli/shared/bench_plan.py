"""The plan of a measurement: what is written, and the duration.

``bench`` and ``verify --measure`` print it first.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

import click

from raidctl.bench.preflight import Kind
from raidctl.bench.profiles import Profile
from raidctl.bench.targets.file import SHARE, room
from raidctl.bench.targets.handle import refusal
from raidctl.bench.targets.nbd import SCHEMES, address_of
from raidctl.bench.trials.trial import Needs
from raidctl.bench.work import Target
from raidctl.cli.shared.target_path import refuse_gone
from raidctl.errors import UsageError
from raidctl.text import collapse, printable
from raidctl.units import format_binary, parse_size

MIN_BYTES = 64 << 20
"""Bytes; a smaller file does not show how a drive behaves."""
_MIB = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Prospect:
    """A file to be created, with what trials need for planning."""

    name: str
    size: int
    kind: str = "file"
    alignment: int = 4096
    direct: bool = True
    writable: bool = True


@dataclass(frozen=True, kw_only=True)
class Order:
    """What the user requests."""

    target: str
    kind: Kind
    profile: Profile
    engine: str | None
    """Name of the engine; None: the best one available."""
    cross_check: bool
    size: int | None
    """Bytes of the file. None: the profile's size, or less if there is no room."""
    overwrite: tuple[int, int] | None
    """Range of a device to overwrite: offset and length in bytes. A length of 0 reaches to its end. Of an NBD export
    any value means that all of it may be overwritten."""
    seconds: float
    """Time limit of the measurement."""
    label: str | None = None
    also_read: tuple[str, ...] = ()
    """Other devices that are read at the same time."""
    switches: tuple[str, ...] = ()
    """User settings that are changed temporarily, one sentence each."""

    @property
    def asks(self) -> bool:
        """Whether user data is overwritten, or a setting is changed."""
        return self.overwrite is not None or bool(self.switches)


def kind_of(target: str) -> Kind:
    """Return the kind of a target.

    Raises:
        UsageError: Nothing that can be measured.
        BenchError, AccessMissing: It cannot be looked at.
    """
    refuse_gone(target)
    if target.partition(":")[0] in SCHEMES:
        address_of(target)
        return "nbd"
    shown = printable(target)
    try:
        mode = os.stat(target).st_mode  # noqa: PTH116 - Path("") is this directory
    except FileNotFoundError:
        raise UsageError(f'There is no "{shown}": name a directory, a device or an NBD URI.') from None
    except OSError as error:
        raise refusal(target, error) from None
    if stat.S_ISBLK(mode):
        return "device"
    if stat.S_ISDIR(mode):
        return "file"
    raise UsageError(f'"{shown}" is not measured: name the directory that it is in, a device or an NBD URI.')


def size_of(text: str | None, kind: Kind) -> int | None:
    """Return the bytes of ``4GiB``.

    Raises:
        click.UsageError: It is not a size, or too small to be measured, or no file is made.
    """
    if text is None:
        return None
    if kind != "file":
        part = "to write to a part of a device: --overwrite 0+64MiB" if kind == "device" else "an export has its own"
        raise click.UsageError(f"--size is for the file that is created in a directory; {part}.")
    try:
        size = parse_size(text, binary=True)
    except ValueError:
        raise click.UsageError(f'--size "{printable(text)}" is not a size with a unit: 4GiB.') from None
    if size < _MIB:
        raise click.UsageError("--size must be at least 1MiB.")
    return size


def range_of(text: str | None, kind: Kind) -> tuple[int, int] | None:
    """Return offset and length of ``10GiB+4GiB``, in bytes; (0, 0) for ``all``.

    Raises:
        click.UsageError: It is not a range, or there is nothing to overwrite.
    """
    if text is None:
        return None
    if kind == "file":
        raise click.UsageError("--overwrite is for devices and NBD exports; in a directory, raidctl creates a file.")
    if text == "all":
        return 0, 0
    if kind == "nbd":
        raise click.UsageError("An NBD export can only be overwritten entirely: --overwrite all.")
    first, plus, length = text.partition("+")
    try:
        found = (0 if first == "0" else parse_size(first, binary=True)), parse_size(length, binary=True)
    except ValueError:
        found = (0, 0)
    if not plus or not found[1]:
        raise click.UsageError(f'--overwrite "{printable(text)}" is not a range: 10GiB+4GiB (offset+size), or all.')
    return found


def file_size(order: Order) -> tuple[int, str | None]:
    """Return the bytes of the file to create. The second value is why it is smaller than in the profile.

    Raises:
        BenchError, AccessMissing: The directory cannot be looked at.
    """
    if order.size is not None:
        return order.size, None
    try:
        free = room(order.target)
    except OSError as error:
        raise refusal(order.target, error) from None
    most = int(free * SHARE) // _MIB * _MIB
    if order.profile.size <= most:
        return order.profile.size, None
    # a file that is too small is refused by the target, with the reason
    size = max(most, MIN_BYTES)
    why = (
        f"The file is {format_binary(size)} instead of {format_binary(order.profile.size)}: only "
        f"{format_binary(free)} is free, and at most a quarter of that is used. "
        "Caches hold a larger part of a small file."
    )
    return size, why


def announcement(order: Order, target: Target, notes: Sequence[str]) -> list[str]:
    """Return the plan in sentences."""
    shown = collapse(printable(target.name))
    needs = [trial.needs(target) for trial in order.profile.trials]
    doable = [one for one in needs if one.size <= target.size and (target.writable or not one.writes)]
    seconds = max(order.seconds, once(order.profile, target))
    twice = " twice, by two engines," if order.cross_check else ""
    time = _time(seconds * (1 + order.cross_check))
    lines = [f'Profile "{order.profile.name}" measures{twice} for about {time}: {order.profile.title}']
    if seconds > order.seconds:
        lines.append(
            f"--seconds {order.seconds:g} may be too short for one round of every test; one round is always completed."
        )
    if order.kind == "file":
        place = collapse(printable(os.path.realpath(order.target)))
        lines.append(
            f"In {place} a file of {format_binary(target.size)} is created, filled, and removed at the end; nothing "
            "else is written to."
        )
    elif target.writable:
        first, length = order.overwrite or (0, 0)
        where = f"{format_binary(target.size)} from byte {first:,} on" if length else "all of it"
        lines.append(f"{shown} is OVERWRITTEN, {where}: its contents are lost.")
    else:
        lines.append(f"{shown} is only read ({format_binary(target.size)}); tests that write are left out.")
    if target.writable:
        lines.append(_amount(doable, seconds, target.size if order.kind == "file" else 0, 1 + order.cross_check))
    if order.also_read:
        lines.append(f"Read at the same time: {', '.join(map(printable, order.also_read))}.")
    return [*lines, *order.switches, *notes]


def once(profile: Profile, target: Target) -> float:
    """Return the seconds of one round of everything, a run's minimum."""
    return sum(trial.needs(target).seconds / max(int(getattr(trial, "rounds", 1)), 1) for trial in profile.trials)


def _amount(needs: Sequence[Needs], seconds: float, prepared: int, times: int) -> str:
    """Return how much is written, in words."""
    fixed = sum(one.written or 0 for one in needs) * times
    free = min(sum(one.seconds for one in needs if one.written is None), seconds) * times
    start = f"Written: {format_binary(prepared)} to fill it" if prepared else "Written:"
    parts = [f"{format_binary(fixed)} by tests that write a set amount"] if fixed else []
    if free:
        most = format_binary(int(free * 500e6))
        parts.append(f"by others as much as the target accepts within {_time(free)} ({most} at 500 MB/s)")
    joined = "; ".join(parts)
    return f"{start}{', ' if prepared and joined else ' ' if joined else ''}{joined}."


def _time(seconds: float) -> str:
    """Return ``2 minutes``."""
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} hours"
