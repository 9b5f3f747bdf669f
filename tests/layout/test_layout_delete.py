"""Volumes that a layout deletes. It deletes only by name, only unused ones, and leaves nothing of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidctl.errors import UnderWay
from raidctl.layout.deleting import deletion_objections
from raidctl.layout.document import read_layout
from raidctl.layout.machine_facts import MachineFacts, makers
from raidctl.layout.plan import compiled
from raidctl.layout.stages import Known, stages
from raidctl.model import Progress
from raidctl.operate.contents import EMPTY
from raidctl.survey.survey import Survey
from raidctl.toml_files.mistakes import MistakesError
from raidctl.vendor.creating import Setup
from raidctl.vendor.simulator import fields, words
from raidctl_md.simulated_machine import arrays
from tests.change.md_machine import VENDORS, Bench
from tests.layout.applied import (
    HEAD,
    MIRROR,
    PARITY,
    commands,
    deleting,
    empty,
    job,
    kept,
    killed,
    restore,
)
from tests.support.machines import replayed


def test_guard_P19_a_volume_is_deleted_only_by_name(tmp_path: Path) -> None:
    """Absence deletes nothing: [machine] and the volume's own unique id are needed. The unique id is the name."""
    machine = empty(tmp_path)
    job(machine, MIRROR).run()
    assert job(machine, "unlisted = 'refuse'\n").steps() == []
    for text in ("unlisted = 'delete'\n", deleting(machine).partition("[[")[1]):
        with pytest.raises(MistakesError):
            read_layout("x", (HEAD + text).encode())
    with pytest.raises(MistakesError):
        read_layout("x", (HEAD + "[[" + deleting(machine).partition("[[")[2]).encode())
    other = deleting(machine).replace('hostname = "lab"', 'hostname = "web"')
    assert job(machine, other).steps() == []
    assert job(machine, other).refused()


def test_a_volume_is_deleted_and_nothing_of_it_is_left(tmp_path: Path) -> None:
    """The volume is stopped, its superblocks and line saved, then removed. A second run does nothing."""
    machine = empty(tmp_path)
    job(machine, MIRROR).run()
    machine.argvs.clear()
    text = deleting(machine)
    job(machine, text).run()
    assert commands(machine) == ["mdadm --stop", "mdadm --zero-superblock", "mdadm --zero-superblock",
                                 "dd of=/etc/mdadm/mdadm.conf.raidctl", "mv --no-target-directory",
                                 "update-initramfs -u"]  # fmt: skip
    state = machine.machine.state()
    assert state["md/text /etc/mdadm/mdadm.conf"] == "MAILADDR root\n"
    assert not [name for name in state if "super" in name or name.startswith("md/md ")]
    saved = {path.name for path in (machine.place / "saved").rglob("*")}
    assert {"md-md127-detail", "md-md127-examine-sda", "mdadm.conf"} <= saved
    assert (job(machine, text).steps(), job(machine, text).refused()) == ([], [])


@pytest.mark.slow
def test_a_member_that_is_not_listed_after_the_stop_is_not_forgotten(tmp_path: Path) -> None:
    """Its superblock may be left, so the deletion is not done. It continues when the drive is listed again."""
    machine = empty(tmp_path)
    job(machine, MIRROR).run()
    machine.argvs.clear()
    apply, read = job(machine, deleting(machine)), machine.look

    def look() -> Survey:
        seen = read()
        if not machine.argvs:
            return seen
        kept = [replace(one, drives=tuple(drive for drive in one.drives if drive.serial != "LABE00002"))
                for one in seen.inventory.controllers]  # fmt: skip
        return replace(seen, inventory=replace(seen.inventory, controllers=tuple(kept)))

    machine.look = look  # type: ignore[method-assign]  # of this machine alone
    with pytest.raises(UnderWay, match="Not listed now: LABE00002"):
        apply.run()
    machine.look = read  # type: ignore[method-assign]
    apply.resume()
    assert commands(machine).count("mdadm --zero-superblock") == 2
    assert machine.journal.pending() == []


def test_a_kill_during_a_deletion_leaves_no_member_behind(tmp_path: Path) -> None:
    """Continued, the superblocks of what was stopped already are removed, too."""
    for at in range(6):
        machine = empty(tmp_path / str(at))
        job(machine, MIRROR).run()
        text = deleting(machine)
        killed(machine, job(machine, text).run, at)
        restore(machine)
        if machine.journal.pending():
            job(machine, text).resume()
        else:
            job(machine, text).run()
        state = machine.machine.state()
        assert not [name for name in state if "super" in name or name.startswith("md/md ")], at
        assert state["md/text /etc/mdadm/mdadm.conf"] == "MAILADDR root\n", at


def made(machine: Bench, **about: str) -> str:
    """An array with other facts, and the layout that deletes it."""
    job(machine, MIRROR).run()
    state = machine.machine.state()
    kept(machine, "md/md md127", words({**fields(state["md/md md127"]), **about}))
    return deleting(machine)


def test_guard_P2_a_volume_with_a_signature_is_not_deleted(tmp_path: Path) -> None:
    """A volume with a signature is deleted only if --wipe lists it. The list has to have its unique id."""
    machine = empty(tmp_path)
    text = made(machine, fs="ext4")
    [about] = arrays(machine.machine.state()).values()
    assert any("md:md127 contains ext4" in one for one in job(machine, text).refused())
    assert job(machine, text, about["uuid"]).refused() == []


