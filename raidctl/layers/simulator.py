"""Simulate the kernel's caches: flushes, and writing to their files. Pure.

The simulated machine keeps written files itself; here are the side effects: the counterpart of a limit becomes 0, a
word gets its brackets, unwritten data decreases.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import basename

from raidctl.text import regex
from raidctl.vendor.simulator import Reply, State

_LIMIT = regex(r"(/proc/sys/vm/dirty_(?:background_)?)(bytes|ratio)")
_BCACHE = regex(r"(/sys/class/block/\w+/bcache/)(\w+)")
_ARRAY = regex(r"/sys/(?:class/)?block/([\w.-]+/md/(stripe_cache_size|journal_mode|sync_speed_min|sync_speed_max))")
_SCSI_CACHE = regex(r"/sys/class/scsi_disk/[\d:]+/cache_type")
_CACHE_TYPES = ("write through", "none", "write back", "write back, no read (daft)")
_JOURNAL = ("write-through", "write-back")
_SPEEDS = {"sync_speed_min": "1000 (system)", "sync_speed_max": "200000 (system)"}
_STRIPES = range(17, 32769)
_MODES = ("writethrough", "writeback", "writearound", "none")
_CUTOFF = 40
_SYNCED = "page cache synced"
_DIRTY = regex(r"(?m)^((?:Dirty|Writeback): +)\d+( kB)$")
_MESSAGE = ("dmsetup", "message")
_FREE = regex(r"(?m)^(?P<name>\S+)(?P<head>: \d+ \d+ writecache \d+ )(?P<total>\d+) \d+ \d+")


def initial(argv: tuple[str, ...], text: str) -> State:
    r"""Return the initial state: a row for each dm-writecache.

    >>> initial(("dmsetup", "status", "--noflush"), "vg0-log: 0 2048 writecache 0 100 60 0\n")
    {'writecache vg0-log': 'as recorded'}
    """
    if tuple(argv[:2]) != ("dmsetup", "status"):
        return {}
    return {f"writecache {match['name']}": "as recorded" for match in _FREE.finditer(text)}


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """Simulate ``sync``, ``blockdev --flushbufs``, the message ``flush`` of dm-writecache, and reading a drive."""
    tool = basename(argv[0]) if argv else ""
    if tool == "dd" and "of=/dev/null" in argv:
        return Reply(0, "", dict(state))
    if tool == "sync" and "--data" not in argv:
        return Reply(0, "", dict(state) | {_SYNCED: "yes"})
    if tool in ("sync", "blockdev"):
        return Reply(0, "", dict(state))
    if (tool, *argv[1:2]) != _MESSAGE:
        return None
    name, message = argv[2] if len(argv) > 2 else "", argv[-1]
    if f"writecache {name}" not in state or message != "flush":
        return Reply(1, "", state)
    return Reply(0, "", dict(state) | {f"writecache {name}": "flushed"})


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """Return the status of dm-writecache; after a flush all blocks are free."""
    if tuple(argv[:2]) != ("dmsetup", "status"):
        return text

    def line(match: re.Match[str]) -> str:
        if state.get(f"writecache {match['name']}") != "flushed":
            return match[0]
        return f"{match['name']}{match['head']}{match['total']} {match['total']} 0"

    return _FREE.sub(line, text)


def shown(path: str, text: str, state: Mapping[str, str]) -> str:
    """Return a file as it is read. After a sync no memory is dirty."""
    return _DIRTY.sub(r"\g<1>0\2", text) if path == "/proc/meminfo" and _SYNCED in state else text


def written(path: str, data: str) -> Mapping[str, str]:
    """Return the new contents of the files that writing a word changes.

    Raises:
        ValueError: The kernel refuses that word; the text is the kernel's.

    >>> written("/proc/sys/vm/dirty_bytes", "1048576")
    {'/proc/sys/vm/dirty_bytes': '1048576', '/proc/sys/vm/dirty_ratio': '0'}
    """
    word = data.strip()
    limit = _LIMIT.fullmatch(path)
    if limit is not None:
        other = "ratio" if limit[2] == "bytes" else "bytes"
        return {path: word, f"{limit[1]}{other}": "0"}
    cache = _BCACHE.fullmatch(path)
    if cache is not None and cache[2] == "cache_mode":
        if word not in _MODES:
            raise ValueError("Invalid argument")
        shown = " ".join(f"[{mode}]" if mode == word else mode for mode in _MODES)
        drained = {f"{cache[1]}state": "clean", f"{cache[1]}dirty_data": "0"} if word == "writethrough" else {}
        return {path: shown, **drained}
    if cache is not None and cache[2] == "writeback_percent":
        return {path: str(min(int(word), _CUTOFF)) if word.isdecimal() else word}
    if _SCSI_CACHE.fullmatch(path) and word not in _CACHE_TYPES:
        raise ValueError("Invalid argument")
    array = _ARRAY.fullmatch(path)
    if array is not None and array[2] in _SPEEDS:
        return {path: _of_array(array[2], word)}
    if array is not None:
        # one file under two names
        return dict.fromkeys((f"/sys/block/{array[1]}", f"/sys/class/block/{array[1]}"), _of_array(array[2], word))
    return {path: word}


def _of_array(name: str, word: str) -> str:
    """Return an md array file's content after a word was written."""
    if name == "journal_mode" and word in _JOURNAL:
        return " ".join(f"[{mode}]" if mode == word else mode for mode in _JOURNAL)
    if name == "stripe_cache_size" and word.isdecimal() and int(word) in _STRIPES:
        return word
    if name in _SPEEDS and word == "system":
        return _SPEEDS[name]
    if name in _SPEEDS and word.isdecimal() and int(word):
        return f"{int(word)} (local)"
    raise ValueError("Invalid argument")
