"""``raidctl watch`` without ``--once``: readings, marks, unknown values, lines and objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from rich.cells import cell_len

from raidctl.audit.builtin import health_rules
from raidctl.audit.diagnosis import diagnose
from raidctl.cli import cli
from raidctl.cli._watch_live import Readings, _state, follow
from raidctl.cli.shared.machine import Machine, machine
from raidctl.cli.shared.options import Settings
from raidctl.errors import UnreachableError
from raidctl.health.judge import judge
from raidctl.model import Controller, Host, Inventory, Problem, Volume
from raidctl.output.console import Display
from raidctl.output.live import picture
from raidctl.request import Answer, Failure
from raidctl.tasks.watch import Frame, Watch
from raidctl.vendor.events import Event
from raidctl.watch.live import Board, Live, Reading
from raidctl.watch.live_facts import facts_of
from raidctl.watch.live_report import LiveChange
from raidctl.watch.objects import read_in_part
from tests.support.machines import MACHINES, replayed
from tests.tasks.moving import Moving, VirtualClock, md_rebuild, tool_rebuild

BEGAN = datetime(2026, 3, 10, 22, 0, tzinfo=timezone.utc)


def opened(moving: Moving) -> Callable[[], Any]:
    """A machine that can be reached."""
    return lambda: nullcontext(moving.machine())


def followed(
    moving: Moving, *, at_most: float | None = 60.0, as_json: bool = False, every: float = 2.0, host: str | None = None
) -> int:
    """The exit code of watching in a pipe."""
    settings = Settings()
    settings.as_json, settings.host = as_json, host
    with Readings(opened(moving), settings, BEGAN) as readings:
        return follow(readings, settings, every, at_most, moving.clock)


@pytest.mark.parametrize("severity", ["error", "warning", "info"])
@pytest.mark.parametrize("kind", ["unread", "no_tool", "no_right"])
def test_a_machine_with_something_unread_is_not_ok(kind: Any, severity: Any) -> None:
    """If anything was not read, the first line does not call the machine OK."""
    whole = replayed("md-healthy").inventory
    assert facts_of(whole, (), ())[0].value == "ok"
    gap = Problem(severity=severity, where="storcli64", message="It died.", kind=kind)
    assert facts_of(replace(whole, problems=(*whole.problems, gap)), (), ())[0].value == "unknown"


@pytest.mark.parametrize(
    ("where", "software", "hardware"),
    [("mdadm", True, False), ("md:md0", True, False), ("x:0", False, True), ("x:0 and mdadm", False, True)],
)
def test_a_problem_that_names_no_object_may_be_about_any_software_array(
    where: str, software: bool, hardware: bool
) -> None:
    """The earlier state of such an object has not ended only because the current reading does not show it."""
    both = (
        Controller(id="md", mode="software", volumes=(Volume(id="md:md0"),)),
        Controller(id="x:0", mode="raid", volumes=(Volume(id="x:0/v0"),)),
    )
    gap = Problem(severity="warning", where=where, message="It is missing.", kind="no_tool")
    found = read_in_part(Inventory(host=Host(hostname="m"), controllers=both, problems=(gap,)))
    assert ("md:md0" in found, "x:0/v0" in found) == (software, hardware)


def changes(capsys: pytest.CaptureFixture[str]) -> list[LiveChange]:
    """The objects that were printed."""
    return [msgspec.json.decode(line, type=LiveChange) for line in capsys.readouterr().out.splitlines()]


def boards(moving: Moving, at_most: float) -> list[Board]:
    """What is shown after each reading."""
    readings, live = Readings(opened(moving), Settings(), BEGAN), Live()
    watch = Watch(readings.whole, readings.quick, moving.clock, at_most, every=2.0, steady=True)
    return [live.step(reading) for reading in readings.of(watch.frames())]


def test_a_rebuild_is_followed_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    """In a pipe, a rebuild is followed to its end.

    There is the first reading, a line every 5 percent, how it ended, and what is no longer wrong.
    """
    assert followed(md_rebuild(), at_most=130.0) == 3  # the recording has no log
    out, err = capsys.readouterr()
    assert "raidctl: not read: kernel log\n" in err
    lines = out.splitlines()
    assert lines[0] == "2026-03-10T22:00:00Z  health: CRITICAL: 2 critical conditions"
    figures = [float(match[1]) for line in lines if (match := re.search(r"md10: recovery: ([\d.]+)%", line))]
    assert figures[0] == 38.6
    assert all(4.9 <= later - earlier <= 7 for earlier, later in pairwise(figures))
    assert 10 <= len(figures) <= 14
    ends = [line.partition("  ")[2] for line in lines[-3:]]
    assert "Recovery of md:md10 ended: it is ok." in ends
    assert "md:md10: rebuilding, survives no further failure: no longer reported" in ends


def test_kernel_files_are_read_at_each_interval_and_tools_seldom() -> None:
    """A vendor's tool is not run every two seconds.

    It runs after 30, then 45 and 68 seconds later; the kernel's files are read 100 times.
    """
    moving = tool_rebuild(verb="VERIFYING", takes=90000.0)
    followed(moving, at_most=200.0)
    assert moving.asked["tw_cli /c6 show all"] in (4, 5)
    kernel = md_rebuild(takes=90000.0)
    followed(kernel, at_most=200.0)
    assert 95 <= kernel.asked["/proc/mdstat"] <= 110
    assert kernel.asked["mdadm --detail /dev/md10"] in (4, 5)


def test_a_longer_interval_holds_for_tools_as_well() -> None:
    """With --interval 10m nothing is read meanwhile."""
    moving = tool_rebuild()
    followed(moving, at_most=1500.0, every=600.0)
    assert moving.asked["tw_cli /c6 show all"] <= 4


def test_each_change_is_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    """The first reading is printed as a whole, then only the changes.

    Each value continues from the one printed before.
    """
    followed(md_rebuild(), at_most=130.0, as_json=True)
    found = changes(capsys)
    assert {one.kind for one in found if one.at == "2026-03-10T22:00:00Z"} == {"first"}
    last: dict[tuple[str, str | None, str], object] = {}
    for one in found:
        if one.kind != "event":
            key = one.section, one.object_id, one.name
            assert one.previous == last.get(key)
            last[key] = one.value
    assert [(one.section, one.value) for one in found if one.kind == "event"] == [("task", "reached")]


def test_ctrl_c_ends_it_like_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    """The usual way to end it is not an error."""
    moving = md_rebuild()
    moving.clock.interrupt_at = 20.0
    interrupted = followed(moving, at_most=None), capsys.readouterr()
    assert interrupted == (followed(md_rebuild(), at_most=19.0), capsys.readouterr())


def test_a_machine_that_is_lost_is_unknown_and_comes_back(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is good again, gone or ended while the machine is unreachable.

    Afterwards it is compared with its earlier state.
    """
    moving = md_rebuild(takes=9000.0)
    settings, connections = Settings(), []
    settings.as_json = True

    def connect(*, _wait: bool = True) -> Any:
        lost = 40 < moving.clock.time - 1000 < 100
        return Answer(trouble=Failure.FAILED) if lost else Answer()

    @contextmanager
    def again() -> Iterator[Machine]:
        if connect().trouble:
            raise UnreachableError("No route to host.")
        connections.append(moving.clock.time)
        moving.connect = connect  # type: ignore[attr-defined]  # what the runner of ssh has
        yield moving.machine()

    with Readings(again, settings, BEGAN) as readings:
        follow(readings, settings, 5.0, 300.0, moving.clock)
    out, err = capsys.readouterr()
    assert err.count("raidctl: not read: host: The machine cannot be read: No route to host.\n") == 1
    found = [msgspec.json.decode(line, type=LiveChange) for line in out.splitlines()]
    assert len(connections) == 2
    assert not [one for one in found if one.kind in ("gone", "event") or one.value == "ok"]
    lost = {(one.object_id, one.name) for one in found if one.kind == "unknown"}
    assert ("md:md10", "volume_rebuilding") in lost
    assert ("md:md10", "recovery") in lost
    back = [one for one in found if (one.object_id, one.name) == ("md:md10", "volume_rebuilding")]
    assert [one.value for one in back] == ["critical", None, "critical"]


