"""``raidctl cache stats``: use of the caches, once or repeatedly."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterator

import click
import msgspec

from raidctl.cli.cache._stack import Caches, caches
from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import display, emit, emit_json
from raidctl.layers.model import Statistics
from raidctl.layers.stats import Sample, sample, statistics
from raidctl.output.terminal import is_drawable
from raidctl.request import converse
from raidctl.tasks.watch import SystemClock
from raidctl.units import timestamp

_PAUSE = 1.0
"""Seconds between the two samples for rates, without ``--watch``."""

_DEFAULT_SECONDS, _MIN_SECONDS, _MAX_SECONDS = 2.0, 0.1, 86400.0
"""Seconds between two samples with ``--watch``: default, minimum, maximum."""


@click.command(
    "stats", epilog=examples("raidctl cache stats --watch", "raidctl cache stats /srv/db --watch 5 --count 12")
)
@click.argument("target", required=False)
@click.option(
    "--watch", "watched", metavar="[SECONDS]", is_flag=False, flag_value="2",
    help="Repeat at this interval (2) until interrupted.",
)  # fmt: skip
@click.option("--count", metavar="N", type=click.IntRange(1), help="With --watch: stop after N intervals.")
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, target: str | None, watched: str | None, count: int | None) -> int:
    """Show how the caches are used.

    The kernel's caches have counters. Controllers report none: their figures are
    estimated from the statistics of their block devices, and are marked as
    estimates, with the method. Rates cover one second, or the interval of
    --watch. With --json, --watch prints one line per interval.

    Exit codes: 0 everything could be read; 2 no such TARGET; 3 something could
    not be read; 4 a tool or a permission is missing.
    """
    settings = settings_of(context)
    target, watch = _target_and_interval(target, watched)
    if count is not None and watch is None:
        raise click.UsageError("--count needs --watch.")
    if watch is not None and settings.replay is not None:
        raise click.UsageError("A recording is one moment: there is nothing to watch.")
    with caches(settings, target) as found:
        still = settings.replay is not None or settings.demo is not None
        looks = _samples(found, watch or (0 if still else _PAUSE), 1 if watch is None else count)
        if settings.as_json:
            return _as_json(looks, one=watch is None)
        return _on_screen(looks, settings, live=watch is not None)


def _target_and_interval(target: str | None, watched: str | None) -> tuple[str | None, float | None]:
    """Return target and interval. ``--watch /srv/db`` names a target, although click takes it for the interval.

    Raises:
        UsageError: It is neither.
    """
    if watched is None:
        return target, None
    try:
        seconds = float(watched)
    except ValueError:
        if target is None:
            return watched, _DEFAULT_SECONDS
        raise click.UsageError(f'"{watched}" is not a number of seconds.') from None
    if not _MIN_SECONDS <= seconds <= _MAX_SECONDS:
        raise click.UsageError(f"--watch takes {_MIN_SECONDS:g} to {_MAX_SECONDS:g} seconds.")
    return target, seconds


def _samples(found: Caches, pause: float, count: int | None) -> Iterator[Statistics]:
    """Yield samples of the counters. The first has the counts since boot if there is no pause."""
    before, began = _sample(found), time.monotonic()
    for number in itertools.count(1):
        if pause:
            SystemClock().sleep(began + pause - time.monotonic())
            now, at = _sample(found), time.monotonic()
            yield _statistics(found, now, before, at - began)
            before, began = now, at
        else:
            yield _statistics(found, before, None, 0)
        if count is not None and number >= count:
            return


def _sample(found: Caches) -> Sample:
    return converse(sample(found.seen.view, found.scope, found.probe_caches()), found.named.runner)


def _statistics(found: Caches, now: Sample, before: Sample | None, seconds: float) -> Statistics:
    return Statistics(
        host=found.seen.inventory.host,
        target=found.scope.target,
        at=timestamp(),
        seconds=round(seconds, 3) if before is not None else None,
        layers=tuple(statistics(found.scope, found.seen.view, now, before, seconds)),
        problems=(*(p for p in found.seen.inventory.problems if p.kind not in ("state", "note")), *now.problems),
    )


def _as_json(looks: Iterator[Statistics], *, one: bool) -> int:
    from raidctl.text import json_safe  # noqa: PLC0415 - imported only where JSON is printed

    code = 0
    for latest in looks:
        code = exit_code(latest.problems)
        if one:
            emit_json(latest)
        else:
            emit(f"{json_safe(msgspec.json.encode(latest).decode('utf-8'))}\n")
    return code


def _on_screen(looks: Iterator[Statistics], settings: Settings, *, live: bool) -> int:
    from raidctl.output.layers_stats import live_screen, stats_screen  # noqa: PLC0415 - rich only for a screen

    output, code = display(), 0
    if live and is_drawable(sys.stdout):
        return live_screen(looks, output, exit_code)
    for latest in looks:
        code = exit_code(latest.problems)
        emit(stats_screen(latest, output, more=settings.verbose))
    return code
