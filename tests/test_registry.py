"""Vendor packages come in by entry points, a third party's as ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidctl.vendor.registry import GROUP, vendors


def install(folder: Path, name: str, body: str) -> None:
    """Install a module and the metadata of its distribution, as pip does."""
    (folder / f"{name}.py").write_text(body, encoding="utf-8")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {name}\n", encoding="utf-8")


PACKAGES = Path(__file__).resolve().parents[1] / "vendors"
OURS = sorted(path.parent.name.removeprefix("raidctl_") for path in PACKAGES.glob("*/capability.py"))
"""The families of the tree; a package without capabilities is a program."""
GOOD = """
FAMILY = "acme"; TITLE = "Acme"; TOOLS = (); DRIVERS = (); LAST = False; SUPPORT = {}
def observe(host): ...
def sniff(name, text): ...
def read(documents): ...
"""


def test_our_own_families_are_registered() -> None:
    """All in-tree families load, in order of their names, without a problem."""
    found, problems = vendors()
    assert {"md", "smartarray"} < set(OURS)
    assert [vendor.FAMILY for vendor in found] == OURS
    assert problems == []


def test_a_third_party_comes_in_by_the_same_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package with the entry point is found beside ours."""
    install(tmp_path, "acme_raid", GOOD)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "acme" in [vendor.FAMILY for vendor in vendors()[0]]


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("broken_raid", "raise RuntimeError('half installed')", "half installed"),
        ("partial_raid", "FAMILY = 'partial'", "lacks TITLE, TOOLS"),
        ("syntax_raid", "def (", "SyntaxError"),
    ],
)
def test_a_broken_package_is_reported_and_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, body: str, message: str
) -> None:
    """Beside a broken package, the others still load. One problem names the package and the reason."""
    install(tmp_path, name, body)
    monkeypatch.syspath_prepend(str(tmp_path))
    found, problems = vendors()
    assert len(found) == len(OURS)
    assert [message in problem.message and name in problem.where for problem in problems] == [True]
