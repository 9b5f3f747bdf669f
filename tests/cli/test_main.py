"""The frame of the command line: help, usage, faults, interruptions, terminals."""

from __future__ import annotations

import importlib
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import raidctl as package
from raidctl.cli import COMMANDS, cli
from raidctl.model import Inventory
from tests.cli import acme
from tests.output.inventories import DEGRADED, HEALTHY, THIRTY
from tests.support.terminal import rest

Raidctl = Callable[..., Result]
Recorded = Callable[[Inventory | None], Path]


def test_every_command_has_the_description_of_the_listing() -> None:
    """The listing imports no command, so both are compared here."""
    for name, printed in COMMANDS.items():
        command = importlib.import_module(f"raidctl.cli.{name}").command
        assert command.name == name
        assert (command.help or "").split("\n\n")[0].replace("\n", " ") == printed


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(raidctl: Raidctl, arguments: list[str]) -> None:
    """An empty command line is the same as --help."""
    done = raidctl(*arguments)
    assert done.exit_code == 0
    assert all(name in done.stdout for name in COMMANDS)
    assert max(map(len, done.stdout.split("\n"))) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_that_fits(raidctl: Raidctl, name: str) -> None:
    """80 columns, with what its options mean."""
    done = raidctl(name, "--help")
    assert done.exit_code == 0
    assert max(map(len, done.stdout.split("\n"))) <= 80
    for parameter in cli.get_command(click.Context(cli), name).params:  # type: ignore[union-attr]  # COMMANDS names it
        assert isinstance(parameter, click.Argument) or parameter.help


def test_the_version_is_that_of_the_package(raidctl: Raidctl) -> None:
    """One line."""
    assert raidctl("--version").stdout == f"raidctl {package.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "nonsense"),
        (["--timeout", "x", "show"], "'x' is not a number."),
        (["tasks", "--at-most", "99d"], "is not a time: write 90s"),
        (["tasks", "--at-most", "0"], "0 is not between 1 s and 31 d."),
        (["show", "--nonsense"], "--nonsense"),
        (["--replay"], "--replay"),
        (["--json"], "Missing command"),
        (["--host", "a", "--replay", "b", "show"], "cannot be used together"),
        (["--sudo", "show"], "--sudo needs --host"),
        (["--replay", "a", "show", "--replay", "b"], "given twice"),
        (["--host", "a", "schema"], "does not read a machine"),
        (["--replay", "a", "vendors"], "does not read a machine"),
        (["show", "id", "--unparsed"], "cannot be used together"),
        (["record"], "DEST"),
        (["--json", "restore", "--install-unit", "--dry-run"], "omit --json"),
        (["--json", "watch", "--install-unit", "--dry-run"], "omit --json"),
        (["--json", "export", "--install-unit", "--output", "/x.prom", "--dry-run"], "omit --json"),
    ],
)
def test_a_wrong_command_line_exits_with_2_and_names_the_error(
    raidctl: Raidctl, arguments: list[str], message: str
) -> None:
    """The error is on standard error. Nothing is run or printed, except the same as JSON for programs."""
    done = raidctl(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout == "" or "--json" in arguments


@pytest.mark.parametrize(
    "arguments",
    [
        ["restore", "--change", ""], ["restore", "--change="], ["--demo", "nvme", "tasks", ""], ["", "show"],
        ["--demo", "nvme", "diagnose", "--ignore-file", ""], ["--bmc", "https://bmc.invalid", "--bmc-ca", "", "show"],
        ["--demo", "nvme", "export", "--policy="], ["--host", "", "show"],
    ],
)  # fmt: skip
def test_an_empty_word_is_refused_and_not_left_out(raidctl: Raidctl, arguments: list[str]) -> None:
    """A variable that is not set never selects everything or drops an option. Words after ``--`` are not ours."""
    done = raidctl(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "is empty" in done.stderr
    assert "is empty" not in raidctl("--demo", "nosuch", "batch", "v0", "--", "sh", "-c", "").stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--json", "cahce"], 2), (["--json", "cache"], 2), (["--json"], 2),
        (["show", "id", "--json", "--unparsed"], 2),
        (["--replay", "/no/such", "--json", "show"], 3), (["--json", "--host", "raidctl.invalid", "show"], 8),
    ],
)  # fmt: skip
def test_with_json_an_error_is_a_document(raidctl: Raidctl, arguments: list[str], code: int) -> None:
    """The document has what happened and the exit code. The sentence for people is on standard error as ever."""
    done = raidctl(*arguments)
    document = json.loads(done.stdout)
    assert (document["exit_code"], done.exit_code) == (code, code)
    assert document["error"].split(".")[0] in done.stderr or "Usage:" in done.stderr
    assert "\n" not in document["error"]
    assert len(document["error"]) < 200


