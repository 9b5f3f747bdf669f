"""Cache policies, operations and states out of the JSON of ``raidctl-mfi``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raidctl.evidence import Output, mark_read
from raidctl.model import IoPolicy, Operation, ReadPolicy, WritePolicy
from raidctl.vendor.draft import DETAIL, ROW, Draft, GroupDraft
from raidctl.vendor.statuses import put_status
from raidctl_megaraid import vocabulary
from raidctl_megaraid.access import report_access

_READ: dict[object, ReadPolicy] = {"none": "none", "read-ahead": "read_ahead", "adaptive": "adaptive"}
_IO: dict[object, IoPolicy] = {"direct": "direct", "cached": "cached"}
_OPERATIONS: dict[object, Operation] = {
    "check": "check", "background_init": "parity", "foreground_init": "initialize", "reconstruction": "migrate",
    "rebuild": "rebuild",
}  # fmt: skip
_PLACES = (("default", "write_configured", ROW), ("current", "write_current", DETAIL))


def read_cache(volume: GroupDraft, output: Output, path: str, given: Mapping[str, Any]) -> None:
    """``"default": {"write": "write-back", "bad_bbu": false, "read": "none", "io": "direct"}``, and ``"current"``."""
    for which, name, weight in _PLACES:
        printed = given.get(which)
        if not isinstance(printed, dict):
            continue
        at = f"{path}.{which}"
        _write(volume, output, at, name, printed)
        for key, table in (("read", _READ), ("io", _IO)):
            line, value = output.leaf(f"{at}.{key}"), printed.get(key)
            if line is not None and isinstance(value, str) and value in table:
                volume.put(line, f"cache.{key}_policy", table[value], weight)
            elif value is not None and line is not None:
                volume.unread(f"{which} {key} policy", str(value)[:80])
    line, disk = output.leaf(f"{path}.disk"), given.get("disk")
    if line is not None and disk in ("default", "enabled", "disabled"):
        volume.put(line, "cache.drive_write_cache", disk)
    elif line is not None and disk is not None:
        volume.unread("disk cache policy", str(disk)[:80])
    access = output.leaf(f"{path}.access")
    if access is not None and given.get("access") is not None:
        volume.detail(access, "access", str(given["access"]))
        report_access(volume, "access", str(given["access"]))
    _reported(volume, output, f"{path}.told", given.get("told"))


def _write(volume: GroupDraft, output: Output, path: str, name: str, printed: Mapping[str, Any]) -> None:
    """Write-back is protected unless it stays on with a bad battery. Where that is not reported, it is neither."""
    write, bad = printed.get("write"), printed.get("bad_bbu")
    line, other = output.leaf(f"{path}.write"), output.leaf(f"{path}.bad_bbu")
    policy: WritePolicy | None = None
    if write == "write-through":
        policy = "write_through"
    elif write == "write-back" and isinstance(bad, bool):
        policy = "unprotected_write_back" if bad else "protected_write_back"
    elif write not in (None, "write-back"):
        volume.unread("write policy", str(write)[:80])
    if policy is not None:
        volume.put(line, name, policy)
        volume.add_evidence(other, name, policy)
    if isinstance(bad, bool) and name == "write_configured":
        volume.conclude("bad_bbu", bad, ROW)


def _reported(volume: GroupDraft, output: Output, path: str, given: object) -> None:
    """What each reply of the firmware contains: ``"CFG_READ": {"default": "0x0c", …}``."""
    for source, printed in given.items() if isinstance(given, dict) else ():
        for name, value in printed.items() if isinstance(printed, dict) else ():
            line = output.leaf(f"{path}.{source}.{name}")
            if line is not None:
                volume.detail(line, f"{source} {name} policy", str(value))


def read_progress(draft: Draft, output: Output, path: str, given: Mapping[str, Any]) -> None:
    """``"progress": [{"operation": "check", "percent": 12.5}]``; of several the first counts."""
    listed = given.get("progress")
    for number, one in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(one, dict):
            continue
        at = f"{path}.progress[{number}]"
        operation, percent = _OPERATIONS.get(str(one.get("operation"))), one.get("percent")
        line, share = output.leaf(f"{at}.operation"), output.leaf(f"{at}.percent")
        if operation is None or draft.get("progress.operation") is not None:
            if line is not None:
                draft.detail(line, f"progress {one.get('operation')}", f"{percent}%")
            continue
        draft.put(line, "progress.operation", operation)
        if isinstance(percent, (int, float)) and 0 <= percent <= 100:
            draft.put(share, "progress.percent", float(percent))


def infer_state(draft: Draft, output: Output, path: str, given: Mapping[str, Any]) -> None:
    """Set the neutral status for a state word. An optimal volume with an operation under way gets that one's status."""
    state, line = given.get("state"), output.leaf(f"{path}.state")
    lines = [line] if line is not None else []
    if not isinstance(state, str):
        mark_read(*(lines if state is None else ()))
        return
    if isinstance(draft, GroupDraft):
        volume = vocabulary.volume_state(state)
        operation = draft.get("progress.operation")
        busy = vocabulary.BUSY_STATUS.get(operation) if volume is not None and volume.status == "ok" else None
        put_status(draft, lines, "volume", busy or (volume.status if volume else None), text=state)
        return
    drive = vocabulary.drive_state(state)
    put_status(draft, lines, "drive", drive.health if drive else None, text=state)
    if drive is not None and drive.role is not None:
        draft.put(line, "role", drive.role)
