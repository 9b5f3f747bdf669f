"""Generated pages, tables and links of the documentation."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from raidctl import errors
from raidctl.audit.builtin import rules
from raidctl.cli import cli
from raidctl.vendor.registry import vendors

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_generated_pages_are_current() -> None:
    """``docs/model.md``, ``docs/commands.md`` and the README's screen match the code."""
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr


def test_every_command_is_in_the_readme() -> None:
    """A user who reads only the README finds every command."""
    for name in cli.list_commands(click.Context(cli)):
        assert re.search(rf"raidctl (--?\S+ (\S+ )?)*{name}\b", README), name


def test_every_family_is_in_the_readme() -> None:
    """The README's table of what is read names each family. Rows may be shared."""
    missing = [vendor.FAMILY for vendor in vendors()[0] if f"`{vendor.FAMILY}`" not in README]
    assert not missing, f"Add them to the table of README.md, section 'What it reads': {missing}."


def test_the_readme_is_short() -> None:
    """The README has at most 150 lines."""
    lines = len(README.splitlines())
    assert lines <= 150, f"README.md has {lines} lines: move details to docs/, or share a row of a table."


def test_the_readme_counts_the_rules() -> None:
    """The README has the number of built-in rules."""
    assert re.findall(r"(\d+) rules", README) == [str(len(rules()))]


def test_every_exit_code_is_in_the_readme() -> None:
    """The table of exit codes is complete."""
    codes = {value for name, value in vars(errors).items() if name.startswith("EXIT_")}
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", README, flags=re.MULTILINE)}
    assert codes == listed


def test_links_of_the_manual_lead_somewhere() -> None:
    """Every relative link of the README and manual names an existing file."""
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_example_of_a_vendor_package_names_what_exists() -> None:
    """The Python of CONTRIBUTING.md is valid, and its imports are of existing names."""
    [example] = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)
    imports = [node for node in ast.parse(example).body if isinstance(node, ast.ImportFrom)]
    assert imports
    for node in imports:
        module = importlib.import_module(node.module or "")
        assert [name.name for name in node.names if not hasattr(module, name.name)] == [], node.module
