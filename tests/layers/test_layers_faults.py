"""raidctl killed, and the kernel refusing, at every point of a change of the kernel's own caches."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHANGES = [
    ("kernel:vm=dirty_limit=268435456 bytes", "kernel:vm=dirty_background_limit=67108864 bytes"),
    ("kernel:vm=dirty_limit=30 percent", "kernel:vm=dirty_expire=1500", "kernel:vm=dirty_writeback=0"),
    ("kernel:bcache0=cache_mode=writethrough", "kernel:bcache0=writeback_percent=0"),
]
changes = pytest.mark.parametrize("wishes", CHANGES, ids=[wishes[0].split("=")[1] for wishes in CHANGES])


def trials(wishes: tuple[str, ...], way: str) -> tuple[int, list[str]]:
    """Run the harness in a process of its own: it forks, so it must have no threads."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.layers.kernel_harness", "layers", *wishes, way],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = json.loads(done.stdout)
    return told["points"], told["wrong"]


@pytest.mark.slow
@changes
def test_a_killed_raidctl_leaves_no_kernel_setting_that_restore_does_not_put_back(wishes: tuple[str, ...]) -> None:
    """Killed before, during and after every request: after restore, every setting is as before."""
    points, wrong = trials(wishes, "--kill")
    assert points > 100
    assert wrong == []


@changes
def test_a_kernel_that_refuses_leaves_nothing_half_done(wishes: tuple[str, ...]) -> None:
    """Refusing, hanging, lying, dying after the change: all is done, or all is as before."""
    points, wrong = trials(wishes, "--fail")
    assert points >= 14
    assert wrong == []
