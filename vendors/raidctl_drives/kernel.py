"""Plain drives as kernel and udev report them, for lists without tools."""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.evidence import Output
from raidctl.host import BlockDevice, HostView
from raidctl_drives.draft import DriveDraft
from raidctl_drives.plain import is_virtual

SOURCE = "kernel (udev, sysfs)"
_CACHES = {
    "write back": "enabled",
    "write through": "disabled",
    "none": "disabled",
    "write back, no read (daft)": "enabled",
}
"""The words of ``queue/write_cache`` and of ``cache_type``."""


def cache_word(text: str | None) -> str | None:
    """``enabled`` or ``disabled`` from the kernel's word for a cache. None for a word that the kernel does not use."""
    return _CACHES.get((text or "").strip())


class Rows:
    """Rows ``/dev/sda: model EXAMPLE``. Each becomes a line of the output with its fact."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, object]] = []

    def add(self, text: str, name: str, value: object) -> None:
        """Add a line and its field (``details[…]`` for a detail). A value of None gives no line."""
        if value is not None and value != "":
            self.rows.append((text, name, value))


def kernel_draft(
    paths: Sequence[BlockDevice], host: HostView, cache_types: Sequence[tuple[str, str | None]] = ()
) -> tuple[DriveDraft, Output]:
    """Facts about a drive without any tool.

    Args:
        paths: The block devices of the drive; the first one represents it.
        host: The machine, with what is on its block devices.
        cache_types: Files ``cache_type`` of the drive and their contents.
    """
    rows = Rows()
    block = paths[0]
    _identity(rows, block, _namespaces(paths))
    _queue(rows, block, cache_types)
    _layers(rows, paths, host)
    output = Output.of_lines(SOURCE, (text for text, _, _ in rows.rows))
    draft = DriveDraft(f"{SOURCE} {block.name}")
    for line, (_, name, value) in zip(output.lines, rows.rows, strict=True):
        if name.startswith("details["):
            draft.detail(line, name[len("details[") : -1], str(value))
        else:
            draft.put(line, name, value)
    draft.at_device(block.node)
    return draft, output


def _namespaces(paths: Sequence[BlockDevice]) -> list[BlockDevice]:
    """Group a drive's namespaces: one serial number, separate names and sizes."""
    if paths[0].transport != "nvme":
        return [paths[0]]
    return list({path.wwn or path.name: path for path in reversed(paths)}.values())[::-1]


def _identity(rows: Rows, block: BlockDevice, spaces: Sequence[BlockDevice]) -> None:
    node = block.node
    sizes = [space.size_bytes for space in spaces if space.size_bytes is not None]
    rows.add(f"{node}: block device", "device", node)
    rows.add(f"{node}: model {block.model}", "model", block.model)
    rows.add(f"{node}: serial number {block.serial}", "serial", block.serial)
    rows.add(f"{node}: firmware {block.firmware}", "firmware", block.firmware)
    rows.add(f"{node}: world wide name {block.wwn}", "wwn", block.wwn)
    nodes = ", ".join(space.node for space in spaces)
    if len(spaces) > 1:
        rows.add(f"{node}: one namespace of a drive with {nodes}", "details[namespaces]", nodes)
    rows.add(f"{nodes}: {sum(sizes)} bytes", "size_bytes", sum(sizes) or None)
    rows.add(f"{node}: vendor {block.vendor}", "details[vendor]", block.vendor)
    interface = "virtual" if is_virtual(block) else block.interface
    rows.add(f"{node}: attached by {block.transport or 'a hypervisor'}", "interface", interface)
    if block.rotational is not None and interface not in ("virtual", "usb"):
        # hypervisors and USB adapters report "rotational" for everything
        media = "hdd" if block.rotational else "ssd"
        rows.add(f"{node}: rotational {int(block.rotational)}", "media", media)
    rows.add(f"{node}: attached to {block.controller}", "details[controller]", block.controller)
    rows.add(f"{node}: SCSI address {block.scsi_address}", "details[SCSI address]", block.scsi_address)
    if block.removable:
        rows.add(f"{node}: removable", "details[removable]", "yes")


def _queue(rows: Rows, block: BlockDevice, cache_types: Sequence[tuple[str, str | None]]) -> None:
    """The kernel's view of the write cache. ``cache_type`` is the drive's value at detection.

    ``write through`` in ``queue/write_cache`` does not show that the cache is off. An administrator can write it, and a
    drive that does not report its cache has it too. A USB adapter rarely passes on the drive's ``cache_type``.
    """
    word = block.write_cache
    rows.add(f"{block.node}: queue/write_cache {word}", "details[queue/write_cache]", word)
    asked = [] if block.transport == "usb" else cache_types
    reported = next((text for _, text in asked if cache_word(text)), None)
    for path, text in cache_types:
        rows.add(f"{path}: {(text or '').strip()}", "details[cache_type]", (text or "").strip())
    best = reported or word
    name = "cache_type" if reported else "queue/write_cache"
    if reported or cache_word(word) == "enabled":
        rows.add(f"{block.node}: {name} {(best or '').strip()} (write cache)", "write_cache", cache_word(best))
    if is_virtual(block) and cache_word(best):
        rows.add(
            f"{block.node}: virtual disk, the hypervisor decides what a flush does",
            "details[write cache]",
            "as the kernel sees it; the hypervisor decides what a flush reaches",
        )


def _layers(rows: Rows, paths: Sequence[BlockDevice], host: HostView) -> None:
    first = paths[0]
    if first.transport == "sas":
        rows.add(f"{first.node}: paths {len(paths)}", "details[paths]", len(paths))
    if len(paths) > 1:
        nodes = ", ".join(path.node for path in paths)
        rows.add(f"{first.node}: the same drive as {nodes}", "details[devices]", nodes)
    above = [device for path in paths for device in host.above(path.name)]
    multipath = sorted({f"/dev/mapper/{d.dm_name}" for d in above if d.dm_name and len(d.slaves) > 1})
    if len(paths) > 1 and multipath:
        rows.add(f"{first.node}: paths joined in {multipath[0]}", "details[multipath]", multipath[0])
