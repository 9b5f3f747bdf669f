"""The layers below a target."""

from __future__ import annotations

import pytest
from msgspec import structs

from raidctl.errors import UsageError
from raidctl.host import BlockDevice, HostView
from raidctl.layers.scope import ordered, scope
from raidctl.model import Array, Controller, Drive, Host, Inventory, Volume
from tests.support.machines import replayed

VIEW = HostView(
    blocks=(
        BlockDevice("sda", "/dev/sda", "disk", links=("/dev/disk/by-id/one",)),
        BlockDevice("sda1", "/dev/sda1", "partition", parent="sda"),
        BlockDevice("sdb", "/dev/sdb", "disk", mountpoints=("/other",)),
        BlockDevice("md0", "/dev/md0", "md", slaves=("sda1",)),
        BlockDevice("bcache0", "/dev/bcache0", "other", slaves=("md0", "sdb"), mountpoints=("/srv/db", "/mnt/again")),
    )
)
INVENTORY = Inventory(
    host=Host(),
    controllers=(
        Controller(
            id="acme:0",
            mode="raid",
            arrays=(Array(id="acme:0/A", drives=("acme:0/1",)),),
            volumes=(Volume(id="acme:0/v1", device="/dev/sda", array="acme:0/A"), Volume(id="acme:0/v2")),
            drives=(Drive(id="acme:0/1", array="acme:0/A"), Drive(id="acme:0/2")),
        ),
        Controller(id="plain", mode="none", drives=(Drive(id="plain:B", device="/dev/sdb"),)),
    ),
)


def test_a_mount_point_stands_for_everything_below_it() -> None:
    """A mount point names everything below it.

    This goes from the file system down to the controller's volume and its drives, from top to bottom.
    """
    below = scope(VIEW, INVENTORY, "/srv/db/")
    assert (
        below.names.index("bcache0") < below.names.index("md0") < below.names.index("sda1") < below.names.index("sda")
    )
    assert [volume.id for _, volume in below.volumes] == ["acme:0/v1"]
    assert [drive.id for _, drive in below.drives] == ["acme:0/1", "plain:B"]
    assert below.mountpoints == ("/srv/db",)


def test_a_device_below_is_named_with_the_file_systems_on_it() -> None:
    """A device gives only its own stack. Everything that is mounted above is written first."""
    below = scope(VIEW, INVENTORY, "/dev/disk/by-id/one")
    assert below.names == ["sda"]
    assert below.mountpoints == ("/mnt/again", "/srv/db")


def test_an_id_of_the_inventory_is_a_target() -> None:
    """A volume names its device. A volume without one is still a target."""
    assert scope(VIEW, INVENTORY, "acme:0/v1").names == ["sda"]
    assert [volume.id for _, volume in scope(VIEW, INVENTORY, "acme:0/v2").volumes] == ["acme:0/v2"]


def test_a_layer_of_the_kernel_is_a_target() -> None:
    """By its own id; one that is not there is named."""
    assert scope(VIEW, INVENTORY, "kernel:md0").names == ["md0", "sda1", "sda"]
    with pytest.raises(UsageError, match="md7"):
        scope(VIEW, INVENTORY, "kernel:md7")


def test_a_volume_without_a_known_device_is_below_the_drives_of_its_controller() -> None:
    """If no tool reports which drive of the kernel a volume is, its cache may hold what was written to any of them."""
    seen = replayed("smartarray-p400")
    controllers = tuple(
        structs.replace(one, volumes=tuple(structs.replace(volume, device=None) for volume in one.volumes))
        for one in seen.inventory.controllers
    )
    found = scope(seen.view, structs.replace(seen.inventory, controllers=controllers), "/")
    assert [volume.id for _, volume in found.volumes] == ["smartarray:1/v1"]
    assert [controller.id for controller in found.controllers] == ["smartarray:1"]


def test_an_unknown_target_is_refused() -> None:
    """A typing error must not select the whole machine."""
    with pytest.raises(UsageError, match="/srv/bd"):
        scope(VIEW, INVENTORY, "/srv/bd")


def test_a_circle_of_devices_ends() -> None:
    """Rubbish in sysfs: each device is listed once."""
    blocks = [
        BlockDevice("a", "/dev/a", slaves=("b", "a")),
        BlockDevice("b", "/dev/b", slaves=("a",)),
        BlockDevice("c", "/dev/c", slaves=("gone",)),
    ]
    view = HostView(blocks=tuple(blocks))
    assert sorted(block.name for block in ordered(view, blocks)) == ["a", "b", "c"]
    assert {block.name for block in scope(view, Inventory(host=Host()), "kernel:a").blocks} == {"a", "b"}


def test_a_deep_stack_is_ordered_without_recursion() -> None:
    """Ten thousand devices on top of each other."""
    blocks = tuple(BlockDevice(f"d{n}", f"/dev/d{n}", slaves=(f"d{n + 1}",)) for n in range(10_000))
    assert [block.name for block in ordered(HostView(blocks=blocks), reversed(blocks))][:2] == ["d0", "d1"]


def test_a_pool_is_below_its_file_systems_and_volumes() -> None:
    """A pool of ZFS has no device: what it mounts, and the link of a volume, name it."""
    seen = replayed("zfs-raidz2-resilvering")
    zvol = BlockDevice(name="zd0", node="/dev/zd0", kind="disk", links=("/dev/zvol/system/vm/root",))
    view = structs.replace(seen.view, blocks=(*seen.view.blocks, zvol))
    for target, pools in (("/srv/archive", ["zfs:archive"]), ("/", ["zfs:system"]), ("/dev/zd0", ["zfs:system"])):
        assert [volume.id for _, volume in scope(view, seen.inventory, target).volumes] == pools
