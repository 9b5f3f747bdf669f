"""JSON outputs of smartctl. The keys follow its source, with invented names and numbers."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from raidctl.evidence import Output
from raidctl.vendor.protocol import Document
from raidctl_drives import read
from raidctl_drives.smart import sniff_smartctl
from tests.vendors.drives.smart_json_outputs import ATA, HEAD, NVME, SAS
from tests.vendors.drives.smart_outputs import Reported, read_drives


def one(tree: object) -> tuple[Reported, Output]:
    """The only part of a JSON output, and its output object."""
    parts, output = read_drives("smartctl -j -a /dev/sdq", json.dumps(tree), "drive")
    assert len(parts) == 1
    return parts[0], output


def test_an_ata_drive_is_read() -> None:
    """The JSON gives the same fields and words as the text output."""
    part, output = one(ATA)
    assert (part.device, part.model, part.serial, part.firmware) == (
        "/dev/sdq", "HARBOR HD4000QX-2", "HBQ40A17", "HQ07",
    )  # fmt: skip
    assert (part.size_bytes, part.media, part.rpm) == (4_000_787_030_016, "hdd", 5400)
    assert (part.interface, part.link_gbps, part.write_cache) == ("sata", 3.0, "enabled")
    assert (part.status, part.status_text) == ("ok", "PASSED")
    assert (part.temperature_celsius, part.power_on_hours, part.errors_media) == (33, 20457, 8)
    assert part.wwn == "5 0a132c 3d55bf607"
    assert any("last self-test failed" in problem.message for problem in part.problems)
    assert output.unparsed() == []


def test_a_sas_drive_is_read() -> None:
    """The model excludes the vendor, and an informational exception is a warning."""
    part, output = one(SAS)
    assert (part.model, part.firmware, part.wwn) == ("HS1200 K10", "0A03", "0x5000a1b2c3d4e5f7")
    assert (part.interface, part.link_gbps, part.errors_media) == ("sas", 12.0, 2)
    assert (part.status, part.status_text) == ("warning", "HARDWARE IMPENDING FAILURE")
    assert output.unparsed() == []


def test_an_nvme_drive_is_read() -> None:
    """The bits of the critical warning are named. The size is that of the namespace."""
    part, output = one(NVME)
    assert (part.size_bytes, part.media, part.interface) == (960_197_124_096, "ssd", "nvme")
    assert (part.status, part.status_text) == ("warning", "FAILED!; NVM subsystem reliability has been degraded")
    assert part.wwn == "0a1b2c 00a1b2c3d4"
    assert (part.errors_media, part.errors_other, part.power_on_hours) == (5, 612, 12088)
    assert output.unparsed() == []


def test_a_usb_adapter_is_the_interface() -> None:
    """A drive behind a USB adapter has the interface USB."""
    device = {"name": "/dev/sdt", "info_name": "/dev/sdt [USB JMicron]", "type": "usbjmicron", "protocol": "ATA"}
    assert one({**ATA, "device": device})[0].interface == "usb"


def test_a_scan_names_the_drives() -> None:
    """``--scan-open --json`` is a list. A device that does not open is a problem."""
    devices = [
        {"name": "/dev/sda", "info_name": "/dev/sda [SAT]", "type": "sat", "protocol": "ATA"},
        {"name": "/dev/nvme0", "info_name": "/dev/nvme0", "type": "nvme", "protocol": "NVMe"},
        {
            "name": "/dev/sdd",
            "info_name": "/dev/sdd",
            "type": "scsi",
            "protocol": "SCSI",
            "open_error": "No such device",
        },
    ]
    parts, output = read_drives("scan", json.dumps({**HEAD, "devices": devices}), "scan")
    assert [(part.key, part.device, part.interface) for part in parts] == [
        ("scan", "/dev/sda", None),
        ("scan#2", "/dev/nvme0", "nvme"),
        ("scan#3", "/dev/sdd", None),
    ]
    assert [problem.kind for problem in parts[2].problems] == ["unread"]
    assert output.unparsed() == []


def test_drives_behind_a_controller_have_no_node() -> None:
    """``/dev/bus/0`` and a volume's node are the controller's. A drive has them only in its address or details."""
    devices = [
        {"name": "/dev/bus/0", "info_name": f"/dev/bus/0 [megaraid_disk_0{n}]", "type": f"megaraid,{n}",
         "protocol": "SCSI"} for n in (4, 5)
    ]  # fmt: skip
    parts, output = read_drives("scan", json.dumps({**HEAD, "devices": devices}), "scan")
    assert [(part.device, part.address) for part in parts] == [
        (None, "/dev/bus/0 megaraid,4"),
        (None, "/dev/bus/0 megaraid,5"),
    ]
    assert output.unparsed() == []
    device = {
        "name": "/dev/sda",
        "info_name": "/dev/sda [cciss_disk_02] [SAT]",
        "type": "sat+cciss,2",
        "protocol": "ATA",
    }
    part, _ = one({**ATA, "device": device})
    assert (part.device, part.details["device"]) == (None, "/dev/sda")


def test_a_log_without_an_identity_is_read() -> None:
    """The health log of ``-A`` identifies an NVMe drive. A byte of 0 is "no warning"."""
    log = {"critical_warning": 0, "temperature": 44, "power_on_hours": 12088}
    part, _ = one({**HEAD, "nvme_smart_health_information_log": log})
    assert (part.interface, part.media) == ("nvme", "ssd")
    assert (part.status, part.status_text) == ("ok", "Critical Warning: 0x00")


@pytest.mark.parametrize("log", ["ata_pending_defects_log", "scsi_pending_defects"])
def test_logs_of_pending_defects_count_unreadable_sectors(log: str) -> None:
    """The count of ``smartctl -j -x`` is the number of pending sectors."""
    part, _ = one({**ATA, log: {"count": 4}})
    assert part.errors_pending == 4


def test_the_wear_is_read_where_smartctl_7_5_reports_it_for_all_drives() -> None:
    """``"endurance_used": {"current_percent": 105}`` gives the wear."""
    part, _ = one({**ATA, "endurance_used": {"current_percent": 105}})
    assert part.life_used_percent == 105


@pytest.mark.parametrize(
    ("status", "tables", "expected"),
    [
        (64 + 128, {}, ["error log", "self-test"]),
        (16, {}, ["threshold"]),
        (32, {}, []),
        (64, {"ata_smart_error_log": {"summary": {"count": 2}}}, []),
        (64, {"nvme_error_information_log": {"table": [{"error_count": 3}]}}, []),
        (128, {"ata_smart_self_test_log": {"standard": {"table": [{"status": {"string": "Fatal error"}}]}}}, []),
        (16 + 8, {"smart_status": {"passed": False}}, []),
    ],
)
def test_what_only_the_exit_status_shows_is_unread(status: int, tables: dict[str, object], expected: list[str]) -> None:
    """A bit of smartctl's exit status that no table of the output explains is a problem."""
    part, _ = one({**HEAD, "smartctl": {"exit_status": status}, "smart_status": {"passed": True}, **tables})
    found = [item for item in part.problems if "exit status" in item.message]
    assert [item.kind for item in found] == ["unread"] * len(expected)
    assert all(word in item.message for word, item in zip(expected, found, strict=True))


