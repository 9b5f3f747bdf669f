"""Kernel facts about volumes, drives and controllers: queues, layers, mounts, links."""

from __future__ import annotations

import pytest

from raidctl.discovery import mapper, probe_machine
from raidctl.discovery.pci import linked
from raidctl.host import BlockDevice, HostView, Lanes, PciDevice, Piece
from raidctl.model import BlockLayer, Controller, Drive, PciLink, Volume
from raidctl.output.explain import facts_of, final_values
from raidctl.request import Read, Run, converse
from raidctl.survey import kernel_facts
from tests.discovery.machines import Scripted, block
from tests.support.machines import replayed

MIB = 1 << 20
ADDRESS = "0000:03:00.0"
LINK = {"current_link_width": "4", "max_link_width": "8", "current_link_speed": "5.0 GT/s PCIe"}


def volume(machine: str, name: str) -> Volume:
    """A volume of a recorded machine."""
    controllers = replayed(machine).inventory.controllers
    return next(item for controller in controllers for item in controller.volumes if item.id == name)


def drive(machine: str, name: str) -> Drive:
    """A drive of a recorded machine."""
    controllers = replayed(machine).inventory.controllers
    return next(item for controller in controllers for item in controller.drives if item.id == name)


def layers(*blocks: BlockDevice) -> tuple[BlockLayer, ...]:
    """The layers of the first device, shown as a controller's volume."""
    shown = Controller(id="x:0", mode="raid", volumes=(Volume(id="x:0/v0", device=blocks[0].node),))
    return kernel_facts.add_facts([shown], HostView(blocks=blocks)).controllers[0].volumes[0].layers


def device(name: str, kind: str = "disk", *pieces: Piece, parent: str | None = None) -> BlockDevice:
    """A device on the pieces of others."""
    below = () if parent else tuple(dict.fromkeys(piece.below for piece in pieces))
    return BlockDevice(
        name=name, node=f"/dev/{name}", kind=kind, parent=parent, slaves=below, pieces=pieces,  # type: ignore[arg-type] # the words are of the tests below
    )  # fmt: skip


def test_a_logical_volume_begins_where_the_device_mapper_table_shows() -> None:
    """Each layer has an offset on the volume.

    For an encrypted device inside a logical volume, it is the sum of both.
    """
    found = {layer.name: layer for layer in volume("host-lvm-on-md", "md:md0").layers}
    assert found["vg0-root"].offsets_bytes == (2048 * 512,)
    assert (found["vault"].kind, found["vault"].on) == ("crypt", ("/dev/dm-2",))
    assert found["vault"].start_bytes == 16 * MIB
    assert found["vault"].offsets_bytes == (found["vg0-vault"].offsets_bytes[0] + 16 * MIB,)
    assert {found[name].kind for name in ("vg0-root", "vg0-swap", "vg0-vault")} == {"lvm"}


def test_the_data_of_an_array_begin_behind_its_superblock() -> None:
    """Md reports for each member where its data begin. On the whole drive, the partition's offset is added."""
    assert drive("host-lvm-on-md", "md:md0/sda2").data_offset_bytes == 264192 * 512
    above = {layer.device: layer for layer in drive("host-lvm-on-md", "drives:TLW4A0071").layers}
    start = above["/dev/sda2"].start_bytes
    assert start is not None
    assert above["/dev/md0"].offsets_bytes == (start + 264192 * 512,)


def test_what_lies_on_an_array_is_listed_with_the_array_alone() -> None:
    """A drive lists the array that it is a member of. It lists neither the array's logical volumes nor their mounts."""
    below = drive("host-lvm-on-md", "drives:TLW4A0071")
    assert {layer.kind for layer in below.layers} == {"partition", "md"}
    assert [mount.point for mount in below.mounts] == ["/boot/efi"]
    assert "/" in [mount.point for mount in volume("host-lvm-on-md", "md:md0").mounts]


def test_the_settings_of_a_queue_are_in_bytes() -> None:
    """Read-ahead is in KiB in sysfs. An optimal size of 0 means that the device reports none."""
    queue = volume("md-healthy", "md:md1").block
    assert queue is not None
    assert (queue.read_ahead_bytes, queue.minimum_io_bytes, queue.optimal_io_bytes) == (8 * MIB, 512 << 10, 2 * MIB)
    mirror = volume("md-healthy", "md:md0").block
    assert mirror is not None
    assert mirror.optimal_io_bytes is None


def test_the_scheduler_is_the_word_in_brackets() -> None:
    """The others are what could be chosen."""
    queue = volume("megaraid-9271-learning", "megaraid:0/v0").block
    assert queue is not None
    assert queue.scheduler == "bfq"


