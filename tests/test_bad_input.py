"""What bad input gets: one clear sentence and the right exit code.

Everything else is still shown, and there is never a traceback.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import raidctl
from tests.support.machines import FIXTURES
from tests.support.processes import killed_on_error
from tests.support.waiting import until

SSACLI = """
Smart Array P410i in Slot 0 (Embedded)
   Slot: 0
   Serial Number: RCTL0000000001
   Controller Status: OK
   Firmware Version: 6.60

   Array: A
      Interface Type: SAS
      Unused Space: 0  MB
      Status: OK

      Logical Drive: 1
         Size: 279.4 GB
         Fault Tolerance: 1
         Status: OK
         Caching:  Enabled
         Disk Name: /dev/sda

      physicaldrive 1I:1:1
         Port: 1I
         Box: 1
         Bay: 1
         Status: OK
         Drive Type: Data Drive
         Interface Type: SAS
         Size: 300 GB
         Serial Number: RCTLDRIVE0001
         Model: HP      %s
"""


def program(
    *arguments: str | Path,
    stdin: bytes = b"",
    environment: dict[str, str] | None = None,
    timeout: float = 600,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the program in a pipe, 80 columns wide."""
    done = subprocess.run(
        [sys.executable, "-m", "raidctl", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        timeout=timeout,
        check=False,
        env={**os.environ, "COLUMNS": "80", **(environment or {})},
        cwd=cwd,
    )
    assert b"Traceback" not in done.stderr + done.stdout
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    )


UNRECOGNISED = {
    "empty.txt": b"",
    "blank.txt": b"\n\n   \n",
    "binary.bin": bytes(range(256)) * 64,
    "other.txt": b"total 12\ndrwxr-xr-x 3 root root 4096 Nov 21 02:04 .\n",
    "zeros.img": bytes(100_000),
    "german.txt": "Fehler: Kein Gerät gefunden\n".encode("latin-1"),
    "half.json": b'{"json_format_version": [1, 0], "smartctl": {"ver',
}


@pytest.mark.parametrize(("name", "content"), UNRECOGNISED.items(), ids=UNRECOGNISED)
def test_an_unrecognised_file_is_reported_in_one_sentence(tmp_path: Path, name: str, content: bytes) -> None:
    """Exit 3, and the file is named."""
    path = tmp_path / name
    path.write_bytes(content)
    done = raidctl("--replay", path, "show")
    assert done.returncode == 3
    assert name in (done.stdout + done.stderr).replace("\n", "")


def test_a_huge_file_is_refused_or_read_in_part_quickly(tmp_path: Path) -> None:
    """A file of 1 GB neither fills the memory nor takes minutes."""
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.write(b"nothing of interest\n" * 1000)
        file.truncate(1_000_000_000)
    done = program("--replay", path, "show", timeout=120)
    assert done.returncode == 3


def test_a_missing_path_is_reported() -> None:
    """A missing recording is not an empty machine."""
    done = raidctl("--replay", "/nowhere/at/all", "show")
    assert done.returncode == 3
    assert "/nowhere/at/all" in done.stderr


@pytest.mark.parametrize("lines", [3, 8, 12, 17, 21])
def test_half_a_capture_shows_what_is_there(tmp_path: Path, lines: int) -> None:
    """The readable part is shown, wherever the file is cut."""
    path = tmp_path / "half.txt"
    path.write_text("\n".join((SSACLI % "EG0300RCTL").splitlines()[:lines]), encoding="utf-8")
    done = raidctl("--replay", path, "show")
    assert "P410i" in done.stdout


@pytest.mark.parametrize(
    "model", ["[red]EG0300[/red]", "\x1b[31mEG0300\x1b[0m", "EG\x1b]0;owned\x07\x07 0300", "[/]", "\x9b31mX"]
)
def test_text_from_hardware_never_steers_the_terminal(tmp_path: Path, model: str) -> None:
    """Markup is printed unchanged, escape codes never reach the terminal."""
    path = tmp_path / "odd.txt"
    path.write_text(SSACLI % model, encoding="utf-8")
    done = raidctl("--replay", path, "show")
    assert "\x1b" not in done.stdout
    assert "\x9b" not in done.stdout
    if model.startswith("[red]"):
        assert "[red]EG0300[/red]" in done.stdout


