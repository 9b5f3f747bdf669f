"""Shell completion: what raidctl offers, and what three shells make of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.cli.shared.completion import SCRIPTS
from raidctl.snapshots.store import SnapshotStore
from tests.support.machines import replayed

HOSTILE = tuple(
    f"/hostile/{name}"
    for name in (
        "two words", "$(touch pwned)", "`touch pwned`", "it's", '"both"', "back\\slash", "semi;touch pwned",
        "a,b", "a:b=c", "öl", "*", "~", "#x", "-n", "!x",
    )
)  # fmt: skip
BROKEN = ("/hostile/new\nline", "/hostile/\x1b[31mred", "/hostile/tab\tbed", "/hostile/return\r")
"""Names with control characters, which no shell is given."""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state directory whose last snapshot has volumes mounted at hostile names."""
    found = replayed("smartarray-gen9-degraded").inventory
    controller = next(one for one in found.controllers if one.volumes)
    volume = replace(controller.volumes[0], mountpoints=HOSTILE + BROKEN)
    others = tuple(one for one in found.controllers if one is not controller)
    changed = replace(controller, volumes=(volume, *controller.volumes[1:]))
    host = replace(found.host, source="local")
    place = tmp_path / "state"
    place.mkdir(mode=0o700)
    SnapshotStore(place).add(replace(found, host=host, controllers=(changed, *others)))
    return place


