"""The matching of volumes to block devices. It uses the outputs of the tools and the kernel's reports."""

from __future__ import annotations

import pytest
from msgspec import structs
from msgspec.structs import replace

from raidctl.discovery.index import Index, serial, wwn
from raidctl.host import BlockDevice, HostView, PciDevice
from raidctl.model import Controller, Drive, Host, Inventory, Problem, Volume
from raidctl.request import Failure, Read, ReadAnswer
from raidctl.survey.block_devices import claimed_nodes, link, unmounted_volumes
from raidctl.survey.failed_requests import problems_of
from tests.discovery.machines import seen

SDA_WWN = "600508B1001C4D7EA1B20C3D4E5F6071"
SDB_WWN = "600508B1001C9A3FB4C51D2E3F405162"
NO_TOOL = seen("host-raid-card-no-tool").view
ON_MD = seen("host-lvm-on-md").view


def controller_with(*volumes: Volume, drives: tuple[Drive, ...] = (), **fields: str) -> Controller:
    """A controller as a vendor package returns it."""
    return structs.replace(Controller(id="example:1", volumes=volumes, drives=drives), **fields)


def volume(number: int = 1, **fields: object) -> Volume:
    """A volume as a vendor package returns it."""
    return structs.replace(Volume(id=f"example:1/v{number}"), **fields)


@pytest.mark.parametrize(
    "printed",
    [SDA_WWN, f"0x{SDA_WWN}", f"naa.{SDA_WWN.lower()}", f"wwn-0x{SDA_WWN}", f"3{SDA_WWN.lower()}",
     "60:05:08:B1:00:1C:4D:7E:A1:B2:0C:3D:4E:5F:60:71", "600508B1 001C4D7E A1B20C3D 4E5F6071"],
)  # fmt: skip
def test_a_volume_is_found_by_its_world_wide_name_in_any_spelling(printed: str) -> None:
    """The device with a volume's name, however printed, is the volume's. Mount points and size are the kernel's."""
    linked = link([controller_with(volume(unique_id=printed))], NO_TOOL)
    (found,) = linked.controllers[0].volumes
    assert (found.device, found.mountpoints, found.size_bytes) == ("/dev/sda", ("/", "[swap]"), 585871964 * 512)
    assert linked.problems == ()
    facts = {
        (fact.field, fact.value) for output in linked.outputs for fact in output.facts if fact.object_id == found.id
    }
    assert {("device", "/dev/sda"), ("mountpoints", "/"), ("mountpoints", "[swap]")} <= facts
    assert all(not output.unparsed() for output in linked.outputs)


def test_the_kernel_s_device_is_used_when_the_tool_names_another() -> None:
    """A device name that differs from the kernel's is reported.

    A tool that read its list before a rescan may print /dev/sda for what is now /dev/sdb.
    """
    linked = link([controller_with(volume(unique_id=SDB_WWN, device="/dev/sda"))], NO_TOOL)
    assert linked.controllers[0].volumes[0].device == "/dev/sdb"
    (problem,) = linked.problems
    assert (problem.kind, problem.where) == ("note", "example:1/v1")
    assert "/dev/sda" in problem.message
    assert "/dev/sdb" in problem.message


def test_a_device_that_the_kernel_does_not_have_is_not_repeated() -> None:
    """A device node that does not exist is not shown. The problem quotes the tool's value."""
    linked = link([controller_with(volume(device="/dev/sdq"))], NO_TOOL)
    assert linked.controllers[0].volumes[0].device is None
    assert [problem.kind for problem in linked.problems] == ["note"]


def test_a_device_with_another_full_name_is_not_the_volume() -> None:
    """Two different NAA names are two volumes. The tool may print a name that no device has."""
    other = "600508B1001CFFFFB4C51D2E3F405162"
    linked = link([controller_with(volume(unique_id=other, device="/dev/sda"))], NO_TOOL)
    assert linked.controllers[0].volumes[0].device is None
    assert linked.problems


def test_what_tool_and_kernel_agree_on_stays() -> None:
    """An existing device, or a unique id that is not a world wide name, is left unchanged, without a problem."""
    given = controller_with(volume(device="/dev/sdb", unique_id="3F2A77C1", mountpoints=("/old",)))
    linked = link([given], NO_TOOL)
    assert linked.controllers[0].volumes[0].device == "/dev/sdb"
    assert linked.controllers[0].volumes[0].mountpoints == ("/srv/db",)
    assert linked.problems == ()


