"""The steps to a layout: commands with free drives only. Nothing is deleted, converted, or guessed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from raidctl.cli import cli
from raidctl.layout.choose import Place
from raidctl.layout.compare import compare
from raidctl.layout.document import read_layout
from raidctl.layout.export import export
from raidctl.layout.machine_facts import makers
from raidctl.layout.plan import LayoutPlan, nodes_to_probe, plan
from raidctl.layout.specification import Partition
from raidctl.layout.tables import MIB, Row, rows, script
from raidctl.model import Controller, Drive, Tool
from raidctl.model.cache import WritePolicy
from raidctl.model.inventory import RaidLevel
from raidctl.operate.contents import Contents
from raidctl.simulation.demo import demos
from raidctl.vendor.creating import CannotCreate, NewVolume, creating_of
from raidctl.vendor.operations import operations_of
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendors
from raidctl.vendor.shapes import FORCING
from tests.support.machines import MACHINES, replayed

HEAD = "layout = 1\n[[volume]]\n"


def planned(machine: str, text: str, contents: dict[str, Any] | None = None, **changes: Any) -> LayoutPlan:
    """The plan for a recorded machine. Its first controller gets other values."""
    seen = replayed(machine)
    if changes:
        first, *others = seen.inventory.controllers
        seen = replace(seen, inventory=replace(seen.inventory, controllers=(replace(first, **changes), *others)))
    return plan(read_layout("machine.toml", text.encode()), seen, vendors()[0], contents or {})


@pytest.mark.parametrize("machine", MACHINES)
def test_a_machine_needs_no_step_to_its_own_layout(machine: str) -> None:
    """Planning the layout exported from a machine finds nothing to do."""
    found = planned(machine, export(replayed(machine).inventory))
    assert (found.steps, found.not_planned) == ((), ())


@pytest.mark.parametrize("unlisted", ["keep", "refuse"])
@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_to_do_is_planned_only_where_check_finds_no_difference(machine: str, unlisted: str) -> None:
    """Of a machine's own layout without its first volume, the plan and "layout check" agree."""
    head, *volumes = export(replayed(machine).inventory).split("[[volume]]\n")
    head = re.sub(r"(?m)^unlisted = .*\n", "", head).replace("layout = 1\n", f'layout = 1\nunlisted = "{unlisted}"\n')
    text = "[[volume]]\n".join([head, *volumes[1:]])
    checked = compare(read_layout("machine.toml", text.encode()), replayed(machine).inventory)
    found = planned(machine, text)
    assert bool(found.steps or found.not_planned) == (checked.verdict != "same")


@pytest.mark.parametrize("machine", MACHINES)
def test_a_lost_volume_is_never_planned_on_drives_that_are_in_use(machine: str) -> None:
    """A lost volume's own drives are refused. With another unique id and name, they are members of what is there."""
    text = re.sub(r"(?m)^(unique_id|name|id) = .*\n", "", export(replayed(machine).inventory))
    text = text.replace("[[volume]]\n", '[[volume]]\nunique_id = "ffffffffffffffffffffffffffffffff"\n')
    found = planned(machine, text)
    assert not [step for step in found.steps if step.kind == "create"], found.steps


def test_a_missing_volume_gets_the_command_of_its_tool() -> None:
    """The command names the free drive, and what it overwrites."""
    text = 'name = "scratch"\nraid_level = "raid0"\nstrip = "256KiB"\nwrite = "wt"\ndrives = { count = 1 }\n'
    found = planned("smartarray-gen10-failed-battery", f'{HEAD}controller = "smartarray:0"\n{text}')
    [command] = [one for step in found.steps for one in step.commands]
    words = "ctrl slot=0 create type=ld drives=1I:3:6 raid=0 ss=256 logicaldrivelabel=scratch aa=disable"
    assert command.endswith(words)
    assert (found.point_of_no_return, found.steps[0].overwrites) == (0, ("WBN0K3D4",))


