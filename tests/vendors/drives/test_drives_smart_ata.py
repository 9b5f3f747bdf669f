"""Outputs of smartctl for ATA drives. The lines follow ataprint.cpp, with invented names and numbers."""

from __future__ import annotations

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from tests.support.conclusions import read_text
from tests.vendors.drives.smart_outputs import one, read_drives
from tests.vendors.drives.smart_text_outputs import BANNER, FULL, IDENTITY, TABLE

BRIEF = """SMART Attributes Data Structure revision number: 10
Vendor Specific SMART Attributes with Thresholds:
ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE
  5 Reallocated_Sector_Ct   PO--CK   100   100   010    -    0
  9 Power_On_Hours          -O--CK   077   077   000    -    20457
194 Temperature_Celsius     -O---K   031   056   ---    -    33
199 UDMA_CRC_Error_Count    -OSRCK   200   200   000    -    3
                            ||||||_ K auto-keep
                            |||||__ C event count
                            ||||___ R error rate
                            |||____ S speed/performance
                            ||_____ O updated online
                            |______ P prefailure warning

"""


def test_the_whole_table_of_a_drive_is_read() -> None:
    """Values of an ATA drive come from the most precise line.

    Identity, link, cache, counters and times are read.
    """
    part, output = one(FULL)
    assert (part.model, part.serial, part.firmware) == ("HARBOR HD4000QX-2", "HBQ40A17", "HQ07")
    assert part.size_bytes == 4_000_787_030_016
    assert (part.media, part.rpm, part.interface, part.link_gbps) == ("hdd", 5400, "sata", 3.0)
    assert part.write_cache == "disabled"
    assert part.temperature_celsius == 34
    assert part.power_on_hours == 20458
    assert (part.errors_media, part.errors_other) == (24, 3)
    assert part.wwn == "5 0a1b2c 3d4e5f607"
    assert part.details["Power_On_Hours"] == "20457 (114 21 0)"
    assert part.details["ATA Error Count"] == "2"
    assert output.unparsed() == []


def test_a_world_wide_name_of_zeros_is_none() -> None:
    """A world wide name of zeros in all three groups is none."""
    assert one(FULL)[0].wwn is not None
    assert one(FULL.replace("5 0a1b2c 3d4e5f607", "0 000000 000000000"))[0].wwn is None


def test_a_failed_self_test_and_damaged_sectors_are_reported() -> None:
    """A drive's problem is reported even if its verdict is ``PASSED``."""
    part, _ = one(FULL)
    messages = [problem.message for problem in part.problems if problem.kind == "state"]
    assert part.status == "ok"
    assert any("firmware update" in message for message in messages)
    assert any("last self-test failed: Extended offline Completed: read failure" in message for message in messages)
    assert part.errors_media is not None


def test_capabilities_and_counters_have_separate_fields() -> None:
    """Capabilities and counters have separate fields.

    The maximum link speed, each kind of damaged sector and newer firmware have one each.
    """
    part, output = one(FULL)
    assert (part.link_gbps, part.max_link_gbps) == (3.0, 6.0)
    assert (part.errors_reallocated, part.errors_pending, part.errors_uncorrectable) == (8, 16, 16)
    assert part.errors_link == 3
    assert part.firmware_update == "A firmware update for this drive may be available"
    lines = {fact.field: fact.line.text for fact in output.facts}
    assert lines["max_link_gbps"].startswith("SATA Version is:")
    assert "Reallocated_Sector_Ct" in lines["errors.reallocated"]
    assert lines["firmware_update"].startswith("==> WARNING: ")


@pytest.mark.parametrize("value", ["SATA 3.1", "SATA 3.1, 6.0 Gb/s or more", "SATA 2.6, Unknown (current: 3.0 Gb/s)"])
def test_a_maximum_speed_in_another_form_is_unknown(value: str) -> None:
    """Only the form that smartctl prints is read as a speed."""
    assert one(FULL.replace("SATA 3.1, 6.0 Gb/s (current: 3.0 Gb/s)", value))[0].max_link_gbps is None


