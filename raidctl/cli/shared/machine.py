"""The machine that the shared options name, and its survey."""

from __future__ import annotations

import gc
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from raidctl.cli.shared.options import Settings
from raidctl.errors import AccessMissing, UnreachableError, UsageError
from raidctl.model import Inventory, Problem, Progress
from raidctl.request import Failure, Runner, converse
from raidctl.select import controllers_of, find, narrow
from raidctl.survey.ask_vendors import warm
from raidctl.survey.survey import Survey, survey, survey_documents
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendors

if TYPE_CHECKING:
    from pathlib import Path

    from raidctl.recording.recording import Recording
    from raidctl.runners.bmc import BmcRunner
    from raidctl.runners.ssh import SshRunner


class Machine(Struct):
    """A machine to read: this one, one over ssh, a recorded one."""

    runner: Runner
    vendors: Sequence[Vendor]
    source: str
    problems: Sequence[Problem] = ()
    """Problems with loading the vendor packages."""
    collected_at: str | None = None
    recorded_at: str | None = None
    """When the recorded outputs were printed; None: the machine is live."""
    deeds: bool = False
    """Whether deeds are planned from its readings."""
    help_texts: Mapping[str, str] = {}
    """The help texts of its tools, by tool; each is run once."""

    def survey(self) -> Survey:
        """Read everything that the vendor packages find on it."""
        seen = survey(
            self.runner, self.vendors, source=self.source, collected_at=self.collected_at, problems=self.problems
        )
        if not self.deeds:
            return seen
        from raidctl.survey.help_texts import add_help_texts  # noqa: PLC0415 - only before deeds

        seen = add_help_texts(seen, self.runner, self.vendors, self.help_texts)
        self.help_texts = seen.view.help_texts
        return seen

    def progress(self) -> Mapping[str, Progress | None]:
        """Read the operations that families report from kernel files alone."""
        found: dict[str, Progress | None] = {}
        for vendor in self.vendors:
            progress = getattr(vendor, "progress", None)
            if progress is not None:
                found |= converse(progress(), self.runner)
        return found


@contextmanager
def machine(settings: Settings) -> Iterator[Machine]:
    """Open the machine that the options name.

    Raises:
        UsageError: ``--replay`` names loose files, which cannot answer commands.
        RecordError: ``--replay`` names something that cannot be used.
        UnreachableError, AccessMissing: The host of ``--host`` cannot be reached, or refuses.
    """
    settings.check()
    if settings.bmc:
        with _through_bmc(settings, settings.bmc) as seen:
            yield seen
        return
    if settings.host:
        with _remote(settings, settings.host) as far:
            yield far
        return
    found, problems = vendors()
    gc.freeze()  # imported modules stay loaded: collecting garbage among them again and again costs time
    if settings.replay is not None:
        from raidctl.recording.recording import is_recording, load  # noqa: PLC0415 - only where it is asked for

        if settings.replay != "-":
            _check_existence(settings.replay)
        if not is_recording(settings.replay):
            raise UsageError(
                f"{settings.replay} is not a recording; saved outputs can only be shown: "
                f"{shlex.join(['raidctl', '--replay', settings.replay, 'show'])}"
            )
        yield recorded(load(settings.replay), found, settings.replay, problems)
    elif settings.demo:
        from raidctl.simulation.demo import machine as simulated  # noqa: PLC0415 - as above

        place = demo_directory(settings, settings.demo)
        runner = simulated(settings.demo, found, place)
        yield Machine(runner, found, f"demo:{settings.demo}", problems, recorded_at=runner.recorded_at)
    else:
        with _local(settings, found, problems) as here:
            yield here


def _check_existence(path: str) -> None:
    try:
        os.stat(path)  # noqa: PTH116 - pathlib takes long to import
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"There is no {path}.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None


@contextmanager
def machine_for_deeds(settings: Settings) -> Iterator[Machine]:
    """Open the machine for planning deeds. Tools are also run for their help, if a family needs it.

    Raises:
        UsageError, RecordError, UnreachableError, AccessMissing: As :func:`machine` does.
    """
    with machine(settings) as named:
        yield replace(named, deeds=True)


