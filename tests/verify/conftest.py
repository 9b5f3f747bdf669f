"""The command line in this process, over the recorded machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from tests.support.machines import FIXTURES
from tests.support.temporary import on_a_drive

__all__ = ["on_a_drive"]

Verify = Callable[..., Result]
Answers = Callable[..., dict[tuple[str, str], dict[str, Any]]]


@pytest.fixture
def verify(monkeypatch: pytest.MonkeyPatch) -> Verify:
    """``raidctl --replay fixtures/MACHINE verify …``."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(machine: str, *words: str) -> Result:
        return CliRunner().invoke(cli, ["--replay", str(FIXTURES / machine), "verify", *words])

    return run


@pytest.fixture
def answers(verify: Verify) -> Answers:
    """The answers by object and claim, out of the JSON."""

    def run(machine: str, *words: str) -> dict[tuple[str, str], dict[str, Any]]:
        report = msgspec.json.decode(verify(machine, "--json", *words).stdout)
        return {(answer["object"], answer["claim"]): answer for answer in report["answers"]}

    return run
