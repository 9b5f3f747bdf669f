"""Members that md would not use, because their superblocks are out of date."""

from __future__ import annotations

from raidctl_md.agreement import LIVE
from raidctl_md.group import Group
from raidctl_md.superblock import SuperblockDraft, remove_slots

_TOLERATED = 1
"""How far the event count of a member may lag: a crash can come between two writes ("kicking non-fresh" in md.c)."""


def mark_out_of_date(group: Group) -> None:
    """Take members with old superblocks out of an array that is not running.

    While it runs, the kernel lists its members, and the superblocks are read one after the other.
    """
    if any(draft.source in LIVE and draft.get("status") != "inactive" for draft in group.drafts):
        return
    ranked = [draft for draft in group.ranked() if isinstance(draft, SuperblockDraft) and draft.events]
    newest: dict[str, SuperblockDraft] = {}
    for draft in ranked:
        if draft.me.get("role") == "member":
            newest.setdefault(draft.me.details.get("Device UUID") or draft.me.name, draft)
    latest = max((draft.events for draft in newest.values()), default=0)
    old = [draft for draft in newest.values() if draft.events + _TOLERATED < latest]
    for draft in old:
        _mark(draft, latest)
    if old:
        current = (draft.me for draft in newest.values() if draft not in old)
        held = {me.slot for me in current if "replacement" not in (me.get("flags") or ())}
        remove_slots(ranked[0], {draft.me.slot for draft in old} - held)


def _mark(draft: SuperblockDraft, latest: int) -> None:
    me = draft.me
    me.override("status", "warning")
    me.override("status_text", f"out of date ({me.get('status_text')})")
    draft.report(
        f"The member is out of date: its event count is {draft.events}, the array's is {latest}; md does not use it.",
        f"Start the array without it, then add it again: `mdadm /dev/mdX --re-add {me.node or me.name}`.",
    )
