"""The dialogue with a machine, and sysfs."""

from __future__ import annotations

import pytest

import raidctl_md as md
from raidctl.host import BlockDevice, HostView
from raidctl.request import Failure, RunAnswer, converse
from raidctl.vendor.protocol import Observation
from tests.support.scripted_tools import unparsed
from tests.vendors.md.md_outputs import DETAIL, EXAMINE, Machine

MDSTAT = (
    "Personalities : [raid6]\nmd7 : active raid6 sde1[4](S) sdd1[3] sdc1[2] sdb1[1](W) sda1[0]\n"
    "      20953088 blocks super 1.2 level 6, 256k chunk, algorithm 2 [4/4] [UUUU]\n\nunused devices: <none>\n"
)
ROOT = HostView(root=True)


def sysfs(name: str, files: dict[str, str], members: dict[str, tuple[str, str, str]]) -> dict[str, str | Failure]:
    """The files of an array's directory."""
    found: dict[str, str | Failure] = {f"/sys/block/{name}/md/{file}": f"{text}\n" for file, text in files.items()}
    for member, values in members.items():
        for file, text in zip(("state", "slot", "errors"), values, strict=True):
            found[f"/sys/block/{name}/md/dev-{member}/{file}"] = f"{text}\n"
    return found


def run(machine: Machine, host: HostView = ROOT) -> Observation:
    """The observation of a machine."""
    return converse(md.observe(host), machine)


def test_md_observe_no_md_in_the_kernel() -> None:
    """Without /proc/mdstat nothing is run and nothing is reported."""
    machine = Machine({})
    assert run(machine) == Observation()
    assert machine.commands() == []


def test_md_observe_no_arrays() -> None:
    """A kernel with md and no arrays gives no controller or problem."""
    machine = Machine({"/proc/mdstat": "Personalities : [raid1]\nunused devices: <none>\n"})
    found = run(machine)
    assert (found.controllers, found.problems, machine.commands()) == ((), (), [])


def test_md_observe_a_machine_as_root() -> None:
    """Mdstat and the detail of each array make one volume. A running array is not examined."""
    machine = Machine({"/proc/mdstat": MDSTAT}, {"mdadm --detail /dev/md7": RunAnswer(code=0, out=DETAIL.encode())})
    found = run(machine)
    (volume,) = found.controllers[0].volumes
    assert (volume.id, volume.unique_id) == ("md:md7", "0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9")
    assert [tool.path for tool in found.tools] == ["/usr/sbin/mdadm"]
    assert machine.commands() == ["mdadm --detail /dev/md7"]
    assert found.problems == ()
    assert unparsed(found) == []


def test_md_observe_without_the_tool() -> None:
    """Without mdadm the kernel's facts are shown. The remedy names the package."""
    found = run(Machine({"/proc/mdstat": MDSTAT}, tool=None))
    assert [(p.kind, p.remedy) for p in found.problems] == [("no_tool", "Install the package mdadm.")]
    assert found.controllers[0].volumes[0].status == "ok"
    assert found.tools == ()


def test_md_observe_without_the_right() -> None:
    """Without root the kernel's facts are shown and mdadm is not run."""
    machine = Machine({"/proc/mdstat": MDSTAT})
    found = run(machine, HostView(root=False))
    assert [p.kind for p in found.problems] == ["no_right"]
    assert machine.commands() == []
    assert found.controllers[0].volumes[0].raid_level == "raid6"


def test_md_observe_tool_that_fails() -> None:
    """A tool that hangs, lacks rights or prints nothing is a problem. The rest is shown."""
    for answer, kind in (
        (RunAnswer(trouble=Failure.TIMEOUT, detail="60 s"), "unread"),
        (RunAnswer(code=1, err=b"mdadm: must be super-user to perform this action\n"), "no_right"),
        (RunAnswer(code=1), "unread"),
    ):
        found = run(Machine({"/proc/mdstat": MDSTAT}, {"mdadm --detail /dev/md7": answer}))
        assert [p.kind for p in found.problems] == [kind]
        assert found.controllers[0].volumes[0].status == "ok"


def test_md_observe_mdstat_that_cannot_be_read() -> None:
    """An unreadable /proc/mdstat is a problem."""
    found = run(Machine({"/proc/mdstat": Failure.DENIED}))
    assert [(p.kind, p.where) for p in found.problems] == [("no_right", "/proc/mdstat")]


