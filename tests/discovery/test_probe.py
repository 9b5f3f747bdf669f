"""Probing a machine through the kernel: udev, sysfs, mounts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from raidctl.discovery import probe_machine
from raidctl.discovery.probe import CPUINFO
from raidctl.discovery.sysfs import PARTITIONS, SLAVES
from raidctl.request import Answer, Failure, Glob, GlobAnswer, Read, ReadAnswer, Request, UdevDatabase, converse, key
from raidctl.runners.answers import answer_of
from raidctl.runners.local import LocalRunner
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.failed_requests import problems_of
from tests.discovery.machines import Scripted, block, seen
from tests.support.failing import Failing
from tests.support.machines import recording

HOSTS = ("host-laptop-nvme", "host-lvm-on-md", "host-no-udev", "host-raid-card-no-tool", "host-vm-virtio")


@pytest.mark.parametrize("machine", HOSTS)
def test_a_recorded_host_is_read_without_a_problem(machine: str) -> None:
    """Each recorded host is read without a problem.

    Name, kernel, and drives with size and PCI function are known.
    """
    found = seen(machine)
    assert found.problems == []
    assert found.outputs == []
    assert found.view.hostname
    assert found.view.kernel
    assert found.view.root is True
    for device in found.view.blocks:
        assert device.kind == "cdrom" or device.size_bytes is not None
        assert device.kind != "disk" or device.pci_address


def test_a_laptop_is_traced_from_the_drive_to_the_root_directory() -> None:
    """The NVMe drive carries root, boot partitions and swap. Partitions, LUKS and LVM between them are followed."""
    view = seen("host-laptop-nvme").view
    drive = block(view, "nvme0n1")
    assert view.mountpoints("nvme0n1") == ("/", "/boot", "/boot/efi", "[swap]")
    assert (drive.model, drive.serial, drive.firmware) == ("Quillon NV70 512GB", "QL7A26K0001423", "QL70A104")
    assert (drive.size_bytes, drive.transport, drive.rotational) == (1000215216 * 512, "nvme", False)
    assert (drive.pci_address, drive.driver) == ("0000:01:00.0", "nvme")
    assert block(view, "/dev/mapper/kestrel-root").slaves == ("dm-0",)
    assert view.virtual is None


def test_an_empty_usb_reader_is_a_drive_of_size_0() -> None:
    """A removable device without a medium has size 0. Bus and driver are its own."""
    reader = block(seen("host-laptop-nvme").view, "sda")
    assert (reader.model, reader.transport, reader.removable, reader.size_bytes) == ("Card Reader", "usb", True, 0)
    assert reader.driver == "xhci_hcd"


def test_layers_on_md_are_traced_and_bind_mounts_are_not_counted() -> None:
    """Mount points of LVM and LUKS on md are found below. Directories that containers bind elsewhere are left out."""
    view = seen("host-lvm-on-md").view
    assert view.mountpoints("md0") == ("/", "/srv/my data", "[swap]")
    assert view.mountpoints("sda") == ("/", "/boot/efi", "/srv/my data", "[swap]")
    assert block(view, "md0").slaves == ("sda2", "sdb2")
    assert block(view, "sda2").parent == "sda"
    assert (block(view, "sda2").model, block(view, "sda").model) == (None, "TALUS TD1000NM-2A")
    assert block(view, "sdb").transport == "sata"
    assert block(view, "/dev/disk/by-id/wwn-0x5000c50091e40098").name == "sdb"


def test_volumes_of_raid_controllers_have_the_full_world_wide_name() -> None:
    """All 128 bits of a RAID volume's name are kept.

    So are its SCSI address, its PCI function and that one's driver.
    """
    view = seen("host-raid-card-no-tool").view
    volume = block(view, "sdb")
    assert volume.wwn == "0x600508b1001c9a3fb4c51d2e3f405162"
    assert (volume.scsi_address, volume.pci_address, volume.driver) == ("0:1:0:1", "0000:03:00.0", "hpsa")
    assert (volume.vendor, volume.model) == ("HP", "LOGICAL VOLUME")
    assert {function.pci_class for function in view.pci} == {0x010400, 0x010601}


def test_subvolumes_of_btrfs_are_mount_points_of_its_drive() -> None:
    """File systems without a device number are found by their source.

    A directory bound elsewhere is not a mount point.
    """
    view = seen("host-vm-virtio").view
    assert view.virtual == "kvm"
    assert view.mountpoints("vdb") == ("/srv/data", "/var/log")
    assert block(view, "vdb").serial == "wren-data"
    assert (block(view, "vda").transport, block(view, "vda").driver) == ("virtio", "virtio-pci")
    assert block(view, "sr0").kind == "cdrom"


@pytest.mark.parametrize("trouble", [Failure.DENIED, Failure.FAILED, Failure.TIMEOUT, Failure.MISSING])
def test_a_machine_whose_processor_cannot_be_read_may_be_virtual(trouble: Failure) -> None:
    """Without /proc/cpuinfo, nothing shows that it is real hardware."""
    runner = Failing(ReplayRunner(recording("host-laptop-nvme")), {key(Read(CPUINFO, limit=4096))}, trouble)
    view = converse(probe_machine(), runner).view
    assert (view.virtual, view.maybe_virtual) == (None, True)
    assert not seen("host-laptop-nvme").view.maybe_virtual
    assert not seen("redfish-supermicro-x12").view.maybe_virtual  # a BMC has no /proc, and is of real hardware


def test_sysfs_replaces_udev() -> None:
    """Without udev, sysfs gives the properties of every drive.

    The properties are size, serial number, world wide name, address and interface.
    """
    view = seen("host-no-udev").view
    assert [device.name for device in view.blocks] == ["dm-0", "nvme0n1", "sda", "sda1", "sdb"]
    sata, sas, nvme = (block(view, name) for name in ("sda", "sdb", "nvme0n1"))
    assert (sata.serial, sata.wwn, sata.transport) == ("TLX70417", "0x5000c500a2b30417", "sata")
    assert (sas.model, sas.serial, sas.firmware, sas.transport) == ("CN600SS15", "CN6J0144", "0B04", "sas")
    assert (sas.pci_address, sas.scsi_address, sas.driver) == ("0000:5e:00.0", "8:0:4:0", "mpt3sas")
    assert (nvme.model, nvme.pci_address, nvme.driver) == ("Quillon DC960", "0000:81:00.0", "nvme")
    assert [function.address for function in view.pci] == ["0000:00:17.0", "0000:5e:00.0", "0000:81:00.0"]


@pytest.mark.parametrize("trouble", [Failure.TIMEOUT, Failure.FAILED, Failure.FLOOD])
def test_a_controller_behind_the_end_of_a_truncated_udev_is_found(trouble: Failure) -> None:
    """PCI functions that a truncated udev database does not list come from sysfs, as the message states."""
    kept = recording("host-no-udev")
    listed = (
        b"P: /devices/pci0000:00/0000:00:00.0\nE: SUBSYSTEM=pci\nE: PCI_CLASS=60000\nE: PCI_SLOT_NAME=0000:00:00.0\n\n"
    )
    runner = ReplayRunner(kept).with_answers({UdevDatabase(): ReadAnswer(data=listed, trouble=trouble)})
    found = converse(probe_machine(), runner)
    assert [one.address for one in found.view.pci] == [one.address for one in seen("host-no-udev").view.pci] != []


@pytest.mark.parametrize("pattern", [SLAVES, PARTITIONS])
def test_links_between_devices_that_may_not_be_read_are_reported(pattern: str) -> None:
    """Without them, the mount points of LVM and md vanish from their drives: that is unknown, and not "no mounts"."""
    runner = Failing(ReplayRunner(recording("host-lvm-on-md")), {key(Glob(pattern))}, Failure.DENIED)
    assert [one.kind for one in converse(probe_machine(), runner).problems] == ["unread"]


def test_a_name_that_scsi_has_cut_off_is_not_taken_for_the_model() -> None:
    """A cut-off name of an ATA drive is not its model.

    Without udev and page 89h, there are only the first 16 letters of a longer name.
    """
    assert block(seen("host-no-udev").view, "sda").model is None


def test_directories_bound_into_a_container_are_mount_points_where_nothing_better_is_known() -> None:
    """Inside a container, the bound directories are used as mount points. The file system itself is mounted nowhere."""
    assert seen("host-no-udev").view.mountpoints("sda") == ("/app", "/etc/hosts")


def test_two_rounds_are_enough() -> None:
    """Requests that do not depend on a reply are sent together. Each round is a delay over ssh."""
    runner = Scripted(paths=["/sys/class/block/sda"], files={"/sys/class/block/sda/size": b"2048\n"})
    found = converse(probe_machine(), runner)
    assert len(runner.rounds) == 2
    assert block(found.view, "sda").size_bytes == 1 << 20


def test_a_machine_without_udev_and_sysfs_gives_one_problem() -> None:
    """Without udev and sysfs the view is empty, which is reported once."""
    found = converse(probe_machine(), Scripted())
    assert found.view.blocks == ()
    assert [problem.kind for problem in found.problems] == ["unread"]


class Slow(Scripted):
    """A machine that answers nothing in time."""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Time out, each time."""
        return [answer_of(request, Failure.TIMEOUT, "not done after 5 s") for request in requests]


