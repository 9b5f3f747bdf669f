"""``raidctl watch`` without ``--once``: repeated readings of a machine.

Readings are drawn on a terminal or printed line by line.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import datetime, timedelta, timezone
from itertools import chain
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.machine import Machine, machine, with_own_records
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.reader_gone import reader_gone
from raidctl.cli.shared.terminal import display, emit
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, RaidctlError
from raidctl.events.reading import read_kernel, read_logs
from raidctl.events.report import Filter, report, unseen
from raidctl.layers.build import stack
from raidctl.layers.model import Layer
from raidctl.layers.probe import probe_caches
from raidctl.layers.scope import scope
from raidctl.model import Controller, Inventory, Problem, Progress, hiding_problems
from raidctl.output.live_lines import closed_on_quit
from raidctl.output.terminal import is_drawable
from raidctl.request import converse
from raidctl.runners.deferred_signals import defer_signals
from raidctl.survey.survey import Survey
from raidctl.tasks.watch import FIRST_SECONDS, LONGEST_SECONDS, Clock, Frame, SystemClock, Watch
from raidctl.text import collapse, printable
from raidctl.units import format_moment, parse_iso
from raidctl.vendor.events import Event
from raidctl.watch.live import Board, Live, Reading
from raidctl.watch.live_facts import facts_of

if TYPE_CHECKING:
    from raidctl.output.live import Screen

USUAL, USUAL_REMOTE = 2.0, 5.0
"""Default seconds between two readings of kernel files, locally and over ssh."""
LOG_SECONDS, LOG_SECONDS_REMOTE = 10.0, 60.0
"""Least seconds between readings of the kernel log, locally and over ssh. The log may have megabytes."""
Opened = Callable[[], AbstractContextManager[Machine]]


def run(settings: Settings, interval: float | None, at_most: float | None) -> int:
    """Watch the machine that the options name until interrupted. Return the exit code."""
    every = interval or (USUAL_REMOTE if settings.host else USUAL)
    with Readings(lambda: machine(settings), settings) as readings:
        return follow(readings, settings, every, at_most, SystemClock())


def follow(readings: Readings, settings: Settings, every: float, at_most: float | None, clock: Clock) -> int:
    """Show readings until the time is up or the user interrupts. Return the exit code of the last complete one."""
    still = settings.demo is not None  # simulated tools disturb no controller
    watch = Watch(
        readings.whole, readings.quick, clock, at_most, every=every, steady=True, same=_state,
        first=every if still else max(FIRST_SECONDS, every), longest=every if still else max(LONGEST_SECONDS, every),
    )  # fmt: skip
    live = Live()
    try:
        _shown((live.step(one) for one in readings.of(watch.frames())), settings)
    except KeyboardInterrupt:
        if live.board is None:
            raise
    if live.board is None:
        return EXIT_FINE
    last = live.board.reading
    return exit_code(last.frame.inventory.problems) or (EXIT_CANNOT_TELL if last.unread else EXIT_FINE)


def _state(inventory: Inventory) -> object:
    """Return the state whose change makes the tools run sooner: something improved, got worse, began or ended.

    Temperatures and their limits are not part of it: a drive near its limit would keep the tools running.
    """
    cold = replace(inventory, controllers=tuple(map(_without_temperatures, inventory.controllers)))
    return {(*fact.key, fact.value if fact.unit is None else "") for fact in facts_of(cold, cold.tasks, ())}


def _without_temperatures(controller: Controller) -> Controller:
    drives = tuple(replace(drive, temperature_celsius=None) for drive in controller.drives)
    batteries = tuple(replace(battery, temperature_celsius=None) for battery in controller.batteries)
    return replace(controller, drives=drives, batteries=batteries)


def on_screen(settings: Settings) -> bool:
    """Return whether standard output is a terminal that can be drawn on. JSON is never drawn."""
    return is_drawable(sys.stdout) and not settings.as_json


def _shown(boards: Iterator[Board], settings: Settings) -> None:
    from raidctl.output.live import Screen, json_lines, lines  # noqa: PLC0415 - rich only where it is drawn

    if not on_screen(settings):
        reported: set[str] = set()
        for board in boards:
            for unread in board.reading.unread:
                if unread not in reported:
                    click.echo(f"raidctl: not read: {collapse(printable(unread))}", err=True)
            reported |= set(board.reading.unread)
            if board.changes:
                emit(json_lines(board.changes) if settings.as_json else lines(board.changes, display()))
        return
    screen = Screen(lambda: (display(), shutil.get_terminal_size((80, 24)).lines))
    first = next(boards)  # if nothing can be read, that is an error on the first screen
    with _open(screen):
        for board in chain([first], boards):
            try:
                # Ctrl-Z waits for the picture: rich would not write what closes the screen while it draws.
                with defer_signals((signal.SIGTSTP,), block=False):
                    screen.show(board)
            except OSError as error:  # the terminal is gone, without a signal
                raise reader_gone() from error


@contextmanager
def _open(screen: Screen) -> Iterator[None]:
    """Open the screen and restore the terminal at the end. Also restore it while raidctl is stopped by Ctrl-Z."""

    def stopped(_number: int, _frame: object) -> None:
        screen.close()
        os.kill(os.getpid(), signal.SIGSTOP)
        screen.open()

    before = signal.signal(signal.SIGTSTP, stopped)
    try:
        screen.open()
        with closed_on_quit(screen.close):
            yield
    finally:
        screen.close()
        signal.signal(signal.SIGTSTP, before)


class Readings:
    """Repeated readings of a machine. A lost connection is restored at the next complete reading."""

    def __init__(self, opened: Opened, settings: Settings, began: datetime | None = None) -> None:
        self._opened, self._settings = opened, settings
        self._began = began or datetime.now(timezone.utc)
        self._stack = ExitStack()
        self._named: Machine | None = None
        self._seen: Survey | None = None
        self._known: list[Event] | None = None
        self._log_pause = LOG_SECONDS_REMOTE if settings.host else LOG_SECONDS
        self._logs_at = 0.0
        self._log_faults: tuple[str, ...] = ()

    def __enter__(self) -> Readings:  # noqa: PYI034 - Self came with Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _machine(self) -> Machine:
        connect = getattr(self._named.runner, "connect", None) if self._named is not None else None
        if connect is not None and connect().trouble:
            self._named = None
            self._stack.close()
        if self._named is None:
            self._named = self._stack.enter_context(self._opened())
        return self._named

    def whole(self) -> Inventory:
        """Read everything. A machine that cannot be read this time has an inventory of unknowns."""
        try:
            seen = with_own_records(self._machine().survey(), self._settings)
        except RaidctlError as error:
            if self._seen is None:
                raise
            fault = Problem("error", "host", f"The machine cannot be read: {error}", kind="unread")
            return Inventory(host=self._seen.inventory.host, problems=(fault,))
        self._seen = seen
        return seen.inventory

    def quick(self) -> Mapping[str, Progress | None]:
        """Read what families report from kernel files alone."""
        return self._named.progress() if self._named is not None else {}

    def of(self, frames: Iterator[Frame]) -> Iterator[Reading]:
        """Yield the frames, each with the caches, and the logs' new entries."""
        for number, frame in enumerate(frames):
            layers, faults = self._caches(frame)
            entries: tuple[Event, ...] = ()
            at = format_moment(self._began + timedelta(seconds=frame.seconds))
            if number:  # the first screen does not wait for the logs
                entries = self._entries(frame)
            hidden = [f"{one.where}: {one.message}" for one in hiding_problems(frame.inventory.problems)]
            unread = tuple(dict.fromkeys((*hidden, *faults, *self._log_faults)))
            yield Reading(
                at=at, frame=frame, layers=layers, caches_read=not faults, entries=entries, unread=unread
            )  # fmt: skip

    def _caches(self, frame: Frame) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
        named, seen = self._named, self._seen
        if named is None or seen is None:
            return (), ("caches",)
        of = scope(seen.view, frame.inventory, None)
        kernel = converse(probe_caches(seen.view, of.names), named.runner)
        found = stack(of, seen.view, kernel, frame.inventory, named.vendors)
        return found.layers, tuple(dict.fromkeys(one.where for one in hiding_problems(kernel.problems)))

    def _entries(self, frame: Frame) -> tuple[Event, ...]:
        """Return new entries of the kernel log. After a complete reading, include those of the controllers' logs."""
        named, seen = self._named, self._seen
        if named is None or seen is None or (not frame.whole and frame.seconds - self._logs_at < self._log_pause):
            return ()
        self._logs_at = frame.seconds
        recorded = parse_iso(named.recorded_at)
        now = recorded or self._began + timedelta(seconds=frame.seconds)
        tools = frame.whole or self._known is None
        logs = converse((read_logs if tools else read_kernel)(seen, named.vendors, now), named.runner)
        found = report(seen.inventory, logs.logs, now, Filter())
        if tools:
            faults = [problem.where for log in logs.logs for problem in hiding_problems(log.problems)]
            self._log_faults = tuple(dict.fromkeys(faults))
        since = recorded or self._began
        first = self._known is None
        fresh = unseen(found.events, self._known or ())
        self._known = [*(self._known or ()), *fresh]
        # entries of the first reading without a time may be old
        return tuple(one for one in fresh if (at >= since if (at := parse_iso(one.host_at)) is not None else not first))
