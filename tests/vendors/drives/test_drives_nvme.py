"""Outputs of nvme-cli, written after its source with invented names and numbers."""

from __future__ import annotations

import json

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.model import Drive
from raidctl.vendor.protocol import Document, Observation
from raidctl_drives import read, sniff
from raidctl_drives.nvme_list import parse_usage
from tests.support.conclusions import read_text

CONTROLLER = """NVME Identify Controller:
vid       : 0x1d0f
sn        : QZ98A1004417       \u0020
mn        : QUARTZ Q980 1TB
fr        : 4QAX21
cmic      : 0
  [3:3] : 0	ANA not supported
  [0:0] : 0	Single Port
wctemp    : 358
 [15:0] : 85 °C (358 K)	Warning Composite Temperature Threshold (WCTEMP)
tnvmcap   : 1,000,204,886,016
vwc       : 0x7
  [2:1] : 0x3	The Flush command supports NSID set to 0xffffffff
  [0:0] : 0x1	Volatile Write Cache Present
subnqn    :
ps      0 : mp:8.25W operational enlat:0 exlat:0 rrt:0 rrl:0
            rwt:0 rwl:0 idle_power:- active_power:-
            active_power_workload:-
            emergency power fail recovery time: -
vs[]:
       0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f
0000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "................"
"""
NAMESPACE = """NVME Identify Namespace 1:
nsze    : 0x747046b0
ncap    : 0x747046b0
nuse    : 0x1000
nlbaf   : 1
flbas   : 0
nguid   : 00000000000000000000000000000000
eui64   : 6479a7500a004417
lbaf  0 : ms:0   lbads:9  rp:0 (in use)
lbaf  1 : ms:0   lbads:12 rp:0\u0020
"""
SMART = """Smart Log for NVME device:nvme2n1 namespace-id:ffffffff
critical_warning			: {warning}
      Available Spare[0]             : 0
temperature				: {temperature}
available_spare				: 100%
percentage_used				: 3%
endurance group critical warning summary: 0
Data Units Read				: 20440112 (10.47 TB)
power_on_hours				: {hours}
media_errors				: 4
num_err_log_entries			: 1,204
Temperature Sensor 1			: 41 °C (314 K)
"""
LIST = """Node                  Generic               SN                   Model                                    Namespace  Usage                      Format           FW Rev \u0020
--------------------- --------------------- -------------------- ---------------------------------------- ---------- -------------------------- ---------------- --------
/dev/nvme0n1          /dev/ng0n1            QZ98A1004417         QUARTZ Q980 1TB                          0x1        122.33  GB /   1.00  TB    512   B +  0 B   4QAX21 \u0020
/dev/nvme1n1          /dev/ng1n1            QZDC46P00291         QUARTZ DC4610 U.2 3840GB                 0x1          0.00   B /   3,84  TB      4 KiB +  8 B   EDC04610
"""  # noqa: E501 - the table is as wide as that
VERBOSE = """Subsystem        Subsystem-NQN                                                                                    Controllers
---------------- ------------------------------------------------------------------------------------------------ ----------------
nvme-subsys0     nqn.1994-11.com.example:nvme:q980:QZ98A1004417                                                    nvme0

Device   SN                   MN                                       FR       TxPort Address        Subsystem    Namespaces     \u0020
-------- -------------------- ---------------------------------------- -------- ------ -------------- ------------ ----------------
nvme0    QZ98A1004417         QUARTZ Q980 1TB                          4QAX21   pcie   0000:01:00.0   nvme-subsys0 nvme0n1

Device       Generic      NSID       Usage                      Format           Controllers    \u0020
------------ ------------ ---------- -------------------------- ---------------- ----------------
/dev/nvme0n1 /dev/ng0n1   0x1        122.33  GB /   1.00  TB    512   B +  0 B   nvme0
"""  # noqa: E501 - the table is as wide as that


def observed(*texts: str) -> Observation:
    """The observation of outputs, of which no line may be left unread."""
    documents = []
    for number, text in enumerate(texts):
        claim = sniff(f"{number}.txt", text)
        assert claim is not None
        assert claim.kind == "nvme"
        documents.append(Document(f"{number}.txt", claim.kind, text))
    found = read(documents)
    assert [line.text for output in found.outputs for line in output.unparsed()] == []
    return found


