"""A command line with an empty state directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import Raidctl, command_line


@pytest.fixture
def raidctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Raidctl:
    """Run a command line in this process."""
    monkeypatch.setenv("COLUMNS", "80")
    return command_line("--state-dir", tmp_path / "state")
