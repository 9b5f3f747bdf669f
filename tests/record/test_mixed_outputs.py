"""Outputs of several tools in one file are read as alone."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.cli import cli
from raidctl.model import Inventory
from raidctl.recording.loose_files import collect_outputs
from raidctl.request import Run, RunAnswer
from raidctl.select import items
from raidctl.survey.survey import survey_documents
from raidctl.vendor.disagreement import settle_tools
from raidctl.vendor.draft import ControllerDraft, GroupDraft
from raidctl.vendor.registry import vendors
from tests.support.machines import FIXTURES, recording

VENDORS = vendors()[0]
MACHINES = {
    "smartarray-gen9-degraded": "Logical Drive: 1", "megaraid-perc5i-failed-battery": "Raw Size: ",
    "adaptec-6805-rebuilding": "ogical device number 0", "threeware-9690sa-rebuilding": "UnitType",
    "md-degraded-rebuilding": "Raid Level : ", "drives-ahci": "START OF INFORMATION",
}  # fmt: skip
"""Machines of different families. Each has words of the output that is taken from it."""


def inventory(path: Path) -> Inventory:
    """What raidctl makes of one file."""
    gathered = collect_outputs(path, VENDORS)
    return survey_documents(gathered.texts, source="x", problems=gathered.problems).inventory


def states(found: Inventory) -> Counter[tuple[str, str]]:
    """How many volumes and drives there are in each state."""
    every = (item for controller in found.controllers for item in (*controller.volumes, *controller.drives))
    return Counter((type(item).__name__, str(getattr(item, "status", ""))) for item in every)


@cache
def text(machine: str) -> str:
    """The longest text output of a machine."""
    outputs = (
        answer.text
        for request, answer in recording(machine).answers()
        if isinstance(request, Run) and isinstance(answer, RunAnswer) and request.argv[0] != "udevadm"
    )
    return max((output for output in outputs if MACHINES[machine] in output), key=len)


@pytest.mark.parametrize("machine", MACHINES)
def test_no_object_is_lost_between_outputs_of_different_tools(machine: str, tmp_path: Path) -> None:
    """Beside another tool's output, an output keeps its objects and states. The order makes no difference."""
    alone = {}
    for name in MACHINES:
        (tmp_path / name).write_text(text(name), encoding="utf-8")
        alone[name] = states(inventory(tmp_path / name))
    assert all(alone.values())
    for first, second in permutations(MACHINES, 2):
        if machine == first:
            both = tmp_path / "both.txt"
            both.write_text(f"{text(first).rstrip()}\n\n{text(second)}", encoding="utf-8")
            missing = (alone[first] | alone[second]) - states(inventory(both))
            assert not missing, (first, second, missing)


DRIVE = json.dumps({
    "json_format_version": [1, 0], "smartctl": {"version": [7, 2], "exit_status": 0},
    "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"}, "model_name": "EXAMPLE 4000",
    "serial_number": "Z1D0AA11", "smart_status": {"passed": True},
}, indent=2)  # fmt: skip
ARRAY = """/dev/md0:
        Version : 1.2
     Raid Level : raid10
   Raid Devices : 4
  Total Devices : 4
          State : clean, FAILED
 Active Devices : 2
Working Devices : 2
 Failed Devices : 2
  Spare Devices : 0

    Number   Major   Minor   RaidDevice State
       0       8        2        0      active sync   /dev/sda2
       1       8       18        1      active sync   /dev/sdb2
       2       0        0        2      removed
       3       0        0        3      removed
"""


INDENTED = f"{textwrap.indent(DRIVE, '  ')}\n"
"""As lvs prints its JSON."""
SESSION = f"[root@example ~]# smartctl -a -j /dev/sda\n{DRIVE}\n{ARRAY}"
SCRIPT = f"""[collected by a script]
{ARRAY}
smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.10.0] (local build)

=== START OF INFORMATION SECTION ===
Device Model:     EXAMPLE 4000
Serial Number:    Z1D0AA11
"""


