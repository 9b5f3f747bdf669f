"""``--hosts``: one command on many machines over ssh, with one summary."""

from __future__ import annotations

import copy
import gc
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import Struct

from raidctl.audit.finding import Finding
from raidctl.cli.shared import files
from raidctl.cli.shared.machine import Machine, check_reachable
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import EXIT_ACCESS, EXIT_INTERRUPTED, EXIT_UNREACHABLE, EXIT_USAGE, RaidctlError, UsageError
from raidctl.fleet.host_threads import Closeable, HostThreads, Outcome
from raidctl.fleet.hosts import Host, HostList, of_text, of_words
from raidctl.fleet.report import HostAnswer, Rank, report
from raidctl.model import Problem
from raidctl.runners.deferred_signals import defer_signals
from raidctl.runners.ssh import SshRunner
from raidctl.survey.ask_vendors import warm
from raidctl.text import printable
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendors

V = TypeVar("V")
JOBS = 16
"""Hosts read at the same time."""
_FILES = (".ini", ".yml", ".yaml", ".json", ".txt", ".cfg", ".list")
_STATES = {
    EXIT_UNREACHABLE: ("unreachable", Rank.GONE), EXIT_ACCESS: ("no access", Rank.FAILED),
    EXIT_USAGE: ("invalid", Rank.FAILED),
}  # fmt: skip


class Line(Struct, frozen=True):
    """The summary line of one host."""

    exit_code: int
    rank: Rank
    state: str
    """One word."""
    message: str
    hostname: str | None = None
    more: tuple[str, ...] = ()
    """Further lines, with ``-v``."""
    result: Any = None
    """For ``--json``."""


def hosts_of(settings: Settings) -> tuple[Host, ...]:
    """Return the hosts of ``--hosts``. Unused entries of an inventory are printed on standard error.

    Raises:
        UsageError: There is no such file, or it names no host.
        CannotTell: The file cannot be read.
    """
    words = settings.hosts or ""
    if words == "-" or os.path.lexists(words):
        return hosts_in(words, settings.limit)
    if "/" in words.removeprefix("ssh://") or words.endswith(_FILES):
        raise UsageError(f"There is no file {printable(words)}.")
    return _noted(of_words(words, settings.limit))


def hosts_in(path: str, limit: str | None = None) -> tuple[Host, ...]:
    """Return the hosts of a file, or of standard input (``-``). Raises the same errors as `hosts_of`."""
    if Path(path).is_dir():
        raise UsageError(
            f"{printable(path)} is a directory: ansible-inventory -i {printable(path)} --list | raidctl --hosts - ..."
        )
    name = "standard input" if path == "-" else path
    text = files.read(path, printable(name), "a list of hosts")
    return _noted(of_text(text.decode("utf-8", errors="surrogateescape"), name, limit))


def _noted(found: HostList) -> tuple[Host, ...]:
    for note in found.notes:
        click.echo(f"raidctl: {note}", err=True)
    if not found.hosts:
        raise UsageError("--hosts names no host.")
    return found.hosts


def one_of(settings: Settings, host: Host) -> Settings:
    """Return the settings for one of the hosts."""
    found = copy.copy(settings)
    found.host, found.hosts, found.limit, found.jobs = host.name, None, None, None
    return found


def read_hosts(
    settings: Settings, hosts: Sequence[Host], work: Callable[[Machine], V], *, jobs: int | None = None
) -> Generator[Outcome[V], None, None]:
    """Read the hosts, and yield each outcome as it comes. An interruption ends the reading early."""
    from raidctl.output.hosts import progress  # noqa: PLC0415 - only where there are many

    guard, loaded = threading.Lock(), list[tuple[Sequence[Vendor], Sequence[Problem]]]()

    def families() -> tuple[Sequence[Vendor], Sequence[Problem]]:
        with guard:
            if not loaded:
                loaded.append(vendors())
                warm(loaded[0][0])
                gc.freeze()
            return loaded[0]

    def one(host: Host, hold: Callable[[Closeable], None]) -> V:
        sudo = host.with_sudo(settings.sudo)
        runner = SshRunner(host.destination, host.options, sudo=sudo, timeout=settings.timeout)
        with closing(runner):
            hold(runner)
            runner.connect(wait=False)
            found, problems = families()  # during the time that the first connections take
            check_reachable(runner, hint="")
            return work(Machine(runner, found, f"ssh:{host.name}", problems))

    threads = HostThreads(hosts, one, jobs=jobs or settings.jobs or JOBS)
    with progress(len(hosts)) as bar, closing(threads.outcomes()) as outcomes:
        try:
            for outcome in outcomes:
                bar(outcome.host.name)
                yield outcome
        except KeyboardInterrupt:
            _report_interruption()


def _report_interruption() -> None:
    click.echo("raidctl: interrupted: the hosts that have answered are shown.", err=True)


def run(
    settings: Settings, command: str, work: Callable[[Machine], V], line: Callable[[Host, V], Line],
    hosts: Sequence[Host] | None = None, *, findings: Callable[[], Sequence[Finding]] = tuple,
) -> int:  # fmt: skip
    """Run a command on the hosts and print one summary. Return the exit code.

    Args:
        settings: The shared options, with ``--hosts``.
        command: Its name.
        work: Reads one machine, in a thread.
        line: Returns the line to print, in this thread, and saves what has to be saved.
        hosts: The hosts; None: those of ``--hosts``.
        findings: Called at the end; returns the findings that are not about a single host.
    """
    hosts = hosts_of(settings) if hosts is None else hosts
    order = {host.name: place for place, host in enumerate(hosts)}
    found: list[tuple[Rank, int, HostAnswer, tuple[str, ...]]] = []

    def add(outcome: Outcome[V]) -> None:
        row = _line(outcome, line)
        answer = HostAnswer(
            host=outcome.host.name, hostname=row.hostname, exit_code=row.exit_code, state=row.state,
            message=row.message, tries=outcome.tries, result=row.result if settings.as_json else None,
            error=row.message if row.result is None else None,
        )  # fmt: skip
        found.append((row.rank, order[outcome.host.name], answer, row.more))

    try:
        with closing(read_hosts(settings, hosts, work)) as outcomes:
            for outcome in outcomes:
                with defer_signals((signal.SIGINT,), block=False):  # a host whose files are saved is also shown
                    add(outcome)
    except KeyboardInterrupt:
        _report_interruption()
    found.sort(key=lambda one: one[:2])
    ranks = {answer.host: rank for rank, _, answer, _ in found}
    more = {answer.host: lines for _, _, answer, lines in found} if settings.verbose else {}
    whole = report(command, [answer for _, _, answer, _ in found], len(hosts), findings())
    emit_found(whole, settings, "hosts.screen", ranks, more)
    return whole.exit_code


def _line(outcome: Outcome[V], line: Callable[[Host, V], Line]) -> Line:
    error = outcome.error
    if error is None:
        try:
            return line(outcome.host, outcome.value)  # type: ignore[arg-type] # without an error there is a value
        except RaidctlError as raised:
            error = raised
    state, rank = _STATES.get(error.exit_code, ("failed", Rank.FAILED))
    return Line(error.exit_code, rank, state, str(error))


def failed(outcome: Outcome[Any]) -> int:
    """Return the exit code of a host without a result."""
    return outcome.error.exit_code if outcome.error else EXIT_INTERRUPTED