def test_every_fact_names_its_line() -> None:
    """Each field has a fact with the line it was read from."""
    part, output = one(FULL)
    facts = {fact.field: fact for fact in output.facts if fact.object_id == "drive"}
    assert facts["serial"].line.text == "Serial Number:    HBQ40A17"
    assert facts["errors.media"].value == "24"
    assert facts["temperature_celsius"].line.text.startswith("Current Temperature:")
    assert {"model", "firmware", "size_bytes", "media", "rpm", "interface", "link_gbps", "wwn", "status"} <= set(facts)
    assert all(fact.object_id == part.key for fact in output.facts)


def test_the_brief_table_is_read() -> None:
    """``-x`` prints the attributes in a shorter form than ``-a``."""
    part, output = one(BANNER + IDENTITY + BRIEF)
    assert (part.errors_media, part.errors_other) == (0, 3)
    assert (part.temperature_celsius, part.power_on_hours) == (33, 20457)
    assert output.unparsed() == []


@pytest.mark.parametrize(
    ("row", "status", "text"),
    [
        ("  5 Reallocated_Sector_Ct   0x0033   001   001   010    Pre-fail  Always   FAILING_NOW 4088", "warning",
         "PASSED; Reallocated_Sector_Ct FAILING_NOW"),
        ("  3 Spin_Up_Time            0x0027   100   001   021    Pre-fail  Always   In_the_past 0", "warning",
         "PASSED; Spin_Up_Time failed In_the_past"),
        ("190 Airflow_Temperature_Cel 0x0022   039   039   045    Old_age   Always   FAILING_NOW 61", "warning",
         "PASSED; Airflow_Temperature_Cel FAILING_NOW"),
        ("190 Airflow_Temperature_Cel 0x0022   069   039   045    Old_age   Always   In_the_past 31", "ok", "PASSED"),
        ("  5 Reallocated_Sector_Ct   PO--CK   001   001   010    NOW  4088", "warning",
         "PASSED; Reallocated_Sector_Ct FAILING_NOW"),
    ],
)  # fmt: skip
def test_an_attribute_under_its_threshold_decides_the_status(row: str, status: str, text: str) -> None:
    """A failing attribute is a warning, whatever the verdict."""
    table = (
        "Vendor Specific SMART Attributes with Thresholds:\nID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH\n"
    )
    part, _ = one(f"{BANNER}SMART overall-health self-assessment test result: PASSED\n\n{table}{row}\n\n")
    assert (part.status, part.status_text) == (status, text)


@pytest.mark.parametrize("verdict", ["", "SMART overall-health self-assessment test result: PASSED\n"])
def test_an_expected_failure_is_a_predicted_one(verdict: str) -> None:
    """The sentence below ``FAILED!`` counts where that line is lost or damaged."""
    text = f"=== START OF READ SMART DATA SECTION ===\n{verdict}"
    part, _ = one(f"{BANNER}{text}Drive failure expected in less than 24 hours. SAVE ALL DATA.\n\n")
    assert part.status == "warning"


def test_a_failed_verdict_is_a_predicted_failure() -> None:
    """``FAILED!`` is a warning, and a repeated attribute counts once."""
    part, output = one(
        BANNER
        + "=== START OF READ SMART DATA SECTION ===\n"
        + "SMART overall-health self-assessment test result: FAILED!\n"
        + "Drive failure expected in less than 24 hours. SAVE ALL DATA.\nFailed Attributes:\n"
        + "ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE\n"
        + "  5 Reallocated_Sector_Ct   0x0033   001   001   010    Pre-fail  Always   FAILING_NOW 4088\n\n"
    )
    assert (part.status, part.errors_media) == ("warning", 4088)
    assert part.status_text == "FAILED!; Reallocated_Sector_Ct FAILING_NOW"
    assert output.unparsed() == []


def test_a_log_with_a_wrong_checksum_is_for_information() -> None:
    """Some firmware writes wrong log checksums. The data on the drive is not affected."""
    warning = "Warning! SMART Self-Test Log Structure error: invalid SMART checksum.\n"
    part, _ = one(BANNER + "SMART overall-health self-assessment test result: PASSED\n" + warning)
    [problem] = part.problems
    assert (problem.kind, problem.severity) == ("state", "info")
    assert "wrong checksum" in problem.message


