"""A change with the values of both snapshots. They are shown even if one of them alone would be noise."""

from __future__ import annotations

from typing import Any

import pytest

from raidctl.drift.canonical import canonical
from raidctl.drift.diff import diff
from tests.drift.states import changed, item, only, state

_LABELLED = [
    ("lab-md", "md:md13", "array_state", "clean", "read-auto"),
    ("md-journal-check", "md:md126", "array_state", "inactive", "active"),
    ("megaraid-h730p-predictive", "megaraid:0/battery0", "Current", "0 mA", "N/A"),
    ("md-container-inactive", "drives:HBF3T117", "Seek_Error_Rate", "unreadable", "0"),
]


@pytest.mark.parametrize(("machine", "name", "label", "old", "new"), _LABELLED)
def test_a_fact_measured_in_only_one_snapshot_is_shown_with_both_values(
    machine: str, name: str, label: str, old: str, new: str
) -> None:
    """A measured value is not called unknown. The other snapshot has a word in its place."""

    def to(value: str) -> Any:
        return changed(state(machine), lambda document: item(document, name)["details"].update({label: value}))

    change = only(diff(to(old), to(new)))
    assert (change.field, change.old, change.new) == (f"details[{label}]", old, new)
    assert "not reported" not in change.message


@pytest.mark.parametrize("label", ["sync_completed", "reshape_position"])
def test_what_counts_only_while_a_check_runs_is_noise_when_it_begins(label: str) -> None:
    """The operation shows that something is running. A counter that no longer reads "none" adds nothing."""
    machine = "md-healthy"

    def to(value: str) -> Any:
        return changed(state(machine), lambda document: item(document, "md:md1")["details"].update({label: value}))

    assert diff(to("none"), to("512 / 7814")).verdict == "same"
    assert canonical(to("none")).document == canonical(to("512 / 7814")).document


def test_a_new_part_is_shown_with_everything_in_it() -> None:
    """An operation that has just begun is shown with its percentage. While it runs, the percentage is noise."""
    before = changed(state(), lambda document: item(document, "smartarray:0/v1").update(progress=None))
    progress = {"operation": "rebuild", "percent": 12.5, "remaining_seconds": None, "rate_bytes": None}
    progress |= {"state": None, "reason": None}
    after = changed(before, lambda document: item(document, "smartarray:0/v1").update(progress=progress))
    change = only(diff(before, after))
    assert (change.field, change.old, change.new) == ("progress", None, progress)


def test_a_problem_with_another_message_is_one_change() -> None:
    """With the same place, kind and severity, only the message has changed. Nothing went and nothing came."""

    def to(message: str) -> Any:
        problem = {"where": "smartarray:0", "kind": "note", "severity": "warning", "message": message, "remedy": None}
        return changed(state(), lambda document: document["problems"].append(problem))

    change = only(diff(to("It was asked and said nothing."), to("Another tool was asked.")))
    assert (change.kind, change.object, change.field) == ("changed", "problem", "message")
    assert (change.old, change.new) == ("It was asked and said nothing.", "Another tool was asked.")
    assert change.severity == "warning"


_WHY = "The cache's capacitor is not ready: Failed (Replace Batteries/Capacitors) since the last start of the machine"


def _not_in_force(why: str | None) -> Any:
    """A volume whose write-back has fallen to write-through for this reason."""

    def fall(document: dict[str, Any]) -> None:
        active = "write_through" if why else "write_back"
        item(document, "smartarray:0/v2")["cache"].update(write_active=active, why_not_in_force=why)

    return changed(state(), fall)


def test_a_long_reason_is_cut_without_a_full_stop_behind_it() -> None:
    """A sentence that is cut does not end with a full stop."""
    messages = [one.message for one in diff(_not_in_force(None), _not_in_force(_WHY)).changes]
    assert any("back to write-through: The cache's capacitor" in one for one in messages)
    assert not [one for one in messages if "…." in one]


def test_a_reason_comes_and_goes_in_a_sentence() -> None:
    """The sentence has no name of a field. A value that is active again is not called unknown."""
    for before, after, words in (
        (None, "Learn cycle", "The configured write policy of the volume smartarray:0/v2 is not active: Learn cycle."),
        (
            "Learn cycle",
            None,
            "The configured write policy of the volume smartarray:0/v2 is active again (was not: Learn cycle).",
        ),
    ):
        drift = diff(_not_in_force(before), _not_in_force(after))
        [change] = [one for one in drift.changes if one.field == "cache.why_not_in_force"]
        assert change.message == words
