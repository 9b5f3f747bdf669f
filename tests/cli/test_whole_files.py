"""--output: a file is written completely or left as it was. A device or pipe is written into, never removed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.cli import cli
from tests.support.machines import FIXTURES

COMMANDS = {"snapshot": '"controllers"', "export": "raidctl_build_info"}


def _run(command: str, output: Path) -> int:
    words = ["--replay", str(FIXTURES / "smartarray-p400"), command, "--output", str(output)]
    return CliRunner().invoke(cli, words).exit_code


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_or_a_device_stays_what_it_is(command: str, tmp_path: Path) -> None:
    """The output is written into the pipe or device, which stays.

    Root who names /dev/null or /dev/stdout must not lose them.
    """
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert _run(command, pipe) == 0
        assert COMMANDS[command] in os.read(reader, 1 << 20).decode()
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_device_that_takes_nothing_is_an_error(command: str) -> None:
    """Nothing can be written to /dev/full, and the message reports it."""
    before = Path("/dev/full").stat()
    assert stat.S_ISCHR(before.st_mode)
    assert _run(command, Path("/dev/full")) == 3
    assert Path("/dev/full").stat().st_rdev == before.st_rdev


@pytest.mark.parametrize("command", COMMANDS)
def test_a_link_stays_a_link(command: str, tmp_path: Path) -> None:
    """What it points to is replaced, beside it."""
    real = tmp_path / "there" / "real"
    real.parent.mkdir()
    link = tmp_path / "there" / "link"
    link.symlink_to(real)
    assert _run(command, link) == 0
    assert (link.is_symlink(), COMMANDS[command] in real.read_text(encoding="utf-8")) == (True, True)
    assert _run(command, link) == 0
    assert sorted(path.name for path in real.parent.iterdir()) == ["link", "real"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("root", [True, False])
def test_root_follows_no_link_into_another_directory(
    command: str, tmp_path: Path, root: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link in another directory must not choose what root overwrites."""
    monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)
    (tmp_path / "here").mkdir()
    precious, link = tmp_path / "precious", tmp_path / "here" / "raidctl.prom"
    precious.touch()
    link.symlink_to(precious)
    assert _run(command, link) == (3 if root else 0)
    assert (precious.read_bytes() == b"") is root
    assert link.is_symlink()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_directory_is_no_file(command: str, tmp_path: Path) -> None:
    """It is refused, and nothing is left in it."""
    assert _run(command, tmp_path) in (2, 3)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("snapshot", "--output", "-"), '"controllers"'),
        (("export", "--output", "-"), "raidctl_build_info"),
        (("export", "--rows", "drives", "--output", "-"), '"serial"'),
        (("report", "--format", "markdown", "--output", "-"), "SHA-256"),
        (("layout", "export", "-"), "layout = 1"),
        (("audit", "--init", "-"), "[[rule]]"),
    ],
)
def test_a_dash_is_standard_output(
    words: tuple[str, ...], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in other programs, ``-`` instead of FILE prints. No file of that name is written."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["--replay", str(FIXTURES / "smartarray-p400"), *words])
    assert expected in done.stdout
    assert list(tmp_path.iterdir()) == []
