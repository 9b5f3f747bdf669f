"""A card put together out of its answers."""

from __future__ import annotations

from typing import Any

from raidctl_mfi.battery import battery
from raidctl_mfi.commands import NO_HARDWARE, status_text
from raidctl_mfi.config import config
from raidctl_mfi.drives import drives
from raidctl_mfi.frame import Answer
from raidctl_mfi.gather import Gathered
from raidctl_mfi.problems import Json, Problems
from raidctl_mfi.structures import CTRL_INFO, CTRL_PROPS
from raidctl_mfi.volumes import volumes

_MIB, _HW_BATTERY = 1 << 20, 1 << 0
_LISTS = frozenset({"LD_GET_LIST", "PD_GET_LIST", "CFG_READ"})
"""Answers that end where they end; of all others the whole structure is due."""
_NEEDED = _LISTS | {"CTRL_GET_INFO"}
"""Without one of these, something that may well be there is not shown at all."""
_RATES = ("rebuild_rate", "patrol_read_rate", "bgi_rate", "cc_rate", "recon_rate")
_LD_OPS = ("read_policy", "write_policy", "io_policy", "access_policy", "disk_cache_policy")


def describe(found: Gathered, number: int, problems: Problems, *, raw: bool = False) -> Json:
    """The card as JSON. ``raw`` adds each answer's bytes in hexadecimal."""
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
        "arrays": known.arrays if known.told else None,
        "volumes": listed,
        "drives": seen,
        "answers": [_answer(answer, raw=raw) for answer in found.answers],
    }


def _info(answer: Answer | None) -> dict[str, Any]:
    """CTRL_GET_INFO; nothing where it told nothing, or only zeros."""
    if answer is None or not answer.told or not any(answer.data):
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


def _properties(found: Gathered, info: dict[str, Any], where: str, problems: Problems) -> Json | None:
    """What can be set on the card: as CTRL_GET_PROPERTIES tells it, and CTRL_GET_INFO, which holds the same."""
    own = found.properties
    asked = CTRL_PROPS.decode(own.data) if own is not None and own.told and any(own.data) else {}
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
    """What the card counts must be in its list: an empty list of a card that counts something hides it."""
    if counted is not None and listed is not None and counted != len(listed):
        problems.unread(where, f"The card counts {counted} {what} and lists {len(listed)}.")


def _failures(found: Gathered, where: str, problems: Problems) -> None:
    """Questions without an answer, one sentence for each way of not answering."""
    silent = [answer for answer in found.answers if answer.ok and not answer.told and _reads(answer)]
    if silent:
        needed = any(answer.question.command.name in _NEEDED for answer in silent)
        told = f"The firmware said ok to {_names(silent)} and told nothing: what only they tell is not known."
        (problems.unread if needed else problems.note)(where, told)
    for answer in found.answers:
        name, size = name_of(answer), answer.question.length
        if answer.fault is not None:
            problems.unread(
                where,
                f"{name} could not be asked ({answer.fault}); nothing was asked after it.",
                "Look at `dmesg`; the card may be gone, resetting or hung.",
            )
        elif answer.told and len(answer.data) < size and answer.question.command.name not in _LISTS:
            problems.unread(where, f"{name} told {len(answer.data)} of {size} bytes: what lies beyond is not known.")
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
