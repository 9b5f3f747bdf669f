"""Controllers made of one or more outputs: ids, arrays, batteries, addresses, problems."""

from __future__ import annotations

import pytest

from raidctl.vendor.protocol import Document
from raidctl_megaraid import SUPPORT, read
from raidctl_megaraid.to_model import pci_address
from tests.support.judged import conditions
from tests.vendors.megaraid.megaraid_scripted_tools import (
    answer,
    basics,
    controller_of,
    drive_row,
    observation,
    printed,
    properties,
    row,
    volume,
)

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


def test_outputs_of_one_controller_are_one_controller() -> None:
    """The list and the volume's own output are about one volume."""
    found = controller_of(printed(answer(basics())), printed(answer(properties("WriteBack", "RWBD", "Enabled"))))
    (only,) = found.volumes
    assert only.cache is not None
    assert (only.id, only.array, only.cache.drive_write_cache) == ("megaraid:0/v0", "megaraid:0/g0", "enabled")


def test_the_order_of_the_outputs_makes_no_difference() -> None:
    """Outputs with and without their controller's name may come in any order."""
    texts = printed(answer(basics())), printed(answer(properties("WriteBack", "RWBD")))
    assert controller_of(*texts).volumes == controller_of(*reversed(texts)).volumes


@pytest.mark.parametrize("later", [False, True])
def test_a_bad_state_of_any_output_counts(*, later: bool) -> None:
    """A volume or drive that is not ok in one of two outputs is not ok, whatever their order."""
    worse = basics()
    worse["VD LIST"][0]["State"] = "Dgrd"
    worse["PD LIST"][0]["State"] = "Offln"
    texts = [printed(answer(data)) for data in ((basics(), worse) if later else (worse, basics()))]
    found = controller_of(*texts)
    assert [(volume.status, volume.status_text) for volume in found.volumes] == [("degraded", "Dgrd")]
    assert [(drive.status, drive.status_text) for drive in found.drives] == [("critical", "Offln"), ("ok", "Onln")]


@pytest.mark.parametrize("masks", [(0, 1024), (1024, 0), (8, 1024)])
def test_a_bad_battery_mask_of_any_output_counts(masks: tuple[int, int]) -> None:
    """A bit that reports a fault in one of two outputs counts, whatever their order."""
    texts = []
    for mask in masks:
        data = basics()
        data["Status"]["BBU Status"] = mask
        texts.append(printed(answer(data)))
    assert [(battery.status, battery.replace) for battery in controller_of(*texts).batteries] == [("failed", True)]


def test_outputs_of_two_machines_are_kept_apart() -> None:
    """Controller 0 with another serial number is that of another machine."""
    other = basics()
    other["Basics"]["Serial Number"] = "RC999"
    found = observation(printed(answer(basics())), printed(answer(other)))
    assert [item.id for item in found.controllers] == ["megaraid:0", "megaraid:0-2"]


def test_a_fragment_belongs_to_the_machine_of_its_folder() -> None:
    """A volume page without a serial number belongs to its folder's controller."""
    other = basics(letters="RWTD")
    other["Basics"]["Serial Number"] = "RC999"
    page = printed(answer(properties("WriteThrough", "RWTD")))
    names = ["a/show.json", "b/show.json", "b/volumes.json"]
    found = observation(printed(answer(basics())), printed(answer(other)), page, names=names)
    policies = {item.serial: item.volumes[0].cache.write_policy for item in found.controllers if item.volumes[0].cache}
    assert policies == {"RC000": "protected_write_back", "RC999": "write_through"}


def test_a_controller_reported_by_two_tools_is_listed_once() -> None:
    """The tool with more data is used; a note names both."""
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


def test_drives_without_a_controller_get_an_unknown_one() -> None:
    """A list of drives without its controller belongs to ``megaraid:unknown``."""
    found = read([Document("drives.txt", "megacli", PD.format(slot=4))])
    assert [drive.id for item in found.controllers for drive in item.drives] == ["megaraid:unknown/8:4"]


def test_a_volume_without_a_group_gets_its_own_array() -> None:
    """Old MegaCli lists the members of a volume and no disk group."""
    (found,) = read([Document("ld.txt", "megacli", LD)]).controllers
    assert [array.drives for array in found.arrays] == [("megaraid:0/8:0", "megaraid:0/8:1")]
    assert {drive.array for drive in found.drives} == {found.volumes[0].array} == {found.arrays[0].id}


@pytest.mark.parametrize(("number", "address"), [(0, "2:0:0"), (7, "2:7:0"), (128, "3:0:0"), (239, "3:111:0")])
def test_the_driver_determines_the_scsi_target_of_a_volume(number: int, address: str) -> None:
    """megaraid_sas has 128 volumes on channel 2, the others on channel 3."""
    data = basics()
    data["VD LIST"] = [row("RWBD") | {"DG/VD": f"0/{number}"}]
    assert volume(printed(answer(data))).details["SCSI target"] == address


