"""Numbers and nouns agree on every screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.cli import cli
from raidctl.text import counted
from tests.support.machines import FIXTURES, MACHINES

_WRONG = re.compile(
    r"(?<![\w.,/:-])1 (?:more |other |degraded |failed |built-in |virtual |md )*"
    r"(?:rules|checks|drives|disks|volumes|arrays|lines|outputs|commands|problems|findings|batteries|members|sectors"
    r"|things|errors|layers|changes|fields|states|hosts|rows|values|settings)\b(?!:)",
)


def test_a_number_and_its_noun_agree() -> None:
    """One, none, several; words in -y and -ss."""
    assert [counted(number, "rule") for number in (0, 1, 2)] == ["0 rules", "1 rule", "2 rules"]
    assert [counted(number, "failed battery") for number in (1, 2)] == ["1 failed battery", "2 failed batteries"]


def test_the_head_of_a_layout_has_no_wrong_plural(tmp_path: Path) -> None:
    """One setting of a layout differs."""
    layout = FIXTURES.parent / "docs" / "examples" / "perc5i.toml"
    words = ["--state-dir", str(tmp_path), "--demo", "perc5i", "layout", "check", str(layout)]
    head = CliRunner().invoke(cli, words).output.partition("\n")[0]
    assert "settings differ" in head
    assert not _WRONG.search(head)


def test_a_limit_of_one_byte_is_singular(tmp_path: Path) -> None:
    """The refusal of a limit of the page cache names it as "1 byte"."""
    words = ["--state-dir", str(tmp_path), "--demo", "p400", "cache", "threshold", "--dirty-bytes", "1", "--dry-run"]
    refusal = CliRunner().invoke(cli, words).output
    assert "dirty limit 1 byte of kernel:vm" in refusal


@pytest.mark.parametrize("machine", MACHINES)
def test_no_screen_counts_one_of_several(machine: str) -> None:
    """No screen has a plural noun after the number 1."""
    words = [("show", "-v"), ("show", "--unparsed"), ("diagnose",)]
    shown = [CliRunner().invoke(cli, ["--replay", str(FIXTURES / machine), *each]).output for each in words]
    shown.append(CliRunner().invoke(cli, ["--replay", str(FIXTURES / machine), "diagnose", "--rule", "no_tool"]).output)
    assert not [text for text in shown if "internal error" in text]
    assert not [found[0] for text in shown for found in _WRONG.finditer(" ".join(text.split()))]
