"""The start of the single file. It is unpacked once per boot, and raidctl runs from the unpacked tree.

Python cannot load an extension module from an archive, and compiles Python code in an archive at each start. The
archives inside the single file are therefore unpacked into a private directory. Its name contains the build, the
interpreter and the boot: files truncated by a power failure are never used, and builds never share files.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from typing import NoReturn

PREFIX = "raidctl-single-file-"
"""Prefix of the unpacked directories; nothing else is ever removed."""
ROOT_PLACE = "/var/cache/raidctl"
TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm", "/run")
OTHERS_WRITE = 0o022
EXIT_MISSING = 4
"""As in raidctl: a requirement is missing."""
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_ATTEMPTS = 3


class PlaceError(Exception):
    """A directory cannot be used; the text is the reason."""


class StartError(Exception):
    """raidctl cannot be started; the text is for the user."""


def start(build: str, interpreters: Sequence[str]) -> NoReturn:
    """Run raidctl from its unpacked tree. Unpack it first if it is not there.

    Args:
        build: A hash of the archives inside this file.
        interpreters: The interpreters for which it has compiled modules.
    """
    archive = sys.path[0]
    try:
        _refuse_unknown(interpreters)
        tree = _ready(archive, f"{PREFIX}{build}-{sys.version_info[0]}{sys.version_info[1]}-{_boot()[:8]}")
    except StartError as error:
        sys.stderr.write(f"raidctl: {error}\n")
        sys.exit(EXIT_MISSING)
    sys.path[0] = tree
    sys.dont_write_bytecode = False  # the tree is private, and without byte code each start takes a second
    from raidctl.__main__ import main

    main()


def _refuse_unknown(interpreters: Sequence[str]) -> None:
    if _interpreter() not in interpreters:
        raise StartError(
            f"this file has no compiled modules for {_interpreter()}, only for {', '.join(interpreters)}. "
            "Use one of these, or install raidctl with pip."
        )


def _interpreter() -> str:
    """The tag of compiled modules: ``cpython-311-x86_64-linux-gnu``."""
    return EXTENSION_SUFFIXES[0].strip(".").rpartition(".")[0]


def _boot() -> str:
    try:
        with open(_BOOT_ID, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return "unknown"


def _ready(archive: str, name: str) -> str:
    """Return the directory of the unpacked tree, in the first usable place.

    Raises:
        StartError: There is none.
    """
    place = _lasting_place()
    try:
        _check(place)
        return _kept(archive, place, name)
    except (OSError, PlaceError) as error:
        reasons = [_reason(place, error)]
    for place in TEMPORARY:
        try:
            return _for_this_run(archive, place)
        except (OSError, PlaceError) as error:
            reasons.append(_reason(place, error))
    raise StartError("no directory can be used to unpack this file. " + " ".join(reasons))


def _reason(place: str, error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else str(error)
    return f"{place}: {text}."


def _lasting_place() -> str:
    """Return the directory for trees.

    For root it is never in a home directory: under sudo that may be another user's.
    """
    named = os.environ.get("RAIDCTL_CACHE", "")
    if named:
        return os.path.abspath(named)
    if os.geteuid() == 0:
        return ROOT_PLACE
    home = os.environ.get("XDG_CACHE_HOME", "")
    base = home if home.startswith("/") else os.path.expanduser("~/.cache")
    return f"{base}/raidctl"


def _check(place: str) -> None:
    """Create a directory that only this user and root can change.

    Raises:
        OSError: It cannot be created.
        PlaceError: Others can change it, or compiled modules cannot be loaded from it.
    """
    os.makedirs(place, mode=0o700, exist_ok=True)
    whole = part = os.path.realpath(place)
    owners = (0, os.geteuid(), os.stat("/").st_uid)  # in a user namespace, / may belong to root outside
    while True:
        state = os.stat(part)
        shared = state.st_mode & OTHERS_WRITE and (part == whole or not state.st_mode & stat.S_ISVTX)
        if state.st_uid not in owners or shared:
            raise PlaceError(f"others can change {part}")
        if part == "/":
            break
        part = os.path.dirname(part)
    _refuse_noexec(whole)


def _refuse_noexec(place: str) -> None:
    if os.statvfs(place).f_flag & os.ST_NOEXEC:
        raise PlaceError("mounted with noexec")


def _kept(archive: str, place: str, name: str) -> str:
    """Return the tree with this name, locked until this process ends. No other process removes it until then."""
    tree = f"{place}/{name}"
    for _ in range(_ATTEMPTS):
        if _hold(tree):
            return tree
        try:
            _unpack_beside(archive, place, tree)
        except FileNotFoundError:  # removed by a process that started at the same time
            continue
        _sweep(place, name)
    raise PlaceError("other processes remove what is unpacked")


def _hold(tree: str) -> bool:
    """Lock a tree; False if it does not exist."""
    try:
        handle = os.open(tree, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        fcntl.flock(handle, fcntl.LOCK_SH)
        return os.path.samestat(os.fstat(handle), os.stat(tree))
    except FileNotFoundError:
        return False


def _unpack_beside(archive: str, place: str, tree: str) -> None:
    """Unpack under another name, then rename. A tree with the right name is always complete."""
    import shutil
    import tempfile

    fresh = tempfile.mkdtemp(prefix=f"{PREFIX}new-", dir=place)
    try:
        _hold(fresh)
        _extract(archive, fresh)
        os.rename(fresh, tree)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        if not os.path.isdir(tree):  # otherwise another process was faster
            raise


def _sweep(place: str, name: str) -> None:
    """Remove the trees of other builds and boots, and unfinished ones. Trees that a process uses are kept."""
    import shutil

    for other in os.listdir(place):
        if not other.startswith(PREFIX) or other == name:
            continue
        try:
            handle = os.open(f"{place}/{other}", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            away = f"{place}/{PREFIX}old-{os.getpid()}"
            os.rename(f"{place}/{other}", away)
            shutil.rmtree(away, ignore_errors=True)
        except OSError:  # in use
            continue
        finally:
            os.close(handle)


def _for_this_run(archive: str, place: str) -> str:
    """Unpack into a private directory that is removed at the end, because no lasting directory is usable.

    Raises:
        OSError, PlaceError: It cannot be used.
    """
    import atexit
    import shutil
    import tempfile

    _refuse_noexec(place)
    tree = tempfile.mkdtemp(prefix=PREFIX, dir=place)
    try:
        _extract(archive, tree)
    except BaseException:
        shutil.rmtree(tree, ignore_errors=True)
        raise
    atexit.register(_remove, tree, os.getpid())
    return tree


def _remove(tree: str, owner: int) -> None:
    """Remove a tree at the end of the process that unpacked it. Its children have already ended."""
    import shutil

    if os.getpid() == owner:
        shutil.rmtree(tree, ignore_errors=True)


def _extract(archive: str, place: str) -> None:
    """Extract what this interpreter needs.

    Raises:
        OSError: It cannot be written.
        StartError: Python lacks a part of its standard library.
    """
    import tarfile
    import zipfile

    interpreter = _interpreter()
    wanted = (f".{interpreter}.so", ".abi3.so")
    platform = interpreter.split("-", 2)[2]
    try:
        with zipfile.ZipFile(archive) as outer:
            for name, ends in (("tree.tar.xz", ("",)), (f"compiled-{platform}.tar.xz", wanted)):
                with outer.open(name) as packed, tarfile.open(fileobj=packed, mode="r|xz") as inner:
                    # Python 3.12 prints a warning without a filter; 3.11.2 has none
                    if hasattr(tarfile, "data_filter"):
                        inner.extraction_filter = tarfile.data_filter
                    for member in inner:
                        if member.name.endswith(ends):
                            inner.extract(member, place)
    except (tarfile.CompressionError, RuntimeError) as error:
        raise StartError(f"Python lacks a part of its standard library: {error}.") from None