def test_an_unknown_verdict_is_a_problem() -> None:
    """An unknown verdict is kept. The status is unknown, and a problem reports it."""
    part, _ = one(BANNER + "SMART overall-health self-assessment test result: UNKNOWN!\n")
    assert (part.status, part.status_text) == ("unknown", "UNKNOWN!")
    assert [problem.kind for problem in part.problems] == ["unread"]


@pytest.mark.parametrize(
    ("printed", "size"),
    [
        ("1.000.204.886.016 bytes [1,00 TB]", 1_000_204_886_016),
        ("1 000 204 886 016 bytes [1,00 TB]", 1_000_204_886_016),
        ("1\u00a0000\u202f204\u2019886'016 bytes [1,00 TB]", 1_000_204_886_016),
        ("1\ufffd000\ufffd204\ufffd886\ufffd016 bytes [1,00 TB]", 1_000_204_886_016),
        ("1\u00ef\u00bf\u00bd000\u00e2\u20ac\u00af204\u00c2\u00a0886\u00ff016 bytes [1,00 TB]", 1_000_204_886_016),
        ("10,00,20,48,86,016 bytes [1.00 TB]", 1_000_204_886_016),
        ("250059350016 bytes", 250_059_350_016),
        ("160 bytes [160 GB]", None),
        ("0 bytes", None),
        ("7,757,100,350,738,617,888 bytes [7757 PB]", None),
        ("[No Information Found]", None),
    ],
)
def test_sizes_of_all_locales_are_read(printed: str, size: int | None) -> None:
    """Digit groups of every locale are read. A size that contradicts itself is unknown."""
    part, _ = one(
        f"{BANNER}=== START OF INFORMATION SECTION ===\nUser Capacity:    {printed}\nSerial Number:    X1Y2\n"
    )
    assert part.size_bytes == size


def test_an_old_release_prints_less_and_nothing_is_guessed() -> None:
    """5.x prints neither rotation nor link speed, so both are unknown."""
    part, output = one(
        "smartctl version 5.38 [i686-pc-linux-gnu] Copyright (C) 2002-8 Bruce Allen\n"
        "Home page is http://smartmontools.sourceforge.net/\n\n=== START OF INFORMATION SECTION ===\n"
        "Device Model:     QUARTZ Q250\nSerial Number:    QZ250-1\nFirmware Version: 1.01\n"
        "User Capacity:    250,059,350,016 bytes\n"
        "Device is:        Not in smartctl database [for details use: -P showall]\n"
        "ATA Version is:   7\nATA Standard is:  Exact ATA specification draft version not indicated\n"
        "Local Time is:    Tue Mar  3 04:05:06 2009 UTC\nSMART support is: Available - device has SMART capability.\n"
        "SMART support is: Disabled\n\nSMART Disabled. Use option -s with argument 'on' to enable it.\n"
    )
    assert part.size_bytes == 250_059_350_016
    assert (part.media, part.rpm, part.interface, part.link_gbps, part.status) == (None, None, None, None, None)
    assert [problem.kind for problem in part.problems] == ["state"]
    assert output.unparsed() == []


def test_three_calls_for_one_drive_make_one_part() -> None:
    """``-i``, ``-H`` and ``-A`` of one drive are merged. A second drive is a second part."""
    info, health = BANNER + IDENTITY, BANNER + "SMART overall-health self-assessment test result: PASSED\n"
    other = (BANNER + IDENTITY).replace("HBQ40A17", "HBQ40A18")
    parts, output = read_drives("loose", info + health + BANNER + TABLE + other, "drive")
    assert [(part.key, part.serial, part.status) for part in parts] == [
        ("drive", "HBQ40A17", "ok"),
        ("drive#4", "HBQ40A18", None),
    ]
    assert {fact.object_id for fact in output.facts} == {"drive", "drive#4"}


