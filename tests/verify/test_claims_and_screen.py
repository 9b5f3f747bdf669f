"""``show``, ``diagnose`` and ``verify`` conclude the same from one output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.cli import cli
from raidctl.errors import EXIT_CANNOT_TELL
from tests.support.conclusions import read_text


def test_a_check_without_a_result_stands_at_the_top_of_show(tmp_path: Path) -> None:
    """The command show must not begin better than diagnose ends.

    Write-back is active, and no output is about a battery.
    """
    path = tmp_path / "output.txt"
    path.write_text(_ONLY_CONFIGURED, encoding="utf-8")
    assert CliRunner().invoke(cli, ["--replay", str(path), "diagnose"]).exit_code == EXIT_CANNOT_TELL
    shown = CliRunner().invoke(cli, ["--replay", str(path), "show"]).stdout.splitlines()
    [place] = [n for n, line in enumerate(shown) if line.startswith("No failures found: 1 controller, 1 volume")]
    assert shown[place + 1].startswith("1 unknown: megaraid:0/v0: Write-back is active")


@pytest.mark.parametrize("end", ["\nExit Code: 0x00\n", ""])
def test_drive_caches_that_are_on_are_suspect_although_the_output_is_cut_off(end: str, tmp_path: Path) -> None:
    """Less output does not make a claim better. In show it is NO, and verify is no milder."""
    path = tmp_path / "output.txt"
    text = _ONLY_CONFIGURED.replace("WriteBack", "WriteThrough").replace("Policy   : Disabled", "Policy   : Enabled")
    path.write_text(text.replace("\nExit Code: 0x00\n", end), encoding="utf-8")
    [volume] = read_text(path.read_text(encoding="utf-8")).inventory.controllers[0].volumes
    assert volume.cache is not None
    assert volume.cache.write_protected is False
    done = CliRunner().invoke(cli, ["--replay", str(path), "verify", "--power-safe", "--json"])
    verdicts = {one["object"]: one["verdict"] for one in json.loads(done.stdout)["answers"]}
    assert verdicts["megaraid:0/v0"] == "suspect"


_ONLY_CONFIGURED = """
Adapter 0 -- Virtual Drive Information:
Virtual Drive: 0 (Target Id: 0)
RAID Level          : Primary-1, Secondary-0, RAID Level Qualifier-0
Size                : 136.125 GB
State               : Optimal
Number Of Drives    : 2
Default Cache Policy: WriteBack, ReadAheadNone, Direct, No Write Cache if Bad BBU
Current Cache Policy: WriteBack, ReadAheadNone, Direct, No Write Cache if Bad BBU
Disk Cache Policy   : Disabled

Exit Code: 0x00
"""