@pytest.mark.parametrize(
    "given", [f"{DRIVE}\n{ARRAY}", f"{ARRAY}\n{DRIVE}\n", SESSION, SCRIPT, INDENTED + ARRAY, ARRAY + INDENTED]
)
def test_a_failed_array_beside_a_good_drive_is_no_ok(given: str, tmp_path: Path) -> None:
    """A text that is mostly JSON loses nothing of the other tool. The JSON is one tool's."""
    path = tmp_path / "output.txt"
    path.write_text(given, encoding="utf-8")
    result = CliRunner().invoke(cli, ["--replay", str(path), "diagnose", "--json"])
    assert result.exit_code == 1
    assert "volume_failed" in {one["rule"] for one in json.loads(result.stdout)["findings"]}
    names = {item.id for controller in inventory(path).controllers for item in items(controller)}
    assert {"md:md0", "drives:Z1D0AA11"} <= names


def test_a_json_document_that_nobody_reads_is_a_problem(tmp_path: Path) -> None:
    """An unknown document beside recognised outputs is not lost without a word."""
    path = tmp_path / "output.txt"
    path.write_text(f'{DRIVE}\n{ARRAY}\n{{\n  "temperature": [1, 2]\n}}\n', encoding="utf-8")
    problems = inventory(path).problems
    assert any(problem.kind == "unread" and "JSON document" in problem.message for problem in problems)


def test_lines_keep_their_numbers_in_evidence(tmp_path: Path) -> None:
    """The second output of a file keeps its line numbers. A reader finds the lines there."""
    path = tmp_path / "output.txt"
    path.write_text(f"{DRIVE}\n{ARRAY}", encoding="utf-8")
    gathered = collect_outputs(path, VENDORS)
    survey = survey_documents(gathered.texts, source="x", problems=gathered.problems)
    lines = path.read_text(encoding="utf-8").split("\n")
    level = [fact for output in survey.outputs for fact in output.facts if fact.field == "raid_level"]
    assert level
    assert all(lines[fact.line.number - 1].strip() == fact.line.text.strip() for fact in level)


_DM = "vg0-data: 0 209715200 raid raid5_ls 3 ADD 104857600/104857600 idle 0 0 -\n"
_CISS = "/dev/sg0: (Smart Array P812) RAID 6 Volume 0 status: Wrong physical drive was replaced.\n"


_IRCU = "mpt-9207-rebuilding/sas2ircu-0-DISPLAY.out"


@pytest.mark.parametrize(("first", "other"), [(_IRCU, ARRAY), (_IRCU, _DM), ("", _DM), ("", _CISS)])
def test_a_failed_volume_in_a_single_line_or_behind_an_end_is_not_lost(first: str, other: str, tmp_path: Path) -> None:
    """One line of dmsetup or cciss_vol_status is enough.

    So are pairs below the line that ends an output of sas2ircu.
    """
    given = (FIXTURES / first).read_text() if first else text("drives-ahci")
    path = tmp_path / "output.txt"
    path.write_text(f"{given}\n{other}", encoding="utf-8")
    broken = {
        volume.id
        for controller in inventory(path).controllers
        for volume in controller.volumes
        if volume.status == "failed"
    }
    assert broken & {"md:md0", "lvm:vg0/data", "smartarray:sg0/v0"}


_STORCLI = """CLI Version = 007.1513.0000.0000 Apr 01, 2021
Operating system = Linux 5.4.0
Controller = 0
Status = Success
Description = None

Product Name = PERC H730P
Serial Number = {}
"""


@pytest.mark.parametrize("shown", ["/c6 Serial Number = {}\n/c6 Model = 9690SA-8I\n", _STORCLI])
def test_two_machines_whose_controllers_have_one_number_are_a_problem(shown: str, tmp_path: Path) -> None:
    """Controllers with one number but different serial numbers are a problem.

    It is unknown which facts belong to which.
    """
    for second, wanted in (("L340504B9230117", False), ("L340504B9230999", True)):
        path = tmp_path / f"{second}.txt"
        path.write_text("\n".join(shown.format(serial) for serial in ("L340504B9230117", second)), encoding="utf-8")
        found = [problem for problem in inventory(path).problems if "serial numbers" in problem.message]
        assert bool(found) == wanted


