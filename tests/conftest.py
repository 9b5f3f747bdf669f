"""Options and fixtures of the whole suite."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# how long an example takes says something about the machine, and nothing about what has to hold
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

pytest_plugins = ["tests.lab.plugin"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-expected`` rewrites what the recorded machines are expected to give; review the difference by eye."""
    parser.addoption("--update-expected", action="store_true", help="rewrite fixtures/*/expected")


@pytest.fixture
def update_expected(request: pytest.FixtureRequest) -> bool:
    """Whether the expected inventories are to be rewritten."""
    return bool(request.config.getoption("--update-expected"))
