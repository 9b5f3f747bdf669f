"""``zpool status -j`` and ``zpool list -j``: pools with their vdevs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from raidctl.evidence import Line, Output
from raidctl.model import Progress
from raidctl.model.task import Operation
from raidctl.text import collapse
from raidctl.units import parse_local_time, whole_number
from raidctl_zfs.draft import ControllerDraft, PoolDraft, Vdev
from raidctl_zfs.infer import amount, put_errors, put_message, put_sizes, put_state
from raidctl_zfs.scan import ended, report_resilver
from raidctl_zfs.vocabulary import GROUPS

_COUNTS = (("READ", "read_errors"), ("WRITE", "write_errors"), ("CKSUM", "checksum_errors"))
_PATHS = "path", "phys_path", "devid"
_NAMED = ("name", "state", "status", "action", "error_count", "vdevs", "properties", "scan_stats", *GROUPS)
# "function": "SCRUB", "state": "FINISHED"
_OPERATIONS: dict[str, Operation] = {"SCRUB": "check", "RESILVER": "rebuild"}
_MOVES: dict[str, tuple[Operation, str, str]] = {
    "raidz_expand_stats": ("expand", "to_reflow", "reflowed"),
    "removal_stats": ("migrate", "to_copy", "copied"),
}
"""The operation, and the keys of its amounts."""


def read_json(output: Output, value: Mapping[str, Any], controller: ControllerDraft) -> None:
    """Read the pools of a document."""
    pools = value.get("pools")
    for key, entry in pools.items() if isinstance(pools, Mapping) else ():
        if isinstance(entry, Mapping):
            _pool(output, f"pools.{key}", entry, controller, str(entry.get("name") or key))
    for line in output.lines:
        if line.text.startswith("output_version.") or line.text == "pools: {}":
            line.used = True


def _pool(output: Output, path: str, entry: Mapping[str, Any], controller: ControllerDraft, name: str) -> None:
    pool = controller.volume(name)
    controller.array(name)
    lines = {leaf: line for leaf in entry if (line := output.leaf(f"{path}.{leaf}")) is not None}
    if "name" in lines:
        pool.put(lines["name"], "name", name)
    if "state" in lines:
        put_state(pool, [lines["state"]], str(entry["state"]))
    if "error_count" in lines:
        count = str(entry["error_count"])
        put_errors(pool, [lines["error_count"]], "No known data errors" if count == "0" else f"{count} data errors")
    texts = [([lines[leaf]] if leaf in lines else [], collapse(str(entry.get(leaf) or "")))
             for leaf in ("status", "action")]  # fmt: skip
    put_message(pool, *texts)
    for leaf, line in lines.items():
        if leaf not in _NAMED:
            pool.detail(line, leaf, str(entry[leaf]))
    _scan(output, f"{path}.scan_stats", entry.get("scan_stats"), pool)
    vdevs = [(_vdev(output, f"{path}.vdevs.{inner}", one, "data"), one) for inner, one in _mappings(entry.get("vdevs"))]
    table = PoolDraft(name)
    _tree(table, vdevs)
    for title, part in GROUPS.items():
        for inner, one in _mappings(entry.get(title)):
            table.parts.append(_vdev(output, f"{path}.{title}.{inner}", one, part))
    _filled(table, entry.get("scan_stats"))
    if "error_count" in entry:  # of zpool status, which has the state of each
        _report_unread(pool, entry, [*([table.root] if table.root else ()), *table.parts])
    pool.add_table(table)
    for label in _MOVES:
        _move(output, f"{path}.{label}", entry.get(label), pool)
    _properties(output, f"{path}.properties", entry.get("properties"), pool, controller.array(name))


def _report_unread(pool: PoolDraft, entry: Mapping[str, Any], tops: Sequence[Vdev]) -> None:
    """Report devices without a state, and lists of devices under a key that is not known."""
    vdevs = [*tops]
    for vdev in vdevs:
        vdevs += vdev.children
        if not vdev.state:
            pool.unread("state of a device", f"{vdev.name}: not printed")
    for key, one in _mappings(entry):
        if key not in _NAMED and any("vdev_type" in inner for _, inner in _mappings(one)):
            pool.unread("list of devices", key)


def _tree(pool: PoolDraft, vdevs: Sequence[tuple[Vdev, Mapping[str, Any]]]) -> None:
    """Find the root and the parts beside it. ``--json-flat-vdevs`` names each vdev's parent instead of nesting them."""
    named = {vdev.name: vdev for vdev, _ in vdevs}
    for vdev, entry in vdevs:
        above = named.get(str(entry.get("parent")))
        if above is not None and above is not vdev:
            above.children.append(vdev)
        elif entry.get("vdev_type", "root") == "root":
            pool.root = vdev
        else:
            pool.parts.append(vdev)


