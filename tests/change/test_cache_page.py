"""The outputs in docs/cache.md are what raidctl prints."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.page_outputs import PAGE, commands_of, masked, output_of

COMMANDS = commands_of(PAGE.read_text(encoding="utf-8"))


def test_the_commands_of_the_page_are_found() -> None:
    """Each block of the page begins with a command of raidctl."""
    assert len(COMMANDS) > 10
    assert all(one.command.startswith("raidctl ") for one in COMMANDS)


@pytest.mark.slow
def test_every_command_of_the_page_prints_what_it_shows() -> None:
    """Only dates, ids and process numbers differ from the manual.

    The commands run in order on one simulated machine.
    """
    with TemporaryDirectory(prefix="s") as place:  # a short name: a long one would be wrapped within itself
        for one in COMMANDS:
            assert masked(output_of(one.command, Path(place))) == masked(one.output), one.command