def test_errors_that_the_host_has_received_are_reported() -> None:
    """The error log and the device statistics count the same errors, and are one problem."""
    log = {"count": 57, "table": [{"error_number": 57, "error_description": "Error: UNC at LBA = 0x0a = 10"}]}
    row = {"name": "Number of Reported Uncorrectable Errors", "value": 412, "flags": {"valid": True}}
    logged: dict[str, object] = {"ata_smart_error_log": {"extended": log}}
    counted = {"ata_device_statistics": {"pages": [None, {"number": 4, "table": [row]}]}}
    for tables, message in (
        (logged, "The drive's error log counts 57 errors and lists 1 unreadable sector (UNC or IDNF)."),
        ({**logged, **counted}, "The drive counts 412 uncorrectable errors reported to the host."),
    ):
        part, _ = one({**HEAD, "smart_status": {"passed": True}, **tables})
        assert [(item.severity, item.message) for item in part.problems] == [("warning", message)]


def test_impossible_figures_and_exit_status_are_reported() -> None:
    """An impossible temperature is unknown. A failing exit status without a verdict is a problem."""
    tree = {**ATA, "temperature": {"current": 6000}, "smartctl": {"version": [7, 4], "exit_status": 8}}
    del tree["smart_status"], tree["ata_smart_attributes"]
    part, _ = one(tree)
    assert part.temperature_celsius is None
    messages = " ".join(problem.message for problem in part.problems if problem.kind == "unread")
    assert "'temperature.current'" in messages
    assert "exit status" in messages