def only(*texts: str) -> Drive:
    """The only drive of the outputs."""
    (controller,) = observed(*texts).controllers
    (drive,) = controller.drives
    return drive


def smart(warning: str = "0", temperature: str = "41 °C (314 K)", hours: str = "11.230") -> str:
    """A health log."""
    return SMART.format(warning=warning, temperature=temperature, hours=hours)


def test_identify_controller_names_the_drive() -> None:
    """Names and capacity are read; an existing cache may be disabled."""
    drive = only(CONTROLLER)
    assert (drive.id, drive.model, drive.firmware) == ("drives:QZ98A1004417", "QUARTZ Q980 1TB", "4QAX21")
    assert (drive.size_bytes, drive.interface, drive.media) == (1000204886016, "nvme", "ssd")
    assert drive.write_cache is None
    assert drive.details["volatile write cache"] == "present"


def test_a_drive_without_a_volatile_cache_has_none_enabled() -> None:
    """With bit 0 of ``vwc`` clear, the write cache is disabled."""
    drive = only(CONTROLLER.replace("vwc       : 0x7", "vwc       : 0x6"))
    assert (drive.write_cache, drive.details["volatile write cache"]) == ("disabled", "not present")


@pytest.mark.parametrize(("value", "state"), [("0x00000001", "enabled"), ("00000000", "disabled"), ("0x1", "enabled")])
def test_feature_6_shows_whether_the_cache_is_on(value: str, state: str) -> None:
    """The value 0 is printed without 0x."""
    assert only(f"get-feature:0x06 (Volatile Write Cache), Current value:{value}\n").write_cache == state


def test_the_explained_feature_gives_the_same() -> None:
    """``-H`` adds a line in words."""
    text = (
        "get-feature:6 (Volatile Write Cache), Current value: 0x000001\n\tVolatile Write Cache Enable (WCE): Enabled\n"
    )
    assert only(text).write_cache == "enabled"


def test_a_namespace_has_blocks_of_the_format_in_use() -> None:
    """The size is ``nsze`` blocks of ``1 << lbads`` bytes. A name of zeros is not a name."""
    drive = only(NAMESPACE)
    assert (drive.size_bytes, drive.wwn) == (0x747046B0 * 512, "6479a7500a004417")


@pytest.mark.parametrize("figure", ["0x8200000", "08200000", "8200000"])
def test_a_damaged_number_of_blocks_is_survived(figure: str) -> None:
    """A block count that lost its ``x`` raises no exception."""
    text = f"NVME Identify Namespace 1:\nnsze    : {figure}\nlbaf  0 : ms:0   lbads:9  rp:0 (in use)\n"
    assert not read_text(text, "nvme-id-ns.txt").tracebacks


@pytest.mark.parametrize("temperature", ["41 C", "41 °C (314 K)", "41°C (314 Kelvin)", "106 °F (314 K)"])
def test_the_health_log_is_read_in_every_form(temperature: str) -> None:
    """Temperature, hours with separators and errors are read. A warning of 0 is ok."""
    drive = only(smart(temperature=temperature))
    assert (drive.device, drive.temperature_celsius, drive.power_on_hours) == ("/dev/nvme2n1", 41, 11230)
    assert (drive.errors.media, drive.errors.other, drive.status) == (4, 1204, "ok")


@pytest.mark.parametrize(("bits", "status"), [("0x1", "warning"), ("0x4", "warning"), ("0x8", "critical")])
def test_a_critical_warning_is_reported(bits: str, status: str) -> None:
    """An alert is a warning, and a read-only drive is critical. Both are problems."""
    found = observed(smart(warning=bits))
    assert found.controllers[0].drives[0].status == status
    assert [problem.kind for problem in found.problems if "critical warning" in problem.message] == ["state"]


