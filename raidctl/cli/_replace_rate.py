"""``replace --rate``: the rebuild rate while raidctl waits. The old rate is restored like the settings of a batch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from raidctl.change.plan_inventory import plan
from raidctl.cli.shared.change_targets import desired_settings
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import AGREED, Work, about
from raidctl.cli.shared.rate_values import Rate, Speed, in_words_of
from raidctl.cli.shared.temporary_change import apply_temporarily_locked
from raidctl.errors import UsageError
from raidctl.operate.replacement_facts import Facts, Part, parts
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Desired, Plan
from raidctl.vendor.setting_values import speed


def rate_plan(named: Machine, seen: Survey, facts: Facts, value: str | None) -> Plan:
    """Plan the rate of the arrays of a replacement.

    Without a value, there are no steps.

    Raises:
        UsageError: It is not a rate of these arrays, or it cannot be set.
    """
    arrays = parts(seen, facts)
    if value is None or isinstance(arrays, str):
        return Plan()
    desired = [one for part in arrays for one in _desired(part, value)]
    made = plan(seen.inventory, named.vendors, desired, unsafe=False, view=seen.view)
    if made.refusals:
        raise UsageError(f"--rate: {made.refusals[0].reason}")
    return made


def _desired(part: Part, value: str) -> Iterator[Desired]:
    """Yield the minimum speed per drive for md. For a controller, yield the rebuild rate."""
    if part.controller.mode != "software":
        share = Rate().convert(value, None, None)
        yield from desired_settings([part.controller], in_words_of(part.controller, {"rebuild_rate": share}))
        return
    least = Speed().convert(value, None, None)
    most = speed(part.volume.details.get("sync_speed_max", ""))
    if least.isdecimal() and most is not None and most.isdecimal() and int(most) < int(least):
        yield Desired(object_id=part.volume.id, setting="sync_speed_max", value=least)
    yield Desired(object_id=part.volume.id, setting="sync_speed_min", value=least)


@contextlib.contextmanager
def at_rate(named: Machine, place: Path, settings: Settings, facts: Facts, value: str | None) -> Iterator[None]:
    """Set the rate while the context lasts. The caller has locked the controllers.

    Raises:
        UsageError: It cannot be set.
        ChangeUndone, ChangeNotUndone: Setting it failed, or it could not be restored.
    """
    if value is None:
        yield
        return
    seen = named.survey()
    work = Work(named, seen, rate_plan(named, seen, facts, value), place, AGREED)
    with apply_temporarily_locked(work, settings, work.begin("batch", about())):
        yield
