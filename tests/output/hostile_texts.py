"""Texts that try to steer the terminal, and what screens make of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from raidctl.output.console import Display

# fields whose values are words of the model, not texts of hardware
WORDS = {
    "schema_version", "severity", "kind", "status", "mode", "raid_level", "write_policy", "write_active", "read_policy",
    "io_policy", "drive_write_cache", "operation", "role", "media", "interface", "write_cache",
}  # fmt: skip

HOSTILE_TEXT = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("\x1b\x9b\x07\x00\x7f\r\n\t\u202e\u200b\u2028[]/"),
        st.sampled_from("磁気ディスク"),
    ),
    max_size=60,
) | st.sampled_from(["\x1b[31mred\x1b[0m", "[bold]x[/bold]", "[/]", "\x1b]0;title\x07", "x" * 300, "a b " * 50, ""])

DISPLAYS = st.builds(Display, width=st.integers(1, 200), colour=st.just(value=False), ascii=st.booleans())


def replaced(value: Any, name: str, text: Callable[[], str]) -> Any:
    """The built-in form of an inventory with every text of hardware replaced."""
    if isinstance(value, dict):
        return {key: replaced(inner, key, text) for key, inner in value.items()}
    if isinstance(value, list):
        return [replaced(inner, name, text) for inner in value]
    return text() if isinstance(value, str) and name not in WORDS else value


def steers(printed: str) -> list[str]:
    """Characters of an output that a terminal does not simply print."""
    return [char for char in printed if char != "\n" and not char.isprintable()]
