"""A journal counts as missing only if the system reports that there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.change.state_directory import existing
from raidctl.change.state_place import are_missing
from raidctl.change.unfinished import problems
from raidctl.cli import cli
from raidctl.operate.check_history import read

JOURNAL = "journal.jsonl"


def test_a_directory_without_the_files_or_none_at_all(tmp_path: Path) -> None:
    """Nothing is kept there, nor below a file."""
    (tmp_path / "file").touch()
    assert are_missing(str(tmp_path), (JOURNAL, "checks.jsonl"))
    assert are_missing(str(tmp_path / "none"), (JOURNAL,))
    assert are_missing(str(tmp_path / "file"), (JOURNAL,))


def test_one_of_the_files_is_enough(tmp_path: Path) -> None:
    """The journal of a simulated machine is further down."""
    (tmp_path / "demo" / "raid6").mkdir(parents=True)
    (tmp_path / "demo" / "raid6" / JOURNAL).touch()
    assert not are_missing(str(tmp_path), ("demo/raid6/checks.jsonl", f"demo/raid6/{JOURNAL}"))


def test_what_cannot_be_looked_for_is_not_missing(tmp_path: Path) -> None:
    """A link to nothing, or a directory that cannot be entered."""
    (tmp_path / JOURNAL).symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    assert not are_missing(str(tmp_path), (JOURNAL,))
    assert not are_missing(str(tmp_path / "loop"), (JOURNAL,))


def test_an_unread_state_directory_is_a_problem(tmp_path: Path) -> None:
    """Its unfinished changes and results of checks are not reported as absent."""
    (tmp_path / "loop").symlink_to("loop")
    place = existing(str(tmp_path / "loop"))
    assert place is not None
    assert [problem.kind for problem in problems(place, "local")] == ["unread"]
    assert read(place).unread
    assert existing(str(tmp_path / "none")) is None


@pytest.mark.parametrize("place", ["link", "link/raidctl", "link/demo/raid6"])
def test_a_directory_on_a_file_system_that_is_not_mounted_is_not_missing(place: str, tmp_path: Path) -> None:
    """Behind a dangling link, there may be unfinished changes: no command concludes that there are none."""
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "state")
    named = str(tmp_path / place)
    assert not are_missing(named, (JOURNAL,))
    found = existing(named)
    assert found is not None
    assert [problem.kind for problem in problems(found, "local")] == ["unread"]
    assert read(found).unread
    for words in (["restore"], ["restore", "--dry-run"], ["journal"], ["replace", "list"]):
        assert CliRunner().invoke(cli, ["--state-dir", named, *words]).exit_code == 4, words
    (tmp_path / "disk" / "state").mkdir(parents=True)
    assert CliRunner().invoke(cli, ["--state-dir", named, "restore"]).exit_code == 0


def test_the_place_of_other_users_is_in_their_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """XDG_STATE_HOME counts if it is a full path."""
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    (tmp_path / ".local" / "state" / "raidctl").mkdir(parents=True)
    (tmp_path / ".local" / "state" / "raidctl" / JOURNAL).touch()
    assert not are_missing(None, (JOURNAL,))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "none"))
    assert are_missing(None, (JOURNAL,))
