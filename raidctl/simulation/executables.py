"""Simulated tools as executables, to be put first on PATH.

    python -m raidctl.simulation NAME DIRECTORY

creates ``DIRECTORY/bin`` with one program for each tool of the simulated machine NAME (``raidctl demo`` lists them), to
be run as real processes. Each call prints what the simulated machine would print with the settings in
``DIRECTORY/settings.json``; calls at the same time wait for each other. ``DIRECTORY/calls.jsonl`` gets a line when a
call begins and one when it ends. ``DIRECTORY/faults.json`` (:class:`Faults`) makes calls fail.

Only the tools are simulated: devices and mount points are those of the machine they run on.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from posixpath import basename
from typing import Annotated, Any, Literal, NoReturn, TypeVar, cast

import msgspec
from msgspec import Meta

from raidctl.described import doc
from raidctl.errors import UsageError
from raidctl.recording.recording import Recording, load
from raidctl.request import Run, RunAnswer
from raidctl.simulation.runner import Simulated
from raidctl.vendor.simulator import Reply, Simulator, State

T = TypeVar("T")
FaultKind = Literal[
    "hangs", "hangs after the change", "is slow", "refuses", "lies", "prints garbage", "dies", "dies after the change",
    "takes effect late", "falls back",
]  # fmt: skip
BIN, SETTINGS, CALLS, FAULTS = "bin", "settings.json", "calls.jsonl", "faults.json"
_MACHINE, _LATE, _COUNTS, _LOCK = "machine.json", "late.json", "counts.json", "lock"
_FOREVER = 3600.0
_GARBAGE = b"\x00\xff\x1b[31m{{{ 0x7f"
_REFUSAL = b"\nError: The operation failed.\n\n"
_SILENCE = b"\nDone.\n\n"
_PROGRAM = """#!/bin/sh
exec {python} -I -m raidctl.simulation --answer {place} {tool} "$@"
"""


class Fault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fault injected into some calls."""

    fault: FaultKind
    match: Annotated[str | None, doc("Part of the command line; null: any command that changes something.")] = None
    skip: Annotated[int, Meta(ge=0, description="Matching calls that succeed before.")] = 0
    times: Annotated[int, Meta(ge=1, description="Calls that fail.")] = 1
    seconds: Annotated[float | None, doc("How long it hangs, or delays the change.")] = None
    looks: Annotated[int, Meta(ge=0, description="Of a late effect: readings that still show the previous value.")] = 1
    settings: Annotated[
        dict[str, str], doc("Of a fall-back: the settings reported afterwards, see settings.json.")
    ] = {}


class Faults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of ``faults.json``. The first fault that matches a call is used."""

    seconds: Annotated[float, Meta(ge=0, description="Least duration of each call, from the start of its process.")] = (
        0.0
    )
    faults: tuple[Fault, ...] = ()


class Call(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of ``calls.jsonl``: the start or end of a call."""

    event: Literal["begin", "end"]
    pid: int
    argv: tuple[str, ...] = ()
    changes: bool = False
    fault: FaultKind | None = None
    code: int | None = None
    seconds: float | None = None
    """From the start of its process."""


class _Machine(msgspec.Struct, frozen=True, kw_only=True):
    """The configuration of the executables."""

    recording: str
    simulators: tuple[str, ...]


@dataclass(frozen=True)
class Tools:
    """A directory with the executables of a simulated machine."""

    place: Path

    @property
    def programs(self) -> Path:
        """The directory to put first on PATH."""
        return self.place / BIN

    @property
    def state(self) -> State:
        """Return the current settings."""
        found: State = msgspec.json.decode((self.place / SETTINGS).read_bytes(), type=dict[str, str])
        return found

    def set(self, state: Mapping[str, str]) -> None:
        """Change some settings."""
        with _lock(self.place):
            _write(self.place / SETTINGS, {**self.state, **state})

    def reset(self) -> None:
        """Reset all settings to the recorded ones."""
        with _lock(self.place):
            (self.place / SETTINGS).unlink(missing_ok=True)
            _simulated(self.place)

    def calls(self) -> list[Call]:
        """Return the log: an entry for each start and each end."""
        path = self.place / CALLS
        lines = path.read_bytes().splitlines() if path.exists() else []
        return [msgspec.json.decode(line, type=Call) for line in lines]

    def clear_log(self) -> None:
        """Empty the log."""
        (self.place / CALLS).unlink(missing_ok=True)

    def fail(self, *faults: Fault, seconds: float = 0.0) -> None:
        """Set the faults of later calls; none without arguments."""
        _write(self.place / FAULTS, Faults(seconds=seconds, faults=faults))
        (self.place / _COUNTS).unlink(missing_ok=True)


