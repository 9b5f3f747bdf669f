"""Find a plan's controllers, current values and active policies in an inventory. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from raidctl.change import guard
from raidctl.model import Controller, Inventory, VolumeCache
from raidctl.model.write_policy import in_force
from raidctl.select import items
from raidctl.text import listing
from raidctl.vendor import setting_values
from raidctl.vendor.changes import changes_of
from raidctl.vendor.plan import Desired, Plan, Step, ToolSetting
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of


def owner(controllers: Sequence[Controller], object_id: str) -> Controller | None:
    """Return the controller that has an object, or is it. None: there is no such object."""
    for controller in controllers:
        if any(item.id == object_id for item in items(controller)):
            return controller
    return None


def subjects(inventory: Inventory, plan: Plan) -> list[Controller]:
    """Return the controllers that a plan changes."""
    return _owners(inventory, _named(plan.steps) | {deed.object_id for deed in plan.deeds})


def _named(steps: Iterable[Step]) -> set[str]:
    """Return the ids of the objects that steps act on. A drive of a deed may be on another controller."""
    ids = (step.object_id for step in steps)
    return {*ids, *(subject.object_id for step in steps for subject in step.subjects)}


def _owners(inventory: Inventory, ids: Iterable[str]) -> list[Controller]:
    found = {c.id: c for name in sorted(ids) if (c := owner(inventory.controllers, name)) is not None}
    return list(found.values())


def concerned(inventory: Inventory, plan: Plan) -> list[Controller]:
    """Return the controllers of a plan, also those that need no change."""
    ids = _named(plan.steps) | {desired.object_id for desired in plan.desired} | {deed.object_id for deed in plan.deeds}
    return _owners(inventory, ids)


def names(inventory: Inventory, plan: Plan) -> dict[str, str]:
    """Return serial numbers, unique ids and nodes of a plan's objects."""
    controllers = concerned(inventory, plan)
    found: dict[str, str] = {controller.id: controller.serial for controller in controllers if controller.serial}
    ids = {step.object_id for step in plan.steps} | {desired.object_id for desired in plan.desired}
    for controller in controllers:
        found |= {volume.id: volume.unique_id for volume in controller.volumes if volume.id in ids and volume.unique_id}
        found |= {drive.id: drive.device for drive in controller.drives if drive.id in ids and drive.device}
    return found


def before(inventory: Inventory, plan: Plan) -> Iterator[Desired]:
    """Yield the current values of the desired settings, in the model's words."""
    for desired in plan.desired:
        controller = owner(inventory.controllers, desired.object_id)
        current = (
            setting_values.value(controller, desired.object_id, desired.setting) if controller is not None else None
        )
        if current is not None:
            yield Desired(object_id=desired.object_id, setting=desired.setting, value=current)


def current_settings(inventory: Inventory, vendors: Sequence[Vendor]) -> dict[ToolSetting, str]:
    """Return all settings that the machine's tools report."""
    found: dict[ToolSetting, str] = {}
    for controller in inventory.controllers:
        vendor = vendor_of(controller.id, vendors)
        offered = changes_of(vendor) if vendor is not None else None
        if offered is not None:
            found |= offered.current_settings(controller)
    return found


def wrong_values(steps: Sequence[Step], current: Mapping[ToolSetting, str], *, undone: bool = False) -> list[str]:
    """Describe the settings without their planned values. ``undone``: without their previous ones."""
    wanted: dict[ToolSetting, str] = {}
    for step in steps:
        if step.kind != "setting" or not step.readable:
            continue
        if undone:
            wanted.setdefault((step.object_id, step.setting), step.before)
        else:
            wanted[step.object_id, step.setting] = step.after
    return [
        f"{setting} of {object_id} is {current.get((object_id, setting)) or 'unknown'} instead of {value}"
        for (object_id, setting), value in wanted.items()
        if current.get((object_id, setting)) != value
    ]


def why_inactive(inventory: Inventory, desired: Desired) -> str | None:
    """Explain why a desired setting is not configured or not active. None if it is active."""
    controller = owner(inventory.controllers, desired.object_id)
    if controller is None:
        return f"{desired.object_id} no longer exists"
    current = setting_values.value(controller, desired.object_id, desired.setting)
    if current is None and desired.setting in setting_values.UNMODELLED:
        return None
    if current != desired.value:
        shown = setting_values.spelt(current) if current else "unknown"
        label, wanted = setting_values.LABELS[desired.setting], setting_values.spelt(desired.value)
        return f"the {label} of {desired.object_id} is {shown} instead of {wanted}"
    instead = active_instead(inventory, desired)
    return f"{desired.object_id} is set to {setting_values.spelt(desired.value)}, but {instead}" if instead else None


def active_instead(inventory: Inventory, desired: Desired) -> str | None:
    """Explain which write policy is active instead of the configured one, and why. None if there is no other one."""
    controller = owner(inventory.controllers, desired.object_id)
    cache = _cache(controller, desired) if controller is not None and desired.setting == "write_policy" else None
    if cache is None or cache.write_active is None or in_force(cache) is not False:
        return None
    reason = (cache.why_not_in_force or "the tool reports no reason").rstrip(".")
    return f"{setting_values.spelt(cache.write_active)} is active: {reason}"


def drives_still_on(inventory: Inventory, desired: Desired) -> str | None:
    """Name drives that report their write cache on, though off is desired. None if none does."""
    controller = owner(inventory.controllers, desired.object_id)
    if controller is None or (desired.setting, desired.value) != ("drive_write_cache", "disabled"):
        return None
    arrays = {volume.array for volume in controller.volumes if volume.id == desired.object_id and volume.array}
    on = [drive.id for drive in controller.drives if drive.array in arrays and drive.write_cache == "enabled"]
    return f"{listing(on)} {'reports its' if len(on) == 1 else 'report their'} write cache on" if on else None


def falls_back(inventory: Inventory, desired: Desired) -> bool:
    """Whether a volume falls back from protected write-back to write-through.

    The reason is that the controller has no good battery.
    """
    controller = owner(inventory.controllers, desired.object_id)
    if controller is None or (desired.setting, desired.value) != ("write_policy", "protected_write_back"):
        return False
    cache = _cache(controller, desired)
    falling = (
        cache is not None and cache.write_policy == desired.value and cache.write_active in ("write_through", "off")
    )
    return falling and guard.unprotected(controller) is not None


def doubt(inventory: Inventory, desired: Desired) -> str | None:
    """Explain why it is uncertain that a configured setting is active. None if it is certain."""
    if not unreported(inventory, desired):
        return drives_still_on(inventory, desired)
    return f"the tool does not report whether {setting_values.spelt(desired.value)} is active on {desired.object_id}"


def unreported(inventory: Inventory, desired: Desired) -> bool:
    """Whether no tool reports which write policy is active."""
    controller = owner(inventory.controllers, desired.object_id)
    cache = _cache(controller, desired) if controller is not None and desired.setting == "write_policy" else None
    return cache is not None and cache.write_active is None


def _cache(controller: Controller, desired: Desired) -> VolumeCache | None:
    return next((volume.cache for volume in controller.volumes if volume.id == desired.object_id), None)
