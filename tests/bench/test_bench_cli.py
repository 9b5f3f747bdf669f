"""``raidctl bench`` on the command line."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import msgspec
import pytest

from raidctl.bench.profiles import PROFILES
from raidctl.bench.store import FILE, Store
from raidctl.bench.targets.file import leftovers
from raidctl.cli.bench.run import _shown
from raidctl.cli.shared.bench_plan import Order, Prospect, announcement, file_size
from raidctl.cli.shared.measuring import Measured
from raidctl.cli.shared.options import Settings
from raidctl.errors import BenchError, CannotTell
from tests.bench import bench_runs
from tests.bench.served_model import serving
from tests.support.command_line import command_line
from tests.support.processes import killed_on_error
from tests.support.terminal import interrupted_at, read_until, rest
from tests.support.waiting import until

raidctl = command_line()

ROOT = Path(__file__).resolve().parents[2]
FILLED = 8 << 20
SMALL = ("--size", "8MiB", "--seconds", "1", "--engine", "portable")


def program(*words: str | Path) -> list[str]:
    """The command line for a separate process."""
    return [sys.executable, "-m", "raidctl", *map(str, words)]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, subprocess.CompletedProcess[str]]:
    """A directory, a state directory, and the result of a short run."""
    place, state = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("state")
    done = subprocess.run(
        program("--json", "bench", "run", place, *SMALL, "--label", "first", "--state-dir", state),
        cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return place, state, done


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A state directory with two runs."""
    store = Store(tmp_path)
    store.add(bench_runs.run())
    store.add(bench_runs.run(session=bench_runs.session(engine="portable")))
    return tmp_path


@pytest.mark.slow
def test_a_run_is_printed_stored_and_cleaned_up(
    measured: tuple[Path, Path, subprocess.CompletedProcess[str]],
) -> None:
    """The JSON is valid and equals the stored run. The directory is empty."""
    place, state, done = measured
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    jsonschema.validate(printed, json.loads(raidctl("schema", "bench").stdout))
    assert json.loads(msgspec.json.encode(Store(state).get(1))) == printed
    assert (printed["id"], printed["label"], printed["session"]["engine"]) == (1, "first", "portable")
    assert printed["inventory"]["host"]["source"] == "local"
    assert printed["prepared"] == 8 << 20
    assert [one["trial"] for one in printed["session"]["results"]] == [one.name for one in PROFILES["quick"].trials]
    assert list(place.iterdir()) == []


@pytest.mark.slow
def test_the_plan_is_printed_first_without_a_progress_bar_in_a_pipe(
    measured: tuple[Path, Path, subprocess.CompletedProcess[str]],
) -> None:
    """The plan is on standard error, without escape sequences."""
    place, _, done = measured
    assert f"In {place} a file of 8 MiB is created, filled, and removed at the end" in done.stderr
    assert "Written: 8 MiB to fill it" in done.stderr
    assert "\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) <= 4


@pytest.mark.slow
def test_a_stored_run_is_listed_shown_compared_and_exported(
    measured: tuple[Path, Path, subprocess.CompletedProcess[str]],
) -> None:
    """Stored runs are read without a measurement."""
    place, state, _ = measured
    listed = raidctl("bench", "list", "--state-dir", state)
    assert listed.exit_code == 0
    assert "first" in listed.stdout
    shown = raidctl("bench", "show", "--state-dir", state)
    assert shown.exit_code == 0
    assert str(place) in shown.stdout.replace("\n", "")
    compared = json.loads(raidctl("--json", "bench", "compare", "1", "last", "--state-dir", state).stdout)
    assert compared["comparable"] is True
    jsonschema.validate(compared, json.loads(raidctl("schema", "compare").stdout))
    printed = raidctl("bench", "compare", "1", "1", "--state-dir", state)
    assert printed.stdout.count("compared with itself") == 1
    exported = raidctl("bench", "export", "--state-dir", state)
    assert json.loads(exported.stdout)["id"] == 1


def test_a_dry_run_creates_nothing(tmp_path: Path) -> None:
    """Not even the state directory is created."""
    done = raidctl("bench", "run", tmp_path, "--dry-run", "--size", "1GiB", "--state-dir", tmp_path / "state")
    assert done.exit_code == 0
    assert "a file of 1 GiB is created" in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_prints_the_figures_and_removes_the_file(tmp_path: Path) -> None:
    """The exit code is 130, and the run is stored and marked as interrupted."""
    place, state = tmp_path / "data", tmp_path / "state"
    place.mkdir()
    command = program("--json", "bench", "run", place, *SMALL, "--seconds", "60", "--state-dir", state)
    code, screen = interrupted_at(b"portable: ", command, tmp_path / "out")
    assert code == 130, screen
    assert json.loads((tmp_path / "out").read_bytes())["session"]["interrupted"] is True
    assert Store(state).list()[0].interrupted is True
    assert list(place.iterdir()) == []


