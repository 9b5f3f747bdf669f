"""One judgment of a machine.

There is no false OK, every command has the same verdict, and severity is by what is left.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec import structs

from raidctl.audit.builtin import health_rules, rules
from raidctl.audit.diagnosis import around, causes, diagnose, doubts
from raidctl.cli import cli
from raidctl.health.judge import RANKS, TABLE, judge
from raidctl.health.unknown_states import doubt
from raidctl.model import (
    UNREAD_KINDS,
    BlockLayer,
    Controller,
    Drive,
    Errors,
    Inventory,
    Mount,
    Problem,
    ProblemKind,
    Progress,
)
from raidctl.output.console import Display
from raidctl.output.hosts import look
from raidctl.output.metrics import families
from raidctl.output.metrics_table import INVENTORY
from raidctl.output.nagios import Status, of_diagnosis
from raidctl.output.show import contents, screen
from raidctl.output.trouble import troubles
from raidctl.select import items
from raidctl.watch.live_facts import facts_of
from tests.audit.rule_examples import changed
from tests.support.conclusions import read_text
from tests.support.machines import FIXTURES, MACHINES, replayed

DEMOS = ("3154", "6805", "nvme", "sas", "workstation", "journal", "9271", "9660", "h730", "perc5i", "gen10", "p400",
         "p440")  # fmt: skip
BAD = {
    "failed", "offline", "inactive", "degraded", "rebuilding", "critical", "warning",
}  # fmt: skip
LSI, VOLUME, DRIVE, SPARE = "megaraid-9660-storcli2", "megaraid:0/v2", "megaraid:0/310:2", "megaraid:0/310:4"
ARRAY = "megaraid:0/g1"
GOOD = replayed(LSI).inventory


def named(controller: Controller) -> Iterator[tuple[str, set[str]]]:
    """A controller's bad objects, each with the ids that may represent it."""
    for item in items(controller):
        status = getattr(item, "status", "ok")
        if item.id == controller.id and item.status in BAD:
            yield item.id, {one.id for one in items(controller)}
        elif status in BAD:
            near = {one.id for one in items(controller) if item.id in (one.id, getattr(one, "array", None))}
            yield item.id, near | {item.id}


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_bad_is_called_ok(machine: str) -> None:
    """Each object in a bad state has a finding that names it. So has each problem that hides or reports something."""
    inventory = replayed(machine).inventory
    found = diagnose(inventory, rules())
    places = {one.where for one in (*found.findings, *found.unknown)}
    for controller in inventory.controllers:
        for name, near in named(controller):
            assert near & places, name
    for problem in inventory.problems:
        if problem.kind in UNREAD_KINDS or problem.kind == "state":
            assert problem.where in places


@pytest.mark.parametrize("machine", MACHINES)
def test_show_finds_no_problems_only_where_diagnose_warns_of_none(machine: str) -> None:
    """No screen without problems or failures begins with less than diagnose finds."""
    shown = CliRunner().invoke(cli, ["--replay", str(FIXTURES / machine), "show"]).stdout.splitlines()
    judged = diagnose(replayed(machine).inventory, rules())
    warned = [one for one in causes(judged.findings) if one.severity != "info"]
    fine = any(line.startswith("No problems found") for line in shown)
    calm = any(line.startswith("No failures found") for line in shown)
    assert not fine or judged.verdict == "fine"
    noun = "finding" if any(one.severity == "critical" for one in warned) else "warning"
    brief = f"{len(warned)} {noun}" if warned else f"{len(doubts(judged))} unknown"
    assert not calm or any(line.startswith(brief) for line in shown)


