"""The story in the manual is what raidctl prints."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.story import PAGE, masked, played, scenes

STORY = scenes(PAGE.read_text(encoding="utf-8"))


def test_the_story_is_found() -> None:
    """Each block of the story begins with a command of raidctl."""
    assert len(STORY) > 10
    assert all(scene.command.startswith("raidctl ") for scene in STORY)


@pytest.mark.slow
def test_every_command_of_the_story_prints_what_the_manual_shows() -> None:
    """Only dates, ids and process numbers differ from the manual.

    The commands run in order on one simulated machine.
    """
    with TemporaryDirectory(prefix="s") as place:  # a short name: a long one would be wrapped within itself
        for scene in STORY:
            assert masked(played(scene.command, Path(place))) == masked(scene.output), scene.command
