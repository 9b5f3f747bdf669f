"""Options that every command shares, accepted before and after the command's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from raidctl.cli.shared.option_types import Number
from raidctl.errors import UsageError

if TYPE_CHECKING:
    from raidctl.fleet.hosts import Host
    from raidctl.runners.connection import Sessions

F = TypeVar("F", bound=Callable[..., Any])


MANY = "show, diagnose, audit, snapshot, diff, record and doctor"
"""The commands that take ``--hosts``."""

BMC_COMMANDS = "show, diagnose, audit, record and doctor"
"""The commands that take ``--bmc``: those that only read."""
_BMC = ("bmc", "bmc_ca", "bmc_fingerprint", "bmc_password_file", "local")


class Settings:
    """The values of the shared options; stored in the root context."""

    def __init__(self) -> None:
        self.host: str | None = None
        self.hosts: str | None = None
        self.limit: str | None = None
        self.jobs: int | None = None
        self.sudo = False
        self.bmc: str | None = None
        self.bmc_ca: str | None = None
        self.bmc_fingerprint: str | None = None
        self.bmc_password_file: str | None = None
        self.local = False
        self.replay: str | None = None
        self.demo: str | None = None
        self.state_dir: str | None = None
        self.timeout: float | None = None
        self.as_json = False
        self.verbose = False
        self.printed = False
        """Whether anything was written to standard output."""
        self.sessions: Sessions | None = None
        """Transport for scripts to the host of ``--host``; None: ssh."""
        self.described: Host | None = None
        """The host of ``--host`` as an inventory describes it. None: only its name is known."""
        self.given: dict[str, str] = {}
        """Parameters given on the command line, by name. Each has the option as written."""

    @property
    def source(self) -> str:
        """The machine's name in the journal: ``local``, ``ssh:HOST``, ``demo:NAME``."""
        if self.demo:
            return f"demo:{self.demo}"
        return f"ssh:{self.host}" if self.host else "local"

    def check(self) -> None:
        """Check that the options go together.

        Raises:
            click.UsageError: They cannot be used together.
        """
        for name in ("hosts", "limit", "jobs"):
            if getattr(self, name) is not None:
                raise click.UsageError(f"--{name} is for {MANY}; the other commands read one machine.")
        if sum(map(bool, (self.host, self.replay, self.demo))) > 1:
            raise click.UsageError("--host, --replay and --demo cannot be used together: one machine at a time.")
        self._check_bmc()
        if self.sudo and not self.host:
            raise click.UsageError("--sudo needs --host; on this machine, start raidctl itself with sudo.")

    def _check_bmc(self) -> None:
        """Check that the options of ``--bmc`` go together, and with the command."""
        given = [self.given[name] for name in _BMC if name in self.given]
        if not given:
            return
        context = click.get_current_context(silent=True)
        if context is not None and all(one.name != "bmc" for one in context.command.params):
            raise click.UsageError(f"{given[0]} is for {BMC_COMMANDS}.")
        if not self.bmc:
            raise click.UsageError(f"{given[0]} needs --bmc https://[USER@]HOST.")
        if self.replay or self.demo:
            raise click.UsageError(
                "--bmc cannot be used with --replay or --demo: a recording has the answers of its BMC."
            )
        if self.local and self.host:
            raise click.UsageError("--local and --host cannot be used together: one machine at a time.")

    def several(self) -> bool:
        """Return whether ``--hosts`` is given; check that it goes with the others.

        Raises:
            click.UsageError: They cannot be used together.
        """
        if self.hosts is None:
            for name in ("limit", "jobs"):
                if getattr(self, name) is not None:
                    raise click.UsageError(f"--{name} needs --hosts.")
            return False
        if any(name in self.given for name in ("host", "replay", "demo", *_BMC)):
            raise click.UsageError("--hosts cannot be used with --host, --bmc, --replay or --demo.")
        if not self.hosts.strip():
            raise click.UsageError("--hosts is given, and empty.")
        return True

    def refuse_recording(self, instead: str = "--dry-run prints what would be done") -> None:
        """Refuse to change a recorded machine; ``instead`` is what can be done with it.

        Raises:
            UsageError: The machine is a recording.
        """
        if self.replay is not None:
            raise UsageError(f"A recorded machine cannot be changed; {instead}.")

    def refuse_second_format(self, form: str | None) -> None:
        """Refuse ``--json`` beside another format.

        Raises:
            click.UsageError: Both are given.
        """
        if self.as_json and form not in (None, "json"):
            raise click.UsageError(f"--json and --format {form} cannot be used together.")

    def refuse_machine(self, command: str) -> None:
        """Refuse options that name a machine, for a command that reads none.

        Raises:
            click.UsageError: One is given.
        """
        for name in ("host", "hosts", "limit", "jobs", "sudo", "replay", "demo", *_BMC):
            if name in self.given:
                raise click.UsageError(
                    f'"raidctl {command}" does not read a machine: {self.given[name]} cannot be used here.'
                )


