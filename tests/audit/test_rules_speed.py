"""Calculations of the rules about speed, and when they have no finding."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from raidctl.audit.builtin import named
from raidctl.audit.builtin._queries import data_drives, database, full_stripe
from raidctl.audit.builtin.bus_too_small import carries, delivers
from raidctl.model import Block, BlockLayer, Controller, Drive, Inventory, Mount, PciLink, Volume
from tests.audit.rule_examples import LSI, P400, ask, changed, graded
from tests.audit.rule_machines import found
from tests.support.machines import replayed

VOLUME = "megaraid:0/v2"


def lsi(**changes: Any) -> Inventory:
    """The MegaRAID with fields of its volume of hard drives changed."""
    return changed(replayed(LSI).inventory, VOLUME, changes)


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("/var/lib/mysql", True),
        ("/var/lib/postgresql/15/main", True),
        ("/srv/db", True),
        ("/srv/db2", True),
        ("/u01/oradata", True),
        ("/srv/dbackup", False),
        ("/home/mysqluser", False),
        ("/srv/archive", False),
        ("/", False),
    ],
)
def test_a_database_is_recognised_by_its_mount_point(path: str, is_one: bool) -> None:
    """A whole word of the path has to be a database's."""
    assert (database([path]) is not None) is is_one


@pytest.mark.parametrize(
    ("level", "drives", "spans", "data"),
    [
        ("raid0", 4, None, 4),
        ("raid5", 4, None, 3),
        ("raid6", 8, None, 6),
        ("raid10", 8, None, 4),
        ("raid50", 8, 2, 6),
        ("raid60", 8, 2, 4),
        ("raid60", 8, None, None),
        ("raid1", 2, None, None),
    ],
)
def test_the_stripe_excludes_parity_and_copies(level: Any, drives: int, spans: int | None, data: int | None) -> None:
    """The number of data drives follows from the level. An unknown value in the level makes it unknown."""
    volume = Volume(id="v", raid_level=level, drives_expected=drives, spans=spans, strip_bytes=1024)
    controller = Controller(id="c", volumes=(volume,))
    assert data_drives(controller, volume) == data
    assert full_stripe(controller, volume) == (1024 * data if data else None)


@pytest.mark.parametrize(
    ("width", "speed", "gigabytes"), [(1, 2.5, 0.25), (8, 5.0, 4.0), (8, 8.0, 7.88), (4, 16.0, 7.88), (16, 32.0, 63.0)]
)
def test_the_bandwidth_of_the_bus_excludes_its_encoding(width: int, speed: float, gigabytes: float) -> None:
    """PCI Express encodes 8 bits as 10 up to 5 GT/s. From 8 GT/s on, it encodes 128 as 130."""
    assert carries(PciLink(width=width, speed_gtps=speed)) == pytest.approx(gigabytes * 1e9, rel=0.01)


def test_a_sata_drive_behind_an_expander_has_the_speed_of_sata() -> None:
    """A SATA drive's link speed of 12 Gbit/s is the expander's."""
    drive = Drive(id="d", media="ssd", interface="sata", link_gbps=12.0)
    assert delivers(drive) == pytest.approx(0.6e9)


def test_the_throughput_of_a_drive_of_unknown_media_is_unknown() -> None:
    """Without the media, the throughput of a drive is not guessed."""
    assert delivers(Drive(id="d", interface="sas", link_gbps=12.0)) is None


def test_a_logical_volume_has_its_own_read_ahead() -> None:
    """The read-ahead of the mounted device counts. That of the volume below it does not."""
    layer = BlockLayer(device="/dev/dm-0", kind="lvm", block=Block(read_ahead_bytes=131072))
    mounts = (Mount(point="/srv/lake", device="/dev/dm-0"),)
    inventory = lsi(
        block=Block(read_ahead_bytes=8 << 20), layers=(layer,), mounts=mounts, cache={"read_policy": "none"}
    )
    one = ask("block_read_ahead_small", inventory, VOLUME)
    assert one.outcome == "fail"
    assert "/dev/dm-0" in one.message


