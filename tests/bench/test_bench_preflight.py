"""What could distort a measurement is found before it begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidctl.bench.preflight import TargetFacts, ask, confounders, durable_verdicts, load
from raidctl.bench.profiles import Profile
from raidctl.bench.result import Confounder
from raidctl.bench.targets.place import Place, place_of
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.trial import MIB
from raidctl.bench.verdict.early_acknowledgement import SLOWING
from raidctl.cli.shared.bench_plan import Order
from raidctl.cli.shared.measuring import Measuring
from raidctl.host import BlockDevice, HostView
from raidctl.layers.scope import Scope, scope
from raidctl.model import (
    Battery,
    Controller,
    Drive,
    Host,
    Inventory,
    Mount,
    Progress,
    Scrub,
    Volume,
    VolumeCache,
)
from raidctl.request import Answer, Failure, Read, ReadAnswer, Request, converse
from raidctl.survey.survey import Survey
from tests.support.machines import replayed

BARE = "processor : 0\nflags : fpu vme sse2\n"
EXT4 = Place("ext4", "/srv", "/dev/sda1", ("rw",))
DISK = BlockDevice(name="sda", node="/dev/sda", kind="disk", write_cache="write back")
PART = BlockDevice(name="sda1", node="/dev/sda1", kind="partition", parent="sda", mountpoints=("/srv",))


def names(found: Sequence[Confounder]) -> set[str]:
    """The names of confounders."""
    return {item.name for item in found}


def target_facts(**changed: Any) -> TargetFacts:
    """A file on a plain drive of a real machine, without confounders."""
    plain: dict[str, Any] = {"kind": "file", "place": EXT4, "cpuinfo": BARE}
    plain["view"] = HostView(blocks=(PART, DISK))
    plain["scope"] = Scope("/srv", (PART,), (PART, DISK))
    return TargetFacts(**(plain | changed))


def on(block: BlockDevice, attributes: dict[str, str] | None = None, kind: str = "device") -> set[str]:
    """The confounders of one device on a plain drive."""
    return names(
        confounders(
            target_facts(
                kind=kind, scope=Scope(None, (block,), (block, DISK)), attributes={block.name: attributes or {}}
            )
        )
    )


def of(controller: Controller) -> Sequence[Confounder]:
    """The confounders of a controller's state."""
    stack = Scope(
        "x",
        (PART,),
        (PART, DISK),
        (),
        tuple((controller, v) for v in controller.volumes),
        tuple((controller, d) for d in controller.drives),
        (controller,),
    )
    return confounders(target_facts(scope=stack))


def test_a_plain_drive_of_a_real_machine_has_none() -> None:
    """A plain drive has no confounder, and verdicts are allowed."""
    assert confounders(target_facts()) == []
    assert durable_verdicts([])


@pytest.mark.parametrize("kind", ["kvm", "vmware", "unknown"])
def test_a_virtual_machine_forbids_verdicts(kind: str) -> None:
    """With any hypervisor, durability depends on the host."""
    found = confounders(target_facts(view=HostView(virtual=kind)))
    assert found[0].name == "virtual_machine"
    assert not durable_verdicts(found)


@pytest.mark.parametrize("cpuinfo", [None, "", "processor : 0\nFeatures : fp asimd\n"])
def test_unknown_virtualisation_forbids_verdicts(cpuinfo: str | None) -> None:
    """A processor without reported flags may be virtual."""
    assert not durable_verdicts(confounders(target_facts(cpuinfo=cpuinfo)))


def test_an_nbd_export_depends_on_its_server() -> None:
    """A virtual client does not affect the durability of an NBD export."""
    found = confounders(TargetFacts(kind="nbd", view=HostView(virtual="kvm")))
    assert names(found) == {"served"}
    assert durable_verdicts(found)


