"""A command whose outputs both lose their readers. Its exit code is not a result."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE

GEN9 = Path(__file__).resolve().parents[2] / "fixtures" / "smartarray-gen9-degraded"


@pytest.mark.parametrize(
    "words",
    [
        ("--replay", "nowhere", "show"), ("audit", "nowhere.toml"), ("diagnose", "--rule", "none"),
        ("--replay", str(GEN9), "--state-dir", "/dev/null", "snapshot"),
    ],
    ids=["a message", "a policy", "a rule", "a state that cannot be kept"],
)  # fmt: skip
def test_a_reader_of_both_outputs_that_goes_away_is_no_answer(words: tuple[str, ...]) -> None:
    """A command whose output loses its reader does not end with 1, which would mean "no"."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        argv = [sys.executable, "-m", "raidctl", *words]
        done = subprocess.run(argv, stdout=writing, stderr=writing, check=False, timeout=PATIENCE)
    finally:
        os.close(writing)
    assert done.returncode == 141
