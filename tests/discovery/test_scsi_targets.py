"""Volumes whose tool does not print the SCSI host. It prints channel, target and unit."""

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


def block(name: str, scsi: str, at: str | None = FIRST, driver: str | None = "cards", **more: str) -> BlockDevice:
    """A block device that the kernel shows on a PCI function."""
    return BlockDevice(
        name, f"/dev/{name}", "disk", size_bytes=4096, scsi_address=scsi, pci_address=at, driver=driver,
        mountpoints=(f"/srv/{name}",), wwn=more.get("wwn"),
    )  # fmt: skip


def machine(*blocks: BlockDevice) -> HostView:
    """A machine with three controllers. Two have the family's driver, one has another."""
    functions = [(FIRST, "cards"), (SECOND, "cards"), (OTHER, "others")]
    return HostView(pci=tuple(PciDevice(at, 0x010400, 1, 2, driver=driver) for at, driver in functions), blocks=blocks)


def controller_at(*targets: str, number: int = 1, at: str | None = None, **fields: object) -> Controller:
    """A controller with a volume at each of these targets."""
    volumes = tuple(
        structs.replace(Volume(id=f"example:{number}/v{n}", details={"SCSI target": target}), **fields)
        for n, target in enumerate(targets)
    )
    return Controller(id=f"example:{number}", pci_address=at, volumes=volumes)


def devices(linked: Linked) -> list[str | None]:
    """The devices of all volumes."""
    return [volume.device for controller in linked.controllers for volume in controller.volumes]


def test_a_target_is_looked_for_on_the_controllers_pci_function() -> None:
    """The same target on another controller is another device. Mount points and size come from the matched one."""
    view = machine(block("sda", "0:2:0:0"), block("sdb", "1:2:0:0", SECOND), block("sdc", "1:2:1:0", SECOND))
    linked = link([controller_at("2:0:0", "2:1:0", at=SECOND)], view, DRIVERS)
    assert devices(linked) == ["/dev/sdb", "/dev/sdc"]
    assert linked.controllers[0].volumes[0].mountpoints == ("/srv/sdb",)
    assert linked.controllers[0].volumes[0].size_bytes == 4096


def test_a_linked_target_has_its_line() -> None:
    """The evidence shows the kernel's SCSI address of the device, host included.

    It also shows the device's PCI function.
    """
    linked = link([controller_at("2:0:0", at=FIRST)], machine(block("sda", "7:2:0:0")), DRIVERS)
    lines = [fact.line.text for output in linked.outputs for fact in output.facts if fact.field == "device"]
    assert lines == [f"/dev/sda: SCSI address 7:2:0:0 on PCI function {FIRST}"]


def test_without_an_address_one_device_of_the_familys_drivers_is_enough() -> None:
    """A device that only one of two controllers has is linked. The controller's address is then known as well."""
    view = machine(block("sda", "0:2:5:0"), block("sdb", "1:2:0:0", SECOND), block("sdc", "2:2:0:0", OTHER, "others"))
    linked = link([controller_at("2:0:0")], view, DRIVERS)
    assert devices(linked) == ["/dev/sdb"]
    assert linked.controllers[0].pci_address == SECOND


def test_the_same_target_on_two_controllers_is_not_guessed() -> None:
    """A target that exists on two controllers is not guessed.

    Two hosts of the family's drivers have such a device, and the tool does not identify its controller.
    """
    view = machine(block("sda", "0:2:0:0"), block("sdb", "1:2:0:0", SECOND))
    linked = link([controller_at("2:0:0")], view, DRIVERS)
    assert devices(linked) == [None]
    assert linked.problems == ()


def test_pci_functions_of_other_controllers_are_left_out() -> None:
    """A device on one controller's PCI function is not another controller's.

    The address of the one controller is known.
    """
    view = machine(block("sda", "0:2:0:0"), block("sdb", "1:2:0:0", SECOND))
    linked = link([controller_at("2:0:0", at=FIRST), controller_at("2:0:0", number=2)], view, DRIVERS)
    assert devices(linked) == ["/dev/sda", "/dev/sdb"]


def test_one_device_for_two_volumes_is_given_to_neither() -> None:
    """Two controllers without addresses match the only such device: neither gets it."""
    linked = link([controller_at("2:0:0"), controller_at("2:0:0", number=2)], machine(block("sda", "0:2:0:0")), DRIVERS)
    assert devices(linked) == [None, None]


def test_a_device_without_a_pci_function_is_not_linked() -> None:
    """Without a PCI function of the device, the target is not enough. The kernel reports none for it."""
    view = machine(block("sda", "0:2:0:0", None, None))
    assert devices(link([controller_at("2:0:0", at=FIRST)], view, DRIVERS)) == [None]
    assert devices(link([controller_at("2:0:0")], view, DRIVERS)) == [None]
    assert devices(link([controller_at("2:0:0")], machine(block("sda", "0:2:0:0")))) == [None]


def test_a_world_wide_name_outranks_a_target() -> None:
    """The device with the volume's name is its device, whatever the target. One with another full name is not."""
    named = block("sdb", "0:2:1:0", wwn=WWN)
    view = machine(block("sda", "0:2:0:0"), named)
    assert devices(link([controller_at("2:0:0", at=FIRST, unique_id=WWN)], view, DRIVERS)) == ["/dev/sdb"]
    other = WWN.replace("6071", "9999")
    assert devices(link([controller_at("2:1:0", at=FIRST, unique_id=other)], machine(named), DRIVERS)) == [None]


def test_a_device_matched_by_name_is_not_matched_by_target() -> None:
    """A target that matches the device of another volume matches nothing."""
    first = structs.replace(controller_at("2:0:0", "2:0:0", at=FIRST).volumes[0], unique_id=WWN)
    second = controller_at("2:0:0", "2:0:0", at=FIRST).volumes[1]
    both = Controller(id="example:1", pci_address=FIRST, volumes=(first, second))
    linked = link([both], machine(block("sda", "0:2:0:0", wwn=WWN)), DRIVERS)
    assert devices(linked) == ["/dev/sda", None]


@pytest.mark.parametrize("printed", ["[2:0:0]", " 2:0:0 ", "02:00:00"])
def test_a_target_is_read_in_any_notation(printed: str) -> None:
    """Brackets, blanks and leading zeros make no difference."""
    assert devices(link([controller_at(printed, at=FIRST)], machine(block("sda", "0:2:0:0")), DRIVERS)) == ["/dev/sda"]


@pytest.mark.parametrize("printed", ["", "2:0", "2:0:0:0:0", "a:0:0", "2:0:1", "9" * 5000 + ":0:0"])
def test_what_is_no_scsi_target_links_nothing(printed: str) -> None:
    """What is not a SCSI target links nothing.

    Examples are half an address, too long a one, letters, and an absent unit.
    """
    assert devices(link([controller_at(printed, at=FIRST)], machine(block("sda", "0:2:0:0")), DRIVERS)) == [None]


def test_a_full_address_under_the_same_label_still_links() -> None:
    """The device at a full address is used, on any PCI function. A tool that knows the host prints it."""
    assert devices(link([controller_at("3:2:0:0")], machine(block("sda", "3:2:0:0"), block("sdb", "4:2:0:0")))) == [
        "/dev/sda"
    ]
