"""Complete manual pages. The two tools that print them give no warning."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.man_pages import man_page, man_pages
from tests.support.pages import commands

PAGES = Path(__file__).resolve().parents[1] / "docs" / "man"


def run(*words: str | Path, page: str = "") -> str:
    """Both outputs of a program."""
    done = subprocess.run(words, input=page, capture_output=True, text=True, check=False, encoding="utf-8")
    return done.stdout + done.stderr


@pytest.mark.slow
def test_mandoc_and_groff_have_no_warning() -> None:
    """All pages at once, as installed."""
    pages = sorted(PAGES.glob("*.1"))
    assert run("mandoc", "-Tlint", "-Wwarning", *pages) == ""
    for page in pages:
        assert run("groff", "-man", "-ww", "-z", "-Tutf8", page) == "", page.name


@pytest.mark.slow
def test_every_option_and_example_is_on_the_page_of_its_command() -> None:
    """Options and examples are printed as they are typed. One page is checked, since one function writes all."""
    for context in commands():
        if context.command_path not in ("raidctl", "raidctl cache set", "raidctl schema", "raidctl verify"):
            continue
        text = run("col", "-bx", page=run("mandoc", "-Tutf8", "-Owidth=200", page=man_page(context)))
        for option in context.command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.opts[-1] in text, (context.command_path, option.opts)
        examples = [line.strip() for line in (context.command.epilog or "").split("\n")[2:]]
        assert [line for line in examples if line not in text] == []


def test_every_command_has_a_page_with_the_parts_of_a_page() -> None:
    """``whatis`` needs the NAME; a group lists its commands."""
    pages = man_pages()
    assert {f"{context.command_path.replace(' ', '-')}.1" for context in commands()} | {"raidctl-mfi.1"} == set(pages)
    for name, page in pages.items():
        heads = [line for line in page.split("\n") if line.startswith(".SH ")]
        assert heads[:3] == [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"], name
        assert heads[-1] == ".SH SEE ALSO", name


@given(st.text())
def test_no_text_is_read_as_a_request(text: str) -> None:
    """A help text with any characters adds no line that roff interprets. It adds no escape but those written here."""
    plain = man_page(click.Context(click.Command("x", help="Do it."), info_name="x"))
    page = man_page(click.Context(click.Command("x", help=f"Do it.\n\n{text}", epilog=text), info_name="x"))
    own = {line for line in plain.split("\n") if line[:1] in (".", "'")} | {".PP", ".nf", ".fi", ".TP"}
    own |= {".SH EXAMPLES", ".SH EXIT STATUS"}
    obeyed = {line for line in page.split("\n") if line[:1] in (".", "'")}
    assert {line for line in obeyed if not re.fullmatch(r"\.B \d+( or \d+)?", line)} <= own
    assert page.isascii()
