"""Where several outputs describe one array differently: of two machines, or of two moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from raidctl_md.draft import ArrayDraft, Source
from raidctl_md.state import VOLUME_HEALTH

LIVE = (Source.DETAIL, Source.MDSTAT, Source.SYSFS)
"""Sources that show the state of a running array."""
_FIELDS = {"unique_id": "UUID", "raid_level": "RAID level", "size_bytes": "size", "status": "state"}


def differences(drafts: Sequence[ArrayDraft]) -> list[str]:
    """What two outputs of one command report differently of an array; progress and a running check aside."""
    found: dict[str, None] = {}
    for one, two in combinations([draft for draft in drafts if draft.source in LIVE], 2):
        if one.source is two.source:
            found.update(dict.fromkeys(_between(one, two)))
    return list(found)


def _between(one: ArrayDraft, two: ArrayDraft) -> Iterator[str]:
    for name, label in _FIELDS.items():
        values = [one.get(name), two.get(name)]
        same = _badness(one) == _badness(two) if name == "status" else values[0] == values[1]
        if None not in values and not same:
            yield f"{label} {values[0]} or {values[1]}"
    if one.members and two.members and {*one.members} != {*two.members}:
        yield "other members"


def _badness(draft: ArrayDraft) -> int:
    status = draft.get("status")
    return {"critical": 0, "warning": 1}.get(VOLUME_HEALTH[status], 2) if status else 2


def worst_first(drafts: Sequence[ArrayDraft]) -> list[ArrayDraft]:
    """Put running arrays in a bad state first: of two outputs that disagree, the bad one counts."""
    return sorted(drafts, key=lambda draft: (draft.source not in LIVE, _badness(draft)))
