"""Recorded machines with one altered state: no drive may then be pulled on the strength of the others."""

from __future__ import annotations

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from tests.operate.removal_machines import altered, answers
from tests.support.conclusions import anything_unread

_STORCLI2 = r'("EID:Slt" : "310:0",\s*"PID" : \d+,\s*)"State" : "Conf",(\s*"Status" : )"Online"'
_STORCLI = r'("EID:Slt" : "252:0",\s*"DID" : \d+,\s*)"State" : "Onln",(\s*"DG" : )(\d+)'


@pytest.mark.parametrize(
    ("machine", "of", "pattern", "new", "drives"),
    [
        ("9660", "", _STORCLI2, r'\1"State" : "UConf",\2"Good"', "310:0 310:1"),
        ("9271", "", _STORCLI, r'\1"State" : "UGood",\2"-"', "252:0 252:1"),
        ("9271", "", _STORCLI, r'\1"State" : "UGood",\2\3', "252:0 252:1"),
        ("9271", "sall", _STORCLI, r'\1"State" : "JBOD",\2\3', "252:0 252:1"),
        ("3154", "", r"(Device #0\n(?:.*\n){1,3}?\s*State\s*: )Online", r"\1Ready", "0,0 0,1"),
        ("9690", "", r"^(p3 +OK +)u1", r"\1- ", "p2 p3"),
    ],
)
def test_a_volume_with_a_drive_in_no_array_is_unknown(
    machine: str, of: str, pattern: str, new: str, drives: str
) -> None:
    """If a member is in no array by its own row, its volume and what that survives are unknown, whatever it reports."""
    seen = altered(machine, pattern, new, of)
    found = {one.drive.rpartition("/")[2]: one.verdict for one in answers(seen)}
    assert [found[name] for name in drives.split() if found[name] == "yes"] == []
    assert exit_code(diagnose(seen.inventory, rules())) != 0
    assert any(volume.status == "unknown" for volume in seen.inventory.controllers[0].volumes)


@pytest.mark.parametrize(
    ("machine", "pattern"),
    [
        ("3154", r"(Parity Initialization Status +: ).*$"),
        ("gen10", r"(Parity Initialization Status: ).*\n +Parity Initialization Progress: .*$"),
    ],
)
@pytest.mark.parametrize(
    ("word", "known"),
    [("Queued", True), ("Not Started", True), ("Initialization Pending", True), ("Paused", True), ("Failed", True),
     ("Unknown", False), ("Bewildered", False)],
)  # fmt: skip
def test_parity_is_complete_only_by_a_word_for_that(machine: str, pattern: str, word: str, *, known: bool) -> None:
    """Until parity is reported complete, what its volume survives is unknown, and none of its drives may be pulled."""
    seen = altered(machine, pattern, rf"\g<1>{word}")
    [controller] = seen.inventory.controllers
    volumes = [one for one in controller.volumes if one.progress and one.progress.operation == "parity"]
    assert [one.failures_tolerated for one in volumes] == [None]
    drives = {name for one in controller.arrays if one.id == volumes[0].array for name in one.drives}
    assert {one.verdict for one in answers(seen) if one.drive in drives} == {"no"}
    assert anything_unread(seen) == (not known)
