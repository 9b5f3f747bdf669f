"""Contradictory outputs about one controller: cache settings, and states by different tools. Pure.

The problem is reported, and the worse value is used: the one with which more data could be lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from raidctl.model import Severity
from raidctl.text import capitalised
from raidctl.vendor.draft import Complaint, ControllerDraft, Draft, is_bad

_SETTINGS = {
    "write_current": "active write policy", "cache.write_active": "active write policy",
    "write_configured": "configured write policy", "cache.write_policy": "configured write policy",
    "cache.drive_write_cache": "drives' write caches", "drive_write_cache": "drives' write caches",
    "write_cache": "write cache", "cache.no_battery_write_cache": "no-battery write cache",
    "cache.preserved_data": "preserved cache",
}  # fmt: skip
"""Fields of evidence, with their names in messages."""
_HELD = ("cache.caching", "cache.setting", "cache.mode")
"""Fields of packages that are shown under another name."""
_STATES = ("status", "state")
"""Fields for the state of an object, and, of a family whose status follows from several lines, for what was printed."""
_WORDS = {
    **dict.fromkeys(_STATES, ("state", "status_text")),
    "cache.status": ("state of the cache", "cache.status_text"),
    "battery.state": ("state of the battery", "battery.status"),
}
"""Fields for states, with their names in messages and the fields for the tool's words."""
_FAULTS = ("replace", "foreign")
"""Fields that report a fault if true."""
_LISTS = {"arrays": "array", "volumes": "volume", "drives": "drive", "batteries": "battery"}
_RISK = {
    "write-through": 0, "writethrough": 0, "off": 0, "disabled": 0, "protect": 0, "default": 1, "balance": 1,
    "protected-write-back": 1, "write-back": 2, "writeback": 2, "on": 2, "enabled": 2, "unprotected-write-back": 3,
    "perform": 3,
}  # fmt: skip
"""How much written data may be lost with a setting."""
_REMEDY = "Run the tools again, and give only the latest outputs of one machine."
_COMPARE = "Run both tools, and compare what they list."


def settle_settings(controller: ControllerDraft[Any]) -> None:
    """Report cache settings that differ between outputs, and keep the worst."""
    for draft in controller.all():
        found: dict[str, dict[object, None]] = {}
        for _, name, value in draft.evidence:
            if name in _SETTINGS:
                found.setdefault(name, {})[value] = None
        for name, values in found.items():
            if len(values) > 1:
                _settle(draft, name, _SETTINGS[name], [*values])


def settle_tools(shown: ControllerDraft[Any], other: ControllerDraft[Any]) -> None:
    """Report differences between two tools about one controller, keeping the worse values.

    What only the other tool reports as a fault is reported, also of objects that the shown tool does not list.
    """
    for complaint in _unlisted(shown, other):
        shown.complain(complaint)
    for mine, its in _pairs(shown, other):
        for complaint in its.complaints:
            if complaint.kind in ("state", "unread"):
                mine.complain(complaint)
        _settle_settings(mine, its)
        _settle_faults(mine, its)
        for name in _WORDS:
            _settle_state(mine, its, name)


def _settle_settings(mine: Draft, its: Draft) -> None:
    for name, label in _SETTINGS.items():
        values = [mine.get(name), its.get(name)]
        if None not in values and values[0] != values[1]:
            _settle(mine, name, label, values)
        elif values == [None, True]:  # preserved cache, or a write cache without a battery
            mine.override(name, values[1])


def _settle_faults(mine: Draft, its: Draft) -> None:
    """Take over errors, and what one tool alone reports as a fault."""
    for name, (_, value) in its.values.items():
        if name.startswith("errors.") and isinstance(value, int) and value > (mine.get(name) or 0):
            mine.override(name, value)  # errors are only added up
        if name in _FAULTS and value is True and mine.get(name) is not True:
            mine.override(name, value)
        if name == "firmware_update" and value and not mine.get(name):
            mine.override(name, value)