COMMANDS = {
    ("md", "md", ""): "mdadm --create /dev/md/lake --level=6 --raid-devices=4 --chunk=256K --metadata=1.2 "
    "--bitmap=internal /dev/sda /dev/sdb /dev/sdc /dev/sdd",
    ("megaraid", "megaraid:0", "storcli64"): "storcli64 /c0 add vd r6 name=lake drives=252:0,252:1,252:2,252:3 wb ra "
    "Strip=256",
    ("megaraid", "megaraid:0", "MegaCli64"): "MegaCli64 -CfgLdAdd -r6[252:0,252:1,252:2,252:3] WB RA NoCachedBadBBU "
    "-strpsz256 -a0 -NoLog",
    ("adaptec", "adaptec:1", "arcconf"): "arcconf CREATE 1 LOGICALDRIVE Stripesize 256 Name lake MAX 6 0 0 0 1 0 2 0 3",
    ("threeware", "threeware:6", "tw_cli"): "tw_cli /c6 add type=raid5 disk=0:1:2:3 stripe=256 name=lake "
    "storsave=protect",
    ("smartarray", "smartarray:0", "ssacli"): "ssacli ctrl slot=0 create type=ld drives=1I:1:0,1I:1:1,1I:1:2,1I:1:3 "
    "raid=6 ss=256 logicaldrivelabel=lake aa=enable",
}
PLACES = {"md": "", "megaraid": "252:{}", "adaptec": "0,{}", "threeware": "p{}", "smartarray": "1I:1:{}"}


@pytest.mark.parametrize(("family", "controller", "tool"), COMMANDS)
def test_each_tool_is_given_its_own_words(family: str, controller: str, tool: str) -> None:
    """Each tool gets its manual's words for a protected write-back RAID-6.

    The volume has four drives, with 3ware's tool at least five.
    """
    drives = tuple(Drive(id=f"{controller}/{PLACES[family].format(number)}") for number in range(4))
    new = NewVolume(
        name="lake", raid_level="raid5" if family == "threeware" else "raid6", drives=drives, size_bytes=None,
        strip_bytes=262144,
        nodes=tuple(f"/dev/sd{letter}" for letter in "abcd"), write="protected_write_back", read="read_ahead",
        metadata="1.2" if family == "md" else None, md_layout=None,
        consistency_policy="bitmap" if family == "md" else None,
    )  # fmt: skip
    creating = creating_of(next(vendor for vendor in vendors()[0] if family == vendor.FAMILY))
    assert creating is not None
    tools = [Tool(name=tool, path=f"/usr/sbin/{tool}")] if tool else []
    on = Controller(id=controller, told_by=tool or None, slot="0")
    assert [" ".join(words) for words in creating.create(on, new, tools)] == [COMMANDS[family, controller, tool]]
    with pytest.raises(CannotCreate):
        creating.create(on, replace(new, raid_level="jbod"), tools)
    with pytest.raises(CannotCreate):
        creating.create(on, replace(new, name="a; reboot"), tools)
    for place in (None, "", "0 delete"):
        # only ssacli is given the slot; the others have the number in the controller's id
        try:
            made = creating.create(replace(on, slot=place), new, tools)
        except CannotCreate:
            continue
        assert family != "smartarray", made


@pytest.mark.parametrize(
    ("tool", "level", "number", "words"),
    [
        ("tw_cli", "raid0", 1, None), ("tw_cli", "raid1", 3, None), ("tw_cli", "raid6", 4, None),
        ("tw_cli", "raid0", 2, "tw_cli /c6 add type=raid0 disk=0:1 storsave=protect"),
        ("arcconf", "raid0", 1, None), ("arcconf", "raid1", 4, None), ("storcli64", "raid1", 3, None),
        ("MegaCli64", "raid0", 1, "MegaCli64 -CfgLdAdd -r0[252:0] -a0 -NoLog"), ("ssacli", "raid1", 4, None),
        ("ssacli", "raid0", 1, "ssacli ctrl slot=0 create type=ld drives=1I:1:0 raid=0"),
    ],
)  # fmt: skip
def test_no_tool_is_given_a_number_of_drives_that_it_refuses(
    tool: str, level: RaidLevel, number: int, words: str | None
) -> None:
    """The limits are those of the manuals.

    A 3ware unit without a write policy uses its cache only while the battery is good.
    """
    [(family, controller)] = {(one, on) for one, on, name in COMMANDS if name == tool}
    new = NewVolume(
        name=None, raid_level=level, size_bytes=None, strip_bytes=None, write=None, read=None, nodes=(), metadata=None,
        drives=tuple(Drive(id=f"{controller}/{PLACES[family].format(one)}") for one in range(number)), md_layout=None,
        consistency_policy=None,
    )  # fmt: skip
    creating = creating_of(next(vendor for vendor in vendors()[0] if family == vendor.FAMILY))
    assert creating is not None
    machine_controller, tools = (
        Controller(id=controller, told_by=tool, slot="0"),
        [Tool(name=tool, path=f"/usr/sbin/{tool}")],
    )
    if words is None:
        with pytest.raises(CannotCreate, match="drive"):
            creating.create(machine_controller, new, tools)
        return
    assert [" ".join(found) for found in creating.create(machine_controller, new, tools)] == [words]


