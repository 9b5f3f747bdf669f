"""Tables of tw_cli are assigned to the right one of several controllers."""

from __future__ import annotations

import pytest

from raidctl.vendor.protocol import Confidence
from raidctl_threeware import sniff
from tests.support.judged import wrong
from tests.support.scripted_tools import unparsed
from tests.vendors.threeware.threeware_outputs import (
    BATTERY,
    CONTROLLERS,
    ENCLOSURE,
    PORTS,
    RULE,
    UNIT_HEAD,
    controller,
    observed,
)

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


def test_tables_without_a_number_follow_the_list_of_controllers() -> None:
    """Each table belongs to one controller of the list, in its order."""
    first, second = observed(LIST + FIRST + SECOND).controllers
    assert (first.id, first.volumes[0].raid_level, first.drives[0].model) == ("threeware:0", "raid5", "ST3500320NS")
    assert (second.id, second.volumes[0].status, second.drives[0].model) == ("threeware:3", "degraded", "ST3500641AS")
    assert [unit.volumes[0].array for unit in (first, second)] == ["threeware:0/u0", "threeware:3/u0"]


def test_all_units_may_precede_all_drives() -> None:
    """The order is that of `info unitstatus` and then `info drivestatus` of all controllers."""
    text = (
        LIST + units("RAID-5", "OK") + units("RAID-1", "OK") + ports("ST3500320NS", "OK") + ports("ST3500641AS", "OK")
    )
    found = observed(text).controllers
    assert [(c.id, c.volumes[0].raid_level, c.drives[0].model) for c in found] == [
        ("threeware:0", "raid5", "ST3500320NS"),
        ("threeware:3", "raid1", "ST3500641AS"),
    ]


def test_two_unnamed_controllers_are_separate() -> None:
    """The second unnamed controller is reported."""
    found = observed(FIRST + SECOND)
    assert [c.id for c in found.controllers] == ["threeware:unknown", "threeware:unknown-2"]
    assert [c.volumes[0].status for c in found.controllers] == ["ok", "degraded"]
    assert [p.where for p in found.problems if p.kind == "unread"] == ["threeware:unknown-2"]


def test_an_output_given_twice_is_of_one_controller() -> None:
    """A copy of an output adds nothing."""
    found = observed(FIRST + FIRST)
    assert [(c.id, len(c.drives)) for c in found.controllers] == [("threeware:unknown", 1)]
    assert found.problems == ()


def test_a_reports_heading_names_the_controller() -> None:
    """Reports print the command between rules."""
    text = f"===== tw_cli /c1 show =====\n{FIRST}=== /usr/sbin/tw_cli info c2 ===\n{SECOND}"
    found = observed(text)
    assert [(c.id, c.volumes[0].status) for c in found.controllers] == [
        ("threeware:1", "ok"),
        ("threeware:2", "degraded"),
    ]
    assert unparsed(found) == []


def test_a_row_that_cannot_be_read_is_reported() -> None:
    """A drive or unit that could not be read is a problem."""
    for text in (PORTS.replace("p1    OK ", "pp1   OK "), CONTROLLERS.replace("c2    ", "cc2   ")):
        (problem,) = [problem for problem in observed(text).problems if problem.kind == "unread"]
        assert "not recognised" in problem.message


def test_two_drives_at_one_port_are_reported() -> None:
    """Outputs that disagree about a port are a problem."""
    found = observed(PORTS, PORTS.replace("ST3250310NS ", "ST3999999XX "))
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
def test_the_driver_is_known_by_its_version(version: str, module: str | None) -> None:
    """The three Linux drivers have different version numbers; another one is unknown."""
    found = controller(f"/c2 Driver Version = {version}\n")
    assert (found.driver, found.details["Driver Version"]) == (module, version)


def test_the_available_memory_is_the_cache_size() -> None:
    """The tool prints no other size of the cache."""
    cache = controller("/c2 Available Memory = 448MB\n").cache
    assert cache is not None
    assert (cache.size_bytes, cache.available_bytes) == (448 * 1024**2, 448 * 1024**2)


