"""Whatever the hardware's text contains, the screen stays a screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from raidctl.evidence import Output
from raidctl.model import Inventory
from raidctl.output.console import Paper
from raidctl.output.explain import explanation
from raidctl.output.json import to_json
from raidctl.output.tree import screen
from raidctl.output.unparsed import unparsed_screen
from tests.output.inventories import DEGRADED, SOFTWARE

# fields whose values are words of the model, not texts of hardware
WORDS = {
    "schema_version", "severity", "kind", "status", "mode", "raid_level", "write_policy", "write_active", "read_policy",
    "io_policy", "drive_write_cache", "operation", "role", "media", "interface", "write_cache",
}  # fmt: skip
NASTY = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("\x1b\x9b\x07\x00\x7f\r\n\t\u202e\u200b\u2028[]/"),
        st.sampled_from("磁気ディスク"),
    ),
    max_size=60,
) | st.sampled_from(["\x1b[31mred\x1b[0m", "[bold]x[/bold]", "[/]", "\x1b]0;title\x07", "x" * 300, "a b " * 50, ""])
PAPERS = st.builds(Paper, width=st.integers(1, 200), colour=st.just(value=False), ascii=st.booleans())


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


@settings(deadline=None)
@given(st.data(), st.sampled_from([DEGRADED, SOFTWARE]), PAPERS, st.booleans())
def test_no_text_of_hardware_breaks_or_steers_the_screen(
    data: st.DataObject, base: Inventory, paper: Paper, more: bool
) -> None:
    """No control or invisible character comes through.

    No line is too wide, and nothing fails, in UTF-8 and in ASCII.
    """
    built = replaced(msgspec.to_builtins(base), "", lambda: data.draw(NASTY))
    printed = screen(msgspec.convert(built, Inventory), paper, more=more)
    assert steers(printed) == []
    assert max(map(cell_len, printed.split("\n"))) <= paper.columns
    assert printed.isascii() or not paper.ascii


@settings(deadline=None)
@given(NASTY, NASTY, PAPERS)
def test_evidence_never_steers_the_terminal(value: str, text: str, paper: Paper) -> None:
    """The raw line of an output is printed without its escape codes."""
    output = Output.of_text(text, f"first\n{text}\nlast")
    output.lines[1].fact("smartarray:1", value, value)
    for printed in (explanation(DEGRADED, [output], ["smartarray:1"], paper), unparsed_screen([output], paper)):
        assert steers(printed) == []
        assert max(map(cell_len, printed.split("\n"))) <= paper.columns


@settings(deadline=None)
@given(NASTY)
def test_json_holds_the_text_as_it_is_and_no_control_character(text: str) -> None:
    """Escaped, and the same again when it is read."""
    printed = to_json({"model": text})
    assert [char for char in printed if char != "\n" and (ord(char) < 32 or 127 <= ord(char) < 160)] == []
    assert msgspec.json.decode(printed) == {"model": text}