def test_mdadm_is_given_the_spares_that_the_plan_overwrites() -> None:
    """One command has the number of spares and their nodes. The nodes are behind those of the members."""
    new = NewVolume(
        name="lake", raid_level="raid1", drives=(Drive(id="a"), Drive(id="b")), nodes=("/dev/sda", "/dev/sdb"),
        spares=("/dev/sdc",), size_bytes=None, strip_bytes=None, write=None, read=None, metadata=None, md_layout=None,
        consistency_policy="bitmap",
    )  # fmt: skip
    creating = creating_of(next(vendor for vendor in vendors()[0] if vendor.FAMILY == "md"))
    assert creating is not None
    [command] = creating.create(Controller(id="md", mode="software"), new, [])
    assert command[3:] == (
        "--level=1", "--raid-devices=2", "--spare-devices=1", "--bitmap=internal", "/dev/sda", "/dev/sdb", "/dev/sdc"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "version", "write", "words"),
    [
        ("storcli64", "007.1017.0000.0000", "unprotected_write_back", "add vd r5 drives=8:0,8:1,8:2 awb"),
        ("storcli64", None, "unprotected_write_back", "add vd r5 drives=8:0,8:1,8:2 awb"),
        ("storcli64", "1.03.11", "unprotected_write_back", "add vd type=raid5 drives=8:0,8:1,8:2 wb CachedBadBBU"),
        ("storcli64", "1.03.11", "protected_write_back", "add vd type=raid5 drives=8:0,8:1,8:2 wb NoCachedBadBBU"),
        ("storcli64", "1.03.11", "write_through", "add vd type=raid5 drives=8:0,8:1,8:2 wt"),
        ("perccli64", "007.1910.0000.0000", "write_through", "add vd r5 drives=8:0,8:1,8:2 wt"),
        ("perccli64", "007.1910.0000.0000", "off", "add vd r5 drives=8:0,8:1,8:2 wt"),
        ("perccli64", "1.17.10", "write_through", "add vd type=raid5 drives=8:0,8:1,8:2 wt"),
        ("MegaCli64", None, "unprotected_write_back", "-CfgLdAdd -r5[8:0,8:1,8:2] WB CachedBadBBU -a0 -NoLog"),
        ("MegaCli64", None, "write_through", "-CfgLdAdd -r5[8:0,8:1,8:2] WT -a0 -NoLog"),
    ],
)
def test_each_generation_of_a_tool_is_given_its_own_words(
    tool: str, version: str | None, write: WritePolicy, words: str
) -> None:
    """Version 1 of storcli has another word for the level. Two generations have another word for a bad battery."""
    drives = tuple(Drive(id=f"megaraid:0/8:{number}") for number in range(3))
    new = NewVolume(
        name=None, raid_level="raid5", drives=drives, size_bytes=None, strip_bytes=None, write=write, read=None,
        nodes=(), metadata=None, md_layout=None, consistency_policy=None,
    )  # fmt: skip
    creating = creating_of(next(vendor for vendor in vendors()[0] if vendor.FAMILY == "megaraid"))
    assert creating is not None
    on = Controller(id="megaraid:0", told_by=tool)
    [command] = creating.create(on, new, [Tool(name=tool, path=f"/x/{tool}", version=version)])
    assert " ".join(command[1:]).removeprefix("/c0 ") == words
    with pytest.raises(CannotCreate, match="storcli2 help"):
        creating.create(replace(on, told_by="storcli2"), new, [Tool(name="storcli2", path="/x/storcli2")])