@contextmanager
def _local(settings: Settings, found: Sequence[Vendor], problems: Sequence[Problem]) -> Iterator[Machine]:
    """Open this machine."""
    from raidctl.runners.local import LocalRunner  # noqa: PLC0415 - only where it is asked for

    with closing(LocalRunner(timeout=settings.timeout)) as here:
        yield Machine(here, found, "local", problems)


@contextmanager
def _through_bmc(settings: Settings, place: str) -> Iterator[Machine]:
    """Open a machine through its service processor. With ``--host`` or ``--local``, include its own view as well.

    If the service processor does not respond, the machine's own view is shown alone.
    """
    from raidctl.runners.bmc import BmcAndHostRunner  # noqa: PLC0415 - only where it is asked for

    with closing(_bmc_of(settings, place)) as bmc:
        try:
            bmc.connect()
        except (UnreachableError, AccessMissing):
            if not settings.host and not settings.local:
                raise
        if not settings.host and not settings.local:
            found, problems = vendors()
            yield Machine(bmc, found, f"bmc:{bmc.address.host}", problems)
        elif settings.host:
            with _remote(settings, settings.host) as far:
                yield replace(far, runner=BmcAndHostRunner(far.runner, bmc))
        else:
            with _local(settings, *vendors()) as here:
                yield replace(here, runner=BmcAndHostRunner(here.runner, bmc))


def _bmc_of(settings: Settings, place: str) -> BmcRunner:
    """Return the runner of a service processor, not yet connected.

    Raises:
        UsageError: The address, the certificates, or the file with the password cannot be used.
    """
    from raidctl.runners.bmc import BmcRunner  # noqa: PLC0415 - as above
    from raidctl.runners.bmc_connection import Trust, address_of, fingerprint_of  # noqa: PLC0415 - as above

    pinned = settings.bmc_fingerprint and fingerprint_of(settings.bmc_fingerprint)
    trust = Trust(settings.bmc_ca, pinned or None)
    return BmcRunner(address_of(place), trust, _password(settings.bmc_password_file), timeout=settings.timeout)


def _password(path: str | None) -> str | None:
    """Return the password: a file's first line, else the environment variable. Only its owner can read the file."""
    if path is None:
        return os.environ.get("RAIDCTL_BMC_PASSWORD") or None
    try:
        with open(path, encoding="utf-8") as opened:  # noqa: PTH123 - pathlib takes long to import
            if os.fstat(opened.fileno()).st_mode & 0o077:
                raise UsageError(f"--bmc-password-file {path} can be read by others: chmod 600 {shlex.quote(path)}")
            line = opened.readline(4096).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"--bmc-password-file {path} cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from None
    if not line:
        raise UsageError(f"--bmc-password-file {path} is empty.")
    return line


def demo_directory(settings: Settings, name: str) -> Path:
    """Return the directory for a simulated machine's changes, beside the real journal.

    Raises:
        UsageError: There is no machine of this name; nothing is made for it.
    """
    from raidctl.change.state_directory import directory  # noqa: PLC0415 - only where it is asked for
    from raidctl.simulation.demo import path_of  # noqa: PLC0415 - as above

    path_of(name, vendors()[0])
    return directory(str(directory(settings.state_dir) / "demo" / name))


@contextmanager
def _remote(settings: Settings, host: str) -> Iterator[Machine]:
    """Open another machine; imports run while the connection is being made."""
    from raidctl.runners.ssh import SshRunner  # noqa: PLC0415 - only where it is asked for

    if settings.described is not None and settings.described.refused:
        raise UsageError(settings.described.refused)
    there, sudo, timeout = settings.described, settings.sudo, settings.timeout
    runner = (
        SshRunner(there.destination, there.options, sudo=there.with_sudo(sudo), timeout=timeout) if there is not None
        else SshRunner(host, sudo=sudo, timeout=timeout, sessions=settings.sessions)
    )  # fmt: skip
    with closing(runner) as far:
        far.connect(wait=False)
        found, problems = vendors()  # during the time that the connection takes
        warm(found)
        if not settings.as_json:
            import_module("raidctl.output.show")
        gc.freeze()  # as in `machine`
        check_reachable(far)
        yield Machine(far, found, f"ssh:{host}", problems)


