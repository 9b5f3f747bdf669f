"""Files that are no inventories are reported once, and block nothing."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.audit.policies import recorded


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with one inventory."""
    (tmp_path / "fleet").mkdir()
    (tmp_path / "site.toml").write_text('raid_level = "raid5"\n', encoding="utf-8")
    (tmp_path / "fleet" / "a.json").write_bytes(msgspec.json.encode(recorded("smartarray-p400")))
    return tmp_path


def _hosts(place: Path) -> list[tuple[str, bool]]:
    """Return each reported host's file, and whether it was unreadable."""
    argv = [sys.executable, "-m", "raidctl", "audit", "site.toml", "fleet", "--json", "--jobs", "1"]
    done = subprocess.run(argv, cwd=place, capture_output=True, check=False, timeout=120)
    return [(one["source"], one["unreadable"]) for one in json.loads(done.stdout)["hosts"]]


def test_a_pipe_in_a_directory_does_not_block(place: Path) -> None:
    """A named pipe is unreadable, and does not block the audit."""
    os.mkfifo(place / "fleet" / "b.json")
    os.mkfifo(place / "fleet" / "c.jsonl")
    assert _hosts(place) == [("fleet/a.json", False), ("fleet/b.json", True), ("fleet/c.jsonl", True)]


def test_an_unreadable_file_is_one_host(place: Path) -> None:
    """A file of random bytes is one unreadable host. In a file of inventories, each line counts."""
    noise = random.Random(1).randbytes(100_000)  # noqa: S311 - the same bytes in every run
    (place / "fleet" / "b.json").write_bytes(noise)
    good = (place / "fleet" / "a.json").read_bytes()
    (place / "fleet" / "c.json").write_bytes(good[:-9] + b"\n" + good + b"\n")
    assert _hosts(place) == [
        ("fleet/a.json", False), ("fleet/b.json", True), ("fleet/c.json:1", True), ("fleet/c.json:2", False),
    ]  # fmt: skip