def test_an_old_recording_gives_nothing_and_no_problem() -> None:
    """Values that an old recording does not have are null. The machine was recorded before these files were read."""
    old = volume("megaraid-9660-storcli2", "megaraid:0/v1")
    assert old.block is None or old.block.read_ahead_bytes is None
    assert all(layer.offsets_bytes == () for layer in old.layers)
    where = {problem.where for problem in replayed("megaraid-9660-storcli2").inventory.problems}
    assert not any("/sys/class/block" in place or "dmsetup" in place for place in where)


def test_a_mount_has_its_own_options_and_those_of_its_file_system() -> None:
    """A mount also has the options of its whole file system.

    What they switch off, such as barriers, follows the dash in mountinfo.
    """
    udev = "P: /devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda\nN: sda\nE: SUBSYSTEM=block\n"
    mounts = b"29 1 8:0 / /srv rw,noatime shared:1 - ext4 /dev/sda rw,nobarrier,data=ordered\n"
    files = {"/sys/class/block/sda/size": b"2048\n", "/proc/self/mountinfo": mounts}
    found = block(converse(probe_machine(), Scripted(f"{udev}E: MAJOR=8\nE: MINOR=0\n", files)).view, "sda")
    assert [(m.point, m.filesystem, m.options) for m in found.mounts] == [
        ("/srv", "ext4", ("rw", "noatime", "nobarrier", "data=ordered"))
    ]


@pytest.mark.parametrize("name", ["sda", "cciss!c0d0"])
def test_options_that_are_defaults_of_an_ext4_are_known(name: str) -> None:
    """The kernel's table of mounts leaves them out: `tune2fs -o nobarrier` would stop flushes without a trace."""
    udev = f"P: /devices/x/block/{name}\nN: sda\nE: SUBSYSTEM=block\nE: MAJOR=8\nE: MINOR=0\n"
    files = {
        f"/sys/class/block/{name}/size": b"2048\n",
        "/proc/self/mountinfo": b"29 1 8:0 / /srv rw shared:1 - ext4 /dev/sda rw\n",
        f"/proc/fs/ext4/{name}/options": b"rw\nbsddf\nnobarrier\ncommit=5\ndata=journal\n",
        "/proc/fs/ext4/sdz/options": b"rw\nbarrier\n",
    }
    [found] = block(converse(probe_machine(), Scripted(udev, files)).view, name.replace("!", "/")).mounts
    assert found.options == ("rw", "nobarrier", "data=journal")


@pytest.mark.parametrize("text", ["Unknown", "Unknown speed", "0", "255", "", "x8", "8 GT", "-1"])
def test_an_invalid_pcie_link_is_not_reported(text: str) -> None:
    """A PCIe link with invalid values is not reported.

    Functions of the chipset print 0 lanes, 255 lanes or an unknown speed.
    """
    function = PciDevice(address=ADDRESS, pci_class=0x010400, vendor_id=1, device_id=1)
    names = ("current_link_width", "max_link_width", "current_link_speed", "max_link_speed")
    assert linked([function], {(ADDRESS, name): text for name in names})[0].lanes is None


@pytest.mark.parametrize("text", ["8.0 GT/s PCIe", "8.0 GT/s", "8 GT/s"])
def test_the_speed_of_a_lane_is_read_from_old_and_new_kernels(text: str) -> None:
    """Linux 5.7 appended a word to the figure."""
    function = PciDevice(address=ADDRESS, pci_class=0x010400, vendor_id=1, device_id=1)
    assert linked([function], {(ADDRESS, "max_link_speed"): f"{text}\n"})[0].lanes == Lanes(max_speed_gtps=8.0)


def test_the_kernel_s_pcie_link_outranks_the_tool_s() -> None:
    """A value missing in sysfs is taken from the tool."""
    function = PciDevice(address=ADDRESS, pci_class=0x010400, vendor_id=1, device_id=1, lanes=Lanes(4, 8))
    shown = Controller(id="x:0", mode="raid", pci_address=ADDRESS, pci_link=PciLink(width=8, speed_gtps=8.0))
    found = kernel_facts.add_facts([shown], HostView(pci=(function,))).controllers[0]
    assert found.pci_link == PciLink(width=4, max_width=8, speed_gtps=8.0)


