"""``raidctl tasks``: running rebuilds, checks, initialisations and learn cycles, and the time left."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence

import click

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import Machine, look, machine
from raidctl.cli.shared.option_types import Length
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.terminal import display, emit, emit_found
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NOT_UNDONE, EXIT_UNDER_WAY
from raidctl.health.narrowed import with_below, with_unlisted
from raidctl.model import Inventory
from raidctl.output.terminal import is_drawable
from raidctl.select import find, narrow
from raidctl.survey.survey import Survey
from raidctl.tasks.report import TaskReport, report
from raidctl.tasks.wait import Step, steps
from raidctl.tasks.watch import Clock, SystemClock, Watch
from raidctl.text import counted


@click.command(
    "tasks", epilog=examples("raidctl tasks", "raidctl tasks --watch", "raidctl tasks /srv --wait --at-most 6h")
)
@click.argument("target", required=False)
@click.option("--watch", is_flag=True, help="Repeat until interrupted.")
@click.option("--wait", is_flag=True, help="Wait until all present tasks have ended, and report how.")
@click.option(
    "--at-most", metavar="TIME", type=Length(1, 31 * 86400), help="With --watch or --wait: stop after 90s, 30m, 6h."
)
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, *, target: str | None, watch: bool, wait: bool, at_most: float | None) -> int:
    """List running rebuilds, checks and other operations, or wait for them.

    Every rebuild, copyback, check, initialisation, expansion, reshape, erasure,
    learn cycle and self-test that the tools and the kernel report. Percentage,
    speed and time left are theirs; a time that raidctl estimates from two
    readings is marked "about". TARGET limits the list to an object, a device or
    a mount point, with what is below it.

    --watch and --wait read kernel files every second, and run the vendors' tools
    after 30 seconds, then less often, up to every 5 minutes. On a terminal they
    draw bars; in a pipe they print a line every 5% or 10 minutes; with --json
    they print one object a line.

    Exit codes: 0 listed, or every task has ended well; 2 no such TARGET; 3
    something could not be read, or a result is unknown; 4 a tool or a permission
    is missing; 6 a task has ended, but its object is not ok, or is worse than
    before; 7 tasks are still running after --at-most or an interrupt.
    """
    settings = settings_of(context)
    if watch and wait:
        raise click.UsageError("--watch and --wait cannot be used together.")
    if not watch and not wait:
        if at_most is not None:
            raise click.UsageError("--at-most needs --watch or --wait.")
        return _once(look(settings), target, settings)
    if settings.replay is not None:
        raise click.UsageError("A recording is one moment: there is nothing to wait for.")
    with machine(settings) as named:
        return follow(named, target, settings, awaited=wait, at_most=at_most, clock=SystemClock())


def _once(seen: Survey, target: str | None, settings: Settings) -> int:
    inventory = seen.inventory
    if target:
        inventory = _narrowed(seen, find(inventory, seen.view, [target]), target)
    found = report(inventory)
    emit_found(found, settings, "tasks.tasks_screen", more=settings.verbose)
    return _code(found)


def _narrowed(seen: Survey, ids: frozenset[str], target: str) -> Inventory:
    """Return the inventory of the target with what is below it, and of what is there unlisted."""
    inventory = with_unlisted(seen.inventory, seen.view, [target])
    return narrow(inventory, with_below(inventory, ids))


def _code(found: TaskReport) -> int:
    return exit_code(found.problems) or (EXIT_CANNOT_TELL if found.unknown else EXIT_FINE)


def follow(
    named: Machine, target: str | None, settings: Settings, *, awaited: bool, at_most: float | None, clock: Clock
) -> int:
    """Show a machine's tasks until they end or the time is up. Return the exit code."""
    looks = _TargetReader(named, target)
    watch = Watch(looks.whole, named.progress, clock, at_most)
    last: list[Step] = []
    kept = _kept(steps(watch.frames()) if awaited else map(Step, watch.frames()), last)
    try:
        _shown(kept, settings)
    except KeyboardInterrupt:
        if not last:
            raise
    step = last[-1]
    _report_rest(step, target, settings, awaited=awaited)
    return _result(step, awaited=awaited)


def _kept(found: Iterator[Step], last: list[Step]) -> Iterator[Step]:
    """Yield the steps; the last one stays known if the user interrupts."""
    for step in found:
        last[:] = [step]
        yield step


def _shown(found: Iterator[Step], settings: Settings) -> None:
    from raidctl.output.tasks import as_bars, as_json, as_log  # noqa: PLC0415 - rich only where a screen is drawn

    if settings.as_json:
        as_json(found, emit)
    elif is_drawable(sys.stdout):
        as_bars(found, display())
    else:
        as_log(found, display(), emit)


def _result(step: Step, *, awaited: bool) -> int:
    results = {one.result for one in step.over}
    if "worse" in results:
        return EXIT_NOT_UNDONE
    if step.left if awaited else step.frame.tasks:
        return EXIT_UNDER_WAY
    return EXIT_CANNOT_TELL if "unknown" in results else _code(report(step.frame.inventory))


def _report_rest(step: Step, target: str | None, settings: Settings, *, awaited: bool) -> None:
    """Print which tasks continue, and the command that waits for them. Without any, print that none was running."""
    going = step.left if awaited else len(step.frame.tasks)
    if going:
        words = ["raidctl", *_machine_words(settings), "tasks", *([target] if target else []), "--wait"]
        verb = "is" if going == 1 else "are"
        click.echo(
            f"raidctl: {counted(going, 'task')} {verb} still under way. Wait with: {shlex.join(words)}", err=True
        )
    elif not settings.as_json and not step.over and not is_drawable(sys.stdout):
        from raidctl.output.tasks import summary  # noqa: PLC0415 - as above

        text = summary(report(step.frame.inventory, step.frame.tasks), display())
        emit(f"{text if isinstance(text, str) else text[0]}\n")


def _machine_words(settings: Settings) -> Sequence[str]:
    given = (("--host", settings.host), ("--demo", settings.demo), ("--state-dir", settings.state_dir))
    return [
        *(part for option, value in given if value for part in (option, value)),
        *(["--sudo"] if settings.sudo else []),
    ]


class _TargetReader:
    """Complete readings of a machine, reduced to a target."""

    def __init__(self, named: Machine, target: str | None) -> None:
        self._named, self._target = named, target
        self._ids: frozenset[str] | None = None

    def whole(self) -> Inventory:
        """Read everything, reduced to the target, which is looked up once."""
        seen = self._named.survey()
        if self._target is None:
            return seen.inventory
        if self._ids is None:
            self._ids = find(seen.inventory, seen.view, [self._target])
        return _narrowed(seen, self._ids, self._target)
