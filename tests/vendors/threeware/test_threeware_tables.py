from __future__ import annotations

import pytest

from raidctl.model import BatteryStatus, Health, RaidLevel, VolumeStatus
from tests.support.judged import wrong
from tests.vendors.threeware.threeware_texts import (
    ALL,
    BATTERY,
    CARDS,
    DRIVE,
    ENCLOSURE,
    MORE,
    OLD_PORTS,
    PORTS,
    RULE,
    UNIT,
    UNIT_HEAD,
    UNITS,
    card,
    left,
    told,
)  # fmt: skip

GIB = 1024**3


def test_a_card_tells_what_it_is() -> None:
    """Its number is the tool's; memory is binary; what has no field is kept."""
    found = card(CARDS, ALL)
    assert (found.id, found.model, found.serial) == ("threeware:2", "9650SE-8LPML", "L326025A8350411")
    assert (found.firmware, found.mode) == ("FE9X 4.10.00.027", "raid")
    assert found.cache is not None
    assert found.cache.size_bytes == 224 * 1024**2
    assert found.details["Driver Version"] == "2.26.08.007"


def test_a_unit_is_an_array_and_a_volume() -> None:
    """Sizes are binary; the SCSI target is the number of the unit."""
    found = card(ALL)
    (volume,) = found.volumes
    (array,) = found.arrays
    assert (volume.id, volume.array, volume.raid_level) == ("threeware:2/v0", "threeware:2/u0", "raid5")
    assert (volume.size_bytes, volume.strip_bytes) == (round(465.641 * GIB), 65536)
    assert volume.details["SCSI target"] == "0:0:0"
    assert array.drives == ("threeware:2/p0", "threeware:2/p1", "threeware:2/p2")


def test_a_spare_is_a_drive_and_no_volume() -> None:
    """What the units' table says of it is kept with the drive, or with the card where no drive is listed."""
    spare = card(ALL).drives[3]
    assert (spare.role, spare.array, spare.details["u1 UnitType"]) == ("spare", None, "SPARE")
    alone = card(UNITS)
    assert [volume.id for volume in alone.volumes] == ["threeware:unknown/v0"]
    assert alone.details["u1 Status"] == "OK"


@pytest.mark.parametrize(
    ("row", "status", "operation", "percent"),
    [
        ("OK             -       -    ", "ok", None, None),
        ("VERIFYING      -       29%(A)", "checking", "check", 29.0),
        ("VERIFY-PAUSED  -       0%   ", "checking", "check", 0.0),
        ("INITIALIZING   -       63%  ", "initializing", "initialize", 63.0),
        ("INIT-PAUSED    -       5%   ", "initializing", "initialize", 5.0),
        ("REBUILDING     98%     -    ", "rebuilding", "rebuild", 98.0),
        ("REBUILD-PAUSED 0       -    ", "rebuilding", "rebuild", 0.0),
        ("REBUILD-VERIFY 50%(A)  70%(P)", "rebuilding", "rebuild", 50.0),
        ("MIGRATING      -       26   ", "migrating", "migrate", 26.0),
        ("DEGRADED       -       -    ", "degraded", None, None),
        ("INOPERABLE     -       -    ", "failed", None, None),
    ],
)
def test_the_status_of_a_unit(row: str, status: VolumeStatus, operation: str | None, percent: float | None) -> None:
    """With the percentage of the operation that its word names."""
    (volume,) = card(UNIT_HEAD + f"u0    RAID-6    {row}  64K     100.0     OFF    OFF\n").volumes
    assert (volume.status, volume.status_text) == (status, row.split(maxsplit=1)[0])
    found = (volume.progress.operation, volume.progress.percent) if volume.progress else (None, None)
    assert found == (operation, percent)


@pytest.mark.parametrize(("word", "kind"), [("LEVITATING", "unread"), ("UNKNOWN", "state"), ("OK*", "state")])
def test_a_status_that_is_odd_is_said(word: str, kind: str) -> None:
    """A word that nobody knows, the tool's own `UNKNOWN`, and the mark of a drive error."""
    found = told(UNIT_HEAD + f"u0    RAID-6    {word}  - - 64K 100.0 OFF OFF\n")
    assert [(problem.kind, problem.where) for problem in found.problems] == [(kind, "threeware:unknown/v0")]
    assert found.controllers[0].volumes[0].status_text == word


