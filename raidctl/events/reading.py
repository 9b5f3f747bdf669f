"""The dialogue that reads all event logs of a machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from raidctl.model import Controller, Inventory
from raidctl.request import Dialogue, together
from raidctl.select import family_of
from raidctl.survey.survey import Survey
from raidctl.vendor.events import Event, EventLog, events_of, not_read
from raidctl.vendor.kernel_log import KernelLog, chosen, kernel_log
from raidctl.vendor.protocol import Vendor

_ELSEWHERE = "Read it with the controller's tool, or in the web interface of its BMC."


class Logs(Struct, frozen=True, kw_only=True):
    """The logs of a machine."""

    logs: tuple[EventLog, ...]
    """The kernel's log comes first."""
    booted: str | None = None
    """When the machine was booted, UTC."""


def read_logs(
    seen: Survey, vendors: Sequence[Vendor], now: datetime | None, only: frozenset[str] | None = None
) -> Dialogue[Logs]:
    """Read the kernel log and the log of every controller.

    Args:
        seen: The machine.
        vendors: All vendor packages.
        now: Time of reading; None: unknown.
        only: Ids of the controllers whose logs are read; None: all.
    """
    kernel = yield from kernel_log(now)
    asked = [_of_family(vendor, mine, seen) for vendor, mine in _families(seen.inventory, vendors, only)]
    parts = yield from together(asked)
    mine = _of_kernel(kernel, seen, vendors)
    return Logs(logs=(mine, *(log for part in parts for log in part)), booted=kernel.booted)


def read_kernel(seen: Survey, vendors: Sequence[Vendor], now: datetime | None) -> Dialogue[Logs]:
    """Read the kernel log alone."""
    kernel = yield from kernel_log(now)
    return Logs(logs=(_of_kernel(kernel, seen, vendors),), booted=kernel.booted)


def _families(
    inventory: Inventory, vendors: Sequence[Vendor], only: frozenset[str] | None
) -> Iterator[tuple[Vendor, list[Controller]]]:
    for vendor in vendors:
        mine = [
            one for one in inventory.controllers
            if family_of(one) == vendor.FAMILY and (only is None or one.id in only)
        ]  # fmt: skip
        if mine:
            yield vendor, mine


def _of_family(vendor: Vendor, controllers: Sequence[Controller], seen: Survey) -> Dialogue[Sequence[EventLog]]:
    """The logs of one family's controllers. A package without events cannot read them, which is reported."""
    offered = events_of(vendor)
    if offered is None:
        return [
            not_read(one.id, one.id, "The event log of this family of controllers cannot be read.", _ELSEWHERE)
            for one in controllers
        ]
    names = {spec.name for spec in vendor.TOOLS}
    tools = [tool for tool in seen.inventory.tools if tool.name in names]
    log = offered.log
    # the family's lock allows only one tool at a time
    return (yield from together([log(controller, tools) for controller in controllers])) if log is not None else ()


def _of_kernel(kernel: KernelLog, seen: Survey, vendors: Sequence[Vendor]) -> EventLog:
    """The lines of the kernel log that concern drives and arrays."""
    tables = [offered.KERNEL for vendor in vendors if (offered := events_of(vendor)) is not None]
    patterns = [pattern for table in tables for pattern in table]
    patterns += list(_functions(seen.inventory))
    by_device = _devices(seen.inventory)
    events = tuple(
        Event(
            at=line.at, host_at=line.at, clock="host", level=line.level, text=line.text, uptime=line.uptime,
            object_id=by_device.get(device or "") if certain else None,
            possible_object_id=None if certain else by_device.get(device or ""),
        )
        for line, device, certain in chosen(kernel, patterns)
    )  # fmt: skip
    return EventLog(
        command=kernel.command, events=events, unparsed=kernel.unparsed, limited=kernel.limited,
        problems=kernel.problems, begins=next((line.at for line in kernel.lines), None),
    )  # fmt: skip


def _functions(inventory: Inventory) -> Iterator[re.Pattern[str]]:
    """Patterns for lines of controllers' drivers. A driver's name is usually followed by the PCI function."""
    # megaraid_sas 0000:03:00.0: 1234 (831364081s/0x0001/CRIT) - VD 00/0 is now DEGRADED
    for controller in inventory.controllers:
        driver = controller.driver or ""
        if not re.fullmatch(r"[\w-]{3,32}", driver, re.ASCII) or controller.mode in ("software", "none"):
            continue
        if controller.pci_address:
            yield re.compile(rf"{re.escape(driver)} (?P<device>{re.escape(controller.pci_address)}): ", re.ASCII)
        yield re.compile(rf"{re.escape(driver)}(?:_cm\d+)?: ", re.ASCII)


def _devices(inventory: Inventory) -> dict[str, str]:
    """The objects by kernel names and PCI functions. A volume takes precedence over the drive below."""
    found: dict[str, str] = {}
    # the kernel's lines about sdb are about the drive, not about its membership in an md array
    for controller in sorted(inventory.controllers, key=lambda one: one.mode == "software"):
        devices = [(volume.device, volume.id) for volume in controller.volumes]
        devices += [(drive.device, drive.id) for drive in controller.drives]
        for device, name in (*devices, (controller.pci_address, controller.id)):
            if device:
                found.setdefault(device.removeprefix("/dev/"), name)
    return found
