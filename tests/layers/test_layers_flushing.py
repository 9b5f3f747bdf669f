"""Flushes that fail, hang or never end, and the unwritten data after them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from raidctl.change.journal import Journal
from raidctl.cli.cache._flush_layer import Flushing
from raidctl.cli.cache._stack import Caches
from raidctl.cli.cache.flush import code_of
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.host import BlockDevice, HostView
from raidctl.layers import dm
from raidctl.layers.build import stack
from raidctl.layers.flushing import Job, jobs, left
from raidctl.layers.kernel import Files, Kernel
from raidctl.layers.model import Answer, Flushed, FlushReport
from raidctl.layers.probe import probe_caches
from raidctl.layers.scope import Scope, scope
from raidctl.model import Controller, Drive, DriveCaches, Host, Inventory, Problem, Volume, VolumeCache
from raidctl.output.console import Display
from raidctl.output.layers_flush import flush_screen
from raidctl.request import Answer as Reply
from raidctl.request import Failure, Read, ReadAnswer, Request, Run, RunAnswer, converse
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.vendor.plan import Action, Flush, ToolSetting
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendors
from tests.support.machines import replayed

STATE = "/sys/class/block/bcache0/bcache/state"


@dataclass
class Ailing:
    """A simulated machine on which some programs fail. Its bcache may never become clean."""

    machine: Simulated
    replies: dict[str, RunAnswer] = field(default_factory=dict)
    """Replies by the name of the program, or by the whole command."""
    ran: list[str] = field(default_factory=list)
    """The commands that change something, in their order."""
    stuck: bool = False
    interrupted: bool = False
    """Ctrl-C is pressed while the state of bcache is read."""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Reply]:
        """Reply to each request, in order."""
        return tuple(self.answer(request) for request in requests)

    def answer(self, request: Request[Any]) -> Reply:
        """Reply to one request."""
        if isinstance(request, Run) and request.changes:
            self.ran.append(" ".join(request.argv))
            for name in (self.ran[-1], request.argv[0]):
                if name in self.replies:
                    return self.replies[name]
        if isinstance(request, Read) and request.path == STATE and self.stuck:
            if self.interrupted and "[writethrough]" in self.mode():
                self.interrupted = False
                raise KeyboardInterrupt
            return ReadAnswer(data=b"dirty\n")
        return self.machine.answer(request)

    def mode(self) -> str:
        """The current cache mode."""
        return self.machine.state().get("file /sys/class/block/bcache0/bcache/cache_mode", "as recorded")


@dataclass
class Bench:
    """The demo with its caches, ready to be flushed."""

    ailing: Ailing
    flushing: Flushing
    jobs: dict[str, Job]
    journal: Journal


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A fresh machine."""
    families = vendors()[0]
    ailing = Ailing(machine("layers", families, tmp_path / "demo" / "layers"))
    settings = Settings()
    settings.demo, settings.state_dir = "layers", str(tmp_path)
    named = Machine(ailing, families, "demo:layers")
    seen = named.survey()
    below = scope(seen.view, seen.inventory, None)
    kernel = converse(probe_caches(seen.view, below.names), ailing)
    work = jobs(below, seen.view, kernel, seen.inventory, families)
    flushing = Flushing(Caches(named, seen, below, kernel), settings, patience=0.01)
    return Bench(ailing, flushing, {job.layer: job for job in work}, Journal(tmp_path / "demo" / "layers"))


@pytest.mark.slow
def test_a_cache_that_never_becomes_clean_gets_its_mode_back(bench: Bench) -> None:
    """After the time limit the cache's state is reported. Everything is set as before."""
    bench.ailing.stuck = True
    answer = bench.flushing.carry_out(bench.jobs["kernel:bcache0"])
    assert answer.result == "failed"
    assert "dirty after" in (answer.why or "")
    assert bench.ailing.mode() == "as recorded"
    assert not bench.journal.pending()


