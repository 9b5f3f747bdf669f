"""``raidctl verify --measure`` as it is typed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidctl.verify.report import Verification
from tests.bench.served_target import modelled
from tests.support.command_line import Raidctl
from tests.support.terminal import interrupted_at

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory on a drive."""
    made = tmp_path / "srv"
    made.mkdir()
    return made


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--demo", "9271", "verify", "--measure", "/"), "Only this machine can be measured"),
        (("--host", "db1", "verify", "--measure", "/"), "Only this machine can be measured"),
        (("verify", "--measure"), "exactly one TARGET"),
        (("verify", "--measure", "/", "/srv"), "exactly one TARGET"),
        (("verify", "--measure", "/no/such/place"), "There is no"),
        (("verify", "--measure", "/dev/shm"), "is in memory"),  # noqa: S108 - nothing is made there
        (("verify", "--switch-policy", "/"), "--switch-policy needs --measure"),
        (("verify", "--seconds", "10", "/"), "--seconds needs --measure"),
        (("verify", "--measure", "--switch-seconds", "9", "/"), "needs --switch-policy"),
        (("verify", "--measure", "--overwrite", "all", "/"), "--overwrite is for devices"),
        (("verify", "--flush-device", "/dev/sda", "/"), "--flush-device needs --measure"),
        (("verify", "--measure", "--flush-device", "/srv", "/"), "a directory is not flushed"),
        (("verify", "--measure", "--flush-device", "nbd://127.0.0.1", "nbd://127.0.0.1"), "is the target itself"),
        (
            ("verify", "--measure", "--media", "hdd", "--flush-device", "nbd://127.0.0.1", "/"),
            "a claim about flushes",
        ),
        (("verify", "--measure", "--size", "many", "/"), "is not a size"),
    ],
)
def test_invalid_words_are_usage_errors(raidctl: Raidctl, words: tuple[str, ...], message: str) -> None:
    """One sentence, exit code 2, and nothing is measured."""
    done = raidctl(*words)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())


def test_a_dry_run_lists_what_would_be_written_and_writes_nothing(
    raidctl: Raidctl, place: Path, tmp_path: Path
) -> None:
    """A dry run leaves neither a file nor a run."""
    done = raidctl("verify", "--measure", "--dry-run", place)
    assert done.exit_code == 0
    assert "a file of" in done.stderr
    assert done.stdout == ""
    assert list(place.iterdir()) == []
    assert not (tmp_path / "state").exists()


def test_a_place_that_cannot_be_written_is_reported(raidctl: Raidctl) -> None:
    """No traceback, no answer that was not measured."""
    done = raidctl("verify", "--measure", "--size", "64MiB", "/proc")
    assert done.exit_code in (3, 4)
    assert done.stdout == ""
    assert "internal error" not in done.stderr


def test_a_switch_without_a_yes_is_refused_where_nobody_can_be_asked(raidctl: Raidctl, place: Path) -> None:
    """Switching a policy of the machine needs permission from a script."""
    done = raidctl("verify", "--measure", "--switch-policy", place)
    assert done.exit_code in (2, 3)
    assert list(place.iterdir()) == []


@pytest.mark.slow
def test_a_directory_is_answered_kept_and_left_as_it_was(raidctl: Raidctl, place: Path) -> None:
    """A measured directory is left as it was.

    On any machine, the figures are in the JSON, the run is in the list, and the file is removed.
    """
    done = raidctl("verify", "--measure", "--seconds", "10", "--size", "64MiB", "--json", "--media", "ssd", place)
    assert done.exit_code in (0, 1, 3)
    report = msgspec.json.decode(done.stdout, type=Verification)
    assert report.session is not None
    assert report.session.kind == "file"
    assert [one.trial for one in report.session.results] == ["medium"]
    assert list(place.iterdir()) == []
    listed = json.loads(raidctl("bench", "list", "--json").stdout)
    assert [run["id"] for run in listed] == [report.run]


