"""The builder of a Debian package is its maintainer. No address is made up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from deb import NOBODY, changelog, name_maintainer
from single_file import HERE

NAMES = ("DEBFULLNAME", "DEBEMAIL")


@pytest.mark.parametrize("kind", ["debian", "unstable"])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("Ada Example", "ada@hosting.test"), "Ada Example <ada@hosting.test>"),
        (("", "ada@hosting.test"), f"{NOBODY[0]} <ada@hosting.test>"),
        (("Ada Example", ""), f"{NOBODY[0]} <{NOBODY[1]}>"),
    ],
)
def test_the_maintainer_is_who_builds_it(
    kind: str, given: tuple[str, str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control file and the changelog name the builder. Without an address, they give one that can never be used."""
    for name, text in zip(NAMES, given, strict=True):
        monkeypatch.setenv(name, text)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    source = HERE / kind / "changelog"
    written = source.read_text(encoding="utf-8") if source.exists() else changelog("1.0").decode()
    (tmp_path / "changelog").write_text(written, encoding="utf-8")
    (tmp_path / "control").write_text((HERE / kind / "control").read_text(encoding="utf-8"), encoding="utf-8")
    name_maintainer(tmp_path)
    assert f"\nMaintainer: {expected}\n" in (tmp_path / "control").read_text(encoding="utf-8")
    assert f"\n -- {expected}  " in (tmp_path / "changelog").read_text(encoding="utf-8")


def test_no_other_address_is_in_the_packaging() -> None:
    """The packaging has no address but one below .invalid.

    Such a name can never be registered, so mail to it reaches no stranger.
    """
    # another process of the suite may be writing byte code, under a name that is gone a moment later
    paths = [path for path in HERE.rglob("*") if "__pycache__" not in path.parts and path.is_file()]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    found = {address for text in texts for address in re.findall(r"<([\w.+-]+@[\w.-]+)>", text)}
    assert found == {NOBODY[1]}
