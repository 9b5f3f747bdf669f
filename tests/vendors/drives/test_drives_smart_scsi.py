"""Outputs of smartctl for SCSI and NVMe drives. The lines follow scsiprint.cpp and nvmeprint.cpp."""

from __future__ import annotations

import re

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from tests.support.conclusions import read_text
from tests.vendors.drives.smart_outputs import one, read_drives
from tests.vendors.drives.smart_text_outputs import NO_LOG, NVME, SAS


def test_a_sas_drive_is_read() -> None:
    """The model excludes the vendor, and uncorrected errors are summed. The used port gives the speed."""
    part, output = one(SAS)
    assert (part.model, part.serial, part.firmware) == ("HS1200 K10", "HS12K7700014A", "0A03")
    assert (part.size_bytes, part.media, part.rpm) == (1_200_243_695_616, "hdd", 10520)
    assert (part.interface, part.link_gbps, part.write_cache) == ("sas", 12.0, "enabled")
    assert (part.status, part.status_text, part.temperature_celsius) == ("ok", "OK", 41)
    assert (part.power_on_hours, part.wwn) == (31247, "0x5000a1b2c3d4e5f7")
    assert (part.errors_media, part.errors_other) == (3, 19)
    assert part.details["Elements in grown defect list"] == "7"
    assert part.details["Last self-test"].startswith("Background short Completed")
    assert output.unparsed() == []


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("FAILURE PREDICTION THRESHOLD EXCEEDED [asc=5d, ascq=0]", "warning"),
        ("FAILURE PREDICTION THRESHOLD EXCEEDED (FALSE) [asc=5d, ascq=ff]", "warning"),
        ("HARDWARE IMPENDING FAILURE GENERAL HARD DRIVE FAILURE [asc=5d, ascq=10]", "warning"),
        ("WARNING: ENCLOSURE DEGRADED [asc=b, ascq=2]", "warning"),
        ("MOSTLY HARMLESS", "unknown"),
    ],
)
def test_an_informational_exception_is_a_warning(words: str, status: str) -> None:
    """A SCSI drive predicts its failure by a sense code. Other words are unknown."""
    part, _ = one(SAS.replace("SMART Health Status: OK", f"SMART Health Status: {words}"))
    assert (part.status, part.status_text) == (status, words)


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_the_worse_of_two_verdicts_counts(order: slice) -> None:
    """A failed verdict counts, whether a good one is printed before it or after it."""
    good, bad = "SMART Health Status: OK", "SMART Health Status: FAILURE PREDICTION THRESHOLD EXCEEDED [asc=5d, ascq=0]"
    drive, output = one(SAS.replace(good, "\n".join([good, bad][order])))
    assert (drive.status, output.unparsed()) == ("warning", [])


@pytest.mark.parametrize("label", ["SS Media used endurance indicator", "Percentage used endurance indicator"])
def test_the_wear_of_a_sas_ssd_is_read_by_both_labels(label: str) -> None:
    """Older versions of smartctl print the wear under another label."""
    drive, _ = one(SAS.replace("Elements in grown", f"{label}: 99%\nElements in grown"))
    assert (drive.life_used_percent, drive.details[label]) == (99, "99%")


def test_the_form_of_5_38_is_read() -> None:
    """Version 5.38 prints vendor, product and revision on the first line."""
    part, output = one(
        "smartctl version 5.38 [x86_64-pc-linux-gnu] Copyright (C) 2002-8 Bruce Allen\n\n"
        "Device: HARBOR   HS300 K15        Version: 0B12\nSerial number: HS300-77\nDevice type: disk\n"
        "Transport protocol: Parallel SCSI (SPI-4)\nLocal Time is: Tue Mar  3 04:05:06 2009 UTC\n"
        "Device supports SMART and is Enabled\nTemperature Warning Enabled\nSMART Health Status: OK\n\n"
        "Current Drive Temperature:     35 C\nDrive Trip Temperature:        <not available>\n"
        "Manufactured in week 11 of year 2007\nRecommended maximum start stop count:  50000 times\n"
        "Current start stop count:      61 times\nNo self-tests have been logged\n"
    )
    assert (part.model, part.firmware, part.serial) == ("HS300 K15", "0B12", "HS300-77")
    assert (part.interface, part.status, part.temperature_celsius) == ("scsi", "ok", 35)
    assert output.unparsed() == []


