"""The facts of each output about a pool, and conclusions from all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import basename

from raidctl.evidence import Line
from raidctl.text import attempt, collapse, listing
from raidctl.units import parse_size, whole_number
from raidctl.vendor.draft import Draft
from raidctl.vendor.statuses import put_status
from raidctl_zfs.draft import ControllerDraft, PoolDraft, Vdev, left
from raidctl_zfs.vocabulary import DATA, HARMLESS, PARITY, POOL, VDEV, WORKING

_SIZES = {"size": "size_bytes", "free": "free_bytes"}
_FINE = ("no known data errors", "no known errors")
_CLOSED = "inactive"
_NONE = ("0", "-", "")


def put_state(pool: PoolDraft, lines: Sequence[Line], word: str) -> None:
    """Set the state of a pool. For one that is not imported, it is the state that an import would give."""
    # state: DEGRADED        state: ONLINE (DESTROYED)
    word = collapse(word).removesuffix(" (DESTROYED)")
    if not word:
        return
    put_status(pool, lines, "pool", POOL.get(word), text=word)
    if not pool.imported:
        pool.override("status", _CLOSED)


def put_sizes(array: Draft, lines: Sequence[Line], name: str, text: str) -> None:
    """Put ``SIZE`` and ``FREE``. In a pool with parity they count the parity, too."""
    size = amount(text)
    if name in _SIZES and size is not None:
        for line in lines:
            array.put(line, _SIZES[name], size)


def amount(text: str) -> int | None:
    """Bytes, or a number of errors: ``12``, ``1.2K`` in units of 1024."""
    number = whole_number(text)
    return attempt(lambda word: parse_size(f"{word}B", binary=True), text) if number is None else number


def put_message(pool: PoolDraft, status: tuple[Sequence[Line], str], action: tuple[Sequence[Line], str]) -> None:
    """Put the texts after ``status:`` and ``action:``. zpool prints them only if it has something to report."""
    for label, (lines, text) in (("status", status), ("action", action)):
        pool.detail_of(lines, label, text)
    text = status[1]
    if text:
        mild = text.lower().startswith(HARMLESS)
        pool.add_problem("info" if mild else "warning", "state", f"zpool reports: {text}", action[1] or None)


def fine(text: str) -> bool:
    """Whether ``errors:`` reports none, so that no list of files follows."""
    return collapse(text).lower() in _FINE


def put_errors(pool: PoolDraft, lines: Sequence[Line], text: str) -> None:
    """``errors:``, with the damaged files in the lines below."""
    pool.detail_of(lines, "errors", text)
    # errors: List of errors unavailable: pool I/O is currently suspended
    if "suspended" in text.lower():
        pool.add_problem("warning", "unread", f"zpool reports: {text}", "Connect the devices, then `zpool clear`.")
        return
    # errors: List of errors unavailable (insufficient privileges)
    unlisted = ("list of errors", "error list")
    if any(text.lower().startswith(words) or words.startswith(text.lower()) for words in unlisted):
        pool.add_problem("warning", "no_right", f"zpool reports: {text}", "Run it as root (sudo).")
    elif not fine(text):
        remedy = "Restore the files that `zpool status -v` lists from a backup, then start a scrub."
        pool.add_problem("error", "state", f"The pool has damaged data: {text[:300]}", remedy)


def infer(controller: ControllerDraft) -> None:
    """The devices of all pools, their levels and their redundancy."""
    for name, pool in controller.volumes.items():
        array = controller.array(name)
        if pool.lost:
            message = "zpool could not find all parts of the pool: what it survives is unknown."
            pool.add_problem("warning", "state", message, "Connect the missing devices.")
        if pool.root is None:
            continue
        _pool_row(pool, array)
        for top in (*pool.root.children, *pool.parts):
            for vdev in _walk(top):
                if vdev.children or vdev.kind != "disk" or not vdev.state:
                    _inner(pool, array, vdev)
        _devices(controller, name, pool, array)
        _redundancy(pool, array)


def _walk(vdev: Vdev) -> Iterator[Vdev]:
    yield vdev
    for child in vdev.children:
        yield from _walk(child)


def _pool_row(pool: PoolDraft, array: PoolDraft) -> None:
    """Read the pool's own row of the table. It repeats the state, and counts errors that no device accounts for."""
    root = pool.root
    if root is None:
        return
    put_state(pool, root.lines[:1], root.state)
    put_status(array, root.lines[:1], "array", root.health, text=_words(root), word=_word(root))
    _counters(pool, array, root, "")
    array.detail_of(root.lines, "pool", _words(root))
    for line, label, value in root.details:
        array.detail(line, label, value)
        size = whole_number(value)
        if label == "def_space" and size:
            pool.put(line, "size_bytes", size)
        if label == "total_space" and size is not None:
            array.put(line, "size_bytes", size)