def test_guard_P1_a_volume_in_use_is_not_deleted(tmp_path: Path) -> None:
    """Nothing lifts the refusal for a volume in use.

    A process, a mount or a layer above uses it. The check is repeated right before the step.
    """
    machine = empty(tmp_path)
    text = made(machine)
    assert job(machine, text).refused() == []
    late = job(machine, text)
    change = late.start()
    kept(machine, "md/held md127", "yes")
    assert any("has /dev/md127 open exclusively" in one for one in job(machine, text, "anything").refused())
    before = list(machine.argvs)
    with pytest.raises(UnderWay, match="has /dev/md127 open exclusively"):
        late.applying.run(change)
    assert machine.argvs == before


@pytest.mark.parametrize("point", ["/", "/boot", "/boot/efi", "/usr", "/var", "[SWAP]", "/var/lib/raidctl"])
def test_guard_P3_the_volume_of_the_system_is_not_deleted(tmp_path: Path, point: str) -> None:
    """It stays, used directly or through layers, even given its unique id. Nothing lifts the guard."""
    machine = empty(tmp_path)
    job(machine, MIRROR).run()
    seen = machine.look()
    [controller] = [one for one in seen.inventory.controllers if one.mode == "software"]
    volume = controller.volumes[0]
    read = MachineFacts(contents={"/dev/md127": EMPTY}, setups={})
    blocks = tuple(
        msgspec.structs.replace(one, mountpoints=(point,)) if one.node == "/dev/md127" else one
        for one in seen.view.blocks
    )
    used = msgspec.structs.replace(seen, view=msgspec.structs.replace(seen.view, blocks=blocks))
    wipe = frozenset({str(volume.unique_id)})
    assert list(deletion_objections(controller, volume, seen, read, wipe)) == []
    assert next(iter(deletion_objections(controller, volume, used, read, wipe)))[1] == f"md:md127 is in use: {point}."


def test_guard_P11_creations_come_before_deletions(tmp_path: Path) -> None:
    """New volumes are made and listed before anything is deleted. The deletion never makes room for them."""
    machine = empty(tmp_path)
    job(machine, MIRROR).run()
    machine.argvs.clear()
    text = deleting(machine) + PARITY.replace("spares = 1\n", "")
    job(machine, text).run()
    found = commands(machine)
    assert found.index("mdadm --create") < found.index("mv --no-target-directory") < found.index("mdadm --stop")
    assert job(machine, text).steps() == []
    other = empty(tmp_path / "room", 3)
    job(other, MIRROR).run()
    refused = job(other, deleting(other) + PARITY).refused()
    assert any("4 drives of one kind and size needed, 1 drive free" in one for one in refused), refused


@pytest.mark.parametrize(
    ("changes", "guard"),
    [({}, None), ({"device": None}, "P4"), ({"device": "/dev/md9"}, "P4"), ({"bitmap": "internal, clustered"}, "P5"),
     ({"progress": Progress(operation="reshape")}, "T6")],
)  # fmt: skip
def test_guards_P4_P5_what_cannot_be_known_is_not_deleted(
    tmp_path: Path, changes: dict[str, Any], guard: str | None
) -> None:
    """The use of a volume without a device is unknown. A volume of several machines, or one being reshaped, stays."""
    machine = empty(tmp_path)
    job(machine, MIRROR).run()
    seen = machine.look()
    [controller] = [one for one in seen.inventory.controllers if one.mode == "software"]
    volume = msgspec.structs.replace(controller.volumes[0], **changes)
    read = MachineFacts(contents={"/dev/md127": EMPTY}, setups={})
    found = [name for name, _ in deletion_objections(controller, volume, seen, read, frozenset())]
    assert found == ([guard] if guard else [])
    other = msgspec.structs.replace(controller, mode=None)
    assert [name for name, _ in deletion_objections(other, volume, seen, read, frozenset())] == ["P"]


def test_a_volume_of_a_family_that_makes_none_is_refused() -> None:
    """An unused LVM volume is not deleted. The refusal names its family."""
    recorded = replayed("lvm-raid5-recovering")
    blocks = tuple(msgspec.structs.replace(one, mountpoints=(), mounts=()) for one in recorded.view.blocks)
    seen = msgspec.structs.replace(recorded, view=msgspec.structs.replace(recorded.view, blocks=blocks))
    [volume] = [one for controller in seen.inventory.controllers for one in controller.volumes if one.name == "home"]
    layout = read_layout("layout.toml", (
        f'layout = 1\n[machine]\nhostname = "{seen.inventory.host.hostname}"\n'
        f'[[delete]]\ncontroller = "lvm"\nunique_id = "{volume.unique_id}"\n'
    ).encode())  # fmt: skip
    setups = {family: Setup(files={"/etc/mdadm/mdadm.conf": ""}) for family in makers(VENDORS)}
    read = MachineFacts(contents={str(volume.device): EMPTY}, setups=setups)
    made = compiled(layout, read.stock(seen, frozenset(), frozenset(), unsafe=False), VENDORS)
    known = Known(layout=layout, seen=seen, read=read, vendors=VENDORS, making=makers(VENDORS), wipe=frozenset())
    found = stages(made, known)
    assert found.plans == ()
    assert [(one.label, one.why) for one in found.refused] == [
        (volume.id, ("raidctl does not delete volumes of lvm: use its tool.",))
    ]
