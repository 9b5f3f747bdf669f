"""Who may import whom, checked on the syntax tree of every file."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
VENDOR_MAY = {
    "calls", "change", "draft", "errors", "evidence", "host", "model", "order", "request", "simulation", "text",
    "units", "vendor",
}  # fmt: skip
CORE = sorted((ROOT / "raidctl").rglob("*.py"))
VENDOR = sorted((ROOT / "vendors").rglob("*.py"))
TOOLS = {"raidctl_mfi"}
"""Packages of vendors/ that are programs of their own, which a family runs like any other: they speak to hardware."""
VENDOR_WORDS = re.compile(
    r"hpacucli|hpssacli|ssacli|smart ?array|storcli|perccli|megacli|megaraid|arcconf|adaptec|areca|tw_cli|3ware|"
    r"hpsa|smartpqi|mdadm|hdparm|sdparm|smartctl|\bnvme[ -]cli",
    re.IGNORECASE,
)


def imported(path: Path) -> set[str]:
    """Every module that a file imports, at the top or inside a function."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def relative(path: Path) -> str:
    """The name under which a file is reported."""
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize(
    "path", [path for path in VENDOR if path.relative_to(ROOT / "vendors").parts[0] not in TOOLS], ids=relative
)
def test_a_vendor_package_does_no_io(path: Path) -> None:
    """Vendor packages import only the lower core and themselves: their work is a dialogue and can be replayed."""
    own = path.relative_to(ROOT / "vendors").parts[0]
    for name in imported(path):
        head, *rest = name.split(".")
        assert head not in {"subprocess", "socket", "click", "rich", "pathlib", "shutil", "pyudev"}, (
            f"{name}: no I/O here"
        )
        assert not head.startswith("raidctl_") or head == own, f"{name}: families do not know each other"
        if head == "raidctl" and rest:
            assert rest[0] in VENDOR_MAY, f"{name}: a vendor package may only use {sorted(VENDOR_MAY)}"
            # making: what two families' plans have in common, pure as they are
            assert rest[0] != "change" or rest[1:2] in ([], ["plan"], ["words"], ["making"]), (
                f"{name}: of changes, only plans are its matter"
            )


@pytest.mark.parametrize(
    "path", [path for path in VENDOR if path.relative_to(ROOT / "vendors").parts[0] in TOOLS], ids=relative
)
def test_a_tool_does_its_io_in_one_module(path: Path) -> None:
    """A program of ours speaks to hardware in its module ``node``; the rest of it is pure, and knows no family."""
    own = path.relative_to(ROOT / "vendors").parts[0]
    for name in imported(path):
        head = name.split(".")[0]
        assert head not in {"ctypes", "fcntl", "multiprocessing", "os", "pathlib", "socket", "subprocess"} or (
            path.name == "node.py"
        ), f"{name}: I/O belongs to node.py"
        assert head not in {"subprocess", "click", "rich"}, f"{name}: it starts quickly, and starts nothing"
        assert not head.startswith("raidctl_") or head == own, f"{name}: a tool does not know the families"
        assert not name.startswith("raidctl."), f"{name}: a tool needs nothing of raidctl but its version"


@pytest.mark.parametrize("path", CORE, ids=relative)
def test_the_core_keeps_its_layers(path: Path) -> None:
    """The core knows no vendor package; click stays in cli, rich in output and cli, processes in one module."""
    where = path.relative_to(ROOT / "raidctl").parts
    for name in imported(path):
        head, *rest = name.split(".")
        assert not head.startswith("raidctl_"), f"{name}: the core finds vendor packages by entry points only"
        assert head != "subprocess" or where == ("runners", "process.py"), "only runners/process.py starts processes"
        assert head != "click" or where[0] == "cli", "click belongs to cli"
        assert head != "rich" or where[0] in {"cli", "output"}, "rich belongs to output and cli"
        if head == "raidctl" and rest:
            assert rest[0] != "cli" or where[0] in {"cli", "__main__.py"}, "nobody imports cli"
            assert rest[0] != "runners" or where[0] not in {"output", "discovery"}, "output and discovery run nothing"


@pytest.mark.parametrize("path", CORE, ids=relative)
def test_no_vendor_word_stands_in_the_core(path: Path) -> None:
    """The neutral core names no vendor and no vendor's tool; examples of ids in docstrings are the one exception."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    strings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in strings:
            described = re.sub(r"`[^`]*`", "", node.value)
            assert not VENDOR_WORDS.search(described), f"line {node.lineno}: {node.value!r}"
        elif isinstance(node, ast.Name):
            assert not VENDOR_WORDS.search(node.id), f"line {node.lineno}: {node.id}"


@pytest.mark.parametrize("path", CORE + VENDOR, ids=relative)
def test_files_and_functions_stay_small(path: Path) -> None:
    """A file that outgrows 400 lines, or a function of more than 50, is to be split."""
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert (node.end_lineno or 0) - node.lineno < 50, f"{node.name} has more than 50 lines"
