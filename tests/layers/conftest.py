"""A command line with an empty state directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli


@pytest.fixture
def raidctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command line in this process."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str | Path) -> Result:
        return CliRunner().invoke(cli, ["--state-dir", str(tmp_path / "state"), *map(str, arguments)])

    return run
