"""The tables of tw_cli about controllers, units, drives and batteries."""

from __future__ import annotations

import pytest

from raidctl.model import BatteryStatus, Health, RaidLevel, VolumeStatus
from tests.support.judged import wrong
from tests.support.scripted_tools import unparsed
from tests.vendors.threeware.threeware_outputs import (  # fmt: skip
    ALL,
    BATTERY,
    CONTROLLERS,
    DRIVE,
    ENCLOSURE,
    MORE,
    OLD_PORTS,
    PORTS,
    RULE,
    UNIT,
    UNIT_HEAD,
    UNITS,
    controller,
    observed,
)

GIB = 1024**3


def test_the_controller_is_read() -> None:
    """The controller's number is the tool's, its memory is binary. Labels without a field are details."""
    found = controller(CONTROLLERS, ALL)
    assert (found.id, found.model, found.serial) == ("threeware:2", "9650SE-8LPML", "L326025A8350411")
    assert (found.firmware, found.mode) == ("FE9X 4.10.00.027", "raid")
    assert found.cache is not None
    assert found.cache.size_bytes == 224 * 1024**2
    assert found.details["Driver Version"] == "2.26.08.007"


def test_a_unit_is_an_array_and_a_volume() -> None:
    """Sizes are binary; the SCSI target is the number of the unit."""
    found = controller(ALL)
    (volume,) = found.volumes
    (array,) = found.arrays
    assert (volume.id, volume.array, volume.raid_level) == ("threeware:2/v0", "threeware:2/u0", "raid5")
    assert (volume.size_bytes, volume.strip_bytes) == (round(465.641 * GIB), 65536)
    assert volume.details["SCSI target"] == "0:0:0"
    assert array.drives == ("threeware:2/p0", "threeware:2/p1", "threeware:2/p2")


def test_a_spare_is_a_drive_and_no_volume() -> None:
    """A spare's unit is a detail of its drive, if listed."""
    spare = controller(ALL).drives[3]
    assert (spare.role, spare.array, spare.details["u1 UnitType"]) == ("spare", None, "SPARE")
    alone = controller(UNITS)
    assert [volume.id for volume in alone.volumes] == ["threeware:unknown/v0"]
    assert alone.details["u1 Status"] == "OK"


@pytest.mark.parametrize("word", ["DEGRADED", "INOPERABLE", "OFFLINE", "BEWILDERED"])
def test_a_spare_whose_unit_is_not_well_is_reported(word: str) -> None:
    """A bad state of a spare's unit is one of its drive, also if its port is OK; without the port, it is a problem."""
    changed = ALL.replace("SPARE     OK        ", f"SPARE     {word:10}")
    spare = controller(changed).drives[3]
    alone = observed(UNITS.replace("SPARE     OK        ", f"SPARE     {word:10}"))
    assert spare.role == "spare"
    assert (spare.status, spare.status_text) == (("ok", "OK") if word[0] == "B" else ("critical", f"spare unit {word}"))
    assert [word in problem.message for problem in alone.problems] == [True]
    found = observed(changed)
    assert wrong(found) | {problem.where for problem in found.problems} == {spare.id}


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
    """The percentage is that of the operation in the status word."""
    (volume,) = controller(UNIT_HEAD + f"u0    RAID-6    {row}  64K     100.0     OFF    OFF\n").volumes
    assert (volume.status, volume.status_text) == (status, row.split(maxsplit=1)[0])
    found = (volume.progress.operation, volume.progress.percent) if volume.progress else (None, None)
    assert found == (operation, percent)


