"""The size of each vendor package, and how much is tables.

    python -m tests.family_sizes              # all families
    python -m tests.family_sizes mpt lvm

A table is an assignment of a module or class that is not a single constant: words, labels, forms of lines,
capabilities.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
VENDORS = ROOT / "vendors"


class Size(NamedTuple):
    """The figures of a package."""

    files: int
    lines: int
    tables: int
    """Lines of tables."""
    tests: int
    """Lines of the family's own tests."""


def sizes(package: Path) -> Size:
    """The size of a vendor package, without its demos."""
    texts = [path.read_text() for path in sorted(package.rglob("*.py"))]
    own = [path.read_text() for path in (ROOT / "tests" / "vendors" / name_of(package)).rglob("*.py")]
    return Size(len(texts), _length(texts), sum(map(tables, texts)), _length(own))


def packages() -> list[Path]:
    """The vendor packages. A folder that only has the caches of a removed one does not count."""
    return sorted(path.parent for path in VENDORS.glob("raidctl_*/__init__.py"))


def name_of(package: Path) -> str:
    """The family of a package."""
    return package.name.removeprefix("raidctl_")


def _length(texts: Sequence[str]) -> int:
    return sum(len(text.splitlines()) for text in texts)


def tables(text: str) -> int:
    """How many lines of a module are tables."""
    places = [place for place in ast.walk(ast.parse(text)) if isinstance(place, (ast.Module, ast.ClassDef))]
    found = [node for place in places for node in place.body if isinstance(node, (ast.Assign, ast.AnnAssign))]
    values = [(node, node.value) for node in found if node.value is not None]
    return sum(_lines(node) for node, value in values if not isinstance(value, (ast.Constant, ast.Name, ast.Attribute)))


def _lines(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def main() -> None:
    """Print a row for each family."""
    rows = ["family      files  lines    in tables  tests"]
    for package in packages():
        name = name_of(package)
        if len(sys.argv) < 2 or name in sys.argv[1:]:
            size = sizes(package)
            share = f"{size.tables} ({size.tables / size.lines:.0%})"
            rows.append(f"{name:10}  {size.files:5}  {size.lines:5}  {share:>11}  {size.tests:5}")
    sys.stdout.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