@pytest.mark.slow
@pytest.mark.parametrize(("term", "redrawn"), [("xterm", True), ("dumb", False)])
def test_progress_is_redrawn_where_the_cursor_can_be_moved(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, term: str, redrawn: bool
) -> None:
    """A terminal that only shows lines gets none of the redrawn ones."""
    bench.ailing.stuck = True
    ours, theirs = os.openpty()
    with os.fdopen(ours, "rb", buffering=0) as printed, os.fdopen(theirs, "w") as screen:
        monkeypatch.setenv("TERM", term)
        monkeypatch.setattr(sys, "stderr", screen)
        bench.flushing.carry_out(bench.jobs["kernel:bcache0"])
        screen.write("the end\n")
        screen.flush()
        assert (b"\r  bcache kernel:bcache0: " in printed.read(65536)) is redrawn


def test_an_interrupted_flush_puts_the_mode_back(bench: Bench) -> None:
    """Ctrl-C during the wait restores the mode, and the exception is passed on."""
    bench.ailing.stuck = bench.ailing.interrupted = True
    with pytest.raises(KeyboardInterrupt):
        bench.flushing.carry_out(bench.jobs["kernel:bcache0"])
    assert not bench.ailing.interrupted
    assert bench.ailing.mode() == "as recorded"
    assert not bench.journal.pending()


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        (RunAnswer(code=1, err=b"sync: error syncing '/srv/db': Input/output error\n"), "failed"),
        (RunAnswer(code=1, err=b"sync: cannot open: Permission denied\n"), "no_right"),
        (RunAnswer(code=3), "failed"),
        (RunAnswer(trouble=Failure.MISSING, detail="not installed"), "no_tool"),
        (RunAnswer(trouble=Failure.DENIED, detail="no"), "no_right"),
        (RunAnswer(trouble=Failure.TIMEOUT, detail="ended"), "failed"),
    ],
)
def test_a_command_that_fails_is_reported_with_its_message(bench: Bench, reply: RunAnswer, result: str) -> None:
    """It is never reported as done. A missing permission, a missing tool and an error are three results."""
    bench.ailing.replies["sync"] = reply
    answer = bench.flushing.carry_out(bench.jobs["kernel:vm"])
    assert answer.result == result
    assert answer.why


def paths(*points: str) -> Job:
    """The page cache of some file systems."""
    actions = tuple(Action(argv=("sync", "--file-system", point)) for point in points)
    return Job("kernel:vm", "page_cache", Answer(result="supported"), actions=actions)


def test_a_file_system_that_fails_does_not_keep_the_others_from_being_written(bench: Bench) -> None:
    """All are tried; the first failure is reported."""
    bad = "sync --file-system /srv/db"
    bench.ailing.replies[bad] = RunAnswer(code=1, err=b"sync: error syncing '/srv/db': Input/output error\n")
    answer = bench.flushing.carry_out(paths("/srv/db", "/srv/log"))
    assert (answer.result, answer.how) == ("failed", bad)
    assert bench.ailing.ran == [bad, "sync --file-system /srv/log"]


def test_a_sync_that_knows_no_file_systems_writes_everything(bench: Bench) -> None:
    """Before coreutils 8.24, sync writes the whole machine. That includes the wanted file system."""
    replies = RunAnswer(code=1, err=b"sync: unrecognized option '--file-system'\nTry 'sync --help'.\n")
    bench.ailing.replies["sync --file-system /srv/db"] = replies
    answer = bench.flushing.carry_out(paths("/srv/db"))
    assert answer.result == "done"
    assert bench.ailing.ran[-1] == "sync"


def with_preserved(report: Inventory) -> Inventory:
    """The same machine with data of a volume that is gone. The controller keeps the data."""
    [controller] = report.controllers
    assert controller.cache is not None
    return replace(report, controllers=(replace(controller, cache=replace(controller.cache, preserved_data=True)),))


def test_a_flush_reports_beforehand_what_it_does_not_write(tmp_path: Path) -> None:
    """Preserved data of a lost volume is not written by the command. The family reports that."""
    families = vendors()[0]
    seen = Machine(machine("9271", families, tmp_path), families, "demo:9271").survey()
    inventory = with_preserved(seen.inventory)
    below = scope(seen.view, inventory, None)
    work = jobs(below, seen.view, Kernel(vm=Files("", {}, [])), inventory, families)
    [job] = [job for job in work if job.kind == "controller"]
    assert job.answer.result == "supported"
    assert job.answer.alternative


