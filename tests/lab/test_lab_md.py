"""What `show` says of md arrays, against sysfs, lsblk and mdadm, each read here anew and not by raidctl's parsers."""

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

Told = dict[str, Any]

ARRAYS = ("md0", "md1", "md5", "md10", "md11", "md12", "md13", "md14", "md15", "md17")
PLAIN = ("md11", "md12")  # without redundancy: the kernel has no file on what is missing


def output(*argv: str) -> str:
    """What a command writes to stdout."""
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def sys_md(name: str, file: str) -> str:
    """A file of the kernel's on an array, without its newline."""
    return Path(f"/sys/block/{name}/md/{file}").read_text().strip()


@cache
def export(name: str) -> dict[str, str]:
    """What mdadm says of an array for scripts."""
    lines = output("mdadm", "--detail", "--export", f"/dev/{name}").splitlines()
    return dict(line.split("=", 1) for line in lines)


def rebuilt() -> float:
    """How far the kernel is with md15, in percent: ``[=>…]  recovery =  7.8% (1216/15360) finish=…``."""
    found = re.search(r"^md15 .*?recovery = *([\d.]+)%", Path("/proc/mdstat").read_text(), re.DOTALL | re.MULTILINE)
    assert found, Path("/proc/mdstat").read_text()
    return float(found[1])


@pytest.fixture(scope="module")
def bounds() -> dict[str, float]:
    """How far the rebuild was before raidctl looked, and after."""
    return {}


@pytest.fixture(scope="module")
def shown(bounds: dict[str, float]) -> Told:
    """The inventory that raidctl gives."""
    bounds["before"] = rebuilt()
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-m", "raidctl", "show", "--json"], capture_output=True, env=environment, check=False
    )
    bounds["after"] = rebuilt()
    assert done.returncode == 0, done.stderr
    told: Told = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def md(shown: Told) -> Told:
    """The controller that stands for Linux md."""
    return next(controller for controller in shown["controllers"] if controller["id"] == "md")


@pytest.fixture(scope="module")
def volumes(md: Told) -> Told:
    """The arrays as volumes, by their kernel name."""
    return {volume["device"].removeprefix("/dev/"): volume for volume in md["volumes"]}


@pytest.fixture(scope="module")
def blocks() -> Told:
    """Every block device as lsblk has it, by its kernel name."""
    found: Told = {}

    def walk(devices: list[Told]) -> None:
        for device in devices:
            found[device["kname"]] = device
            walk(device.get("children", []))

    columns = "KNAME,SIZE,MODEL,SERIAL,ROTA,TRAN,MOUNTPOINTS,PKNAME,TYPE,REV,WWN"
    walk(json.loads(output("lsblk", "--json", "--bytes", "--output", columns))["blockdevices"])
    return found


def slots(name: str) -> dict[str, str]:
    """The members of an array and their state in the kernel's words."""
    return {
        place.name.removeprefix("dev-"): (place / "state").read_text().strip()
        for place in Path(f"/sys/block/{name}/md").glob("dev-*")
    }


def drives_of(md: Told, name: str) -> dict[str, Told]:
    """The members that raidctl lists for an array, by their kernel name."""
    return {
        drive["device"].removeprefix("/dev/"): drive for drive in md["drives"] if drive["id"].startswith(f"md:{name}/")
    }


def test_every_array_of_the_kernel_is_listed_once(md: Told) -> None:
    """The volumes are exactly the md devices that sysfs has."""
    assert sorted(volume["device"] for volume in md["volumes"]) == sorted(
        f"/dev/{place.parent.name}" for place in Path("/sys/block").glob("md*/md")
    )


def test_the_level_is_the_kernel_s(volumes: Told) -> None:
    """The RAID level equals sysfs's."""
    for name in ARRAYS:
        assert volumes[name]["raid_level"] == sys_md(name, "level")


def test_the_size_is_the_block_device_s(volumes: Told, blocks: Told) -> None:
    """The size in bytes equals lsblk's, to the byte."""
    for name in ARRAYS:
        assert volumes[name]["size_bytes"] == blocks[name]["size"]


def test_the_strip_is_the_kernel_s_chunk(volumes: Told) -> None:
    """Strip size equals sysfs's chunk, where the level has one."""
    for name in ARRAYS:
        assert (volumes[name]["strip_bytes"] or 0) == int(sys_md(name, "chunk_size"))


