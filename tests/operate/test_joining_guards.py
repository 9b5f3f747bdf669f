"""R10: which drive is large enough to join an array of md, as a whole or with a copied partition table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from raidctl.host import BlockDevice, HostView
from raidctl.model import Drive, Host, Inventory
from raidctl.operate.contents import EMPTY, Contents
from raidctl.operate.joining_guards import Probed, not_prepared, unfit
from raidctl.operate.partition_table import Table, parse
from raidctl.vendor.plan import Action, Step

SECTORS = 100_000
GPT = """\
label: gpt
label-id: 5D5A9A9C-6C0B-4F6A-9C55-8B6E5B0C3F10
device: /dev/sda
unit: sectors
first-lba: 34
last-lba: 99966
sector-size: 512

/dev/sda1 : start=        2048, size=        2048, type=21686148-6449-6E6F-744E-656564454649
/dev/sda2 : start=        4096, size=       95871, type=A19D880F-05FC-4D3B-A006-743F0F84911E
"""
"""sfdisk's table of a drive of 100,000 sectors, whose last partition ends at the last sector that it may have."""
DOS = """\
label: dos
label-id: 0x7f4c5d11
device: /dev/sda
unit: sectors
sector-size: 512

/dev/sda1 : start=        2048, size=       97952, type=fd, bootable
"""


def objections(found: Probed, sectors: int | None, *parts: str) -> list[str]:
    """What R10 objects to the size of a drive."""
    drive = Drive(id="drives:N", serial="N", size_bytes=None if sectors is None else sectors * 512)
    seen = Inventory(host=Host(hostname="m")), HostView()
    given = unfit(drive, seen, found, [drive], partitions=parts)
    words = ("too small", "The size", "partition table")
    fixed = [one.text for one in given if one.guard == "R10" and not one.overridable]
    return [text for text in fixed if any(word in text for word in words)]


def table(text: str) -> Table:
    """The table of a dump."""
    found = parse(text)
    assert found is not None
    return found


@pytest.mark.parametrize("text", [GPT, DOS], ids=["gpt", "dos"])
def test_a_drive_of_the_same_size_has_room_for_a_partition_table_and_a_smaller_one_has_not(text: str) -> None:
    """A table that fills its drive fits a drive with as many sectors, and none with one less."""
    found = Probed(sector_bytes=512, member_sector_bytes=512, source=table(text))
    assert objections(found, SECTORS, "1") == []
    [why] = objections(found, SECTORS - 1, "1")
    assert why.startswith(f"drives:N is too small: 51.2 MB ({(SECTORS - 1) * 512} bytes), and {SECTORS * 512} bytes")


@pytest.mark.parametrize(
    ("printed", "damaged"),
    [("start=        4096, ", ""), ("95871", "9587x"), ("95871", ""), ("/dev/sda2 :", "/dev/sda2")],
)
def test_a_partition_that_cannot_be_read_fits_no_drive(printed: str, damaged: str) -> None:
    """The size that a copy needs is unknown if a partition's start or size cannot be read: no drive is large enough."""
    found = Probed(sector_bytes=512, member_sector_bytes=512, source=parse(GPT.replace(printed, damaged)))
    assert objections(found, 10 * SECTORS, "2") == ["The partition table to be copied could not be read."]


def test_what_is_unknown_fits_no_drive() -> None:
    """Without the table, the size that a member needs or that of the drive, no drive is large enough."""
    assert objections(Probed(), SECTORS, "1") == ["The partition table to be copied could not be read."]
    assert objections(Probed(needed_bytes={"md0": None}), SECTORS) == [
        "The size that a member of md0 needs is unknown."
    ]
    for parts in ((), ("1",)):
        known = Probed(needed_bytes={"md0": 512}, sector_bytes=512, source=table(DOS))
        assert objections(known, None, *parts) == ["The size of drives:N is unknown."]


def test_the_most_demanding_array_decides() -> None:
    """A whole drive is compared with each of its arrays."""
    found = Probed(needed_bytes={"md0": 512, "md1": SECTORS * 512})
    assert objections(found, SECTORS) == []
    [why] = objections(found, SECTORS - 1)
    assert f"{SECTORS * 512} bytes are needed" in why


LAYER = BlockDevice("dm-0", "/dev/dm-0", "dm", slaves=("sda",))
PART = BlockDevice("sda1", "/dev/sda1", "partition", parent="sda")


@pytest.mark.parametrize(
    ("devices", "used"),
    [
        ((), False),
        ((PART,), False),  # its contents are read with wipefs
        ((LAYER,), True),
        ((PART, replace(LAYER, slaves=("sda1",))), True),
        ((replace(PART, mountpoints=("/srv",)),), True),
        ((PART, replace(LAYER, slaves=("sda1",), mountpoints=("/srv",))), True),
    ],
)
def test_a_drive_with_anything_above_it_may_not_join(devices: tuple[BlockDevice, ...], used: bool) -> None:
    """A layer above the drive or one of its partitions uses it, whether or not it is mounted."""
    drive = Drive(id="drives:N", serial="N", device="/dev/sda", role="passthrough", size_bytes=SECTORS * 512)
    view = HostView(blocks=(BlockDevice("sda", "/dev/sda", "disk"), *devices))
    found = Probed(contents=EMPTY, needed_bytes={"md0": 512}, sector_bytes=512, member_sector_bytes=512)
    given = unfit(drive, (Inventory(host=Host(hostname="m")), view), found, [drive], partitions=())
    assert [one.text.partition(" is in use: ")[0] for one in given if not one.overridable] == ["drives:N"] * used


@pytest.mark.parametrize("erased", [False, True])
def test_guard_R11_data_in_a_partition_counts_unless_raidctl_made_the_partition(erased: bool) -> None:
    """What was at the place of a new partition before is left over; in another one, it is of unknown use."""
    drive = Drive(id="drives:N", serial="N", device="/dev/sda", role="passthrough", size_bytes=SECTORS * 512)
    view = HostView(blocks=(BlockDevice("sda", "/dev/sda", "disk"),))
    for signatures, refused in (((), not erased), (("ext4",), True)):
        found = Probed(contents=EMPTY, inside={"/dev/sda1": Contents(signatures=signatures, blank=False)})
        seen = Inventory(host=Host(hostname="m")), view
        given = unfit(drive, seen, found, [drive], partitions=("1",), erased=erased)
        assert ["/dev/sda1" in one.text for one in given if one.guard == "R11"] == [True] * refused


@pytest.mark.parametrize(
    ("signatures", "inside", "left"),
    [((), (), []), (("ext4",), (), ["ext4"]), ((), ("LVM2_member",), ["LVM2_member"]), (None, (), ["something"])],
)
def test_a_drive_is_wiped_only_if_its_signatures_are_seen_to_be_gone(
    signatures: tuple[str, ...] | None, inside: tuple[str, ...], left: list[str]
) -> None:
    """What cannot be read is not gone. What is left in a partition counts when the drive itself is wiped."""
    new = Drive(id="drives:N", device="/dev/sda")
    found = Probed(
        contents=Contents(signatures=signatures, blank=False),
        inside={"/dev/sda1": Contents(signatures=inside, blank=False)},
    )
    wiped = {
        node: Step(
            object_id="md:md0", setting="wipe", before="", after="", action=Action(argv=("wipefs", "--all", node))
        )
        for node in ("/dev/sda1", "/dev/sda")
    }
    assert not_prepared(wiped["/dev/sda1"], new, found) == []
    why = not_prepared(wiped["/dev/sda"], new, found)
    assert [any(word in one for word in left) for one in why] == [True] * len(left)
