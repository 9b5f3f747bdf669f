"""What the rules about speed reckon, and when they hold their tongue."""

from __future__ import annotations

from typing import Any

import pytest

from raidctl.audit.builtin import named
from raidctl.audit.builtin._queries import data_drives, database, full_stripe
from raidctl.audit.builtin.bus_too_small import carries, delivers
from raidctl.model import Block, BlockLayer, Controller, Drive, Inventory, Mount, PciLink, Volume
from tests.audit.rule_examples import LSI, P400, changed, graded
from tests.audit.test_rules_health import found
from tests.audit.test_rules_safety import ask
from tests.support.machines import replayed

VOLUME = "megaraid:0/v2"


def lsi(**changes: Any) -> Inventory:
    """The MegaRAID with fields of its volume of disks set anew."""
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
def test_a_database_is_known_by_its_mount_point(path: str, is_one: bool) -> None:
    """A whole word of the path has to name one."""
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
def test_the_stripe_is_reckoned_without_parity_and_copies(
    level: Any, drives: int, spans: int | None, data: int | None
) -> None:
    """Data drives by level; where it depends on what is not told, it is not told."""
    volume = Volume(id="v", raid_level=level, drives_expected=drives, spans=spans, strip_bytes=1024)
    card = Controller(id="c", volumes=(volume,))
    assert data_drives(card, volume) == data
    assert full_stripe(card, volume) == (1024 * data if data else None)


@pytest.mark.parametrize(
    ("width", "speed", "gigabytes"), [(1, 2.5, 0.25), (8, 5.0, 4.0), (8, 8.0, 7.88), (4, 16.0, 7.88), (16, 32.0, 63.0)]
)
def test_the_bus_is_reckoned_without_its_coding(width: int, speed: float, gigabytes: float) -> None:
    """PCI Express to 5 GT/s sends ten bits for eight, from 8 GT/s on 130 for 128."""
    assert carries(PciLink(width=width, speed_gtps=speed)) == pytest.approx(gigabytes * 1e9, rel=0.01)


def test_a_sata_drive_behind_an_expander_stays_a_sata_drive() -> None:
    """A link that says 12 Gbit/s for a SATA drive is the expander's."""
    drive = Drive(id="d", media="ssd", interface="sata", link_gbps=12.0)
    assert delivers(drive) == pytest.approx(0.6e9)


def test_a_drive_of_an_unknown_kind_delivers_nobody_knows_what() -> None:
    """A guess would make a finding out of nothing."""
    assert delivers(Drive(id="d", interface="sas", link_gbps=12.0)) is None


def test_a_logical_volume_has_its_own_read_ahead() -> None:
    """What counts is the device that is mounted, not the disk below it."""
    layer = BlockLayer(device="/dev/dm-0", kind="lvm", block=Block(read_ahead_bytes=131072))
    mounts = (Mount(point="/srv/lake", device="/dev/dm-0"),)
    inventory = lsi(
        block=Block(read_ahead_bytes=8 << 20), layers=(layer,), mounts=mounts, cache={"read_policy": "none"}
    )
    one = ask("block_read_ahead_small", inventory, VOLUME)
    assert one.outcome == "fail"
    assert "/dev/dm-0" in one.message


def test_a_controller_that_reads_ahead_makes_up_for_the_kernel() -> None:
    """Where the controller reads ahead, the kernel's small read-ahead is not told."""
    inventory = lsi(block=Block(read_ahead_bytes=131072), mounts=(Mount(point="/srv/lake", device="/dev/sdb"),))
    assert found("block_read_ahead_small", inventory) == []


@pytest.mark.parametrize(
    ("offset", "severity"), [(32256, "warning"), (1 << 20, None), (4096 * 3, "info"), (262144 * 5, None)]
)
def test_alignment_is_graded_by_what_it_costs(offset: int, severity: str | None) -> None:
    """Off a sector is a warning, off a strip information; a multiple of the strip passes."""
    layer = BlockLayer(device="/dev/sdb1", kind="partition", offsets_bytes=(offset,), size_bytes=1 << 40)
    assert [one.severity for one in found("misaligned", lsi(layers=(layer,)))] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "/dev/sdb1 starts in the middle of"),
        (2, "/dev/sdb1 and /dev/sdb2 start in the middle of"),
        (6, "/dev/sdb1, /dev/sdb2, /dev/sdb3 and 3 more start in the middle of"),
    ],
)
def test_what_is_misaligned_is_named_in_a_sentence(number: int, said: str) -> None:
    """One begins, several begin; of many the first are named and the others counted."""
    layers = tuple(
        BlockLayer(device=f"/dev/sdb{at}", kind="partition", offsets_bytes=(32256,), size_bytes=1 << 40)
        for at in range(1, number + 1)
    )
    assert ask("misaligned", lsi(layers=layers), VOLUME).message.startswith(said)


