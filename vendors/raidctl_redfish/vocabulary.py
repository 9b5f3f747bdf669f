"""The words of Redfish and the makers' extensions, with the model's values."""

from __future__ import annotations

from raidctl.model import BatteryStatus, Health, Operation, RaidLevel, ReadPolicy, VolumeStatus, WritePolicy
from raidctl.text import regex

# "Health": "OK"
HEALTH: dict[str, Health] = {"ok": "ok", "warning": "warning", "critical": "critical"}
WORKING = frozenset({"enabled"})
"""States in which a health of OK means that the object works."""
# "HotspareType": "Global"
SPARES = frozenset({"global", "chassis", "dedicated"})
SPARE_STATES = frozenset({"standbyspare"})
DIMINISHED = "degraded"
"""A state beside which a health of OK does not count."""
WAITING_STATES = frozenset({"standbyoffline"})
"""Of a drive: it is in no volume, and works. Of a volume: it is not in use."""
LOST_STATES = frozenset({"unavailableoffline", "disabled"})
ABSENT = "absent"

# "Status": {"Health": "Warning", "State": "Enabled"} of a volume
VOLUME: dict[str, VolumeStatus] = {"ok": "ok", "warning": "degraded", "critical": "failed"}

# "RAIDType": "RAID10"
LEVELS: dict[str, RaidLevel] = {
    "raid0": "raid0",
    "raid1": "raid1",
    "raid1e": "raid1e",
    "raid4": "raid4",
    "raid5": "raid5",
    "raid6": "raid6",
    "raid10": "raid10",
    # also with an odd number of drives
    "raid10e": "raid10",
    "raid50": "raid50",
    "raid60": "raid60",
    "raid1triple": "raid1t",
    "raid10triple": "raid10t",
    "none": "jbod",
}
NAMELESS = frozenset({"raid00", "raid01", "raid3", "raid6tp"})
"""The schema's other levels: the model has no name for them."""
# "VolumeType": "SpannedMirrors" of a schema before RAIDType; parity can be that of several levels
TYPES: dict[str, RaidLevel] = {"rawdevice": "jbod", "spannedmirrors": "raid10"}
# "Raid": "10ADM" of a logical drive of HPE
SMART_LEVELS: dict[str, RaidLevel] = {
    "0": "raid0",
    "1": "raid1",
    "1adm": "raid1t",
    "10": "raid10",
    "10adm": "raid10t",
    "5": "raid5",
    "50": "raid50",
    "6": "raid6",
    "60": "raid60",
}

# "WriteCachePolicy": "ProtectedWriteBack"; Dell's own words are WriteBack and WriteBackForce
WRITE: dict[str, WritePolicy] = {
    "writethrough": "write_through",
    "protectedwriteback": "protected_write_back",
    "unprotectedwriteback": "unprotected_write_back",
    "off": "off",
    "writeback": "protected_write_back",
    "writebackforce": "unprotected_write_back",
    # words of MegaRAID's own tools, which some BMCs pass on
    "writebackwithbbu": "protected_write_back",
    "alwayswriteback": "unprotected_write_back",
}
# "DefaultWritePolicy": "WriteBackWithBBU" of Huawei; write-back without these words does not end with the battery
PUBLIC_WRITE: dict[str, WritePolicy] = {
    "writethrough": "write_through",
    "writebackwithbbu": "protected_write_back",
    "writeback": "unprotected_write_back",
}
# "State": "Degraded" of a volume, in Huawei's extension
PUBLIC_STATE: dict[str, VolumeStatus] = {
    "optimal": "ok",
    "ok": "ok",
    "online": "ok",
    "ready": "ok",
    "nonraid": "ok",
    "enabled": "ok",
    "normal": "ok",
    "active": "ok",
    "good": "ok",
    "healthy": "ok",
    "checking": "ok",
    "expanding": "ok",
    "rebuilding": "rebuilding",
    "partiallydegraded": "degraded",
    "degraded": "degraded",
    "interimrecovery": "degraded",
    "readyforrecovery": "degraded",
    "recovering": "rebuilding",
    "offline": "offline",
    "failed": "failed",
    "wrongdrivereplaced": "failed",
    "driveimproperlyconnected": "failed",
}
# "LogicalDriveStatusReasons": ["Rebuilding"] of HPE
REASONS: dict[str, VolumeStatus] = {
    "ok": "ok",
    "failed": "failed",
    "offline": "failed",
    "notavailable": "failed",
    "wrongdrive": "failed",
    "badconnect": "failed",
    "shutdown": "failed",
    "unconfigured": "offline",
    "noaccessencryptednocontrollerkey": "offline",
    "noaccessencryptedcontrollerencryptnnotenabled": "offline",
    "degraded": "degraded",
    "overheating": "degraded",
    "multipathaccessdegraded": "degraded",
    "rebuilding": "rebuilding",
    "recovering": "rebuilding",
    "readyforrebuild": "rebuilding",
    "predictivesparerebuildready": "ok",
    "expanding": "expanding",
    "queuedforexpansion": "expanding",
    "rapidparityinitinprogress": "initializing",
    "rapidparityinitpending": "initializing",
    "erasing": "offline",
    "unencryptedtoencryptedinprogress": "ok",
    "unencryptedtoencryptednotstarted": "ok",
    "newkeyrekeyinprogress": "ok",
    "newlogdrvkeyrekeyrequestreceived": "ok",
}
REASON_OPERATIONS = ("expanding", "initializing")
"""Reasons that are operations, not faults."""
# "ReadCachePolicy": "AdaptiveReadAhead"; Dell: NoReadAhead
READ: dict[str, ReadPolicy] = {
    "readahead": "read_ahead",
    "adaptivereadahead": "adaptive",
    "adaptive": "adaptive",
    "readaheadadaptive": "adaptive",
    "off": "off",
    "noreadahead": "none",
}

