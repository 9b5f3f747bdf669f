"""A machine compared with a layout. Less than the whole evidence never makes them the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from raidctl.cli import cli
from raidctl.layout.capacity import whole
from raidctl.layout.compare import Comparison, compare
from raidctl.layout.document import read_layout
from raidctl.layout.export import export
from raidctl.layout.plan import plan
from raidctl.model import Inventory, Problem, Volume
from raidctl.vendor.registry import vendors
from tests.support.conclusions import read_text
from tests.support.machines import FIXTURES, MACHINES, replayed

FIELDS = {"raid_level": "raid_level", "strip": "strip_bytes", "size": "size_bytes", "metadata": "metadata",
          "layout": "layout", "consistency_policy": "consistency_policy"}  # fmt: skip
OTHER: dict[str, Any] = {"raid_level": "raid60", "strip_bytes": 4096 * 3, "size_bytes": 12345, "metadata": "0.90",
                         "layout": "left-asymmetric", "consistency_policy": "ppl"}  # fmt: skip


def changed(inventory: Inventory, wanted: Volume, **fields: Any) -> Inventory:
    """The machine with other values in one volume."""
    controllers = tuple(
        replace(one, volumes=tuple(replace(v, **fields) if v is wanted else v for v in one.volumes))
        for one in inventory.controllers
    )
    return replace(inventory, controllers=controllers)


def of(inventory: Inventory, text: str) -> Comparison:
    """Compare a machine with the text of a layout."""
    return compare(read_layout("machine.toml", text.encode()), inventory)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_changed_or_missing_value_is_never_the_same(machine: str) -> None:
    """Another value is a difference. A value that is not reported is unknown or a difference, never the same."""
    inventory = replayed(machine).inventory
    text = export(inventory)
    for controller in inventory.controllers:
        for volume in controller.volumes:
            for key, field in FIELDS.items():
                if getattr(volume, field) in (None, "unknown", 0) or volume.raid_level == "jbod":
                    continue
                other = of(changed(inventory, volume, **{field: OTHER[field]}), text)
                assert other.verdict == "different", (volume.id, key)
                nothing = of(changed(inventory, volume, **{field: None}), text)
                assert nothing.verdict != "same", (volume.id, key)


@pytest.mark.parametrize(
    ("listed", "config", "verdict", "steps"),
    [(True, "true", "same", 0), (False, "true", "different", 1), (None, "true", "unknown", 1),
     (False, "false", "same", 0)],
)  # fmt: skip
def test_a_required_line_of_the_configuration_is_compared(
    listed: bool | None, config: str, verdict: str, steps: int
) -> None:
    """With ``config = true``, an array without its ARRAY line is not as in the layout, and the plan has a step."""
    seen = replayed("md-healthy")
    [md] = [one for one in seen.inventory.controllers if one.id == "md"]
    inventory = changed(seen.inventory, md.volumes[0], in_config_file=listed)
    layout = read_layout("x", f'layout = 1\n[[volume]]\ncontroller = "md"\nid = "md:md0"\nconfig = {config}\n'.encode())
    assert compare(layout, inventory).verdict == verdict
    found = plan(layout, replace(seen, inventory=inventory), vendors()[0], {})
    assert ([one.kind for one in found.steps], found.not_planned) == (["config"] * steps, ())


@pytest.mark.parametrize(
    ("members", "letters", "listed"),
    [
        ("sdc1[2](F) sdb1[1] sda1[0]", "[2/2] [UU]", ["sda1", "sdb1"]),
        ("sdc1[2](S) sdb1[1](F) sda1[0]", "[2/1] [U_]", ["sda1", "sdb1"]),
        ("sdb1[1](F) sda1[0]", "[2/1] [U_]", ["sda1", "sdb1"]),
    ],
)
def test_a_failed_drive_beside_all_members_is_none(members: str, letters: str, listed: list[str]) -> None:
    """A failed spare is not a member of its array; a failed member is one until another drive has its place."""
    text = f"Personalities : [raid1]\nmd0 : active raid1 {members}\n      976630464 blocks super 1.2 {letters}\n\n"
    drives = ", ".join(f'"md:md0/{name}"' for name in listed)
    assert f"drives = [{drives}]\n" in export(read_text(f"{text}unused devices: <none>\n").inventory)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_drive_that_is_no_longer_described_is_never_the_same(machine: str) -> None:
    """Without the description of one member, its volume is unknown or different."""
    inventory = replayed(machine).inventory
    text = export(inventory)
    for number, controller in enumerate(inventory.controllers):
        arrays = {volume.array for volume in controller.volumes if volume.raid_level != "jbod"}
        members = {name for array in controller.arrays if array.id in arrays for name in array.drives}
        for drive in controller.drives:
            if drive.id not in members or drive.role in ("spare", "journal"):
                continue
            less = replace(controller, drives=tuple(one for one in controller.drives if one is not drive))
            controllers = (*inventory.controllers[:number], less, *inventory.controllers[number + 1 :])
            assert of(replace(inventory, controllers=controllers), text).verdict != "same", drive.id


@pytest.mark.parametrize("machine", MACHINES)
def test_a_volume_that_could_not_be_read_is_unknown_not_missing(machine: str) -> None:
    """Without its controllers a machine lacks its volumes. If something could not be read, they are unknown."""
    inventory = replayed(machine).inventory
    text = export(inventory)
    if "[[volume]]" not in text:
        return
    gone = replace(inventory, controllers=(), problems=())
    assert of(gone, text).verdict == "different"
    unread = replace(gone, problems=(Problem("error", "tool", "It failed.", kind="unread"),))
    assert of(unread, text).verdict == "unknown"


def test_a_replaced_drive_is_named_on_both_sides() -> None:
    """Both serial numbers of a replaced drive are in the difference. One left, the other joined."""
    inventory = replayed("smartarray-gen10-failed-battery").inventory
    found = of(inventory, export(inventory).replace("WBN0K2C9", "WBN0OLD1"))
    differences = [one for compared in found.compared for one in compared.differences]
    assert [(one.key, one.wanted, one.found) for one in differences] == [("drives", "WBN0OLD1", "WBN0K2C9")]


def test_another_unique_id_is_another_volume() -> None:
    """A volume that was created again is not the listed one. Name, level and drives are the same."""
    inventory = replayed("smartarray-gen10-failed-battery").inventory
    text = export(inventory).replace("600508B1001C0B7F35E1D96A842CC3F7", "600508B1001C0B7F35E1D96A842CC3F8")
    assert [one.verdict for one in of(inventory, text).compared] == ["same", "same", "missing", "unlisted"]


def test_counted_drives_are_compared_by_what_they_are() -> None:
    """A count with media, interface and size is compared without naming drives."""
    inventory = replayed("smartarray-gen10-failed-battery").inventory
    volume = 'layout = 1\n[[volume]]\ncontroller = "smartarray:0"\nname = "data"\n'
    fits = 'drives = { count = 3, media = "hdd", interface = "sas", at_least = "1.8TB" }'
    assert of(inventory, volume + fits).verdict == "same"
    for wrong in ("count = 4", 'count = 3, media = "ssd"', 'count = 3, at_least = "2.4TB"'):
        assert of(inventory, f"{volume}drives = {{ {wrong} }}").verdict == "different", wrong


def test_an_unlisted_volume_is_a_difference_only_if_the_file_refuses_it() -> None:
    """Volumes beside the listed ones are shown. With unlisted = "refuse" the machine differs."""
    inventory = replayed("smartarray-gen10-failed-battery").inventory
    text = 'layout = 1\n[[volume]]\ncontroller = "smartarray:0"\nname = "data"\n'
    assert of(inventory, text).verdict == "same"
    assert of(inventory, text.replace("layout = 1", 'layout = 1\nunlisted = "refuse"')).verdict == "different"


def test_a_unique_id_that_is_not_reported_is_unknown() -> None:
    """A volume found by name may be another one. Its unique id is not reported."""
    inventory = replayed("smartarray-gen10-failed-battery").inventory
    volume = inventory.controllers[0].volumes[1]
    found = of(changed(inventory, volume, unique_id=None), export(inventory))
    assert (found.verdict, [one.verdict for one in found.compared][2]) == ("unknown", "unknown")


def test_a_volume_without_a_unique_id_may_be_one_that_must_not_exist() -> None:
    """A deletion is the same only if every volume of its controller is known to be another one."""
    inventory = replayed("smartarray-gen10-failed-battery").inventory
    where = 'layout = 1\n[machine]\nhostname = "cinder"\n[[delete]]\ncontroller = "smartarray:0"\n'
    text = f'{where}unique_id = "600508B1001C0000"\n'
    assert of(inventory, text).verdict == "same"
    silent = changed(inventory, inventory.controllers[0].volumes[1], unique_id=None)
    assert of(silent, text).verdict == "unknown"


@pytest.mark.parametrize("listed", [4, 3])
@pytest.mark.parametrize(("used", "wanted"), [(1.0, True), (0.7, False)])
def test_an_array_that_lacks_a_member_uses_no_more_of_its_drives(*, listed: int, used: float, wanted: bool) -> None:
    """A RAID-5 on a part of its four drives does not use them completely, even if one is missing."""
    drive = 10**12
    assert whole("raid5", [drive] * listed, int(3 * drive * used), 4) is wanted


def test_volumes_that_could_not_be_read_may_be_unlisted_ones() -> None:
    """A machine read in part may have more than is listed. This matters with unlisted = "refuse"."""
    inventory = replayed("smartarray-gen10-failed-battery").inventory
    text = export(inventory).replace("layout = 1", 'layout = 1\nunlisted = "refuse"')
    assert of(inventory, text).verdict == "same"
    for severity in ("warning", "error"):
        unread = Problem(severity, "tool", "It failed.", kind="unread")
        assert of(replace(inventory, problems=(unread,)), text).verdict == "unknown", severity


def test_no_spares_are_not_known_where_no_drive_is_listed() -> None:
    """An array whose drives no output lists may have a spare."""
    inventory = replayed("host-lvm-on-md").inventory
    text = 'layout = 1\n[[volume]]\ncontroller = "md"\nname = "larder:0"\nspares = []\n'
    assert of(inventory, text).verdict == "same"
    bare = tuple(replace(one, arrays=(), drives=()) for one in inventory.controllers)
    assert of(replace(inventory, controllers=bare), text).verdict == "unknown"


def test_the_exit_code_of_check_is_its_answer(tmp_path: Path) -> None:
    """0 means as described, 1 different, 2 a mistake, 3 unknown. An existing file is not overwritten."""
    replay = ("--replay", str(FIXTURES / "smartarray-gen10-failed-battery"))
    file = tmp_path / "cinder.toml"

    def run(*words: str) -> int:
        return CliRunner().invoke(cli, [*replay, "layout", *words]).exit_code

    assert run("export", str(file)) == 0
    assert run("export", str(file)) == 2
    assert run("check", str(file)) == 0
    text = file.read_text()
    for old, new, code in (("raid5", "raid6", 1), ("raid5", "raid55", 2), ('"raid1"', '"raid1"\nmetadata = "1.2"', 3)):
        file.write_text(text.replace(old, new))
        assert run("check", str(file)) == code, new