def test_the_list_is_read_by_columns() -> None:
    """Each row is a drive; sizes are decimal with any decimal sign."""
    first, second = observed(LIST).controllers[0].drives
    assert (first.device, first.model, first.size_bytes) == ("/dev/nvme0n1", "QUARTZ Q980 1TB", 10**12)
    assert (second.serial, second.firmware, second.size_bytes) == ("QZDC46P00291", "EDC04610", 3_840_000_000_000)


def test_a_squeezed_list_is_read() -> None:
    """Lost blanks do not move a value to another column."""
    squeezed = "\n".join(" ".join(line.split()) if line.startswith("/dev") else line for line in LIST.splitlines())
    first, _ = observed(squeezed).controllers[0].drives
    assert (first.serial, first.model, first.firmware) == ("QZ98A1004417", "QUARTZ Q980 1TB", "4QAX21")


def test_the_verbose_tables_are_one_drive() -> None:
    """Subsystem, controller and namespace are rows of one drive."""
    drive = only(VERBOSE)
    assert (drive.id, drive.device, drive.details["Address"]) == ("drives:QZ98A1004417", "/dev/nvme0n1", "0000:01:00.0")


def test_outputs_of_one_drive_come_together() -> None:
    """Outputs are merged by serial number. The exact size replaces the rounded one."""
    drive = only(CONTROLLER, LIST.replace("/dev/nvme1n1", "#").split("#", maxsplit=1)[0])
    assert (drive.device, drive.size_bytes) == ("/dev/nvme0n1", 1000204886016)


def test_json_gives_the_same() -> None:
    """The JSON forms of list, id-ctrl and smart-log give the same fields."""
    listed = {
        "Devices": [
            {
                "DevicePath": "/dev/nvme0n1",
                "Firmware": "4QAX21",
                "ModelNumber": "QUARTZ Q980 1TB",
                "SerialNumber": "QZ98A1004417",
                "UsedBytes": 4096,
                "MaximumLBA": 1953525168,
                "PhysicalSize": 1000204886016,
                "SectorSize": 512,
            }
        ]
    }
    controller = {"vid": 7439, "sn": "QZ98A1004417 ", "mn": "QUARTZ Q980 1TB", "fr": "4QAX21", "cntlid": 1, "vwc": 0}
    health = {
        "critical_warning": 0,
        "temperature": 314,
        "avail_spare": 100,
        "power_on_hours": "11230",
        "media_errors": 0,
        "percent_used": 7,
    }
    drive = only(json.dumps(listed), json.dumps(controller))
    assert (drive.device, drive.size_bytes, drive.write_cache) == ("/dev/nvme0n1", 1000204886016, "disabled")
    warm = only(json.dumps(health))
    assert (warm.temperature_celsius, warm.power_on_hours, warm.status) == (41, 11230, "ok")
    assert warm.life_used_percent == 7


def test_verbose_json_finds_controllers_and_namespaces() -> None:
    """In ``list -v -o json`` the drive is the controller and its namespace the device."""
    namespace = {"NameSpace": "nvme0n1", "Generic": "ng0n1", "NSID": 1, "UsedBytes": 0, "PhysicalSize": 1000204886016}
    controller = {
        "Controller": "nvme0",
        "SerialNumber": "QZ98A1004417",
        "ModelNumber": "QUARTZ Q980 1TB",
        "Firmware": "4QAX21",
        "Transport": "pcie",
        "Address": "0000:01:00.0",
        "Namespaces": [namespace],
        "Paths": [],
    }
    subsystem = {"Subsystem": "nvme-subsys0", "SubsystemNQN": "nqn.x", "Controllers": [controller], "Namespaces": []}
    host = {"HostNQN": "nqn.y", "HostID": "z", "Subsystems": [subsystem]}
    drive = only(json.dumps({"Devices": [host]}))
    assert (drive.device, drive.serial, drive.size_bytes) == ("/dev/nvme0n1", "QZ98A1004417", 1000204886016)