def test_read_ahead_of_the_controller_makes_up_for_the_kernel() -> None:
    """If the controller reads ahead, a small kernel read-ahead is not a finding."""
    inventory = lsi(block=Block(read_ahead_bytes=131072), mounts=(Mount(point="/srv/lake", device="/dev/sdb"),))
    assert found("block_read_ahead_small", inventory) == []


@pytest.mark.parametrize(
    ("offset", "severity"), [(32256, "warning"), (1 << 20, None), (4096 * 3, "info"), (262144 * 5, None)]
)
def test_alignment_is_graded_by_what_it_costs(offset: int, severity: str | None) -> None:
    """An offset off a sector is a warning, off a strip information. A multiple of the strip passes."""
    layer = BlockLayer(device="/dev/sdb1", kind="partition", offsets_bytes=(offset,), size_bytes=1 << 40)
    assert [one.severity for one in found("misaligned", lsi(layers=(layer,)))] == ([severity] if severity else [])


def test_alignment_to_an_unknown_strip_is_no_pass() -> None:
    """Only sectors are checked. A volume without strips passes by them."""
    layer = BlockLayer(device="/dev/sdb1", kind="partition", offsets_bytes=(1 << 20,), size_bytes=1 << 40)
    unknown = lsi(layers=(layer,), strip_bytes=None)
    rule = named("misaligned")
    assert rule is not None
    assert [one for one in rule.check(unknown) if one.where == VOLUME] == []
    mirror = ask("misaligned", lsi(layers=(layer,), raid_level="raid1"), VOLUME)
    assert (mirror.outcome, "4096-byte sector" in mirror.message) == ("pass", True)
    odd = structs.replace(layer, offsets_bytes=(32256,))
    assert ask("misaligned", lsi(layers=(odd,), strip_bytes=None), VOLUME).outcome == "fail"


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, "/dev/sdb1 starts in the middle of"),
        (2, "/dev/sdb1 and /dev/sdb2 start in the middle of"),
        (6, "/dev/sdb1, /dev/sdb2, /dev/sdb3 and 3 more start in the middle of"),
    ],
)
def test_misaligned_partitions_are_named(number: int, expected: str) -> None:
    """The first partitions are named and the others counted. The verb is in the right number."""
    layers = tuple(
        BlockLayer(device=f"/dev/sdb{at}", kind="partition", offsets_bytes=(32256,), size_bytes=1 << 40)
        for at in range(1, number + 1)
    )
    assert ask("misaligned", lsi(layers=layers), VOLUME).message.startswith(expected)


def test_the_alignment_of_a_boot_partition_is_not_checked() -> None:
    """A partition of a few MiB is not checked."""
    layer = BlockLayer(device="/dev/sdb1", kind="partition", offsets_bytes=(17408,), size_bytes=1 << 20)
    assert found("misaligned", lsi(layers=(layer,))) == []


def test_the_data_offset_of_software_raid_is_checked() -> None:
    """The data offset of an array on its members is checked too."""
    inventory = changed(replayed("md-healthy").inventory, "md:md1/sdc1", {"data_offset_bytes": 31 * 512})
    one = ask("misaligned", inventory, "md:md1/array")
    assert one.severity == "warning"
    assert "sector of /dev/sdc1: every" in one.message


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"link_gbps": 1.5}, "warning"),
        ({"link_gbps": 1.5, "max_link_gbps": 6.0, "media": "ssd"}, "warning"),
        ({"link_gbps": 3.0, "max_link_gbps": 6.0}, None),
        ({"link_gbps": 3.0, "max_link_gbps": 3.0}, None),
        ({"link_gbps": None, "max_link_gbps": 6.0}, None),
    ],
)
def test_a_slow_link_is_graded_by_the_other_drives(changes: dict[str, Any], severity: str | None) -> None:
    """A link slower than those of similar drives is a warning. If all are equally slow, it passes."""
    inventory = changed(replayed(P400).inventory, "smartarray:1/2I:1:3", {**changes, "status_text": "tested"})
    assert [one.severity for one in found("link_slow", inventory)] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("link", "severity"),
    [
        (PciLink(width=4, max_width=8, speed_gtps=8.0, max_speed_gtps=8.0), "warning"),
        (PciLink(width=8, max_width=8, speed_gtps=5.0, max_speed_gtps=8.0), "info"),
        (PciLink(width=0, max_width=8), None),
        (PciLink(width=8), None),
    ],
)
def test_a_slow_bus_is_graded(link: PciLink, severity: str | None) -> None:
    """Missing lanes are a warning, a lower speed is information. Unknown values have no finding."""
    inventory = changed(replayed(LSI).inventory, "megaraid:0", {"pci_link": link})
    assert [one.severity for one in found("pcie_link_slow", inventory)] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("link", "message"),
    [
        (PciLink(width=8, max_width=8, speed_gtps=8.0, max_speed_gtps=8.0), "runs at full width and speed."),
        (PciLink(width=8, max_width=8, max_speed_gtps=8.0), "runs at full width."),
        (PciLink(width=8, speed_gtps=8.0, max_speed_gtps=8.0), "runs at full speed."),
    ],
)
def test_a_bus_is_full_only_as_far_as_it_is_reported(link: PciLink, message: str) -> None:
    """A width or speed that is not reported is not called full."""
    inventory = changed(replayed(LSI).inventory, "megaraid:0", {"pci_link": link})
    one = ask("pcie_link_slow", inventory, "megaraid:0")
    assert (one.outcome, one.message) == ("pass", f"The PCI Express link {message}")