def test_several_drives_in_one_text() -> None:
    """JSON objects in sequence or in a list are separate drives. Their evidence is separate."""
    for text in (json.dumps(ATA) + "\n" + json.dumps(NVME), json.dumps([ATA, NVME])):
        parts, output = read_drives("loose", text, "drive")
        assert [(part.key, part.serial) for part in parts] == [("drive", "HBQ40A17"), ("drive#2", "QZ98A1004417")]
        assert {fact.object_id for fact in output.facts} == {"drive", "drive#2"}
        assert output.unparsed() == []


def test_messages_of_smartctl_are_problems() -> None:
    """An entry of ``messages`` is a problem like the text output's line."""
    tree = {**HEAD, "smartctl": {"version": [7, 4], "exit_status": 2, "messages": [
        {"string": "Smartctl open device: /dev/sdq failed: Permission denied", "severity": "error"}]}}  # fmt: skip
    part, _ = one(tree)
    assert part.empty
    assert [problem.kind for problem in part.problems] == ["no_right"]


def test_a_text_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    """Half an output gives its facts. It reports that the rest is missing."""
    text = json.dumps(ATA, indent=2)
    parts, output = read_drives("loose", text[: text.index('"power_on_time"')], "drive")
    assert [(part.serial, part.status, part.power_on_hours) for part in parts] == [("HBQ40A17", "ok", None)]
    assert [problem.kind for problem in parts[0].problems][-1] == "unread"
    assert output.unparsed() == []


def test_an_unknown_key_stays_unparsed() -> None:
    """A group that smartctl does not print is left for ``--unparsed``."""
    _, output = one({**ATA, "moon": {"phase": "waning"}})
    assert [line.text for line in output.unparsed()] == ['moon.phase: "waning"']


def test_facts_have_the_id_of_their_drive() -> None:
    """With a known serial number, facts have the drive's id."""
    seen = read([Document("loose", "smartctl-json", json.dumps(ATA))])
    assert {fact.object_id for fact in seen.outputs[0].facts} == {"drives:HBQ40A17"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (json.dumps(ATA), "smartctl-json"),
        (json.dumps({**HEAD, "devices": []}), "smartctl-json"),
        ("smartctl 7.4 2023-08-01 r5530 [x86_64-linux] (local build)\nCopyright (C) 2002-23\n", "smartctl"),
        ("/dev/sda -d sat # /dev/sda [SAT], ATA device\n", "smartctl"),
        ("[root@host ~]# smartctl -H /dev/sda\nSMART Health Status: OK\n", "smartctl"),
        ('{"disks": [{"model": "x"}]}', None),
        ("/dev/sda:\n Model Number: X\n", None),
        ("", None),
    ],
)
def test_an_output_is_recognised_by_its_content(text: str, kind: str | None) -> None:
    """Banner, sections and keys distinguish smartctl's output from others'."""
    found = sniff_smartctl("x.txt", text)
    assert (found.kind if found else None) == kind


def test_a_key_with_a_colon_is_survived() -> None:
    """An unknown key with a colon is left for ``--unparsed``. The rest is read."""
    part, output = one({**ATA, "moon: phase": "waning"})
    assert part.serial == "HBQ40A17"
    assert [line.text for line in output.unparsed()] == ['moon: phase: "waning"']


def test_a_drive_without_a_temperature_log_has_no_temperature() -> None:
    """Two zeros mean no temperature log. With a trip temperature, 0 °C is valid."""
    assert one({**SAS, "temperature": {"current": 0, "drive_trip": 0}})[0].temperature_celsius is None
    assert one({**SAS, "temperature": {"current": 0, "drive_trip": 60}})[0].temperature_celsius == 0
    assert one({**SAS, "temperature": {"current": 0}})[0].temperature_celsius == 0


@pytest.mark.parametrize(
    "status", ["Fatal or unknown error", "Completed: handling damage??", "Completed: read failure"]
)
def test_every_failed_self_test_is_reported_as_in_the_text(status: str) -> None:
    """Each result of a self-test that found a fault is a problem; an aborted one is not."""
    for result, bad in ((status, True), ("Aborted by host", False)):
        row = {"type": {"string": "Short offline"}, "status": {"string": result, "passed": False}}
        part, _ = one({**ATA, "ata_smart_self_test_log": {"standard": {"table": [row]}}})
        assert any("last self-test failed" in problem.message for problem in part.problems) is bad


