"""Cache classes of the model: controller cache, volume cache settings, battery.

:mod:`raidctl.model` exports them as part of its contract.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field

from raidctl.described import doc
from raidctl.model.block_layer import Model

Health = Literal["ok", "warning", "critical", "unknown"]
BatteryKind = Literal["battery", "capacitor", "unknown"]
BatteryStatus = Literal["ok", "charging", "learning", "degraded", "failed", "missing", "unknown"]
WritePolicy = Literal["write_through", "protected_write_back", "unprotected_write_back", "off"]
WriteActive = Literal["write_through", "write_back", "off"]
ReadPolicy = Literal["none", "read_ahead", "adaptive", "off"]
IoPolicy = Literal["direct", "cached"]
DriveCachePolicy = Literal["enabled", "disabled", "default"]
ControllerCacheSafety = Literal["protected", "unprotected", "not_caching", "unknown"]
DriveCaches = Literal["off", "on", "unknown"]

Details = Annotated[
    dict[str, str],
    doc("Facts without a field in the model, with the tool's labels and words."),
]


class Cache(Model, frozen=True, kw_only=True):
    """The controller's cache memory."""

    present: Annotated[bool | None, doc("Whether there is a cache module.")] = None
    status: Annotated[Health | None, doc("Health of the cache; one that is not configured is `ok`.")] = None
    status_text: Annotated[str | None, doc("The tool's words for status and reason.")] = None
    size_bytes: Annotated[int | None, doc("Total cache memory in bytes (binary units).")] = None
    read_percent: Annotated[int | None, doc("Share of the usable cache for reads, percent.")] = None
    write_percent: Annotated[int | None, doc("Share of the usable cache for writes, percent.")] = None
    read_bytes: Annotated[
        int | None,
        doc("This share in bytes: of the available memory if reported, else of the total."),
    ] = None
    write_bytes: Annotated[int | None, doc("As `read_bytes`, for writes.")] = None
    available_bytes: Annotated[int | None, doc("Memory left for data after the firmware's own share, bytes.")] = None
    no_battery_write_cache: Annotated[
        bool | None, doc("Write cache stays on without a good battery: data loss on power failure.")
    ] = None
    flush_interval_seconds: Annotated[
        int | None, doc("Longest time that unwritten data stays in the cache, seconds.")
    ] = None
    preserved_data: Annotated[
        bool | None, doc("The cache holds preserved (pinned) data of volumes that are offline or gone.")
    ] = None
    unwritten_data: Annotated[
        bool | None,
        doc("The cache holds unwritten data of working volumes; null: not reported."),
    ] = None
    details: Details = field(default_factory=dict)


class PreservedCache(Model, frozen=True, kw_only=True):
    """Preserved (pinned) cache of one volume that is offline or gone."""

    volume: Annotated[str, doc("Id that the volume has or had: `megaraid:0/v6`.")]
    status_text: Annotated[str | None, doc("The tool's words for the volume: `Missing`, `Offline`.")] = None


class Battery(Model, frozen=True, kw_only=True):
    """A battery or capacitor that protects unwritten data in a power failure."""

    id: Annotated[str, doc("`smartarray:1/battery0`.")]
    kind: Annotated[BatteryKind, doc("Battery, capacitor (supercapacitor, flash-backed), or unknown.")] = "unknown"
    status: Annotated[BatteryStatus, doc("State.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    charge_percent: Annotated[int | None, doc("Charge, percent.")] = None
    temperature_celsius: Annotated[int | None, doc("Temperature, degrees Celsius.")] = None
    voltage_volts: Annotated[float | None, doc("Voltage, volts.")] = None
    replace: Annotated[bool | None, doc("The tool reports that it needs replacement.")] = None
    made_at: Annotated[str | None, doc("Date of manufacture, RFC 3339 date.")] = None
    next_learn_at: Annotated[str | None, doc("Next learn cycle, RFC 3339 or as printed.")] = None
    details: Details = field(default_factory=dict)


def battery_or_capacitor(battery: Battery) -> str:
    """What to call it: ``battery``, ``capacitor``, or both if its kind is unknown."""
    return "battery or capacitor" if battery.kind == "unknown" else battery.kind


class VolumeCache(Model, frozen=True, kw_only=True):
    """Cache settings of a volume, configured and active."""

    write_policy: Annotated[
        WritePolicy | None,
        doc(
            "Configured (Redfish WriteCachePolicy). Protected: write-back only while the battery is good; "
            "unprotected: always."
        ),
    ] = None
    write_active: Annotated[WriteActive | None, doc("Active write policy.")] = None
    controller_cache: Annotated[
        ControllerCacheSafety,
        doc("Whether unwritten data in the controller's cache survives a power failure; `not_caching`: there is none."),
    ] = "unknown"
    drive_caches: Annotated[
        DriveCaches, doc("The volatile write caches of the drives below: `off` only if all are.")
    ] = "unknown"
    write_protected: Annotated[
        bool | None,
        doc(
            "Derived from both: false if the controller's cache is `unprotected` or a drive's is `on`; "
            "true if the controller's is `protected` or `not_caching` and the drives' are `off`; else null."
        ),
    ] = None
    why_not_in_force: Annotated[str | None, doc("Why the configured policy is not active; null if it is.")] = None
    read_policy: Annotated[ReadPolicy | None, doc("Read cache policy of the volume.")] = None
    io_policy: Annotated[
        IoPolicy | None,
        doc("Whether reads and writes bypass the controller's cache (`direct`) or use it (`cached`)."),
    ] = None
    drive_write_cache: Annotated[
        DriveCachePolicy | None,
        doc("The controller's setting for the write caches of the volume's drives."),
    ] = None