def test_a_machine_that_is_too_slow_needs_more_time() -> None:
    """The problem has the reason and names the time limit. The cause is not /sys."""
    [problem] = converse(probe_machine(), Slow()).problems[:1]
    assert "timeout, not done after 5 s" in problem.message
    assert "--timeout" in (problem.remedy or "")
    assert "mount" not in (problem.remedy or "")
    [lost] = problems_of([(Glob("/sys/class/block/*"), GlobAnswer(trouble=Failure.TIMEOUT))], ())
    assert "--timeout" in (lost.remedy or "")


def test_missing_mount_points_are_reported_if_there_is_something_to_mount() -> None:
    """Drives without a readable table of mounts are a problem. No mount point is not the same as not mounted."""
    udev = "P: /devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda\nN: sda\nE: SUBSYSTEM=block\n"
    found = converse(probe_machine(), Scripted(udev, {"/sys/class/block/sda/size": b"2048\n"}))
    assert [problem.where for problem in found.problems] == ["/proc/self/mountinfo"]


def test_a_udev_that_hangs_is_reported_and_replaced() -> None:
    """A database that could not be read in time is reported. The facts from sysfs remain."""
    files = {"/sys/class/block/sda/size": b"2048\n", "/proc/self/mountinfo": b""}
    found = converse(probe_machine(), Scripted(Failure.TIMEOUT, files, ["/sys/class/block/sda"]))
    assert block(found.view, "sda").size_bytes == 1 << 20
    assert [problem.kind for problem in found.problems] == ["unread"]


