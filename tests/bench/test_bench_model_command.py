"""``raidctl bench model`` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.served_model import ROOT
from tests.support.command_line import command_line
from tests.support.processes import killed_on_error

raidctl = command_line()


def program(*words: str | Path) -> list[str]:
    """The command line for a separate process."""
    return [sys.executable, "-m", "raidctl", *map(str, words)]


def test_a_model_is_served_until_it_is_ended(tmp_path: Path) -> None:
    """The commands that measure the model are printed. Its sockets are removed at the end."""
    kind = ("--rpm", "0", "--size", "64MiB", "--latency", "0.001", "--read-ahead", "1MiB", "--compresses")
    sockets = ("--socket", tmp_path / "nbd", "--no-flush-socket", tmp_path / "dropping")
    with killed_on_error(subprocess.Popen(
        program("bench", "model", *kind, *sockets),
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )) as process:  # fmt: skip
        assert process.stdout is not None
        uri = process.stdout.readline().split()[1]
        dropping = process.stdout.readline()
        assert f"socket={tmp_path / 'dropping'} without its flushes" in dropping
        assert f"raidctl bench run '{uri}'" in process.stdout.readline()
        assert Path(tmp_path / "dropping").is_socket()
        measured = raidctl("bench", "run", uri, "--dry-run")
        assert "is only read (64 MiB)" in measured.stderr
        process.terminate()
        assert process.wait(120) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_model_prints_its_address_as_one_line_of_json(tmp_path: Path) -> None:
    """The line is printed as soon as it is served."""
    sockets = ("--socket", tmp_path / "nbd", "--no-flush-socket", tmp_path / "dropping")
    with killed_on_error(subprocess.Popen(
        program("--json", "bench", "model", "--rpm", "0", "--size", "64MiB", *sockets),
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )) as process:  # fmt: skip
        assert process.stdout is not None
        printed = json.loads(process.stdout.readline())
        assert "is only read (64 MiB)" in raidctl("bench", "run", printed["uri"], "--dry-run").stderr
        assert printed["without_flushes"] == f"nbd+unix:///?socket={tmp_path / 'dropping'}"
        process.terminate()
        assert process.stdout.read() == ""
        assert process.wait(120) == 0


@pytest.mark.parametrize(
    "words",
    [["--raid-level", "raid6", "--drives", "2"], ["--size", "big"], ["--strip-size", "1KiB"], ["--socket", "/proc/x"]],
)
def test_a_model_that_cannot_be_built_is_an_error(words: list[str]) -> None:
    """There is a message, and the exit code is not 0."""
    done = raidctl("bench", "model", *words)
    assert done.exit_code in (2, 3)
    assert "internal error" not in done.stderr
