"""What the kernel reports about its caches. There are problems if it cannot be read."""

from __future__ import annotations

from raidctl.host import BlockDevice, HostView
from raidctl.layers.build import page_thresholds, stack
from raidctl.layers.scope import scope
from raidctl.layers.sysfs_values import number
from raidctl.model import Host, Inventory
from raidctl.request import Failure
from tests.layers.written import VM, kernel

DM = (BlockDevice("dm-0", "/dev/dm-0", "dm", dm_name="w"),)
TABLE, STATUS, PAGE = ("dmsetup", "table"), ("dmsetup", "status", "--noflush"), ("getconf", "PAGESIZE")


def test_dirty_memory_includes_writes_under_way() -> None:
    """Dirty memory is the sum of both figures of /proc/meminfo, in bytes."""
    assert kernel(VM).dirty == 12 * 1024


def test_of_bytes_and_percent_the_one_that_is_not_zero_counts() -> None:
    """The other one is reported as inactive. The active one is converted to bytes."""
    view_of_kernel = {t.name: t for t in page_thresholds(kernel(VM, programs={PAGE: (0, "4096\n", "")}))}
    assert (view_of_kernel["dirty_ratio"].in_force, view_of_kernel["dirty_ratio"].effective_bytes) == (True, 204800)
    assert (view_of_kernel["dirty_bytes"].in_force, view_of_kernel["dirty_bytes"].effective_bytes) == (False, None)


def test_another_page_size_is_obeyed() -> None:
    """Pages are not 4 KiB everywhere. If their size is unknown, nothing is guessed."""
    assert kernel(VM, programs={PAGE: (0, "65536\n", "")}).page_bytes("nr_dirty") == 131072
    assert kernel(VM).page_bytes("nr_dirty") is None


def test_rubbish_in_a_file_is_a_problem_that_names_it() -> None:
    """The value is unknown, and the problem names the file."""
    view_of_kernel = kernel(VM | {"/proc/sys/vm/dirty_ratio": "tw\x00enty\n"})
    assert view_of_kernel.vm.value("dirty_ratio", number) is None
    [problem] = view_of_kernel.problems
    assert (problem.where, problem.kind) == ("/proc/sys/vm/dirty_ratio", "unread")


def test_a_file_that_may_not_be_read_is_a_missing_right() -> None:
    """It is not called absent."""
    view_of_kernel = kernel(VM | {"/proc/sys/vm/dirty_ratio": Failure.DENIED})
    assert view_of_kernel.vm.value("dirty_ratio", number) is None
    assert [problem.kind for problem in view_of_kernel.problems] == ["no_right"]


def test_a_missing_dmsetup_is_reported_if_there_are_mappings() -> None:
    """Without device mapper devices it is not missed."""
    assert [problem.kind for problem in kernel(VM, DM).problems] == ["no_tool"]
    assert kernel(VM).problems == []


def test_dmsetup_without_root_is_a_missing_right() -> None:
    """It prints that and ends with 1; once is enough."""
    denied = (1, "", "/dev/mapper/control: open failed: Permission denied\nCommand failed.\n")
    view_of_kernel = kernel(VM, DM, {TABLE: denied, STATUS: denied})
    assert [problem.kind for problem in view_of_kernel.problems] == ["no_right"]


def test_a_kernel_without_device_mapper_is_no_silence() -> None:
    """Dmsetup's message is part of the problem."""
    denied = (1, "", "Failure to communicate with kernel device-mapper driver.\n")
    view_of_kernel = kernel(VM, DM, {TABLE: denied, STATUS: denied})
    assert {problem.kind for problem in view_of_kernel.problems} == {"unread"}
    assert "Failure to communicate" in view_of_kernel.problems[0].message


def test_a_bcache_device_that_vanishes_is_not_there() -> None:
    """A bcache device that vanishes is unknown, and nothing fails. Its directory is listed, but its files are gone."""
    blocks = (BlockDevice("bcache0", "/dev/bcache0", "other"),)
    there = VM | {"/sys/class/block/bcache0/bcache/state": Failure.MISSING}
    view_of_kernel = kernel(there, blocks)
    assert "bcache0" not in view_of_kernel.bcaches or view_of_kernel.bcaches["bcache0"].value("cache_mode", str) is None


def test_ten_thousand_devices_are_asked_for_at_once() -> None:
    """One table, one status, whatever the number; each finds its own."""
    many = 10_000
    blocks = tuple(BlockDevice(f"dm-{n}", f"/dev/dm-{n}", "dm", dm_name=f"w{n}") for n in range(many))
    table = "".join(f"w{n}: 0 8 writecache s 8:1 8:2 4096 0\n" for n in range(many))
    status = "".join(f"w{n}: 0 8 writecache 0 {n + 1} 0 0\n" for n in range(many))
    view_of_kernel = kernel(VM, blocks, {TABLE: (0, table, ""), STATUS: (0, status, "")})
    assert len(view_of_kernel.targets) == many
    assert view_of_kernel.targets["dm-9999"].status[1] == "10000"


def test_an_array_under_reshape_has_its_members() -> None:
    """An array under reshape has its members. The kernel then prints 4 (3): the new number and the old one."""
    files = {"raid_disks": "4 (3)\n", "stripe_cache_size": "256\n"}
    place = "/sys/block/md0/md"
    blocks = (BlockDevice("md0", "/dev/md0", "md"),)
    files = {f"{place}/{name}": text for name, text in files.items()}
    view_of_kernel = kernel(VM | files, blocks, {PAGE: (0, "65536\n", "")})
    view, bare = HostView(blocks=blocks), Inventory(host=Host())
    [layer] = [
        layer for layer in stack(scope(view, bare, None), view, view_of_kernel, bare, ()).layers if layer.kind == "md"
    ]
    assert view_of_kernel.problems == []
    assert layer.size_bytes == 256 * 4 * 65536


def test_an_unreadable_machine_is_one_problem() -> None:
    """One problem is reported, not one for each file."""
    assert [problem.where for problem in kernel({}).problems] == ["kernel:vm"]
