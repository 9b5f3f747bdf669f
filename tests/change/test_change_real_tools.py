"""Changes with simulated tools on PATH, as real processes. They fail, are refused, or are simultaneous."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.engine import Change, begin, plan
from raidctl.change.journal import Journal
from raidctl.errors import ChangeUndone
from raidctl.runners.local import LocalRunner
from raidctl.simulation.executables import Fault, FaultKind
from raidctl.survey.survey import survey
from raidctl.vendor.plan import Desired
from raidctl.vendor.registry import vendors
from raidctl.vendor.simulator import State
from tests.change.real_machine import CACHING, CHANGES, WRITE_THROUGH, Machine
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("demo", "words", "wanted"), CHANGES, ids=[f"{c[0]}-{c[1][1]}-{n}" for n, c in enumerate(CHANGES)]
)
def test_a_change_runs_its_tool_once_between_two_readings(
    on: Callable[[str], Machine], demo: str, words: tuple[str, ...], wanted: State
) -> None:
    """One call changes only this setting. The journal has the change as done."""
    machine = on(demo)
    done = machine.run(*words)
    assert (done.returncode, machine.difference()) == (0, wanted), done.stderr
    calls = [call.changes for call in machine.tools.calls() if call.event == "begin"]
    assert calls.count(True) == 1
    assert not calls[0]
    assert not calls[-1]
    assert machine.results() == ["done"]


def test_a_batch_is_restored_by_the_tool(on: Callable[[str], Machine]) -> None:
    """The load sees the policy, and the settings are restored. The load's exit code is returned."""
    machine = on("p400")
    seen = machine.state_dir.parent / "seen"
    load = ("sh", "-c", f"cp {machine.tools.place}/settings.json {seen}; exit 7")
    words = (
        "batch",
        "smartarray:1",
        "--drive-cache",
        "on",
        "--split",
        "0/100",
        "--yes",
        "--unsafe",
        "a trial",
        "--",
        *load,
    )
    done = machine.run(*words)
    assert done.returncode == 7, done.stderr
    during = json.loads(seen.read_text(encoding="utf-8"))
    assert (during["slot=1/drivewritecache"], during["slot=1/cacheratio"]) == ("enable", "0/100")
    assert machine.difference() == {}
    assert machine.results() == ["restored"]


BAD: list[tuple[FaultKind, int]] = [
    ("refuses", 5), ("lies", 5), ("prints garbage", 5), ("dies", 5), ("dies after the change", 5),
    ("takes effect late", 0),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "code"), BAD)
def test_a_failing_tool_leaves_nothing_half_done(on: Callable[[str], Machine], fault: FaultKind, code: int) -> None:
    """The change is done, or undone with exit code 5."""
    machine = on("p400")
    machine.tools.fail(Fault(fault=fault))
    done = machine.run(*WRITE_THROUGH)
    assert done.returncode == code, done.stderr
    assert machine.difference() == ({CACHING: "disable"} if code == 0 else {})
    assert machine.results() == ["done" if code == 0 else "undone"]


def test_a_controller_that_falls_back_to_write_through_is_undone(on: Callable[[str], Machine]) -> None:
    """If write-back is accepted but stays inactive, the change is undone."""
    machine = on("9271")
    machine.tools.set({"megaraid 0/v0/wrcache": "WT"})
    machine.tools.fail(Fault(fault="falls back", settings={"megaraid 0/battery": "Failed"}))
    done = machine.run("cache", "set", "megaraid:0/v0", "--write", "protected-write-back", "--yes")
    assert done.returncode == 5, done.stderr
    assert "write-through is active" in done.stderr
    assert machine.tools.state["megaraid 0/v0/wrcache"] == "WT"


TARGETED = [
    ("show", "smartarray:1"),
    ("cache", "show", "smartarray:1"),
    ("cache", "flush", "smartarray:1", "--dry-run"),
    ("cache", "split", "smartarray:1", "50/50", "--yes"),
    ("cache", "threshold", "--flush-interval", "5", "--yes"),
    WRITE_THROUGH,
    ("batch", "smartarray:1", "--write", "write-through", "--yes", "--", "true"),
]


@pytest.mark.parametrize("words", TARGETED, ids=lambda words: "-".join(words[:2]))
def test_an_unread_controller_is_not_reported_as_missing(on: Callable[[str], Machine], words: tuple[str, ...]) -> None:
    """If the reading tool fails, the exit code is 3. The message mentions the failed reading."""
    machine = on("p400")
    machine.tools.fail(Fault(fault="dies", match="show", times=99))
    done = machine.run(*words)
    assert done.returncode == 3, done.stderr
    assert "not everything could be read" in done.stderr
    assert machine.changes() == []


def test_a_second_raidctl_is_refused_while_a_batch_runs(on: Callable[[str], Machine]) -> None:
    """Nothing is changed, and the message names the first batch. The first batch restores."""
    machine = on("p400")
    first = machine.start_batch(300)
    second = machine.run("cache", "set", "smartarray:1", "--write", "protected-write-back", "--yes")
    assert second.returncode == 3, second.stderr
    assert "sleep 300" in second.stderr
    assert machine.difference() == {CACHING: "disable"}
    first.terminate()
    first.wait(PATIENCE)
    assert machine.difference() == {}


