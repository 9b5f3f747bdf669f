"""What could not be read is neither lost nor found."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.drift.diff import diff
from raidctl.drift.ignore import ignored
from raidctl.errors import UsageError
from raidctl.model import Inventory
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from tests.drift.states import CARD, GEN9, card, changed, item, state
from tests.support.machines import recording, replayed

Doc = dict[str, Any]


def _problem(kind: str, where: str) -> Doc:
    return {"severity": "error", "where": where, "message": "It did not answer.", "remedy": None, "kind": kind}


def _card_unread(kind: str, where: str) -> Any:
    def change(document: Doc) -> None:
        one = card(document)
        one.update(batteries=[], arrays=[], volumes=[], drives=[], cache=None, firmware=None, status="unknown")
        document["problems"] = [each for each in document["problems"] if not each["where"].startswith(CARD)]
        document["problems"].append(_problem(kind, where))

    return change


@pytest.mark.parametrize("where", [CARD, "0000:03:00.0", "hpssacli ctrl all show config detail"])
@pytest.mark.parametrize(
    ("kind", "verdict"), [("unread", "cannot_tell"), ("no_tool", "access_missing"), ("no_right", "access_missing")]
)
def test_a_card_that_did_not_answer_this_time_has_lost_nothing(where: str, kind: str, verdict: str) -> None:
    """All that is missing may come from that, and is listed with it."""
    drift = diff(state(), changed(state(), _card_unread(kind, where)))
    assert drift.changes == ()
    assert drift.verdict == verdict
    [unread] = drift.unread
    assert (unread.side, unread.where) == ("after", where)
    assert len(unread.hidden) > 10


def _without(machine: str, program: str) -> Inventory:
    """What raidctl makes of a recorded machine on which a program could not be run."""
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
    """The kernel, or another tool, tells of it in the tool's place: with other ids, sizes and words."""
    states = (replayed(machine).inventory, _without(machine, program))
    drift = diff(*(states[::-1] if back else states))
    assert [(one.kind, one.id, one.field) for one in drift.changes] == []
    assert drift.verdict in ("cannot_tell", "access_missing")
    assert sum(len(one.hidden) for one in drift.unread) > 0


def test_a_card_that_answers_again_has_gained_nothing() -> None:
    """The earlier state did not know."""
    drift = diff(changed(state(), _card_unread("unread", CARD)), state())
    assert drift.changes == ()
    assert drift.verdict == "cannot_tell"
    assert drift.unread[0].side == "before"


def test_a_card_without_its_tool_is_the_same_card() -> None:
    """The kernel alone tells of it then, under another id, with its disk as a bare volume."""

    def bare(document: Doc) -> None:
        _card_unread("no_tool", "0000:03:00.0")(document)
        card(document).update(id="pci:0000:03:00.0", serial=None, mode=None, told_by=None, status="unknown")

    drift = diff(state(), changed(state(), bare))
    assert [(one.kind, one.field) for one in drift.changes] == []
    assert drift.verdict == "access_missing"


def test_a_real_change_beside_what_was_not_read_is_drift() -> None:
    """The battery's own word was read."""

    def change(document: Doc) -> None:
        item(document, f"{CARD}/battery0")["status"] = "failed"
        item(document, f"{CARD}/1I:1:1")["serial"] = None
        document["problems"].append(_problem("unread", f"{CARD}/1I:1:1"))

    drift = diff(state(), changed(state(), change))
    assert [(one.object, one.field) for one in drift.changes] == [("battery", "status")]
    assert [(one.id, one.field) for one in drift.unread[0].hidden] == [(f"{CARD}/1I:1:1", "serial")]


def test_a_loss_elsewhere_is_a_loss() -> None:
    """One drive that could not be read explains nothing of another."""

    def change(document: Doc) -> None:
        card(document)["drives"].remove(item(document, f"{CARD}/1I:1:2"))
        document["problems"].append(_problem("unread", f"{CARD}/1I:1:1"))

    drift = diff(state(), changed(state(), change))
    assert [(one.kind, one.id) for one in drift.changes] == [("removed", f"{CARD}/1I:1:2")]


def test_a_value_that_vanishes_without_a_reason_is_a_change() -> None:
    """Nothing says that it could not be read."""
    drift = diff(state(), changed(state(), lambda d: card(d).update(firmware=None)))
    assert [(one.field, one.new) for one in drift.changes] == [("firmware", None)]
    assert "is not told any more" in drift.changes[0].message


def test_what_was_unread_both_times_is_told_and_no_difference() -> None:
    """There is nothing to compare it with."""
    both = changed(state(), _card_unread("unread", CARD))
    drift = diff(both, both)
    assert drift.verdict == "same"
    assert [one.side for one in drift.unread] == ["both"]


@pytest.mark.parametrize(
    ("word", "left"),
    [
        ("firmware", {"status", "write_active"}), ("drive.firmware", {"status", "write_active"}),
        ("controller.firmware", {"firmware", "status", "write_active"}), ("cache", {"firmware", "status"}),
        ("volume.cache.write_active", {"firmware", "status"}), ("*.write_active", {"firmware", "status"}),
        (f"{CARD}/1I:1:1", {"status", "write_active"}), (CARD, set()),
        (f"{CARD}/battery0.status", {"firmware", "write_active"}),
        ("battery", {"firmware", "write_active"}), ("details*", {"firmware", "status", "write_active"}),
    ],
)  # fmt: skip
def test_a_user_leaves_out_what_he_does_not_want_to_hear(word: str, left: set[str]) -> None:
    """By field, kind of object, glob, id, or both."""

    def change(document: Doc) -> None:
        item(document, f"{CARD}/1I:1:1")["firmware"] = "HPDX"
        item(document, f"{CARD}/battery0")["status"] = "failed"
        item(document, f"{CARD}/v1")["cache"]["write_active"] = "write_through"

    after = changed(state(), change)
    drift = diff(state(), after, ignored=ignored([word], state(), after))
    assert {(one.field or "").rpartition(".")[2] for one in drift.changes} == left
    assert drift.ignored == 3 - len(left)


def test_a_word_that_means_nothing_is_refused_with_the_nearest() -> None:
    """A typo would leave out nothing, and nobody would know."""
    with pytest.raises(UsageError, match='did you mean "firmware"'):
        ignored(["firmwear"], state(), state())
