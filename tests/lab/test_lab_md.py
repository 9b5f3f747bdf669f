"""What `show` reports of md arrays, compared with sysfs, lsblk and mdadm."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidctl.health.judge import judge
from raidctl.model import Inventory
from tests.lab.machines import MD

pytestmark = pytest.mark.lab(MD)

Json = dict[str, Any]

ARRAYS = ("md0", "md1", "md5", "md10", "md11", "md12", "md13", "md14", "md15", "md17")
PLAIN = ("md11", "md12")  # without redundancy: the kernel has no file on what is missing


def output(*argv: str) -> str:
    """The stdout of a command."""
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def sys_md(name: str, file: str) -> str:
    """A file of the kernel about an array, without its newline."""
    return Path(f"/sys/block/{name}/md/{file}").read_text().strip()


@cache
def export(name: str) -> dict[str, str]:
    """The output of mdadm about an array for scripts."""
    lines = output("mdadm", "--detail", "--export", f"/dev/{name}").splitlines()
    return dict(line.split("=", 1) for line in lines)


def rebuilt() -> float:
    """The kernel's progress of md15, in percent: ``[=>…]  recovery =  7.8% (1216/15360) finish=…``."""
    found = re.search(r"^md15 .*?recovery = *([\d.]+)%", Path("/proc/mdstat").read_text(), re.DOTALL | re.MULTILINE)
    assert found, Path("/proc/mdstat").read_text()
    return float(found[1])


@pytest.fixture(scope="module")
def bounds() -> dict[str, float]:
    """The progress of the rebuild before and after the run of raidctl."""
    return {}


@pytest.fixture(scope="module")
def shown(bounds: dict[str, float]) -> Json:
    """The inventory that raidctl prints."""
    bounds["before"] = rebuilt()
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-m", "raidctl", "show", "--json"], capture_output=True, env=environment, check=False
    )
    bounds["after"] = rebuilt()
    assert done.returncode == 0, done.stderr
    inventory: Json = json.loads(done.stdout)
    return inventory


@pytest.fixture(scope="module")
def md(shown: Json) -> Json:
    """The controller of Linux md."""
    return next(controller for controller in shown["controllers"] if controller["id"] == "md")


@pytest.fixture(scope="module")
def volumes(md: Json) -> Json:
    """The arrays as volumes, by their kernel name."""
    return {volume["device"].removeprefix("/dev/"): volume for volume in md["volumes"]}


@pytest.fixture(scope="module")
def blocks() -> Json:
    """Every block device of lsblk, by its kernel name."""
    found: Json = {}

    def walk(devices: list[Json]) -> None:
        for device in devices:
            found[device["kname"]] = device
            walk(device.get("children", []))

    columns = "KNAME,SIZE,MODEL,SERIAL,ROTA,TRAN,MOUNTPOINTS,PKNAME,TYPE,REV,WWN"
    walk(json.loads(output("lsblk", "--json", "--bytes", "--output", columns))["blockdevices"])
    return found


def slots(name: str) -> dict[str, str]:
    """The members of an array and the kernel's state of each."""
    return {
        place.name.removeprefix("dev-"): (place / "state").read_text().strip()
        for place in Path(f"/sys/block/{name}/md").glob("dev-*")
    }


def drives_of(md: Json, name: str) -> dict[str, Json]:
    """The members that raidctl lists for an array, by their kernel name."""
    return {
        drive["device"].removeprefix("/dev/"): drive for drive in md["drives"] if drive["id"].startswith(f"md:{name}/")
    }


def test_every_array_of_the_kernel_is_listed_once(md: Json) -> None:
    """The volumes are exactly the md devices of sysfs."""
    assert sorted(volume["device"] for volume in md["volumes"]) == sorted(
        f"/dev/{place.parent.name}" for place in Path("/sys/block").glob("md*/md")
    )


def test_the_level_is_the_kernel_s(volumes: Json) -> None:
    """The RAID level equals that of sysfs."""
    for name in ARRAYS:
        assert volumes[name]["raid_level"] == sys_md(name, "level")


def test_the_size_is_the_block_device_s(volumes: Json, blocks: Json) -> None:
    """The size in bytes equals that of lsblk."""
    for name in ARRAYS:
        assert volumes[name]["size_bytes"] == blocks[name]["size"]


def test_the_strip_is_the_kernel_s_chunk(volumes: Json) -> None:
    """The strip size of an array equals the chunk size of sysfs. Levels without strips have a chunk size of 0."""
    for name in ARRAYS:
        assert (volumes[name]["strip_bytes"] or 0) == int(sys_md(name, "chunk_size"))


