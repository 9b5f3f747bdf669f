from __future__ import annotations

import pytest

from raidctl.model import BatteryStatus, Health
from tests.vendors.megaraid.megaraid_card_texts import HEAD, Read, properties, read

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


def card7(number: str = "0", bbu: str = "Opt", health: str = "Opt") -> list[str]:
    """A row of storcli."""
    return [number, "PERCH999Mini", "8", "16", "3", "1", "3", "1", bbu, "On", "3", "N", "0", health]


def card8(pack: str = "Optimal", status: str = "Optimal") -> list[str]:
    """A row of storcli2."""
    return ["0", "MegaRAID 9999-16i", "0X500062B2DEADBEEF", "RAID", status, "24", "2", "0", pack]


def test_megaraid_overview_has_a_card_for_each_row() -> None:
    """Each row is a card by its number; counts are details, the machine's own lines are none."""
    found = read(overview(V7, card7("0"), card7("3")), command="storcli64 show")
    assert list(found.controllers.by_number) == ["0", "3"]
    card = found.controllers.controller("3")
    assert (card.get("number"), card.get("model"), card.get("vendor")) == (3, "PERCH999Mini", "Dell")
    assert card.details["System Overview: VNOpt"] == "1"
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
def test_megaraid_overview_health_column_is_read_with_its_legend(word: str, health: Health | None) -> None:
    """The abbreviations of the legend are known."""
    card = read(overview(V7, card7(health=word))).controller
    assert (card.get("status"), card.complaints) == (health, [])


def test_megaraid_overview_a_health_that_the_tool_cannot_read_is_a_problem() -> None:
    """The legend's Unkwn is a state that is unknown, and no missing value."""
    card = read(overview(V7, card7(health="Unkwn"))).controller
    assert (card.get("status"), len(card.complaints)) == ("unknown", 1)


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
def test_megaraid_overview_battery_column_tells_the_pack(word: str, status: BatteryStatus) -> None:
    """A state in the column BBU is that of a pack of a kind that is not told."""
    battery = read(overview(V7, card7(bbu=word))).battery
    assert (battery.get("status"), battery.get("status_text")) == (status, word)
    assert battery.get("kind") is None


def test_megaraid_overview_without_a_battery_makes_none() -> None:
    """N/A in the column says nothing of a pack."""
    assert read(overview(V7, card7(bbu="N/A"))).controller.batteries == {}


def test_megaraid_overview_of_v8_has_its_own_columns() -> None:
    """Product Name, Personality, Status and EPack are read."""
    found = read(overview(V8, card8("Failed", "Needs Attention")))
    assert (found.controller.get("model"), found.controller.get("mode")) == ("MegaRAID 9999-16i", "raid")
    assert found.controller.get("status") == "warning"
    assert found.battery.get("status") == "failed"
    assert found.unparsed == []


def test_megaraid_overview_of_host_bus_adapters_tells_mode_and_address() -> None:
    """An adapter in IT mode is an HBA."""
    head = ["Ctl", "Model", "AdapterType", "VendId", "DevId", "SubVendId", "SubDevId", "PCI Address"]
    row = ["1", "HBA 9999-16i", "SAS9999(B0)", "0x1000", "0xAC", "0x1000", "0x3000", "00:3b:00:00"]
    card = read(overview(head, row, title="IT System Overview")).controller
    assert (card.get("mode"), card.get("pci_address")) == ("hba", "0000:3b:00.0")


def packs(*texts: str) -> Read:
    """Read the overview and the pack's own output."""
    found = read(*texts)
    assert found.unparsed == []
    return found


@pytest.mark.parametrize("first", [True, False])
def test_megaraid_overview_and_the_packs_own_output_tell_of_one_pack(first: bool) -> None:
    """In either order there is one battery, and its own output counts more."""
    own = properties("Cachevault_Info", ("Type", "CVPM99"), ("State", "Learning"))
    show = overview(V7, card7(bbu="Opt"))
    found = packs(show, own) if first else packs(own, show)
    assert (found.battery.name, found.battery.get("kind")) == ("cachevault", "capacitor")
    assert found.battery.get("status") == "learning"
