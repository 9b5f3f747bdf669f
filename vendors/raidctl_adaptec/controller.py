"""The controller itself: its settings, versions, cache, sensors, connectors."""

from __future__ import annotations

from raidctl.evidence import mark_read
from raidctl.text import collapse
from raidctl.vendor.draft import DETAIL, ROW, Pair
from raidctl.vendor.fields import Field, Fields, read_pair
from raidctl.vendor.statuses import put_status
from raidctl_adaptec import battery, numbers, state_words, vocabulary
from raidctl_adaptec.draft import ControllerDraft, keep
from raidctl_adaptec.outline import Block
from raidctl_adaptec.vocabulary import normalized

_BRANDS: tuple[tuple[str, str], ...] = (
    ("mscc adaptec ", "Adaptec"),
    ("microsemi adaptec ", "Adaptec"),
    ("microchip adaptec ", "Adaptec"),
    ("adaptec ", "Adaptec"),
    ("ibm ", "IBM"),
    ("sun ", "Sun"),
    ("icp ", "ICP"),
    ("microsemi ", "Microsemi"),
    ("microchip ", "Microchip"),
    ("mscc ", "Microsemi"),
    ("mchp ", "Microchip"),
    ("hpe ", "HPE"),
    ("hp ", "HP"),
    ("dell ", "Dell"),
    ("fujitsu ", "Fujitsu"),
    ("lenovo ", "Lenovo"),
    ("cisco ", "Cisco"),
    ("intel ", "Intel"),
    ("supermicro ", "Supermicro"),
    ("inspur ", "Inspur"),
    ("huawei ", "Huawei"),
    ("h3c ", "H3C"),
)
"""Beginnings of models, and the maker of each."""
_DRIVE_CACHE: dict[str, str] = {
    # Global Physical Device Write Cache Policy: Drive Specific
    "global physical device write cache policy": "drive_write_cache",
    "global physical drive write cache policy": "drive_write_cache",
    # Physical Drive Write Cache Policy Information / Configured Drives : Default
    "configured drives": "drive_write_cache",
    "configured drives write cache policy": "drive_write_cache",
    "unconfigured drives": "drive_write_cache.unassigned",
    "hba drives": "drive_write_cache.passthrough",
}


def read_block(controller: ControllerDraft, block: Block) -> None:
    """A part of ``Controller information``."""
    found = battery.section_of(block.sub)
    if found is not None:
        battery.read_block(controller, block, *found)
        return
    mark_read(*block.heads)
    sensor = ""
    own = next((at for at, pair in enumerate(block.pairs) if battery.begins(pair)), len(block.pairs))
    if own < len(block.pairs):
        battery.read_untitled(controller, block.pairs[own:])
    for pair in block.pairs[:own]:
        if normalized(pair.label) == "sensor id":
            # Sensor ID                                  : 1
            sensor = f"Sensor {pair.value}: "
            mark_read(*pair.lines)
        elif sensor:
            keep(controller, pair, prefix=sensor)
        else:
            _read_pair(controller, pair, block.sub)


def _read_pair(controller: ControllerDraft, pair: Pair, sub: str) -> None:
    label = normalized(pair.label)
    if label in ("cache status details", "cache disable reason") and vocabulary.has_value(pair.value):
        controller.put(pair.lines[0], "cache.reason", collapse(pair.value), shown_as="cache.status_text")
    elif not read_pair(controller, pair, label, _FIELDS):
        read_pair(controller, pair, label, _WATCHED)
        keep(controller, pair, sub)


def _drive_cache(controller: ControllerDraft, pair: Pair) -> None:
    name = _DRIVE_CACHE[normalized(pair.label)]
    value = controller.read_field(pair, name, numbers.drive_cache_policy, shown_as=f"details[{pair.label}]")
    if value is not None:
        controller.keep_words(pair.label, pair.value)
        for line in pair.lines if name == "drive_write_cache" else ():
            controller.add_evidence(line, name, value)


def _count(controller: ControllerDraft, pair: Pair) -> None:
    controller.conclude(f"count.{normalized(pair.label).split(maxsplit=1)[0]}", pair.value, DETAIL)


def _restart(controller: ControllerDraft, pair: Pair) -> None:
    if vocabulary.has_value(pair.value) and "no" not in pair.value.lower().split():
        message = f"The controller waits for a restart of the server: {collapse(pair.value)[:80]}."
        controller.add_problem("info", "note", message, "Restart the server when possible.")


def _heat(controller: ControllerDraft, pair: Pair) -> None:
    _, opened, remark = pair.value.partition("(")
    if opened and "(normal)" not in normalized(pair.value) and vocabulary.has_value(remark.rstrip(") ")):
        controller.add_problem(
            "warning", "state", f"The controller is too hot: {pair.value}.", "Check fans and air flow."
        )


def _checksum(controller: ControllerDraft, pair: Pair) -> None:
    if normalized(pair.value) == "unknown":
        controller.unread(pair.label, pair.value)
    elif vocabulary.has_value(pair.value) and normalized(pair.value) not in ("passed", "ok"):
        controller.add_problem("warning", "state", f"The NVRAM checksum is wrong: {pair.value}.", "Contact the vendor.")