def test_the_tools_mount_points_stay_where_the_kernel_reports_none() -> None:
    """A volume whose device is unknown keeps what its tool printed."""
    linked = link([controller_with(volume(mountpoints=("/data",)))], NO_TOOL)
    assert linked.controllers[0].volumes[0].mountpoints == ("/data",)


def test_a_volume_is_found_by_a_scsi_address_among_its_details() -> None:
    """The block device at a printed SCSI address is the volume's. A tool without names may print such an address."""
    linked = link([controller_with(volume(details={"SCSI Address": "10:2:0:0"}))], NO_TOOL)
    assert linked.controllers[0].volumes[0].device == "/dev/sdc"


def test_a_controller_is_known_by_the_devices_behind_it() -> None:
    """Without a printed PCI address, the devices of its volumes give it. The kernel names driver, vendor and model."""
    linked = link([controller_with(volume(unique_id=SDA_WWN))], NO_TOOL)
    found = linked.controllers[0]
    assert (found.pci_address, found.driver) == ("0000:03:00.0", "hpsa")
    assert (found.vendor, found.model) == ("Hewlett-Packard Company", "Smart Array Gen8 Controllers")


def test_a_controller_without_volumes_is_known_by_its_driver() -> None:
    """One controller and one PCI function of the family's drivers are matched. With two functions, none is."""
    drivers = {"example": ("hpsa",)}
    assert link([controller_with()], NO_TOOL, drivers).controllers[0].pci_address == "0000:03:00.0"
    assert link([controller_with()], NO_TOOL).controllers[0].pci_address is None
    second = PciDevice("0000:04:00.0", 0x010400, 1, 2, driver="hpsa")
    two = replace(NO_TOOL, pci=(*NO_TOOL.pci, second))
    assert link([controller_with()], two, drivers).controllers[0].pci_address is None


def test_a_printed_address_is_normalised_and_the_tools_words_stay() -> None:
    """The tool's model and vendor are kept. The driver is the kernel's, and a different one is reported."""
    linked = link([controller_with(pci_address="03:00.0", model="Card 9", driver="cciss")], NO_TOOL)
    found = linked.controllers[0]
    assert (found.pci_address, found.model, found.driver) == ("0000:03:00.0", "Card 9", "hpsa")
    assert len(linked.problems) == 1


def test_a_drive_that_the_system_sees_is_found_by_name_or_serial() -> None:
    """In HBA mode, world wide name or serial number matches a drive. A masked one matches nothing."""
    drives = (
        Drive(id="example:1/1", role="passthrough", wwn="5000C50091E40071"),
        Drive(id="example:1/2", role="passthrough", serial="tlw4a0098 "),
        Drive(id="example:1/3", role="passthrough", serial="XXXXXXXX"),
    )
    linked = link([controller_with(drives=drives)], ON_MD)
    assert [drive.device for drive in linked.controllers[0].drives] == ["/dev/sda", "/dev/sdb", None]


def test_one_serial_number_on_several_volumes_is_no_drive() -> None:
    """A serial number that matches several devices means nothing. Logical volumes have their controller's."""
    linked = link([controller_with(drives=(Drive(id="example:1/1", serial="PDKRH0BRH7A0QQ"),))], NO_TOOL)
    assert linked.controllers[0].drives[0].device is None


def test_members_of_a_software_array_get_the_words_of_the_drive_below() -> None:
    """A member partition has its drive's model, serial number and interface. Its size is separate."""
    members = (Drive(id="md:md0/sda2", role="member"), Drive(id="md:md0/sdb2", device="/dev/sdb2", serial="told"))
    array = Controller(id="md", mode="software", drives=members, volumes=(Volume(id="md:md0", device="/dev/md0"),))
    linked = link([array], ON_MD)
    first, second = linked.controllers[0].drives
    assert (first.device, first.model, first.serial) == ("/dev/sda2", "TALUS TD1000NM-2A", "TLW4A0071")
    assert (first.interface, first.media, first.size_bytes) == ("sata", "hdd", 1952210944 * 512)
    assert second.serial == "told"
    assert linked.controllers[0].volumes[0].mountpoints == ("/", "/srv/my data", "[swap]")
    assert linked.controllers[0].pci_address is None