@pytest.mark.parametrize(("words", "message"), [(["cahce"], "cache"), (["cache", "sett"], "set"), (["zzz"], "")])
def test_a_misspelt_command_gets_those_that_look_like_it(raidctl: Raidctl, words: list[str], message: str) -> None:
    """Only commands of the same group are suggested."""
    done = raidctl(*words)
    assert (done.exit_code, f"Did you mean {message}" in done.stderr) == (2, bool(message))


def test_a_file_in_the_place_of_a_command_gets_the_command_that_reads_it(raidctl: Raidctl, tmp_path: Path) -> None:
    """The reading command is named only if the file exists. The file's name in it is one word to the shell."""
    file = tmp_path / "my output.txt"
    assert "To read a file" not in raidctl(file).output
    file.touch()
    done = raidctl(file)
    assert (done.exit_code, f"raidctl --replay '{file}' show" in " ".join(done.output.split())) == (2, True)


def test_ctrl_c_while_it_is_loaded_is_no_traceback(tmp_path: Path) -> None:
    """An interruption during the imports is handled like a later one. Here the first library is being imported."""
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "raidctl", "--version"], env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, check=False, cwd=acme.ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_a_fault_of_our_own_is_one_sentence_and_exit_3(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives what went wrong and what to send. The traceback needs -v; escape codes are removed."""
    fault: Exception = FileNotFoundError(2, "of a system call without a path")

    def broken() -> None:
        raise fault

    monkeypatch.setattr("raidctl.cli.vendors.vendors", broken)
    assert "internal error: FileNotFoundError" in CliRunner().invoke(cli, ["vendors"]).stderr
    fault = IndexError("\x1b[31mout of range")
    done = CliRunner().invoke(cli, ["vendors"])
    assert done.exit_code == 3
    assert "internal error: IndexError" in done.stderr
    assert "report it" in done.stderr
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr
    assert "Traceback" in CliRunner().invoke(cli, ["vendors", "-v"]).stderr


def test_a_directory_that_was_removed_is_not_our_fault(
    raidctl: Raidctl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path that cannot be resolved is one sentence with what to do, also as JSON."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for words in (("report", "--output", "r.md"), ("--json", "snapshot", "--output", "s.json")):
        done = raidctl("--demo", "nvme", *words)
        assert (done.exit_code, "internal error" in done.stderr) == (3, False), done.stderr
        assert "change to another one" in done.stderr
        assert "change to another one" in done.stdout or "--json" not in words


def test_a_start_imports_only_what_it_needs() -> None:
    """``--version`` and ``--help`` load no heavy module.

    The model, rich, pyudev, pySMART and the vendor packages are heavy.
    """
    heavy = (
        "rich",
        "msgspec",
        "pyudev",
        "pySMART",
        "importlib.metadata",
        "raidctl.survey.survey",
        "raidctl.model",
        "raidctl_md",
    )
    for option in ("--version", "--help"):
        script = (
            "import sys\nfrom raidctl.cli import cli\ntry:\n    cli.main([sys.argv[1]])\nexcept SystemExit:\n    pass\n"
            f"print([name for name in {heavy} if name in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, option], capture_output=True, text=True, check=True, cwd=acme.ROOT
        )
        assert done.stdout.split("\n")[-2] == "[]"


def test_the_screen_of_a_recording_imports_nothing_that_runs_programs(recorded: Recorded) -> None:
    """Pathlib and shutil take longer to import than a recording to read."""
    script = (
        "import sys\nfrom raidctl.cli import cli\ntry:\n    cli.main(['--replay', sys.argv[1], 'show'])\n"
        "except SystemExit:\n    pass\n"
        "print([name for name in ('pathlib', 'shutil', 'tempfile', 'raidctl.runners.process') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys\nsys.path[:] = {sys.path!r}\n{script}", recorded(THIRTY)],
        capture_output=True, text=True, check=True, cwd=acme.ROOT,
    )  # fmt: skip
    assert done.stdout.split("\n")[-2] == "[]"


def test_a_pipe_gets_80_columns_and_no_colour(plugins: Path, recorded: Recorded) -> None:
    """TERM makes no difference; COLUMNS widens it."""
    machine = recorded(THIRTY)
    printed = acme.program(plugins, ["--replay", machine, "show"]).stdout.decode()
    assert max(map(len, printed.split("\n"))) <= 80
    assert "\x1b" not in printed
    wide = acme.program(plugins, ["--replay", machine, "show"], environment={"COLUMNS": "160"}).stdout.decode()
    assert 80 < max(map(len, wide.split("\n"))) <= 160


def in_terminal(plugins: Path, arguments: list[str | Path], **environment: str) -> str:
    """What a person sees in a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb"), os.fdopen(theirs, "wb") as screen:
        done = acme.program(
            plugins, arguments, environment={"TERM": "xterm", "COLUMNS": "100", **environment}, stdout=screen
        )
        assert done.returncode == 0, done.stderr
        screen.close()
        return rest(ours).decode()


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_gets_colour_unless_the_environment_forbids_it(
    plugins: Path, recorded: Recorded, environment: dict[str, str], coloured: bool
) -> None:
    """NO_COLOR counts when it is not empty."""
    printed = in_terminal(plugins, ["--replay", recorded(DEGRADED), "show"], **environment)
    assert ("\x1b[" in printed) == coloured
    assert "DEGRADED" in printed


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8"])
def test_any_encoding_of_the_terminal_is_served(plugins: Path, recorded: Recorded, encoding: str) -> None:
    """A character missing from the encoding does not make the program fail. JSON is always UTF-8."""
    machine = recorded(DEGRADED)
    environment = {"PYTHONIOENCODING": encoding}
    done = acme.program(plugins, ["--replay", machine, "show"], environment=environment)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.decode(encoding)
    assert printed.isascii() == (encoding != "utf-8")
    assert "2 problems" in printed
    done = acme.program(plugins, ["--replay", machine, "--json", "show"], environment=environment)
    assert done.returncode == 0
    done.stdout.decode("utf-8")


def test_the_c_locale_is_served(plugins: Path, recorded: Recorded) -> None:
    """A cron job runs in this locale."""
    done = acme.program(
        plugins, ["--replay", recorded(DEGRADED), "show"], environment={"LC_ALL": "C", "PYTHONUTF8": "0"}
    )
    assert done.returncode == 0, done.stderr


def test_a_reader_that_goes_away_ends_it_quietly(plugins: Path, recorded: Recorded) -> None:
    """``raidctl … | head -1``: nothing is printed on standard error.

    The exit code is the one that a shell gives for SIGPIPE.
    """
    reading, writing = os.pipe()
    os.close(reading)
    try:
        machine = str(recorded(THIRTY))
        for arguments in (
            ["--replay", machine, "show"], ["--replay", machine, "--json", "show"], ["schema"],
            ["--help"], ["show", "--help"], ["--version"],
        ):  # fmt: skip
            done = acme.program(plugins, arguments, stdout=writing)
            assert (done.returncode, done.stderr) == (141, b"")
    finally:
        os.close(writing)


def test_a_full_file_system_is_reported(plugins: Path, recorded: Recorded) -> None:
    """Output that cannot be written is a failure, reported in one sentence."""
    with Path("/dev/full").open("wb") as full:
        done = acme.program(plugins, ["--replay", recorded(HEALTHY), "show"], stdout=full)
        helped = acme.program(plugins, ["show", "--help"], stdout=full)
    assert (done.returncode, helped.returncode) == (3, 3)
    assert done.stderr == b"raidctl: The output cannot be written: No space left on device.\n"
    assert helped.stderr == b"raidctl: No space left on device: not everything could be written.\n"


def test_a_closed_standard_output_is_a_failure(plugins: Path, recorded: Recorded) -> None:
    """``raidctl show >&-``: a result that was never written is not success."""
    for words in (
        ["--replay", str(recorded(HEALTHY)), "show"],
        ["--demo", "raid6", "--state-dir", str(recorded(HEALTHY).parent / "state"), "tasks"],
    ):
        done = acme.program(plugins, words, preexec_fn=lambda: os.close(1))
        sentence = b"raidctl: The output cannot be written: standard output is closed.\n"
        assert (done.returncode, done.stderr) == (3, sentence)


_WRITE_THROUGH = ("cache", "set", "megaraid:0/v2", "--write", "write-through", "--yes")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--json", "--replay", "nowhere", "show"), 3),
        (("--json", "show", "--nonsense"), 2),
        (("diagnose", "--format", "nagios", "--nonsense"), 3),
        (("--json", "--demo", "9660", *_WRITE_THROUGH), 6),
    ],
    ids=["an error", "wrong usage", "an error for Nagios", "a change that was made"],
)
@pytest.mark.parametrize("both", [False, True], ids=["standard output", "both outputs"])
def test_a_document_that_cannot_be_written_keeps_the_exit_code(
    plugins: Path, tmp_path: Path, words: tuple[str, ...], code: int, *, both: bool
) -> None:
    """A full file system hides no error, and does not make of a change that nothing was changed."""
    with Path("/dev/full").open("wb") as full:
        how: dict[str, Any] = {"stdout": full, "stderr": full} if both else {"stdout": full}
        done = acme.program(plugins, ["--state-dir", tmp_path, *words], **how)
    assert done.returncode == code
    assert b"Traceback" not in (done.stderr or b"")


