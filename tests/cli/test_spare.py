"""`raidctl spare` on a simulated machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli

Raid = Callable[..., Result]


@pytest.fixture
def orchard(tmp_path: Path) -> Raid:
    """Run `raidctl --demo raid6 spare …`. The RAID-6 is of sda to sdd, sde is empty, sdf has a file system."""

    def run(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "--demo", "raid6", "spare", *words])

    return run


def spares(done: Result) -> list[str]:
    """The spares in the JSON output."""
    return [spare["drive"] for array in json.loads(done.stdout) for spare in array["spares"]]


def test_a_spare_is_added_and_removed(orchard: Raid) -> None:
    """By device or serial number; the machine shows it before "done"."""
    done = orchard("add", "serial:ZC1B10P3", "--for", "md0", "--yes", "--json")
    assert done.exit_code == 0, done.stderr
    reported: dict[str, Any] = json.loads(done.stdout)
    assert (reported["result"], reported["deeds"][0]["device"]) == ("done", "/dev/sde")
    assert spares(orchard("show", "--json")) == ["md:md0/sde"]
    assert orchard("remove", "/dev/sde", "--yes").exit_code == 0
    assert spares(orchard("show", "--json")) == []


def test_a_refused_spare_changes_nothing(orchard: Raid) -> None:
    """A refused spare changes nothing, and `--unsafe` does not help.

    Refused are a file system, a member, a drive that does not exist, a drive that is not a spare.
    """
    for words, code in (
        (("add", "/dev/sdf", "--yes"), 1),
        (("add", "/dev/sdf", "--yes", "--unsafe", "really"), 1),
        (("add", "/dev/sda", "--yes", "--unsafe", "really"), 1),
        (("add", "/dev/sdx", "--yes"), 2),
        (("remove", "/dev/sde", "--yes"), 2),
        (("remove", "/dev/sda", "--yes"), 1),
        (("add", "/dev/sde"), 2),  # no terminal to ask on
        (("add", "/dev/sde", "--dry-run"), 0),
    ):
        assert orchard(*words).exit_code == code, words
    assert spares(orchard("show", "--json")) == []


def test_the_first_sector_of_a_new_spare_is_read(orchard: Raid, tmp_path: Path) -> None:
    """A drive without a signature, but with a boot loader in its first sector, needs `--unsafe`."""
    assert orchard("add", "/dev/sde", "--yes").exit_code == 0
    assert orchard("remove", "/dev/sde", "--yes").exit_code == 0
    path = tmp_path / "demo" / "raid6" / "settings.json"
    now: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    now["md/drive ZC1B10P3"] = now["md/drive ZC1B10P3"].replace("sig=linux_raid_member", "boot=grub")
    path.write_text(json.dumps(now), encoding="utf-8")
    refused = orchard("add", "/dev/sde", "--for", "md0", "--yes")
    assert refused.exit_code == 3, refused.output
    assert "R11" in refused.output
    assert orchard("add", "/dev/sde", "--for", "md0", "--yes", "--unsafe", "only GRUB").exit_code == 0


def test_a_recording_gets_no_spare() -> None:
    """Nothing can be changed on a recording, which is not a machine."""
    done = CliRunner().invoke(
        cli, ["--replay", "fixtures/md-healthy", "spare", "add", "/dev/sda", "--for", "md1", "--yes"]
    )
    assert done.exit_code == 2