@pytest.mark.parametrize("order", ["HA", "AH", "AE"])
def test_a_critical_warning_counts_beside_another_call_for_the_drive(order: str) -> None:
    """``-i`` and ``-A`` of an NVMe drive in one text with ``-H`` or ``-l error``, in any order: a read-only drive."""
    calls = {
        "H": "SMART overall-health self-assessment test result: PASSED\n",
        "A": "SMART/Health Information (NVMe Log 0x02)\nCritical Warning: 0x08\n",
        "E": "Error Information (NVMe Log 0x01, 16 of 64 entries)\nNo Errors Logged\n",
    }
    start = f"{BANNER}=== START OF SMART DATA SECTION ===\n"
    first = f"{BANNER}=== START OF INFORMATION SECTION ===\nModel Number:   EXAMPLE Q9\nSerial Number:  ABC0123456\n"
    parts, _ = read_drives("loose", first + "".join(f"{start}{calls[name]}\n" for name in order), "drive")
    assert [part.status for part in parts] == ["critical"]


@pytest.mark.parametrize(("status", "log", "bad"), [(121, "", 1), (17, "", 0), (0, "", 0), (121, "# 1  Short", 1)])
def test_a_failed_self_test_counts_that_only_the_status_shows(status: int, log: str, bad: int) -> None:
    """A drive may have no log of self-tests; with one, the failure is a single problem."""
    row = f"{log} offline   Completed: read failure   90%   12345   123456789\n" if log else ""
    title = "SMART Self-test log structure revision number 1\n" if log else "SMART Self-test Log not supported\n"
    words = "The previous self-test completed having\n\t\t\tthe read element of the test failed.\n"
    table = f"General SMART Values:\nSelf-test execution status:      ( {status:3})\t{words}"
    part, _ = one(f"{BANNER}{IDENTITY}{table}{TABLE}\n{title}{row}\n")
    assert sum("last self-test failed" in problem.message for problem in part.problems) == bad


@pytest.mark.parametrize(
    "name", ["184 End-to-End_Error     ", "187 Reported_Uncorrect   ", "187 Uncorrectable_Error_Cnt"]
)
def test_errors_that_the_host_has_received_are_reported(name: str) -> None:
    """Ten are a warning, fewer are information, none gives no finding."""
    for count, expected in ((0, []), (9, ["info"]), (10, ["warning"])):
        row = f"{name} 0x0032   063   063   000    Old_age   Always       -       {count}\n"
        found = read_text(f"{BANNER}{IDENTITY}{TABLE.rstrip()}\n{row}\n").inventory.problems
        assert [item.severity for item in found if "The drive counts" in item.message] == expected


_STATISTICS = """Device Statistics (GP Log 0x04)
0x03  0x020  4             120  ---  Number of Reallocated Logical Sectors
0x03  0x038  4              14  N--  Number of Realloc. Candidate Logical Sectors
0x04  0x008  4             412  ---  Number of Reported Uncorrectable Errors
"""


def test_device_statistics_count_where_an_attribute_is_missing() -> None:
    """Drives without attribute 5, 187 or 197 count the same in their device statistics; both are one problem."""
    row = "187 Reported_Uncorrect      0x0032   063   063   000    Old_age   Always       -       412\n"
    bare = "\n".join(line for line in TABLE.splitlines() if "Realloc" not in line and "Pending" not in line)
    for table, errors in ((f"{bare}\n\n", (120, 14)), (f"{TABLE.rstrip()}\n{row}\n", (8, 16))):
        inventory = read_text(f"{BANNER}{IDENTITY}{table}{_STATISTICS}\n").inventory
        [drive] = inventory.controllers[0].drives
        assert (drive.errors.reallocated, drive.errors.pending) == errors
        assert [(item.severity, item.message) for item in inventory.problems if "counts" in item.message] == [
            ("warning", "The drive counts 412 uncorrectable errors reported to the host.")
        ]


