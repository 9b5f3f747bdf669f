"""The keys of ``raidctl-mfi``'s JSON, and their meaning in the model.

Pure data. A name of None makes a key a detail.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from raidctl.text import printable, regex
from raidctl_megaraid import bbu_mask, vocabulary

T = TypeVar("T")
Table = dict[str, tuple[str | None, Callable[[Any], Any]]]
_PCI = regex(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_LARGEST = 1 << 63


def text(value: object) -> str | None:
    """A text that is not blank."""
    if not isinstance(value, str):
        raise TypeError(f"not a text: {value!r}")
    return printable(value).strip() or None


def count(value: object) -> int:
    """A whole number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST:
        raise ValueError(f"not a count: {value!r}")
    return value


def percent(value: object) -> int:
    """0 to 100."""
    if count(value) > 100:
        raise ValueError(f"not a percentage: {value!r}")
    return count(value)


def flag(value: object) -> bool:
    """Yes or no."""
    if not isinstance(value, bool):
        raise TypeError(f"neither true nor false: {value!r}")
    return value


def volts(value: object) -> float:
    """A voltage."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 100:
        raise ValueError(f"not a voltage: {value!r}")
    return float(value)


def _pci(value: object) -> str:
    if not isinstance(value, str) or not _PCI.fullmatch(value):
        raise ValueError(f"not the address of a PCI function: {value!r}")
    return value


def _listed(value: object) -> str | None:
    return ", ".join(str(one) for one in value) if isinstance(value, list) else text(value)


def _word(parse: Callable[[str], T | None]) -> Callable[[object], T | None]:
    """A reader of one of the family's words. Any value other than text is refused."""
    return lambda value: parse(text(value) or "")


CONTROLLER: Table = {
    "product_name": ("model", text),
    "serial_number": ("serial", text),
    "pci_address": ("pci_address", _pci),
    "memory_bytes": ("cache.size_bytes", count),
    "package_version": (None, text),
    "scsi_host": (None, count),
    "pci_ids": (None, text),
}
PROPERTIES: Table = {
    "cache_flush_interval_seconds": ("cache.flush_interval_seconds", count),
    "rebuild_rate": (None, count),
    "patrol_read_rate": (None, count),
    "bgi_rate": (None, count),
    "cc_rate": (None, count),
    "recon_rate": (None, count),
    "disable_auto_rebuild": (None, count),
    "alarm_enable": (None, count),
}
BATTERY: Table = {
    "type": ("kind", {"iBBU": "battery", "BBU": "battery"}.get),
    "status_bits": ("status", lambda value: bbu_mask.status(count(value))),
    "status": ("status_text", _listed),
    "charge_percent": ("charge_percent", percent),
    "temperature_celsius": ("temperature_celsius", count),
    "voltage_volts": ("voltage_volts", volts),
}
LEARN: Table = {"mode": (None, text), "period_seconds": (None, count), "next": ("next_learn_at", text)}
ARRAY: Table = {"missing": (None, count)}
VOLUME: Table = {
    "name": ("name", text),
    "raid_level": ("raid_level", _word(vocabulary.raid_level)),
    "size_bytes": ("size_bytes", count),
    "strip_bytes": ("strip_bytes", count),
    "wwn": ("unique_id", text),
    "drives_per_span": (None, count),
    "spans": (None, count),
    "initialised": (None, text),
    "consistent": (None, flag),
}
DRIVE: Table = {
    "device_id": (None, count),
    "sas_address": (None, text),
    "vendor": (None, text),
    "model": ("model", text),
    "firmware": ("firmware", text),
    "serial": ("serial", text),
    "size_bytes": ("size_bytes", count),
    "raw_bytes": (None, count),
    "interface": ("interface", _word(vocabulary.interface)),
    "media_errors": ("errors.media", count),
    "other_errors": ("errors.other", count),
    "predicted_failures": ("errors.predictive", count),
    "temperature_celsius": ("temperature_celsius", count),
    "write_cache": ("write_cache", _word(vocabulary.switch)),
    "foreign": ("foreign", flag),
    "spare": (None, flag),
}
