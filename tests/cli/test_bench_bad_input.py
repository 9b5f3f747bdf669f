"""Odd input to ``raidctl bench``: invalid names, unknown runs, options without effect."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from raidctl.bench.profiles import PROFILES
from raidctl.bench.record import Run
from raidctl.bench.store import FILE, Store
from raidctl.cli.bench.run import _shown
from raidctl.cli.shared.bench_plan import Order, Prospect, announcement
from raidctl.cli.shared.measuring import Measured
from raidctl.cli.shared.options import Settings
from raidctl.output.json import to_json
from tests.bench import bench_runs
from tests.support.command_line import command_line

raidctl = command_line()

NO_TEXT = os.fsdecode(b"/srv/caf\xe9")
"""A directory of a time before UTF-8."""


def no_text() -> Run:
    """A run in a directory whose name is not text. It is as long and as good as any."""
    session = bench_runs.session(target=f"{NO_TEXT}/raidctl-bench-1-0a1b2c3d.tmp", notes=(f"{NO_TEXT} is old.",))
    return bench_runs.run(session=session, label=os.fsdecode(b"\xff"))


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A state directory with one run."""
    Store(tmp_path).add(bench_runs.run())
    return tmp_path


@pytest.mark.parametrize("as_json", [False, True])
def test_a_name_that_is_no_text_loses_no_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    """A run whose name is not text is shown, kept and listed.

    Exports have it, too, with a mark for bytes that are not characters.
    """
    settings = Settings()
    settings.as_json = as_json
    run = no_text()
    assert _shown(run, Measured(run.session), settings, Store(tmp_path)) == 0
    printed = capfd.readouterr().out
    assert "/srv/caf\ufffd" in (json.loads(printed)["session"]["target"] if as_json else printed)
    [listed] = Store(tmp_path).list()
    assert (listed.target, listed.label) == ("/srv/caf\ufffd", "\ufffd")
    exported = json.loads(raidctl("bench", "export", "--state-dir", tmp_path).stdout)
    jsonschema.validate(exported, json.loads(raidctl("schema", "bench").stdout))


def test_json_of_a_name_that_is_no_text_keeps_the_order_of_the_fields() -> None:
    """Text that could not be encoded is marked, and nothing else differs."""
    found, plain = json.loads(to_json(no_text())), json.loads(to_json(bench_runs.run()))
    assert list(found) == list(plain)
    assert list(found["session"]) == list(plain["session"])
    assert found["session"]["notes"] == ["/srv/caf\ufffd is old."]
    assert found["session"]["results"] == plain["session"]["results"]


def test_a_plan_is_one_line_for_each_sentence_whatever_the_directory_is_called() -> None:
    """A line break in a directory's name starts no new sentence."""
    order = Order(
        target="/srv/a\nDone", kind="file", profile=PROFILES["quick"], engine=None, cross_check=False, size=None,
        overwrite=None, seconds=120.0,
    )  # fmt: skip
    message = announcement(order, Prospect(name="/srv/a\nDone", size=1 << 30), [])
    assert not [text for text in message if "\n" in text]
    assert "In /srv/a Done a file" in message[1]


@pytest.mark.parametrize(("seconds", "longer"), [(5.0, True), (120.0, False)])
def test_less_time_than_a_round_takes_is_reported(seconds: float, *, longer: bool) -> None:
    """Every test is made once, however little time is given."""
    order = Order(
        target="/srv", kind="file", profile=PROFILES["quick"], engine=None, cross_check=False, size=None,
        overwrite=None, seconds=seconds,
    )  # fmt: skip
    message = announcement(order, Prospect(name="/srv", size=1 << 30), [])
    assert any("--seconds 5 may be too short for one round" in text for text in message) is longer


@pytest.mark.parametrize("words", [("bench", "run"), ("verify", "--measure")])
@pytest.mark.parametrize("target", ["device", "nbd+unix:///?socket=/nowhere"], ids=["device", "export"])
def test_a_size_is_refused_where_no_file_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], target: str
) -> None:
    """``--size`` has no effect on a device or an export."""
    if target == "device":
        target = next((str(node) for node in Path("/dev").iterdir() if node.is_block_device()), "")
        if not target:
            pytest.skip("this machine has no block device")
    monkeypatch.chdir(tmp_path)
    done = raidctl("--state-dir", tmp_path / "state", *words, target, "--size", "64MiB", "--dry-run")
    assert done.exit_code == 2, done.stderr
    assert "--size is for the file that is created in a directory" in " ".join(done.stderr.split())


