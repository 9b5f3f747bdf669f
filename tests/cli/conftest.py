"""A third-party vendor package's machine, for every test of the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.model import Inventory
from tests.cli import acme

Raidctl = Callable[..., Result]


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the vendor package is installed."""
    folder = tmp_path_factory.mktemp("plugins")
    acme.install(folder)
    return folder


@pytest.fixture
def raidctl(plugins: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Raidctl]:
    """Run a command line in this process."""
    monkeypatch.syspath_prepend(str(plugins))
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=stdin)

    yield run
    sys.modules.pop("raidctl_acme", None)


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[Inventory | None], Path]:
    """The recording of a machine by its inventory."""

    def make(inventory: Inventory | None) -> Path:
        return acme.record(inventory, tmp_path / f"machine-{len(list(tmp_path.iterdir()))}")

    return make
