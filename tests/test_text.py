"""Helpers for the texts of tools."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.order import in_order, natural
from raidctl.text import attempt, collapse, listing, pair, printable


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("   Cache Ratio: 25% Read / 75% Write", ("Cache Ratio", "25% Read / 75% Write")),
        ("   Caching:  Enabled", ("Caching", "Enabled")),
        ("   Capacitor Temperature  (C): 21", ("Capacitor Temperature  (C)", "21")),
        ("      physicaldrive 1I:1:4", None),
        ("   Mount Points:", ("Mount Points", "")),
        ("   Port Name: 1I:2", ("Port Name", "1I:2")),
        (": alone", None),
        ("", None),
    ],
)
def test_a_label_ends_at_the_first_colon_before_a_blank(line: str, expected: tuple[str, str] | None) -> None:
    """Addresses with colons inside are no labels."""
    assert pair(line) == expected


@given(st.text())
def test_printable_text_cannot_steer_a_terminal(text: str) -> None:
    """No control or format character but tab and line feed survives. This holds for whatever the hardware prints."""
    forbidden = {"Cc", "Cf", "Zl", "Zp"}
    assert not [c for c in printable(text) if unicodedata.category(c) in forbidden and c not in "\t\n"]


def test_no_character_of_any_direction_or_without_width_is_printable() -> None:
    """No format character that Unicode has is printable. Neither are the fillers that are drawn as nothing."""
    every = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in {"Cf", "Zl", "Zp"})
    assert set(printable(every + "\u3164\ufe0f\u115f")) == {"\ufffd"}


def test_escape_sequences_leave_no_rest() -> None:
    """Colours, titles and cursor movements disappear whole. Text that looks like markup stays."""
    assert printable("\x1b[31mred\x1b[0m \x1b]0;title\x07[red]X[/red]") == "red [red]X[/red]"


def test_natural_order_counts() -> None:
    """Bay 2 comes before bay 10."""
    assert in_order(["1I:1:10", "1I:1:2", "1I:1:1"], key=str) == ["1I:1:1", "1I:1:2", "1I:1:10"]


@given(st.text(), st.text())
def test_natural_order_compares_any_two_texts(one: str, other: str) -> None:
    """Any two texts can be sorted."""
    assert (natural(one) < natural(other)) or (natural(other) <= natural(one))


def test_small_helpers() -> None:
    """Blanks are collapsed, lists are spoken, a parser that refuses gives None."""
    assert collapse("  HP   EG0300 ") == "HP EG0300"
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert listing(["a"]) == "a"
    assert attempt(int, "x") is None
    assert attempt(int, None) is None
    assert attempt(int, "7") == 7
