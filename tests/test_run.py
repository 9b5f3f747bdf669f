"""``tests/run``: every part runs, whether or not the others failed. The exit code comes at the end."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGED = re.compile(r"[a-z][\w.-]*(?=:[a-z])")
TOOL = '#!/bin/sh\necho "{name} $*" >>"$LOG"\ncase "{name} $*" in $BROKEN) exit 3;; esac\n'
PARTS = ("ruff format", "ruff check", "mypy", "tests", "lab")
COMMANDS = {
    "ruff format": "ruff format*",
    "ruff check": "ruff check*",
    "mypy": "mypy*",
    "tests": "python*not lab*",
    "lab": "python*--fetch*",
}


def checked(place: Path, broken: str, *words: str) -> tuple[int, list[str], str]:
    """Run a copy with substitutes, of which those like ``broken`` fail."""
    script = ROOT / "tests/run"
    (place / "tests").mkdir()
    shutil.copy(script, place / "tests/run")
    venv = ".venvs/{}.{}/bin".format(*sys.version_info[:2])
    for folder, names in (
        ("bin", PACKAGED.findall(script.read_text())),
        (venv, ("python", "ruff", "mypy")),
    ):
        (place / folder).mkdir(parents=True)
        for name in names:
            (place / folder / name).write_text(TOOL.format(name=name))
            (place / folder / name).chmod(0o755)
    return called(place, broken, *words)


def called(place: Path, broken: str, *words: str) -> tuple[int, list[str], str]:
    """Run the copy and return its exit code, calls and output.

    The calls are the programs that were called since the copy was made.
    """
    environment = {"PATH": f"{place / 'bin'}:{os.environ['PATH']}", "LOG": str(place / "log"), "BROKEN": broken}
    environment |= {"HOME": str(place)}
    done = subprocess.run(
        [place / "tests/run", "--python", sys.executable, *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, (place / "log").read_text().splitlines(), done.stdout


@pytest.mark.parametrize("failing", [None, *PARTS])
def test_one_part_that_fails_hides_no_other(tmp_path: Path, failing: str | None) -> None:
    """All parts are run and listed with their results. The exit code is 1 if one failed, and 0 if none did."""
    code, log, out = checked(tmp_path, COMMANDS[failing] if failing else "nothing")
    summary = out[out.index("== tests/run: ") :].splitlines()[1:]
    results = {part: line.removeprefix(part).split()[0] for part in PARTS for line in summary if line.startswith(part)}
    assert results == {part: "FAILED" if part == failing else "passed" for part in PARTS}
    assert code == (1 if failing else 0)
    for part, command in COMMANDS.items():
        assert any(
            line.startswith(command.split("*")[0]) and command.strip("*").split("*")[-1] in line for line in log
        ), part


def test_the_quick_run_is_the_quick_tests_alone(tmp_path: Path) -> None:
    """It runs neither lint nor types nor the lab. The exit code is that of the tests."""
    code, log, out = checked(tmp_path, "python*not slow*", "--quick")
    assert code == 1
    assert out.splitlines()[-1].startswith("quick tests    FAILED (3)")
    assert not [line for line in log if line.startswith(("ruff", "mypy")) or "not lab" in line or "tests.lab" in line]


def test_the_environment_is_installed_again_only_if_what_it_is_made_of_has_changed(tmp_path: Path) -> None:
    """A failed installation is repeated, and a complete one is used. Another list of packages is installed."""
    counts = [checked(tmp_path, "python*--editable*", "--quick")[1]]
    for setup in ("", "", "[options]", "[options]"):
        (tmp_path / "setup.cfg").write_text(setup)
        counts.append(called(tmp_path, "nothing", "--quick")[1])
    assert [sum("--editable" in line for line in log) for log in counts] == [1, 2, 2, 3, 3]
