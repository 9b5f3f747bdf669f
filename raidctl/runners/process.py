"""Run programs, without a shell and with limits on time and output.

A child gets a separate session, so that a signal to its process group also reaches its children. It is reaped only
after its group has ended: until then the kernel does not reuse its number.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO

from msgspec import Struct

from raidctl.request import CHANGEABLE, DEFAULT_LIMIT, DEFAULT_TIMEOUT, Failure, RunAnswer, decode
from raidctl.runners import process_group
from raidctl.runners.deferred_signals import defer_signals
from raidctl.runners.interrupted import Interrupted
from raidctl.runners.programs import first_program

GRACE = 2.0
"""Seconds between TERM and KILL."""
LINGER = 1.0
"""Seconds that a program's child may keep the output open. They count from the program's end."""
_ROUNDS = 10
"""Number of searches for processes that have left their group. One may start another while it is being ended."""
TICK = 0.1
"""Seconds between checks for events without a file descriptor. These are an interruption, and an end with open
output."""
CHUNK = 65536
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Bounds(Struct, frozen=True):
    """Limits of a program, and its input.

    The program is ended after ``seconds``, or ``size`` bytes of both outputs. With ``begin``, the seconds count from
    when its standard output has these bytes, for which it has ``patience`` seconds. ``feed`` is written to its standard
    input, which then stays open until the end, or is closed with ``fed_whole``; without it there is no standard input.
    With ``until``, the program is done when both outputs contain these bytes. ``leave_children`` spares processes that
    it started (a changing command may start a service); otherwise they are ended. ``handles`` are file descriptors that
    it inherits.
    """

    seconds: float = DEFAULT_TIMEOUT
    size: int = DEFAULT_LIMIT
    feed: bytes | None = None
    fed_whole: bool = False
    until: bytes | None = None
    begin: bytes | None = None
    patience: float = 0.0
    leave_children: bool = False
    handles: tuple[int, ...] = ()
    stop: threading.Event | None = None


def run(
    argv: Sequence[str], *, environment: Mapping[str, str], directory: str | None = None, bounds: Bounds | None = None
) -> RunAnswer:
    """Run a program and return its answer.

    Args:
        argv: The program (searched on the PATH of ``environment``) and its arguments.
        environment: All variables that it gets.
        directory: Its working directory; None is that of this process.
        bounds: Time, output, input.

    Returns:
        The exit code (128 + the signal's number if a signal ended it) and both outputs; or the failure, with the
        output so far.

    Raises:
        Interrupted: ``bounds.stop`` was set.
    """
    bounds = bounds or Bounds()
    if not argv or not argv[0]:
        return RunAnswer(trouble=Failure.FAILED, detail="no program given")
    with contextlib.ExitStack() as held:
        try:
            program = _executable(argv[0], environment)
            held.enter_context(defer_signals(_ENDING, block=False))
            child = _Child(program, argv, environment, directory, bounds)
        except (OSError, ValueError) as error:
            return _not_started(error, argv[0], directory)
        try:
            held.close()  # raises an interruption that came meanwhile
            trouble = child.follow()
        except BaseException:
            child.end_group()
            child.end_strays()
            child.close()
            raise
    return child.conclude(trouble)


def _not_started(error: OSError | ValueError, name: str, directory: str | None) -> RunAnswer:
    """Return the answer for a program that could not be started."""
    trouble = Failure.FAILED  # too long an argument list, no memory; a NUL in an argument
    if isinstance(error, FileNotFoundError):
        lost = directory is not None and error.filename == directory
        trouble = Failure.FAILED if lost else Failure.MISSING
    elif isinstance(error, NotADirectoryError):
        trouble = Failure.MISSING
    elif isinstance(error, PermissionError):
        trouble = Failure.DENIED
    reason = str(getattr(error, "strerror", None) or error)
    return RunAnswer(trouble=trouble, detail=reason if CHANGEABLE in reason else f"{name}: {reason}")


def _executable(name: str, environment: Mapping[str, str]) -> str:
    """Find a program's file. The system's search reports an inaccessible directory as a missing right."""
    places = environment.get("PATH", "").split(":")
    paths = [name] if "/" in name else [f"{place}/{name}" for place in places if place.startswith("/")]
    path = first_program(paths)
    if path is None:
        raise FileNotFoundError(2, "No such file or directory", name)
    return path


class _Child:
    """A running program and its output so far."""

    def __init__(
        self,
        program: str,
        argv: Sequence[str],
        environment: Mapping[str, str],
        directory: str | None,
        bounds: Bounds,
    ) -> None:
        self.bounds = bounds
        self.mark = os.fsencode(f"TMPDIR={directory}") if directory and environment.get("TMPDIR") == directory else b""
        self.began = time.monotonic()
        self.selector = selectors.DefaultSelector()
        self.popen = subprocess.Popen(
            list(argv),
            executable=program,
            stdin=subprocess.DEVNULL if bounds.feed is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env=dict(environment),
            start_new_session=True,
            pass_fds=bounds.handles,
            bufsize=0,
        )
        self.unsent = memoryview(bounds.feed or b"")
        self.kept: dict[IO[bytes], bytearray] = {}
        for stream in (self.popen.stdout, self.popen.stderr):
            if stream is not None:
                self.kept[stream] = bytearray()
                self.selector.register(stream, selectors.EVENT_READ)
        if self.popen.stdin is not None and self.unsent:
            os.set_blocking(self.popen.stdin.fileno(), False)
            self.selector.register(self.popen.stdin, selectors.EVENT_WRITE)
        self.output = next(iter(self.kept.values()))
        self.closing: set[IO[bytes]] = set()
        self.flooded = False
        self.lost = False

    def follow(self) -> Failure | None:
        """Read and write until the program is done or reaches a limit."""
        begin = self.bounds.begin
        deadline = self.began + (self.bounds.seconds if begin is None else self.bounds.patience)
        ended_at: float | None = None
        pause = 0.001
        while True:
            now = time.monotonic()
            if begin is not None and begin in self.output:
                begin, deadline = None, now + self.bounds.seconds
            if self.bounds.stop is not None and self.bounds.stop.is_set():
                raise Interrupted
            if self.flooded:
                return Failure.FLOOD
            if len(self.closing) == len(self.kept):
                return None
            if ended_at is not None and now >= ended_at + LINGER:
                self._transfer(0.0)  # this process may have been paused meanwhile
                return Failure.FLOOD if self.flooded else None
            if ended_at is None and self._ended():
                ended_at = now
            open_outputs = any(stream in self.selector.get_map() for stream in self.kept)
            if not open_outputs and ended_at is not None:
                return None
            if now >= deadline and ended_at is None:
                return Failure.TIMEOUT
            if open_outputs:
                self._transfer(max(0.0, min(TICK, deadline - now)) if ended_at is None else TICK)
            else:  # it closed its outputs but still runs
                time.sleep(pause)
                pause = min(pause * 2, 0.02)

    def _transfer(self, patience: float) -> None:
        """Read and write once, waiting at most ``patience`` seconds."""
        for key, _ in self.selector.select(patience):
            stream = key.fileobj
            if stream is self.popen.stdin:
                self._send()
            else:
                self._receive(stream)  # type: ignore[arg-type] # only the streams of Popen are registered

    def _send(self) -> None:
        stdin = self.popen.stdin
        if stdin is None:
            return
        try:
            sent = os.write(stdin.fileno(), self.unsent[:CHUNK])
        except BlockingIOError:
            return
        except OSError:  # it closed its input; its exit code will show why
            self.selector.unregister(stdin)
            return
        self.unsent = self.unsent[sent:]
        if not self.unsent:
            self.selector.unregister(stdin)
            if self.bounds.fed_whole:
                stdin.close()

    def _receive(self, stream: IO[bytes]) -> None:
        chunk = os.read(stream.fileno(), CHUNK)
        if not chunk:
            self.selector.unregister(stream)
            return
        room = self.bounds.size - sum(len(data) for data in self.kept.values())
        self.kept[stream] += chunk[:room]
        self.flooded |= len(chunk) > room
        mark = self.bounds.until
        if mark is not None and mark in self.kept[stream][-len(chunk) - len(mark) :]:
            self.closing.add(stream)

    def _ended(self) -> bool:
        """Whether the program has ended; does not reap it."""
        try:
            state = os.waitid(os.P_PID, self.popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # this process ignores SIGCHLD since its start: the kernel keeps no exit code
            self.lost = True
            return True
        return state is not None

    def conclude(self, trouble: Failure | None) -> RunAnswer:
        """End what is left, and return the answer."""
        if trouble is not None or not self.bounds.leave_children or not self._ended():
            self.end_group()
        if trouble is not None:
            self.end_strays()
        self.close()
        out, err = (bytes(data) for data in self.kept.values())
        code = self.popen.returncode
        if trouble is not None:
            detail = {
                Failure.TIMEOUT: f"not done after {self.bounds.seconds:g} s",
                Failure.FLOOD: f"printed more than {self.bounds.size} bytes",
            }[trouble] + ("; ended" if code is not None else "; could not be ended")
            return RunAnswer(trouble=trouble, detail=detail, out=out, err=err)
        if self.lost or code is None:
            return RunAnswer(trouble=Failure.FAILED, detail="its exit code was lost", out=out, err=err)
        return RunAnswer(code=128 - code if code < 0 else code, out=out, err=err)

    def end_group(self) -> None:
        """Send TERM to the whole group, and KILL after the grace period."""
        deadline = time.monotonic() + GRACE
        process_group.send(self.popen.pid, signal.SIGTERM)
        while not self._ended() and time.monotonic() < deadline:
            time.sleep(0.01)
        if self._ended():  # once reaped, it no longer counts as a member of its group
            self._reap()
            while process_group.alive(self.popen.pid):
                if time.monotonic() >= deadline:
                    process_group.send(self.popen.pid, signal.SIGKILL)
                    return
                time.sleep(0.02)
        else:
            process_group.send(self.popen.pid, signal.SIGKILL)
            self._reap()

    def end_strays(self) -> None:
        """Kill processes that left the group. Their private directory, which no other program has, identifies them."""
        for _ in range(_ROUNDS if self.mark else 0):
            strays = process_group.marked(self.mark)
            for pid in strays:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if not strays:
                return

    def _reap(self) -> None:
        """Reap the program; one that hangs in the kernel cannot be."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(GRACE)

    def close(self) -> None:
        """Close the pipes, and reap the program."""
        self.selector.close()
        for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        if self.popen.returncode is None and self._ended():
            self._reap()


class Companion:
    """A program that runs in parallel. It runs until :meth:`end`, or until this process ends.

    Its standard input is a pipe, which closes with this process.
    """

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], feed: bytes = b"") -> None:
        """Start it.

        Args:
            argv: The program and its arguments.
            environment: All variables that it gets.
            feed: The begin of its standard input, at most 4 KiB, which a pipe takes at once.

        Raises:
            OSError: It cannot be started.
        """
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the program
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - as above
        try:
            self._popen = subprocess.Popen(
                list(argv),
                executable=_executable(argv[0], environment),
                stdin=subprocess.PIPE,
                stdout=self._output,
                stderr=self._errors,
                env=dict(environment),
                start_new_session=True,
                bufsize=0,
            )
        except BaseException:
            self._errors.close()
            self._output.close()
            raise
        if self._popen.stdin is not None and feed:
            with contextlib.suppress(BrokenPipeError):  # its exit code will show why
                self._popen.stdin.write(feed)

    @property
    def running(self) -> bool:
        """Whether it is still running."""
        return self._popen.poll() is None

    @property
    def code(self) -> int | None:
        """Its exit code. None: it is running, or a signal has ended it."""
        code = self._popen.poll()
        return None if code is None or code < 0 else code

    def errors(self) -> str:
        """Return the first 4 KiB of its standard error."""
        return decode(os.pread(self._errors.fileno(), 4096, 0)).strip()

    def output(self) -> bytes:
        """Return its standard output so far, at most the last MiB."""
        return os.pread(self._output.fileno(), 1 << 20, max(0, self.printed - (1 << 20)))

    @property
    def printed(self) -> int:
        """The bytes of its standard output so far."""
        return os.fstat(self._output.fileno()).st_size

    def end(self) -> None:
        """End it by TERM, then by KILL."""
        if self._popen.stdin is not None:
            self._popen.stdin.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._popen.poll() is None:
                process_group.send(self._popen.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._popen.wait(GRACE)
        self._errors.close()
        self._output.close()