def test_an_nvme_drive_is_read() -> None:
    """The size is that of the namespace. Serial number, health log and self-test are read."""
    part, output = one(NVME)
    assert (part.model, part.serial, part.firmware) == ("QUARTZ Q980 1TB", "QZ98A1004417", "4QAX21")
    assert (part.size_bytes, part.media, part.interface) == (960_197_124_096, "ssd", "nvme")
    assert (part.status, part.temperature_celsius, part.power_on_hours) == ("ok", 44, 12088)
    assert (part.errors_media, part.errors_other) == (5, 612)
    assert part.details["Percentage Used"] == "3%"
    assert part.wwn == "0a1b2c 4410a0b0c1"
    assert any("last self-test failed" in problem.message for problem in part.problems)
    assert output.unparsed() == []


def test_the_bits_of_the_critical_warning_are_the_reason() -> None:
    """Every bit is an alert, but only a read-only drive is critical."""
    failed = NVME.replace("result: PASSED", "result: FAILED!\n- media has been placed in read only mode").replace(
        "Critical Warning:                   0x00", "Critical Warning:                   0x08"
    )
    part, output = one(failed)
    assert (part.status, part.status_text) == ("critical", "FAILED!; media has been placed in read only mode")
    assert output.unparsed() == []
    verdict = "SMART overall-health self-assessment test result: FAILED!\n"
    part, _ = one(f"{verdict}- media has been placed in read only mode\n")
    assert part.status == "critical"
    part, _ = one("SMART/Health Information (NVMe Log 0x02)\nCritical Warning:                   0x03\n")
    assert part.status == "warning"
    assert part.status_text == ("available spare has fallen below threshold; temperature is above or below threshold")
    part, _ = one(f"{verdict}- temperature is above or below threshold\n")


def test_a_health_log_alone_is_read() -> None:
    """The health log of ``-A`` identifies an NVMe drive. A byte of 0 is "no warning"."""
    part, _ = one("SMART/Health Information (NVMe Log 0x02)\nCritical Warning:                   0x00\n")
    assert (part.interface, part.media) == ("nvme", "ssd")
    assert (part.status, part.status_text) == ("ok", "Critical Warning: 0x00")


def test_a_scan_names_the_drives() -> None:
    """Each row of ``--scan-open`` is a drive. A device that does not open is a problem."""
    parts, output = read_drives(
        "smartctl --scan-open",
        "/dev/sda -d sat # /dev/sda [SAT], ATA device\n"
        "/dev/bus/2 -d megaraid,7 # /dev/bus/2 [megaraid_disk_07], SCSI device\n"
        "/dev/sdc -d sntjmicron # /dev/sdc [USB NVMe JMicron], NVMe device\n"
        "/dev/nvme0 -d nvme # /dev/nvme0, NVMe device\n"
        "# /dev/sdd -d scsi # /dev/sdd, SCSI device open failed: Permission denied\n",
        "scan",
    )
    assert [(part.device, part.details["type"], part.interface) for part in parts] == [
        ("/dev/sda", "sat", None),
        (None, "megaraid,7", None),
        ("/dev/sdc", "sntjmicron", "usb"),
        ("/dev/nvme0", "nvme", "nvme"),
        ("/dev/sdd", "scsi", None),
    ]
    assert [problem.kind for problem in parts[4].problems] == ["no_right"]
    assert (parts[1].address, parts[1].details["device"]) == ("/dev/bus/2 megaraid,7", "/dev/bus/2")
    assert [fact.value for fact in output.facts if fact.field == "device"] == [
        "/dev/sda", "/dev/sdc", "/dev/nvme0", "/dev/sdd",
    ]  # fmt: skip
    assert output.unparsed() == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Smartctl open device: /dev/sdq failed: No such device", "unread"),
        ("Smartctl open device: /dev/sdq failed: Permission denied", "no_right"),
        (
            "Smartctl open device: /dev/sdq failed: DELL or MegaRaid controller, please try adding '-d megaraid,N'",
            "note",
        ),
        ("/dev/sdq: Unknown USB bridge [0x1234:0x5678 (0x100)]", "unread"),
        ("Log Sense failed, IE page [unsupported field in scsi command]", "unread"),
        ("A mandatory SMART command failed: exiting. To continue, add one or more '-T permissive' options.", "unread"),
        ("Device is in STANDBY mode, exit(2)", "note"),
        ("Read Device Identity failed: scsi error medium or hardware error (serious)", "unread"),
    ],
)
def test_each_reason_why_smartctl_read_nothing_is_a_problem(line: str, kind: str) -> None:
    """Missing, forbidden, asleep and unsupported devices are different problems and no drives."""
    part, output = one(f"smartctl 7.3 2022-02-28 r5338 [x86_64-linux-5.15.0] (local build)\n\n{line}\n")
    assert part.empty
    assert [problem.kind for problem in part.problems] == [kind]
    assert output.unparsed() == []


