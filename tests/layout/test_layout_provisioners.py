"""Layouts of provisioners. The examples of their documentation are read, and parts that do not fit are named."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidctl.layout.compare import compare
from raidctl.layout.document import read_layout
from raidctl.layout.export_formats import drp, ironic
from raidctl.layout.plan import plan
from raidctl.layout.provisioners import _DRP, _IRONIC, IRONIC_LEVELS, kind_of
from raidctl.layout.specification import Counted, Layout
from raidctl.toml_files.mistakes import MistakesError
from raidctl.vendor.registry import vendors
from tests.support.machines import MACHINES, replayed


def read(document: Any, controller: str | None = "smartarray:0") -> Layout:
    """A document as a provisioner writes it."""
    return read_layout("x.json", json.dumps(document, indent=1).encode(), controller)


def disks(*found: dict[str, Any]) -> dict[str, Any]:
    """Logical drives as Ironic describes them."""
    return {"logical_disks": list(found)}


def test_the_examples_of_ironics_manual_are_read() -> None:
    """GiB sizes, MAX, levels with +, media and named drives are read.

    A level without a number takes its fewest drives.
    """
    one, two = read(disks(
        {"size_gb": 100, "raid_level": "5", "is_root_volume": True, "disk_type": "ssd"},
        {"size_gb": 500, "raid_level": "1", "disk_type": "hdd"},
    )).volumes  # fmt: skip
    assert (one.size, one.raid_level, one.drives) == (100 << 30, "raid5", Counted(count=3, media="ssd"))
    assert (two.size, two.raid_level, two.drives) == (500 << 30, "raid1", Counted(count=2, media="hdd"))
    [named] = read(disks({
        "size_gb": 100, "raid_level": "5", "controller": "Smart Array P822 in Slot 3",
        "physical_disks": ["6I:1:5", "6I:1:6", "6I:1:7"], "is_root_volume": True,
    })).volumes  # fmt: skip
    assert (named.controller, named.drives) == ("Smart Array P822", ("6I:1:5", "6I:1:6", "6I:1:7"))
    [soft] = read(disks({"size_gb": "MAX", "raid_level": "1+0", "controller": "software",
                         "number_of_physical_disks": 4})).volumes  # fmt: skip
    assert (soft.controller, soft.size, soft.raid_level, soft.name) == ("md", "max", "raid10", "disk1")


def test_the_field_of_a_node_is_read_as_it_is_printed() -> None:
    """An object with only target_raid_config is read, as Ironic's client prints it.

    The lines are those of the volumes.
    """
    wanted = disks({"size_gb": 100, "raid_level": "1", "disk_type": "ssd"}, {"size_gb": "MAX", "raid_level": "5"})
    inner, outer = read(wanted), read({"target_raid_config": wanted})
    assert [one.line for one in outer.volumes] == [one.line + 1 for one in inner.volumes]
    assert [replace(one, line=1) for one in outer.volumes] == [replace(one, line=1) for one in inner.volumes]
    with pytest.raises(MistakesError, match=r"x\.json:9: raid_level"):
        read({"target_raid_config": disks(wanted["logical_disks"][0], {"size_gb": 1, "raid_level": "9"})})


def test_a_byte_that_is_no_text_is_a_mistake() -> None:
    """The same in a name: the intention of a file is not guessed."""
    good = json.dumps(disks({"size_gb": 100, "raid_level": "5", "volume_name": "datX"}), indent=1).encode()
    with pytest.raises(MistakesError, match=r"x\.json:6: invalid UTF-8") as caught:
        read_layout("x.json", good.replace(b"X", b"\xff"), "smartarray:0")
    assert len(caught.value.faults) == 1


def test_a_controller_is_found_by_the_name_that_its_tool_prints() -> None:
    """A controller is found by the name that its tool prints.

    The vendor is before the model and the slot after it, as in a target_raid_config.
    """
    seen = replayed("smartarray-gen10-failed-battery")
    for name in ("Smart Array P408i-a SR Gen10 in Slot 0 (Embedded)", "HPE Smart Array P408i-a SR Gen10 in Slot 0"):
        one = {"size_gb": "MAX", "raid_level": "0", "controller": name, "physical_disks": ["1I:3:6"]}
        found = plan(read(disks(one)), seen, vendors()[0], {})
        assert [step.kind for step in found.steps] == ["create"], found
        assert "drives=1I:3:6 raid=0" in found.steps[0].commands[0]


def test_a_document_with_every_key_is_planned() -> None:
    """A drp-raid document as its inventory writes it is planned.

    Keys that only describe the drives are not mistakes.
    """
    disk = {"Enclosure": "1I:3", "Slot": 6, "Protocol": "sas", "Size": 1800000000000, "Type": "disk", "Volume": ""}
    spec = {
        "RaidLevel": "raid0", "Size": "max", "StripeSize": "256 KB", "Name": "os", "VolumeID": "", "Bootable": True,
        "Encrypt": False, "Type": "disk", "Protocol": "sas", "Controller": 0, "Disks": [disk], "AllowMixedSizes": False,
    }  # fmt: skip
    found = plan(read([spec]), replayed("smartarray-gen10-failed-battery"), vendors()[0], {})
    [step] = found.steps
    assert step.commands[0].endswith("create type=ld drives=1I:3:6 raid=0 ss=256 logicaldrivelabel=os")
    assert (step.overwrites, found.not_planned) == (("WBN0K3D4",), ())


def test_every_level_of_the_schema_is_read_or_named() -> None:
    """Every level of Ironic's schema is read or refused.

    JBOD and RAID-2 have no place in a layout, all others are read.
    """
    for level in ("JBOD", "0", "1", "2", "5", "6", "1+0", "5+0", "6+0"):
        document = disks({"size_gb": 10, "raid_level": level})
        if level not in ("JBOD", "2"):
            assert read(document).volumes[0].raid_level == IRONIC_LEVELS[level]
        else:
            with pytest.raises(MistakesError):
                read(document)


def test_the_words_of_drp_raid_are_read() -> None:
    """Counts, types, protocols, strips with a blank and mixed sizes are read.

    The controller comes from the command line.
    """
    [counted, named] = read([
        {"RaidLevel": "raid6", "DiskCount": "6", "Type": "disk", "Protocol": "sas", "StripeSize": "64 KB",
         "AllowMixedSizes": True, "Size": "4 TB", "Name": "data"},
        {"RaidLevel": "raid1", "Disks": [{"Enclosure": "252", "Slot": 0}, {"Enclosure": "252", "Slot": 1}]},
    ]).volumes  # fmt: skip
    assert counted.drives == Counted(count=6, media="hdd", interface="sas")
    assert (counted.size, counted.strip_bytes, counted.mixed_sizes, counted.name) == (4 << 40, 65536, True, "data")
    assert (named.drives, named.size, named.controller) == (("252:0", "252:1"), "max", "smartarray:0")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (disks({"size_gb": 100, "raid_level": "7"}), "is not valid"),
        (disks({"size_gb": 0, "raid_level": "1"}), "size_gb is a number"),
        (disks({"size_gb": 1, "raid_level": "1", "controler": "x"}), "did you mean controller?"),
        (disks({"size_gb": 1, "raid_level": "JBOD"}), "are not volumes of a layout"),
        (disks({"size_gb": 1, "raid_level": "1", "share_physical_disks": True}), "names the same drives"),
        (disks({"size_gb": 1, "raid_level": "1", "interface_type": "scsi"}), "it can be sas or sata"),
        (disks({"size_gb": 1, "raid_level": "1", "controller": "software"}), "would take every drive"),
        (disks({"size_gb": 1, "raid_level": "1", "controller": "software", "physical_disks": [{"size": "> 100"}]}),
         "a layout has no device hints"),
        ({}, "needs a list logical_disks"),
        ({"logical_disk": []}, "did you mean logical_disks?"),
        ([{"RaidLevel": "raid61"}], "did you mean raid6"),
        ([{"RaidLevel": "jbod"}], "are not volumes of a layout"),
        ([{"RaidLevel": "raid1", "DiskCount": "max"}], "a layout gives a number"),
        ([{"RaidLevel": "raid1", "Encrypt": True}], "no key for Encrypt"),
        ([{"RaidLevel": "raid1", "Disks": [{"Bay": 1}]}], "Enclosure and Slot"),
        ([{"RaidLevel": "raid1", "Size": "large"}], "is not a size"),
    ],
)  # fmt: skip
def test_what_has_no_place_in_a_layout_is_a_mistake(document: Any, message: str) -> None:
    """Nothing is dropped in silence."""
    with pytest.raises(MistakesError, match=r"x\.json:") as caught:
        read(document)
    assert any(message in fault.message for fault in caught.value.faults), caught.value.faults


def test_mistakes_have_the_line_of_their_volume() -> None:
    """Each mistake has the line where its object begins. All are reported at once, also with braces in names."""
    first = '{"size_gb": 1, "raid_level": "1", "volume_name": "}{"}'
    text = f'{{"logical_disks": [\n {first},\n {{"size_gb": "x", "raid_level": "9"}}\n]}}'
    with pytest.raises(MistakesError) as caught:
        read_layout("x.json", text.encode(), "md")
    assert {fault.line for fault in caught.value.faults} == {3}
    assert len(caught.value.faults) == 2


def test_an_index_or_no_controller_is_refused() -> None:
    """An index of the PCI bus moves; without --controller there is none."""
    for document in ([{"RaidLevel": "raid1", "Controller": 0}], disks({"size_gb": 1, "raid_level": "1"})):
        with pytest.raises(MistakesError, match="--controller"):
            read(document, None)


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"layout = 1", "toml"), (b"\xef\xbb\xbf {", "ironic"), (b"[\n {", "drp"), (b"[]", "drp"), (b"[[volume]]", "toml"),
     (b"[machine]", "toml"), (b"", "toml")],
)  # fmt: skip
def test_the_format_of_a_file_is_recognised(data: bytes, kind: str) -> None:
    """JSON objects are Ironic's, JSON lists drp-raid's; TOML begins with neither."""
    assert kind_of(data) == kind


@pytest.mark.parametrize("machine", MACHINES)
def test_an_export_for_a_provisioner_fits_the_machine(machine: str) -> None:
    """An export for a provisioner differs only in unknown values.

    This holds for what both formats express of a machine.
    """
    inventory = replayed(machine).inventory
    controllers = [one for one in inventory.controllers if one.mode != "software" and one.volumes]
    logical = [one for one in ironic(inventory)[0]["logical_disks"] if one["controller"] != "software"]
    for document in ({"logical_disks": logical}, drp(inventory)[0]):
        if len(controllers) == 1 and (logical or isinstance(document, list)):
            found = compare(read(document, controllers[0].id), inventory)
            assert not [one for one in found.compared if one.verdict in ("different", "missing")], (document, found)


@pytest.mark.parametrize(
    ("volume", "why"),
    [
        ({"raid_level": "raid1t"}, "the format has no raid1t"),
        ({"raid_level": "raid1t", "size_bytes": 500 << 20}, "the format has no raid1t"),
        ({"raid_level": None}, "its RAID level is unknown"),
        ({"size_bytes": None}, "its size is unknown"),
    ],
)
def test_a_volume_that_a_format_cannot_express_is_left_out_with_the_reason(volume: dict[str, Any], why: str) -> None:
    """A small volume of a level that the format lacks is not left out for its size."""
    inventory = replayed("smartarray-p400").inventory
    controller = next(one for one in inventory.controllers if one.volumes)
    changed = msgspec.structs.replace(controller.volumes[0], **volume)
    alone = msgspec.structs.replace(controller, volumes=(changed,))
    for written in (drp, ironic):
        assert (
            f"{changed.id} is left out: {why}." in written(msgspec.structs.replace(inventory, controllers=(alone,)))[1]
        )


WORDS = st.sampled_from(
    [*_IRONIC, *_DRP, "logical_disks", "MAX", "max", "min", "1+0", "raid5", "software", "", "}{", "7"]
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 10**6), st.floats(allow_nan=False), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=6)),
    max_leaves=10,
)


@pytest.mark.slow
@given(document=st.one_of(st.dictionaries(WORDS, VALUES), st.builds(lambda found: {"logical_disks": found}, VALUES),
                          st.lists(st.dictionaries(WORDS, VALUES), min_size=1)))  # fmt: skip
def test_whatever_is_in_a_file_is_read_or_has_mistakes(document: Any) -> None:
    """A value of a wrong type raises mistakes and nothing else. None reaches a layout."""
    try:
        layout = read(document)
    except MistakesError:
        return
    for one in layout.volumes:
        assert isinstance(one.name, str | None)
        assert one.size == "max" or isinstance(one.size, int)
        assert isinstance(one.drives, tuple | Counted)