@pytest.mark.parametrize(
    ("before", "after", "beginning"),
    [
        (r"(?im)^(percentage.used\s*:\s*)\d+", r"\g<1>143", "2 findings: "),
        (r"(?im)^(critical.warning\s*:\s*)0\w*", r"\g<1>0x08", "1 problem: "),
    ],
)
def test_the_top_of_show_counts_like_diagnose(before: str, after: str, beginning: str, tmp_path: Path) -> None:
    """A critical finding is not counted as a warning. A cause and its consequence are one problem."""
    place = tmp_path / "machine"
    shutil.copytree(FIXTURES / "drives-nvme", place)
    changed = 0
    for path in place.glob("*nvme0*"):
        text, number = re.subn(before, after, path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")
        changed += number
    assert changed
    shown = CliRunner().invoke(cli, ["--replay", str(place), "show"]).stdout
    assert any(line.startswith(beginning) for line in shown.splitlines()), shown


@pytest.mark.parametrize("machine", MACHINES)
def test_every_command_gives_the_same_verdict(machine: str) -> None:
    """Every command gives the same verdict.

    The conditions of a machine are the findings of the rules, the troubles of the screen, the metrics and nagios.
    """
    inventory = replayed(machine).inventory
    found = diagnose(inventory, rules())
    findings = {(one.rule, one.where): one for one in found.findings}
    conditions = judge(inventory)
    for one in conditions:
        finding = findings[one.key]
        assert (finding.severity, finding.rank) == (one.severity, one.rank)
        assert finding.because == (" ".join(one.under) if one.under else None)
    roots = [one for one in conditions if one.under is None]
    shown = "\n".join(trouble.where for trouble in troubles(inventory))
    assert [
        one.where for one in roots if one.severity != "info" and one.where not in shown and " more" not in shown
    ] == []
    counted = next(one for one in families(INVENTORY, inventory) if one.name == "raidctl_conditions")
    assert {sample.labels["severity"]: sample.value for sample in counted.samples} == {
        severity: sum(one.severity == severity for one in roots) for severity in ("info", "warning", "critical")
    }
    status = of_diagnosis(found)[1]
    if any(one.severity == "critical" for one in roots):
        assert status is Status.CRITICAL
    elif any(one.severity == "warning" for one in roots):
        assert status in (Status.WARNING, Status.CRITICAL)


@pytest.mark.parametrize("demo", DEMOS)
def test_a_demo_shows_what_diagnose_finds(demo: str, tmp_path: Path) -> None:
    """Every condition of a simulated machine has its severity in diagnose."""

    def run(*arguments: str) -> Any:
        line = ["--demo", demo, "--state-dir", str(tmp_path), *arguments]
        return json.loads(CliRunner().invoke(cli, line).stdout)

    inventory = msgspec.convert(run("show", "--json"), Inventory)
    findings = {(one["rule"], one["where"]): one["severity"] for one in run("diagnose", "--json")["findings"]}
    for one in judge(inventory):
        assert findings[one.key] == one.severity


@pytest.mark.parametrize("machine", MACHINES)
def test_the_worst_comes_first(machine: str) -> None:
    """By severity, then by rank. A finding that another one explains is never worse than that one."""
    found = diagnose(replayed(machine).inventory, rules()).findings
    weight = {"critical": 0, "warning": 1, "info": 2}
    order = [(weight[one.severity], one.rank) for one in found]
    assert order == sorted(order)
    for one in found:
        if one.because:
            root = next(other for other in found if f"{other.rule} {other.where}" == one.because)
            assert root.because is None
            assert weight[root.severity] <= weight[one.severity]
    assert [one for one in causes(found) if one.because] == []


def severity(inventory: Inventory, rule: str, where: str) -> str | None:
    """How bad a condition is; None where there is none."""
    return next((one.severity for one in judge(inventory) if one.key == (rule, where)), None)


@pytest.mark.parametrize(
    ("level", "gone", "state", "wanted"),
    [
        ("raid10", 1, "degraded", "critical"), ("raid6", 1, "degraded", "warning"),
        ("raid6", 2, "degraded", "critical"),
        ("raid10", 1, "rebuilding", "critical"), ("raid6", 1, "rebuilding", "warning"),
        ("raid0", 1, "failed", "critical"),
    ],
)  # fmt: skip
def test_severity_follows_from_what_is_left(level: str, gone: int, state: str, wanted: str) -> None:
    """No tolerance left, or data out of reach, is critical.

    Reduced tolerance is a warning; a drive follows its volume.
    """
    inventory = changed(GOOD, VOLUME, {"raid_level": level, "status": state})
    for number in range(gone):
        inventory = changed(inventory, f"megaraid:0/310:{number}", {"status": "critical"})
    rule = {"degraded": "volume_degraded", "rebuilding": "volume_rebuilding", "failed": "volume_failed"}[state]
    assert severity(inventory, rule, VOLUME) == wanted
    assert severity(inventory, "drive_failed", "megaraid:0/310:0") == wanted


@pytest.mark.parametrize(("gone", "cause"), [(0, "not_started"), (1, "not_started"), (2, "out_of_reach")])
def test_an_inactive_array_without_redundancy_is_critical(gone: int, cause: str) -> None:
    """An inactive RAID-6 is worse if too many of its drives failed."""
    inventory = changed(GOOD, VOLUME, {"raid_level": "raid6", "status": "inactive"})
    for number in range(gone):
        inventory = changed(inventory, f"megaraid:0/310:{number}", {"status": "critical"})
    [found] = [one for one in judge(inventory) if one.key == ("volume_failed", VOLUME)]
    assert (found.rank, found.severity) == TABLE[cause][:2]


@pytest.mark.parametrize(
    ("level", "status", "wanted"),
    [
        ("raid10", "ok", "critical"), ("raid6", "ok", "warning"), ("raid0", "ok", "critical"),
        ("raid5", "degraded", "critical"), ("raid6", "degraded", "critical"),
        ("raid6", "checking", "critical"), ("raid10", "checking", "critical"),
    ],
)  # fmt: skip
def test_a_predicted_failure_is_critical_where_it_takes_the_last(level: str, status: str, wanted: str) -> None:
    """A predicted failure is a warning only if redundancy remains after it."""
    progress = Progress(operation="resync") if status == "checking" else None
    inventory = changed(GOOD, VOLUME, {"raid_level": level, "status": status, "name": "x", "progress": progress})
    inventory = changed(inventory, DRIVE, {"status": "warning", "status_text": "Predictive Failure"})
    assert severity(inventory, "drive_expects_failure", DRIVE) == wanted


def test_unreadable_sectors_without_redundancy_are_lost_data() -> None:
    """Unreadable sectors on a used drive without redundancy are critical.

    Where a copy may exist, they are a warning.
    """
    plain = replayed("drives-ahci").inventory
    lost = next(one for one in judge(plain) if one.where == "drives:HBN1K9X5")
    assert (lost.severity, RANKS[lost.rank - 1]) == ("critical", "data lost or out of reach")
    pending = changed(GOOD, DRIVE, {"errors": structs.replace(GOOD.controllers[0].drives[0].errors, pending=3)})
    assert severity(pending, "drive_errors", DRIVE) == "warning"


@pytest.mark.parametrize(
    ("about", "wanted"),
    [
        ({"mounts": ()}, "critical"),
        ({"mounts": (Mount(point="/srv", device="/dev/sda", filesystem="btrfs"),)}, "warning"),
        ({"mounts": (Mount(point="/srv", device="/dev/sda", filesystem="ext4"),)}, "critical"),
        ({"layers": (BlockLayer(device="/dev/dm-0", name="vg-data", on=("/dev/sda", "/dev/sdb")),)}, "warning"),
        ({"layers": (BlockLayer(device="/dev/dm-0", name="vg-data", on=("/dev/sda",)),)}, "critical"),
    ],
)
def test_a_drive_whose_files_may_have_a_copy_elsewhere_is_no_lost_data(about: dict[str, Any], wanted: str) -> None:
    """Unreadable sectors are lost data only if nothing above the drive may have a second copy."""
    plain = replayed("drives-ahci").inventory
    drive = next(drive for controller in plain.controllers for drive in controller.drives if drive.errors.pending)
    drive = structs.replace(drive, mountpoints=("/srv",))
    assert severity(changed(plain, drive.id, {"mountpoints": ("/srv",), **about}), "drive_errors", drive.id) == wanted


def test_a_drive_that_is_rebuilt_without_its_volume_is_no_ok() -> None:
    """Unknown redundancy is not redundancy."""
    controller = GOOD.controllers[0]
    alone = structs.replace(GOOD, controllers=(structs.replace(controller, volumes=(), arrays=()),))
    inventory = changed(alone, DRIVE, {"status": "warning", "status_text": "Rbld", "array": None})
    assert severity(inventory, "volume_rebuilding", DRIVE) == "critical"


@pytest.mark.parametrize(("counter", "rule"), [("predictive", "drive_expects_failure"), ("media", "drive_errors")])
def test_a_drive_that_is_rebuilt_keeps_its_other_findings(counter: str, rule: str) -> None:
    """A list of drives has no volumes. The drive that is rebuilt has errors or predicts its failure, too."""
    controller = structs.replace(GOOD.controllers[0], volumes=(), arrays=())
    state = {"status": "warning", "status_text": "Rbld", "array": None, "errors": Errors(**{counter: 41})}
    inventory = changed(structs.replace(GOOD, controllers=(controller,)), DRIVE, state)
    assert severity(inventory, "volume_rebuilding", DRIVE) == "critical"
    assert severity(inventory, rule, DRIVE) == "warning"


def test_a_volume_without_a_state_is_no_ok() -> None:
    """No output has its state. Monitoring reports unknown."""
    inventory = changed(GOOD, VOLUME, {"status": "unknown", "status_text": None})
    found = diagnose(inventory, rules())
    assert [(one.rule, one.where) for one in found.unknown] == [("state_unknown", VOLUME)]
    assert of_diagnosis(found)[1] is Status.UNKNOWN


def test_a_member_without_a_state_is_no_ok_beside_members_that_have_one() -> None:
    """Its line is missing from the output. A tool that reports no member's state reports only that of the volume."""
    one = changed(GOOD, DRIVE, {"status": "unknown", "status_text": None})
    found = diagnose(one, rules())
    assert [(unknown.rule, unknown.where) for unknown in found.unknown] == [("state_unknown", DRIVE)]
    assert of_diagnosis(found)[1] is Status.UNKNOWN
    silent = GOOD
    for drive in GOOD.controllers[0].drives:
        silent = changed(silent, drive.id, {"status": "unknown", "status_text": None})
    assert diagnose(silent, rules()).unknown == ()


def test_a_free_drive_without_a_state_is_no_ok_beside_drives_that_have_one() -> None:
    """Its line is missing from the RAID tool's output; the kernel reports the state of no plain drive."""
    state = {"status": "unknown", "status_text": None, "array": None, "role": "unassigned"}
    controller = structs.replace(GOOD.controllers[0], volumes=(), arrays=())
    inventory = changed(structs.replace(GOOD, controllers=(controller,)), DRIVE, state)
    assert [(one.rule, one.where) for one in diagnose(inventory, rules()).unknown] == [("state_unknown", DRIVE)]
    plain = structs.replace(inventory, controllers=(structs.replace(inventory.controllers[0], mode="none"),))
    assert diagnose(plain, rules()).unknown == ()


def test_a_line_for_monitoring_names_an_unknown_state_once() -> None:
    """It qualifies the count of passed checks, unless an unknown finding is the reason already."""
    unknown = changed(GOOD, VOLUME, {"status": "unknown", "status_text": None})
    for inventory, times, expected in (
        (replayed("drives-virtio").inventory, 1, Status.OK),
        (replayed("mpt-hba-and-no-tool").inventory, 1, Status.UNKNOWN),
        (unknown, 0, Status.UNKNOWN),
    ):
        text, status = of_diagnosis(diagnose(inventory, rules()), doubt(inventory))
        assert (text.count("but the status of"), status) == (times, expected)


@pytest.mark.parametrize("where", ["drives", "drives:A", DRIVE])
@pytest.mark.parametrize("kind", sorted(UNREAD_KINDS))
def test_a_volume_without_a_state_is_not_explained_by_another_object(kind: Any, where: str) -> None:
    """Missing details of drives do not explain it, also if only the volume is diagnosed."""
    plain = Controller(id="drives:0", mode="none", drives=(Drive(id="drives:A", status="ok"),))
    inventory = changed(GOOD, VOLUME, {"status": "unknown", "status_text": None})
    problem = Problem("warning", where, "It could not be read.", kind=kind)
    inventory = structs.replace(inventory, controllers=(*inventory.controllers, plain), problems=(problem,))
    for scope in (None, around(inventory, [VOLUME])):
        assert VOLUME in {one.where for one in diagnose(inventory, rules(), scope).unknown}


def test_a_dead_battery_under_active_write_back_is_critical() -> None:
    """Active write-back beside a dead battery is critical.

    Data are at risk, whatever the tool claims about the policy.
    """
    dead = changed(GOOD, GOOD.controllers[0].batteries[0].id, {"status": "failed", "status_text": "Non Operational"})
    battery = dead.controllers[0].batteries[0].id
    shown = {"write_policy": "protected_write_back", "write_active": "write_back"}
    for cache in (shown, {**shown, "write_active": None, "why_not_in_force": "It cannot be."}):
        inventory = changed(dead, VOLUME, {"cache": cache, "name": "x"})
        for other in inventory.controllers[0].volumes:
            if other.id != VOLUME:
                inventory = changed(inventory, other.id, {"name": "y", "cache": {"write_active": "write_through"}})
        assert severity(inventory, "battery_failed", battery) == "critical"
    safe = inventory
    for other in inventory.controllers[0].volumes:
        through = {"write_active": "write_through", "why_not_in_force": "The battery failed."}
        safe = changed(safe, other.id, {"name": "z", "cache": through})
    assert severity(safe, "battery_failed", battery) == "warning"


def test_a_failed_spare_takes_nothing_away() -> None:
    """A drive that no volume needs is a warning that states so."""
    inventory = changed(GOOD, SPARE, {"status": "critical"})
    assert severity(inventory, "drive_failed", SPARE) == "warning"
    one = next(one for one in diagnose(inventory, rules()).findings if one.rule == "drive_failed")
    assert "no volume needs it now" in one.message


REPLACED = (
    "Personalities : [raid6] [raid5] [raid4]\n"
    "md0 : active raid5 sde1[5](R) sdf1[6](F) sdd1[4] sdc1[2] sdb1[1]\n"
    "      209584128 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/3] [UUU]\n"
    "      [==>..................]  recovery = 12.3% (12890112/104792064) finish=12.1min speed=126000K/sec\n"
    "      \n"
    "unused devices: <none>\n"
)


def test_a_failed_drive_is_no_consequence_of_the_replacement_of_another() -> None:
    """A failed drive is a warning while the volume, which lacks none, is copied to another one."""
    inventory = read_text(REPLACED, "mdstat").inventory
    assert severity(inventory, "volume_rebuilding", "md:md0") == "info"
    assert severity(inventory, "drive_failed", "md:md0/sdf1") == "warning"


@pytest.mark.parametrize("level", ["raid5", "raid6", None])
def test_a_failed_member_of_a_volume_in_an_unknown_state_is_critical(level: str | None) -> None:
    """It is unknown whether the volume survives another failure, or needs this drive."""
    inventory = changed(GOOD, VOLUME, {"raid_level": level, "status": "unknown", "status_text": "Odd"})
    assert severity(changed(inventory, DRIVE, {"status": "critical"}), "drive_failed", DRIVE) == "critical"


@pytest.mark.parametrize(("kind", "wanted"), [("error", "critical"), ("warning", "warning"), ("info", "info")])
def test_what_a_tool_prints_reaches_diagnose(kind: Any, wanted: str) -> None:
    """A problem of kind state is a finding, whatever its words."""
    for message in ("The controller counts 1 degraded drives.", "The write caches of 4 drives are on.", "Odd."):
        problem = Problem(severity=kind, where="megaraid:0", message=message, kind="state")
        found = diagnose(structs.replace(GOOD, problems=(problem,)), rules()).findings
        assert [(one.severity, one.message) for one in found if one.rule == "reported_trouble"] == [(wanted, message)]


COUNTED = {
    "tw_cli": (
        "Ctl   Model        (V)Ports  Drives   Units   NotOpt  RRate   VRate  BBU\n"
        "------------------------------------------------------------------------\n"
        "c0    9650SE-8LPML 8         8        1       1       1       1      OK\n"
    ),
    "megacli": "Adapter #0\n\nProduct Name    : PERC H700\n                Device Present\n"
               "                ================\nVirtual Drives    : 2\n  Degraded        : 1\n  Offline         : 0\n"
               "Physical Devices  : 4\n  Disks           : 3\n  Critical Disks  : 0\n  Failed Disks    : 2\n\n"
               "Exit Code: 0x00\n",
}  # fmt: skip


@pytest.mark.parametrize("tool", COUNTED)
def test_counts_of_bad_objects_that_are_not_listed_are_no_ok(tool: str, tmp_path: Path) -> None:
    """An overview that only counts bad objects gives its controller a finding."""
    path = tmp_path / "output.txt"
    path.write_text(COUNTED[tool], encoding="utf-8")
    result = CliRunner().invoke(cli, ["--replay", str(path), "diagnose", "--json"])
    document = json.loads(result.stdout)
    assert result.exit_code == 1
    assert {one["rule"] for one in document["findings"]} == {"reported_trouble"}


WAITING = """Personalities : [raid1]
md0 : active raid1 sdi[2] sdg[0](F) sdh[1]
      1046528 blocks super 1.2 [2/1] [_U]

unused devices: <none>
"""
SPARE_DAMAGED = """/dev/sdg:
          Magic : a92b4efc
        Version : 1.2
    Feature Map : 0x0
     Array UUID : f3667bf3:e2b718c2:22cbea68:428ea6ca
     Raid Level : raid6
   Raid Devices : 7
       Checksum : 0 - expected e7edc1ab
         Events : 5

   Device Role : spare
   Array State : AAAAAAA ('A' == active, '.' == missing, 'R' == replacing)
"""


@pytest.mark.parametrize("text", [WAITING, SPARE_DAMAGED])
def test_a_member_that_is_filled_or_waits_expects_no_failure(text: str, tmp_path: Path) -> None:
    """What md does to a member predicts no failure and hides none."""
    path = tmp_path / "output.txt"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(cli, ["--replay", str(path), "diagnose", "--json"])
    rules_ = {one["rule"]: one["severity"] for one in json.loads(result.stdout)["findings"]}
    assert result.exit_code == 1
    assert "drive_expects_failure" not in rules_
    assert rules_.get("reported_trouble", "warning") == "warning"
    assert ("volume_degraded" in rules_) == (text is WAITING)
    assert ("reported_trouble" in rules_) == (text is SPARE_DAMAGED)
    assert "((" not in result.stdout  # mdstat's own word, (F), is put in brackets once
    assert text is WAITING or "background_operation" not in rules_  # the tool's warning is the reason for its status


@pytest.mark.parametrize("word", ["SMART-errors", "Unrecovered-Read-Errors"])
def test_errors_of_a_drive_in_ddf_metadata_are_no_information(word: str) -> None:
    """Error states of a member in DDF metadata stay a predicted failure."""
    inventory = replayed("md-degraded-rebuilding").inventory
    drive = next(
        drive for controller in inventory.controllers if controller.mode == "software" for drive in controller.drives
    )
    damaged = changed(
        inventory, drive.id, {"status": "warning", "status_text": f"active/Online, {word}", "backing": ()}
    )
    assert severity(damaged, "drive_expects_failure", drive.id) in ("warning", "critical")


HEADS: dict[str, tuple[str, ...]] = {
    "megaraid-perc5i-failed-battery": ("survives no further failure", "bay 1", "serial 3LM0RC02"),
    "md-degraded-rebuilding": ("md:md5: degraded, survives no further failure", "serial TLW5B1109"),
    "megaraid-h730p-predictive": ("predictive failure (SMART), 41 media errors", "bay 5", "serial RCX15W0K7"),
    "smartarray-gen9-degraded": ("rebuilding 37.25%, survives 1 more drive failure", "predictive failure", "bay 2"),
}


@pytest.mark.parametrize("machine", HEADS)
def test_the_head_of_show_has_cause_severity_and_place(machine: str) -> None:
    """Cause, redundancy left, bay and serial number are above everything else."""
    screen = CliRunner().invoke(cli, ["--replay", str(FIXTURES / machine), "show"], env={"COLUMNS": "80"}).stdout
    head = " ".join(screen.split("\n\n")[0].split())
    for words in HEADS[machine]:
        assert words in head


def test_the_table_is_in_the_manual() -> None:
    """Each situation is in ``docs/rules.md`` with its severity."""
    page = (FIXTURES.parent / "docs" / "rules.md").read_text(encoding="utf-8")
    for rank, how, what in TABLE.values():
        assert f"| {RANKS[rank - 1]} | {what} | {how} |" in page


def test_a_failing_drive_of_unknown_use_is_backed_up_first(tmp_path: Path) -> None:
    """A failing drive of unknown use is backed up first.

    Smartctl alone reports no array, so whether another drive has the data is unknown.
    """
    text = (
        "smartctl 7.2\n\n=== START OF READ SMART DATA SECTION ===\n"
        "SMART overall-health self-assessment test result: FAILED!\n"
        "Drive failure expected in less than 24 hours. SAVE ALL DATA.\n\n"
    )
    (tmp_path / "sdb.txt").write_text(text, encoding="utf-8")
    screen = CliRunner().invoke(cli, ["--replay", str(tmp_path / "sdb.txt"), "diagnose"]).output
    assert "predictive failure (SMART)" in screen
    assert "Check the backup now, then replace it" in screen


def test_the_last_redundancy_is_named_where_it_makes_a_finding_critical() -> None:
    """A mirror that survives one more failure does not after this one."""
    found = diagnose(replayed("smartarray-gen9-degraded").inventory, rules()).findings
    messages = {one.message for one in found if one.rule == "drive_expects_failure" and one.severity == "critical"}
    assert messages
    assert all("its last redundancy" in message for message in messages)


def test_a_controller_that_has_failed_is_no_consequence_of_its_battery() -> None:
    """The battery alone is a warning. The controller stays critical, as a separate finding."""
    controller = "\nSmart Array P411 in Slot 1\n   Controller Status: {}\n   Cache Status: Permanently Disabled\n"
    text = controller + "   Battery/Capacitor Status: Failed (Replace Batteries)\n\n"
    worst = judge(read_text(text.format("Failed")).inventory)[0]
    assert (worst.rule, worst.severity, worst.under) == ("controller_in_trouble", "critical", None)
    assert judge(read_text(text.format("OK")).inventory)[0].severity == "warning"


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        ("Overheating", "Cool the machine"), ("Multi-Path Access Degraded", "Check cables"),
        ("Wrong Drive Replaced", "put the drive that was removed by mistake back"),
        ("No Access - Encrypted - Missing Key", "encryption key"),
        ("Interim Recovery Mode", "replace the missing drive"), ("Failed", "Change nothing on it"),
    ],
)  # fmt: skip
def test_no_drive_is_to_be_replaced_where_none_is_the_reason(status: str, advice: str) -> None:
    """The remedy follows the tool's words for the state of the volume."""
    text = f"\nSmart Array P410 in Slot 1\n\n   array A\n\n      logicaldrive 2 (1.8 TB, RAID 5, {status})\n\n"
    found = diagnose(read_text(text).inventory, rules()).findings
    assert advice in (found[0].remedy or "")


