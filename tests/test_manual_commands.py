"""Every command line of README and manual. Each is accepted by raidctl, and runs on a simulated machine."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from raidctl.bench.store import Store
from raidctl.cli import cli
from raidctl.cli.shared.options import Settings
from raidctl.errors import EXIT_USAGE
from tests.bench.bench_runs import run as finished
from tests.support.page_outputs import PROMPT, commands_of

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
_CODE = re.compile(r"(?m)^```(?!toml|yaml|json|sql|ini)\w*\n((?:(?!```).*\n)*)```$|^((?:    .*\n)+)")
_LINE = re.compile(r"(?m)^(?:    )?(?:\$ |# )?(?:sudo )?(?:\.venv/bin/)?(raidctl (?!.*…).*)$")
_SYNOPSIS = re.compile(r"[\[…]|\b(?:TARGET|CONTROLLER|DRIVE|COMMAND|ID|RULE)\b")
"""What is written to be filled in, not to be typed."""
NOT_RUN = {
    r"^(--json )?bench (run|model|witness|powercut)": "needs real storage, or a second machine: tests/bench",
    r"--bmc\b": "asks a service processor: tests/runners/test_bmc.py",
    r"^verify .*--(measure|powercut)": "as bench run: tests/verify",
    r"--(watch|follow|listen|wait)\b": "goes on until interrupted: tests/tasks, tests/events, tests/audit",
    r"^watch(?!.*--(once|test))": "goes on until interrupted: tests/watch",
    r"--mail": "sends mail: tests/watch",
    r"^locate (?!list|off)": "waits for Ctrl-C: tests/locate",
    r"--install-unit": "writes to /etc: tests/watch, tests/change",
    r"/etc/cron\.d": "no simulated machine has it: tests/cli/test_check_schedule.py",
    r"^replace (md0|resume|bay:4)": "needs a replacement that is under way, or a bay: tests/operate",
}
"""Commands that are only parsed here, with tests that run them. Each is given by a pattern."""
MACHINES: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        r"32:5|megaraid:0|^(drive|rebuild|patrol|battery|alarm|foreign|preserved)\b",
        "h730",
        {"/dev/sdf": "32:8", "serial:ZC1A2B3C": "serial:RCX12W0K7"},
    ),
    (r"smartarray:1", "p400", {}),
    (r"smartarray:0|^cache set|^batch", "p440", {"/srv/db": "/srv/archive"}),
    (r"threeware:0", "9690", {"threeware:0": "threeware:6"}),
    (r"", "raid6", {"/srv/db": "/srv", "serial:ZC1A2B3C": "serial:ZC1A00L2", "/dev/sdf": "/dev/sde"}),
)
"""The simulated machine for a command: the first whose pattern it contains. The names of the machine's objects are
included."""


_NO_MACHINE = re.compile(r"^bench |^audit .*(inventories|fleet)/")
"""Commands that read what was saved."""


@dataclass(frozen=True)
class Typed:
    """A command line of a page, without ``raidctl``."""

    page: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join(self.words)}"


def typed(page: Path) -> Iterator[Typed]:
    """A page's command lines in code that have no output below."""
    text = page.read_text(encoding="utf-8")
    for one in commands_of(text):  # another test compares what these print
        text = text.replace(f"{PROMPT}{one.command}\n{one.output}", "")
    text = re.sub(r" \\\n *", " ", text)  # a line that continues in the next one
    for block in _CODE.finditer(text):
        for line in _LINE.findall(block[1] or block[2] or ""):
            for part in re.split(r"; (?=raidctl )", re.sub(r"\s#.*", "", line)):
                words = shlex.split(part)
                ends = [number for number, word in enumerate(words) if re.match(r"(;|\||&&?|[<>].*)$", word)]
                words = words[1 : min(ends, default=len(words))]
                if words and not _SYNOPSIS.search(" ".join(words)):
                    yield Typed(page.name, tuple(words))


EVERY = [one for page in PAGES for one in dict.fromkeys(typed(page))]


