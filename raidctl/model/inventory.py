"""The inventory of a machine: one vocabulary for every vendor.

Sizes are in bytes, temperatures in degrees Celsius, percentages from 0 to 100, times in seconds or RFC 3339 text.
``None`` means "the tool did not say", never "no". A status word that a vendor package does not know becomes
``"unknown"`` with the raw word beside it in ``status_text``, and a problem.

The names are a contract: they may grow, never change their meaning without a new ``schema_version``.
The descriptions here are the source of ``raidctl schema`` and of ``docs/model.md``.
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
    VolumeCache,
)

SCHEMA_VERSION = "1"

Severity = Literal["info", "warning", "error"]
ProblemKind = Literal["note", "state", "unread", "no_tool", "no_right"]
HIDING: frozenset[ProblemKind] = frozenset({"unread", "no_tool", "no_right"})
"""Kinds of problems behind which something may be hidden: it could not be asked, or not be understood."""
Mode = Literal["raid", "hba", "mixed", "software", "none"]
RaidLevel = Literal[
    "raid0", "raid1", "raid1e", "raid5", "raid6", "raid10", "raid50", "raid60",
    "raid1t", "raid10t", "raid4", "jbod", "linear", "unknown",
]  # fmt: skip
VolumeStatus = Literal[
    "ok", "degraded", "failed", "offline", "rebuilding", "initializing", "expanding", "migrating",
    "checking", "inactive", "unknown",
]  # fmt: skip
Operation = Literal[
    "rebuild",
    "recovery",
    "resync",
    "check",
    "repair",
    "reshape",
    "initialize",
    "expand",
    "migrate",
    "parity",
    "unknown",
]
Role = Literal["member", "spare", "unassigned", "passthrough", "failed", "journal"]
Media = Literal["hdd", "ssd"]
Interface = Literal["sas", "sata", "nvme", "scsi", "ata", "usb", "virtual"]

FailuresTolerated = Annotated[
    int | None,
    doc(
        "How many more member drives may fail, whichever they are, without loss of data; a member that is "
        "not yet rebuilt counts as gone, a spare for nothing; null: the geometry or the state is unknown."
    ),
]


class Capability(Model, frozen=True, kw_only=True):
    """Whether the tool and the hardware let something be read or set."""

    read: Annotated[bool, doc("The vendor's tool tells it.")]
    set: Annotated[bool, doc("The vendor's tool has a command that sets it.")]
    why: Annotated[str | None, doc("Why not, or the nearest alternative; null when there is nothing to say.")] = None


class Tool(Model, frozen=True, kw_only=True):
    """A program that was asked."""

    name: Annotated[str, doc("Name as found, `ssacli`.")]
    path: Annotated[str | None, doc("Where it is; null when it came out of a loose file.")] = None
    version: Annotated[str | None, doc("As it prints it; null when not asked or not told.")] = None


class Problem(Model, frozen=True):
    """Something that could not be read, is missing, or that a tool warns of."""

    severity: Annotated[Severity, doc("`error`: something is not shown; `warning`: look at it; `info`: good to know.")]
    where: Annotated[str, doc("The object, command or file that it is about.")]
    message: Annotated[str, doc("What happened, one sentence.")]
    remedy: Annotated[str | None, doc("What to do; null when there is nothing to do.")] = None
    kind: Annotated[
        ProblemKind,
        doc(
            "`note`: exit code stays 0; `state`: the hardware or its tool reports trouble, exit code 0; "
            "`unread`: could not be read or understood, exit code 3; `no_tool`, `no_right`: exit code 4."
        ),
    ] = "note"


class Host(Model, frozen=True, kw_only=True):
    """Whose inventory it is."""

    hostname: Annotated[str | None, doc("The kernel's host name; null in loose files.")] = None
    kernel: Annotated[str | None, doc("Kernel release; null in loose files.")] = None
    collected_at: Annotated[
        str | None, doc("When it was read, RFC 3339 in UTC; null when a loose file does not tell.")
    ] = None
    source: Annotated[str, doc("`local`, `ssh:HOST`, `replay:PATH`.")] = "local"


class Array(Model, frozen=True, kw_only=True):
    """A group of drives that volumes are cut from (drive group, md container, md array)."""

    id: Annotated[str, doc("`smartarray:1/A`, `md:md0/array`.")]
    status: Annotated[Health, doc("Health of the group.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    drives: Annotated[tuple[str, ...], doc("Ids of the member drives.")] = ()
    spares: Annotated[tuple[str, ...], doc("Ids of the spare drives.")] = ()
    size_bytes: Annotated[int | None, doc("Raw size, bytes.")] = None
    free_bytes: Annotated[int | None, doc("Space that no volume uses, bytes.")] = None
    failures_tolerated: FailuresTolerated = None
    details: Details = field(default_factory=dict)


class Progress(Model, frozen=True, kw_only=True):
    """A background operation under way."""

    operation: Annotated[Operation, doc("What is going on.")] = "unknown"
    percent: Annotated[float | None, doc("How far, percent.")] = None
    remaining_seconds: Annotated[int | None, doc("Time left as the tool estimates it, seconds.")] = None
    rate_bytes: Annotated[int | None, doc("Speed as the tool reports it, bytes per second.")] = None


class Volume(Model, frozen=True, kw_only=True):
    """A logical drive, virtual drive, md device: what the operating system sees as one disk."""

    id: Annotated[str, doc("`smartarray:1/v1`, `md:md0`.")]
    name: Annotated[str | None, doc("The label that somebody gave it.")] = None
    array: Annotated[str | None, doc("Id of the array that it lies on.")] = None
    raid_level: Annotated[RaidLevel | None, doc("`t` is a triple mirror.")] = None
    size_bytes: Annotated[int | None, doc("Usable size, bytes.")] = None
    strip_bytes: Annotated[int | None, doc("Strip (chunk) of one drive, bytes.")] = None
    status: Annotated[VolumeStatus, doc("A check under way is not degraded; md `[UU_]` without recovery is.")] = (
        "unknown"
    )
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    device: Annotated[str | None, doc("`/dev/sda`; null when the tool and the kernel do not tell.")] = None
    mountpoints: Annotated[tuple[str, ...], doc("Where it, its partitions or the layers above are mounted.")] = ()
    unique_id: Annotated[str | None, doc("WWN, NAA id or UUID as printed.")] = None
    cache: Annotated[VolumeCache | None, doc("Null where the volume has no cache of its own (md).")] = None
    progress: Annotated[Progress | None, doc("Null when nothing is going on.")] = None
    failures_tolerated: FailuresTolerated = None
    layout: Annotated[str | None, doc("md layout: `left-symmetric`, `near=2`.")] = None
    metadata: Annotated[str | None, doc("md superblock format: `1.2`, `imsm`.")] = None
    consistency_policy: Annotated[str | None, doc("md: `resync`, `bitmap`, `journal`, `ppl`.")] = None
    bitmap: Annotated[str | None, doc("md write-intent bitmap: `internal`, `none`, a file.")] = None
    drives_expected: Annotated[int | None, doc("How many members it is made of.")] = None
    drives_active: Annotated[int | None, doc("How many of them work.")] = None
    full_stripe_bytes: Annotated[
        int | None, doc("Data of one row of strips, as the tool tells it, bytes; parity is not counted.")
    ] = None
    spans: Annotated[int | None, doc("How many groups a RAID-10, 50 or 60 is striped over.")] = None
    consistency_check: Annotated[Scrub | None, doc("Where each volume has its own setting.")] = None
    in_config_file: Annotated[
        bool | None, doc("md: the configuration file lists the array; null: the file could not be read.")
    ] = None
    mismatch_count: Annotated[
        int | None, doc("md: sectors that differed in the last check, or in the one under way.")
    ] = None
    sync_speed_min_bytes: Annotated[
        int | None, doc("md: speed that a rebuild or check keeps under load, bytes per second and drive.")
    ] = None
    sync_speed_max_bytes: Annotated[int | None, doc("md: and at most, bytes per second and drive.")] = None
    block: Annotated[Block | None, doc("What the kernel knows of it; null: it is not seen.")] = None
    layers: Annotated[
        tuple[BlockLayer, ...],
        doc("What lies on it, the nearest first, md arrays included; what lies on these is theirs."),
    ] = ()
    mounts: Annotated[
        tuple[Mount, ...], doc("The file systems on it and on these layers; not those of md arrays.")
    ] = ()
    details: Details = field(default_factory=dict)


class Errors(Model, frozen=True, kw_only=True):
    """Error counters of a drive; null when the tool does not tell."""

    media: Annotated[int | None, doc("Media errors (unreadable or reallocated data).")] = None
    other: Annotated[int | None, doc("Other errors (transport, command).")] = None
    predictive: Annotated[int | None, doc("Predictive failure events.")] = None
    reallocated: Annotated[int | None, doc("Sectors, or blocks, that were replaced by spare ones.")] = None
    pending: Annotated[int | None, doc("Sectors that wait to be replaced.")] = None
    uncorrectable: Annotated[int | None, doc("Sectors that could not be read or corrected.")] = None
    link: Annotated[int | None, doc("Errors of the link (CRC): cable, backplane.")] = None


class Drive(Model, frozen=True, kw_only=True):
    """A physical drive, or the partition that an md array lists as its member."""

    id: Annotated[str, doc("`smartarray:1/1I:1:4`, `md:md0/sda1`, `drives:SERIAL`.")]
    enclosure: Annotated[str | None, doc("Box, enclosure, channel, as printed.")] = None
    bay: Annotated[str | None, doc("Bay or slot, as printed.")] = None
    array: Annotated[str | None, doc("Id of the array that it belongs to.")] = None
    role: Annotated[Role | None, doc("`passthrough`: the operating system sees the drive itself.")] = None
    device: Annotated[str | None, doc("`/dev/sda` where the operating system sees the drive itself.")] = None
    model: Annotated[str | None, doc("Without the vendor column, spaces collapsed.")] = None
    serial: Annotated[str | None, doc("As printed, also when masked.")] = None
    firmware: Annotated[str | None, doc("Firmware revision.")] = None
    size_bytes: Annotated[int | None, doc("Size, bytes.")] = None
    media: Annotated[Media | None, doc("Spinning or solid state.")] = None
    interface: Annotated[Interface | None, doc("How it is attached.")] = None
    rpm: Annotated[int | None, doc("Rotation, per minute; null for SSDs and where not told.")] = None
    status: Annotated[
        Health,
        doc(
            "Spares and good unassigned drives are ok; predictive failure and rebuilding are warning; "
            "failed, missing, offline are critical."
        ),
    ] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    temperature_celsius: Annotated[int | None, doc("Degrees Celsius.")] = None
    link_gbps: Annotated[float | None, doc("Negotiated link speed, Gbit/s.")] = None
    max_link_gbps: Annotated[float | None, doc("Link speed that the drive can, Gbit/s.")] = None
    write_cache: Annotated[Literal["enabled", "disabled"] | None, doc("The drive's own volatile write cache.")] = None
    errors: Annotated[Errors, doc("Error counters.")] = field(default_factory=Errors)
    wwn: Annotated[str | None, doc("World wide name as printed.")] = None
    mountpoints: Annotated[
        tuple[str, ...], doc("Where a drive that the system sees itself, or what lies on it, is mounted.")
    ] = ()
    flags: Annotated[tuple[str, ...], doc("md role flags: `write_mostly`, `replacement`, `failfast`.")] = ()
    power_on_hours: Annotated[int | None, doc("Hours.")] = None
    backing: Annotated[
        tuple[str, ...],
        doc("Ids of the physical drives, or volumes of a controller, below a member of a software array."),
    ] = ()
    spare_for: Annotated[tuple[str, ...], doc("Ids of the arrays that it is a dedicated spare of.")] = ()
    foreign: Annotated[bool | None, doc("It holds a configuration that this controller has not taken over.")] = None
    sector_bytes: Annotated[int | None, doc("Logical sector, bytes: 512, or 4096 (4Kn).")] = None
    physical_sector_bytes: Annotated[
        int | None, doc("Physical sector, bytes; 4096 with logical sectors of 512 is 512e.")
    ] = None
    paths: Annotated[int | None, doc("Ways on which the system, or the controller, reaches it.")] = None
    error_recovery_seconds: Annotated[
        float | None,
        doc("Longest time that it tries to read a sector (SCT ERC), seconds; 0: without a limit."),
    ] = None
    critical_warning: Annotated[int | None, doc("NVMe: bits of the critical warning; 0: none.")] = None
    available_spare_percent: Annotated[int | None, doc("NVMe: spare blocks that are left, percent.")] = None
    available_spare_threshold_percent: Annotated[
        int | None, doc("NVMe: below this share of spare blocks the drive warns, percent.")
    ] = None
    life_used_percent: Annotated[
        int | None, doc("How much of an SSD's endurance is used, percent; 0 to 255, over 100 is possible.")
    ] = None
    firmware_update: Annotated[
        str | None, doc("The tool's words where it names newer firmware; null when it does not.")
    ] = None
    data_offset_bytes: Annotated[int | None, doc("md: where the array's data begin on the member, bytes.")] = None
    block: Annotated[Block | None, doc("As of a volume.")] = None
    layers: Annotated[tuple[BlockLayer, ...], doc("As of a volume; not of members of md arrays.")] = ()
    mounts: Annotated[tuple[Mount, ...], doc("As of a volume; not of members of md arrays.")] = ()
    details: Details = field(default_factory=dict)


class Controller(Model, frozen=True, kw_only=True):
    """A RAID card, a host bus adapter, the md driver, or the port that plain drives hang on."""

    id: Annotated[str, doc("`smartarray:1`, `md`, `drives:0000:00:1f.2`.")]
    vendor: Annotated[str | None, doc("Maker, as the tool or the PCI database names it.")] = None
    model: Annotated[str | None, doc("Product name.")] = None
    serial: Annotated[str | None, doc("Serial number, as printed.")] = None
    firmware: Annotated[str | None, doc("Firmware version.")] = None
    driver: Annotated[str | None, doc("Kernel driver, the bare module name.")] = None
    pci_address: Annotated[str | None, doc("`0000:03:00.0`, lower case, with domain.")] = None
    told_by: Annotated[str | None, doc("Name of the program that told of it, `ssacli`.")] = None
    slot: Annotated[str | None, doc("Slot as printed: `1`, `0b`.")] = None
    status: Annotated[Health, doc("Health of the controller itself.")] = "unknown"
    status_text: Annotated[str | None, doc("The tool's words.")] = None
    mode: Annotated[Mode | None, doc("`software`: md; `none`: no RAID in it.")] = None
    cache: Annotated[Cache | None, doc("Null when nothing is known of a cache.")] = None
    pci_link: Annotated[PciLink | None, doc("Null when nothing is known of it.")] = None
    patrol_read: Annotated[Scrub | None, doc("Search for bad sectors on the drives.")] = None
    consistency_check: Annotated[Scrub | None, doc("Search for copies or parity that differ.")] = None
    foreign: Annotated[bool | None, doc("Its drives hold a configuration that it has not taken over.")] = None
    monitored: Annotated[bool | None, doc("md: a monitor reports failures of the arrays (`mdadm --monitor`).")] = None
    firmware_update: Annotated[
        str | None,
        doc("The tool's words where it names newer firmware, or an image that waits for a restart."),
    ] = None
    batteries: Annotated[tuple[Battery, ...], doc("What keeps its cache without power.")] = ()
    arrays: Annotated[tuple[Array, ...], doc("Groups of drives that volumes lie on.")] = ()
    volumes: Annotated[tuple[Volume, ...], doc("What the system sees as disks.")] = ()
    drives: Annotated[tuple[Drive, ...], doc("Each drive once, those of no array among them.")] = ()
    capabilities: Annotated[dict[str, Capability], doc("What can be read and set on this controller, and why not.")] = (
        field(default_factory=dict)
    )
    details: Details = field(default_factory=dict)


class Inventory(Model, frozen=True, kw_only=True):
    """Everything that was found on one machine."""

    schema_version: Annotated[Literal["1"], doc("Version of this contract.")] = "1"
    host: Annotated[Host, doc("Whose inventory it is.")]
    controllers: Annotated[tuple[Controller, ...], doc("In the order of their ids.")] = ()
    problems: Annotated[tuple[Problem, ...], doc("What could not be read, is missing, or is warned of.")] = ()
    tools: Annotated[tuple[Tool, ...], doc("The programs that were asked.")] = ()
