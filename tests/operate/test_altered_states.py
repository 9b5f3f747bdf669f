"""Recorded machines with one altered state: no drive may then be pulled on the strength of the others."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from raidctl.host import HostView
from raidctl.operate.joining_guards_behind import unfit_behind
from tests.operate.removal_machines import altered, answers, demo
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
    """If a member is in no array by its own row, its volume's state and redundancy are unknown."""
    seen = altered(machine, pattern, new, of)
    found = {one.drive.rpartition("/")[2]: one.verdict for one in answers(seen)}
    assert [found[name] for name in drives.split() if found[name] == "yes"] == []
    assert exit_code(diagnose(seen.inventory, rules())) != 0
    [controller] = seen.inventory.controllers
    assert any(volume.status == "unknown" for volume in controller.volumes)
    listed = [one for one in controller.drives if one.role == "unassigned" and one.array]
    listed += [one for one in controller.drives if one.id.rpartition("/")[2] in drives.split()]
    for one in listed:
        assert [why for why in unfit_behind(one, HostView(), ()) if re.search("lists it|not free", why.text)], one.id


@pytest.mark.parametrize(
    ("machine", "pattern"),
    [
        ("3154", r"(Parity Initialization Status +: ).*$"),
        ("gen10", r"(Parity Initialization Status: ).*\n +Parity Initialization Progress: .*$"),
        ("9660", r'("Init State" : ")[^"]*'),
    ],
)
@pytest.mark.parametrize(
    ("word", "known"),
    [("Queued", True), ("Not Started", True), ("Initialization Pending", True), ("Paused", True), ("Failed", True),
     ("Unknown", False), ("Bewildered", False)],
)  # fmt: skip
def test_parity_is_complete_only_by_a_word_for_that(machine: str, pattern: str, word: str, *, known: bool) -> None:
    """Until parity is reported complete, its volume's redundancy is unknown, and none of its drives may be pulled."""
    seen = altered(machine, pattern, rf"\g<1>{word}")
    [controller] = seen.inventory.controllers
    volumes = [one for one in controller.volumes if one.progress and one.progress.operation == "parity"]
    assert {one.failures_tolerated for one in volumes} == {None}
    drives = {name for array in controller.arrays for name in array.drives if array.id in {v.array for v in volumes}}
    assert {one.verdict for one in answers(seen) if one.drive in drives} == {"no"}
    assert anything_unread(seen) == (not known)


@pytest.mark.parametrize(
    ("word", "verdict", "guards"),
    [("Incompleted", "no", "R2 R4"), ("Failed", "no", "R2 R4"), ("Degraded", "no", "R2"), ("Rebuilding", "no", "R2 R3"),
     ("Migrating", "no", "R3"), ("Initializing", "no", "R3"), ("Bewildered", "unknown", "R4"), ("Checking", "yes", "")],
)  # fmt: skip
def test_the_state_of_the_array_counts_beside_that_of_its_volume(word: str, verdict: str, guards: str) -> None:
    """No drive of an array may be pulled if the array has a bad state, also if its volume is reported as normal."""
    seen = altered("1882", r"^( +1  archive set .* )Normal *$", rf"\g<1>{word}", "rsf")
    found = {one.drive.rpartition("/")[2]: one for one in answers(seen)}
    assert found["E2:S1"].verdict == verdict
    against = {one.guard for one in found["E2:S1"].reasons if one.verdict in ("no", "unknown")}
    assert against - {"X8"} == set(guards.split())
    assert found["E2:S7"].verdict == ("unknown" if word == "Bewildered" else "yes")


def test_a_spare_is_left_while_an_array_lacks_a_drive() -> None:
    """A spare may be needed if a member is missing, or the array has a bad state, also if the volume is ok."""
    missing = altered("6805", r"^( *Segment 1 +: )Present", r"\1Missing")
    good = demo("6805")
    [controller] = good.inventory.controllers
    arrays = tuple(replace(one, status="warning", status_text="Interim Recovery") for one in controller.arrays)
    interim = replace(good, inventory=replace(good.inventory, controllers=(replace(controller, arrays=arrays),)))
    for seen, guards in ((good, set()), (missing, {"R3"}), (interim, {"R3"})):
        [found] = [one for one in answers(seen) if one.drive.endswith("/0,6")]
        assert {one.guard for one in found.reasons if one.verdict in ("no", "unknown")} == guards


def test_a_global_spare_is_one_of_volumes_that_do_not_list_it() -> None:
    """A drive whose own state is that of a global spare is left in place while any volume is rebuilt."""
    seen = altered("adaptec-6805-rebuilding", r"^   Global Hot-Spare .*\n((?:.*\n)*?Logical device number 1)", r"\1")
    [found] = [one for one in answers(seen) if one.drive.endswith("/0,6")]
    assert [one.guard for one in found.reasons if one.verdict == "no"] == ["R3"]


@pytest.mark.parametrize(("level", "left"), [("RAID5", None), ("RAID6", None), ("RAID10", 1), ("RAID0", 0)])
def test_parity_that_is_not_consistent_is_not_complete(level: str, left: int | None) -> None:
    """With ``Consist`` ``No``, the redundancy of a volume with parity is unknown. Mirrors keep their data."""
    seen = altered("9271", r'"TYPE" : "RAID5",((?:.|\n)*?"Consist" : )"Yes"', rf'"TYPE" : "{level}",\1"No"')
    [volume] = seen.inventory.controllers[0].volumes
    assert (volume.status, volume.failures_tolerated) == ("ok", left)
    assert [one.verdict for one in answers(seen) if one.verdict == "yes"] == (["yes"] * 6 if left else [])


def test_a_volume_that_is_counted_and_not_listed_may_use_any_drive() -> None:
    """If the controller counts more volumes than the tool lists, no drive is known to be unused or redundant."""
    seen = altered("3154", r"2/0/0$", "3/0/0")
    assert {one.verdict for one in answers(seen)} <= {"no", "unknown"}
    assert exit_code(diagnose(seen.inventory, rules())) == 3
