"""Details of mdadm's outputs that the model must show."""

from __future__ import annotations

import pytest

import raidctl_md as md
from raidctl.vendor.protocol import Document
from tests.support.scripted_tools import unparsed
from tests.vendors.md.md_outputs import DETAIL, EXAMINE, array, controller, drives, lines_of, read, volume


def test_md_reader_the_remark_behind_a_uuid_is_no_part_of_it() -> None:
    """The remark "(local to host plum)" is not part of the UUID."""
    text = DETAIL.replace("c6d7e8f9\n", "c6d7e8f9 (local to host plum)\n")
    assert volume(text).unique_id == "0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9"
    assert controller(text, EXAMINE).volumes == (volume(text, EXAMINE),)


def test_md_reader_members_are_in_the_order_of_their_slots() -> None:
    """Members are listed by slot, then journal, spares and failed ones. Arrays and volumes are by number."""
    text = (
        "md10 : active raid5 sde1[9](F) sdc1[2] sdd1[4](S) sdb1[1] sdf1[5](J) sda1[0]\n"
        "      2048 blocks super 1.2 level 5, 64k chunk, algorithm 2 [3/3] [UUU]\n\n"
        "md9 : active raid1 sdh[1] sdg[0]\n      2048 blocks super external:/md127/0 [2/2] [UU]\n\n"
        "md2 : active raid0 sdi[0]\n      2048 blocks 64k chunks\n\n"
        "md127 : inactive sdh[1](S) sdg[0](S)\n      99 blocks super external:imsm\n"
    )
    found = controller(text)
    assert [v.id for v in found.volumes] == ["md:md2", "md:md9", "md:md10"]
    assert [a.id for a in found.arrays] == ["md:md2/array", "md:md10/array", "md:md127/array"]
    assert [d.device for d in found.drives if d.array == "md:md10/array"] == [
        f"/dev/sd{letter}1" for letter in "abcfde"
    ]
    assert found.arrays[1].spares == ("md:md10/sdd1",)


def test_md_reader_slots_outweigh_the_order_of_the_text() -> None:
    """The slots of --detail give the order, not the numbers of mdstat."""
    mdstat = "md7 : active raid6 sdd1[3] sda1[8] sdc1[2] sdb1[1] sde1[9](S)\n      20953088 blocks [4/4] [UUUU]\n"
    detail = DETAIL.replace("       0       8        1        0 ", "       8       8        1        0 ")
    assert array(detail, mdstat).drives == tuple(f"md:md7/sd{letter}1" for letter in "abcd")


@pytest.mark.parametrize(
    ("line", "size"),
    [
        (" Avail Dev Size : 20953088 sectors (9.99 GiB 10.73 GB)", 20953088 * 512),
        (" Avail Dev Size : 20953088 (9.99 GiB 10.73 GB)", 20953088 * 512),
        (
            "  Used Dev Size : 20953088 (9.99 GiB 10.73 GB)\n      Used Size : 20951040 (9.99 GiB 10.73 GB)",
            20953088 * 512,
        ),
        ("    Device Size : 20953088 (9.99 GiB 10.73 GB)", 20953088 * 512),
        ("  Used Dev Size : 20953088 sectors (9.99 GiB 10.73 GB)", None),
    ],
)
def test_md_reader_what_a_member_offers_is_its_size(line: str, size: int | None) -> None:
    """The labels differ by release. The size that the array uses is not the member's size."""
    text = EXAMINE.replace(" Avail Dev Size : 20953088 sectors (9.99 GiB 10.73 GB)", line)
    assert drives(text)["sdd1"].size_bytes == size


@pytest.mark.parametrize(("word", "metadata"), [("00.90.03", "0.90"), ("01.02", "1.2"), ("01", "1"), ("", None)])
def test_md_reader_versions_of_old_releases(word: str, metadata: str | None) -> None:
    """Leading zeros are not part of a version. An array without superblocks has no version."""
    assert volume(DETAIL.replace("Version : 1.2", f"Version : {word}")).metadata == metadata


def test_md_reader_an_array_in_a_container_without_the_container() -> None:
    """Without its container, an array's metadata is the container's name or DDF."""
    mdstat = "md126 : active raid1 sdb[1] sda[0]\n      9000 blocks super external:/md127/0 [2/2] [UU]\n"
    assert volume(mdstat).metadata == "external:/md127/0"
    ddf = (
        "/dev/md126:\n         Container : /dev/md0, member 0\n        Raid Level : raid1\n"
        "             State : clean \n\n    Container GUID : 4C696E75:782D4D44:0BADCAFE:00000000:11111111:22222222\n"
        "                  (Linux-MD 08/16/22 16:20:42)\n"
    )
    assert volume(ddf).metadata == "ddf"
    assert unparsed(read(ddf)) == []


