"""The overview of storcli gives each controller with its health and battery."""

from __future__ import annotations

import pytest

from raidctl.model import BatteryStatus, Health
from tests.vendors.megaraid.storcli_controller_outputs import HEAD, Read, properties, read

V7 = ["Ctl", "Model", "Ports", "PDs", "DGs", "DNOpt", "VDs", "VNOpt", "BBU", "sPR", "DS", "EHS", "ASOs", "Hlth"]
V8 = ["Ctrl", "Product Name", "SASAddress", "Personality", "Status", "PD(s)", "VD(s)", "VNOpt", "EPack"]


def overview(head: list[str], *rows: list[str], title: str = "System Overview") -> str:
    """An output of ``show``."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    printed = [
        " ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " " for row in (head, *rows)
    ]
    rule = "-" * len(printed[0])
    body = "\n".join((rule, printed[0], rule, *printed[1:], rule))
    return (
        f"{HEAD}Status Code = 0\nStatus = Success\nDescription = None\n\nNumber of Controllers = {len(rows)}\n"
        f"Host Name = anvil\nOperating System  = Linux 6.1.0-18-amd64\n\n{title} :\n{'=' * len(title)}\n\n{body}\n\n"
    )


def row_v7(number: str = "0", bbu: str = "Opt", health: str = "Opt") -> list[str]:
    """A row of storcli."""
    return [number, "PERCH999Mini", "8", "16", "3", "1", "3", "1", bbu, "On", "3", "N", "0", health]


def row_v8(pack: str = "Optimal", status: str = "Optimal") -> list[str]:
    """A row of storcli2."""
    return ["0", "MegaRAID 9999-16i", "0X500062B2DEADBEEF", "RAID", status, "24", "2", "0", pack]


def test_each_row_of_the_overview_is_a_controller() -> None:
    """Each row is a controller with its number; counts are details."""
    found = read(overview(V7, row_v7("0"), row_v7("3")), command="storcli64 show")
    assert list(found.controllers.by_number) == ["0", "3"]
    controller = found.controllers.controller("3")
    assert (controller.get("number"), controller.get("model"), controller.get("vendor")) == (3, "PERCH999Mini", "Dell")
    assert controller.details["System Overview: VNOpt"] == "1"
    assert found.unparsed == []


@pytest.mark.parametrize(
    ("word", "health"),
    [
        ("Opt", "ok"),
        ("NdAtn", "warning"),
        ("Dgd", "warning"),
        ("Fld", "critical"),
        ("Safe", "warning"),
    ],
)
def test_the_health_column(word: str, health: Health | None) -> None:
    """The abbreviations of the legend are known."""
    controller = read(overview(V7, row_v7(health=word))).controller
    assert (controller.get("status"), controller.complaints) == (health, [])


def test_an_unknown_health_is_a_problem() -> None:
    """The legend's ``Unkwn`` is an unknown status, and a problem."""
    controller = read(overview(V7, row_v7(health="Unkwn"))).controller
    assert (controller.get("status"), len(controller.complaints)) == ("unknown", 1)


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("Opt", "ok"),
        ("Fld", "failed"),
        ("Msng", "missing"),
        ("Dgd", "degraded"),
        ("NdAtn", "degraded"),
        ("Chrg", "charging"),
        ("MsngCbl", "failed"),
    ],
)
def test_the_battery_column(word: str, status: BatteryStatus) -> None:
    """The column BBU gives the status of a battery of unknown kind."""
    battery = read(overview(V7, row_v7(bbu=word))).battery
    assert (battery.get("status"), battery.get("status_text")) == (status, word)
    assert battery.get("kind") is None


def test_the_overview_without_a_battery() -> None:
    """N/A in the column BBU is not a battery."""
    assert read(overview(V7, row_v7(bbu="N/A"))).controller.batteries == {}


def test_the_columns_of_v8() -> None:
    """Product Name, Personality, Status and EPack are read."""
    found = read(overview(V8, row_v8("Failed", "Needs Attention")))
    assert (found.controller.get("model"), found.controller.get("mode")) == ("MegaRAID 9999-16i", "raid")
    assert found.controller.get("status") == "warning"
    assert found.battery.get("status") == "failed"
    assert found.unparsed == []


def test_the_overview_of_hbas() -> None:
    """A controller of the IT overview is in HBA mode."""
    head = ["Ctl", "Model", "AdapterType", "VendId", "DevId", "SubVendId", "SubDevId", "PCI Address"]
    row = ["1", "HBA 9999-16i", "SAS9999(B0)", "0x1000", "0xAC", "0x1000", "0x3000", "00:3b:00:00"]
    controller = read(overview(head, row, title="IT System Overview")).controller
    assert (controller.get("mode"), controller.get("pci_address")) == ("hba", "0000:3b:00.0")


def packs(*texts: str) -> Read:
    """Read the overview and the battery's own output."""
    found = read(*texts)
    assert found.unparsed == []
    return found


@pytest.mark.parametrize("first", [True, False])
def test_the_overview_and_the_batterys_own_output_are_one_battery(first: bool) -> None:
    """The outputs give one battery, in any order. Its own output counts more."""
    own = properties("Cachevault_Info", ("Type", "CVPM99"), ("State", "Learning"))
    show = overview(V7, row_v7(bbu="Opt"))
    found = packs(show, own) if first else packs(own, show)
    assert (found.battery.name, found.battery.get("kind")) == ("cachevault", "capacitor")
    assert found.battery.get("status") == "learning"


@pytest.mark.parametrize(
    ("head", "row"), [(V7, row_v7(health="Fld", bbu="Fld")), (V8, row_v8("Failed", "Failed"))], ids=["v7", "v8"]
)
def test_a_row_of_the_overview_without_title_or_number_is_read(head: list[str], row: list[str]) -> None:
    """The columns show what table it is. A failed battery or controller is not lost with the title or the number.

    A row without a number is of the only controller.
    """
    untitled = overview(head, row).replace("System Overview :\n", "")
    for text in (untitled, overview(head[1:], row[1:])):
        found = read(text)
        assert (found.controller.get("status"), found.battery.get("status")) == ("critical", "failed"), text
