"""Decode JSON of any origin, with ``ValueError`` as the only error. Clean up text for JSON."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from raidctl.text import regex

if TYPE_CHECKING:
    from json import JSONDecoder

T = TypeVar("T")

_NO_TEXT = regex("[\ud800-\udfff]")


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
    """Return the type's decoder, cached for thousands of documents."""
    return msgspec.json.Decoder(kind)


@cache
def _untyped_decoder(strict: bool) -> JSONDecoder:
    from json import JSONDecoder  # noqa: PLC0415 - only where a tool prints JSON

    return JSONDecoder(strict=strict)


def decode_at(text: str, start: int = 0, *, strict: bool = True) -> tuple[Any, int]:
    """Decode the value at a position, return it and its end. ``strict`` refuses line breaks inside strings.

    Raises:
        ValueError: There is no whole value, or it is nested too deeply.
    """
    try:
        return _untyped_decoder(strict).raw_decode(text, start)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def continues(text: str, end: int) -> bool:
    """Whether an object continues after the value that ends here. Its opening bracket is missing.

    >>> continues('{"pools": {}} }', 13), continues('{"pools": {}}, "a": 1 }', 13), continues('{}, {}', 2)
    (True, True, False)
    """
    rest = text[end:].lstrip(" \t\r\n,")
    return rest.startswith(("}", "]", '"'))


def decode_text(text: str, *, strict: bool = True) -> Any:
    """Decode a text that is one JSON value; raises as `decode_at`."""
    stripped = text.strip(" \t\r\n")
    value, end = decode_at(stripped, strict=strict)
    if end != len(stripped):
        raise ValueError("there is something after the JSON value")
    return value


def valid_text(value: T) -> T:
    """Replace invalid text in a value by U+FFFD.

    File names are bytes. Bytes that are not UTF-8 become surrogates in Python, which neither JSON nor a database
    accepts.
    """
    return _valid(value)  # type: ignore[no-any-return]  # each kind of value gives the same kind


def _valid(value: Any) -> Any:
    if isinstance(value, str):
        return _NO_TEXT.sub("\ufffd", value)
    if isinstance(value, msgspec.Struct):
        found = {name: _valid(getattr(value, name)) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **found)
    if isinstance(value, dict):
        return {_valid(key): _valid(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_valid, value))
    return value
