"""The helper that ends the processes of tests."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.processes import alive, killed_on_error


def test_no_process_outlives_a_block_that_fails() -> None:
    """A process that sleeps is killed after an error. One that ends is waited for."""
    sleeping = [sys.executable, "-c", "import time; time.sleep(3600)"]
    with pytest.raises(ZeroDivisionError), killed_on_error(subprocess.Popen(sleeping)) as process:
        raise ZeroDivisionError
    assert not alive(process.pid)
    with killed_on_error(subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])) as process:
        pass
    assert process.returncode == 3
