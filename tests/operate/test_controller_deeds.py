"""Deeds on Adaptec, 3ware and Areca controllers.

The tests cover every plan for every recorded machine, and every refusal.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.expectations import unmet
from raidctl.model import Controller, Drive
from raidctl.operate.abilities import refused_deeds
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Deed
from raidctl.vendor.shapes import FORCING, MISSING_PLACES
from tests.support.deeds import (
    OWN,
    VENDORS,
    VERBS,
    bays,
    check_every_plan,
    look,
    operations,
    planned,
    simulated,
)
from tests.support.machines import MACHINES, replayed
from tests.support.over import over

FAMILIES = ("adaptec", "threeware", "areca")
DEMOS = {"adaptec": ("6805", "3154"), "threeware": ("9690",), "areca": ("1882",)}


@over("family", FAMILIES)
def test_every_plan_keeps_to_the_table_of_commands(family: str, tmp_path: Path) -> None:
    """This holds on every recorded machine and demo. Drives that have failed, are gone or are new are included."""
    steps = 0
    for name in MACHINES:
        seen = replayed(name)
        for controller in seen.inventory.controllers:
            if family_of(controller) == family:
                steps += check_every_plan(seen, controller)
    for demo in DEMOS[family]:
        machine = simulated(demo, tmp_path)
        simulator = bays(family)
        controller = next(one for one in look(machine).inventory.controllers if family_of(one) == family)
        members = [drive.id.rpartition("/")[2] for drive in controller.drives if drive.role == "member"]
        if demo != "3154":
            machine.keep(simulator.fail(machine.state(), members[-1]))
            machine.pull(members[0])
            machine.insert(members[0])
        seen = look(machine)
        steps += sum(check_every_plan(seen, one) for one in seen.inventory.controllers if family_of(one) == family)
    assert steps > 10, steps


@over("family", FAMILIES)
def test_a_drive_is_not_added_where_it_is_unknown_whether_a_member_is_missing(family: str) -> None:
    """A drive is not added while missing members are unknown.

    An empty plan would mean that the controller does it automatically, or that nothing needs to be done.
    """
    tried = 0
    for name in MACHINES:
        seen = replayed(name)
        for controller in seen.inventory.controllers if family in name else ():
            volumes = tuple(replace(one, status="unknown", drives_active=None) for one in controller.volumes)
            drives = tuple(replace(one, role="unassigned", array=None) for one in controller.drives[:1])
            changed = replace(controller, volumes=volumes, drives=drives)
            for volume in volumes:
                deed = Deed(object_id=volume.id, verb="add_member", drive=drives[0].id)
                made = operations(family).plan_deeds(changed, [deed], seen.inventory.tools, seen.view)
                assert [denial.unknown for denial in made.denials] == [True]
                tried += 1
    assert tried


@over("family", (*FAMILIES, "megaraid", "smartarray"))
def test_a_spare_that_fails_while_it_steps_in_is_not_verified(family: str) -> None:
    """A new spare that a degraded array uses at once is verified as its member, not as a drive that has failed."""
    tried = 0
    for seen in map(replayed, MACHINES):
        for controller in (one for one in seen.inventory.controllers if family_of(one) == family and one.drives):
            free = replace(
                controller.drives[-1], role="unassigned", array=None, spare_for=(), status="ok", status_text="UGood"
            )
            short = _incomplete(controller, free)
            for target in (controller.id, *(volume.id for volume in short.volumes)):
                deed = Deed(object_id=target, verb="add_spare", drive=free.id)
                made = operations(family).plan_deeds(short, [deed], seen.inventory.tools, seen.view)
                for step in made.steps:
                    tried += 1
                    array = next((one.array for one in short.volumes if one.id == target), None)
                    member = replace(free, role="member", array=array or short.arrays[0].id)
                    failed = replace(member, role="failed", status="critical", status_text="Failed")
                    assert not unmet(_with(seen, short, member), step.expects)
                    assert unmet(_with(seen, short, failed), step.expects)
    assert tried


def _incomplete(controller: Controller, free: Drive) -> Controller:
    """A controller whose arrays lack a member, and which has a free drive."""
    return replace(
        controller,
        volumes=tuple(replace(one, status="degraded") for one in controller.volumes),
        arrays=tuple(replace(one, details={**one.details, MISSING_PLACES: "0:1"}) for one in controller.arrays),
        drives=(*controller.drives[:-1], free),
    )


def _with(seen: Survey, controller: Controller, drive: Drive) -> Survey:
    """A reading of a controller with one drive changed."""
    now = replace(controller, drives=(*controller.drives[:-1], drive))
    return replace(seen, inventory=replace(seen.inventory, controllers=(now,)))


@over("family", FAMILIES)
def test_no_command_forces_or_acts_on_all(family: str) -> None:
    """Only 3ware's quiet answers a question. Commands with it name one port, unit or battery (X6)."""
    for shape in operations(family).SHAPES:
        words = {word for word in shape if FORCING.fullmatch(word)}
        assert words <= {"quiet"}, shape
        assert not words or (family == "threeware" and re.search(r"\{\}/(p\{\}|u\{\}|bbu)$", shape[1])), shape
        assert not {word.upper() for word in shape} & {"ALL", "FORCE", "IGNOREECC"}
        assert "noprompt" not in shape or {"DEVICE", "LOGICALDRIVE"} & set(shape)


