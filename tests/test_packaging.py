"""The installed files are those in the tree."""

from __future__ import annotations

import configparser
import email
import re
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from build import ProjectBuilder
from dist import settled
from single_file import clean_copy

import raidctl
from raidctl.vendor.registry import GROUP

ROOT = Path(__file__).resolve().parents[1]


def built(place: Path) -> tuple[Path, Path]:
    """Build the sdist and the wheel with this environment's tools.

    The sdist is made from a copy of the tree, and the wheel from that sdist.
    """
    copy = place / "tree"
    copy.mkdir(parents=True)
    clean_copy(copy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        sdist = Path(ProjectBuilder(copy, python_executable=sys.executable).build("sdist", place))
        sdist.write_bytes(settled(sdist.read_bytes(), 1700000000))
        with tarfile.open(sdist) as archive:
            archive.extractall(place / "unpacked")  # noqa: S202 - it was made here
        (unpacked,) = (place / "unpacked").iterdir()
        return sdist, Path(ProjectBuilder(unpacked, python_executable=sys.executable).build("wheel", place))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Sdist and wheel."""
    return built(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def wheel(made: tuple[Path, Path]) -> Path:
    """The wheel."""
    return made[1]


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
    """A package forgotten in setup.cfg would be lost silently. The wheel has every module of the tree, and no other."""
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


@pytest.mark.slow
def test_the_same_sources_give_the_same_bytes(made: tuple[Path, Path], tmp_path: Path) -> None:
    """A builder can compare the packages with published ones."""
    again = built(tmp_path / "another")
    assert [path.name for path in again] == [path.name for path in made]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in made]


@pytest.mark.slow
def test_a_wheel_without_the_engine_is_for_every_platform(
    made: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a compiler, the wheel contains only Python, and its name and metadata show it."""
    assert "-cp310-abi3-linux_" in made[1].name
    with tarfile.open(made[0]) as archive:
        archive.extractall(tmp_path)  # noqa: S202 - it was made here
    (unpacked,) = tmp_path.iterdir()
    monkeypatch.setenv("CC", "false")
    wheel = Path(ProjectBuilder(unpacked, python_executable=sys.executable).build("wheel", tmp_path / "wheel"))
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [about] = [archive.read(name).decode() for name in names if name.endswith("/WHEEL")]
    assert "Root-Is-Purelib: true" in about
    assert not [name for name in names if name.endswith(".so") or ".data/platlib/" in name]
    assert "raidctl/cli/__init__.py" in names


@pytest.mark.slow
def test_the_metadata_are_for_people_who_find_it_on_an_index(wheel: Path) -> None:
    """The version comes from one place. The description has no link to a file of the repository."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    assert metadata["Version"] == raidctl.__version__
    assert metadata["Requires-Python"] == ">=3.10"
    text = metadata.get_payload()
    assert isinstance(text, str)
    assert text.lstrip().startswith("# raidctl")
    assert re.findall(r"\]\((?!https?:)", text) == []


def vendor_folders() -> set[str]:
    """The packages in ``vendors/``."""
    return {path.parent.name for path in (ROOT / "vendors").glob("*/__init__.py")}


def test_every_vendor_package_has_its_lines_in_setup_cfg() -> None:
    """Each folder of vendors/ is in `packages`, in `package_dir`, and registered under its family's name."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    # a program that a family runs, with a separate command; no family
    families = vendor_folders() - {"raidctl_mfi"}
    expected = {
        ("options", "packages"): vendor_folders(),
        ("options", "package_dir"): {f"{name} = vendors/{name}" for name in vendor_folders()},
        ("options.entry_points", GROUP): {f"{name.removeprefix('raidctl_')} = {name}" for name in families},
    }
    faults = []
    for (section, option), wanted in expected.items():
        found = {line.strip() for line in config[section][option].split("\n") if "raidctl_" in line}
        found = {line for line in found if "." not in line}  # packages inside of one
        faults += [f"    `{option}` lacks: {line}" for line in sorted(wanted - found)]
        faults += [f"    `{option}` has, without a folder: {line}" for line in sorted(found - wanted)]
    assert not faults, "\n".join(["setup.cfg:", *faults])


def test_every_vendor_package_has_its_marker_of_types() -> None:
    """Without an empty `py.typed`, mypy ignores the types of an installed package."""
    marked = {path.parent.name for path in (ROOT / "vendors").glob("*/py.typed")}
    lacking = vendor_folders() - marked
    assert not lacking, f"Missing: {', '.join(f'vendors/{name}/py.typed' for name in sorted(lacking))}."