def test_md_reader_a_version_that_is_a_place_in_a_container() -> None:
    """Some releases print the array's place in its container as the version."""
    found = controller(DETAIL.replace("Version : 1.2", "Version : /md127/0"))
    assert (found.arrays[0].id, found.volumes[0].id, found.volumes[0].metadata) == ("md:md127/array", "md:md7", None)


def test_md_reader_sizes_in_export_are_decimal() -> None:
    """21.46GB is decimal, 19.98GiB binary."""
    lines = "MD_LEVEL=raid1\nMD_UUID=0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f1\nMD_ARRAY_SIZE={}\n"
    assert volume(lines.format("21.46GB")).size_bytes == 21_460_000_000
    assert volume(lines.format("2.00GiB")).size_bytes == 2 * 1024**3


def test_md_reader_the_line_of_the_state_gives_the_status() -> None:
    """The evidence of a status is the line of the state."""
    assert lines_of(read(DETAIL), "md:md7", "status") == ["             State : clean"]
    assert lines_of(read(EXAMINE), "md:0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9", "drives_active") != []


def test_md_reader_a_reshape_of_a_whole_array_is_not_a_fault() -> None:
    """A growing array without a missing member is ok."""
    text = DETAIL.replace("State : clean", "State : clean, reshaping").replace(
        "              Name", "    Reshape Status : 22% complete\n     Delta Devices : 1, (3->4)\n\n              Name"
    )
    assert (volume(text).status, array(text).status) == ("expanding", "ok")


def test_md_reader_the_replacement_is_what_is_filled() -> None:
    """A recovery without a missing member fills a replacement."""
    text = (
        "md3 : active raid1 sdb1[0] sdd1[2](R) sdc1[1]\n      2048 blocks super 1.2 [2/2] [UU]\n"
        "      [==>..................]  recovery = 12.5% (256/2048) finish=0.1min speed=256K/sec\n"
    )
    assert {key: drive.status for key, drive in drives(text).items()} == {"sdb1": "ok", "sdc1": "ok", "sdd1": "warning"}


def test_md_reader_unknown_marks_and_levels_are_problems() -> None:
    """An unknown flag of a member and an unknown level are problems."""
    found = read("md1 : active raid7 sda1[0](Q) sdb1[1]\n      2048 blocks super 1.2 [2/2] [UU]\n")
    assert [(p.where, p.kind) for p in found.problems] == [("md:md1", "unread"), ("md:md1/sda1", "unread")]
    assert found.controllers[0].drives[0].status == "unknown"


def test_md_reader_queries() -> None:
    """Arrays without a size and old names of arrays are read. So are devices that are not arrays."""
    found = read(
        "/dev/md1:  raid1 2 devices, 0 spares. Use mdadm --detail for more detail.\n"
        "/dev/sda1: device 1 in 2 device active raid1 md0.  Use mdadm --examine for more detail.\n"
        "/dev/sdb1: device 0 in 3 device inactive raid5 array.  Use mdadm --examine for more detail.\n"
        "/dev/sdc1: No md super block found, not an md component.\n"
        '/dev/md9: is an md device, but gives "No such device" when queried\n'
    )
    assert [(v.device, v.raid_level, v.size_bytes) for v in found.controllers[0].volumes] == [
        ("/dev/md0", "raid1", None),
        ("/dev/md1", "raid1", None),
        (None, "raid5", None),
    ]
    assert [(p.where, p.kind) for p in found.problems] == [("/dev/sdc1", "note"), ("/dev/md9", "note")]
    assert unparsed(found) == []


def test_md_reader_an_array_line_that_goes_on() -> None:
    """Continued lines belong to the array."""
    text = (
        "ARRAY /dev/md/boot level=raid1 num-devices=2 metadata=1.0\n   name=plum:boot\n"
        "   UUID=0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f1\n   devices=/dev/sda1,/dev/sdb1\n"
    )
    found = volume(text)
    assert (found.name, found.unique_id) == ("plum:boot", "0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f1")
    assert len(controller(text).drives) == 2
    assert unparsed(read(text)) == []


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (
            "Bad-blocks on /dev/sdc1:\n                2048 for 8 sectors\n               40960 for 128 sectors\n",
            "warning",
        ),
        ("Bad-blocks list is empty in /dev/sdc1\n", "info"),
        ("No bad-blocks list configured on /dev/sdc1\n", "info"),
    ],
)
def test_md_reader_lists_of_bad_blocks(text: str, severity: str) -> None:
    """Entries in a log of bad blocks are a warning. An empty log is a note."""
    kind = md.sniff("x", text)
    assert kind is not None
    found = md.read([Document("x", kind.kind, text)])
    assert [(p.where, p.severity) for p in found.problems] == [("/dev/sdc1", severity)]
    assert unparsed(found) == []


