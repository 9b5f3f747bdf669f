"""Readers of udev, mountinfo, swaps and sysfs, on good and damaged text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.discovery import mounts, udevdb
from raidctl.discovery.pci import normalised
from raidctl.discovery.sysfs import Attributes, identity
from raidctl.discovery.sysfs_path import Place, kind_of
from raidctl.discovery.virtual import hypervisor
from tests.discovery.machines import FIXTURES

RUBBISH = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from(["P: /devices/x", "N: sda", "E: A=B", "E: =", "S:", "D: b", "P:", "", " - ", "8:1"])).map(
        "\n".join
    ),
)


@given(RUBBISH)
def test_rubbish_never_breaks_the_reader_of_udev(text: str) -> None:
    """Any database gives entries. Every line is either read or listed as strange."""
    found = udevdb.parse(text)
    assert all(line.text.strip() for line in found.unknown_lines)
    assert len(found.entries) + len(found.unknown_lines) <= text.count("\n") + 1


@given(st.integers(min_value=0, max_value=4000))
def test_half_a_database_gives_half_the_devices(cut: int) -> None:
    """A database cut at any place gives the devices before the cut. The place may be in the middle of a line."""
    whole = (FIXTURES / "host-raid-card-no-tool" / "udev-db").read_text()
    entries, part = udevdb.parse(whole).entries, udevdb.parse(whole[:cut]).entries
    assert [e.path for e in part[:-1]] == [e.path for e in entries[: max(len(part) - 1, 0)]]


@given(RUBBISH)
def test_rubbish_never_breaks_the_reader_of_mounts(text: str) -> None:
    """Any table gives mounts. Every unread line is listed as strange."""
    for table in (mounts.mountinfo(text), mounts.swaps(text)):
        assert all(line.text.strip() for line in table.unknown_lines)
    assert len(mounts.mountinfo(text).mounts) <= text.count("\n") + 1


@given(st.binary(max_size=600))
def test_rubbish_in_sysfs_never_breaks_anything(data: bytes) -> None:
    """For any attribute, the size is a number or None, and the identity is text or None."""
    names = (
        "size",
        "removable",
        "uevent",
        "device/vendor",
        "device/model",
        "device/vpd_pg80",
        "device/vpd_pg89",
        "wwid",
    )
    attributes = Attributes(dict.fromkeys(names, data))
    assert attributes.size_bytes is None or attributes.size_bytes >= 0
    assert isinstance(attributes.uevent, dict)
    identity(attributes)


def test_a_database_of_any_age_is_read() -> None:
    """Old and new exports of the database give the same.

    Old ones have P, N, S, E lines, new ones repeat subsystem and number in U and D lines.
    """
    head = "P: /devices/a/block/sda\nM: sda\nR: 0\nJ: b8:0\nU: block\nT: disk\nD: b 8:0\n"
    new = f"{head}N: sda\nL: 0\nS: disk/by-id/x\nQ: 1\nV: sd\n"
    old = "P: /devices/a/block/sda\r\nN: sda\r\nS: disk/by-id/x\r\nE: SUBSYSTEM=block\r\nE: MAJOR=8\r\nE: MINOR=0\r\n"
    for text in (new, old):
        (entry,) = udevdb.parse(text).of("block").values()
        assert (entry.kernel_name, entry.node, entry.links) == ("sda", "/dev/sda", ["/dev/disk/by-id/x"])
        assert (entry.properties["MAJOR"], entry.properties["MINOR"]) == ("8", "0")
        assert udevdb.parse(text).unknown_lines == ()


def test_blanks_that_udev_has_encoded_are_blanks() -> None:
    r"""``\x20`` is a blank; encoded characters beyond ASCII are UTF-8."""
    assert udevdb.unescape(r"A\x20B\x20") == "A B "
    assert udevdb.unescape("\u0416\\x20") == "\u0416 "
    assert udevdb.unescape(r"caf\xc3\xa9") == "café"


def test_a_line_of_mountinfo_is_read_with_and_without_optional_fields() -> None:
    """Optional fields before the dash may be none or several. Octal escapes are undone; options may be missing."""
    text = (
        "29 1 8:1 / /srv/a\\040b\\134c rw shared:1 master:2 - ext4 /dev/sda1 rw,errors=x\n"
        "30 1 8:2 /sub /mnt rw - xfs /dev/sda2\n"
    )
    first, second = mounts.mountinfo(text).mounts
    assert (first.point, first.whole, first.options) == ("/srv/a b\\c", True, ("rw", "errors=x"))
    assert (second.root, second.whole, second.options) == ("/sub", False, ())


def test_swap_is_counted_for_partitions_and_not_for_files() -> None:
    """A swap file is on a file system that is mounted anyway."""
    text = "Filename Type Size Used Priority\n/dev/dm-1 partition 4 0 -2\n/swap\\040file file 4 0 -3\nbroken\n"
    table = mounts.swaps(text)
    assert table.swaps == ("/dev/dm-1",)
    assert [line.text for line in table.unknown_lines] == ["broken"]


def test_all_members_of_a_file_system_with_several_devices_carry_its_mount_points() -> None:
    """Btrfs names one of its devices as source, ZFS its pool. Every member counts as in use."""
    table = mounts.mountinfo(
        "1 0 0:40 / /pool rw - btrfs /dev/sda rw,subvol=/\n2 0 0:41 / /tank/x rw - zfs tank/x rw\n"
    )
    devices = [
        mounts.Candidate("sda", "8:0", ("/dev/sda",), "btrfs", uuid="u"),
        mounts.Candidate("sdb", "8:16", ("/dev/sdb",), "btrfs", uuid="u"),
        mounts.Candidate("sdc", "8:32", ("/dev/sdc",), "zfs_member", label="tank"),
        mounts.Candidate("sdd", "8:48", ("/dev/sdd",), "zfs_member", label="other"),
    ]
    assert mounts.placed(table.mounts, (), devices) == {"sda": ["/pool"], "sdb": ["/pool"], "sdc": ["/tank/x"]}


_P = "/devices/pci0000:00"
_PLACES = {
    f"{_P}/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda": ("0000:00:1f.2", "0:0:0:0", "ata"),
    f"{_P}/0000:00:02.2/0000:03:00.0/host0/target0:1:0/0:1:0:0/block/sda/sda1": ("0000:03:00.0", "0:1:0:0", "scsi"),
    f"{_P}/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0/nvme/nvme0/nvme0n1": ("10000:e1:00.0", None, "nvme"),
    f"{_P}/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb": ("0000:00:14.0", "6:0:0:0", "usb"),
    f"{_P}/0000:00:05.0/virtio2/host2/target2:0:0/2:0:0:1/block/sda": ("0000:00:05.0", "2:0:0:1", "virtio"),
    f"{_P}/0000:00:03.0/host1/port-1:0/end_device-1:0/target1:0:0/1:0:0:0/block/sdc": (
        "0000:00:03.0",
        "1:0:0:0",
        "sas",
    ),
    "/devices/platform/host3/session1/target3:0:0/3:0:0:0/block/sdd": (None, "3:0:0:0", "scsi"),
    "/devices/virtual/block/dm-0": (None, None, None),
    "/devices/vbd-51712/block/xvda": (None, None, None),
}


@pytest.mark.parametrize("path", _PLACES)
def test_a_path_contains_the_address_of_a_device(path: str) -> None:
    """The PCI function is the one next to the device. The path contains the SCSI address and the interface."""
    place = Place.of(path)
    assert (place.pci_address, place.scsi_address, place.transport({}, None, None)) == _PLACES[path]


def test_sata_is_distinguished_from_older_ata_by_udev_or_the_driver() -> None:
    """ATA drives are SATA if udev or an AHCI driver reports so. So are those behind a SAS controller."""
    port = Place.of("/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda")
    place = Place.of("/devices/pci0000:00/0000:03:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block/sda")
    assert port.transport({"ID_BUS": "ata", "ID_ATA_SATA": "1"}, None, "ata_piix") == "sata"
    assert port.transport({}, "ATA", "ahci") == "sata"
    assert place.transport({"ID_BUS": "ata"}, None, None) == "sata"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("sda", "disk"), ("md127", "md"), ("md_d0", "md"), ("dm-3", "dm"), ("loop7", "loop"), ("zram0", "ram"),
     ("sr0", "cdrom"), ("nbd0", "other"), ("mmcblk0", "disk"), ("mmcblk0boot0", "other"), ("cciss/c0d0", "disk")],
)  # fmt: skip
def test_the_kind_of_a_device_follows_from_its_name(name: str, kind: str) -> None:
    """Kernel names are enough to distinguish drives from layers, loops and memory."""
    assert kind_of(name, partition=False, path=None) == kind


def test_a_pci_address_is_the_same_in_every_spelling() -> None:
    """Tools print addresses without a domain or in capitals. The kernel does not."""
    assert normalised("03:00.0") == normalised("0000:03:00.0") == normalised("00000000:03:00.0") == "0000:03:00.0"
    assert normalised("0000:5E:00.1") == "0000:5e:00.1"
    assert normalised("slot 3") is None


def test_the_ata_page_gives_the_whole_model_and_firmware() -> None:
    """Model and firmware come whole from the IDENTIFY data of page 89h. Its words at offset 60 have swapped letters."""
    words = bytearray(572)
    for first, text in ((23, "TN07B   "), (27, "TALUS TD2000NM-2A EXTRA LONG NAME".ljust(40))):
        raw = text.encode()
        words[60 + first * 2 : 60 + first * 2 + len(raw)] = bytes(raw[i ^ 1] for i in range(len(raw)))
    page = {"device/vendor": b"ATA     ", "device/model": b"TALUS TD2000NM-2", "device/vpd_pg89": bytes(words)}
    found = identity(Attributes(page))
    assert (found.model, found.firmware) == ("TALUS TD2000NM-2A EXTRA LONG NAME", "TN07B")


def test_a_virtual_machine_is_known_by_its_manufacturer_or_its_processor() -> None:
    """DMI names the hypervisor. Without it, the flag of an x86 processor shows only that there is one."""
    flags = "processor\t: 0\nflags\t\t: fpu hypervisor sse\n"
    assert hypervisor(dmi="VMware, Inc. VMware Virtual Platform", cpuinfo=flags) == "vmware"
    assert hypervisor(dmi="Microsoft Corporation Virtual Machine") == "hyper-v"
    assert hypervisor(dmi="Microsoft Corporation Surface Laptop") is None
    assert hypervisor(cpuinfo=flags) == "unknown"
    assert hypervisor(dmi="Amazon EC2 m5.large", cpuinfo=flags) == "kvm"
    assert hypervisor(dmi="Amazon EC2 m5.metal", cpuinfo="flags\t\t: fpu sse\n") is None
    assert hypervisor(hypervisor_type="xen\n", xen_capabilities="control_d\n") is None
    assert hypervisor(hypervisor_type="xen\n") == "xen"
    arm = "processor\t: 0\nFeatures\t: fp asimd evtstrm\n"
    assert hypervisor(dmi="Amazon EC2 m6g.large", cpuinfo=arm) == "kvm"
    assert hypervisor(dmi="Hetzner vServer", cpuinfo=arm) == "kvm"
    assert hypervisor(dmi="Amazon EC2 m6g.metal", cpuinfo=arm) is None
    assert hypervisor(dmi="HPE ProLiant RL300 Gen11", cpuinfo=arm) is None
    assert hypervisor(dmi="Dell Inc. PowerEdge R720", cpuinfo="flags\t\t: fpu sse\n") is None
