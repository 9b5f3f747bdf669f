"""The inventory of a machine: one vocabulary for every vendor.

Sizes are in bytes, temperatures in degrees Celsius, percentages from 0 to 100, times in seconds or RFC 3339 text.
``None`` means unknown, never "no". A status word that a vendor package does not define becomes ``"unknown"``, with the
raw word in ``status_text`` and a problem.

The names are a contract: names may be added; a change of meaning needs a new ``schema_version``. The descriptions here
are the source of ``raidctl schema`` and of ``docs/model.md``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import field

from raidctl.described import doc
from raidctl.model.block_layer import Block, BlockLayer, Model, Mount, PciLink, Scrub
from raidctl.model.cache import (  # fmt: skip
    Battery,
    Cache,
    Details,
    Health,
    PreservedCache,
    VolumeCache,
)
from raidctl.model.problem import Problem, hides
from raidctl.model.second_view import SecondView
from raidctl.model.task import Alarm, Progress, Rates, Task

SCHEMA_VERSION = "1"

Mode = Literal["raid", "hba", "mixed", "software", "none"]
RaidLevel = Literal[
    "raid0", "raid1", "raid1e", "raid5", "raid6", "raid10", "raid50", "raid60",
    "raid1t", "raid10t", "raid4", "jbod", "linear", "unknown",
    "raidz1", "raidz2", "raidz3", "draid1", "draid2", "draid3",
]  # fmt: skip
VolumeStatus = Literal[
    "ok", "degraded", "failed", "offline", "rebuilding", "initializing", "expanding", "migrating",
    "checking", "inactive", "unknown",
]  # fmt: skip
Role = Literal["member", "spare", "unassigned", "passthrough", "failed", "journal"]
Media = Literal["hdd", "ssd"]
Interface = Literal["sas", "sata", "nvme", "scsi", "ata", "usb", "virtual"]

FailuresTolerated = Annotated[
    int | None,
    doc(
        "Number of further member drives that may fail without data loss, whichever they are; a member "
        "that is not yet rebuilt counts as missing, spares do not count; null: unknown."
    ),
]


class Capability(Model, frozen=True, kw_only=True):
    """Whether a setting can be read and changed. This depends on the tool and hardware."""

    read: Annotated[bool, doc("The vendor's tool reports it.")]
    set: Annotated[bool, doc("The vendor's tool can change it.")]
    why: Annotated[str | None, doc("Reason if not, or the closest alternative; null: none.")] = None


class Tool(Model, frozen=True, kw_only=True):
    """A tool that was called."""

    name: Annotated[str, doc("Name as found, `ssacli`.")]
    path: Annotated[str | None, doc("Path; null for a single output file.")] = None
    version: Annotated[str | None, doc("Version as printed; null: unknown.")] = None


class Host(Model, frozen=True, kw_only=True):
    """The machine of an inventory."""

    hostname: Annotated[str | None, doc("The kernel's host name; null for single output files.")] = None
    kernel: Annotated[str | None, doc("Kernel release; null for single output files.")] = None
    collected_at: Annotated[str | None, doc("Time of the scan, RFC 3339 in UTC; null: unknown.")] = None
    source: Annotated[str, doc("`local`, `ssh:HOST`, `replay:PATH`.")] = "local"


class Array(Model, frozen=True, kw_only=True):
    """An array of drives that volumes are created on. It may also be an md array or container."""

    id: Annotated[str, doc("`smartarray:1/A`, `md:md0/array`.")]
    status: Annotated[Health, doc("Health of the array.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    drives: Annotated[tuple[str, ...], doc("Ids of the member drives.")] = ()
    spares: Annotated[tuple[str, ...], doc("Ids of the spare drives.")] = ()
    size_bytes: Annotated[int | None, doc("Raw size, bytes.")] = None
    free_bytes: Annotated[int | None, doc("Space not used by volumes, bytes.")] = None
    failures_tolerated: FailuresTolerated = None
    details: Details = field(default_factory=dict)


class Volume(Model, frozen=True, kw_only=True):
    """A logical drive, virtual drive or md device. It is one block device for the operating system."""

    id: Annotated[str, doc("`smartarray:1/v1`, `md:md0`.")]
    name: Annotated[str | None, doc("Label given by the administrator.")] = None
    array: Annotated[str | None, doc("Id of its array.")] = None
    raid_level: Annotated[RaidLevel | None, doc("`t` is a triple mirror.")] = None
    size_bytes: Annotated[int | None, doc("Usable size, bytes.")] = None
    strip_bytes: Annotated[int | None, doc("Strip size (chunk) of one drive, bytes.")] = None
    status: Annotated[VolumeStatus, doc("A running check is not degraded; md `[UU_]` without recovery is.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    device: Annotated[str | None, doc("`/dev/sda`; null if neither tool nor kernel report it.")] = None
    mountpoints: Annotated[
        tuple[str, ...], doc("Mount points of the volume, its partitions and the layers above.")
    ] = ()
    unique_id: Annotated[str | None, doc("WWN, NAA id or UUID as printed.")] = None
    cache: Annotated[VolumeCache | None, doc("Null if the volume has no controller cache (md).")] = None
    progress: Annotated[Progress | None, doc("Null: no operation is running.")] = None
    failures_tolerated: FailuresTolerated = None
    layout: Annotated[str | None, doc("md layout: `left-symmetric`, `near=2`.")] = None
    metadata: Annotated[str | None, doc("md superblock format: `1.2`, `imsm`.")] = None
    consistency_policy: Annotated[str | None, doc("md: `resync`, `bitmap`, `journal`, `ppl`.")] = None
    bitmap: Annotated[str | None, doc("md write-intent bitmap: `internal`, `none`, a file.")] = None
    drives_expected: Annotated[int | None, doc("Number of members when complete.")] = None
    drives_active: Annotated[int | None, doc("Number of working members.")] = None
    full_stripe_bytes: Annotated[
        int | None, doc("Data of one row of strips, as reported by the tool, bytes, without parity.")
    ] = None
    spans: Annotated[int | None, doc("Number of spans of a RAID-10, 50 or 60.")] = None
    consistency_check: Annotated[Scrub | None, doc("Consistency check of the volume, if it has its own setting.")] = (
        None
    )
    in_config_file: Annotated[
        bool | None, doc("md: the configuration file lists the array; null: the file could not be read.")
    ] = None
    sync_disabled: Annotated[
        tuple[str, ...] | None,
        doc(
            "ZFS: file systems and volumes with `sync=disabled`, which acknowledge a commit before it is written, "
            "without those that inherit it from one of them; null: not read."
        ),
    ] = ()
    mismatch_count: Annotated[int | None, doc("md: sectors that differed in the last or running scrub.")] = None
    sync_speed_min_bytes: Annotated[
        int | None, doc("md: minimum speed of a rebuild or scrub under load, bytes per second and drive.")
    ] = None
    sync_speed_max_bytes: Annotated[
        int | None, doc("md: maximum speed of a rebuild or scrub, bytes per second and drive.")
    ] = None
    block: Annotated[Block | None, doc("Block layer settings; null: not seen by the kernel.")] = None
    layers: Annotated[
        tuple[BlockLayer, ...],
        doc("Layers above it, the nearest first, up to and including md arrays."),
    ] = ()
    mounts: Annotated[
        tuple[Mount, ...], doc("File systems on it and on these layers, without those of md arrays.")
    ] = ()
    details: Details = field(default_factory=dict)


class Errors(Model, frozen=True, kw_only=True):
    """Error counters of a drive; null if not reported."""

    media: Annotated[int | None, doc("Media errors (unreadable or reallocated data).")] = None
    other: Annotated[int | None, doc("Other errors (transport, command).")] = None
    predictive: Annotated[int | None, doc("Predictive failure events.")] = None
    reallocated: Annotated[int | None, doc("Sectors or blocks replaced by spare ones.")] = None
    pending: Annotated[int | None, doc("Unreadable sectors that are not yet reallocated.")] = None
    uncorrectable: Annotated[int | None, doc("Sectors that could not be read or corrected.")] = None
    link: Annotated[int | None, doc("Link errors (CRC): cable, backplane.")] = None


class Drive(Model, frozen=True, kw_only=True):
    """A physical drive, or a partition listed as an md array's member."""

    id: Annotated[str, doc("`smartarray:1/1I:1:4`, `md:md0/sda1`, `drives:SERIAL`.")]
    enclosure: Annotated[str | None, doc("Box, enclosure, channel, as printed.")] = None
    bay: Annotated[str | None, doc("Bay or slot, as printed.")] = None
    array: Annotated[str | None, doc("Id of its array.")] = None
    role: Annotated[Role | None, doc("Use of the drive; `passthrough`: visible to the operating system.")] = None
    device: Annotated[str | None, doc("`/dev/sda`, if the drive is visible to the operating system.")] = None
    model: Annotated[str | None, doc("Model without the vendor column, spaces collapsed.")] = None
    serial: Annotated[str | None, doc("Serial number as printed, even if masked.")] = None
    firmware: Annotated[str | None, doc("Firmware revision.")] = None
    size_bytes: Annotated[int | None, doc("Size, bytes.")] = None
    media: Annotated[Media | None, doc("Hard drive or solid state.")] = None
    interface: Annotated[Interface | None, doc("Interface of the drive.")] = None
    rpm: Annotated[int | None, doc("Rotational speed, rpm; null: SSD or unknown.")] = None
    status: Annotated[
        Health,
        doc(
            "Spares and good unassigned drives are ok; predictive failure and rebuilding are warning; "
            "failed, missing, offline are critical."
        ),
    ] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    progress: Annotated[
        Progress | None, doc("Operation on the drive itself, such as its rebuild; null: none is reported.")
    ] = None
    temperature_celsius: Annotated[int | None, doc("Degrees Celsius.")] = None
    max_temperature_celsius: Annotated[
        int | None, doc("Highest temperature that it permits, as it reports, degrees Celsius.")
    ] = None
    link_gbps: Annotated[float | None, doc("Negotiated link speed, Gbit/s.")] = None
    max_link_gbps: Annotated[float | None, doc("Highest link speed of the drive, Gbit/s.")] = None
    write_cache: Annotated[Literal["enabled", "disabled"] | None, doc("Volatile write cache of the drive.")] = None
    errors: Annotated[Errors, doc("Error counters.")] = field(default_factory=Errors)
    wwn: Annotated[str | None, doc("World wide name as printed.")] = None
    mountpoints: Annotated[tuple[str, ...], doc("Mount points of a plain drive and the layers above.")] = ()
    flags: Annotated[tuple[str, ...], doc("md role flags: `write_mostly`, `replacement`, `failfast`.")] = ()
    power_on_hours: Annotated[int | None, doc("Power-on time, hours.")] = None
    backing: Annotated[
        tuple[str, ...],
        doc("Ids of the physical drives, or volumes of a controller, below a member of a software array."),
    ] = ()
    spare_for: Annotated[tuple[str, ...], doc("Ids of the arrays that it is a dedicated spare for.")] = ()
    foreign: Annotated[bool | None, doc("It holds a configuration that this controller has not imported.")] = None
    sector_bytes: Annotated[int | None, doc("Logical sector, bytes: 512, or 4096 (4Kn).")] = None
    physical_sector_bytes: Annotated[
        int | None, doc("Physical sector, bytes; 4096 with logical sectors of 512 is 512e.")
    ] = None
    paths: Annotated[int | None, doc("Number of paths to the drive.")] = None
    error_recovery_seconds: Annotated[
        float | None,
        doc("Time limit for reading a sector (SCT ERC), seconds; 0: no limit."),
    ] = None
    critical_warning: Annotated[int | None, doc("NVMe: bits of the critical warning; 0: none.")] = None
    available_spare_percent: Annotated[int | None, doc("NVMe: remaining spare blocks, percent.")] = None
    available_spare_threshold_percent: Annotated[
        int | None, doc("NVMe: threshold of spare blocks for a warning, percent.")
    ] = None
    life_used_percent: Annotated[int | None, doc("Used endurance of an SSD, percent; 0 to 255, may exceed 100.")] = None
    firmware_update: Annotated[str | None, doc("The tool's message about newer firmware; null: none.")] = None
    data_offset_bytes: Annotated[int | None, doc("md: start of the array's data on the member, bytes.")] = None
    block: Annotated[Block | None, doc("As for a volume.")] = None
    layers: Annotated[tuple[BlockLayer, ...], doc("As for a volume; not of members of md arrays.")] = ()
    mounts: Annotated[tuple[Mount, ...], doc("As for a volume; not of members of md arrays.")] = ()
    details: Details = field(default_factory=dict)


