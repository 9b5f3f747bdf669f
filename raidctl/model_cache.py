"""The caches of the model: of a controller, of its volumes, and the battery that protects them.

They are names of :mod:`raidctl.model`, and the same contract.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from raidctl.model_parts import Model

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
    Meta(description="Facts that have no neutral field, in the tool's own words and under its own labels."),
]


class Cache(Model, frozen=True, kw_only=True):
    """The controller's cache memory."""

    present: Annotated[bool | None, Meta(description="Whether there is a cache module.")] = None
    status: Annotated[
        Health | None, Meta(description="Health of the cache; a cache that nobody configured is `ok`.")
    ] = None
    status_text: Annotated[str | None, Meta(description="The tool's words for status and reason.")] = None
    size_bytes: Annotated[int | None, Meta(description="Total cache memory in bytes (binary units).")] = None
    read_percent: Annotated[int | None, Meta(description="Share of the usable cache for reads, percent.")] = None
    write_percent: Annotated[int | None, Meta(description="Share of the usable cache for writes, percent.")] = None
    read_bytes: Annotated[
        int | None,
        Meta(description="That share in bytes: of the available memory where the tool tells it, else of the total."),
    ] = None
    write_bytes: Annotated[int | None, Meta(description="As `read_bytes`, for writes.")] = None
    available_bytes: Annotated[
        int | None, Meta(description="Memory left for data after the firmware's own share, bytes.")
    ] = None
    no_battery_write_cache: Annotated[
        bool | None, Meta(description="Write cache stays on without a good battery: data loss on power failure.")
    ] = None
    flush_interval_seconds: Annotated[
        int | None, Meta(description="Longest time that written data waits in the cache, seconds.")
    ] = None
    preserved_data: Annotated[
        bool | None, Meta(description="The cache holds preserved (pinned) data of volumes that are offline or gone.")
    ] = None
    unwritten_data: Annotated[
        bool | None,
        Meta(description="The cache holds data of live volumes that is not yet on the drives; null: not reported."),
    ] = None
    details: Details = field(default_factory=dict)


class Battery(Model, frozen=True, kw_only=True):
    """What keeps the cache's data through a power loss."""

    id: Annotated[str, Meta(description="`smartarray:1/battery0`.")]
    kind: Annotated[
        BatteryKind, Meta(description="Battery, capacitor (supercapacitor, flash-backed), or not told.")
    ] = "unknown"
    status: Annotated[BatteryStatus, Meta(description="Neutral state word.")] = "unknown"
    status_text: Annotated[str | None, Meta(description="The tool's words.")] = None
    charge_percent: Annotated[int | None, Meta(description="Charge, percent.")] = None
    temperature_celsius: Annotated[int | None, Meta(description="Temperature, degrees Celsius.")] = None
    voltage_volts: Annotated[float | None, Meta(description="Voltage, volts.")] = None
    replace: Annotated[bool | None, Meta(description="The tool asks for its replacement.")] = None
    made_at: Annotated[str | None, Meta(description="Date of manufacture, RFC 3339 date.")] = None
    next_learn_at: Annotated[str | None, Meta(description="Next learn cycle, RFC 3339 or as printed.")] = None
    details: Details = field(default_factory=dict)


class VolumeCache(Model, frozen=True, kw_only=True):
    """How a volume is cached: what is configured, and what is in force."""

    write_policy: Annotated[
        WritePolicy | None,
        Meta(
            description="Configured (Redfish WriteCachePolicy). Protected: write-back only while the battery is good; "
            "unprotected: always."
        ),
    ] = None
    write_active: Annotated[WriteActive | None, Meta(description="In force now.")] = None
    controller_cache: Annotated[
        ControllerCacheSafety,
        Meta(
            description="Whether written data in the controller's cache survives a power loss; `not_caching`: no write "
            "waits there."
        ),
    ] = "unknown"
    drive_caches: Annotated[
        DriveCaches, Meta(description="The volatile write caches of the drives below: `off` only if all are.")
    ] = "unknown"
    write_protected: Annotated[
        bool | None,
        Meta(
            description="Derived from both: false if the controller's cache is `unprotected` or a drive's is `on`; "
            "true if the controller's is `protected` or `not_caching` and the drives' are `off`; else null."
        ),
    ] = None
    why_not_in_force: Annotated[
        str | None, Meta(description="Why the configured policy is not in force; null when it is.")
    ] = None
    read_policy: Annotated[ReadPolicy | None, Meta(description="Read cache policy of the volume.")] = None
    io_policy: Annotated[
        IoPolicy | None,
        Meta(description="Whether reads and writes go past the controller's cache (`direct`) or through it."),
    ] = None
    drive_write_cache: Annotated[
        DriveCachePolicy | None,
        Meta(description="What the controller does with the write caches of the volume's drives."),
    ] = None