def test_vendor_logs_are_details() -> None:
    """A vendor's additional log is kept under its labels."""
    drive = only(
        "Additional Smart Log for NVME device:nvme0 namespace-id:ffffffff\n"
        "key                               normalized raw\n"
        "wear_leveling                   : 100%       min: 3, max: 5, avg: 4\n"
    )
    assert drive.details["wear_leveling"] == "min: 3, max: 5, avg: 4 (normalized 100%)"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("/dev/nvme7: No such file or directory\nUsage: nvme smart-log <device> [OPTIONS]\n\nOptions:\n", "unread"),
        ("Failed to scan topology: No such file or directory\n", "note"),
        ("NVMe status: Invalid Field in Command: A reserved value is set(0x4002)\n", "unread"),
    ],
)
def test_a_refusal_is_a_problem(text: str, kind: str) -> None:
    """A refusal gives no drive, but a problem."""
    found = observed(text)
    assert found.controllers == ()
    assert [problem.kind for problem in found.problems] == [kind]


def test_usages_are_decimal() -> None:
    """The second number of a usage is the decimal size."""
    assert parse_usage("  0.00   B / 960.20  GB") == 960_200_000_000
    assert parse_usage("512   B +  0 B") is None


@pytest.mark.parametrize("figure", ["9" * 400, "9" * 30, "\u0661\u0662", "1.2.3", ","])
def test_an_impossible_size_of_a_namespace_is_none(figure: str) -> None:
    """Neither an impossible size nor digits of another script make a size."""
    assert parse_usage(f"1.00 GB / {figure} TB") is None


def test_an_unreadable_critical_warning_is_reported() -> None:
    """An unreadable critical warning makes the status unknown. A problem quotes it."""
    found = observed(smart("Qzx"))
    assert [drive.status for controller in found.controllers for drive in controller.drives] == ["unknown"]
    (message,) = (problem.message for problem in found.problems if problem.kind == "unread")
    assert "critical_warning 'Qzx'" in message


@pytest.mark.parametrize(("bits", "severity"), [("0", None), ("0x4", "warning"), ("0x8", "error")])
def test_a_warning_of_an_endurance_group_is_reported(bits: str, severity: str | None) -> None:
    """An endurance group's warning is a problem even if ``critical_warning`` is 0."""
    found = observed(smart() + f"endurance group critical warning summary: {bits}\n")
    assert [one.severity for one in found.problems] == ([severity] if severity else [])


def test_an_unreadable_warning_of_an_endurance_group_is_reported() -> None:
    """It is not taken for 0."""
    found = observed(smart() + "endurance group critical warning summary: Qzx\n")
    (problem,) = found.problems
    assert (problem.kind, "critical warning summary 'Qzx'" in problem.message) == ("unread", True)


@pytest.mark.parametrize(
    ("results", "bad"),
    [
        ("0x7", True),
        ("0x6", True),
        ("0", False),
        ("0x1", False),
        ("0|0x7", False),
        ("0x7 (failed)|0", True),
        ("0x1|0x7", True),
        ("0x2|0xf|0x6", True),
        ("0x1|0|0x7", False),
        ("0xf|0xf", False),
    ],  # 1, 2: aborted, 15: no entry
)
def test_a_failed_self_test_is_a_finding(results: str, bad: bool) -> None:
    """A failure in ``nvme self-test-log`` counts until a later test passes. Words may follow a result's number."""
    rows = "".join(f"Self Test Result[{n}]:\n  Operation Result             : {one}\n  Self Test Code : 2\n"
                   for n, one in enumerate(results.split("|")))  # fmt: skip
    text = f"Device Self Test Log for NVME device:nvme0\nCurrent operation  : 0\nCurrent Completion : 0%\n{rows}"
    assert bool([one for one in observed(text).problems if one.kind == "state"]) is bad


@pytest.mark.parametrize(
    ("code", "bad"), [("1", True), ("2", False), (None, True)], ids=["short", "extended", "unknown"]
)
def test_a_short_pass_disproves_no_failure_of_an_extended_self_test(code: str | None, *, bad: bool) -> None:
    """A pass of unknown kind does not, either."""
    kind = "" if code is None else f"  Self Test Code               : {code}\n"
    text = (
        "Device Self Test Log for NVME device:nvme0\nCurrent operation  : 0\nCurrent Completion : 0%\n"
        f"Self Test Result[0]:\n  Operation Result             : 0\n{kind}"
        "Self Test Result[1]:\n  Operation Result             : 0x7\n  Self Test Code               : 2\n"
    )
    assert bool([one for one in observed(text).problems if one.kind == "state"]) is bad


