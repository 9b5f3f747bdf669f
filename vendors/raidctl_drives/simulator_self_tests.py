"""What smartctl prints about self-tests of simulated ATA drives: started, running, aborted. Pure.

A setting for each node, ``self-test /dev/sda``: ``as recorded``, ``running short``, ``aborted short``;
``deaf``: the drive accepts each test and runs none.
"""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import basename
from typing import Any

import msgspec

from raidctl import json_decode
from raidctl.vendor.simulator import Reply, State
from raidctl_drives.self_tests import READ

_RECORDED = "as recorded"
_HOURS = 23411
_HEAD = "smartctl 7.3 2022-02-28 r5338\n\n"
_TYPES = {"short": {"value": 1, "string": "Short offline"}, "long": {"value": 2, "string": "Extended offline"}}


def initial(argv: tuple[str, ...], text: str) -> State:
    """The setting of a drive whose self-tests were recorded."""
    return {f"self-test {argv[-1]}": _RECORDED} if argv[:-1] == READ and text else {}


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """``smartctl -t short /dev/sda``, ``smartctl -X /dev/sda``; None for another command."""
    if not argv or basename(argv[0]) != "smartctl" or argv[1:2] not in (("-t",), ("-X",)):
        return None
    name = f"self-test {argv[-1]}"
    if name not in state:
        return Reply(2, f"{_HEAD}Smartctl open device: {argv[-1]} failed: No such device\n", state)
    verb, _, kind = state[name].partition(" ")
    if argv[1] == "-X":
        fresh = f"aborted {kind}" if verb == "running" else state[name]
        return Reply(0, f"{_HEAD}Self-testing aborted!\n", dict(state) | {name: fresh})
    if verb == "running":
        text = (
            "Can't start self-test without aborting current test (90% remaining),\nadd '-t force' option to override."
        )
        return Reply(4, f"{_HEAD}{text}\n", state)
    wanted = argv[2] if len(argv) == 4 else ""
    if wanted not in _TYPES:
        return Reply(1, f"{_HEAD}=======> INVALID ARGUMENT TO -t: {wanted}\n", state)
    if verb == "deaf":
        return Reply(0, f"{_HEAD}Testing has begun.\n", state)
    return Reply(0, f"{_HEAD}Testing has begun.\n", dict(state) | {name: f"running {wanted}"})


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """The recorded status and log, with the test started or aborted since."""
    verb, _, kind = state.get(f"self-test {argv[-1]}", _RECORDED).partition(" ") if argv[:-1] == READ else ("", "", "")
    if verb not in ("running", "aborted"):
        return text
    tree: dict[str, Any] = json_decode.decode_text(text)
    status: dict[str, Any] = {"value": 249, "string": "in progress, 90% remaining", "remaining_percent": 90}
    if verb == "aborted":
        status = {"value": 25, "string": "was aborted by the host"}
        log = tree["ata_smart_self_test_log"]["standard"]
        hours = max((one["lifetime_hours"] for one in log.get("table", ())), default=_HOURS) + 1
        result = {"value": 25, "string": "Aborted by host", "remaining_percent": 90}
        log["table"] = [{"type": _TYPES[kind], "status": result, "lifetime_hours": hours}, *log.get("table", ())]
        log["count"] = len(log["table"])
    tree["ata_smart_data"]["self_test"]["status"] = status
    return msgspec.json.encode(tree).decode() + "\n"