def test_lines_in_no_known_form_are_kept_and_reported() -> None:
    """A table of the kernel with unknown lines is a problem. The lines are listed as unparsed."""
    found = converse(probe_machine(), Scripted("what is this\nP: /devices/x\n"))
    assert [line.text for output in found.outputs for line in output.unparsed()] == ["what is this"]
    assert any("udev database" in problem.where for problem in found.problems)


def test_the_path_of_a_multipath_nvme_drive_contains_its_pci_function() -> None:
    """The visible device of native NVMe multipath is virtual. The hidden one below the controller has the path."""
    udev = (
        "P: /devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1\nN: nvme0n1\nE: SUBSYSTEM=block\nE: DEVTYPE=disk\n\n"
        "P: /devices/pci0000:80/0000:80:01.0/0000:81:00.0/nvme/nvme0/nvme0c0n1\nE: SUBSYSTEM=block\nE: DEVTYPE=disk\n"
    )
    view = converse(probe_machine(), Scripted(udev)).view
    assert [device.name for device in view.blocks] == ["nvme0n1"]
    assert (block(view, "nvme0n1").pci_address, block(view, "nvme0n1").kind) == ("0000:81:00.0", "disk")


def test_devices_that_nobody_has_set_up_are_not_shown() -> None:
    """Devices that are not set up are not storage of the machine.

    Examples are empty loop and network block devices, RAM drives, and compressed swap in memory.
    """
    names = ("loop0", "loop1", "nbd0", "ram0", "zram0")
    files = {f"/sys/class/block/{name}/size": b"0\n" for name in names} | {"/sys/class/block/loop1/size": b"8\n"}
    found = converse(probe_machine(), Scripted(files=files, paths=[f"/sys/class/block/{name}" for name in names]))
    assert [device.name for device in found.view.blocks] == ["loop1"]


