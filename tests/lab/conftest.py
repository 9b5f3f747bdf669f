"""Machines that are shared by several files. Pytest-xdist runs their tests in one worker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.lab.bays import Bays
from tests.lab.enclosure import Enclosure
from tests.lab.guest import Guest
from tests.lab.machines_bays import BAYS, BUS
from tests.lab.machines_caches import LAYERS


@pytest.fixture(scope="session")
def layers_machine() -> Iterator[Guest]:
    """The machine with the kernel's caches and with failing drives. Its tests run last."""
    with Guest(LAYERS) as guest:
        yield guest.boot()


@pytest.fixture(scope="session")
def bays() -> Iterator[Bays]:
    """The machine whose drives are pulled and pushed. Its arrays are complete before and after each test."""
    with Enclosure() as enclosure, Guest(replace(BAYS, qemu=enclosure.arguments(f"{BUS}.0"))) as guest:
        yield Bays(guest.boot(), enclosure)
