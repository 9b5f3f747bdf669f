"""Wording that several rules share: names of drives, and a tool's text. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.model import Drive
from raidctl.text import few


def short(drives: Sequence[Drive], longest: int = 4) -> str:
    """The ids of drives without the controller, the rest counted: ``1I:1:1, 1I:1:2 and 3 more``."""
    return few([drive.id.partition("/")[2] or drive.id for drive in drives], longest)


def plain(sentence: str | None) -> str:
    """The tool's text without the final full stop. Empty if there is none."""
    text = (sentence or "").strip().rstrip(".")
    return text[1:-1] if text[:1] == "(" and text.find(")") == len(text) - 1 else text  # (F): it is put in brackets