def test_a_name_with_a_slash_is_found_in_sysfs_and_in_dev() -> None:
    """The kernel's ``cciss!c0d0`` is ``cciss/c0d0`` with the node ``/dev/cciss/c0d0``, partitions included."""
    files = {
        "/sys/class/block/cciss!c0d0/size": b"2048\n",
        "/sys/class/block/cciss!c0d0p1/size": b"1024\n",
        "/sys/class/block/cciss!c0d0p1/uevent": b"MAJOR=104\nMINOR=1\nDEVNAME=cciss/c0d0p1\nDEVTYPE=partition\n",
        "/proc/self/mountinfo": b"27 1 104:1 / / rw - ext3 /dev/root rw\n",
    }
    paths = [
        "/sys/class/block/cciss!c0d0",
        "/sys/class/block/cciss!c0d0p1",
        "/sys/class/block/cciss!c0d0/cciss!c0d0p1/partition",
        "/sys/bus/pci/devices/0000:06:00.0/cciss0/c0d0/block/cciss!c0d0",
    ]
    view = converse(probe_machine(), Scripted(files=files, paths=paths)).view
    disk = block(view, "/dev/cciss/c0d0")
    assert (disk.size_bytes, disk.pci_address) == (1 << 20, "0000:06:00.0")
    assert view.mountpoints("cciss/c0d0") == ("/",)
    assert block(view, "cciss/c0d0p1").parent == "cciss/c0d0"


def test_this_very_machine_is_read() -> None:
    """The local runner reads this very machine: name, kernel, and drive sizes."""
    found = converse(probe_machine(), LocalRunner())
    assert found.view.hostname
    assert found.view.kernel
    assert found.view.root is not None
    for device in found.view.blocks:
        assert device.kind not in ("disk", "partition") or device.size_bytes is not None


def test_a_thousand_drives_are_all_seen() -> None:
    """Each with its partition, none twice."""
    found = converse(probe_machine(), many(1000))
    assert len({device.node for device in found.view.blocks}) == len(found.view.blocks) == 2000


def many(count: int) -> Scripted:
    """A machine with many drives of one partition each."""
    parts = []
    for number in range(count):
        path = f"/devices/pci0000:00/0000:03:00.0/host0/target0:0:{number}/0:0:{number}:0/block/sd{number}"
        for name, kind in ((f"sd{number}", "disk"), (f"sd{number}p1", "partition")):
            place = path if kind == "disk" else f"{path}/{name}"
            minor = number * 2 + (kind == "partition")
            parts.append(
                f"P: {place}\nN: {name}\nE: SUBSYSTEM=block\nE: DEVTYPE={kind}\nE: MAJOR=8\nE: MINOR={minor}\n"
                f"E: ID_SERIAL=S{number}\nE: ID_BUS=scsi\nE: ID_WWN=0x5000c5000000{number:04x}\n"
            )
    mounts = "".join(f"{n} 1 8:{2 * n + 1} / /data/{n} rw - xfs /dev/sd{n}p1 rw\n" for n in range(count))
    return Scripted("\n".join(parts), {"/proc/self/mountinfo": mounts.encode()})
