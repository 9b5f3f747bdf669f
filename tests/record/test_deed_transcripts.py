"""``raidctl record --transcript``: what a tool shows before and after a command.

The command is never run by raidctl.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.recording.deed_transcript import AFTER, ANSWER, BEFORE, TRANSCRIPT
from raidctl.simulation.demo import machine
from tests.support.deeds import VENDORS

Run = Callable[..., Result]
DEED = "arcconf SETSTATE 1 DEVICE 0 6 RDY noprompt"
SERIAL = "P9KD41CG"
"""Of the spare 0,6 of the demo."""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a command line on the demo 6805. The state directory is empty."""

    def command(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--state-dir", str(tmp_path / "state"), "--demo", "6805", *words])

    return command


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The directory of the transcript."""
    return tmp_path / "note"


def spare(tmp_path: Path) -> str:
    """What the simulated machine has in its state of the spare."""
    found = machine("6805", VENDORS, tmp_path / "state" / "demo" / "6805").state()
    return str(json.loads(found["adaptec/machine 1"])["disks"][SERIAL]["state"])


def paste(place: Path, text: str = "Command completed successfully.\n", code: str = "0") -> None:
    """The owner has run the command."""
    path = place / ANSWER
    path.write_text(path.read_text().replace("exit code:\n", f"exit code: {code}\n") + text)


def test_the_command_is_read_around_and_never_run(run: Run, place: Path, tmp_path: Path) -> None:
    """Before, answer and after are in one file. Only its owner can read it."""
    first = run("record", "--transcript", DEED, str(place))
    assert (first.exit_code, "does not run it" in first.output, DEED in (place / ANSWER).read_text()) == (0, True, True)
    assert sorted(path.name for path in place.iterdir()) == sorted((BEFORE, ANSWER))
    assert spare(tmp_path) == "spare"
    paste(place)
    done = run("--json", "record", "--transcript", DEED, str(place))
    assert (done.exit_code, json.loads(done.stdout)["complete"]) == (0, True)
    assert spare(tmp_path) == "spare"
    text = (place / TRANSCRIPT).read_text()
    assert text.count("getconfig 1 AL") == 2
    assert text.index("getconfig") < text.index(f"$ {DEED}") < text.rindex("getconfig")
    assert "raidctl has this command in its table" in text
    assert "driver aacraid" in text
    assert SERIAL in text
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == {0o600}
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_masks_are_the_same_before_and_after_and_in_the_answer(run: Run, place: Path) -> None:
    """No serial number is left. The same one has the same mask everywhere."""
    run("record", "--transcript", DEED, str(place))
    paste(place, f"Drive {SERIAL} is ready.\n")
    assert run("record", "--redact", "--transcript", DEED, str(place)).exit_code == 0
    text = (place / TRANSCRIPT).read_text()
    assert SERIAL not in text
    [masked] = {line.split()[1] for line in text.splitlines() if line.endswith(" is ready.")}
    assert text.count(masked) >= 3


def test_without_an_answer_nothing_is_written(run: Run, place: Path) -> None:
    """An exit code alone is an answer: many tools print nothing."""
    run("record", "--transcript", DEED, str(place))
    again = run("record", "--transcript", DEED, str(place))
    assert (again.exit_code, "has no answer yet" in again.output) == (2, True)
    assert not (place / AFTER).exists()
    paste(place, "", "3")
    assert run("record", "--transcript", DEED, str(place)).exit_code == 0
    assert "exit code 3" in (place / TRANSCRIPT).read_text()


def test_bad_input(run: Run, place: Path, tmp_path: Path) -> None:
    """Bad input is refused.

    Examples are another command, a complete transcript, a directory in use, a tool of no family, and a damaged file.
    """
    for words in ("rm -rf /", "", "arcconf 'x", "ls"):
        assert run("record", "--transcript", words, str(place)).exit_code == 2, words
    assert not place.exists()
    used = tmp_path / "used"
    used.mkdir()
    (used / "file").touch()
    assert run("record", "--transcript", DEED, str(used)).exit_code == 2
    assert run("record", "--transcript", "tw_cli /c0/p3 remove quiet", str(place)).exit_code == 2  # not on this machine
    run("record", "--transcript", DEED, str(place))
    other = run("record", "--transcript", DEED.replace("RDY", "DDD"), str(place))
    assert (other.exit_code, "another command" in other.output) == (2, True)
    paste(place)
    run("record", "--transcript", DEED, str(place))
    assert "is complete" in run("record", "--transcript", DEED, str(place)).output
    (place / TRANSCRIPT).unlink()
    (place / BEFORE).write_text("{")
    assert "damaged" in run("record", "--transcript", DEED, str(place)).output


def test_a_command_outside_the_table_is_called_so(run: Run, place: Path) -> None:
    """Its transcript is welcome; raidctl would not run it."""
    done = run("record", "--transcript", "arcconf DELETE 1 LOGICALDRIVE ALL", str(place))
    assert (done.exit_code, "would not run this command" in done.output) == (0, True)
