"""``raidctl cache flush``: write out unwritten data from top to bottom of the stack."""

from __future__ import annotations

import time
from collections.abc import Sequence

import click
from msgspec.structs import replace

from raidctl.cli.cache._flush_layer import Flushing
from raidctl.cli.cache._stack import Caches, caches
from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.option_types import Number
from raidctl.cli.shared.options import Settings, examples, output_options, settings_of, these_machine_options
from raidctl.cli.shared.terminal import emit_found, emit_message
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO, UsageError
from raidctl.layers.flushing import PATIENCE, Job, jobs, left
from raidctl.layers.model import Answer, Flushed, FlushReport
from raidctl.layers.scope import VM, Scope
from raidctl.model import Inventory, Problem, failed_readings
from raidctl.select import items


@click.command("flush", epilog=examples("raidctl cache flush --all", "raidctl cache flush /srv/db --dry-run"))
@click.argument("target", required=False)
@click.option("--all", "everything", is_flag=True, help="Every cache of the machine.")
@click.option("--dry-run", is_flag=True, help="Print the commands and run none.")
@click.option("--timeout", metavar="SECONDS", type=Number(1, 604800), default=PATIENCE, show_default=True,
              help="Time limit for each layer.")  # fmt: skip
@click.option("-y", "--yes", is_flag=True, help="No effect: a flush never asks.")
@these_machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, *, target: str | None, everything: bool, dry_run: bool, timeout: float, yes: bool
) -> int:
    """Write all unwritten data to the drives, from the top cache down.

    TARGET is a mount point, a device, an id or a volume's name: its page cache
    and every cache below it are flushed, and raidctl waits until each is done. A
    layer that cannot be flushed is named with the nearest alternative. bcache has
    no flush command: its mode is switched until it is clean and then restored,
    with an entry in the journal.

    Exit codes: 0 every layer was flushed, or has nothing unwritten; 1 a layer
    cannot be flushed; 3 a state is unknown, a flush failed, or its controller
    reports unwritten data afterwards; 4 a tool or a permission is missing.
    """
    del yes  # no consent is needed
    settings = settings_of(context)
    if (target is None) != everything:
        raise click.UsageError("Nothing to flush: name a TARGET, or use --all.")
    if settings.replay is not None and not dry_run:
        raise UsageError("A recorded machine cannot be flushed; --dry-run prints what would be done.")
    with caches(settings, target) as found:
        report = _flushed(found, settings, timeout, dry_run=dry_run)
    emit_found(report, settings, "layers_flush.flush_screen")
    return code_of(report)


def _flushed(found: Caches, settings: Settings, timeout: float, *, dry_run: bool) -> FlushReport:
    inventory = found.seen.inventory
    work = jobs(found.scope, found.seen.view, found.kernel, inventory, found.named.vendors)
    began = time.monotonic()
    done = [_planned(job) for job in work] if dry_run else _carried_out(found, settings, timeout, work)
    after = found.kernel if dry_run else found.probe_caches()
    reported = inventory
    if not dry_run and any(job.kind in ("controller", "volume") and job.actions for job in work):
        reported = found.named.survey().inventory
    controllers = {controller.id: controller for controller in reported.controllers}
    layers = []
    for job, (answer, seconds) in zip(work, done, strict=True):
        size, some = left(job, after, controllers)
        cache = controllers[job.layer].cache if job.layer in controllers else None
        layers.append(
            Flushed(
                layer=job.layer,
                kind=job.kind,
                name=job.name,
                answer=answer,
                commands=tuple(map(str, job.actions)),
                seconds=seconds,
                unwritten_bytes=size,
                unwritten=some,
                preserved=cache.preserved_data if cache else None,
            )
        )
    return FlushReport(
        host=inventory.host,
        target=found.scope.target,
        dry_run=dry_run,
        layers=tuple(layers),
        seconds=None if dry_run else round(time.monotonic() - began, 3),
        dirty_before_bytes=found.kernel.dirty,
        dirty_after_bytes=None if dry_run else after.dirty,
        problems=(*_unflushed(found.scope, reported), *found.kernel.problems),
    )


def _unflushed(scope: Scope, inventory: Inventory) -> Sequence[Problem]:
    """Problems that may hide a cache. A controller without a readable tool has no layer, and is not flushed.

    Of a target, those of the controllers below it count. If the kernel alone shows one of these, or none is known, a
    failed tool counts as well.
    """
    found, own = failed_readings(inventory.problems), scope.controllers
    if scope.target in (None, VM):
        return found if scope.target is None else []
    hidden = not own or any(one.mode != "software" and one.volumes and not one.told_by for one in own)
    mine = {name for one in own for name in (one.id, one.pci_address, *(item.id for item in items(one)))}
    others = {name for one in inventory.controllers if one not in own for name in (one.id, one.pci_address)}
    return [one for one in found if one.where in mine or (hidden and one.where not in others)]


def _planned(job: Job) -> tuple[Answer, None]:
    answer = job.answer
    if answer.result == "supported":
        answer = replace(answer, result="planned")
    return answer, None


def _carried_out(
    found: Caches, settings: Settings, timeout: float, work: Sequence[Job]
) -> list[tuple[Answer, float | None]]:
    flushing = Flushing(found, settings, timeout)
    done: list[tuple[Answer, float | None]] = []
    for job in work:
        began = time.monotonic()
        if job.answer.result == "supported":
            emit_message(f"{job.kind.replace('_', ' ')} {job.layer}:")
        answer = flushing.carry_out(job)
        ran = job.answer.result == "supported"
        done.append((answer, round(time.monotonic() - began, 3) if ran else None))
    return done


def code_of(report: FlushReport) -> int:
    """Return the exit code for the results."""
    results = {layer.answer.result for layer in report.layers}
    read = exit_code(report.problems)
    contradicted = any(layer.contradicted for layer in report.layers)
    if results & {"failed", "unknown"} or read == EXIT_CANNOT_TELL or contradicted:
        return EXIT_CANNOT_TELL
    if results & {"no_tool", "no_right"} or read == EXIT_ACCESS:
        return EXIT_ACCESS
    kept = any(layer.preserved for layer in report.layers)
    return EXIT_NO if kept or "unsupported" in results else EXIT_FINE