def test_invalid_utf8_is_shown(tmp_path: Path) -> None:
    """A wrong byte in a model name loses neither the drive nor the rest."""
    path = tmp_path / "latin.txt"
    path.write_bytes((SSACLI % "EG0300\u00e9").encode("latin-1"))
    done = program("--replay", path, "show")
    assert "1I:1:1" in done.stdout


def test_a_path_that_is_no_text_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File names are bytes: any option takes one that is not UTF-8, and what is stored has text for it."""
    place = tmp_path / os.fsdecode(b"r\xe4d")
    shutil.copytree(FIXTURES / "md-healthy", place / "machine")
    notify, demo = place / "notify", ("--demo", "raid6", "--state-dir", place / "state")
    notify.write_text("#!/bin/sh\nexec cat > /dev/null\n", encoding="utf-8")
    notify.chmod(0o755)
    for words in (
        ("--replay", place / "machine", "snapshot", "--state-dir", place / "state"),
        ("--replay", place / "machine", "snapshot", "--output", place / "now.json"),
        ("--replay", place / "machine", "diff", "--state-dir", place / "state"),
        ("--json", "diff", place / "machine", place / "now.json"),
        ("--replay", place / "machine", "audit", "--init", place / "policy.toml"),
        ("--replay", place / "machine", "audit", place / "policy.toml", "--format", "json"),
        ("audit", place / "policy.toml", place / "machine", "--format", "jsonl"),
        (*demo, "cache", "set", "md:md0", "--stripe-cache", "512", "--yes"),
        (*demo, "watch", "--once", "--run", notify),
        (*demo, "--json", "journal"),
    ):
        monkeypatch.setattr(sys, "argv", ["raidctl", *map(str, words)])
        done = raidctl(*words)
        assert done.returncode in (0, 1), (words, done.stderr)
        assert "internal error" not in done.stderr, (words, done.stderr)


def test_windows_line_ends_make_no_difference(tmp_path: Path) -> None:
    """A text mailed from Windows gives the same inventory."""
    unix, windows = tmp_path / "a.txt", tmp_path / "b.txt"
    unix.write_bytes((SSACLI % "EG0300").encode())
    windows.write_bytes((SSACLI % "EG0300").replace("\n", "\r\n").encode())
    one, two = (raidctl("--json", "--replay", path, "show").stdout for path in (unix, windows))
    assert one.replace("a.txt", "") == two.replace("b.txt", "")


def test_standard_input_is_a_file_too(tmp_path: Path) -> None:
    """``-`` reads a pipe, even where a recording has that name. No recording is written under it."""
    text = (SSACLI % "EG0300").encode()
    done = program("--replay", "-", "show", stdin=text)
    for name in ("./-", "-"):
        kept = program("--demo", "p400", "record", name, "--state-dir", tmp_path, cwd=tmp_path)
        assert (kept.returncode, (tmp_path / "-").exists()) == ((0, True) if name == "./-" else (2, True)), kept.stderr
    assert program("--replay", "-", "show", stdin=text, cwd=tmp_path).stdout == done.stdout
    assert "P410i" in done.stdout


def test_an_archive_is_searched_for_outputs(tmp_path: Path) -> None:
    """Of a support archive, only the tools' outputs are read. All else is passed over."""
    inside = tmp_path / "report" / "sos_commands"
    inside.mkdir(parents=True)
    (inside / "ssacli_ctrl_all_show_config_detail").write_text(SSACLI % "EG0300", encoding="utf-8")
    (inside / "dmesg").write_text("[    0.000000] Linux version 6.1\n", encoding="utf-8")
    path = tmp_path / "report.tar.xz"
    with tarfile.open(path, "w:xz") as archive:
        archive.add(tmp_path / "report", "report")
    done = raidctl("--replay", path, "show")
    assert "P410i" in done.stdout


