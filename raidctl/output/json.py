"""The inventory, and every other answer, as JSON for programs."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from raidctl.model import Inventory

_CONTROL = re.compile("[\x7f-\x9f\u2028\u2029]")


def to_json(value: Any) -> str:
    """JSON in UTF-8, fields in the order of the model, two blanks of indent, a newline at the end.

    The keys of dictionaries (``details``) are sorted, so that the same inventory always gives the same text.
    Control characters are written as escapes: nothing that hardware says steers a terminal.
    """
    text = msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2).decode("utf-8")
    return safe(text) + "\n"


def safe(text: str) -> str:
    """JSON with its control characters written as escapes."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def schema(title: str = "Inventory", kind: Any = Inventory) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a type, by default of the inventory; the descriptions are those of the model."""
    told = msgspec.json.schema(kind)
    for part in told["$defs"].values():
        for field in part.get("properties", {}).values():
            # what tells the members of a union apart: msgspec makes it, and nobody could describe it
            if "description" not in field and len(field.get("enum", ())) == 1:
                field["description"] = f"Always `{field['enum'][0]}`."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{title} of raidctl",
        **told,
    }