def test_data_journalling_uses_the_page_cache() -> None:
    """With data=journal, ext4 accepts O_DIRECT without effect."""
    found = confounders(target_facts(place=Place("ext4", "/srv", "/dev/sda1", ("rw", "data=journal"))))
    assert names(found) == {"page_cache"}
    assert "data=journal" in found[0].text
    assert not durable_verdicts(found)


@pytest.mark.parametrize("option", ["nobarrier", "barrier=0", "barrier=none", "barrier=off", "fsync_mode=nobarrier"])
def test_a_mount_without_barriers_forbids_verdicts(option: str) -> None:
    """Without barriers, the file system never flushes the drive."""
    found = confounders(target_facts(place=Place("ext4", "/srv", "/dev/sda1", ("rw", option))))
    assert names(found) == {"no_barriers"}
    assert option in found[0].text
    assert not durable_verdicts(found)


def test_options_that_only_the_view_has_forbid_verdicts() -> None:
    """ext4's own defaults are not in mountinfo, from which the place is read."""
    mount = Mount(point="/srv", device=PART.node, filesystem="ext4", options=("rw", "nobarrier", "data=journal"))
    part = replace(PART, mounts=(mount,))
    stack = Scope("/srv", (part,), (part, DISK))
    found = confounders(target_facts(place=Place("ext4", "/srv", "/dev/sda1", ("rw",)), scope=stack))
    assert names(found) == {"no_barriers", "page_cache"}


@pytest.mark.parametrize(
    ("source", "disabled", "words"),
    [
        ("archive/incoming", ("archive/incoming",), "archive/incoming has sync=disabled"),
        ("archive/incoming/tmp", ("archive/incoming",), "is in archive/incoming, which has"),
        ("archive/incoming2", ("archive/incoming",), None),
        ("archive", ("archive/incoming",), None),
        ("archive", (), None),
        ("archive", None, "is unknown"),
        ("other", (), "is unknown"),
        (None, (), "is unknown"),
    ],
)
@pytest.mark.parametrize("kind", ["file", "device"])
def test_zfs_that_acknowledges_commits_early_forbids_verdicts(
    kind: str, source: str | None, disabled: tuple[str, ...] | None, words: str | None
) -> None:
    """With sync=disabled on what holds the target, or if that is unknown, no figure shows what is durable."""
    seen = replayed("zfs-raidz2-resilvering")
    [zfs] = [one for one in seen.inventory.controllers if one.id == "zfs"]
    zfs = replace(zfs, volumes=tuple(replace(one, sync_disabled=disabled) for one in zfs.volumes))
    inventory = replace(seen.inventory, controllers=(zfs,))
    links = (f"/dev/zvol/{source}",) if source else ()
    zvol = BlockDevice(name="zd0", node="/dev/zd0", kind="disk", links=links)
    view = replace(seen.view, blocks=(*seen.view.blocks, zvol))
    if kind == "file":
        place = Place("zfs", "/srv/archive", source, ("rw",))
        facts = target_facts(place=place, view=view, scope=scope(view, inventory, "/srv/archive"))
    else:
        facts = target_facts(kind="device", place=Place(), view=view, scope=scope(view, inventory, "/dev/zd0"))
    found = [one for one in confounders(facts) if one.name == "sync_disabled"]
    assert durable_verdicts(confounders(facts)) is not bool(words)
    assert len(found) == bool(words)
    assert all(words and words in one.text for one in found)


@pytest.mark.parametrize(
    ("filesystem", "name", "forbids"),
    [
        ("tmpfs", "memory", True),
        ("nfs4", "network", True),
        ("overlay", "file_system", True),
        ("fuse.sshfs", "file_system", True),
        (None, "file_system", True),
        ("btrfs", "copy_on_write", False),
        ("zfs", "copy_on_write", True),  # the value of sync is unknown
    ],
)
def test_file_systems_are_known(filesystem: str | None, name: str, forbids: bool) -> None:
    """Each file system has its confounder, and forbids verdicts or not."""
    found = confounders(target_facts(place=Place(filesystem, "/srv")))
    assert name in names(found)
    assert durable_verdicts(found) is not forbids