@pytest.mark.parametrize(
    ("word", "level"),
    [
        ("RAID-0", "raid0"), ("RAID-1", "raid1"), ("RAID-5", "raid5"), ("RAID-6", "raid6"), ("RAID-10", "raid10"),
        ("RAID-50", "raid50"), ("JBOD", "jbod"), ("SINGLE", "jbod"), ("Migrator", None),
    ],
)  # fmt: skip
def test_unit_types(word: str, level: RaidLevel | None) -> None:
    """One that migrates has two levels, and none is shown; its own word is kept."""
    found = told(UNIT_HEAD + f"u0    {word}    OK  - - - 100.0 OFF OFF\n")
    (volume,) = found.controllers[0].volumes
    assert (volume.raid_level, volume.details["UnitType"]) == (level, word)
    assert found.problems == ()


def test_the_units_table_of_old_releases() -> None:
    """Other columns, the strip with a blank, the write cache only."""
    text = (
        "Unit  UnitType  Status         %Cmpl  Stripe  Size(GB)  Cache  AVerify  IgnECC\n"
        + RULE
        + "u0    RAID-5    VERIFYING      12     64 K    465.641   OFF    OFF      OFF\n"
    )
    (volume,) = card(text).volumes
    assert (volume.strip_bytes, volume.details["IgnECC"]) == (65536, "OFF")
    assert volume.progress is not None
    assert volume.progress.percent == 12.0
    assert volume.cache is not None
    assert (volume.cache.write_policy, volume.cache.read_policy) == ("write_through", None)


def test_drives_of_newer_releases() -> None:
    """SAS drives without their vendor's column; enclosure and slot where they sit in one."""
    drives = card(ALL).drives
    assert [drive.id for drive in drives][:2] == ["threeware:2/p0", "threeware:2/p1"]
    assert (drives[1].model, drives[1].interface, drives[1].size_bytes) == (
        "WDC WD2502ABYS-01B7A", "sata", round(232.88 * GIB),
    )  # fmt: skip
    assert (drives[2].model, drives[2].enclosure, drives[2].bay) == ("ST3250620NS", "e1", "4")
    assert (drives[4].role, drives[4].array) == ("unassigned", None)


def test_drives_of_older_releases() -> None:
    """Blocks give the exact size; an empty port is no drive."""
    drives = card(OLD_PORTS).drives
    assert [(drive.serial, drive.size_bytes) for drive in drives] == [
        ("5QE0AB1C", 488397168 * 512), ("5QE0AB7K", 488397168 * 512),
    ]  # fmt: skip


def test_ports_alone_do_not_tell_what_their_unit_is() -> None:
    """That of one drive may be a hot spare, that of several is none; no volume is shown."""
    found = card(PORTS)
    assert found.volumes == ()
    assert [drive.role for drive in found.drives] == ["member", "member", "member", None, "unassigned"]
    assert found.drives[0].array == "threeware:2/u0"


@pytest.mark.parametrize(
    ("word", "health"),
    [
        ("OK", "ok"), ("VERIFYING", "ok"), ("REBUILDING", "warning"), ("SMART-FAILURE", "warning"),
        ("ECC-ERROR", "warning"), ("DEGRADED", "critical"), ("DEVICE-ERROR", "critical"), ("READ-TIMEOUT", "critical"),
        ("DRIVE-REMOVED", "critical"), ("NOT-PRESENT", "critical"), ("NOT-SUPPORTED", "critical"),
    ],
)  # fmt: skip
def test_the_status_of_a_drive(word: str, health: Health) -> None:
    """Trouble is a problem of the drive."""
    found = told(UNITS, PORTS.replace("p1    OK             u0", f"p1    {word:<14} u0"))
    drive = found.controllers[0].drives[1]
    assert (drive.status, drive.status_text) == (health, word)
    assert (drive.id in wrong(found)) == (health != "ok")


def test_the_drive_that_a_rebuild_writes_to_is_no_longer_lost() -> None:
    """DEGRADED in a unit that rebuilds is a warning."""
    units = UNITS.replace("u0    RAID-5    OK             -  ", "u0    RAID-5    REBUILDING     4% ")
    found = card(units, PORTS.replace("p1    OK      ", "p1    DEGRADED"))
    assert found.drives[1].status == "warning"


def test_a_drive_that_is_well_itself_stays_degraded_in_its_unit() -> None:
    """The worse of both words counts, in either order."""
    ports = PORTS.replace("p1    OK      ", "p1    DEGRADED")
    for texts in ((ports, DRIVE), (DRIVE, ports)):
        assert card(UNITS, *texts).drives[1].status_text == "DEGRADED"