def check_reachable(far: SshRunner, hint: str = ". Try the same host with ssh itself.") -> None:
    """Connect to the machine first. If it is unreachable, that is one error instead of one problem per command.

    Raises:
        UnreachableError: The machine cannot be reached, or there is no shell on it.
        AccessMissing: ``sudo`` is refused there.
    """
    answer = far.connect()
    if answer.trouble is Failure.DENIED:
        raise AccessMissing(f"{answer.detail}. Permit sudo without a password there, or log in as root.")
    if answer.trouble:
        hint = "" if "ssh-keygen" in answer.detail else hint
        raise UnreachableError(f"{answer.detail.rstrip('.')}{hint}", passing=far.passing)


def recorded(kept: Recording, found: Sequence[Vendor], path: str, problems: Sequence[Problem]) -> Machine:
    """Return a machine from its recording."""
    from raidctl.runners.replay import ReplayRunner  # noqa: PLC0415 - only where it is asked for

    at = kept.manifest.collected_at
    return Machine(ReplayRunner(kept), found, f"replay:{path}", problems, collected_at=at, recorded_at=at)


def look(settings: Settings) -> Survey:
    """Return the survey of the machine, or of the loose files.

    The options name them. With ``-v``, tracebacks are printed.
    """
    settings.check()
    if settings.replay is not None and _are_loose(settings.replay):
        seen = _loose(settings.replay)
    else:
        with machine(settings) as named:
            seen = named.survey()
    if settings.verbose:
        print_tracebacks(seen)
    return seen


def read_controllers(settings: Settings, word: str | None) -> Inventory:
    """Read the machine as :func:`look` does. With a word, it has only the controllers of the object that this names."""
    seen = look(settings)
    if not word:
        return seen.inventory
    from raidctl.health.narrowed import with_unlisted  # noqa: PLC0415 - only where an object is named

    ids = find(seen.inventory, seen.view, [word])
    return narrow(with_unlisted(seen.inventory, seen.view, [word]), controllers_of(seen.inventory, ids))


def with_own_records(seen: Survey, settings: Settings) -> Survey:
    """Add raidctl's records to the survey of this or a simulated machine.

    Unfinished changes become problems; the results of checks become those of its volumes.
    """
    if settings.replay is not None or settings.host or (settings.bmc and not settings.local):
        return seen
    from raidctl.change.state_place import (  # noqa: PLC0415 - not for recordings and other machines
        CHECKS,
        JOURNAL,
        are_missing,
    )

    below = f"demo/{settings.demo}/" if settings.demo else ""
    if are_missing(settings.state_dir, (f"{below}{CHECKS}", f"{below}{JOURNAL}")):
        return seen
    from raidctl.change.state_directory import existing  # noqa: PLC0415 - only where there is a journal

    place = existing(settings.state_dir)
    if place is None:
        return seen
    place /= below
    if not are_missing(str(place), (CHECKS,)):
        from raidctl.operate import check_history, checks  # noqa: PLC0415 - as above

        seen = replace(seen, inventory=checks.with_history(seen.inventory, check_history.read(place)))
    if are_missing(str(place), (JOURNAL,)):
        return seen
    from raidctl.change.unfinished import problems  # noqa: PLC0415 - as above

    found = problems(place, seen.inventory.host.source)
    inventory = msgspec.structs.replace(seen.inventory, problems=(*seen.inventory.problems, *found))
    return replace(seen, inventory=inventory)


def print_tracebacks(seen: Survey) -> None:
    """Print the tracebacks of failed vendor packages on standard error."""
    from raidctl.text import printable  # noqa: PLC0415 - rarely needed

    for text in seen.tracebacks:
        click.echo(printable(text), err=True)


def _are_loose(path: str) -> bool:
    from raidctl.recording.recording import is_recording  # noqa: PLC0415 - as above

    return not is_recording(path)


def _loose(path: str) -> Survey:
    from raidctl.recording.loose_files import collect_outputs  # noqa: PLC0415 - only where it is asked for

    found, problems = vendors()
    gathered = collect_outputs(path, found)
    problems += gathered.problems
    if gathered.unrecognised and gathered.texts:
        message = (
            f"{gathered.unrecognised} of {gathered.files} files in it skipped: not recognised as output of any "
            "supported tool."
        )
        problems.append(Problem("info", path, message))
    return survey_documents(gathered.texts, source=gathered.source, problems=problems)