def test_data_that_a_controller_keeps_after_a_flush_is_not_called_written() -> None:
    """The command has done what it can. The exit code is 1, and the screen names the volume of the remaining data."""
    layer = Flushed(layer="acme:0", kind="controller", answer=Answer(result="done"), preserved=True)
    report = FlushReport(host=Host(), layers=(layer,))
    assert code_of(report) == 1
    screen = flush_screen(report, Display(80, colour=False))
    assert "acme:0" in screen.splitlines()[1]
    assert "All unwritten data was written" not in screen


def test_a_controller_that_reports_unwritten_data_after_its_flush_is_not_called_written() -> None:
    """Its tool accepted the command, and then reports unwritten data: the exit code is 3."""
    layer = Flushed(layer="acme:0", kind="controller", answer=Answer(result="done"), unwritten=True)
    report = FlushReport(host=Host(), layers=(layer,))
    assert code_of(report) == 3
    first = flush_screen(report, Display(80)).splitlines()[1]
    assert first == "Every layer was flushed, but unwritten data is reported by acme:0."
    busy = Flushed(
        layer="kernel:vm", kind="page_cache", answer=Answer(result="done"), unwritten_bytes=1, unwritten=True
    )
    assert code_of(FlushReport(host=Host(), layers=(busy,))) == 0


def test_a_flush_whose_result_no_tool_reports_is_not_called_complete() -> None:
    """The screen names a layer whose remaining data is unknown.

    The command succeeded, but whether anything is left is unknown.
    """
    layer = Flushed(layer="acme:0", kind="controller", answer=Answer(result="done"))
    first = flush_screen(FlushReport(host=Host(), layers=(layer,)), Display(80)).splitlines()[1]
    assert first == "Every layer was flushed; what is left unwritten is not reported by acme:0."


def test_a_layer_whose_result_is_unknown_is_not_called_failed() -> None:
    """The exit code is 3, and the screen counts the layers that may have unwritten data."""
    layers = (
        Flushed(layer="acme:0", kind="controller", answer=Answer(result="done")),
        Flushed(layer="acme:0/1", kind="drive", answer=Answer(result="unknown", why="It is not reported.")),
    )
    report = FlushReport(host=Host(), layers=layers)
    first = flush_screen(report, Display(80)).splitlines()[1]
    assert (code_of(report), first) == (3, "Whether 1 of 2 layers is flushed is unknown.")


def test_a_missing_program_is_reported_in_a_field() -> None:
    """The message makes no difference to exit code 4. The code is for what can be installed."""
    controller = Controller(id="acme:0", mode="none", drives=(Drive(id="acme:0/1", device="/dev/sda"),))
    below = Scope(None, drives=((controller, controller.drives[0]),), controllers=(controller,))

    class Family:
        """Reports that its drive lacks a program."""

        FAMILY, TOOLS = "acme", ()

        def current_settings(self, _: Controller) -> dict[ToolSetting, str]:
            """None."""
            return {}

        def flushes(self, _: Controller, __: object) -> list[Flush]:
            """No program."""
            return [Flush(object_id="acme:0/1", why="There is no acmectl.", lack="tool")]

    inventory = Inventory(host=Host(), controllers=(controller,))
    work = jobs(below, HostView(), Kernel(vm=Files("", {}, [])), inventory, [cast("Vendor", Family())])
    assert [job.answer.result for job in work if job.kind == "drive"] == ["no_tool"]


@pytest.mark.parametrize("vendor", vendors()[0], ids=lambda vendor: vendor.FAMILY)
def test_a_cache_that_no_tool_reports_is_not_called_missing(vendor: Vendor) -> None:
    """If the tool of a RAID controller reports nothing about its cache, "nothing to write" is not known."""
    controller = Controller(id=f"{vendor.FAMILY}:0", mode="raid", volumes=(Volume(id=f"{vendor.FAMILY}:0/v0"),))
    inventory = Inventory(host=Host(), controllers=(controller,))
    below = scope(HostView(), inventory, None)
    work = jobs(below, HostView(), Kernel(vm=Files("", {}, [])), inventory, [vendor])
    assert [job.answer.result for job in work if job.kind == "controller"] == ["unsupported"]


