"""Drafts of one or several outputs made into one card: ids, groups, batteries, places, problems."""

from __future__ import annotations

import pytest

from raidctl.vendor.protocol import Document
from raidctl_megaraid import SUPPORT, read
from raidctl_megaraid.to_model import pci_address
from tests.support.judged import conditions
from tests.vendors.megaraid.megaraid_scripts import answer, basics, card, disk, printed, properties, row, told, volume

PD = """Enclosure Device ID: 8
Slot Number: {slot}
Device Id: {slot}
Raw Size: 279.396 GB
Firmware state: Online, Spun Up
"""
LD = f"""
Adapter #0

Number of Virtual Disks: 1
Virtual Drive: 0 (Target Id: 0)
RAID Level          : Primary-1, Secondary-0, RAID Level Qualifier-0
Size                : 278.875 GB
State               : Optimal
Number Of Drives    : 2
Number of Spans: 1
Span: 0 - Number of PDs: 2

PD: 0 Information
{PD.format(slot=0)}
PD: 1 Information
{PD.format(slot=1)}
Exit Code: 0x00
"""


def test_outputs_of_one_card_are_one_card() -> None:
    """The list and the volume's own page tell of one volume."""
    found = card(printed(answer(basics())), printed(answer(properties("WriteBack", "RWBD", "Enabled"))))
    (only,) = found.volumes
    assert only.cache is not None
    assert (only.id, only.array, only.cache.drive_write_cache) == ("megaraid:0/v0", "megaraid:0/g0", "enabled")


def test_the_order_of_the_outputs_makes_no_difference() -> None:
    """What names its card and what does not may come in any order."""
    texts = printed(answer(basics())), printed(answer(properties("WriteBack", "RWBD")))
    assert card(*texts).volumes == card(*reversed(texts)).volumes


def test_outputs_of_two_machines_are_kept_apart() -> None:
    """Card 0 with another serial number is another machine's."""
    other = basics()
    other["Basics"]["Serial Number"] = "RC999"
    found = told(printed(answer(basics())), printed(answer(other)))
    assert [item.id for item in found.controllers] == ["megaraid:0", "megaraid:0-2"]


def test_a_fragment_belongs_to_the_machine_of_its_folder() -> None:
    """Two machines in two folders, each with a page of volumes that tells no serial number."""
    other = basics(letters="RWTD")
    other["Basics"]["Serial Number"] = "RC999"
    page = printed(answer(properties("WriteThrough", "RWTD")))
    names = ["a/show.json", "b/show.json", "b/volumes.json"]
    found = told(printed(answer(basics())), printed(answer(other)), page, names=names)
    policies = {item.serial: item.volumes[0].cache.write_policy for item in found.controllers if item.volumes[0].cache}
    assert policies == {"RC000": "protected_write_back", "RC999": "write_through"}


def test_a_card_told_by_two_tools_is_listed_once() -> None:
    """As the tool told it that told most; a note names both."""
    old = "\nAdapter #0\n\nProduct Name    : RCTL MegaRAID 9999\nSerial No       : RC000\nBBU              : Present\n"
    documents = [
        Document("a", "storcli", printed(answer(basics()))),
        Document("b", "megacli", f"{old}\nExit Code: 0x00\n"),
    ]
    found = read(documents)
    assert [len(item.volumes) for item in found.controllers] == [1]
    assert [problem.message for problem in found.problems] == [
        "storcli and MegaCli see this controller; the data shown is from storcli."
    ]


def test_drives_without_a_card_still_get_one() -> None:
    """A page of drives that somebody cut out names no controller."""
    found = read([Document("drives.txt", "megacli", PD.format(slot=4))])
    assert [drive.id for item in found.controllers for drive in item.drives] == ["megaraid:unknown/8:4"]


def test_a_volume_without_a_group_gets_one_of_its_own() -> None:
    """Old MegaCli names the members of a volume, and no group."""
    (found,) = read([Document("ld.txt", "megacli", LD)]).controllers
    assert [array.drives for array in found.arrays] == [("megaraid:0/8:0", "megaraid:0/8:1")]
    assert {drive.array for drive in found.drives} == {found.volumes[0].array} == {found.arrays[0].id}