def test_a_damaged_archive_is_reported(tmp_path: Path) -> None:
    """Half a download is reported as damaged."""
    path = tmp_path / "half.tar.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00" + bytes(40))
    done = raidctl("--replay", path, "show")
    assert done.returncode == 3
    assert "half.tar.gz" in (done.stdout + done.stderr).replace("\n", "")


def test_a_german_locale_makes_no_difference() -> None:
    """The same screen, whatever the user's language."""
    machine = next(FIXTURES.glob("smartarray-*"))
    plain = program("--replay", machine, "show")
    german = program("--replay", machine, "show", environment={"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"})
    assert plain.stdout == german.stdout


@pytest.mark.parametrize("arguments", [["nonsense"], ["show", "--nonsense"], ["--replay"], ["show", "no:such"]])
def test_a_wrong_command_line_exits_with_2(arguments: list[str]) -> None:
    """The usage is printed, and nothing is run."""
    machine = next(FIXTURES.glob("smartarray-*"))
    done = raidctl("--replay", machine, *arguments) if arguments != ["--replay"] else raidctl(*arguments)
    assert done.returncode == 2
    assert done.stderr.strip()


TOOLS = {
    "floods": "yes 'Slot: 1'",
    "lies": "echo 'Error: Another instance of ACU is already running.'",
    "dies": "kill -SEGV $$",
    "babbles": "head -c 100000 /dev/urandom",
    "says nothing": "true",
}


def tool(folder: Path, body: str) -> dict[str, str]:
    """Make an executable that plays the tool. Return the environment in which it is found."""
    program = folder / "ssacli"
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", sorted(TOOLS))
def test_a_tool_that_misbehaves_is_a_problem_and_the_rest_is_shown(tmp_path: Path, behaviour: str) -> None:
    """On the live machine, a misbehaving tool is named in a problem. The exit code means an incomplete reading."""
    done = program("show", environment=tool(tmp_path, TOOLS[behaviour]))
    assert done.returncode in {3, 4}
    assert "ssacli" in done.stdout


