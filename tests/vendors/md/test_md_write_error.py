"""A write error that only the kernel reports."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.command_line import command_line
from tests.support.machines import FIXTURES

_GOOD = r'"/sys/block/md1/md/dev-sdc1/state", "text": "in_sync\n"'


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("in_sync", 0),
        ("in_sync,write_mostly", 0),
        ("in_sync,write_error", 1),
        ("in_sync,write_error,want_replacement", 1),
    ],
)
def test_a_write_error_in_sysfs_counts_beside_mdadm(state: str, code: int, tmp_path: Path) -> None:
    """A member to which a write has failed is a warning, although mdadm calls it active."""
    machine = shutil.copytree(FIXTURES / "md-healthy", tmp_path / "machine")
    record = (machine / "record.json").read_text()
    assert _GOOD in record
    (machine / "record.json").write_text(record.replace(_GOOD, _GOOD.replace("in_sync", state)))
    done = command_line("--replay", machine)("diagnose")
    assert done.exit_code == code, done.output
    assert ("A write to the drive has failed" in done.output) == bool(code)
