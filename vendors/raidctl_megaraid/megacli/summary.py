"""``-ShowSummary``: one screen of everything, without the numbers of controllers and enclosures."""

from __future__ import annotations

import re

from raidctl.text import collapse, regex
from raidctl.vendor.draft import ROW, Draft, GroupDraft, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl.vendor.statuses import put_status, read_status, report_bad_status
from raidctl_megaraid.draft import ControllerDraft
from raidctl_megaraid.megacli import battery, numbers, volume
from raidctl_megaraid.megacli.level import plain_level
from raidctl_megaraid.megacli.outline import Block
from raidctl_megaraid.storcli.controller_words import has_status, health
from raidctl_megaraid.vocabulary import drive_state, has_value, interface, media, normalized

# PERC H710 Adapter(Bus 0, Dev 0)
_PRODUCT = regex(r"(.*?)\s*\(\s*Bus\s*(\w{1,5})\s*,\s*Dev\s*(\w{1,5})\s*\)", re.IGNORECASE | re.ASCII)
# 00<Internal><Encl Pos 1 >: Slot 3
_CONNECTOR = regex(r"(.{0,80}?)\s*:\s*Slot\s*(\d{1,5})", re.IGNORECASE | re.ASCII)
_ENCLOSURE_POSITION = regex(r"<\s*Encl Pos\s*(\d{1,5})\s*>", re.IGNORECASE | re.ASCII)
_PARTS = regex(r"\w+")
# Target Id 0 ,VD name Virtual Disk 0
_TARGET = regex(r"Target Id\s*(\d{1,5})\s*(?:,\s*VD name\s*(.*))?", re.IGNORECASE | re.ASCII)
POSITION = "Enclosure position"
ONLY_SUMMARY = "summary"
"""Mark of drives without a reported enclosure. They are joined with others of the same slot (:func:`join_drives`)."""


def read_block(controller: ControllerDraft, block: Block) -> None:
    """One paragraph; its name is the title above it."""
    readers = {
        "Controller": _controller, "BBU": _bbu, "CacheVault": _bbu, "PD": _drive, "Virtual Drives": _volume,
        "Foreign Drives": _drive, "Unconfigured Drives": _drive,
    }  # fmt: skip
    reader = readers.get(block.name)
    if reader is not None:
        reader(controller, block)
        return
    prefix = "Enclosure " if block.name == "Enclosure" else ""
    for item in block.items:
        controller.keep_detail(item.pair, prefix)
        if not prefix:
            report_bad_status(controller, item.pair)
        if prefix and item.label == "status" and normalized(item.pair.value) not in ("ok", "normal", "optimal"):
            controller.add_problem(
                "warning", "state", f"An enclosure's status is {item.pair.value}.", "Check the enclosure."
            )


def _controller(controller: ControllerDraft, block: Block) -> None:
    for item in block.items:
        if not read_pair(controller, item.pair, item.label, _CONTROLLER):
            controller.keep_detail(item.pair)


def _product(controller: Draft, pair: Pair) -> None:
    """``ProductName       : PERC H710 Adapter(Bus 0, Dev 0)``."""
    match = _PRODUCT.fullmatch(pair.value)
    controller.put(pair.lines[0], "model", match[1] if match else pair.value, ROW)
    controller.keep_detail(pair)


def _package(controller: Draft, pair: Pair) -> None:
    """``FW Package Version: 21.1.0-0007``."""
    controller.keep_detail(pair)
    controller.put(pair.lines[0], "firmware", pair.value, ROW)


def _bbu(controller: ControllerDraft, block: Block) -> None:
    for item in block.items:
        if item.label in ("bbu type", "type", "cachevault type"):
            battery.read_summary_kind(controller, item.pair)
        elif item.label == "status":
            battery.read_summary(controller, item.pair)
        else:
            controller.keep_detail(item.pair, f"{block.name} ")


def _drive(controller: ControllerDraft, block: Block) -> None:
    """A drive below ``PD``. The list also has backplanes, of no known type and without capacity."""
    pairs = {item.label: item.pair for item in block.items}
    connector = pairs.get("connector")
    match = _CONNECTOR.fullmatch(connector.value) if connector is not None else None
    if match is None and "state" in pairs and not _backplane(pairs):
        controller.unread("state of a drive without its slot", pairs["state"].value[:80])
    if match is None or _backplane(pairs):
        for item in block.items:
            controller.keep_detail(item.pair, f"{match[1]} {match[2]} " if match else "PD ")
        return
    position = _ENCLOSURE_POSITION.search(match[1])
    drive = controller.drive(_key(controller, match[2], match[1]))
    drive.conclude(ONLY_SUMMARY, match[1])
    if connector is not None:
        drive.keep_detail(connector)
        drive.put(connector.lines[0], "bay", match[2], ROW)
    if position:
        drive.keep_words(POSITION, position[1])
    if block.name == "Foreign Drives":
        drive.put(None, "foreign", value=True)
    for item in block.items:
        if item.label != "connector" and not read_pair(drive, item.pair, item.label, _DRIVE):
            drive.keep_detail(item.pair)


