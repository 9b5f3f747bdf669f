"""Objects that a word on the command line names, and narrowed inventories."""

from __future__ import annotations

import json

import jsonschema
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from raidctl.cli import cli
from raidctl.cli.shared import change_targets
from raidctl.cli.shared.machine import Machine
from raidctl.errors import CannotTell, UsageError
from raidctl.health.narrowed import unlisted, with_unlisted
from raidctl.host import BlockDevice, HostView
from raidctl.model import Array, Controller, Drive, Inventory, Problem, Volume
from raidctl.output.json import schema, to_json
from raidctl.select import find, find_drive, items, narrow, physical, short
from raidctl.survey.survey import Survey
from raidctl.verify import subjects
from raidctl.verify.kernel import Kernel
from tests.output.inventories import DEGRADED, EVERY, HEALTHY, SOFTWARE, THIRTY
from tests.support.machines import FIXTURES, MACHINES, replayed

VIEW = HostView(
    blocks=(
        BlockDevice("sda", "/dev/sda", "disk", links=("/dev/disk/by-id/wwn-0x600508b1001c5a6b",)),
        BlockDevice("sda1", "/dev/sda1", "partition", parent="sda", mountpoints=("/boot",)),
        BlockDevice("sda2", "/dev/sda2", "partition", parent="sda", mountpoints=("[swap]",)),
        BlockDevice(
            "dm-0", "/dev/dm-0", "dm", slaves=("sda2",), links=("/dev/mapper/vg-root",), mountpoints=("/root",)
        ),
        BlockDevice("loop0", "/dev/loop0", "loop", mountpoints=("/snap",)),
        BlockDevice("loop1", "/dev/loop1", "loop", slaves=("loop1",), mountpoints=("/circle",)),
    )
)


def meant(word: str, inventory: Inventory = HEALTHY, view: HostView = VIEW) -> list[str]:
    """The ids that a word names."""
    return sorted(find(inventory, view, [word]))


@pytest.mark.parametrize(
    ("word", "identifier"),
    [
        ("smartarray:1", "smartarray:1"),
        ("smartarray:1/v1", "smartarray:1/v1"),
        ("v1", "smartarray:1/v1"),
        ("A", "smartarray:1/A"),
        ("1I:1:3", "smartarray:1/1I:1:3"),
        ("battery0", "smartarray:1/battery0"),
        ("smart", "smartarray:1"),
        ("smartarray:1/v", "smartarray:1/v1"),
        ("/dev/sda", "smartarray:1/v1"),
        ("/dev/disk/by-id/wwn-0x600508b1001c5a6b", "smartarray:1/v1"),
        ("/dev/sda1", "smartarray:1/v1"),
        ("sda", "smartarray:1/v1"),
        ("/var/lib/mysql/", "smartarray:1/v1"),
        ("/dev/mapper/vg-root", "smartarray:1/v1"),
        ("/var/lib/mysql", "smartarray:1/v1"),
        ("/root", "smartarray:1/v1"),
        ("[swap]", "smartarray:1/v1"),
    ],
)
def test_a_volume_may_be_named_in_many_ways(word: str, identifier: str) -> None:
    """A volume is found by each of its names.

    Names are the id, its part on the screen, a unique beginning, device, link, partition, layer above and mount point.
    """
    assert meant(word) == [identifier]


def test_an_exact_id_is_never_ambiguous() -> None:
    """An exact id finds its object, even if others begin with it. An example is bay 1 beside bays 10 to 19."""
    assert meant("smartarray:1/1I:1:1", THIRTY) == ["smartarray:1/1I:1:1"]
    assert meant("md:md0", SOFTWARE) == ["md:md0"]
    assert meant("md", SOFTWARE) == ["md"]


