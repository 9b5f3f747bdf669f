"""Write errors and bad blocks of members that only the kernel reports."""

from __future__ import annotations

import json
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


def test_a_member_that_blocks_writes_is_a_warning(tmp_path: Path) -> None:
    """``in_sync,blocked``: writes wait for the metadata, for ever if mdmon is gone."""
    machine = shutil.copytree(FIXTURES / "md-healthy", tmp_path / "machine")
    record = (machine / "record.json").read_text()
    (machine / "record.json").write_text(record.replace(_GOOD, _GOOD.replace("in_sync", "in_sync,blocked")))
    done = command_line("--replay", machine)("diagnose")
    assert (done.exit_code, "Writes to the member wait" in done.output) == (1, True)


@pytest.mark.parametrize(("text", "code"), [("", 0), ("2048 8\n", 1), ("2048 8\n4096 1\n", 1)])
def test_bad_blocks_of_a_running_member_are_reported(text: str, code: int, tmp_path: Path) -> None:
    """A member with blocks in its bad block log is a warning, once: the array has less redundancy there."""
    machine = shutil.copytree(FIXTURES / "md-healthy", tmp_path / "machine")
    record = json.loads((machine / "record.json").read_text())
    record["answers"].append({"read": "/sys/block/md1/md/dev-sdc1/bad_blocks", "text": text})
    (machine / "record.json").write_text(json.dumps(record))
    found = json.loads(command_line("--replay", machine)("diagnose", "--json").output)
    assert found["verdict"] == ("found" if code else "fine")
    assert [one["message"] for one in found["findings"] if one["where"] == "md:md1/sdc1"] == code * [
        "The member has entries in its bad block log."
    ]