def test_without_udev_only_storage_controllers_are_asked_for_their_links() -> None:
    """All functions of a machine are in sysfs. Which ones are storage is known after the second round."""
    place = "/sys/bus/pci/devices"
    files = {
        f"{place}/{ADDRESS}/uevent": b"PCI_CLASS=10400\nPCI_ID=1000:005D\nPCI_SLOT_NAME=0000:03:00.0\n",
        f"{place}/0000:00:02.0/uevent": b"PCI_CLASS=30000\nPCI_ID=8086:1912\nPCI_SLOT_NAME=0000:00:02.0\n",
    } | {f"{place}/{ADDRESS}/{name}": text.encode() for name, text in LINK.items()}
    runner = Scripted(files=files, paths=[f"{place}/{ADDRESS}", f"{place}/0000:00:02.0"])
    view = converse(probe_machine(), runner).view
    assert view.pci[0].lanes == Lanes(4, 8, 5.0)
    asked = {request.path for requests in runner.rounds for request in requests if isinstance(request, Read)}
    assert not any("0000:00:02.0/current_link" in path for path in asked)


@pytest.mark.parametrize(("uid", "asked"), [("0", True), ("1000", False)])
def test_the_device_mapper_is_asked_by_root_only(uid: str, *, asked: bool) -> None:
    """Its table needs root; otherwise nothing is run, and nothing is reported."""
    files = {"/sys/class/block/dm-0/size": b"2048\n", "/proc/self/status": f"Uid:\t{uid}\t{uid}\t{uid}\t0\n".encode()}
    runner = Scripted(files=files, paths=["/sys/class/block/dm-0"])
    converse(probe_machine(), runner)
    assert any(isinstance(request, Run) for requests in runner.rounds for request in requests) == asked


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("vg-a: 0 100 linear 8:2 2048", (Piece("sda2", MIB),)),
        ("c: 0 100 crypt aes-xts-plain64 :64:logon:x 0 8:2 32768 1 allow_discards", (Piece("sda2", 16 * MIB),)),
        ("s: 0 100 striped 2 128 8:2 2048 8:16 4096", (Piece("sda2", MIB), Piece("sdb", 2 * MIB))),
        ("m: 0 100 multipath 0 0 1 1 service-time 0 1 2 8:16 1 1", (Piece("sdb", 0),)),
        ("t: 0 100 thin 253:3 1", None),
        ("e: 0 100 error", None),
        ("o: 0 100 linear 7:7 0", None),
        ("r: 0 100 linear 8:2 -1", None),
        ("No devices found", None),
    ],
)  # fmt: skip
def test_a_line_of_the_table_shows_where_a_device_begins_or_nothing(line: str, found: tuple[Piece, ...] | None) -> None:
    """Only targets that are understood, on known devices, have a place."""
    assert mapper.pieces(f"{line}\n", {"8:2": "sda2", "8:16": "sdb"}) == (
        {} if found is None else {line.partition(":")[0]: found}
    )


def test_a_device_of_which_one_target_is_not_understood_has_no_place() -> None:
    """A part of the offsets would be taken for all of them."""
    assert mapper.pieces("v: 0 8 linear 8:2 0\nv: 8 8 snapshot 8:2 8:16 P 16\n", {"8:2": "a", "8:16": "b"}) == {}


def test_a_logical_volume_in_two_pieces_has_two_places_and_what_lies_on_it_none() -> None:
    """Which of the pieces the upper device begins in is unknown."""
    disk, lower = device("sda"), device("dm-0", "dm", Piece("sda", MIB), Piece("sda", 9 * MIB))
    upper = device("dm-1", "dm", Piece("dm-0", 16 * MIB))
    found = layers(disk, lower, upper)
    assert [layer.offsets_bytes for layer in found] == [(MIB, 9 * MIB), ()]
    assert [layer.start_bytes for layer in found] == [MIB, 16 * MIB]


def test_a_logical_volume_on_two_partitions_of_a_volume_has_a_place_on_each() -> None:
    """Both are counted from the beginning of the volume. On two devices there is no single start."""
    parts = [device(f"sda{n}", "partition", Piece("sda", n * 100 * MIB), parent="sda") for n in (1, 2)]
    upper = device("dm-0", "dm", Piece("sda1", MIB), Piece("sda2", MIB))
    found = layers(device("sda"), *parts, upper)[-1]
    assert (found.offsets_bytes, found.start_bytes) == ((101 * MIB, 201 * MIB), None)


@pytest.mark.parametrize("machine", ["host-lvm-on-md", "megaraid-9271-learning", "md-healthy"])
def test_each_fact_of_the_kernel_has_its_line(machine: str) -> None:
    """``--explain`` names the kernel's line behind settings, places, mounts and links."""
    survey = replayed(machine)
    paths = 0
    for controller in survey.inventory.controllers:
        for name in (controller.id, *(v.id for v in controller.volumes), *(d.id for d in controller.drives)):
            explained = {fact.field for fact in facts_of(survey.outputs, name)}
            final = final_values(survey.inventory, name)
            wanted = {
                p for p in final if p.startswith(("block.", "pci_link.")) or p.endswith(("start_bytes", "options"))
            }
            assert wanted <= explained
            paths += len(wanted)
    assert paths
