"""A raidctl started in advance. Its interpreter is running, and its modules have been imported.

An emulated processor needs longer for that than for raidctl itself. The agent of a machine imports the modules once
per boot, and each run of raidctl is a fork of the agent: a separate process and session with the arguments,
environment, folder and files of the run, which ends as any other does. Nothing of raidctl is replaced. What a run had
to import, the agent imports before the next one.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import importlib.util
import keyword
import os
import select
import subprocess
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import IO

COMMON = (
    "pyudev",
    "raidctl.cli.shared.exit_codes",
    "raidctl.cli.shared.machine",
    "raidctl.runners.local",
    "raidctl.change.journal",
)
WITH_TABLES = ("raidctl.output.layers", "raidctl.layers.scope")
TABLES = frozenset({"show", "cache"})
"""Commands that draw tables."""
_MISSED: set[str] = set()
"""Modules that a run imported, for the next one."""
_LOCK = threading.Lock()


class Forked:
    """A run of raidctl with the methods of `subprocess.Popen`."""

    def __init__(
        self, words: Sequence[str], imports: Sequence[str], env: Mapping[str, str], cwd: str, files: Sequence[int]
    ) -> None:
        """Start it with its arguments and three open files. The files stay the caller's.

        ``imports`` are modules to import besides raidctl's.
        """
        self.returncode: int | None = None
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.missed: list[str] = []
        self._ended = threading.Lock()
        self._imported = os.memfd_create("imported")
        with _LOCK:  # a fork while another thread imports would wait for that thread, which it does not have
            _import(words, imports)
            gc.freeze()  # or the first collection of the fork copies every page
            self.pid = os.fork()
        if not self.pid:
            _become(words, env, cwd, files, self._imported)
        self._handle = os.pidfd_open(self.pid)

    def poll(self) -> int | None:
        """Its exit code, or None while it runs. If a signal ended it, this is the signal's negative number."""
        with self._ended:
            if self.returncode is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
                    self._learn()
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its exit code; raises TimeoutExpired at the timeout."""
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        poll.poll(None if timeout is None else timeout * 1000)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired("raidctl", timeout or 0.0)
        return code

    def _learn(self) -> None:
        """Note the modules that it imported; a killed run has left none."""
        names = os.pread(self._imported, os.fstat(self._imported).st_size, 0).decode().split()
        os.close(self._imported)
        self.missed = names
        _MISSED.update(names)


def _import(words: Sequence[str], imports: Sequence[str]) -> None:
    for name in (*imports, *COMMON, *(WITH_TABLES if TABLES.intersection(words) else ())):
        importlib.import_module(name)
    importlib.import_module("raidctl.vendor.registry").vendors()
    _import_command(words)
    while _MISSED:
        importlib.import_module(_MISSED.pop())


def _import_command(words: Sequence[str]) -> None:
    """Import the module of a command, such as ``raidctl.cli.layout.apply``. Other words of that name do no harm."""
    place = "raidctl.cli"
    for word in words:
        if not word.isidentifier() or not hasattr(importlib.import_module(place), "__path__"):
            continue
        name = f"{place}.{word}_" if keyword.iskeyword(word) else f"{place}.{word}"
        if importlib.util.find_spec(name) is not None:
            importlib.import_module(name)
            place = name


def _become(words: Sequence[str], env: Mapping[str, str], cwd: str, files: Sequence[int], imported: int) -> None:
    """Run raidctl and exit. Writes the names of the modules that it imported to ``imported``."""
    code: object = 70
    before = set(sys.modules)
    try:
        os.setsid()
        kept = [os.dup(file) for file in files]
        for number, file in enumerate(kept):
            os.dup2(file, number)
        os.closerange(3, imported)
        os.closerange(imported + 1, 1024)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        sys.stdin = open(0, encoding="utf-8", errors="surrogateescape")  # noqa: SIM115 - open for as long as it runs
        sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape")  # noqa: SIM115 - as above
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115 - as above
        sys.argv = [str(importlib.import_module("raidctl.__main__").__file__), *words]
        importlib.import_module("raidctl.cli").main()
        code = 0
    except SystemExit as end:
        code = 0 if end.code is None else end.code
    except BaseException:  # noqa: BLE001 - what an interpreter does with one that nobody has caught
        sys.excepthook(*sys.exc_info())
        code = 1
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(imported, "".join(f"{name}\n" for name in _imported_since(before)).encode())
        os._exit(code if isinstance(code, int) else 1)


def _imported_since(before: set[str]) -> list[str]:
    """New modules that can be imported by their names."""
    specs = {name: getattr(module, "__spec__", None) for name, module in sys.modules.items() if name not in before}
    return [name for name, spec in specs.items() if spec is not None and spec.name == name]
