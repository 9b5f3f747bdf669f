"""``raidctl batch``: a cache policy for the length of one command."""

from __future__ import annotations

from collections.abc import Callable

import click

from raidctl.cli.shared import change_targets
from raidctl.cli.shared.apply_change import report_of
from raidctl.cli.shared.cache_policy import Policy, policy_options
from raidctl.cli.shared.option_types import AliasedChoice
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of, without_help
from raidctl.cli.shared.plan_change import Consent, Work, agreed, changing_options, planned
from raidctl.cli.shared.temporary_change import apply_temporarily
from raidctl.cli.shared.terminal import emit_json, emit_message
from raidctl.errors import EXIT_FINE
from raidctl.runners.foreground_child import is_missing, run_child
from raidctl.survey.survey import Survey
from raidctl.vendor import setting_values
from raidctl.vendor.plan import Desired

EXIT_NOT_FOUND = 127
"""Exit code of a shell for a command that does not exist."""


class BatchCommand(click.Command):
    """A command whose arguments end at the first ``--``. The rest is the command to run, unchanged."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Cut off the command to run before click parses the arguments."""
        cut = args.index("--") if "--" in args else len(args)
        ctx.meta["raidctl.load"] = tuple(args[cut + 1 :])
        return super().parse_args(ctx, args[:cut])


@click.command(
    "batch",
    epilog=examples(
        "raidctl batch /srv/db --write protected-write-back -- ./load.sh",
        "raidctl batch /srv --split 0/100 --yes -- sh -c 'load < big.sql'",
    ),
    cls=BatchCommand,
    options_metavar="[OPTIONS] TARGET... -- COMMAND [ARG]...",
)
@click.argument("target", nargs=-1, metavar="")
@policy_options(
    click.option("--split", metavar="READ/WRITE", help="Split of the controller's cache in percent."),
    click.option("--drive-cache", type=AliasedChoice((*setting_values.SWITCH, "default"), setting_values.SWITCH_ALSO),
                 help="Write caches of the volumes' drives, or of drives given as TARGET."),
)  # fmt: skip
@changing_options
@without_help("host", "sudo")
@machine_options
@output_options
@click.pass_context
def command(
    context: click.Context,
    *,
    target: tuple[str, ...],
    policy: Policy,
    split: str | None,
    drive_cache: str | None,
    consent: Consent,
) -> int:
    """Set a cache policy, run COMMAND, and restore the previous policy.

    The policy is restored when COMMAND ends, fails or is interrupted; when
    raidctl itself is killed; and after a power failure, if "raidctl restore"
    runs at boot. COMMAND has the terminal and standard output, and its exit code
    is passed on. It has to stay in the foreground: the batch ends with it.

    Exit codes: those of COMMAND (127: no such command); 1 refused; 3 another
    raidctl is changing the controller, or a change of it was interrupted; 5 the
    policy could not be set and was undone; 6 it could not be restored.
    """
    settings = settings_of(context)
    load: tuple[str, ...] = context.meta["raidctl.load"]
    _check(settings, consent, target, load)
    if is_missing(load[0]) and not consent.dry_run:
        emit_message(f"There is no command {load[0]!r}: nothing was changed.")
        return EXIT_NOT_FOUND
    wanted = _wanted(target, policy, split, drive_cache and setting_values.switched(drive_cache))
    with planned(settings, consent, wanted, policy.families) as work:
        code = agreed(work, settings, err=not consent.dry_run)
        if settings.as_json:
            emit_json(report_of(work).outcome())
        if code is None or (code == EXIT_FINE and not consent.dry_run):
            return _run(work, settings, load)
        return code


def _check(settings: Settings, consent: Consent, target: tuple[str, ...], load: tuple[str, ...]) -> None:
    """Check that the options make sense together.

    Raises:
        click.UsageError: One is missing, or cannot be used with a batch.
    """
    if not target:
        raise click.UsageError("Name the TARGET: an id, a device, a mount point or a volume's name, before the --.")
    if not load:
        raise click.UsageError(
            "Name the command after --: raidctl batch --write protected-write-back /srv/db -- ./load"
        )
    if settings.host:
        raise click.UsageError("batch runs COMMAND on this machine; run raidctl on the other one.")
    if settings.as_json and not consent.dry_run:
        raise click.UsageError("--json needs --dry-run: standard output belongs to COMMAND.")


def _wanted(
    target: tuple[str, ...], policy: Policy, split: str | None, drives: str | None
) -> Callable[[Survey], list[Desired]]:
    """Return the desired settings, once the targets are known.

    Raises:
        UsageError: No setting is given, or the split is invalid.
    """
    if split is None and drives is None and policy.empty:
        raise click.UsageError(
            "No setting is given: --write, --read, --io, --split, --drive-cache, --stripe-cache, --journal-mode or "
            "--read-ahead."
        )
    halves = setting_values.split(split) if split else None

    def wanted(seen: Survey) -> list[Desired]:
        found = policy.of_volumes(seen, target)
        if drives is not None:
            found += change_targets.drive_caches(seen, target, drives)
        if halves:
            controllers = change_targets.controllers(seen, target)
            found += change_targets.desired_settings(controllers, {"cache_split": f"{halves[0]}/{halves[1]}"})
        return found + policy.of_devices(seen, target)

    return wanted


def _run(work: Work, settings: Settings, load: tuple[str, ...]) -> int:
    with apply_temporarily(work, settings) as change:
        if change is None:
            emit_message("No change needed; the command runs with the current settings.")
        else:
            state = "set" if change.warnings else "active"  # the warnings have been printed
            emit_message(f"The policy is {state}; change {change.begin.change} will be undone when the command ends.")
        return run_child(load)
