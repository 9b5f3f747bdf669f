"""Screens and help pages in a narrow pane. The terminal breaks no line of a screen, and nothing is lost."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.cli import cli
from raidctl.fleet.report import HostAnswer, Rank, report
from raidctl.output.console import Display
from raidctl.output.diagnose import screen as diagnosis
from raidctl.output.hosts import screen as hosts_screen
from raidctl.output.sentences import Sentence, fitted
from raidctl.output.show import screen
from tests.support.machines import replayed

ROOT = Path(__file__).resolve().parents[2]
COMMAND = re.compile(r" *(?:\d+\. |undo: )?(?:hpssacli|raidctl) ")
MACHINES = ("smartarray-gen9-degraded", "adaptec-5405-failed-battery", "md-degraded-rebuilding")


def joined(text: str) -> str:
    """A text without blanks and line ends, whatever its line breaks were."""
    return "".join(text.split())


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("width", [20, 30, 40, 59])
def test_a_narrow_screen_has_everything(machine: str, width: int) -> None:
    """No line is too wide. Each drive is there with its model, and each finding with its remedy."""
    inventory = replayed(machine).inventory
    found = diagnose(inventory, rules())

    def shown(display: Display) -> tuple[str, str]:
        return screen(inventory, display), diagnosis(found, inventory, display, more=True)

    narrow, wide = shown(Display(width=width)), shown(Display(width=200))
    assert [line for text in narrow for line in text.splitlines() if cell_len(line) > width] == []
    drives = [drive for one in inventory.controllers for drive in one.drives]
    texts = [
        {drive.model for drive in drives if drive.model},
        {text for one in found.findings for text in (one.message, one.remedy) if text},
    ]
    for text, whole, possible in zip(map(joined, narrow), map(joined, wide), texts, strict=True):
        expected = [text for text in possible if joined(text) in whole]
        assert expected
        assert [one for one in expected if joined(one) not in text] == []


@pytest.mark.parametrize("machine", [MACHINES[0], MACHINES[2], "megaraid-perc5i-failed-battery"])
def test_a_command_to_paste_is_on_one_line(machine: str) -> None:
    """At 80 columns no command of a remedy or a message is broken."""
    inventory = replayed(machine).inventory
    display = Display(width=80)
    shown = screen(inventory, display) + diagnosis(diagnose(inventory, rules()), inventory, display, more=True)
    sentence = Sentence("A message on standard error is wrapped, too; to go on: `raidctl replace resume 6d25d8e4d331`.")
    lines = [*shown.splitlines(), *fitted([sentence], 80).splitlines()]
    assert [line for line in lines if line.count("`") % 2] == []
    assert any("`" in line for line in shown.splitlines())
    assert lines[-1].strip() == "`raidctl replace resume 6d25d8e4d331`."


@pytest.mark.parametrize("columns", ["20", "40", "51"])
@pytest.mark.parametrize("command", ["", "show", "cache set", "check media", "bench run", "watch"])
def test_help_pages_fit(command: str, columns: str) -> None:
    """Only examples, which are there to be copied, are wider. Descriptions are below the options."""
    words = [sys.executable, "-m", "raidctl", *command.split(), "--help"]
    printed = subprocess.run(
        words, env={**os.environ, "COLUMNS": columns}, capture_output=True, text=True, check=True, timeout=60
    ).stdout
    page, _, examples = printed.partition("Examples:")
    assert [line for line in page.splitlines() if cell_len(line) > int(columns)] == []
    assert "\n  -h, --help\n      Show this" in page
    assert all(line.startswith("  ") or not line for line in examples.split("\n"))


@pytest.mark.parametrize("columns", [20, 40])
@pytest.mark.parametrize("words", [
    ("locate", "list"),
    ("locate", "on", "smartarray:0/1I:1:2", "--dry-run"),
    ("cache", "set", "smartarray:0/v2", "--write", "write-through", "--dry-run"),
    ("layout", "plan", str(ROOT / "docs" / "examples" / "p440.toml")),
])  # fmt: skip
def test_plans_fit(words: tuple[str, ...], columns: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only commands are wider than the terminal. So they can be copied; nothing is lost."""
    shown = []
    for width in (columns, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        shown.append(CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "--demo", "p440", *words]).stdout)
    narrow, wide = shown
    long = [line for line in narrow.splitlines() if cell_len(line) > columns]
    assert [line for line in long if not COMMAND.match(line)] == []
    # no separator at the end of a line
    assert joined(narrow).replace("·", "") == joined(wide).replace("disable;survives", "disablesurvives").replace(
        "·", ""
    )


