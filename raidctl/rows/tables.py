"""The rows of ``raidctl export --rows``: one flat object each. Field names are stable (`raidctl schema rows-drives`).

A column that no source reports is null. Columns may be added; none changes its meaning without a new schema version.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from raidctl.audit.finding import Outcome
from raidctl.described import doc
from raidctl.health.severity import Severity
from raidctl.model import (
    BatteryKind,
    BatteryStatus,
    ControllerCacheSafety,
    DriveCaches,
    Health,
    Interface,
    IoPolicy,
    Media,
    Operation,
    RaidLevel,
    ReadPolicy,
    Role,
    VolumeStatus,
    WriteActive,
    WritePolicy,
)

Words = Annotated[str | None, doc("Mount points, separated by a comma and a blank; null: none or unknown.")]


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of every table: which machine, and when."""

    host: Annotated[str, doc("Host name; if it is unknown, the source.")]
    collected_at: Annotated[str | None, doc("When the machine was read, RFC 3339 in UTC; null: unknown.")] = None
    day: Annotated[
        str | None, doc("Its day in UTC, `2026-11-24`; null: unknown. Parquet files are partitioned by it.")
    ] = None
    source: Annotated[str, doc("`local`, `ssh:HOST`, a file and the line in it, `snapshot:NUMBER`.")]
    complete: Annotated[
        bool, doc("Everything on the machine could be read; false: rows may be missing, and missing is not good.")
    ] = True