def test_a_changed_value_is_marked_for_a_minute() -> None:
    """A changed value is marked for a minute.

    The mark is a sign and bold, so that it shows without colour.
    """
    shown = boards(md_rebuild(takes=50.0), 200.0)
    verdict = shown[0].facts[0]
    marked = [board.reading.frame.seconds for board in shown if board.mark(board.facts[0])]
    assert marked
    assert marked[0] >= 50
    assert 55 <= marked[-1] - marked[0] < 60
    assert shown[-1].mark(verdict) is None
    board = next(board for board in shown if board.mark(board.facts[0]))
    assert "●" in picture(board, Display(), 24)[0].plain
    assert "* CRITICAL" in picture(board, Display(ascii=True), 24)[0].plain
    [sign] = [span for span in picture(board, Display(), 24)[0].spans if "reverse" in str(span.style)]
    assert "bold" in str(sign.style)


def reading(inventory: Inventory, seconds: float = 0.0, entries: Sequence[Event] = ()) -> Reading:
    """A complete look."""
    frame = Frame(seconds, inventory, inventory.tasks, whole=True)
    return Reading(at="2026-03-10T22:00:00Z", frame=frame, entries=tuple(entries))


@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_fits_every_terminal(name: str) -> None:
    """Every machine fits every terminal.

    No line is wider, no picture is higher, the verdict is on top; nothing that is wrong is left out of the facts.
    """
    inventory = replayed(name).inventory
    board = Live().step(reading(inventory))
    for width, rows in ((80, 24), (40, 24), (20, 10), (12, 3)):
        for ascii_only in (False, True):
            found = picture(board, Display(width=width, ascii=ascii_only), rows)
            assert 1 <= len(found) <= rows
            assert max(cell_len(text.plain) for text in found) <= width
            assert not ascii_only or all(text.plain.isascii() for text in found)
    wrong = {(one.where, one.rule) for one in judge(inventory) if one.under is None}
    listed = {(fact.object_id, fact.name) for fact in board.facts if fact.section == "health" and fact.object_id}
    assert wrong <= listed
    assert listed - wrong <= {(one.where, one.rule) for one in diagnose(inventory, health_rules()).findings}
    verdict = str(board.facts[0].value)
    whole = picture(board, Display(width=80), 24)[0].plain
    assert verdict.lower() in whole.lower()
    if any(one.severity != "info" for one in judge(inventory)):
        assert verdict in ("critical", "warning")


