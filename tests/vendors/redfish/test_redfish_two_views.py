"""Objects that the machine's own tool lists and the BMC does not. Those that the BMC must see are reported."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.health.bmc_contradictions import compared
from raidctl.request import Answer, Failure, Get, GetAnswer, Request, Run, RunAnswer
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


@pytest.mark.parametrize(("words", "shown"), [(None, "failed"), ("Critical", "failed (Critical)")])
def test_a_contradiction_quotes_the_words_of_the_bmc(words: str | None, shown: str) -> None:
    """A contradiction quotes the BMC's own words, if it has any."""
    found = replayed(_MACHINE).inventory
    views = [replace(one, status="failed", status_text=words) for one in found.second_views if one.kind == "volume"]
    causes = [one.cause for one in compared(replace(found, second_views=tuple(views))) if one.outcome == "fail"]
    assert causes
    assert all(cause.startswith(f"the BMC reports {shown}, the machine's own tool ") for cause in causes), causes


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


_SMART = "/redfish/v1/Systems/1/SmartStorage/ArrayControllers/0"
_PACKS = ("/redfish/v1/Chassis/1", "Oem", "Hp", "SmartStorageBattery")
_HEALTH = ("Status", "Health")
_SERIALS, _IDS = r"(?m)^ {6,}(Serial Number|WWID):.*\n", r"(?m)^.*Unique Identifier.*\n"
_BATTERY = r"(?m)^.*(Battery/Capacitor|Cache Backup Power|Capacitor Temp).*\n"


def _alarms(*changes: tuple[Any, ...], without: str = "", bad: str = "") -> list[tuple[str, str]]:
    """What is found on a machine that works, by rule and object.

    Args:
        changes: Each the path of a resource, the keys of a value in it, and the value.
        without: Lines that the machine's own tool does not print.
        bad: The name of a drive that this tool reports as failed.
    """
    answers: dict[Request[Any], Answer] = {}
    found = {}
    for path, value in resources(_MACHINE).items():
        text = re.sub(r'"(Rebuilding|PredictiveFail\w*)"', '"None"', json.dumps(value).replace('"Warning"', '"OK"'))
        found[path] = json.loads(text)
    for path, *keys, last, value in changes:
        inner = found[path]
        for key in keys:
            inner = inner[key]
        inner[last] = value
    answers |= {Get(path): GetAnswer(200, data=json.dumps(value).encode()) for path, value in found.items()}
    for request, answer in recording(_MACHINE).answers():
        if isinstance(request, Run) and isinstance(answer, RunAnswer):
            text = re.sub("Predictive Failure|Recovering, [0-9.]+% complete|Rebuilding", "OK", answer.text)
            text = re.sub(without, "", text) if without else text
            text = re.sub(rf"({bad}\n(?:.*\n){{3}} +Status: )OK", r"\1Failed", text) if bad else text
            answers[request] = RunAnswer(code=0, out=text.encode())
    known, problems = vendors()
    seen = survey(ReplayRunner(recording(_MACHINE)).with_answers(answers), known, problems=problems)
    result = diagnose(seen.inventory, rules())
    return [(one.rule, one.where) for one in (*result.findings, *result.unknown) if one.severity != "info"]


def test_no_alarm_if_both_report_a_machine_that_works() -> None:
    """What the BMC lists under another name, or without a health, is not an alarm if nothing is reported as bad."""
    drives = [path for path in resources(_MACHINE) if re.search(r"DiskDrives/\d+$", path)]
    assert drives
    second = resources(_MACHINE)[_PACKS[0]]["Oem"]["Hp"]["SmartStorageBattery"] * 2
    absent = {"Health": "Critical", "State": "Absent"}
    silent = _alarms(without=_BATTERY) + _alarms((*_PACKS, 0, "Status", absent), without=_BATTERY)
    assert _alarms() == []
    assert _alarms((*_PACKS, second)) == []
    assert _alarms(without=_SERIALS) == _alarms(without=_IDS) == []
    assert _alarms(*((path, *_HEALTH, None) for path in drives)) == []
    assert not any(rule == "bmc_disagrees" for rule, _ in silent)


def test_a_failure_that_the_bmc_reports_counts_beside_a_status_that_is_not_reported() -> None:
    """The BMC predicts the failure of a drive whose status the machine's own tool does not print."""
    unknown = changed(replayed(_MACHINE).inventory, "smartarray:0/1I:1:2", {"status": "unknown"})
    assert [one.outcome for one in compared(unknown) if one.item.id == "smartarray:0/1I:1:2"] == ["fail"]


@pytest.mark.parametrize(
    ("changes", "without", "wanted"),
    [
        ([(_SMART, "CacheModuleStatus", "Health", "Critical")], "", ("bmc_disagrees", "smartarray:0")),
        ([(_SMART, "Status", "HealthRollup", "Critical")], "", ("reported_trouble", "smartarray:0")),
        ([(*_PACKS, 0, *_HEALTH, "Critical")], "", ("bmc_disagrees", "smartarray:0/battery0")),
        ([(*_PACKS, 0, *_HEALTH, "Critical")], _BATTERY, ("bmc_disagrees", "smartarray:0")),
        ([(*_PACKS, 0, *_HEALTH, "Wobbling")], "", ("not_read", "smartarray:0/battery0")),
        ([(*_PACKS, 0, *_HEALTH, "Wobbling")], _BATTERY, ("not_read", "smartarray:0")),
        ([(f"{_SMART}/LogicalDrives/2", *_HEALTH, "Critical")], _IDS, ("bmc_disagrees", "smartarray:0")),
        ([(f"{_SMART}/LogicalDrives/2", *_HEALTH, "Wobbling")], _IDS, ("not_read", "smartarray:0")),
        ([(f"{_SMART}/LogicalDrives/2", *_HEALTH, "Wobbling")], "", ("not_read", "smartarray:0/v2")),
        ([(f"{_SMART}/DiskDrives/3", *_HEALTH, "Critical")], _SERIALS, ("bmc_disagrees", "smartarray:0")),
        ([(f"{_SMART}/DiskDrives/3", *_HEALTH, "Wobbling")], _SERIALS, ("not_read", "smartarray:0")),
    ],
)
def test_what_only_the_bmc_reports_as_bad_is_found(
    changes: list[tuple[Any, ...]], without: str, wanted: tuple[str, str]
) -> None:
    """A failure or an unknown word of the BMC counts beside a tool that reports ok, with and without common names."""
    assert wanted in _alarms(*changes, without=without)


def test_one_of_two_batteries_of_the_bmc_that_failed_is_found() -> None:
    """The machine's own tool lists one battery, as ok. Which of the BMC's two it is, is not known."""
    [pack] = resources(_MACHINE)[_PACKS[0]]["Oem"]["Hp"]["SmartStorageBattery"]
    failed = {**pack, "SerialNumber": "6EZBN0FB21X0CE", "Status": {"Health": "Critical", "State": "Enabled"}}
    assert _alarms((*_PACKS, [pack, failed])) == [("bmc_disagrees", "smartarray:0")]


def test_a_failed_drive_without_a_common_name_is_one_alarm() -> None:
    """If both report a failed drive, and no serial number, they do not disagree."""
    changes = (f"{_SMART}/DiskDrives/3", *_HEALTH, "Critical")
    found = _alarms(changes, without=_SERIALS, bad="physicaldrive 1I:1:4")
    assert any(rule == "drive_failed" for rule, _ in found)
    assert not any(rule == "bmc_disagrees" for rule, _ in found)