def test_an_array_without_redundancy_is_critical_although_its_volume_is_ok() -> None:
    """An array without redundancy is critical below an optimal volume.

    A segment is missing or a member has failed. RAID-6 survives one more.
    """
    text = (FIXTURES / "adaptec-5405-failed-battery" / "arcconf-getconfig-1-al.out").read_text()
    segment = "Present (0,1) 6SJ0Q1XK0000B1"
    assert segment in text
    for level, wanted in (("5", "critical"), ("6", "warning")):
        shown = text.replace(segment, "Missing").replace(
            "RAID level  " + " " * 29 + ": 5", f"RAID level {'':30}: {level}"
        )
        found = judge(read_text(shown).inventory)
        assert [one.severity for one in found if one.rule == "array_in_trouble"] == [wanted]


def test_a_critical_array_is_critical_whatever_else_a_drive_of_it_reports() -> None:
    """A milder condition of a member does not replace the array's own. A drive that is too hot is a warning."""
    hot = changed(GOOD, DRIVE, {"status": "warning", "status_text": "Temperature"})
    assert severity(changed(hot, ARRAY, {"status": "critical"}), "array_in_trouble", ARRAY) == "critical"


@pytest.mark.parametrize(("status", "rebuilt"), [("warning", True), ("critical", False)])
def test_a_critical_array_is_not_left_to_its_rebuild(status: str, rebuilt: bool) -> None:
    """A critical array does not only need time, even if it is being rebuilt."""
    inventory = changed(GOOD, ARRAY, {"status": status, "status_text": "Rebuilding"})
    [found] = [one for one in diagnose(inventory, rules()).findings if one.rule == "array_in_trouble" and one.remedy]
    assert ("is being rebuilt" in found.message, "Let it finish" in (found.remedy or "")) == (rebuilt, rebuilt)