@pytest.mark.parametrize(
    ("word", "status", "replace"),
    [
        ("OK", "ok", False), ("Testing", "learning", None), ("Charging", "charging", None),
        ("WeakBat", "degraded", True),
        ("Fault", "failed", True), ("Error", "failed", True), ("Failed", "failed", True), ("-", "missing", None),
        ("Dreaming", "unknown", None),
    ],
)  # fmt: skip
def test_a_battery(word: str, status: BatteryStatus, replace: bool | None) -> None:
    """Trouble is a problem of the battery; a word that nobody knows as well."""
    found = told(BATTERY.replace("OK        OK       OK", f"{word:<9} OK       OK"))
    (battery,) = found.controllers[0].batteries
    assert (battery.kind, battery.status, battery.replace, battery.status_text) == ("battery", status, replace, word)
    assert [problem.kind for problem in found.problems] == (["unread"] if status == "unknown" else [])
    assert (battery.id in wrong(found)) == (status not in ("ok", "missing", "unknown"))


def test_a_battery_in_full() -> None:
    """Labels are the tool's own; the temperature is in degrees."""
    found = card(
        "  /c2/bbu Online State              = On\n  /c2/bbu BBU Ready                 = No\n"
        "  /c2/bbu BBU Status                = Charging\n  /c2/bbu Battery Temperature Value = 31 deg C\n"
        "  /c2/bbu Estimated Backup Capacity = 88 Hours\n"
    )
    (battery,) = found.batteries
    assert (battery.status, battery.temperature_celsius) == ("charging", 31)
    assert battery.details["Estimated Backup Capacity"] == "88 Hours"


@pytest.mark.parametrize(("word", "count"), [("OK", 1), ("TESTING", 1), ("-", 0)])
def test_the_list_of_cards_tells_of_batteries(word: str, count: int) -> None:
    """A dash means that there is none."""
    assert len(card(CARDS.replace("OK       \n", f"{word}\n")).batteries) == count


@pytest.mark.parametrize("lines", [1, 2])
def test_a_list_that_is_cut_off_behind_its_head_is_told_apart_from_an_empty_one(lines: int) -> None:
    """Nothing follows the titles of the columns, or the rule below them."""
    head = UNITS.lstrip("\n").splitlines()[:lines]
    [output] = told("\n" + "\n".join(head) + "\n").outputs
    assert output.cut_off == "nothing follows the head of its last table"


def test_a_list_that_is_cut_off_in_its_last_column_is_read() -> None:
    """The battery is not told then."""
    assert card(CARDS.replace("OK       \n", "")).model == "9650SE-8LPML"


def test_units_that_are_not_optimal_are_said_where_nothing_lists_them() -> None:
    """In the list of cards alone."""
    listed = CARDS.replace("2       0       2", "2       1       2")
    assert [problem.kind for problem in told(listed).problems] == ["state"]
    assert told(listed, ALL).problems == ()


def test_a_drive_in_full() -> None:
    """Serial number, firmware, exact size, hours, temperature, reallocated sectors."""
    (drive,) = card(DRIVE).drives
    assert (drive.serial, drive.firmware, drive.model) == ("WD-WCAT19320042", "02.03B02", "WDC WD2502ABYS-01B7A0")
    assert (drive.size_bytes, drive.power_on_hours, drive.temperature_celsius) == (488397168 * 512, 41077, 34)
    assert (drive.errors.media, drive.rpm, drive.media, drive.link_gbps) == (2, 7200, "hdd", 3.0)
    assert drive.details == {"NCQ Supported": "Yes"}


def test_enclosures_are_kept_in_the_tools_words_and_place_the_drives() -> None:
    """The slot's port tells where a drive sits; trouble is a problem of the card."""
    found = told(ALL, ENCLOSURE.replace("fan0        OK  ", "fan0        FAIL"))
    (only,) = found.controllers
    assert (only.drives[4].enclosure, only.drives[4].bay) == ("e1", "0")
    assert only.details["e1 fan0"] == "Status FAIL, State ON, Step 3, RPM 4120"
    assert [problem.message for problem in found.problems] == ["fan0 of enclosure e1: FAIL."]


def test_an_alarm_that_sounds_is_told_once() -> None:
    """The status of the enclosure and the list of its alarms say the same."""
    text = ENCLOSURE.replace("/c2/e1      OK", "/c2/e1      ALARM-ACTIVATED").replace(
        "alm0        OK             OFF", "alm0        ACTIVATED      ON "
    )
    assert [problem.message for problem in told(ALL, text).problems] == ["enclosure e1: ALARM-ACTIVATED."]


