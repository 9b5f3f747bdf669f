"""Changes of the kernel's own caches with failures at every point. raidctl is killed, or the kernel refuses."""

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
changes = pytest.mark.parametrize("settings", CHANGES, ids=[settings[0].split("=")[1] for settings in CHANGES])


@pytest.mark.slow
@changes
def test_whatever_fails_leaves_no_kernel_setting_that_restore_does_not_put_back(settings: tuple[str, ...]) -> None:
    """After restore, every setting is as before, or all is done. Each request is killed, refused, hanging, or lied to.

    The harness is a separate process: it forks, so it must have no threads.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.layers.kernel_harness", "layers", *settings, "--kill", "--fail"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    (cuts, wrong), (failures, unfinished) = found["--kill"], found["--fail"]
    assert (wrong, unfinished) == ([], [])
    assert cuts > 100
    assert failures >= 14
