"""Read, start, abort self-tests of plain drives with smartctl (from 7.0). Pure.

``-t force`` is never used: it aborts a test that somebody else has started. What smartctl prints of a start proves
nothing either: some drives accept a test and do not run it. The next reading decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from msgspec.structs import replace

from raidctl import json_decode
from raidctl.model import Drive
from raidctl.request import Answer, Dialogue, Failure, Run, RunAnswer, ask
from raidctl.text import collapse, regex
from raidctl.vendor.plan import Action
from raidctl.vendor.self_tests import SelfTest, TestKind, TestState

READ = ("smartctl", "-j", "-n", "standby", "-c", "-l", "selftest")
_TIMEOUT = 60.0
_NODE = regex(r"/dev/(?:sd[a-z]{1,4}|nvme\d{1,4}(?:n\d{1,4})?)", re.ASCII)
_ASLEEP = regex(r"(?i)\bin (?:STANDBY|SLEEP)")
_REFUSED = regex(
    r"(?im)^.*(?:can't start self-test|self.?test.{0,40}(?:failed|not supported)|unknown (?:or unsupported )?option|"
    r"invalid argument|unable to|not supported).*$"
)
_COMMAND_LINE, _NOT_OPENED = 1, 2
"""Bits of smartctl's exit status."""

# value of the result: ATA's high nibble ("Self-test execution status"), SCSI, NVMe ("Self-test Result")
_ATA: Mapping[int, TestState] = {
    0: "passed",
    1: "aborted",
    2: "aborted",
    15: "running",
    **dict.fromkeys(range(3, 9), "failed"),
}
_SCSI: Mapping[int, TestState] = {
    0: "passed",
    1: "aborted",
    2: "aborted",
    15: "running",
    **dict.fromkeys(range(3, 8), "failed"),
}
_NVME: Mapping[int, TestState] = {
    0: "passed", **dict.fromkeys((1, 2, 3, 4, 8, 9), "aborted"), **dict.fromkeys((5, 6, 7), "failed"),
}  # fmt: skip
_ATA_KINDS: Mapping[int, TestKind] = {1: "short", 2: "long", 0x81: "short", 0x82: "long"}
_SCSI_KINDS: Mapping[int, TestKind] = {1: "short", 2: "long", 5: "short", 6: "long"}
_NVME_KINDS: Mapping[int, TestKind] = {1: "short", 2: "long"}
Tree = Mapping[str, Any]


def read(drive: Drive) -> Dialogue[SelfTest]:
    """Read the drive's status and its log of self-tests with smartctl."""
    base = SelfTest(drive=drive.id, device=drive.device, serial=drive.serial)
    why = _untestable(drive)
    if why is not None:
        return replace(base, state="not_supported", why=why)
    answer = yield from ask(Run((*READ, cast("str", drive.device)), timeout=_TIMEOUT))
    if not answer.fine:
        return replace(base, why=_TROUBLE.get(answer.trouble or Failure.FAILED, "smartctl could not be run."))
    return of_output(base, answer.text, answer.code)


_TROUBLE = {
    Failure.MISSING: "smartctl is not installed (package smartmontools).",
    Failure.DENIED: "smartctl needs root.",
    Failure.TIMEOUT: "smartctl did not answer in time.",
    Failure.UNRECORDED: "The recording does not contain it.",
}


def of_output(base: SelfTest, text: str, code: int | None) -> SelfTest:
    """What an output of ``smartctl -j`` shows of the test. ``base`` names the drive."""
    try:
        tree = json_decode.decode_text(text)
    except ValueError:
        old = code is not None and code & _COMMAND_LINE
        return replace(base, why="smartctl 7.0 or later is needed." if old else "smartctl printed no JSON.")
    if not isinstance(tree, dict):
        return replace(base, why="smartctl printed no JSON object.")
    messages = " ".join(str(_get(one, "string") or "") for one in _list(tree, "smartctl", "messages"))
    status = _number(tree, "smartctl", "exit_status")
    if _ASLEEP.search(messages):
        return replace(base, state="asleep", why="The drive is in standby and was not woken.")
    for found in (_of_ata(base, tree), _of_nvme(base, tree), _of_scsi(base, tree)):
        if found is not None:
            return found
    opened = status is None or not status & _NOT_OPENED
    return replace(base, why=messages or ("smartctl shows no self-tests." if opened else "smartctl could not open it."))


