"""A batch for drives without a volume. It sets their write caches for the duration of a command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from raidctl.cli import cli

DRIVE, LOAD = "/dev/sda", ("--", "sh", "-c", "echo loading; exit 4")


def raidctl(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run raidctl on the machine with SATA drives. A batch runs in a separate process."""
    argv = ["--demo", "workstation", "--state-dir", str(place), *words]
    if words[0] == "batch" and "--yes" in words:
        line = [sys.executable, "-m", "raidctl", *argv]
        return subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
    done = CliRunner().invoke(cli, argv)
    return subprocess.CompletedProcess(argv, done.exit_code, done.stdout, done.stderr)


def cache(place: Path) -> str:
    """The write cache of the drive."""
    shown = json.loads(raidctl(place, "show", DRIVE, "--json").stdout)
    [word] = [drive["write_cache"] for controller in shown["controllers"] for drive in controller["drives"]]
    return str(word)


def test_the_cache_of_a_drive_is_disabled_temporarily(tmp_path: Path) -> None:
    """The cache is disabled for the load and then enabled again."""
    before = cache(tmp_path)
    done = raidctl(tmp_path, "batch", DRIVE, "--drive-cache", "off", "--yes", *LOAD)
    assert (done.returncode, done.stdout) == (4, "loading\n"), done.stderr
    assert "Restored: write_cache of" in done.stderr
    assert (before, cache(tmp_path)) == ("enabled", "enabled")


def test_a_drive_has_no_default(tmp_path: Path) -> None:
    """``default`` is valid for volumes only."""
    done = raidctl(tmp_path, "batch", DRIVE, "--drive-cache", "default", "--yes", *LOAD)
    assert (done.returncode, "on or off" in done.stderr) == (2, True)


def test_an_unknown_setting_is_not_changed_temporarily(tmp_path: Path) -> None:
    """A read-ahead that the machine does not report is refused. It could not be restored."""
    done = raidctl(tmp_path, "batch", DRIVE, "--read-ahead", "1024", "--dry-run", *LOAD)
    assert (done.returncode, "could not be restored" in " ".join(done.stdout.split())) == (3, True), done.stdout


def test_a_batch_that_sets_nothing_is_refused(tmp_path: Path) -> None:
    """The message names all options."""
    done = raidctl(tmp_path, "batch", DRIVE, *LOAD)
    assert done.returncode == 2
    assert all(word in done.stderr for word in ("--drive-cache", "--journal-mode", "--read-ahead", "--stripe-cache"))
