from __future__ import annotations

import pytest

from raidctl.vendor.protocol import Confidence
from raidctl_threeware import sniff
from tests.support.judged import wrong
from tests.vendors.threeware.threeware_texts import BATTERY, CARDS, ENCLOSURE, PORTS, RULE, UNIT_HEAD, card, left, told

LIST = (
    "Ctl   Model        (V)Ports  Drives   Units   NotOpt  RRate   VRate  BBU\n"
    + RULE
    + "c0    9650SE-4LPML 4         2        1       0       1       1      -        \n"
    + "c3    9690SA-8I    2         2        1       1       1       1      OK       \n"
)
PORT_HEAD = "VPort Status         Unit Size      Type  Phy Encl-Slot    Model\n" + RULE


def units(kind: str, status: str) -> str:
    """A list of one unit."""
    return f"{UNIT_HEAD}u0    {kind:<9} {status:<14} -       -       64K     465.641   ON     OFF    \n\n"


def ports(model: str, status: str) -> str:
    """A list of one drive."""
    return f"{PORT_HEAD}p0    {status:<14} u0   465.76 GB SATA  0   -            {model}\n\n"


FIRST = units("RAID-5", "OK") + ports("ST3500320NS", "OK")
SECOND = units("RAID-1", "DEGRADED") + ports("ST3500641AS", "DEGRADED")


def test_tables_without_a_card_follow_the_list_of_cards() -> None:
    """One table for each card of the list, in its order."""
    first, second = told(LIST + FIRST + SECOND).controllers
    assert (first.id, first.volumes[0].raid_level, first.drives[0].model) == ("threeware:0", "raid5", "ST3500320NS")
    assert (second.id, second.volumes[0].status, second.drives[0].model) == ("threeware:3", "degraded", "ST3500641AS")
    assert [unit.volumes[0].array for unit in (first, second)] == ["threeware:0/u0", "threeware:3/u0"]


def test_the_same_when_all_units_come_before_all_drives() -> None:
    """As from `info unitstatus` of all cards and then `info drivestatus` of all."""
    text = (
        LIST + units("RAID-5", "OK") + units("RAID-1", "OK") + ports("ST3500320NS", "OK") + ports("ST3500641AS", "OK")
    )
    found = told(text).controllers
    assert [(c.id, c.volumes[0].raid_level, c.drives[0].model) for c in found] == [
        ("threeware:0", "raid5", "ST3500320NS"),
        ("threeware:3", "raid1", "ST3500641AS"),
    ]


def test_two_cards_that_nobody_names_are_never_mixed() -> None:
    """The second one has no number, and that is said."""
    found = told(FIRST + SECOND)
    assert [c.id for c in found.controllers] == ["threeware:unknown", "threeware:unknown-2"]
    assert [c.volumes[0].status for c in found.controllers] == ["ok", "degraded"]
    assert [p.where for p in found.problems if p.kind == "unread"] == ["threeware:unknown-2"]


def test_an_output_given_twice_is_of_one_card() -> None:
    """Nothing new is told by the copy."""
    found = told(FIRST + FIRST)
    assert [(c.id, len(c.drives)) for c in found.controllers] == [("threeware:unknown", 1)]
    assert found.problems == ()


def test_a_reports_heading_names_the_card() -> None:
    """The command between rules, as reports print it."""
    text = f"===== tw_cli /c1 show =====\n{FIRST}=== /usr/sbin/tw_cli info c2 ===\n{SECOND}"
    found = told(text)
    assert [(c.id, c.volumes[0].status) for c in found.controllers] == [
        ("threeware:1", "ok"),
        ("threeware:2", "degraded"),
    ]
    assert left(found) == []


def test_a_row_that_cannot_be_read_is_said() -> None:
    """A drive or a unit that would be missing is a problem that quotes the line."""
    for text in (PORTS.replace("p1    OK ", "pp1   OK "), CARDS.replace("c2    ", "cc2   ")):
        (problem,) = [problem for problem in told(text).problems if problem.kind == "unread"]
        assert "not recognised" in problem.message


def test_two_drives_at_one_port_are_said() -> None:
    """The outputs are of two cards or of two days."""
    found = told(PORTS, PORTS.replace("ST3250310NS ", "ST3999999XX "))
    assert {(p.kind, p.where) for p in found.problems} == {
        ("unread", f"threeware:2/{port}") for port in ("p0", "p3", "p4")
    }


