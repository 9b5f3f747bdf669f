"""Split a text with outputs of storcli and MegaCli, without prompts in between. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from raidctl.text import regex
from raidctl.vendor.protocol import Document

# Adapter 0 -- Virtual Drive Information:   Adapter #0   BBU status for Adapter: 0   Adapter: 0: Number of …
_MEGACLI = regex(r"\s*(?:Adapter[: ]*#?\d+(?: --.*|:.*)?|BBU status for Adapter: \d+)\s*")
# CLI Version = 007.1513.0000.0000 Apr 01, 2021   Controller = 0   Generating detailed summary of the adapter, …
_STORCLI = regex(r"\s*(?:(?:CLI Version|Controller|Status Code) = \S.*|Generating detailed summary of .*)")
_STORCLI_WORDS = ("CLI Version = ", "Controller = ", "Status Code = ", "Generating detailed summary of ")


def split_by_tool(document: Document, kinds: tuple[str, str]) -> Sequence[Document]:
    """Return the document, or one for each tool whose output is in it. Lines keep their numbers.

    ``kinds``: those of storcli and MegaCli.
    """
    if document.kind not in kinds or not _may_be_of_both(document.text):
        return [document]
    lines = document.text.split("\n")
    starts = {number: kind for number, line in enumerate(lines) if (kind := _kind(line, kinds))}
    if set(starts.values()) != {*kinds}:
        return [document]
    own: dict[str, list[str]] = {kind: [] for kind in kinds}
    now = starts[min(starts)]
    for number, line in enumerate(lines):
        now = starts.get(number, now)
        for kind, kept in own.items():
            kept.append(line if kind == now else "")
    return [replace(document, kind=kind, text="\n".join(kept)) for kind, kept in own.items()]


def _may_be_of_both(text: str) -> bool:
    """Whether words of both tools' first lines are in a text. In most texts they are of one tool."""
    return "Adapter" in text and any(words in text for words in _STORCLI_WORDS)


def _kind(line: str, kinds: tuple[str, str]) -> str | None:
    return kinds[0] if _STORCLI.fullmatch(line) else kinds[1] if _MEGACLI.fullmatch(line) else None