@pytest.mark.parametrize(("kind", "bad"), [("Short", True), ("Extended", False)])
def test_an_earlier_self_test_that_failed_counts_until_one_of_the_whole_drive_passes(kind: str, *, bad: bool) -> None:
    """Each kind of drive has its own log; the newest test is the first."""
    good = {"string": f"{kind} offline"}, {"string": "Completed without error"}
    failed = {"string": "Extended offline"}, {"string": "Completed: read failure"}
    ata = [dict(zip(("type", "status"), row, strict=True)) for row in (good, failed)]
    nvme = [
        {"self_test_code": {"string": code}, "self_test_result": {"value": value, "string": words}}
        for code, value, words in ((kind, 0, "Completed without error"), ("Extended", 7, "Completed: failed segments"))
    ]
    code = "long" if kind == "Extended" else "short"
    scsi = {
        "scsi_self_test_0": {"code": {"string": f"Background {code}"}, "result": {"value": 0, "string": "Completed"}},
        "scsi_self_test_1": {
            "code": {"string": "Background long"},
            "result": {"value": 7, "string": "Failed in segment"},
        },
    }
    both = {**ATA, "ata_smart_self_test_log": {"extended": {"table": ata}, "standard": {"table": ata}}}
    other = {**ATA, "ata_smart_self_test_log": {}, "nvme_self_test_log": {"table": nvme}}
    for log in (both, other, {**SAS, **scsi}):
        part, _ = one(log)
        assert [problem.kind for problem in part.problems if "self-test" in problem.message] == ["state"] * bad


@pytest.mark.parametrize(("value", "bad"), [(121, True), (0, False), (33, False), (249, False)])
def test_a_failed_self_test_counts_that_only_the_status_shows(value: int, bad: bool) -> None:
    """The high half of the status byte is 3 to 8 then; 2 is an interrupted test, 15 a running one."""
    part, _ = one({**ATA, "ata_smart_self_test_log": {}, "ata_smart_data": {"self_test": {"status": {"value": value}}}})
    assert any("last self-test failed" in problem.message for problem in part.problems) is bad


@pytest.mark.parametrize("passed", [True, None])
def test_a_failing_exit_status_counts_beside_a_verdict_that_passed(passed: bool | None) -> None:
    """Bit 3 of the exit status is a failing drive: the contradiction is a problem, as for a live drive."""
    part, _ = one({**ATA, "smartctl": {**HEAD["smartctl"], "exit_status": 8}, "smart_status": {"passed": passed}})
    assert any("exit status reports a failing drive" in problem.message for problem in part.problems)


@pytest.mark.parametrize(("value", "threshold", "failed"), [(10, 10, True), (11, 10, False), (1, 0, False)])
def test_a_value_at_its_threshold_fails_whatever_else_the_row_contains(
    value: int, threshold: int, *, failed: bool
) -> None:
    """As in the text, an attribute fails at its threshold, unless that is 0."""
    row = {"id": 5, "name": "Reallocated_Sector_Ct", "value": value, "thresh": threshold, "when_failed": "",
           "flags": {"prefailure": True}, "raw": {"value": 0, "string": "0"}}  # fmt: skip
    part, _ = one({**ATA, "ata_smart_attributes": {"table": [row]}})
    assert ("FAILING_NOW" in (part.status_text or "")) is failed


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (NVME, ("nvme_smart_health_information_log", "critical_warning")),
        (NVME, ("nvme_smart_health_information_log", "percentage_used")),
        (SAS, ("scsi_error_counter_log", "read", "total_uncorrected_errors")),
        (SAS, ("scsi_grown_defect_list",)),
    ],
)
@pytest.mark.parametrize("value", ["many", -1])
def test_a_count_that_is_none_is_unread(document: dict[str, Any], path: tuple[str, ...], value: object) -> None:
    """A count that is not a number, or is below 0, is not taken for one that was not printed."""
    changed = copy.deepcopy(document)
    place = changed
    for name in path[:-1]:
        place = place.setdefault(name, {})
    place[path[-1]] = value
    part, _ = one(changed)
    assert any(problem.kind == "unread" and path[-1] in problem.message for problem in part.problems)


def test_an_unknown_word_for_a_failed_attribute_is_unread() -> None:
    """``when_failed`` is empty, ``past`` or ``now``."""
    row = {"id": 5, "name": "Reallocated_Sector_Ct", "value": 100, "thresh": 10, "when_failed": "soon",
           "flags": {"prefailure": True}, "raw": {"value": 0, "string": "0"}}  # fmt: skip
    part, _ = one({**ATA, "ata_smart_attributes": {"table": [row]}})
    assert any(problem.kind == "unread" and "'soon'" in problem.message for problem in part.problems)