def test_the_page_cache_forbids_verdicts() -> None:
    """Without O_DIRECT, verdicts are forbidden."""
    found = confounders(target_facts(direct=False))
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
def test_mappings_are_distinguished(uuid: str | None, name: str) -> None:
    """Mappings are recognised by the prefix of their UUID. An unknown mapping counts as a layer."""
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
    """Layers are recognised by the kernel's names."""
    assert on(BlockDevice(name=block, node=f"/dev/{block}", slaves=("sda",))) == {name}


def test_a_drive_without_flushes_is_a_confounder() -> None:
    """The kernel flushes no write-through device; verdicts are allowed."""
    found = confounders(target_facts(attributes={"sda": {"write_cache": "write through"}}))
    assert names(found) == {"no_flushes_sent"}
    assert durable_verdicts(found)


def test_an_unknown_stack_is_a_confounder() -> None:
    """An unknown stack counts as layers."""
    assert names(confounders(target_facts(scope=None))) == {"layers"}


def test_a_rebuild_is_reported_with_its_progress() -> None:
    """The progress is that of the inventory."""
    volume = Volume(id="md:md0", status="rebuilding", progress=Progress(operation="recovery", percent=12.5))
    (found,) = of(Controller(id="md", volumes=(volume,)))
    assert found.name == "rebuild"
    assert "recovery (12.5%)" in found.text


@pytest.mark.parametrize(
    ("status", "name"), [("learning", "learn_cycle"), ("charging", "learn_cycle"), ("failed", "battery"), ("ok", None)]
)
def test_batteries_are_checked(status: Any, name: str | None) -> None:
    """A learning or failed battery is a confounder. It disables write caches."""
    found = of(Controller(id="x:0", batteries=(Battery(id="x:0/battery0", status=status),)))
    assert names(found) == ({name} if name else set())


def test_degraded_volumes_failing_drives_and_patrol_reads_are_confounders() -> None:
    """Each slows down the measurement, and none forbids a verdict."""
    controller = Controller(
        id="x:0",
        volumes=(Volume(id="x:0/v1", status="degraded", cache=VolumeCache(why_not_in_force="The battery is low")),),
        drives=(Drive(id="x:0/1", status="warning", status_text="Predictive"),),
        details={"Patrol Read State": "Active"},
    )
    found = of(controller)
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
def test_background_scans_of_the_controller_are_confounders(
    scrub: Scrub, patrol: str | None, check: str | None
) -> None:
    """A running or automatic scan is a confounder. A manual or disabled one is not."""
    assert names(of(Controller(id="x:0", patrol_read=scrub))) == ({patrol} if patrol else set())
    assert names(of(Controller(id="x:0", consistency_check=scrub))) == ({check} if check else set())
    volume = Volume(id="x:0/v1", status="ok", consistency_check=scrub)
    assert names(of(Controller(id="x:0", volumes=(volume,)))) == ({check} if check else set())


def test_the_next_background_scan_is_reported_with_its_time() -> None:
    """The time is printed as the tool reports it."""
    (found,) = of(Controller(id="x:0", patrol_read=Scrub(mode="automatic", next_at="05/09/2026, 03:00:00")))
    assert "automatically, next at 05/09/2026, 03:00:00" in found.text
    assert found.name not in SLOWING


def test_a_confounder_of_the_target_is_listed_once() -> None:
    """A confounder found by the target and by the pre-flight appears once."""
    page_cache = Confounder(
        name="page_cache",
        text="O_DIRECT is refused here, so the page cache of the kernel is measured together with the drive.",
        forbids=True,
    )
    assert confounders(target_facts(direct=False, noticed=(page_cache,))) == [page_cache]