@pytest.mark.parametrize(
    ("version", "module"),
    [
        ("2.26.02.014", "3w-9xxx"), ("3.26.00.028-2.6.32RH", "3w-sas"), ("1.26.03.000-2.6.18", "3w-xxxx"),
        ("3.80.06.003", None),
    ],
)  # fmt: skip
def test_the_driver_is_told_by_its_version(version: str, module: str | None) -> None:
    """Each of the three Linux drivers counts its own; those of other systems are left unnamed."""
    found = card(f"/c2 Driver Version = {version}\n")
    assert (found.driver, found.details["Driver Version"]) == (module, version)


def test_the_available_memory_is_what_is_left_for_data() -> None:
    """It is the only figure of the cache that the tool has."""
    cache = card("/c2 Available Memory = 448MB\n").cache
    assert cache is not None
    assert (cache.size_bytes, cache.available_bytes) == (448 * 1024**2, 448 * 1024**2)


def test_units_that_are_not_optimal_are_said_by_the_summary_too() -> None:
    """`/cX show allunitstatus` tells nothing else."""
    found = told("/c2 Total Optimal Units = 3\n/c2 Not Optimal Units = 1\n")
    assert [(p.kind, p.where) for p in found.problems] == [("state", "threeware:2")]


def test_the_versions_are_no_card() -> None:
    """`show ver` is claimed, against other tools that print a CLI version, and tells the tool's version."""
    text = "CLI Version = 2.00.11.022\nAPI Version = 2.08.00.024\n"
    claim = sniff("ver.txt", text)
    assert claim is not None
    assert claim.confidence is Confidence.SURE
    assert sniff("other.txt", "CLI Version = 007.1017.0000.0000 May 10, 2019\n") is None
    found = told(text)
    assert (found.controllers, [tool.version for tool in found.tools]) == ((), ["2.00.11.022"])


def test_a_batterys_figures_are_read() -> None:
    """With the unit in the label or in the value."""
    for volts, degrees in ((" (mV) = 3905", " (deg C) = 31"), (" = 3.905 V", " = 31 deg C")):
        text = f"/c2/bbu Battery Voltage Value{volts}\n/c2/bbu Battery Temperature Value{degrees}\n"
        (battery,) = card(text).batteries
        assert (battery.voltage_volts, battery.temperature_celsius) == (3.905, 31)


@pytest.mark.parametrize("word", ["HIGH", "LOW", "TOO-HIGH", "TOO-LOW"])
def test_a_battery_out_of_its_range_is_said(word: str) -> None:
    """Volt and temperature have their own columns beside the status."""
    found = told(BATTERY.replace("OK       OK       201", f"{word:<8} OK       201"))
    assert [(p.kind, p.where) for p in found.problems] == [("state", "threeware:unknown/battery0")]
    assert word in found.problems[0].message


def test_a_battery_that_is_not_ready_is_said() -> None:
    """Its status may be OK all the while."""
    found = told(BATTERY.replace("Yes ", "No  "))
    assert found.controllers[0].batteries[0].status == "ok"
    assert [p.kind for p in found.problems] == ["state"]


def test_an_enclosure_alone_is_of_its_card() -> None:
    """Its lists need no plan of the cards."""
    assert [c.id for c in told(ENCLOSURE + ENCLOSURE).controllers] == ["threeware:2"]


def test_a_port_that_is_empty_is_no_trouble() -> None:
    """As `/cX/pX show all` prints it; a unit that misses the drive makes it one."""
    found = told("/c2/p5 Status = NOT-PRESENT\n/c2/p5 Model = Not Available\n")
    assert (found.problems, [c.drives for c in found.controllers]) == ((), [()])
    assert left(found) == []
    missed = told("/c2/p5 Status = NOT-PRESENT\n/c2/p5 Belongs to Unit = u0\n")
    assert wrong(missed) == {"threeware:2/p5"}


def test_a_machine_without_a_card_is_recognised() -> None:
    """By the line that asks for the driver."""
    text = "No controller found.\nMake sure appropriate AMCC/3ware device driver(s) are loaded.\n"
    assert sniff("show.txt", text) is not None
    found = told(text)
    assert ([p.kind for p in found.problems], left(found)) == (["note"], [])


@pytest.mark.parametrize(("count", "message"), [("1", "1 unit not optimal"), ("2", "2 units not optimal")])
def test_units_that_are_counted_and_not_listed_are_named(count: str, message: str) -> None:
    """The number agrees with its noun, and the remedy names the controller."""
    text = LIST[: LIST.index("c3")] + f"c3    9690SA-8I    2         2        2       {count}       1       1      OK\n"
    (found,) = told(text).problems
    assert (found.where, found.message) == ("threeware:3", f"{message}, but none is listed.")
    assert found.remedy == "List the units: `tw_cli /c3 show`."
