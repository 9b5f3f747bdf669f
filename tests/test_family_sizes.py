"""The count of tables that CONTRIBUTING.md names."""

from __future__ import annotations

import re

import pytest

from tests.family_sizes import VENDORS, name_of, packages, sizes, tables


def test_tables_are_assignments_of_more_than_a_constant() -> None:
    """Words and forms count with all their lines. Limits and functions do not."""
    module = "LIMIT = 3\nWORDS: dict[str, str] = {\n    'ok': 'ok',\n}\n\ndef read():\n    here = {\n    }\n"
    assert tables(module) == 3


def test_the_figures_of_the_page_for_developers_are_right() -> None:
    """Files, lines and own tests are right to within a tenth.

    Run `python -m tests.family_sizes` for the new figures.
    """
    page = (VENDORS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| (\d+) \| ([\d,]+) \| \d+% \| ([\d,]+) \|$", page, re.MULTILINE)
    assert len(rows) >= 5
    for family, *printed in rows:
        size = sizes(VENDORS / f"raidctl_{family}")
        for shown, counted in zip(printed, (size.files, size.lines, size.tests), strict=True):
            assert int(shown.replace(",", "")) == pytest.approx(counted, rel=0.1), (family, shown, counted)


@pytest.mark.slow
def test_every_family_has_its_figures() -> None:
    """Every family has tables and other code."""
    figures = {name_of(package): sizes(package) for package in packages()}
    assert {"lvm", "mpt", "marvell", "zfs", "redfish"} <= figures.keys()
    assert all(0 < size.tables < size.lines and size.files > 1 for size in figures.values())
