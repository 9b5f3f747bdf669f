"""The inventory, and every other answer, as JSON for programs."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec

from raidctl.model import Inventory
from raidctl.text import INVISIBLE

T = TypeVar("T")

_CONTROL = re.compile(rf"[\x7f-\x9f{INVISIBLE}]")
_NO_TEXT = re.compile("[\ud800-\udfff]")


def to_json(value: Any) -> str:
    """JSON in UTF-8, fields in the order of the model, two blanks of indent, a newline at the end.

    The keys of dictionaries (``details``) are sorted, so that the same inventory always gives the same text.
    Control and invisible characters are written as escapes: nothing in it steers or deceives a reader.
    """
    try:
        data = msgspec.json.encode(value, order="deterministic")
    except UnicodeEncodeError:
        data = msgspec.json.encode(as_text(value), order="deterministic")
    return safe(msgspec.json.format(data, indent=2).decode("utf-8")) + "\n"


def as_text(value: T) -> T:
    """The same value with U+FFFD for what is no text.

    A file's name is bytes; those that are none in UTF-8 are halves of characters to Python, which neither JSON nor a
    database can have.
    """
    return _as_text(value)  # type: ignore[no-any-return]  # each kind of value gives the same kind


def _as_text(value: Any) -> Any:
    if isinstance(value, str):
        return _NO_TEXT.sub("\ufffd", value)
    if isinstance(value, msgspec.Struct):
        found = {name: _as_text(getattr(value, name)) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **found)
    if isinstance(value, dict):
        return {_as_text(key): _as_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_as_text, value))
    return value


def safe(text: str) -> str:
    """JSON with its control and invisible characters written as escapes."""
    return _CONTROL.sub(lambda match: json.dumps(match[0])[1:-1], text)


def schema(title: str = "Inventory", kind: Any = Inventory) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a type, by default of the inventory; the descriptions are those of the model."""
    document = msgspec.json.schema(kind)
    for part in document["$defs"].values():
        for field in part.get("properties", {}).values():
            # what tells the members of a union apart: msgspec makes it, and nobody could describe it
            if "description" not in field and len(field.get("enum", ())) == 1:
                field["description"] = f"Always `{field['enum'][0]}`."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{title} of raidctl",
        **document,
    }
