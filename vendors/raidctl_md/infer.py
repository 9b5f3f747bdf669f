"""An array's state, and the member being rebuilt, from /proc/mdstat."""

from __future__ import annotations

from typing import cast

from raidctl.model import Operation, Progress
from raidctl_md.draft import ArrayDraft
from raidctl_md.state import judge
from raidctl_md.vocabulary import LEVELS, enough


def conclude_state(draft: ArrayDraft) -> None:
    """Conclude the state of an array from all its lines."""
    text = str(draft.get("status_text") or "")
    if draft.details.get("map"):
        counts = "/".join(str(draft.values.get(name, (0, "?"))[1]) for name in ("drives_expected", "drives_active"))
        draft.override("status_text", f"{text} [{counts}] [{draft.details['map']}]")
    if text.startswith("inactive"):
        draft.override("status", "inactive")
        if "raid_level" not in draft.values:
            # the sum of what the devices have, not the size of the array
            draft.override("raw_bytes", None if draft.is_container else draft.get("size_bytes"))
            draft.discard("size_bytes")
        if not draft.is_container:
            _forget_roles(draft)
        return
    progress = draft.get("progress")
    work: Operation | None = progress.operation if isinstance(progress, Progress) else None
    if _uncounted(draft):
        _doubt_members(draft)
        return
    status = judge(
        lost=text.startswith("broken") or _lost_data(draft),
        inactive=False,
        degraded=_degraded(draft),
        work=work,
        waiting="waiting" in draft.details,
    )
    draft.override("status", status)
    if draft.busy and work is None:
        _unknown_work(draft)
    if "unknown word" in draft.details and draft.get("status") == "ok":
        draft.override("status", "unknown")
    _compare_counts(draft)
    _find_rebuilding(draft, work)


def _unknown_work(draft: ArrayDraft) -> None:
    """Doubt the state if the progress bar is of an unknown operation."""
    message = "/proc/mdstat shows a running operation that is unknown, or its line is incomplete."
    draft.add_problem("warning", "unread", message, f"Check the array: `mdadm --detail {draft.node}`.")
    if draft.get("status") == "ok":
        draft.override("status", "unknown")


def _compare_counts(draft: ArrayDraft) -> None:
    """Doubt the state if ``[3/3]`` and ``[UU]`` do not agree. The kernel prints both from one moment."""
    want, have, slots = draft.get("drives_expected"), draft.get("drives_active"), draft.details.get("map", "")
    if isinstance(want, int) and isinstance(have, int) and (have > want or (slots and len(slots) != want)):
        message = f"The counts in /proc/mdstat do not agree: [{want}/{have}] and [{slots}]."
        draft.add_problem("warning", "unread", message, f"Check the array: `mdadm --detail {draft.node}`.")
        if draft.get("status") == "ok":
            draft.override("status", "unknown")


def _uncounted(draft: ArrayDraft) -> bool:
    """Whether both ``[2/1]`` and ``[_U]`` are missing. The kernel prints them for each redundant level, also multipath.

    Then a line is missing, or the output is cut off. A ``broken`` array is lost nevertheless.
    """
    counted = "drives_active" in draft.values or "map" in draft.details
    bare = draft.get("raid_level") in ("raid0", "linear") or draft.details.get("level") == "faulty"
    broken = str(draft.get("status_text") or "").startswith("broken")
    return not (counted or bare or broken or draft.is_container)


def _doubt_members(draft: ArrayDraft) -> None:
    """Make the members unknown if the number of working ones is unknown."""
    message = "Working members unknown: the line with the count is missing or incomplete in /proc/mdstat."
    remedy = f"Check the array: `mdadm --detail {draft.node}`, or read /proc/mdstat completely."
    draft.add_problem("warning", "unread", message, remedy)
    for member in draft.members.values():
        if member.get("role") == "member" and member.get("status") == "ok":
            member.override("status", "unknown")


def _forget_roles(draft: ArrayDraft) -> None:
    """Make roles unknown. Of an array that is not started, only the superblocks list the spares."""
    for name in draft.undecided:
        draft.members[name].forget("role")


def _degraded(draft: ArrayDraft) -> bool:
    want, have = draft.get("drives_expected"), draft.get("drives_active")
    counted = isinstance(want, int) and isinstance(have, int) and have < want
    return counted or "_" in draft.details.get("map", "")


def _lost_data(draft: ArrayDraft) -> bool:
    level = draft.get("raid_level")
    if level in ("raid0", "linear"):
        return any(member.get("role") == "failed" for member in draft.members.values())
    slots = [letter != "_" for letter in draft.details.get("map", "")]
    want, have = draft.get("drives_expected"), draft.get("drives_active")
    if isinstance(want, int) and isinstance(have, int) and slots.count(True) < have <= want < 5000:
        # a reshape: the slots that it adds are not in sync yet, and nothing is missing
        slots = [True] * have + [False] * (want - have)
    if level in LEVELS.values():
        layout = draft.get("layout")
        return enough(level, str(layout) if layout else None, slots) is False
    return bool(slots) and not any(slots)


def _find_rebuilding(draft: ArrayDraft, work: Operation | None) -> None:
    """Mark the member that is being rebuilt. In mdstat it looks like one in sync.

    A device keeps the number of its slot from when the array was made; later ones get the next number free. Working
    slots that belong to no early device must belong to the later ones. If there are fewer of them than later devices,
    it is unknown which devices are in sync.
    """
    slots = draft.details.get("map", "")
    if len(draft.members) <= slots.count("U") + slots.count("E"):
        return
    plain = [m for m in draft.members.values() if m.get("role") == "member" and m.number is not None]
    missing = len(plain) - slots.count("U") - slots.count("E")
    if not slots or work not in ("recovery", "resync", None) or missing <= 0:
        return
    if "_" not in slots:
        # no member is missing: the one being filled replaces one that still works
        for member in plain if work else ():
            if "replacement" in cast("tuple[str, ...]", member.get("flags") or ()):
                member.override("status", "warning")
        return
    early = [m for m in plain if int(m.number or 0) < len(slots)]
    empty = [m for m in early if slots[int(m.number or 0)] == "_"]
    late = [m for m in plain if int(m.number or 0) >= len(slots)]
    if len(empty) + len(late) == missing:
        for member in empty + late:
            member.override("status", "warning")
            member.conclude("status_text", "rebuilding" if work else "not in sync")
    else:
        for member in empty + late:
            member.override("status", "unknown")
            member.discard("status_text")
