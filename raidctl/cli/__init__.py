"""The command line: command group, shared options, and exit codes of exceptions.

Each command is a module with a click command named ``command``: ``show.py`` is ``raidctl show``, ``cache/flush.py`` is
``raidctl cache flush``. A new one also needs its short help in :data:`COMMANDS`, or in the table of its group. Code of
several commands is in ``shared``; other modules of a command are beside it (``_verify_plan.py``). Only what every start
needs is imported here; a command's module is imported when it is used.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from raidctl import __version__
from raidctl.cli.shared.lazy_group import CLICKS_MIN_WIDTH, LazyGroup, columns
from raidctl.cli.shared.options import Settings, bmc_options, hosts_options, machine_options, output_options
from raidctl.cli.shared.reader_gone import EXIT_READER_GONE, ReaderGoneError, reader_gone
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_INTERRUPTED, EXIT_USAGE, CannotTell, RaidctlError

COMMANDS = {
    "show": "Show controllers, arrays, volumes, drives, batteries and caches.",
    "doctor": "List the tools and permissions this machine needs, and what is missing.",
    "tasks": "List running rebuilds, checks and other operations, or wait for them.",
    "events": "List controllers' events, and what the kernel logged about drives and arrays.",
    "rate": "Show or set the rate of rebuilds, checks and other background operations.",
    "diagnose": "Find what makes storage slow or unsafe, with evidence and remedy.",
    "replace": "Replace an array's drive, or check whether any drive may be pulled.",
    "verify": "Check whether a volume is what was promised, claim by claim.",
    "report": "Write a report about a machine, as HTML or Markdown.",
    "audit": "Check machines against a policy.",
    "layout": "Write a machine's volumes as a file, and compare machines with it.",
    "export": "Print storage metrics for Prometheus, or flat rows for tables.",
    "watch": "Show a machine live. With --once, report what is new by mail or to a program.",
    "snapshot": "Save a machine snapshot, or write it in a form for git.",
    "diff": "Show what has changed between two snapshots, object by object.",
    "history": "Show the values of a field over time.",
    "bench": "Measure storage; save, show and compare the results.",
    "cache": "Show and change the caches of controllers, volumes and drives.",
    "check": "Check copies and parity, start self-tests, and show the results.",
    "spare": "Show, add and remove hot spares.",
    "drive": "Change the state of drives behind a RAID controller.",
    "rebuild": "Start, stop and pause rebuilds of drives behind a RAID controller.",
    "patrol": "Show, start and stop patrol reads. They scan all drives of a controller.",
    "foreign": "Show, import and clear foreign configurations.",
    "preserved": "Show and discard preserved cache.",
    "battery": "Show batteries of controllers, and start learn cycles.",
    "alarm": "Show, silence and switch the audible alarms of controllers.",
    "batch": "Set a cache policy, run COMMAND, and restore the previous policy.",
    "locate": "Find a drive in its rack: make its locate LED blink.",
    "restore": "Undo what a killed raidctl or a power failure left changed.",
    "journal": "Show every change that raidctl has made.",
    "demo": "List the simulated machines for --demo, reset them, or change their drives.",
    "record": "Record all outputs of the tools, to work from them later.",
    "schema": "Print the JSON Schema of the --json output.",
    "vendors": "Show what can be read, set and done on each controller family.",
}
"""The commands with their short help. The listing thus imports none of them; a test compares it with them."""


class Commands(LazyGroup):
    """The command group of raidctl.

    It finds commands by module name, and prints exceptions as messages with exit codes.
    """

    apart = COMMANDS

    def main(  # type: ignore[override]  # click's overloads differ by standalone_mode; this one always ends the program
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run the command line and exit. ``obj`` has its settings if it is called from another program."""
        settings = extra.pop("obj", None) or Settings()
        extra.update(standalone_mode=False, obj=settings)
        given = list(sys.argv[1:] if args is None else args)
        _handle_signals()
        if "_RAIDCTL_COMPLETE" in os.environ:
            from raidctl.cli.shared import completion  # noqa: PLC0415 - only while somebody types

            completion.register()
        if columns() < CLICKS_MIN_WIDTH:
            from raidctl.cli.shared import narrow_help  # noqa: PLC0415 - few terminals are

            narrow_help.use()
        try:
            _refuse_empty(given)
            code = super().main(given or ["--help"], prog_name or "raidctl", **extra)
        except EndedError as ended:
            with suppress(OSError):  # the reader of standard error may be gone as well
                click.echo(f"raidctl: ended by {ended.name}.", err=True)
            raise
        except Exception as caught:  # noqa: BLE001 - the last resort: a traceback is shown only with -v
            from raidctl.cli.shared import error_output  # noqa: PLC0415 - not needed for a start

            error = _of_directory(caught)
            code = _report_error(error, settings)
            if not isinstance(error, ReaderGoneError):
                code = error_output.for_programs(error, code, given, printed=settings.printed)
        sys.exit(code if isinstance(code, int) else 0)

    # A closed pipe is noticed before click does, which would exit with 1: that means "no" here.

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the options, and print the help where it is asked for."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError:
            raise reader_gone() from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise reader_gone() from None


