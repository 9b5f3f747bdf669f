"""Operations of Smart Array: the existing commands, and drives in another bay."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from raidctl.health.redundancy import below
from raidctl.host import HostView
from raidctl.model import Role, VolumeStatus
from raidctl.vendor.plan import Deed
from raidctl.vendor.shapes import FORCING
from raidctl_smartarray import operate
from tests.operate.controllers.simulated import LATER, PULLED, ControllerReplacement, of_drive, replacement_on
from tests.operate.replacements import replacing


@pytest.fixture
def p440(tmp_path: Path) -> ControllerReplacement:
    """A RAID-6 with a spare, complete."""
    return replacement_on("p440", tmp_path)


def test_a_drive_in_another_bay_takes_the_place_if_it_is_named(p440: ControllerReplacement) -> None:
    """A drive in another bay must be named. It becomes a spare, and the array is complete."""
    bench = p440.bench
    seen = bench.look()
    out = Deed(object_id="smartarray:0/v2", verb="remove_spare", drive="smartarray:0/2I:1:7")
    change = bench.change(bench.plan(out))
    change.apply()
    change.finish()
    controller = next(one for one in seen.inventory.controllers if one.id == "smartarray:0")
    volume = next(one for one in controller.volumes if one.id == "smartarray:0/v2")
    replacement = of_drive(bench, controller.id, volume.id, below(controller, volume)[0].id)
    facts = structs.replace(replacement.replacing.facts, new="S402L14E")
    replacement.replacing = replacing(bench, facts)
    bench.moments = [(bench.at + PULLED, replacement.pull)]
    replacement.run()
    assert bench.argvs[-1] == ("hpssacli", "ctrl", "slot=0", "array", "B", "add", "spares=2I:1:7")
    assert (replacement.now()[1].status, bench.journal.pending()) == ("ok", [])


@pytest.mark.parametrize(
    ("role", "status", "elsewhere", "commands"),
    [
        ("unassigned", "degraded", True, 1), ("unassigned", "degraded", False, 0),
        ("unassigned", "rebuilding", True, 0),
        ("member", "degraded", True, 0),
    ],
)  # fmt: skip
def test_a_new_drive_needs_a_command_only_where_the_controller_does_not_take_it(
    role: Role, status: VolumeStatus, elsewhere: bool, commands: int, p440: ControllerReplacement
) -> None:
    """The controller fills a new drive in the missing member's bay without one, which would make it a spare."""
    controller, volume = p440.now()
    new = structs.replace(p440.old, role=role, array=None if role == "unassigned" else volume.array)
    controller = structs.replace(
        controller,
        drives=tuple(new if one.id == new.id else one for one in controller.drives),
        volumes=tuple(
            structs.replace(one, status=status) if one.id == volume.id else one for one in controller.volumes
        ),
    )
    replaces = p440.others()[0].id if elsewhere else new.id
    deed = Deed(object_id=volume.id, verb="add_member", drive=new.id, replaces=replaces)
    plan = operate.plan_deeds(controller, [deed], p440.bench.look().inventory.tools, HostView())
    assert (len(plan.steps), plan.denials) == (commands, ())


def test_unsupported_operations_are_refused_with_the_reason(p440: ControllerReplacement) -> None:
    """Every missing ability has a reason. A printed command is never planned."""
    controller, volume = p440.now()
    tools = p440.bench.look().inventory.tools
    for verb, ability in operate.abilities(controller, tools).items():
        plan = operate.plan_deeds(
            controller, [Deed(object_id=volume.id, verb=verb, drive=p440.old.id)], tools, HostView()
        )
        assert bool(plan.denials) != ability.can, verb
        if not ability.can:
            assert plan.denials[0].reason == ability.why_not
        if ability.printed:
            assert "modify disablepd" in (plan.denials[0].alternative or "")
    assert not any(FORCING.fullmatch(word) for shape in operate.SHAPES for word in shape)


def test_nothing_is_planned_without_an_identity(p440: ControllerReplacement) -> None:
    """Without serial numbers, unique ids or a slot, operations are refused (X1)."""
    controller, volume = p440.now()
    tools = p440.bench.look().inventory.tools
    deed = Deed(object_id="smartarray:0/v2", verb="remove_spare", drive="smartarray:0/2I:1:7")
    assert operate.plan_deeds(controller, [deed], tools, HostView()).steps
    for changed in (
        structs.replace(controller, drives=tuple(structs.replace(one, serial=None, wwn=None)
                                                 for one in controller.drives)),
        structs.replace(controller, serial=None, volumes=tuple(structs.replace(one, unique_id=None)
                                                               for one in controller.volumes)),
        structs.replace(controller, slot=None), structs.replace(controller, drives=()),
    ):  # fmt: skip
        plan = operate.plan_deeds(changed, [deed], tools, HostView())
        assert (plan.steps, [one.unknown for one in plan.denials]) == ((), [True])
    assert volume.unique_id


def test_a_spare_of_several_arrays_is_not_removed_from_one_of_them(p440: ControllerReplacement) -> None:
    """One command leaves it a spare of the other arrays, so the command of each array is printed."""
    controller, _ = p440.now()
    spare = "smartarray:0/2I:1:7"
    both = tuple(
        structs.replace(one, spare_for=("smartarray:0/A", "smartarray:0/B")) if one.id == spare else one
        for one in controller.drives
    )
    deed = Deed(object_id="smartarray:0/v2", verb="remove_spare", drive=spare)
    tools = p440.bench.look().inventory.tools
    plan = operate.plan_deeds(structs.replace(controller, drives=both), [deed], tools, HostView())
    [denial] = plan.denials
    assert (plan.steps, denial.printed) == ((), True)
    for array in "AB":
        assert f"array {array} remove spares=2I:1:7" in (denial.alternative or "")


@pytest.mark.parametrize(
    ("words", "busy"),
    [
        (("/usr/sbin/ssacli", "ctrl", "all", "show", "config"), False), (("ssacli", "version"), False),
        (("hpssacli", "ctrl", "slot=0", "ld", "1", "modify", "caching=enable"), True), (("hpacucli",), True),
        (("mdadm", "--monitor"), False), ((), False),
    ],
)  # fmt: skip
def test_a_tool_that_may_change_something_may_interfere(words: tuple[str, ...], busy: bool) -> None:
    """A command that changes something or is interactive blocks the operation, one that reads does not."""
    assert operate.may_interfere(words) is busy


def test_a_spare_is_released_by_the_new_drive(p440: ControllerReplacement) -> None:
    """A spare is active while the bay is empty. The rebuild of the new drive makes it a spare again."""
    machine = p440.bench.machine
    machine.pull("1I:1:3")
    machine.pass_time(LATER)
    seen = p440.bench.look().inventory
    volume = next(one for controller in seen.controllers for one in controller.volumes if one.id == "smartarray:0/v2")
    assert volume.status == "ok"
    machine.insert("1I:1:3")
    machine.pass_time(LATER)
    seen = p440.bench.look().inventory
    roles = {one.id: one.role for controller in seen.controllers for one in controller.drives}
    assert (roles["smartarray:0/1I:1:3"], roles["smartarray:0/2I:1:7"]) == ("member", "spare")
