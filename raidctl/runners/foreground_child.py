"""A batch's command in the foreground, and a watchdog process beside it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType

from raidctl.text import printable

_OF_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
"""Signals that the terminal sends to the command itself. It is in our process group."""
_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_OF_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
"""Python ignores these; a started program must not."""
_PATIENCE = b"raidctl: restoring the previous settings; this cannot be interrupted. Please wait.\n"

Handler = Callable[[int, FrameType | None], None]


def run_child(argv: Sequence[str]) -> int:
    """Run a program with our terminal, environment and directory. Pass signals on to it.

    The program also ignores the signals that raidctl has ignored since its start (``nohup``, ``&`` in a script).

    Returns:
        Its exit code, as in a shell: 128 and the number of the signal that ended it; 127 if there is no such program,
        126 if it cannot be run.
    """
    children: list[int] = []
    early: list[int] = []

    def forward_signal(number: int, _frame: FrameType | None) -> None:
        if not children:
            early.append(number)
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)

    def of_terminal(number: int, frame: FrameType | None) -> None:
        if not _in_foreground():
            forward_signal(number, frame)

    wanted: dict[signal.Signals, Handler] = dict.fromkeys(_OF_TERMINAL, of_terminal)
    with _handlers({**wanted, **dict.fromkeys(_PASSED_ON, forward_signal)}) as handled:
        try:
            children.append(os.posix_spawnp(argv[0], list(argv), os.environ, setsigdef=(*handled, *_OF_PYTHON)))
        except (FileNotFoundError, NotADirectoryError) as error:
            return _not_run(argv[0], error, 127)
        except (OSError, ValueError) as error:
            return _not_run(argv[0], error, 126)
        for number in early:
            os.kill(children[0], number)
        _, status = os.waitpid(children[0], 0)
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def is_missing(program: str) -> bool:
    """Whether a program does not exist. Then nothing needs to be changed for it."""
    return shutil.which(program, mode=os.F_OK) is None


def _not_run(program: str, error: Exception, code: int) -> int:
    """Report why a program was not started."""
    why = getattr(error, "strerror", None) or error
    with contextlib.suppress(OSError):
        os.write(2, f"raidctl: {printable(program)} cannot be run: {why}.\n".encode())
    return code


def _in_foreground() -> bool:
    """Whether our process group has the terminal. Then a Ctrl-C has already reached the command."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


@contextlib.contextmanager
def uninterruptible() -> Iterator[None]:
    """Ignore interruptions while settings are restored. Each request has a time limit, so it ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(OSError):
            os.write(2, _PATIENCE)

    # handlers, not SIG_IGN: tools would inherit that, and hanging ones are ended by signals
    wanted: dict[signal.Signals, Handler] = dict.fromkeys((*_OF_TERMINAL, signal.SIGTERM, signal.SIGHUP), on_signal)
    with _handlers(wanted):
        yield


@contextlib.contextmanager
def _handlers(wanted: Mapping[signal.Signals, Handler]) -> Iterator[list[signal.Signals]]:
    """Handle these signals, except ignored ones; yield those that are handled."""
    before = {number: signal.getsignal(number) for number in wanted}
    handled = [number for number, old in before.items() if old is not signal.SIG_IGN]
    try:
        for number in handled:
            signal.signal(number, wanted[number])
        yield handled
    finally:
        for number in handled:
            old = before[number]
            signal.signal(number, old if old is not None else signal.SIG_DFL)


class Watchdog:
    """A second process that notices the end of this one. It does so by the closing of a socket."""

    def __init__(self, argv: Sequence[str]) -> None:
        """Start it in a separate session. The socket is its standard input.

        Raises:
            OSError: It cannot be started.
        """
        self._mine, its = socket.socketpair()
        with its:
            actions = [(os.POSIX_SPAWN_DUP2, its.fileno(), 0)]
            try:
                self.pid = os.posix_spawn(argv[0], list(argv), os.environ, file_actions=actions, setsid=True)
            except OSError:
                self._mine.close()
                raise

    def ready(self, patience: float) -> bool:
        """Whether it reports within ``patience`` seconds that it is ready."""
        self._mine.settimeout(patience)
        try:
            return self._mine.recv(1) == b"!"
        except OSError:
            return False

    def dismiss(self) -> None:
        """Report that there is nothing to do. The process may have ended already."""
        with contextlib.suppress(OSError):
            self._mine.sendall(b".")

    def close(self) -> None:
        """Close the socket. The second process starts its work, unless it was dismissed."""
        self._mine.close()


def wait_for_parent() -> bool:
    """Wait in the second process for the end of the first. Before that, report that it is ready.

    Signals to the whole session (a logout, the end of a service) must not end it before the first.

    Returns:
        True if the first ended without dismissing it.
    """
    for number in (*_OF_TERMINAL, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    with socket.socket(fileno=os.dup(0)) as first:
        try:
            first.sendall(b"!")
            return first.recv(1) != b"."
        except OSError:
            return True