def _settle_state(mine: Draft, its: Draft, name: str) -> None:
    """Show the worse of two states. One that is printed but not recognised is worse than a good one.

    A state that one tool does not print contradicts nothing.
    """
    label, words = _WORDS[name]
    values = [mine.get(name), its.get(name)]
    doubtful = (
        values[1] == "unknown" and its.get(words) and not is_bad(values[0]) and values[0] not in (None, "unknown")
    )
    worse = is_bad(values[1]) and not is_bad(values[0]) and (values[0] is not None or name != "state")
    if worse or doubtful:
        # a family whose status follows from its state has both
        both = {other for other in _STATES if mine.get(other) is not None} if name in _STATES else set()
        for field in {name, *both}:
            mine.override(field, values[1])
        mine.override(words, its.get(words))
    if doubtful or (is_bad(values[0]) != is_bad(values[1]) and not {None, "unknown"} & {*values}):
        _report(mine, label, values)


def put_setting(draft: Draft, name: str, label: str, value: object) -> None:
    """Set a setting whose line is evidence for a detail only. Of two different values, the worse is used."""
    known = draft.get(name)
    draft.put(None, name, value)
    if known is not None and _word(known) != _word(value):
        _settle(draft, name, label, [known, value])


def _pairs(shown: ControllerDraft[Any], other: ControllerDraft[Any]) -> Iterator[tuple[Draft, Draft]]:
    """The controller, and the objects that both list."""
    yield shown, other
    for name in _LISTS:
        mine, its = _lists(shown, other, name)
        yield from ((mine[key], its[key]) for key in mine if key in its)


def _lists(shown: ControllerDraft[Any], other: ControllerDraft[Any], name: str) -> tuple[dict[str, Draft], ...]:
    """The objects of one kind as each tool lists them, the same under the same name."""
    mine, its = getattr(shown, name), getattr(other, name)
    if name == "batteries" and len(mine) == len(its) == 1:  # a list has no name for its kind
        return {"": next(iter(mine.values()))}, {"": next(iter(its.values()))}
    return mine, its


def _unlisted(shown: ControllerDraft[Any], other: ControllerDraft[Any]) -> Iterator[Complaint]:
    """What is wrong with objects that only the other tool lists, or that have no name to find them by."""
    for name, word in _LISTS.items():
        mine, its = _lists(shown, other, name)
        for draft in (its[key] for key in its if key not in mine):
            label = f"{word} {draft.name}".strip()
            title = capitalised(label)
            state = next((one for one in map(draft.get, _STATES) if is_bad(one)), None)
            severity: Severity = "error"
            if state is not None and (name, state) != ("batteries", "missing"):  # not every controller has one
                text = draft.get("status_text") or state
                severity = "warning" if state == "warning" else "error"
            elif draft.get("replace") is True:
                text, severity = "to be replaced", "warning"
            else:
                text = ""
            if text:
                yield Complaint(severity, "state", f"Only one of the tools reports {label} as bad: {text}.", _COMPARE)
            for one in draft.complaints:
                if one.kind != "note":
                    yield Complaint(one.severity, one.kind, f"{title}: {one.message}", one.remedy)


def _settle(draft: Draft, name: str, label: str, values: Sequence[object]) -> None:
    held = next((one for one in (name, *_HELD) if draft.get(one) in values), None)
    if held is not None:
        draft.override(held, max(values, key=lambda value: _RISK.get(_word(value), 1)))
    _report(draft, label, values)


def _word(value: object) -> str:
    """``write-back`` of ``write_back`` and ``Write Back``, ``on`` of True."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value).lower().replace("_", "-").replace(" ", "-")


def _report(draft: Draft, label: str, values: Sequence[object]) -> None:
    draft.complain(disagreement(label, values))


def disagreement(label: str, values: Sequence[object]) -> Complaint:
    """The problem that outputs report different values, of which the worse one is shown."""
    words = " or ".join(map(_word, values))
    return Complaint(
        "error", "unread", f"The outputs disagree on the {label}: {words}. The worse value is shown.", _REMEDY
    )
