"""Wheels for a pip without a network: this checkout and installed libraries."""

from __future__ import annotations

import re
import sys
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

from build import ProjectBuilder
from packaging.requirements import Requirement
from single_file import clean_copy


def house(place: Path) -> Path:
    """Fill a directory with wheels, and return that of raidctl. The others are of what it requires."""
    tree = place / "tree"
    tree.mkdir(parents=True)
    clean_copy(tree)
    wheel = Path(ProjectBuilder(tree, python_executable=sys.executable).build("wheel", place))
    waiting, packed = ["raidctl"], {"raidctl"}
    while waiting:
        for requirement in map(Requirement, distribution(waiting.pop()).requires or ()):
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if wanted and requirement.name not in packed:
                packed.add(requirement.name)
                waiting.append(requirement.name)
                pack(distribution(requirement.name), place)
    return wheel


def pack(installed: Distribution, place: Path) -> None:
    """Make the wheel again that a library was installed from. The library's programs are left out."""
    [tag, *_] = re.findall(r"^Tag: (.+)$", installed.read_text("WHEEL") or "", re.MULTILINE)
    name = f"{re.sub(r'[-_.]+', '_', installed.metadata['Name'])}-{installed.version}-{tag}.whl"
    with zipfile.ZipFile(place / name, "w") as archive:
        for file in installed.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                archive.write(Path(str(file.locate())), str(file))
