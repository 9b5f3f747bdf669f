"""Whether written data survives a power failure, concluded from both caches. Drives are counted once."""

from __future__ import annotations

import re
from itertools import product
from typing import get_args

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from raidctl.audit.policy.scope import Machine
from raidctl.cli import cli
from raidctl.model import (
    Array,
    Controller,
    ControllerCacheSafety,
    Drive,
    DriveCachePolicy,
    Inventory,
    Volume,
    VolumeCache,
)
from raidctl.model.drives_below import DrivesBelow, physical_drives
from raidctl.model.write_protection import derived, drive_caches, write_protected
from raidctl.output.metrics import families
from raidctl.output.metrics_table import INVENTORY
from raidctl.survey.survey import survey_documents
from raidctl.vendor.protocol import Document, Vendor
from raidctl.vendor.registry import vendors
from tests.support.conclusions import read_text
from tests.support.machines import FIXTURES, MACHINES, replayed

SETTINGS: tuple[DriveCachePolicy | None, ...] = (*get_args(DriveCachePolicy), None)
REPORTED = ("enabled", "disabled", None)
SAFER = {False: 0, None: 1, True: 2}


def machine(setting: DriveCachePolicy | None, drives: tuple[str | None, ...], **cache: object) -> Controller:
    """A controller with a volume on these drives."""
    kept = VolumeCache(drive_write_cache=setting, **{"controller_cache": "protected", **cache})  # type: ignore[arg-type]
    names = tuple(f"c/{bay}" for bay in range(len(drives)))
    described = tuple(Drive(id=name, write_cache=value) for name, value in zip(names, drives, strict=True))  # type: ignore[arg-type]
    return Controller(
        id="c",
        arrays=(Array(id="c/a", drives=names),) if names else (),
        volumes=(Volume(id="c/v", array="c/a", cache=kept),),
        drives=described,
    )


def cache(controller: Controller) -> VolumeCache:
    """How its volume is cached, with what is derived."""
    found = derived([controller])[0].volumes[0].cache
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("setting", "drives", "expected"),
    [
        ("disabled", (), "off"), ("disabled", (None, None), "off"), ("disabled", ("disabled", "enabled"), "on"),
        ("enabled", ("disabled", "disabled"), "on"), ("default", ("disabled", "disabled"), "off"),
        ("default", ("disabled", None), "unknown"), (None, ("enabled", None), "on"), (None, (), "unknown"),
        (None, ("disabled",), "off"), ("default", (), "unknown"),
    ],
)  # fmt: skip
def test_the_drives_part_follows_from_the_setting_and_from_the_drives(
    setting: DriveCachePolicy | None, drives: tuple[str | None, ...], expected: str
) -> None:
    """A drive that reports "on" outweighs a setting of "off". Without a setting, each member has to report "off"."""
    assert cache(machine(setting, drives)).drive_caches == expected


@pytest.mark.parametrize("part", get_args(ControllerCacheSafety))
def test_data_is_protected_only_where_both_caches_are_reported_closed(part: ControllerCacheSafety) -> None:
    """Either that is open decides; one that is unknown leaves it open."""
    closed = part in ("protected", "not_caching")
    assert write_protected(VolumeCache(controller_cache=part, drive_caches="on")) is False
    assert write_protected(VolumeCache(controller_cache=part, drive_caches="off")) is (
        True if closed else False if part == "unprotected" else None
    )
    assert write_protected(VolumeCache(controller_cache=part)) is (False if part == "unprotected" else None)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_drive_that_is_not_described_never_makes_it_safer(setting: DriveCachePolicy | None) -> None:
    """A drive that is not described never makes a volume safer.

    The array names it and the output lacks it, or has no word on its cache.
    """
    for drives in product(REPORTED, repeat=2):
        whole = machine(setting, drives)
        before = SAFER[cache(whole).write_protected]
        cut = replace(whole, drives=whole.drives[:1])
        silent = replace(whole, drives=(whole.drives[0], Drive(id="c/1")))
        assert SAFER[cache(cut).write_protected] <= max(before, SAFER[None])
        assert cache(cut).drive_caches != "off"
        if drives[1] != "enabled":
            assert SAFER[cache(silent).write_protected] <= before


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_volume_without_known_drives_may_have_any_that_is_in_no_array(setting: DriveCachePolicy | None) -> None:
    """The setting alone does not count if members are unknown and a drive in no array reports its cache on."""
    whole = machine(setting, ("disabled", "enabled"))
    apart = replace(whole, arrays=(), volumes=(replace(whole.volumes[0], array=None),))
    assert cache(apart).drive_caches == ("on" if setting == "enabled" else "unknown")
    quiet = replace(apart, drives=tuple(replace(drive, write_cache="disabled") for drive in apart.drives))
    assert cache(quiet).drive_caches == {"enabled": "on", "disabled": "off"}.get(str(setting), "unknown")


