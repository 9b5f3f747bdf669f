"""The definitions of all metrics of ``raidctl export``; ``docs/export.md`` lists them from here. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import get_args

from raidctl import __version__, model
from raidctl.audit.diagnosis import Diagnosis
from raidctl.audit.finding import Finding, topic
from raidctl.health.judge import judge
from raidctl.health.severity import Severity
from raidctl.model import Inventory
from raidctl.output.metrics import (
    ARRAY,
    BATTERY,
    CACHE,
    CONTROLLER,
    DRIVE,
    MEMBER,
    VOLUME,
    VOLUME_CACHE,
    Metric,
    Row,
    ratio,
    times,
)
from raidctl.units import parse_timestamp

RULE_LABELS = ("rule", "severity", "outcome", "object", "device", "because", "about")
_GIGA_BITS = 10**9 // 8
_ERRORS = model.Errors.__struct_fields__


def _host(inventory: Inventory) -> Iterator[Row]:
    yield (inventory.host.hostname, inventory.host.kernel, inventory.host.source), 1


def _tools(inventory: Inventory) -> Iterator[Row]:
    for tool in inventory.tools:
        yield (tool.name, tool.path, tool.version), 1


def _problems(inventory: Inventory) -> Iterator[Row]:
    counted = Counter(problem.kind for problem in inventory.problems)
    for kind in get_args(model.ProblemKind):
        yield (kind,), counted[kind]


def _conditions(inventory: Inventory) -> Iterator[Row]:
    counted = Counter(one.severity for one in judge(inventory) if one.under is None)
    for severity in get_args(Severity):
        yield (severity,), counted[severity]


def _collected(inventory: Inventory) -> Iterator[Row]:
    when = seconds(inventory.host.collected_at)
    if when is not None:
        yield (), when


def seconds(text: str | None) -> float | None:
    """An RFC 3339 time as seconds since 1970. None for a time without a zone."""
    when = parse_timestamp(text)
    return None if when is None else when.timestamp()


def _build(_: Inventory) -> Iterator[Row]:
    yield (__version__,), 1


MACHINE = (
    Metric("raidctl_build_info", "Version of raidctl that wrote this.", ("version",), _build),
    Metric(
        "raidctl_collected_timestamp_seconds",
        "Time when the machine was read, seconds since 1970.",
        (),
        _collected,
    ),
    Metric("raidctl_host_info", "The machine.", ("hostname", "kernel", "source"), _host),
    Metric("raidctl_tool_info", "A tool that was called.", ("tool", "path", "version"), _tools),
    Metric(
        "raidctl_problems",
        "Number of problems; unread, no_tool and no_right: something could not be read, so something may be "
        "missing below.",
        ("kind",),
        _problems,
    ),
    Metric(
        "raidctl_conditions",
        "Number of conditions of the storage that need attention; those that another one explains are left out.",
        ("severity",),
        _conditions,
    ),
)

CONTROLLERS = (
    CONTROLLER.info(
        "What a controller is.",
        "vendor", "model", "serial", "firmware", "driver", "pci_address", "slot", "mode", "told_by",
    ),
    CONTROLLER.states("status", "Health of the controller itself.", "status", model.Health),
    CONTROLLER.metric(
        "pcie_link_lanes",
        "Lanes of its PCI Express link in use.",
        lambda one: one.pci_link.width if one.pci_link else None
    ),
    CONTROLLER.metric(
        "pcie_link_max_lanes",
        "Lanes that the controller supports.",
        lambda one: one.pci_link.max_width if one.pci_link else None,
    ),
    CACHE.metric("present", "Whether there is a cache module."),
    CACHE.states("status", "Health of the controller's cache.", "status", model.Health),
    CACHE.metric("size_bytes", "Cache memory."),
    CACHE.metric("available_bytes", "Cache memory that is left for data."),
    CACHE.metric("read_ratio", "Share of the cache for reads, 0 to 1.", lambda one: ratio(one.read_percent)),
    CACHE.metric("write_ratio", "Share of the cache for writes, 0 to 1.", lambda one: ratio(one.write_percent)),
    CACHE.metric("read_bytes", "Cache for reads."),
    CACHE.metric("write_bytes", "Cache for writes."),
    CACHE.metric("no_battery_write_cache", "Whether the write cache stays on without a good battery."),
    CACHE.metric("preserved_data", "Whether the cache holds preserved data of volumes that are offline or gone."),
    CACHE.metric("unwritten_data", "Whether the cache holds unwritten data of live volumes."),
    CACHE.metric("flush_interval_seconds", "Longest time that unwritten data stays in the cache."),
)  # fmt: skip

BATTERIES = (
    BATTERY.info("What a battery or capacitor is.", "kind"),
    BATTERY.states("status", "State of the battery.", "status", model.BatteryStatus),
    BATTERY.metric("charge_ratio", "Charge, 0 to 1.", lambda one: ratio(one.charge_percent)),
    BATTERY.metric("temperature_celsius", "Temperature of the battery."),
    BATTERY.metric("voltage_volts", "Voltage of the battery."),
    BATTERY.metric("replace", "Whether the tool reports that it needs replacement."),
)


ARRAYS = (
    ARRAY.info("Which controller an array belongs to."),
    ARRAY.states("status", "Health of the array.", "status", model.Health),
    ARRAY.metric("drives", "Member drives.", lambda one: len(one.drives)),
    ARRAY.metric("spares", "Spare drives.", lambda one: len(one.spares)),
    ARRAY.metric("size_bytes", "Raw size of the array."),
    ARRAY.metric("free_bytes", "Space of the array not used by volumes."),
    ARRAY.metric("failures_tolerated", "Number of further drive failures that all its volumes survive."),
)


def _progress(one: model.Volume) -> Iterator[tuple[str, float | None]]:
    if one.progress is not None:
        yield one.progress.operation, ratio(one.progress.percent)


def _mounted(one: model.Volume) -> Iterator[tuple[str, int]]:
    for place in one.mountpoints:
        yield place, 1


VOLUMES = (
    VOLUME.info("What a volume is.", "array", "name", "raid_level", "device", "unique_id"),
    VOLUME.listed("mountpoint_info", "Where a volume is mounted.", "mountpoint", _mounted),
    VOLUME.states("status", "State of the volume.", "status", model.VolumeStatus),
    VOLUME.metric("size_bytes", "Usable size."),
    VOLUME.metric("strip_bytes", "Strip (chunk) of one drive."),
    VOLUME.metric("drives_expected", "Number of members when complete."),
    VOLUME.metric("drives_active", "Number of working members."),
    VOLUME.metric("failures_tolerated", "Number of further drive failures that it survives."),
    VOLUME.listed(
        "operation_progress_ratio", "Progress of a background operation, 0 to 1.", "operation", _progress
    ),
    VOLUME.metric(
        "operation_remaining_seconds",
        "Remaining time of a background operation, estimated by the tool.",
        lambda one: one.progress.remaining_seconds if one.progress else None
    ),
    VOLUME.metric(
        "operation_bytes_per_second",
        "Speed of a background operation, reported by the tool.",
        lambda one: one.progress.rate_bytes if one.progress else None
    ),
    VOLUME.metric("mismatch_sectors", "md: sectors that differed in the last check.", lambda one: one.mismatch_count),
    VOLUME.metric(
        "read_ahead_bytes",
        "Read-ahead of the block layer.",
        lambda one: one.block.read_ahead_bytes if one.block else None
    ),
    VOLUME_CACHE.states("write_policy", "Write policy as configured.", "policy", model.WritePolicy),
    VOLUME_CACHE.states("write_active", "Active write policy.", "mode", model.WriteActive),
    VOLUME_CACHE.metric(
        "write_protected",
        "Whether unwritten data survives a power failure, in the controller's cache and in the drives'.",
    ),
    VOLUME_CACHE.states(
        "controller_cache", "Whether unwritten data in the controller's cache survives a power failure.", "state",
        model.ControllerCacheSafety,
    ),
    VOLUME_CACHE.states("drive_caches", "Volatile write caches of the drives below.", "state", model.DriveCaches),
    VOLUME_CACHE.states("read_policy", "Read policy of the volume.", "policy", model.ReadPolicy),
    VOLUME_CACHE.states(
        "drive_write_cache", "The controller's setting for the write caches of the drives.", "policy",
        model.DriveCachePolicy,
    ),
)  # fmt: skip


def _errors(one: model.Drive) -> Iterator[tuple[str, int | None]]:
    for name in _ERRORS:
        yield name, getattr(one.errors, name)


def _enabled(one: model.Drive) -> bool | None:
    return None if one.write_cache is None else one.write_cache == "enabled"


DRIVES = (
    DRIVE.info(
        "What a drive is, and where it is.",
        "array", "enclosure", "bay", "role", "device", "model", "serial", "firmware", "media", "interface", "rpm",
        "wwn",
    ),
    DRIVE.states("status", "Health of the drive.", "status", model.Health),
    DRIVE.metric("size_bytes", "Size of the drive."),
    DRIVE.metric("temperature_celsius", "Temperature of the drive."),
    DRIVE.listed("errors", "Error counters as the drive or the controller keeps them.", "kind", _errors),
    DRIVE.metric("write_cache_enabled", "Whether the drive's own write cache is on.", _enabled),
    DRIVE.metric(
        "link_bytes_per_second", "Negotiated link speed, its bits divided by 8.",
        lambda one: times(one.link_gbps, _GIGA_BITS),
    ),
    DRIVE.metric(
        "link_max_bytes_per_second", "Highest link speed of the drive, its bits divided by 8.",
        lambda one: times(one.max_link_gbps, _GIGA_BITS),
    ),
    DRIVE.metric("power_on_seconds", "Power-on time.", lambda one: times(one.power_on_hours, 3600)),
    DRIVE.metric(
        "life_used_ratio", "Used endurance of an SSD; 1 is all of it, and more is possible.",
        lambda one: ratio(one.life_used_percent),
    ),
    MEMBER.info("Member of a software array whose drive is listed elsewhere.", "array", "role", "device"),
    MEMBER.listed(
        "drive_info", "Drive or volume below a member.", "drive", lambda one: ((name, 1) for name in one.backing)
    ),
    MEMBER.states("status", "State of the member in its array.", "status", model.Health),
)  # fmt: skip

INVENTORY = (*MACHINE, *CONTROLLERS, *BATTERIES, *ARRAYS, *VOLUMES, *DRIVES)
"""The metrics of every export."""


def of_scan(duration: float) -> Metric:
    """The duration of the scan, in seconds."""
    return Metric(
        "raidctl_scan_duration_seconds",
        "How long it took to read the machine.",
        (),
        lambda _: iter([((), round(duration, 6))]),
    )


def of_rules(found: Diagnosis) -> tuple[Metric, ...]:
    """The findings of the built-in rules: ``--rules``."""

    def rows(count: Callable[[], Iterator[Row]]) -> Callable[[Inventory], Iterator[Row]]:
        return lambda _: count()

    def labelled(listed: Iterable[Finding]) -> Iterator[Row]:
        for one in listed:
            about = topic(one.rule, one.message)
            yield (one.rule, one.severity, one.outcome, one.where, one.device, one.because, about), 1

    def failed() -> Iterator[Row]:
        counted = Counter(one.severity for one in found.findings)
        for severity in get_args(Severity):
            yield (severity,), counted[severity]

    return (
        Metric(
            "raidctl_rule_finding",
            "Results of the built-in rules by object, without passes; because: the rule and object that explain it; "
            "about: the message, if the rule may have several findings on one object, with N for its figures.",
            RULE_LABELS,
            rows(lambda: labelled((*found.findings, *found.unknown))),
        ),
        Metric(
            "raidctl_rule_waived",
            "Findings that do not count: waived, or ignored on request; in no other series of rules.",
            RULE_LABELS,
            rows(lambda: labelled(each.finding for each in found.ignored)),
        ),
        Metric("raidctl_rule_failures", "Failed checks of the built-in rules.", ("severity",), rows(failed)),
        Metric(
            "raidctl_rule_unknown",
            "Findings of the built-in rules with an unknown result.",
            (),
            rows(lambda: iter([((), len(found.unknown))])),
        ),
        Metric(
            "raidctl_rule_checks",
            "Checks of the built-in rules (a rule on an object).",
            (),
            rows(lambda: iter([((), found.checked)])),
        ),
        Metric("raidctl_rule_passes", "Number of these that passed.", (), rows(lambda: iter([((), found.passed)]))),
    )
