"""The labels of smartctl's text output, and their meaning. They cover all releases from 5.38 to 7.5.

Source: ataprint.cpp, scsiprint.cpp, nvmeprint.cpp, smartctl.cpp of smartmontools.
"""

from __future__ import annotations

import re

from raidctl.text import regex

DETAILS = frozenset(
    (
        # identity of ATA drives
        "Add. Product Id", "Sector Size", "Sector Sizes", "Form Factor", "TRIM Command", "Zoned Device",
        "ATA Version is", "ATA Standard is",
        # of SCSI drives
        "Vendor", "Compliance", "Logical block size", "Physical block size", "Lowest aligned LBA", "Device type",
        "LB provisioning type", "Temperature Warning",
        # of NVMe drives
        "PCI Vendor ID", "PCI Vendor Subsystem ID", "PCI Vendor/Subsystem ID", "IEEE OUI Identifier",
        "Unallocated NVM Capacity", "Controller ID", "Number of Namespaces",
        "Maximum Data Transfer Size", "Warning Comp. Temp. Threshold",
        # features
        "AAM feature is", "AAM level is", "APM feature is", "APM level is", "Rd look-ahead is",
        "DSN feature is", "ATA Security is", "Wt Cache Reorder", "SCT Write Cache Control",
        "Power mode is", "Power mode was", "Read Cache is", "Standby timer is", "Power mode",
        # NVMe health
        "Available Spare", "Available Spare Threshold", "Data Units Read",
        "Data Units Written", "Host Read Commands", "Host Write Commands", "Controller Busy Time", "Power Cycles",
        "Unsafe Shutdowns", "Warning Comp. Temperature Time", "Critical Comp. Temperature Time",
        "Thermal Temp. 1 Transition Count", "Thermal Temp. 2 Transition Count", "Thermal Temp. 1 Total Time",
        "Thermal Temp. 2 Total Time", "Self-test status",
        # SCSI health
        "Specified cycle count over device lifetime",
        "Accumulated start-stop cycles", "Specified load-unload count over device lifetime",
        "Accumulated load-unload cycles", "Pending defect count",
        "Current start stop count", "Recommended maximum start stop count",
        "Track following error count [Hitachi]", "Positioning error count [Hitachi]", "TapeAlert",
        "Number of background scans performed", "Number of background medium scans performed",
        # ATA logs
        "Device State", "Power Cycle Min/Max Temperature",
        "Lifetime Min/Max Temperature", "Lifetime Average Temperature", "Power Cycle Max Temperature",
        "Lifetime Max Temperature", "Under/Over Temperature Limit Count", "Specified Max Operating Temperature",
        "SMART Status",
    )
)  # fmt: skip
"""Labels that are kept in ``details`` under their own name. Runs of blanks are made one."""

NOTED = frozenset(
    (
        "Local Time is", "Device is", "SMART Attributes Data Structure revision number", "SCT Status Version",
        "SCT Version (vendor specific)", "SCT Support Level", "Vendor specific", "SCT Temperature History Version",
        "Temperature Sampling Period", "Temperature Logging Interval", "Min/Max recommended Temperature",
        "Min/Max Temperature Limit", "Temperature History Size (Index)", "Minimum supported ERC Time Limit",
        "Offline data collection status",
    )
)  # fmt: skip
"""Labels whose value is of no use to an inventory. They give the local time and versions of log formats."""

NUMBERED_DETAILS = regex(
    r"(?:Namespace \d+ (?:Size|Capacity|Size/Capacity|Utilization|Formatted LBA Size|IEEE EUI-64|Features)"
    r"|Temperature Sensor \d+|Firmware Updates|Optional Admin Commands|Optional NVM Commands|Log Page Attributes)"
    r"(?: \(0x[0-9a-f]+\))?",
    re.ASCII,
)
"""Labels with a number in them, kept in ``details``."""

NAMESPACE_NAME = regex(r"Namespace \d+ IEEE EUI-64", re.ASCII)
"""Label of a namespace's world wide name (NVMe). That of the first namespace that has one is the drive's."""

NAMESPACE_SIZE = regex(r"Namespace \d+ (?:Size/Capacity|Capacity)", re.ASCII)
"""NVMe: the part of the drive that the operating system sees."""

BEHIND = regex(
    r"(?:^|\+)(?:megaraid|cciss|3ware|areca|hpt|aacraid|sssraid|jmb39x(?:-q2?)?|jms56x|intelliprop),\d", re.ASCII
)
"""Types (``-d``) of drives behind a controller. The device is then the controller's, or one of its volumes."""

TRANSPORTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (regex(r"SAS\b"), "sas"),
    (regex(r"Parallel SCSI|Fibre channel|iSCSI|SSA\b|SCSI RDMA|SRP\b|SPI\b"), "scsi"),
    (regex(r"ATA\b|AT Attachment"), "sata"),
    (regex(r"UAS\b|USB\b"), "usb"),
)
"""``Transport protocol:`` of SCSI devices, the protocol identifiers of SPC-5 in smartctl's words."""

VERDICTS = frozenset(("SMART overall-health self-assessment test result", "SMART Health Status", "SMART Sense"))
"""Labels of the verdict on the drive's health."""