_WATCHED: Fields[ControllerDraft] = {
    # Logical devices/Failed/Degraded          : 2/0/1
    "logical devices/failed/degraded": _count,
    "logical drives/offline/critical": _count,
    "defunct disk drive count": _count,
    # Reboot Required Reasons                    : Not Available
    "reboot required reasons": _restart,
    # Temperature                              : 97 C/ 206 F (Abnormal)
    "temperature": _heat,
    "nvram checksum status": _checksum,
}
"""Details that are evaluated later, or that are warnings in themselves."""


def read_model(controller: ControllerDraft, pair: Pair, weight: int = DETAIL) -> None:
    """``Controller Model : Adaptec 6805``: maker and product."""
    model = numbers.text(pair.value)
    line = pair.lines[0]
    if model is None:
        mark_read(line)
        return
    brand = next(((start, maker) for start, maker in _BRANDS if f"{model.lower()} ".startswith(start)), None)
    rest = model[len(brand[0]) :] if brand is not None else ""
    if brand is not None and rest:
        controller.put(line, "vendor", brand[1], weight)
        controller.put(line, "model", rest, weight)
        controller.keep_words("Controller Model", model)
    else:
        controller.put(line, "model", model, weight)


def read_status(controller: ControllerDraft, pair: Pair, weight: int = DETAIL) -> None:
    """Read ``Controller Status : Optimal``.

    ``Unknown`` means that the tool could not read it, which is not a good state.
    """
    if not vocabulary.has_state(pair.value):
        keep(controller, pair)
        return
    health = vocabulary.health(vocabulary.CONTROLLER_STATUS, pair.value)
    put_status(controller, pair.lines, "controller", health, text=pair.value, weight=weight)


def _cache_status(controller: ControllerDraft, pair: Pair) -> None:
    """``Cache Status : Temporarily Disabled``."""
    if not vocabulary.has_state(pair.value):
        keep(controller, pair)
        return
    health = vocabulary.health(state_words.CACHE_STATUS, pair.value)
    put_status(controller, pair.lines, "cache", health, text=pair.value, prefix="cache.")


def read_connector(controller: ControllerDraft, block: Block) -> None:
    """``Connector #0`` with its lanes: details of the controller."""
    mark_read(*block.heads)
    parts = [f"Connector #{block.name}" if block.name else "Connector", block.item, _part(block)]
    prefix = "".join(f"{part}: " for part in parts if part)
    for pair in block.pairs:
        keep(controller, pair, prefix=prefix)


def _part(block: Block) -> str:
    return "Phy" if "phy information" in normalized(block.sub) else ""


def read_maxcache(controller: ControllerDraft, block: Block) -> None:
    """``maxCache device number 100``: SSDs that cache other volumes.

    The system does not see this device, so it is not a volume.
    """
    mark_read(*block.heads)
    prefix = f"maxCache device {block.name}: " if block.name else "maxCache: "
    for pair in block.pairs:
        keep(controller, pair, prefix=prefix)
        if normalized(pair.label).startswith("status of max") and vocabulary.has_state(pair.value):
            known = vocabulary.volume_word(pair.value)[0]
            if known is None or known.status not in ("ok", "checking"):
                controller.add_problem(
                    "warning",
                    "state",
                    f"maxCache device {block.name} has a problem: {pair.value}.",
                    "Check its drives.",
                )


def read_version(controller: ControllerDraft, block: Block) -> None:
    """``getversion``: ``Controller #1`` and the versions below."""
    mark_read(*block.heads)
    for pair in block.pairs:
        if normalized(pair.label) == "firmware":
            controller.read_field(pair, "firmware", numbers.text, ROW)
        else:
            keep(controller, pair, "Version")


_FIELDS: Fields[ControllerDraft] = {
    # Controller Mode                            : RAID (Expose RAW)
    **dict.fromkeys(
        ("controller mode", "operational mode", "functional mode", "mode"), Field("mode", numbers.mode, keep=True)
    ),
    # Controller Model                         : Adaptec 6805
    "controller model": read_model,
    # Controller Status                        : Optimal
    "controller status": read_status,
    # Cache Status                               : Ok
    "cache status": _cache_status,
    **dict.fromkeys(_DRIVE_CACHE, _drive_cache),
    "controller serial number": Field("serial", numbers.text),
    "physical slot": Field("slot", numbers.text),
    "firmware": Field("firmware", numbers.text),
    "firmware version": Field("firmware", numbers.text),
    # Driver Name                                : smartpqi
    "driver name": Field("driver", numbers.driver),
    "pci address (domain:bus:device:function)": Field("pci_address", numbers.pci_address),
    "pci address (bus:device:function)": Field("pci_address", numbers.pci_address),
    "pci address": Field("pci_address", numbers.pci_address, ROW),
    # Installed memory                         : 512 MB
    "installed memory": Field("cache.size_bytes", numbers.size),
    # Cache memory                               : 3856 MB
    "cache memory": Field("cache.size_bytes", numbers.size),
    "total cache memory": Field("cache.size_bytes", numbers.size, ROW),
    "total cache size": Field("cache.size_bytes", numbers.size, ROW),
    "cache size": Field("cache.size_bytes", numbers.size, ROW),
    "total cache memory available": Field("cache.available_bytes", numbers.size),
    "read cache percentage": Field("cache.read_percent", numbers.percent),
    "write cache percentage": Field("cache.write_percent", numbers.percent),
    "no-battery write cache": Field("cache.no_battery_write_cache", numbers.flag),
}