@pytest.mark.parametrize(
    ("number", "layout"),
    [
        (0x102, "near=2"),
        (0x103, "near=3"),
        (0x201, "far=2"),
        (0x202, "near=2, far=2"),
        (0x10201, "offset=2"),
        (0x101, None),
    ],
)
def test_md_observe_layouts_of_raid10(number: int, layout: str | None) -> None:
    """The kernel's number of a RAID-10 layout has its name in mdstat."""
    files = sysfs(
        "md5",
        {"level": "raid10", "raid_disks": "2", "layout": str(number), "array_state": "clean"},
        {"sda": ("in_sync", "0", "0"), "sdb": ("in_sync", "1", "0")},
    )  # fmt: skip
    [volume] = run(Machine(files), HostView(root=False)).controllers[0].volumes
    assert volume.layout == layout


@pytest.mark.parametrize(
    ("level", "state", "second", "status"),
    [
        ("raid1", "clean", "in_sync", "ok"), ("raid1", "sleepy", "in_sync", "unknown"),
        ("raid1", "clean", "faulty", "degraded"), ("raid0", "clean", "faulty", "failed"),
        ("linear", "clean", "faulty", "failed"),
    ],
)  # fmt: skip
def test_md_observe_states_of_an_array(level: str, state: str, second: str, status: str) -> None:
    """An unknown word of the kernel is an unknown status. Without redundancy, an array fails with its member."""
    files = sysfs(
        "md5",
        {
            "level": level, "raid_disks": "2", "metadata_version": "1.2", "array_state": state, "sync_action": "idle",
            **({"degraded": "0"} if level == "raid1" else {}),
        },
        {"sda": ("in_sync", "0", "0"), "sdb": (second, "1", "0")},
    )  # fmt: skip
    found = run(Machine(files), HostView(root=False))
    assert [volume.status for volume in found.controllers[0].volumes] == [status]
    assert any("array_state" in problem.message for problem in found.problems) == (status == "unknown")


def test_md_observe_roles_come_from_sysfs() -> None:
    """Sysfs gives journal, flags, rebuild and corrected errors of the members."""
    files = sysfs(
        "md5",
        {"level": "raid5", "raid_disks": "3", "chunk_size": "65536", "layout": "2", "metadata_version": "1.2",
         "array_state": "clean", "degraded": "1", "sync_action": "recover", "sync_completed": "500 / 2000",
         "consistency_policy": "journal", "journal_mode": "[write-through] write-back", "bitmap/location": "none"},
        {"sda": ("in_sync,failfast", "0", "3"), "sdb": ("in_sync", "1", "0"), "sdc": ("spare", "2", "0"),
         "sdd": ("journal", "journal", "0"), "sde": ("spare", "none", "0"), "cciss!c0d0": ("faulty", "none", "9")},
    )  # fmt: skip
    found = run(Machine(files), HostView(root=False))
    (volume,) = found.controllers[0].volumes
    assert (volume.status, volume.raid_level, volume.strip_bytes) == ("rebuilding", "raid5", 65536)
    assert volume.progress is not None
    assert (volume.progress.operation, volume.progress.percent) == ("recovery", 25.0)
    assert (volume.layout, volume.bitmap, volume.consistency_policy) == ("left-symmetric", "none", "journal")
    assert (volume.drives_expected, volume.drives_active) == (3, 2)
    roles = {drive.id.removeprefix("md:md5/"): (drive.role, drive.status) for drive in found.controllers[0].drives}
    assert roles == {
        "sda": ("member", "ok"),
        "sdb": ("member", "ok"),
        "sdc": ("member", "warning"),
        "sdd": ("journal", "ok"),
        "sde": ("spare", "ok"),
        "cciss/c0d0": ("failed", "critical"),
    }
    sda = next(drive for drive in found.controllers[0].drives if drive.id == "md:md5/sda")
    assert (sda.flags, sda.errors.media) == (("failfast",), 3)
    assert unparsed(found) == []


