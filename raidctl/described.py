"""How a field of a contract is described: the text goes into the JSON Schema and the pages that are made from it."""

from __future__ import annotations

from msgspec import Meta


def doc(text: str) -> Meta:
    """The description of a field."""
    return Meta(description=text)