def test_units_that_are_not_optimal_are_reported_from_the_summary() -> None:
    """The count of `/cX show allunitstatus` is enough for a problem."""
    found = observed("/c2 Total Optimal Units = 3\n/c2 Not Optimal Units = 1\n")
    assert [(p.kind, p.where) for p in found.problems] == [("state", "threeware:2")]


def test_the_versions_are_no_controller() -> None:
    """`show ver` is recognised and gives the tool's version only."""
    text = "CLI Version = 2.00.11.022\nAPI Version = 2.08.00.024\n"
    claim = sniff("ver.txt", text)
    assert claim is not None
    assert claim.confidence is Confidence.SURE
    assert sniff("other.txt", "CLI Version = 007.1017.0000.0000 May 10, 2019\n") is None
    found = observed(text)
    assert (found.controllers, [tool.version for tool in found.tools]) == ((), ["2.00.11.022"])


def test_a_batterys_figures_are_read() -> None:
    """The unit is in the label or in the value."""
    for volts, degrees in ((" (mV) = 3905", " (deg C) = 31"), (" = 3.905 V", " = 31 deg C")):
        text = f"/c2/bbu Battery Voltage Value{volts}\n/c2/bbu Battery Temperature Value{degrees}\n"
        (battery,) = controller(text).batteries
        assert (battery.voltage_volts, battery.temperature_celsius) == (3.905, 31)


@pytest.mark.parametrize("word", ["HIGH", "LOW", "TOO-HIGH", "TOO-LOW"])
def test_a_battery_out_of_its_range_is_reported(word: str) -> None:
    """Voltage and temperature have columns beside the status."""
    found = observed(BATTERY.replace("OK       OK       201", f"{word:<8} OK       201"))
    assert [(p.kind, p.where) for p in found.problems] == [("state", "threeware:unknown/battery0")]
    assert word in found.problems[0].message


def test_a_battery_that_is_not_ready_is_reported() -> None:
    """An unready battery is a problem even if its status is OK."""
    found = observed(BATTERY.replace("Yes ", "No  "))
    assert found.controllers[0].batteries[0].status == "ok"
    assert [p.kind for p in found.problems] == ["state"]


def test_an_enclosure_alone_belongs_to_its_controller() -> None:
    """The lists of an enclosure name the controller."""
    assert [c.id for c in observed(ENCLOSURE + ENCLOSURE).controllers] == ["threeware:2"]


def test_an_empty_port_is_no_problem() -> None:
    """`/cX/pX show all` prints empty ports. Only a unit that misses a drive makes such a port a problem."""
    found = observed("/c2/p5 Status = NOT-PRESENT\n/c2/p5 Model = Not Available\n")
    assert (found.problems, [c.drives for c in found.controllers]) == ((), [()])
    assert unparsed(found) == []
    missed = observed("/c2/p5 Status = NOT-PRESENT\n/c2/p5 Belongs to Unit = u0\n")
    assert wrong(missed) == {"threeware:2/p5"}


def test_a_machine_without_a_controller_is_recognised() -> None:
    """The line about the missing driver identifies the tool."""
    text = "No controller found.\nMake sure appropriate AMCC/3ware device driver(s) are loaded.\n"
    assert sniff("show.txt", text) is not None
    found = observed(text)
    assert ([p.kind for p in found.problems], unparsed(found)) == (["note"], [])


@pytest.mark.parametrize(("count", "message"), [("1", "1 unit not optimal"), ("2", "2 units not optimal")])
def test_units_that_are_counted_and_not_listed_are_named(count: str, message: str) -> None:
    """The number agrees with its noun, and the remedy names the controller."""
    text = LIST[: LIST.index("c3")] + f"c3    9690SA-8I    2         2        2       {count}       1       1      OK\n"
    (found,) = observed(text).problems
    assert (found.where, found.message) == ("threeware:3", f"{message}, but none is listed.")
    assert found.remedy == "List the units: `tw_cli /c3 show`."
