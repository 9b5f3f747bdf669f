"""Contradictions between the views of a BMC and the machine's own tools. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from raidctl.model import Inventory, SecondView, Volume
from raidctl.select import Item, items

_FINE, _HURT, _GONE = "fine", "hurt", "gone"
_STATES = {
    "volume": {
        **dict.fromkeys(("ok", "initializing", "expanding", "migrating", "checking"), _FINE),
        **dict.fromkeys(("degraded", "rebuilding"), _HURT),
        **dict.fromkeys(("failed", "offline", "inactive"), _GONE),
    },
    "drive": {"ok": _FINE, "warning": _HURT, "critical": _GONE},
    "controller": {"ok": _FINE, "warning": _HURT, "critical": _HURT},
    "battery": {
        **dict.fromkeys(("ok", "charging", "learning"), _FINE),
        **dict.fromkeys(("degraded", "failed", "missing"), _HURT),
    },
}
"""Comparable classes of statuses. For controllers and batteries, vendors' words for "bad" differ too much."""


class Compared(Struct, frozen=True):
    """An object in both views."""

    item: Item
    view: SecondView
    outcome: Literal["pass", "fail", "unknown"]
    cause: str
    """A few words: ``the BMC reports ok, the machine's own tool degraded``."""
    about_status: bool = True


def compared(inventory: Inventory) -> Iterator[Compared]:
    """Compare each object that the BMC lists as well."""
    known = {item.id: item for controller in inventory.controllers for item in items(controller)}
    for view in inventory.second_views:
        if view.object_id in known:
            yield _compared(known[view.object_id], view)


def _compared(item: Item, view: SecondView) -> Compared:
    if view.listed is False:
        return Compared(item, view, "fail", f"only the BMC lists {view.seen_as} ({_words(view)})")
    if view.listed is None:
        return Compared(item, view, "unknown", f"whether the machine's own tools list {view.seen_as} is unknown")
    states = _STATES[view.kind]
    ours, theirs = states.get(item.status), states.get(view.status)
    if ours is not None and theirs is not None and ours != theirs:
        cause = f"the BMC reports {_words(view)}, the machine's own tool {item.status}"
        return Compared(item, view, "fail", cause)
    policy = _policies(item, view)
    if policy:
        return Compared(item, view, "fail", policy, about_status=False)
    if ours is None or theirs is None:
        who = "the BMC" if theirs is None else "the machine's own tool"
        return Compared(item, view, "unknown", f"{who} does not report a status")
    if view.status == item.status:
        return Compared(item, view, "pass", f"both report {item.status}")
    return Compared(
        item, view, "pass", f"the BMC reports {view.status}, which agrees with {item.status} of the machine's own tool"
    )


def _policies(item: Item, view: SecondView) -> str:
    """The difference between the write policies. Empty if there is none, or one is unknown."""
    cache = item.cache if isinstance(item, Volume) else None
    if cache is None:
        return ""
    for name, ours, theirs in (
        ("active", cache.write_active, view.write_active),
        ("configured", cache.write_policy, view.write_policy),
    ):
        if ours is not None and theirs is not None and ours != theirs:
            words = theirs.replace("_", "-")
            return (
                f"the BMC reports {words} as the {name} write policy, the machine's own tool {ours.replace('_', '-')}"
            )
    return ""


def _words(view: SecondView) -> str:
    return view.status if not view.status_text else f"{view.status} ({view.status_text})"