@pytest.mark.parametrize("seconds", ["1e300", "604801"])
def test_a_measurement_of_more_than_a_week_is_refused(tmp_path: Path, seconds: str) -> None:
    """A duration that long is a typing error."""
    done = raidctl("bench", "run", tmp_path, "--seconds", seconds, "--dry-run")
    assert done.exit_code == 2
    assert "604800" in done.stderr


@pytest.mark.parametrize("words", [("bench", "run", "."), ("verify", "--measure", "."), ("verify", ".")])
def test_a_directory_that_was_removed_is_no_fault_of_raidctl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """The message names the current directory as removed."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = raidctl("--state-dir", tmp_path / "state", *words)
    assert done.exit_code == 2, done.stderr
    assert "has been removed" in done.stderr


@pytest.mark.parametrize("words", [("bench", "run", "."), ("verify", "--measure", ".")])
def test_without_a_place_for_runs_the_message_shows_how_to_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """A rescue system has no place for runs."""
    (tmp_path / FILE).write_bytes(b"damaged" * 1000)
    (tmp_path / FILE).chmod(0o600)
    place = Path(__file__).parent
    monkeypatch.chdir(place)
    done = raidctl("--state-dir", tmp_path, *words)
    assert done.exit_code == 3
    assert "--no-save" in done.stderr


def test_a_file_is_no_state_directory_of_another_user(tmp_path: Path) -> None:
    """The message names the kind of the path."""
    (tmp_path / "state").touch()
    done = raidctl("bench", "list", "--state-dir", tmp_path / "state")
    assert done.exit_code == 4
    assert "is not a directory" in done.stderr


@pytest.mark.parametrize(
    ("word", "code", "message"),
    [("", 2, "is empty"), ("9" * 5000, 2, "There is no run"), ("99999999999999999999999", 2, "run 9999999")],
    ids=["nothing", "thousands-of-digits", "more-than-a-database-has"],
)
def test_a_word_that_names_no_run_is_a_wrong_word(kept: Path, word: str, code: int, message: str) -> None:
    """An empty word does not mean the current directory. A number of any length is accepted."""
    done = raidctl("bench", "compare", "--state-dir", kept, "1", word)
    assert (done.exit_code, message in done.stderr) == (code, True), done.stderr
    assert "internal error" not in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x00\xff\x01", "is not JSON, or not all of it"),
        (b'{"schema_version": "1", "session": {', "is not JSON, or not all of it"),
        (b'{"controllers": []}', "is JSON, but not a run"),
        (b"[1, 2]", "is JSON, but not a run"),
        (b'{"answers": [], "session": {}}', "is JSON, but not a run"),
        (b'{"at": "", "raidctl": "", "session": {}}\n' * 2, "has 2 runs, one a line"),
    ],
    ids=["empty", "binary", "half", "inventory", "list", "answers-of-verify", "lines"],
)
def test_a_file_that_is_no_run_is_called_what_it_is(kept: Path, tmp_path: Path, content: bytes, message: str) -> None:
    """A truncated file is not reported as one of a newer raidctl."""
    (tmp_path / "file").write_bytes(content)
    done = raidctl("bench", "show", "--state-dir", kept, tmp_path / "file")
    assert done.exit_code == 3
    assert message in done.stderr
    assert "newer raidctl" not in done.stderr


def test_standard_input_is_not_asked_for_twice(kept: Path) -> None:
    """Reading it a second time would find nothing. The message names that reason, not a run that was cut off."""
    printed = raidctl("--json", "bench", "show", "1", "--state-dir", kept).stdout.encode()
    assert raidctl("bench", "compare", "-", "1", "--state-dir", kept, answer=printed).exit_code == 0
    done = raidctl("bench", "compare", "-", "-", "--state-dir", kept, answer=printed)
    assert done.exit_code == 2
    assert "only once" in done.stderr
