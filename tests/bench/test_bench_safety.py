"""Only a device that is known to be free is written to."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from raidctl.bench.blocks import block
from raidctl.bench.targets.below import Stack
from raidctl.bench.targets.device import DeviceTarget
from raidctl.bench.targets.safety import Kernel, data_reasons, judged
from raidctl.bench.targets.signatures import EDGE, foreign, marks
from raidctl.errors import BenchError
from raidctl.request import Answer, Failure, RunAnswer

SIZE = 8 << 20
MISSING = RunAnswer(trouble=Failure.MISSING)
NOTHING = RunAnswer(code=2)
EMPTY = RunAnswer(code=0)


def image(place: Path, size: int = SIZE) -> Path:
    """An empty image of a device."""
    path = place / "image"
    path.write_bytes(bytes(size))
    return path


def program(name: str, package: str) -> str:
    """The path of a program; a missing one fails the test."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    assert found, f"{name} is missing: apt-get install {package}"
    return found


def ext4(path: Path) -> None:
    """Make a file system."""
    subprocess.run([program("mkfs.ext4", "e2fsprogs"), "-q", "-F", str(path)], check=True)


def swap(path: Path) -> None:
    """Make a swap area."""
    subprocess.run([program("mkswap", "util-linux"), str(path)], check=True, capture_output=True)


def table(kind: str) -> Callable[[Path], None]:
    """Make a partition table."""

    def make(path: Path) -> None:
        subprocess.run(
            [program("sfdisk", "fdisk"), "-q", str(path)], check=True, input=f"label: {kind}\n,1M\n".encode()
        )

    return make


