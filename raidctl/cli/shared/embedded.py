"""The command line inside another program, which has its own connection to the machine."""

from __future__ import annotations

import io
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module

from msgspec import Struct

from raidctl.cli import cli
from raidctl.cli.shared.options import Settings
from raidctl.runners.connection import Sessions
from raidctl.survey.ask_vendors import warm
from raidctl.vendor.registry import vendors

_COMMANDS = ("audit", "show", "verify", "cache", "locate")


class Ended(Struct, frozen=True):
    """The outcome of a command."""

    code: int
    out: str
    err: str


def prepare() -> None:
    """Import what the commands need. Processes forked later then do not have to."""
    warm(vendors()[0])
    for name in (*(f"raidctl.cli.{one}" for one in _COMMANDS), "raidctl.output.json", "raidctl.runners.ssh"):
        import_module(name)


def run(words: Sequence[str], sessions: Sessions | None = None) -> Ended:
    """Run a command line in this process.

    Args:
        words: Arguments of raidctl.
        sessions: What carries scripts to the machine of ``--host``, instead of ssh.
    """
    settings = Settings()
    settings.sessions = sessions
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    code: object = 0
    with _same_signals(), redirect_stdout(out), redirect_stderr(err):
        try:
            cli.main(list(words), obj=settings)
        except SystemExit as ended:
            code = ended.code
    return Ended(code if isinstance(code, int) else 1, *map(_text, (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


@contextmanager
def _same_signals() -> Iterator[None]:
    """Restore the other program's signal handlers afterwards."""
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                signal.signal(number, handler)