def test_a_name_of_nothing_has_its_line_and_what_may_be_meant() -> None:
    """All unmatched names are reported at once. Drives do not exist, one almost does, a controller has a typo."""
    machine = "smartarray-gen10-failed-battery"
    volume = '[[volume]]\nname = "{}"\ncontroller = "{}"\nraid_level = "raid1"\ndrives = ["{}", "{}"]\n'
    rows = [
        ("a", "smartarray", "9I:9:9", "NOTHING"),
        ("b", "smartarray:0", "WBN0K3D", "x"),
        ("c", "smartaray", "y", "z"),
    ]
    found = planned(machine, "layout = 1\n" + "".join(volume.format(*row) for row in rows))
    assert [(one.label, one.line) for one in found.not_planned] == [("a", 2), ("b", 7), ("c", 12)]
    assert found.not_planned[0].why[:2] == (
        '"9I:9:9" is not a drive of smartarray:0; unassigned: WBN0K3D4.',
        '"NOTHING" is not a drive of smartarray:0; unassigned: WBN0K3D4.',
    )
    assert found.not_planned[1].why[0].startswith('"WBN0K3D" is not a drive of smartarray:0; did you mean WBN0K3D4')
    assert found.not_planned[2].why[0].startswith('There is no controller "smartaray"; did you mean smartarray')
    assert not found.steps


@pytest.mark.parametrize("change", [{"role": None}, {"role": "spare"}, {"foreign": True}, {"status": "failed"},
                                    {"status": "unknown"}, {"size_bytes": None}])  # fmt: skip
def test_a_drive_that_is_not_known_to_be_free_and_healthy_is_not_used(change: dict[str, Any]) -> None:
    """Unknown use is use, and unknown health is not health."""
    machine = "smartarray-gen10-failed-battery"
    drives = tuple(
        replace(drive, **change) if drive.role == "unassigned" else drive
        for drive in replayed(machine).inventory.controllers[0].drives
    )
    text = HEAD + 'controller = "smartarray:0"\nname = "x"\nraid_level = "raid0"\ndrives = ["WBN0K3D4"]\n'
    assert planned(machine, text).steps
    found = planned(machine, text, drives=drives)
    assert not found.steps
    assert found.not_planned[0].why


def test_a_drive_of_md_is_probed_first() -> None:
    """A drive with signatures, or unread ones, does not become a member."""
    machine = "drives-ahci"
    seen = replayed(machine)
    drive = next(one for controller in seen.inventory.controllers for one in controller.drives if one.device)
    text = HEAD + f'controller = "md"\nname = "x"\nraid_level = "raid0"\ndrives = ["{drive.id}"]\n'
    layout = read_layout("machine.toml", text.encode())
    for found in ({}, dict.fromkeys(nodes_to_probe(layout, seen), Contents(signatures=("ext4",)))):
        assert not plan(layout, seen, vendors()[0], found).steps


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('raid_level = "raid6"\ndrives = { count = 3 }', "needed"),
        ('raid_level = "raid5"\ndrives = ["WBN0K3D4"]', "needs at least 3 drives"),
        ('raid_level = "raid0"\nsize = "9TB"\ndrives = { count = 1 }', "do not fit"),
        ('raid_level = "raid0"\ndrives = ["NOSUCH"]', "is not a drive"),
        ('raid_level = "raid0"\ndrives = ["WBN0K1A7"]', "it is a member drive"),
        ('raid_level = "raid0"', "does not list its drives"),
        ("drives = { count = 1 }", "does not give its RAID level"),
        ('raid_level = "raid0"\ndrives = { count = 1, media = "ssd" }', "needed"),
    ],
)
def test_what_cannot_be_made_has_its_reason(text: str, why: str) -> None:
    """A volume that cannot be made is not planned, with a reason.

    Reasons are missing drives, drives in use, and too large a size.
    """
    found = planned("smartarray-gen10-failed-battery", HEAD + 'controller = "smartarray:0"\nname = "x"\n' + text)
    assert not found.steps
    assert any(why in one for each in found.not_planned for one in each.why), found.not_planned


VOLUME = HEAD + 'controller = "smartarray:0"\nname = "x"\n'
FAILED = "smartarray-gen10-failed-battery"


@pytest.mark.parametrize(
    ("write", "why"), [("awb", "continues without a battery"), ("wb", "is not in use"), ("wt", None)]
)
def test_guard_P10_a_new_volume_gets_no_write_policy_that_loses_data(write: str, why: str | None) -> None:
    """As when it is set, write-back needs a good battery. Without the key, no policy is requested."""
    text = f'{VOLUME}raid_level = "raid0"\ndrives = {{ count = 1 }}\n'
    assert len(planned(FAILED, text).steps) == 1
    found = planned(FAILED, f'{text}write = "{write}"\n')
    assert bool(found.steps) == (why is None)
    assert why is None or why in found.not_planned[0].why[0], found.not_planned


