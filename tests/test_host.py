"""The kernel's view: looking up devices, and what is on which."""

from __future__ import annotations

from raidctl.host import BlockDevice, HostView

DISK = BlockDevice("sda", "/dev/sda", kind="disk", links=("/dev/disk/by-id/own-1",))
PART = BlockDevice("sda1", "/dev/sda1", kind="partition", parent="sda", mountpoints=("/boot",))
ARRAY = BlockDevice("md0", "/dev/md0", kind="md", slaves=("sda2", "sdb2"), mountpoints=("/srv", "/"))
HALF = BlockDevice("sda2", "/dev/sda2", kind="partition", parent="sda")
OTHER = BlockDevice("sdb2", "/dev/sdb2", kind="partition", parent="sdb")
VIEW = HostView(blocks=(DISK, PART, ARRAY, HALF, OTHER))


def test_devices_are_found_by_name_node_and_link() -> None:
    """A device is found by name, node and link only."""
    assert VIEW.block("sda") is VIEW.block("/dev/sda") is VIEW.block("/dev/disk/by-id/own-1") is DISK
    assert VIEW.block("sdz") is None


def test_what_lies_above_comes_once_and_the_nearest_first() -> None:
    """Partitions come before the array on them, each once."""
    assert [device.name for device in VIEW.above("sda")] == ["sda1", "sda2", "md0"]
    assert VIEW.mountpoints("sda") == ("/", "/boot", "/srv")


def test_looking_up_does_not_change_the_view() -> None:
    """Two views of a machine are equal, whatever was asked of one."""
    fresh = HostView(blocks=VIEW.blocks)
    VIEW.mountpoints("sda")
    assert fresh == VIEW