def test_the_mount_points_are_lsblk_s(volumes: Json, blocks: Json) -> None:
    """The mount points equal those of lsblk."""
    for name in ARRAYS:
        assert volumes[name]["mountpoints"] == [place for place in blocks[name]["mountpoints"] if place]


def test_the_unique_id_is_mdadm_s(volumes: Json) -> None:
    """The unique id is the array's UUID."""
    for name in ARRAYS:
        assert volumes[name]["unique_id"] == export(name)["MD_UUID"]


def test_the_status_follows_from_the_kernel_s_state(volumes: Json) -> None:
    """An array whose sync_action is "recover" is rebuilding. Any other is degraded if drives are missing, else ok."""
    for name in ARRAYS:
        action = "none" if name in PLAIN else sys_md(name, "sync_action")
        missing = 0 if name in PLAIN else int(sys_md(name, "degraded"))
        wanted = "rebuilding" if action == "recover" else "degraded" if missing else "ok"
        assert volumes[name]["status"] == wanted


def test_the_progress_is_the_kernel_s(volumes: Json, bounds: dict[str, float]) -> None:
    """The percentage is between those of mdstat before and after. No other array has any progress."""
    before, after = bounds["before"], bounds["after"]
    assert volumes["md15"]["progress"]["operation"] == "recovery"
    assert 0 <= before <= volumes["md15"]["progress"]["percent"] <= after < 100
    assert [name for name, volume in volumes.items() if volume["progress"]] == ["md15"]


def test_the_members_are_those_of_the_kernel(md: Json) -> None:
    """The members are exactly the member devices of sysfs."""
    for name in ARRAYS:
        assert sorted(drives_of(md, name)) == sorted(slots(name))


ROLES = {
    "in_sync": ("member", "ok"),
    "in_sync,write_error": ("member", "ok"),
    "spare": ("spare", "ok"),
    "faulty": ("failed", "critical"),
    "journal": ("journal", "ok"),
    "in_sync,journal": ("journal", "ok"),
}


def test_the_role_and_state_of_each_member_is_the_kernel_s(md: Json) -> None:
    """Roles and states are the kernel's. A spare being rebuilt is a member with a warning."""
    for name in ARRAYS:
        wanted = {}
        for member, state in slots(name).items():
            place = sys_md(name, f"dev-{member}/slot")
            building = state == "spare" and place not in ("none", "")
            wanted[member] = ("member", "warning") if building else ROLES[state]
        assert {member: (drive["role"], drive["status"]) for member, drive in drives_of(md, name).items()} == wanted


def test_the_properties_of_a_member_are_those_of_lsblk(md: Json, blocks: Json) -> None:
    """The size is the member's. Model, serial number, rpm, media and interface are those of its drive."""
    for name in ARRAYS:
        for member, drive in drives_of(md, name).items():
            whole = blocks[blocks[member]["pkname"] or member] if blocks[member]["type"] == "part" else blocks[member]
            assert drive["size_bytes"] == blocks[member]["size"]
            assert drive["model"] == whole["model"]
            assert drive["serial"] == whole["serial"]
            assert drive["media"] == ("hdd" if whole["rota"] else "ssd")
            assert drive["interface"] == whole["tran"]
            assert drive["rpm"] == MD.drive(whole["serial"]).rpm


def test_the_array_lists_its_members_and_spares(md: Json) -> None:
    """Members and spares of the array are those of the kernel."""
    for name in ARRAYS:
        array = next(array for array in md["arrays"] if array["id"] == f"md:{name}/array")
        in_place = {
            m
            for m in slots(name)
            if Path(f"/sys/block/{name}/md/dev-{m}/slot").read_text().strip() not in ("none", "journal")
        }
        waiting = {member for member, state in slots(name).items() if state == "spare"} - in_place
        assert {drive.rsplit("/", 1)[1] for drive in array["spares"]} == waiting
        assert in_place <= {drive.rsplit("/", 1)[1] for drive in array["drives"]}


def test_the_consistency_policy_is_the_kernel_s(volumes: Json) -> None:
    """The consistency policy equals that of sysfs. One array has a bitmap, one a journal."""
    redundant = [name for name in ARRAYS if name not in PLAIN]
    policies = {name: volumes[name]["consistency_policy"] for name in redundant}
    assert policies == {name: sys_md(name, "consistency_policy") for name in redundant}
    assert {name for name in ARRAYS if volumes[name]["bitmap"] not in ("none", None)} == {"md1"}
    assert policies["md17"] == "journal"


def test_the_number_of_drives_is_the_kernel_s(volumes: Json) -> None:
    """The numbers of expected and active members are the kernel's."""
    for name in ARRAYS:
        expected = int(sys_md(name, "raid_disks"))
        missing = 0 if name in PLAIN else int(sys_md(name, "degraded"))
        assert (volumes[name]["drives_expected"], volumes[name]["drives_active"]) == (expected, expected - missing)


