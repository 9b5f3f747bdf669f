"""``raidctl verify``: check claims about a volume, with evidence. The exit code is the result.

``_verify_plan`` and ``_verify_measurement`` are for ``--measure``. A new claim goes into :mod:`raidctl.verify`, and its
option into the table below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from raidctl.cli.shared.checked_machine import checked_machine
from raidctl.cli.shared.option_types import WEEK, Number
from raidctl.cli.shared.options import Settings, machine_options, output_options, settings_of
from raidctl.cli.shared.target_path import path_of
from raidctl.cli.shared.terminal import emit_found
from raidctl.verify import wanted
from raidctl.verify.judge import exit_code, verify
from raidctl.verify.subjects import named, whole

F = TypeVar("F", bound=Callable[..., Any])

_CLAIMS = (
    click.option("--raid-level", metavar="LEVEL", multiple=True, help="RAID level: raid6; repeated: any of them."),
    click.option("--battery", "--bbu", is_flag=True, help="The controller has a healthy battery or capacitor."),
    click.option("--write-cache", metavar="POLICY", help="Active policy: protected, write-through, unprotected, off."),
    click.option("--cache-size", metavar="SIZE", help="Minimum size of the controller's cache: 512MiB."),
    click.option("--cache-split", metavar="READ/WRITE", help="Split of the controller's cache in percent: 25/75."),
    click.option("--drive-cache", metavar="STATE", help="Write caches of the drives: disabled or enabled."),
    click.option("--drives", type=int, metavar="N", help="Number of drives, all of them working."),
    click.option("--spares", type=int, metavar="N", help="Minimum number of good spares."),
    click.option("--read-policy", metavar="POLICY", help="Read policy: none, read-ahead, adaptive or off."),
    click.option("--strip-size", metavar="SIZE", help="Strip size (chunk): 256KiB."),
    click.option("--min-size", metavar="SIZE", help="Minimum size of the volume: 4TB, 3.6TiB."),
    click.option("--media", metavar="KIND", help="Media of all drives: hdd or ssd."),
    click.option("--drive-rpm", type=int, metavar="RPM", help="Rotation speed of all drives: 7200, 10000, 15000."),
    click.option("--drive-size", metavar="SIZE", help="Minimum size of each drive: 4TB, 3.6TiB."),
    click.option("--drive-age", metavar="AGE", help="Maximum power-on time of each drive: 3 years, 90d."),
    click.option("--volume-status", metavar="STATE", help="Status of the volume: ok."),
    click.option("--firmware", metavar="VERSION", help="Firmware of the controller."),
    click.option("--policy-active", is_flag=True, help="The configured write policy is active."),
    click.option("--survives", type=int, metavar="N", help="Any N more drives may fail without data loss."),
    click.option("--checked-within", metavar="DAYS", help="Age of the last consistency check: 30d, 8w."),
    click.option("--no-write-hole", is_flag=True, help="Parity RAID: a power failure damages no old data."),
    click.option("--power-safe", is_flag=True, help="Acknowledged writes survive a power failure."),
)


_POWERCUT = click.option(
    "--powercut", metavar="FILE", help='Evidence for --power-safe: "raidctl --json bench powercut ... --check".'
)
_CONTRACT = click.option("--contract", metavar="FILE", help="Check all claims of a contract, a TOML file.")
_MEASURING = (
    click.option("--measure", is_flag=True, help="Test the claims by measuring TARGET."),
    click.option(
        "--seconds", metavar="SECONDS", type=Number(min=10, max=WEEK), help="Time limit of the measurement (120)."
    ),
    click.option("--size", metavar="SIZE", help="Size of the test file (1GiB, or 8 caches)."),
    click.option("--overwrite", metavar="RANGE", help="Part of a device to overwrite: 10GiB+4GiB, or all."),
    click.option("--switch-policy", is_flag=True,
                 help="Also measure in write-through; restore the policy."),
    click.option("--switch-drive-caches", is_flag=True,
                 help="Also measure with the drives' caches off; restore them."),
    click.option("--flush-device", metavar="DEVICE", help="Send flushes to DEVICE: layers above may drop them."),
    click.option(
        "--switch-seconds",
        metavar="SECONDS",
        type=Number(min=1, max=WEEK),
        help="Duration of each phase of a switch (20).",
    ),
    click.option("--no-save", is_flag=True, help="Do not save the run."),
    click.option("--dry-run", is_flag=True, help="Print the plan and do nothing."),
    click.option("-y", "--yes", is_flag=True, help="Do not ask."),
)  # fmt: skip
_OF_MEASURING = (
    "seconds", "size", "overwrite", "switch_policy", "switch_drive_caches", "flush_device", "switch_seconds", "no_save",
    "dry_run", "yes",
)  # fmt: skip


def _claims(function: F) -> F:
    for option in reversed((*_CLAIMS, _POWERCUT, _CONTRACT, *_MEASURING)):
        function = option(function)
    return function


@click.command("verify")
@click.argument("target", nargs=-1)
@_claims
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context, /, *, target: tuple[str, ...], measure: bool, powercut: str | None, **given: Any
) -> int:
    """Check whether a volume is what was promised, claim by claim.

    TARGET is an id of "raidctl show", a device, a mount point, or a directory
    on one; without it, all volumes. Each claim has a result for each volume:
    PASS, FAIL, SUSPECT (the sources contradict each other, or the claim holds
    for the wrong reason) or INCONCLUSIVE (unknown), with the reason, the line of
    the tool's output or the kernel's file, and the test that would decide.
    Without a claim, checks --volume-status ok --policy-active --power-safe. In a
    virtual machine, no claim about the safety of written data can PASS.

    \b
    raidctl verify --raid-level raid6 --bbu --write-cache protected /srv/db

    --contract FILE takes claims and volumes from a file instead, prints what to
    ask the provider for, and "raidctl report --contract FILE" writes the page to
    send.

    With --measure, the claims are also tested by measuring. TARGET is then one
    directory (a file is created there, and removed at the end), one device, or
    one NBD export (nbd+unix:///?socket=PATH). What will be written is shown
    before anything is written. --switch-policy distinguishes a battery-backed
    cache from a drive that ignores flushes: commits are also counted with the
    controller in write-through, and its policy is restored in any case.

    \b
    raidctl verify --measure --power-safe /srv/db

    --powercut FILE takes the report of a power-cut run as evidence for
    --power-safe. A loss fails the claim; 5 counted cuts without a loss, with the
    power really cut (--cut-by) and the current cache settings, can pass it.

    Exit codes: 0 every claim passes; 1 a claim fails or is suspect; 2 wrong
    usage; 3 no claim fails, but one is inconclusive; 4 the same, because a tool
    or a permission is missing; 5 a policy could not be switched, and was restored; 6 it
    was not restored; 130 interrupted, with the results up to then.
    """  # noqa: D301 - \b is click's: the paragraph is not wrapped
    settings = settings_of(context)
    if powercut is not None and (measure or given["contract"] is not None):
        raise click.UsageError("--powercut cannot be used with --measure or --contract.")
    if given["contract"] is not None:
        return _by_contract(settings, target, given, measure=measure)
    claims = wanted.claims(given)
    if measure:
        return _by_measuring(settings, target, claims, given)
    _refuse_measuring(given)
    return _by_settings(settings, target, claims, powercut)


def _by_settings(
    settings: Settings, target: tuple[str, ...], claims: tuple[wanted.Claim, ...], powercut: str | None
) -> int:
    """Check claims against inventory and kernel. Also check a power-cut run in a file."""
    run = None
    if powercut is not None:
        from raidctl.cli._verify_powercut import run_in  # noqa: PLC0415 - only where it is asked for

        run = run_in(powercut)
    machine = checked_machine(settings, target)
    if target:
        subjects, left_out = named(machine, [path_of(word, machine) for word in target]), list[str]()
    else:
        subjects, left_out = whole(machine, drives=claims == wanted.DEFAULT)
    report = verify(machine, claims, subjects, target, left_out)
    if run is not None:
        from raidctl.verify.powercut import joined  # noqa: PLC0415 - only where it is asked for

        report = joined(report, run, machine, subjects)
    emit_found(report, settings, "verify.screen", machine.inventory, more=settings.verbose)
    return exit_code(report)


def _refuse_measuring(given: dict[str, Any]) -> None:
    for name in _OF_MEASURING:
        if given[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --measure.")


def _by_contract(settings: Settings, target: tuple[str, ...], given: dict[str, Any], *, measure: bool) -> int:
    """Check all claims of a contract."""
    file: str = given["contract"]
    others = [given[name] for name in (*wanted.NAMES, *_OF_MEASURING)]
    if target or measure or any(value or (value == 0 and value is not False) for value in others):
        raise click.UsageError("--contract cannot be combined with TARGET, --measure or claims: they are in the file.")
    from raidctl.cli.shared.contracts import contract_of, judged_by  # noqa: PLC0415 - only where there is one

    contract = contract_of(file)
    machine = checked_machine(settings, contract.targets)
    report = judged_by(machine, contract)
    emit_found(report, settings, "verify.screen", machine.inventory, more=settings.verbose)
    return exit_code(report)


def _by_measuring(
    settings: Settings, target: tuple[str, ...], claims: tuple[wanted.Claim, ...], given: dict[str, Any]
) -> int:
    """Check claims by measuring; the benchmark is imported only here."""
    if len(target) != 1:
        raise click.UsageError("--measure takes exactly one TARGET: a directory, a device or an NBD export.")
    if given["switch_seconds"] and not (given["switch_policy"] or given["switch_drive_caches"]):
        raise click.UsageError("--switch-seconds needs --switch-policy or --switch-drive-caches.")
    from raidctl.cli._verify_measurement import run  # noqa: PLC0415 - the benchmark takes long to import
    from raidctl.cli._verify_plan import MeasureOptions  # noqa: PLC0415 - as above

    options = MeasureOptions(
        target=target[0],
        claims=claims,
        seconds=given["seconds"],
        size=given["size"],
        overwrite=given["overwrite"],
        policy=given["switch_policy"],
        drives=given["switch_drive_caches"],
        flush_device=given["flush_device"],
        switch_seconds=given["switch_seconds"] or 20.0,
        no_save=given["no_save"],
        dry_run=given["dry_run"],
        yes=given["yes"],
    )
    return run(settings, options)