@pytest.mark.parametrize(("caches", "results"), [("unknown", ["unknown"]), ("on", ["unknown"]), ("off", [])])
def test_a_member_whose_cache_no_tool_reports_is_a_layer(caches: DriveCaches, results: list[str]) -> None:
    """Not every layer is flushed if a drive behind the controller may have a cache. The volume may report them off."""
    drive = Drive(id="acme:0/1", array="acme:0/a", role="member")
    cache = VolumeCache(write_active="write_through", drive_caches=caches)
    volume = Volume(id="acme:0/v0", array="acme:0/a", cache=cache)
    controller = Controller(id="acme:0", mode="raid", drives=(drive,), volumes=(volume,))
    below = Scope(None, drives=((controller, drive),), controllers=(controller,))
    inventory = Inventory(host=Host(), controllers=(controller,))
    work = jobs(below, HostView(), Kernel(vm=Files("", {}, [])), inventory, [])
    assert [job.answer.result for job in work if job.kind == "drive"] == results


@pytest.mark.parametrize(
    ("queue", "reported", "result"),
    [
        ("write through", None, "unknown"),
        ("write through", "disabled", "nothing"),
        ("write through", "enabled", "unsupported"),
        ("write back", None, "supported"),
    ],
)
def test_the_kernels_write_through_does_not_show_that_nothing_is_unwritten(
    queue: str, reported: Any, result: str
) -> None:
    """A drive has nothing to write only if it reports its cache off; the kernel's setting can be wrong."""
    drive = Drive(id="acme:0/1", device="/dev/sda", write_cache=reported)
    controller = Controller(id="acme:0", mode="none", drives=(drive,))
    block = BlockDevice(name="sda", node="/dev/sda", kind="disk", write_cache=queue)
    below = Scope("acme:0/1", drives=((controller, drive),))
    work = jobs(below, HostView(blocks=(block,)), Kernel(vm=Files("", {}, [])), Inventory(host=Host()), ())
    assert [job.answer.result for job in work if job.kind == "drive"] == [result]


@pytest.mark.parametrize("lacking", ["Dirty", "Writeback"])
def test_a_page_cache_without_a_figure_is_not_called_written(lacking: str) -> None:
    """Without one of its lines in /proc/meminfo, the unwritten data in memory is unknown, not 0."""
    memory = {name: 0 for name in ("MemTotal", "Dirty", "Writeback") if name != lacking}
    job = Job("kernel:vm", "page_cache", Answer(result="supported"))
    assert left(job, Kernel(vm=Files("", {}, []), memory=memory), {}) == (None, None)
    assert left(job, Kernel(vm=Files("", {}, []), memory={**memory, lacking: 0}), {}) == (0, False)


def test_a_drive_that_refuses_is_judged_by_its_family(bench: Bench) -> None:
    """Hdparm's words are those of the vendor package."""
    bench.ailing.replies["hdparm"] = RunAnswer(code=5, err=b"HDIO_DRIVE_CMD(flushcache) failed: Input/output error\n")
    answer = bench.flushing.carry_out(bench.jobs["drives:HBS4A011"])
    assert answer.result == "failed"
    assert "Input/output error" in (answer.why or "")


@pytest.mark.parametrize(
    ("results", "code"),
    [
        (("done", "nothing"), 0),
        (("done", "unsupported"), 1),
        (("done", "unsupported", "unknown"), 3),
        (("failed", "no_tool"), 3),
        (("unsupported", "no_tool"), 4),
        (("done", "no_right"), 4),
    ],
)
def test_the_exit_code_is_that_of_the_worst_layer(results: Sequence[Any], code: int) -> None:
    """The exit code is that of the worst layer.

    Everything written 0, a layer without a flush 1, doubt 3, tool or right missing 4.
    """
    layers = tuple(Flushed(layer=str(n), kind="drive", answer=Answer(result=r)) for n, r in enumerate(results))
    assert code_of(FlushReport(host=Host(), layers=layers)) == code


