"""A replacement that begins with the old drive already gone. Its array, or the last snapshot, names the drive."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidctl.errors import CannotTell, UsageError
from raidctl.model import Inventory
from raidctl.operate.gone_drive import facts_of_array, facts_of_serial
from raidctl.vendor.simulator import State, words
from raidctl_md import simulator
from tests.change.md_machine import Bench, bench, definition
from tests.operate.replace_commands import OLD, Run, moved, push, run, state
from tests.operate.replacements import NEW, Replacement, argvs, replacing

__all__ = ["run"]


def pulled(machine: Bench, *bays: str) -> Inventory:
    """The machine as it was before drives left these bays."""
    before = machine.look().inventory
    for bay in bays:
        machine.machine.keep(simulator.pull(machine.machine.state(), bay))
    return before


def replacement_of(machine: Bench, before: Inventory | None, *, word: str = "", new: str = "") -> Replacement:
    """The replacement of a word, or of the first array."""
    seen = machine.look()
    facts = facts_of_serial(seen, word, before, new=new) if word and before else facts_of_array(
        seen, "md:md0", before, new=new)  # fmt: skip
    assert facts is not None
    return Replacement(machine, replacing(machine, facts, unsafe=True))


def test_an_array_that_lacks_a_member_names_the_replacement(tmp_path: Path) -> None:
    """The replacement begins with the wait for the new drive.

    Nothing is removed, and the snapshot shows which drive it was.
    """
    for number, known in enumerate((True, False)):
        machine = bench(tmp_path / str(number), definition("raid6", 4))
        before = pulled(machine, "2")
        replacement = replacement_of(machine, before if known else None)
        assert replacement.replacing.facts.old == ("LABD00002" if known else "")
        machine.events = [(30.0, lambda now: simulator.push(now, "2", NEW))]
        replacement.replacing.run(replacement.start())
        assert argvs(machine) == ["mdadm /dev/md0 --add-spare /dev/sdb"]
        assert (machine.member(NEW), machine.journal.pending()) == ("in_sync", [])


def test_every_array_that_lacks_the_same_drive_is_treated(tmp_path: Path) -> None:
    """Arrays on partitions of the same drives are one replacement. The new drive gets their partitions."""
    machine = bench(tmp_path / "parts", definition("raid6", 4, parts="1,2"))
    pulled(machine, "2")
    replacement = replacement_of(machine, None)
    assert replacement.replacing.facts.partitions == ["1", "2"]
    machine.events = [(30.0, lambda now: simulator.push(now, "2", NEW))]
    replacement.replacing.run(replacement.start())
    assert argvs(machine) == [
        "sfdisk --quiet /dev/sdb", "mdadm /dev/md0 --add-spare /dev/sdb1", "mdadm /dev/md1 --add-spare /dev/sdb2",
    ]  # fmt: skip


def test_a_spare_that_has_stepped_in_makes_it_the_replacement_of_a_new_spare(tmp_path: Path) -> None:
    """While the spare is filled, the new drive joins as next spare.

    The array's name alone is not such a replacement.
    """
    spare = {"member md0 LABD00004": words({"slot": "-", "state": "spare"})}
    machine = bench(tmp_path / "spare", definition("raid5", 3, drives=4, state=spare))
    before = pulled(machine, "2")
    with pytest.raises(UsageError, match="lacks no member"):
        replacement_of(machine, before)
    replacement = replacement_of(machine, before, word="serial:LABD00002")
    assert replacement.replacing.facts.gone == "spare"
    machine.events = [(30.0, lambda now: simulator.push(now, "2", NEW))]
    replacement.replacing.run(replacement.start())
    assert argvs(machine) == ["mdadm /dev/md0 --add-spare /dev/sdb"]
    assert (machine.member(NEW), machine.member("LABD00004")) == ("spare", "in_sync")


def test_what_is_not_certain_is_refused(tmp_path: Path) -> None:
    """Uncertain cases are refused.

    They are a complete array, two missing members, a serial number that is present or in no snapshot.
    """
    machine = bench(tmp_path / "raid6", definition("raid6", 4))
    with pytest.raises(UsageError, match="lacks no member"):
        replacement_of(machine, None)
    before = pulled(machine)
    assert facts_of_serial(machine.look(), "LABD00002", before) is None
    pulled(machine, "2", "3")
    with pytest.raises(UsageError, match="lacks 2 members"):
        replacement_of(machine, before)
    assert facts_of_serial(machine.look(), "nonesuch", before) is None
    assert replacement_of(machine, before, word="LABD00003").replacing.facts.old == "LABD00003"
    other = {name: value for name, value in machine.machine.state().items() if not name.startswith(("md/md", "md/me"))}
    machine.machine.keep(other)
    with pytest.raises(CannotTell, match="no longer exists"):
        facts_of_serial(machine.look(), "LABD00003", before)


def test_it_is_typed_as_an_array_or_a_serial_number(run: Run, tmp_path: Path) -> None:
    """Nothing is removed, so --yes is enough and no serial number is typed. An empty answer is not enough."""
    run("snapshot")
    moved(tmp_path, lambda now: simulator.pull(now, "2"))
    assert run("replace", "md0", "--no-wait").exit_code == 2
    for word in ("md0", "/srv", OLD):
        planned = run("replace", word, "--dry-run")
        assert (planned.exit_code, f"serial number {OLD}" in planned.output) == (0, True), word
    begun = run("replace", OLD, "--yes", "--no-wait")
    assert (begun.exit_code, "Put the new drive" in begun.output) == (7, True)
    words = " ".join(begun.output.split())
    assert "bay that" not in words  # it is printed: the snapshot has it
    assert "Slot 02 blinks" in words
    moved(tmp_path, push("2", "ZC9Z00A1"))
    assert run("replace", "resume", "--no-wait").exit_code == 7
    assert "rebuilding" in state(tmp_path)["md/member md0 ZC9Z00A1"]


def test_a_new_drive_that_is_in_already_is_named(run: Run, tmp_path: Path) -> None:
    """With --with the replacement begins with the checks of the new drive."""
    run("show")
    moved(tmp_path, lambda now: push("2", "ZC9Z00A1")(simulator.pull(now, "2")))
    begun = run("replace", "md0", "--with", "ZC9Z00A1", "--yes", "--no-wait")
    assert (begun.exit_code, "mdadm /dev/md0 --add-spare /dev/sdb" in begun.output) == (7, True)
    [open_] = [line for line in run("replace", "list").output.splitlines() if "ZC9Z00A1" in line]
    assert "the missing drive of md:md0" in open_


def test_the_old_drive_put_back_is_asked_to_leave(tmp_path: Path) -> None:
    """The failed drive, if put back, is named to be pulled again."""
    machine = bench(tmp_path / "back", definition("raid6", 4))
    before = pulled(machine, "2")
    replacement = replacement_of(machine, before)

    def back(now: State) -> State:
        return simulator.push(now, "2", "LABD00002")

    machine.events = [
        (30.0, back), (90.0, lambda now: simulator.pull(now, "2")), (120.0, lambda now: simulator.push(now, "2", NEW)),
    ]  # fmt: skip
    replacement.replacing.run(replacement.start())
    assert "--add-spare" in argvs(machine)[0]
    assert machine.member("LABD00002") is None