class DriveRow(_Row, frozen=True, kw_only=True):
    """A physical drive at one time."""

    drive_key: Annotated[
        str | None,
        doc("The same drive in every machine and bay: `wwn:…`, else `MODEL SERIAL`; null: not identified."),
    ] = None
    controller: Annotated[str, doc("Id of the controller.")]
    controller_model: Annotated[str | None, doc("Its product name.")] = None
    drive: Annotated[str, doc("Id of the drive.")]
    array_id: Annotated[str | None, doc("Id of its array.")] = None
    enclosure: Annotated[str | None, doc("Box, enclosure, channel, as printed.")] = None
    bay: Annotated[str | None, doc("Bay or slot, as printed.")] = None
    device: Annotated[str | None, doc("Block device, `/dev/sda`.")] = None
    role: Annotated[Role | None, doc("Use of the drive.")] = None
    model: Annotated[str | None, doc("Model.")] = None
    serial: Annotated[str | None, doc("Serial number.")] = None
    wwn: Annotated[str | None, doc("World wide name.")] = None
    firmware: Annotated[str | None, doc("Firmware revision.")] = None
    media: Annotated[Media | None, doc("Hard drive or solid state.")] = None
    interface: Annotated[Interface | None, doc("Interface.")] = None
    rpm: Annotated[int | None, doc("Rotational speed.")] = None
    size_bytes: Annotated[int | None, doc("Size, bytes.")] = None
    sector_bytes: Annotated[int | None, doc("Logical sector, bytes.")] = None
    status: Annotated[Health, doc("Health: `ok`, `warning` (predictive failure, rebuilding), `critical`.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    temperature_celsius: Annotated[int | None, doc("Degrees Celsius.")] = None
    power_on_hours: Annotated[int | None, doc("Power-on time, hours.")] = None
    life_used_percent: Annotated[int | None, doc("Used endurance of an SSD, percent.")] = None
    media_errors: Annotated[int | None, doc("Media errors.")] = None
    other_errors: Annotated[int | None, doc("Other errors (transport, command).")] = None
    predictive_errors: Annotated[int | None, doc("Predictive failure events.")] = None
    reallocated: Annotated[int | None, doc("Sectors or blocks replaced by spare ones.")] = None
    pending: Annotated[int | None, doc("Unreadable sectors that are not yet reallocated.")] = None
    uncorrectable: Annotated[int | None, doc("Sectors that could not be read or corrected.")] = None
    link_errors: Annotated[int | None, doc("Link errors (CRC).")] = None
    write_cache: Annotated[str | None, doc("Volatile write cache of the drive: `enabled`, `disabled`.")] = None
    link_gbps: Annotated[float | None, doc("Negotiated link speed, Gbit/s.")] = None


class VolumeRow(_Row, frozen=True, kw_only=True):
    """A volume at one time."""

    controller: Annotated[str, doc("Id of the controller.")]
    controller_model: Annotated[str | None, doc("Its product name.")] = None
    volume: Annotated[str, doc("Id of the volume.")]
    unique_id: Annotated[str | None, doc("WWN, NAA id or UUID.")] = None
    name: Annotated[str | None, doc("Label.")] = None
    array_id: Annotated[str | None, doc("Id of its array.")] = None
    raid_level: Annotated[RaidLevel | None, doc("RAID level.")] = None
    size_bytes: Annotated[int | None, doc("Usable size, bytes.")] = None
    strip_bytes: Annotated[int | None, doc("Strip (chunk) of one drive, bytes.")] = None
    status: Annotated[VolumeStatus, doc("State.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    device: Annotated[str | None, doc("Block device.")] = None
    mountpoints: Words = None
    failures_tolerated: Annotated[int | None, doc("Further drive failures that it survives.")] = None
    drives_expected: Annotated[int | None, doc("Number of members when complete.")] = None
    drives_active: Annotated[int | None, doc("Number of working members.")] = None
    write_policy: Annotated[WritePolicy | None, doc("Configured write policy.")] = None
    write_active: Annotated[WriteActive | None, doc("Active write policy.")] = None
    write_protected: Annotated[bool | None, doc("Unwritten data survives a power failure.")] = None
    controller_cache: Annotated[ControllerCacheSafety | None, doc("Protection of the controller's cache.")] = None
    drive_caches: Annotated[DriveCaches | None, doc("Volatile write caches of the drives below.")] = None
    read_policy: Annotated[ReadPolicy | None, doc("Read policy.")] = None
    io_policy: Annotated[IoPolicy | None, doc("Direct or cached.")] = None
    why_not_in_force: Annotated[str | None, doc("Why the configured policy is not active.")] = None
    operation: Annotated[Operation | None, doc("Running background operation.")] = None
    progress_percent: Annotated[float | None, doc("Its progress, percent.")] = None


class BatteryRow(_Row, frozen=True, kw_only=True):
    """A battery or capacitor at one time."""

    controller: Annotated[str, doc("Id of the controller.")]
    controller_model: Annotated[str | None, doc("Its product name.")] = None
    controller_serial: Annotated[str | None, doc("Its serial number.")] = None
    battery: Annotated[str, doc("Id of the battery.")]
    kind: Annotated[BatteryKind, doc("Battery or capacitor.")] = "unknown"
    status: Annotated[BatteryStatus, doc("State.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    charge_percent: Annotated[int | None, doc("Charge, percent.")] = None
    temperature_celsius: Annotated[int | None, doc("Degrees Celsius.")] = None
    voltage_volts: Annotated[float | None, doc("Voltage.")] = None
    replace: Annotated[bool | None, doc("The tool reports that it needs replacement.")] = None
    made_at: Annotated[str | None, doc("Date of manufacture.")] = None
    next_learn_at: Annotated[str | None, doc("Next learn cycle, as printed.")] = None


class CacheRow(_Row, frozen=True, kw_only=True):
    """The cache of a controller at one time. If the controller reports none, there is no row."""

    controller: Annotated[str, doc("Id of the controller.")]
    controller_model: Annotated[str | None, doc("Its product name.")] = None
    controller_serial: Annotated[str | None, doc("Its serial number.")] = None
    firmware: Annotated[str | None, doc("Firmware of the controller.")] = None
    present: Annotated[bool | None, doc("There is a cache module.")] = None
    status: Annotated[Health | None, doc("Health of the cache.")] = None
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    size_bytes: Annotated[int | None, doc("Cache memory, bytes.")] = None
    available_bytes: Annotated[int | None, doc("Memory left for data, bytes.")] = None
    read_percent: Annotated[int | None, doc("Share for reads, percent.")] = None
    write_percent: Annotated[int | None, doc("Share for writes, percent.")] = None
    no_battery_write_cache: Annotated[bool | None, doc("Write cache stays on without a good battery.")] = None
    preserved_data: Annotated[bool | None, doc("It holds preserved data of volumes that are offline or gone.")] = None
    unwritten_data: Annotated[bool | None, doc("It holds unwritten data of working volumes.")] = None
    flush_interval_seconds: Annotated[int | None, doc("Longest time that unwritten data stays, seconds.")] = None


class FindingRow(_Row, frozen=True, kw_only=True):
    """The result of a rule on an object at one time. Passes are included."""

    policy: Annotated[str, doc("File of the policy, or `built-in rules`.")]
    rule: Annotated[str, doc("Name of the rule.")]
    severity: Annotated[Severity, doc("How bad a failure of this rule is.")]
    outcome: Annotated[Outcome, doc("`pass`, `fail`, `unknown`, `unmatched`.")]
    object: Annotated[str, doc("Id of the object; `host`: the machine as a whole.")]
    device: Annotated[str | None, doc("Block device of the object.")] = None
    mountpoints: Words = None
    serial: Annotated[str | None, doc("Serial number of the drive concerned.")] = None
    field: Annotated[str | None, doc("The field that decided.")] = None
    wanted: Annotated[str | None, doc("Required value, in words.")] = None
    actual: Annotated[str | None, doc("Current value.")] = None
    message: Annotated[str, doc("Description, one sentence.")]
    remedy: Annotated[str | None, doc("What to do.")] = None
    waived_until: Annotated[str | None, doc("Last day on which it is waived; null: it is not.")] = None


class BenchRow(_Row, frozen=True, kw_only=True):
    """One figure of a benchmark run."""

    run: Annotated[int | None, doc("Number of the run in the machine's collection.")] = None
    label: Annotated[str | None, doc("What the user calls it.")] = None
    raidctl: Annotated[str, doc("Version of raidctl.")]
    profile: Annotated[str, doc("Which list of tests.")]
    target: Annotated[str, doc("What was measured: a directory, a device, an NBD export.")]
    target_kind: Annotated[str, doc("`file`, `device` or `nbd`.")]
    engine: Annotated[str | None, doc("What carried it out.")] = None
    test: Annotated[str, doc("Name of the test.")]
    figure: Annotated[str, doc("Name of the figure; `latency/PHASE/p99` for a percentile.")]
    unit: Annotated[str, doc("Its unit.")]
    measured: Annotated[float | None, doc("The median; null: too few samples.")] = None
    low: Annotated[float | None, doc("Lower end of the 95% interval.")] = None
    high: Annotated[float | None, doc("Upper end of the 95% interval.")] = None
    samples: Annotated[int, doc("Operations or rounds that it is based on.")]
    verdict: Annotated[str, doc("Conclusion of the test.")]


Row = DriveRow | VolumeRow | BatteryRow | CacheRow | FindingRow | BenchRow
TABLES: dict[str, type[Row]] = {
    "drives": DriveRow, "volumes": VolumeRow, "batteries": BatteryRow, "caches": CacheRow, "findings": FindingRow,
    "bench": BenchRow,
}  # fmt: skip
"""The tables by name."""
