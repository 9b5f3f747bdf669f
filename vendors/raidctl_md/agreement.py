"""Contradictory descriptions of one array, from two machines or two moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from raidctl.vendor.statuses import health_of_volume
from raidctl_md.draft import ArrayDraft, Source

LIVE = (Source.DETAIL, Source.MDSTAT, Source.SYSFS)
"""Sources that show the state of a running array."""
_MAX_DESCRIPTIONS = 100
"""The number of different descriptions of an array that are compared. An output with more contradicts itself."""
_FIELDS = {"unique_id": "UUID", "raid_level": "RAID level", "size_bytes": "size", "status": "state"}


def differences(drafts: Sequence[ArrayDraft]) -> list[str]:
    """What two outputs report differently about an array. Progress and a running check do not count.

    mdstat and mdadm are read one after the other: between them, only fields that do not change meanwhile count.
    """
    found: dict[str, None] = {}
    different: dict[tuple[object, ...], ArrayDraft] = {}
    for draft in drafts:
        if draft.source in LIVE:
            different.setdefault(_compared(draft), draft)
    if len(different) > _MAX_DESCRIPTIONS:
        found[f"more than {_MAX_DESCRIPTIONS} descriptions"] = None
    for one, two in combinations([*different.values()][:_MAX_DESCRIPTIONS], 2):
        if (one.parent and two.is_container) or (two.parent and one.is_container):
            found["a container or an array in one"] = None
        same = one.source is two.source
        if same or Source.SYSFS not in (one.source, two.source):
            found.update(dict.fromkeys(_contradictions(one, two) if same else _different_arrays(one, two)))
    return list(found)


def _compared(draft: ArrayDraft) -> tuple[object, ...]:
    """Everything about a draft that is compared."""
    fields = (draft.get(name) for name in _FIELDS)
    return draft.source, bool(draft.parent), draft.is_container, *fields, frozenset(draft.members)


def _contradictions(one: ArrayDraft, two: ArrayDraft) -> Iterator[str]:
    for name, label in _FIELDS.items():
        values = [one.get(name), two.get(name)]
        same = _badness(one) == _badness(two) if name == "status" else values[0] == values[1]
        if None not in values and not same:
            yield f"{label} {values[0]} or {values[1]}"
    if one.members and two.members and {*one.members} != {*two.members}:
        yield "other members"


def _different_arrays(one: ArrayDraft, two: ArrayDraft) -> Iterator[str]:
    """What shows that mdstat and mdadm describe different arrays. Names of mappings are not compared."""
    levels = {one.get("raid_level"), two.get("raid_level")} - {None, "unknown"}
    if len(levels) > 1:
        yield f"RAID level {' or '.join(sorted(levels))}"
    plain = not any(name.startswith("dm-") or "/" in name for draft in (one, two) for name in draft.members)
    if plain and one.members and two.members and not one.members.keys() & two.members.keys():
        yield "other members"


def _badness(draft: ArrayDraft) -> int:
    return {"critical": 0, "warning": 1}.get(health_of_volume(draft.get("status")), 2)


def worst_first(drafts: Sequence[ArrayDraft]) -> list[ArrayDraft]:
    """Put running arrays in a bad state first, then those that lack more members.

    Of two outputs that disagree, the bad one counts.
    """
    return sorted(drafts, key=lambda draft: (draft.source not in LIVE, _badness(draft), -_missing(draft)))


def _missing(draft: ArrayDraft) -> int:
    want, have = draft.get("drives_expected"), draft.get("drives_active")
    return want - have if isinstance(want, int) and isinstance(have, int) else 0