_MDSTAT = """Personalities : [raid1]
md0 : active raid1 sda1[0] sdb1[1]
      104792064 blocks super 1.2 [2/2] [UU]

unused devices: <none>
"""
_ZPOOL = """  pool: tank
 state: ONLINE
config:

\tNAME        STATE     READ WRITE CKSUM
\ttank        ONLINE       0     0     0
\t  mirror-0  ONLINE       0     0     0
\t    sda     ONLINE       0     0     0
\t    sdb     ONLINE       0     0     0

errors: No known data errors
"""
_WHOLE = ARRAY.replace(", FAILED", "").replace("Active Devices : 2", "Active Devices : 4").replace(
    "Failed Devices : 2", "Failed Devices : 0").replace("Working Devices : 2", "Working Devices : 4").replace(
    "2       0        0        2      removed", "2       8       34        2      active sync   /dev/sdc2").replace(
    "3       0        0        3      removed", "3       8       50        3      active sync   /dev/sdd2")  # fmt: skip
_LVS = """{"report": [{"lv": [
{"vg_name":"vg0", "lv_name":"data", "lv_attr":"rwi-aor---", "lv_size":"100", "segtype":"raid1",
 "lv_health_status":"", "devices":"data_rimage_0(0),data_rimage_1(0)"},
{"vg_name":"vg0", "lv_name":"data_rimage_0", "lv_attr":"iwi-aor---", "lv_size":"100", "segtype":"linear",
 "lv_health_status":"", "devices":"/dev/sda2(1)"},
{"vg_name":"vg0", "lv_name":"data_rimage_1", "lv_attr":"iwi-aor---", "lv_size":"100", "segtype":"linear",
 "lv_health_status":"", "devices":"/dev/sdb2(1)"}]}]}
"""
_TWICE = {
    "mdstat": (_MDSTAT, _MDSTAT.replace("[2/2] [UU]", "[2/1] [_U]").replace("[0]", "[0](F)")),
    "mdstat, without the failed drive": (_MDSTAT, _MDSTAT.replace("[2/2] [UU]", "[2/1] [_U]").replace(" sda1[0]", "")),
    "mdadm --detail": (_WHOLE, ARRAY),
    "zpool status": (_ZPOOL, _ZPOOL.replace("ONLINE", "DEGRADED", 3).replace("sdb     ONLINE", "sdb     UNAVAIL")),
    "dmsetup": (_DM.replace("ADD 104857600", "AAA 104857600"), _DM.replace("ADD", "AAD")),
    "lvs": (_LVS, _LVS.replace('data_rimage_1", "lv_attr":"iwi-aor---', 'data_rimage_1", "lv_attr":"Iwi-aor---')),
}


@pytest.mark.parametrize("kind", _TWICE)
def test_two_outputs_that_describe_one_array_differently_are_a_problem(kind: str, tmp_path: Path) -> None:
    """Of two descriptions of one array, the bad state counts.

    Two machines or moments may be in one file, in either order. The doubt is reported.
    """
    path = tmp_path / "output.txt"
    good, bad = _TWICE[kind]
    for given in ((good, bad), (bad, good), (good, good)):
        path.write_text("\n".join(given), encoding="utf-8")
        found = inventory(path)
        messages = [one.message for one in found.problems if one.kind == "unread" and one.severity == "error"]
        assert any("describe" in one for one in messages) == (given != (good, good)), given
        statuses = [volume.status for controller in found.controllers for volume in controller.volumes]
        assert len(statuses) == 1
        assert (statuses != ["ok"]) == (given != (good, good)), given