@pytest.mark.parametrize(("number", "address"), [(0, "2:0:0"), (7, "2:7:0"), (128, "3:0:0"), (239, "3:111:0")])
def test_the_driver_fixes_the_place_of_a_volume(number: int, address: str) -> None:
    """megaraid_sas shows 128 volumes on channel 2 and the rest on channel 3."""
    data = basics()
    data["VD LIST"] = [row("RWBD") | {"DG/VD": f"0/{number}"}]
    assert volume(printed(answer(data))).details["SCSI target"] == address


def test_mpi3mr_has_other_places() -> None:
    """None is told for a volume of the second storcli."""
    data = {"VD LIST": [{"DG/VD": "0/1", "TYPE": "RAID1", "State": "Optl", "CurrentCache": "NR,WB", "Size": "1.0 TiB"}]}
    assert "SCSI target" not in volume(printed(answer(data, version="008.0001.0000.0010"))).details


@pytest.mark.parametrize(
    ("text", "address"),
    [("00:03:00:00", "0000:03:00.0"), ("0000:af:00.1", "0000:af:00.1"), ("03:00.0", "0000:03:00.0"), ("N/A", None)],
)
def test_pci_addresses_have_one_form(text: str, address: str | None) -> None:
    """As the kernel writes them."""
    assert pci_address(text) == address


def test_a_rebuild_of_a_member_is_the_volumes_operation() -> None:
    """``Rbld`` without a figure: something is going on, nobody says how far it is."""
    data = basics()
    data["PD LIST"] = [disk("252:0"), disk("252:1", "Rbld")]
    progress = volume(printed(answer(data))).progress
    assert progress is not None
    assert (progress.operation, progress.percent) == ("rebuild", None)


def test_a_drive_that_predicts_its_failure_is_a_warning() -> None:
    """Whatever its state word says, in whatever output the count stands."""
    state = {"Predictive Failure Count": 2, "S.M.A.R.T alert flagged by drive": "No"}
    page = {"Drive /c0/e252/s0 - Detailed Information": {"Drive /c0/e252/s0 State": state}}
    texts = printed(answer(basics())), printed(answer(page))
    assert [drive.status for drive in card(*texts).drives] == ["warning", "ok"]
    assert "drive_expects_failure" in [one.rule for one in conditions(told(*texts))]


def test_a_missing_battery_is_an_entry_where_there_is_a_cache_to_keep() -> None:
    """``BBU = Absent`` on a card with memory; a card without memory needs none."""
    assert [item.status for item in card(printed(answer(basics(battery=None)))).batteries] == ["missing"]
    assert card(printed(answer(basics(battery=None, memory="0MB")))).batteries == ()


def test_preserved_cache_is_trouble() -> None:
    """Data waits for drives that are gone."""
    data = basics()
    data["Status"]["Any Offline VD Cache Preserved"] = "Yes"
    text = printed(answer(data))
    found = card(text).cache
    assert found is not None
    assert found.preserved_data is True


@pytest.mark.parametrize(("word", "status"), [("Dgrd", "degraded"), ("Pdgd", "degraded"), ("OfLn", "offline")])
def test_a_volume_in_trouble_is_a_problem_with_a_remedy(word: str, status: str) -> None:
    """One for the volume, at its id."""
    data = basics()
    data["VD LIST"] = [row("RWBD") | {"State": word}]
    (one,) = [one for one in conditions(told(printed(answer(data)))) if one.where == "megaraid:0/v0"]
    assert status in one.cause


def test_a_switch_that_the_card_denies_cannot_be_set() -> None:
    """``Supported VD Operations : IO Policy = No``."""
    found = card(printed(answer(basics() | {"Supported VD Operations": {"IO Policy": "No", "Write Policy": "Yes"}})))
    assert (found.capabilities["io_policy"].set, found.capabilities["write_policy"].set) == (False, True)


def test_a_card_without_memory_cannot_cache() -> None:
    """What depends on its cache cannot be set, and the reason stands there."""
    found = card(printed(answer(basics(memory="0MB")))).capabilities["write_policy"]
    assert (found.set, found.why) == (False, "The controller has no cache memory.")


def test_the_second_storcli_sets_less() -> None:
    """No flush and no flush interval are documented for it."""
    found = card(printed(answer({"Basics": {"Product Name": "RCTL 9"}}, version="008.0001.0000.0010"))).capabilities
    assert [found[name].set for name in ("flush", "flush_interval", "write_policy")] == [False, False, True]
    assert found.keys() == SUPPORT.keys()