def test_a_cache_split_that_a_failed_battery_forces_is_information() -> None:
    """Without a battery, writes cannot be cached, so the split is information."""
    inventory = changed(replayed(P400).inventory, "smartarray:1/v1", {"mountpoints": ("/var/lib/mysql",)})
    cache = {"cache": {"read_percent": 100, "write_percent": 0}}
    inventory = changed(inventory, "smartarray:1", cache)
    assert graded(ask("cache_split_for_database", inventory, "smartarray:1")) == "warning"
    inventory = changed(inventory, "smartarray:1/battery0", {"status": "failed"})
    assert graded(ask("cache_split_for_database", inventory, "smartarray:1")) == "info"


@pytest.mark.parametrize("filesystem", ["zfs_member", "btrfs"])
def test_a_file_system_that_reads_ahead_is_recognised(filesystem: str) -> None:
    """ZFS and Btrfs prefetch, so the controller should not."""
    layer = BlockLayer(device="/dev/sdb1", kind="partition", filesystem=filesystem)
    assert [one.where for one in found("read_ahead_twice", lsi(layers=(layer,)))] == [VOLUME]


def test_read_ahead_below_a_plain_file_system_is_no_finding() -> None:
    """Read-ahead of hard drives below a plain file system has no result. It neither fails nor passes."""
    known = named("read_ahead_twice")
    assert known is not None
    assert VOLUME not in {one.where for one in known.check(replayed(LSI).inventory)}


@pytest.mark.parametrize(("speed", "outcome"), [(40e6, "fail"), (204_800_000, "pass")])
def test_a_throttled_rebuild_is_reported(speed: float, outcome: str) -> None:
    """A limit far below the speed of the drives fails. The default passes."""
    changes = {"sync_speed_max_bytes": int(speed), "status_text": "tested"}
    inventory = changed(replayed("md-healthy").inventory, "md:md1", changes)
    assert ask("md_sync_speed", inventory, "md:md1").outcome == outcome


@pytest.mark.parametrize(("number", "expected"), [(1, "310:0 sets the pace"), (2, "310:0 and 310:1 set the pace")])
def test_the_slowest_drives_of_an_array_are_named(number: int, expected: str) -> None:
    """The message has the right number for one and for several drives."""
    inventory = replayed(LSI).inventory
    array = next(
        one for controller in inventory.controllers for one in controller.arrays if "megaraid:0/310:2" in one.drives
    )
    for at, drive in enumerate(array.drives):
        inventory = changed(inventory, drive, {"media": "hdd", "rpm": 5400 if at < number else 15000})
    assert expected in ask("mixed_drives", inventory, array.id).message


def test_a_write_mostly_member_may_be_slower() -> None:
    """A write-mostly member of md does not make its array mixed."""
    assert found("mixed_drives", replayed("md-journal-check").inventory) == []
    assert found("mixed_models", replayed("md-journal-check").inventory) == []