def test_few_spare_blocks_are_a_finding_in_json_too() -> None:
    """``avail_spare`` below ``spare_thresh`` is a finding even if ``critical_warning`` is 0."""
    log = {"critical_warning": 0, "temperature": 311, "avail_spare": 7, "spare_thresh": 10, "percent_used": 3,
           "media_errors": 0}  # fmt: skip
    found = diagnose(read_text(json.dumps(log)).inventory, rules()).findings
    assert [one.rule for one in found] == ["nvme_health"]


@pytest.mark.parametrize(("state", "severity"), [("live", None), ("dead", "error"), ("resetting", "warning")])
def test_a_controller_that_the_kernel_has_lost_is_a_finding(state: str, severity: str | None) -> None:
    """A dead controller in ``nvme list-subsys`` or ``nvme list -v -o json`` is an error."""
    tree = f"nvme-subsys0 - NQN=nqn.2014.08.org:1d0f\n\\\n +- nvme0 pcie 0000:01:00.0 {state}\n"
    entry = {"Controller": "nvme0", "SerialNumber": "QZ98A1", "ModelNumber": "QUARTZ", "Firmware": "4Q", "State": state,
             "Transport": "pcie", "Address": "0000:01:00.0", "Namespaces": [], "Paths": []}  # fmt: skip
    subsystem = {"Subsystem": "nvme-subsys0", "SubsystemNQN": "nqn.2014", "Controllers": [entry], "Namespaces": []}
    for text in (tree, json.dumps({"Devices": [{"Subsystems": [subsystem]}]})):
        problems = read_text(text).inventory.problems
        assert [one.severity for one in problems if one.kind == "state"] == ([severity] if severity else [])


def test_a_failed_drive_outside_any_array_is_copied_first() -> None:
    """No rebuild restores its data, so the remedy begins with a copy."""
    [worst, *_] = diagnose(read_text(smart("0x8")).inventory, rules()).findings
    assert (worst.rule, worst.severity) == ("drive_failed", "critical")
    assert "Copy what can still be read" in (worst.remedy or "")


def test_without_a_volatile_cache_the_feature_that_would_switch_it_is_no_contradiction() -> None:
    """Some drives without a volatile write cache answer feature 6 with 1."""
    identity = "NVME Identify Controller:\nsn      : ABC0123456\nmn      : EXAMPLE Q9\nvwc     : 0\n"
    feature = "get-feature:0x06 (Volatile Write Cache), Current value:0x00000001\n"
    found = read([
        Document("nvme id-ctrl /dev/nvme0", "nvme", identity), Document("nvme get-feature /dev/nvme0", "nvme", feature),
    ])  # fmt: skip
    [drive] = [drive for controller in found.controllers for drive in controller.drives]
    assert (drive.write_cache, found.problems) == ("disabled", ())


@pytest.mark.parametrize(("result", "unread"), [("0xa", 1), ("0xe", 1), ("0x1", 0), ("0x9", 0), ("0", 0), ("0xf", 0)])
def test_a_reserved_result_of_a_self_test_is_unread(result: str, unread: int) -> None:
    """Results 10 to 14 have no meaning; 1 to 4, 8 and 9 are aborted tests."""
    rows = f"Self Test Result[0]:\n  Operation Result             : {result}\n  Self Test Code : 2\n"
    text = f"Device Self Test Log for NVME device:nvme0\nCurrent operation  : 0\nCurrent Completion : 0%\n{rows}"
    assert len([one for one in observed(text).problems if one.kind == "unread"]) == unread


def test_a_count_of_media_errors_that_is_no_number_is_unread() -> None:
    """It is not 0."""
    found = observed(SMART.replace("media_errors				: 4", "media_errors				: 0x4?"))
    assert any("media_errors" in one.message and one.kind == "unread" for one in found.problems)
    assert not any("media_errors" in one.message for one in observed(SMART).problems)
