"""A batch for drives that are no volume's: their own write caches, for the length of a command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from raidctl.cli import cli

DRIVE, LOAD = "/dev/sda", ("--", "sh", "-c", "echo loading; exit 4")


def raidctl(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run it on the machine with SATA disks; in a process of its own if its load is to run."""
    argv = ["--demo", "workstation", "--state-dir", str(place), *words]
    if words[0] == "batch" and "--yes" in words:
        line = [sys.executable, "-m", "raidctl", *argv]
        return subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
    done = CliRunner().invoke(cli, argv)
    return subprocess.CompletedProcess(argv, done.exit_code, done.stdout, done.stderr)


def cache(place: Path) -> str:
    """The write cache of the disk."""
    told = json.loads(raidctl(place, "show", DRIVE, "--json").stdout)
    [word] = [drive["write_cache"] for card in told["controllers"] for drive in card["drives"]]
    return str(word)


def test_the_cache_of_a_drive_is_off_for_a_while(tmp_path: Path) -> None:
    """The journal has it switched off, and on again."""
    before = cache(tmp_path)
    done = raidctl(tmp_path, "batch", DRIVE, "--drive-cache", "off", "--yes", *LOAD)
    assert (done.returncode, done.stdout) == (4, "loading\n"), done.stderr
    assert "Put back: write_cache of" in done.stderr
    assert (before, cache(tmp_path)) == ("enabled", "enabled")


def test_a_drive_has_no_default(tmp_path: Path) -> None:
    """That is a word of controllers, for the drives of a volume."""
    done = raidctl(tmp_path, "batch", DRIVE, "--drive-cache", "default", "--yes", *LOAD)
    assert (done.returncode, "on or off" in done.stderr) == (2, True)


def test_what_a_machine_does_not_tell_is_not_set_for_a_while(tmp_path: Path) -> None:
    """The kernel's own settings take part: a read-ahead that is not in the recording could not be put back."""
    done = raidctl(tmp_path, "batch", DRIVE, "--read-ahead", "1024", "--dry-run", *LOAD)
    assert (done.returncode, "could not be put back" in " ".join(done.stdout.split())) == (3, True), done.stdout


def test_a_batch_that_sets_nothing_is_refused(tmp_path: Path) -> None:
    """All options are named."""
    done = raidctl(tmp_path, "batch", DRIVE, *LOAD)
    assert done.returncode == 2
    assert all(word in done.stderr for word in ("--drive-cache", "--journal-mode", "--read-ahead", "--stripe-cache"))
