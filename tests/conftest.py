"""Options and fixtures of the whole suite."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-expected`` rewrites what the recorded machines are expected to give; review the difference by eye."""
    parser.addoption("--update-expected", action="store_true", help="rewrite fixtures/*/expected")


@pytest.fixture
def update_expected(request: pytest.FixtureRequest) -> bool:
    """Whether the expected inventories are to be rewritten."""
    return bool(request.config.getoption("--update-expected"))