def _filled(pool: PoolDraft, scan: object) -> None:
    """Note which devices a running resilver fills. The text does so for those online that it has written to."""
    if not isinstance(scan, Mapping) or (scan.get("function"), scan.get("state")) != ("RESILVER", "SCANNING"):
        return
    for top in (*([pool.root] if pool.root else ()), *pool.parts):
        for leaf in top.leaves():
            if leaf.state == "ONLINE" and any(label == "scan_processed" for _, label, _ in leaf.details):
                leaf.note = leaf.note or "resilvering"


def _mappings(value: object) -> list[tuple[str, Mapping[str, Any]]]:
    pairs = value.items() if isinstance(value, Mapping) else ()
    return [(str(key), one) for key, one in pairs if isinstance(one, Mapping)]


def _vdev(output: Output, path: str, entry: Mapping[str, Any], part: str) -> Vdev:
    own = {leaf: line for leaf in entry if (line := output.leaf(f"{path}.{leaf}")) is not None}
    kind = str(entry.get("class") or "")
    found = Vdev(
        str(entry.get("name") or path.rpartition(".")[2]),
        str(entry.get("state") or ""),
        GROUPS.get(kind, GROUPS.get(f"{kind}s", part)),
        lines=[own[leaf] for leaf in ("state", "name") if leaf in own],
        counts={label: str(entry[leaf]) for label, leaf in _COUNTS if leaf in entry},
        path=str(entry.get("path") or ""),
        size=_size(entry.get("phys_space")),
    )
    rest = [(line, leaf, str(entry[leaf])) for leaf, line in own.items() if leaf not in ("state", "name")]
    found.details = [item for item in rest if item[1] not in [leaf for _, leaf in _COUNTS]]
    # "aux": "ERR_EXCEEDED"
    found.note = str(entry.get("aux") or (f"was {entry['was']}" if entry.get("was") else ""))
    if any(str(entry.get(leaf) or "0") not in ("0", "False") for leaf in ("resilver_deferred", "resilvering")):
        found.note = "resilvering"
    for line in (line for leaf, line in own.items() if leaf in [name for _, name in _COUNTS]):
        found.lines.append(line)
    found.children = [_vdev(output, f"{path}.vdevs.{key}", one, found.part)
                      for key, one in _mappings(entry.get("vdevs"))]  # fmt: skip
    return found


def _size(value: object) -> int | None:
    """Bytes: a number with ``--json-int``, else ``1.81T``."""
    return value if isinstance(value, int) else amount(str(value or ""))


