"""Decode JSON of any origin; the only error is a ``ValueError``."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgspec

_LENIENT = json.JSONDecoder(strict=False)
_STRICT = json.JSONDecoder()


def decode(data: bytes | str, kind: Any = Any) -> Any:
    """Decode a document and check it against a type.

    Raises:
        msgspec.ValidationError: It is JSON of another type.
        msgspec.DecodeError: It is not JSON, is nested too deeply, or contains text that is not UTF-8.
    """
    try:
        return _decoder(kind).decode(data)
    except UnicodeError:
        raise msgspec.DecodeError("a text in it is not UTF-8") from None
    except RecursionError:
        raise msgspec.DecodeError("it is nested too deeply") from None


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return the type's decoder; cached, as thousands of documents are read with it."""
    return msgspec.json.Decoder(kind)


def decode_at(text: str, start: int = 0, *, strict: bool = True) -> tuple[Any, int]:
    """Decode the value at a position, return it and its end. ``strict`` refuses line breaks inside strings.

    Raises:
        ValueError: There is no whole value, or it is nested too deeply.
    """
    try:
        return (_STRICT if strict else _LENIENT).raw_decode(text, start)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def decode_text(text: str, *, strict: bool = True) -> Any:
    """Decode a text that is one JSON value; raises as `decode_at`."""
    stripped = text.strip(" \t\r\n")
    value, end = decode_at(stripped, strict=strict)
    if end != len(stripped):
        raise ValueError("there is something after the JSON value")
    return value