@pytest.mark.parametrize(("word", "kind"), [("LEVITATING", "unread"), ("UNKNOWN", "state"), ("OK*", "state")])
def test_an_odd_status_is_reported(word: str, kind: str) -> None:
    """An odd status is a problem. Unknown words, the tool's `UNKNOWN` and the mark of a drive error are odd."""
    found = observed(UNIT_HEAD + f"u0    RAID-6    {word}  - - 64K 100.0 OFF OFF\n")
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
    """A migrating unit has two levels, so its level is unknown. The tool's word is kept."""
    found = observed(UNIT_HEAD + f"u0    {word}    OK  - - - 100.0 OFF OFF\n")
    (volume,) = found.controllers[0].volumes
    assert (volume.raid_level, volume.details["UnitType"]) == (level, word)
    assert found.problems == ()


def test_the_units_table_of_old_releases() -> None:
    """The units table of old releases is read.

    Its columns differ, the strip size has a blank, and only the write cache is shown.
    """
    text = (
        "Unit  UnitType  Status         %Cmpl  Stripe  Size(GB)  Cache  AVerify  IgnECC\n"
        + RULE
        + "u0    RAID-5    VERIFYING      12     64 K    465.641   OFF    OFF      OFF\n"
    )
    (volume,) = controller(text).volumes
    assert (volume.strip_bytes, volume.details["IgnECC"]) == (65536, "OFF")
    assert volume.progress is not None
    assert volume.progress.percent == 12.0
    assert volume.cache is not None
    assert (volume.cache.write_policy, volume.cache.read_policy) == ("write_through", None)
    assert volume.consistency_check is not None
    assert volume.consistency_check.mode == "manual"


def test_drives_of_newer_releases() -> None:
    """SAS models exclude the vendor; enclosure and slot are read."""
    drives = controller(ALL).drives
    assert [drive.id for drive in drives][:2] == ["threeware:2/p0", "threeware:2/p1"]
    assert (drives[1].model, drives[1].interface, drives[1].size_bytes) == (
        "WDC WD2502ABYS-01B7A", "sata", round(232.88 * GIB),
    )  # fmt: skip
    assert (drives[2].model, drives[2].enclosure, drives[2].bay) == ("ST3250620NS", "e1", "4")
    assert (drives[4].role, drives[4].array) == ("unassigned", None)


def test_drives_of_older_releases() -> None:
    """The count of blocks gives the exact size. An empty port is not a drive."""
    drives = controller(OLD_PORTS).drives
    assert [(drive.serial, drive.size_bytes) for drive in drives] == [
        ("5QE0AB1C", 488397168 * 512), ("5QE0AB7K", 488397168 * 512),
    ]  # fmt: skip


def test_ports_alone_do_not_show_the_kind_of_unit() -> None:
    """Ports alone show no volume. A unit of one drive may be a hot spare."""
    found = controller(PORTS)
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
    """A bad status is a problem of the drive."""
    found = observed(UNITS, PORTS.replace("p1    OK             u0", f"p1    {word:<14} u0"))
    drive = found.controllers[0].drives[1]
    assert (drive.status, drive.status_text) == (health, word)
    assert (drive.id in wrong(found)) == (health != "ok")


def test_the_target_of_a_rebuild_is_a_warning() -> None:
    """DEGRADED in a rebuilding unit is a warning."""
    units = UNITS.replace("u0    RAID-5    OK             -  ", "u0    RAID-5    REBUILDING     4% ")
    found = controller(units, PORTS.replace("p1    OK      ", "p1    DEGRADED"))
    assert found.drives[1].status == "warning"


def test_the_worse_status_of_a_drive_counts() -> None:
    """A drive that is DEGRADED in its unit stays so. The order does not matter."""
    ports = PORTS.replace("p1    OK      ", "p1    DEGRADED")
    for texts in ((ports, DRIVE), (DRIVE, ports)):
        assert controller(UNITS, *texts).drives[1].status_text == "DEGRADED"


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
    """A bad status and an unknown word are problems of the battery."""
    found = observed(BATTERY.replace("OK        OK       OK", f"{word:<9} OK       OK"))
    (battery,) = found.controllers[0].batteries
    assert (battery.kind, battery.status, battery.replace, battery.status_text) == ("battery", status, replace, word)
    assert [problem.kind for problem in found.problems] == (["unread"] if status == "unknown" else [])
    assert (battery.id in wrong(found)) == (status not in ("ok", "missing", "unknown"))


