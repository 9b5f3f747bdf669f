"""The state directory: the journal, and the locks of controllers under change.

``/var/lib/raidctl`` for root, ``$XDG_STATE_HOME/raidctl`` (``~/.local/state/raidctl``) for others, or what
``--state-dir`` names. Only its owner can enter it: ``restore`` runs commands from the journal.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from raidctl import json_decode
from raidctl.change.state_place import default_place, is_missing
from raidctl.errors import AccessMissing, RaidctlError
from raidctl.order import natural
from raidctl.runners.locks import change_places, file_name, open_file

OTHERS_WRITE = 0o022
BRIEF_WAIT = 0.5
"""Seconds to wait for a raidctl that has a lock."""
_CHECK_WAIT = 10.0
"""Seconds to wait where no holder is named: a raidctl only checks the lock, and the machine may be busy."""
_PAUSE = 0.02


def held_name(source: str, controller: str) -> str:
    """Return the lock's name of a controller. Over ssh it includes the host."""
    return f"{source} {controller}" if source.startswith("ssh:") else controller


class Held(RaidctlError):
    """Another raidctl is changing the same controller."""


def machine_options(source: str, place: Path) -> str:
    """Return the options that name a machine on a command line: ``--host db7``. Empty for this machine.

    ``place`` has its journal; ``--state-dir`` names it unless it is this user's.
    """
    kind, _, name = source.partition(":")
    option = {"ssh": "--host", "demo": "--demo"}.get(kind)
    # what is kept of a simulated machine is beside the real journal
    kept = place.parent.parent if kind == "demo" and place.parts[-2:] == ("demo", name) else place
    words = [option, name] if option else []
    words += ["--state-dir", str(kept.absolute())] if kept.absolute() != default_directory() else []
    return shlex.join(words)


def restore_command(source: str, place: Path) -> str:
    """Return the command that restores a machine's settings from the journal. The journal is in a state directory."""
    return command_on(source, "restore", place)


def command_on(source: str, words: str, place: Path) -> str:
    """Return a command for a machine: ``raidctl --host db7 locate off``."""
    return " ".join(word for word in ("raidctl", machine_options(source, place), words) if word)


def default_directory() -> Path:
    """Return this user's state directory."""
    return Path(default_place()).expanduser()


def directory(named: str | None = None) -> Path:
    """Return the state directory, created if missing.

    Raises:
        AccessMissing: It cannot be created or used, or others may write into it.
    """
    place = Path(named).absolute() if named else default_directory()
    try:
        _make(place)
        state = place.stat()
        usable = os.access(place, os.W_OK | os.X_OK)
    except OSError as error:
        why = "is not a directory" if isinstance(error, FileExistsError) else f"cannot be used: {error.strerror}"
        raise AccessMissing(
            f"The state directory {place} {why}. Nothing was changed; name another one with --state-dir."
        ) from None
    if state.st_uid != os.geteuid() or state.st_mode & OTHERS_WRITE:
        raise AccessMissing(
            f"The state directory {place} belongs to another user or is writable by others, so its content is not "
            "trusted. Nothing was changed; name another one with --state-dir."
        )
    if not usable:
        raise AccessMissing(
            f"The state directory {place} cannot be written. Nothing was changed; name another one with --state-dir."
        )
    return place


def _make(place: Path) -> None:
    """Create a directory and its parents, and sync them. A journal is lost with its directory."""
    missing = [path for path in (place, *place.parents) if not path.exists()]
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in missing:
        sync(path.parent)