# "Operations": [{"OperationName": "Rebuilding", "PercentageComplete": 42}], words within the name
OPERATIONS: tuple[tuple[str, Operation, VolumeStatus | None], ...] = (
    ("rebuild", "rebuild", "rebuilding"),
    ("recover", "rebuild", "rebuilding"),
    ("consisten", "check", "checking"),
    ("initiali", "initialize", "initializing"),
    ("parityinit", "initialize", "initializing"),
    ("format", "initialize", "initializing"),
    ("copyback", "copyback", None),
    ("replac", "copyback", None),
    ("expan", "expand", "expanding"),
    ("resize", "expand", "expanding"),
    ("migrat", "migrate", "migrating"),
    ("raidtype", "migrate", "migrating"),
    ("changestrip", "migrate", "migrating"),
    ("transform", "migrate", "migrating"),
    ("eras", "erase", None),
    ("sanitize", "erase", None),
    # the schema's other operations do not affect copies and parity
    ("deduplicate", "unknown", None),
    ("compress", "unknown", None),
    ("encrypt", "unknown", None),
    ("decrypt", "unknown", None),
    ("replicate", "unknown", None),
    ("delete", "unknown", None),
)

REBUILDS = regex(r"(?i)rebuild|recover")
"""Operations of a drive still without its part of the data."""

# "StatusIndicator": "Rebuild" of a drive; "RaidStatus" of Dell; "DiskDriveStatusReasons" of HPE
DRIVE: dict[str, Health] = {
    "ok": "ok",
    "none": "ok",
    "fail": "critical",
    "failed": "critical",
    "rebuild": "warning",
    "rebuilding": "warning",
    "predictivefailureanalysis": "warning",
    "predictivefail": "warning",
    "predictivefailure": "warning",
    # "PredictiveFailureState": "SmartAlertAbsent" of Dell
    "smartalertabsent": "ok",
    "smartalertpresent": "warning",
    "unconfiguredbad": "critical",
    "inafailedarray": "critical",
    "inacriticalarray": "warning",
    "hotspare": "ok",
    "online": "ok",
    "ready": "ok",
    "nonraid": "ok",
    "enabled": "ok",
    "good": "ok",
    "normal": "ok",
    "optimal": "ok",
    "active": "ok",
    "jbod": "ok",
    "system": "ok",
    "spare": "ok",
    "dedicatedhotspare": "ok",
    "globalhotspare": "ok",
    "dedicatedspare": "ok",
    "globalspare": "ok",
    "standby": "ok",
    "unassigned": "ok",
    "unconfigured": "ok",
    "unconfiguredgood": "ok",
    "unconfigured(good)": "ok",
    "non-raid": "ok",
    "raw": "ok",
    "configured": "ok",
    "present": "ok",
    "copyback": "ok",
    "offline": "critical",
    "removed": "critical",
    "missing": "critical",
    "blocked": "critical",
    "readonly": "critical",
    "degraded": "warning",
    "foreign": "warning",
    "communicationfailure": "critical",
    "carriercommunicationfailure": "warning",
    "nonauthenticdrive": "warning",
    "sizenotvalid": "critical",
    "notsupported": "critical",
    "failedduetopredictivespareactivation": "critical",
    "unrecoverable": "critical",
    "transientdatadrive": "warning",
    "eraseinprogress": "warning",
    "erasecompleted": "warning",
    "erasefailed": "critical",
    "queuedforerase": "warning",
    # "WearStatus": "TwoPercentThreshold" of HPE
    "fiftysixdaythreshold": "warning",
    "fivepercentthreshold": "warning",
    "twopercentthreshold": "warning",
    "ssdwearout": "warning",
}

# "PrimaryStatus", "RAIDState" of Dell's battery; "BbuStatus" of Cisco; "OperationalStatus" of Lenovo; "Health"
BATTERY: dict[str, BatteryStatus] = {
    "ok": "ok",
    "operational": "ok",
    "optimal": "ok",
    "ready": "ok",
    "warning": "degraded",
    "degraded": "degraded",
    "belowthreshold": "degraded",
    "critical": "failed",
    "error": "failed",
    "failed": "failed",
    "charging": "charging",
    "learning": "learning",
    "missing": "missing",
}
# "BackupPowerSourceStatus" of HPE's array controllers: without more, it is only known to be there
BACKUP: dict[str, BatteryStatus] = {
    "presentandcharged": "ok",
    "presentandcharging": "charging",
    "present": "unknown",
    "notpresent": "missing",
}
MEDIA = {"hdd": "hdd", "ssd": "ssd", "smr": "hdd"}
INTERFACES = {"sas": "sas", "sata": "sata", "nvme": "nvme", "nvmeoverfabrics": "nvme", "pcie": "nvme"}


def bare(text: object) -> str:
    """A word in lower case, without blanks."""
    return "".join(str(text).split()).lower()
