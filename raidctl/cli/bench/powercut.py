"""``raidctl bench powercut``: write until the power is cut, then check what survived."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from raidctl.cli.shared.options import Settings, output_options, settings_of, state_option
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO

_HOWS = ("plug", "pdu", "bmc", "enclosure", "server")


@click.command("powercut")
@click.argument("target")
@click.option("--witness", metavar="ADDRESS:PORT", required=True, help='Where "raidctl bench witness" listens.')
@click.option(
    "--token-file",
    "token",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="Copy of the witness's token file.",
)
@click.option("--resume", metavar="RUN", help='Check the cut of this run and continue it; "last": the newest.')
@click.option("--cut-by", "how", type=click.Choice(_HOWS), help="How the power was cut, for the report.")
@click.option("--check", "only", is_flag=True, help="With --resume: check and report, write nothing.")
@click.option("--remove", is_flag=True, help="With --resume --check: remove the file that the run has made.")
@click.option("--size", metavar="SIZE", help="Size of the file in a directory (16MiB).")
@click.option("--overwrite", metavar="RANGE", help="Part of a device to overwrite: 10GiB+16MiB, or all.")
@click.option("--group", metavar="N", type=click.IntRange(1, 256), help="Writes of 4 KiB between two flushes (16).")
@click.option("--most", metavar="SIZE", default="16GiB", help="Maximum to write before the cut (16GiB).")
@click.option("--dry-run", is_flag=True, help="Print the plan and do nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@state_option
@output_options
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Test whether acknowledged writes survive power cuts.

    TARGET is a directory, in which a file is created, or a device of which
    --overwrite names the part to overwrite, or an NBD export. Numbered and
    checksummed blocks are written in groups, each followed by a flush; a witness
    on another machine records each group before it is written and after its flush
    has returned. Cut the power while it writes: pull the plug or use the PDU or
    the BMC; a reset is not a power cut. After the start, run the same command
    with --resume: it reads everything back, prints the verdict, and continues
    writing for the next cut.

    \b
    raidctl bench powercut /srv/db --witness 192.0.2.7:7707 --token-file token
    raidctl bench powercut /srv/db --witness 192.0.2.7:7707 --token-file token --resume last --cut-by plug

    A lost write proves that the storage loses acknowledged data. Cuts without a
    loss only bound the probability of one: the report shows this bound, and how
    many more cuts would lower it. The target must have the serial number that it
    had when the run began. "verify --power-safe --powercut FILE" takes the report
    (--json) as evidence.

    Exit codes: 0 nothing is lost; 1 acknowledged data is lost, or the run was
    declined at the prompt; 2 wrong usage; 3 no verdict, or the witness or target
    failed; 4 a permission is missing; 8 the witness cannot be reached; 130
    interrupted.
    """  # noqa: D301 - \b is click's: the paragraph is not wrapped
    from raidctl.cli.bench._powercut import PowercutOptions, Session  # noqa: PLC0415 - only where it is needed
    from raidctl.cli.shared.before_measuring import DryRunError, require_local_machine  # noqa: PLC0415 - as above

    settings = settings_of(context)
    require_local_machine(settings)
    options = PowercutOptions.of(given)
    try:
        with Session(options, settings) as session:
            code = _checked(session, settings)
            if not options.only and code == EXIT_FINE:
                session.write()
    except DryRunError:
        return EXIT_FINE
    return code


def _checked(session: Any, settings: Settings) -> int:
    """Check the cut, if there was one, and print the run. Return the exit code."""
    if not session.resumed:
        return EXIT_FINE
    report = session.checked()
    emit_found(report, settings, "powercut.screen")
    if report.verdict == "loss":
        return EXIT_NO
    return EXIT_FINE if report.verdict == "none" or not session.options.only else EXIT_CANNOT_TELL
