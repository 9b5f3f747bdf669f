"""The origin of an object's facts: command, line number, printed line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec
from rich.console import RenderableType
from rich.text import Text

from raidctl.evidence import Fact, Output
from raidctl.model import Inventory
from raidctl.output.console import DULL, STRONG, Display, line
from raidctl.output.table import Column, cells, table
from raidctl.select import Item, object_of

_PARTS = frozenset({"batteries", "arrays", "volumes", "drives", "capabilities", "details"})


def facts_of(outputs: Sequence[Output], identifier: str) -> list[Fact]:
    """All facts of one object, in the order of outputs and lines."""
    found = [fact for output in outputs for fact in output.facts if fact.object_id == identifier]
    order = {output.command: index for index, output in reversed(list(enumerate(outputs)))}
    return sorted(found, key=lambda fact: (order.get(fact.command, 0), fact.line.number))


def explained(inventory: Inventory, outputs: Sequence[Output], identifiers: Sequence[str]) -> list[dict[str, Any]]:
    """Objects with their facts and derived values, for programs."""
    finals = {identifier: final_values(inventory, identifier) for identifier in identifiers}
    return [
        {
            "id": identifier,
            "facts": [
                {
                    "field": fact.field,
                    "value": shown_value(fact, final),
                    "command": fact.command,
                    "line": fact.line.number,
                    "text": fact.line.text,
                }
                for fact in facts_of(outputs, identifier)
                for final in (finals[identifier],)
            ],
            "concluded": dict(concluded(inventory, outputs, identifier)),
        }
        for identifier in identifiers
    ]


def concluded(inventory: Inventory, outputs: Sequence[Output], identifier: str) -> list[tuple[str, str]]:
    """Fields with a value but without a line.

    Their values derive from other facts, or from the structure of the output.
    """
    item = object_of(inventory, identifier)
    if item is None:
        return []
    read = {fact.field for fact in facts_of(outputs, identifier)}
    return [(field, value) for field, value in _filled(item) if not any(_covers(name, field) for name in read)]


def final_values(inventory: Inventory, identifier: str) -> dict[str, str]:
    """The final values of an object, by the path of the field."""
    item = object_of(inventory, identifier)
    return dict(_filled(item)) if item is not None else {}


def shown_value(fact: Fact, final: Mapping[str, str]) -> str:
    """The final value; with the value of the line, if that differs."""
    value = {"True": "yes", "False": "no", "()": "none"}.get(fact.value, fact.value)
    parts = [f"{path.removeprefix(fact.field + '.')} {text}" for path, text in final.items()]
    below = [part for path, part in zip(final, parts, strict=True) if path.startswith(f"{fact.field}.")]
    if below:
        return ", ".join(below)
    known = final.get(fact.field)
    if known is None or known == value:
        return value
    same = value.strip("()',").lower() in known.lower()
    return known if same else f"{known} (this line alone: {value})"


def _covers(read: str, field: str) -> bool:
    return read == field or read.startswith((f"{field}.", f"{field}[")) or field.startswith(f"{read}.")


def _filled(item: Item) -> Iterator[tuple[str, str]]:
    """Path and value of each field with a value. For a controller, the objects on it are left out."""

    def walk(value: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
        for name, inner in value.items():
            if name in _PARTS and (name in {"details", "capabilities"} or "arrays" in value):
                continue
            if isinstance(inner, dict):
                yield from walk(inner, f"{path}{name}.")
            elif isinstance(inner, (list, tuple)) and inner and isinstance(inner[0], dict):
                for number, part in enumerate(inner):
                    yield from walk(part, f"{path}{name}[{number}].")
            elif inner not in (None, [], (), "unknown") and (path or name != "id"):
                yield f"{path}{name}", ", ".join(map(str, inner)) if isinstance(inner, (list, tuple)) else _value(inner)

    yield from walk(msgspec.to_builtins(item), "")


def _value(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def explanation(inventory: Inventory, outputs: Sequence[Output], identifiers: Sequence[str], display: Display) -> str:
    """The screen of ``raidctl show --explain ID``."""
    parts: list[RenderableType] = []
    for identifier in identifiers:
        parts += [Text("")] if parts else []
        parts += _object(inventory, outputs, identifier, display)
    return display.render(parts)


def _object(
    inventory: Inventory, outputs: Sequence[Output], identifier: str, display: Display
) -> Iterator[RenderableType]:
    yield line((display.clean(identifier), STRONG))
    found = facts_of(outputs, identifier)
    final = final_values(inventory, identifier)
    for command, facts in groupby(found, key=lambda fact: fact.command):
        rows = list(facts)
        yield Text("")
        yield line(("from ", DULL), display.clean(command))
        yield table(
            [
                Column("line", [(str(fact.line.number), DULL) for fact in rows], right=True),
                Column("field", cells([display.clean(fact.field) for fact in rows]), 24),
                Column("value", cells([display.clean(shown_value(fact, final)) for fact in rows], STRONG), 10),
                Column("as printed", cells([display.clean(fact.line.text) for fact in rows], DULL), 16),
            ],
            display,
        )
    rest = concluded(inventory, outputs, identifier)
    if rest:
        yield Text("")
        yield line(("derived from these, or from the structure of the output", DULL))
        yield table(
            [
                Column("field", cells([display.clean(field) for field, _ in rest]), 12),
                Column("value", cells([display.clean(value) for _, value in rest], STRONG), 16),
            ],
            display,
        )
    if not found and not rest:
        yield line("The source of this object was not recorded.")