_MEGACLI = FIXTURES / "megaraid-perc5i-failed-battery" / "MegaCli-LdPdInfo-aALL-NoLog.out"


@pytest.mark.parametrize(
    ("line", "changed_to", "wanted"),
    [
        ("Foreign State: None", "Foreign State: Foreign", ("foreign_configuration", "warning")),
        ("S.M.A.R.T alert : No", "S.M.A.R.T alert : Yes", ("drive_expects_failure", "warning")),
        ("Locked: Unlocked", "Locked: Locked", ("background_operation", "warning")),
        ("Current Access Policy: Read/Write", "Current Access Policy: Blocked", ("reported_trouble", "critical")),
    ],
)
def test_what_megacli_reports_in_a_line_of_its_own(line: str, changed_to: str, wanted: tuple[str, str]) -> None:
    """A foreign or locked drive predicts no failure, and an alert names SMART. A blocked volume is out of reach."""
    text = _MEGACLI.read_text().replace("State               : Degraded", "State               : Optimal")
    assert line in text
    before = {one.key for one in judge(read_text(text).inventory)}
    found = [one for one in judge(read_text(text.replace(line, changed_to, 1)).inventory) if one.key not in before]
    assert wanted in {(one.rule, one.severity) for one in found}
    assert any(one.rule == "drive_expects_failure" for one in found) == ("S.M.A.R.T" in line)
    assert any("SMART" in one.cause for one in found) == ("S.M.A.R.T" in line)


