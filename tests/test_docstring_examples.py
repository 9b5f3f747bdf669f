"""The examples in docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def modules_with_examples() -> list[str]:
    """Dotted names."""
    sources = ((ROOT, "raidctl"), (ROOT / "vendors", ""), (ROOT, "tests"))
    return [
        ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")
        for top, below in sources
        for path in sorted((top / below).rglob("*.py"))
        if re.search(r"^\s*>>> ", path.read_text("utf-8"), re.MULTILINE)
    ]


@pytest.mark.parametrize("module", modules_with_examples())
def test_the_examples_of_a_module_hold(module: str) -> None:
    """Each is run, and none is skipped."""
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted
    assert not result.failed