@pytest.mark.slow
def test_an_export_is_measured_and_answered(raidctl: Raidctl) -> None:
    """An export is measured and answered with figures on 80 columns.

    It runs in real time, so no more is checked; nothing is kept.
    """
    words = ("--media", "hdd", "--drive-rpm", "15000", "--seconds", "10", "--no-save")
    with modelled("--kind", "write-through", "--rpm", "15000", "--size", "128MiB") as (model, _):
        uri = f"nbd+unix:///?socket={model.socket}"
        done = raidctl("verify", "--measure", *words, "--overwrite", "all", "--yes", uri)
    assert done.exit_code in (0, 1, 3), done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "not saved" in done.stdout
    assert "revolutions a minute" in done.stdout or "rpm" in done.stdout


def test_a_directory_of_this_one_is_found_by_its_name(raidctl: Raidctl, place: Path) -> None:
    """A word without a slash is a path, too, as an id is never measured."""
    before = Path.cwd()
    os.chdir(place.parent)
    try:
        done = raidctl("verify", "--measure", "--dry-run", place.name)
    finally:
        os.chdir(before)
    assert done.exit_code == 0
    assert str(place) in done.stderr


@pytest.mark.slow
def test_what_is_only_read_names_what_it_takes_to_write(raidctl: Raidctl) -> None:
    """Nothing is overwritten without permission."""
    with modelled("--kind", "lying", "--rpm", "15000", "--size", "64MiB") as (model, _):
        uri = f"nbd+unix:///?socket={model.socket}"
        done = raidctl("verify", "--measure", "--seconds", "10", "--json", uri)
    report: dict[str, Any] = json.loads(done.stdout)
    assert done.exit_code == 3
    assert [answer["claim"] for answer in report["answers"]] == ["power_safe"]
    assert "--overwrite all" in report["answers"][0]["next_test"]
    assert report["session"]["written"] == 0


@pytest.mark.slow
def test_ctrl_c_leaves_the_answers_up_to_then_and_no_file(place: Path, tmp_path: Path) -> None:
    """Ctrl-C leaves a document with what was known. The exit code is 130, and the directory is as it was."""
    words = ["--state-dir", str(tmp_path / "state"), "verify", "--measure", "--seconds", "60", "--size", "64MiB"]
    command = [sys.executable, "-m", "raidctl", *words, "--json", str(place)]
    code, screen = interrupted_at(b"whether the medium", command, tmp_path / "out")
    assert code == 130, screen
    assert "Ended early" in screen
    assert json.loads((tmp_path / "out").read_bytes())["answers"]
    assert list(place.iterdir()) == []


def test_what_cannot_be_flushed_is_known_before_anything_is_measured(raidctl: Raidctl, place: Path) -> None:
    """A server that is not there: one sentence, no file, no figure."""
    done = raidctl("verify", "--measure", "--flush-device", f"nbd+unix:///?socket={place}/none", "--yes", place)
    assert done.exit_code == 3
    assert "No NBD server can be reached" in done.stderr
    assert (done.stdout, list(place.iterdir())) == ("", [])


@pytest.mark.slow
def test_flushes_are_sent_past_a_layer_that_drops_them(raidctl: Raidctl) -> None:
    """Flushes are sent past a layer that drops them.

    As the manual has it, on the model behind such a layer, this is announced before, and both rates are measured.
    """
    words = ("--power-safe", "--seconds", "10", "--overwrite", "all", "--yes", "--no-save", "--json")
    with modelled("--kind", "volatile", "--rpm", "15000", "--size", "256MiB", "--no-keep") as (model, _):
        past, target = (f"nbd+unix:///?socket={socket}" for socket in (model.socket, model.dropping))
        done = raidctl("verify", "--measure", *words, "--flush-device", past, target)
    session = msgspec.json.decode(done.stdout, type=Verification).session
    assert f"Flushes are also sent to {past}" in done.stderr
    assert session is not None
    figures = {name: figure for one in session.results for name, figure in one.figures.items()}
    assert figures["commits"].n > 0
    assert figures["commits_raw"].n > 0
