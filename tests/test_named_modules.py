"""Docstrings and the architecture page name only modules, functions and classes that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = sorted((*ROOT.glob("raidctl/**/__init__.py"), *ROOT.glob("vendors/raidctl_*/**/__init__.py")))
_DOTTED = re.compile(r"(?<![\w./-])~?(raidctl(?:_[a-z0-9]+)?(?:\.[A-Za-z_]\w*)+)(?![\w/])")
_RELATIVE = re.compile(r":mod:`(\.\w+)`")
_SHORT = re.compile(r"`((?:[a-z_]+\.)+[A-Za-z_]\w*)`")
"""``runners.ssh`` on a page: a room and its module."""
PAGES = (ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md")
ROOMS = {path.name for path in (ROOT / "raidctl").iterdir() if path.is_dir()}


@cache
def names_in(module: str) -> frozenset[str] | None:
    """The names that a module gives, its submodules included. None if there is no such module."""
    place = Path(*module.split("."))
    for root in (ROOT, ROOT / "vendors"):
        for path in (root / place.with_suffix(".py"), root / place / "__init__.py"):
            if path.is_file():
                given = set(re.findall(r"[A-Za-z_]\w*", path.read_text("utf-8")))
                beside = {one.stem for one in path.parent.iterdir()} if path.name == "__init__.py" else set()
                return frozenset(given | beside)
    return None


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or a name in one: a class may have a method behind it."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        given = names_in(".".join(parts[:length]))
        if given is not None:
            return length == len(parts) or parts[length] in given
    return False


def named(path: Path) -> Iterator[str]:
    """The dotted names in a module's docstrings, or in a page."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        yield from _DOTTED.findall(text)
        yield from (
            f"raidctl.{name}"
            for name in _SHORT.findall(text)
            if name.split(".")[0] in ROOMS and not name.endswith(".py")
        )
        return
    package = path.parent if path.name == "__init__.py" else path.with_suffix("")
    own = ".".join(package.relative_to(ROOT / "vendors" if "vendors" in path.parts else ROOT).parts)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from _DOTTED.findall(node.value.value)
            yield from (f"{own}{name}" for name in _RELATIVE.findall(node.value.value))


@pytest.mark.slow
def test_what_docstrings_and_pages_name_exists() -> None:
    """A reader finds every module, function and class that a docstring or a page of the manual names."""
    paths = (*ROOT.glob("raidctl/**/*.py"), *ROOT.glob("vendors/**/*.py"), *PAGES)
    missing = {f"{path.relative_to(ROOT)}: {name}" for path in paths for name in named(path) if not exists(name)}
    assert not missing, "\n".join(sorted(missing))


def test_each_package_describes_what_is_where() -> None:
    """The docstring of a package has more than a title: what is in it, and where the next module goes."""
    short = []
    for path in PACKAGES:
        lines = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").splitlines()
        if len(lines) < 3:
            short.append(str(path.relative_to(ROOT)))
    assert not short, "\n".join(short)