def _keep(context: click.Context, parameter: click.Parameter, value: object) -> object:
    """Store a shared option in the settings. If given before and after the command, the values must agree."""
    name = parameter.name or ""
    if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
        return value
    settings = context.find_root().obj
    if name in settings.given and getattr(settings, name) != value:
        raise click.UsageError(f"{parameter.opts[-1]} is given twice with different values.")
    settings.given[name] = parameter.opts[-1]
    setattr(settings, name, value)
    return value


def machine_options(function: F) -> F:
    """Add those of `these_machine_options`, and ``--timeout``."""
    text = "Time limit for each tool, file and connection."
    option = _option("--timeout", metavar="SECONDS", type=Number(0.1, 86400), help=text)
    return these_machine_options(option(function))


def these_machine_options(function: F) -> F:
    """Add ``--host``, ``--sudo``, ``--replay``, ``--demo``, ``--state-dir``, which select the machine."""
    for option in (
        _option("--state-dir", metavar="DIR", help="Directory of the journal, snapshots, runs and demos."),
        _option("--demo", metavar="NAME", help="Use a simulated machine; raidctl demo lists them."),
        _option("--replay", metavar="PATH", help="Read a recording, or saved outputs of tools; - is stdin."),
        _option("--sudo", is_flag=True, help="On another machine: run sudo -n."),
        _option("--host", metavar="[USER@]HOST", help="Read another machine over ssh."),
    ):
        function = option(function)
    return function


def without_help(*names: str) -> Callable[[F], F]:
    """Leave shared options out of a command's help. The command refuses them with a reason.

    It goes above the decorator that adds the options.
    """

    def hide(function: F) -> F:
        for option in getattr(function, "__click_params__", ()):
            option.hidden = option.hidden or option.name in names
        return function

    return hide


def hosts_options(function: F) -> F:
    """Add ``--hosts``, ``--limit`` and ``--jobs``, for commands that can read many machines."""
    jobs = _option("--jobs", metavar="N", type=click.IntRange(1), help="With --hosts: hosts at a time (16).")
    return hosts_option(jobs(function))


def bmc_options(function: F) -> F:
    """Add ``--bmc`` and its companions, for commands that only read."""
    for option in (
        _option("--local", is_flag=True, help="With --bmc: the BMC is that of this machine; read both."),
        _option("--bmc-password-file", metavar="FILE", help="File with the BMC's password, else RAIDCTL_BMC_PASSWORD."),
        _option("--bmc-fingerprint", metavar="SHA256", help="Fingerprint of the BMC's certificate."),
        _option("--bmc-ca", metavar="FILE", help="CA certificate to verify that of the BMC."),
        _option("--bmc", metavar="https://[USER@]HOST", help="Read a machine through its BMC (Redfish)."),
    ):
        function = option(function)
    return function


def hosts_option(function: F) -> F:
    """Add ``--hosts`` and ``--limit`` alone, for a command with its own ``--jobs``."""
    text = "Read many machines over ssh: names, a file with one per line, or an Ansible inventory."
    limit = "With --hosts: only these groups and hosts of the inventory, as with Ansible: web,db*,!db3."
    limiting = _option("--limit", metavar="WORDS", help=limit)
    return _option("--hosts", metavar="FILE|A,B", help=text)(limiting(function))


def state_option(function: F) -> F:
    """Add only ``--state-dir``, for commands that read saved data, not a machine."""
    return _option("--state-dir", metavar="DIR", help="Directory of the saved runs and the journal.")(function)


def output_options(function: F) -> F:
    """Add ``--json`` and ``-v``, which select the form of the output."""
    for option in (
        _option("-v", "--verbose", is_flag=True, help="Show all details and the reasons of failures."),
        _option("--json", "as_json", is_flag=True, help="Print JSON."),
    ):
        function = option(function)
    return function


def _option(*names: str, **attributes: Any) -> Callable[[F], F]:
    return click.option(*names, expose_value=False, callback=_keep, **attributes)


def examples(*lines: str) -> str:
    """Return command lines to copy, for the end of a help page."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)  # \b: click must not join the lines


def settings_of(context: click.Context) -> Settings:
    """Return the settings of a run."""
    settings: Settings = context.find_root().obj
    return settings