def test_a_battery_in_full() -> None:
    """All labels of a battery are read. The temperature is in degrees Celsius."""
    found = controller(
        "  /c2/bbu Online State              = On\n  /c2/bbu BBU Ready                 = No\n"
        "  /c2/bbu BBU Status                = Charging\n  /c2/bbu Battery Temperature Value = 31 deg C\n"
        "  /c2/bbu Estimated Backup Capacity = 88 Hours\n"
    )
    (battery,) = found.batteries
    assert (battery.status, battery.temperature_celsius) == ("charging", 31)
    assert battery.details["Estimated Backup Capacity"] == "88 Hours"


@pytest.mark.parametrize(("word", "count"), [("OK", 1), ("TESTING", 1), ("-", 0)])
def test_the_list_of_controllers_shows_batteries(word: str, count: int) -> None:
    """A dash means that the controller has no battery."""
    assert len(controller(CONTROLLERS.replace("OK       \n", f"{word}\n")).batteries) == count


@pytest.mark.parametrize("lines", [1, 2])
def test_a_list_that_is_cut_off_behind_its_head_is_not_empty(lines: int) -> None:
    """A table ending below its titles or their rule is cut off."""
    head = UNITS.lstrip("\n").splitlines()[:lines]
    [output] = observed("\n" + "\n".join(head) + "\n").outputs
    assert output.cut_off == "nothing follows the head of its last table"


def test_a_list_that_is_cut_off_in_its_last_column_is_read() -> None:
    """Without the last column, the battery is unknown."""
    assert controller(CONTROLLERS.replace("OK       \n", "")).model == "9650SE-8LPML"


def test_units_that_are_not_optimal_are_reported_if_not_listed() -> None:
    """A unit that the controller counts as not optimal is a problem, unless a unit is listed in such a state."""
    counted = CONTROLLERS.replace("2       0       2", "2       1       2")
    [row] = [line for line in ALL.splitlines() if line.startswith("u0 ")]
    for outputs, kinds in (
        ((), ["state"]),
        ((ALL,), ["state"]),  # its units are OK
        ((ALL.replace(row, row.replace("OK          ", "DEGRADED    ")),), []),
    ):
        found = [problem.kind for problem in observed(counted, *outputs).problems if "not optimal" in problem.message]
        assert found == kinds


def test_a_drive_in_full() -> None:
    """Serial number, firmware, exact size, hours, temperature and reallocated sectors are read."""
    (drive,) = controller(DRIVE).drives
    assert (drive.serial, drive.firmware, drive.model) == ("WD-WCAT19320042", "02.03B02", "WDC WD2502ABYS-01B7A0")
    assert (drive.size_bytes, drive.power_on_hours, drive.temperature_celsius) == (488397168 * 512, 41077, 34)
    assert (drive.errors.media, drive.rpm, drive.media, drive.link_gbps) == (2, 7200, "hdd", 3.0)
    assert drive.details == {"NCQ Supported": "Yes"}


def test_enclosures_are_kept_in_the_tools_words_and_place_the_drives() -> None:
    """The slot's port gives a drive's bay. A failed part is a problem."""
    found = observed(ALL, ENCLOSURE.replace("fan0        OK  ", "fan0        FAIL"))
    (only,) = found.controllers
    assert (only.drives[4].enclosure, only.drives[4].bay) == ("e1", "0")
    assert only.details["e1 fan0"] == "Status FAIL, State ON, Step 3, RPM 4120"
    assert [problem.message for problem in found.problems] == ["fan0 of enclosure e1: FAIL."]