class ForeignGroup(Model, frozen=True, kw_only=True):
    """A foreign configuration. It is an array that its drives describe and the controller has not imported."""

    number: Annotated[str, doc("Its number in the tool.")]
    raid_level: Annotated[RaidLevel | None, doc("Level; null: not reported.")] = None
    size_bytes: Annotated[int | None, doc("Size, bytes; null: not reported.")] = None
    volumes: Annotated[int | None, doc("Number of its volumes; null: not reported.")] = None
    status_text: Annotated[str | None, doc("The tool's words.")] = None


class Controller(Model, frozen=True, kw_only=True):
    """A RAID controller, host bus adapter, md driver, or plain drives' port."""

    id: Annotated[str, doc("`smartarray:1`, `md`, `drives:0000:00:1f.2`.")]
    vendor: Annotated[str | None, doc("Vendor, from the tool or the PCI database.")] = None
    model: Annotated[str | None, doc("Product name.")] = None
    serial: Annotated[str | None, doc("Serial number, as printed.")] = None
    firmware: Annotated[str | None, doc("Firmware version.")] = None
    driver: Annotated[str | None, doc("Kernel driver, the bare module name.")] = None
    pci_address: Annotated[str | None, doc("`0000:03:00.0`, lower case, with domain.")] = None
    told_by: Annotated[str | None, doc("Tool that reported it, `ssacli`.")] = None
    slot: Annotated[str | None, doc("Slot as printed: `1`, `0b`.")] = None
    status: Annotated[Health, doc("Health of the controller itself.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    mode: Annotated[Mode | None, doc("Operating mode; `software`: md; `none`: no RAID.")] = None
    cache: Annotated[Cache | None, doc("Cache; null: unknown.")] = None
    pci_link: Annotated[PciLink | None, doc("PCI Express link; null: unknown.")] = None
    patrol_read: Annotated[Scrub | None, doc("Patrol read: background scan for bad sectors.")] = None
    consistency_check: Annotated[Scrub | None, doc("Consistency check of copies and parity.")] = None
    rates: Annotated[Rates | None, doc("Rates of background operations; null: not reported.")] = None
    alarm: Annotated[Alarm | None, doc("Its audible alarm; null: not reported.")] = None
    foreign: Annotated[bool | None, doc("Its drives hold a configuration that it has not imported.")] = None
    foreign_groups: Annotated[
        tuple[ForeignGroup, ...],
        doc("The foreign configurations that the tool lists; empty: none is listed, see `foreign`."),
    ] = ()
    preserved: Annotated[
        tuple[PreservedCache, ...],
        doc("The volumes whose preserved data is in the cache; empty: none is listed, see `cache.preserved_data`."),
    ] = ()
    monitored: Annotated[bool | None, doc("md: a monitor reports failures of the arrays (`mdadm --monitor`).")] = None
    firmware_update: Annotated[
        str | None,
        doc("The tool's message about newer firmware, or an image that becomes active after a restart."),
    ] = None
    batteries: Annotated[tuple[Battery, ...], doc("Batteries and capacitors of its cache.")] = ()
    arrays: Annotated[tuple[Array, ...], doc("Arrays of drives.")] = ()
    volumes: Annotated[tuple[Volume, ...], doc("Volumes that the operating system sees.")] = ()
    drives: Annotated[tuple[Drive, ...], doc("Each drive once, also those outside of arrays.")] = ()
    capabilities: Annotated[dict[str, Capability], doc("Settings that can be read and changed on this controller.")] = (
        field(default_factory=dict)
    )
    details: Details = field(default_factory=dict)


class Inventory(Model, frozen=True, kw_only=True):
    """The inventory of one machine."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("The machine.")]
    controllers: Annotated[tuple[Controller, ...], doc("Controllers, ordered by id.")] = ()
    tasks: Annotated[
        tuple[Task, ...], doc("Operations that are running, queued or paused, derived from the controllers.")
    ] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read, is missing, or is reported by a tool.")] = ()
    tools: Annotated[tuple[Tool, ...], doc("Tools that were called.")] = ()
    second_views: Annotated[
        tuple[SecondView, ...], doc("What the BMC reports of objects that are listed here; empty: it was not asked.")
    ] = ()


def has_failed(drive: Drive) -> bool:
    """Whether a drive is reported as failed: by its role, or by its status."""
    return drive.role == "failed" or drive.status == "critical"


def is_complete(inventory: Inventory) -> bool:
    """Whether everything could be read. Otherwise what is not listed may exist."""
    return not any(map(hides, inventory.problems))
