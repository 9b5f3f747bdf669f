"""Unread objects are neither lost nor found."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidctl.drift.canonical import ordered
from raidctl.drift.diff import diff
from raidctl.drift.ignore import ignored
from raidctl.errors import UsageError
from raidctl.model import Inventory, Problem
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import survey
from raidctl.vendor.limits import MANY_LINK_ERRORS
from raidctl.vendor.registry import vendors
from tests.drift.states import CONTROLLER, GEN9, MACHINES, changed, controller, item, state
from tests.support.machines import recording, replayed

Doc = dict[str, Any]


def _problem(kind: str, where: str) -> Doc:
    return {"severity": "error", "where": where, "message": "It did not answer.", "remedy": None, "kind": kind}


def _controller_unread(kind: str, where: str) -> Any:
    def change(document: Doc) -> None:
        one = controller(document)
        one.update(batteries=[], arrays=[], volumes=[], drives=[], cache=None, firmware=None, status="unknown")
        document["problems"] = [each for each in document["problems"] if not each["where"].startswith(CONTROLLER)]
        document["problems"].append(_problem(kind, where))

    return change


@pytest.mark.parametrize("where", [CONTROLLER, "0000:03:00.0", "hpssacli ctrl all show config detail"])
@pytest.mark.parametrize(
    ("kind", "verdict"), [("unread", "cannot_tell"), ("no_tool", "access_missing"), ("no_right", "access_missing")]
)
def test_a_controller_that_did_not_reply_this_time_has_lost_nothing(where: str, kind: str, verdict: str) -> None:
    """Everything missing may be due to that, and is listed with it."""
    drift = diff(state(), changed(state(), _controller_unread(kind, where)))
    assert drift.changes == ()
    assert drift.verdict == verdict
    [unread] = drift.unread
    assert (unread.side, unread.where) == ("after", where)
    assert len(unread.hidden) > 10


def _without(machine: str, program: str) -> Inventory:
    """The survey of a recorded machine without one tool. The tool could not be run."""
    kept = recording(machine)
    answers = [one for one in kept.manifest.answers if not (one.run and program in one.run[0])]
    assert len(answers) < len(kept.manifest.answers)
    less = replace(kept, manifest=replace(kept.manifest, answers=answers))
    found, problems = vendors()
    when = kept.manifest.collected_at
    return survey(ReplayRunner(less), found, source=machine, collected_at=when, problems=problems).inventory


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(
    ("machine", "program"),
    [
        (GEN9, "hpssacli"), ("megaraid-9271-learning", "storcli"), ("host-lvm-on-md", "mdadm"),
        ("drives-ahci", "smartctl"), ("smartarray-two-tools", "ssacli"), ("adaptec-smartraid-mixed", "arcconf"),
    ],
)  # fmt: skip
def test_a_recorded_machine_whose_tool_fails_has_lost_nothing(machine: str, program: str, back: bool) -> None:
    """If a tool fails, nothing is lost that another source reports.

    The source is the kernel or another tool, with other ids, sizes and words.
    """
    states = (replayed(machine).inventory, _without(machine, program))
    drift = diff(*(states[::-1] if back else states))
    assert [(one.kind, one.id, one.field) for one in drift.changes if not (back and one.severity != "info")] == []
    assert drift.changes or drift.verdict in ("cannot_tell", "access_missing")
    assert sum(len(one.hidden) for one in drift.unread) > 0


_BAD: dict[str, frozenset[Any]] = {
    "batteries": frozenset({"failed", "missing", "degraded"}), "arrays": frozenset({"warning", "critical"}),
    "volumes": frozenset({"degraded", "failed", "offline", "inactive", "rebuilding"}),
    "drives": frozenset({"warning", "critical"}),
}  # fmt: skip


def _has_errors(item: Doc) -> bool:
    """Whether a drive has errors. A few of its link are not a fault."""
    counts = item.get("errors") or {}
    few = {"link": MANY_LINK_ERRORS, "other": MANY_LINK_ERRORS}
    return any(count and count >= few.get(name, 1) for name, count in counts.items())


def _bad_objects(document: Doc) -> set[str]:
    """The ids of what a snapshot shows as bad."""
    found = {one["where"] for one in document["problems"] if one["severity"] != "info" and one["kind"] == "state"}
    for one in document["controllers"]:
        if one["status"] in ("warning", "critical") or one["foreign"] or (one["cache"] or {}).get("preserved_data"):
            found.add(one["id"])
        for kind, words in _BAD.items():
            found |= {
                each["id"] for each in one[kind]
                if each["status"] in words or each.get("replace") or _has_errors(each)
            }  # fmt: skip
    return found


def _unknown(document: Doc, what: str) -> None:
    """Nothing was read of the controllers, of the objects on them, or of their states."""
    document["problems"] = [_problem("unread", "the kernel")]
    for one in document["controllers"]:
        one.update(cache=None, status="unknown", foreign=None)
        for kind in _BAD:
            one[kind] = [] if what == "objects" else one[kind]
            for each in one[kind]:
                each["status"] = "unknown"
                each.update((name, value) for name, value in (("replace", None), ("errors", {})) if name in each)
    if what == "controllers":
        document["controllers"] = []


@pytest.mark.parametrize("what", ["states", "objects", "controllers"])
@pytest.mark.parametrize("machine", MACHINES)
def test_whatever_is_bad_is_reported_although_it_was_not_read_before(machine: str, what: str) -> None:
    """A state that is bad now is a change, one that is good now is not."""
    after = state(machine)
    drift = diff(changed(after, lambda document: _unknown(document, what)), after)
    assert _bad_objects(ordered(after)) <= {one.id for one in drift.changes}
    assert [one.message for one in drift.changes if one.severity == "info"] == []


def test_a_controller_without_its_tool_is_the_same_controller() -> None:
    """A controller without its tool is the same controller.

    The kernel alone then reports it, under another id, with its device as a bare volume.
    """

    def bare(document: Doc) -> None:
        _controller_unread("no_tool", "0000:03:00.0")(document)
        controller(document).update(id="pci:0000:03:00.0", serial=None, mode=None, told_by=None, status="unknown")

    drift = diff(state(), changed(state(), bare))
    assert [(one.kind, one.field) for one in drift.changes] == []
    assert drift.verdict == "access_missing"


def test_a_real_change_beside_what_was_not_read_is_drift() -> None:
    """The battery's status was read."""

    def change(document: Doc) -> None:
        item(document, f"{CONTROLLER}/battery0")["status"] = "failed"
        item(document, f"{CONTROLLER}/1I:1:1")["serial"] = None
        document["problems"].append(_problem("unread", f"{CONTROLLER}/1I:1:1"))

    drift = diff(state(), changed(state(), change))
    assert [(one.object, one.field) for one in drift.changes] == [("battery", "status")]
    assert [(one.id, one.field) for one in drift.unread[0].hidden] == [(f"{CONTROLLER}/1I:1:1", "serial")]


