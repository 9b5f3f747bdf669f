"""Whatever the hardware's text contains, the screen stays a screen."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from raidctl.evidence import Output
from raidctl.model import Inventory
from raidctl.output.console import Display
from raidctl.output.explain import explanation
from raidctl.output.json import to_json
from raidctl.output.show import screen
from raidctl.output.unparsed import unparsed_screen
from tests.output.hostile_texts import DISPLAYS, HOSTILE_TEXT, replaced, steers
from tests.output.inventories import DEGRADED, SOFTWARE


@settings(deadline=None)
@given(st.data(), st.sampled_from([DEGRADED, SOFTWARE]), DISPLAYS, st.booleans())
def test_no_text_of_hardware_breaks_or_steers_the_screen(
    data: st.DataObject, base: Inventory, display: Display, more: bool
) -> None:
    """No control or invisible character is printed.

    No line is too wide, and nothing fails, in UTF-8 and in ASCII.
    """
    built = replaced(msgspec.to_builtins(base), "", lambda: data.draw(HOSTILE_TEXT))
    printed = screen(msgspec.convert(built, Inventory), display, more=more)
    assert steers(printed) == []
    assert max(map(cell_len, printed.split("\n"))) <= display.columns
    assert printed.isascii() or not display.ascii


@settings(deadline=None)
@given(HOSTILE_TEXT, HOSTILE_TEXT, DISPLAYS)
def test_evidence_never_steers_the_terminal(value: str, text: str, display: Display) -> None:
    """The raw line of an output is printed without its escape codes."""
    output = Output.of_text(text, f"first\n{text}\nlast")
    output.lines[1].fact("smartarray:1", value, value)
    for printed in (explanation(DEGRADED, [output], ["smartarray:1"], display), unparsed_screen([output], display)):
        assert steers(printed) == []
        assert max(map(cell_len, printed.split("\n"))) <= display.columns


@settings(deadline=None)
@given(HOSTILE_TEXT)
def test_json_holds_the_text_as_it_is_and_no_control_character(text: str) -> None:
    """Escaped, and the same again when it is read."""
    printed = to_json({"model": text})
    assert [char for char in printed if char != "\n" and (ord(char) < 32 or 127 <= ord(char) < 160)] == []
    assert msgspec.json.decode(printed) == {"model": text}
