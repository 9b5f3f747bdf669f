"""Descriptions of JSON fields, for the JSON Schema and the generated pages."""

from __future__ import annotations

from msgspec import Meta


def doc(text: str) -> Meta:
    """Return the metadata with a field's description."""
    return Meta(description=text)
