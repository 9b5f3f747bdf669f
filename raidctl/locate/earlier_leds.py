"""Find the LEDs of an earlier change again. Addresses may change at a reboot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from raidctl.change.indicator import Indicator
from raidctl.change.journal import JournaledChange
from raidctl.host import HostView
from raidctl.locate import ledctl, sg_ses, vendor_tools
from raidctl.locate.kernel import KernelLeds, read_kernel_leds
from raidctl.locate.targets import Wanted, resolve
from raidctl.model import Controller, Inventory
from raidctl.model.objects import by_id
from raidctl.request import Runner, converse
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Action, Step
from raidctl.vendor.protocol import Vendor

_FILES = ("enclosure", "npem", "pci_slot")


def found_again(
    changes: Sequence[JournaledChange],
    runner: Runner,
    survey: Callable[[], Survey],
    vendors: Sequence[Vendor],
    boot: str,
) -> list[Indicator]:
    """Return the LEDs that are still there, with their current commands.

    Args:
        changes: Those without an end.
        runner: The machine.
        survey: Reads the whole machine; used only if a drive or a controller has to be found by its serial number.
        vendors: All vendor packages.
        boot: The kernel's id of this boot: within one, the addresses of tools stay.
    """
    indicators = [indicator for journaled in changes for indicator in journaled.begin.indicators]
    same_boot = {
        indicator.id
        for journaled in changes
        if boot and journaled.begin.boot == boot
        for indicator in journaled.begin.indicators
    }
    leds = (
        converse(read_kernel_leds(), runner)
        if any(indicator.way in _FILES for indicator in indicators)
        else KernelLeds()
    )
    seen: Survey | None = None
    found: list[Indicator] = []
    for indicator in indicators:
        if indicator.way in _FILES:
            found += _file(indicator, leds)
        elif indicator.id in same_boot and indicator.way != "ledctl":
            found.append(indicator)
        else:
            seen = seen or survey()
            found += _moved(indicator, seen, runner, vendors)
    return found


def renewed(journaled: JournaledChange, indicators: Sequence[Indicator]) -> JournaledChange:
    """Return the change with the commands that switch its LEDs off now."""
    off = {indicator.id: indicator.off for indicator in indicators}
    steps = tuple(_undone_by(step, off.get(step.object_id, step.undo)) for step in journaled.begin.steps)
    return replace(journaled, begin=replace(journaled.begin, steps=steps))


def _undone_by(step: Step, action: Action) -> Step:
    return replace(step, undo=action)


def _file(indicator: Indicator, leds: KernelLeds) -> list[Indicator]:
    """Find an enclosure by its logical identifier. Its SCSI address may belong to another one."""
    led = by_id(leds.all(), indicator.id)
    if led is None:
        return []
    on, off = (replace(action, path=led.path) for action in (indicator.on, indicator.off))
    return [replace(indicator, on=on, off=off, state=led.state)]


def _moved(indicator: Indicator, seen: Survey, runner: Runner, vendors: Sequence[Vendor]) -> list[Indicator]:
    """Find a controller by its serial number. For ledctl and sg_ses, find the drive by its own."""
    if indicator.way == "tool":
        controller = _controller(indicator, seen.inventory)
        if controller is None:
            return []
        return (
            [indicator]
            if indicator.id.startswith(f"{controller.id}/")
            else _of_tool(indicator, controller, seen, runner, vendors)
        )
    wanted = _drive(indicator, seen.inventory, seen.view)
    way = ledctl.find if indicator.way == "ledctl" else sg_ses.find
    fresh = converse(way(wanted), runner) if wanted else {}
    return [replace(one, id=indicator.id) for one in fresh.values() if isinstance(one, Indicator)]


def _controller(indicator: Indicator, inventory: Inventory) -> Controller | None:
    known = [c for c in inventory.controllers if indicator.controller and c.serial == indicator.controller]
    if len(known) == 1:
        return known[0]
    same = next((c for c in inventory.controllers if indicator.id.startswith(f"{c.id}/")), None)
    return same if same is not None and None in (same.serial, indicator.controller) else None


def _of_tool(
    indicator: Indicator, controller: Controller, seen: Survey, runner: Runner, vendors: Sequence[Vendor]
) -> list[Indicator]:
    """Find the same place on a controller that has another number now."""
    place = f"{controller.id}/{indicator.id.rpartition('/')[2]}"
    drive = by_id(controller.drives, place)
    if drive is None:
        return []
    wanted = [Wanted(replace(indicator.bay, object_id=place), drive, controller)]
    tools = seen.inventory.tools
    fresh = converse(vendor_tools.find(wanted, vendors, tools, indicator.limit_seconds or 0), runner)
    return [replace(one, id=indicator.id) for one in fresh.values() if isinstance(one, Indicator)]


def _drive(indicator: Indicator, inventory: Inventory, view: HostView) -> list[Wanted]:
    ids = [
        d.id
        for c in inventory.controllers
        for d in c.drives
        if indicator.bay.serial and d.serial == indicator.bay.serial
    ]
    return resolve(inventory, view, KernelLeds(), ids[:1])