def test_guard_P8_raid_0_needs_its_word() -> None:
    """A level that is not given is never chosen. One drive is not taken for RAID-0."""
    for level in ("", 'raid_level = "raid1"\n', 'raid_level = "raid5"\n'):
        assert not planned(FAILED, f'{VOLUME}{level}drives = ["WBN0K3D4"]\n').steps, level
    assert planned(FAILED, f'{VOLUME}raid_level = "raid0"\ndrives = ["WBN0K3D4"]\n').steps


def test_guard_P13_P14_a_volume_is_neither_grown_nor_shrunk() -> None:
    """Another size, level or member count of a volume has no step. The volume already exists."""
    machine = "megaraid-perc5i-failed-battery"
    exported = export(replayed(machine).inventory)
    others = {"size": ('"9GB"', '"900TB"'), "members": ("9", "3"), "raid_level": ('"raid0"',), "strip": ('"512KiB"',)}
    for key, values in others.items():
        for value in values:
            text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", exported)
            assert text != exported, key
            found = planned(machine, text)
            assert (found.steps, bool(found.not_planned)) == ((), True), (key, value)


@pytest.mark.parametrize("vendor", vendors()[0], ids=lambda one: one.FAMILY)
def test_guards_P9_P15_P18_are_outside_every_table(vendor: Vendor) -> None:
    """Forbidden operations are in no table of commands.

    Forbidden are full initialisation, arcconf MODIFY, migration, expansion and ``--assume-clean``.
    """
    offered, making = operations_of(vendor), makers([vendor]).get(vendor.FAMILY)
    shapes = [*(offered.SHAPES if offered is not None else ()), *(getattr(making, "SHAPES", ()))]
    words = {word.lower() for shape in shapes for word in shape}
    assert not words & {
        "init",
        "-ldinit",
        "full",
        "-full",
        "modify",
        "migrate",
        "expand",
        "-ldrecon",
        "-ldexpansion",
        "--grow",
        "--size",
        "--assume-clean",
        "-cfgldadd",
        "create",
        "-cfgclr",
        "delete",
        "--build",
    } - ({"delete"} if vendor.FAMILY == "megaraid" else set())  # spares, foreign configurations, preserved cache


def test_two_volumes_do_not_get_the_same_drive() -> None:
    """Drives that are counted are given to one volume only."""
    one = '[[volume]]\ncontroller = "smartarray:0"\nname = "{}"\nraid_level = "raid0"\ndrives = {{ count = 1 }}\n'
    found = planned("smartarray-gen10-failed-battery", "layout = 1\n" + one.format("a") + one.format("b"))
    assert (len(found.steps), len(found.not_planned)) == (1, 1)


def test_a_whole_drive_and_its_partition_are_not_given_to_two_volumes() -> None:
    """A whole drive and its partition are not given to two volumes.

    Two partitions of a drive may be members of two volumes.
    """
    drive = Drive(id="drives:A")
    whole, first, second = (Place(drive=drive, node=None, part=part, name=part) for part in ("", "1", "2"))
    assert (whole.overlaps(first), first.overlaps(whole), first.overlaps(first)) == (True, True, True)
    assert not first.overlaps(second)


def test_a_layout_for_another_machine_has_no_step() -> None:
    """With another host name nothing is planned."""
    text = 'layout = 1\n[machine]\nhostname = "other"\n[[volume]]\ncontroller = "smartarray:0"\nname = "x"\n'
    found = planned("smartarray-gen10-failed-battery", text + 'raid_level = "raid0"\ndrives = { count = 1 }\n')
    assert (found.steps, [one.label for one in found.not_planned]) == ((), ["machine"])