def install(name: str, place: Path) -> Tools:
    """Write the executables of a simulated machine to a directory. Existing settings are kept.

    Args:
        name: As ``raidctl demo`` lists it.
        place: The directory; created if missing.

    Raises:
        UsageError: There is no simulated machine of this name.
        OSError: The files cannot be written.
    """
    from raidctl.simulation.demo import path_of, simulators  # noqa: PLC0415 - a call of a tool has no need of them
    from raidctl.vendor.registry import vendors  # noqa: PLC0415 - as above

    found = vendors()[0]
    demo = path_of(name, found)
    modules = [cast("Any", item).__name__ for item in simulators(found)]
    package = demo.parent.parent.name
    own = tuple(module for module in modules if module.startswith(f"{package}.")) or tuple(modules)
    tools = {basename(entry.run[0]) for entry in load(demo).manifest.answers if entry.run}
    place = place.absolute()
    (place / BIN).mkdir(parents=True, exist_ok=True)
    _write(place / _MACHINE, _Machine(recording=str(demo), simulators=own))
    for tool in tools:
        words = {"python": sys.executable, "place": str(place), "tool": tool}
        path = place / BIN / tool
        path.write_text(_PROGRAM.format(**{key: shlex.quote(word) for key, word in words.items()}), encoding="utf-8")
        path.chmod(0o755)
    _simulated(place)
    return Tools(place)


# --- the executables


def answer(place: Path, tool: str, arguments: Sequence[str]) -> int:
    """Answer one call of a tool; return its exit code."""
    argv = _recorded_call(place, tool, arguments)
    with _lock(place):
        simulated = _simulated(place)
        changes = simulated.reply(argv) is not None
        fault = _fault_of(place, argv, changes=changes)
        kind = fault.fault if fault is not None else None
        _log(place, Call(event="begin", pid=os.getpid(), argv=(tool, *arguments), changes=changes, fault=kind))
    result = _run_with_fault(place, argv, fault) if fault is not None else _run(place, argv)
    rest = _least_seconds(place) - _seconds_since_start()
    if rest > 0:
        time.sleep(rest)
    os.write(1, result.out)
    os.write(2, result.err)
    _log(place, Call(event="end", pid=os.getpid(), code=result.code, seconds=round(_seconds_since_start(), 3)))
    return 1 if result.code is None else result.code