def test_a_command_for_another_machine_names_it() -> None:
    """Pasted without ``--host``, it would change this machine, which may have the same ids."""
    inventory = replayed("megaraid-perc5i-failed-battery").inventory
    display = Display(width=80, options="--host root@db7 --sudo")
    shown = screen(inventory, display) + diagnosis(diagnose(inventory, rules()), inventory, display, more=True)
    commands = re.findall(r"[`\"](raidctl [^`\"]*)[`\"]", shown)
    assert [one for one in commands if "--host root@db7 --sudo" not in one] == ["raidctl diagnose --explain RULE"]
    assert "raidctl --host root@db7 --sudo replace megaraid:0/8:1 --check" in commands


def test_a_message_is_wrapped_on_a_terminal_only(tmp_path: Path) -> None:
    """The terminal would break it within a word. In a pipe it is one line, for logs."""
    words = [sys.executable, "-m", "raidctl", "--state-dir", str(tmp_path), "--demo", "no-such-machine", "show"]
    piped = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=False).stderr
    leader, follower = pty.openpty()
    with os.fdopen(follower, "wb") as terminal:
        subprocess.run(words, stderr=terminal, env={**os.environ, "COLUMNS": "72"}, check=False)
    shown = os.read(leader, 4096).decode()
    os.close(leader)
    assert len(piped.splitlines()) == 1
    assert len(piped) > 160
    assert max(map(len, shown.splitlines())) <= 72
    assert shown.split() == piped.split()


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_the_journal_fits(columns: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No id, time or setting is broken by the terminal. Only commands are wider, so that they can be copied."""

    def run(*words: str) -> str:
        return CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "--demo", "p400", *words]).stdout

    monkeypatch.setattr(sys, "argv", ["raidctl", "cache", "split", "smartarray:1", "50/50", "--yes"])
    run("cache", "split", "smartarray:1", "50/50", "--yes")
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = run("journal").splitlines()
    assert [line for line in shown if cell_len(line) > columns and " --yes" not in line] == []
    assert [line for line in shown if " cache split smartarray:1 50/50 --yes" in line]
    words = " ".join(shown).split()
    assert {"set", "by", "cacheratio", "smartarray:1:", "25/75", "->", "50/50", "(start,", "done)"} <= set(words)
    assert sum(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", word) is not None for word in words) == 2


@pytest.mark.parametrize("columns", [20, 40, 59])
def test_events_fit(columns: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each event has its whole time and its level. There is no room for it beside the message."""
    shown = []
    for width in (columns, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        shown.append(CliRunner().invoke(cli, ["--state-dir", str(tmp_path), "--demo", "h730", "events"]).stdout)
    assert [line for line in shown[0].splitlines() if cell_len(line) > columns] == []
    times, levels = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", r"\b(?:critical|info)\b"
    for pattern, least in ((times, 3), (levels, 3), (r"megaraid:0/v1\b", 1)):
        found = [re.findall(pattern, text.split("\n\n")[1], re.MULTILINE) for text in shown]
        assert len(found[0]) == len(found[1]) >= least


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("more", [False, True])
def test_a_long_name_narrows_no_other_host(width: int, more: bool) -> None:
    """A long name has a line for itself; the messages of all hosts have the room that they have without it."""
    message = "2 problems: drives:ZC1A00K1: The drive is failing, 41 media errors"

    def shown(*names: str) -> str:
        answers = [HostAnswer(host=name, exit_code=1, state="critical", message=message) for name in names]
        further = dict.fromkeys(names, ("further line",)) if more else {}
        ranks = dict.fromkeys(names, Rank.CRITICAL)
        return hosts_screen(report("diagnose", answers, len(names)), ranks, further, Display(width=width))

    long = "-".join(["database"] * 13)
    alone, together = shown("db1", "db2").splitlines()[2:], shown("db1", long, "db2").splitlines()[2:]
    half = len(alone) // 2
    assert (together[:half], together[-half:]) == (alone[:half], alone[half:])
    assert max(map(cell_len, together)) <= width
    assert long in joined("".join(together))
    assert joined("".join(together)).count(joined(message)) == 3
