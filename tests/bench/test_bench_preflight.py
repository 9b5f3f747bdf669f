from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from raidctl.bench.preflight import Ground, ask, confounders, durable_verdicts, load
from raidctl.bench.result import Confounder
from raidctl.bench.targets.place import Place
from raidctl.bench.verdict.early_acknowledgement import SLOWING
from raidctl.host import BlockDevice, HostView
from raidctl.layers.scope import Scope, scope
from raidctl.model import (
    Battery,
    Controller,
    Drive,
    Host,
    Inventory,
    Progress,
    Scrub,
    Volume,
    VolumeCache,
)
from raidctl.request import Answer, Failure, Read, ReadAnswer, Request, converse

BARE = "processor : 0\nflags : fpu vme sse2\n"
EXT4 = Place("ext4", "/srv", "/dev/sda1", ("rw",))
DISK = BlockDevice(name="sda", node="/dev/sda", kind="disk", write_cache="write back")
PART = BlockDevice(name="sda1", node="/dev/sda1", kind="partition", parent="sda", mountpoints=("/srv",))


def names(found: Sequence[Confounder]) -> set[str]:
    """What was found."""
    return {item.name for item in found}


def ground(**changed: Any) -> Ground:
    """A file on a plain disk of a real machine: nothing is in the way."""
    plain: dict[str, Any] = {"kind": "file", "place": EXT4, "cpuinfo": BARE}
    plain["view"] = HostView(blocks=(PART, DISK))
    plain["scope"] = Scope("/srv", (PART,), (PART, DISK))
    return Ground(**(plain | changed))


def on(block: BlockDevice, attributes: dict[str, str] | None = None, kind: str = "device") -> set[str]:
    """What one device on a plain disk gives."""
    return names(
        confounders(
            ground(kind=kind, scope=Scope(None, (block,), (block, DISK)), attributes={block.name: attributes or {}})
        )
    )


def of(card: Controller) -> Sequence[Confounder]:
    """What a controller's state gives."""
    stack = Scope(
        "x",
        (PART,),
        (PART, DISK),
        (),
        tuple((card, v) for v in card.volumes),
        tuple((card, d) for d in card.drives),
        (card,),
    )
    return confounders(ground(scope=stack))


def test_a_plain_disk_of_a_real_machine_has_none() -> None:
    """Nothing is made up."""
    assert confounders(ground()) == []
    assert durable_verdicts([])


@pytest.mark.parametrize("kind", ["kvm", "vmware", "unknown"])
def test_a_virtual_machine_forbids_verdicts(kind: str) -> None:
    """Whoever the hypervisor is, durability is its matter."""
    found = confounders(ground(view=HostView(virtual=kind)))
    assert found[0].name == "virtual_machine"
    assert not durable_verdicts(found)


@pytest.mark.parametrize("cpuinfo", [None, "", "processor : 0\nFeatures : fp asimd\n"])
def test_unknown_virtualisation_forbids_verdicts(cpuinfo: str | None) -> None:
    """A processor that does not tell is no real machine."""
    assert not durable_verdicts(confounders(ground(cpuinfo=cpuinfo)))


def test_an_nbd_export_is_its_servers_matter() -> None:
    """This machine being virtual says nothing of what a server claims of its disks."""
    found = confounders(Ground(kind="nbd", view=HostView(virtual="kvm")))
    assert names(found) == {"served"}
    assert durable_verdicts(found)


def test_a_journal_of_data_takes_the_page_cache_in() -> None:
    """ext4 accepts O_DIRECT with data=journal, and does not heed it."""
    found = confounders(ground(place=Place("ext4", "/srv", "/dev/sda1", ("rw", "data=journal"))))
    assert names(found) == {"page_cache"}
    assert "data=journal" in found[0].text
    assert not durable_verdicts(found)


@pytest.mark.parametrize("option", ["nobarrier", "barrier=0", "barrier=none", "barrier=off", "fsync_mode=nobarrier"])
def test_a_mount_without_barriers_forbids_verdicts(option: str) -> None:
    """The file system never flushes the disk."""
    found = confounders(ground(place=Place("ext4", "/srv", "/dev/sda1", ("rw", option))))
    assert names(found) == {"no_barriers"}
    assert option in found[0].text
    assert not durable_verdicts(found)