def test_a_partition_for_boot_code_may_lie_anywhere() -> None:
    """A few MiB that are read once a month are not worth a word."""
    layer = BlockLayer(device="/dev/sdb1", kind="partition", offsets_bytes=(17408,), size_bytes=1 << 20)
    assert found("misaligned", lsi(layers=(layer,))) == []


def test_members_of_software_raid_begin_at_sectors() -> None:
    """Where the data of an array begin on its drives counts as well."""
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
def test_a_slow_link_is_graded_by_what_the_others_do(changes: dict[str, Any], severity: str | None) -> None:
    """Slower than its like is a warning; slower than it could be, like all others, is how it was bought."""
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
    """Missing lanes are a warning; a lower speed may only mean that the link sleeps; untold is nothing."""
    inventory = changed(replayed(LSI).inventory, "megaraid:0", {"pci_link": link})
    assert [one.severity for one in found("pcie_link_slow", inventory)] == ([severity] if severity else [])


def test_a_split_that_a_dead_battery_forces_is_for_information() -> None:
    """Without a battery writes cannot be cached: the split is not what is to be mended."""
    inventory = changed(replayed(P400).inventory, "smartarray:1/v1", {"mountpoints": ("/var/lib/mysql",)})
    cache = {"cache": {"read_percent": 100, "write_percent": 0}}
    inventory = changed(inventory, "smartarray:1", cache)
    assert graded(ask("cache_split_for_database", inventory, "smartarray:1")) == "warning"
    inventory = changed(inventory, "smartarray:1/battery0", {"status": "failed"})
    assert graded(ask("cache_split_for_database", inventory, "smartarray:1")) == "info"


@pytest.mark.parametrize("filesystem", ["zfs_member", "btrfs"])
def test_a_file_system_that_reads_ahead_is_known(filesystem: str) -> None:
    """ZFS and Btrfs prefetch themselves, so the controller need not."""
    layer = BlockLayer(device="/dev/sdb1", kind="partition", filesystem=filesystem)
    assert [one.where for one in found("read_ahead_twice", lsi(layers=(layer,)))] == [VOLUME]


def test_read_ahead_on_disks_below_a_plain_file_system_is_right() -> None:
    """Where it may help, it is neither a failure nor a pass."""
    known = named("read_ahead_twice")
    assert known is not None
    assert VOLUME not in {one.where for one in known.check(replayed(LSI).inventory)}


@pytest.mark.parametrize(("speed", "outcome"), [(40e6, "fail"), (204_800_000, "pass")])
def test_a_rebuild_that_is_held_back_is_told(speed: float, outcome: str) -> None:
    """A limit far below what disks can is told; the usual one is not."""
    changes = {"sync_speed_max_bytes": int(speed), "status_text": "tested"}
    inventory = changed(replayed("md-healthy").inventory, "md:md1", changes)
    assert ask("md_sync_speed", inventory, "md:md1").outcome == outcome


@pytest.mark.parametrize(("number", "said"), [(1, "310:0 sets the pace"), (2, "310:0 and 310:1 set the pace")])
def test_the_slowest_disks_of_an_array_are_named(number: int, said: str) -> None:
    """One sets the pace, several set it."""
    inventory = replayed(LSI).inventory
    array = next(one for card in inventory.controllers for one in card.arrays if "megaraid:0/310:2" in one.drives)
    for at, drive in enumerate(array.drives):
        inventory = changed(inventory, drive, {"media": "hdd", "rpm": 5400 if at < number else 15000})
    assert said in ask("mixed_drives", inventory, array.id).message


def test_a_mostly_written_mirror_is_slow_on_purpose() -> None:
    """A disk that md reads only in need does not make its array mixed."""
    assert found("mixed_drives", replayed("md-journal-check").inventory) == []
    assert found("mixed_models", replayed("md-journal-check").inventory) == []