_STORCLI_VD = """CLI Version = 007.1513.0000.0000 Apr 01, 2021
Operating system = Linux 5.4.0
Controller = 0
Status = Success
Description = None


Virtual Drives :
==============

---------------------------------------------------------------
DG/VD TYPE  State Access Consist Cache Cac sCC       Size Name
---------------------------------------------------------------
0/0   RAID1 Optl  RW     Yes     NRWTD -   OFF 136.125 GB
---------------------------------------------------------------

"""
_MEGACLI_LD = """Adapter 0 -- Virtual Drive Information:
Virtual Drive: 0 (Target Id: 0)
RAID Level          : Primary-1, Secondary-0, RAID Level Qualifier-0
Size                : 136.125 GB
State               : {}
Number Of Drives    : 2
Default Cache Policy: {}, ReadAheadNone, Direct, Write Cache OK if Bad BBU
Current Cache Policy: {}, ReadAheadNone, Direct, Write Cache OK if Bad BBU
Disk Cache Policy   : Disabled

Exit Code: 0x00
"""


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("state", "write", "wanted"),
    [
        ("Optimal", "WriteThrough", []),
        ("Optimal", "WriteBack", ["active write policy"]),
        ("Degraded", "WriteThrough", ["state"]),
    ],
)
def test_two_tools_that_disagree_on_a_volume_are_a_problem(
    state: str, write: str, wanted: list[str], turned: bool, tmp_path: Path
) -> None:
    """Of storcli and MegaCli, the worse state and policy count. If one file has both, the doubt is reported."""
    path, megacli = tmp_path / "output.txt", _MEGACLI_LD.format(state, write, write)
    path.write_text("\n".join((megacli, _STORCLI_VD) if turned else (_STORCLI_VD, megacli)), encoding="utf-8")
    found = inventory(path)
    doubts = [one.message for one in found.problems if one.kind == "unread" and one.severity == "error"]
    assert len(doubts) == len(wanted)
    assert all(label in one for label, one in zip(wanted, doubts, strict=True))
    [volume] = [volume for controller in found.controllers for volume in controller.volumes]
    assert volume.status == ("ok" if state == "Optimal" else "degraded")
    assert volume.cache is not None
    assert volume.cache.write_active == ("write_through" if write == "WriteThrough" else "write_back")


_STORCLI_PD = """CLI Version = 007.1513.0000.0000 Apr 01, 2021
Operating system = Linux 5.4.0
Controller = 0
Status = Success
Description = Show Drive Information Succeeded.


Drive Information :
=================

-------------------------------------------------------------------------------
EID:Slt DID State DG       Size Intf Med SED PI SeSz Model            Sp Type
-------------------------------------------------------------------------------
252:0     8 Onln   0 136.125 GB SAS  HDD N   N  512B EXAMPLE HD1000   U  -
-------------------------------------------------------------------------------

"""
_MEGACLI_PD = """Adapter #0

Enclosure Device ID: 252
Slot Number: 0
Device Id: 8
Firmware state: Failed
Inquiry Data: EXAMPLE HD1000     0006

Exit Code: 0x00
"""


def test_a_drive_that_one_of_two_tools_reports_as_failed_has_failed(tmp_path: Path) -> None:
    """The message that the worse state is shown is true, also if the shown tool has a second word for the state."""
    (tmp_path / "storcli.txt").write_text(_STORCLI_PD, encoding="utf-8")
    (tmp_path / "megacli.txt").write_text(_MEGACLI_PD, encoding="utf-8")
    found = inventory(tmp_path)
    [drive] = [drive for controller in found.controllers for drive in controller.drives]
    assert (drive.status, drive.status_text) == ("critical", "Failed")
    assert any("disagree on the state" in one.message for one in found.problems)


def test_an_alarm_of_the_tool_that_is_not_shown_is_not_lost(tmp_path: Path) -> None:
    """MegaCli reports more of the controller. The access to a volume that storcli reports as blocked is a problem."""
    (tmp_path / "storcli.txt").write_text(_STORCLI_VD.replace("RW  ", "Blkd"), encoding="utf-8")
    megacli = _MEGACLI_LD.format("Optimal", "WriteThrough", "WriteThrough")
    (tmp_path / "megacli.txt").write_text(megacli, encoding="utf-8")
    found = inventory(tmp_path)
    assert any("the data shown is from MegaCli" in one.message for one in found.problems)
    assert [(one.where, one.severity) for one in found.problems if one.kind == "state"] == [("megaraid:0/v0", "error")]


def test_a_bad_object_that_only_the_tool_that_is_not_shown_lists_is_reported(tmp_path: Path) -> None:
    """Storcli reports more of the controller. A volume that MegaCli lists as offline is a problem."""
    page = "Drive /c0/e252/s0 - Detailed Information :\n========\n\nDrive /c0/e252/s0 State :\n========\n"
    counters = "Media Error Count = 0\nOther Error Count = 0\nPredictive Failure Count = 0\n\n"
    (tmp_path / "storcli.txt").write_text(_STORCLI_PD + page + counters + _STORCLI_VD, encoding="utf-8")
    megacli = _MEGACLI_LD.format("Offline", "WriteThrough", "WriteThrough").replace(
        " 0 (Target Id: 0", " 1 (Target Id: 1"
    )
    (tmp_path / "megacli.txt").write_text(megacli, encoding="utf-8")
    found = inventory(tmp_path)
    assert any("the data shown is from storcli" in one.message for one in found.problems)
    assert [one.message for one in found.problems if one.kind == "state"] == [
        "Only one of the tools reports volume 1 as bad: Offline."
    ]


