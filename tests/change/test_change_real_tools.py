"""The same changes with real processes: simulated tools on PATH, raidctl as a program, killed, hindered, raced."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.engine import Change, begin, plan
from raidctl.change.journal import Journal
from raidctl.change.plan import Wish
from raidctl.errors import ChangeUndone
from raidctl.observe import survey
from raidctl.registry import vendors
from raidctl.runners.local import LocalRunner
from raidctl.runners.programs import search_path
from raidctl.simulate import Call, Fault, Tools, Trouble, install
from raidctl.simulation import State

PATIENCE = 30.0
ANY_OTHER = [(spec.name, spec.places) for vendor in vendors()[0] for spec in vendor.TOOLS]
WRITE_THROUGH = ("cache", "set", "smartarray:1/v1", "--write", "write-through", "--yes")
CACHING = "slot=1/ld 1/arrayaccelerator"


class Machine:
    """This machine, with the tools of a simulated one first on PATH and a state directory of its own."""

    def __init__(self, demo: str, place: Path) -> None:
        self.tools: Tools = install(demo, place / demo)
        self.state_dir = place / "state"
        self.before: State = self.tools.state
        self.running: list[subprocess.Popen[str]] = []

    @property
    def environment(self) -> dict[str, str]:
        """What raidctl is started with."""
        return {**os.environ, "PATH": f"{self.tools.programs}:{os.environ['PATH']}", "COLUMNS": "80"}

    def line(self, *words: str) -> list[str]:
        """The command line of a raidctl."""
        return [sys.executable, "-m", "raidctl", "--state-dir", str(self.state_dir), *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run raidctl to its end."""
        return subprocess.run(
            self.line(*words), env=self.environment, capture_output=True, text=True, check=False, timeout=PATIENCE
        )

    def start(self, *words: str, errors: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """Start raidctl, and wait until its tool is in the middle of a change."""
        process = subprocess.Popen(
            self.line(*words), env=self.environment, stdout=subprocess.DEVNULL, stderr=errors, text=True
        )
        self.running.append(process)
        until(lambda: bool(self.changes()))
        return process

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Signal 9."""
        process.kill()
        process.wait()

    def changes(self) -> list[Call]:
        """The calls that change something, as far as they have begun."""
        return [call for call in self.tools.calls() if call.event == "begin" and call.changes]

    def at_rest(self) -> bool:
        """Whether every call that has begun has ended, or was killed."""
        calls = self.tools.calls()
        ended = {call.pid for call in calls if call.event == "end"}
        return all(call.pid in ended or not Path(f"/proc/{call.pid}").exists() for call in calls)

    def difference(self) -> dict[str, str]:
        """The settings that are not as they were at first."""
        return {name: value for name, value in self.tools.state.items() if self.before.get(name) != value}

    def results(self) -> list[str]:
        """How each change in the journal ended."""
        stories = Journal(self.state_dir).stories()
        return [story.end.result if story.end is not None else "pending" for story in stories]


def until(true: Callable[[], bool]) -> None:
    """Wait for something to become so."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def on(tmp_path: Path) -> Iterator[Callable[[str], Machine]]:
    """Makes a machine of a demo; the processes that are left are ended."""
    places = [
        *(f"{place}/{name}" for name, _ in ANY_OTHER for place in search_path()),
        *(p for _, ps in ANY_OTHER for p in ps),
    ]
    cards = [path for path in places if "mdadm" not in path and Path(path).exists()]
    if cards:
        pytest.skip(f"this machine has real tools: {cards[0]}")
    made: list[Machine] = []

    def make(demo: str) -> Machine:
        made.append(Machine(demo, tmp_path))
        return made[-1]

    yield make
    for machine in made:
        for process in machine.running:
            machine.kill(process)
        for call in machine.tools.calls():
            if call.event == "begin" and str(machine.tools.place) in _command_of(call.pid):
                os.kill(call.pid, signal.SIGKILL)


def _command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


CHANGES = [
    ("p400", WRITE_THROUGH, {CACHING: "disable"}),
    ("p400", ("cache", "split", "smartarray:1", "50/50", "--yes"), {"slot=1/cacheratio": "50/50"}),
    ("9271", ("cache", "set", "megaraid:0/v0", "--write", "write-through", "--yes"), {"megaraid 0/v0/wrcache": "WT"}),
    ("perc5i", ("cache", "set", "megaraid:0/v0", "--read", "adaptive", "--yes"), {"megaraid 0/v0/rdcache": "adaptive"}),
    ("6805", ("cache", "set", "adaptec:1/v0", "--write", "write-through", "--yes"),
     {"controller 1/ld 0/writecache": "wt"}),
    ("6805", ("cache", "drive", "adaptec:1/0,3", "on", "--yes", "--unsafe", "a trial"),
     {"controller 1/device 0,3/writecache": "wb"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("demo", "words", "wanted"), CHANGES, ids=[f"{c[0]}-{c[1][1]}-{n}" for n, c in enumerate(CHANGES)]
)
def test_a_change_runs_its_tool_once_between_two_looks(
    on: Callable[[str], Machine], demo: str, words: tuple[str, ...], wanted: State
) -> None:
    """The one setting is changed, nothing else, by one call; the journal says done."""
    machine = on(demo)
    done = machine.run(*words)
    assert (done.returncode, machine.difference()) == (0, wanted), done.stderr
    calls = [call.changes for call in machine.tools.calls() if call.event == "begin"]
    assert calls.count(True) == 1
    assert not calls[0]
    assert not calls[-1]
    assert machine.results() == ["done"]


def test_a_batch_is_put_back_by_the_tool(on: Callable[[str], Machine]) -> None:
    """The load sees the policy, its exit code is passed on, and then the settings are as before."""
    machine = on("p400")
    seen = machine.state_dir.parent / "seen"
    load = ("sh", "-c", f"cp {machine.tools.place}/settings.json {seen}; exit 7")
    words = ("batch", "smartarray:1", "--write", "write-through", "--split", "0/100", "--yes", "--", *load)
    done = machine.run(*words)
    assert done.returncode == 7, done.stderr
    during = json.loads(seen.read_text(encoding="utf-8"))
    assert (during[CACHING], during["slot=1/cacheratio"]) == ("disable", "0/100")
    assert machine.difference() == {}
    assert machine.results() == ["restored"]


BAD: list[tuple[Fault, int]] = [
    ("refuses", 5), ("lies", 5), ("prints garbage", 5), ("dies", 5), ("dies after the change", 5),
    ("takes effect late", 0),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "code"), BAD)
def test_a_bad_tool_leaves_nothing_half_done(on: Callable[[str], Machine], fault: Fault, code: int) -> None:
    """Done, or as before; exit code 5 says that it was undone."""
    machine = on("p400")
    machine.tools.fail(Trouble(fault=fault))
    done = machine.run(*WRITE_THROUGH)
    assert done.returncode == code, done.stderr
    assert machine.difference() == ({CACHING: "disable"} if code == 0 else {})
    assert machine.results() == ["done" if code == 0 else "undone"]


def test_a_controller_that_falls_back_is_noticed_and_undone(on: Callable[[str], Machine]) -> None:
    """The tool accepts write-back, but a battery that fails keeps it from being in force."""
    machine = on("9271")
    machine.tools.set({"megaraid 0/v0/wrcache": "WT"})
    machine.tools.fail(Trouble(fault="falls back", settings={"megaraid 0/battery": "Failed"}))
    done = machine.run("cache", "set", "megaraid:0/v0", "--write", "protected-write-back", "--yes")
    assert done.returncode == 5, done.stderr
    assert "write_through is in force" in done.stderr
    assert machine.tools.state["megaraid 0/v0/wrcache"] == "WT"


@pytest.mark.parametrize("fault", ["hangs", "hangs after the change"])
def test_killed_while_its_tool_hangs_it_is_put_back_by_restore(on: Callable[[str], Machine], fault: Fault) -> None:
    """Signal 9 in the middle of the change: "restore" puts back what the tool has done, and ends the story."""
    machine = on("p400")
    machine.tools.fail(Trouble(fault=fault, seconds=1.5))
    machine.kill(machine.start(*WRITE_THROUGH))
    if fault == "hangs after the change":
        until(lambda: machine.difference() == {CACHING: "disable"})
    assert machine.results() == ["pending"]
    done = machine.run("restore")
    until(machine.at_rest)
    assert done.returncode == 0, done.stderr
    assert machine.difference() == {}
    assert machine.results() == ["restored"]
    assert machine.run("restore").returncode == 0


@pytest.mark.parametrize("demo", ["p400", "9271", "6805"])
def test_restore_waits_for_the_tool_that_a_killed_raidctl_has_left(on: Callable[[str], Machine], demo: str) -> None:
    """A tool that outlives its raidctl does its change later; restore must not look before that."""
    machine = on(demo)
    machine.tools.fail(Trouble(fault="is slow", seconds=1.5))
    words = next(words for name, words, _ in CHANGES if name == demo)
    machine.kill(machine.start(*words))
    done = machine.run("restore")
    until(machine.at_rest)
    assert done.returncode == 0, done.stderr
    assert machine.difference() == {}
    assert machine.results() == ["restored"]


def test_a_killed_batch_is_put_back_by_its_guardian_after_its_tool(on: Callable[[str], Machine]) -> None:
    """The second process must not look before the tool of the first has ended."""
    machine = on("p400")
    machine.tools.fail(Trouble(fault="is slow", seconds=1.5))
    words = ("batch", "smartarray:1", "--write", "write-through", "--yes", "--", "sleep", "60")
    machine.kill(machine.start(*words))
    until(lambda: machine.results() == ["restored"] and machine.at_rest())
    assert machine.difference() == {}


@pytest.mark.parametrize("killed", [False, True])
def test_a_batch_whose_terminal_is_lost_is_put_back_all_the_same(on: Callable[[str], Machine], *, killed: bool) -> None:
    """Nobody reads standard error any more, as after a broken connection: by raidctl itself, or by its guardian."""
    machine = on("p400")
    marker = machine.state_dir.parent / "running"
    load = ("sh", "-c", f"touch {marker}; sleep 1")
    words = ("batch", "smartarray:1", "--write", "write-through", "--yes", "--", *load)
    reading, writing = os.pipe()
    batch = machine.start(*words, errors=writing)
    os.close(writing)
    until(marker.exists)
    os.close(reading)
    if killed:
        batch.kill()
    batch.wait(PATIENCE)
    deadline = time.monotonic() + 4
    while machine.results() != ["restored"] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert machine.difference() == {}


def test_a_second_raidctl_is_refused_while_a_batch_runs(on: Callable[[str], Machine]) -> None:
    """It names the first and changes nothing; ended, the first puts back what was there."""
    machine = on("p400")
    marker = machine.state_dir.parent / "running"
    load = ("sh", "-c", f"touch {marker}; sleep 60")
    first = machine.start("batch", "smartarray:1", "--write", "write-through", "--yes", "--", *load)
    until(marker.exists)
    second = machine.run("cache", "split", "smartarray:1", "50/50", "--yes")
    assert second.returncode == 3, second.stderr
    assert "sleep 60" in second.stderr
    assert machine.difference() == {CACHING: "disable"}
    first.terminate()
    first.wait(PATIENCE)
    assert machine.difference() == {}


def test_of_many_at_once_each_is_done_or_refused(on: Callable[[str], Machine]) -> None:
    """The last that was done is in force, and no change is left open."""
    machine = on("p400")
    splits = ("0/100", "50/50", "75/25")
    processes = [
        subprocess.Popen(
            machine.line("cache", "split", "smartarray:1", split, "--yes"), env=machine.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
        )
        for split in splits
    ]  # fmt: skip
    machine.running += processes
    codes = [process.wait(PATIENCE) for process in processes]
    stories = Journal(machine.state_dir).stories()
    assert 0 in codes
    assert set(codes) <= {0, 3}
    assert codes.count(0) == len(stories)
    assert stories[-1].begin.steps[0].after == machine.tools.state["slot=1/cacheratio"]


@pytest.mark.parametrize("place", ["/proc/raidctl", "/dev/null/raidctl"])
def test_without_a_place_for_the_journal_nothing_is_changed(on: Callable[[str], Machine], place: str) -> None:
    """Not even root can make these directories: exit code 4, and no tool is asked to change anything."""
    machine = on("p400")
    machine.state_dir = Path(place)
    done = machine.run(*WRITE_THROUGH)
    assert done.returncode == 4
    assert "--state-dir" in done.stderr
    assert machine.changes() == []


def test_a_state_directory_that_others_can_write_is_refused(on: Callable[[str], Machine]) -> None:
    """What stands in it is carried out by restore: exit code 4, and nothing is changed."""
    machine = on("p400")
    machine.state_dir.mkdir()
    machine.state_dir.chmod(0o777)
    assert machine.run(*WRITE_THROUGH).returncode == 4
    assert machine.changes() == []


FULL = """
mount -t tmpfs -o size=256k,mode=700 none {state} || exit 99
printf '%{size}s' '' | tr ' ' '\\n' > {state}/journal.jsonl
mkdir -m 700 {state}/holders
cat /dev/zero > {state}/filler 2> /dev/null
"$@" > /dev/null 2> {said}
echo $? > {code}
cp {settings} {after}
rm {state}/filler
{restore} > /dev/null 2>&1
echo $? >> {code}
cp {state}/journal.jsonl {kept}
"""


@pytest.mark.parametrize("line", range(4))
def test_a_disk_that_gets_full_while_journalling_leaves_everything_as_it_was(
    on: Callable[[str], Machine], tmp_path: Path, line: int
) -> None:
    """No room for the beginning, the step's start, its end, or the end: put back, and clean after restore."""
    machine = on("p400")
    assert machine.run(*WRITE_THROUGH).returncode == 0
    path = Journal(machine.state_dir).path
    lengths = [len(text) for text in path.read_bytes().splitlines(keepends=True)]
    path.unlink()
    machine.tools.set(machine.before)
    machine.tools.forget()
    room = sum(lengths[:line]) + lengths[line] // 2
    names = {name: tmp_path / name for name in ("said", "code", "after", "kept")}
    script = FULL.format(
        state=machine.state_dir, size=4096 * 4 - room, settings=machine.tools.place / "settings.json",
        restore=" ".join(machine.line("restore")), **names,
    )  # fmt: skip
    alone = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-r", "-m"]
    done = subprocess.run(
        [*alone, "sh", "-c", script, "sh", *machine.line(*WRITE_THROUGH)],
        env=machine.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        pytest.skip(f"no file system of one's own here: {done.stderr}")
    codes = names["code"].read_text(encoding="utf-8").split()
    said = names["said"].read_text(encoding="utf-8")
    assert "No space left" in said
    assert codes == ["3" if line == 0 else "5", "0"], said
    assert json.loads(names["after"].read_text(encoding="utf-8")) == machine.before
    assert len(machine.changes()) == (0 if line < 2 else 2)
    (tmp_path / "journal.jsonl").write_bytes(names["kept"].read_bytes())
    assert Journal(tmp_path).pending() == []


@pytest.mark.parametrize("fault", ["hangs", "hangs after the change"])
def test_a_tool_that_does_not_come_back_is_ended_and_its_change_undone(
    on: Callable[[str], Machine], monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    """The time limit is part of the plan; here it is half a second."""
    machine = on("p400")
    machine.tools.fail(Trouble(fault=fault))
    monkeypatch.setenv("PATH", machine.environment["PATH"])
    machine.state_dir.mkdir(mode=0o700)
    known, runner = vendors()[0], LocalRunner()
    seen = survey(runner, known)
    made = plan(
        seen.inventory, known, [Wish(object_id="smartarray:1/v1", setting="write_policy", value="write_through")],
        unsafe=False,
    )  # fmt: skip
    hasty = replace(made, steps=tuple(replace(s, action=replace(s.action, timeout=0.5)) for s in made.steps))
    story = begin("set", hasty, seen.inventory, about="a trial", source="local")
    change = Change(story, Journal(machine.state_dir), runner, lambda: survey(runner, known), known, lambda _: None)
    with pytest.raises(ChangeUndone, match="did not end in time"):
        change.apply()
    assert machine.difference() == {}
    assert machine.at_rest()
    assert machine.results() == ["undone"]