def test_a_machine_without_a_problem_has_no_line_that_omits_unknown_states() -> None:
    """A line without a problem names the objects whose status is unknown. An empty machine is not "ok"."""
    inventory = replayed("drives-virtio").inventory
    doubtful = "the status of 1 drive is unknown"
    assert doubt(inventory) == doubtful
    nagios = CliRunner().invoke(cli, ["--replay", str(FIXTURES / "drives-virtio"), "diagnose", "--format", "nagios"])
    assert f"checks pass, but {doubtful} |" in nagios.output
    assert contents(inventory) == "1 controller, 1 drive (1 status unknown)"
    assert doubtful in facts_of(inventory, (), ())[0].text
    empty = structs.replace(inventory, controllers=())
    assert facts_of(empty, (), ())[0].value == "unknown"
    assert look(empty)[0] == "unknown"


@pytest.mark.parametrize(("kind", "reason"), [("no_tool", "a tool"), ("no_right", "a permission")])
def test_the_live_state_names_why_a_machine_without_a_problem_is_unknown(kind: ProblemKind, reason: str) -> None:
    """Without hdparm, or as a normal user, the state is not "UNKNOWN: no problems found" without a reason."""
    lacking = Problem("warning", "drives", "The tool did not run.", None, kind)
    live = facts_of(structs.replace(replayed("md-healthy").inventory, problems=(lacking,)), (), ())[0]
    assert (live.value, live.text) == ("unknown", f"no problems found, but {reason} is missing")


@pytest.mark.parametrize("name", MACHINES)
def test_the_live_state_is_the_verdict_of_diagnose(name: str) -> None:
    """``watch`` and Nagios draw one conclusion from one machine, also if a status or a check's result is unknown."""
    inventory = replayed(name).inventory
    live = facts_of(inventory, (), ())[0]
    assert str(live.value).upper() == of_diagnosis(diagnose(inventory, health_rules()))[1].name


def test_a_line_for_a_host_counts_a_member_of_an_array_and_its_drive_once() -> None:
    """``show --hosts`` and ``show`` count the same drives."""
    inventory = replayed("md-healthy").inventory
    assert contents(inventory) == "2 controllers, 2 volumes, 8 drives"
    assert contents(inventory) in screen(inventory, Display())