def test_an_alert_that_both_tools_report_is_one_problem(tmp_path: Path) -> None:
    """Two sentences about one S.M.A.R.T. alert are not printed below each other."""
    page = "Drive /c0/e252/s0 - Detailed Information :\n========\n\nDrive /c0/e252/s0 State :\n========\n"
    storcli = f"{_STORCLI_PD}{page}S.M.A.R.T alert flagged by drive = Yes\n\n"
    megacli = _MEGACLI_PD.replace("Failed", "Online\nDrive has flagged a S.M.A.R.T alert : Yes")
    (tmp_path / "storcli.txt").write_text(storcli, encoding="utf-8")
    (tmp_path / "megacli.txt").write_text(megacli, encoding="utf-8")
    assert len([one for one in inventory(tmp_path).problems if one.kind == "state"]) == 1


@pytest.mark.parametrize(("state", "severity"), [("warning", "warning"), ("critical", "error")])
def test_a_warning_that_only_the_tool_that_is_not_shown_lists_is_no_error(state: str, severity: str) -> None:
    """A drive that is rebuilt or foreign is not a failed one, whichever tool lists it."""
    shown, other = ControllerDraft[GroupDraft]("0"), ControllerDraft[GroupDraft]("0")
    other.drive("252:1").override("status", state)
    settle_tools(shown, other)
    assert [one.severity for one in shown.complaints] == [severity]


@pytest.mark.parametrize(
    ("ours", "its", "shown", "doubts"),
    [
        ({"cache.status": "ok"}, {"cache.status": "critical"}, {"cache.status": "critical"}, 1),
        ({}, {"cache.status": "critical"}, {"cache.status": "critical"}, 0),
        ({"cache.status": "ok"}, {}, {"cache.status": "ok"}, 0),
        ({"status": "ok"}, {"status": "unknown", "status_text": "?"}, {"status": "unknown", "status_text": "?"}, 1),
        ({"status": "ok"}, {"status": "unknown"}, {"status": "ok"}, 0),
        ({"status": "warning"}, {"status": "unknown", "status_text": "?"}, {"status": "warning"}, 0),
        ({"replace": False}, {"replace": True}, {"replace": True}, 0),
        ({"foreign": True}, {"foreign": False}, {"foreign": True}, 0),
        ({}, {"firmware_update": "2.1 is pending"}, {"firmware_update": "2.1 is pending"}, 0),
    ],
)
def test_of_two_tools_the_worse_value_of_a_field_is_shown(
    ours: dict[str, object], its: dict[str, object], shown: dict[str, object], doubts: int
) -> None:
    """A fault that one tool reports counts. A field that a tool does not report contradicts nothing."""
    mine, other = ControllerDraft[GroupDraft]("0"), ControllerDraft[GroupDraft]("0")
    for draft, values in ((mine, ours), (other, its)):
        for name, value in values.items():
            draft.override(name, value)
    settle_tools(mine, other)
    assert {name: mine.get(name) for name in shown} == shown
    assert [one.kind for one in mine.complaints] == ["unread"] * doubts


def test_what_a_tool_that_is_not_shown_could_not_read_is_not_lost() -> None:
    """A value that is not understood is a problem, whichever tool reports it; a note of that tool is not a problem."""
    shown, other = ControllerDraft[GroupDraft]("0"), ControllerDraft[GroupDraft]("0")
    shown.drive("252:1").override("status", "ok")
    other.drive("252:1").unread("Media Error Count", "many")
    other.drive("252:1").add_problem("info", "note", "Nothing.")
    other.battery("0").override("replace", value=True)
    settle_tools(shown, other)
    assert [one.kind for one in shown.drive("252:1").complaints] == ["unread"]
    assert [(one.kind, one.severity) for one in shown.complaints] == [("state", "warning")]