def at(place: int, data: bytes) -> Callable[[Path], None]:
    """Write bytes at an offset; a negative one counts from the end."""

    def make(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(place, os.SEEK_SET if place >= 0 else os.SEEK_END)
            file.write(data)

    return make


def ends_of(path: Path) -> tuple[bytes, bytes, int]:
    """Both ends, and the size."""
    data = path.read_bytes()
    return data[:EDGE], data[-EDGE:], len(data)


REAL = [(ext4, "ext"), (swap, "swap"), (table("dos"), "DOS"), (table("gpt"), "GPT")]


@pytest.mark.parametrize(("make", "word"), REAL, ids=["ext4", "swap", "dos", "gpt"])
def test_signatures_of_real_tools_are_found_three_times(
    tmp_path: Path, make: Callable[[Path], None], word: str
) -> None:
    """Each of blkid, wipefs and raidctl's table is enough to refuse."""
    make(path := image(tmp_path))
    found = data_reasons(str(path))
    assert any("blkid" in reason for reason in found)
    assert any("wipefs" in reason for reason in found)
    assert any(word in what for what in marks(*ends_of(path)))
    assert judged(MISSING, MISSING, *ends_of(path))


@pytest.mark.parametrize(
    ("place", "data", "word"),
    [
        (0, b"LUKS\xba\xbe\0\2", "LUKS"),
        (512, b"LABELONE", "LVM"),
        (1536, b"LABELONE", "LVM"),
        (0, b"XFSB", "XFS"),
        (65600, b"_BHRfS_M", "btrfs"),
        (4096, b"\xfc\x4e\x2b\xa9", "md"),
        (0, b"\xfc\x4e\x2b\xa9", "md"),
        (-8192, b"\xfc\x4e\x2b\xa9", "md"),
        (-65536, b"\xfc\x4e\x2b\xa9", "md"),
        (-512, b"\xde\x11\xde\x11", "DDF"),
        (-1024, b"Intel Raid ISM Cfg Sig. 1.0", "Intel"),
        (-512, b"EFI PART", "GPT"),
        (65526, b"SWAPSPACE2", "swap"),
        (128 << 10, b"\x0c\xb1\xba\0\0\0\0\0", "ZFS"),
        (-(128 << 10), b"\x0c\xb1\xba\0\0\0\0\0", "ZFS"),
        (510, b"\x55\xaa", "DOS"),
    ],
)
def test_signatures_at_their_offsets_are_found(tmp_path: Path, place: int, data: bytes, word: str) -> None:
    """A signature is found at its format's offset, from either end."""
    at(place, data)(path := image(tmp_path))
    assert any(word in what for what in marks(*ends_of(path)))


def test_an_empty_device_is_free(tmp_path: Path) -> None:
    """A device of zeros is free."""
    path = image(tmp_path)
    assert data_reasons(str(path)) == []
    assert judged(MISSING, MISSING, *ends_of(path)) == []


def test_a_device_of_an_earlier_run_is_free(tmp_path: Path) -> None:
    """Blocks of raidctl may be overwritten, with and without libblkid's tools."""
    path = tmp_path / "image"
    path.write_bytes(block(7, 0, SIZE, 1, 0))
    assert data_reasons(str(path)) == []
    assert judged(MISSING, MISSING, *ends_of(path)) == []


@pytest.mark.parametrize("place", [0, 100_000, EDGE - 1, -1, -EDGE])
def test_without_libblkid_unknown_bytes_are_data(tmp_path: Path, place: int) -> None:
    """A single unknown byte is enough to refuse."""
    at(place, b"x")(path := image(tmp_path))
    assert "util-linux" in judged(MISSING, MISSING, *ends_of(path))[0]


def test_a_damaged_block_of_raidctl_is_foreign() -> None:
    """Only blocks with a valid checksum are raidctl's."""
    data = bytearray(block(7, 0, EDGE, 1, 0))
    data[20] ^= 1
    assert foreign(bytes(data), bytes(EDGE)) is not None


@pytest.mark.parametrize(
    ("blkid", "wipefs"),
    [
        (RunAnswer(code=0, out=b"TYPE=zfs_member\n"), EMPTY),
        (RunAnswer(code=0, out=b"PTTYPE=gpt\n"), EMPTY),
        (RunAnswer(code=8), EMPTY),
        (RunAnswer(code=0), EMPTY),
        (RunAnswer(code=1, err=b"blkid: invalid option -- 'p'"), MISSING),
        (RunAnswer(code=4), EMPTY),
        (RunAnswer(trouble=Failure.TIMEOUT), EMPTY),
        (RunAnswer(trouble=Failure.DENIED), MISSING),
        (NOTHING, RunAnswer(code=0, out=b"# offset,uuid,label,type\n0x1e,,,drbd\n")),
        (NOTHING, RunAnswer(code=1, err=b"wipefs: error: x: probing initialization failed")),
        (NOTHING, RunAnswer(trouble=Failure.FAILED)),
        (NOTHING, Answer()),
    ],
)
def test_every_result_but_a_clear_no_refuses(blkid: Answer, wipefs: Answer) -> None:
    """Signatures, ambiguous results, failures, timeouts and unknown output forbid writing."""
    assert judged(blkid, wipefs, bytes(EDGE), bytes(EDGE), SIZE)


@pytest.mark.parametrize(("blkid", "wipefs"), [(NOTHING, EMPTY), (NOTHING, MISSING), (MISSING, EMPTY)])
def test_a_clear_no_does_not_refuse(blkid: Answer, wipefs: Answer) -> None:
    """Either tool is enough to show that data has no signature."""
    assert judged(blkid, wipefs, b"x" * EDGE, b"x" * EDGE, SIZE) == []


def test_an_unreadable_device_is_not_free(tmp_path: Path) -> None:
    """A missing or empty device is not free."""
    assert data_reasons(str(tmp_path / "none"))
    assert data_reasons(str(image(tmp_path, 0)))


class Tree:
    """A copy of kernel files: drive 8:0 with partition 8:1."""

    def __init__(self, place: Path) -> None:
        self.kernel = Kernel(place / "sys", place / "proc")
        self.disk = place / "sys/devices/sda"
        self.part = self.disk / "sda1"
        for where, number in ((self.disk, "8:0"), (self.part, "8:1")):
            (where / "holders").mkdir(parents=True)
            (where / "ro").write_text("0\n")
            (where / "size").write_text("65536\n")
            link = place / "sys/dev/block" / number
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(where)
        (self.part / "partition").write_text("1\n")
        (self.part / "start").write_text("2048\n")
        (place / "proc/self").mkdir(parents=True)
        self.mounts = place / "proc/self/mountinfo"
        self.swaps = place / "proc/swaps"
        self.mounts.write_text("29 1 253:0 / / rw - ext4 /dev/mapper/root rw\n")
        self.swaps.write_text("Filename Type Size Used Priority\n")

    def add(self, name: str, number: str, sectors: int, **files: str) -> Path:
        """Add a device with these files: ``loop_offset="0"`` is ``loop/offset``."""
        place = self.disk.parent / name
        (place / "holders").mkdir(parents=True)
        for file, text in {"ro": "0", "size": str(sectors), **files}.items():
            path = place / file.replace("_", "/", 1)
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"{text}\n", encoding="utf-8")
        (place.parents[1] / "dev/block" / number).symlink_to(place)
        return place

    def reasons(self, number: str = "8:1") -> str:
        """The reasons against writing."""
        return "; ".join(self.kernel.reasons(number))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A tree whose partition is free."""
    return Tree(tmp_path)


def test_an_unused_partition_is_free(tree: Tree) -> None:
    """A partition without holders, mounts and content is free."""
    assert tree.reasons() == ""


def test_a_drive_with_partitions_is_not_free(tree: Tree) -> None:
    """The partitions are named."""
    assert "partitions (sda1)" in tree.reasons("8:0")


def test_a_holder_is_named(tree: Tree) -> None:
    """An array or a mapping on the partition is named."""
    (tree.part / "holders/md0").mkdir()
    assert "in use by md0" in tree.reasons()


def test_a_holder_of_the_whole_drive_counts_for_its_partitions(tree: Tree) -> None:
    """A partition of a drive that is a member is not free."""
    (tree.disk / "holders/dm-3").mkdir()
    assert "the drive that it is a part of is in use by dm-3" in tree.reasons()


def test_a_mount_is_named(tree: Tree) -> None:
    """A mount is found by its device number, whatever its source."""
    tree.mounts.write_text("30 29 8:1 / /srv/my\\040data rw - xfs /dev/whatever rw\n")
    assert "mounted at /srv/my data" in tree.reasons()


def test_a_loop_device_onto_a_mounted_file_system_is_not_free(tree: Tree, tmp_path: Path) -> None:
    """A loop device that shows bytes of a mounted one is refused. On the same file, offset and size decide."""
    below = tmp_path / "image.disk"
    below.write_bytes(bytes(SIZE))
    sectors = SIZE // 512
    tree.add("loop0", "7:0", sectors // 2, loop_backing_file=str(below), loop_offset="0")
    tree.add("loop1", "7:1", sectors // 4, loop_backing_file=str(below), loop_offset=str(SIZE // 4))
    tree.add("loop2", "7:2", sectors // 2, loop_backing_file=str(below), loop_offset=str(SIZE // 2))
    tree.mounts.write_text("30 29 7:0 / /srv rw - ext4 /dev/loop0 rw\n")
    assert "mounted at /srv (/dev/loop0, which shows the same bytes)" in tree.reasons("7:1")
    assert tree.reasons("7:2") == ""
    ext4(below)
    assert f"on {below}, below it" in tree.reasons("7:2")
    below.unlink()
    assert "unknown" in tree.reasons("7:2")


def test_the_drive_below_a_mounted_loop_device_is_not_free(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop device on a partition makes it busy. The loop device is not a holder."""
    tree.add("loop0", "7:0", 100, loop_backing_file="/dev/sda1", loop_offset="1048576")
    tree.mounts.write_text("30 29 7:0 / /srv rw - ext4 /dev/loop0 rw\n")
    node = os.stat_result((stat.S_IFBLK, 0, 0, 1, 0, 0, 0, 0, 0, 0), {"st_rdev": os.makedev(8, 1)})
    true_stat = Path.stat
    monkeypatch.setattr(
        Path, "stat", lambda path, **more: node if str(path) == "/dev/sda1" else true_stat(path, **more)
    )
    assert "mounted at /srv (/dev/loop0, which shows the same bytes)" in tree.reasons("8:1")


