"""``raidctl replace DRIVE --check`` as a user types it: exit codes, JSON, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def raidctl(*words: str) -> Result:
    """What the program prints, and its exit code."""
    return CliRunner().invoke(cli, words, prog_name="raidctl")


def replayed(machine: str, *words: str) -> Result:
    """The same, of a recorded machine."""
    return raidctl("--replay", str(FIXTURES / machine), "replace", *words)


@pytest.mark.parametrize(
    ("machine", "drive", "code", "word"),
    [
        ("smartarray-gen9-degraded", "1I:1:2", 0, "YES"),
        ("smartarray-gen9-degraded", "bay:1", 1, "NO"),
        ("md-journal-check", "/dev/sda", 3, "UNKNOWN"),
    ],
)
def test_the_exit_code_is_the_verdict(machine: str, drive: str, code: int, word: str) -> None:
    """0 means yes, 1 no, 3 unknown. The word is on the screen, and the JSON has the same."""
    shown = replayed(machine, drive, "--check")
    assert shown.exit_code == code, shown.output
    assert f"\n{word}  " in shown.output
    done = replayed(machine, drive, "--check", "--json")
    assert (done.exit_code, json.loads(done.stdout)["verdict"]) == (code, word.lower())


def test_the_json_is_valid_against_its_schema() -> None:
    """``raidctl schema replace`` is what ``--json`` keeps to."""
    schema: Any = json.loads(raidctl("schema", "replace").stdout)
    for machine, drive in (("md-healthy", "/dev/sda"), ("areca-arc1882-degraded", "E2:S4")):
        answer = json.loads(replayed(machine, drive, "--check", "--json").stdout)
        jsonschema.Draft202012Validator(schema).validate(answer)
        assert answer["recorded"] is True


def test_bay_and_serial_number_come_first() -> None:
    """They identify the drive to be pulled. A recording is marked as one, with its age."""
    lines = replayed("smartarray-gen9-degraded", "1I:1:2", "--check").output.splitlines()
    assert lines[3].startswith("YES      At the time of this recording, the drive could be pulled.")
    assert lines[5:7] == ["BAY      2 (enclosure 1)", "SERIAL   W7K0AE9F"]
    assert any("This result is from a recording, " in line for line in lines)


def test_without_check_the_command_is_refused() -> None:
    """The usage error names the option."""
    refused = replayed("md-healthy", "/dev/sda")
    assert refused.exit_code == 2
    assert "--check" in refused.output


@pytest.mark.parametrize("drive", ["md0", "/boot", "md", "nothing", "bay:1"])
def test_what_is_not_one_drive_is_refused(drive: str) -> None:
    """What is not one drive gives exit code 2.

    The word names a volume, a mount point, a controller or no object.
    """
    refused = replayed("md-healthy", drive, "--check")
    assert refused.exit_code == 2
    assert "is not a drive, but the" in refused.output or "No object is called" in refused.output


def test_saved_outputs_are_answered_without_a_machine(tmp_path: Path) -> None:
    """A controller's output alone is enough for its drives. The contents of a software array's drive are unknown."""
    source = FIXTURES / "smartarray-gen9-degraded" / "hpssacli-ctrl-all-show-config-detail.out"
    shown = raidctl("--replay", str(source), "replace", "1I:1:2", "--check", "--json")
    assert json.loads(shown.stdout)["age_seconds"] is None, shown.output
    mdstat = tmp_path / "mdstat"
    mdstat.write_text(
        "Personalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n      1046528 blocks super 1.2 [2/2] [UU]\n\n"
        "unused devices: <none>\n",
        encoding="utf-8",
    )
    assert raidctl("--replay", str(mdstat), "replace", "sda1", "--check").exit_code == 3