def test_an_error_whose_reader_has_gone_is_no_answer(plugins: Path) -> None:
    """``raidctl --json --replay nowhere show | true`` exits with 141, not with 1."""
    reading, writing = os.pipe()
    os.close(reading)
    done = acme.program(plugins, ["--json", "--replay", "nowhere", "show"], stdout=writing)
    os.close(writing)
    assert done.returncode == 141


def test_an_interruption_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, no traceback."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("raidctl.cli.vendors.vendors", interrupted)
    done = CliRunner().invoke(cli, ["vendors"])
    assert done.exit_code == 130
    assert done.stderr.strip() == "raidctl: interrupted."


@pytest.mark.slow
def test_a_host_that_cannot_be_reached_is_one_sentence(raidctl: Raidctl) -> None:
    """The exit code of every command is 8. Nothing is shown as if it were empty."""
    for arguments in (["show"], ["doctor"], ["--json", "show"]):
        done = raidctl("--host", "ssh://127.0.0.1:1", *arguments)
        assert done.exit_code == 8
        assert done.stdout == "" or set(json.loads(done.stdout)) == {"error", "exit_code"}
        assert done.stderr.startswith("raidctl: ")
        assert len(done.stderr.strip().split("\n")) == 1


def test_a_host_that_is_no_name_is_a_usage_error(raidctl: Raidctl) -> None:
    """Nothing that ssh could take for an option, and no command."""
    assert raidctl("--host", "-oProxyCommand=id", "show").exit_code == 2