@pytest.mark.parametrize("rows", [10, 12, 16, 24])
def test_the_percentage_is_on_a_small_screen(rows: int) -> None:
    """The percentage is on a small screen.

    People wait for it: conditions and caches are cut before the first task.
    """
    inventory = replayed("smartarray-gen9-degraded").inventory
    [task] = inventory.tasks
    found = [text.plain for text in picture(Live().step(reading(inventory)), Display(width=40), rows)]
    assert any(f"{task.percent:.1f}%" in line for line in found)
    assert "CRITICAL" in found[0]
    assert rows > 10 or any("more lines" in line for line in found)


@pytest.mark.parametrize("name", MACHINES)
def test_what_vanishes_from_an_incomplete_reading_is_unknown(name: str) -> None:
    """In an incomplete reading of any recorded machine, nothing is gone. The verdict is not better than unknown."""
    inventory = replayed(name).inventory
    live = Live()
    first = live.step(reading(inventory))
    fault = Problem("error", "tool", "It died.", kind="unread")
    bare = replace(inventory, controllers=(), tasks=(), problems=(fault,))
    after = live.step(reading(bare, 30.0))
    assert not [one for one in after.changes if one.kind in ("gone", "event")]
    assert after.facts[0].value in ("unknown", "critical", "warning")
    assert {fact.key for fact in first.facts} <= {fact.key for fact in after.facts}
    assert all(fact.lost for fact in after.facts[1:])
    again = live.step(reading(inventory, 60.0))
    assert again.facts == first.facts


def test_entries_of_logs_are_events() -> None:
    """With their level; hostile text is one line without escapes."""
    inventory = replayed("md-degraded-rebuilding").inventory
    live = Live()
    live.step(reading(inventory))
    entry = Event(host_at="2026-03-10T22:00:05Z", level="critical", text="sdb: \x1b[31mI/O error\nnext")
    board = live.step(reading(inventory, 5.0, [entry]))
    assert [(one.kind, one.severity, one.value) for one in board.changes] == [
        ("event", "critical", "2026-03-10T22:00:05Z")
    ]
    text = "\n".join(line.plain for line in picture(board, Display(), 40))
    assert "\x1b" not in text
    assert "I/O error" in text