def accepted(words: Sequence[str]) -> click.Context:
    """The context of the command that a command line reaches. A group without a subcommand gives its own context.

    Raises:
        click.UsageError: There is no such command or option, or an argument is missing.
    """
    context = cli.make_context("raidctl", list(words), obj=Settings())
    while isinstance(context.command, click.Group):
        rest = [*context._protected_args, *context.args]
        name, command, rest = context.command.resolve_command(context, rest)
        assert command is not None
        if isinstance(command, click.Group) and not rest:  # prints its commands
            return click.Context(command, parent=context, info_name=name)
        context = command.make_context(name, rest, parent=context)
    return context


@pytest.mark.parametrize("one", EVERY, ids=str)
def test_a_command_line_is_accepted(one: Typed) -> None:
    """Its command, options and arguments exist."""
    with accepted(one.words):
        pass


def on_demo(one: Typed, context: click.Context) -> list[str]:
    """The same command line for a simulated machine. Changes to the machine are only planned."""
    line = " ".join(one.words)
    words = list(one.words)
    if "--host" in line:
        words = re.sub(r"--(hosts?|jobs|limit) \S+ |--sudo ", "", f"{line} ").split()
    if "--demo" in words or "--replay" in words or _NO_MACHINE.search(" ".join(words)):
        return words
    name, renamed = next((name, renamed) for form, name, renamed in MACHINES if re.search(form, " ".join(words)))
    words = [renamed.get(word, word) for word in words]
    own = {word for parameter in context.command.params for word in parameter.opts}
    planned = "--install-unit" not in own or "--install-unit" in words  # only then there is something to plan
    if "--" not in words and "--dry-run" in own and "--dry-run" not in words and planned and words[0] != "verify":
        words.append("--dry-run")
    return ["--demo", name, *words]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files that the pages name.

    It has a policy, inventories, saved runs, and what somebody has sent.
    """
    monkeypatch.chdir(tmp_path)
    for name in ("docs", "fixtures"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in ("inventories", "fleet", "states", "recordings"):
        (tmp_path / name).mkdir()
    (tmp_path / "load.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "load.sh").chmod(0o755)
    sent = ROOT / "fixtures" / "smartarray-p400" / "hpacucli-ctrl-all-show-config-detail.out"
    (tmp_path / "mail-attachment.txt").write_bytes(sent.read_bytes())
    for words in (["audit", "--init", "site.toml"], ["snapshot", "--output", "inventories/db7.json"], ["snapshot"]):
        assert run(["--demo", "raid6", *words], tmp_path).exit_code == 0
    for _ in range(8):
        Store(tmp_path / "state").add(finished())
    return tmp_path


def run(words: Sequence[str], place: Path) -> Result:
    """Run raidctl with its state in a directory."""
    state = [] if "--state-dir" in words else ["--state-dir", str(place / "state")]
    return CliRunner().invoke(cli, [*state, *words], input="")


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted({one.page for one in EVERY} - {"commands.md"}))
def test_the_commands_of_a_page_run(page: str, place: Path) -> None:
    """The commands run in order on simulated machines. None is refused as wrong usage or fails in raidctl itself."""
    wrong = []
    for one in EVERY:
        line = re.sub(r"^(--(hosts?|jobs|limit|demo|replay) \S+ |--sudo )+", "", " ".join(one.words))
        if one.page != page or any(re.search(form, line) for form in NOT_RUN):
            continue
        with accepted(one.words) as context:
            words = on_demo(one, context)
        if isinstance(context.command, click.Group):  # prints its commands
            continue
        if "--init" in words:  # the page begins with it
            (place / "site.toml").unlink()
        done = run(words, place)
        judged = "nagios" in words  # has other exit codes
        if (done.exit_code == EXIT_USAGE and not judged) or not isinstance(done.exception, SystemExit | None):
            wrong.append(f"{shlex.join(words)}: {done.exit_code} {done.exception!r} {done.stderr}")
    assert not wrong, "\n".join(wrong)
