"""Tests that the lab's tests run, some of which fail. A file of this name is not collected by pytest."""

from __future__ import annotations

import platform
import time
from pathlib import Path

import pytest

from tests.lab.machine import Machine

SAMPLE = Machine("sample", "the machine of the lab's own test: it boots fast", udev=False)


@pytest.mark.lab(SAMPLE)
def test_passes_inside() -> None:
    """The host name is the machine's."""
    assert platform.node() == "sample"
    Path("/run/spoilt").touch()


@pytest.mark.lab(SAMPLE)
def test_fails_inside() -> None:
    """Its traceback and output have to reach the host."""
    print("printed inside")  # noqa: T201  to be seen in the report
    one = 1
    assert one == 2, platform.node()


@pytest.mark.lab(SAMPLE)
def test_shares_the_boot() -> None:
    """The file of the first test exists."""
    assert Path("/run/spoilt").exists()


@pytest.mark.lab(SAMPLE, last=True, timeout=2)
def test_hangs() -> None:
    """The host has to give up."""
    time.sleep(3600)