def test_no_command_of_a_plan_forces_anything(tmp_path: Path) -> None:
    """No command skips a tool's own checks or acts on everything. All simulated machines are tried."""
    levels = ("raid0", "raid1", "raid5", "raid6", "raid10")
    volumes = "".join(
        f'[[volume]]\ncontroller = "{family}"\nname = "{level}"\nraid_level = "{level}"\nwrite = "wb"\n'
        f"drives = {{ count = {number} }}\n"
        for family in ("smartarray", "megaraid", "adaptec", "md")
        for level, number in zip(levels, (1, 2, 3, 4, 4), strict=True)
    )
    file = tmp_path / "all.toml"
    file.write_text("layout = 1\n" + volumes)
    for demo in (one.name for one in demos(vendors()[0])):
        words = ["--demo", demo, "--state-dir", str(tmp_path / "state"), "layout", "plan", str(file), "--json"]
        result = CliRunner().invoke(cli, words)
        assert result.exit_code in (1, 3, 4), (demo, result.output)
        commands = [command for step in json.loads(result.stdout)["steps"] for command in step["commands"]]
        assert not [word for command in commands for word in command.split() if FORCING.fullmatch(word)], demo


def drives_of(machine: str, *free: dict[str, Any]) -> tuple[Drive, ...]:
    """The drives of the first controller of a machine. Free ones with other facts are added."""
    first = replayed(machine).inventory.controllers[0]
    like = next(one for one in first.drives if one.role == "unassigned")
    fresh = tuple(
        replace(like, id=f"{first.id}/9I:1:{number}", serial=f"FREE{number:04}", bay=str(number), **facts)
        for number, facts in enumerate(free, 1)
    )
    return tuple(one for one in first.drives if one is not like) + fresh


TB = 10**12
GEN10 = "smartarray-gen10-failed-battery"
COUNTED = HEAD + 'controller = "smartarray:0"\nname = "x"\n'


