"""The outputs in docs/drift.md are what raidctl prints, and the page is complete.

``python -m tests.support.page_outputs docs/drift.md`` writes the outputs.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from raidctl.drift.noise import NOISE
from tests.support.page_outputs import commands_of, masked, output_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "drift.md"


@pytest.mark.slow
def test_every_command_of_the_page_prints_what_it_shows() -> None:
    """All run in order on one simulated machine. The state directory is fresh; dates may differ."""
    found = commands_of(PAGE.read_text(encoding="utf-8"))
    assert len(found) > 7
    with TemporaryDirectory(prefix="s") as place:
        for one in found:
            assert masked(output_of(one.command, Path(place))) == masked(one.output), one.command


def test_the_page_names_every_kind_of_object_with_noise() -> None:
    """Readers can find out why a temperature's change is not reported."""
    page = PAGE.read_text(encoding="utf-8")
    listed = page[page.index("## What is omitted as noise") : page.index("## What could not be read")]
    words = {"host": "machine", "battery": "batteries"}
    for rule in NOISE:
        assert words.get(rule.kind, f"{rule.kind}s") in listed