@pytest.mark.parametrize(("name", "status"), [("v1", "degraded"), ("1I:1:1", "warning"), ("battery0", "failed")])
def test_what_another_tool_reports_as_bad_is_drift(name: str, status: str) -> None:
    """The usual tool timed out, and another one reports a degraded volume: the difference is not only the wording."""

    def change(document: Doc) -> None:
        controller(document).update(told_by="hpacucli", firmware="6.6")
        item(document, f"{CONTROLLER}/{name}")["status"] = status
        document["problems"].append(_problem("unread", "hpssacli ctrl all show config detail"))

    drift = diff(state(), changed(state(), change))
    assert (drift.verdict, [(one.id, one.field) for one in drift.changes]) == (
        "drift", [(f"{CONTROLLER}/{name}", "status")]
    )  # fmt: skip
    assert {one.field for one in drift.unread[0].hidden} == {"told_by", "firmware"}


def test_a_loss_elsewhere_is_a_loss() -> None:
    """One unread drive does not explain the loss of another."""

    def change(document: Doc) -> None:
        controller(document)["drives"].remove(item(document, f"{CONTROLLER}/1I:1:2"))
        document["problems"].append(_problem("unread", f"{CONTROLLER}/1I:1:1"))

    drift = diff(state(), changed(state(), change))
    assert [(one.kind, one.id) for one in drift.changes] == [("removed", f"{CONTROLLER}/1I:1:2")]


@pytest.mark.parametrize(("controller_id", "kind"), [("md", "volumes"), ("drives:0000:00:17.0", "drives")])
def test_a_command_that_failed_on_one_drive_hides_no_lost_volume_or_drive(controller_id: str, kind: str) -> None:
    """A dying drive keeps hdparm waiting, and an array or another drive is gone."""
    before = replayed("md-healthy").inventory
    owner = next(one for one in before.controllers if one.id == controller_id)
    *kept, lost = getattr(owner, kind)
    rest = tuple(replace(one, **{kind: tuple(kept)}) if one is owner else one for one in before.controllers)
    silent = Problem("error", "hdparm -I -W /dev/sda", "hdparm returned no data.", kind="unread")
    drift = diff(before, replace(before, controllers=rest, problems=(*before.problems, silent)))
    assert [(one.kind, one.id) for one in drift.changes] == [("removed", lost.id)]


_MISSING = Problem("warning", "drives", "smartctl is not installed.", kind="no_tool")
_ELSEWHERE = (
    _MISSING, Problem("error", "smartctl -n standby -x /dev/sdq", "It did not answer.", kind="unread"),
    Problem("error", "/proc/mdstat", "It cannot be read.", kind="unread"),
    Problem("warning", "drives:XYZ", "It did not answer.", kind="unread"),
    Problem("error", "perccli64 /c1/eall/sall show all nolog J", "It died.", kind="unread"),
)  # fmt: skip


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("problem", _ELSEWHERE, ids=lambda one: one.where)
def test_a_loss_behind_a_controller_whose_tool_replied_is_a_loss(problem: Problem, plain: bool) -> None:
    """Whatever could not be read elsewhere explains no lost battery, volume, array or drive of this controller."""
    before, other = state("megaraid-h730p-predictive"), state("drives-ahci").controllers if plain else ()
    before = replace(before, controllers=(*before.controllers, *other))
    own = before.controllers[0]
    for kind in ("batteries", "volumes", "arrays", "drives"):
        for lost in getattr(own, kind):
            rest = replace(own, **{kind: tuple(one for one in getattr(own, kind) if one is not lost)})
            after = replace(before, controllers=(rest, *other), problems=(*before.problems, problem))
            for one, two, word in ((before, after, "removed"), (after, before, "added")):
                drift = diff(one, two)
                assert (word, lost.id) in {(each.kind, each.id) for each in drift.changes}, (kind, lost.id)