def test_the_mount_points_are_lsblk_s(volumes: Told, blocks: Told) -> None:
    """An array is mounted where lsblk says, and nowhere else."""
    for name in ARRAYS:
        assert volumes[name]["mountpoints"] == [place for place in blocks[name]["mountpoints"] if place]


def test_the_unique_id_is_mdadm_s(volumes: Told) -> None:
    """The unique id is the array's UUID."""
    for name in ARRAYS:
        assert volumes[name]["unique_id"] == export(name)["MD_UUID"]


def test_the_status_follows_from_the_kernel_s_state(volumes: Told) -> None:
    """Rebuilding where sync_action says "recover", degraded where drives are missing, else ok."""
    for name in ARRAYS:
        action = "none" if name in PLAIN else sys_md(name, "sync_action")
        missing = 0 if name in PLAIN else int(sys_md(name, "degraded"))
        wanted = "rebuilding" if action == "recover" else "degraded" if missing else "ok"
        assert volumes[name]["status"] == wanted


def test_the_progress_is_the_kernel_s(volumes: Told, bounds: dict[str, float]) -> None:
    """The percentage lies between what mdstat said before and after; no other array has a progress."""
    before, after = bounds["before"], bounds["after"]
    assert volumes["md15"]["progress"]["operation"] == "recovery"
    assert 0 <= before <= volumes["md15"]["progress"]["percent"] <= after < 100
    assert [name for name, volume in volumes.items() if volume["progress"]] == ["md15"]


def test_the_members_are_those_of_the_kernel(md: Told) -> None:
    """The list has exactly the member devices that sysfs has."""
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


def test_the_role_and_state_of_each_member_is_the_kernel_s(md: Told) -> None:
    """Member, spare, failed or journal as for the kernel; a spare being built in is a member with a warning."""
    for name in ARRAYS:
        wanted = {}
        for member, state in slots(name).items():
            place = sys_md(name, f"dev-{member}/slot")
            building = state == "spare" and place not in ("none", "")
            wanted[member] = ("member", "warning") if building else ROLES[state]
        assert {member: (drive["role"], drive["status"]) for member, drive in drives_of(md, name).items()} == wanted


def test_what_a_member_is_made_of_is_what_lsblk_says(md: Told, blocks: Told) -> None:
    """Size is the member's own; model, serial, turns, kind and connection are those of its drive."""
    for name in ARRAYS:
        for member, drive in drives_of(md, name).items():
            whole = blocks[blocks[member]["pkname"] or member] if blocks[member]["type"] == "part" else blocks[member]
            assert drive["size_bytes"] == blocks[member]["size"]
            assert drive["model"] == whole["model"]
            assert drive["serial"] == whole["serial"]
            assert drive["media"] == ("hdd" if whole["rota"] else "ssd")
            assert drive["interface"] == whole["tran"]
            assert drive["rpm"] == MD.drive(whole["serial"]).rpm


def test_the_array_lists_its_members_and_spares(md: Told) -> None:
    """Members and spares of the array object are the member devices by what the kernel does with them."""
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


def test_what_keeps_an_array_consistent_is_the_kernel_s_word(volumes: Told) -> None:
    """The consistency policy equals sysfs's; one array has a bitmap, one a journal."""
    redundant = [name for name in ARRAYS if name not in PLAIN]
    told = {name: volumes[name]["consistency_policy"] for name in redundant}
    assert told == {name: sys_md(name, "consistency_policy") for name in redundant}
    assert {name for name in ARRAYS if volumes[name]["bitmap"] not in ("none", None)} == {"md1"}
    assert told["md17"] == "journal"


def test_the_number_of_drives_is_the_kernel_s(volumes: Told) -> None:
    """How many members an array is made of, and how many of them work."""
    for name in ARRAYS:
        expected = int(sys_md(name, "raid_disks"))
        missing = 0 if name in PLAIN else int(sys_md(name, "degraded"))
        assert (volumes[name]["drives_expected"], volumes[name]["drives_active"]) == (expected, expected - missing)


def test_name_and_format_are_mdadm_s(volumes: Told) -> None:
    """The array's name and the format of its superblock equal those of ``mdadm --detail --export``."""
    for name in ARRAYS:
        told = export(name)
        assert (volumes[name]["name"], volumes[name]["metadata"]) == (told["MD_NAME"], told["MD_METADATA"])