def test_sigterm_removes_the_file(tmp_path: Path) -> None:
    """SIGTERM, as at a shutdown, leaves nothing behind."""
    place = tmp_path / "data"
    place.mkdir()
    command = program("bench", "run", place, *SMALL, "--seconds", "60", "--no-save")
    with killed_on_error(
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
    ) as process:
        until(lambda: any(file.stat().st_blocks * 512 >= FILLED for file in place.iterdir()))
        process.terminate()
        assert process.wait() == 128 + signal.SIGTERM
    assert list(place.iterdir()) == []
    assert leftovers(str(place)) == []


def test_the_progress_bar_honours_no_color(tmp_path: Path) -> None:
    """With NO_COLOR, the progress bar has the time left without colours."""
    leader, follower = pty.openpty()
    command = program("bench", "run", tmp_path, *SMALL, "--seconds", "60", "--no-save", "--yes")
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    with killed_on_error(
        subprocess.Popen(
            command, cwd=ROOT, stdin=follower, stdout=follower, stderr=follower, env=environment, start_new_session=True
        )
    ) as process:
        os.close(follower)
        seen = read_until(leader, b" left")
        os.killpg(process.pid, signal.SIGTERM)
        rest(leader)
    os.close(leader)
    assert re.search(rb"\d:\d\d left", seen)
    assert not re.search(rb"\x1b\[[0-9;]*3[0-9]", seen)


def test_nothing_is_overwritten_without_a_confirmation(tmp_path: Path) -> None:
    """Without a terminal, overwriting is refused. A dry run and reading are not."""
    with serving(tmp_path, "--kind", "write-through", "--rpm", "0", "--size", "64MiB") as model:
        uri = f"nbd+unix:///?socket={model.socket}"
        refused = raidctl("bench", "run", uri, "--overwrite", "all", "--no-save")
        assert refused.exit_code == 2
        assert "is OVERWRITTEN, all of it" in refused.stderr
        assert "without a terminal, use --yes" in refused.stderr
        only_read = raidctl("bench", "run", uri, "--dry-run")
        assert only_read.exit_code == 0
        assert "is only read" in only_read.stderr


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["/nowhere/at/all"], 2, "There is no"),
        (["/etc/hostname"], 2, "name the directory"),
        (["nbd://example.org/x"], 2, "not on this machine"),
        (["nbd+unix:///?socket=/nowhere"], 3, "No NBD server can be reached"),
        ([".", "--overwrite", "all"], 2, "--overwrite is for devices"),
        ([".", "--size", "many"], 2, "is not a size with a unit"),
        ([".", "--size", "1KiB"], 2, "at least 1MiB"),
        ([".", "--engine", "psync"], 2, "psync"),
        ([".", "--profile", "slow"], 2, "slow"),
        (["/proc", "--size", "1MiB", "--yes"], 4 if os.geteuid() else 3, "/proc"),
        ([".", "--size", "900TiB", "--yes"], 3, "free"),
    ],
)
def test_an_unusable_target_is_an_error(tmp_path: Path, words: list[str], code: int, expected: str) -> None:
    """The message has the reason, and the exit code its kind. No plan is printed."""
    done = raidctl("bench", "run", *words, "--state-dir", tmp_path)
    assert done.exit_code == code, done.stderr
    assert expected in done.stderr
    assert 'Profile "' not in done.stderr
    assert "internal error" not in done.stderr


_READ_ONLY = 'mount -t tmpfs -o size=1m tmpfs "$0" && mount -o remount,ro "$0" || exit 77; exec "$@"'


