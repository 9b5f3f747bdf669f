"""Find the LEDs of an earlier change again. Addresses may change at a reboot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from raidctl.change.journal import Story
from raidctl.change.lamp import Lamp
from raidctl.host import HostView
from raidctl.locate import ledctl, sg_ses, vendor_tools
from raidctl.locate.kernel import KernelLeds, read_kernel_leds
from raidctl.locate.targets import Wanted, resolve
from raidctl.model import Controller, Inventory
from raidctl.request import Runner, converse
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Action, Step
from raidctl.vendor.protocol import Vendor

_FILES = ("enclosure", "npem", "pci_slot")


def found_again(
    stories: Sequence[Story], runner: Runner, survey: Callable[[], Survey], vendors: Sequence[Vendor], boot: str
) -> list[Lamp]:
    """Return the LEDs that are still there, with their current commands.

    Args:
        stories: Changes without an end.
        runner: The machine.
        survey: Reads the whole machine; used only if a drive or a controller has to be found by its serial number.
        vendors: All vendor packages.
        boot: The kernel's id of this boot: within one, the addresses of tools stay.
    """
    lamps = [lamp for story in stories for lamp in story.begin.lamps]
    same_boot = {lamp.id for story in stories if boot and story.begin.boot == boot for lamp in story.begin.lamps}
    leds = converse(read_kernel_leds(), runner) if any(lamp.way in _FILES for lamp in lamps) else KernelLeds()
    seen: Survey | None = None
    found: list[Lamp] = []
    for lamp in lamps:
        if lamp.way in _FILES:
            found += _file(lamp, leds)
        elif lamp.id in same_boot and lamp.way != "ledctl":
            found.append(lamp)
        else:
            seen = seen or survey()
            found += _moved(lamp, seen, runner, vendors)
    return found


def renewed(story: Story, lamps: Sequence[Lamp]) -> Story:
    """Return the change with the commands that switch its LEDs off now."""
    off = {lamp.id: lamp.off for lamp in lamps}
    steps = tuple(_undone_by(step, off.get(step.object_id, step.undo)) for step in story.begin.steps)
    return replace(story, begin=replace(story.begin, steps=steps))


def _undone_by(step: Step, action: Action) -> Step:
    return replace(step, undo=action)


def _file(lamp: Lamp, leds: KernelLeds) -> list[Lamp]:
    """Find an enclosure by its logical identifier. Its SCSI address may belong to another one."""
    led = next((led for led in leds.all() if led.id == lamp.id), None)
    if led is None:
        return []
    on, off = (replace(action, path=led.path) for action in (lamp.on, lamp.off))
    return [replace(lamp, on=on, off=off, state=led.state)]


def _moved(lamp: Lamp, seen: Survey, runner: Runner, vendors: Sequence[Vendor]) -> list[Lamp]:
    """Find a controller by its serial number. For ledctl and sg_ses, find the drive by its own."""
    if lamp.way == "tool":
        controller = _controller(lamp, seen.inventory)
        if controller is None:
            return []
        return [lamp] if lamp.id.startswith(f"{controller.id}/") else _of_tool(lamp, controller, seen, runner, vendors)
    wanted = _drive(lamp, seen.inventory, seen.view)
    way = ledctl.find if lamp.way == "ledctl" else sg_ses.find
    fresh = converse(way(wanted), runner) if wanted else {}
    return [replace(one, id=lamp.id) for one in fresh.values() if isinstance(one, Lamp)]


def _controller(lamp: Lamp, inventory: Inventory) -> Controller | None:
    known = [c for c in inventory.controllers if lamp.controller and c.serial == lamp.controller]
    if len(known) == 1:
        return known[0]
    same = next((c for c in inventory.controllers if lamp.id.startswith(f"{c.id}/")), None)
    return same if same is not None and None in (same.serial, lamp.controller) else None


def _of_tool(lamp: Lamp, controller: Controller, seen: Survey, runner: Runner, vendors: Sequence[Vendor]) -> list[Lamp]:
    """Find the same place on a controller that has another number now."""
    place = f"{controller.id}/{lamp.id.rpartition('/')[2]}"
    drive = next((drive for drive in controller.drives if drive.id == place), None)
    if drive is None:
        return []
    wanted = [Wanted(replace(lamp.bay, object_id=place), drive, controller)]
    tools = seen.inventory.tools
    fresh = converse(vendor_tools.find(wanted, vendors, tools, lamp.limit_seconds or 0), runner)
    return [replace(one, id=lamp.id) for one in fresh.values() if isinstance(one, Lamp)]


def _drive(lamp: Lamp, inventory: Inventory, view: HostView) -> list[Wanted]:
    ids = [d.id for c in inventory.controllers for d in c.drives if lamp.bay.serial and d.serial == lamp.bay.serial]
    return resolve(inventory, view, KernelLeds(), ids[:1])