def test_another_state_directory_does_not_bypass_the_lock(on: Callable[[str], Machine]) -> None:
    """The controller's lock is global. The message names the process and command of the first batch."""
    machine = on("p400")
    first = machine.start_batch(301)
    mine, machine.state_dir = machine.state_dir, machine.state_dir.parent / "another state"
    second = machine.run("cache", "set", "smartarray:1", "--write", "protected-write-back", "--yes")
    assert second.returncode == 3, second.stderr
    assert "sleep 301" in second.stderr
    assert f"process {first.pid}, since 2" in second.stderr
    assert machine.difference() == {CACHING: "disable"}
    machine.state_dir = mine
    first.terminate()
    first.wait(PATIENCE)
    assert machine.difference() == {}


def test_each_of_several_simultaneous_changes_is_done_or_refused(on: Callable[[str], Machine]) -> None:
    """The value of the last change is active. No change is left open."""
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
    changes = Journal(machine.state_dir).changes()
    assert 0 in codes
    assert set(codes) <= {0, 3}
    assert codes.count(0) == len(changes)
    assert changes[-1].begin.steps[0].after == machine.tools.state["slot=1/cacheratio"]


@pytest.mark.parametrize("place", ["/proc/raidctl", "/dev/null/raidctl"])
def test_without_a_state_directory_nothing_is_changed(on: Callable[[str], Machine], place: str) -> None:
    """If the state directory cannot be created, the exit code is 4. No tool is called to change anything."""
    machine = on("p400")
    machine.state_dir = Path(place)
    done = machine.run(*WRITE_THROUGH)
    assert done.returncode == 4
    assert "--state-dir" in done.stderr
    assert machine.changes() == []


def test_a_state_directory_that_others_can_write_is_refused(on: Callable[[str], Machine]) -> None:
    """A directory that others can write gives exit code 4.

    Nothing is changed: restore runs commands from the directory.
    """
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
"$@" > /dev/null 2> {errors}
echo $? > {code}
cp {settings} {after}
rm {state}/filler
{restore} > /dev/null 2>&1
echo $? >> {code}
cp {state}/journal.jsonl {kept}
"""


@pytest.mark.parametrize("line", range(4))
def test_a_full_file_system_undoes_the_change(on: Callable[[str], Machine], tmp_path: Path, line: int) -> None:
    """Wherever the journal runs out of space, the change is undone. Restore leaves nothing open."""
    machine = on("p400")
    assert machine.run(*WRITE_THROUGH).returncode == 0
    path = Journal(machine.state_dir).path
    lengths = [len(text) for text in path.read_bytes().splitlines(keepends=True)]
    path.unlink()
    machine.tools.set(machine.before)
    machine.tools.clear_log()
    room = sum(lengths[:line]) + lengths[line] // 2
    names = {name: tmp_path / name for name in ("errors", "code", "after", "kept")}
    script = FULL.format(
        state=machine.state_dir, size=4096 * 4 - room, settings=machine.tools.place / "settings.json",
        restore=" ".join(machine.line("restore")), **names,
    )  # fmt: skip
    unshared = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-r", "-m"]
    done = subprocess.run(
        [*unshared, "sh", "-c", script, "sh", *machine.line(*WRITE_THROUGH)],
        env=machine.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        pytest.skip(f"cannot mount a file system here: {done.stderr}")
    codes = names["code"].read_text(encoding="utf-8").split()
    errors = names["errors"].read_text(encoding="utf-8")
    assert "No space left" in errors
    assert codes == ["3" if line == 0 else "5", "0"], errors
    assert json.loads(names["after"].read_text(encoding="utf-8")) == machine.before
    assert len(machine.changes()) == (0 if line < 2 else 2)
    (tmp_path / "journal.jsonl").write_bytes(names["kept"].read_bytes())
    assert Journal(tmp_path).pending() == []


@pytest.mark.parametrize("fault", ["hangs", "hangs after the change"])
def test_a_tool_that_times_out_is_ended_and_undone(
    on: Callable[[str], Machine], monkeypatch: pytest.MonkeyPatch, fault: FaultKind
) -> None:
    """A tool that times out is ended and undone. The time limit of the plan's command is reduced to half a second."""
    machine = on("p400")
    machine.tools.fail(Fault(fault=fault))
    monkeypatch.setenv("PATH", machine.environment["PATH"])
    machine.state_dir.mkdir(mode=0o700)
    known, runner = vendors()[0], LocalRunner()
    seen = survey(runner, known)
    made = plan(
        seen.inventory, known, [Desired(object_id="smartarray:1/v1", setting="write_policy", value="write_through")],
        unsafe=False,
    )  # fmt: skip
    too_short = replace(made, steps=tuple(replace(s, action=replace(s.action, timeout=0.5)) for s in made.steps))
    entry = begin("set", too_short, seen.inventory, about="a trial", source="local")
    change = Change(entry, Journal(machine.state_dir), runner, lambda: survey(runner, known), known, lambda _: None)
    with pytest.raises(ChangeUndone, match="did not finish in time"):
        change.apply()
    assert machine.difference() == {}
    assert machine.at_rest()
    assert machine.results() == ["undone"]