def _inner(pool: PoolDraft, array: PoolDraft, vdev: Vdev) -> None:
    """Read a vdev of several devices, or a pool part's title."""
    array.detail_of(vdev.lines, vdev.name, _words(vdev) or vdev.part)
    for line, label, value in vdev.details:
        array.detail(line, f"{vdev.name} {label}", value)
    _counters(pool, array, vdev, f"{vdev.name} ")
    if vdev.state and not vdev.fine:
        put_status(array, vdev.lines[:1], "vdev", vdev.health, text=f"{vdev.name} {_words(vdev)}",
                   word=_word(vdev))  # fmt: skip


def _counters(pool: PoolDraft, array: PoolDraft, vdev: Vdev, prefix: str) -> None:
    """Report errors of the pool or of a vdev. zpool may call the pool healthy as long as no device has any."""
    for label, value in vdev.counts.items():
        if value != "0":
            array.keep_words(f"{prefix}{label}", value)
    if any(value not in _NONE for value in vdev.counts.values()) and "status" not in pool.details:
        counts = ", ".join(f"{label} {value}" for label, value in vdev.counts.items())
        what = f"The pool's {vdev.name}" if prefix else "The pool"
        pool.add_problem("warning", "state", f"{what} counts errors: {counts}.", "List them with `zpool status -v`.")


def _words(vdev: Vdev) -> str:
    return f"{vdev.state} ({vdev.note.strip('()')})" if vdev.note else vdev.state


def _word(vdev: Vdev) -> str:
    """The text to report if it is not understood: the state, or a good state with its remark."""
    return _words(vdev) if vdev.state in VDEV else vdev.state


def _devices(controller: ControllerDraft, name: str, pool: PoolDraft, array: PoolDraft) -> None:
    tops = [*(pool.root.children if pool.root else ()), *pool.parts]
    for vdev in (leaf for top in tops for leaf in top.leaves() if leaf.state):
        key = f"{name}/{basename(vdev.name)}"
        if vdev.part == "spare" and key in controller.drives:  # "sdf  INUSE  currently in use"
            controller.drive(key).detail(vdev.lines[0], "spare", _words(vdev))
            continue
        number = 2
        while key in controller.drives:
            key, number = f"{name}/{basename(vdev.name)}-{number}", number + 1
        _device(controller.drive(key), vdev)
        if vdev.part == "spare":
            array.spares[key] = True
        else:
            array.members[key] = None


def _device(drive: Draft, vdev: Vdev) -> None:
    health, line = vdev.health, vdev.lines[0]
    if health == "ok" and WORKING.search(vdev.note):
        health = "warning"
    put_status(drive, vdev.lines, "device", health, text=_words(vdev), word=_word(vdev))
    role = {"data": "member", "special": "member", "dedup": "member", "spare": "spare"}.get(vdev.part, "journal")
    drive.put(line, "role", "failed" if health == "critical" and role == "member" else role)
    drive.keep_words("name", vdev.path or vdev.name)
    if vdev.part not in ("data", "spare"):
        drive.keep_words("class", vdev.part)
    if vdev.size:
        drive.put(next((at for at, label, _ in vdev.details if label == "phys_space"), None), "size_bytes", vdev.size)
    for at, label, value in vdev.details:
        drive.detail(at, label, value)
    for label, field in (("READ", "errors.media"), ("CKSUM", "errors.other")):
        if (count := amount(vdev.counts.get(label, ""))) is not None:
            drive.put(line, field, count)
    for label, value in vdev.counts.items():
        drive.keep_words(label, value)
    # the write errors of a failed device are the cause of its failure
    for label, what in (("WRITE", "Write"), ("CKSUM", "Checksum"))[health == "critical" :]:
        if vdev.counts.get(label, "0") not in _NONE:
            remedy = "Check cables, controller and memory; start a scrub; replace the drive if the number grows."
            drive.add_problem("warning", "state", f"{what} errors: {vdev.counts[label]}.", remedy)