def answered(shell: str, line: str, **environment: str) -> list[str]:
    """What raidctl prints for a command line up to the cursor."""
    given = {
        **os.environ,
        "COMP_LINE": line,
        "_RAIDCTL_COMPLETE": f"{shell}_complete",
        "PYTHONUTF8": "1",
        **environment,
    }
    words = [sys.executable, "-m", "raidctl"]
    done = subprocess.run(words, env=given, capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_options_and_values_are_completed(shell: str) -> None:
    """Commands, options and values are completed, with each shell's help.

    In bash there is no help, and only the part after a colon is replaced.
    """
    help_ = "" if shell == "bash" else "\tShow and change the caches of controllers,..."
    assert answered(shell, "raidctl ca") == [f"plain,cache{help_}"]
    assert [line.partition("\t")[0] for line in answered(shell, "raidctl cache set --dr")] == [
        "plain,--drive-cache", "plain,--dry-run",
    ]  # fmt: skip
    assert answered(shell, "raidctl diagnose --rule drive_fa") == ["plain,drive_failed"]
    assert answered(shell, "raidctl --demo p40") == ["plain,p400"]
    assert answered(shell, "raidctl --state-dir ") == ["dir,"]
    assert answered(shell, "raidctl audit ./po") == ["file,./po"]
    value = "drive_failed" if shell == "bash" else "--rule=drive_failed"
    assert answered(shell, "raidctl diagnose --rule=drive_fa") == [f"plain,{value}"]
    value = "1/v1" if shell == "bash" else "smartarray:1/v1"
    assert answered(shell, "raidctl --demo p400 cache set smartarray:1/v") == [f"plain,{value}"]


def test_what_is_offered_has_the_kind_that_the_command_takes() -> None:
    """Only objects of the kind that a command expects are offered.

    With a demo as the machine, these are controllers or drives.
    """
    assert answered("zsh", "raidctl --demo p400 alarm silence ") == ["plain,smartarray:1"]
    drives = answered("zsh", "raidctl --demo p400 spare add ")
    assert drives
    assert all("2I:1:" in line for line in drives)


def test_nothing_is_completed_and_nothing_printed_where_anything_fails(tmp_path: Path) -> None:
    """If anything fails, nothing is completed or printed.

    Cases are wrong options, a state directory that is a file, a demo that does not exist, quotes that are open.
    """
    file = tmp_path / "file"
    file.write_text("")
    for line in (f"raidctl --state-dir {file} replace ", "raidctl --demo nothere show ", "raidctl --host '' show ",
                 "raidctl nothere ", 'raidctl show "', "raidctl --demo a --demo b show ", ""):  # fmt: skip
        answered("fish", line)
    assert answered("fish", "raidctl --demo nothere show ") == [""]


def test_no_tool_is_started_and_nothing_is_written(tmp_path: Path) -> None:
    """No tool on the PATH is started. Each of them would leave a trace."""
    trace = tmp_path / "started"
    for name in ("storcli64", "ssacli", "mdadm", "arcconf", "smartctl", "udevadm"):
        tool = tmp_path / name
        tool.write_text(f"#!/bin/sh\necho {name} >> {trace}\n")
        tool.chmod(0o755)
    home = tmp_path / "home"
    answered("bash", f"raidctl --state-dir {home} cache set ", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert not trace.exists()
    assert not home.exists()


@pytest.mark.slow
def test_bash_inserts_hostile_names_as_one_word_and_runs_nothing(state: Path, tmp_path: Path) -> None:
    """The words of COMPREPLY, read again by bash, are the names. Nothing in them is carried out."""
    script = tmp_path / "raidctl.bash"
    script.write_text(SCRIPTS["raidctl"])
    code = f"""
        raidctl() {{ {sys.executable} -m raidctl "$@"; }}
        source {script}
        COMP_LINE='raidctl --state-dir {state} cache set /hostile/' COMP_POINT=10000
        _raidctl_completion raidctl 2>&1
        for word in "${{COMPREPLY[@]}}"; do eval "set -- $word"; printf '%s|%s\\n' $# "$1"; done
    """
    assert run_in(["bash", "--norc", "-c", code], tmp_path) == sorted(f"1|{name}" for name in HOSTILE)
    assert not (tmp_path / "pwned").exists()


@pytest.mark.slow
def test_zsh_is_given_the_names_and_its_own_quoting(state: Path, tmp_path: Path) -> None:
    """The function hands compadd the plain names, which compadd quotes.

    The option -Q, which forbids it, is not used.
    """
    script = tmp_path / "_raidctl"
    script.write_text(SCRIPTS["_raidctl"])
    code = f"""
        compdef() {{ }}
        compadd() {{ print -rl -- "${{found[@]}}" }}
        raidctl() {{ {sys.executable} -m raidctl "$@" }}
        source {script}
        words=(raidctl --state-dir {state} cache set /hostile/) CURRENT=6
        _raidctl
    """
    assert run_in(["zsh", "-f", "-c", code], tmp_path) == sorted(HOSTILE)
    assert "-Q" not in SCRIPTS["_raidctl"]
    assert not (tmp_path / "pwned").exists()


@pytest.mark.slow
def test_fish_completes_hostile_names(state: Path, tmp_path: Path) -> None:
    """``complete -C`` prints what the TAB key offers, quoted as it is inserted."""
    assert offered_by_fish(f"raidctl --state-dir {state} cache set /hostile/", tmp_path) == sorted(HOSTILE)
    assert not (tmp_path / "pwned").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("line", "words"), [
    ("raidctl ca", ["cache"]),
    ("raidctl cache spl", ["split"]),
    ("raidctl cache set --wr", ["--write"]),
    ("raidctl cache set --write wr", ["write-through"]),
    ("raidctl --demo p440 cache set smartarray:0/v", ["smartarray:0/v1", "smartarray:0/v2"]),
])  # fmt: skip
def test_fish_completes_the_word_that_is_begun(line: str, words: list[str], tmp_path: Path) -> None:
    """The beginning of a word selects commands, options, their values and ids."""
    assert [one.partition("\t")[0] for one in offered_by_fish(line, tmp_path)] == words


def offered_by_fish(line: str, place: Path) -> list[str]:
    """What fish offers for a command line up to the cursor."""
    binary = place / "bin" / "raidctl"
    binary.parent.mkdir()
    binary.write_text(f'#!/bin/sh\nexec {sys.executable} -m raidctl "$@"\n')
    binary.chmod(0o755)
    script = place / "raidctl.fish"
    script.write_text(SCRIPTS["raidctl.fish"])
    code = f"set -x PATH {binary.parent} $PATH; source {script}; complete -C '{line}'"
    return run_in(["fish", "--no-config", "-c", code], place)


def run_in(words: list[str], place: Path) -> list[str]:
    """The lines that a program prints, sorted."""
    environment = {**os.environ, "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8", "HOME": str(place)}
    done = subprocess.run(
        words, capture_output=True, text=True, check=True, env=environment, cwd=place, encoding="utf-8"
    )
    assert done.stderr == ""
    return sorted(done.stdout.splitlines())