def test_a_preloaded_library_without_flushes_forbids_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With libeatmydata nothing is durable, whatever the drive does."""
    monkeypatch.setenv("LD_PRELOAD", "/usr/lib/libeatmydata.so")
    assert not durable_verdicts(confounders(target_facts()))


class Files:
    """A machine that consists of files."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Reply to reads."""
        return [
            ReadAnswer(data=self.files[request.path].encode())
            if isinstance(request, Read) and request.path in self.files
            else ReadAnswer(trouble=Failure.MISSING)
            for request in requests
        ]


def test_the_facts_are_read_in_one_round() -> None:
    """All facts are read in one round.

    The facts are queues of drives, kinds of mappings, the processor and the mounts.
    """
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


def test_the_preflight_uses_the_scope_of_the_inventory() -> None:
    """The scope of a mount point is accepted."""
    view = HostView(blocks=(PART, DISK))
    stack = scope(view, Inventory(host=Host()), "/srv")
    assert confounders(target_facts(view=view, scope=stack)) == []


def test_a_check_is_distinguished_from_a_rebuild() -> None:
    """A check has another confounder than a rebuild."""
    volume = Volume(id="md:md0", status="checking", progress=Progress(operation="check", percent=40))
    stack = Scope("x", (PART,), (PART, DISK), (), ((Controller(id="md", mode="software", volumes=(volume,)), volume),))
    assert "check" in names(confounders(target_facts(scope=stack)))


def test_other_io_on_a_drive_is_load() -> None:
    """A drive busy over a tenth of the time is a confounder."""
    assert names(list(load({"sda": 1000, "sdb": 70}, {"sda": 1400, "sdb": 110}, 0.5))) == {"load"}
    [found] = load({"sda": 1000}, {"sda": 1400}, 0.5)
    assert "/dev/sda" in found.text
    assert list(load({"sda": 1000}, {"sda": 1000}, 0.5)) == []


class Readings(Files):
    """A machine whose drive was busy for others for this many milliseconds at each reading."""

    def __init__(self, *busy: int) -> None:
        super().__init__({})
        self.busy = list(busy)

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Reply to reads; each round with the drive's counters takes the next number."""
        if any(isinstance(one, Read) and one.path.endswith("/sda/stat") for one in requests):
            self.files["/sys/class/block/sda/stat"] = f"1 0 1 1 1 0 1 1 0 {self.busy.pop(0)} 1\n"
        return super().carry_out(requests)


@pytest.mark.parametrize(
    ("busy", "found"),
    [((0, 0, 900, 900), None), ((0, 400), "before"), ((0, 0, 900, 1300), "after")],
    ids=["idle", "before", "meanwhile"],
)
def test_load_that_begins_meanwhile_is_noticed_at_the_end(
    tmp_path: Path, busy: tuple[int, ...], found: str | None
) -> None:
    """The drive is observed before and after; its own work in between does not count."""
    point = place_of(str(tmp_path)).point or "/"
    seen = Survey(Inventory(host=Host()), view=HostView(blocks=(replace(DISK, mountpoints=(point,)),)))
    profile = Profile(name="test", title="", seconds=1, size=MIB, trials=(Medium(reads=6, commits=2, rounds=1),))
    order = Order(
        target=str(tmp_path), kind="file", profile=profile, engine="portable", cross_check=False, size=MIB,
        overwrite=None, seconds=1,
    )  # fmt: skip
    measuring = Measuring(order, seen, Readings(*busy), lambda *_: None)
    session = measuring.plan(lambda _: None).session
    loads = [one.text for one in session.confounders if one.name == "load"]
    assert [f"{found} the measurement" in text for text in loads] == [True] * (found is not None)
    assert all(one.confounders == session.confounders for one in session.results)


def test_every_slowing_confounder_is_searched_for() -> None:
    """Each name in SLOWING is given by some code."""
    places = ("raidctl/bench", "raidctl/cli")
    root = Path(__file__).resolve().parents[2]
    texts = [path.read_text(encoding="utf-8") for place in places for path in (root / place).rglob("*.py")]
    given = {name for text in texts if "Confounder(" in text for name in re.findall(r'"([a-z_]+)"', text)}
    assert given >= SLOWING