@pytest.mark.parametrize(
    ("filesystem", "name", "forbids"),
    [
        ("tmpfs", "memory", True),
        ("nfs4", "network", True),
        ("overlay", "file_system", True),
        ("fuse.sshfs", "file_system", True),
        (None, "file_system", True),
        ("btrfs", "copy_on_write", False),
        ("zfs", "copy_on_write", False),
    ],
)
def test_file_systems_are_known(filesystem: str | None, name: str, forbids: bool) -> None:
    """What each stands for, and whether it leaves a verdict possible."""
    found = confounders(ground(place=Place(filesystem, "/srv")))
    assert name in names(found)
    assert durable_verdicts(found) is not forbids


def test_the_page_cache_forbids_verdicts() -> None:
    """O_DIRECT refused."""
    found = confounders(ground(direct=False))
    assert names(found) == {"page_cache"}
    assert not durable_verdicts(found)


@pytest.mark.parametrize(
    ("uuid", "name"),
    [
        ("LVM-0aB-tpool", "thin"),
        ("LVM-0aB", "lvm"),
        ("LVM-0aB-cpool", "cache_layer"),
        ("LVM-0aB-cow", "snapshot"),
        ("CRYPT-LUKS2-0", "encryption"),
        ("mpath-3600", "multipath"),
        ("", "layers"),
        (None, "layers"),
    ],
)
def test_mappings_are_told_apart(uuid: str | None, name: str) -> None:
    """By the prefix that each maker of mappings writes; one that is not known is a layer all the same."""
    block = BlockDevice(name="dm-0", node="/dev/dm-0", kind="dm", slaves=("sda",), dm_name="vg-lv")
    assert on(block, {} if uuid is None else {"uuid": uuid}) == {name}


@pytest.mark.parametrize(
    ("block", "name"),
    [
        ("md0", "md"),
        ("drbd1", "network"),
        ("bcache0", "cache_layer"),
        ("loop3", "loop"),
        ("zram0", "memory"),
        ("nbd0", "network"),
    ],
)
def test_layers_are_known_by_their_names(block: str, name: str) -> None:
    """The kernel's own names."""
    assert on(BlockDevice(name=block, node=f"/dev/{block}", slaves=("sda",))) == {name}


def test_a_disk_that_gets_no_flushes_is_told() -> None:
    """The kernel sends none to what it takes for write through; that is no reason against a verdict."""
    found = confounders(ground(attributes={"sda": {"write_cache": "write through"}}))
    assert names(found) == {"no_flushes_sent"}
    assert durable_verdicts(found)


def test_unknown_disks_are_told() -> None:
    """A stack that nobody can see."""
    assert names(confounders(ground(scope=None))) == {"layers"}


def test_a_rebuild_is_told_with_its_progress() -> None:
    """As the inventory has it."""
    volume = Volume(id="md:md0", status="rebuilding", progress=Progress(operation="recovery", percent=12.5))
    (found,) = of(Controller(id="md", volumes=(volume,)))
    assert found.name == "rebuild"
    assert "recovery (12.5 %)" in found.text


@pytest.mark.parametrize(
    ("status", "name"), [("learning", "learn_cycle"), ("charging", "learn_cycle"), ("failed", "battery"), ("ok", None)]
)
def test_batteries_are_looked_at(status: Any, name: str | None) -> None:
    """A learn cycle switches write caches off."""
    found = of(Controller(id="x:0", batteries=(Battery(id="x:0/battery0", status=status),)))
    assert names(found) == ({name} if name else set())


def test_degraded_volumes_failing_drives_and_patrols_are_told() -> None:
    """Each slows down, and none forbids a verdict."""
    card = Controller(
        id="x:0",
        volumes=(Volume(id="x:0/v1", status="degraded", cache=VolumeCache(why_not_in_force="The battery is low")),),
        drives=(Drive(id="x:0/1", status="warning", status_text="Predictive"),),
        details={"Patrol Read State": "Active"},
    )
    found = of(card)
    assert names(found) == {"degraded", "cache_not_in_force", "drive", "patrol_read"}
    assert durable_verdicts(found)


@pytest.mark.parametrize(
    ("scrub", "patrol", "check"),
    [
        (Scrub(mode="automatic", next_at="2026-05-09"), "searches", "searches"),
        (Scrub(mode="automatic", status_text="Active, 40 %"), "patrol_read", "check"),
        (Scrub(mode="manual", status_text="running"), "patrol_read", "check"),
        (Scrub(mode="automatic", status_text="inactive"), "searches", "searches"),
        (Scrub(mode="manual", status_text="not running"), None, None),
        (Scrub(mode="disabled"), None, None),
    ],
)
def test_searches_of_the_controller_are_told(scrub: Scrub, patrol: str | None, check: str | None) -> None:
    """One under way makes figures slow; one that begins by itself may; what nobody starts does not."""
    assert names(of(Controller(id="x:0", patrol_read=scrub))) == ({patrol} if patrol else set())
    assert names(of(Controller(id="x:0", consistency_check=scrub))) == ({check} if check else set())
    volume = Volume(id="x:0/v1", status="ok", consistency_check=scrub)
    assert names(of(Controller(id="x:0", volumes=(volume,)))) == ({check} if check else set())


