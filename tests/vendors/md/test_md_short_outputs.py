"""``--export``, ``--scan``, ``--brief``, ``--query``, bitmaps, the platform, and messages."""

from __future__ import annotations

import pytest

import raidctl_md as md
from raidctl.vendor.protocol import Confidence, Document
from tests.support.scripted_tools import unparsed
from tests.vendors.md.md_outputs import DETAIL, EXAMINE, controller, drives, read, volume

EXPORT = """\
MD_LEVEL=raid5
MD_DEVICES=3
MD_METADATA=1.2
MD_UUID=0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f0
MD_DEVNAME=eight
MD_NAME=plum:eight
MD_RESHAPE_ACTIVE=False
MD_DEVICE_dev_sda2_ROLE=0
MD_DEVICE_dev_sda2_DEV=/dev/sda2
MD_DEVICE_dev_sdb2_ROLE=1
MD_DEVICE_dev_sdb2_DEV=/dev/sdb2
MD_DEVICE_ev_nvme0n1p1_ROLE=spare
MD_DEVICE_ev_nvme0n1p1_DEV=/dev/nvme0n1p1
"""


def test_md_short_export_of_an_array() -> None:
    """Level, count, names and roles are read. A missing member means a degraded array."""
    found = volume(EXPORT)
    assert (found.id, found.device, found.name) == ("md:eight", "/dev/md/eight", "plum:eight")
    assert (found.raid_level, found.drives_expected, found.status) == ("raid5", 3, "degraded")
    assert {name: drive.role for name, drive in drives(EXPORT).items()} == {
        "sda2": "member",
        "sdb2": "member",
        "nvme0n1p1": "spare",
    }
    assert read(EXPORT).problems == ()
    third = "MD_DEVICE_dev_sdc2_ROLE=2\nMD_DEVICE_dev_sdc2_DEV=/dev/sdc2\n"
    assert [(one.status, one.status_text) for one in (found, volume(EXPORT + third))] == [
        ("degraded", "2 of 3 devices"), ("unknown", None)
    ]  # fmt: skip
    assert unparsed(read(EXPORT)) == []


def test_md_short_the_command_names_the_array_of_an_export() -> None:
    """The command line names the device if the output does not."""
    text = EXPORT.replace("MD_DEVNAME=eight\n", "")
    found = md.read([Document("mdadm --detail --export /dev/md8", "md", text)])
    assert [v.id for v in found.controllers[0].volumes] == ["md:md8"]


def test_md_short_export_of_a_member() -> None:
    """The device in an examine command is the member, not the array."""
    text = (
        "MD_LEVEL=raid1\nMD_DEVICES=2\nMD_NAME=plum:root\nMD_ARRAY_SIZE=1.50GB\nMD_UUID=0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f1\n"
        "MD_UPDATE_TIME=1712300000\nMD_DEV_UUID=0f0f0f0f:1e1e1e1e:2d2d2d2d:3c3c3c3c\nMD_EVENTS=5\n"
    )
    found = md.read([Document("mdadm --examine --export /dev/sdc3", "md", text)])
    assert [(v.id, v.device, v.size_bytes) for v in found.controllers[0].volumes] == [
        ("md:0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f1", None, 1_500_000_000)
    ]
    assert [d.device for d in found.controllers[0].drives] == ["/dev/sdc3"]
    sniffed = md.sniff("x", text)
    assert sniffed is not None
    assert sniffed.command == "mdadm --examine --export /dev/sdX"


def test_md_short_scan() -> None:
    """Each ARRAY line is an array. Containers and their members are joined by UUID."""
    text = (
        "ARRAY /dev/md/root level=raid1 num-devices=2 metadata=1.2 name=plum:root "
        "UUID=0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f1\n"
        "   devices=/dev/sda1,/dev/sdb1\n"
        "INACTIVE-ARRAY /dev/md3 metadata=1.2 name=plum:3 UUID=0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f2\n"
        "ARRAY metadata=imsm UUID=0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f3\n"
        "ARRAY /dev/md/data container=0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f3 member=0 "
        "UUID=0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f4\n"
    )
    found = controller(text)
    assert {v.id: v.status for v in found.volumes} == {"md:root": "unknown", "md:md3": "inactive", "md:data": "unknown"}
    assert next(v for v in found.volumes if v.id == "md:data").array == "md:0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f3/array"
    assert [d.device for d in found.drives] == ["/dev/sda1", "/dev/sdb1"]
    assert unparsed(read(text)) == []


