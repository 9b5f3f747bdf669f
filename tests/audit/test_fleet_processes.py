"""Processes of an audit of many machines."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from raidctl.fleet.process_pool import results
from raidctl.fleet.sources import BLOCK, Piece
from tests.audit.policies import recorded

GONE = 120.0


def under_way(pid: int) -> list[int]:
    """The running child processes of a process."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text(encoding="ascii").split()] if path.exists() else []


def alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.slow
def test_no_process_outlives_an_audit_that_is_killed(tmp_path: Path) -> None:
    """An audit killed by signal 9 leaves no process behind. Its output is blocked at that time."""
    site = tmp_path / "site.toml"
    site.write_text('raid_level = "raid6"\n', encoding="utf-8")
    line = msgspec.json.encode(recorded("smartarray-gen9-degraded")) + b"\n"
    command = [sys.executable, "-m", "raidctl", "audit", str(site), "-", "--jobs", "2", "--passed", "--format", "jsonl"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as done:
        assert done.stdin is not None
        done.stdin.write(line * 2000)
        done.stdin.close()
        deadline = time.monotonic() + GONE
        while len(started := under_way(done.pid)) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        done.kill()
        done.wait()
        while any(map(alive, started)):
            assert time.monotonic() < deadline + GONE
            time.sleep(0.02)


@pytest.mark.slow
def test_each_process_gets_the_bytes_of_its_piece() -> None:
    """Pieces of any size arrive whole and in order. There may be more than run at a time."""
    sizes = [0, 1, BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 5 * BLOCK, *range(7, 40)]
    sent = [Piece("lines", "x", number, bytes([number]) * size) for number, size in enumerate(sizes)]
    assert list(results(sent, lambda piece: piece, 2)) == sent