def test_a_lost_controller_is_not_due_to_a_tool_for_details_of_drives() -> None:
    """Without smartctl, a missing controller or plain drive is reported as lost, as the kernel would list it."""
    for machine in ("megaraid-h730p-predictive", "drives-ahci"):
        before = state(machine)
        kept = before.controllers[1:]
        drift = diff(before, replace(before, controllers=kept, problems=(*before.problems, _MISSING)))
        lost = before.controllers[0]
        assert ("removed", lost.id) in {(each.kind, each.id) for each in drift.changes}
        rest = (replace(lost, drives=lost.drives[1:]), *kept)
        drift = diff(before, replace(before, controllers=rest, problems=(*before.problems, _MISSING)))
        assert ("removed", lost.drives[0].id) in {(each.kind, each.id) for each in drift.changes}


@pytest.mark.parametrize("plain", [True, False])
def test_without_a_tool_for_details_the_facts_of_other_drives_are_not_excused(plain: bool) -> None:
    """The tool of a RAID controller reports its drives, and smartctl those of plain ones and software arrays."""

    def forget(document: Doc) -> None:
        for one in document["controllers"]:
            one["drives"][0].update(write_cache=None, status="unknown")
        document["problems"].append(msgspec.to_builtins(_MISSING))

    other = state("drives-ahci").controllers if plain else ()
    before = replace(state(), controllers=(*state().controllers, *other))
    drift = diff(before, changed(before, forget))
    assert {one.controller for one in drift.changes} == {CONTROLLER}
    assert {one.controller for one in drift.unread[-1].hidden} == {one.id for one in other}


def test_a_value_that_vanishes_without_a_reason_is_a_change() -> None:
    """No problem reports that it could not be read."""
    drift = diff(state(), changed(state(), lambda d: controller(d).update(firmware=None)))
    assert [(one.field, one.new) for one in drift.changes] == [("firmware", None)]
    assert "→ not reported" in drift.changes[0].message


def test_another_reason_for_which_nothing_was_read_is_no_drift() -> None:
    """A tool that did not respond before, and may not be run now: nothing is lost or found."""
    before = changed(state(), _controller_unread("unread", "0000:03:00.0"))
    drift = diff(before, changed(state(), _controller_unread("no_right", "0000:03:00.0")))
    assert drift.changes == ()
    assert {unread.kind for unread in drift.unread} == {"unread", "no_right"}


def test_what_was_unread_both_times_is_reported_and_no_difference() -> None:
    """There is no value to compare it with."""
    both = changed(state(), _controller_unread("unread", CONTROLLER))
    drift = diff(both, both)
    assert drift.verdict == "same"
    assert [one.side for one in drift.unread] == ["both"]


@pytest.mark.parametrize(
    ("word", "left"),
    [
        ("firmware", {"status", "write_active"}), ("drive.firmware", {"status", "write_active"}),
        ("controller.firmware", {"firmware", "status", "write_active"}), ("cache", {"firmware", "status"}),
        ("volume.cache.write_active", {"firmware", "status"}), ("*.write_active", {"firmware", "status"}),
        (f"{CONTROLLER}/1I:1:1", {"status", "write_active"}), (CONTROLLER, set()),
        (f"{CONTROLLER}/battery0.status", {"firmware", "write_active"}),
        ("battery", {"firmware", "write_active"}), ("details*", {"firmware", "status", "write_active"}),
    ],
)  # fmt: skip
def test_changes_can_be_ignored(word: str, left: set[str]) -> None:
    """Changes can be ignored by field, kind of object, glob or id. A combination is possible."""

    def change(document: Doc) -> None:
        item(document, f"{CONTROLLER}/1I:1:1")["firmware"] = "HPDX"
        item(document, f"{CONTROLLER}/battery0")["status"] = "failed"
        item(document, f"{CONTROLLER}/v1")["cache"]["write_active"] = "write_through"

    after = changed(state(), change)
    drift = diff(state(), after, ignored=ignored([word], state(), after))
    assert {(one.field or "").rpartition(".")[2] for one in drift.changes} == left
    assert drift.ignored == 3 - len(left)


def test_a_word_that_means_nothing_is_refused_with_the_nearest() -> None:
    """A typing error would ignore nothing without notice."""
    with pytest.raises(UsageError, match='did you mean "firmware"'):
        ignored(["firmwear"], state(), state())
