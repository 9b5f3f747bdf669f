"""JSON documents for programs: the inventory, and every other result."""

from __future__ import annotations

from typing import Any

import msgspec

from raidctl.json_decode import valid_text
from raidctl.model import Inventory
from raidctl.text import json_safe


def to_json(value: Any) -> str:
    """JSON in UTF-8, with fields in the order of the model. The indent is two blanks, and a newline is at the end.

    The keys of dictionaries (``details``) are sorted, so that the same inventory always gives the same text. Control
    and invisible characters are escaped, so that none reaches a terminal.
    """
    try:
        data = msgspec.json.encode(value, order="deterministic")
    except UnicodeEncodeError:
        data = msgspec.json.encode(valid_text(value), order="deterministic")
    return json_safe(msgspec.json.format(data, indent=2).decode("utf-8")) + "\n"


def schema(title: str = "Inventory", kind: Any = Inventory) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a type, by default of the inventory. The descriptions are those of the model."""
    from inspect import cleandoc  # noqa: PLC0415 - slow to import, and only a schema needs it

    document = msgspec.json.schema(kind)
    for part in document["$defs"].values():
        if "description" in part:  # before 0.23, msgspec keeps the indentation of a docstring
            part["description"] = cleandoc(part["description"])
        for field in part.get("properties", {}).values():
            # the discriminator of unions: msgspec adds it, and it has no description
            if "description" not in field and len(field.get("enum", ())) == 1:
                field["description"] = f"Always `{field['enum'][0]}`."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{title} of raidctl",
        **document,
    }