@pytest.mark.parametrize(
    ("total", "errors", "expected"),
    [
        (57, ["UNC"], ["warning"]),
        (57, ["UNC", "ABRT"], ["info"]),  # of the others, nothing is known
        (2, ["IDNF", "WP, UNC 8 sectors"], ["info"]),
        (57, ["ABRT", "ICRC, ABRT"], []),
        (0, [], []),
    ],
)
def test_unreadable_sectors_of_the_error_log_are_reported(total: int, errors: list[str], expected: list[str]) -> None:
    """A drive's error log reports sectors that it could not read; a refused command (ABRT) is harmless."""
    log = "".join(
        f"Error {total - place} [0] occurred at disk power-on lifetime: 31800 hours (1325 days + 0 hours)\n"
        f"  40 -- 51 00 00 00 00 12 34 56 78 40 00  Error: {words} at LBA = 0x12345678 = 305419896\n\n"
        for place, words in enumerate(errors)
    )
    title = f"SMART Extended Comprehensive Error Log Version: 1 (1 sectors)\nDevice Error Count: {total}\n"
    part, _ = one(f"{BANNER}{IDENTITY}{TABLE}{title}{log}\n")
    assert [item.severity for item in part.problems if "error log" in item.message] == expected


_READ_FAILURE = "Extended offline    Completed: read failure       90%     12340         123456789"


@pytest.mark.parametrize(
    ("newer", "bad"),
    [
        ("Extended offline    Aborted by host               90%     12345         -", True),
        ("Extended offline    Self-test routine in progress 40%     12345         -", True),
        ("Short offline       Completed without error       00%     12345         -", True),
        ("Extended offline    Completed: read failure       90%     12345         123456789", True),
        ("Extended offline    Completed without error       00%     12345         -", False),
    ],
)
def test_a_failed_self_test_counts_until_a_later_one_disproves_it(newer: str, *, bad: bool) -> None:
    """An aborted or short test shows nothing about a sector that an extended test could not read."""
    log = f"SMART Self-test log structure revision number 1\n# 1  {newer}\n# 2  {_READ_FAILURE}\n\n"
    part, _ = one(f"{BANNER}{IDENTITY}{TABLE}\n{log}")
    assert [problem.kind for problem in part.problems if "self-test" in problem.message] == ["state"] * bad


@pytest.mark.parametrize("cell", [0, *range(2, 10)])  # 1: another name may be another attribute
def test_a_damaged_row_of_the_attributes_is_a_problem_or_keeps_its_count(cell: int) -> None:
    """A row that is not understood may have the decisive count or word."""
    row = next(line for line in TABLE.splitlines() if "Current_Pending_Sector" in line)
    cells = row.split()
    cells[cell] = "Qzx"
    part, _ = one(f"{BANNER}{IDENTITY}{TABLE.replace(row, ' '.join(cells))}")
    assert "unread" in {problem.kind for problem in part.problems} or part.values["errors.pending"] == 16


def test_unknown_labels_stay_unparsed() -> None:
    """A label that smartctl does not print is left for ``--unparsed``."""
    _, output = one(BANNER + IDENTITY + "Moon Phase:       waning\n")
    assert [line.text for line in output.unparsed()] == ["Moon Phase:       waning"]


def test_a_figure_that_is_damaged_is_no_figure() -> None:
    """A damaged number is unknown and reported, not cut to first digits."""
    part, _ = one(FULL.replace("4,000,787,030,016 bytes [4.00 TB]", "4,0#0,787,030,016 bytes [4.00 TB]"))
    assert part.size_bytes is None
    assert [problem.kind for problem in part.problems if "'User Capacity'" in problem.message] == ["unread"]


_ROWS = "Vendor Specific SMART Attributes with Thresholds:\nID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH\n"


@pytest.mark.parametrize(
    ("row", "used"),
    [
        ("233 Media_Wearout_Indicator 0x0032   003   003   000    Old_age   Always       -       0", 97),
        # of another maker: gigabytes written
        ("233 Media_Wearout_Indicator 0x0032   100   100   000    Old_age   Always       -       791", None),
        ("233 Media_Wearout_Indicator 0x0000   000   000   000    Old_age   Offline      -       488", None),
        ("231 SSD_Life_Left           0x0013   000   000   000    Pre-fail  Always       -       0", 100),
        ("202 Percent_Lifetime_Remain 0x0030   091   091   001    Old_age   Offline      -       9", 9),
        ("169 Remaining_Lifetime_Perc 0x0000   ---   ---   ---    Old_age   Offline      -       92", None),
    ],
)
def test_attributes_of_what_is_left_give_the_endurance_that_is_used(row: str, used: int | None) -> None:
    """The normalised value counts down from 100 to 0."""
    seen = read_text(f"{BANNER}{IDENTITY}SMART overall-health self-assessment test result: PASSED\n\n{_ROWS}{row}\n\n")
    [drive] = seen.inventory.controllers[0].drives
    assert drive.life_used_percent == used