def test_an_active_alarm_is_reported_once() -> None:
    """The enclosure's status and its alarm give one problem."""
    text = ENCLOSURE.replace("/c2/e1      OK", "/c2/e1      ALARM-ACTIVATED").replace(
        "alm0        OK             OFF", "alm0        ACTIVATED      ON "
    )
    assert [problem.message for problem in observed(ALL, text).problems] == ["enclosure e1: ALARM-ACTIVATED."]


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ("/c2/e1      OK", "/c2/e1      UNKNOWN", ["unread"]),
        ("Encl        Status\n", "", ["unread"]),
        ("fan0        OK  ", "fan0        UNKNOWN  ", ["unread"]),
        ("fan0        OK  ", "fan0        NOT-AVAILABLE  ", ["unread"]),
        ("fan0        OK  ", "fan0        OFF  ", ["state"]),
        ("fan0        OK  ", "fan0        NOT-REPORTABLE  ", []),
        ("fan0        OK  ", "fan0        NOT-INSTALLED  ", []),
    ],
)
def test_a_part_of_an_enclosure_that_cannot_be_read_is_not_good(before: str, after: str, kinds: list[str]) -> None:
    """A part whose state is unknown is a problem, and so is a fan that is off; an absent part is not.

    The state of an enclosure is unknown if the head above it is missing.
    """
    assert before in ENCLOSURE
    assert [problem.kind for problem in observed(ALL, ENCLOSURE.replace(before, after)).problems] == kinds


@pytest.mark.parametrize(
    ("head", "row"),
    [("Fan  ", "fan0   "), ("TempSensor  ", "temp0  "), ("PowerSupply  ", "pwrs0  "), ("Slot  ", "slot0  "),
     ("Alarm  ", "alm0   ")],
)  # fmt: skip
def test_a_failed_part_below_a_missing_head_is_reported(head: str, row: str) -> None:
    """A row that no table has, or only that of other parts, is not passed over."""
    lines = [line for line in ENCLOSURE.splitlines(keepends=True) if not line.startswith(head)]
    text = "".join(line.replace(" OK", " FAILED", 1) if line.startswith(row) else line for line in lines)
    assert [problem for problem in observed(ALL, text).problems if row.strip() in problem.message]


@pytest.mark.parametrize(
    ("columns", "kinds"),
    [
        ("OFF            off    UNKNOWN        UNKNOWN ", ["state"]),
        ("UNKNOWN        off    UNKNOWN        UNKNOWN ", ["unread"]),
        ("OK             on     UNKNOWN        OK      ", ["unread"]),
        ("OK             on     OK             NOT-REPORTABLE", []),
    ],
)
def test_a_power_supply_that_is_off_or_unknown_is_reported_once(columns: str, kinds: list[str]) -> None:
    """A power supply is one problem if it is off or unknown, and its voltage if only that is unknown."""
    text = ENCLOSURE.replace("OK             on     OK             OK            ", columns)
    assert columns in text
    assert [problem.kind for problem in observed(ALL, text).problems] == kinds


def test_an_unknown_voltage_of_a_battery_is_reported() -> None:
    """A voltage that the controller cannot read is a problem, except of a battery that is not there."""
    unknown = BATTERY.replace("OK        OK       OK  ", "OK        UNKNOWN  OK  ")
    [problem] = observed(unknown).problems
    assert (problem.kind, problem.message) == ("unread", "The battery's voltage is unknown: UNKNOWN.")
    missing = BATTERY.replace("OK        OK       OK  ", "NotPresent UNKNOWN UNKNOWN ")
    assert not observed(missing).problems


def test_sub_units_give_the_members_and_their_state() -> None:
    """A member without a drive is a problem. The counts are read."""
    text = UNIT.replace("p2    -       232.82", "-     -       232.82").replace(
        "u0-2     DISK      OK      ", "u0-2     DISK      DEGRADED"
    )
    found = observed(ALL, text)
    (volume,) = found.controllers[0].volumes
    assert (volume.drives_expected, volume.drives_active) == (3, 2)
    assert volume.details["u0-1"] == "UnitType DISK, Status OK, Port p1, Size(GB) 232.82"
    assert [problem.where for problem in found.problems] == ["threeware:2/v0"]


