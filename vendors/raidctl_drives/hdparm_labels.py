"""The labels of ``hdparm -I``, as its ``identify.c`` prints them."""

from __future__ import annotations

IDENTITY = {
    "Model Number": "model",
    "Serial Number": "serial",
    "Firmware Revision": "firmware",
}
"""Labels of names, and the field that each gives."""
NAMES = frozenset((*IDENTITY, "Media Serial Num", "Media Manufacturer", "Transport"))
"""Labels of names: their values may run on in the next line."""
LABELS = frozenset((
    "Media Serial Num", "Media Manufacturer",
    "Used", "Supported", "Likely used", "DRQ response", "Packet size", "Queue depth", "Standby timer values",
    "R/W multiple sector transfer", "Advanced power management level", "Recommended acoustic management value",
    "DMA", "PIO", "Buffer type", "Buffer size", "bytes avail on r/w long", "bytes/track", "bytes/sector",
    "Overlap support", "Physical Sector size", "Logical Sector-0 offset", "Form Factor", "cache/buffer size",
    "Master password revision code", "device size with M = 1024*1024", "NAA", "IEEE OUI", "Unique ID",
    "DEVSLP Exit Timeout (DETO)", "Minimum DEVSLP Assertion Time (MDAT)",
))  # fmt: skip
"""Labels of details."""
COUNTS = {
    "CHS current addressable sectors": "chs_sectors",
    "LBA user addressable sectors": "lba_sectors",
    "LBA48 user addressable sectors": "lba48_sectors",
    "Logical Sector size": "sector_bytes",
    "Logical/Physical Sector size": "sector_bytes",
    "device size with M = 1000*1000": "mega_bytes",
}
"""Labels of figures that make up the size."""
GEOMETRY = ("cylinders", "heads", "sectors/track")
"""Rows of the old geometry."""
TITLES = {
    "Standards:": "standards",
    "Configuration:": "configuration",
    "Capabilities:": "capabilities",
    "Commands/features:": "features",
    "Security:": "security",
    "HW reset results:": "reset",
    "Device Sleep:": "sleep",
}
"""Titles of sections."""
BARE = frozenset((
    "CHS addressing not supported", "Can perform double-word IO", "Cannot perform double-word IO",
    "ATA sw reset required", "DMADIR bit required in PACKET commands",
    "Interleaved DMA support", "IORDY not likely", "powers-up in standby; SET FEATURES subcmd spins-up.",
    "bits 15&14 of general configuration word 0 both set to 1.", "hard sectored", "soft sectored", "not MFM encoded",
    "head switch time > 15us", "spindle motor control option", "fixed drive", "removable drive",
    "disk xfer rate <= 5Mbs", "disk xfer rate > 5Mbs, <= 10Mbs", "disk xfer rate > 5Mbs", "rotational speed tol.",
    "data strobe offset option", "track offset option", "format speed tolerance gap reqd",
))  # fmt: skip
"""Sentences without a label."""
FEATURES = frozenset((
    "48-bit Address feature set", "64-bit World wide name", "Address Offset Reserved Area Boot",
    "Advanced Power Management feature set", "All write cache is non-volatile",
    "Asynchronous notification (eg. media change)", "Automatic Acoustic Management feature set",
    "BLOCK_ERASE_EXT command", "CFA feature set", "CFast specification support", "CRYPTO_SCRAMBLE_EXT command",
    "Command Completion Time Limit (CCTL)", "DEVICE CONFIGURATION SET/IDENTIFY DMA commands", "DEVICE_RESET command",
    "DMA Setup Auto-Activate optimization", "DOWNLOAD MICROCODE DMA command", "DOWNLOAD_MICROCODE",
    "Deterministic read ZEROs after TRIM", "Deterministic read data after TRIM",
    "Device Configuration Overlay feature set", "Device Sleep (DEVSLP)",
    "Device automatic Partial to Slumber transitions", "Device encrypts all user data",
    "Device-initiated interface power management", "Disable Data Transfer After Error Detection",
    "Extended number of user addressable sectors", "FLUSH_CACHE_EXT", "Free-fall Control feature set",
    "Gen1 signaling speed (1.5Gb/s)", "Gen2 signaling speed (3.0Gb/s)", "Gen3 signaling speed (6.0Gb/s)",
    "General Purpose Logging feature set", "Host Protected Area feature set",
    "Host automatic Partial to Slumber transitions", "Host-initiated interface power management",
    "IDLE_IMMEDIATE with UNLOAD", "IEEE 1667 authentication of transient storage devices",
    "Idle-Unload when NCQ is active", "In-order data delivery", "Key Management (CPRM) feature set",
    "Long physical sector diagnostics", "Look-ahead", "Mandatory FLUSH_CACHE",
    "Media Card Pass Through Command feature set", "Media Card Pass-Through", "Media serial number",
    "NCQ priority information", "NOP cmd", "Native Command Queueing (NCQ)",
    "Non-Zero buffer offsets in DMA Setup FIS", "OVERWRITE_EXT command", "Optional ATA device 28-bit commands",
    "PACKET command feature set", "Phy event counters", "Power Management feature set",
    "Power-Up In Standby feature set", "READ BUFFER DMA command", "READ/WRITE_DMA_QUEUED", "READ_BUFFER command",
    "READ_LOG_DMA_EXT equivalent to READ_LOG_EXT", "Release interrupt",
    "Removable Media Status Notification feature set", "Removable Media Status Notification feature set supported",
    "Removable Media feature set", "SANITIZE feature set", "SANITIZE_ANTIFREEZE_LOCK_EXT command",
    "SATA-I signaling speed (1.5Gb/s)", "SATA-II signaling speed (3.0Gb/s)", "SCT Data Tables (AC5)",
    "SCT Error Recovery Control (AC3)", "SCT Features Control (AC4)", "SCT Read/Write Long (AC1), obsolete",
    "SCT Write Same (AC2)", "SERVICE interrupt", "SET MAX SETPASSWORD/UNLOCK DMA commands",
    "SET_FEATURES required to spinup after power up", "SET_MAX security extension",
    "SMART Command Transport (SCT) feature set", "SMART error logging", "SMART feature set", "SMART self-test",
    "Security Mode feature set", "Segmented DOWNLOAD_MICROCODE", "Software settings preservation",
    "Time Limited Commands (TLC) feature set", "Trusted Computing feature set", "URG for READ_STREAM[_DMA]_EXT",
    "URG for WRITE_STREAM[_DMA]_EXT", "WRITE BUFFER DMA command", "WRITE_BUFFER command", "WRITE_DMA_QUEUED_FUA_EXT",
    "WRITE_UNCORRECTABLE_EXT command", "WRITE_VERIFY command", "WRITE_{DMA|MULTIPLE}_FUA_EXT", "Write cache",
    "Write-Read-Verify feature set", "{READ,WRITE}_DMA_EXT_GPL commands",
))  # fmt: skip
"""Names of features, recognised even if the text has lost its indentation."""