def test_the_log_of_pending_defects_counts_unreadable_sectors() -> None:
    """``smartctl -l defects`` and the attribute give the larger count."""
    log = "Pending Defects log (GP Log 0x0c)\nIndex                LBA    Hours\n"
    rows = "".join(f"    {n}          12345{n}    43210\n" for n in range(3))
    title = "=== START OF READ SMART DATA SECTION ===\n"
    for attribute, count in (("", 3), ("       1", 3), ("       8", 8)):
        row = f"197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       - {attribute}\n\n"
        text = f"{BANNER}{title}{_ROWS + row if attribute else ''}{log}{rows}\n"
        [drive] = read_text(text).inventory.controllers[0].drives
        assert drive.errors.pending == count


def test_a_drive_that_is_too_hot_is_not_to_be_replaced() -> None:
    """A failing temperature attribute alone leads to the fans, not to replacement."""
    hot = "190 Airflow_Temperature_Cel 0x0022   039   039   045    Old_age   Always   FAILING_NOW 41"
    worn = "  5 Reallocated_Sector_Ct   0x0033   001   001   010    Pre-fail  Always   FAILING_NOW 4088"
    for rows, rule in ((hot, "background_operation"), (f"{worn}\n{hot}", "drive_expects_failure")):
        text = f"{BANNER}{IDENTITY}SMART overall-health self-assessment test result: FAILED!\n\n{_ROWS}{rows}\n\n"
        found = diagnose(read_text(text).inventory, rules()).findings[0]
        assert (found.rule, "Check fans" in (found.remedy or "")) == (rule, rows == hot)


@pytest.mark.parametrize(
    ("words", "unknown"),
    [
        ("Unknown/reserved test status", True), ("Completed: zqx", True), ("zqx", True), ("Aborted by host", False),
        ("Interrupted (host reset)", False), ("Self-test routine in progress", False),
        ("Completed without error", False),
    ],
)  # fmt: skip
def test_a_result_of_the_last_self_test_in_other_words_is_unread(words: str, *, unknown: bool) -> None:
    """A result that smartctl does not know is not a passed test; an aborted test has no result."""
    log = f"SMART Self-test log structure revision number 1\n# 1  Short offline  {words}  00%  12345  -\n\n"
    part, _ = one(f"{BANNER}{IDENTITY}{TABLE}\n{log}")
    assert [problem.kind for problem in part.problems if "self-test" in problem.message] == ["unread"] * unknown


@pytest.mark.parametrize(("status", "unknown"), [(144, 1), (224, 1), (240, 0), (0, 0), (33, 0)])
def test_a_reserved_status_of_the_last_self_test_is_unread(status: int, unknown: int) -> None:
    """The high half of the byte, 9 to 14, has no meaning."""
    table = f"General SMART Values:\nSelf-test execution status:      ( {status:3})\tReserved.\n"
    part, _ = one(f"{BANNER}{IDENTITY}{table}{TABLE}\nSMART Self-test Log not supported\n\n")
    assert sum(problem.kind == "unread" and "self-test" in problem.message for problem in part.problems) == unknown


@pytest.mark.parametrize(
    ("figures", "failed"),
    [("010   010   010", True), ("001   001   010", True), ("011   011   010", False), ("001   001   000", False)],
)
def test_a_value_at_its_threshold_fails_whatever_the_next_column_contains(figures: str, *, failed: bool) -> None:
    """An attribute fails at its threshold, unless that is 0."""
    part, _ = one(FULL.replace("0x0033   100   100   010", f"0x0033   {figures}"))
    assert ("Reallocated_Sector_Ct FAILING_NOW" in (part.status_text or "")) is failed