def detail(name: str) -> dict[str, str]:
    """What mdadm says of an array for people: ``            Layout : left-symmetric``."""
    lines = output("mdadm", "--detail", f"/dev/{name}").splitlines()
    return {key.strip(): value.strip() for key, sign, value in (line.partition(" : ") for line in lines) if sign}


PASSING = {"clean", "active"}
"""States that change with every write."""


def test_layout_and_state_are_mdadm_s(volumes: Told) -> None:
    """The order of the chunks (raid0, raid1 and linear have none) and the state in the words of ``mdadm --detail``."""
    for name in ARRAYS:
        told = detail(name)
        layout = told.get("Layout", "-unknown-")
        assert volumes[name]["layout"] == (None if layout == "-unknown-" else layout)
        assert set(volumes[name]["status_text"].split(", ")) - PASSING == set(told["State"].split(", ")) - PASSING


def plain(shown: Told) -> dict[str, Told]:
    """The drives that raidctl lists as such, by kernel name."""
    cards = [controller for controller in shown["controllers"] if controller["id"] != "md"]
    return {drive["device"].removeprefix("/dev/"): drive for card in cards for drive in card["drives"]}


def test_every_drive_is_listed_once_with_what_lsblk_says(shown: Told, blocks: Told) -> None:
    """Size, model, serial number, firmware, kind and connection of all nine drives."""
    disks = {name: block for name, block in blocks.items() if block["type"] == "disk"}
    wanted = {
        name: (b["size"], b["model"], b["serial"], b["rev"], "hdd" if b["rota"] else "ssd", b["tran"])
        for name, b in disks.items()
    }
    fields = ("size_bytes", "model", "serial", "firmware", "media", "interface")
    assert {name: tuple(drive[field] for field in fields) for name, drive in plain(shown).items()} == wanted


def test_the_speed_and_the_write_cache_of_each_drive_is_hdparm_s(shown: Told) -> None:
    """Turns a minute as the machine is made, write cache as hdparm reads it."""
    for name, drive in plain(shown).items():
        assert drive["rpm"] == MD.drive(drive["serial"]).rpm
        on = "1 (on)" in output("hdparm", "-W", f"/dev/{name}")
        assert drive["write_cache"] == ("enabled" if on else "disabled")


def test_the_health_of_each_drive_is_smartctl_s(shown: Told) -> None:
    """Verdict, temperature, hours and damaged sectors equal those of smartctl's JSON, which raidctl never asks for."""
    for name, drive in plain(shown).items():
        argv = ("smartctl", "--json", "-H", "-A", f"/dev/{name}")
        told = json.loads(subprocess.run(argv, capture_output=True, check=False).stdout)
        damaged = {row["id"]: row["raw"]["value"] for row in told["ata_smart_attributes"]["table"]}
        assert (drive["status"] == "ok") is told["smart_status"]["passed"]
        assert drive["temperature_celsius"] == told["temperature"]["current"]
        assert drive["power_on_hours"] == told["power_on_time"]["hours"]
        assert drive["errors"]["media"] == sum(damaged.get(number, 0) for number in (5, 197, 198))


def test_a_drive_is_mounted_where_what_lies_on_it_is(shown: Told, blocks: Told) -> None:
    """The mount points of each drive are those of its own tree of block devices in lsblk."""
    for name, drive in plain(shown).items():
        told = json.loads(output("lsblk", "--json", "--output", "MOUNTPOINTS", f"/dev/{name}"))
        assert blocks[name]["type"] == "disk"
        assert sorted(drive["mountpoints"]) == sorted(set(points(told["blockdevices"])))


def points(devices: list[Told]) -> list[str]:
    """Mount points in a tree of lsblk's."""
    found = [place for device in devices for place in device["mountpoints"] if place]
    return found + [place for device in devices for place in points(device.get("children", []))]


def test_what_needs_a_person_is_said_and_nothing_else(shown: Told) -> None:
    """The judgement names the two degraded arrays and the rebuild, and no healthy array; nothing was left unread."""
    found = judge(msgspec.convert(shown, Inventory))
    assert {one.where.split("/")[0] for one in found if one.severity != "info"} == {"md:md13", "md:md14", "md:md15"}
    assert [problem for problem in shown["problems"] if problem["severity"] != "info"] == []