def test_name_and_format_are_mdadm_s(volumes: Json) -> None:
    """Name and metadata format equal those of ``mdadm --detail --export``."""
    for name in ARRAYS:
        exported = export(name)
        assert (volumes[name]["name"], volumes[name]["metadata"]) == (exported["MD_NAME"], exported["MD_METADATA"])


def detail(name: str) -> dict[str, str]:
    """The output of mdadm about an array for people: ``            Layout : left-symmetric``."""
    lines = output("mdadm", "--detail", f"/dev/{name}").splitlines()
    return {key.strip(): value.strip() for key, sign, value in (line.partition(" : ") for line in lines) if sign}


PASSING = {"clean", "active"}
"""States that change with every write."""


def test_layout_and_state_are_mdadm_s(volumes: Json) -> None:
    """Layout and state equal those of ``mdadm --detail``. The levels raid0, raid1 and linear have no layout."""
    for name in ARRAYS:
        details = detail(name)
        layout = details.get("Layout", "-unknown-")
        assert volumes[name]["layout"] == (None if layout == "-unknown-" else layout)
        assert set(volumes[name]["status_text"].split(", ")) - PASSING == set(details["State"].split(", ")) - PASSING


def plain(shown: Json) -> dict[str, Json]:
    """The drives that raidctl lists as such, by kernel name."""
    controllers = [controller for controller in shown["controllers"] if controller["id"] != "md"]
    return {
        drive["device"].removeprefix("/dev/"): drive for controller in controllers for drive in controller["drives"]
    }


def test_every_drive_is_listed_once_with_the_properties_of_lsblk(shown: Json, blocks: Json) -> None:
    """The properties of all nine drives equal those of lsblk.

    Size, model, serial number, firmware, media and interface are compared.
    """
    disks = {name: block for name, block in blocks.items() if block["type"] == "disk"}
    wanted = {
        name: (b["size"], b["model"], b["serial"], b["rev"], "hdd" if b["rota"] else "ssd", b["tran"])
        for name, b in disks.items()
    }
    fields = ("size_bytes", "model", "serial", "firmware", "media", "interface")
    assert {name: tuple(drive[field] for field in fields) for name, drive in plain(shown).items()} == wanted


def test_the_speed_and_the_write_cache_of_each_drive_is_hdparm_s(shown: Json) -> None:
    """The rpm is the machine's, the write cache that of hdparm."""
    for name, drive in plain(shown).items():
        assert drive["rpm"] == MD.drive(drive["serial"]).rpm
        on = "1 (on)" in output("hdparm", "-W", f"/dev/{name}")
        assert drive["write_cache"] == ("enabled" if on else "disabled")


def test_the_health_of_each_drive_is_smartctl_s(shown: Json) -> None:
    """Health, temperature, hours and damaged sectors equal smartctl's JSON. raidctl does not use it."""
    for name, drive in plain(shown).items():
        argv = ("smartctl", "--json", "-H", "-A", f"/dev/{name}")
        smart = json.loads(subprocess.run(argv, capture_output=True, check=False).stdout)
        damaged = {row["id"]: row["raw"]["value"] for row in smart["ata_smart_attributes"]["table"]}
        assert (drive["status"] == "ok") is smart["smart_status"]["passed"]
        assert drive["temperature_celsius"] == smart["temperature"]["current"]
        assert drive["power_on_hours"] == smart["power_on_time"]["hours"]
        assert drive["errors"]["media"] == sum(damaged.get(number, 0) for number in (5, 197, 198))


def test_a_drive_is_mounted_where_what_lies_on_it_is(shown: Json, blocks: Json) -> None:
    """Each drive's mount points are those of its block devices in lsblk."""
    for name, drive in plain(shown).items():
        tree = json.loads(output("lsblk", "--json", "--output", "MOUNTPOINTS", f"/dev/{name}"))
        assert blocks[name]["type"] == "disk"
        assert sorted(drive["mountpoints"]) == sorted(set(points(tree["blockdevices"])))


def points(devices: list[Json]) -> list[str]:
    """Mount points in a tree of lsblk."""
    found = [place for device in devices for place in device["mountpoints"] if place]
    return found + [place for device in devices for place in points(device.get("children", []))]


def test_only_real_problems_are_reported(shown: Json) -> None:
    """Only the two degraded arrays and the rebuild are reported. Nothing was left unread."""
    found = judge(msgspec.convert(shown, Inventory))
    assert {one.where.split("/")[0] for one in found if one.severity != "info"} == {"md:md13", "md:md14", "md:md15"}
    assert [problem for problem in shown["problems"] if problem["severity"] != "info"] == []