def test_an_ssacli_output_without_the_heading_of_an_array_is_no_safer() -> None:
    """Without ``Array: A``, the drives of its volume are unknown; two of the controller have their caches on."""
    [path] = (FIXTURES / "smartarray-gen10-failed-battery").glob("*detail*.out")
    text = path.read_text()
    for printed, state in ((text, "on"), (re.sub(r"(?m)^   Array: A\n", "", text), "unknown")):
        volume = read_text(printed).inventory.controllers[0].volumes[0]
        assert volume.cache is not None
        assert (volume.cache.drive_caches, volume.cache.write_protected) == (state, {"on": False}.get(state))


def test_fewer_drives_than_the_volume_has_are_not_all_of_them() -> None:
    """The list may have been cut. A degraded volume may lack the drive that it lost."""
    controller = machine(None, ("disabled", "disabled"))
    three = replace(controller, volumes=(replace(controller.volumes[0], drives_expected=3, status="ok"),))
    assert cache(three).drive_caches == "unknown"
    lost = replace(controller, volumes=(replace(controller.volumes[0], drives_expected=3, status="degraded"),))
    assert cache(lost).drive_caches == "off"


@pytest.mark.parametrize("name", MACHINES)
def test_each_drive_of_a_recorded_machine_is_counted_once(name: str) -> None:
    """Each drive of a recorded machine is counted once.

    A member of a software array is the drive below it, wherever that is listed.
    """
    inventory = replayed(name).inventory
    found = [drive for _, drive in physical_drives(inventory.controllers)]
    serials = [drive.serial for drive in found if drive.serial and "*" not in drive.serial]
    assert len(serials) == len(set(serials))
    ids = {drive.id for controller in inventory.controllers for drive in controller.drives}
    ids |= {volume.id for controller in inventory.controllers for volume in controller.volumes}
    assert {
        name for controller in inventory.controllers for drive in controller.drives for name in drive.backing
    } <= ids


def test_a_software_array_has_the_caches_of_the_drives_below_it() -> None:
    """One drive with an active cache is enough. On a controller's volume, the drives below that volume count."""
    inventory = replayed("md-healthy").inventory
    [md0] = [volume for controller in inventory.controllers for volume in controller.volumes if volume.id == "md:md0"]
    seen = {"on": set[str](), "off": set[str]()}
    for word in ("on", "off"):
        write_cache = {"on": "enabled", "off": "disabled"}[word]
        controllers = tuple(
            replace(
                controller,
                drives=tuple(d if d.backing else replace(d, write_cache=write_cache) for d in controller.drives),
            )
            for controller in inventory.controllers
        )
        seen[word].add(drive_caches(md0, DrivesBelow(controllers)))
    assert seen == {"on": {"on"}, "off": {"off"}}
    controller = machine("disabled", (None, None))
    member = Drive(id="md:md0/sda1", backing=("c/v",))
    md = Controller(
        id="md", mode="software", drives=(member,), arrays=(Array(id="md:md0/array", drives=(member.id,)),),
        volumes=(Volume(id="md:md0", array="md:md0/array"),),
    )  # fmt: skip
    assert drive_caches(md.volumes[0], DrivesBelow((controller, md))) == "off"


