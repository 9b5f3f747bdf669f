"""``raidctl bench model``: serve a simulated array with known properties on a unix socket."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from raidctl.cli.shared.option_types import Number
from raidctl.cli.shared.options import output_options, settings_of
from raidctl.errors import EXIT_FINE, BenchError, UsageError

_KINDS = ("write-through", "volatile", "lying", "battery", "unprotected", "flushing", "media-cache")
_LEVELS = ("single", "raid0", "raid1", "raid5", "raid6", "raid10")
_SIZES = ("cache", "size", "strip_size", "drive_cache", "read_cache", "read_ahead")


@click.command("model")
@click.option("--kind", type=click.Choice(_KINDS), default="volatile", help="Behaviour of its cache (volatile).")
@click.option("--raid-level", "level", type=click.Choice(_LEVELS), default="single", help="RAID level (single).")
@click.option("--drives", metavar="N", type=click.IntRange(1, 64), default=1, help="Number of drives (1).")
@click.option(
    "--rpm", metavar="RPM", type=Number(0, 30000), default=7200, help="Rotation speed; 0: solid state (7200)."
)
@click.option("--size", metavar="SIZE", default="1GiB", help="Size of each drive (1GiB).")
@click.option("--cache", metavar="SIZE", default="64MiB", help="Size of the write cache (64MiB).")
@click.option("--destage", metavar="RATE", default="20MB/s", help="Destage rate of the write cache (20MB/s).")
@click.option("--drive-cache", metavar="SIZE", help="Cache size of drives behind a controller (none).")
@click.option("--read-cache", metavar="SIZE", help="Read cache size of the controller (none).")
@click.option("--read-ahead", metavar="SIZE", help="Read-ahead of the controller (none).")
@click.option("--compresses", is_flag=True, help="Compressible data takes less time.")
@click.option("--latency", metavar="SECONDS", type=Number(0, 1), default=50e-6, help="Seconds per request (0.00005).")
@click.option("--strip-size", metavar="SIZE", default="64KiB", help="Strip size (chunk) (64KiB).")
@click.option("--socket", "place", type=click.Path(path_type=Path), help="Socket to serve at (in a new directory).")
@click.option("--no-flush-socket", type=click.Path(path_type=Path), help="Socket that drops flushes.")
@output_options
@click.pass_context
def command(
    context: click.Context, /, *, place: Path | None, no_flush_socket: Path | None, destage: str, **given: Any
) -> int:
    """Serve a model of an array over NBD, until Ctrl-C.

    For trying out the measurements: no drive of this machine is used. The model
    keeps its content in memory and responds as slowly as a real array of that
    kind. It prints the command that measures it from another terminal; with
    --json, one line with its address. The socket of --no-flush-socket serves the
    same array behind a layer that drops flushes.

    \b
    kind           effect of a flush               after a power failure
    write-through  none, nothing is cached         all data is there
    volatile       empties the drive's cache       flushed data is there
    lying          none, but reports success       flushed data is lost
    battery        none, none is needed            all data is there
    unprotected    none                            flushed data is lost
    flushing       empties a protected cache       all data is there
    media-cache    none: writes are on the medium  all data is there
    """  # noqa: D301 - \b is click's: the paragraph is not wrapped
    from raidctl.bench.model.device import Device, Plan  # noqa: PLC0415 - only where it is needed

    settings = settings_of(context)
    settings.refuse_machine("bench model")
    built: dict[str, Any] = {**given, **{name: _size(name, given[name]) for name in _SIZES}}
    built["chunk"] = built.pop("strip_size")
    built["destage"] = float(_size("destage", destage.removesuffix("/s"), binary=False))
    try:
        device = Device(Plan(**built))
    except ValueError as error:
        raise UsageError(f"Such an array cannot be built: {error}.") from None
    announce = _for_programs if settings.as_json else _for_people
    made = None if place else Path(tempfile.mkdtemp(prefix="raidctl-model-"))
    try:
        _serve(device, place or (made or Path()) / "nbd", no_flush_socket, announce)
    finally:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
    return EXIT_FINE


Announce = Callable[[str, str | None], None]
"""Function called with the address. It also gets the address without flushes if there is one."""


def _serve(device: Any, path: Path, dropping: Path | None, announce: Announce) -> None:
    from raidctl.bench.model.serve import Server  # noqa: PLC0415 - as above

    try:
        server = Server(device, path.absolute(), dropping=dropping.absolute() if dropping else None)
    except OSError as error:
        raise BenchError(f"Nothing can be served at {path}: {error.strerror or error}.") from None
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: server.stop())
    announce(_uri(path), _uri(dropping) if dropping is not None else None)
    server.run()


def _for_people(uri: str, dropping: str | None) -> None:
    click.echo(f"Serving {uri}")
    if dropping is not None:
        click.echo(f"Serving {dropping} without its flushes")
    click.echo(f"Measure it with: raidctl bench run '{uri}' --overwrite all")


def _for_programs(uri: str, dropping: str | None) -> None:
    """Print one JSON line, for a program that waits for the address."""
    click.echo(json.dumps({"uri": uri, "without_flushes": dropping}))


def _uri(path: Path) -> str:
    return f"nbd+unix:///?socket={path.absolute()}"


def _size(name: str, text: str | None, *, binary: bool = True) -> int:
    from raidctl.units import parse_size  # noqa: PLC0415 - as above

    if text is None:
        return 0
    try:
        return parse_size(text, binary=binary)
    except ValueError:
        option = f"--{name.replace('_', '-')}"
        raise click.UsageError(f'{option} "{text}" is not a size with a unit: 64MiB.') from None