@pytest.mark.parametrize("more", [(), ("--size", "1MiB"), ("--dry-run",)])
def test_a_read_only_file_system_is_reported_before_its_size(tmp_path: Path, more: tuple[str, ...]) -> None:
    """On a small read-only file system, the message omits its size."""
    alone = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-r", "-m"]
    words = program("bench", "run", tmp_path, "--no-save", "--yes", *more)
    done = subprocess.run(
        [*alone, "sh", "-c", _READ_ONLY, str(tmp_path), *words],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode in (1, 77) and "raidctl" not in done.stderr:
        pytest.skip(f"cannot mount a file system here: {done.stderr}")
    assert done.returncode == 3
    assert done.stderr == f"raidctl: {tmp_path} cannot be used: the file system is mounted read-only.\n"


@pytest.mark.parametrize("command", ["run", "list", "show", "export"])
def test_only_this_machine_is_measured(command: str) -> None:
    """A simulated or remote machine is refused. Its clock is another one."""
    done = raidctl("--demo", "p400", "bench", command)
    assert done.exit_code == 2
    assert "--demo cannot be used here" in done.stderr


def test_a_file_takes_a_quarter_of_the_free_space_at_most(tmp_path: Path) -> None:
    """A size below that of the profile is announced with the reason."""
    huge = msgspec_replace(PROFILES["quick"], size=1 << 60)
    order = an_order(tmp_path, huge)
    size, why = file_size(order)
    assert size < 1 << 60
    assert why is not None
    assert "free" in why
    assert why in announcement(order, Prospect(name=str(tmp_path), size=size), [why])


def msgspec_replace(profile: object, **given: object) -> object:
    """A profile with other fields."""
    import dataclasses  # noqa: PLC0415 - here only

    return dataclasses.replace(profile, **given)  # type: ignore[type-var]  # a dataclass


def an_order(place: Path, profile: object) -> Order:
    """An order to measure a directory."""
    return Order(
        target=str(place), kind="file", profile=profile, engine=None, cross_check=False, size=None, overwrite=None,  # type: ignore[arg-type]  # as above
        seconds=120.0,
    )  # fmt: skip


def test_a_run_that_cannot_be_stored_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The run is printed and saved, and an error is raised. ``show`` accepts the saved file."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / FILE).write_bytes(b"damaged" * 1000)
    (tmp_path / FILE).chmod(0o600)
    run = bench_runs.run()
    with pytest.raises(CannotTell, match="is damaged"):
        _shown(run, Measured(run.session), Settings(), Store(tmp_path))
    printed = capfd.readouterr()
    assert "48,211" in printed.out
    [saved] = tmp_path.glob("raidctl-run-*.json")
    assert str(saved) in printed.err
    assert "48,211" in raidctl("bench", "show", saved).stdout


def test_a_damaged_store_is_reported_before_the_measurement(tmp_path: Path) -> None:
    """The run ends before it measures."""
    (tmp_path / FILE).write_bytes(b"damaged" * 1000)
    (tmp_path / FILE).chmod(0o600)
    done = raidctl("bench", "run", tmp_path, "--state-dir", tmp_path)
    assert done.exit_code == 3
    assert "is damaged" in done.stderr
    assert "is made, filled" not in done.stderr


def test_a_run_without_figures_is_a_failure(capfd: pytest.CaptureFixture[str]) -> None:
    """The exit code is 3. The screen prints that nothing was measured."""
    run = bench_runs.run(session=bench_runs.session(results=()))
    assert _shown(run, Measured(run.session), Settings(), None) == 3
    assert "Nothing was measured." in capfd.readouterr().out


def test_different_engines_are_reported(kept: Path) -> None:
    """A comparison of runs with two engines reports that they differ."""
    done = raidctl("bench", "compare", "1", "2", "--state-dir", kept)
    assert done.exit_code == 0
    assert "The engines differ" in done.stdout


def test_a_run_of_another_machine_is_a_file(kept: Path, tmp_path: Path) -> None:
    """A run from a file or a pipe is shown and compared. The file may be compressed."""
    printed = raidctl("--json", "bench", "show", "2", "--state-dir", kept).stdout
    other = tmp_path / "theirs.json"
    other.write_text(printed)
    assert raidctl("bench", "compare", "1", other, "--state-dir", kept).exit_code == 0
    packed = tmp_path / "theirs.json.gz"
    packed.write_bytes(gzip.compress(printed.encode()))
    shown = raidctl("bench", "show", other).stdout
    assert raidctl("bench", "show", "-", answer=printed.encode()).stdout == shown
    assert raidctl("bench", "show", packed).stdout == shown


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["show", "7"], 2),
        (["show", "99999999999999999999999"], 2),
        (["show", "/nowhere"], 2),
        (["show", "/etc/hostname"], 3),
        (["show", "/"], 3),
        (["compare", "1", "x"], 2),
        (["export", "--format", "zcav", "1", "2"], 2),
    ],
)
def test_an_invalid_run_is_an_error(kept: Path, words: list[str], code: int) -> None:
    """The message is on standard error, and standard output is empty."""
    done = raidctl("bench", *words, "--state-dir", kept)
    assert done.exit_code == code
    assert done.stdout == ""
    assert "internal error" not in done.stderr


def test_a_curve_is_exported_for_gnuplot(kept: Path) -> None:
    """Each line has three columns."""
    done = raidctl("bench", "export", "--format", "zcav", "--state-dir", kept)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[2] == "0.00 230.00 2.226"


def test_all_runs_are_exported_one_per_line(kept: Path) -> None:
    """The runs are exported in the order of their numbers."""
    lines = raidctl("bench", "export", "--state-dir", kept).stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1, 2]


def test_a_cross_check_without_a_second_engine_is_refused(tmp_path: Path) -> None:
    """Fio cannot measure an NBD export, which is reported before the measurement."""
    with serving(tmp_path, "--kind", "write-through", "--rpm", "0", "--size", "64MiB") as model:
        done = raidctl("bench", "run", f"nbd+unix:///?socket={model.socket}", "--cross-check", "--no-save")
    assert done.exit_code == BenchError.exit_code
    assert "fio" in done.stderr
    assert 'Profile "' not in done.stderr