def _whole_beside(pool: PoolDraft, array: PoolDraft, tops: Sequence[Vdev]) -> None:
    """Report pools as ok if only a log, cache or spare failed. zpool reports such a pool as degraded."""
    bad = [leaf for part in pool.parts if part.part not in DATA for leaf in part.leaves() if not leaf.fine]
    rows = [row for top in tops for row in _walk(top)]
    if (
        pool.get("status") != "degraded"
        or not bad
        or not all(row.fine and not WORKING.search(row.note) for row in rows)
    ):
        return
    for draft in (pool, array):
        draft.override("status", "ok")
    names = listing(f"{leaf.part} device {basename(leaf.name)}" for leaf in bad)
    if all(count in _NONE for row in (pool.root, *rows) if row and row.children for count in row.counts.values()):
        pool.withdraw("zpool reports: ")  # no other line reports errors that no device accounts for
    message = f"zpool calls the pool degraded because of its {names}; the redundancy of its data is intact."
    pool.add_problem("warning", "state", message, pool.details.get("action"))


def _redundancy(pool: PoolDraft, array: PoolDraft) -> None:
    root = pool.root
    tops = [top for top in root.children if top.part in DATA] if root else []
    # special vdevs are below a title in the text
    tops += [child for part in pool.parts if part.part in DATA for child in (part.children or [part])]
    tops = [top for top in tops if top.kind != "indirect"]
    if not tops or root is None:
        return
    slots = [slot for top in tops for slot in (top.children or [top])]
    if not all(top.lines for top in tops):
        message = "A vdev of the pool is not described: the redundancy is unknown."
        pool.add_problem("warning", "unread", message, "Give the output as printed.")
        return
    line = tops[0].lines[0]
    if pool.flat:
        message = "The pool's table has lost its indentation: which devices belong together is unknown."
        pool.add_problem("warning", "unread", message, "Give the output as printed.")
        return
    _whole_beside(pool, array, tops)
    level = _level([top for top in tops if top.part == "data"], tops)
    if pool.lost or not all(top.whole for top in tops):  # the tool left vdevs or devices out
        if level in PARITY:
            pool.put(line, "raid_level", level)
        return
    pool.put(line, "raid_level", level)
    pool.put(line, "layout", _layout(tops))
    pool.put(line, "drives_expected", len(slots))
    if all(leaf.works is not None for slot in slots for leaf in slot.leaves()):
        pool.put(line, "drives_active", sum(left(slot, unknown_works=False) >= 0 for slot in slots))
    progress = pool.get("progress")
    leaves = [leaf for top in tops for leaf in top.leaves()]
    hidden = (
        progress is not None and progress.operation == "rebuild" and not any(WORKING.search(one.note) for one in leaves)
    )
    if hidden:
        pool.discard("drives_active")  # zpool does not print which device is being filled
    sure = -1 if hidden else _tolerated(tops, unknown_works=False)
    most = _tolerated(tops, unknown_works=True) - hidden
    if max(most, 0) == max(sure, 0):
        pool.conclude("failures_tolerated", max(sure, 0))


def _tolerated(tops: Sequence[Vdev], *, unknown_works: bool) -> int:
    return min(left(top, unknown_works=unknown_works, strict=True) for top in tops)


def _level(data: Sequence[Vdev], tops: Sequence[Vdev]) -> str:
    kinds = {_redundant(top) for top in data}
    if len(kinds) != 1:
        return "unknown"
    kind = kinds.pop()
    if kind in PARITY or kind == "unknown":
        return kind
    if {_redundant(top) for top in tops} != {kind}:  # a special vdev with less redundancy
        return "unknown"
    return "raid0" if kind == "disk" else "raid1" if len(tops) == 1 else "raid10"


def _redundant(top: Vdev) -> str:
    """The kind of a vdev. A single device that is being replaced is one device."""
    return "disk" if top.kind in ("replacing", "spare") else top.kind


def _layout(tops: Sequence[Vdev]) -> str:
    words = [f"{_redundant(top)} of {len(top.children)}" if top.children and _redundant(top) != "disk" else "disk"
             for top in tops]  # fmt: skip
    words = [word if top.part == "data" else f"{top.part} {word}" for word, top in zip(words, tops, strict=True)]
    counts = {word: words.count(word) for word in dict.fromkeys(words)}
    return ", ".join(word if count == 1 else f"{count} x {word}" for word, count in counts.items())