def test_linear_mappings_are_resolved(tree: Tree) -> None:
    """Two mappings of one drive may overlap, which the kernel permits."""
    tree.add("dm-0", "253:0", 4096, dm_name="one", dm_uuid="LVM-1")
    tree.add("dm-1", "253:1", 4096, dm_name="two", dm_uuid="LVM-2")
    (tree.disk.parent / "dm-0/slaves/sda1").mkdir(parents=True)
    table = "one: 0 2048 linear 8:1 0\none: 2048 2048 linear 8:1 8192\ntwo: 0 4096 linear 8:0 {start}\n"
    for start, shared in ((2048 + 10239, True), (2048 + 10240, False), (0, True), (4096, False)):
        assert Stack(tree.kernel.sys, table.format(start=start)).sharing("253:0") == (["253:1"] if shared else []), (
            start
        )
    assert Stack(tree.kernel.sys, "").sharing("253:0") == []


@pytest.mark.parametrize("target", ["crypt aes-xts-plain64 :32:logon:x 0 7:1 4096", "striped 1 128 7:1 0", "md"])
def test_a_mapping_over_a_loop_device_shares_the_bytes_of_its_file(tree: Tree, tmp_path: Path, target: str) -> None:
    """Encryption, stripes and md arrays may use all of the device below. A thin volume does not."""
    below = tmp_path / "image.disk"
    below.write_bytes(bytes(SIZE))
    for name, number in (("loop0", "7:0"), ("loop1", "7:1")):
        tree.add(name, number, SIZE // 512, loop_backing_file=str(below), loop_offset="0")
    upper = tree.add("md0", "9:0", 4096) if target == "md" else tree.add("dm-0", "9:0", 4096, dm_name="x", dm_uuid="C")
    (upper / "slaves/loop1").mkdir(parents=True)
    if target == "md":
        (upper / "md").mkdir()
    table = "" if target == "md" else f"x: 0 4096 {target}\n"
    assert Stack(tree.kernel.sys, table).sharing("9:0") == ["7:0"]
    linear = "one: 0 2048 linear 9:0 0\ntwo: 0 2048 linear 9:0 {}\n"
    for name, number in (("dm-1", "253:1"), ("dm-2", "253:2")):
        lower = tree.add(name, number, 2048, dm_name="one" if name == "dm-1" else "two", dm_uuid="LVM-1")
        (lower / "slaves" / upper.name).mkdir(parents=True)
    for start, shared in ((2048, ["7:0"]), (2047, ["7:0", "253:2"])):
        assert sorted(Stack(tree.kernel.sys, table + linear.format(start)).sharing("253:1")) == sorted(shared)
    assert target == "md" or Stack(tree.kernel.sys, "x: 0 4096 thin 7:1 1\n").sharing("9:0") == []


def test_a_read_only_device_is_not_free(tree: Tree) -> None:
    """The kernel's flag is checked."""
    (tree.part / "ro").write_text("1\n")
    assert "read-only" in tree.reasons()


def test_a_zoned_drive_is_not_free(tree: Tree) -> None:
    """Random writes would fail on a zoned drive."""
    (tree.disk / "queue").mkdir()
    (tree.disk / "queue/zoned").write_text("host-managed\n")
    assert "zones" in tree.reasons()


@pytest.mark.parametrize("missing", ["holders", "ro"])
def test_a_device_with_missing_sysfs_files_is_not_free(tree: Tree, missing: str) -> None:
    """A missing file makes the state unknown."""
    path = tree.part / missing
    path.rmdir() if missing == "holders" else path.unlink()
    assert "unknown" in tree.reasons()


def test_unknown_mounts_are_not_free(tree: Tree) -> None:
    """A missing or invalid mount table makes the state unknown."""
    tree.mounts.write_text("rubbish\n")
    assert "unknown" in tree.reasons()
    tree.mounts.unlink()
    assert "unknown" in tree.reasons()


def test_a_device_without_sysfs_is_not_free(tree: Tree) -> None:
    """A device without sysfs is unknown."""
    assert "unknown" in tree.reasons("9:9")


@pytest.mark.parametrize("path", ["/dev/null", "/etc/passwd", "/"])
def test_only_block_devices_are_devices(path: str) -> None:
    """Files, directories and character devices are refused before they are opened."""
    with pytest.raises(BenchError, match="is not a block device"), DeviceTarget(path):
        pass


def test_a_missing_device_is_an_error() -> None:
    """The message has its name."""
    with pytest.raises(BenchError, match="/dev/no-such-disk cannot be used"), DeviceTarget("/dev/no-such-disk"):
        pass
