"""Machines that tests of several files share; pytest-xdist gives these tests to one worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.guest import Guest
from tests.lab.machines_caches import LAYERS


@pytest.fixture(scope="session")
def layers_machine() -> Iterator[Guest]:
    """The machine with the kernel's caches, and with drives that fail; those that fail come last."""
    with Guest(LAYERS) as guest:
        yield guest.boot()