@pytest.mark.parametrize(
    ("free", "text", "serials"),
    [
        # the smallest sufficient drives, of one kind, though others are between them
        ([{"size_bytes": 4 * TB}, {"size_bytes": 8 * TB}, {"size_bytes": 4 * TB, "media": "ssd"},
          {"size_bytes": 4 * TB},
          {"size_bytes": 4 * TB, "interface": "sata"}], 'raid_level = "raid1"\ndrives = { count = 2 }', [1, 4]),
        ([{"size_bytes": 4 * TB}, {"size_bytes": 8 * TB}, {"size_bytes": 8 * TB}],
         'raid_level = "raid1"\ndrives = { count = 2, at_least = "6TB" }', [2, 3]),
        # within a tenth
        ([{"size_bytes": 40 * TB // 10}, {"size_bytes": 45 * TB // 10}, {"size_bytes": 46 * TB // 10}],
         'raid_level = "raid1"\ndrives = { count = 2 }', [2, 3]),
        ([{"size_bytes": 4 * TB}, {"size_bytes": 8 * TB}],
         'raid_level = "raid1"\nmixed_sizes = true\ndrives = { count = 2 }', [1, 2]),
        ([{"sector_bytes": 4096}, {"sector_bytes": 512}, {"sector_bytes": 4096}],
         'raid_level = "raid1"\ndrives = { count = 2, sector = 4096 }', [1, 3]),
        # copies of each other are in different enclosures; parity has no pairs
        ([{"enclosure": "1"}, {"enclosure": "1"}, {"enclosure": "2"}, {"enclosure": "2"}],
         'raid_level = "raid10"\ndrives = { count = 4 }', [1, 3, 2, 4]),
        ([{"enclosure": "1"}, {"enclosure": "1"}, {"enclosure": "2"}, {"enclosure": "2"}],
         'raid_level = "raid6"\ndrives = { count = 4 }', [1, 2, 3, 4]),
    ],
)  # fmt: skip
def test_drives_that_are_counted_are_chosen_the_same_every_time(
    free: list[dict[str, Any]], text: str, serials: list[int]
) -> None:
    """The smallest sufficient drives are chosen, then by enclosure and bay.

    Kind and sector size are the same, sizes within a tenth.
    """
    common = {"media": "hdd", "interface": "sas", "sector_bytes": 512, "size_bytes": 4 * TB, "status": "ok"}
    drives = drives_of(GEN10, *({**common, **one} for one in free))
    for given in (drives, drives[::-1]):
        found = planned(GEN10, COUNTED + text, drives=given)
        assert [step.overwrites for step in found.steps] == [tuple(f"FREE{number:04}" for number in serials)], found


@pytest.mark.parametrize(
    ("level", "count", "size", "words"),
    [
        ("raid5", 3, 4 * TB, ()), ("raid6", 4, 8 * TB, ()), ("raid1", 2, 8 * TB, ()),
        ("raid5", 3, 8 * TB, ("more than 4 TB: an unreadable sector during a rebuild loses data",)),
        ("raid0", 2, TB, ("the first drive that fails takes all of its data",)),
    ],
)  # fmt: skip
def test_a_volume_that_survives_little_is_planned_with_a_warning(
    level: str, count: int, size: int, words: tuple[str, ...]
) -> None:
    """P8 covers RAID-0, and RAID-5 of large drives, in every family. The plan shows the warning below the command."""
    common = {"media": "hdd", "interface": "sas", "sector_bytes": 512, "size_bytes": size, "status": "ok"}
    drives = drives_of(GEN10, *({**common} for _ in range(count)))
    [step] = planned(GEN10, f'{COUNTED}raid_level = "{level}"\ndrives = {{ count = {count} }}', drives=drives).steps
    assert len(step.warnings) == len(words)
    assert all(part in text for part, text in zip(words, step.warnings, strict=True))


def test_too_few_drives_are_explained_one_by_one() -> None:
    """Each drive that was passed over has its reason.

    There are fewer than the 8 drives of at least 4 TB and a spare.
    """
    common = {"media": "hdd", "interface": "sas", "sector_bytes": 512, "size_bytes": 4 * TB, "status": "ok"}
    drives = drives_of(GEN10, {**common}, {**common, "size_bytes": 2 * TB}, {**common, "status": "failed"},
                       {**common, "foreign": True}, {**common, "size_bytes": None})  # fmt: skip
    text = 'raid_level = "raid6"\ndrives = { count = 8, at_least = "4TB" }\nspares = 1'
    [one] = planned(GEN10, COUNTED + text, drives=drives).not_planned
    assert one.why[0] == "9 drives of one kind and size needed, 1 drive free and fitting."
    reasons = " ".join(one.why)
    for number, why in ((2, "2 TB, not at least 4 TB"), (3, "not healthy (failed"), (4, "has not imported"),
                        (5, "size unknown")):  # fmt: skip
        assert f"smartarray:0/9I:1:{number}" in reasons
        assert why in reasons


def test_pinning_writes_serial_numbers_and_nothing_else(tmp_path: Path) -> None:
    """Comments and everything else stay. The second time, there is nothing to pin."""
    file = tmp_path / "p.toml"
    head = '# mine\nlayout = 1\n[[volume]]\ncontroller = "smartarray:0"\nname = "x"\nraid_level = "raid0"\n'
    file.write_text(f"{head}drives = {{ count = 1 }}  # any\n")
    words = ["--demo", "gen10", "--state-dir", str(tmp_path / "state"), "layout", "plan", str(file), "--pin"]
    first = CliRunner().invoke(cli, words)
    assert (first.exit_code, file.read_text()) == (1, f'{head}drives = ["WBN0K3D4"]  # any\n'), first.output
    second = CliRunner().invoke(cli, words)
    assert "Nothing to pin" in second.output
    file.write_text(f"{head}[volume.drives]\ncount = 1\n")
    table = file.read_text()
    refused = CliRunner().invoke(cli, words)
    assert (refused.exit_code, file.read_text()) == (2, table), refused.output


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ([(1, 64, None), (2, None, None)], [(1, 1, 64), (2, 65, 934)]),
        ([(1, None, 10)], [(1, 10, 989)]),
        ([(1, 64, 2), (2, 100, 1)], None),
        ([(1, 999, None)], None),
        ([(1, 64, None), (2, 935, None)], None),
    ],
)
def test_partitions_fit_on_the_drive_or_are_refused(
    parts: list[tuple[int, int | None, int | None]], found: list[tuple[int, int, int]] | None
) -> None:
    """Partitions that do not fit on the drive are refused.

    They are whole MiB from 1 on, apart from each other, and leave the last MiB to the table's copy.
    """
    wanted = [
        Partition(number=number, size_bytes=size and size * MIB, start_bytes=start and start * MIB)
        for number, size, start in parts
    ]
    made = rows(wanted, 1000 * MIB + 300)
    if found is None:
        assert isinstance(made, str)
    else:
        assert made == [Row(number, start * MIB, size * MIB) for number, start, size in found]
        assert "nvme0n1p1 : start=" in script("/dev/nvme0n1", made)