def _scan(output: Output, path: str, entry: object, pool: PoolDraft) -> None:
    if not isinstance(entry, Mapping):
        return
    lines = {leaf: line for leaf in entry if (line := output.leaf(f"{path}.{leaf}")) is not None}
    for leaf, line in lines.items():
        pool.detail(line, f"scan {leaf}", str(entry[leaf]))
    what, state = str(entry.get("function")), str(entry.get("state"))
    line = lines.get("state")
    if state == "FINISHED" and what in _OPERATIONS:
        at, errors = _moment(entry.get("end_time")), whole_number(str(entry.get("errors", "")))
        if errors is None:
            pool.unread("number of scan errors", str(entry.get("errors", ""))[:80])
        elif what == "SCRUB":
            ended(pool, line, at, errors)
        elif errors:
            report_resilver(pool, str(errors))
    elif state == "CANCELED" and what == "SCRUB":
        pool.put(line, "consistency_check.last_result", "unfinished")
    elif state == "SCANNING" and what in _OPERATIONS:
        _progress(pool, entry, line, what)
    elif state not in ("NONE", "CANCELED", "ERRORSCRUBBING", "None") and what != "ERRORSCRUB":
        pool.unread("scan state", f"{what} {state}"[:80])
    # "rebuild_stats": {"mirror-0": {"state": "ACTIVE", "scanned": "1.2G", "to_scan": "10G", …}}: sequential resilvers
    for name, one in _mappings(entry.get("rebuild_stats")):
        line = output.leaf(f"{path}.rebuild_stats.{name}.state")
        word = str(one.get("state"))
        if word == "ACTIVE":
            _put_progress(pool, line, "rebuild", (one.get("to_scan"), one.get("scanned")))
        elif word not in ("NONE", "CANCELED", "COMPLETE"):
            pool.unread("resilver state", f"{name} {word}"[:80])


def _move(output: Output, path: str, entry: object, pool: PoolDraft) -> None:
    """A vdev that grows or is emptied."""
    if not isinstance(entry, Mapping):
        return
    label = path.rpartition(".")[2]
    kind, whole, done = _MOVES[label]
    for leaf in entry:
        if (line := output.leaf(f"{path}.{leaf}")) is not None:
            pool.detail(line, f"{label} {leaf}", str(entry[leaf]))
    state = str(entry.get("state"))
    if state not in ("NONE", "SCANNING", "FINISHED", "CANCELED"):
        pool.unread(f"state of {label}", state[:80])
    if state == "SCANNING" and pool.get("progress") is None:
        paused = str(entry.get("waiting_for_resilver") or "0") != "0"
        _put_progress(pool, output.leaf(f"{path}.state"), kind, (entry.get(whole), entry.get(done)), paused=paused)


def _progress(pool: PoolDraft, entry: Mapping[str, Any], line: Line | None, what: str) -> None:
    paused = str(entry.get("scrub_pause") or "0") not in ("0", "-")
    _put_progress(pool, line, _OPERATIONS[what], (entry.get("to_examine"), entry.get("issued")), paused=paused)


def _put_progress(
    pool: PoolDraft, line: Line | None, operation: Operation, amounts: tuple[object, object], *, paused: bool = False
) -> None:
    """Work in progress; ``amounts``: of all data, and of what is done."""
    whole, done = (_size(one) for one in amounts)
    percent = min(round(100 * done / whole, 2), 100.0) if whole and done is not None else None
    found = Progress(operation=operation, percent=percent, state="paused" if paused else "running")
    pool.override("progress", found)
    pool.add_evidence(line, "progress.operation", operation)


def _moment(value: object) -> str | None:
    text = str(value or "")
    if text.isdecimal() and len(text) < 12:
        return datetime.fromtimestamp(int(text), timezone.utc).isoformat()
    # "Sun Feb  4 20:54:25 2024": local time
    return parse_local_time(text, "%a %b %d %H:%M:%S %Y")


def _properties(output: Output, path: str, entry: object, pool: PoolDraft, array: PoolDraft) -> None:
    """``"size": {"value": "1.81T", "source": …}`` of ``zpool list -j``."""
    for name, one in _mappings(entry):
        value = str(one.get("value"))
        lines = [line for leaf in ("value",) if (line := output.leaf(f"{path}.{name}.{leaf}")) is not None]
        for line in output.lines:
            if line.text.startswith(f"{path}.{name}.source"):
                line.used = True
        if name == "health":
            put_state(pool, lines, value)
        else:
            put_sizes(array, lines, name, value)
            pool.detail_of(lines, name, value)