def test_a_carved_unit_is_several_volumes() -> None:
    """Each volume is a separately sized LUN of the unit's target."""
    row = "u0/v{}    Volume    -              -       -       -     -       {}\n"
    more = row.format(0, "2047.00") + row.format(1, "1529.06")
    carved = UNIT.replace(row.format(0, "465.641"), more)
    volumes = controller(carved).volumes
    assert [volume.id for volume in volumes] == ["threeware:2/v0", "threeware:2/v0-1"]
    assert [volume.details["SCSI target"] for volume in volumes] == ["0:0:0", "0:0:1"]
    assert volumes[1].size_bytes == round(1529.06 * GIB)


def test_a_progress_in_words_is_read() -> None:
    """`is rebuilding with percent completion = 40%` is the progress."""
    text = (
        UNIT.replace("status = OK", "status = REBUILDING")
        .replace("is not rebuilding, its current state is OK", "is rebuilding with percent completion = 40%")
        .replace("state is OK", "state is REBUILDING")
        .replace("u0       RAID-5    OK  ", "u0       RAID-5    REBUILDING")
    )
    (volume,) = controller(text).volumes
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == ("rebuild", 40.0)


def test_every_line_is_used() -> None:
    """No line of versions, events, phys, schedules or rules is left unread."""
    found = observed(CONTROLLERS, ALL, UNIT, DRIVE, ENCLOSURE, MORE, OLD_PORTS)
    assert unparsed(found) == []
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
def test_the_name_of_an_output_may_give_the_controller(name: str, expected: str) -> None:
    """A command line, or a file named after one, gives the controller."""
    assert [item.id for item in observed(UNITS, names=[name]).controllers] == [expected]


def test_a_prompt_gives_the_controller() -> None:
    """The prompts of tw_cli and of the shell give the controller."""
    for prompt in ("//localhost> /c7 show unitstatus", "root@host:~# tw_cli info c7 unitstatus"):
        assert controller(f"{prompt}\n{UNITS}").id == "threeware:7"


def test_controllers_are_kept_apart() -> None:
    """Units with the same number on two controllers are separate."""
    found = observed(ALL, ALL.replace("/c2", "/c3"), names=["tw_cli /c2 show all", "tw_cli /c3 show all"])
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
def test_an_output_without_content_is_a_problem(text: str, kind: str) -> None:
    """An unreadable output is reported differently from a missing controller."""
    found = observed(text)
    assert found.controllers == ()
    assert [problem.kind for problem in found.problems] == [kind]


@pytest.mark.parametrize(("unit", "role"), [("-", "unassigned"), ("u?", None), ("group1", None)])
def test_only_a_drive_without_a_unit_is_unassigned(unit: str, role: str | None) -> None:
    """A hyphen is not a unit; an unknown word leaves the role unknown."""
    text = (
        "Port   Status           Unit   Size        Blocks        Serial\n"
        "---------------------------------------------------------------\n"
        f"p0     OK               {unit:6} 465.76 GB   976773168     RCTLSERIAL01\n"
    )
    (drive,) = controller(text).drives
    assert drive.role == role
    assert bool(observed(text).problems) == (role is None)


def test_a_count_of_blocks_that_contradicts_the_size_is_ignored() -> None:
    """A cut block count is ignored, and a problem reports it."""
    text = (
        "Port   Status           Unit   Size        Blocks        Serial\n"
        "---------------------------------------------------------------\n"
        "p0     OK               u0     465.76 GB   97677"
    )
    (drive,) = controller(text).drives
    assert drive.size_bytes == round(465.76 * GIB)
    assert any("97677" in problem.message for problem in observed(text).problems)