def test_md_reader_a_truncated_device_is_reported() -> None:
    """A superblock with more data than the device holds is a warning."""
    cut = read(EXAMINE.replace("State : clean", "State : clean TRUNCATED DEVICE"))
    (added,) = set(cut.problems) - set(read(EXAMINE).problems)
    assert (added.kind, added.severity, added.where.rpartition("/")[2]) == ("state", "warning", "sdd1")


@pytest.mark.parametrize(
    "text",
    [
        "MD_LEVEL=raid1\nMD_UUID=xxxxxxxx:xxxxxxxx:xxxxxxxx:xxxxxxxx\n",
        "ARRAY /dev/md0 metadata=1.2 UUID=xxxxxxxx:xxxxxxxx:xxxxxxxx:xxxxxxxx\n",
    ],
)
def test_md_reader_masked_outputs_are_recognised(text: str) -> None:
    """A masked UUID is recognised as one."""
    assert md.sniff("x", text) is not None


IN_MD127 = (
    "Personalities : [raid4]\nmd126 : active raid4 nvme3n1[2] nvme0n1[0]\n"
    "      500102144 blocks super external:-md127/0 level 4, 64k chunk, algorithm 5 [2/1] [U_]\n\n"
    "md127 : inactive nvme3n1[3](S) nvme0n1[0](S)\n      4420 blocks super external:imsm\n\n"
    "unused devices: <none>\n"
)
"""md126, degraded, in the container md127, as mdstat prints them."""


def test_md_reader_an_array_that_is_also_a_container_is_separate() -> None:
    """Every array is shown, and the contradiction is reported."""
    detail = (
        "/dev/md127:\n         Container : /dev/md0, member 0\n        Raid Level : raid1\n      Raid Devices : 2\n"
        "             State : clean\n\n    Number   Major   Minor   RaidDevice State\n"
        "       1     254        0        1      active sync   /dev/vda\n"
    )
    found = read(detail, IN_MD127)
    volumes = {volume.id: volume.status for volume in found.controllers[0].volumes}
    assert volumes["md:md126"] == "degraded"
    assert volumes["md:md127-2"] == "ok"
    assert any("(a container or an array)" in problem.message for problem in found.problems)


@pytest.mark.parametrize("bad", [False, True])
def test_md_reader_an_array_with_the_name_of_a_container_is_separate(bad: bool) -> None:
    """A degraded array with a container's name is shown. The contradiction is reported."""
    detail = (
        "/dev/md0:\n           Version : ddf\n        Raid Level : container\n     Total Devices : 2\n\n"
        "    Number   Major   Minor   RaidDevice\n\n       -     254        0        -        /dev/vda\n"
    )
    counts = "[3/2] [UU_]" if bad else "[3/3] [UUU]"
    mdstat = (
        "Personalities : [raid5]\nmd0 : active raid5 sdc1[2] sdb1[1] sda1[0]\n"
        f"      5860543744 blocks level 5, 4k chunk, algorithm 2 {counts}\n\nunused devices: <none>\n"
    )
    for texts in ((detail, mdstat), (mdstat, detail)):
        found = read(*texts)
        assert [volume.status for volume in found.controllers[0].volumes] == ["degraded" if bad else "ok"]
        assert any("(a container or an array)" in problem.message for problem in found.problems)


def test_md_reader_a_container_in_a_container_is_separate() -> None:
    """Every array is shown, and the contradiction is reported."""
    detail = (
        "/dev/md127:\n         Container : /dev/md0, member 0\n      Raid Devices : 2\n             State : clean\n\n"
        "    Number   Major   Minor   RaidDevice State\n"
        "       1     254        0        1      active sync   /dev/vda\n"
    )
    found = read(detail, IN_MD127)
    assert {volume.id: volume.status for volume in found.controllers[0].volumes}["md:md126"] == "degraded"
    assert any("a container or an array in one" in problem.message for problem in found.problems)
