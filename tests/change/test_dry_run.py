"""``--dry-run`` of every command that has it: neither the machine nor the state directory changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.request import Request, Write
from tests.layout.layout_commands import MIRROR, WIPE, code_of, cut_off
from tests.support.failing import answer_instead
from tests.support.pages import commands

REPLACED, LAID = "{replacement}", "{layout}"
"""Names of the open operations in the journal of the machine raid6."""
BEGUN: tuple[tuple[str, ...], ...] = (
    ("h730", "patrol", "start", "megaraid:0", "--yes"),
    ("h730", "drive", "offline", "32:4", "--yes", "--unsafe", "cabling", "--confirm", "RCX14W0K7"),
    ("workstation", "check", "media", "start", "/dev/sda", "--short"),
    ("h730", "check", "start", "v0", "--yes"),
    ("raid6", "replace", "/dev/sda", "--now", "--no-wait", "--confirm", "ZC1A00K1"),
)
"""What was begun on the simulated machines, so that it can be stopped, continued and given up."""
LINES: tuple[tuple[str, ...], ...] = (
    ("h730", "rate", "megaraid:0", "--rebuild", "40"),
    ("p440", "replace", "1I:1:2"),
    ("raid6", "replace", "resume"),
    ("raid6", "replace", "abandon", REPLACED),
    ("raid6", "layout", "apply", MIRROR),
    ("raid6", "layout", "apply", "resume"),
    ("raid6", "layout", "apply", "abandon", LAID),
    ("raid6", "restore"),
    ("raid6", "restore", "--forget", REPLACED),
    ("raid6", "locate", "off"),
    ("raid6", "locate", "off", "/dev/sda"),
    ("p440", "locate", "on", "1I:1:2"),
    ("sas", "locate", "on", "/dev/sdb", "--by", "activity"),
    ("", "export", "--output", "/run/raidctl.prom", "--install-unit"),
    ("", "watch", "--install-unit"),
    ("p440", "cache", "set", "v2", "--write", "write-through"),
    ("p400", "cache", "split", "smartarray:1", "50/50"),
    ("workstation", "cache", "drive", "/dev/sda", "off"),
    ("layers", "cache", "flush", "--all"),
    ("layers", "cache", "threshold", "--dirty-bytes", "8000000000"),
    ("p440", "batch", "--write", "write-through", "v2", "--", "touch", "/nowhere/x"),
    ("9271", "check", "start", "v0"),
    ("h730", "check", "stop", "v0"),
    ("h730", "check", "pause", "v0"),
    ("h730", "check", "resume", "v0"),
    ("raid6", "check", "schedule", "set", "mdcheck_start.timer", "--off"),
    ("workstation", "check", "media", "start", "/dev/sdb", "--long"),
    ("workstation", "check", "media", "stop", "/dev/sda"),
    ("raid6", "spare", "add", "/dev/sde", "--for", "md0"),
    ("9690", "spare", "remove", "p6"),
    ("perc5i", "drive", "good", "8:1"),
    ("9271", "drive", "offline", "252:0", "--unsafe", "cabling"),
    ("h730", "drive", "online", "32:4"),
    ("h730", "drive", "jbod", "32:4"),
    ("h730", "drive", "raid", "32:4"),
    ("h730", "drive", "erase", "32:4"),
    ("9690", "rebuild", "start", "p7"),
    ("h730", "rebuild", "stop", "32:8"),
    ("h730", "rebuild", "pause", "32:8"),
    ("h730", "rebuild", "resume", "32:8"),
    ("9271", "patrol", "start", "megaraid:0"),
    ("h730", "patrol", "stop", "megaraid:0"),
    ("h730", "patrol", "pause", "megaraid:0"),
    ("h730", "patrol", "resume", "megaraid:0"),
    ("h730-foreign", "foreign", "import", "megaraid:0"),
    ("h730-foreign", "foreign", "clear", "megaraid:0", "--unsafe", "lost"),
    ("h730-foreign", "preserved", "discard", "v6", "--unsafe", "lost"),
    ("9271", "battery", "learn", "megaraid:0"),
    ("9271", "alarm", "silence", "megaraid:0"),
    ("perc5i", "alarm", "on", "megaraid:0"),
    ("9271", "alarm", "off", "megaraid:0"),
)
"""Command lines without ``--dry-run``. The first word is the simulated machine; none: the command needs no machine."""
ELSEWHERE = {("bench", "run"), ("bench", "powercut"), ("verify",)}
"""They measure a real file system: tests/bench, tests/cli/test_bench_powercut.py, tests/verify."""


class Machines:
    """Simulated machines on which something was begun."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.names: dict[str, str] = {}
        for machine in {line[0] for line in LINES if line[0]}:
            self.run(machine, "show")  # a demo's first command writes its settings
        for machine, *words in BEGUN:
            done = self.run(machine, *words)
            assert done.exit_code in (0, 7), done.output
        raid6 = partial(self.run, "raid6")
        cut_off(raid6, ("layout", "apply", MIRROR, *WIPE, "--confirm", code_of(raid6)), 1)
        begun = [one["begin"] for one in json.loads(raid6("journal", "--json").stdout)]
        opened = [one["change"] for one in begun if one["kind"] == "operation"]
        self.names = dict(zip((REPLACED, LAID), opened, strict=True))

    def run(self, machine: str, *words: str) -> Result:
        """Run a command on a machine."""
        line = [*(["--demo", machine] if machine else []), *(self.names.get(word, word) for word in words)]
        return CliRunner().invoke(cli, ["--state-dir", str(self.place), *line])

    def files(self) -> dict[str, bytes]:
        """Journals, settings of the machines, and all other files."""
        return {str(path): path.read_bytes() for path in self.place.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Machines:
    """The machines. No test changes them."""
    return Machines(tmp_path_factory.mktemp("state"))


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_a_dry_run_changes_nothing(line: Sequence[str], machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes no line of a journal, switches no LED, and runs no command that changes something."""
    changes: list[Request[Any]] = []

    def noted(request: Request[Any]) -> None:
        changes.extend([request] if isinstance(request, Write) or getattr(request, "changes", False) else [])

    answer_instead(monkeypatch, noted)
    before = machines.files()
    machine, *words = line
    at = words.index("--") if "--" in words else len(words)
    done = machines.run(machine, *words[:at], "--dry-run", *words[at:])
    assert (changes, machines.files()) == ([], before), done.output
    assert done.exit_code in (0, 1), done.output


def test_every_command_with_a_dry_run_is_tried() -> None:
    """Each command of the tree that has ``--dry-run`` has a line above, or tests on a real file system."""
    having = [
        tuple(context.command_path.split()[1:])
        for context in commands()
        if any("--dry-run" in one.opts for one in context.command.params)
    ]
    tried = {tuple(line[1 : len(path) + 1]) for line in LINES for path in having}
    assert [path for path in having if path not in tried | ELSEWHERE] == []