def test_what_could_not_be_read_may_be_a_cache() -> None:
    """Without dmsetup a mapping may be a cache. The exit code is 4, although every known layer was flushed."""
    problem = Problem(severity="warning", where="dmsetup", message="It is missing.", kind="no_tool")
    layer = Flushed(layer="kernel:vm", kind="page_cache", answer=Answer(result="done"))
    assert code_of(FlushReport(host=Host(), layers=(layer,), problems=(problem,))) == 4


def _answer_of(block: BlockDevice, **caches: Any) -> Answer:
    """What one block device of a machine answers to a flush."""
    kernel = Kernel(Files("/proc/sys/vm", {}, []), **caches)
    below = Scope("kernel:x", blocks=(block,))
    found = jobs(below, HostView(), kernel, Inventory(host=Host()), ())
    return next(job.answer for job in found if job.layer == f"kernel:{block.name}")


@pytest.mark.parametrize(
    ("journal_mode", "state", "flags", "details", "result"),
    [
        (Failure.TIMEOUT, b"clean", (), {"bitmap/backlog": "0"}, "unknown"),
        (Failure.MISSING, None, (), {"bitmap/backlog": "0"}, "unknown"),
        (Failure.MISSING, b"clean", (), {"bitmap/backlog": "256"}, "nothing"),
        (Failure.MISSING, b"clean", (), {}, "nothing"),
        (Failure.MISSING, b"write-pending", ("write_mostly",), {"bitmap/backlog": "0"}, "nothing"),
        (Failure.MISSING, b"clean", ("write_mostly",), {"bitmap/backlog": "256"}, "unknown"),
        (Failure.MISSING, b"clean", ("write_mostly",), {"bitmap/location": "none"}, "nothing"),
        (Failure.MISSING, b"clean", ("write_mostly",), {}, "unknown"),
    ],
)
def test_an_array_may_have_unwritten_data(
    journal_mode: Failure, state: bytes | None, flags: tuple[str, ...], details: dict[str, str], result: str
) -> None:
    """In its journal, or for write-mostly members if the bitmap allows a backlog; unread values are unknown.

    A missing journal file shows nothing if no other file of the array was read either.
    """
    members = (Drive(id="md:a", array="md:md0/array"), Drive(id="md:b", array="md:md0/array", flags=flags))
    volume = Volume(id="md:md0", device="/dev/md0", array="md:md0/array", details=details)
    controller = Controller(id="md", mode="software", drives=members, volumes=(volume,))
    block = BlockDevice(name="md0", node="/dev/md0", kind="md")
    answers = {"journal_mode": ReadAnswer(trouble=journal_mode)}
    if state is not None:
        answers["array_state"] = ReadAnswer(data=state)
    arrays = {"md0": Files("/sys/block/md0/md", answers, [])}
    kernel = Kernel(Files("/proc/sys/vm", {}, []), arrays=arrays)
    inventory = Inventory(host=Host(), controllers=(controller,))
    view = HostView(blocks=(block,))
    below = scope(view, inventory, "md:md0")
    work = jobs(below, view, kernel, inventory, ())
    assert [job.answer.result for job in work if job.kind == "md"] == [result]
    [layer] = [layer for layer in stack(below, view, kernel, inventory, ()).layers if layer.kind == "md"]
    assert layer.unwritten is (False if result == "nothing" else None)
    if state is None:
        assert layer.policy_in_force is None


def test_an_array_that_is_not_listed_may_have_unwritten_data() -> None:
    """Its members are unknown, and so is whether some of them are write-mostly."""
    block = BlockDevice(name="md0", node="/dev/md0", kind="md")
    answers = {"journal_mode": ReadAnswer(trouble=Failure.MISSING), "array_state": ReadAnswer(data=b"clean")}
    files = Files("/sys/block/md0/md", answers, [])
    assert _answer_of(block, arrays={"md0": files}).result == "unknown"