def test_md_observe_a_repair_is_distinguished_from_a_resync() -> None:
    """Sysfs has the more precise operation, mdstat the more precise percentage."""
    mdstat = MDSTAT.replace("[UUUU]\n", "[UUUU]\n      [>....]  resync = 3.7% (37/1000) finish=1.0min speed=9K/sec\n")
    files = sysfs(
        "md7", {"level": "raid6", "array_state": "active", "sync_action": "repair", "sync_completed": "none"}, {}
    )
    found = run(Machine({"/proc/mdstat": mdstat, **files}, tool=None))
    progress = found.controllers[0].volumes[0].progress
    assert progress is not None
    assert (progress.operation, progress.percent) == ("repair", 3.7)


def test_md_observe_mismatches_are_read() -> None:
    """A check's mismatches are a field, which an audit rule judges."""
    files = sysfs("md7", {"level": "raid5", "array_state": "clean", "mismatch_cnt": "256"}, {})
    found = run(Machine(files), HostView(root=False))
    assert [volume.mismatch_count for volume in found.controllers[0].volumes] == [256]


def test_md_observe_an_array_without_its_count_of_missing_members_is_not_ok() -> None:
    """If the kernel's file ``degraded`` could not be read, only mdstat shows that an array is whole."""
    known = {"level": "raid6", "raid_disks": "4", "array_state": "clean"}
    for files, mdstat, status in (
        (known, {}, "unknown"),
        ({**known, "degraded": "0"}, {}, "ok"),
        ({**known, "level": "raid0"}, {}, "ok"),
        (known, {"/proc/mdstat": MDSTAT}, "ok"),
    ):
        found = run(Machine({**sysfs("md7", files, {}), **mdstat}), HostView(root=False))
        assert [volume.status for volume in found.controllers[0].volumes] == [status]


def test_md_observe_members_of_what_does_not_run_are_examined() -> None:
    """An inactive array's level, UUID and roles come from its members' superblocks."""
    machine = Machine(
        {"/proc/mdstat": "md7 : inactive sdd1[3](S)\n      10476544 blocks super 1.2\n"},
        {
            "mdadm --detail /dev/md7": RunAnswer(
                code=0,
                out=b"/dev/md7:\n           Version : 1.2\n        Raid Level : raid0\n     Total Devices : 1\n\n"
                b"             State : inactive\n\n    Number   Major   Minor   RaidDevice\n\n"
                b"       -       8       49        -        /dev/sdd1\n",
            ),
            "mdadm --examine /dev/sdd1": RunAnswer(code=0, out=EXAMINE.encode()),
        },
    )
    found = run(machine)
    (volume,) = found.controllers[0].volumes
    assert (volume.id, volume.status, volume.raid_level) == ("md:md7", "inactive", "raid6")
    assert (volume.drives_expected, volume.drives_active) == (4, None)
    assert [drive.id for drive in found.controllers[0].drives] == ["md:md7/sdd1"]


def test_md_observe_links_are_followed() -> None:
    """A mapper name of mdadm is merged with the kernel's dm device."""
    host = HostView(root=True, blocks=(BlockDevice("dm-3", "/dev/dm-3", "dm", links=("/dev/mapper/vg-leg",)),))
    mdstat = "md7 : active raid1 dm-3[1] sda1[0]\n      20953088 blocks super 1.2 [2/2] [UU]\n"
    detail = DETAIL.replace("/dev/sdb1", "/dev/mapper/vg-leg")
    found = run(
        Machine({"/proc/mdstat": mdstat}, {"mdadm --detail /dev/md7": RunAnswer(code=0, out=detail.encode())}), host
    )
    assert "md:md7/dm-3" in [drive.id for drive in found.controllers[0].drives]
    assert not any("vg-leg" in drive.id for drive in found.controllers[0].drives)


def test_md_observe_the_kernel_measures_better_than_a_superblock() -> None:
    """The kernel's size of a member takes precedence over its superblock's."""
    mdstat = "md7 : inactive sdd1[3](S)\n      10476544 blocks super 1.2\n"
    runs = {
        "mdadm --detail /dev/md7": RunAnswer(code=1, err=b"mdadm: nothing\n"),
        "mdadm --examine /dev/sdd1": RunAnswer(code=0, out=EXAMINE.encode()),
    }
    known = HostView(root=True, blocks=(BlockDevice("sdd1", "/dev/sdd1", size_bytes=11 * 10**9),))
    sizes = [
        run(Machine({"/proc/mdstat": mdstat}, runs), host).controllers[0].drives[0].size_bytes for host in (ROOT, known)
    ]
    assert sizes == [20953088 * 512, None]