def test_a_device_that_is_both_a_member_and_a_drive_finds_what_it_is() -> None:
    """A partition in an array finds its member. The whole drive finds the drive."""
    assert meant("/dev/sda1", SOFTWARE, HostView()) == ["md:md0/sda1"]
    assert meant("/dev/sda", SOFTWARE, HostView()) == ["drives:WD-WCC4N1XLRQ8"]


def named(*names: str) -> Inventory:
    """A controller with volumes v1, v2 … of these names."""
    volumes = tuple(Volume(id=f"smartarray:1/v{number}", name=name) for number, name in enumerate(names, 1))
    return Inventory(host=HEALTHY.host, controllers=(Controller(id="smartarray:1", volumes=volumes),))


@pytest.mark.parametrize("name", ["archive", "Fast Data", "store:0", "/srv/pool"])
def test_a_volume_is_found_by_its_own_name(name: str) -> None:
    """The name on the screen is accepted, whatever it looks like."""
    assert meant(name, named(name, "scratch"), HostView()) == ["smartarray:1/v1"]


def test_two_volumes_of_one_name_are_refused_with_both_ids() -> None:
    """The message has both ids, and neither volume is chosen."""
    with pytest.raises(UsageError, match='"archive" can mean smartarray:1/v1 and smartarray:1/v3'):
        meant("archive", named("archive", "scratch", "archive"), HostView())


def test_ids_devices_and_mount_points_come_before_names() -> None:
    """The name of a volume hides no id, device or mount point."""
    inventory = named("v2", "sda")
    assert meant("v2", inventory) == ["smartarray:1/v2"]
    with_device = Inventory(
        host=HEALTHY.host,
        controllers=(
            *HEALTHY.controllers,
            Controller(
                id="md",
                volumes=(
                    Volume(id="md:md0", name="/var/lib/mysql"),
                    Volume(id="md:md1", name="/dev/sda"),
                    Volume(id="md:md2", name="sda"),
                ),
            ),
        ),
    )
    for word in ("/var/lib/mysql", "/dev/sda", "sda"):
        assert meant(word, with_device) == ["smartarray:1/v1"]


def test_a_name_that_is_also_the_beginning_of_another_id_is_refused() -> None:
    """Neither is more likely, and choosing wrongly would change the wrong volume."""
    inventory = named("scratch", "smart")
    with pytest.raises(UsageError, match='"smart" can mean smartarray:1 and smartarray:1/v2'):
        meant("smart", inventory, HostView())


def test_a_name_that_is_nearly_right_is_offered() -> None:
    """Names of volumes are among the near matches."""
    with pytest.raises(UsageError, match="did you mean archive"):
        meant("archiv3", named("archive"), HostView())


def test_an_ambiguous_beginning_names_what_it_can_mean() -> None:
    """The next attempt can name one. If there are many, only the first few are listed."""
    with pytest.raises(UsageError, match=r"can mean md:md0, md:md0/array, md:md0/sda1.*write more"):
        find(SOFTWARE, VIEW, ["md:md"])
    with pytest.raises(UsageError, match="and 24 more"):
        find(THIRTY, VIEW, ["smartarray:1/1I"])


@pytest.mark.parametrize("word", ["smartarray:2", "/dev/sdzz", "/srv", "", "/snap", "/circle"])
def test_a_missing_object_is_reported(word: str) -> None:
    """Exit code 2, with near matches if there are any."""
    with pytest.raises(UsageError, match="No object is called"):
        meant(word)


def test_near_matches_are_offered() -> None:
    """Near ids are offered for an id, near devices and mount points for a path. Another path may be below one."""
    with pytest.raises(UsageError, match=r"findmnt -T '/var/my data'$"):
        meant("/var/my data")
    with pytest.raises(UsageError, match="did you mean smartarray:1"):
        meant("smartaray:1")
    with pytest.raises(UsageError, match="did you mean /dev/sda"):
        meant("/dev/sdb")