def _key(controller: ControllerDraft, slot: str, connector: str) -> str:
    """A key like ``:3``, as the enclosure is not reported. Two drives in one slot differ by connector."""
    free = f":{slot}"
    taken = controller.drives.get(free)
    if taken is None or (ONLY_SUMMARY in taken.values and taken.values[ONLY_SUMMARY][1] == connector):
        return free
    return f"{' '.join(_PARTS.findall(connector))}:{slot}"


def _backplane(pairs: dict[str, Pair]) -> bool:
    kind, capacity = pairs.get("disk type"), pairs.get("capacity")
    return (
        kind is not None and capacity is not None
        and normalized(kind.value).startswith(("unknown", "ses", "sgpio")) and capacity.value.split(" ")[0] == "0"
    )  # fmt: skip


def _model(drive: Draft, pair: Pair) -> None:
    """``Product Id         : ST600MM0006``: sixteen characters, which cut the models of SATA drives."""
    if has_value(pair.value):
        drive.put(pair.lines[0], "model", collapse(pair.value), ROW)
    else:
        drive.keep_detail(pair)


def _state(drive: Draft, pair: Pair) -> None:
    """``State              : Online``, ``Unconfigured Good``, ``Global HotSpare``."""
    if not has_value(pair.value):
        drive.keep_detail(pair)
        return
    found = drive_state(pair.value) or drive_state(pair.value.split(",")[0])
    put_status(drive, pair.lines, "drive", found.health if found else None, text=pair.value, weight=ROW)
    if found is not None and found.role is not None:
        drive.put(pair.lines[0], "role", found.role, ROW)


def _disk_type(drive: Draft, pair: Pair) -> None:
    """``Disk Type          : SATA,Solid State Device``."""
    attached, _, kind = pair.value.partition(",")
    drive.read_field(Pair(pair.label, attached, pair.lines), "interface", interface, ROW)
    if kind:
        drive.read_field(Pair(pair.label, kind, pair.lines), "media", media, ROW)


def _volume(controller: ControllerDraft, block: Block) -> None:
    first = next((item.pair for item in block.items if item.label == "virtual drive"), None)
    match = _TARGET.fullmatch(first.value) if first is not None else None
    if match is None or first is None:
        for item in block.items:
            controller.keep_detail(item.pair, "Virtual drive ")
        return
    target = str(int(match[1]))
    draft = controller.volume(target)
    draft.put(first.lines[0], "target", int(target), ROW)
    if (match[2] or "").strip():
        draft.put(first.lines[0], "name", match[2].strip(), ROW)
    for item in block.items:
        if item.pair is not first and not read_pair(draft, item.pair, item.label, _VOLUME):
            draft.keep_detail(item.pair)


def join_drives(controller: ControllerDraft) -> None:
    """Join the drives of the summary with those of the lists."""
    alone = [key for key, drive in controller.drives.items() if ONLY_SUMMARY in drive.values]
    others: dict[str, list[str]] = {}
    for key, drive in controller.drives.items() if alone else ():
        if ONLY_SUMMARY not in drive.values:
            others.setdefault(key.rpartition(":")[2], []).append(key)
    for key in alone:
        drive = controller.drives[key]
        fitting = [name for name in others.get(key.rpartition(":")[2], ()) if _fits(controller.drives[name], drive)]
        if len(fitting) == 1:
            drive.discard(ONLY_SUMMARY)
            controller.drives[fitting[0]].absorb(controller.drives.pop(key))


def _fits(one: Draft, other: Draft) -> bool:
    mine, its = one.get("model"), other.get("model")
    return not (mine and its) or str(mine).startswith(str(its)) or str(its).startswith(str(mine))


_CONTROLLER: Fields[ControllerDraft] = {
    **dict.fromkeys(("productname", "product name"), _product),
    "fw package version": _package,
    # Status            : Optimal
    "status": lambda controller, pair: read_status(controller, pair, "controller", health, has_status, weight=ROW),
}
_DRIVE: Fields[Draft] = {
    "product id": _model,
    "state": _state,
    # Capacity           : 278.875 GB
    "capacity": Field("size_bytes", numbers.nonzero_size, ROW),
    "disk type": _disk_type,
}
_VOLUME: Fields[GroupDraft] = {
    # Size               : 1.090 TB
    "size": Field("size_bytes", numbers.nonzero_size, ROW),
    # State              : Optimal
    "state": lambda draft, pair: volume.state(draft, pair, ROW),
    # RAID Level         : 5
    "raid level": Field("raid_level", plain_level, ROW),
}
