"""Command lines of replacements on a simulated machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.vendor.simulator import State
from raidctl_md import simulator

OLD, OTHER = "ZC1A00K4", "ZC1B10P3"

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a command line on the demo, with an empty state directory."""

    def command(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--state-dir", str(tmp_path / "state"), "--demo", "raid6", *words])

    return command


def moved(tmp_path: Path, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
    """Do to the simulated machine what a person or time does."""
    path = tmp_path / "state" / "demo" / "raid6" / "settings.json"
    path.write_bytes(msgspec.json.encode(change(msgspec.json.decode(path.read_bytes(), type=dict[str, str]))))


def state(tmp_path: Path) -> dict[str, str]:
    """The current simulated machine."""
    path = tmp_path / "state" / "demo" / "raid6" / "settings.json"
    return msgspec.json.decode(path.read_bytes(), type=dict[str, str])


SHELF = {"md/drive ZC9Z00A1": "sectors=7814037168 smart=PASSED"}


def push(bay: str, serial: str) -> Callable[[State], State]:
    """A drive from the shelf is put into a bay."""
    return lambda now: simulator.push({**SHELF, **now}, bay, serial)
