"""The examples of the manual are what happens. ``python -m tests.drift.test_drift_story`` writes their outputs anew."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from raidctl.drift.noise import NOISE
from tests.support.story import masked, played, scenes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "drift.md"
_BLOCK = re.compile(r"(?ms)^```console\n(.*?)^```$")


@pytest.mark.slow
def test_every_command_of_the_page_prints_what_it_shows() -> None:
    """In order, on one simulated machine, in a fresh state directory; dates may differ."""
    found = scenes(PAGE.read_text(encoding="utf-8"))
    assert len(found) > 7
    with TemporaryDirectory(prefix="s") as place:
        for scene in found:
            assert masked(played(scene.command, Path(place))) == masked(scene.output), scene.command


def test_the_page_tells_of_every_kind_of_object_with_noise() -> None:
    """A reader finds out why a change of a temperature is not reported."""
    page = PAGE.read_text(encoding="utf-8")
    told = page[page.index("## What is omitted as noise") : page.index("## What could not be read")]
    words = {"host": "machine", "battery": "batteries"}
    for rule in NOISE:
        assert words.get(rule.kind, f"{rule.kind}s") in told


def main() -> None:
    """Write the outputs into the page."""
    with TemporaryDirectory(prefix="s") as name:

        def again(match: re.Match[str]) -> str:
            command = match[1].partition("\n")[0]
            return f"```console\n{command}\n{played(command.removeprefix('$ '), Path(name))}```"

        PAGE.write_text(_BLOCK.sub(again, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
