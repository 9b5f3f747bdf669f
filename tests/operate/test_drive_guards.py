"""The guards of drive states. There is one test for each, on a machine that passes and one that does not."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from msgspec.structs import replace

from raidctl.change.journal import Begin, End, JournaledChange
from raidctl.change.permitted_commands import tables
from raidctl.cli.drive._states import last_offline
from raidctl.host import HostView
from raidctl.model import Controller, Drive, Errors, Inventory, Progress, Role
from raidctl.operate.drive_guards import Known, SetOffline, denials, is_inactive
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed, Step, Verb
from raidctl.vendor.registry import vendors
from tests.operate.machines import HOST, NOW, OK, SILENT, disk, inventory, part, raid

KNOWN = Known(now=NOW, around=SILENT, boot="b1")
FREE: dict[str, Any] = {"role": "unassigned", "array": None, "foreign": False}
BAD: dict[str, Any] = {"role": "failed", "array": None, "status": "critical", "foreign": False}
JBOD: dict[str, Any] = {"role": "passthrough", "array": None, "device": "/dev/sdz", "foreign": False}


def machine(*members: dict[str, Any], level: str = "raid6", **fields: Any) -> Inventory:
    """A controller with an array of four good drives. The given drives come before them."""
    return inventory(
        raid(
            level,
            *members,
            *[{"foreign": False}] * 4,
            controller={"cache": None, **fields.pop("controller", {})},
            **fields,
        )
    )


def refused(verb: Verb, found: Inventory, view: HostView | None = None, known: Known = KNOWN) -> dict[str, bool]:
    """The guards that refuse a deed on the first drive. With each is whether --unsafe lifts every reason of it."""
    seen = Survey(found, view=view or HostView())
    lifted: dict[str, bool] = {}
    for one in denials(Deed(object_id="x:0/0", verb=verb, drive="x:0/0"), seen, known):
        lifted[one.guard] = lifted.get(one.guard, True) and one.overridable
    return lifted


def test_guard_D1_only_a_drive_of_nothing_becomes_good() -> None:
    """Only an unused drive becomes good.

    An unused drive is not a member, spare or journal, not seen by the system, not foreign, and not of unknown use.
    """
    assert refused("good", machine(BAD)) == {}
    assert refused("good", machine(FREE)) == {}
    for role in ("member", "spare", "journal", "passthrough", None):
        assert refused("good", machine({**BAD, "role": role})) == {"D1": False}, role
    assert refused("good", machine({**BAD, "array": "x:0/A"})) == {"D1": False}
    assert refused("good", machine({**BAD, "foreign": True})) == {"D1": False}
    assert refused("good", machine({**BAD, "foreign": None})) == {"D1": False}


def test_guard_R1_only_a_member_is_set_offline_and_an_unknown_use_is_no_certain_refusal() -> None:
    """Only a member is set offline. Whether a drive of unknown use is a member is unknown."""
    for role, unknown in ((None, True), ("spare", False), ("unassigned", False), ("passthrough", False)):
        seen = Survey(machine({**FREE, "role": role}), view=HostView())
        found = list(denials(Deed(object_id="x:0/0", verb="offline", drive="x:0/0"), seen, KNOWN))
        assert [(one.guard, one.unknown) for one in found if one.guard == "R1"] == [("R1", unknown)], role


def test_guard_D2_only_an_unused_drive_changes_sides() -> None:
    """To the system: in no array, not foreign. Back: nothing on it is mounted, swap, open, or unknown."""
    assert refused("jbod", machine(FREE)) == {}
    for role in sorted(set(get_args(Role)) - {"unassigned", "passthrough"}):
        assert refused("jbod", machine({**FREE, "role": role})) == {"D2": False}, role
    assert refused("jbod", machine({**FREE, "role": None})) == {"D2": False}
    assert refused("jbod", machine({**FREE, "foreign": True})) == {"D2": False}
    empty = HostView(blocks=(disk("sdz", serial="S0"),))
    assert refused("raid", machine(JBOD), empty) == {}
    for used in (
        (disk("sdz", serial="S0", mountpoints=("/srv",), filesystem="ext4"),),
        (disk("sdz", serial="S0"), part("sdz1", mountpoints=("[swap]",), filesystem="swap")),
        (disk("sdz", serial="S0", filesystem="LVM2_member"),),
        (disk("sdz", serial="S0", filesystem="ext4"),),
        (disk("sdz", serial="S0", links=()),),
        (),
    ):
        assert refused("raid", machine(JBOD), HostView(blocks=used)) == {"D2": False}, used
    assert refused("raid", machine(OK)) == {"D2": False}


def test_guard_D3_no_command_switches_a_whole_controller() -> None:
    """A deed without a drive is refused. No family has a command for the JBOD mode."""
    seen = Survey(machine(FREE))
    for verb in ("jbod", "raid", "good", "erase"):
        found = denials(Deed(object_id="x:0", verb=verb), seen, KNOWN)
        assert [one.guard for one in found] == ["D3"], verb
    words = {word.lower() for shape in tables(vendors()[0]) for word in shape}
    assert not [word for word in words if word.startswith(("jbod=", "personality", "-adpsetprop"))]


WAS_INACTIVE = SetOffline(change="c1", boot="b1", was_inactive=True)
DOWN: dict[str, Any] = {"role": "failed", "status": "critical", "status_text": "Offln"}


def test_guard_D4_online_only_what_missed_nothing() -> None:
    """Only a drive that raidctl set offline goes online.

    The change was in this boot, and the array has been inactive since then. Even so, --unsafe is needed.
    """
    stopped, running = machine(DOWN, status="offline"), machine(DOWN, status="degraded")
    good = replace(KNOWN, offline=WAS_INACTIVE)
    assert refused("online", stopped, known=good) == {"D4": True}
    assert refused("online", stopped) == {"D4": False}
    assert refused("online", running, known=good) == {"D4": False}
    assert refused("online", machine(DOWN, status="unknown"), known=good) == {"D4": False}
    for other in (replace(WAS_INACTIVE, boot="b0"), replace(WAS_INACTIVE, was_inactive=False)):
        assert refused("online", stopped, known=replace(KNOWN, offline=other)) == {"D4": False}
    assert refused("online", stopped, known=replace(good, boot="")) == {"D4": False}
    for status in ("ok", "offline"):
        assert refused("online", machine(OK, status=status), known=good) == {"D4": False}, "a working member"


def journaled(setting: str, result: str | None, *, still: bool = True, source: str = "local") -> JournaledChange:
    """A change of the drive S0 in the journal."""
    begin = Begin(
        change=setting, at="2026-11-01T00:00:00Z", kind="operation", about="", user="", pid=1, boot="b1", source=source,
        steps=(Step(object_id="x:0/0", setting=setting, before="", after="", kind="deed"),), touches=("x:0/0", "S0"),
        facts={"stood still: S0": "yes"} if still else {},
    )  # fmt: skip
    end = End(change=setting, at="2026-11-01T00:01:00Z", result=result) if result else None  # type: ignore[arg-type]
    return JournaledChange(begin=begin, end=end)


def test_the_last_change_of_a_drive_counts() -> None:
    """Only a drive's last change in the journal counts.

    That change must have set the drive offline, be complete, and be of this machine.
    """
    assert last_offline([journaled("offline", "done")], "local", "S0") == SetOffline(
        change="offline", boot="b1", was_inactive=True
    )
    found = last_offline([journaled("offline", "done", still=False)], "local", "S0")
    assert found is not None
    assert not found.was_inactive
    for changes in (
        [], [journaled("offline", None)], [journaled("offline", "stands")],
        [journaled("offline", "done"), journaled("good", "done")],
        [journaled("offline", "done", source="ssh:db7")],
    ):  # fmt: skip
        assert last_offline(changes, "local", "S0") is None
    assert last_offline([journaled("offline", "done")], "local", "S1") is None


def test_guard_D5_only_a_drive_of_nothing_is_erased() -> None:
    """In no array, no spare, not foreign, idle, unused by the system. No array may have lost it."""
    assert refused("erase", machine(FREE)) == {}
    for role in ("member", "spare", "journal", None):
        assert "D5" in refused("erase", machine({**FREE, "role": role})), role
    assert refused("erase", machine({**FREE, "foreign": True}))["D5"] is False
    assert refused("erase", machine({**FREE, "foreign": None}))["D5"] is False
    assert refused("erase", machine({**FREE, "progress": Progress(operation="erase")})) == {"D5": False}
    assert refused("erase", machine(BAD)) == {}
    assert refused("erase", machine(BAD, status="degraded")) == {"D5": False}
    mounted = HostView(blocks=(disk("sdz", serial="S0", mountpoints=("/srv",)),))
    assert refused("erase", machine(JBOD), mounted) == {"D5": False}
    assert refused("erase", machine(JBOD), HostView(blocks=(disk("sdz", serial="S0"),))) == {}


def test_guard_D6_every_namespace_is_erased_and_counted() -> None:
    """A drive with a namespace in use is not erased. A namespace that is not named is in use."""
    namespaces = [disk(name, serial="S0", controller="nvme0") for name in ("nvme0n1", "nvme0n2")]
    found = machine({**JBOD, "device": "/dev/nvme0n1", "interface": "nvme"})
    assert refused("erase", found, HostView(blocks=tuple(namespaces))) == {}
    used = replace(namespaces[1], mountpoints=("/srv",))
    assert refused("erase", found, HostView(blocks=(namespaces[0], used))) == {"D6": False}


def test_guards_R_hold_for_a_drive_that_is_set_offline() -> None:
    """R1 to R8 apply as if it were pulled.

    A good drive that can be copied first is not set offline without --unsafe.
    """
    good: dict[str, Any] = {"foreign": False}
    assert refused("offline", machine(good)) == {}
    assert "R1" in refused("offline", machine(good, level="raid0"))
    assert "R3" in refused("offline", machine(OK, status="rebuilding"))
    assert "R1" in refused("offline", machine(FREE))
    assert "R1" in refused("offline", machine({"role": None}))
    risky = inventory(raid("raid5", OK, {"errors": Errors(media=3, predictive=1)}, OK, OK))
    assert refused("offline", risky)["R2"] is True
    assert refused("offline", machine(OK), known=replace(KNOWN, can_copy=True))["R8"] is True


@pytest.mark.parametrize("verb", ["good", "jbod", "raid", "erase", "online"])
def test_guard_X8_nothing_is_done_where_not_everything_is_seen(verb: Verb) -> None:
    """Every deed is refused in a container. Not every device is visible there."""
    drive = {"raid": JBOD, "online": DOWN}.get(verb, FREE)
    assert "X8" in refused(verb, machine(drive), HostView(sys_read_only=True))


def test_a_drive_behind_no_controller_has_no_such_states() -> None:
    """Members of md and plain drives have no such states."""
    plain = Controller(id="x:0", mode="none", drives=(Drive(id="x:0/0", serial="S0"),))
    assert refused("good", Inventory(host=HOST, controllers=(plain,))) == {"": False}


def test_an_array_stands_still_only_if_every_volume_is_known_to() -> None:
    """No volume listed, or one that runs, is not standing still."""
    for status, still in (("offline", True), ("failed", True), ("ok", False), ("unknown", False), ("degraded", False)):
        controller = machine(DOWN, status=status).controllers[0]
        assert is_inactive(controller, controller.drives[0]) is still, status
    bare = replace(controller, volumes=())
    assert not is_inactive(bare, bare.drives[0])