def test_the_time_of_a_demo_passes_in_another_shell(tmp_path: Path) -> None:
    """Each reading of a simulated machine shows its current state. A rebuild advances while it is watched."""

    class Clock(VirtualClock):
        """One whose sleep is ten minutes of the simulated machine."""

        def sleep(self, seconds: float) -> None:
            """Let the time of both pass."""
            super().sleep(seconds)
            CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "demo", "--pass-time", "p440", "600"])

    settings = Settings()
    settings.demo, settings.state_dir = "p440", str(tmp_path)
    seen: list[float] = []
    with Readings(lambda: machine(settings), settings, BEGAN) as readings:
        live = Live()
        watch = Watch(readings.whole, readings.quick, Clock(), 6.0, every=2.0, first=2.0, longest=2.0, steady=True)
        for one in readings.of(watch.frames()):
            board = live.step(one)
            seen += [float(fact.value) for fact in board.facts if fact.unit == "percent" and fact.value is not None]
    assert len(seen) >= 3
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]


def test_a_recording_is_refused(tmp_path: Path) -> None:
    """A recording is refused in a sentence, with exit code 2."""
    done = CliRunner().invoke(cli, ["--replay", str(tmp_path), "watch"])
    assert done.exit_code == 2
    assert "A recording does not change" in done.stderr


def test_a_demo_that_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe gets a time and a sentence. The JSON names the source, and the exit code is 0."""
    settings = Settings()
    settings.demo, settings.state_dir = "raid6", str(tmp_path)
    for settings.as_json in (False, True):
        with Readings(lambda: machine(settings), settings, BEGAN) as readings:
            assert follow(readings, settings, 2.0, 10.0, VirtualClock()) == 0
        found = capsys.readouterr().out.splitlines()
        if not settings.as_json:
            assert found[0] == "2026-03-10T22:00:00Z  health: no problems found"
        else:
            first = msgspec.json.decode(found[0], type=LiveChange)
            assert (first.section, first.value, first.source) == ("health", "ok", "demo:raid6")


def test_facts_do_not_repeat() -> None:
    """A key names one value. Otherwise a change would be printed at every reading."""
    for name in MACHINES:
        inventory = replayed(name).inventory
        keys = [fact.key for fact in facts_of(inventory, inventory.tasks, ())]
        assert len(keys) == len(set(keys)), name


def test_two_messages_of_one_object_are_one_fact() -> None:
    """A warning and an error of one controller are one line with both texts. The second reading prints nothing."""
    inventory = replayed("md-healthy").inventory
    both = [Problem("warning", "md:md0", "One.", None, "state"), Problem("error", "md:md0", "Two.", None, "state")]
    look, live = reading(replace(inventory, problems=tuple(both))), Live()
    first, second = live.step(look), live.step(look)
    [fact] = [fact for fact in first.facts if fact.object_id == "md:md0" and fact.section == "health"]
    assert (fact.severity, fact.text) == ("critical", "Two; One.")
    assert (second.changes, second.marks) == ((), {})
    assert first.facts[0].text == "1 critical condition, 1 warning"


def test_a_status_that_is_unknown_is_named_in_the_verdict() -> None:
    """The first line of a virtual machine does not call everything well."""
    inventory = replayed("host-vm-virtio").inventory
    health = next(fact for fact in facts_of(inventory, (), ()) if fact.name == "health")
    assert health.words == "no problems found, but the status of 2 drives is unknown"


def test_the_screen_of_the_manual_is_real(tmp_path: Path) -> None:
    """The picture in docs/watch.md is what the simulated machine shows."""
    settings = Settings()
    settings.demo, settings.state_dir = "p440", str(tmp_path)
    with Readings(lambda: machine(settings), settings, BEGAN) as readings:
        watch = Watch(readings.whole, readings.quick, VirtualClock(), 1.0, every=2.0, steady=True)
        board = Live().step(next(readings.of(watch.frames())))
    shown = "\n".join(line.plain.rstrip() for line in picture(board, Display(), 24))
    page = (Path(__file__).parents[2] / "docs" / "watch.md").read_text(encoding="utf-8")
    assert f"```text\n{shown}\n```" in page, shown


def test_a_drive_near_its_limit_does_not_keep_the_tools_running() -> None:
    """A temperature that crosses the limit back and forth is not a change that has the tools run sooner."""
    inventory = replayed("drives-nvme").inventory
    controller, *_ = inventory.controllers

    def at(degrees: int) -> Inventory:
        drives = tuple(replace(drive, temperature_celsius=degrees) for drive in controller.drives)
        return replace(inventory, controllers=(replace(controller, drives=drives),))

    assert facts_of(at(60), (), ())[0].value != facts_of(at(80), (), ())[0].value
    assert _state(at(60)) == _state(at(80))
    assert _state(at(60)) != _state(replace(at(60), controllers=()))