def test_a_volume_of_mpi3mr_has_no_known_scsi_target() -> None:
    """The SCSI target of a volume of storcli2 is unknown."""
    data = {"VD LIST": [{"DG/VD": "0/1", "TYPE": "RAID1", "State": "Optl", "CurrentCache": "NR,WB", "Size": "1.0 TiB"}]}
    assert "SCSI target" not in volume(printed(answer(data, version="008.0001.0000.0010"))).details


@pytest.mark.parametrize(
    ("text", "address"),
    [("00:03:00:00", "0000:03:00.0"), ("0000:af:00.1", "0000:af:00.1"), ("03:00.0", "0000:03:00.0"), ("N/A", None)],
)
def test_pci_addresses_have_one_form(text: str, address: str | None) -> None:
    """PCI addresses have the kernel's form."""
    assert pci_address(text) == address


def test_a_rebuild_of_a_member_is_the_volumes_operation() -> None:
    """A member in ``Rbld`` without percentage is a rebuild of unknown progress."""
    data = basics()
    data["PD LIST"] = [drive_row("252:0"), drive_row("252:1", "Rbld")]
    progress = volume(printed(answer(data))).progress
    assert progress is not None
    assert (progress.operation, progress.percent) == ("rebuild", None)


def test_a_drive_that_predicts_its_failure_is_a_warning() -> None:
    """A predictive failure counts beside any state word, in any output."""
    state = {"Predictive Failure Count": 2, "S.M.A.R.T alert flagged by drive": "No"}
    page = {"Drive /c0/e252/s0 - Detailed Information": {"Drive /c0/e252/s0 State": state}}
    texts = printed(answer(basics())), printed(answer(page))
    assert [drive.status for drive in controller_of(*texts).drives] == ["warning", "ok"]
    assert "drive_expects_failure" in [one.rule for one in conditions(observation(*texts))]


def test_a_missing_battery_is_listed_if_there_is_cache_memory() -> None:
    """``BBU = Absent`` is a missing battery on a controller with memory. Without memory it is none."""
    assert [item.status for item in controller_of(printed(answer(basics(battery=None)))).batteries] == ["missing"]
    assert controller_of(printed(answer(basics(battery=None, memory="0MB")))).batteries == ()


def test_preserved_cache_is_reported() -> None:
    """``Any Offline VD Cache Preserved = Yes`` is preserved cache."""
    data = basics()
    data["Status"]["Any Offline VD Cache Preserved"] = "Yes"
    text = printed(answer(data))
    found = controller_of(text).cache
    assert found is not None
    assert found.preserved_data is True


@pytest.mark.parametrize("answers", [("No", "Yes"), ("Yes", "No")])
def test_preserved_cache_in_one_of_two_outputs_is_reported(answers: tuple[str, str]) -> None:
    """Outputs that disagree on preserved cache are a problem, and the data is taken to be there."""
    texts = []
    for word in answers:
        data = basics()
        data["Status"]["Any Offline VD Cache Preserved"] = word
        texts.append(printed(answer(data)))
    found = observation(*texts)
    assert [one.cache and one.cache.preserved_data for one in found.controllers] == [True]
    assert any("disagree on the preserved cache" in one.message for one in found.problems)


@pytest.mark.parametrize(("word", "status"), [("Dgrd", "degraded"), ("Pdgd", "degraded"), ("OfLn", "offline")])
def test_a_volume_that_is_not_optimal_is_a_condition(word: str, status: str) -> None:
    """A volume that is not optimal is one condition, at its id."""
    data = basics()
    data["VD LIST"] = [row("RWBD") | {"State": word}]
    (one,) = [one for one in conditions(observation(printed(answer(data)))) if one.where == "megaraid:0/v0"]
    assert status in one.cause


@pytest.mark.parametrize(("word", "status"), [("Optl", "ok"), ("Frgn", "warning"), ("OfLn", "critical")])
def test_an_array_without_a_state_is_no_better_than_its_volumes(word: str, status: str) -> None:
    """Where no topology has the state of an array, its volumes do: a foreign one is not ok."""
    data = basics()
    data["VD LIST"] = [row("RWBD") | {"State": word}]
    assert [array.status for array in controller_of(printed(answer(data))).arrays] == [status]


def test_a_setting_that_the_controller_does_not_support_cannot_be_set() -> None:
    """``Supported VD Operations : IO Policy = No``: it cannot be set."""
    found = controller_of(
        printed(answer(basics() | {"Supported VD Operations": {"IO Policy": "No", "Write Policy": "Yes"}}))
    )
    assert (found.capabilities["io_policy"].set, found.capabilities["write_policy"].set) == (False, True)


def test_a_controller_without_memory_cannot_cache() -> None:
    """The write policy cannot be set, with the reason."""
    found = controller_of(printed(answer(basics(memory="0MB")))).capabilities["write_policy"]
    assert (found.set, found.why) == (False, "The controller has no cache memory.")


def test_the_second_storcli_sets_less() -> None:
    """Storcli2 documents neither a flush nor a flush interval."""
    found = controller_of(
        printed(answer({"Basics": {"Product Name": "RCTL 9"}}, version="008.0001.0000.0010"))
    ).capabilities
    assert [found[name].set for name in ("flush", "flush_interval", "write_policy")] == [False, False, True]
    assert found.keys() == SUPPORT.keys()
