"""Write values and comments of a TOML file. Pure."""

from __future__ import annotations

import json
from typing import Any


def toml_value(value: Any) -> str:
    """A value in TOML. A basic string is a JSON string, except for the escapes of rare characters."""
    return "".join(
        char if char.isprintable() else _escaped(ord(char)) for char in json.dumps(value, ensure_ascii=False)
    )


def _escaped(code: int) -> str:
    if 0xD800 <= code < 0xE000:
        return "\\ufffd"  # a lone surrogate, which no string may contain
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def toml_comment(text: str) -> str:
    """Text for a comment: on one line, without control characters."""
    return "".join(char if char.isprintable() else "?" for char in text)
