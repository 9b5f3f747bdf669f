"""What could not be told, collected while an output is put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

Json = dict[str, Any]


@dataclass
class Problems:
    """Problems in the form of raidctl's own: severity, kind, where, message, remedy."""

    items: list[Json] = field(default_factory=list)

    def add(self, severity: str, kind: str, where: str, message: str, remedy: str | None = None) -> None:
        """Keep a problem, each one once."""
        item = {"severity": severity, "kind": kind, "where": where, "message": message, "remedy": remedy}
        if item not in self.items:
            self.items.append(item)

    def unread(self, where: str, message: str, remedy: str | None = None) -> None:
        """Something is there and could not be told."""
        self.add("warning", "unread", where, message, remedy)

    def note(self, where: str, message: str) -> None:
        """Good to know."""
        self.add("info", "note", where, message)

    def agree(self, where: str, what: str, told: Iterable[tuple[str, T | None]]) -> T | None:
        """The value that all sources which told one agree on; None, and a problem, where they differ.

        Args:
            where: The object.
            what: Name of the fact, for people.
            told: Each source's name and its value, None where it told none.
        """
        given = [(source, value) for source, value in told if value is not None]
        if not given:
            return None
        if all(value == given[0][1] for _, value in given):
            return given[0][1]
        listed = ", ".join(f"{source} says {value}" for source, value in given)
        self.unread(
            where,
            f"The firmware contradicts itself on the {what}: {listed}; it is not shown.",
            "Ask again; if it stays so, trust none of them before another tool has told.",
        )
        return None


def exit_code(problems: Sequence[Json]) -> int:
    """0 when all was told, 4 for lack of a right or of the driver's door, else 3: as raidctl's own exit codes."""
    kinds = {problem["kind"] for problem in problems}
    return 4 if kinds & {"no_right", "no_tool"} else 3 if "unread" in kinds else 0
