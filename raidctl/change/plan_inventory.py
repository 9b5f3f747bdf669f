"""Plan the desired settings of a machine: the families' steps, contradictions, refusals. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from raidctl.change import guard
from raidctl.change.failure_messages import silent
from raidctl.change.lookup import active_instead, drives_still_on, owner, why_inactive
from raidctl.host import HostView
from raidctl.model import Controller, Inventory
from raidctl.select import family_of
from raidctl.text import capitalised
from raidctl.vendor import setting_values
from raidctl.vendor.changes import changes_of
from raidctl.vendor.plan import Desired, Plan, Refusal, Step, ToolSetting
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of


def plan(
    inventory: Inventory,
    vendors: Sequence[Vendor],
    requests: Sequence[Desired],
    *,
    unsafe: bool,
    view: HostView | None = None,
) -> Plan:
    """Return the steps to the desired settings, with refusals. ``view`` shows what uses a drive."""
    whole = Plan()
    mine: dict[str, list[Desired]] = {}
    for desired in requests:
        controller = owner(inventory.controllers, desired.object_id)
        if controller is None:
            whole += Plan(
                desired=(desired,), refusals=(Refusal(desired=desired, kind="unknown", reason="It does not exist."),)
            )
        else:
            mine.setdefault(controller.id, []).append(desired)
    for controller in inventory.controllers:
        if controller.id in mine:
            made = _of_one(controller, inventory, vendor_of(controller.id, vendors), mine[controller.id])
            dangers = () if unsafe else _dangers(controller, inventory, made, view)
            clashes = (*contradictions(made), *_unanswered(inventory, made))
            whole += replace(made, refusals=(*made.refusals, *clashes, *dangers))
    return whole


def _dangers(controller: Controller, inventory: Inventory, made: Plan, view: HostView | None) -> tuple[Refusal, ...]:
    """Return refusals of settings that may lose data or are inactive. Inactive ones are configured but not active."""
    fulfilled, refused = set(made.already), {refusal.desired for refusal in made.refusals}
    risky = [desired for desired in made.desired if desired not in fulfilled and desired not in refused]
    fix = "Fix the cause; `raidctl diagnose` shows how. --unsafe REASON accepts it as it is: no command is run."
    check = "Check these drives with their vendor's tool: the controller's setting does not reach them."
    idle = [
        Refusal(desired, "not_in_force", text, remedy)
        for reason, remedy in ((_inactive, fix), (_still_on, check))
        for desired in made.already
        if (text := reason(inventory, desired))
    ]
    return (*guard.refusals(controller, risky, view), *idle)


def _inactive(inventory: Inventory, desired: Desired) -> str | None:
    instead, other = active_instead(inventory, desired), why_inactive(inventory, desired)
    return f"It is already configured, but {instead}." if instead else f"{capitalised(other)}." if other else None


def _still_on(inventory: Inventory, desired: Desired) -> str | None:
    on = drives_still_on(inventory, desired)
    return f"It is already configured, but {on}." if on else None


def _unanswered(inventory: Inventory, made: Plan) -> Iterator[Refusal]:
    """Refuse to change drives that did not respond. The setting could not be verified or undone."""
    quiet = silent(inventory.controllers, inventory.problems, {step.object_id for step in made.steps})
    for desired in made.desired:
        if desired.object_id in quiet:
            alternative = "Look for errors of the drive in `dmesg`: it may be about to fail."
            yield Refusal(desired, "unknown", f"{quiet[desired.object_id]}.", alternative)


def _of_one(controller: Controller, inventory: Inventory, vendor: Vendor | None, requests: Sequence[Desired]) -> Plan:
    offered = changes_of(vendor) if vendor is not None else None
    if vendor is None or offered is None:
        refused = tuple(Refusal(desired, "unsupported", _unchangeable(controller, desired)) for desired in requests)
        return Plan(desired=tuple(requests), refusals=refused)
    names = {spec.name for spec in vendor.TOOLS}
    return offered.plan(controller, requests, [tool for tool in inventory.tools if tool.name in names])


def _unchangeable(controller: Controller, desired: Desired) -> str:
    """Why raidctl cannot change a setting of a family that it only reads: the family's reason, if it has one."""
    ability = controller.capabilities.get(desired.setting)
    return (
        ability.why if ability else None
    ) or f"raidctl does not change settings of {family_of(controller)} controllers."


def contradictions(made: Plan) -> Iterator[Refusal]:
    """Refuse desired settings of one controller that exclude each other."""
    wanted: dict[tuple[str, str], Desired] = {}
    for desired in made.desired:
        other = wanted.setdefault((desired.object_id, desired.setting), desired)
        if other.value != desired.value:
            yield _clash(desired, f"{setting_values.LABELS[other.setting]} {other.value} is requested, too")
    for desired in made.desired:
        opposite = _OPPOSITES.get((desired.setting, desired.value))
        if opposite is not None and any(other.value == opposite for other in made.desired):
            yield _clash(desired, f"the opposite write policy {opposite.replace('_', '-')} is requested, too")
    turned: dict[ToolSetting, Step] = {}
    for step in made.steps:
        first = turned.setdefault((step.object_id, step.setting), step)
        if first is not step and made.desired:
            yield _clash(made.desired[-1], f"{step.setting} would be set to {first.after}, and then to {step.after}")


_OPPOSITES = {
    ("no_battery_write_cache", "enabled"): "protected_write_back",
    ("no_battery_write_cache", "disabled"): "unprotected_write_back",
}
"""Controller settings that contradict write policies of its volumes."""


def _clash(desired: Desired, why: str) -> Refusal:
    return Refusal(desired=desired, kind="unsupported", reason=f"Contradiction: {why}.")
