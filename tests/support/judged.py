"""The judgment of :mod:`raidctl.health.judge` on an observation. It is for the tests of the vendor packages."""

from __future__ import annotations

from raidctl.health.judge import Condition, judge
from raidctl.health.redundancy import with_redundancy
from raidctl.model import Host, Inventory
from raidctl.model.write_protection import derived
from raidctl.vendor.protocol import Observation


def conditions(found: Observation) -> tuple[Condition, ...]:
    """Everything that is wrong with the controllers that a package read."""
    controllers = tuple(with_redundancy(derived(found.controllers)))
    return judge(Inventory(host=Host(), controllers=controllers, problems=tuple(found.problems)))


def wrong(found: Observation) -> set[str]:
    """The ids of the objects with a condition."""
    return {one.where for one in conditions(found)}
