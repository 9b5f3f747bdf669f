"""An array's member that no tool describes is a problem, whichever family names it."""

from __future__ import annotations

from msgspec.structs import replace

from raidctl.survey.undescribed_members import undescribed
from tests.support.machines import MACHINES, replayed


def test_each_member_without_a_description_is_named() -> None:
    """No recorded machine has one, and each member that is taken out of the drives becomes one."""
    tried = 0
    for name in MACHINES:
        controllers = replayed(name).inventory.controllers
        assert not [*undescribed(controllers)], name
        for number, controller in enumerate(controllers):
            own = {drive.id for drive in controller.drives}
            for array in controller.arrays:
                for lost in own.intersection((*array.drives, *array.spares)):
                    left = replace(controller, drives=tuple(one for one in controller.drives if one.id != lost))
                    others = (*controllers[:number], *controllers[number + 1 :])
                    found = [*undescribed((left, *others))]
                    assert lost in " ".join(problem.message for problem in found)
                    assert {problem.kind for problem in found} == {"unread"}
                    tried += 1
    assert tried > 100