def _of_ata(base: SelfTest, tree: Tree) -> SelfTest | None:
    data = _get(tree, "ata_smart_data")
    if not isinstance(data, dict):
        return None
    if _get(data, "capabilities", "self_tests_supported") is False:
        return replace(base, state="not_supported", why="The drive has no self-tests.")
    logs = [_get(tree, "ata_smart_self_test_log", name) for name in ("extended", "standard")]
    log = next((one for one in logs if isinstance(one, dict)), {})
    last: Tree = next((one for one in _list(log, "table") if isinstance(one, dict)), {})
    value = _number(data, "self_test", "status", "value")
    state = _ATA.get(value >> 4, "unknown") if value is not None else "unknown"
    logged = _number(log, "count")
    if state == "passed" and not last:
        # 0 is the status of a drive that was never tested, too
        state = "none" if logged == 0 else "unknown"
    elif state == "passed" and _get(last, "status", "passed") is not True:
        state = _ATA.get((_number(last, "status", "value") or 0) >> 4, "unknown")
        state = "unknown" if state == "passed" else state
    remaining = _number(data, "self_test", "status", "remaining_percent")
    if state == "running":
        # "remaining_percent": 90; the nibble itself where an old release has no such field
        remaining = (value or 0) % 16 * 10 if remaining is None else remaining
    return replace(
        base,
        state=state,
        kind=_ATA_KINDS.get(_number(last, "type", "value") or 0, "other") if last and state != "running" else None,
        percent=100 - remaining if state == "running" and remaining is not None else None,
        hours=_number(last, "lifetime_hours") if state != "running" else None,
        logged=logged,
        short_minutes=_number(data, "self_test", "polling_minutes", "short"),
        long_minutes=_number(data, "self_test", "polling_minutes", "extended"),
        text=_text(data, "self_test", "status", "string"),
    )


def _of_nvme(base: SelfTest, tree: Tree) -> SelfTest | None:
    log = _get(tree, "nvme_self_test_log")
    if not isinstance(log, dict):
        able = _get(tree, "nvme_optional_admin_commands", "self_test")
        why = "The drive has no self-tests."
        return replace(base, state="not_supported", why=why) if able is False else None
    running = _number(log, "current_self_test_operation", "value")
    if running is None:
        return replace(base, why="smartctl does not show whether a self-test is running.")
    if running:
        return replace(
            base, state="running", kind=_NVME_KINDS.get(running, "other"),
            percent=_number(log, "current_self_test_completion_percent"),
            text=_text(log, "current_self_test_operation", "string"),
        )  # fmt: skip
    table = _list(log, "table")
    if not table:
        return replace(base, state="none", logged=0)
    last = table[0]
    return replace(
        base,
        state=_NVME.get(_number(last, "self_test_result", "value") or 0, "unknown")
        if _number(last, "self_test_result", "value") is not None
        else "unknown",
        kind=_NVME_KINDS.get(_number(last, "self_test_code", "value") or 0, "other"),
        hours=_number(last, "power_on_hours"),
        logged=len(table),
        text=_text(last, "self_test_result", "string"),
    )


def _of_scsi(base: SelfTest, tree: Tree) -> SelfTest | None:
    last = _get(tree, "scsi_self_test_0")
    seconds = _number(tree, "scsi_extended_self_test_seconds")
    long = None if seconds is None else -(-seconds // 60)
    if not isinstance(last, dict):
        why = "The drive's log of self-tests is empty, or the drive keeps none."
        return replace(base, state="none", logged=0, long_minutes=long, why=why) if seconds is not None else None
    value = _number(last, "result", "value")
    state = _SCSI.get(value, "unknown") if value is not None else "unknown"
    return replace(
        base,
        state=state,
        kind=_SCSI_KINDS.get(_number(last, "code", "value") or 0, "other"),
        hours=_number(last, "power_on_time", "hours") if state != "running" else None,
        logged=sum(name.startswith("scsi_self_test_") and name[15:].isdecimal() for name in tree),
        long_minutes=long,
        text=_text(last, "result", "string"),
    )


def start(drive: Drive, kind: TestKind) -> Action | str:
    """``smartctl -t short /dev/sda``: in the background, the drive stays usable."""
    if kind not in ("short", "long"):
        return "Only short and long tests can be started."
    why = _untestable(drive)
    return why or Action(argv=("smartctl", "-t", kind, cast("str", drive.device)), timeout=_TIMEOUT)


def stop(drive: Drive) -> Action | str:
    """``smartctl -X /dev/sda``."""
    why = _untestable(drive)
    return why or Action(argv=("smartctl", "-X", cast("str", drive.device)), timeout=_TIMEOUT)


def refused(action: Action, answer: Answer) -> str | None:  # noqa: ARG001 - the signature of all families
    """The line in which smartctl refuses, or its exit code."""
    if not isinstance(answer, RunAnswer):
        return None
    text = f"{answer.text}\n{answer.error_text}"
    match = _REFUSED.search(text)
    if match:
        return collapse(match[0])[:200]
    bad = answer.code is None or bool(answer.code & (_COMMAND_LINE | _NOT_OPENED))
    return f"exit code {answer.code}" if bad else None


def _untestable(drive: Drive) -> str | None:
    if drive.interface == "virtual":
        return "It is a virtual drive: the host tests the storage below it."
    if drive.device is None or not _NODE.fullmatch(drive.device):
        return "The drive has no device that smartctl could test."
    return None


def _get(tree: Any, *path: str) -> Any:
    for name in path:
        tree = tree.get(name) if isinstance(tree, dict) else None
    return tree


def _number(tree: Any, *path: str) -> int | None:
    value = _get(tree, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def _text(tree: Any, *path: str) -> str | None:
    value = _get(tree, *path)
    return value if isinstance(value, str) else None


def _list(tree: Any, *path: str) -> list[Any]:
    value = _get(tree, *path)
    return value if isinstance(value, list) else []
