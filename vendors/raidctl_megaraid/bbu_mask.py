"""``BBU Status`` of a MegaRAID controller: a bit mask of the battery's problems.

FreeBSD's driver defines bits 0 to 12 (``mfireg.h``, ``MFI_BBU_STATE_…``). The tools print those above only as words
(``No space to cache offload``), so their numbers are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.model import BatteryStatus

MISSING, VOLTAGE_LOW, TEMPERATURE_HIGH, CHARGING, DISCHARGING = (1 << bit for bit in range(5))
LEARN_REQUESTED, LEARN_ACTIVE, LEARN_FAILED, LEARN_TIMEOUT, BUS_ERROR = (1 << bit for bit in range(5, 10))
REPLACE, CAPACITY_LOW, LEARN_REQUIRED = (1 << bit for bit in range(10, 13))

BITS: dict[int, str] = {
    MISSING: "pack missing",
    VOLTAGE_LOW: "voltage low",
    TEMPERATURE_HIGH: "temperature high",
    CHARGING: "charging",
    DISCHARGING: "discharging",
    LEARN_REQUESTED: "learn cycle requested",
    LEARN_ACTIVE: "learn cycle active",
    LEARN_FAILED: "learn cycle failed",
    LEARN_TIMEOUT: "learn cycle timed out",
    BUS_ERROR: "I2C errors",
    REPLACE: "replacement required",
    CAPACITY_LOW: "remaining capacity low",
    LEARN_REQUIRED: "periodic learn cycle required",
}

_WIDEST = 32
_STATES: tuple[tuple[int, BatteryStatus], ...] = (
    (MISSING, "missing"),
    (REPLACE, "failed"),
    (LEARN_ACTIVE, "learning"),
    (VOLTAGE_LOW | TEMPERATURE_HIGH | LEARN_FAILED | LEARN_TIMEOUT | BUS_ERROR | CAPACITY_LOW, "degraded"),
    (CHARGING, "charging"),
)
_HARMLESS = DISCHARGING | LEARN_REQUESTED | LEARN_REQUIRED
"""The bits of a pack that works. It may wait for a learn cycle, or discharge a little when full and not being
charged."""


def words(mask: int) -> list[str]:
    """The meanings of the bits, the lowest first. A bit that no source names is ``bit 14``."""
    return list(_words(mask))


def _words(mask: int) -> Iterator[str]:
    for bit in range(_WIDEST):
        if mask >> bit & 1:
            yield BITS.get(1 << bit, f"bit {bit}")


def status(mask: int) -> BatteryStatus:
    """The state of the pack as far as the mask reports it. ``unknown`` if no source names any of the bits set."""
    for bits, state in _STATES:
        if mask & bits:
            return state
    return "ok" if not mask & ~_HARMLESS else "unknown"


def replace(mask: int) -> bool:
    """Whether the firmware requires a new pack."""
    return bool(mask & REPLACE)