def commands() -> Iterator[bytes]:
    """The command lines of all processes. The command line of an ended process is empty."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interruption_ends_the_tools_too(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """While a tool hangs, a signal ends raidctl at once. The tool and what that has started end, too."""
    mark = f"10{os.getpid()}"
    environment = tool(tmp_path, f"touch {tmp_path}/started\nsleep {mark} &\nsleep {mark}")
    with killed_on_error(
        subprocess.Popen(
            [sys.executable, "-m", "raidctl", "show"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
    ) as running:
        until((tmp_path / "started").exists)
        running.send_signal(number)
        _, err = running.communicate()
    assert running.returncode == code
    assert b"Traceback" not in err
    assert err.splitlines()[-1] in (b"raidctl: interrupted.", f"raidctl: ended by {number.name}.".encode())
    until(lambda: not any(command.startswith(f"sleep\0{mark}".encode()) for command in commands()))


@pytest.mark.parametrize(
    "text",
    [
        "\nUnit  UnitType  Status         %RCmpl  %V/I/M  Strip",
        "Controllers found: 1\nController #1\n==============\nFirmware       ",
        "\nSmart Array P410i in Slot 0 (Embedded)\n\n   Array A\n\n      phy",
        "Personalities : [raid1] [raid6]\n",
        "SG driver version 3.5.36.\n\nVirtual Disk Information\n-------------",
    ],
)
def test_an_output_that_was_cut_off_is_not_called_read(tmp_path: Path, text: str) -> None:
    """A cut-off output gives exit code 3 and a sentence.

    The part after the cut is unknown, so nothing is reported as missing or ok.
    """
    path = tmp_path / "cut.txt"
    path.write_text(text, encoding="utf-8")
    done = raidctl("--replay", path, "show")
    assert done.returncode == 3
    assert "cut" in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "Personalities : [raid1]\nunused devices: <none>",
        "Controllers found: 1\n\nCommand completed successfully.",
        (SSACLI % "EG0300").rstrip("\n") + "\n\n",
    ],
)
def test_an_output_that_only_lacks_its_last_line_end_is_whole(tmp_path: Path, text: str) -> None:
    """Nothing is reported if only the last newline is missing. Shells remove it; the last line must be understood."""
    path = tmp_path / "whole.txt"
    path.write_text(text, encoding="utf-8")
    done = raidctl("--replay", path, "show")
    assert (done.returncode, "cut" in done.stdout) == (0, False)


def test_an_output_without_the_blank_line_that_ends_it_may_go_on(tmp_path: Path) -> None:
    """Without its last blank line, an output may be incomplete.

    Between two drives nothing else shows that there were more: what was read is shown, and exit code 3.
    """
    path = tmp_path / "cut.txt"
    path.write_text((SSACLI % "EG0300").rstrip("\n"), encoding="utf-8")
    done = raidctl("--replay", path, "show")
    assert (done.returncode, "EG0300" in done.stdout, "cut" in done.stdout) == (3, True, True)


COMMANDS = (
    "show", "show --json", "show -v", "show --unparsed", "show --explain smartarray:0", "diagnose", "diagnose --json",
    "diagnose --format nagios", "export --rules", "export --json", "audit POLICY", "audit POLICY --format junit",
    "audit POLICY --format jsonl", "audit --init", "snapshot --output -", "show x\u202ey",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_no_output_has_a_character_that_turns_or_hides_text(tmp_path: Path, command: str) -> None:
    """A serial number, a label or a state may hold one. No screen and no file deceives a reader with it."""
    text = (SSACLI % "EG\u202e0300\u200bX").replace("RCTL0000000001", "RC\u2066TL\ufeff1\u061c")
    text = text.replace("Firmware Version:", "Stran\u202ege: va\u200blue\n   Firmware Version:").replace(
        "Status: OK\n         Drive", "Status: Predictive\u202e Failure\u2069\n         Drive"
    )
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (tmp_path / "POLICY").write_text('raid_level = "raid5"\n', encoding="utf-8")
    words = [str(tmp_path / word) if word == "POLICY" else word for word in command.split(" ")]
    done = raidctl("--replay", tmp_path / "a.txt", *words)
    assert not [c for c in done.stdout + done.stderr if unicodedata.category(c) in {"Cf", "Zl", "Zp"}]
    assert done.stdout or "x" in words[-1]


def test_a_full_disk_or_a_damaged_file_of_a_simulated_machine_is_one_sentence(tmp_path: Path) -> None:
    """The exit code is 3, and one sentence states what to do. No fault of raidctl's own is reported."""
    place = tmp_path / "demo" / "p400"
    assert raidctl("--demo", "p400", "--state-dir", tmp_path, "show").returncode == 0
    [settings] = place.glob("*.json")
    for damage in (b"", b"\xff", b"[" * 100_000, b'{"a": 1}'):
        settings.write_bytes(damage)
        done = raidctl("--demo", "p400", "--state-dir", tmp_path, "show")
        assert (done.returncode, "--reset p400" in done.stderr) == (3, True), done.stderr
    settings.unlink()
    limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", sys.executable, "-m", "raidctl"]
    words = ["--demo", "p400", "--state-dir", str(tmp_path), "show"]
    full = subprocess.run([*limited, *words], capture_output=True, check=False, stdin=subprocess.DEVNULL, text=True)
    assert full.returncode == 3
    assert "cannot be written" in full.stderr
    assert ("--state-dir" in full.stderr, "--reset" in full.stderr) == (True, False), full.stderr  # it makes no room
    assert not list(place.glob("*.json*"))