def test_the_paths_of_a_multipath_volume_are_one_device() -> None:
    """Two block devices with one name are two paths. The multipath device above is shown, and all three are claimed."""
    name = "0x600a0b80001234560000aaaa55551234"
    view = HostView(
        blocks=(
            BlockDevice("sda", "/dev/sda", "disk", wwn=name),
            BlockDevice("sdb", "/dev/sdb", "disk", wwn=name),
            BlockDevice(
                "dm-0", "/dev/dm-0", "dm", slaves=("sda", "sdb"), dm_name="mpatha", links=("/dev/mapper/mpatha",)
            ),
        )
    )
    linked = link([controller_with(volume(unique_id=name))], view)
    assert linked.controllers[0].volumes[0].device == "/dev/mapper/mpatha"
    assert linked.problems == ()
    assert {"/dev/sda", "/dev/sdb", "/dev/dm-0", "/dev/mapper/mpatha"} == claimed_nodes(linked.controllers, view)
    without = replace(view, blocks=view.blocks[:2])
    second = link([controller_with(volume(unique_id=name))], without)
    assert second.controllers[0].volumes[0].device == "/dev/sda"
    assert [problem.severity for problem in second.problems] == ["info"]


def test_loose_files_are_left_as_they_are() -> None:
    """Without a view of a machine nothing changes and nothing is reported."""
    given = (controller_with(volume(device="/dev/sda", unique_id=SDA_WWN, mountpoints=("/",)), pci_address="03:00.0"),)
    linked = link(given, HostView())
    assert linked.controllers == given
    assert (linked.problems, linked.outputs) == ((), ())


def test_members_of_software_arrays_are_not_claimed() -> None:
    """Volumes and drives of controllers are claimed, and so are md's volumes. The partitions below md are not."""
    controllers = [
        controller_with(volume(device="/dev/sdc"), drives=(Drive(id="example:1/1", device="/dev/sdd"),)),
        Controller(
            id="md",
            mode="software",
            volumes=(Volume(id="md:md0", device="/dev/md0"),),
            drives=(Drive(id="md:md0/sda1", device="/dev/sda1"),),
        ),
    ]
    assert claimed_nodes(controllers) == {"/dev/sdc", "/dev/sdd", "/dev/md0"}


def test_what_is_no_name_is_not_compared() -> None:
    """Too short, masked or empty names and serial numbers match nothing."""
    assert wwn("0000000000000000") is wwn("5000c500") is wwn("XXXXXXXXXXXXXXXX") is wwn(None) is None
    assert serial("****1234") is serial("0000") is serial("ab") is serial("") is None
    assert Index(HostView(blocks=(BlockDevice("sda", "/dev/sda", "disk"),))).disks("wwn", None) == []


def free(*problems: Problem, **changes: object) -> frozenset[str]:
    """The volumes known to be unmounted.

    One is mounted, one has swap on a partition, one is free, one has a file system of several drives, one is not there.
    """
    blocks: dict[str, object] = {
        "blocks": (
            BlockDevice("md0", "/dev/md0", "md", filesystem="ext4", mountpoints=("/srv",)),
            BlockDevice("md1", "/dev/md1", "md"),
            BlockDevice("md1p1", "/dev/md1p1", "partition", parent="md1", mountpoints=("[swap]",)),
            BlockDevice("md2", "/dev/md2", "md"),
            BlockDevice("md3", "/dev/md3", "md", filesystem="bcachefs"),
        ),
        **changes,
    }
    volumes = tuple(Volume(id=f"md:md{number}", device=f"/dev/md{number}") for number in range(5))
    inventory = Inventory(host=Host(), controllers=(Controller(id="md", volumes=volumes),), problems=problems)
    return unmounted_volumes(inventory, HostView(**blocks))  # type: ignore[arg-type] # the tests vary fields by name


def test_only_what_the_kernel_knows_to_be_free_is_unmounted() -> None:
    """Only a volume that is free according to the kernel is unmounted.

    One with a mounted partition, a device unknown to the kernel, or an untraced file system is not free.
    """
    assert free() == {"md:md2"}


def test_nothing_is_known_to_be_unmounted_where_the_mounts_are_not() -> None:
    """Where the mounts are unknown, no volume is known to be unmounted.

    A table could not be read, or file systems have no device: ZFS would be found by its name only.
    """
    unread = Problem(severity="warning", where="/proc/self/mountinfo", message="m", kind="unread")
    assert free(unread) == frozenset()
    lost = ReadAnswer(trouble=Failure.TIMEOUT)
    together = problems_of([(Read(path), lost) for path in ("/proc/swaps", "/proc/cpuinfo")], [])
    assert free(*together) == frozenset()
    assert free(blocks=(BlockDevice("md2", "/dev/md2", "md"),)) == frozenset()
    assert free(blocks=()) == frozenset()