def test_of_two_tools_the_higher_number_of_errors_counts(tmp_path: Path) -> None:
    """Errors are only added up: the drive has as many as any tool reports."""
    page = (
        "Drive /c0/e252/s0 - Detailed Information :\n========\n\nDrive /c0/e252/s0 State :\n========\n"
        "Media Error Count = 0\nOther Error Count = 0\nPredictive Failure Count = 0\n\n"
    )
    (tmp_path / "storcli.txt").write_text(_STORCLI_PD + page, encoding="utf-8")
    megacli = _MEGACLI_PD.replace("Firmware state: Failed", "Media Error Count: 41\nFirmware state: Online, Spun Up")
    (tmp_path / "megacli.txt").write_text(megacli, encoding="utf-8")
    found = inventory(tmp_path)
    assert any("the data shown is from storcli" in one.message for one in found.problems)
    assert [drive.errors.media for controller in found.controllers for drive in controller.drives] == [41]


def test_a_bad_state_counts_beside_an_unknown_one_of_another_tool(tmp_path: Path) -> None:
    """MegaCli reports more of the volume, and its state in an unknown word; storcli calls it degraded."""
    (tmp_path / "storcli.txt").write_text(_STORCLI_VD.replace("Optl", "Dgrd"), encoding="utf-8")
    megacli = _MEGACLI_LD.format("Puzzled", "WriteThrough", "WriteThrough")
    (tmp_path / "megacli.txt").write_text(megacli, encoding="utf-8")
    [volume] = [volume for controller in inventory(tmp_path).controllers for volume in controller.volumes]
    assert volume.status == "degraded"


@pytest.mark.parametrize(("printed", "doubts"), [("Any Offline VD Cache Preserved = No", 1), ("BBU Status = 0", 0)])
def test_a_preserved_cache_counts_that_only_one_of_two_tools_reports(printed: str, doubts: int, tmp_path: Path) -> None:
    """MegaCli's facts about a controller are compared with storcli's, which are shown as there are more."""
    head = "Basics :\n======\nSerial Number = SV1\n\nStatus :\n======\nController Status = Optimal\n"
    text = _STORCLI_PD.replace("Drive Information :", f"{head}{printed}\n\nDrive Information :", 1)
    (tmp_path / "storcli.txt").write_text(text + _STORCLI_VD, encoding="utf-8")
    megacli = "Adapter #0\n\n    Versions\n    ================\nSerial No : SV1\n\n    Status\n    ================\n"
    megacli += "Any Offline VD Cache Preserved   : Yes\n\nExit Code: 0x00\n"
    (tmp_path / "megacli.txt").write_text(megacli, encoding="utf-8")
    found = inventory(tmp_path)
    [controller] = found.controllers
    assert controller.cache is not None
    assert controller.cache.preserved_data is True
    assert sum("disagree on the preserved cache" in one.message for one in found.problems) == doubts


def test_two_outputs_of_one_tool_that_disagree_on_a_write_policy_are_a_problem(tmp_path: Path) -> None:
    """Of outputs before and after a change, write-back counts. Which one is valid now is a doubt."""
    path = tmp_path / "output.txt"
    path.write_text(_STORCLI_VD + _STORCLI_VD.replace("NRWTD", "NRWBD"), encoding="utf-8")
    found = inventory(path)
    assert [one.severity for one in found.problems if "active write policy" in one.message] == ["error"]
    assert [v.cache.write_active for controller in found.controllers for v in controller.volumes if v.cache] == [
        "write_back"
    ]


@pytest.mark.parametrize(("members", "level", "wanted"), [
    ("sda2[0] sdb2[1] sdc2[2] sdd2[3]", "raid10", False), ("sde1[0] sdf1[1]", "raid10", True),
    ("sda2[0] sdb2[1] sdc2[2] sdd2[3]", "raid5", True),
])  # fmt: skip
def test_mdstat_and_mdadm_of_two_machines_are_a_problem(members: str, level: str, wanted: bool, tmp_path: Path) -> None:
    """Arrays of one name differ if they have no common member. They also differ if the level is not the same."""
    path = tmp_path / "output.txt"
    count = len(members.split())
    listing = f"Personalities : [raid1]\nmd0 : active {level} {members}\n      104792064 blocks super 1.2 "
    listing += f"[{count}/{count}] [{'U' * count}]\n\nunused devices: <none>\n"
    path.write_text(f"{listing}\n{_WHOLE}", encoding="utf-8")
    assert any("describe md0 differently" in one.message for one in inventory(path).problems) == wanted