def test_sub_units_tell_the_members_and_their_state() -> None:
    """A member without a drive is a problem; the counts are told."""
    text = UNIT.replace("p2    -       232.82", "-     -       232.82").replace(
        "u0-2     DISK      OK      ", "u0-2     DISK      DEGRADED"
    )
    found = told(ALL, text)
    (volume,) = found.controllers[0].volumes
    assert (volume.drives_expected, volume.drives_active) == (3, 2)
    assert volume.details["u0-1"] == "UnitType DISK, Status OK, Port p1, Size(GB) 232.82"
    assert [problem.where for problem in found.problems] == ["threeware:2/v0"]


def test_a_carved_unit_is_several_volumes() -> None:
    """Each is a LUN of the unit's target, with a size of its own."""
    row = "u0/v{}    Volume    -              -       -       -     -       {}\n"
    more = row.format(0, "2047.00") + row.format(1, "1529.06")
    carved = UNIT.replace(row.format(0, "465.641"), more)
    volumes = card(carved).volumes
    assert [volume.id for volume in volumes] == ["threeware:2/v0", "threeware:2/v0-1"]
    assert [volume.details["SCSI target"] for volume in volumes] == ["0:0:0", "0:0:1"]
    assert volumes[1].size_bytes == round(1529.06 * GIB)


def test_a_progress_told_in_words() -> None:
    """`is rebuilding with percent completion = 40%`."""
    text = (
        UNIT.replace("status = OK", "status = REBUILDING")
        .replace("is not rebuilding, its current state is OK", "is rebuilding with percent completion = 40%")
        .replace("state is OK", "state is REBUILDING")
        .replace("u0       RAID-5    OK  ", "u0       RAID-5    REBUILDING")
    )
    (volume,) = card(text).volumes
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == ("rebuild", 40.0)


def test_every_line_is_used() -> None:
    """Versions, events, phys, schedules and rules included."""
    found = told(CARDS, ALL, UNIT, DRIVE, ENCLOSURE, MORE, OLD_PORTS)
    assert left(found) == []
    assert [tool.version for tool in found.tools] == ["2.00.11.020"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tw_cli /c7 show unitstatus", "threeware:7"),
        ("info.c7.unitstatus", "threeware:7"),
        ("unitstatus.txt", "threeware:unknown"),
        ("/srv/c7/unitstatus.txt", "threeware:unknown"),
    ],
)
def test_the_name_of_an_output_may_tell_the_card(name: str, expected: str) -> None:
    """A command line, or a file called after one."""
    assert [item.id for item in told(UNITS, names=[name]).controllers] == [expected]


def test_a_prompt_tells_the_card() -> None:
    """That of tw_cli itself, and the shell's."""
    for prompt in ("//localhost> /c7 show unitstatus", "root@host:~# tw_cli info c7 unitstatus"):
        assert card(f"{prompt}\n{UNITS}").id == "threeware:7"


def test_cards_are_kept_apart() -> None:
    """Units of the same number on two cards."""
    found = told(ALL, ALL.replace("/c2", "/c3"), names=["tw_cli /c2 show all", "tw_cli /c3 show all"])
    assert [item.id for item in found.controllers] == ["threeware:2", "threeware:3"]
    assert [len(item.drives) for item in found.controllers] == [5, 5]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Error: (CLI:003) Specified controller does not exist.\n", "unread"),
        ("No controller found.\n", "note"),
        ("Error: You need root permission to run this.\n", "no_right"),
        ("Hallo Welt\n", "unread"),
        ("", "unread"),
    ],
)
def test_what_tells_nothing_is_a_problem(text: str, kind: str) -> None:
    """Could not read is not nothing there."""
    found = told(text)
    assert found.controllers == ()
    assert [problem.kind for problem in found.problems] == [kind]


@pytest.mark.parametrize(("unit", "role"), [("-", "unassigned"), ("u?", None), ("group1", None)])
def test_only_a_drive_without_a_unit_is_unassigned(unit: str, role: str | None) -> None:
    """What stands for no unit is a hyphen; another word is not understood, and the drive is not called free."""
    text = (
        "Port   Status           Unit   Size        Blocks        Serial\n"
        "---------------------------------------------------------------\n"
        f"p0     OK               {unit:6} 465.76 GB   976773168     RCTLSERIAL01\n"
    )
    (drive,) = card(text).drives
    assert drive.role == role
    assert bool(told(text).problems) == (role is None)


def test_a_count_of_blocks_that_does_not_fit_the_size_is_not_taken() -> None:
    """A figure that was cut off makes no small drive: the size counts, and the doubt is told."""
    text = (
        "Port   Status           Unit   Size        Blocks        Serial\n"
        "---------------------------------------------------------------\n"
        "p0     OK               u0     465.76 GB   97677"
    )
    (drive,) = card(text).drives
    assert drive.size_bytes == round(465.76 * GIB)
    assert any("97677" in problem.message for problem in told(text).problems)
