"""A controller as JSON, from all replies of its firmware."""

from __future__ import annotations

from typing import Any

from raidctl_mfi.battery import battery
from raidctl_mfi.commands import NO_HARDWARE, status_text
from raidctl_mfi.config import config
from raidctl_mfi.dialogue import Answers
from raidctl_mfi.drives import drives
from raidctl_mfi.frame import Answer
from raidctl_mfi.problems import Json, Problems
from raidctl_mfi.structures import CTRL_INFO, CTRL_PROPS
from raidctl_mfi.volumes import volumes

_MIB, _HW_BATTERY = 1 << 20, 1 << 0
_LISTS = frozenset({"LD_GET_LIST", "PD_GET_LIST", "CFG_READ"})
"""Replies of variable length; all others must contain the whole structure."""
_NEEDED = _LISTS | {"CTRL_GET_INFO"}
"""Replies without which an existing object may not be shown."""
_RATES = ("rebuild_rate", "patrol_read_rate", "bgi_rate", "cc_rate", "recon_rate")
_LD_OPS = ("read_policy", "write_policy", "io_policy", "access_policy", "disk_cache_policy")


def describe(found: Answers, number: int, problems: Problems, *, raw: bool = False) -> Json:
    """Describe the controller as JSON. ``raw`` adds the bytes of each reply in hexadecimal."""
    where = f"controller {number}"
    _failures(found, where, problems)
    info = _info(found.info)
    known = config(found.config, where, problems)
    hardware = info.get("hw_present")
    listed = volumes(found, known, where, problems)
    _count(where, "volumes", info.get("lds_present"), listed, problems)
    seen = drives(found, known, where, problems)
    _count(where, "drives", info.get("disks_present"), seen, problems)
    memory = info.get("memory_mib")
    return {
        "product_name": info.get("product_name") or None,
        "serial_number": info.get("serial_number") or None,
        "package_version": info.get("package_version") or None,
        "firmware": _components(info),
        "memory_bytes": None if memory is None else memory * _MIB,
        "memory_errors": {
            "correctable": info.get("memory_correctable_errors"),
            "uncorrectable": info.get("memory_uncorrectable_errors"),
        },
        "can_set": _operations(info.get("ld_ops")),
        "properties": _properties(found, info, where, problems),
        "battery": battery(found, None if hardware is None else bool(hardware & _HW_BATTERY), where, problems),
        "arrays": known.arrays if known.complete else None,
        "volumes": listed,
        "drives": seen,
        "answers": [_answer(answer, raw=raw) for answer in found.answers],
    }


def _info(answer: Answer | None) -> dict[str, Any]:
    """Decode CTRL_GET_INFO; empty if it is missing or all zeros."""
    if answer is None or not answer.has_data or not any(answer.data):
        return {}
    return CTRL_INFO.decode(answer.data)


def _components(info: dict[str, Any]) -> list[Json] | None:
    count = info.get("component_count")
    if count is None:
        return None
    return [
        {
            "name": item["name"],
            "version": item["version"],
            "built": f"{item['build_date']} {item['build_time']}".strip(),
        }
        for item in info["components"][: min(count, 8)]
        if item["name"] and item["version"]
    ]


def _operations(mask: int | None) -> Json | None:
    return None if mask is None else {name: bool(mask >> bit & 1) for bit, name in enumerate(_LD_OPS)}


def _properties(found: Answers, info: dict[str, Any], where: str, problems: Problems) -> Json | None:
    """The controller's settings, which CTRL_GET_PROPERTIES and CTRL_GET_INFO both report."""
    own = found.properties
    asked = CTRL_PROPS.decode(own.data) if own is not None and own.has_data and any(own.data) else {}
    held = info.get("properties") or {}
    if not asked and not held:
        return None
    sources = (("CTRL_GET_PROPERTIES", asked), ("CTRL_GET_INFO", held))
    made: Json = {
        name: problems.agree(where, name.replace("_", " "), [(source, one.get(name)) for source, one in sources])
        for name in (*_RATES, "cache_flush_interval", "disable_auto_rebuild", "alarm_enable")
    }
    made["cache_flush_interval_seconds"] = made.pop("cache_flush_interval")
    return made


def _count(where: str, what: str, counted: int | None, listed: list[Json] | None, problems: Problems) -> None:
    """Add a problem if a list's length differs from the controller's count."""
    if counted is not None and listed is not None and counted != len(listed):
        problems.unread(where, f"The controller counts {counted} {what}, but lists {len(listed)}.")


def _failures(found: Answers, where: str, problems: Problems) -> None:
    """Add a problem for each kind of command without a usable reply."""
    silent = [answer for answer in found.answers if answer.ok and not answer.has_data and _reads(answer)]
    if silent:
        needed = any(answer.question.command.name in _NEEDED for answer in silent)
        message = f"The firmware reported success for {_names(silent)} without data; what only they contain is unknown."
        (problems.unread if needed else problems.note)(where, message)
    for answer in found.answers:
        name, size = name_of(answer), answer.question.length
        if answer.fault is not None:
            problems.unread(
                where,
                f"{name} got no reply ({answer.fault}); no further command was sent.",
                "Check `dmesg`: the controller may be gone, resetting or hung.",
            )
        elif answer.has_data and len(answer.data) < size and answer.question.command.name not in _LISTS:
            problems.unread(where, f"{name} returned {len(answer.data)} of {size} bytes; the rest is unknown.")
        elif not answer.ok and not (answer.status == NO_HARDWARE and name.startswith("BBU")):
            problems.unread(where, f"The firmware refused {name}: {status_text(answer.status or 0)}.")


def _reads(answer: Answer) -> bool:
    return answer.question.command.direction == "read"


def name_of(answer: Answer) -> str:
    """``LD_GET_PROP of 3``."""
    question = answer.question
    about = int.from_bytes(question.mbox, "little") if question.mbox else None
    return question.command.name if about is None else f"{question.command.name} of {about}"


def _names(answers: list[Answer]) -> str:
    return ", ".join(dict.fromkeys(answer.question.command.name for answer in answers))


def _answer(answer: Answer, *, raw: bool) -> Json:
    question = answer.question
    made: Json = {
        "command": question.command.name,
        "opcode": f"0x{question.command.opcode:08x}",
        "mbox": question.mbox.hex(),
        "status": None if answer.status is None else status_text(answer.status),
        "bytes": question.length,
        "told_bytes": len(answer.data),
    }
    if answer.fault is not None:
        made["fault"] = answer.fault
    return made | ({"raw": answer.data.hex()} if raw else {})
