"""Drives by the PCI function that they are attached to."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from raidctl.evidence import Output
from raidctl.host import BlockDevice, HostView, PciDevice
from raidctl.model import Controller, Drive, Mode, Problem
from raidctl.text import listing
from raidctl_drives.capability import FAMILY, SUPPORT
from raidctl_drives.kernel import SOURCE, cache_word
from raidctl_drives.plain import HBA_DRIVERS, has_no_capacity, is_virtual
from raidctl_drives.to_model import Group, Source, drive_of, identify, problems_of, write_evidence

_SHOWN = 4


class Found(Struct, frozen=True):
    """A drive with its paths and what was read of it."""

    paths: Sequence[BlockDevice]
    sources: list[Source]


def controllers_of(found: Sequence[Found], host: HostView) -> tuple[list[Controller], list[Problem]]:
    """The controllers with their drives, and the problems of the drives."""
    functions = {device.address: device for device in host.pci}
    groups = [Group(one.sources, fallback=one.paths[0].name) for one in found]
    drives: dict[str | None, list[Drive]] = {}
    virtual: dict[str | None, list[BlockDevice]] = {}
    problems: list[Problem] = []
    ids = identify(groups)
    for one, group, object_id in zip(found, groups, ids, strict=True):
        block = one.paths[0]
        drive = drive_of(group, object_id)
        drives.setdefault(block.pci_address, []).append(
            msgspec.structs.replace(drive, device=block.node, role="passthrough")
        )
        problems += problems_of(group, object_id)
        problems += _contradiction(drive, block)
        problems += [_no_capacity(drive, block)] if all(map(has_no_capacity, one.paths)) else []
        if is_virtual(block):
            virtual.setdefault(block.pci_address, []).append(block)
    write_evidence(groups, ids)
    controllers = [
        _controller(functions.get(address or ""), address, listed, virtual.get(address, []))
        for address, listed in drives.items()
    ]
    all_virtual = [block for blocks in virtual.values() for block in blocks]
    if all_virtual:
        problems.append(_virtual(all_virtual, host, whole=len(all_virtual) == len(found)))
    return controllers, problems


def controller_output(controllers: Sequence[Controller]) -> Output:
    """Where the controllers' facts were read. There is one line of the kernel's side for each."""
    rows = [
        (controller.id, name, value, f"{controller.pci_address or controller.id}: {name.replace('_', ' ')} {value}")
        for controller in controllers
        for name, value in (
            ("pci_address", controller.pci_address),
            ("driver", controller.driver),
            ("vendor", controller.vendor),
            ("model", controller.model),
            ("drives", len(controller.drives)),
        )
        if value is not None
    ]
    output = Output.of_lines(SOURCE, (text for _, _, _, text in rows))
    for line, (object_id, name, value, _) in zip(output.lines, rows, strict=True):
        line.fact(object_id, name, value)
    return output


def _controller(
    function: PciDevice | None, address: str | None, drives: Sequence[Drive], virtual: Sequence[BlockDevice]
) -> Controller:
    driver = function.driver if function else next((block.driver for block in virtual if block.driver), None)
    mode: Mode = "hba" if driver in HBA_DRIVERS else "none"
    return Controller(
        id=f"{FAMILY}:{address or 'virtual'}",
        vendor=function.vendor if function else None,
        model=function.model if function else None,
        driver=driver,
        pci_address=address,
        mode=mode,
        drives=tuple(drives),
        capabilities=SUPPORT,
    )


def _contradiction(drive: Drive, block: BlockDevice) -> list[Problem]:
    """Report a write cache that is on, but off for the kernel. The kernel sends the flushes."""
    if is_virtual(block) or drive.write_cache != "enabled" or cache_word(block.write_cache) != "disabled":
        return []
    return [
        Problem(
            severity="warning",
            where=drive.id,
            message=f"The write cache of {block.node} is on, but the kernel considers it off and sends no flushes: "
            "a power failure can lose written data.",
            remedy=f"Rescan: echo 1 > /sys/block/{block.name}/device/rescan; or disable the cache.",
            kind="state",
        )
    ]


def _no_capacity(drive: Drive, block: BlockDevice) -> Problem:
    return Problem(
        severity="warning",
        where=drive.id,
        message=f"The kernel shows a size of 0 for {block.node}: it cannot read the drive.",
        remedy="Read the kernel's log (dmesg). Check cable and power; replace a failed drive; format one whose sectors "
        "Linux does not support (sg_format).",
        kind="state",
    )


def _virtual(blocks: Sequence[BlockDevice], host: HostView, *, whole: bool) -> Problem:
    nodes = [block.node for block in blocks]
    shown = listing(nodes) if len(nodes) <= _SHOWN else f"{len(nodes)} drives"
    one = len(nodes) == 1
    by = f" ({host.virtual})" if host.virtual and host.virtual != "unknown" else ""
    subject = "This is a virtual machine: " if whole and host.virtual else ""
    return Problem(
        severity="info",
        where=FAMILY,
        message=f"{subject}{shown} {'is a virtual disk' if one else 'are virtual disks'} of the hypervisor{by}. The "
        f"RAID level and caches below {'it' if one else 'them'} are known only to the host.",
        remedy="Run raidctl on the host, or ask the provider how the volume is protected; what Linux itself builds on "
        "it (md) is shown here.",
        kind="note",
    )
