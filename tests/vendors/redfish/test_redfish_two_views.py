"""Objects that the machine's own tool lists and the BMC does not. Those that the BMC must see are reported."""

from __future__ import annotations

from typing import Any

import pytest

from raidctl.health.views import compared
from raidctl.request import Answer, Failure, Get, GetAnswer, Request
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import vendors
from tests.audit.rule_examples import changed
from tests.support.machines import recording, replayed
from tests.vendors.redfish.damaged_machines import resources, seen_with

_MACHINE = "redfish-beside-hpssacli"


def _without(collection: str, *ends: str) -> dict[str, Any]:
    """A collection of the machine without some of its members."""
    found = {}
    for path, value in resources(_MACHINE).items():
        if path.rstrip("/").endswith(collection):
            kept = [one for one in value["Members"] if not str(one).rstrip("/'}").endswith(ends)]
            assert len(kept) < len(value["Members"])
            found[path] = {**value, "Members": kept, "Members@odata.count": len(kept)}
    assert found
    return found


def _not_listed(seen: Survey) -> list[tuple[str, str]]:
    return [(one.where, one.severity) for one in seen.inventory.problems if "does not list" in one.message]


def test_no_problem_if_tool_and_bmc_agree() -> None:
    """There is no problem if both list every volume and its drives."""
    assert _not_listed(replayed(_MACHINE)) == []


def test_two_words_that_agree_are_not_called_the_same() -> None:
    """A volume under a check is ok to the BMC."""
    checked = changed(replayed(_MACHINE).inventory, "smartarray:0/v1", {"status": "checking"})
    [found] = [one for one in compared(checked) if one.item.id == "smartarray:0/v1"]
    assert (found.outcome, found.cause) == (
        "pass", "the BMC reports ok, which agrees with checking of the machine's own tool"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("collection", "end", "where"),
    [("DiskDrives", "DiskDrives/2", "smartarray:0/1I:1:3"), ("LogicalDrives", "LogicalDrives/2", "smartarray:0/v2")],
)
def test_a_drive_of_a_volume_and_a_volume_that_the_bmc_lacks_are_reported(
    collection: str, end: str, where: str
) -> None:
    """A BMC that lists other drives of a controller must see all. The same holds for volumes."""
    assert (where, "info") in _not_listed(seen_with(_MACHINE, _without(collection, end)))


def test_a_drive_in_no_volume_may_be_one_that_the_bmc_does_not_see() -> None:
    """A drive in no volume is not reported. BMCs often miss drives that are passed through."""
    assert _not_listed(seen_with(_MACHINE, _without("DiskDrives", "DiskDrives/7"))) == []


def test_what_could_not_be_read_is_not_missing() -> None:
    """A drive is unread, not missing, if the BMC returns an error."""
    path = next(path for path in resources(_MACHINE) if path.rstrip("/").endswith("DiskDrives/2"))
    answers: dict[Request[Any], Answer] = {Get(path): GetAnswer(503, trouble=Failure.FAILED, detail="answered 503")}
    found, problems = vendors()
    seen = survey(ReplayRunner(recording(_MACHINE)).with_answers(answers), found, problems=problems)
    assert any(path.rstrip("/") in one.where and one.kind == "unread" for one in seen.inventory.problems)
    assert _not_listed(seen) == []


def test_a_bmc_that_lists_no_volume_of_a_controller_may_not_see_volumes() -> None:
    """No volume is reported as missing if the BMC lists none."""
    seen = seen_with(_MACHINE, _without("LogicalDrives", "LogicalDrives/1", "LogicalDrives/2"))
    assert [where for where, _ in _not_listed(seen) if "/v" in where] == []
