"""Volumes whose tool tells channel, target and unit, but not the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from msgspec import structs

from raidctl.host import BlockDevice, HostView, PciDevice
from raidctl.model import Controller, Volume
from raidctl.survey.block_devices import Linked, link

FIRST, SECOND, OTHER = "0000:03:00.0", "0000:04:00.0", "0000:05:00.0"
DRIVERS: Mapping[str, Sequence[str]] = {"example": ("cards",), "another": ("others",)}
WWN = "0x600508b1001c4d7ea1b20c3d4e5f6071"


def disk(name: str, scsi: str, at: str | None = FIRST, driver: str | None = "cards", **more: str) -> BlockDevice:
    """A disk that the kernel shows on a PCI function."""
    return BlockDevice(
        name, f"/dev/{name}", "disk", size_bytes=4096, scsi_address=scsi, pci_address=at, driver=driver,
        mountpoints=(f"/srv/{name}",), wwn=more.get("wwn"),
    )  # fmt: skip


def machine(*disks: BlockDevice) -> HostView:
    """A machine with two cards of the family's driver and one of another."""
    functions = [(FIRST, "cards"), (SECOND, "cards"), (OTHER, "others")]
    return HostView(pci=tuple(PciDevice(at, 0x010400, 1, 2, driver=driver) for at, driver in functions), blocks=disks)


def card(*targets: str, number: int = 1, at: str | None = None, **fields: object) -> Controller:
    """A controller with a volume at each of these targets."""
    volumes = tuple(
        structs.replace(Volume(id=f"example:{number}/v{n}", details={"SCSI target": target}), **fields)
        for n, target in enumerate(targets)
    )
    return Controller(id=f"example:{number}", pci_address=at, volumes=volumes)


def devices(linked: Linked) -> list[str | None]:
    """The devices of all volumes."""
    return [volume.device for controller in linked.controllers for volume in controller.volumes]


def test_a_target_is_looked_for_on_the_cards_own_function() -> None:
    """The same target on another card is another disk; mount points and size come with the device."""
    view = machine(disk("sda", "0:2:0:0"), disk("sdb", "1:2:0:0", SECOND), disk("sdc", "1:2:1:0", SECOND))
    linked = link([card("2:0:0", "2:1:0", at=SECOND)], view, DRIVERS)
    assert devices(linked) == ["/dev/sdb", "/dev/sdc"]
    assert linked.controllers[0].volumes[0].mountpoints == ("/srv/sdb",)
    assert linked.controllers[0].volumes[0].size_bytes == 4096


def test_a_linked_target_has_its_line() -> None:
    """The evidence shows the kernel's address of the disk, host included, and the function that it hangs on."""
    linked = link([card("2:0:0", at=FIRST)], machine(disk("sda", "7:2:0:0")), DRIVERS)
    lines = [fact.line.text for sheet in linked.outputs for fact in sheet.facts if fact.field == "device"]
    assert lines == [f"/dev/sda: SCSI address 7:2:0:0 on PCI function {FIRST}"]


def test_without_an_address_one_disk_of_the_familys_drivers_is_enough() -> None:
    """Of two cards only one has such a disk; then the card's address is known as well."""
    view = machine(disk("sda", "0:2:5:0"), disk("sdb", "1:2:0:0", SECOND), disk("sdc", "2:2:0:0", OTHER, "others"))
    linked = link([card("2:0:0")], view, DRIVERS)
    assert devices(linked) == ["/dev/sdb"]
    assert linked.controllers[0].pci_address == SECOND


def test_the_same_target_on_two_cards_is_not_guessed() -> None:
    """Two hosts of the family's drivers have such a disk, and the tool does not say which card it means."""
    view = machine(disk("sda", "0:2:0:0"), disk("sdb", "1:2:0:0", SECOND))
    linked = link([card("2:0:0")], view, DRIVERS)
    assert devices(linked) == [None]
    assert linked.problems == ()


def test_cards_that_others_have_are_left_out() -> None:
    """A disk on the function of a controller whose address is known is not another controller's."""
    view = machine(disk("sda", "0:2:0:0"), disk("sdb", "1:2:0:0", SECOND))
    linked = link([card("2:0:0", at=FIRST), card("2:0:0", number=2)], view, DRIVERS)
    assert devices(linked) == ["/dev/sda", "/dev/sdb"]


def test_one_disk_for_two_volumes_is_nobodys() -> None:
    """Two controllers without addresses claim the only such disk: neither gets it."""
    linked = link([card("2:0:0"), card("2:0:0", number=2)], machine(disk("sda", "0:2:0:0")), DRIVERS)
    assert devices(linked) == [None, None]


def test_a_disk_without_a_function_is_not_linked() -> None:
    """Where the kernel does not tell what a disk hangs on, a target says nothing."""
    view = machine(disk("sda", "0:2:0:0", None, None))
    assert devices(link([card("2:0:0", at=FIRST)], view, DRIVERS)) == [None]
    assert devices(link([card("2:0:0")], view, DRIVERS)) == [None]
    assert devices(link([card("2:0:0")], machine(disk("sda", "0:2:0:0")))) == [None]


def test_a_world_wide_name_is_worth_more_than_a_target() -> None:
    """The disk with the name is the volume's, and a disk with another full name is not, whatever its target."""
    named = disk("sdb", "0:2:1:0", wwn=WWN)
    view = machine(disk("sda", "0:2:0:0"), named)
    assert devices(link([card("2:0:0", at=FIRST, unique_id=WWN)], view, DRIVERS)) == ["/dev/sdb"]
    other = WWN.replace("6071", "9999")
    assert devices(link([card("2:1:0", at=FIRST, unique_id=other)], machine(named), DRIVERS)) == [None]


def test_a_disk_that_a_name_has_given_away_is_not_given_twice() -> None:
    """A target that leads to the disk of another volume leads nowhere."""
    first = structs.replace(card("2:0:0", "2:0:0", at=FIRST).volumes[0], unique_id=WWN)
    second = card("2:0:0", "2:0:0", at=FIRST).volumes[1]
    both = Controller(id="example:1", pci_address=FIRST, volumes=(first, second))
    linked = link([both], machine(disk("sda", "0:2:0:0", wwn=WWN)), DRIVERS)
    assert devices(linked) == ["/dev/sda", None]


@pytest.mark.parametrize("printed", ["[2:0:0]", " 2:0:0 ", "02:00:00"])
def test_a_target_is_known_in_any_dress(printed: str) -> None:
    """Brackets, blanks and leading zeros make no difference."""
    assert devices(link([card(printed, at=FIRST)], machine(disk("sda", "0:2:0:0")), DRIVERS)) == ["/dev/sda"]


@pytest.mark.parametrize("printed", ["", "2:0", "2:0:0:0:0", "a:0:0", "2:0:1", "9" * 5000 + ":0:0"])
def test_what_is_no_target_of_a_disk_links_nothing(printed: str) -> None:
    """Half an address, too long a one, no figures, a unit that is not there."""
    assert devices(link([card(printed, at=FIRST)], machine(disk("sda", "0:2:0:0")), DRIVERS)) == [None]


def test_a_full_address_under_the_same_label_still_links() -> None:
    """A tool that knows the host prints it: the address is the disk's, on whatever function."""
    assert devices(link([card("3:2:0:0")], machine(disk("sda", "3:2:0:0"), disk("sdb", "4:2:0:0")))) == ["/dev/sda"]