def sync(path: Path) -> None:
    """Sync a directory after a file in it was created or renamed."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """The process that has locked a controller."""

    change: str
    pid: int
    since: str
    about: str


@contextlib.contextmanager
def hold(
    place: Path, controllers: Sequence[str], holder: Holder, *, source: str, patience: float = BRIEF_WAIT
) -> Iterator[float]:
    """Lock these controllers for a change; the locks end with the process.

    Those of a real machine are locked twice: in the state directory, and in a directory common to all of this user's
    processes (usually root's), whatever state directories they have.

    Args:
        place: The state directory.
        controllers: Names of the locks, see :func:`held_name`.
        holder: This process, shown to those who are refused.
        source: The machine. A simulated one is locked in the state directory only.
        patience: Seconds to wait for another raidctl. One that only checks a lock is always waited for.

    Yields:
        When one of them was last locked or released before, seconds since the epoch; 0 if unknown.

    Raises:
        Held: Another raidctl has locked one of them; the message names it.
        AccessMissing: The lock files cannot be created.
    """
    handles: list[int] = []
    last = 0.0
    try:
        for name in sorted(set(controllers), key=natural):
            handles.append(_take(place, name, holder, patience))
            shared = None if source.startswith("demo:") else open_file(change_places(), file_name(f"change {name}"))
            if shared is not None:
                last = max(last, _lock_with_holder(shared, name, holder, patience))
                handles.append(shared)
        yield last
    finally:
        for handle in handles:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)
                os.pwrite(handle, b"\n", 0)  # its time and size show the next process that it was locked
            os.close(handle)


def busy(place: Path, source: str, controllers: Sequence[str]) -> str | None:
    """Explain what blocks the restoring of these controllers now. None if nothing does. No file is created."""
    for controller in controllers:
        name = held_name(source, controller)
        other = holder_of(place, name)
        if other is not None:
            return _held_text(name, other if other.pid else None)
    return None


def holder_of(place: Path, controller: str) -> Holder | None:
    """Return the process that has locked a controller. None if there is none or it is unknown. Nothing is changed."""
    try:
        handle = os.open(place / "holders" / file_name(controller), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(os.pread(handle, 4096, 0)) or Holder(change="", pid=0, since="", about="another raidctl")
    except OSError:
        return None
    finally:
        os.close(handle)
    return None


def existing(named: str | None = None) -> Path | None:
    """Return the state directory, or None if there is none. Nothing is created.

    One that this user may not read is returned: the code that reads its files reports that.
    """
    place = Path(named).absolute() if named else default_directory()
    return None if is_missing(f"{place}/") else place


def _take(place: Path, name: str, holder: Holder, patience: float) -> int:
    path = place / "holders" / file_name(name)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise AccessMissing(f"The lock {path} cannot be created: {error.strerror}. Nothing was changed.") from None
    _lock_with_holder(handle, name, holder, patience)
    return handle


def _lock_with_holder(handle: int, name: str, holder: Holder, patience: float) -> float:
    """Lock an open file and write the holder into it. Return when it was last written; close it on failure."""
    try:
        _lock(handle, patience)
        status = os.fstat(handle)
    except BlockingIOError:
        other = _holder(os.pread(handle, 4096, 0))
        os.close(handle)
        raise Held(_held_text(name, other)) from None
    except OSError as error:
        os.close(handle)
        raise AccessMissing(f"{name} cannot be locked: {error.strerror}. Nothing was changed.") from None
    with contextlib.suppress(OSError):  # the holder's name is only shown; the lock works without it
        os.ftruncate(handle, 0)
        os.pwrite(handle, msgspec.json.encode(holder) + b"\n", 0)
    return status.st_mtime if status.st_size else 0.0


def _lock(handle: int, patience: float) -> None:
    """Lock a file, and wait for it. Raise BlockingIOError if another process keeps it."""
    began = time.monotonic()
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            named = _holder(os.pread(handle, 4096, 0)) is not None
            if time.monotonic() >= began + (patience if named else max(patience, _CHECK_WAIT)):
                raise
            time.sleep(_PAUSE)
        else:
            return


def _holder(data: bytes) -> Holder | None:
    try:
        holder: Holder = json_decode.decode(data, Holder)
    except msgspec.MsgspecError:
        return None
    return holder


def _held_text(name: str, other: Holder | None) -> str:
    if other is None:
        return f"Another raidctl is changing {name}. Wait until it ends."
    return (
        f"{name} is locked by change {other.change}: {other.about} (process {other.pid}, since {other.since}). "
        "Wait until it ends, or end it; a batch then restores the previous settings."
    )
