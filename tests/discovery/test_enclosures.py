"""The bays of SES enclosures as names of drives. Every command that accepts such a name accepts them."""

from __future__ import annotations

from raidctl.discovery.enclosures import INSIDE, bays, folders, identifier
from raidctl.model import Drive
from raidctl.select import find_drive
from raidctl.survey.survey import Survey
from tests.operate.removal_machines import demo
from tests.support.over import over

E = "/sys/class/enclosure"
INSIDE_TWO = (
    f"{E}/0:0:20:0/Slot 01/device/block/sda", f"{E}/0:0:20:0/Slot 02 /device/block/cciss!c0d0",
    f"{E}/0:0:21:0/Slot 01/device/block/sdb",
)  # fmt: skip


def drive(seen: Survey, name: str) -> Drive:
    """The drive of an id."""
    return next(one for controller in seen.inventory.controllers for one in controller.drives if one.id == name)


def test_each_device_has_the_bay_that_links_to_it() -> None:
    """Two modules of one enclosure show its bays under one identifier. A device in two bays is in none."""
    ids = {f"{E}/0:0:20:0": "0x5", f"{E}/0:0:21:0": "0x5"}
    assert folders(INSIDE_TWO) == list(ids)
    assert bays(INSIDE_TWO, ids) == {
        "sda": ("0x5", "Slot 01"), "cciss/c0d0": ("0x5", "Slot 02"), "sdb": ("0x5", "Slot 01"),
    }  # fmt: skip
    moved = (*INSIDE_TWO, f"{E}/0:0:21:0/Slot 03/device/block/sda")
    assert "sda" not in bays(moved, ids)


def test_an_enclosure_without_an_identifier_is_called_by_its_address() -> None:
    """Some enclosures report zeros."""
    assert identifier(f"{E}/0:0:20:0", "0x5003048001a2b3bd\n") == "0x5003048001a2b3bd"
    for text in ("0x0\n", "", None):
        assert identifier(f"{E}/0:0:20:0", text) == "0:0:20:0"


def test_a_drive_of_an_hba_has_its_bay() -> None:
    """A drive read over two paths has its bay, too. The line that shows it is its evidence."""
    seen = demo("sas")
    places = {
        name: (drive(seen, name).enclosure, drive(seen, name).bay) for name in ("drives:TGK00B2Y", "drives:TGK00C3Z")
    }
    assert places == {
        "drives:TGK00B2Y": ("0x5003048001a2b3bd", "Slot 01"), "drives:TGK00C3Z": ("0x5003048001a2b3bd", "Slot 02"),
    }  # fmt: skip
    facts = {(one.object_id, one.field): one.line.text for output in seen.outputs for one in output.facts}
    assert facts["drives:TGK00B2Y", "bay"] == "/dev/sdb: in Slot 01 of enclosure 0x5003048001a2b3bd"


@over("word", ["bay:3", "bay:Slot 03", "bay:slot03", "bay:0x5003048001a2b3bd:Slot 03",
               "enclosure:0x5003048001a2b3bd/Slot 03"])  # fmt: skip
def test_a_drive_is_named_by_its_bay(word: str) -> None:
    """The bay's name in the enclosure, or its number alone, names it. So does what "locate list" prints."""
    seen = demo("sas")
    assert find_drive(seen.inventory, seen.view, word) == "drives:TGK00D4W"


def test_the_kernel_is_asked_for_devices_in_bays() -> None:
    """One pattern, whatever the controllers are."""
    assert INSIDE == "/sys/class/enclosure/*/*/device/block/*"