def _recorded_call(place: Path, tool: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the call as recorded: with the tool's path on that machine."""
    entries = _recording(_read(place / _MACHINE, _Machine).recording).manifest.answers
    same = (entry.run for entry in entries if entry.run and basename(entry.run[0]) == tool)
    return next((run for run in same if run[1:] == tuple(arguments)), (tool, *arguments))


def _run(place: Path, argv: tuple[str, ...]) -> RunAnswer:
    """Return the simulated machine's answer; a change is saved."""
    with _lock(place):
        simulated = _simulated(place)
        _apply_late_change(place, simulated, reading=simulated.reply(argv) is None)
        result = simulated.answer(Run(argv, changes=True))
    if isinstance(result, RunAnswer) and result.code is not None:
        return result
    return RunAnswer(code=1, err=f"{result.detail}\n".encode())


def _run_with_fault(place: Path, argv: tuple[str, ...], fault: Fault) -> RunAnswer:
    """Run a call with a fault."""
    kind, pause = fault.fault, fault.seconds
    if kind == "refuses":
        return RunAnswer(code=1, out=_REFUSAL)
    if kind == "lies":
        return RunAnswer(code=0, out=_SILENCE)
    if kind == "prints garbage":
        return RunAnswer(code=0, out=_GARBAGE)
    if kind == "dies":
        _kill_itself()
    if kind == "hangs":
        time.sleep(_FOREVER if pause is None else pause)
        return RunAnswer(code=1, out=_REFUSAL)
    if kind == "is slow":
        time.sleep(pause or 0)
    if kind == "takes effect late":
        return _change_later(place, argv, fault)
    result = _run(place, argv)
    if kind == "dies after the change":
        _kill_itself()
    if kind == "hangs after the change":
        time.sleep(_FOREVER if pause is None else pause)
    if kind == "falls back":
        with _lock(place):
            simulated = _simulated(place)
            simulated.keep(simulated.state() | fault.settings)
    return result


def _change_later(place: Path, argv: tuple[str, ...], fault: Fault) -> RunAnswer:
    """Report success, and apply the change some readings later."""
    with _lock(place):
        reply: Reply | None = _simulated(place).reply(argv)
        if reply is None:
            return RunAnswer(code=1, out=_REFUSAL)
        _write(place / _LATE, {"state": dict(reply.state), "looks": fault.looks})
    return RunAnswer(code=reply.code, out=reply.out.encode())


def _apply_late_change(place: Path, simulated: Simulated, *, reading: bool) -> None:
    """Apply a late change after enough readings."""
    path = place / _LATE
    if not (reading and path.exists()):
        return
    late = _read(path, _LateChange)
    if late.looks > 0:
        _write(path, msgspec.structs.replace(late, looks=late.looks - 1))
    else:
        simulated.keep(late.state)
        path.unlink()


class _LateChange(msgspec.Struct, frozen=True):
    """A change that is not yet applied."""

    state: dict[str, str]
    looks: int


def _fault_of(place: Path, argv: tuple[str, ...], *, changes: bool) -> Fault | None:
    """Return the fault of this call, and count it."""
    if not (place / FAULTS).exists():
        return None
    line = " ".join(argv)
    counts = _read(place / _COUNTS, dict[int, int]) if (place / _COUNTS).exists() else {}
    found = None
    for number, fault in enumerate(_read(place / FAULTS, Faults).faults):
        if (changes if fault.match is None else fault.match in line) and found is None:
            seen = counts.get(number, 0)
            counts[number] = seen + 1
            found = fault if fault.skip <= seen < fault.skip + fault.times else None
    _write(place / _COUNTS, counts)
    return found


def _least_seconds(place: Path) -> float:
    return _read(place / FAULTS, Faults).seconds if (place / FAULTS).exists() else 0.0


def _kill_itself() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise SystemExit(1)


def _seconds_since_start() -> float:
    """Return the seconds since this process was started. Exec keeps the start time."""
    # 4711 (sh) R 1 4711 4711 0 -1 …: the twenty-second word is the start, in ticks since the boot
    ticks = int(Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


def _simulated(place: Path) -> Simulated:
    machine = _read(place / _MACHINE, _Machine)
    found = [cast("Simulator", importlib.import_module(name)) for name in machine.simulators]
    return Simulated(_recording(machine.recording), found, place / SETTINGS)


@lru_cache(maxsize=1)
def _recording(path: str) -> Recording:
    """A recording, which one call of a tool needs several times."""
    return load(path)


@contextlib.contextmanager
def _lock(place: Path) -> Iterator[None]:
    handle = os.open(place / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _log(place: Path, call: Call) -> None:
    """Append a line to the log with one write."""
    handle = os.open(place / CALLS, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, msgspec.json.encode(call) + b"\n")
    finally:
        os.close(handle)


def _read(path: Path, kind: type[T]) -> T:
    return msgspec.json.decode(path.read_bytes(), type=kind)


def _write(path: Path, what: object) -> None:
    """Replace a file atomically."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_bytes(msgspec.json.encode(what))
    fresh.replace(path)


def main(words: Sequence[str]) -> int:
    """Write the executables, or run one."""
    if words[:1] == ["--answer"]:
        return answer(Path(words[1]), words[2], words[3:])
    if len(words) != 2 or words[0].startswith("-"):
        sys.stderr.write("usage: python -m raidctl.simulation NAME DIRECTORY\n")
        return 2
    try:
        made = install(words[0], Path(words[1]))
    except (UsageError, OSError) as error:
        sys.stderr.write(f"raidctl.simulation.executables: {error}\n")
        return 2
    sys.stdout.write(f'PATH={shlex.quote(str(made.programs))}:"$PATH"\n')
    return 0