def test_a_list_of_pending_defects_is_known() -> None:
    """The count of pending defects is a detail. Its list is read."""
    part, output = one(
        SAS.replace(
            "  Pending defect count:0 Pending Defects\n",
            "  Pending defect count:2 Pending Defects: index, LBA and accumulated_power_on_hours follow\n"
            "     1:  0xa1b2c           ,  30111\n     2:  0xa1b2d           ,  30112\n",
        )
    )
    assert part.details["Pending defect count"] == "2"
    assert output.unparsed() == []


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ("   1 50000:12  00000000a1b2c3d4  [3,11,0]   Require Write or Reassign Blocks command\n", 1),
        ("   1 50000:12  00000000a1b2c3d4  [1,17,1]   Recovered via rewrite in-place\n", None),
    ],
)
def test_sectors_that_a_background_scan_could_not_read_are_pending(rows: str, count: int | None) -> None:
    """Sectors that a background scan could not read are pending until written."""
    head = "Background scan results log\n  Status: waiting until BMS interval timer expires\n"
    part, _ = one(f"{SAS}{head}   #  when        lba(hex)    [sk,asc,ascq]    reassign_status\n{rows}\n")
    assert (part.errors_pending or None) == count


@pytest.mark.parametrize("words", ["Completed, segment failed", "Unknown error, incomplete", "Failed in segment -->"])
def test_every_way_of_a_self_test_to_fail_is_a_finding(words: str) -> None:
    """Every failed result is a problem, an aborted test is none."""
    [newest] = (line for line in SAS.splitlines() if line.startswith("# 1 "))
    for shown, bad in ((words, True), ("Aborted (by user command)", False)):
        part, _ = one(SAS.replace(newest, f"# 1  Background long   {shown}   3   30111        4711 [0x3 0x11 0x0]"))
        assert any("self-test failed" in problem.message for problem in part.problems) is bad


def test_a_scsi_drive_that_is_too_hot_is_not_to_be_replaced() -> None:
    """``SPECIFIED TEMPERATURE EXCEEDED`` is no reason to replace the drive."""
    text = SAS.replace("Status: OK", "Status: WARNING - SPECIFIED TEMPERATURE EXCEEDED [asc=b, ascq=1]")
    assert diagnose(read_text(text).inventory, rules()).findings[0].rule == "background_operation"


def test_a_drive_without_a_temperature_log_has_no_temperature() -> None:
    """Current and trip temperature of 0 mean that the temperature is unknown."""
    part, output = one(NO_LOG)
    assert part.temperature_celsius is None
    assert (part.serial, part.rpm) == ("HS12K7700014A", 10520)
    assert output.unparsed() == one(SAS)[1].unparsed()


def test_a_drive_without_smart_is_whole_without_a_verdict() -> None:
    """Without a verdict, an output is complete only for drives without SMART."""
    silent = SAS.partition("SMART Health Status")[0] + "Current Drive Temperature:     41 C\n"
    able = "Available - device has SMART capability.\nSMART support is:     Enabled"
    lacking = silent.replace(able, "Unavailable - device lacks SMART capability.")
    assert lacking != silent
    assert one(silent)[1].gap
    assert not one(lacking)[1].gap


def test_zero_degrees_are_valid_with_another_trip_temperature() -> None:
    """0 °C is valid unless the trip temperature is 0 too."""
    cold = SAS.replace("Temperature:     41 C", "Temperature:     0 C")
    assert one(cold)[0].temperature_celsius == 0
    assert one(cold.replace("Drive Trip Temperature:        60 C\n", ""))[0].temperature_celsius == 0


def test_another_log_gives_the_temperature_if_the_first_has_none() -> None:
    """The environmental report gives the temperature."""
    text = NO_LOG.replace("Drive Trip Temperature:", "Current temperature = 34\nDrive Trip Temperature:")
    assert one(text)[0].temperature_celsius == 34


@pytest.mark.parametrize(
    ("state", "bad"),
    [
        ("halted due to fatal error", 1),
        ("halted due to a vendor specific pattern of error", 1),
        ("halted due to temperature out of range", 0),
        ("no scans active", 0),
    ],
)
def test_a_background_scan_that_an_error_has_halted_is_reported(state: str, bad: int) -> None:
    """The drive stops scanning its media if an error is fatal or there are too many."""
    part, _ = one(SAS.replace("waiting until BMS interval timer expires", state))
    assert sum(state in problem.message for problem in part.problems) == bad


def test_a_reserved_bit_of_nvmes_critical_warning_is_named() -> None:
    """Bits of later versions of NVMe are a warning, too, and the text shows more than ``PASSED``."""
    part, _ = one(re.sub(r"Critical Warning: +0x..", "Critical Warning:   0x40", NVME))
    assert part.status == "warning"
    assert "unknown critical warning 0x40" in (part.status_text or "")
