"""Values of settings: words of the command line, and current values."""

from __future__ import annotations

import re
from collections.abc import Mapping

from raidctl.errors import UsageError
from raidctl.model import Controller, Volume
from raidctl.text import attempt, chosen, regex
from raidctl.vendor.plan import Setting

WRITE = ("write-through", "protected-write-back", "unprotected-write-back", "off")
WRITE_ALSO: Mapping[str, str] = {
    **dict.fromkeys(("wt", "writethrough"), "write-through"),
    **dict.fromkeys(("wb", "wbb", "writeback", "write-back"), "protected-write-back"),
    **dict.fromkeys(("awb", "fwb", "always-write-back", "forced-write-back"), "unprotected-write-back"),
}
"""Words of vendors' tools for the write policies. ``wb`` is the safe one, except in arcconf."""
READ = ("none", "read-ahead", "adaptive", "off")
IO = ("direct", "cached")
JOURNAL = ("write-through", "write-back")
SWITCH = ("on", "off")
SWITCH_ALSO: Mapping[str, str] = {"enabled": "on", "disabled": "off"}
"""The words that ``raidctl show --json`` and ``verify`` have for them."""
_SWITCHED: Mapping[str, str] = {"on": "enabled", "off": "disabled", "default": "default"}

LABELS: Mapping[Setting, str] = {
    "write_policy": "write policy",
    "read_policy": "read policy",
    "io_policy": "I/O policy",
    "drive_write_cache": "write cache of the drives",
    "cache_split": "cache split (read/write)",
    "no_battery_write_cache": "write cache without a battery",
    "flush_interval": "flush interval",
    "bypass_threshold": "bypass threshold",
    "write_cache": "write cache",
    "read_ahead": "read-ahead (KiB)",
    "stripe_cache_size": "stripe cache size",
    "journal_mode": "journal mode",
    "dirty_limit": "dirty limit",
    "dirty_background_limit": "dirty background limit",
    "dirty_expire": "dirty expiry (centiseconds)",
    "dirty_writeback": "writeback interval (centiseconds)",
    "writeback_percent": "writeback percent",
    "cache_mode": "cache mode",
    "high_watermark": "high watermark",
    "low_watermark": "low watermark",
    "sync_speed_min": "minimum speed of rebuilds and checks (KiB/s per drive)",
    "sync_speed_max": "maximum speed of rebuilds and checks (KiB/s per drive)",
    "rebuild_rate": "rebuild rate",
    "check_rate": "consistency check rate",
    "patrol_read_rate": "patrol read rate",
    "initialize_rate": "background initialisation rate",
    "expand_rate": "expansion rate",
    "locate": "locate LED",
    "alarm": "alarm",
    "schedule_enabled": "schedule",
    "schedule_times": "times",
    "schedule_drop_in": "raidctl's drop-in",
}
"""The name of each setting in messages."""

_KERNEL: frozenset[Setting] = frozenset({
    "dirty_limit", "dirty_background_limit", "dirty_expire", "dirty_writeback", "writeback_percent", "cache_mode",
    "stripe_cache_size", "read_ahead", "schedule_enabled", "schedule_times", "schedule_drop_in",
})  # fmt: skip
"""Settings of the kernel and of schedules. They are details of a volume under the same names."""


SPEEDS: tuple[Setting, ...] = ("sync_speed_min", "sync_speed_max")
"""Speeds of md arrays: ``system``, or KiB per second and drive."""
RATES: Mapping[Setting, str] = {
    "rebuild_rate": "rebuild", "check_rate": "check", "patrol_read_rate": "patrol_read",
    "initialize_rate": "initialize", "expand_rate": "expand",
}  # fmt: skip
"""Rates of controllers, and the fields of :class:`raidctl.model.Rates` that show them."""
# 1000 (system): the machine's own limit; 50000 (local): that of the array
_SPEED = regex(r"(\d{1,12}) \((system|local)\)", re.ASCII)
ENDLESS = "With a rate of 0 a rebuild never ends, and until then the data has less redundancy."


def speed(text: str) -> str | None:
    """``system`` of ``1000 (system)``, ``50000`` of ``50000 (local)``; None if it is neither."""
    match = _SPEED.fullmatch(text.strip())
    return None if match is None else match[2] if match[2] == "system" else match[1]


def endless(setting: Setting, value: str) -> bool:
    """Whether a rebuild would never end with this value."""
    return setting in ("rebuild_rate", *SPEEDS) and value.strip("% ") in ("0", "00", "000")


UNMODELLED: frozenset[Setting] = frozenset({"bypass_threshold", "locate"})
"""Settings without a field in the model. Only their family can read the current value."""


def neutral(word: str) -> str:
    """Convert a word of the command line to the model's spelling. ``protected-write-back`` gets underscores."""
    return word.replace("-", "_")


def spelt(value: str) -> str:
    """Convert a value of the model to the text on the screen.

    ``protected_write_back`` gets hyphens; ``1 bytes``, the model's form of a number with its unit, is ``1 byte``.
    """
    return "1 byte" if value == "1 bytes" else value.replace("_", "-")


def switched(word: str) -> str:
    """Convert ``on`` to ``enabled``, ``off`` to ``disabled``."""
    return _SWITCHED[word]


def split(text: str) -> tuple[int, int]:
    """Read and write percent of ``25/75``.

    Raises:
        UsageError: It is not such a pair, or does not add up to 100.
    """
    read, slash, write = text.partition("/")
    if not (slash and read.isdecimal() and write.isdecimal()):
        raise UsageError(f'"{text}" is not a split: write READ/WRITE in percent, such as 25/75.')
    if int(read) + int(write) != 100:
        raise UsageError(f'"{text}" does not add up to 100: write READ/WRITE in percent, such as 25/75.')
    return int(read), int(write)


def value(controller: Controller, object_id: str, setting: Setting) -> str | None:
    """The current value of a setting; None if it is unknown."""
    if object_id == controller.id:
        return _of_controller(controller, setting)
    for volume in controller.volumes:
        if volume.id == object_id:
            return _of_volume(volume, setting)
    for drive in controller.drives:
        if drive.id == object_id:
            return drive.write_cache if setting == "write_cache" else None
    return None


def _of_controller(controller: Controller, setting: Setting) -> str | None:
    if setting in RATES:
        rate: str | None = getattr(controller.rates, RATES[setting], None)
        return rate
    if setting == "locate":
        return controller.details.get(setting)
    if setting == "alarm":
        on = controller.alarm.on if controller.alarm is not None else None
        return None if on is None else "enabled" if on else "disabled"
    cache = controller.cache
    if cache is None:
        return None
    if setting == "cache_split" and cache.read_percent is not None and cache.write_percent is not None:
        return f"{cache.read_percent}/{cache.write_percent}"
    if setting == "no_battery_write_cache" and cache.no_battery_write_cache is not None:
        return "enabled" if cache.no_battery_write_cache else "disabled"
    if setting == "flush_interval" and cache.flush_interval_seconds is not None:
        return str(cache.flush_interval_seconds)
    return None


def _of_volume(volume: Volume, setting: Setting) -> str | None:
    cache = volume.cache
    if cache is not None and setting in ("write_policy", "read_policy", "io_policy", "drive_write_cache"):
        value: str | None = getattr(cache, setting)
        return value
    if setting in SPEEDS:
        return speed(volume.details.get(setting, ""))
    if setting == "journal_mode":
        return attempt(chosen, volume.details.get(setting, ""))
    return volume.details.get(setting) if setting in _KERNEL else None
