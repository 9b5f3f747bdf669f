"""The problems found while a controller is described."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

Json = dict[str, Any]


@dataclass
class Problems:
    """Problems with the fields of raidctl's own: severity, kind, where, message, remedy."""

    items: list[Json] = field(default_factory=list)

    def add(self, severity: str, kind: str, where: str, message: str, remedy: str | None = None) -> None:
        """Keep a problem, each one once."""
        item = {"severity": severity, "kind": kind, "where": where, "message": message, "remedy": remedy}
        if item not in self.items:
            self.items.append(item)

    def unread(self, where: str, message: str, remedy: str | None = None) -> None:
        """Add a problem: something exists but could not be read."""
        self.add("warning", "unread", where, message, remedy)

    def note(self, where: str, message: str) -> None:
        """Add a note."""
        self.add("info", "note", where, message)

    def agree(self, where: str, what: str, values: Iterable[tuple[str, T | None]]) -> T | None:
        """Return the value that all sources agree on. If they differ, add a problem and return None.

        Args:
            where: The object.
            what: Name of the fact, for people.
            values: Each source's name and its value, None if it has none.
        """
        given = [(source, value) for source, value in values if value is not None]
        if not given:
            return None
        if all(value == given[0][1] for _, value in given):
            return given[0][1]
        listed = ", ".join(f"{source} reports {value}" for source, value in given)
        self.unread(
            where,
            f"The firmware contradicts itself on the {what}: {listed}; it is not shown.",
            "Read it again; if it persists, trust none of them until another tool confirms one.",
        )
        return None


def exit_code(problems: Sequence[Json]) -> int:
    """Exit code: 0 all read, 4 no permission or driver, else 3."""
    kinds = {problem["kind"] for problem in problems}
    return 4 if kinds & {"no_right", "no_tool"} else 3 if "unread" in kinds else 0