def _refuse_empty(given: Sequence[str]) -> None:
    """Refuse an empty word, and an option with an empty value. Words after ``--`` are not raidctl's.

    In a script, a variable that is not set gives such a word. Without this check, ``restore --change "$CHANGE"`` would
    undo all changes, and ``--bmc-ca "$FILE"`` would check nothing.

    Raises:
        click.UsageError: There is one.
    """
    for number, word in enumerate(given):
        if word == "--":
            return
        option, sign, value = word.partition("=")
        if word and not (word.startswith("--") and sign and not value):
            continue
        where = f'"{option}"' if word else f'The word after "{given[number - 1]}"' if number else "The first word"
        raise click.UsageError(f"{where} is empty; if it is a variable of a script, set it. Nothing was done.")


def _handle_signals() -> None:
    """End the tools that were started, when a signal ends raidctl.

    Tools run in a separate session, so no signal of the terminal reaches them; the exception closes the runner. SIGCHLD
    may be ignored as inherited from the parent process, and then no exit code could be read.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _ended)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


class EndedError(SystemExit):
    """Raised when a signal ends raidctl."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.name = signal.Signals(number).name


def _ended(number: int, _frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # ignore further signals: shutdown has begun
    raise EndedError(number)


def _of_directory(error: Exception) -> Exception:
    """Return an error as it is; for a current directory that was removed, one with what to do."""
    if isinstance(error, FileNotFoundError) and error.filename is None:  # as of os.getcwd()
        try:
            os.getcwd()  # noqa: PTH109 - pathlib would be imported for this alone
        except FileNotFoundError:
            return CannotTell("The current directory no longer exists: change to another one.")
    return error


def _report_error(error: Exception, settings: Settings) -> int:
    """Print an error for the user, and return the exit code."""
    try:
        _print_error(error, settings)
    except OSError as unwritten:
        # standard error has no reader either: a closed pipe, a terminal that is gone
        if unwritten.errno in (errno.EPIPE, errno.EIO):
            return EXIT_READER_GONE
    return _code_of(error)


def _code_of(error: Exception) -> int:
    if isinstance(error, click.Abort):
        return EXIT_INTERRUPTED
    if isinstance(error, click.ClickException):
        return EXIT_USAGE
    if isinstance(error, ReaderGoneError):
        return EXIT_READER_GONE
    return error.exit_code if isinstance(error, RaidctlError) else EXIT_CANNOT_TELL


def _print_error(error: Exception, settings: Settings) -> None:
    if isinstance(error, click.Abort):
        click.echo("raidctl: interrupted.", err=True)
        return
    if isinstance(error, click.ClickException):
        error.show()
        return
    if isinstance(error, ReaderGoneError):
        return
    from raidctl.cli.shared.terminal import message  # noqa: PLC0415 - not needed for a start
    from raidctl.text import collapse, printable  # noqa: PLC0415 - as above

    if isinstance(error, RaidctlError):
        for line in error.lines:
            click.echo(message(f"raidctl: {collapse(printable(line))}", settings), err=True)
        return
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        click.echo(f"raidctl: {error.strerror}: not everything could be written.", err=True)
        return
    what = collapse(printable(f"{type(error).__name__}: {error}"))
    click.echo(
        f"raidctl: internal error: {what}. Please report it with the output of the same command "
        "with -v, and with a recording: raidctl record --redact DEST.tar.gz",
        err=True,
    )
    if settings.verbose:
        import traceback  # noqa: PLC0415 - as above

        click.echo(printable("".join(traceback.format_exception(error))), err=True)


@click.group(
    "raidctl", cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="raidctl", message="%(prog)s %(version)s")
@machine_options
@bmc_options
@hosts_options
@output_options
def cli() -> None:
    """Show a server's RAID, whether its cache is safe, and what changed.

    Works on this machine, on others over ssh (--host, --hosts), on a recording or saved outputs of tools (--replay),
    and on a simulated machine (--demo). The options below may be given before or after the command's name.

    Exit codes: 0 success; 1 the answer is no, or a change was refused; 2 wrong usage; 3 something could not be read;
    4 a tool or a permission is missing; 5 a change failed and was undone; 6 a change failed, and was not undone
    or not confirmed; 7 something is still under way; 8 a machine of --host or --hosts cannot be reached;
    130 interrupted.
    """


def main() -> NoReturn:
    """Run the program ``raidctl``."""
    cli.main()
