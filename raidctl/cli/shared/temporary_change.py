"""A temporary change, restored at its end. If raidctl is killed, a second process restores it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from raidctl.change.engine import Change
from raidctl.change.journal import Begin, Journal, JournaledChange
from raidctl.change.restore import Restorer
from raidctl.change.restored import Restored
from raidctl.change.state_directory import restore_command
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.own_program import second_process
from raidctl.cli.shared.plan_change import Work, about
from raidctl.cli.shared.state_directories import readable_directory
from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import ChangeNotUndone, RaidctlError
from raidctl.runners.foreground_child import Watchdog, uninterruptible
from raidctl.text import listing

_STARTUP = 60.0
"""Seconds for the second process to become ready; one that cannot start is noticed at once."""


@contextlib.contextmanager
def apply_temporarily(
    work: Work,
    settings: Settings,
    show: Callable[[str], None] = emit_message,
    quiet: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
    entry: Begin | None = None,
) -> Iterator[Change | None]:
    """Apply the plan while the context lasts. Restore the previous settings however it ends.

    The controllers are locked from the first reading to the last, even if no change is needed (None), so that no other
    raidctl changes what the caller relies on. If raidctl is killed, the second process restores.

    Args:
        work: The machine and the plan, which nothing refuses.
        settings: The options, for the second process.
        show: Receives the commands as they are carried out, and what was restored. Failures are always printed.
        quiet: A context in which messages may be printed, as nothing else draws on the terminal. It must not
            fail, even if the terminal is gone.
        entry: The change's first entry in the journal; None: that of a batch.

    Raises:
        Held, CannotTell: Another raidctl has a controller, or the plan no longer fits. Nothing was changed.
        ChangeUndone: It could not be done, and was undone.
        ChangeNotUndone: It could not be restored; the change stays open, for ``restore``.
    """
    entry = entry or work.begin("batch", about())
    with work.hold(entry), apply_temporarily_locked(work, settings, entry, show, quiet) as change:
        yield change


@contextlib.contextmanager
def apply_temporarily_locked(
    work: Work,
    settings: Settings,
    entry: Begin,
    show: Callable[[str], None] = emit_message,
    quiet: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
) -> Iterator[Change | None]:
    """Apply the plan for callers that have locked the controllers already."""
    if not work.plan.steps:
        yield None
        return
    with restore_watchdog(settings, entry) as watchdog:
        change = work.change(entry, show)
        with quiet():
            change.apply()
        try:
            with quiet():
                for text in change.warnings:
                    emit_message(f"Warning: {text}.")
                watchdog.wait()
            yield change
        finally:
            with quiet():
                put_back(work, change, show)
            watchdog.dismiss()


def put_back(work: Work, change: Change, show: Callable[[str], None]) -> None:
    """Undo a change, without interruption.

    Raises:
        ChangeNotUndone: That was not possible; the change stays open, for ``restore``.
    """
    named = work.named
    show("Restoring the previous settings:")
    restorer = Restorer(Journal(work.state), work.state, named.runner, named.survey, named.vendors, named.source, show)
    # the change is in memory as well: a journal that cannot be read now must not keep settings from being restored
    with uninterruptible():
        result = restorer.put_back(JournaledChange(begin=change.begin, events=tuple(change.events)))
    report(result, show)
    if result.faults:
        again = restore_command(named.source, work.state)
        raise ChangeNotUndone(
            f'It could not be restored: {listing(result.faults)}. "{again}" tries again; check it with "raidctl show".'
        )


def report(result: Restored, show: Callable[[str], None] = emit_message) -> None:
    """Print the outcome of a change. What was restored goes to ``show``, what was not to standard error."""
    for text in result.put_back:
        show(f"Restored: {text}.")
    for text in result.left:
        emit_message(f"Left as it is: {text}.")
    for text in result.warnings:
        emit_message(f"Warning: {text}.")


@dataclass
class RestoreWatchdog:
    """The second process, to be dismissed when the change is over."""

    process: Watchdog | None
    way_back: str
    """The command that restores, for messages."""

    def dismiss(self) -> None:
        """Report that nothing is left to restore."""
        if self.process is not None:
            self.process.dismiss()

    def wait(self) -> None:
        """Wait until the second process is ready. Print a warning if it is not."""
        if self.process is None or not self.process.ready(_STARTUP):
            emit_message(
                "Warning: if raidctl is killed, the previous settings are not restored automatically; run "
                f'"{self.way_back}" then.'
            )


@contextlib.contextmanager
def restore_watchdog(settings: Settings, entry: Begin) -> Iterator[RestoreWatchdog]:
    """Start a second process that restores if this one is killed. On another machine there is none."""
    words = [*second_process(), *(["--demo", settings.demo] if settings.demo else [])]
    words += ["restore", "--when-gone", "--change", entry.change]
    words += ["--state-dir", settings.state_dir] if settings.state_dir else []
    try:
        process = None if settings.host else Watchdog(words)
    except OSError:
        process = None
    watchdog = RestoreWatchdog(process, restore_command(entry.source, readable_directory(settings)))
    try:
        yield watchdog
        watchdog.dismiss()
    except RaidctlError:
        # nothing is left to do: what failed was undone, or is left to restore, as another attempt now would fail in the
        # same way; after anything else (killed at the wrong moment) the second process finishes the work
        watchdog.dismiss()
        raise
    finally:
        if process is not None:
            process.close()
