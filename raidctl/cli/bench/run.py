"""``raidctl bench run``: show the plan, measure, print and save the results."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from raidctl import __version__
from raidctl.bench.engines.choose import ENGINES
from raidctl.bench.profiles import PROFILES, switched
from raidctl.bench.record import Listener, Run
from raidctl.bench.store import Store
from raidctl.bench.targets.place import place_of
from raidctl.bench.trials.classic import Classic
from raidctl.cli.shared.before_measuring import Agreement, DryRunError, ready, require_local_machine
from raidctl.cli.shared.bench_plan import Order, kind_of, range_of, size_of
from raidctl.cli.shared.machine import Machine, machine
from raidctl.cli.shared.measuring import Measured, Measuring
from raidctl.cli.shared.option_types import WEEK, Number
from raidctl.cli.shared.options import Settings, output_options, settings_of, state_option
from raidctl.cli.shared.terminal import emit_found, emit_message
from raidctl.errors import (
    EXIT_CANNOT_TELL,
    EXIT_FINE,
    EXIT_INTERRUPTED,
    RaidctlError,
)
from raidctl.json_decode import valid_text
from raidctl.output.json import to_json
from raidctl.survey.survey import Survey
from raidctl.units import timestamp


@click.command("run")
@click.argument("target", default=".")
@click.option("--profile", type=click.Choice(tuple(PROFILES)), default="quick", help="Set of tests (quick).")
@click.option("--engine", type=click.Choice(("auto", *ENGINES)), default="auto", help="I/O engine (auto).")
@click.option("--cross-check", is_flag=True, help="Measure again with fio and show both.")
@click.option("--size", metavar="SIZE", help="Size of the test file: 4GiB.")
@click.option("--seconds", metavar="SECONDS", type=Number(min=1, max=WEEK), help="Time limit of the measurement.")
@click.option("--overwrite", metavar="RANGE", help="Part of a device to overwrite: 10GiB+4GiB, or all.")
@click.option(
    "--also-read", metavar="DEVICE", multiple=True, help="Read DEVICE at the same time, to find a shared limit."
)
@click.option("--switch-read-ahead", is_flag=True, help="Try other read-ahead settings, and restore them.")
@click.option("--switch-cache", is_flag=True, help="classic: also measure with the write cache off.")
@click.option("--label", metavar="TEXT", help="Label of the run in the list.")
@click.option("--no-save", is_flag=True, help="Do not save the run.")
@click.option("--dry-run", is_flag=True, help="Print the plan and do nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@state_option
@output_options
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    target: str,
    switch_read_ahead: bool,
    switch_cache: bool,
    no_save: bool,
    dry_run: bool,
    yes: bool,
    **given: Any,
) -> int:
    """Measure a directory, a device or an NBD export.

    TARGET is a directory (default: the current one), in which a file is created
    and removed at the end; a device, which is only read unless --overwrite names
    the part that may be overwritten; or an NBD export of this machine
    (nbd+unix:///?socket=PATH). What will be written is shown before anything is
    written. The run is saved for "bench list", "show" and "compare".

    Exit codes: 0 measured; 1 declined at the prompt; 2 wrong usage;
    3 nothing could be measured; 4 a permission or a tool is missing; 130
    interrupted, with the results up to then.
    """
    settings = settings_of(context)
    require_local_machine(settings)
    order = _order(target, **given)
    _fitting(order, read_ahead=switch_read_ahead, switch_cache=switch_cache)
    store = None if no_save or dry_run else ready(settings)
    temporary = TemporarySettings(read_ahead=switch_read_ahead, cache=switch_cache)
    return _run(order, settings, store, Agreement(order.asks or temporary.any, dry_run=dry_run, yes=yes), temporary)


def _order(target: str, *, profile: str, engine: str, size: str | None, overwrite: str | None, **given: Any) -> Order:
    """Return the order that the options describe. Raise UsageError if they make no sense."""
    kind, chosen = kind_of(target), PROFILES[profile]
    given["seconds"] = given["seconds"] or chosen.seconds
    return Order(
        target=target, kind=kind, profile=chosen, engine=None if engine == "auto" else engine,
        size=size_of(size, kind), overwrite=range_of(overwrite, kind), **given,
    )  # fmt: skip


@dataclass(frozen=True)
class TemporarySettings:
    """Settings to change temporarily."""

    read_ahead: bool = False
    cache: bool = False

    @property
    def any(self) -> bool:
        """Whether any setting is to be changed."""
        return self.read_ahead or self.cache

    def order(self, order: Order, settings: Settings, here: Machine, seen: Survey) -> Order:
        """Add the trials that change them to the order.

        Raises:
            UsageError, CannotTell, AccessMissing: There is nothing to be changed, or it is refused.
        """
        # imported only if requested
        from raidctl.cli.bench._switch import cache_off, controller_read_ahead, kernel_read_ahead, switching  # noqa: PLC0415

        path = os.path.realpath(order.target)
        if order.kind == "file":
            path = place_of(path).point or path
        setting = kernel_read_ahead(settings, here, seen, path) if self.read_ahead else None
        controller = controller_read_ahead(settings, here, seen, path) if self.read_ahead else None
        switch, why = (None, controller) if isinstance(controller, str) else (controller, None)
        off, what = cache_off(settings, here, seen, path) if self.cache else (None, None)
        profile = switched(order.profile, off=off, read_ahead=setting, switch=switch, unswitched=why)
        announced = switching(profile.trials, cache=what, ahead_of=setting.name if setting else None, controller=switch)
        return replace(order, profile=profile, switches=(*announced, *([why] if why else [])))


def _fitting(order: Order, *, read_ahead: bool, switch_cache: bool) -> None:
    """Refuse options that make no sense together.

    Raises:
        click.UsageError: They do not.
    """
    if order.also_read and (order.overwrite or read_ahead or switch_cache or order.cross_check):
        raise click.UsageError("--also-read only reads, several drives at once: use it alone.")
    if order.also_read and order.kind == "file":
        raise click.UsageError("--also-read compares drives: name a device to be measured, /dev/sdb.")
    if switch_cache and not any(isinstance(one, Classic) for one in order.profile.trials):
        raise click.UsageError("--switch-cache is for the tables of the classic reports: --profile classic.")
    if order.kind == "nbd" and (read_ahead or switch_cache):
        raise click.UsageError("The settings of an NBD export cannot be changed: another program serves it.")


def _run(
    order: Order, settings: Settings, store: Store | None, consent: Agreement, temporary: TemporarySettings
) -> int:
    from raidctl.output.bench_progress import progress  # noqa: PLC0415 - rich only where something is drawn

    begun, listener = timestamp(), Listener()
    with machine(settings) as here:
        seen = here.survey()
        if temporary.any:
            order = temporary.order(order, settings, here, seen)
        try:
            with progress() as bar:
                measuring = Measuring(order, seen, here.runner, bar.update)

                def agree(plan: Sequence[str]) -> None:
                    with bar.hidden():
                        consent(plan)

                measured = measuring.plan(agree)
        except DryRunError:
            return EXIT_FINE
    host = seen.inventory.host
    run = Run(
        at=begun,
        raidctl=__version__,
        host=host.hostname,
        kernel=host.kernel,
        label=order.label,
        session=measured.session,
        second=measured.second,
        prepared=measured.prepared,
        noise=listener.noise(),
        inventory=seen.inventory,
    )
    return _shown(run, measured, settings, store)


def _shown(run: Run, measured: Measured, settings: Settings, store: Store | None) -> int:
    """Save and show the run. A run that cannot be saved is shown nevertheless, and written to a temporary file."""
    trouble: RaidctlError | None = None
    run = valid_text(run)
    if store is not None:
        try:
            run = store.add(run)
        except RaidctlError as error:
            trouble = error
    emit_found(run, settings, "bench.screen", more=settings.verbose)
    if trouble is not None:
        _saved(run)
        raise trouble
    if measured.session.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_FINE if any(one.figures for one in measured.session.results) else EXIT_CANNOT_TELL


def _saved(run: Run) -> None:
    """Write a run that could not be saved to a temporary file."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="raidctl-run-", suffix=".json", encoding="utf-8", delete=False
        ) as file:
            file.write(to_json(run))
    except OSError as error:
        emit_message(f"It could not be written to a file either: {error.strerror}.")
    else:
        emit_message(f'The run is in {file.name}; "raidctl bench show {Path(file.name)}" shows it.')