@over("family", FAMILIES)
def test_abilities_and_plans_agree(family: str, tmp_path: Path) -> None:
    """Impossible deeds are denied with the same reason. Commands that are only printed are not run."""
    for demo in DEMOS[family]:
        seen = look(simulated(demo, tmp_path))
        for controller in seen.inventory.controllers:
            if family_of(controller) != family:
                continue
            known = operations(family).abilities(controller, seen.inventory.tools)
            drive = controller.drives[0].id
            for verb in (verb for verb in VERBS if verb not in OWN):
                asked = Deed(object_id=controller.volumes[0].id, verb=verb, drive=drive)
                made = planned(seen, asked)
                ability = known.get(verb)
                if ability is not None and not ability.can:
                    assert (made.steps, [denial.reason for denial in made.denials]) == ((), [ability.why_not]), verb
                    refusals = [] if ability.printed else [ability.why_not]
                    assert [denial.reason for denial in refused_deeds([asked], seen, VENDORS)] == refusals, verb
                if ability is None:
                    assert made.steps == ()
                assert ability is None or ability.can or ability.why_not
                assert ability is None or not (ability.can and ability.printed)


@over("family", FAMILIES)
def test_without_the_tool_everything_is_denied(family: str, tmp_path: Path) -> None:
    """No tool, no command; the abilities show it."""
    for demo in DEMOS[family]:
        seen = look(simulated(demo, tmp_path))
        controller = next(one for one in seen.inventory.controllers if family_of(one) == family)
        deed = Deed(object_id=controller.volumes[0].id, verb="start_check")
        made = operations(family).plan_deeds(controller, [deed], (), seen.view)
        assert (made.steps, len(made.denials)) == ((), 1)
        assert not any(ability.can for ability in operations(family).abilities(controller, ()).values())


@pytest.mark.parametrize(
    ("family", "words", "busy"),
    [
        ("adaptec", "arcconf getconfig 1 AL", False),
        ("adaptec", "/usr/Arcconf/arcconf TASK START 1 LOGICALDRIVE 0 VERIFY", True),
        ("adaptec", "less arcconf", False),
        ("threeware", "tw_cli /c0 show all", False),
        ("threeware", "tw_cli", True),
        ("threeware", "/opt/3ware/CLI/tw_cli /c0/u0 start verify", True),
        ("areca", "cli64 vsf info", False),
        ("areca", "cli64", True),
        ("areca", "cli64 vsf check vol=1", True),
    ],
)
def test_only_programs_that_may_change_something_may_interfere(family: str, words: str, busy: bool) -> None:
    """A program that only reads does not. An interactive one may do anything."""
    assert operations(family).may_interfere(words.split()) is busy


def test_the_families_are_installed() -> None:
    """All three are among the vendor packages."""
    assert set(FAMILIES) <= {vendor.FAMILY for vendor in VENDORS}
