"""The directory that outlives a raidctl: the journal and the locks of the controllers under change.

``/var/lib/raidctl`` for root, ``$XDG_STATE_HOME/raidctl`` (``~/.local/state/raidctl``) for others, or what
``--state-dir`` says. Only its owner can enter it: what stands in the journal is carried out by ``restore``.
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
from raidctl.errors import AccessMissing, RaidctlError
from raidctl.order import natural
from raidctl.runners.locks import change_places, file_name, open_file

ROOT_PLACE = "/var/lib/raidctl"
OTHERS_WRITE = 0o022
GLANCE = 0.5
"""Seconds for which a raidctl that only looks may be in the way."""
_PAUSE = 0.02


def held_name(source: str, controller: str) -> str:
    """What is held for a change of a controller: those of another machine, reached over ssh, are not those of this."""
    return f"{source} {controller}" if source.startswith("ssh:") else controller


class Held(RaidctlError):
    """Another raidctl changes the same controller."""


def again(source: str) -> str:
    """The command that puts back what was left on a machine."""
    kind, _, name = source.partition(":")
    option = {"ssh": "--host", "demo": "--demo"}.get(kind)
    return f"raidctl restore {option} {shlex.quote(name)}" if option else "raidctl restore"


def default_directory() -> Path:
    """Where the state of this user lies."""
    if os.geteuid() == 0:
        return Path(ROOT_PLACE)
    home = os.environ.get("XDG_STATE_HOME", "")
    return (Path(home) if home.startswith("/") else Path.home() / ".local" / "state") / "raidctl"


def directory(named: str | None = None) -> Path:
    """The state directory, made when it is not there.

    Raises:
        AccessMissing: It cannot be made or used, or others may write into it.
    """
    place = Path(named).absolute() if named else default_directory()
    try:
        _make(place)
        state = place.stat()
        usable = os.access(place, os.W_OK | os.X_OK)
    except OSError as error:
        why = "is no directory" if isinstance(error, FileExistsError) else f"cannot be used: {error.strerror}"
        raise AccessMissing(
            f"The state directory {place} {why}. Nothing was changed; name another one with --state-dir."
        ) from None
    if state.st_uid != os.geteuid() or state.st_mode & OTHERS_WRITE:
        raise AccessMissing(
            f"The state directory {place} belongs to somebody else or can be written by others: what stands in it is "
            "not to be trusted. Nothing was changed; name another one with --state-dir."
        )
    if not usable:
        raise AccessMissing(f"The state directory {place} cannot be written. Nothing was changed.")
    return place


def _make(place: Path) -> None:
    """Make a directory and those above it, and have them on disk: a journal is lost with its directory."""
    missing = [path for path in (place, *place.parents) if not path.exists()]
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in missing:
        sync(path.parent)


def sync(path: Path) -> None:
    """Wait until what was made or renamed in a directory is on disk."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds a controller."""

    change: str
    pid: int
    since: str
    about: str


@contextlib.contextmanager
def hold(
    place: Path, controllers: Sequence[str], holder: Holder, *, source: str, patience: float = GLANCE
) -> Iterator[float]:
    """Have these controllers for a change; the locks end with the process, whatever happens.

    Those of a real machine are held twice: in the state directory, and in the directory where the programs of this user
    (root's, as a rule: nobody else can change a card) wait for each other, whatever state directories they have.

    Args:
        place: The state directory.
        controllers: What is held, as :func:`held_name` gives it.
        holder: Who holds it, for those who are refused.
        source: The machine. A simulated one lives in the state directory, and is held there only.
        patience: Seconds to wait for another raidctl; one that only looks who holds a controller has it for a moment.

    Yields:
        When one of them was last taken or freed by a raidctl before us, seconds since the epoch; 0 where none is known.

    Raises:
        Held: Another raidctl has one of them; the message names it.
        AccessMissing: The lock files cannot be made.
    """
    handles: list[int] = []
    last = 0.0
    try:
        for name in sorted(set(controllers), key=natural):
            handles.append(_take(place, name, holder, patience))
            shared = None if source.startswith("demo:") else open_file(change_places(), file_name(f"change {name}"))
            if shared is not None:
                last = max(last, _have(shared, name, holder, patience))
                handles.append(shared)
        yield last
    finally:
        for handle in handles:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)
                os.pwrite(handle, b"\n", 0)  # by its time and size the next one knows that somebody had it
            os.close(handle)


def busy(place: Path, source: str, controllers: Sequence[str]) -> str | None:
    """What keeps a change of these controllers from being put back now, None when nothing does; nothing is made."""
    for controller in controllers:
        name = held_name(source, controller)
        other = holder_of(place, name)
        if other is not None:
            return _held_text(name, other if other.pid else None)
    return None


def holder_of(place: Path, controller: str) -> Holder | None:
    """Who holds a controller right now, None when nobody does or it cannot be found out; nothing is made or changed."""
    try:
        handle = os.open(place / "holders" / file_name(controller), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _told(os.pread(handle, 4096, 0)) or Holder(change="", pid=0, since="", about="another raidctl")
    except OSError:
        return None
    finally:
        os.close(handle)
    return None


def existing(named: str | None = None) -> Path | None:
    """The state directory where it is there and this user can read it; nothing is made."""
    place = Path(named).absolute() if named else default_directory()
    return place if place.is_dir() and os.access(place, os.R_OK | os.X_OK) else None


def _take(place: Path, name: str, holder: Holder, patience: float) -> int:
    path = place / "holders" / file_name(name)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise AccessMissing(f"The lock {path} cannot be made: {error.strerror}. Nothing was changed.") from None
    _have(handle, name, holder, patience)
    return handle


def _have(handle: int, name: str, holder: Holder, patience: float) -> float:
    """Lock an open file, which is closed when that fails, and write into it who has it; when it was last written."""
    try:
        _lock(handle, time.monotonic() + patience)
        status = os.fstat(handle)
    except BlockingIOError:
        other = _told(os.pread(handle, 4096, 0))
        os.close(handle)
        raise Held(_held_text(name, other)) from None
    except OSError as error:
        os.close(handle)
        raise AccessMissing(f"The lock of {name} cannot be had: {error.strerror}. Nothing was changed.") from None
    with contextlib.suppress(OSError):  # who has it is only told; that it is had does not depend on it
        os.ftruncate(handle, 0)
        os.pwrite(handle, msgspec.json.encode(holder) + b"\n", 0)
    return status.st_mtime if status.st_size else 0.0


def _lock(handle: int, deadline: float) -> None:
    """Take the lock of a file, waiting for it until then."""
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _told(data: bytes) -> Holder | None:
    try:
        holder: Holder = json_decode.decode(data, Holder)
    except msgspec.MsgspecError:
        return None
    return holder


def _held_text(name: str, other: Holder | None) -> str:
    if other is None:
        return f"Another raidctl changes {name} right now; wait for its end."
    return (
        f"{name} is held by change {other.change}: {other.about} (process {other.pid}, since {other.since}). "
        "Wait for its end, or end it: a batch puts back what was there."
    )