@pytest.mark.parametrize(("level", "result"), [("raid6", "unknown"), ("raid10", "unsupported"), (None, "unknown")])
def test_a_stripe_cache_that_was_not_read_is_not_called_missing(level: str | None, result: str) -> None:
    """Only an array whose level has no parity has no stripe cache. Without the level, it is unknown."""
    answers = {} if level is None else {"level": ReadAnswer(data=f"{level}\n".encode())}
    block = BlockDevice(name="md0", node="/dev/md0", kind="md")
    kernel = Kernel(Files("/proc/sys/vm", {}, []), arrays={"md0": Files("/sys/block/md0/md", answers, [])})
    view, bare = HostView(blocks=(block,)), Inventory(host=Host())
    [layer] = [one for one in stack(scope(view, bare, None), view, kernel, bare, ()).layers if one.kind == "md"]
    assert layer.threshold.result == result


def test_the_page_cache_of_a_volume_without_a_known_device_is_unknown() -> None:
    """A pool of ZFS has no block device, and without udev a controller's volume has none; both may have data there."""
    volume = Volume(id="acme:0/v0")
    controller = Controller(id="acme:0", volumes=(volume,))
    below = Scope("acme:0/v0", volumes=((controller, volume),))
    work = jobs(below, HostView(), Kernel(vm=Files("", {}, [])), Inventory(host=Host(), controllers=(controller,)), [])
    assert [job.answer.result for job in work if job.kind == "page_cache"] == ["unknown"]


def test_a_controller_with_a_hidden_volume_is_not_flushed_as_a_whole() -> None:
    """Of a controller's volumes, those without a known block device are named, each as unknown."""
    names = {"acme:0/v0": "/dev/sda", "acme:0/v1": None, "acme:0/v2": "/dev/sdz"}
    controller = Controller(id="acme:0", volumes=tuple(Volume(id=name, device=at) for name, at in names.items()))
    view = HostView(blocks=(BlockDevice(name="sda", node="/dev/sda", kind="disk"),))
    inventory = Inventory(host=Host(), controllers=(controller,))
    for target, hidden in (("acme:0", ["acme:0/v1", "acme:0/v2"]), ("acme:0/v0", []), (None, [])):
        below = scope(view, inventory, target)
        work = jobs(below, view, Kernel(vm=Files("", {}, [])), inventory, ())
        [whole, *others] = [job for job in work if job.kind == "page_cache"]
        assert (whole.layer, whole.answer.result) == ("kernel:vm", "supported")
        assert [job.layer for job in others] == hidden
        assert {job.answer.result for job in others} <= {"unknown"}


def test_a_pool_without_a_block_device_is_flushed_by_its_file_systems() -> None:
    """A pool of ZFS never has a block device: its data is in its file systems, unless there are volumes of ZFS."""
    seen = replayed("zfs-raidz2-resilvering")
    below = scope(seen.view, seen.inventory, "zfs")
    assert (below.hidden, below.mountpoints) == ((), ("/", "/srv/archive"))
    zvol = replace(seen.view, blocks=(*seen.view.blocks, BlockDevice(name="zd0", node="/dev/zd0", kind="disk")))
    assert scope(zvol, seen.inventory, "zfs").hidden == ("zfs:archive", "zfs:system")


def test_a_dm_cache_in_writethrough_may_still_be_dirty() -> None:
    """Blocks that were dirty when the mode was changed are not called written, nor those that nothing counts."""
    block = BlockDevice(name="dm-1", node="/dev/dm-1", kind="dm", dm_name="vg0-data")
    table = tuple(["0", "1677721600", "cache", "253:4", "253:3", "253:5", "128", "1", "writethrough", "smq", "0"][3:])
    assert _answer_of(block, targets={"dm-1": dm.Target("cache", table=table)}).result == "unknown"
    for dirty, result in ((7, "unsupported"), (0, "nothing")):
        status = (
            f"8 27/8192 128 191/1600 139 1 35 15 0 191 {dirty} 3 metadata2 writethrough no_discard_passdown 0 smq 0"
        )
        target = dm.Target("cache", status=tuple(f"{status} rw -".split()))
        assert _answer_of(block, targets={"dm-1": target}).result == result
