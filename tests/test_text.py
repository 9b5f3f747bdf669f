"""Helpers for the texts of tools."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import raidctl
from raidctl.order import in_order, natural
from raidctl.text import _FIRST_UNSEEN, INVISIBLE, attempt, collapse, json_safe, listing, pair, printable, regex

ROOT = Path(__file__).resolve().parents[1]
VENDORS = ROOT / "vendors"


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
    """Addresses with colons inside are not labels."""
    assert pair(line) == expected


@given(st.text())
def test_printable_text_cannot_steer_a_terminal(text: str) -> None:
    """No control or format character but tab and line feed survives. Hardware may print any of them."""
    forbidden = {"Cc", "Cf", "Zl", "Zp"}
    assert not [c for c in printable(text) if unicodedata.category(c) in forbidden and c not in "\t\n"]


def test_no_character_of_any_direction_or_without_width_is_printable() -> None:
    """No format character that Unicode has is printable. Nor are invisible filler characters."""
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


COMPILE_ALL = """
import gc, importlib, pkgutil, sys
from raidctl.text import _Regex
for place, prefix in (sys.argv[1:2], "raidctl."), (sys.argv[2:], ""):
    for module in pkgutil.walk_packages(place, prefix):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
prepared = [one for one in gc.get_objects() if type(one) is _Regex]
print(len(prepared), sum(one.groups >= 0 for one in prepared))
"""


def test_every_regular_expression_of_every_module_compiles() -> None:
    """A mistake in an expression is found here, not at its first use on a user's machine."""
    found = subprocess.run(
        [sys.executable, "-c", COMPILE_ALL, *raidctl.__path__, VENDORS],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert not found.stderr
    prepared, compiled = map(int, found.stdout.split())
    assert compiled == prepared > 1000


@pytest.mark.slow
def test_no_module_compiles_an_expression_of_text_while_it_is_imported() -> None:
    """A start compiles no expression that the machine does not need. Those of bytes are few."""
    found = []
    for path in (*(ROOT / "raidctl").rglob("*.py"), *VENDORS.rglob("*.py")):
        for statement in ast.parse(path.read_text()).body:
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and "re.compile(" in ast.unparse(statement):
                found += (
                    [] if "re.compile(b" in ast.unparse(statement) else [f"{path.relative_to(ROOT)}:{statement.lineno}"]
                )
    assert found == []


def test_a_prepared_expression_is_used_as_a_compiled_one() -> None:
    """All methods and attributes are those of ``re.compile``, before and after the first use."""
    for flags in (0, re.IGNORECASE):
        ours, theirs = regex(r"(?P<letter>a)(\d)?", flags), re.compile(r"(?P<letter>a)(\d)?", flags)
        for _ in range(2):
            for name in ("match", "fullmatch", "search"):
                found, known = getattr(ours, name)("A1"), getattr(theirs, name)("A1")
                assert (found and found.groupdict()) == (known and known.groupdict())
            assert (ours.findall("a1 a"), ours.split("xa1y"), ours.sub("-", "a1b")) == (
                theirs.findall("a1 a"),
                theirs.split("xa1y"),
                theirs.sub("-", "a1b"),
            )
            assert (ours.pattern, ours.groups, ours.groupindex, ours.flags, ours.subn("", "a1")) == (
                theirs.pattern,
                theirs.groups,
                theirs.groupindex,
                theirs.flags,
                theirs.subn("", "a1"),
            )
    with pytest.raises(AttributeError):
        _ = ours.no_such_method  # type: ignore[attr-defined]


def test_json_keeps_no_control_or_invisible_character() -> None:
    """JSON output has none of them, not even in a text without others. It still decodes to the same text."""
    for code in range(sys.maxunicode + 1):
        text = chr(code)
        if unicodedata.category(text) in {"Cc", "Cf"}:
            shown = json_safe(msgspec.json.encode(text).decode())
            assert text not in shown, hex(code)
            assert msgspec.json.decode(shown.encode()) == text


def test_a_printable_text_without_late_characters_has_no_invisible_ones() -> None:
    """`printable` looks at no such text more closely."""
    early = [chr(code) for code in range(ord(_FIRST_UNSEEN))]
    invisible = [char for char in early if re.match(f"[{INVISIBLE}]", char)]
    assert invisible
    assert not any(char.isprintable() for char in invisible)
    assert printable("33\N{DEGREE SIGN}C\N{SOFT HYPHEN}") == "33\N{DEGREE SIGN}C\N{REPLACEMENT CHARACTER}"
