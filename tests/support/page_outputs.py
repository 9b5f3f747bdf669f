"""The commands of a page of the manual, and the outputs that the page shows.

``python -m tests.support.page_outputs [PAGE]`` runs the commands in order and writes their outputs into the page
(without PAGE, ``docs/cache.md``); review the difference before committing it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner

from raidctl.change import state_place
from raidctl.cli import cli

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cache.md"
PROMPT = "$ "
_BLOCK = re.compile(r"(?ms)^```console\n(.*?)^```$")
_MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\dZ| UTC)"), "DATE"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "CHANGE"),
    (re.compile(r"\(process \d+"), "(process PID"),
    (re.compile(r"\b(set|batch) by \S.*?: "), r"\1 by USER: "),
    (re.compile(r"\b\d+\.\d+ s\b"), "SECONDS"),
)
_CODE = re.compile(r"Code of this plan: ([0-9a-f]{8})")
_CONFIRMED = re.compile(r"--confirm [0-9a-f]{8}\b")
_STATE_DIR = re.compile(r"\s*--state-dir\s+[^\s`\"]+")


@dataclass(frozen=True)
class PageCommand:
    """A command and what it prints, as the page has it."""

    command: str
    output: str


def commands_of(page: str) -> list[PageCommand]:
    """The commands of a page in order, with the outputs that it shows."""
    found = []
    for block in _BLOCK.findall(page):
        command, _, output = block.partition("\n")
        found.append(PageCommand(command.removeprefix(PROMPT), output))
    return found


def output_of(command: str, state_dir: Path) -> str:
    """Run a command of a page. Return both outputs, and the exit code if it is not 0."""
    printed, returned = _run(shlex.split(command), state_dir)
    text = _STATE_DIR.sub("", printed)
    code = 128 - returned if returned < 0 else returned
    return text if code == 0 else f"{text}(exit code {code})\n"


def _run(words: Sequence[str], state_dir: Path) -> tuple[str, int]:
    """Both outputs and the exit code. raidctl runs in this process unless it starts another command.

    In this process, the directory is that of the user, so that no printed command has to name it.
    """
    place = str(state_dir / "raidctl")
    if words[0] == "raidctl" and "--" not in words:
        environment = {"COLUMNS": "80", "NO_COLOR": "1", "SUDO_USER": None, "XDG_STATE_HOME": str(state_dir)}
        # the journal keeps the command line
        with patch.object(state_place, "ROOT_PLACE", place), patch.object(sys, "argv", words):
            result = CliRunner(env=environment).invoke(cli, words[1:], prog_name="raidctl")
        return result.output, result.exit_code
    named = [part for word in words for part in ((word, "--state-dir", place) if word == "raidctl" else (word,))]
    done = subprocess.run(
        named, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, check=False,
        env=_environment(), timeout=60,
    )  # fmt: skip
    return done.stdout, done.returncode


def masked(text: str) -> str:
    """What differs from run to run, taken out. Where lines end depends on it."""
    text = " ".join(text.split())
    for pattern, word in _MASKS:
        text = pattern.sub(word, text)
    return text


def code_of(output: str) -> str:
    """The code of the plan that a command printed; empty if it printed none."""
    found = _CODE.search(output)
    return found[1] if found else ""


def with_code(command: str, code: str) -> str:
    """A command that confirms the plan with this code, if it confirms one."""
    return _CONFIRMED.sub(f"--confirm {code}", command)


def _environment() -> Mapping[str, str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if name != "SUDO_USER"}
    return {**kept, "PATH": path, "COLUMNS": "80", "NO_COLOR": "1"}


def main() -> None:
    """Write the outputs into the page."""
    path = Path(sys.argv[1]) if sys.argv[1:] else PAGE
    page = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="s") as name:
        place = Path(name)

        code = ""

        def again(match: re.Match[str]) -> str:
            nonlocal code
            command = with_code(match[1].partition("\n")[0], code)
            output = output_of(command.removeprefix(PROMPT), place)
            code = code_of(output) or code
            return f"```console\n{command}\n{output}```"

        path.write_text(_BLOCK.sub(again, page), encoding="utf-8")


if __name__ == "__main__":
    main()
