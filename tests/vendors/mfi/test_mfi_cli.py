"""The command ``raidctl-mfi``: exit codes, usage, and controllers that it leaves alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import raidctl
from raidctl.request import Which, WhichAnswer
from raidctl.runners.local import LocalRunner
from raidctl_mfi import FORMAT, cli
from raidctl_mfi.node import Host
from raidctl_mfi.problems import Problems

PROGRAM = Path(sys.executable).with_name("raidctl-mfi")


def run(*words: str) -> tuple[int, dict[str, Any]]:
    """Run the installed command on this machine, which has no such controller."""
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, json.loads(done.stdout)


def test_a_machine_without_a_controller_gets_a_note() -> None:
    """Without a host of the driver there are no controllers. There is a note, and the exit code is 0."""
    code, output = run("show")
    assert (code, output["controllers"], output["problems"][0]["kind"]) == (0, [], "note")
    assert (output["format"], output["version"]) == (FORMAT, raidctl.__version__)
    assert "QEMU" in output["tried_on"]


def test_a_controller_that_does_not_exist_is_exit_code_3() -> None:
    """A controller that does not exist is exit code 3."""
    assert run("show", "--controller", "2")[0] == 3
    assert run("flush", "--controller", "0")[0] == 3


def test_nothing_is_written_without_allow_write() -> None:
    """Without --allow-write the exit code is 2, before any search. There is a message on what was tried."""
    code, output = run("set", "--controller", "0", "--flush-interval", "9")
    assert code == 2
    assert output["problems"][0]["message"].startswith("Nothing was sent: writing needs --allow-write.")
    assert "QEMU" in output["problems"][0]["message"]


@pytest.mark.parametrize(
    "words",
    [
        ["--controller", "0"],
        ["--controller", "0", "--write", "write-back"],
        ["--controller", "0", "--volume", "1"],
        ["--controller", "0", "--volume", "1", "--flush-interval", "4"],
        ["--controller", "0", "--volume", "1", "--write", "write-back", "--flush-interval", "4"],
    ],
)
def test_an_invalid_change_is_a_usage_error(words: list[str]) -> None:
    """A change is a volume with policies, or the flush interval alone."""
    code, output = run("set", *words, "--allow-write")
    assert code == 2
    assert "--volume with at least one of its policies" in output["problems"][0]["message"]


@pytest.mark.parametrize(
    "words", [[], ["show", "--controller", "x"], ["set", "--controller", "0", "--flush-interval", "0"], ["wipe"]]
)
def test_wrong_words_are_a_usage_error(words: list[str]) -> None:
    """Wrong arguments are exit code 2 with nothing on standard output."""
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")


def test_the_version_is_raidctls() -> None:
    """The version is that of raidctl: `raidctl-mfi 0.1.0`."""
    done = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == f"raidctl-mfi {raidctl.__version__}"


@pytest.mark.parametrize(("device", "barred"), [(0x10E2, True), (0x10E7, True), (0x005D, False), (0x0060, False)])
def test_controllers_that_freeze_under_megacli_are_not_accessed(device: int, *, barred: bool) -> None:
    """MegaCli freezes the 95xx through the same interface. This program is untested on a 95xx."""
    problems = Problems()
    assert cli._must_not_be_read(0, Host(1, "0000:01:00.0", (0x1000, device, 0x1000, 1)), problems) is barred
    assert len(problems.items) == barred


def test_a_controller_with_unknown_ids_is_not_accessed() -> None:
    """A controller with unknown PCI ids could be a 95xx."""
    assert cli._must_not_be_read(0, Host(1), Problems())


def test_raidctl_finds_it_where_raidctl_itself_was_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the running interpreter is searched last. With sudo it is not on PATH."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    [answer] = LocalRunner().carry_out([Which("raidctl-mfi")])
    assert isinstance(answer, WhichAnswer)
    assert answer.path == str(PROGRAM.resolve())