def test_md_short_query() -> None:
    """One-line outputs about an array, a member and another device are read. The commands in them are no calls."""
    text = (
        "/dev/md6: 9.50GiB raid1 2 devices, 1 spare. Use mdadm --detail for more detail.\n"
        "/dev/sda5: device 0 in 2 device active raid1 /dev/md6.  Use mdadm --examine for more detail.\n"
        "/dev/sdz: is not an md array\n"
    )
    found = volume(text)
    assert (found.id, found.raid_level, found.size_bytes, found.drives_expected) == (
        "md:md6",
        "raid1",
        19 * 1024**3 // 2,
        2,
    )
    assert set(drives(text)) == {"sda5"}
    assert unparsed(read(text)) == []
    assert [output.cut_off for output in read(text).outputs] == [None]


def test_md_short_bitmap_superblock() -> None:
    """The bitmap's superblock is merged by UUID. It does not change the array's status."""
    text = (
        "        Filename : /dev/sda1\n           Magic : 6d746962\n         Version : 4\n"
        "            UUID : 0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9\n          Events : 77\n  Events Cleared : 70\n"
        "           State : OK\n       Chunksize : 64 MB\n          Daemon : 5s flush period\n"
        "      Write Mode : Allow write behind, max 256\n       Sync Size : 10476544 (9.99 GiB 10.73 GB)\n"
        "          Bitmap : 160 bits (chunks), 3 dirty (1.9%)\n"
    )
    assert (volume(DETAIL, text).id, volume(DETAIL, text).status) == ("md:md7", "ok")
    assert volume(DETAIL, text).details["Bitmap Write Mode"] == "Allow write behind, max 256"
    assert unparsed(read(text)) == []


def test_md_short_platform() -> None:
    """The capabilities of the platform's firmware are details of the controller."""
    text = "       Platform : Intel(R) Rapid Storage Technology\n        Version : 17.5.0.1\n    RAID Levels : raid1\n"
    text += "      Max Disks : 6\n"
    assert controller(text).details["RAID Levels"] == "raid1"
    assert unparsed(read(text)) == []


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("cannot open /dev/md9: No such file or directory", "unread"),
        ("cannot open /dev/md9: Permission denied", "no_right"),
        ("must be super-user to perform this action", "no_right"),
        ("No md superblock detected on /dev/sda9.", "note"),
        ("/dev/sda does not appear to be an md device", "note"),
        ("md device /dev/md9 does not appear to be active.", "note"),
    ],
)
def test_md_short_messages(message: str, kind: str) -> None:
    """Every message is a problem whose kind decides the exit code."""
    assert [problem.kind for problem in read(f"mdadm: {message}\n").problems] == [kind]


def test_md_short_typed_commands_are_no_facts() -> None:
    """Prompts in a session are read and give no facts."""
    text = "root@plum:~# cat /proc/mdstat\nPersonalities : [raid6]\nunused devices: <none>\n"
    text += f"# mdadm --detail /dev/md7\n{DETAIL}"
    assert volume(text).id == "md:md7"
    assert unparsed(read(text)) == []


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (DETAIL, "mdadm --detail /dev/mdX"),
        (EXAMINE, "mdadm --examine /dev/sdX"),
        ("Personalities : \nunused devices: <none>\n", "cat /proc/mdstat"),
        ("md0 : active raid1 sda[0]\n", "cat /proc/mdstat"),
        ("ARRAY /dev/md0 metadata=1.2 UUID=0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f1\n", "mdadm --detail --scan"),
    ],
)
def test_md_short_sniff(text: str, command: str) -> None:
    """The first lines show which command printed an output."""
    found = md.sniff("x.txt", text)
    assert found is not None
    assert (found.command, found.confidence is Confidence.SURE) == (command, True)


@pytest.mark.parametrize(
    "text", ["", "hello\n", "Smart Array P420i in Slot 1\n", "/dev/sda:\n\nATA device\n", "\0\1\2"]
)
def test_md_short_sniff_leaves_others_alone(text: str) -> None:
    """Outputs of other tools, empty and binary ones are not claimed."""
    assert md.sniff("x.txt", text) is None


@pytest.mark.parametrize("level", ["", "contain"])
def test_md_export_an_array_whose_level_is_cut_off_is_not_taken_for_a_volume(level: str) -> None:
    """Without its level an array may be a container. A container has no volume."""
    assert controller(f"MD_METADATA=imsm\nMD_LEVEL={level}").volumes == ()
