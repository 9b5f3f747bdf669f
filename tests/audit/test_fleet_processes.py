"""Processes of an audit of many machines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from raidctl.fleet.process_pool import results
from raidctl.fleet.sources import BLOCK, Piece
from tests.audit.policies import recorded
from tests.support.processes import alive, children, killed_on_error
from tests.support.waiting import until


@pytest.mark.slow
def test_no_process_outlives_an_audit_that_is_killed(tmp_path: Path) -> None:
    """An audit killed with signal 9 while its output is blocked leaves no process."""
    site = tmp_path / "site.toml"
    site.write_text('raid_level = "raid6"\n', encoding="utf-8")
    line = msgspec.json.encode(recorded("smartarray-gen9-degraded")) + b"\n"
    command = [sys.executable, "-m", "raidctl", "audit", str(site), "-", "--jobs", "2", "--passed", "--format", "jsonl"]
    with killed_on_error(
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    ) as done:
        assert done.stdin is not None
        done.stdin.write(line * 2000)
        done.stdin.close()
        until(lambda: len(children(done.pid)) == 2)
        started = children(done.pid)
        done.kill()
        done.wait()
        until(lambda: not any(map(alive, started)))


@pytest.mark.slow
def test_each_process_gets_the_bytes_of_its_piece() -> None:
    """Pieces of any size arrive whole and in order. There may be more than run at a time."""
    sizes = [0, 1, BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 5 * BLOCK, *range(7, 40)]
    sent = [Piece("lines", "x", number, bytes([number]) * size) for number, size in enumerate(sizes)]
    assert list(results(sent, lambda piece: piece, 2)) == sent
