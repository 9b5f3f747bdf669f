"""Layout files. The tests cover what is written, what is read, and the mistakes that are found."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from raidctl.layout.compare import compare
from raidctl.layout.document import read_layout
from raidctl.layout.export import export
from raidctl.layout.specification import Counted
from raidctl.toml_files.mistakes import MistakesError
from raidctl.vendor.registry import vendors
from tests.support.machines import MACHINES, replayed

HOSTILE = 'a"b\\c\x00\x1b[31m\u202e\ud800\x7f\n]]'
VOLUME = 'layout = 1\n[[volume]]\ncontroller = "md"\n'


@pytest.mark.parametrize("machine", MACHINES)
def test_a_machine_is_as_its_own_layout_describes(machine: str) -> None:
    """Exporting a machine and comparing it with the result finds no difference."""
    inventory = replayed(machine).inventory
    found = compare(read_layout("machine.toml", export(inventory).encode()), inventory)
    assert found.verdict == "same", [one for one in found.compared if one.verdict != "same"]


def test_hostile_names_are_text_in_a_layout() -> None:
    """Quotes, control characters and brackets in a name add no key."""
    inventory = replayed("smartarray-gen10-failed-battery").inventory
    controller = inventory.controllers[0]
    volumes = tuple(replace(volume, name=HOSTILE, mountpoints=(HOSTILE,)) for volume in controller.volumes)
    host = replace(inventory.host, hostname=HOSTILE)
    changed = replace(inventory, host=host, controllers=(replace(controller, volumes=volumes),))
    layout = read_layout("machine.toml", export(changed).encode("utf-8"))
    assert [one.name for one in layout.volumes] == [HOSTILE.replace("\ud800", "\ufffd")] * len(volumes)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "a layout begins with layout = 1"),
        ("layout = 2", 1, "a layout begins with layout = 1"),
        ("layout = 1\n[[volumes]]", 2, "did you mean volume?"),
        ("layout = 1\n[[volume]]\nname = 'x'", 2, "a volume needs its controller"),
        (VOLUME + "raid_level = 'raid61'", 4, "did you mean raid6"),
        (VOLUME + "stripp = '64KiB'", 4, "did you mean strip"),
        (VOLUME + "strip = '64'", 4, 'has a unit: "256KiB"'),
        (VOLUME + "size = 'all'", 4, '"max"'),
        (VOLUME + "write = 'writebak'", 4, "it can be write-through"),
        (VOLUME + "drives = ['A', 'A']", 4, 'the drive "A" is listed 2 times'),
        (VOLUME + "drives = { media = 'ssd' }", 4, "need a count"),
        (VOLUME + "drives = { count = 0 }", 4, "a number above 0"),
        (VOLUME + "drives = ['A', 'B']\n[[volume]]\ncontroller = 'md'\ndrives = ['B', 'C']", 7, 'the drive "B" is a'),
        (VOLUME + "drives = ['A']\n[[spare]]\ncontroller = 'md'\ndrives = ['A']", 7, "is a member of a volume, too"),
        ("layout = 1\n[[spare]]\ncontroller = 'md'", 2, 'spares need "drives"'),
        ("layout = 1\nvolume = 3", 2, "a list of tables"),
        ("layout = 1\nunlisted = 'delete'", 2, "name it in a table [[delete]]"),
        ("layout = 1\nunlisted = 'drop'", 2, "it can be keep or refuse"),
        ("layout = 1\n[[delete]]\ncontroller = 'md'\nunique_id = 'A'", 2, "names its machine"),
        ("layout = 1\n[machine]\nhostname = 'x'\n[[delete]]\ncontroller = 'md'\nname = 'A'", 4, 'needs "unique_id"'),
        (VOLUME + "drives = ['A']\npartition = { sise = 'max' }", 5, "did you mean size?"),
        (VOLUME + "drives = ['A']\npartition = { size = '1000KB' }", 5, "whole MiB"),
        (VOLUME + "drives = ['A']\npartition = { start = '1MiB' }", 5, "a partition needs a size"),
        ("layout = 1\n[machine\n", 2, "invalid TOML"),
    ],
)
def test_a_mistake_has_its_line_and_a_suggestion(text: str, line: int, message: str) -> None:
    """Each mistake is reported with file, line and what would be right."""
    with pytest.raises(MistakesError) as caught:
        read_layout("machine.toml", text.encode())
    assert any(fault.line == line and message in fault.message for fault in caught.value.faults), caught.value.faults


@pytest.mark.parametrize("family", [vendor.FAMILY for vendor in vendors()[0]])
def test_volumes_share_some_of_their_drives_only_in_a_family_that_declares_it(family: str) -> None:
    """Volumes of LVM take parts of some drives of their group. Elsewhere it is a mistake in the second volume."""
    table = f"[[volume]]\ncontroller = '{family}'\ndrives = "
    text = f"layout = 1\n{table}['A', 'B']\n{table}['B', 'C']\n".encode()
    if family == "lvm":
        assert len(read_layout("machine.toml", text).volumes) == 2
        return
    with pytest.raises(MistakesError) as caught:
        read_layout("machine.toml", text)
    assert [fault.line for fault in caught.value.faults] == [7]
    assert "member of another array" in caught.value.faults[0].message


def test_all_mistakes_are_reported_at_once() -> None:
    """A file with several mistakes is refused with all, in its order."""
    text = VOLUME + "raid_level = 'raid61'\nstrip = 7.5\n[[volume]]\nsize = 'x'\n"
    with pytest.raises(MistakesError) as caught:
        read_layout("machine.toml", text.encode())
    assert [fault.line for fault in caught.value.faults] == [4, 5, 6, 7]


def test_short_words_and_units_are_understood() -> None:
    """Policies and sizes may be written as people write them."""
    text = VOLUME + "write = 'wb'\nsize = '4TB'\nstrip = '256 KiB'\ndrives = { count = 8, at_least = '4TB' }\n"
    one = read_layout("machine.toml", text.encode()).volumes[0]
    assert (one.write, one.size, one.strip_bytes) == ("protected_write_back", 4_000_000_000_000, 262144)
    assert one.drives == Counted(count=8, at_least=4_000_000_000_000)
