"""A raidctl started in advance. Its interpreter is running, and its modules have been imported.

An emulated processor needs longer for that than for raidctl itself. The agent of a machine imports the modules once
per boot, and each run of raidctl is a fork of the agent: a separate process and session with the arguments,
environment, folder and files of the run, which ends as any other does. Nothing of raidctl is replaced. What a run had
to import, the agent imports before the next one, and it compiles the regular expressions that the run had to compile.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import importlib.util
import json
import keyword
import os
import re
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
_EXPRESSIONS: set[tuple[str, int]] = set()
"""Regular expressions that a run compiled, with their flags: a fifth of its time."""
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
        self.compiled = 0
        self._ended = threading.Lock()
        self._loaded = os.memfd_create("loaded")
        with _LOCK:  # a fork while another thread imports would wait for that thread, which it does not have
            _import(words, imports)
            gc.freeze()  # or the first collection of the fork copies every page
            self.pid = os.fork()
        if not self.pid:
            _become(words, env, cwd, files, self._loaded)
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
        """Note what it imported and compiled; a killed run has left nothing."""
        text = os.pread(self._loaded, os.fstat(self._loaded).st_size, 0)
        os.close(self._loaded)
        self.missed, expressions = json.loads(text or b"[[], []]")
        self.compiled = len(expressions)
        _MISSED.update(self.missed)
        _EXPRESSIONS.update((form, flags) for form, flags in expressions)


def _import(words: Sequence[str], imports: Sequence[str]) -> None:
    for name in (*imports, *COMMON, *(WITH_TABLES if TABLES.intersection(words) else ())):
        importlib.import_module(name)
    importlib.import_module("raidctl.vendor.registry").vendors()
    _import_command(words)
    while _MISSED:
        importlib.import_module(_MISSED.pop())
    while _EXPRESSIONS:
        re.compile(*_EXPRESSIONS.pop())


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


def _become(words: Sequence[str], env: Mapping[str, str], cwd: str, files: Sequence[int], loaded: int) -> None:
    """Run raidctl and exit. Writes what it imported and compiled to ``loaded``."""
    code: object = 70
    before, compiled = set(sys.modules), _compiled()
    try:
        os.setsid()
        kept = [os.dup(file) for file in files]
        for number, file in enumerate(kept):
            os.dup2(file, number)
        os.closerange(3, loaded)
        os.closerange(loaded + 1, 1024)
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
        os.write(loaded, json.dumps([_imported_since(before), [*(_compiled() - compiled)]]).encode())
        os._exit(code if isinstance(code, int) else 1)


def _imported_since(before: set[str]) -> list[str]:
    """New modules that can be imported by their names."""
    specs = {name: getattr(module, "__spec__", None) for name, module in sys.modules.items() if name not in before}
    return [name for name, spec in specs.items() if spec is not None and spec.name == name]


def _compiled() -> set[tuple[str, int]]:
    """The expressions that :mod:`re` has compiled and keeps, with their flags. It has no other list of them."""
    cache: Mapping[tuple[type, object, int], object] = vars(re)["_cache"]
    return {(form, flags) for kind, form, flags in cache if kind is str and isinstance(form, str)}
