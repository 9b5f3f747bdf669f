"""A layout as a policy of ``raidctl audit``: each difference is a finding."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.audit.engine import Auditor
from raidctl.audit.finding import Finding
from raidctl.audit.policy.sets import load
from raidctl.cli import cli
from raidctl.layout.compare import compare
from raidctl.layout.document import read_layout
from raidctl.layout.export import export
from raidctl.toml_files.mistakes import MistakesError
from tests.support.machines import MACHINES, replayed

MACHINE = "smartarray-gen10-failed-battery"


def findings(text: str, machine: str = MACHINE, *, keep: bool = True) -> list[Finding]:
    """What a policy finds on a recorded machine."""
    policy = load("lab.toml", lambda _: text.encode(), ())
    audited = Auditor(policy, keep=keep, alone=True).audit(replayed(machine).inventory, "lab")
    return [one for one in audited.findings if one.rule.startswith("layout")]


@pytest.mark.parametrize("machine", MACHINES)
def test_a_machine_meets_its_own_layout(machine: str) -> None:
    """A machine meets its own layout without failures.

    Values that are unknown in the comparison are unknown in the audit.
    """
    text = export(replayed(machine).inventory)
    found = findings(text, machine)
    verdict = compare(read_layout("lab.toml", text.encode()), replayed(machine).inventory).verdict
    assert {one.outcome for one in found if one.outcome != "unmatched"} <= {"pass"} | (
        {"unknown"} if verdict == "unknown" else set()
    )


@pytest.mark.parametrize(
    ("old", "new", "field", "outcome"),
    [
        ('raid_level = "raid5"', 'raid_level = "raid6"', "raid_level", "fail"),
        ("strip = ", "strip = 65536 # ", "strip", "fail"),
        ('raid_level = "raid5"', 'metadata = "1.2"\nraid_level = "raid5"', "metadata", "unknown"),
        ('hostname = "', 'hostname = "other-', None, "unmatched"),
        ('unique_id = "', 'unique_id = "ff', None, "fail"),
    ],
)
def test_each_difference_is_a_finding(old: str, new: str, field: str | None, outcome: str) -> None:
    """Each difference is a finding with key and both values.

    The values are the layout's and the machine's. Unknown stays unknown.
    """
    text = export(replayed(MACHINE).inventory)
    assert old in text
    found = [one for one in findings(text.replace(old, new)) if one.outcome != "pass"]
    assert (outcome, field) in {(one.outcome, one.field) for one in found}, found
    assert all(one.wanted is not None for one in found if one.field)


def test_mistakes_of_a_layout_are_mistakes_of_the_policy() -> None:
    """A layout's mistakes are the policy's, with file and line.

    All are reported at once, also if a policy includes the layout.
    """
    with pytest.raises(MistakesError, match="did you mean strip"):
        findings("layout = 1\n[[volume]]\ncontroller = 'md'\nstripp = '64KiB'\n")
    files = {"site.toml": b'include = ["db7.toml"]\n', "db7.toml": b"layout = 1\n[[volume]]\nnme = 1\n"}
    with pytest.raises(MistakesError) as caught:
        load("site.toml", files.__getitem__, ())
    assert {(one.file, one.line) for one in caught.value.faults} == {("db7.toml", 3), ("db7.toml", 2)}


def test_a_policy_may_still_require_the_layout_of_md_arrays() -> None:
    """A text for layout in a policy is a volume's field. A number is the version of a layout file."""
    policy = load("site.toml", lambda _: b'layout = "left-symmetric"\n', ())
    assert [rule.name for rule in policy.every()[0]] == ["layout"]


def test_the_command_judges_by_exit_code(tmp_path: Path) -> None:
    """0 as described, 1 different."""
    file = tmp_path / "gen10.toml"
    words = ["--state-dir", str(tmp_path), "--demo", "gen10"]
    text = CliRunner().invoke(cli, [*words, "layout", "export"]).stdout
    for old, new, code in (("layout = 1", "layout = 1", 0), ('raid_level = "raid5"', 'raid_level = "raid0"', 1)):
        file.write_text(text.replace(old, new))
        assert CliRunner().invoke(cli, [*words, "audit", str(file)]).exit_code == code


def test_two_layouts_of_one_file_name_both_count() -> None:
    """A policy that includes ``a/lab.toml`` and ``b/lab.toml`` checks both; either included twice is one rule."""
    text = export(replayed(MACHINE).inventory)
    held = {
        "site.toml": 'include = ["a/lab.toml", "b/lab.toml", "a/lab.toml"]',
        "a/lab.toml": text.replace('raid_level = "raid5"', 'raid_level = "raid6"'),
        "b/lab.toml": text,
    }
    policy = load("site.toml", lambda name: held[name].encode(), ())
    assert [rule.name for rule in policy.for_host("any").rules] == ["layout lab", "layout b/lab"]
    audited = Auditor(policy, alone=True).audit(replayed(MACHINE).inventory, "lab")
    assert {one.rule for one in audited.findings if one.outcome == "fail"} == {"layout lab"}
