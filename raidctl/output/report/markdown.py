"""The report as Markdown, for tickets. Text is escaped, raw lines are code. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.output.report.page import Block, Cell, Entry, Heading, Page, Paragraph, Plot, Raws, Table
from raidctl.text import collapse, printable, regex

_SPECIAL = regex(r"([\\`*_\[\]|~#])")
_LOUD = ("bad", "warn")


def write(page: Page) -> bytes:
    """The text, UTF-8."""
    return ("\n".join(_lines(page)).rstrip("\n") + "\n").encode("utf-8", "replace")


def _lines(page: Page) -> Iterator[str]:
    if page.partial:
        yield f"**{_clean(page.partial)}**"
        yield ""
    yield f"# {_clean(page.title)}"
    yield ""
    for one in page.summary:
        yield f"- {_cell(one)}"
    yield ""
    for name, text in page.about:
        yield f"- {_clean(name)}: {_clean(text)}"
    for section in page.sections:
        yield ""
        yield f"## {_clean(section.title)}"
        for block in section.blocks:
            yield ""
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield _clean(block.text)
    elif isinstance(block, Heading):
        yield f"### {_clean(block.text)}"
    elif isinstance(block, Table):
        yield from _table(block)
    elif isinstance(block, Raws):
        yield from _raws(block)
    elif isinstance(block, Plot):
        yield f"{_clean(block.title)}: {_clean(block.description)}"
    else:
        yield from _entry(block)


def _entry(block: Entry) -> Iterator[str]:
    yield f"**{_clean(block.label.text)}** {_clean(block.title)}"
    yield ""
    for name, text in block.rows:
        yield f"- {_clean(name)}: {_clean(text)}"
    if block.raws is not None:
        yield ""
        yield from _raws(block.raws)


def _table(block: Table) -> Iterator[str]:
    if block.folded:
        yield f"<details><summary>{_clean(block.title)}</summary>"
        yield ""
    yield f"| {' | '.join(_clean(head) for head in block.heads)} |"
    yield "|" + "---|" * len(block.heads)
    for row in block.rows:
        yield f"| {' | '.join(_cell(one) for one in row)} |"
    if block.folded:
        yield ""
        yield "</details>"


def _raws(block: Raws) -> Iterator[str]:
    yield f"<details><summary>{_clean(block.title)}</summary>"
    yield ""
    yield "| Fact | Source | Line | As printed |"
    yield "|---|---|---|---|"
    for raw in block.raws:
        line = "" if raw.line is None else str(raw.line)
        yield f"| {_clean(raw.fact)} | {_clean(raw.command)} | {line} | {_clean(raw.text)} |"
    yield ""
    yield "</details>"


def _cell(one: Cell) -> str:
    text = _clean(one.text)
    return f"**{text}**" if text and one.level in _LOUD else text


def _clean(text: str) -> str:
    """A text on one line, with Markdown, HTML and mentions escaped."""
    flat = collapse(printable(text))
    marked = _SPECIAL.sub(r"\\\1", flat)
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
