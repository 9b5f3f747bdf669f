"""Contradictions between the views of a BMC and the machine's own tools. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from raidctl.model import Controller, Inventory, SecondView, Volume
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
    "cache": {"ok": _FINE, "warning": _HURT, "critical": _HURT},
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

    @property
    def status(self) -> str | None:
        """What the machine's own tool reports. None: it is not known which of its objects this is."""
        return own_status(self.item, self.view)


def own_status(item: Item, view: SecondView) -> str | None:
    """The status of the shown object that a view is of. None: there is none, or it is not found."""
    if view.listed is not True:
        return None
    if view.kind != "cache":
        return item.status
    return item.cache.status if isinstance(item, Controller) and item.cache else None


def compared(inventory: Inventory) -> Iterator[Compared]:
    """Compare each object that the BMC lists as well."""
    if not inventory.second_views:
        return
    known = {item.id: item for controller in inventory.controllers for item in items(controller)}
    left = _not_joined(inventory)
    for view in inventory.second_views:
        if view.object_id in known:
            item = known[view.object_id]
            yield _compared(item, view) if view.listed is not None else _not_found(item, view, left)


def _not_joined(inventory: Inventory) -> Counter[tuple[str, str, str | None]]:
    """The number of objects of a controller, kind and class of statuses that are joined with none of the BMC's."""
    joined = {view.object_id for view in inventory.second_views if view.listed}
    return Counter(
        (controller.id, kind, _STATES[kind].get(item.status))
        for controller in inventory.controllers
        for kind, found in (
            ("volume", controller.volumes),
            ("drive", controller.drives),
            ("battery", controller.batteries),
        )
        for item in found
        if item.id not in joined
    )


def _not_found(item: Item, view: SecondView, left: Counter[tuple[str, str, str | None]]) -> Compared:
    """An object of the BMC without a name to find it by. ``left``: those that it may be; the ones used are removed."""
    state = _STATES[view.kind].get(view.status)
    if view.kind == "battery" and (state == _FINE or view.status == "missing"):  # not every controller has one
        return Compared(item, view, "pass", f"the BMC reports {view.status} for {view.seen_as}")
    if state in (_HURT, _GONE):
        if left[item.id, view.kind, state] == 0:
            cause = (
                f"the BMC reports {_words(view)} for {view.seen_as}, and the machine's own tools no such {view.kind}"
            )
            return Compared(item, view, "fail", cause)
        left[item.id, view.kind, state] -= 1
    return Compared(item, view, "unknown", f"whether the machine's own tools list {view.seen_as} is unknown")


def _compared(item: Item, view: SecondView) -> Compared:
    if view.listed is False:
        return Compared(item, view, "fail", f"only the BMC lists {view.seen_as} ({_words(view)})")
    states, status, what = _STATES[view.kind], own_status(item, view), " for the cache" if view.kind == "cache" else ""
    ours, theirs = states.get(status or ""), states.get(view.status)
    if ours is None and theirs in (_HURT, _GONE):
        cause = f"the BMC reports {_words(view)}{what}, the machine's own tool does not report a status"
        return Compared(item, view, "fail", cause)
    if ours is not None and theirs is not None and ours != theirs:
        cause = f"the BMC reports {_words(view)}{what}, the machine's own tool {status}"
        return Compared(item, view, "fail", cause)
    policy = _policies(item, view)
    if policy:
        return Compared(item, view, "fail", policy, about_status=False)
    if ours is None or theirs is None:
        who = "the BMC" if theirs is None else "the machine's own tool"
        return Compared(item, view, "unknown", f"{who} does not report a status{what}")
    if view.status == status:
        return Compared(item, view, "pass", f"both report {status}{what}")
    return Compared(
        item, view, "pass", f"the BMC reports {view.status}{what}, which agrees with {status} of the machine's own tool"
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
