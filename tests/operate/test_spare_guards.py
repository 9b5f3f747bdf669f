"""The guards of spares. There is one test for each, on a machine that passes and one that does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidctl.errors import ChangeUndone
from raidctl.host import HostView
from raidctl.model import Drive, Errors, Progress
from raidctl.operate.contents import EMPTY, Contents, signatures
from raidctl.operate.new_drive import Candidate, Objection, objections
from raidctl.operate.spare_guards import denials
from raidctl.operate.spare_guards_behind import objections_behind
from raidctl.request import Failure, RunAnswer
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed
from tests.change.md_machine import Bench, bench, deed, definition
from tests.operate.machines import FAILED, OK, REBUILDING, inventory, raid

replace = msgspec.structs.replace
ADD, REMOVE = deed("add_spare", 4), deed("remove_spare", 4)
NEW = "drives:LABD00004"


@pytest.fixture(scope="module")
def bays(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    """A RAID-5 of three drives and a fourth drive, all healthy."""
    return healthy(bench(tmp_path_factory.mktemp("bays")).look())


@pytest.fixture(scope="module")
def spared(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    """The same, and the fourth drive is a spare of the array."""
    state = {"member md0 LABD00004": "slot=- state=spare"}
    return healthy(bench(tmp_path_factory.mktemp("spared"), definition(state=state)).look())


def healthy(seen: Survey) -> Survey:
    """The machine with every drive healthy, as smartctl would report it."""
    return changed(seen, lambda drive: {"status": "ok"} if drive.id.startswith("drives:") else {})


def changed(seen: Survey, how: Any) -> Survey:
    """The machine with some fields of its drives changed."""
    controllers = tuple(
        replace(controller, drives=tuple(replace(drive, **how(drive)) for drive in controller.drives))
        for controller in seen.inventory.controllers
    )
    return replace(seen, inventory=replace(seen.inventory, controllers=controllers))


def only(seen: Survey, object_id: str, **fields: Any) -> Survey:
    """The machine with fields of one drive changed."""
    return changed(seen, lambda drive: fields if drive.id == object_id else {})


def volume(seen: Survey, **fields: Any) -> Survey:
    """The machine with fields of its volume changed."""
    controllers = tuple(
        replace(controller, volumes=tuple(replace(one, **fields) for one in controller.volumes))
        for controller in seen.inventory.controllers
    )
    return replace(seen, inventory=replace(seen.inventory, controllers=controllers))


def block(seen: Survey, name: str, **fields: Any) -> Survey:
    """The machine with fields of one device of the kernel changed."""
    blocks = tuple(replace(one, **fields) if one.name == name else one for one in seen.view.blocks)
    return replace(seen, view=replace(seen.view, blocks=blocks))


def drive(seen: Survey, object_id: str = NEW) -> Drive:
    """A drive of the machine."""
    return next(one for controller in seen.inventory.controllers for one in controller.drives if one.id == object_id)


def found(
    seen: Survey,
    signed: tuple[str, ...] | None = (),
    node: str = "/dev/sdd",
    *,
    number: int = 4,
    blank: bool | None = True,
    held: bool = False,
) -> list[Objection]:
    """Reasons to refuse a drive as a spare of the array."""
    controller = next(controller for controller in seen.inventory.controllers if controller.mode == "software")
    candidate = Candidate(
        drive=drive(seen, f"drives:LABD0000{number}"),
        node=node,
        contents=Contents(signatures=signed, blank=blank, held=held),
    )
    return objections(seen, controller, controller.arrays[0], candidate)


def guards(those: list[Objection]) -> list[str]:
    """The names of these guards."""
    return [one.guard for one in those]


def refused(seen: Survey, verb: str = "remove_spare") -> list[tuple[str, bool]]:
    """The guards that refuse a deed, and whether `--unsafe` lifts each."""
    made = ADD if verb == "add_spare" else REMOVE
    candidate = Candidate(drive=drive(seen), node="/dev/sdd", contents=EMPTY) if verb == "add_spare" else None
    return [(one.guard, one.overridable) for one in denials(made, seen, candidate)]


def test_a_healthy_empty_drive_of_the_same_kind_may_become_a_spare(bays: Survey) -> None:
    """No guard refuses a healthy, empty drive of the same kind."""
    assert found(bays) == []
    assert refused(bays, "add_spare") == []


def test_guard_S1_a_spare_that_is_being_filled_is_not_removed(spared: Survey) -> None:
    """A target of a rebuild or a copy is not removed.

    Neither is a member, or a spare of an array under reconstruction.
    """
    member = "md:md0/sdd"
    assert refused(spared) == []
    assert refused(only(spared, member, status="warning", status_text="spare rebuilding")) == [("S1", False)]
    assert refused(only(spared, member, flags=("replacement",))) == [("S1", False)]
    assert refused(only(spared, member, role="member")) == [("S1", False)]
    for operation in ("recovery", "reshape", "unknown"):
        assert ("S1", False) in refused(volume(spared, progress=Progress(operation=operation))), operation
    assert ("S1", False) in refused(volume(spared, status="rebuilding")), "some tools report no progress"
    assert refused(volume(spared, progress=Progress(operation="check"))) == []


def test_guard_S2_the_last_spare_of_an_array_in_need_stays(spared: Survey) -> None:
    """Degraded or unknown arrays, or ones with member errors, need an override.

    They do not if another spare is left.
    """
    for status in ("degraded", "failed", "unknown"):
        assert refused(volume(spared, status=status)) == [("S2", True)], status
    worn = only(spared, "md:md0/sda", errors=Errors(media=3))
    assert refused(worn) == [("S2", True)]
    more = changed(worn, lambda one: {"role": "spare"} if one.id == "md:md0/sdc" else {})
    assert refused(more) == []


def test_guard_S2_holds_behind_a_controller(spared: Survey) -> None:
    """The last spare stays while the volume is degraded. Of two spares, one may go."""
    seen = volume(spared, status="degraded")
    more = changed(seen, lambda one: {"role": "spare"} if one.id == "md:md0/sdc" else {})
    deed = Deed(object_id="md:md0", verb="remove_spare", drive="md:md0/sdd")
    for machine, refusals in ((seen, ["S2"]), (more, [])):
        [controller] = [one for one in machine.inventory.controllers if one.id == "md"]
        assert [one.guard for one in objections_behind(deed, machine, controller)] == refusals


def test_guard_S1_holds_behind_a_controller() -> None:
    """A rebuild forbids it, also without progress. So does a whole volume that lacks a working member."""
    spare: dict[str, Any] = {"role": "spare", "array": None}
    deed = Deed(object_id="x:0", verb="remove_spare", drive="x:0/0")
    for members, fields, wanted in (
        ([OK, OK, OK], {}, []), ([OK, OK, OK], {"status": "rebuilding"}, [("S1", False)]),
        ([OK, OK, REBUILDING], {"status": "degraded"}, [("S1", False)]), ([OK, OK, FAILED], {}, [("S1", False)]),
        ([OK, OK], {"drives_expected": 3}, [("S1", False)]),
        ([OK, OK, OK], {"progress": Progress(operation="unknown")}, [("S1", True)]),
    ):  # fmt: skip
        found = inventory(raid("raid5", spare, spare, *members, **fields))
        refused = objections_behind(deed, Survey(found, view=HostView()), found.controllers[0])
        assert [(one.guard, one.unknown) for one in refused] == wanted, (members, fields)


@pytest.mark.parametrize(
    ("drive", "wanted"),
    [
        ("x:0/9", [("X2", True)]), ("x:0/2", [("S1", False)]), ("x:0/1", [("S1", False)]), ("x:0/0", []),
    ],
)  # fmt: skip
def test_only_a_spare_is_removed_behind_a_controller(drive: str, wanted: list[tuple[str, bool]]) -> None:
    """A member is not a spare. Nor is a spare that is being filled, or a drive that the controller does not list."""
    spare: dict[str, Any] = {"role": "spare", "array": None}
    found = inventory(raid("raid5", spare, {**spare, "progress": Progress(operation="copyback")}, OK, OK, OK))
    deed = Deed(object_id="x:0", verb="remove_spare", drive=drive)
    refused = objections_behind(deed, Survey(found, view=HostView()), found.controllers[0])
    assert [(one.guard, one.unknown) for one in refused] == wanted


def test_guard_S3_a_drive_becomes_a_spare_only_as_R10_and_R11_allow(bays: Survey) -> None:
    """What these guards object to is refused. So is an array that cannot use a spare, or whose state is unknown."""
    assert refused(only(bays, NEW, status="critical"), "add_spare") == [("R10", False)]
    assert refused(volume(bays, raid_level="raid0"), "add_spare") == [("S3", False)]
    for status in ("failed", "inactive", "unknown"):
        assert refused(volume(bays, status=status), "add_spare") == [("S3", False)], status
    for level in ("unknown", None):
        assert refused(volume(bays, raid_level=level), "add_spare") == [("S3", False)], level
    assert refused(volume(bays, status="degraded"), "add_spare") == []


def test_guard_S4_a_spare_is_as_large_as_the_smallest_member(bays: Survey) -> None:
    """A drive that is one sector smaller is refused, and so is an unknown size of the drive or of any member."""
    size = drive(bays).size_bytes or 0
    assert found(block(bays, "sdd", size_bytes=size)) == []
    assert guards(found(block(bays, "sdd", size_bytes=size - 512))) == ["S4"]
    assert guards(found(block(bays, "sdd", size_bytes=None))) == ["S4"]
    assert guards(found(only(bays, "md:md0/sdb", size_bytes=None))) == ["S4"]


def test_guard_S5_another_kind_of_drive_needs_an_override(bays: Survey) -> None:
    """An SSD for hard drives, SAS for SATA, or an unknown kind."""
    for fields in ({"media": "ssd"}, {"media": None}, {"interface": "sas"}):
        [one] = found(only(bays, NEW, **fields))
        assert (one.guard, one.overridable) == ("S5", True), fields


def test_guard_R10_a_new_drive_is_healthy_and_in_nothing(bays: Survey) -> None:
    """Members, spares, foreign drives, failing drives and other sector sizes are refused.

    Unknown health needs an override.
    """
    assert "R10" in guards(found(bays, node="/dev/sda", number=1))
    assert guards(found(bays, node="/dev/sdx")) == ["R10"]
    for fields in ({"status": "critical"}, {"status": "warning"}, {"foreign": True}, {"errors": Errors(predictive=1)}):
        assert guards(found(only(bays, NEW, **fields))) == ["R10"], fields
    [unknown] = found(only(bays, NEW, status="unknown"))
    assert (unknown.guard, unknown.unknown, unknown.overridable) == ("R10", True, True)
    assert found(only(bays, NEW, status="unknown", interface="virtual")) != []  # another interface than the members
    for mine, theirs, wanted in ((4096, 512, ["R10"]), (512, 512, []), (4096, 4096, [])):  # only real drives report it
        sectors = {True: {}, False: {"sector_bytes": theirs}}
        seen = changed(bays, lambda one, fields=sectors: fields[one.id.startswith("md:")])
        assert guards(found(only(seen, NEW, sector_bytes=mine))) == wanted, (mine, theirs)


def test_guard_R11_a_signature_is_never_overwritten(bays: Survey) -> None:
    """A signature in the probe or the udev database is refused, and so is a failed probe."""
    for kind in ("ext4", "LVM2_member", "linux_raid_member", "zfs_member", "crypto_LUKS", "gpt", "dos"):
        assert guards(found(bays, (kind,))) == ["R11"], kind
    assert guards(found(block(bays, "sdd", filesystem="ext4"))) == ["R11"]
    assert [one.unknown for one in found(bays, None)] == [True]


def test_guard_R11_data_without_a_signature_needs_an_override(bays: Survey) -> None:
    """What is in a first sector without a known signature is unknown; a drive that a program holds does not join."""
    assert found(bays, blank=True) == []
    [unsigned] = found(bays, blank=False)
    assert (unsigned.guard, unsigned.unknown, unsigned.overridable) == ("R11", True, True)
    assert "wipefs leaves" in (unsigned.remedy or "")  # the remedy for a signature is not enough for this guard
    assert guards(found(bays, ("ext4",), blank=False)) == ["R11"]
    [held] = found(bays, blank=True, held=True)
    assert (held.guard, held.overridable) == ("R7", False)


def test_guard_R7_a_drive_in_use_does_not_join(bays: Survey) -> None:
    """A mounted drive, or one with something on it."""
    assert guards(found(block(bays, "sdd", mountpoints=("/mnt",)))) == ["R7"]
    assert "R7" in guards(found(block(bays, "md0", slaves=("sda", "sdb", "sdc", "sdd"))))


def test_what_a_probe_printed_is_read_strictly() -> None:
    """Types of signatures, none for an empty output; everything else is unknown."""
    ext4 = b'{"signatures": [{"device":"sdf", "offset":"0x438", "type":"ext4"}]}'
    assert signatures(RunAnswer(code=0, out=ext4)) == ("ext4",)
    assert signatures(RunAnswer(code=0, out=b"")) == ()
    for answer in (
        RunAnswer(code=1, out=ext4), RunAnswer(code=0, out=b"{"), RunAnswer(code=0, out=b"[]"),
        RunAnswer(code=0, out=b'{"signatures": [{"offset": 1}]}'), *(RunAnswer(trouble=why) for why in Failure),
    ):  # fmt: skip
        assert signatures(answer) is None, answer


def test_the_guards_hold_again_right_before_the_step(tmp_path: Path) -> None:
    """A file system that is made after the plan stops the deed. No command is run."""
    machine: Bench = bench(tmp_path)
    change = machine.change(machine.plan(ADD))
    change.guard = lambda _step, seen: [one.text for one in found(healthy(seen), ("ext4",))]
    with pytest.raises(ChangeUndone, match="ext4"):
        change.apply()
    assert machine.argvs == []
