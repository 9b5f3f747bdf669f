"""The facts of an inventory, one by one."""

from __future__ import annotations

from collections.abc import Iterator


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every fact below a value, by its path."""
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, f"{path}.{inner['id'] if isinstance(inner, dict) and 'id' in inner else key}")
    elif value is not None:
        yield path, value