@pytest.mark.parametrize("turned", [False, True])
def test_two_redfish_documents_of_one_path_that_differ_are_a_problem(turned: bool, tmp_path: Path) -> None:
    """Of two machines or moments, the worse health counts, in either order."""
    documents = [
        {
            "@odata.id": "/redfish/v1/Systems/1/Storage/S1/Volumes/1", "@odata.type": "#Volume.v1_4_0.Volume",
            "Id": "1", "RAIDType": "RAID1", "CapacityBytes": 10**12, "Status": {"Health": health, "State": "Enabled"},
        }
        for health in ("OK", "Critical")
    ]  # fmt: skip
    path = tmp_path / "output.txt"
    path.write_text("\n".join(map(json.dumps, documents[::-1] if turned else documents)), encoding="utf-8")
    found = inventory(path)
    assert [volume.status for controller in found.controllers for volume in controller.volumes] == ["failed"]
    assert any(
        one.kind == "unread" and "describe Volumes/1 differently (Status)" in one.message for one in found.problems
    )
    path.write_text("\n".join(json.dumps(documents[1]) for _ in range(2)), encoding="utf-8")
    assert not any("differently" in one.message for one in inventory(path).problems)


@pytest.mark.parametrize(("name", "old", "new"), [
    ("threeware-9690sa-rebuilding/tw_cli-c6-u0-show-all.out", "Write Cache = on", "Write Cache = off"),
    ("areca-arc1882-degraded/cli64-vsf-info-vol-1.out", "Write Back", "Write Through"),
])  # fmt: skip
def test_two_outputs_of_one_volume_with_different_caches_are_a_problem(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    """Of outputs before and after a change, write-back counts. Their order in the file makes no difference."""
    text = (FIXTURES / name).read_text(encoding="utf-8")
    assert old in text
    for given in ((text, text.replace(old, new)), (text.replace(old, new), text)):
        path = tmp_path / "output.txt"
        path.write_text("\n".join(given), encoding="utf-8")
        found = inventory(path)
        assert [one.severity for one in found.problems if "outputs disagree" in one.message] == ["error"]
        [cached] = [v.cache.write_active for controller in found.controllers for v in controller.volumes if v.cache]
        assert cached != "write_through"


_SAME = {
    "0000:5C:00.0": "0000:AF:00.0",
    "PEYHB0CRHC71KQ": "7B03F5D10C2", "600508B1001CD4418A0E6F2B93C75510": "600508B1001C4A11223344556677AA01",
    "600508B1001C0B7F35E1D96A842CC3F7": "600508B1001C4A11223344556677AA02", "S4KVNE0M412201": "PHYW0101AA480DGN",
    "S4KVNE0M412217": "PHYW0101AB480DGN", "WBN0K1A7": "ZA1DK20", "WBN0K1F2": "ZA1DK30", "WBN0K2C9": "ZA1DK40",
}  # fmt: skip
"""Names in the output of ssacli, with those that arcconf prints of another machine."""
_WORKING = {
    "Cache Status: Permanently Disabled": "Cache Status: OK",
    "Battery/Capacitor Status: Failed (Replace Batteries)": "Battery/Capacitor Status: OK",
    "         Write Cache Status: Enabled": "         Write Cache Status: Disabled",
}


@cache
def _ssacli() -> str:
    """A board that works, as ssacli reports it: the same as in `adaptec-smartraid-mixed`."""
    path = FIXTURES / "smartarray-gen10-failed-battery" / "ssacli-ctrl-all-show-config-detail.out"
    text = path.read_text(encoding="utf-8")
    text = text[text.index("   Bus Interface") :]
    reasons = text[text.index("   Cache Status Details") : text.index("   Configured Drive Write Cache")]
    for old, new in {**_SAME, **_WORKING, reasons: ""}.items():
        assert old in text
        text = text.replace(old, new)
    return f"\nHPE Smart Array P408i-a SR Gen10 in Slot 0 (Embedded)\n{text}"


def _beside_ssacli(path: Path, text: str) -> Inventory:
    """The board as arcconf and ssacli report it."""
    arcconf = FIXTURES / "adaptec-smartraid-mixed" / "arcconf-getconfig-1-al.out"
    (path / "arcconf.out").write_text(arcconf.read_text(encoding="utf-8"), encoding="utf-8")
    (path / "ssacli.out").write_text(text, encoding="utf-8")
    found = inventory(path)
    assert [one.id for one in found.controllers] == ["adaptec:1"]
    return found


def test_a_board_that_two_families_report_as_working_has_no_problem(tmp_path: Path) -> None:
    """Only the note that both list it, and nothing changes in what is shown."""
    found = _beside_ssacli(tmp_path, _ssacli())
    assert [one.kind for one in found.problems] == ["note"]
    assert found.controllers == inventory(tmp_path / "arcconf.out").controllers


@pytest.mark.parametrize(
    ("old", "new", "where", "status"),
    [
        ("Controller Status: OK", "Controller Status: Failed", "adaptec:1", "critical"),
        ("Controller Status: OK", "Controller Status: Wobbling", "adaptec:1", "unknown"),
        ("Cache Status: OK", "Cache Status: Permanently Disabled", "adaptec:1", "ok"),
        ("Capacitor Status: OK", "Capacitor Status: Failed (Replace Batteries)", "adaptec:1/battery0", "failed"),
        ("Capacitor Status: OK", "Capacitor Status: Wobbling", "adaptec:1/battery0", "unknown"),
        ("         Status: OK\n         Unrec", "         Status: Failed\n         Unrec", "adaptec:1/v0", "failed"),
        ("         Status: OK\n         Unrec", "         Status: Wobbling\n         Unrec", "adaptec:1/v0", "unknown"),
        ("         Status: OK\n         Drive", "         Status: Failed\n         Drive", "adaptec:1/0,0", "critical"),
    ],
)
def test_what_only_the_other_family_reports_as_bad_is_shown(
    old: str, new: str, where: str, status: str, tmp_path: Path
) -> None:
    """Arcconf reports more, and all of it as ok: the failure or the unknown word that ssacli prints counts."""
    assert old in _ssacli()
    found = _beside_ssacli(tmp_path, _ssacli().replace(old, new, 1))
    [controller] = found.controllers
    assert {one.id: one.status for one in items(controller)}[where] == status
    assert controller.cache is not None
    assert controller.cache.status == ("critical" if "Cache Status" in old else "ok")
    assert any(one.where == where and "disagree on the state" in one.message for one in found.problems)
    doubtful = "Cache Status" in old or "Capacitor" in old
    assert ("protected" in [one.cache.controller_cache for one in controller.volumes if one.cache]) != doubtful
    done = CliRunner().invoke(cli, ["--replay", str(tmp_path), "diagnose"])
    assert done.exit_code == (3 if status == "unknown" else 1)


def test_a_bad_object_that_only_the_other_family_lists_is_reported(tmp_path: Path) -> None:
    """A failed drive of ssacli that arcconf does not list is a problem of the controller."""
    text = _ssacli()
    at = text.rindex("Status: OK", 0, text.index("WBN0K3D4"))
    found = _beside_ssacli(tmp_path, f"{text[:at]}Status: Failed{text[at + len('Status: OK') :]}")
    assert [(one.where, one.severity, one.message) for one in found.problems if one.kind == "state"] == [
        ("adaptec:1", "error", "Only one of the tools reports drive smartarray:0/1I:3:6 as bad: Failed.")
    ]


def test_a_warning_of_the_family_that_is_not_shown_is_not_lost(tmp_path: Path) -> None:
    """Ssacli's messages about the board are problems of the shown controller."""
    text = "\nAPPLICATION UPGRADE REQUIRED: This controller has been configured with a more recent version.\n"
    found = _beside_ssacli(tmp_path, _ssacli().replace("\n   Bus", f"\n{text}\n   Bus", 1))
    assert [one.where for one in found.problems if one.kind == "state"] == ["adaptec:1"]
