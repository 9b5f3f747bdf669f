"""Conclusions from all lines of an array in /proc/mdstat: its state, and the member being rebuilt."""

from __future__ import annotations

from typing import cast

from raidctl.model import Operation, Progress
from raidctl_md.parts import Complaint, Part
from raidctl_md.state import judge
from raidctl_md.vocabulary import LEVELS, NO_RAID, enough


def settle(part: Part) -> None:
    """Conclude the state of an array from all its lines."""
    values = part.values
    text = str(values.get("status_text", ""))
    if part.details.get("map"):
        values["status_text"] = (
            f"{text} [{values.get('drives_expected', '?')}/{values.get('drives_active', '?')}] [{part.details['map']}]"
        )
    if text.startswith("inactive"):
        values["status"] = "inactive"
        if "raid_level" not in values:
            # the sum of what the devices have, not the size of the array
            size = values.pop("size_bytes", None)
            values["raw_bytes"] = None if part.is_container else size
        if not part.is_container:
            _forget_roles(part)
        return
    progress = values.get("progress")
    work: Operation | None = progress.operation if isinstance(progress, Progress) else None
    if _uncounted(part):
        _doubt_members(part)
        return
    values["status"] = judge(
        lost=text.startswith("broken") or _lost(part),
        dormant=False,
        degraded=_degraded(part),
        work=work,
        waiting="waiting" in part.details,
    )
    if part.busy and work is None:
        _unknown_work(part)
    _find_rebuilding(part, work)


def _unknown_work(part: Part) -> None:
    """Doubt the state of an array with a progress bar for an unknown operation."""
    message = "/proc/mdstat shows a running operation that is unknown, or its line is incomplete."
    part.complaints.append(Complaint("warning", "unread", message, f"Check the array: `mdadm --detail {part.node}`."))
    if part.values["status"] == "ok":
        part.values["status"] = "unknown"


def _uncounted(part: Part) -> bool:
    """Whether both ``[2/1]`` and ``[_U]`` are missing, which the kernel prints for each redundant level.

    Then a line is missing, or the output is cut off. A ``broken`` array is lost nevertheless.
    """
    counted = "drives_active" in part.values or "map" in part.details
    bare = part.values.get("raid_level") in ("raid0", "linear") or part.details.get("level") in NO_RAID
    broken = str(part.values.get("status_text", "")).startswith("broken")
    return not (counted or bare or broken or part.is_container)


def _doubt_members(part: Part) -> None:
    """Make the members unknown if the number of working ones is unknown."""
    message = "Working members unknown: the line with the count is missing or incomplete in /proc/mdstat."
    remedy = f"Check the array: `mdadm --detail {part.node}`, or read /proc/mdstat completely."
    part.complaints.append(Complaint("warning", "unread", message, remedy))
    for member in part.members.values():
        if member.values.get("role") == "member" and member.values.get("status") == "ok":
            member.values["status"] = "unknown"


def _forget_roles(part: Part) -> None:
    """Make roles unknown: of an array that is not started, only the superblocks know the spares."""
    for key in part.undecided:
        part.members[key].values.pop("role", None)
    part.claims = [c for c in part.claims if c.field != "role" or c.member not in part.undecided]


def _degraded(part: Part) -> bool:
    want, have = part.values.get("drives_expected"), part.values.get("drives_active")
    counted = isinstance(want, int) and isinstance(have, int) and have < want
    return counted or "_" in part.details.get("map", "")


def _lost(part: Part) -> bool:
    level = part.values.get("raid_level")
    if level in ("raid0", "linear"):
        return any(member.values.get("role") == "failed" for member in part.members.values())
    slots = [letter != "_" for letter in part.details.get("map", "")]
    want, have = part.values.get("drives_expected"), part.values.get("drives_active")
    if isinstance(want, int) and isinstance(have, int) and slots.count(True) < have <= want < 5000:
        # a reshape: the slots that it adds are not in sync yet, and nothing is missing
        slots = [True] * have + [False] * (want - have)
    if level in LEVELS.values():
        layout = part.values.get("layout")
        return enough(level, str(layout) if layout else None, slots) is False  # type: ignore[arg-type]  # level is one of the table's values
    return bool(slots) and not any(slots)


def _find_rebuilding(part: Part, work: Operation | None) -> None:
    """Mark the member that is being rebuilt, which mdstat shows like one in sync.

    A device keeps the number of its slot from when the array was made; later ones get the next number free. The slots
    that work and belong to no early device must then belong to the later ones: when there are fewer of them than
    later devices, the ones in sync are unknown.
    """
    slots = part.details.get("map", "")
    plain = [m for m in part.members.values() if m.values.get("role") == "member" and m.number is not None]
    missing = len(plain) - slots.count("U") - slots.count("E")
    if not slots or work not in ("recovery", "resync", None) or missing <= 0:
        return
    if "_" not in slots:
        # nothing is missing: the member being filled replaces one that still works
        for member in plain if work else ():
            if "replacement" in cast("tuple[str, ...]", member.values.get("flags", ())):
                member.values["status"] = "warning"
        return
    early = [m for m in plain if int(m.number or 0) < len(slots)]
    empty = [m for m in early if slots[int(m.number or 0)] == "_"]
    late = [m for m in plain if int(m.number or 0) >= len(slots)]
    if len(empty) + len(late) == missing:
        for member in empty + late:
            member.values["status"] = "warning"
            member.values.setdefault("status_text", "rebuilding" if work else "not in sync")
    else:
        for member in empty + late:
            member.values["status"] = "unknown"
            member.values.pop("status_text", None)