def test_the_next_search_is_told_with_its_moment() -> None:
    """As the tool prints it."""
    (found,) = of(Controller(id="x:0", patrol_read=Scrub(mode="automatic", next_at="05/09/2026, 03:00:00")))
    assert "automatically, next at 05/09/2026, 03:00:00" in found.text
    assert found.name not in SLOWING


def test_what_the_target_noticed_is_kept_once() -> None:
    """The file's own word and the pre-flight's are the same."""
    told = Confounder(
        name="page_cache",
        text="O_DIRECT is refused here, so the page cache of the kernel is measured together with the drive.",
        forbids=True,
    )
    assert confounders(ground(direct=False, noticed=(told,))) == [told]


def test_a_preloaded_library_without_flushes_forbids_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is durable then, whatever the disk does."""
    monkeypatch.setenv("LD_PRELOAD", "/usr/lib/libeatmydata.so")
    assert not durable_verdicts(confounders(ground()))


class Files:
    """A machine that consists of files."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer reads."""
        return [
            ReadAnswer(data=self.files[request.path].encode())
            if isinstance(request, Read) and request.path in self.files
            else ReadAnswer(trouble=Failure.MISSING)
            for request in requests
        ]


def test_the_questions_are_asked_and_understood() -> None:
    """Queues of disks, kinds of mappings, the processor and the mounts come in one round."""
    mapped = BlockDevice(name="dm-0", node="/dev/dm-0", kind="dm", slaves=("sda",))
    files = {
        "/proc/cpuinfo": BARE,
        "/proc/self/mountinfo": "30 1 254:0 / /srv rw - xfs /dev/dm-0 rw,nobarrier\n",
        "/sys/class/block/sda/queue/write_cache": "write back\n",
        "/sys/class/block/dm-0/dm/uuid": "LVM-0aB\n",
    }
    asked = converse(ask([mapped, PART, DISK]), Files(files))
    assert asked.attributes == {"sda": {"write_cache": "write back"}, "dm-0": {"uuid": "LVM-0aB"}}
    assert asked.cpuinfo == BARE
    assert asked.place("/srv/db").options == ("rw", "nobarrier")
    nothing = converse(ask([DISK]), Files({}))
    assert (nothing.cpuinfo, nothing.place("/srv").filesystem) == (None, None)


def test_it_fits_the_inventorys_own_stack() -> None:
    """The scope of a mount point is what the pre-flight works on."""
    view = HostView(blocks=(PART, DISK))
    stack = scope(view, Inventory(host=Host()), "/srv")
    assert confounders(ground(view=view, scope=stack)) == []


def test_a_check_is_told_apart_from_a_rebuild() -> None:
    """Both slow a device down, and are over at different times."""
    volume = Volume(id="md:md0", status="checking", progress=Progress(operation="check", percent=40))
    stack = Scope("x", (PART,), (PART, DISK), (), ((Controller(id="md", mode="software", volumes=(volume,)), volume),))
    assert "check" in names(confounders(ground(scope=stack)))


def test_a_disk_at_work_for_somebody_else_is_load() -> None:
    """By the milliseconds in which it had anything to do; a tenth of the time and less does not count."""
    assert names(list(load({"sda": 1000, "sdb": 70}, {"sda": 1400, "sdb": 110}, 0.5))) == {"load"}
    [found] = load({"sda": 1000}, {"sda": 1400}, 0.5)
    assert "/dev/sda" in found.text
    assert list(load({"sda": 1000}, {"sda": 1000}, 0.5)) == []


def test_every_confounder_that_makes_slow_is_one_that_is_looked_for() -> None:
    """The evidence table knows no name that nobody gives."""
    places = ("raidctl/bench", "raidctl/cli")
    root = Path(__file__).resolve().parents[2]
    texts = [path.read_text(encoding="utf-8") for place in places for path in (root / place).rglob("*.py")]
    given = {name for text in texts if "Confounder(" in text for name in re.findall(r'"([a-z_]+)"', text)}
    assert given >= SLOWING