def test_a_device_of_a_mount_point_that_no_tool_lists_is_a_problem() -> None:
    """A btrfs on a known volume and an NBD device: what is known of the volume does not hold for the mount point."""
    pair = (BlockDevice("sda", "/dev/sda", "disk", mountpoints=("/srv",)),
            BlockDevice("nbd0", "/dev/nbd0", "other", mountpoints=("/srv",)))  # fmt: skip
    view = HostView(blocks=pair)
    assert meant("/srv", view=view) == ["smartarray:1/v1"]
    [problem] = with_unlisted(HEALTHY, view, ["/srv/"]).problems
    assert (problem.where, problem.kind, problem.severity) == ("/dev/nbd0", "unread", "error")
    with pytest.raises(CannotTell, match=r"/srv is also on /dev/nbd0, which no controller"):
        subjects.named(subjects.CheckedMachine(Survey(inventory=HEALTHY, view=view), Kernel()), ["/srv"])
    with pytest.raises(CannotTell, match=r"name volumes and drives by their ids\."):
        change_targets.volumes(Survey(inventory=HEALTHY, view=view), ["/srv"])
    assert with_unlisted(HEALTHY, HostView(blocks=pair[:1]), ["/srv"]) == HEALTHY


@pytest.mark.parametrize(
    "words",
    [
        ("tasks",),
        ("events",),
        ("spare", "show"),
        ("battery", "show"),
        ("preserved", "show"),
        ("show",),
        ("diagnose",),
        ("show", "--explain"),
        ("rate",),
        ("rate", "--dry-run", "--min", "50M"),
    ],
    ids=" ".join,
)
def test_no_command_about_a_mount_point_passes_over_a_device_that_no_tool_lists(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its operations and events are unknown: exit code 3 or 1, and the device is named."""
    pair = (BlockDevice("md0", "/dev/md0", "md", mountpoints=("/srv",)),
            BlockDevice("nbd0", "/dev/nbd0", "other", mountpoints=("/srv",)))  # fmt: skip
    seen = Survey(inventory=SOFTWARE, view=HostView(blocks=pair))
    monkeypatch.setattr(Machine, "survey", lambda _: seen)
    done = CliRunner().invoke(cli, ["--replay", str(FIXTURES / "md-healthy"), *words, "/srv"])
    assert done.exit_code in (1, 3)
    assert "/dev/nbd0" in done.output


@pytest.mark.parametrize(
    ("below", "strange"),
    [
        ([BlockDevice("nvme0n2", "/dev/nvme0n2", "disk", model="acme", serial="Z1", wwn="eui.2")], []),
        ([BlockDevice("sdb", "/dev/sdb", "disk", serial="Z1", wwn="eui.1")], []),
        ([BlockDevice("sdb", "/dev/sdb", "disk", model="other", serial="Z1", wwn="eui.2")], ["/dev/sdb"]),
        ([], ["/dev/nbd0"]),
    ],
)
def test_the_namespaces_of_a_drive_are_no_other_devices(below: list[BlockDevice], strange: list[str]) -> None:
    """Namespaces and halves of a listed drive have separate names. A device that the kernel lost is another one."""
    drive = BlockDevice("nvme0n1", "/dev/nvme0n1", "disk", model="acme", serial="Z1", wwn="eui.1")
    slaves = ("nvme0n1", *(one.name for one in below or [BlockDevice("nbd0", "/dev/nbd0")]))
    lv = BlockDevice("dm-0", "/dev/dm-0", "dm", slaves=slaves, mountpoints=("/srv",))
    known = Controller(id="drives", mode="hba", drives=(Drive(id="drives:Z1", device="/dev/nvme0n1"),))
    assert unlisted(replace(HEALTHY, controllers=(known,)), HostView(blocks=(drive, *below, lv)), "/srv") == strange


def test_the_serial_number_of_a_controller_is_that_of_all_its_volumes() -> None:
    """A volume that no tool lists is not taken for another one of the same controller."""
    blocks = [BlockDevice(name, f"/dev/{name}", "disk", model="LOGICAL VOLUME", serial="P1", wwn=f"0x{name}",
                          mountpoints=("/srv",)) for name in ("sda", "sdb")]  # fmt: skip
    assert unlisted(HEALTHY, HostView(blocks=tuple(blocks)), "/srv") == ["/dev/sdb"]


@pytest.mark.parametrize("name", MACHINES)
def test_no_device_of_a_recorded_machine_is_called_unlisted(name: str) -> None:
    """Partitions, layers and second paths of a known drive are no other devices."""
    seen = replayed(name)
    points = {point for block in seen.view.blocks for point in (block.node, *block.mountpoints)}
    assert not [point for point in points if unlisted(seen.inventory, seen.view, point)]


def test_hostile_words_do_not_reach_the_terminal() -> None:
    """The user's input is printed without escapes."""
    with pytest.raises(UsageError) as caught:
        meant("\x1b[31mx")
    assert "\x1b" not in str(caught.value)


def test_a_volume_brings_its_array_and_the_drives_of_that() -> None:
    """All that carries the volume, and nothing else of the machine."""
    (controller,) = narrow(SOFTWARE, frozenset({"md:md1"})).controllers
    assert [item.id for item in items(controller)] == ["md", "md:md1/array", "md:md1", "md:md1/sda2", "md:md1/sdb2"]


def test_an_array_brings_its_volumes_and_drives() -> None:
    """Spares included."""
    (controller,) = narrow(HEALTHY, frozenset({"smartarray:1/A"})).controllers
    assert len(controller.drives) == 5
    assert len(controller.volumes) == 1
    assert controller.batteries == ()


def test_a_drive_or_a_battery_comes_alone() -> None:
    """Only its controller is shown with it."""
    for name in ("smartarray:1/1I:1:3", "smartarray:1/battery0"):
        (controller,) = narrow(HEALTHY, frozenset({name})).controllers
        assert [item.id for item in items(controller)] == ["smartarray:1", name]


def test_problems_of_what_is_left_out_are_left_out() -> None:
    """Problems that name no object stay: they may concern the requested one."""
    other = Problem(severity="warning", where="md:md1", message="m")
    general = Problem(severity="warning", where="some command", message="m")
    inventory = Inventory(host=SOFTWARE.host, controllers=SOFTWARE.controllers, problems=(other, general))
    assert narrow(inventory, frozenset({"md:md0"})).problems == (general,)
    assert narrow(inventory, frozenset({"md:md1"})).problems == (other, general)


@pytest.mark.parametrize("inventory", EVERY.values(), ids=EVERY)
def test_narrowed_to_any_object_it_is_still_a_valid_inventory(inventory: Inventory) -> None:
    """The schema is the same. All requested objects are there, and all references except those upward resolve."""
    validator = jsonschema.Draft202012Validator(schema())
    for controller in inventory.controllers:
        for item in items(controller):
            narrowed = narrow(inventory, frozenset({item.id}))
            validator.validate(json.loads(to_json(narrowed)))
            held = {other.id for other in items(narrowed.controllers[0])}
            assert {item.id, controller.id} <= held
            assert {name for array in narrowed.controllers[0].arrays for name in array.drives} <= held


def test_several_ids_are_shown_together() -> None:
    """The ids may be of several controllers."""
    narrowed = narrow(SOFTWARE, find(SOFTWARE, VIEW, ["md0", "/dev/sdb"]))
    assert [controller.id for controller in narrowed.controllers] == ["drives:0000:00:1f.2", "md"]


def test_the_short_name_is_what_the_screen_shows() -> None:
    """It is accepted on the command line."""
    for inventory in (DEGRADED, SOFTWARE):
        for controller in inventory.controllers:
            for item in list(items(controller))[1:]:
                assert meant(short(item.id, controller.id), inventory, HostView()) == [item.id]


def two_drives(**changes: object) -> Inventory:
    """Two drives on two controllers; the first one as given."""
    first = {"id": "x:0/1:4", "enclosure": "1", "bay": "04", "serial": "ZC1A2B", "wwn": "0x5000c500a1", **changes}
    second = Drive(id="drives:ZC9", bay="5", serial="ZC9", wwn="5000c500a2")
    controllers = (
        Controller(id="x:0", drives=(Drive(**first),)),  # type: ignore[arg-type]  # the tests vary single fields by name
        Controller(id="drives:0000:00:17.0", drives=(second,)),
    )
    return Inventory(host=HEALTHY.host, controllers=controllers)


@pytest.mark.parametrize(
    "word",
    ["serial:ZC1A2B", "serial:zc1a2b", "ZC1A2B", "wwn:5000c500a1", "wwn:naa.5000C500A1", "0x5000c500a1", "bay:4",
     "bay:1:4", "bay:01:04", "bay:Slot 4", "enclosure:1/04"],
)  # fmt: skip
def test_a_drive_may_be_named_by_what_is_on_its_label(word: str) -> None:
    """Serial number and world wide name count in any spelling, even bare. So does a bay, with or without enclosure."""
    assert meant(word, two_drives(), HostView()) == ["x:0/1:4"]
    assert find_drive(two_drives(), HostView(), word) == "x:0/1:4"


def test_a_label_on_two_drives_is_refused_with_both() -> None:
    """Of two drives with one label, neither is chosen. This holds also where one of them is found by its id."""
    for word, same in (("serial:ZC9", {"serial": "ZC9"}), ("ZC9", {"serial": "ZC9"}), ("bay:5", {"bay": "5"})):
        with pytest.raises(UsageError, match=r"can mean drives:ZC9 and x:0/1:4: "):
            meant(word, two_drives(**same), HostView())
    for word in ("serial:", "serial:ZC", "bay:", "bay:7", "wwn:"):
        with pytest.raises(UsageError, match="No object is called"):
            meant(word, two_drives(), HostView())
    with pytest.raises(UsageError, match="did you mean serial:ZC1A2B"):
        meant("serial:ZC1A2C", two_drives(), HostView())


def test_a_member_of_a_software_array_is_the_drive_below_it() -> None:
    """By partition, drive or serial number, the same drive is found."""
    seen = replayed("md-healthy")
    for word in ("/dev/sda1", "/dev/sda", "sda", "md0/sda1", "serial:LM2409110042"):
        assert find_drive(seen.inventory, seen.view, word) == "drives:LM2409110042"
    with pytest.raises(
        UsageError, match="is not a drive, but the volume md:md0; name one of its drives: drives:LM2409"
    ):
        find_drive(seen.inventory, seen.view, "md0")


def test_what_is_no_drive_is_refused_with_the_drives_below_it() -> None:
    """A volume (by id or mount point), array or controller is refused. A member on a volume is not a drive either."""
    for word in ("v1", "A", "/var/lib/mysql", "smartarray:1"):
        with pytest.raises(
            UsageError, match=r"is not a drive, but the .*: name one of its drives: |is not a drive, but the"
        ):
            find_drive(HEALTHY, HostView(), word)
    upper = Drive(id="md:md0/sda", device="/dev/sda", backing=("smartarray:1/v1",))
    controller = Controller(
        id="md", mode="software", drives=(upper,), arrays=(Array(id="md:md0/array", drives=(upper.id,)),)
    )
    inventory = Inventory(host=HEALTHY.host, controllers=(*HEALTHY.controllers, controller))
    with pytest.raises(
        UsageError, match="is on a volume, and is not one drive; name one of its drives: smartarray:1/1I"
    ):
        find_drive(inventory, HostView(), "md0/sda")
    assert physical(inventory, ["md:md0/array"]) == physical(HEALTHY, ["smartarray:1/v1"])
