"""What is installed is what is in the tree."""

from __future__ import annotations

import configparser
import sys
import zipfile
from pathlib import Path

import pytest
from build import ProjectBuilder
from single_file import clean_copy

from raidctl.vendor.registry import GROUP

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the tree, with the build tools of this environment."""
    target = tmp_path_factory.mktemp("wheel")
    copy = tmp_path_factory.mktemp("tree")
    clean_copy(copy)
    builder = ProjectBuilder(copy, python_executable=sys.executable)
    return Path(builder.build("wheel", target))


def sources() -> list[Path]:
    """Every file that belongs to an installed package."""
    return [
        path
        for top in ("raidctl", "vendors")
        for path in sorted((ROOT / top).rglob("*"))
        if path.is_file()
        and path.suffix != ".so"
        and "__pycache__" not in path.parts
        and not any(p.endswith(".egg-info") for p in path.parts)
    ]


@pytest.mark.slow
def test_the_wheel_holds_the_whole_tree(wheel: Path) -> None:
    """A package forgotten in setup.cfg would be lost silently; the wheel has every module of the tree, and no other."""
    expected = {
        str(path.relative_to(ROOT / ("vendors" if "vendors" in path.relative_to(ROOT).parts else "")))
        for path in sources()
    }
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    data = {name.partition(".data/data/")[2] for name in held if ".data/" in name}
    held = {name for name in held if ".data/" not in name}
    # the compiled engine is made of its source on the way
    assert {name for name in held if not name.endswith(".so")} == {name for name in expected if not name.endswith(".c")}
    assert data == {
        *(f"share/man/man1/{path.name}" for path in (ROOT / "docs" / "man").glob("*.1")),
        "share/bash-completion/completions/raidctl",
        "share/zsh/site-functions/_raidctl",
        "share/fish/vendor_completions.d/raidctl.fish",
    }


def test_every_vendor_package_has_its_entry_point() -> None:
    """Each folder of vendors/ is registered under its family's name, and each registration has its folder."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = config["options.entry_points"][GROUP].split("\n")
    registered = {tuple(part.strip() for part in line.split("=")) for line in lines if "=" in line}
    folders = {path.parent.name for path in (ROOT / "vendors").glob("*/__init__.py")}
    # a program that a family runs, with a command of its own; no family
    folders -= {"raidctl_mfi"}
    assert registered == {(folder.removeprefix("raidctl_"), folder) for folder in folders}
