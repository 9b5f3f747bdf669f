"""The commands that raidctl prints to continue. Each has the options that find the same machine and journal."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from raidctl.change.beginning import begin
from raidctl.change.journal import Journal
from raidctl.change.state_directory import command_on, default_directory, restore_command
from raidctl.cli._replace_drive import resume_replacement
from raidctl.cli._replace_facts import Wanted
from raidctl.cli.shared.machine import demo_directory
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import AGREED
from raidctl.errors import UsageError
from raidctl.operate.replacement_facts import Facts, facts_text
from raidctl.vendor.plan import Plan
from tests.operate.machines import inventory


def test_commands_that_continue_name_the_state_directory(tmp_path: Path) -> None:
    """A printed command finds the same journal. It names the given directory, and has no option for this user's."""
    named = tmp_path / "a b"
    for source, place, options in (
        ("local", named, f"--state-dir '{named}'"),
        ("ssh:root@db7", named, f"--host root@db7 --state-dir '{named}'"),
        ("demo:raid6", named / "demo" / "raid6", f"--demo raid6 --state-dir '{named}'"),
        ("local", default_directory(), ""),
        ("demo:raid6", default_directory() / "demo" / "raid6", "--demo raid6"),
    ):
        for command, words in (
            (restore_command(source, place), "restore"),
            (command_on(source, "locate off", place), "locate off"),
        ):
            assert command == " ".join(filter(None, ("raidctl", options, words)))


def test_several_open_replacements_are_named_with_their_commands(tmp_path: Path) -> None:
    """Each is listed with its drive and the command that continues it. None is chosen."""
    settings = Settings()
    settings.state_dir, settings.demo = str(tmp_path), "raid6"
    place = demo_directory(settings, "raid6")
    for number, old in enumerate(("ZC1A00K4", "ZC1A00L2")):
        facts = facts_text(Facts(old=old, old_id="x", bay="", place="", members="", known="", way="out"))
        first = begin(
            "operation", Plan(), inventory(), about="raidctl replace", source="demo:raid6",
            resume=command_on("demo:raid6", "replace resume ID", place), facts=facts,
        )  # fmt: skip
        Journal(place).append(msgspec.structs.replace(first, change=f"c{number}"))
    with pytest.raises(UsageError, match="Several replacements are open") as refused:
        resume_replacement(settings, AGREED, None, Wanted())
    for old in ("ZC1A00K4", "ZC1A00L2"):
        assert f'of {old}, "raidctl --demo raid6 --state-dir {tmp_path} replace resume ' in str(refused.value)