def test_arrays_that_lie_on_each_other_end() -> None:
    """An inventory from a file may hold such a circle."""
    members = (Drive(id="a/x", backing=("b",)), Drive(id="b/x", backing=("a",)))
    arrays = (Array(id="a/array", drives=("a/x",)), Array(id="b/array", drives=("b/x",)))
    volumes = (Volume(id="a", array="a/array"), Volume(id="b", array="b/array"))
    md = Controller(id="md", mode="software", drives=members, arrays=arrays, volumes=volumes)
    assert drive_caches(volumes[0], DrivesBelow((md,))) == "unknown"


@pytest.mark.parametrize("demo", ["9271", "9660", "perc5i", "h730p", "p440"])
def test_no_screen_calls_a_cache_empty_that_no_tool_reports_on(demo: str) -> None:
    """No screen calls a cache empty that no tool reports on.

    Preserved data of offline volumes is one thing, unwritten data of live ones another.
    """
    for line in (["cache", "show"], ["cache", "flush", "--all", "--dry-run"]):
        done = CliRunner().invoke(cli, ["--demo", demo, *line])
        assert "· nothing unwritten" not in done.stdout
        assert "none" not in [row.split("  ")[-1].strip() for row in done.stdout.splitlines() if "left" in row]


def test_the_screen_names_the_cache_that_is_open() -> None:
    """A volume in write-through is unsafe because of its drives' caches, which the screen names."""
    done = CliRunner().invoke(cli, ["--replay", str(FIXTURES / "smartarray-gen10-failed-battery"), "show"])
    assert "NO, drives" in done.stdout


def test_a_snapshot_keeps_what_was_derived() -> None:
    """The parts are facts of the model, in JSON too."""
    inventory = replayed("smartarray-p400").inventory
    again = msgspec.json.decode(msgspec.json.encode(inventory), type=Inventory)
    assert derived(again.controllers) == inventory.controllers


def test_loose_outputs_link_a_member_to_its_drive_by_its_name() -> None:
    """Without the kernel's view, a partition's name contains that of its drive."""
    [md] = [vendor for vendor in vendors()[0] if vendor.FAMILY == "md"]
    [drives] = [vendor for vendor in vendors()[0] if vendor.FAMILY == "drives"]
    mdstat = "Personalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n      1000 blocks super 1.2 [2/2] [UU]\n"
    disk = "/dev/sda:\n write-caching =  1 (on)\n"
    texts = [(md, [_document(md, "/proc/mdstat", mdstat)]), (drives, [_document(drives, "hdparm", disk)])]
    inventory = survey_documents(texts, source="replay:x").inventory
    members = {
        drive.id: drive.backing
        for controller in inventory.controllers
        for drive in controller.drives
        if controller.id == "md"
    }
    assert members["md:md0/sdb1"] == ()
    assert len(members["md:md0/sda1"]) == 1
    [volume] = [volume for controller in inventory.controllers for volume in controller.volumes]
    assert drive_caches(volume, DrivesBelow(inventory.controllers)) == "on"


def _document(vendor: Vendor, name: str, text: str) -> Document:
    sniffed = vendor.sniff(name, text)
    assert sniffed is not None
    return Document(name, sniffed.kind, text)


def test_policies_and_metrics_meet_each_drive_once() -> None:
    """A machine of eight drives with software arrays has eight drives."""
    inventory = replayed("md-healthy").inventory
    disks = [
        drive for controller in inventory.controllers if controller.mode != "software" for drive in controller.drives
    ]
    [drives] = [one for one in families(INVENTORY, inventory) if one.name == "raidctl_drive_status"]
    assert {one.labels["drive"] for one in drives.samples} == {drive.id for drive in disks}
    assert [drive for drive, _ in Machine(inventory).objects("drive")] == disks
    [members] = [one for one in families(INVENTORY, inventory) if one.name == "raidctl_member_drive_info"]
    assert {one.labels["drive"] for one in members.samples} <= {drive.id for drive in disks}
